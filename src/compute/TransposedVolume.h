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
#ifndef radiography_compute_TransposedVolume_h
#define radiography_compute_TransposedVolume_h

#include "compute/InternalExport.h"
#include "compute/ParallelFor.h"
#include "kernel/VolumeView.h"

#include <cstdint>

namespace radiography::compute
{

/** The voxels of `volume` in memory order y, x, z, at `values`: for views along its contiguous axis x. */
inline kernel::VolumeView
MakeTransposedView(const kernel::VolumeView & volume, const float * values)
{
  const std::int64_t sizeY = volume.size[1];
  return { values, { volume.size[0], sizeY, volume.size[2] }, { sizeY, 1, volume.size[0] * sizeY } };
}

/** Copies a volume into the order of MakeTransposedView().
 * \param volume x contiguous; \param values room for as many voxels. */
RADIOGRAPHY_INTERNAL_EXPORT void
TransposeVolume(const kernel::VolumeView & volume, const ParallelFor & parallelFor, float * values);

} // namespace radiography::compute

#endif
