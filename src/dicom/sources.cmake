# Compiled sources of the room dicom, relative to it. Without DCMTK there is none, and the headers are all that is left.
set(dicom_SRCS)
if(Radiography_USE_DCMTK)
  set(dicom_SRCS
      DICOMBeamLimits.cxx
      DICOMCArmGeometry.cxx
      DICOMCodecs.cxx
      DICOMEnhancedCT.cxx
      DICOMEnhancedXray.cxx
      DICOMFindings.cxx
      DICOMFolder.cxx
      DICOMFunctionalGroups.cxx
      DICOMJPEG2000.cxx
      DICOMPatientOrientation.cxx
      DICOMPixelDecoder.cxx
      DICOMPixelFormat.cxx
      DICOMPixelMeaning.cxx
      DICOMRTImageGeometry.cxx
      DICOMRTImageView.cxx
      DICOMRadiographHeader.cxx
      DICOMResampling.cxx
      DICOMShutters.cxx
      DICOMSliceHeader.cxx
      DICOMSliceStack.cxx
      DICOMTagReader.cxx
      DICOMVolumes.cxx
      itkDICOMCTVolumeReader.cxx
      itkDICOMInventory.cxx
      itkDICOMRadiographReader.cxx
      itkDICOMRadiographWriter.cxx
  )
endif()

# ITK brings its own, renamed copy of openjpeg.h, which stands earlier on the include path: here the library's own wins.
if(Radiography_USE_DCMTK)
  set_source_files_properties(dicom/DICOMJPEG2000.cxx PROPERTIES INCLUDE_DIRECTORIES "${OPENJPEG_INCLUDE_DIRS}")
endif()
