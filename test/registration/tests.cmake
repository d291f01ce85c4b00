# GoogleTest sources of the room registration, relative to this folder; registration_TEST_LIBRARIES: what they link besides the module.
set(registration_TESTS
    # One a line.
)
set(registration_TEST_LIBRARIES Eigen3::Eigen)
