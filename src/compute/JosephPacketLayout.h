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
#ifndef radiography_compute_JosephPacketLayout_h
#define radiography_compute_JosephPacketLayout_h

#include "compute/InternalExport.h"
#include "compute/PixelTiles.h"
#include "compute/ProjectionPolicy.h"
#include "kernel/Ray.h"
#include "kernel/VolumeView.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace radiography::compute
{

/** How the pixels of a view are put together into packets of rays that are integrated at once.
 *
 * A packet takes `width` neighbours along one axis of the detector and lanes / width lines of them. The lines are
 * slanted: in steps of whole pixels they follow the direction in which the rays' places in a slab move along the
 * volume's contiguous axis, so that a packet meets few rows of voxels at any roll of the detector.
 *
 * (along, across) are the coordinates in which packets and tiles are rectangles, anchored at (0, 0) of the whole
 * detector, never negative; the pixel of (along, across) is GetPixel(). Chosen for the whole view. */
struct JosephPacketLayout
{
  /** Rays of a packet. */
  int lanes;
  /** Of these, side by side in a line. */
  int width;
  /** A line of rays follows the detector's rows (false: along = column) or its columns (true: along = row). */
  bool alongRows;
  /** Pixels across per pixel along, -1 to 1. */
  double slant;
  /** Pixels of the whole detector in both directions. */
  std::int64_t countAlong;
  std::int64_t countAcross;

  struct Pixel
  {
    std::int64_t column;
    std::int64_t row;
  };

  int
  GetHeight() const
  {
    return lanes / width;
  }

  /** Pixel across of (along, 0): 0 or less, so that across is 0 or more for every pixel. */
  std::int64_t
  GetShift(std::int64_t along) const
  {
    const double last = static_cast<double>(countAlong - 1);
    const double shift = std::floor(slant * static_cast<double>(along) + 0.5);
    return static_cast<std::int64_t>(slant > 0.0 ? shift - std::floor(slant * last + 0.5) : shift);
  }

  Pixel
  GetPixel(std::int64_t along, std::int64_t across) const
  {
    const std::int64_t shifted = across + GetShift(along);
    return alongRows ? Pixel{ shifted, along } : Pixel{ along, shifted };
  }
};

/** \param lateral the volume's contiguous axis; \param lanes rays of a packet. */
RADIOGRAPHY_INTERNAL_EXPORT JosephPacketLayout
MakeJosephPacketLayout(const kernel::VolumeView & volume,
                       const kernel::ViewRays &   view,
                       int                        mainAxis,
                       int                        lateral,
                       int                        lanes,
                       const ProjectionPolicy &   policy);

/** The tiles, in (along, across), that hold the pixels of a rectangle of the detector; some hold none. */
RADIOGRAPHY_INTERNAL_EXPORT PixelTiles
MakeJosephPacketTiles(const JosephPacketLayout & layout,
                      std::int64_t               firstColumn,
                      std::int64_t               firstRow,
                      std::int64_t               columns,
                      std::int64_t               rows,
                      const ProjectionPolicy &   policy);

} // namespace radiography::compute

#endif
