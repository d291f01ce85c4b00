# Compiled sources of the room derivative, relative to it.
set(derivative_SRCS itkDerivativeChecker.cxx itkDifferenceStencil.cxx itkFirstDerivativeOnly.cxx)
