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
#include "compute/FlatFieldCorrection.h"

#include "compute/PixelGradient.h"
#include "compute/PixelSum.h"

#include <cmath>
#include <limits>

namespace radiography::compute
{
namespace
{

constexpr float NoValue = std::numeric_limits<float>::quiet_NaN();

/** The pointers of one row piece. */
struct Row
{
  const float *  raw;
  const float *  dark;
  const float *  flat;
  float *        transmission;
  float *        depth;
  std::uint8_t * mask;
  float *        variance;

  Row(const FlatFieldInputs & inputs, const FlatFieldOutputs & outputs, const RowPiece & piece)
    : raw(inputs.raw.At(piece))
    , dark(inputs.dark.At(piece))
    , flat(inputs.flat.At(piece))
    , transmission(outputs.transmission.At(piece))
    , depth(outputs.depth.At(piece))
    , mask(outputs.mask.At(piece))
    , variance(outputs.variance.At(piece))
  {}

  kernel::PixelReadings
  ReadingsAt(std::int64_t i) const
  {
    return { raw[i], dark[i], flat[i] };
  }
};

float
TransmissionOrNone(const kernel::PixelReadings & pixel, FlatFieldStatus status)
{
  return status == FlatFieldStatus::FlatNotAboveDark ? NoValue
                                                     : static_cast<float>(kernel::CorrectedTransmission(pixel));
}

float
DepthOrNone(const kernel::PixelReadings & pixel, FlatFieldStatus status)
{
  const bool hasDepth = status == FlatFieldStatus::Valid || status == FlatFieldStatus::AboveOne;
  return hasDepth ? static_cast<float>(kernel::ApparentDepth(pixel)) : NoValue;
}

/** A negative variance is no value, whatever its size. */
bool
VarianceFits(const kernel::PixelReadings & pixel, const kernel::ReadingNoise & noise)
{
  const double variance = kernel::TransmissionVariance(pixel, noise);
  return variance < 0.0 || FitsBinary32(variance);
}

float
VarianceOrNone(const kernel::PixelReadings & pixel, FlatFieldStatus status, const kernel::ReadingNoise & noise)
{
  const double variance =
    status == FlatFieldStatus::FlatNotAboveDark ? -1.0 : kernel::TransmissionVariance(pixel, noise);
  return variance >= 0.0 ? static_cast<float>(variance) : NoValue;
}

void
Write(const Row &                   row,
      std::int64_t                  i,
      const kernel::PixelReadings & pixel,
      FlatFieldStatus               status,
      const kernel::ReadingNoise &  noise)
{
  if (row.transmission)
  {
    row.transmission[i] = TransmissionOrNone(pixel, status);
  }
  if (row.depth)
  {
    row.depth[i] = DepthOrNone(pixel, status);
  }
  if (row.mask)
  {
    row.mask[i] = static_cast<std::uint8_t>(status);
  }
  if (row.variance)
  {
    row.variance[i] = VarianceOrNone(pixel, status, noise);
  }
}

struct Counter
{
  FlatFieldCounts counts;

  void
  Add(FlatFieldStatus status)
  {
    counts.flatNotAboveDark += status == FlatFieldStatus::FlatNotAboveDark;
    counts.valid += status == FlatFieldStatus::Valid;
    counts.aboveOne += status == FlatFieldStatus::AboveOne;
    counts.notPositive += status == FlatFieldStatus::NotPositive;
  }
  Counter &
  operator+=(const Counter & other)
  {
    counts.flatNotAboveDark += other.counts.flatNotAboveDark;
    counts.valid += other.counts.valid;
    counts.aboveOne += other.counts.aboveOne;
    counts.notPositive += other.counts.notPositive;
    return *this;
  }
};

} // namespace

FlatFieldStatus
StatusOf(const kernel::PixelReadings & pixel)
{
  if (!(pixel.flat > pixel.dark))
  {
    return FlatFieldStatus::FlatNotAboveDark;
  }
  if (!(pixel.raw > pixel.dark))
  {
    return FlatFieldStatus::NotPositive;
  }
  return pixel.raw > pixel.flat ? FlatFieldStatus::AboveOne : FlatFieldStatus::Valid;
}

std::optional<FlatFieldOutOfRange>
FindFlatFieldOutOfRange(const PixelGrid &            grid,
                        const FlatFieldInputs &      inputs,
                        const kernel::ReadingNoise & noise,
                        bool                         withVariance,
                        const ParallelFor &          parallelFor)
{
  using Found = std::optional<FlatFieldOutOfRange>;
  return FindFirst<FlatFieldOutOfRange>(grid, parallelFor, [&](const RowPiece & piece) -> Found {
    const Row row(inputs, {}, piece);
    for (std::int64_t i = 0; i < piece.length; ++i)
    {
      const auto pixel = row.ReadingsAt(i);
      const bool hasValue = StatusOf(pixel) != FlatFieldStatus::FlatNotAboveDark;
      if (hasValue &&
          !(FitsBinary32(kernel::CorrectedTransmission(pixel)) && (!withVariance || VarianceFits(pixel, noise))))
      {
        return FlatFieldOutOfRange{ piece.column + i, piece.row, piece.slice, pixel };
      }
    }
    return std::nullopt;
  });
}

FlatFieldCounts
CorrectFlatField(const PixelGrid &            grid,
                 const FlatFieldInputs &      inputs,
                 const kernel::ReadingNoise & noise,
                 const FlatFieldOutputs &     outputs,
                 const ParallelFor &          parallelFor)
{
  return SumOverPixels<Counter>(grid,
                                parallelFor,
                                [&](const RowPiece & piece, Counter & counter) {
                                  const Row row(inputs, outputs, piece);
                                  for (std::int64_t i = 0; i < piece.length; ++i)
                                  {
                                    const auto pixel = row.ReadingsAt(i);
                                    const auto status = StatusOf(pixel);
                                    Write(row, i, pixel, status, noise);
                                    counter.Add(status);
                                  }
                                })
    .counts;
}

} // namespace radiography::compute
