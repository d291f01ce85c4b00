# GoogleTest sources of the room transmission, relative to this folder; transmission_TEST_LIBRARIES: what they link besides the module.
set(transmission_TESTS itkDetectorAndSubrayGTest.cxx itkPhotonNoiseImageFilterGTest.cxx
                       itkTransmissionImageFilterGTest.cxx
)
set(transmission_TEST_LIBRARIES)
