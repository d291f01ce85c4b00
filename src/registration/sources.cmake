# Compiled sources of the room registration, relative to it.
set(registration_SRCS
    # One a line: metrics, optimizer, estimators, method.
    itkRegistrationParameterScalesFromFisherInformation.cxx
    itkRegistrationParameterScalesFromRadiographShift.cxx
    itkRigidMotionUpdate.cxx
    itkInformationSpectrum.cxx
    itkFisherScoringOptimizerv4.cxx
    itkRadiographPyramid.cxx
    itkFisherInformationProvider.cxx
    itkCorrelationRadiographToVolumeMetricv4.cxx
    itkGradientCorrelationRadiographToVolumeMetricv4.cxx
    itkNormalizedCorrelationRadiographToVolumeMetricv4.cxx
    itkRadiographLandmarkJSON.cxx
    itkRadiographLandmarkPoseEstimator.cxx
    itkRadiographToVolumeMetricv4.cxx
    itkRadiographToVolumeMetricv4Evaluation.cxx
    itkNuisanceElimination.cxx
    itkPoissonCounts.cxx
    itkPoissonRadiographToVolumeMetricv4.cxx
    itkPoissonRadiographToVolumeMetricv4Evaluation.cxx
)
