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
#ifndef radiography_compute_PixelSum_h
#define radiography_compute_PixelSum_h

#include "compute/PixelGrid.h"

#include <functional>
#include <utility>

namespace radiography::compute
{

/** Pixels that are added up one after the other before the tree begins. */
constexpr std::int64_t PixelsPerSum = 256;
static_assert(PixelsPerTile % PixelsPerSum == 0, "an item of work holds whole sums");

/** Adds neighbours, then neighbours of those, and so on: the order depends on the number of terms only. */
template <typename TSum>
TSum
AddUpInTree(std::vector<TSum> terms)
{
  for (std::size_t stride = 1; stride < terms.size(); stride *= 2)
  {
    for (std::size_t i = 0; i + stride < terms.size(); i += 2 * stride)
    {
      terms[i] += terms[i + stride];
    }
  }
  return terms.empty() ? TSum{} : std::move(terms.front());
}

/** SumOverPixels() for pixels that are made band by band: prepare(begin, end), called for one band after the other,
 * makes the pixels [begin, end) of raster order and returns their addPiece.
 * \param pixelsPerBand a multiple of PixelsPerTile; the sum does not depend on it. */
template <typename TSum, typename TPrepare>
TSum
SumOverPreparedPixels(const PixelGrid &   grid,
                      std::int64_t        pixelsPerBand,
                      const ParallelFor & parallelFor,
                      const TPrepare &    prepare)
{
  const std::int64_t count = grid.Count();
  std::vector<TSum>  sums(static_cast<std::size_t>((count + PixelsPerSum - 1) / PixelsPerSum));
  for (std::int64_t bandBegin = 0; bandBegin < count; bandBegin += pixelsPerBand)
  {
    const std::int64_t bandEnd = std::min(count, bandBegin + pixelsPerBand);
    const auto         addPiece = prepare(bandBegin, bandEnd);
    parallelFor((bandEnd - bandBegin + PixelsPerTile - 1) / PixelsPerTile, [&](std::int64_t tile) {
      const std::int64_t tileBegin = bandBegin + tile * PixelsPerTile;
      const std::int64_t tileEnd = std::min(bandEnd, tileBegin + PixelsPerTile);
      for (std::int64_t begin = tileBegin; begin < tileEnd; begin += PixelsPerSum)
      {
        TSum & sum = sums[static_cast<std::size_t>(begin / PixelsPerSum)];
        VisitPixels(grid, begin, std::min(tileEnd, begin + PixelsPerSum), [&](const RowPiece & piece) {
          addPiece(piece, sum);
          return true;
        });
      }
    });
  }
  return AddUpInTree(std::move(sums));
}

/** The sum over all pixels of a grid, the same bits for any number of threads.
 *
 * addPiece(piece, sum) adds the pixels of a row piece to `sum`, in their order. Sums run over PixelsPerSum pixels in
 * raster order and are added up in a tree. TSum{} is zero and += adds; a struct of several doubles sums them in one
 * pass. The grid must be the whole image, not a requested part of it, for the sum to be the same whatever is requested.
 * The rounding error is at most (PixelsPerSum + log2 of the number of sums) u times the sum of magnitudes. */
template <typename TSum, typename TAddPiece>
TSum
SumOverPixels(const PixelGrid & grid, const ParallelFor & parallelFor, const TAddPiece & addPiece)
{
  return SumOverPreparedPixels<TSum>(grid,
                                     CountTiles(grid) * PixelsPerTile,
                                     parallelFor,
                                     [&](std::int64_t, std::int64_t) { return std::cref(addPiece); });
}

} // namespace radiography::compute

#endif
