# Compiled sources of the room projection, relative to it.
set(projection_SRCS itkDigitallyReconstructedRadiographImageFilter.cxx itkProjectionVolume.cxx itkViewRays.cxx)
list(APPEND projection_SRCS itkProjectionCall.cxx itkRadiographBackProjectionImageFilter.cxx)
list(APPEND projection_SRCS itkRadiographPoseJacobianImageFilter.cxx itkRadiographSensitivityCalculator.cxx)
list(APPEND projection_SRCS itkBandedRadiographImageFilter.cxx)
