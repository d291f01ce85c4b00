# Compiled sources of the room compute, relative to it.
set(compute_SRCS)
