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
#ifndef radiography_kernel_CellGauss_h
#define radiography_kernel_CellGauss_h

#include "kernel/CellTraversal.h"
#include "kernel/HostDevice.h"
#include "kernel/Ray.h"
#include "kernel/VolumeView.h"

#include <cstdint>

namespace radiography::kernel
{

/** The eight values at the corners of a cell of voxel centres, zeros outside, and the trilinear field between them. */
struct TrilinearCell
{
  double corner[2][2][2];

  RADIOGRAPHY_HD
  TrilinearCell(const VolumeView & volume, const std::int64_t (&cell)[3])
  {
    for (int c = 0; c < 2; ++c)
    {
      for (int b = 0; b < 2; ++b)
      {
        for (int a = 0; a < 2; ++a)
        {
          corner[c][b][a] = PaddedValue(volume, { cell[0] + a, cell[1] + b, cell[2] + c });
        }
      }
    }
  }

  RADIOGRAPHY_HD static double
  Mix(double a, double b, double weight)
  {
    return a + weight * (b - a);
  }

  /** \param local position in the cell, 0 to 1 along each axis. */
  RADIOGRAPHY_HD double
  Sample(const double (&local)[3]) const
  {
    double plane[2];
    for (int c = 0; c < 2; ++c)
    {
      plane[c] =
        Mix(Mix(corner[c][0][0], corner[c][0][1], local[0]), Mix(corner[c][1][0], corner[c][1][1], local[0]), local[1]);
    }
    return Mix(plane[0], plane[1], local[2]);
  }
};

/** The trilinear, tent-padded field integrated exactly along the ray between its two ends.
 *
 * Along a straight line a trilinear function is a cubic in t, which two-point Gauss-Legendre integrates without error
 * (Abramowitz and Stegun 25.4.30): what is left is rounding. Any ray: through edges, from inside, missing. The oracle
 * of all other projectors of this field. */
RADIOGRAPHY_HD inline double
IntegrateCellGauss(const VolumeView & volume, const Ray & ray)
{
  const double       nodes[2] = { -0.28867513459481288, 0.28867513459481288 }; // -+ 1 / (2 sqrt(3))
  const std::int64_t cellCount[3] = { volume.size[0] + 1, volume.size[1] + 1, volume.size[2] + 1 };
  const Interval     part = ClipToEnds(ClipLine(ray, volume, 1.0));

  double sum = 0.0;
  TraverseCells(ray, part, 0.0, -1, cellCount, [&](const std::int64_t(&cell)[3], double begin, double end) {
    const TrilinearCell field(volume, cell);
    const double        length = end - begin;
    const double        middle = 0.5 * (begin + end);
    double              samples = 0.0;
    for (const double node : nodes)
    {
      const double t = middle + node * length;
      double       local[3];
      for (int axis = 0; axis < 3; ++axis)
      {
        local[axis] = ray.start[axis] + t * (ray.end[axis] - ray.start[axis]) - static_cast<double>(cell[axis]);
      }
      samples += field.Sample(local);
    }
    sum += 0.5 * length * samples;
  });
  return sum * ray.worldLength;
}

} // namespace radiography::kernel

#endif
