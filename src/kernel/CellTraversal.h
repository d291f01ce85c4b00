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
#ifndef radiography_kernel_CellTraversal_h
#define radiography_kernel_CellTraversal_h

#include "kernel/FloorToIndex.h"
#include "kernel/HostDevice.h"
#include "kernel/Ray.h"

#include <cmath>
#include <cstdint>

namespace radiography::kernel
{

/** Walks along a ray from cell to cell of the integer grid and hands each piece over, in order of t (Amanatides and
 * Woo, Eurographics 1987).
 *
 * Each crossing is computed from its own grid plane, t = (plane - start) / step, so that errors do not add up, and a
 * piece's cell from the piece's middle, so that a ray along edges, corners or planes of the grid always has one.
 *
 * \param shift added to index space to get grid coordinates (0: planes at voxel centres; 1/2: at voxel faces).
 * \param cellCount cells lie in [firstCell, firstCell + cellCount[axis]) of each axis; pieces are kept inside.
 * \param visit called as visit(cell, tBegin, tEnd) with tBegin < tEnd. */
template <typename TVisit>
RADIOGRAPHY_HD inline void
TraverseCells(const Ray &      ray,
              const Interval & part,
              double           shift,
              std::int64_t     firstCell,
              const std::int64_t (&cellCount)[3],
              TVisit && visit)
{
  if (part.IsEmpty())
  {
    return;
  }
  double start[3];
  double step[3];
  double plane[3];
  double crossing[3];
  for (int axis = 0; axis < 3; ++axis)
  {
    start[axis] = ray.start[axis] + shift;
    step[axis] = ray.end[axis] - ray.start[axis];
    const double position = start[axis] + part.begin * step[axis];
    plane[axis] = step[axis] > 0.0 ? std::floor(position) + 1.0 : std::ceil(position) - 1.0;
    crossing[axis] = step[axis] == 0.0 ? HUGE_VAL : (plane[axis] - start[axis]) / step[axis];
  }

  double begin = part.begin;
  while (begin < part.end)
  {
    const double next = std::fmin(crossing[0], std::fmin(crossing[1], crossing[2]));
    const double end = std::fmin(next, part.end);
    if (end > begin)
    {
      const double middle = 0.5 * (begin + end);
      std::int64_t cell[3];
      for (int axis = 0; axis < 3; ++axis)
      {
        const std::int64_t last = firstCell + cellCount[axis] - 1;
        const std::int64_t found = FloorToIndex(start[axis] + middle * step[axis]);
        cell[axis] = found < firstCell ? firstCell : (found > last ? last : found);
      }
      visit(cell, begin, end);
      begin = end;
    }
    for (int axis = 0; axis < 3; ++axis)
    {
      if (crossing[axis] <= next)
      {
        plane[axis] += step[axis] > 0.0 ? 1.0 : -1.0;
        crossing[axis] = (plane[axis] - start[axis]) / step[axis];
      }
    }
  }
}

} // namespace radiography::kernel

#endif
