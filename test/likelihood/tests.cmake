# GoogleTest sources of the room likelihood, relative to this folder; likelihood_TEST_LIBRARIES: what they link besides the module.
set(likelihood_TESTS itkPoissonLikelihoodCalculatorGTest.cxx itkPoissonLikelihoodGTest.cxx
                     itkPoissonResidualImageFilterGTest.cxx
)
set(likelihood_TEST_LIBRARIES mpfr gmp)
