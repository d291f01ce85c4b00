# GoogleTest sources of the room transmission, relative to this folder; transmission_TEST_LIBRARIES: what they link besides the module.
set(transmission_TESTS)
list(APPEND transmission_TESTS AnalyticPathsGTest.cxx)
list(APPEND transmission_TESTS itkDetectorAndSubrayGTest.cxx)
list(APPEND transmission_TESTS itkPhotonNoiseImageFilterGTest.cxx)
list(APPEND transmission_TESTS itkTransmissionImageFilterGTest.cxx)
list(APPEND transmission_TESTS itkTransmissionAdjointGTest.cxx itkOpticalDepthGTest.cxx)
list(APPEND transmission_TESTS itkDetectorResponseAdjointGTest.cxx)
set(transmission_TEST_LIBRARIES mpfr gmp)
