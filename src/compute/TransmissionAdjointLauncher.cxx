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
#include "compute/TransmissionAdjointLauncher.h"

#include "compute/PixelSum.h"
#include "kernel/TransmissionAdjoint.h"
#include "kernel/TransmissionLaw.h"

namespace radiography::compute
{
namespace
{

double
ValueAt(const float * row, std::int64_t i, double otherwise = 0.0)
{
  return row ? static_cast<double>(row[i]) : otherwise;
}

/** The inputs along one row piece. */
struct Row
{
  const float * depth;
  const float * openBeam;
  double        openBeamNumber;
  const float * transmission;
  const float * counts;
  const float * logTransmission;
  const float * removed;

  Row(const TransmissionAdjointInputs & inputs, const RowPiece & piece)
    : depth(inputs.depths.At(piece))
    , openBeam(inputs.openBeam.pixels.At(piece))
    , openBeamNumber(inputs.openBeam.number)
    , transmission(inputs.weights.transmission.At(piece))
    , counts(inputs.weights.counts.At(piece))
    , logTransmission(inputs.weights.logTransmission.At(piece))
    , removed(inputs.weights.removed.At(piece))
  {}

  /** exp(-L), which a weight of log T alone does not need. */
  double
  TransmissionAt(std::int64_t i) const
  {
    return (transmission || counts || removed) ? kernel::Transmission(depth[i]) : 0.0;
  }

  double
  OpenBeamAt(std::int64_t i) const
  {
    return ValueAt(openBeam, i, openBeamNumber);
  }

  kernel::TransmissionCotangents
  WeightsAt(std::int64_t i) const
  {
    return { ValueAt(transmission, i), ValueAt(counts, i), ValueAt(logTransmission, i), ValueAt(removed, i) };
  }
};

/** exp(-L) <= 1 here, so what magnitudes without it say holds with it. Not so for the depths that are no depths which
 * unchecked callers may pass. */
bool
IsAttenuating(float depth)
{
  return depth >= 0.0f;
}

} // namespace

std::optional<GradientOutOfRange>
FindDepthCotangentOutOfRange(const PixelGrid &                 grid,
                             const TransmissionAdjointInputs & inputs,
                             const PixelView<const float> &    accumulated,
                             const ParallelFor &               parallelFor)
{
  return FindGradientOutOfRange(grid, accumulated, parallelFor, [&](const RowPiece & piece) {
    return [row = Row(inputs, piece), before = accumulated.At(piece)](std::int64_t i) {
      const auto   weights = row.WeightsAt(i);
      const double bound = kernel::DepthCotangentBound(row.OpenBeamAt(i), weights);
      if (IsAttenuating(row.depth[i]) && FitsBinary32(std::abs(AccumulatedAt(before, i)) + bound))
      {
        return 0.0;
      }
      return kernel::DepthCotangent(row.TransmissionAt(i), row.OpenBeamAt(i), weights);
    };
  });
}

std::optional<GradientOutOfRange>
FindOpenBeamCotangentOutOfRange(const PixelGrid &                 grid,
                                const TransmissionAdjointInputs & inputs,
                                const PixelView<const float> &    accumulated,
                                const ParallelFor &               parallelFor)
{
  return FindGradientOutOfRange(grid, accumulated, parallelFor, [&](const RowPiece & piece) {
    return [row = Row(inputs, piece), before = accumulated.At(piece)](std::int64_t i) {
      const double weight = ValueAt(row.counts, i);
      if (IsAttenuating(row.depth[i]) && FitsBinary32(std::abs(AccumulatedAt(before, i)) + std::abs(weight)))
      {
        return 0.0;
      }
      return kernel::OpenBeamCotangent(row.TransmissionAt(i), weight);
    };
  });
}

double
SumOpenBeamCotangent(const PixelGrid & grid, const TransmissionAdjointInputs & inputs, const ParallelFor & parallelFor)
{
  if (!inputs.weights.counts)
  {
    return 0.0;
  }
  return SumOverPixels<double>(grid, parallelFor, [&](const RowPiece & piece, double & sum) {
    const Row row(inputs, piece);
    for (std::int64_t i = 0; i < piece.length; ++i)
    {
      sum += kernel::OpenBeamCotangent(row.TransmissionAt(i), ValueAt(row.counts, i));
    }
  });
}

void
EvaluateTransmissionAdjoint(const PixelGrid &                 grid,
                            const TransmissionAdjointInputs & inputs,
                            const GradientViews &             depth,
                            const GradientViews &             openBeam,
                            const ParallelFor &               parallelFor)
{
  ForEachRowPiece(grid, parallelFor, [&](const RowPiece & piece) {
    const Row         row(inputs, piece);
    const GradientRow depthRow(depth, piece);
    const GradientRow openBeamRow(openBeam, piece);
    for (std::int64_t i = 0; i < piece.length; ++i)
    {
      const double transmission = row.TransmissionAt(i);
      depthRow.Store(i, kernel::DepthCotangent(transmission, row.OpenBeamAt(i), row.WeightsAt(i)));
      if (openBeamRow.sum)
      {
        openBeamRow.Store(i, kernel::OpenBeamCotangent(transmission, ValueAt(row.counts, i)));
      }
    }
  });
}

} // namespace radiography::compute
