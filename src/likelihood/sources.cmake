# Compiled sources of the room likelihood, relative to it.
set(likelihood_SRCS itkCountsDeclaration.cxx itkPoissonLikelihood.cxx itkPoissonLikelihoodCalculator.cxx
                    itkPoissonResidualImageFilter.cxx
)
