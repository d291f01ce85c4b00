# GoogleTest sources of the room derivative, relative to this folder; derivative_TEST_LIBRARIES: what they link besides the module.
set(derivative_TESTS DerivativeCheckerGTest.cxx FirstDerivativeOnlyGTest.cxx)
set(derivative_TEST_LIBRARIES)
