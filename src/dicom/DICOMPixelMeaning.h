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
#ifndef radiography_dicom_DICOMPixelMeaning_h
#define radiography_dicom_DICOMPixelMeaning_h

#include "dicom/DICOMFindings.h"
#include "dicom/DICOMPixelFormat.h"
#include "dicom/DICOMRadiographGeometry.h"

#include <vector>

namespace radiography::dicom
{

/** From stored values to pixel values: a table if there is one, else stored value x slope + intercept. */
struct ValueMap
{
  double              slope{ 1.0 };
  double              intercept{ 0.0 };
  std::vector<double> table;
  /** The stored value that the table's first entry is for; those beyond its ends take the entry there. */
  std::int32_t firstMapped{ 0 };

  double
  operator()(std::int32_t stored) const;
};

/** What the pixels mean, and how they become values (PS3.3 C.8.7.1.1.2, C.8.11.3.1.2, C.11.1). Sets
 * `information.pixelMeaning`. \throws FileError if rescale tags or the Modality LUT are malformed. */
ValueMap
UnderstandPixels(RadiographKind                    kind,
                 const PixelFormat &               format,
                 const RadiographOptions &         options,
                 itk::DICOMRadiographInformation & information,
                 Findings &                        findings);

} // namespace radiography::dicom

#endif
