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
#ifndef radiography_dicom_DICOMRadiographOptions_h
#define radiography_dicom_DICOMRadiographOptions_h

#include "itkDICOMRadiographInformation.h"
#include "itkRadiographGeometry.h"

#include <array>
#include <optional>
#include <string>

namespace radiography::dicom
{

/** What the user says about an X-ray image: each wins over the file. Degrees and mm. */
struct RadiographOptions
{
  using PatientPosition = itk::RadiographGeometry::PatientPosition;

  /** Counted from 1. */
  std::optional<std::size_t> frame;
  /** Between columns, between rows. */
  std::optional<std::array<double, 2>>              pitch;
  std::optional<PatientPosition>                    patientPosition;
  std::optional<itk::RadiographGeometry::PointType> isocenter;
  std::optional<double>                             primaryAngle;
  std::optional<double>                             secondaryAngle;
  std::optional<double>                             roll;
  std::optional<double>                             gantryAngle;
  std::optional<double>                             couchAngle;
  std::optional<double>                             receptorAngle;
  std::optional<double>                             sourceIsocenterDistance;
  std::optional<double>                             sourceDetectorDistance;
  /** As the tag: where columns and rows run to, "L\\F". */
  std::optional<std::string>                             patientOrientation;
  std::optional<itk::DICOMRadiographEnums::PixelMeaning> pixelMeaning;
  /** The whole view. */
  itk::RadiographGeometry::ConstPointer geometry;
};

} // namespace radiography::dicom

#endif
