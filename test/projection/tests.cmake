# GoogleTest sources of the room projection, relative to this folder; projection_TEST_LIBRARIES: what they link besides the module.
set(projection_TESTS)
set(projection_TEST_LIBRARIES)
list(APPEND projection_TESTS AnalyticProjectionGTest.cxx DigitallyReconstructedRadiographGTest.cxx MarkerPositionGTest.cxx)
list(APPEND projection_TESTS RadiographBackProjectionGTest.cxx RadiographSensitivityGTest.cxx)
list(APPEND projection_TESTS PacketProjectionGTest.cxx)
list(APPEND projection_TESTS BandedRadiographGTest.cxx)
