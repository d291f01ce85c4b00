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
#include "PhantomShapes.h"

#include <algorithm>
#include <cmath>

namespace radiography::program
{
namespace
{

Bounds
BoxAround(const Point3 & center, const Point3 & halfSize)
{
  Bounds box;
  for (std::size_t i = 0; i < 3; ++i)
  {
    box.low[i] = center[i] - halfSize[i];
    box.high[i] = center[i] + halfSize[i];
  }
  return box;
}

double
Dot(const Point3 & a, const Point3 & b)
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/** f / |grad f| for f = |p / r| - 1: the distance to first order. */
double
DistanceToScaledUnitBall(const Point3 & p, const Point3 & radii)
{
  const Point3 scaled{ p[0] / radii[0], p[1] / radii[1], p[2] / radii[2] };
  const Point3 slope{ scaled[0] / radii[0], scaled[1] / radii[1], scaled[2] / radii[2] };
  const double length = std::sqrt(Dot(scaled, scaled));
  const double steepness = std::sqrt(Dot(slope, slope));
  const double smallest = std::min({ radii[0], radii[1], radii[2] });
  return steepness > 0.0 ? length * (length - 1.0) / steepness : -smallest;
}

} // namespace

Piece
Ellipsoid(const Point3 & center, const Point3 & radii, double turn)
{
  const double c = std::cos(turn);
  const double s = std::sin(turn);
  const Point3 halfSize{ std::hypot(c * radii[0], s * radii[1]), std::hypot(s * radii[0], c * radii[1]), radii[2] };
  return { BoxAround(center, halfSize), [center, radii, c, s](const Point3 & p) {
            const double x = p[0] - center[0];
            const double y = p[1] - center[1];
            return DistanceToScaledUnitBall({ c * x + s * y, -s * x + c * y, p[2] - center[2] }, radii);
          } };
}

Piece
Capsule(const Point3 & from, const Point3 & to, double fromRadius, double toRadius, double flatness)
{
  const double radius = std::max(fromRadius, toRadius);
  Bounds       box;
  for (std::size_t i = 0; i < 3; ++i)
  {
    const double reach = i == 2 ? radius / flatness : radius;
    box.low[i] = std::min(from[i], to[i]) - reach;
    box.high[i] = std::max(from[i], to[i]) + reach;
  }
  const Point3 axis{ to[0] - from[0], to[1] - from[1], to[2] - from[2] };
  const double squaredLength = std::max(Dot(axis, axis), 1e-12);
  return { box, [from, axis, squaredLength, fromRadius, toRadius, flatness](const Point3 & p) {
            const Point3 offset{ p[0] - from[0], p[1] - from[1], p[2] - from[2] };
            const double along = std::clamp(Dot(offset, axis) / squaredLength, 0.0, 1.0);
            const double x = offset[0] - along * axis[0];
            const double y = offset[1] - along * axis[1];
            const double z = flatness * (offset[2] - along * axis[2]);
            return std::sqrt(x * x + y * y + z * z) - (fromRadius + along * (toRadius - fromRadius));
          } };
}

std::vector<Piece>
Tube(const std::vector<Point3> & path, double radius, double flatness)
{
  std::vector<Piece> pieces;
  for (std::size_t i = 1; i < path.size(); ++i)
  {
    pieces.push_back(Capsule(path[i - 1], path[i], radius, radius, flatness));
  }
  return pieces;
}

Piece
Cylinder(const Point3 & center, double halfWidth, double halfDepth, double height)
{
  return { BoxAround(center, { halfWidth, halfDepth, height / 2 }),
           [center, halfWidth, halfDepth, height](const Point3 & p) {
             const double side = DistanceToEllipse(p[0] - center[0], p[1] - center[1], halfWidth, halfDepth);
             return std::max(side, std::abs(p[2] - center[2]) - height / 2);
           } };
}

Outline
InterpolateOutline(const std::vector<Outline> & outlines, double z)
{
  const auto above = std::find_if(outlines.begin(), outlines.end(), [z](const Outline & o) { return o.z >= z; });
  if (above == outlines.begin())
  {
    return outlines.front();
  }
  if (above == outlines.end())
  {
    return outlines.back();
  }
  const auto & below = *(above - 1);
  const double t = (z - below.z) / (above->z - below.z);
  const double smooth = t * t * (3.0 - 2.0 * t);
  return { z,
           below.halfWidth + smooth * (above->halfWidth - below.halfWidth),
           below.halfDepth + smooth * (above->halfDepth - below.halfDepth) };
}

double
DistanceToEllipse(double x, double y, double halfWidth, double halfDepth)
{
  const double sx = x / halfWidth;
  const double sy = y / halfDepth;
  const double length = std::hypot(sx, sy);
  const double steepness = std::hypot(sx / halfWidth, sy / halfDepth);
  return steepness > 0.0 ? length * (length - 1.0) / steepness : -std::min(halfWidth, halfDepth);
}

} // namespace radiography::program
