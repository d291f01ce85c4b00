# GoogleTest sources of the room registration, relative to this folder; registration_TEST_LIBRARIES: what they link besides the module.
set(registration_TESTS
    # One a line.
    ITKOptimizersGTest.cxx
    RegistrationParameterScalesGTest.cxx
    RadiographPyramidGTest.cxx
    itkRadiographToVolumeMetricv4GTest.cxx
    itkPoissonRadiographToVolumeMetricv4GTest.cxx
    CorrelationGTest.cxx
    itkCorrelationRadiographToVolumeMetricv4GTest.cxx
    LandmarkPoseGTest.cxx
    itkRadiographLandmarkPoseEstimatorGTest.cxx
    itkRadiographMaskGTest.cxx
    FisherScoringOptimizerGTest.cxx
    itkPoseUncertaintyGTest.cxx
    itkRadiographRegistrationMethodGTest.cxx
    itkRegistrationLevelsGTest.cxx
    itkRegistrationMasksGTest.cxx
    itkRegistrationTransformsGTest.cxx
    itkRegistrationVerdictGTest.cxx
)
set(registration_TEST_LIBRARIES Eigen3::Eigen)
