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
#ifndef radiography_dicom_DICOMRadiographGeometry_h
#define radiography_dicom_DICOMRadiographGeometry_h

#include "dicom/DICOMBeamLimits.h"
#include "dicom/DICOMFindings.h"
#include "dicom/DICOMRadiographOptions.h"

namespace radiography::dicom
{

/** Which modules describe an X-ray image (PS3.3 A.14, A.16, A.47, A.48, A.2, A.26, A.17, A.8). */
enum class RadiographKind
{
  Angiography,
  Fluoroscopy,
  EnhancedAngiography,
  EnhancedFluoroscopy,
  ComputedRadiography,
  DigitalRadiography,
  RTImage,
  SecondaryCapture
};

inline bool
IsEnhanced(RadiographKind kind)
{
  return kind == RadiographKind::EnhancedAngiography || kind == RadiographKind::EnhancedFluoroscopy;
}

/** The view, or nothing; then `findings` has a refusal for each thing that is missing. `limits` becomes the collimator
 * of a treatment machine. */
itk::RadiographGeometry::Pointer
UnderstandGeometry(RadiographKind                    kind,
                   const RadiographOptions &         options,
                   itk::DICOMRadiographInformation & information,
                   Findings &                        findings,
                   BeamLimits &                      limits);

/** \name For one family of modules each. */
///@{
itk::RadiographGeometry::Pointer
UnderstandCArm(RadiographKind                    kind,
               const RadiographOptions &         options,
               itk::DICOMRadiographInformation & information,
               Findings &                        findings);

itk::RadiographGeometry::Pointer
UnderstandRTImage(const RadiographOptions &         options,
                  itk::DICOMRadiographInformation & information,
                  Findings &                        findings,
                  BeamLimits &                      limits);
///@}

} // namespace radiography::dicom

#endif
