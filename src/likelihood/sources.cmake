# Compiled sources of the room likelihood, relative to it.
set(likelihood_SRCS itkPoissonLikelihood.cxx)
