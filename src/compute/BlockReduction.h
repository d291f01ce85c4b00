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
#ifndef radiography_compute_BlockReduction_h
#define radiography_compute_BlockReduction_h

#include "compute/InternalExport.h"
#include "compute/PixelGrid.h"

namespace radiography::compute
{

/** How many pixels along each axis become one. */
struct BlockSize
{
  std::int64_t columns{ 1 };
  std::int64_t rows{ 1 };
  std::int64_t slices{ 1 };
};

/** What a pixel of blocks is. */
enum class BlockRule
{
  /** The sum of its block. */
  Sum,
  /** The sum divided by the number of pixels of a whole block: where a block reaches over the end of the image, what is
   * missing counts as 0. */
  Mean
};

/** Pixel (i, j, k) of `blocks` is that of the block that begins at (i, j, k) times the block's size. Sums run in raster
 * order, in binary64, and are rounded once: the same bits for any number of threads. `blockGrid` may be smaller than
 * the image allows (the rest is not looked at) or reach over its end by less than a block. */
RADIOGRAPHY_INTERNAL_EXPORT void
ReduceBlocks(const PixelGrid &              grid,
             const PixelView<const float> & image,
             const BlockSize &              block,
             BlockRule                      rule,
             const PixelGrid &              blockGrid,
             const PixelView<float> &       blocks,
             const ParallelFor &            parallelFor);

/** The same for masks: 1 where no pixel of the block is 0, else 0. */
RADIOGRAPHY_INTERNAL_EXPORT void
ReduceMaskBlocks(const PixelGrid &                      grid,
                 const PixelView<const unsigned char> & mask,
                 const BlockSize &                      block,
                 const PixelGrid &                      blockGrid,
                 const PixelView<unsigned char> &       blocks,
                 const ParallelFor &                    parallelFor);

} // namespace radiography::compute

#endif
