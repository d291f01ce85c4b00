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
#ifndef radiography_kernel_IndexBox_h
#define radiography_kernel_IndexBox_h

#include "kernel/HostDevice.h"
#include "kernel/Ray.h"
#include "kernel/VolumeView.h"

#include <cmath>
#include <cstdint>

namespace radiography::kernel
{

/** Voxels [begin, end) of each axis: what one worker owns when rays are spread over a volume. */
struct IndexBox
{
  std::int64_t begin[3];
  std::int64_t end[3];

  RADIOGRAPHY_HD bool
  Holds(int axis, std::int64_t index) const
  {
    return index >= begin[axis] && index < end[axis];
  }

  RADIOGRAPHY_HD bool
  Holds(const std::int64_t (&index)[3]) const
  {
    return this->Holds(0, index[0]) && this->Holds(1, index[1]) && this->Holds(2, index[2]);
  }
};

/** Every voxel of a volume. */
RADIOGRAPHY_HD inline IndexBox
WholeVolume(const VolumeView & volume)
{
  return { { 0, 0, 0 }, { volume.size[0], volume.size[1], volume.size[2] } };
}

/** The part of `part` in which a ray can meet voxels of a box, those with tents included (margin 1) or as mere boxes
 * (margin 1/2), and one cell of the grid more on every side.
 *
 * That cell more makes a walk through the box cut its pieces at the same crossings as the walk through the whole
 * volume: a weight has the same bits whatever box is asked for. */
RADIOGRAPHY_HD inline Interval
ClipToBox(const Interval & part, const Ray & ray, const IndexBox & box, double margin)
{
  double lower[3];
  double upper[3];
  for (int axis = 0; axis < 3; ++axis)
  {
    lower[axis] = static_cast<double>(box.begin[axis]) - margin - 1.0;
    upper[axis] = static_cast<double>(box.end[axis] - 1) + margin + 1.0;
  }
  const Interval within = ClipLine(ray, lower, upper, true);
  return { std::fmax(part.begin, within.begin), std::fmin(part.end, within.end) };
}

} // namespace radiography::kernel

#endif
