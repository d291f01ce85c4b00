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
#ifndef radiography_compute_PhotonNoiseLauncher_h
#define radiography_compute_PhotonNoiseLauncher_h

#include "compute/InternalExport.h"
#include "compute/PixelGrid.h"

namespace radiography::compute
{

/** Where a grid lies in the whole image: the whole's extent, and the grid's first pixel counted from the whole's. */
struct GridPlacement
{
  std::int64_t wholeColumns{ 0 };
  std::int64_t wholeRows{ 0 };
  std::int64_t column{ 0 };
  std::int64_t row{ 0 };
  std::int64_t slice{ 0 };
};

/** Draws a Poisson count for each mean. The draw depends on the seed, the pixel's linear index in the whole image and
 * its mean alone. Means must be finite, not negative and within the range of std::int64_t. */
RADIOGRAPHY_INTERNAL_EXPORT void
DrawPoissonCounts(const PixelGrid &              grid,
                  const GridPlacement &          placement,
                  const PixelView<const float> & means,
                  std::uint64_t                  seed,
                  const PixelView<float> &       counts,
                  const ParallelFor &            parallelFor);

} // namespace radiography::compute

#endif
