# GoogleTest sources of the room attenuation, relative to this folder; attenuation_TEST_LIBRARIES: what they link besides the module.
set(attenuation_TESTS)
set(attenuation_TEST_LIBRARIES)
