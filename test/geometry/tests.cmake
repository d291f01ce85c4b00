# GoogleTest sources of the room geometry, relative to this folder; geometry_TEST_LIBRARIES: what they link besides the module.
set(geometry_TESTS)
set(geometry_TEST_LIBRARIES)
list(APPEND geometry_TESTS RadiographGeometryGTest.cxx)
list(APPEND geometry_TESTS RadiographGeometryRTKGTest.cxx)
