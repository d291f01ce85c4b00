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
#ifndef radiography_kernel_CellGaussSensitivity_h
#define radiography_kernel_CellGaussSensitivity_h

#include "kernel/CellGauss.h"
#include "kernel/RaySensitivity.h"

#include <cmath>

namespace radiography::kernel
{

/** The trilinear field at one place in a cell, and its slope along each axis. */
struct FieldSample
{
  double value;
  double slope[3];
};

/** TrilinearCell::Sample with slopes. */
RADIOGRAPHY_HD inline FieldSample
DifferentiateField(const TrilinearCell & field, const double (&local)[3])
{
  double line[2];
  double alongX[2];
  double alongY[2];
  for (int c = 0; c < 2; ++c)
  {
    const double slope[2] = { field.corner[c][0][1] - field.corner[c][0][0],
                              field.corner[c][1][1] - field.corner[c][1][0] };
    const double first = field.corner[c][0][0] + local[0] * slope[0];
    const double second = field.corner[c][1][0] + local[0] * slope[1];
    alongX[c] = slope[0] + local[1] * (slope[1] - slope[0]);
    alongY[c] = second - first;
    line[c] = first + local[1] * alongY[c];
  }
  const double alongZ = line[1] - line[0];
  return { line[0] + local[2] * alongZ,
           { alongX[0] + local[2] * (alongX[1] - alongX[0]), alongY[0] + local[2] * (alongY[1] - alongY[0]), alongZ } };
}

/** Along an axis that the ray keeps its place on, in a plane of voxel centres, the field has a kink: the mean of the
 * slopes on both sides, which is what central differences give. */
RADIOGRAPHY_HD inline double
MeanSlopeAcross(int                axis,
                const VolumeView & volume,
                const Ray &        ray,
                const std::int64_t (&cell)[3],
                const double (&local)[3])
{
  std::int64_t side[3] = { cell[0], cell[1], cell[2] };
  side[axis] = FloorToIndex(ray.start[axis]);
  const TrilinearCell above(volume, side);
  side[axis] -= 1;
  const TrilinearCell below(volume, side);
  return 0.5 * (DifferentiateField(above, local).slope[axis] + DifferentiateField(below, local).slope[axis]);
}

/** IntegrateCellGauss with its gradients.
 *
 * start = worldLength * integral of (1 - t) grad mu dt, end = worldLength * integral of t grad mu dt, from one end of
 * the ray to the other; what stands under the integrals is a cubic in t within each cell, so that the two
 * Gauss-Legendre nodes give them exactly as well. The field is continuous, and the limits of the integral are the ray's
 * ends or lie where it is 0: there are no boundary terms. L is once continuously differentiable in the ends, except for
 * a ray that lies in a plane of voxel centres. */
RADIOGRAPHY_HD inline RaySensitivity
DifferentiateCellGauss(const VolumeView & volume, const Ray & ray)
{
  bool inPlane[3];
  for (int axis = 0; axis < 3; ++axis)
  {
    inPlane[axis] = ray.start[axis] == ray.end[axis] && ray.start[axis] == std::floor(ray.start[axis]);
  }
  RaySensitivity result;
  VisitGaussNodes(
    volume,
    ray,
    ClipToEnds(ClipLine(ray, volume, 1.0)),
    [&](const std::int64_t(&cell)[3], const double(&t)[2], const double(&local)[2][3], double weight) {
      const TrilinearCell field(volume, cell);
      const FieldSample   samples[2] = { DifferentiateField(field, local[0]), DifferentiateField(field, local[1]) };
      result.depth += weight * (samples[0].value + samples[1].value);
      for (int node = 0; node < 2; ++node)
      {
        for (int axis = 0; axis < 3; ++axis)
        {
          const double slope =
            inPlane[axis] ? MeanSlopeAcross(axis, volume, ray, cell, local[node]) : samples[node].slope[axis];
          result.start[axis] += weight * (1.0 - t[node]) * slope;
          result.end[axis] += weight * t[node] * slope;
        }
      }
    });
  result.depth *= ray.worldLength;
  for (int axis = 0; axis < 3; ++axis)
  {
    result.start[axis] *= ray.worldLength;
    result.end[axis] *= ray.worldLength;
  }
  return result;
}

} // namespace radiography::kernel

#endif
