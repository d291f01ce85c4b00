# Compiled sources of the room kernel, relative to it.
set(kernel_SRCS)
