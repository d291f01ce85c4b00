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
#include "compute/TransmissionLauncher.h"

#include "compute/InstructionSet.h"
#include "compute/TransmissionPackets.h"
#include "kernel/TransmissionLaw.h"

#include <cmath>

namespace radiography::compute
{
namespace
{

// The scalar reference.

void
EvaluateSurvival(const TransmissionRow & row, double openBeamNumber, std::int64_t length)
{
  for (std::int64_t i = 0; i < length; ++i)
  {
    const double transmission = kernel::Transmission(row.depth[i]);
    if (row.transmission)
    {
      row.transmission[i] = static_cast<float>(transmission);
    }
    if (row.counts)
    {
      const double openBeam = row.openBeam ? static_cast<double>(row.openBeam[i]) : openBeamNumber;
      row.counts[i] = static_cast<float>(kernel::ExpectedCounts(openBeam, transmission));
    }
  }
}

void
EvaluateRow(const TransmissionRow & row, double openBeamNumber, std::int64_t length)
{
  if (row.transmission || row.counts)
  {
    EvaluateSurvival(row, openBeamNumber, length);
  }
  for (std::int64_t i = 0; row.logTransmission && i < length; ++i)
  {
    row.logTransmission[i] = static_cast<float>(kernel::LogTransmission(row.depth[i]));
  }
  for (std::int64_t i = 0; row.removed && i < length; ++i)
  {
    row.removed[i] = static_cast<float>(kernel::RemovedFraction(row.depth[i]));
  }
}

std::int64_t
CountValid(const float * values, std::int64_t length)
{
  const auto isInvalid = [](float value) { return !(std::isfinite(value) && value >= 0.0f); };
  return std::find_if(values, values + length, isInvalid) - values;
}

/** What a call writes. */
std::int64_t
CountOutputBytes(const PixelGrid & grid, const TransmissionOutputs & outputs)
{
  std::int64_t bytesPerPixel = 0;
  for (const auto * const view : { &outputs.transmission, &outputs.counts, &outputs.logTransmission, &outputs.removed })
  {
    bytesPerPixel += *view ? static_cast<std::int64_t>(sizeof(float)) : 0;
  }
  return bytesPerPixel * grid.Count();
}

} // namespace

std::optional<BadPixel>
FindFirstInvalid(const PixelGrid & grid, const PixelView<const float> & pixels, const ParallelFor & parallelFor)
{
  const auto count = IsSimdDisabled() ? CountValid : CountValidPackets;
  return FindFirst<BadPixel>(grid, parallelFor, [&](const RowPiece & piece) -> std::optional<BadPixel> {
    const float * const values = pixels.At(piece);
    const std::int64_t  valid = count(values, piece.length);
    return valid == piece.length
             ? std::nullopt
             : std::make_optional(BadPixel{ piece.column + valid, piece.row, piece.slice, values[valid] });
  });
}

void
EvaluateTransmission(const PixelGrid &              grid,
                     const PixelView<const float> & depths,
                     const OpenBeam &               openBeam,
                     const TransmissionOutputs &    outputs,
                     const ParallelFor &            parallelFor,
                     const ProjectionPolicy &       policy)
{
  const bool scalar = IsSimdDisabled();
  const bool stream = CountOutputBytes(grid, outputs) >= policy.streamingStoreBytes;
  const auto evaluate = [&](const RowPiece & piece) {
    const TransmissionRow row{
      depths.At(piece),         openBeam.pixels.At(piece),         outputs.transmission.At(piece),
      outputs.counts.At(piece), outputs.logTransmission.At(piece), outputs.removed.At(piece)
    };
    if (scalar)
    {
      EvaluateRow(row, openBeam.number, piece.length);
    }
    else
    {
      EvaluateTransmissionPackets(row, openBeam.number, piece.length, stream);
    }
    return true;
  };
  const std::int64_t tilePixels = policy.transmissionTilePixels;
  parallelFor((grid.Count() + tilePixels - 1) / tilePixels, [&](std::int64_t tile) {
    VisitPixels(grid, tile * tilePixels, std::min(grid.Count(), (tile + 1) * tilePixels), evaluate);
  });
}

std::string
TransmissionKernelName()
{
  return "transmission, " + (IsSimdDisabled() ? "scalar" : GetInstructionSet().name + " packets,") + " binary64";
}

} // namespace radiography::compute
