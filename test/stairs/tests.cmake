# GoogleTest sources of the room stairs, relative to this folder; stairs_TEST_LIBRARIES: what they link besides the module.
set(stairs_TESTS)
set(stairs_TEST_LIBRARIES)
list(APPEND stairs_TESTS HandDownThreadsGTest.cxx)
