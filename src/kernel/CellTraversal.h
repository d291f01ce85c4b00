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

/** std::fmin of numbers, without the call into the mathematical library that it is on plain x86-64. */
RADIOGRAPHY_HD inline double
Least(double a, double b)
{
  return b < a ? b : a;
}

/** The crossings of a ray with the grid planes across one axis, one after the other, and the cell between them. */
struct AxisCrossings
{
  double start;
  double inverseStep;
  /** The next plane to be crossed. */
  double       plane;
  double       toNextPlane;
  std::int64_t toNextCell;
  /** The cell before that plane; rounding at the ends of a part may put it outside. */
  std::int64_t cell;
  std::int64_t firstCell;
  std::int64_t lastCell;

  /** \param t from where on; \return place of the first crossing on the ray. */
  RADIOGRAPHY_HD double
  Begin(double rayStart, double step, double t, std::int64_t first, std::int64_t count)
  {
    const double position = rayStart + t * step;
    const bool   forward = step > 0.0;
    start = rayStart;
    inverseStep = 1.0 / step;
    toNextPlane = forward ? 1.0 : -1.0;
    toNextCell = forward ? 1 : -1;
    plane = forward ? std::floor(position) + 1.0 : std::ceil(position) - 1.0;
    cell = step == 0.0 ? FloorToIndex(position) : static_cast<std::int64_t>(forward ? plane - 1.0 : plane);
    firstCell = first;
    lastCell = first + count - 1;
    return step == 0.0 ? HUGE_VAL : (plane - start) * inverseStep;
  }

  /** Moves on by one cell. \return place of the next crossing on the ray. */
  RADIOGRAPHY_HD double
  Advance()
  {
    cell += toNextCell;
    plane += toNextPlane;
    return (plane - start) * inverseStep;
  }

  RADIOGRAPHY_HD std::int64_t
                 GetCell() const
  {
    return cell < firstCell ? firstCell : (cell > lastCell ? lastCell : cell);
  }
};

/** Walks along a ray from cell to cell of the integer grid and hands each piece over, in order of t (Amanatides and
 * Woo, Eurographics 1987).
 *
 * Each crossing is computed from its own grid plane, t = (plane - start) / step, so that errors do not add up; the cell
 * of an axis is the one before the next plane to be crossed, so that a ray along edges, corners or planes of the grid
 * always has one.
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
  AxisCrossings axes[3];
  double        crossing[3];
  std::int64_t  cell[3];
  for (int axis = 0; axis < 3; ++axis)
  {
    const double step = ray.end[axis] - ray.start[axis];
    crossing[axis] = axes[axis].Begin(ray.start[axis] + shift, step, part.begin, firstCell, cellCount[axis]);
    cell[axis] = axes[axis].GetCell();
  }

  double begin = part.begin;
  while (begin < part.end)
  {
    // Comparisons, not std::fmin, which is a call into the mathematical library on plain x86-64.
    const double earlier = crossing[1] < crossing[2] ? crossing[1] : crossing[2];
    const double next = crossing[0] < earlier ? crossing[0] : earlier;
    const double end = next < part.end ? next : part.end;
    if (end > begin)
    {
      visit(cell, begin, end);
      begin = end;
    }
    for (int axis = 0; axis < 3; ++axis)
    {
      if (crossing[axis] <= next)
      {
        crossing[axis] = axes[axis].Advance();
        cell[axis] = axes[axis].GetCell();
      }
    }
  }
}

} // namespace radiography::kernel

#endif
