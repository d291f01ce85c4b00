# Compiled sources of the room geometry, relative to it.
set(geometry_SRCS)
