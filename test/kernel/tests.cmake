# GoogleTest sources of the room kernel, relative to this folder; kernel_TEST_LIBRARIES: what they link besides the module.
set(kernel_TESTS)
set(kernel_TEST_LIBRARIES)
