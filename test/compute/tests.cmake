# GoogleTest sources of the room compute, relative to this folder; compute_TEST_LIBRARIES: what they link besides the module.
set(compute_TESTS)
set(compute_TEST_LIBRARIES)
list(APPEND compute_TESTS TransmissionAdjointLauncherGTest.cxx)
list(APPEND compute_TESTS AttenuationScanGTest.cxx ForwardProjectionGTest.cxx PixelSumGTest.cxx InstructionSetGTest.cxx)
list(APPEND compute_TESTS BackProjectionGTest.cxx ViewSensitivityGTest.cxx)
list(APPEND compute_TESTS TransmissionLauncherGTest.cxx TransmissionOracleGTest.cxx TransmissionSweepGTest.cxx)
list(APPEND compute_TEST_LIBRARIES mpfr gmp)
list(APPEND compute_TESTS JosephPacketsGTest.cxx)
