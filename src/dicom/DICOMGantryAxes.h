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

#include <array>
#include <cmath>

namespace radiography::dicom
{

/** How the table top lies (IEC 61217; PS3.3 C.8.8.14.12), radians. Where the axes of these rotations are does not
 * matter: the isocenter is known in the patient. */
struct TableTop
{
  /** About the vertical, couch and eccentric rotation together. */
  double turn{ 0.0 };
  /** About the table's x axis; then about its y axis. */
  double pitch{ 0.0 };
  double roll{ 0.0 };
};

/** The gantry's axes in the patient's system. */
struct GantryAxes
{
  using Vector = itk::RadiographGeometry::VectorType;
  using Gantry = itk::RadiographGeometry::Gantry;

  explicit GantryAxes(const Gantry & gantry)
    : GantryAxes(gantry, { gantry.couchAngle, 0.0, 0.0 })
  {}

  /** `table` stands for the gantry's couch angle. */
  GantryAxes(const Gantry & gantry, const TableTop & table)
  {
    const double c = std::cos(gantry.gantryAngle);
    const double s = std::sin(gantry.gantryAngle);
    const auto   patient = AxesOfUnturned(gantry);
    const auto   place = [&](double fx, double fy, double fz) {
      const Vector top = FixedToTable(fx, fy, fz, table);
      return patient[0] * top[0] + patient[1] * top[1] + patient[2] * top[2];
    };
    x = place(c, 0.0, -s);
    y = place(0.0, 1.0, 0.0);
    z = place(s, 0.0, c);
    source = gantry.isocenter + z * gantry.sourceIsocenterDistance;
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

private:
  /** The table's axes in the patient, who lies as the gantry says: those of a gantry and a couch at 0. */
  static std::array<Vector, 3>
  AxesOfUnturned(Gantry gantry)
  {
    gantry.gantryAngle = gantry.couchAngle = 0.0;
    const auto view = itk::RadiographGeometry::New();
    view->SetGantry(gantry, { 1, 1, 1.0, 1.0 });
    const Vector up = (view->GetSource() - gantry.isocenter) / gantry.sourceIsocenterDistance;
    return { view->GetColumnDirection(), -view->GetRowDirection(), up };
  }

  static Vector
  FixedToTable(double fx, double fy, double fz, const TableTop & table)
  {
    const double tx = fx * std::cos(table.turn) + fy * std::sin(table.turn);
    const double ty = -fx * std::sin(table.turn) + fy * std::cos(table.turn);
    const double pitched = -ty * std::sin(table.pitch) + fz * std::cos(table.pitch);
    Vector       top;
    top[0] = tx * std::cos(table.roll) - pitched * std::sin(table.roll);
    top[1] = ty * std::cos(table.pitch) + fz * std::sin(table.pitch);
    top[2] = tx * std::sin(table.roll) + pitched * std::cos(table.roll);
    return top;
  }
};

} // namespace radiography::dicom

#endif
