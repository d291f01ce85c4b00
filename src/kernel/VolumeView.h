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
#ifndef radiography_kernel_VolumeView_h
#define radiography_kernel_VolumeView_h

#include "kernel/HostDevice.h"

#include <cstdint>

namespace radiography::kernel
{

/** Somebody else's voxels. Index space: voxel (0, 0, 0) is the first, its centre at (0, 0, 0).
 *
 * The field they stand for is trilinear between centres and falls linearly to zero one voxel outside ("tent padding").
 * Strides count values, 64-bit: volumes beyond 2^31 voxels exist. */
struct VolumeView
{
  const float * values;
  std::int64_t  size[3];
  std::int64_t  stride[3];
};

/** A volume whose first axis is contiguous. */
RADIOGRAPHY_HD inline VolumeView
MakeVolumeView(const float * values, std::int64_t sizeX, std::int64_t sizeY, std::int64_t sizeZ)
{
  return { values, { sizeX, sizeY, sizeZ }, { 1, sizeX, sizeX * sizeY } };
}

/** The grid of such a volume, without voxels: for bodies that look at its size only. */
RADIOGRAPHY_HD inline VolumeView
MakeVolumeGrid(std::int64_t sizeX, std::int64_t sizeY, std::int64_t sizeZ)
{
  return MakeVolumeView(nullptr, sizeX, sizeY, sizeZ);
}

RADIOGRAPHY_HD inline bool
IsInside(const VolumeView & volume, int axis, std::int64_t index)
{
  return index >= 0 && index < volume.size[axis];
}

/** The voxel's value, 0 outside. */
RADIOGRAPHY_HD inline double
PaddedValue(const VolumeView & volume, const std::int64_t (&index)[3])
{
  for (int axis = 0; axis < 3; ++axis)
  {
    if (!IsInside(volume, axis, index[axis]))
    {
      return 0.0;
    }
  }
  return volume.values[index[0] * volume.stride[0] + index[1] * volume.stride[1] + index[2] * volume.stride[2]];
}

} // namespace radiography::kernel

#endif
