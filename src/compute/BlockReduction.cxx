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
#include "compute/BlockReduction.h"

namespace radiography::compute
{

namespace
{

/** Calls visit(i, value) for every pixel of the image that lies in the block of pixel i of a piece of a row of blocks:
 * for each i in raster order. */
template <typename TPixel, typename TVisit>
void
VisitBlocks(const PixelGrid &               grid,
            const PixelView<const TPixel> & image,
            const BlockSize &               block,
            const RowPiece &                piece,
            const TVisit &                  visit)
{
  const std::int64_t lastSlice = std::min(grid.slices, (piece.slice + 1) * block.slices);
  const std::int64_t lastRow = std::min(grid.rows, (piece.row + 1) * block.rows);
  for (std::int64_t slice = piece.slice * block.slices; slice < lastSlice; ++slice)
  {
    for (std::int64_t row = piece.row * block.rows; row < lastRow; ++row)
    {
      const TPixel * const pixels = image.At({ 0, row, slice, grid.columns });
      for (std::int64_t i = 0; i < piece.length; ++i)
      {
        const std::int64_t first = (piece.column + i) * block.columns;
        const std::int64_t last = std::min(grid.columns, first + block.columns);
        for (std::int64_t column = first; column < last; ++column)
        {
          visit(i, pixels[column]);
        }
      }
    }
  }
}

} // namespace

void
ReduceBlocks(const PixelGrid &              grid,
             const PixelView<const float> & image,
             const BlockSize &              block,
             BlockRule                      rule,
             const PixelGrid &              blockGrid,
             const PixelView<float> &       blocks,
             const ParallelFor &            parallelFor)
{
  const auto pixelsOfBlock = static_cast<double>(block.columns * block.rows * block.slices);
  ForEachRowPiece(blockGrid, parallelFor, [&](const RowPiece & piece) {
    std::vector<double> sums(static_cast<std::size_t>(piece.length), 0.0);
    VisitBlocks(grid, image, block, piece, [&sums](std::int64_t i, float value) {
      sums[static_cast<std::size_t>(i)] += static_cast<double>(value);
    });
    std::transform(sums.begin(), sums.end(), blocks.At(piece), [=](double sum) {
      return static_cast<float>(rule == BlockRule::Sum ? sum : sum / pixelsOfBlock);
    });
  });
}

void
ReduceMaskBlocks(const PixelGrid &                      grid,
                 const PixelView<const unsigned char> & mask,
                 const BlockSize &                      block,
                 const PixelGrid &                      blockGrid,
                 const PixelView<unsigned char> &       blocks,
                 const ParallelFor &                    parallelFor)
{
  ForEachRowPiece(blockGrid, parallelFor, [&](const RowPiece & piece) {
    unsigned char * const used = blocks.At(piece);
    std::fill_n(used, piece.length, static_cast<unsigned char>(1));
    VisitBlocks(grid, mask, block, piece, [used](std::int64_t i, unsigned char value) {
      used[i] = value == 0 ? static_cast<unsigned char>(0) : used[i];
    });
  });
}

} // namespace radiography::compute
