# Compiled sources of the room transmission, relative to it.
set(transmission_SRCS)
