# GoogleTest sources of the room dicom, relative to this folder; dicom_TEST_LIBRARIES: what they link besides the module.
set(dicom_TESTS)
set(dicom_TEST_LIBRARIES)
if(Radiography_USE_DCMTK)
  set(dicom_TESTS
      DICOMCasesGTest.cxx
      DICOMEnhancedCTGTest.cxx
      DICOMFolderGTest.cxx
      DICOMMutationsGTest.cxx
      DICOMPixelValuesGTest.cxx
      DICOMRadiographCArmGTest.cxx
      DICOMRadiographDamageGTest.cxx
      DICOMRadiographEnhancedGTest.cxx
      DICOMRadiographPixelsGTest.cxx
      DICOMRadiographRTImageGTest.cxx
      DICOMRadiographRealDataGTest.cxx
      DICOMRadiographWriterGTest.cxx
      DICOMReaderPipelineGTest.cxx
      DICOMResamplingGTest.cxx
      DICOMRealDataGTest.cxx
      DICOMSliceGeometryGTest.cxx
      DICOMTransferSyntaxGTest.cxx
  )
  set(dicom_TEST_LIBRARIES DCMTK::dcmdata DCMTK::dcmjpeg DCMTK::dcmjpls openjp2)
  # The library's own openjpeg.h, before the renamed copy that ITK brings.
  set_source_files_properties(
    dicom/DICOMEnhancedCTGTest.cxx dicom/DICOMMutationsGTest.cxx dicom/DICOMTransferSyntaxGTest.cxx
    PROPERTIES INCLUDE_DIRECTORIES "${OPENJPEG_INCLUDE_DIRS}"
  )
endif()
