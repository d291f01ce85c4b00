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

#include <cmath>
#include <limits>

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

/** What is accumulated at pixel i of a row piece. */
inline double
AccumulatedAt(const float * accumulated, std::int64_t i)
{
  return accumulated ? static_cast<double>(accumulated[i]) : 0.0;
}

/** One row piece of GradientViews. */
struct GradientRow
{
  const float * accumulated{ nullptr };
  float *       sum{ nullptr };

  GradientRow(const GradientViews & views, const RowPiece & piece)
    : accumulated(views.accumulated.At(piece))
    , sum(views.sum.At(piece))
  {}

  /** Added in binary64, rounded once. */
  void
  Store(std::int64_t i, double gradient) const
  {
    sum[i] = static_cast<float>(AccumulatedAt(accumulated, i) + gradient);
  }
};

/** The first pixel in raster order whose sum binary32 cannot hold. rowOf(piece) is a callable: pixel of the piece ->
 * the new term in binary64. */
template <typename TRowOf>
std::optional<GradientOutOfRange>
FindGradientOutOfRange(const PixelGrid &              grid,
                       const PixelView<const float> & accumulated,
                       const ParallelFor &            parallelFor,
                       const TRowOf &                 rowOf)
{
  using Found = std::optional<GradientOutOfRange>;
  return FindFirst<GradientOutOfRange>(grid, parallelFor, [&](const RowPiece & piece) -> Found {
    const auto          gradientAt = rowOf(piece);
    const float * const before = accumulated.At(piece);
    for (std::int64_t i = 0; i < piece.length; ++i)
    {
      const double sum = AccumulatedAt(before, i) + gradientAt(i);
      if (!FitsBinary32(sum))
      {
        return GradientOutOfRange{ piece.column + i, piece.row, piece.slice, sum };
      }
    }
    return std::nullopt;
  });
}

/** Writes the sums. Call FindGradientOutOfRange() before: nothing is checked here. */
template <typename TRowOf>
void
AccumulateGradient(const PixelGrid &     grid,
                   const GradientViews & gradient,
                   const ParallelFor &   parallelFor,
                   const TRowOf &        rowOf)
{
  ForEachRowPiece(grid, parallelFor, [&](const RowPiece & piece) {
    const auto        gradientAt = rowOf(piece);
    const GradientRow row(gradient, piece);
    for (std::int64_t i = 0; i < piece.length; ++i)
    {
      row.Store(i, gradientAt(i));
    }
  });
}

} // namespace radiography::compute

#endif
