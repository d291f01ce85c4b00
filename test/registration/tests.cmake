# GoogleTest sources of the room registration, relative to this folder; registration_TEST_LIBRARIES: what they link besides the module.
set(registration_TESTS
    # One a line.
    CorrelationGTest.cxx
)
set(registration_TEST_LIBRARIES Eigen3::Eigen)
