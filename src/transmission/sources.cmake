# Compiled sources of the room transmission, relative to it.
set(transmission_SRCS itkDetectorResponseImageFilter.cxx itkPhotonNoiseImageFilter.cxx itkSubrayAverageImageFilter.cxx
                      itkTransmissionImageFilter.cxx
)
list(APPEND transmission_SRCS itkSubrayViews.cxx)
list(APPEND transmission_SRCS itkTransmissionAdjointBase.cxx itkTransmissionAdjointImageFilter.cxx
            itkDetectorResponseAdjointImageFilter.cxx itkOpticalDepthImageFilter.cxx itkOpticalDepthAdjointImageFilter.cxx
)
list(APPEND transmission_SRCS itkSubrayAverageAdjointImageFilter.cxx itkSubrayRadiographImageFilter.cxx)
list(APPEND transmission_SRCS itkFlatFieldCorrectionImageFilter.cxx)
list(APPEND transmission_SRCS itkRadiographForwardModel.cxx itkRadiographForwardModelAdjointImageFilter.cxx
            itkSubrayProjectionAdjoint.cxx
)
