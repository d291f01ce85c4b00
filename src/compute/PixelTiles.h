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
#ifndef radiography_compute_PixelTiles_h
#define radiography_compute_PixelTiles_h

#include "compute/ParallelFor.h"
#include "compute/ProjectionPolicy.h"

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace radiography::compute
{

/** A rectangle of pixels cut into the tiles that threads take. Tile borders lie at multiples of the tile's size counted
 * from pixel (0, 0), whatever rectangle is asked for. */
class PixelTiles
{
public:
  struct Tile
  {
    std::int64_t columnBegin;
    std::int64_t columnEnd;
    std::int64_t rowBegin;
    std::int64_t rowEnd;
  };

  PixelTiles(std::int64_t             firstColumn,
             std::int64_t             firstRow,
             std::int64_t             columns,
             std::int64_t             rows,
             const ProjectionPolicy & policy)
    : m_Columns(Cut(firstColumn, columns, policy.tileColumns))
    , m_Rows(Cut(firstRow, rows, policy.tileRows))
  {}

  std::int64_t
  GetCount() const
  {
    return m_Columns.count * m_Rows.count;
  }

  Tile
  GetTile(std::int64_t item) const
  {
    const Span columns = m_Columns.GetSpan(item % m_Columns.count);
    const Span rows = m_Rows.GetSpan(item / m_Columns.count);
    return { columns.begin, columns.end, rows.begin, rows.end };
  }

private:
  struct Span
  {
    std::int64_t begin;
    std::int64_t end;
  };

  /** One axis: [begin, end) cut at multiples of `length`, `count` pieces from number `first` on. */
  struct Axis
  {
    std::int64_t begin;
    std::int64_t end;
    std::int64_t length;
    std::int64_t first;
    std::int64_t count;

    Span
    GetSpan(std::int64_t piece) const
    {
      const std::int64_t start = (first + piece) * length;
      return { std::max(start, begin), std::min(start + length, end) };
    }
  };

  static Axis
  Cut(std::int64_t begin, std::int64_t size, std::int64_t length)
  {
    const std::int64_t first = begin / length;
    const std::int64_t count = size > 0 ? (begin + size - 1) / length - first + 1 : 0;
    return { begin, begin + size, length, first, count };
  }

  Axis m_Columns;
  Axis m_Rows;
};

/** Hands the tiles out to threads. \return the sum of what doTile(tile) returns for each, a number of rays for
 * instance.
 */
template <typename TDoTile>
std::int64_t
SumOverTiles(const PixelTiles & tiles, const ParallelFor & parallelFor, const TDoTile & doTile)
{
  std::atomic<std::int64_t> sum{ 0 };
  parallelFor(tiles.GetCount(), [&](std::int64_t item) { sum += doTile(tiles.GetTile(item)); });
  return sum;
}

/** Calls visit(column, row, count) for each pixel of the tiles; `count` is a tile's own. \return the sum of counts. */
template <typename TVisit>
std::int64_t
VisitTiledPixels(const PixelTiles & tiles, const ParallelFor & parallelFor, const TVisit & visit)
{
  return SumOverTiles(tiles, parallelFor, [&](const PixelTiles::Tile & tile) {
    std::int64_t count = 0;
    for (std::int64_t row = tile.rowBegin; row < tile.rowEnd; ++row)
    {
      for (std::int64_t column = tile.columnBegin; column < tile.columnEnd; ++column)
      {
        visit(column, row, count);
      }
    }
    return count;
  });
}

} // namespace radiography::compute

#endif
