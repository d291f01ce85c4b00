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
#ifndef radiography_compute_FlatFieldCorrection_h
#define radiography_compute_FlatFieldCorrection_h

#include "compute/InternalExport.h"
#include "compute/PixelGrid.h"
#include "kernel/FlatField.h"

namespace radiography::compute
{

/** What a pixel of the mask says. Not 0: there is a corrected transmission. */
enum class FlatFieldStatus : std::uint8_t
{
  FlatNotAboveDark = 0,
  Valid = 1,
  AboveOne = 2,
  NotPositive = 3
};

struct FlatFieldInputs
{
  PixelView<const float> raw{};
  PixelView<const float> dark{};
  PixelView<const float> flat{};
};

/** Where results go; what is null is not computed. */
struct FlatFieldOutputs
{
  PixelView<float>        transmission{};
  PixelView<float>        depth{};
  PixelView<std::uint8_t> mask{};
  PixelView<float>        variance{};
};

/** How many pixels have each status. */
struct FlatFieldCounts
{
  std::int64_t flatNotAboveDark{ 0 };
  std::int64_t valid{ 0 };
  std::int64_t aboveOne{ 0 };
  std::int64_t notPositive{ 0 };
};

/** Decided from the readings themselves, before any arithmetic. */
RADIOGRAPHY_INTERNAL_EXPORT FlatFieldStatus
StatusOf(const kernel::PixelReadings & pixel);

/** A result that binary32 cannot hold, and the readings that it is of. */
struct FlatFieldOutOfRange
{
  std::int64_t          column{ 0 };
  std::int64_t          row{ 0 };
  std::int64_t          slice{ 0 };
  kernel::PixelReadings readings{};
};

/** The first pixel, in raster order, whose transmission, or variance if `withVariance`, binary32 cannot hold. */
RADIOGRAPHY_INTERNAL_EXPORT std::optional<FlatFieldOutOfRange>
                            FindFlatFieldOutOfRange(const PixelGrid &            grid,
                                                    const FlatFieldInputs &      inputs,
                                                    const kernel::ReadingNoise & noise,
                                                    bool                         withVariance,
                                                    const ParallelFor &          parallelFor);

/** Evaluates what is not null, each in binary64 from the readings and rounded once; NaN where there is no value. Inputs
 * are finite. */
RADIOGRAPHY_INTERNAL_EXPORT FlatFieldCounts
CorrectFlatField(const PixelGrid &            grid,
                 const FlatFieldInputs &      inputs,
                 const kernel::ReadingNoise & noise,
                 const FlatFieldOutputs &     outputs,
                 const ParallelFor &          parallelFor);

} // namespace radiography::compute

#endif
