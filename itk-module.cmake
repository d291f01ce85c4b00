# Not README.md: its semicolons would end the argument.
set(DOCUMENTATION "Digitally reconstructed radiographs from CT, expected detector counts, and their exact derivatives.")

itk_module(
  Radiography
  ENABLE_SHARED
  EXCLUDE_FROM_DEFAULT
  DEPENDS
    ITKCommon
    ITKImageGrid
    ITKMetricsv4
    ITKOptimizersv4
    ITKRegistrationMethodsv4
    ITKTransform
  PRIVATE_DEPENDS
    ITKExpat
    ITKIOImageBase
  TEST_DEPENDS
    ITKTestKernel
    ITKGoogleTest
    ITKIOMeta
    ITKIONRRD
    ITKIOPNG
    ITKIONIFTI
    ITKIOTransformBase
    ITKIOTransformInsightLegacy
  DESCRIPTION "${DOCUMENTATION}"
)
