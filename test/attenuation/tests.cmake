# GoogleTest sources of the room attenuation, relative to this folder; attenuation_TEST_LIBRARIES: what they link besides the module.
set(attenuation_TESTS itkHounsfieldToAttenuationGTest.cxx)
set(attenuation_TEST_LIBRARIES)
