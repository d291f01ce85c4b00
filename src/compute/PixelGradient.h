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
#ifndef radiography_compute_PixelGradient_h
#define radiography_compute_PixelGradient_h

#include "compute/PixelGrid.h"

#include <array>
#include <cmath>

namespace radiography::compute
{

/** A gradient that binary32 cannot hold: where in the grid, and its value (or NaN). */
struct GradientOutOfRange
{
  std::int64_t column{ 0 };
  std::int64_t row{ 0 };
  std::int64_t slice{ 0 };
  double       value{ 0.0 };
};

/** Whether rounding to binary32 neither overflows nor meets a NaN. Underflow is legitimate. */
inline bool
FitsBinary32(double value)
{
  return std::isfinite(static_cast<float>(value));
}

/** A gradient image: `sum` takes what is in `accumulated` plus the new terms; null is nothing accumulated or, for
 * `sum`, nothing wanted. The two may be one buffer. */
struct GradientViews
{
  PixelView<const float> accumulated{};
  PixelView<float>       sum{};
};

/** Pixels whose gradients are formed in binary64 at a time, before any is looked at or stored: loops over them have no
 * branches, and compilers make packets of them. */
constexpr std::int64_t PixelsPerChunk = 256;
using GradientChunk = std::array<double, PixelsPerChunk>;

/** Calls visit(chunk) for the chunks of a row piece, in order, until it returns false. */
template <typename TVisit>
void
VisitChunks(const RowPiece & piece, const TVisit & visit)
{
  for (std::int64_t begin = 0; begin < piece.length; begin += PixelsPerChunk)
  {
    const std::int64_t length = std::min(PixelsPerChunk, piece.length - begin);
    if (!visit(RowPiece{ piece.column + begin, piece.row, piece.slice, length }))
    {
      return;
    }
  }
}

/** Adds what is accumulated at the pixels of a chunk, in binary64. */
inline void
AddAccumulated(const PixelView<const float> & accumulated, const RowPiece & chunk, GradientChunk & gradient)
{
  const float * const before = accumulated.At(chunk);
  for (std::int64_t i = 0; before && i < chunk.length; ++i)
  {
    gradient[static_cast<std::size_t>(i)] += static_cast<double>(before[i]);
  }
}

/** Adds the gradient of a chunk to what is accumulated and rounds once. */
inline void
StoreGradient(const GradientViews & views, const RowPiece & chunk, GradientChunk & gradient)
{
  AddAccumulated(views.accumulated, chunk, gradient);
  float * const sum = views.sum.At(chunk);
  for (std::int64_t i = 0; i < chunk.length; ++i)
  {
    sum[i] = static_cast<float>(gradient[static_cast<std::size_t>(i)]);
  }
}

/** Where nothing can be said without the gradient itself. */
inline bool
NotKnownToBeInRange(const RowPiece &)
{
  return false;
}

/** The first pixel in raster order whose sum binary32 cannot hold. fill(chunk, gradient) forms the new terms of a chunk
 * in binary64; chunks that isInRange(chunk) vouches for are passed over. */
template <typename TIsInRange, typename TFill>
std::optional<GradientOutOfRange>
FindGradientOutOfRange(const PixelGrid &              grid,
                       const PixelView<const float> & accumulated,
                       const ParallelFor &            parallelFor,
                       const TIsInRange &             isInRange,
                       const TFill &                  fill)
{
  using Found = std::optional<GradientOutOfRange>;
  return FindFirst<GradientOutOfRange>(grid, parallelFor, [&](const RowPiece & piece) {
    Found found;
    VisitChunks(piece, [&](const RowPiece & chunk) {
      if (isInRange(chunk))
      {
        return true;
      }
      GradientChunk gradient;
      fill(chunk, gradient);
      AddAccumulated(accumulated, chunk, gradient);
      const auto end = gradient.begin() + chunk.length;
      const auto bad = std::find_if_not(gradient.begin(), end, FitsBinary32);
      if (bad != end)
      {
        found = GradientOutOfRange{ chunk.column + (bad - gradient.begin()), chunk.row, chunk.slice, *bad };
      }
      return !found;
    });
    return found;
  });
}

/** Writes the sums. Call FindGradientOutOfRange() before: nothing is checked here. */
template <typename TFill>
void
AccumulateGradient(const PixelGrid &     grid,
                   const GradientViews & views,
                   const ParallelFor &   parallelFor,
                   const TFill &         fill)
{
  ForEachRowPiece(grid, parallelFor, [&](const RowPiece & piece) {
    VisitChunks(piece, [&](const RowPiece & chunk) {
      GradientChunk gradient;
      fill(chunk, gradient);
      StoreGradient(views, chunk, gradient);
      return true;
    });
  });
}

} // namespace radiography::compute

#endif
