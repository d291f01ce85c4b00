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
#ifndef radiography_kernel_Ray_h
#define radiography_kernel_Ray_h

#include "kernel/HostDevice.h"
#include "kernel/VolumeView.h"

#include <cmath>
#include <cstdint>

namespace radiography::kernel
{

/** A ray is two endpoints, x(t) = start + t (end - start), 0 <= t <= 1, in index space.
 *
 * Every parameter of pose, source and detector acts on a ray through these two points and its length in the world. */
struct Ray
{
  double start[3];
  double end[3];
  /** Distance of the two endpoints in the world, mm, whatever scale the index space has. */
  double worldLength;
};

/** All rays of a view: both endpoints are affine in the pixel index (column, row). Index space; `span` is the way from
 * start to end in the world, mm. */
struct ViewRays
{
  struct AffinePoint
  {
    double origin[3];
    double column[3];
    double row[3];
  };

  AffinePoint  start;
  AffinePoint  end;
  AffinePoint  span;
  std::int64_t columns;
  std::int64_t rows;
};

RADIOGRAPHY_HD inline double
Evaluate(const ViewRays::AffinePoint & point, int axis, double column, double row)
{
  return point.origin[axis] + column * point.column[axis] + row * point.row[axis];
}

RADIOGRAPHY_HD inline Ray
MakeRay(const ViewRays & view, double column, double row)
{
  Ray    ray;
  double squaredLength = 0.0;
  for (int axis = 0; axis < 3; ++axis)
  {
    ray.start[axis] = Evaluate(view.start, axis, column, row);
    ray.end[axis] = Evaluate(view.end, axis, column, row);
    const double span = Evaluate(view.span, axis, column, row);
    squaredLength += span * span;
  }
  ray.worldLength = std::sqrt(squaredLength);
  return ray;
}

/** An interval of the ray parameter t; empty when !(begin < end). */
struct Interval
{
  double begin;
  double end;

  RADIOGRAPHY_HD bool
  IsEmpty() const
  {
    return !(begin < end);
  }
};

/** Where the whole line of a ray (t unbounded) lies in the box (lower, upper). A line within a face of the box is
 * inside on the lower side; on the upper one if `closed`. */
RADIOGRAPHY_HD inline Interval
ClipLine(const Ray & ray, const double (&lower)[3], const double (&upper)[3], bool closed)
{
  Interval line{ -HUGE_VAL, HUGE_VAL };
  for (int axis = 0; axis < 3; ++axis)
  {
    const double step = ray.end[axis] - ray.start[axis];
    if (step == 0.0)
    {
      const bool below = ray.start[axis] < upper[axis] || (closed && ray.start[axis] == upper[axis]);
      if (!(ray.start[axis] >= lower[axis] && below))
      {
        return { 0.0, 0.0 };
      }
      continue;
    }
    const double a = (lower[axis] - ray.start[axis]) / step;
    const double b = (upper[axis] - ray.start[axis]) / step;
    line.begin = std::fmax(line.begin, std::fmin(a, b));
    line.end = std::fmin(line.end, std::fmax(a, b));
  }
  return line;
}

/** Where the whole line of a ray lies in the box (-margin, size - 1 + margin) of each axis: margin 1 for the
 * tent-padded field, 1/2 for voxels as boxes.
 *
 * A line within the outermost plane of the tents is inside: the field is 0 there, but its slope on one side is not. */
RADIOGRAPHY_HD inline Interval
ClipLine(const Ray & ray, const VolumeView & volume, double margin)
{
  double lower[3];
  double upper[3];
  for (int axis = 0; axis < 3; ++axis)
  {
    lower[axis] = -margin;
    upper[axis] = static_cast<double>(volume.size[axis] - 1) + margin;
  }
  return ClipLine(ray, lower, upper, margin == 1.0);
}

/** How a ray lies to the padded volume. */
enum class RayCase
{
  Misses,
  Crosses,
  /** Source or detector pixel is inside: only the part between the two counts. */
  EndsInside
};

RADIOGRAPHY_HD inline RayCase
Classify(const Interval & line)
{
  if (line.IsEmpty() || line.end <= 0.0 || line.begin >= 1.0)
  {
    return RayCase::Misses;
  }
  return line.begin >= 0.0 && line.end <= 1.0 ? RayCase::Crosses : RayCase::EndsInside;
}

/** The part of an interval that lies between the ray's two ends. */
RADIOGRAPHY_HD inline Interval
ClipToEnds(const Interval & line)
{
  return { std::fmax(line.begin, 0.0), std::fmin(line.end, 1.0) };
}

} // namespace radiography::kernel

#endif
