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
#ifndef radiography_kernel_Siddon_h
#define radiography_kernel_Siddon_h

#include "kernel/CellTraversal.h"
#include "kernel/HostDevice.h"
#include "kernel/IndexBox.h"
#include "kernel/Ray.h"
#include "kernel/VolumeView.h"

#include <cstdint>

namespace radiography::kernel
{

/** Voxels as boxes of constant value, each with the exact length of the ray in it (Siddon, Med. Phys. 12, 1985),
 * between the ray's two ends.
 *
 * Summed as value x length, so that values >= 0 give a depth >= 0. A ray within a face belongs to the voxel on the side
 * of the larger index; within the outermost such face it is outside. */
RADIOGRAPHY_HD inline double
IntegrateSiddon(const VolumeView & volume, const Ray & ray)
{
  double sum = 0.0;
  TraverseCells(ray,
                ClipToEnds(ClipLine(ray, volume, 0.5)),
                0.5,
                0,
                volume.size,
                [&](const std::int64_t(&voxel)[3], double begin, double end) {
                  sum += PaddedValue(volume, voxel) * (end - begin);
                });
  return sum * ray.worldLength;
}

/** The row of the matrix that IntegrateSiddon applies: visit(voxel, weight) once for every voxel of `box` that the ray
 * meets, weight = its length in the voxel, mm.
 * \param grid only its size is looked at. */
template <typename TVisit>
RADIOGRAPHY_HD inline void
VisitSiddonWeights(const VolumeView & grid, const Ray & ray, const IndexBox & box, TVisit && visit)
{
  // Rounding may cut a voxel's piece in two: its parts follow each other, and are added up before they are handed over.
  std::int64_t current[3] = { 0, 0, 0 };
  double       length = 0.0;
  const auto   handOver = [&]() {
    if (length > 0.0 && box.Holds(current))
    {
      visit(current, length * ray.worldLength);
    }
  };
  const Interval part = ClipToEnds(ClipLine(ray, grid, 0.5));
  TraverseCells(ray,
                ClipToBox(part, ray, box, 0.5),
                0.5,
                0,
                grid.size,
                [&](const std::int64_t(&voxel)[3], double begin, double end) {
                  const bool same = voxel[0] == current[0] && voxel[1] == current[1] && voxel[2] == current[2];
                  if (!same)
                  {
                    handOver();
                    length = 0.0;
                  }
                  for (int axis = 0; axis < 3; ++axis)
                  {
                    current[axis] = voxel[axis];
                  }
                  length += end - begin;
                });
  handOver();
}

} // namespace radiography::kernel

#endif
