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
#include "geometry/itkViewBuilders.h"

#include "vnl/vnl_inverse.h"

#include <cmath>

namespace itk
{

namespace
{

using PointType = RadiographGeometry::PointType;
using VectorType = RadiographGeometry::VectorType;
using DetectorGrid = RadiographGeometry::DetectorGrid;
using DetectorImageType = RadiographGeometry::DetectorImageType;

VectorType
MakeVector(double x, double y, double z)
{
  VectorType result;
  result[0] = x;
  result[1] = y;
  result[2] = z;
  return result;
}

void
RequirePositive(const char * what, double value)
{
  if (!(value > 0.0) || !std::isfinite(value))
  {
    itkGenericExceptionMacro("The " << what << " must be a positive number of mm; it is " << value << '.');
  }
}

void
RequireAngle(const char * what, double radians)
{
  if (!std::isfinite(radians))
  {
    itkGenericExceptionMacro("The " << what << " must be finite; it is " << radians << '.');
  }
}

void
RequireGrid(const DetectorGrid & grid)
{
  if (grid.columns == 0 || grid.rows == 0)
  {
    itkGenericExceptionMacro("A detector needs at least one column and one row; this one has " << grid.columns << " x "
                                                                                               << grid.rows << '.');
  }
  RequirePositive("detector's spacing between columns", grid.columnSpacing);
  RequirePositive("detector's spacing between rows", grid.rowSpacing);
}

/** The detector whose middle, index ((columns - 1) / 2, (rows - 1) / 2), lies at `center`. */
DetectorImageType::Pointer
BuildCenteredDetector(const PointType &    center,
                      const VectorType &   columnDirection,
                      const VectorType &   rowDirection,
                      const DetectorGrid & grid)
{
  const double halfWidth = 0.5 * (static_cast<double>(grid.columns) - 1.0) * grid.columnSpacing;
  const double halfHeight = 0.5 * (static_cast<double>(grid.rows) - 1.0) * grid.rowSpacing;
  return BuildDetectorImage(
    center - columnDirection * halfWidth - rowDirection * halfHeight, columnDirection, rowDirection, grid);
}

/** IEC 61217: from the fixed system's axes to the patient's, for a couch turned by `couchAngle`. */
VectorType
FixedToPatient(const VectorType & fixed, const RadiographGeometry::Gantry & gantry)
{
  const double c = std::cos(gantry.couchAngle);
  const double s = std::sin(gantry.couchAngle);
  const double x = fixed[0] * c + fixed[1] * s;
  const double y = -fixed[0] * s + fixed[1] * c;
  const double z = fixed[2];
  switch (gantry.patientPosition)
  {
    case RadiographGeometryEnums::PatientPosition::HFS:
      return MakeVector(x, -z, y);
    case RadiographGeometryEnums::PatientPosition::HFP:
      return MakeVector(-x, z, y);
    case RadiographGeometryEnums::PatientPosition::FFS:
      return MakeVector(-x, -z, -y);
    case RadiographGeometryEnums::PatientPosition::FFP:
      return MakeVector(x, z, -y);
  }
  itkGenericExceptionMacro("The patient position " << static_cast<int>(gantry.patientPosition)
                                                   << " is none of HFS, HFP, FFS, FFP.");
}

} // namespace

DetectorImageType::Pointer
BuildDetectorImage(const PointType &    origin,
                   const VectorType &   columnDirection,
                   const VectorType &   rowDirection,
                   const DetectorGrid & grid)
{
  RequireGrid(grid);
  const VectorType                 normal = CrossProduct(columnDirection, rowDirection);
  DetectorImageType::DirectionType direction;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    direction[axis][0] = columnDirection[axis];
    direction[axis][1] = rowDirection[axis];
    direction[axis][2] = normal[axis];
  }
  DetectorImageType::SizeType size;
  size[0] = grid.columns;
  size[1] = grid.rows;
  size[2] = 1;

  const auto image = DetectorImageType::New();
  image->SetRegions(size);
  image->SetOrigin(origin);
  image->SetSpacing(MakeVector(grid.columnSpacing, grid.rowSpacing, 1.0));
  image->SetDirection(direction);
  return image;
}

ConeBeamView
BuildCArmView(const RadiographGeometry::CArm & arm, const DetectorGrid & grid)
{
  RequirePositive("source-isocentre distance", arm.sourceIsocenterDistance);
  RequirePositive("source-detector distance", arm.sourceDetectorDistance);
  RequireAngle("primary angle", arm.primaryAngle);
  RequireAngle("secondary angle", arm.secondaryAngle);
  RequireAngle("roll angle", arm.roll);
  const double ca = std::cos(arm.primaryAngle);
  const double sa = std::sin(arm.primaryAngle);
  const double cb = std::cos(arm.secondaryAngle);
  const double sb = std::sin(arm.secondaryAngle);

  // DICOM PS3.3 C.8.7.5.1.2 in LPS. The image axes follow from "the patient faces the detector at 0/0".
  const VectorType toDetector = MakeVector(sa * cb, -ca * cb, sb);
  const VectorType columns = MakeVector(ca, sa, 0.0);
  const VectorType rows = MakeVector(sa * sb, -ca * sb, -cb);

  const double    cr = std::cos(arm.roll);
  const double    sr = std::sin(arm.roll);
  const PointType source = arm.isocenter - toDetector * arm.sourceIsocenterDistance;
  const PointType center = source + toDetector * arm.sourceDetectorDistance;
  return { source, BuildCenteredDetector(center, columns * cr + rows * sr, rows * cr - columns * sr, grid) };
}

ConeBeamView
BuildGantryView(const RadiographGeometry::Gantry & gantry, const DetectorGrid & grid)
{
  RequirePositive("source-isocentre distance", gantry.sourceIsocenterDistance);
  RequirePositive("source-detector distance", gantry.sourceDetectorDistance);
  RequireAngle("gantry angle", gantry.gantryAngle);
  RequireAngle("couch angle", gantry.couchAngle);
  const double c = std::cos(gantry.gantryAngle);
  const double s = std::sin(gantry.gantryAngle);

  // IEC 61217: the gantry system turns about the fixed y axis; its z axis points to the source, and an image receptor
  // has columns along its x and rows against its y (DICOM PS3.3 C.8.8.2.7).
  const VectorType toSource = FixedToPatient(MakeVector(s, 0.0, c), gantry);
  const VectorType columns = FixedToPatient(MakeVector(c, 0.0, -s), gantry);
  const VectorType rows = FixedToPatient(MakeVector(0.0, -1.0, 0.0), gantry);

  const PointType source = gantry.isocenter + toSource * gantry.sourceIsocenterDistance;
  return { source, BuildCenteredDetector(source - toSource * gantry.sourceDetectorDistance, columns, rows, grid) };
}

ConeBeamView
BuildProjectionMatrixView(const RadiographGeometry::ProjectionMatrixType & pixelFromWorld, const DetectorGrid & grid)
{
  RequireGrid(grid);
  constexpr double               tolerance = 1e-6;
  vnl_matrix_fixed<double, 3, 3> left;
  VectorType                     row[3];
  VectorType                     last;
  for (unsigned int i = 0; i < 3; ++i)
  {
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      left(i, axis) = row[i][axis] = pixelFromWorld[i][axis];
    }
    last[i] = pixelFromWorld[i][3];
  }
  const double determinant = row[0] * CrossProduct(row[1], row[2]);
  const double size = row[0].GetNorm() * row[1].GetNorm() * row[2].GetNorm();
  if (!std::isfinite(determinant) || !last.GetVnlVector().is_finite() || !(std::abs(determinant) > 1e-12 * size))
  {
    itkGenericExceptionMacro("The projection matrix" << std::endl
                                                     << pixelFromWorld << "is singular or not finite: its left 3 x 3 "
                                                     << "part must be invertible (a point source at finite distance).");
  }

  // Hartley and Zisserman 6.2.4: P = K [R | -R s] by Gram-Schmidt from the last row upwards.
  const double     scale = 1.0 / row[2].GetNorm();
  const VectorType forward = row[2] * scale;
  const double     centerColumn = scale * (row[0] * forward);
  const double     centerRow = scale * (row[1] * forward);
  VectorType       down = row[1] * scale - forward * centerRow;
  const double     focalRows = down.Normalize();
  VectorType       right = row[0] * scale - forward * centerColumn;
  const double     skew = right * down;
  right -= down * skew;
  const double focalColumns = right.Normalize();
  if (std::abs(skew) > tolerance * focalColumns)
  {
    itkGenericExceptionMacro("The projection matrix has skew "
                             << skew / focalColumns << " (relative to its focal length), more than " << tolerance
                             << ": its columns and rows are not perpendicular, which "
                                "no detector grid of an image can express.");
  }
  const double distance = focalColumns * grid.columnSpacing;
  const double distanceByRows = focalRows * grid.rowSpacing;
  if (std::abs(distance - distanceByRows) > tolerance * distance)
  {
    itkGenericExceptionMacro("The projection matrix gives a source-detector distance of "
                             << distance << " mm by its columns (spacing " << grid.columnSpacing << " mm) and of "
                             << distanceByRows << " mm by its rows (spacing " << grid.rowSpacing
                             << " mm). Give the detector's spacing in the ratio that the matrix was made with.");
  }

  const vnl_vector_fixed<double, 3> translation(last[0], last[1], last[2]);
  const vnl_vector_fixed<double, 3> center = -(vnl_inverse(left) * translation);
  PointType                         source;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    source[axis] = center[axis];
  }
  const PointType origin =
    source + forward * distance - right * (centerColumn * grid.columnSpacing) - down * (centerRow * grid.rowSpacing);
  return { source, BuildDetectorImage(origin, right, down, grid) };
}

} // namespace itk
