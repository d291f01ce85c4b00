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
#include "projection/itkViewRays.h"

#include "vnl/vnl_det.h"
#include "vnl/vnl_inverse.h"

#include <algorithm>
#include <cmath>

namespace itk
{

namespace
{

using PointVector = vnl_vector_fixed<double, 3>;
using radiography::kernel::ViewRays;

PointVector
ToVnl(const RadiographGeometry::PointType & point)
{
  return point.GetVnlVector();
}

/** after(before(x)). */
AffineMap
Compose(const AffineMap & after, const AffineMap & before)
{
  return { after.matrix * before.matrix, after(before.offset) };
}

/** The box of the tent-padded field ends one voxel outside the outermost centres; its corners in CT points. */
template <typename TVisit>
void
ForEachBoxCorner(const ImageBase<3> & ct, TVisit && visit)
{
  const auto size = ct.GetLargestPossibleRegion().GetSize();
  for (unsigned int corner = 0; corner < 8; ++corner)
  {
    PointVector index;
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      index[axis] = (corner >> axis & 1U) != 0U ? static_cast<double>(size[axis]) : -1.0;
    }
    visit(index);
  }
}

/** How far before the detector all rays of a parallel beam start, so that the whole volume lies between. */
double
FindParallelLength(const RadiographGeometry & geometry, const AffineMap & indexFromWorld, const ImageBase<3> & ct)
{
  const AffineMap   worldFromIndex{ vnl_inverse(indexFromWorld.matrix),
                                  -(vnl_inverse(indexFromWorld.matrix) * indexFromWorld.offset) };
  const PointVector direction = geometry.GetBeamDirection().GetVnlVector();
  double            firstCorner = HUGE_VAL;
  ForEachBoxCorner(ct, [&](const PointVector & index) {
    firstCorner = std::min(firstCorner, dot_product(direction, worldFromIndex(index)));
  });
  const auto size = geometry.GetDetectorSize();
  double     lastPixel = -HUGE_VAL;
  for (const double column : { 0.0, static_cast<double>(size[0]) - 1.0 })
  {
    for (const double row : { 0.0, static_cast<double>(size[1]) - 1.0 })
    {
      lastPixel = std::max(lastPixel, dot_product(direction, ToVnl(geometry.GetPixelCenter(column, row))));
    }
  }
  constexpr double clearance = 1.0;
  return std::max(lastPixel - firstCorner, 0.0) + clearance;
}

/** origin + column c + row r, mapped. */
ViewRays::AffinePoint
MapPoint(const AffineMap & map, const PointVector & origin, const PointVector & columnStep, const PointVector & rowStep)
{
  const PointVector     mapped[3] = { map(origin), map.matrix * columnStep, map.matrix * rowStep };
  ViewRays::AffinePoint point;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    point.origin[axis] = mapped[0][axis];
    point.column[axis] = mapped[1][axis];
    point.row[axis] = mapped[2][axis];
  }
  return point;
}

AffineMap
MakeIdentity()
{
  AffineMap identity;
  identity.matrix.set_identity();
  identity.offset.fill(0.0);
  return identity;
}

} // namespace

AffineMap
ToAffineMap(const Transform<double, 3, 3> & transform)
{
  if (!transform.IsLinear())
  {
    itkGenericExceptionMacro("The transform "
                             << transform.GetNameOfClass()
                             << " is not linear. A radiograph's rays must stay straight: give a rigid, "
                                "similarity, affine or composite of such transforms.");
  }
  // A power of two, far enough apart that rounding of the images stays small in the difference.
  constexpr double reach = 1024.0;
  Point<double, 3> probe;
  probe.Fill(0.0);
  const Point<double, 3> origin = transform.TransformPoint(probe);
  AffineMap              map;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    probe.Fill(0.0);
    probe[axis] = reach;
    const Vector<double, 3> step = (transform.TransformPoint(probe) - origin) / reach;
    map.matrix.set_column(axis, step.GetVnlVector());
  }
  map.offset = origin.GetVnlVector();

  const double determinant = vnl_det(map.matrix);
  const double size = std::pow(map.matrix.frobenius_norm(), 3);
  if (!map.matrix.is_finite() || !map.offset.is_finite() || !(std::abs(determinant) > 1e-9 * size))
  {
    itkGenericExceptionMacro("The transform " << transform.GetNameOfClass() << " cannot be inverted (determinant "
                                              << determinant << " of" << std::endl
                                              << map.matrix << "): it maps the world onto a plane, or is not finite.");
  }
  return map;
}

Point<double, 3>
CenterOfGrid(const ImageBase<3> & image)
{
  const ImageRegion<3> &     region = image.GetLargestPossibleRegion();
  ContinuousIndex<double, 3> middle;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    middle[axis] = static_cast<double>(region.GetIndex(axis)) + 0.5 * (static_cast<double>(region.GetSize(axis)) - 1.0);
  }
  Point<double, 3> center;
  image.TransformContinuousIndexToPhysicalPoint(middle, center);
  return center;
}

AffineMap
MakeIndexFromPoint(const ImageBase<3> & image)
{
  vnl_matrix_fixed<double, 3, 3> step = image.GetDirection().GetVnlMatrix();
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    step.set_column(axis, image.GetSpacing()[axis] * step.get_column(axis));
  }
  ImageBase<3>::PointType first;
  image.TransformIndexToPhysicalPoint(image.GetLargestPossibleRegion().GetIndex(), first);
  const vnl_matrix_fixed<double, 3, 3> inverse = vnl_inverse(step);
  return { inverse, -(inverse * ToVnl(first)) };
}

ViewRays
MakeViewRays(const RadiographGeometry & geometry, const AffineMap & ctFromWorld, const ImageBase<3> & ct)
{
  const AffineMap   indexFromWorld = Compose(MakeIndexFromPoint(ct), ctFromWorld);
  const PointVector pixel = ToVnl(geometry.GetDetectorOrigin());
  const PointVector columnStep = (geometry.GetColumnDirection() * geometry.GetDetectorSpacing()[0]).GetVnlVector();
  const PointVector rowStep = (geometry.GetRowDirection() * geometry.GetDetectorSpacing()[1]).GetVnlVector();
  const PointVector zero(0.0);
  const bool        cone = geometry.GetBeam() == RadiographGeometryEnums::Beam::Cone;

  ViewRays rays;
  rays.columns = static_cast<std::int64_t>(geometry.GetDetectorSize()[0]);
  rays.rows = static_cast<std::int64_t>(geometry.GetDetectorSize()[1]);
  rays.end = MapPoint(indexFromWorld, pixel, columnStep, rowStep);
  if (cone)
  {
    const PointVector source = ToVnl(geometry.GetSource());
    rays.start = MapPoint(indexFromWorld, source, zero, zero);
    rays.span = MapPoint(MakeIdentity(), pixel - source, columnStep, rowStep);
  }
  else
  {
    const PointVector span =
      geometry.GetBeamDirection().GetVnlVector() * FindParallelLength(geometry, indexFromWorld, ct);
    rays.start = MapPoint(indexFromWorld, pixel - span, columnStep, rowStep);
    rays.span = MapPoint(MakeIdentity(), span, zero, zero);
  }
  return rays;
}

radiography::compute::SensitivityView
MakeSensitivityView(const RadiographGeometry & geometry, const AffineMap & ctFromWorld, const ImageBase<3> & ct)
{
  const PointVector columnStep = (geometry.GetColumnDirection() * geometry.GetDetectorSpacing()[0]).GetVnlVector();
  const PointVector rowStep = (geometry.GetRowDirection() * geometry.GetDetectorSpacing()[1]).GetVnlVector();
  const AffineMap   indexFromPoint = MakeIndexFromPoint(ct);

  radiography::compute::SensitivityView view{};
  view.rays = MakeViewRays(geometry, ctFromWorld, ct);
  view.worldEnd = MapPoint(MakeIdentity(), ToVnl(geometry.GetDetectorOrigin()), columnStep, rowStep);
  for (unsigned int i = 0; i < 3; ++i)
  {
    for (unsigned int j = 0; j < 3; ++j)
    {
      view.pointFromWorld[i][j] = ctFromWorld.matrix(i, j);
      view.indexFromPoint[i][j] = indexFromPoint.matrix(i, j);
    }
  }
  return view;
}

} // namespace itk
