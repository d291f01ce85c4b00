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
#ifndef radiography_compute_TruncatedRays_h
#define radiography_compute_TruncatedRays_h

#include "compute/InternalExport.h"
#include "compute/ParallelFor.h"
#include "kernel/Ray.h"

#include <array>
#include <cstdint>
#include <vector>

namespace radiography::compute
{

/** A face of a volume at which what was imaged goes on beyond. */
struct CutFace
{
  /** Perpendicular to this axis. */
  int  axis{ 2 };
  bool isUpper{ false };
  /** For each voxel of the face, the lower of the two other axes fastest, whether it goes on there. */
  std::vector<unsigned char> isCut{};
};

/** Marks the rays that meet what lies beyond the cut faces: 0 for those, 1 for the others; raster order.
 *
 * Voxels are boxes, the volume reaches from -1/2 to size - 1/2. What is cut at a face goes on beyond it without end:
 * each cut voxel of the face is drawn out along the axis. A ray is marked if any part of it, between its two ends, lies
 * in what is drawn out: rays that pass the volume on the outside count too. Parallel rays (`comeFromAfar`) have no
 * beginning.
 * \param size voxels of the volume along each axis
 * \param mask one for each ray of the view */
RADIOGRAPHY_INTERNAL_EXPORT void
MarkTruncatedRays(const std::array<std::int64_t, 3> & size,
                  const std::vector<CutFace> &        faces,
                  const kernel::ViewRays &            rays,
                  bool                                comeFromAfar,
                  const ParallelFor &                 parallelFor,
                  unsigned char *                     mask);

/** Sets to 0 what is within `margin` columns and rows of a 0: a square of side 2 margin + 1 around each. */
RADIOGRAPHY_INTERNAL_EXPORT void
WidenMask(std::int64_t columns, std::int64_t rows, std::int64_t margin, unsigned char * mask);

} // namespace radiography::compute

#endif
