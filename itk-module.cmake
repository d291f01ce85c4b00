get_filename_component(_radiography_dir "${CMAKE_CURRENT_LIST_FILE}" PATH)
file(READ "${_radiography_dir}/README.md" DOCUMENTATION)

itk_module(
  Radiography
  ENABLE_SHARED
  EXCLUDE_FROM_DEFAULT
  DEPENDS
    ITKCommon
    ITKImageGrid
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
