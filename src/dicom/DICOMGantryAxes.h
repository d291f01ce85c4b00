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
#ifndef radiography_dicom_DICOMGantryAxes_h
#define radiography_dicom_DICOMGantryAxes_h

#include "itkRadiographGeometry.h"

namespace radiography::dicom
{

/** The gantry's axes in the patient's system, found from the view of a receptor that lies along them. */
struct GantryAxes
{
  using Vector = itk::RadiographGeometry::VectorType;

  explicit GantryAxes(const itk::RadiographGeometry::Gantry & gantry)
  {
    const auto view = itk::RadiographGeometry::New();
    view->SetGantry(gantry, { 1, 1, 1.0, 1.0 });
    source = view->GetSource();
    x = view->GetColumnDirection();
    y = -view->GetRowDirection();
    z = (source - gantry.isocenter) / gantry.sourceIsocenterDistance;
  }

  Vector
  ToPatient(const Vector & v) const
  {
    return x * v[0] + y * v[1] + z * v[2];
  }

  itk::RadiographGeometry::PointType source;
  Vector                             x;
  Vector                             y;
  Vector                             z;
};

} // namespace radiography::dicom

#endif
