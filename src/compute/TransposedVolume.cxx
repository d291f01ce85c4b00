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
#include "compute/TransposedVolume.h"

#include <algorithm>

namespace radiography::compute
{

void
TransposeVolume(const kernel::VolumeView & volume, const ParallelFor & parallelFor, float * values)
{
  // Blocks of which both the rows that are read and the rows that are written stay in the nearest cache.
  constexpr std::int64_t   edge = 32;
  const kernel::VolumeView to = MakeTransposedView(volume, values);
  parallelFor(volume.size[2], [&](std::int64_t z) {
    const float * const from = volume.values + z * volume.stride[2];
    float * const       slice = values + z * to.stride[2];
    for (std::int64_t blockY = 0; blockY < volume.size[1]; blockY += edge)
    {
      const std::int64_t endY = std::min(blockY + edge, volume.size[1]);
      for (std::int64_t blockX = 0; blockX < volume.size[0]; blockX += edge)
      {
        const std::int64_t endX = std::min(blockX + edge, volume.size[0]);
        for (std::int64_t x = blockX; x < endX; ++x)
        {
          for (std::int64_t y = blockY; y < endY; ++y)
          {
            slice[x * to.stride[0] + y] = from[x * volume.stride[0] + y * volume.stride[1]];
          }
        }
      }
    }
  });
}

} // namespace radiography::compute
