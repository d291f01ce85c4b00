# GoogleTest sources of the room dicom, relative to this folder; dicom_TEST_LIBRARIES: what they link besides the module.
set(dicom_TESTS)
set(dicom_TEST_LIBRARIES)
