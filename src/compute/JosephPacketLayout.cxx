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
#include "compute/JosephPacketLayout.h"

#include <limits>

namespace radiography::compute
{

namespace
{

// Prices of a packet in a slab, in rows read into one register; measured on Zen 5 with AVX-512 at 128^3.
/** Its rays' places, whatever it reads. */
constexpr double PacketPrice = 2.6;
/** A row that takes two registers. */
constexpr double TwoRegistersPrice = 1.6;
/** Each ray's voxels on their own. */
constexpr double LaneByLanePrice = 50.0;

/** Where the rays of a view meet a slab, along one lateral axis of the volume, and how that moves from pixel to
 * pixel. */
struct LateralPlace
{
  const kernel::ViewRays & view;
  int                      mainAxis;
  int                      axis;

  double
  At(double slab, double column, double row) const
  {
    double start[2];
    double step[2];
    for (int i = 0; i < 2; ++i)
    {
      const int a = i == 0 ? mainAxis : axis;
      start[i] = kernel::Evaluate(view.start, a, column, row);
      step[i] = kernel::Evaluate(view.end, a, column, row) - start[i];
    }
    return start[1] + (slab - start[0]) * (step[1] / step[0]);
  }
};

/** How far apart, in voxels, the rays of neighbouring pixels are in a slab. */
struct Spacing
{
  /** [p or q][column or row]. */
  double step[2][2];
};

Spacing
MeasureSpacing(const LateralPlace (&lateral)[2], double slab, double column, double row)
{
  Spacing spacing;
  for (int axis = 0; axis < 2; ++axis)
  {
    const LateralPlace & place = lateral[axis];
    spacing.step[axis][0] = place.At(slab, column + 0.5, row) - place.At(slab, column - 0.5, row);
    spacing.step[axis][1] = place.At(slab, column, row + 0.5) - place.At(slab, column, row - 0.5);
  }
  return spacing;
}

/** Spread of a packet's rays along p or q, in voxels. */
double
GetSpread(const Spacing & spacing, int axis, const JosephPacketLayout & layout)
{
  const int    along = layout.alongRows ? 1 : 0;
  const double across = std::abs(spacing.step[axis][1 - along]);
  const double line = std::abs(spacing.step[axis][along] + layout.slant * spacing.step[axis][1 - along]);
  // Lines of whole pixels lie up to half a pixel on both sides of the slanted line that they stand for.
  const double stairs = layout.slant == std::floor(layout.slant) ? 0.0 : across;
  return (layout.width - 1) * line + (layout.GetHeight() - 1) * across + stairs;
}

/** The lines' direction: along the contiguous axis, as nearly as a slant of at most one pixel per pixel allows. */
void
ChooseSlant(const Spacing & middle, JosephPacketLayout & layout)
{
  const double column = middle.step[1][0];
  const double row = middle.step[1][1];
  layout.alongRows = std::abs(column) > std::abs(row);
  const double along = layout.alongRows ? row : column;
  const double across = layout.alongRows ? column : row;
  layout.slant = across == 0.0 ? 0.0 : -along / across;
}

/** Price of a slab for a packet whose spreads in it are known. */
double
GetPrice(double spreadP, double spreadQ, int lanes)
{
  // What a packet reads of a row has to fit in one register or, at a higher price, in two; JosephPackets.cxx tells
  // when it does.
  const double rows = spreadQ + 2.0;
  const double price = PacketPrice + rows * (spreadP < lanes - 2.125 ? 1.0 : TwoRegistersPrice);
  return spreadP < 2.0 * lanes - 2.125 ? std::min(price, LaneByLanePrice) : LaneByLanePrice;
}

/** Mean price over the detector, each packet in the slab where it is widest. */
double
GetMeanPrice(const LateralPlace (&lateral)[2],
             const kernel::ViewRays &   view,
             double                     lastSlab,
             const JosephPacketLayout & layout)
{
  double price = 0.0;
  for (const double column : { 0.0, 0.5, 1.0 })
  {
    for (const double row : { 0.0, 0.5, 1.0 })
    {
      double spread[2] = { 0.0, 0.0 };
      for (const double slab : { 0.0, lastSlab })
      {
        const Spacing spacing = MeasureSpacing(
          lateral, slab, column * static_cast<double>(view.columns - 1), row * static_cast<double>(view.rows - 1));
        for (int axis = 0; axis < 2; ++axis)
        {
          spread[axis] = std::max(spread[axis], GetSpread(spacing, axis, layout));
        }
      }
      price += GetPrice(spread[0], spread[1], layout.lanes) / 9.0;
    }
  }
  return price;
}

} // namespace

JosephPacketLayout
MakeJosephPacketLayout(const kernel::VolumeView & volume,
                       const kernel::ViewRays &   view,
                       int                        mainAxis,
                       int                        lateral,
                       int                        lanes,
                       const ProjectionPolicy &   policy)
{
  const LateralPlace places[2] = { { view, mainAxis, lateral }, { view, mainAxis, 3 - mainAxis - lateral } };
  const double       lastSlab = static_cast<double>(volume.size[mainAxis] - 1);
  const double       lastColumn = static_cast<double>(view.columns - 1);
  const double       lastRow = static_cast<double>(view.rows - 1);
  const Spacing      middle = MeasureSpacing(places, 0.5 * lastSlab, 0.5 * lastColumn, 0.5 * lastRow);

  JosephPacketLayout layout{ lanes, lanes, false, 0.0, 0, 0 };
  ChooseSlant(middle, layout);
  layout.countAlong = layout.alongRows ? view.rows : view.columns;
  layout.countAcross = layout.alongRows ? view.columns : view.rows;
  if (policy.packetWidth > 0)
  {
    layout.width = static_cast<int>(std::min<std::int64_t>(policy.packetWidth, lanes));
    return layout;
  }

  double cheapest = std::numeric_limits<double>::infinity();
  for (JosephPacketLayout candidate = layout; candidate.width > 0; candidate.width /= 2)
  {
    const double price = GetMeanPrice(places, view, lastSlab, candidate);
    if (price < cheapest)
    {
      cheapest = price;
      layout = candidate;
    }
  }
  return layout;
}

PixelTiles
MakeJosephPacketTiles(const JosephPacketLayout & layout,
                      std::int64_t               firstColumn,
                      std::int64_t               firstRow,
                      std::int64_t               columns,
                      std::int64_t               rows,
                      const ProjectionPolicy &   policy)
{
  const std::int64_t along = layout.alongRows ? firstRow : firstColumn;
  const std::int64_t alongCount = layout.alongRows ? rows : columns;
  const std::int64_t across = layout.alongRows ? firstColumn : firstRow;
  const std::int64_t acrossCount = layout.alongRows ? columns : rows;
  // The shift is monotone in `along`: it is extreme at the rectangle's ends.
  const std::int64_t shifts[2] = { layout.GetShift(along), layout.GetShift(along + alongCount - 1) };
  const std::int64_t first = across - std::max(shifts[0], shifts[1]);
  const std::int64_t last = across + acrossCount - 1 - std::min(shifts[0], shifts[1]);
  return PixelTiles(along, first, alongCount, last - first + 1, policy);
}

} // namespace radiography::compute
