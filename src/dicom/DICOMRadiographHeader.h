/*=========================================================================
 *
 *  Copyright NumFOCUS
 *
 *  Licensed under the Apache License, Version 2.0 (the "License");
 *  you may not use this file except in compliance with the License.
 *  You may obtain a copy of the License at
 *
 *         https://www.apache.org/licenses/LICENSE-2.0.txt
 *
 *  Unless required by applicable law or agreed to in writing, software
 *  distributed under the License is distributed on an "AS IS" BASIS,
 *  WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 *  See the License for the specific language governing permissions and
 *  limitations under the License.
 *
 *=========================================================================*/
#ifndef radiography_dicom_DICOMRadiographHeader_h
#define radiography_dicom_DICOMRadiographHeader_h

#include "dicom/DICOMPixelDecoder.h"
#include "dicom/DICOMPixelMeaning.h"
#include "dicom/DICOMRadiographGeometry.h"
#include "dicom/DICOMShutters.h"

namespace radiography::dicom
{

/** All that is needed to place an X-ray image and to read its pixels. */
struct RadiographHeader
{
  itk::DICOMRadiographInformation information;
  FrameLocation                   location;
  std::optional<PaddingRange>     padding;
  ValueMap                        values;
  Shutters                        shutters;
  BeamLimits                      limits;
  /** Null if something is refused: `information.problems` says what. */
  itk::RadiographGeometry::Pointer geometry;
};

/** \throws FileError if the file is no X-ray image that could be read, whatever the options. */
RadiographHeader
ReadRadiographHeader(const std::string & path, const RadiographOptions & options);

} // namespace radiography::dicom

#endif
