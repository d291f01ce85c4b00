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
#include "dicom/DICOMRTImageView.h"

#include "dicom/DICOMGantryAxes.h"

#include "itkMath.h"

#include "vnl/vnl_det.h"

#include <cmath>

namespace radiography::dicom
{
namespace
{

using Geometry = itk::RadiographGeometry;

constexpr double DegreesPerRadian = 180.0 / itk::Math::pi;

double
Turn(double degrees)
{
  return degrees < 0.0 ? degrees + 360.0 : degrees;
}

/** What an RT Image cannot hold. */
void
RequireWritable(const Geometry & view)
{
  if (view.GetBeam() != Geometry::Beam::Cone)
  {
    itkGenericExceptionMacro(
      "A parallel beam cannot be written as an RT Image, which has a point source: write a .nrrd, "
      ".mha or .nii.gz file");
  }
  const auto & direction = view.GetDetectorDirection();
  if (vnl_det(direction.GetVnlMatrix()) < 0.0)
  {
    itkGenericExceptionMacro("A mirrored detector grid (its direction has determinant -1) cannot be written as an RT "
                             "Image: flip the image and its grid first");
  }
  const auto       u = view.GetColumnDirection();
  const auto       v = view.GetRowDirection();
  constexpr double tolerance = 1e-9;
  if (std::abs(u * v) > tolerance || std::abs(u.GetNorm() - 1.0) > tolerance || std::abs(v.GetNorm() - 1.0) > tolerance)
  {
    itkGenericExceptionMacro("A detector whose columns " << u << " and rows " << v
                                                         << " are not perpendicular unit vectors cannot be written as "
                                                            "an RT Image");
  }
}

/** Gantry and couch angle, radians, that bring the source from the isocentre in the direction n of an HFS patient:
 * n = (sin g cos t, -cos g, -sin g sin t). Of the two pairs the one with the couch within a quarter turn. */
std::array<double, 2>
AnglesTowards(const Geometry::VectorType & n)
{
  const double across = std::hypot(n[0], n[2]);
  if (across < 1e-15)
  {
    return { n[1] > 0.0 ? itk::Math::pi : 0.0, 0.0 };
  }
  const double side = n[0] < 0.0 ? -1.0 : 1.0;
  return { std::atan2(side * across, -n[1]), std::atan2(-side * n[2], side * n[0]) };
}

} // namespace

RTImageView
MakeRTImageView(const Geometry & view, double sourceAxisDistance)
{
  RequireWritable(view);
  const auto  source = view.GetSource();
  const auto  u = view.GetColumnDirection();
  auto        toSource = itk::CrossProduct(u, view.GetRowDirection());
  RTImageView image;
  image.isSeenFromBehind = !view.IsSeenFromSource();
  toSource *= image.isSeenFromBehind ? 1.0 : -1.0;
  image.sourceImageDistance = view.GetSourceDetectorDistance();
  image.sourceAxisDistance = sourceAxisDistance > 0.0 ? sourceAxisDistance : image.sourceImageDistance;
  image.isocenter = source - toSource * image.sourceAxisDistance;

  Geometry::Gantry gantry;
  const auto       angles = AnglesTowards(toSource);
  gantry.gantryAngle = angles[0];
  gantry.couchAngle = angles[1];
  gantry.sourceIsocenterDistance = image.sourceAxisDistance;
  gantry.sourceDetectorDistance = image.sourceImageDistance;
  gantry.isocenter = image.isocenter;
  const GantryAxes axes(gantry);
  const auto       across = image.isSeenFromBehind ? -u : u;
  const double     receptor = std::atan2(across * axes.y, across * axes.x);
  const auto       first = view.GetDetectorOrigin() - image.isocenter;
  const double     x = first * axes.x;
  const double     y = first * axes.y;
  image.firstPixel = { x * std::cos(receptor) + y * std::sin(receptor),
                       -x * std::sin(receptor) + y * std::cos(receptor) };
  image.gantryAngle = Turn(angles[0] * DegreesPerRadian);
  image.couchAngle = Turn(angles[1] * DegreesPerRadian);
  image.receptorAngle = Turn(receptor * DegreesPerRadian);
  return image;
}

} // namespace radiography::dicom
