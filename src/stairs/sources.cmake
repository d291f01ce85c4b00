# Compiled sources of the room stairs, relative to it.
set(stairs_SRCS itkHandDownThreads.cxx)
