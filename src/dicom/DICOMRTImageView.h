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
#ifndef radiography_dicom_DICOMRTImageView_h
#define radiography_dicom_DICOMRTImageView_h

#include "itkRadiographGeometry.h"

#include <array>

namespace radiography::dicom
{

/** A view in the terms of the RT Image module, for a patient who lies HFS. Degrees and mm. */
struct RTImageView
{
  double                             gantryAngle{ 0.0 };
  double                             couchAngle{ 0.0 };
  double                             receptorAngle{ 0.0 };
  double                             sourceAxisDistance{ 0.0 };
  double                             sourceImageDistance{ 0.0 };
  itk::RadiographGeometry::PointType isocenter{};
  /** Centre of pixel (0, 0) on the receptor. */
  std::array<double, 2> firstPixel{};
  /** The image is seen from the detector's far side: columns run against the receptor's x axis. */
  bool isSeenFromBehind{ false };
};

/** \throws itk::ExceptionObject for a view that an RT Image cannot hold. `sourceAxisDistance` 0: that of the detector.
 */
RTImageView
MakeRTImageView(const itk::RadiographGeometry & view, double sourceAxisDistance);

} // namespace radiography::dicom

#endif
