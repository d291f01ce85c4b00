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
#ifndef radiography_compute_PixelGrid_h
#define radiography_compute_PixelGrid_h

#include "compute/ParallelFor.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <vector>

namespace radiography::compute
{

/** The pixels of a region, counted in raster order: columns fastest. */
struct PixelGrid
{
  std::int64_t columns{ 0 };
  std::int64_t rows{ 0 };
  std::int64_t slices{ 0 };

  std::int64_t
  Count() const
  {
    return columns * rows * slices;
  }
};

/** Consecutive pixels of one row. */
struct RowPiece
{
  std::int64_t column{ 0 };
  std::int64_t row{ 0 };
  std::int64_t slice{ 0 };
  std::int64_t length{ 0 };
};

/** Pixels of a grid within a buffer that may be larger; columns are adjacent. A null one stands for "none". */
template <typename TPixel>
struct PixelView
{
  TPixel *     first{ nullptr };
  std::int64_t rowStride{ 0 };
  std::int64_t sliceStride{ 0 };

  explicit operator bool() const
  {
    return first != nullptr;
  }

  /** The first pixel of a piece; null for a null view. */
  TPixel *
  At(const RowPiece & piece) const
  {
    return first ? first + piece.column + piece.row * rowStride + piece.slice * sliceStride : nullptr;
  }
};

/** Whether two views of one grid reach into the same stretch of memory. Rows interleaved within it count as well. */
template <typename TOne, typename TOther>
bool
SharesMemory(const PixelGrid & grid, const PixelView<TOne> & one, const PixelView<TOther> & other)
{
  if (grid.Count() == 0 || !one || !other)
  {
    return false;
  }
  const RowPiece     last{ grid.columns - 1, grid.rows - 1, grid.slices - 1, 1 };
  const void * const oneLast = one.At(last);
  const void * const otherLast = other.At(last);
  const std::less<>  before;
  return !before(oneLast, other.first) && !before(otherLast, one.first);
}

/** Pixels per item of work: a multiple of 256, some tens of microseconds of exponentials. */
constexpr std::int64_t PixelsPerTile = 256 * 16;

/** The number of tiles that cover a grid. */
inline std::int64_t
CountTiles(const PixelGrid & grid)
{
  return (grid.Count() + PixelsPerTile - 1) / PixelsPerTile;
}

/** Calls visit(piece) for the row pieces that make up the pixels [begin, end) of raster order, until it returns false.
 */
template <typename TVisit>
void
VisitPixels(const PixelGrid & grid, std::int64_t begin, std::int64_t end, const TVisit & visit)
{
  for (std::int64_t offset = begin; offset < end;)
  {
    const std::int64_t column = offset % grid.columns;
    const std::int64_t line = offset / grid.columns;
    const std::int64_t length = std::min(grid.columns - column, end - offset);
    if (!visit(RowPiece{ column, line % grid.rows, line / grid.rows, length }))
    {
      return;
    }
    offset += length;
  }
}

/** Calls visit(piece) for the row pieces that make up one tile, in raster order, until it returns false. */
template <typename TVisit>
void
VisitTile(const PixelGrid & grid, std::int64_t tile, const TVisit & visit)
{
  VisitPixels(grid, tile * PixelsPerTile, std::min(grid.Count(), (tile + 1) * PixelsPerTile), visit);
}

/** Calls body(piece) for row pieces that cover the grid, tile by tile, on the threads of parallelFor. */
template <typename TBody>
void
ForEachRowPiece(const PixelGrid & grid, const ParallelFor & parallelFor, const TBody & body)
{
  parallelFor(CountTiles(grid), [&](std::int64_t tile) {
    VisitTile(grid, tile, [&](const RowPiece & piece) {
      body(piece);
      return true;
    });
  });
}

/** A pixel that is not as it should be: where in the grid, and its value. */
struct BadPixel
{
  std::int64_t column{ 0 };
  std::int64_t row{ 0 };
  std::int64_t slice{ 0 };
  float        value{ 0.0f };
};

/** The first thing in raster order that findInPiece(piece), an optional TFound, finds, whatever the number of threads.
 */
template <typename TFound, typename TFindInPiece>
std::optional<TFound>
FindFirst(const PixelGrid & grid, const ParallelFor & parallelFor, const TFindInPiece & findInPiece)
{
  std::vector<std::optional<TFound>> firstOfTile(static_cast<std::size_t>(CountTiles(grid)));
  parallelFor(CountTiles(grid), [&](std::int64_t tile) {
    std::optional<TFound> & found = firstOfTile[static_cast<std::size_t>(tile)];
    VisitTile(grid, tile, [&](const RowPiece & piece) {
      found = findInPiece(piece);
      return !found.has_value();
    });
  });
  const auto first = std::find_if(
    firstOfTile.begin(), firstOfTile.end(), [](const std::optional<TFound> & found) { return found.has_value(); });
  return first == firstOfTile.end() ? std::nullopt : *first;
}

/** The first pixel in raster order for which isBad(value) holds, whatever the number of threads. */
template <typename TIsBad>
std::optional<BadPixel>
FindFirstBadPixel(const PixelGrid &              grid,
                  const PixelView<const float> & pixels,
                  const ParallelFor &            parallelFor,
                  const TIsBad &                 isBad)
{
  return FindFirst<BadPixel>(grid, parallelFor, [&](const RowPiece & piece) -> std::optional<BadPixel> {
    const float * const begin = pixels.At(piece);
    const float * const bad = std::find_if(begin, begin + piece.length, isBad);
    if (bad == begin + piece.length)
    {
      return std::nullopt;
    }
    return BadPixel{ piece.column + (bad - begin), piece.row, piece.slice, *bad };
  });
}

/** The first pixel that is NaN or infinite. */
inline std::optional<BadPixel>
FindFirstNonFinite(const PixelGrid & grid, const PixelView<const float> & pixels, const ParallelFor & parallelFor)
{
  return FindFirst<BadPixel>(grid, parallelFor, [&](const RowPiece & piece) -> std::optional<BadPixel> {
    const float * const values = pixels.At(piece);
    // No branch until the piece is through, and no arithmetic that a NaN could trap in.
    constexpr std::uint32_t exponent = 0x7f800000U;
    std::uint32_t           isBad = 0;
    for (std::int64_t i = 0; i < piece.length; ++i)
    {
      std::uint32_t bits = 0;
      std::memcpy(&bits, values + i, sizeof bits);
      isBad |= (bits & exponent) == exponent ? 1U : 0U;
    }
    if (isBad == 0)
    {
      return std::nullopt;
    }
    const float * const bad =
      std::find_if_not(values, values + piece.length, [](float value) { return std::isfinite(value); });
    return BadPixel{ piece.column + (bad - values), piece.row, piece.slice, *bad };
  });
}

} // namespace radiography::compute

#endif
