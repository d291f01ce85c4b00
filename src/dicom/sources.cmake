# Compiled sources of the room dicom, relative to it.
set(dicom_SRCS)
