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

#include "kernel/TransmissionLaw.h"

#include <cmath>

namespace radiography::compute
{
namespace
{

/** The pointers of one row piece. */
struct Row
{
  const float * depth;
  const float * openBeam;
  float *       transmission;
  float *       counts;
  float *       logTransmission;
  float *       removed;
};

void
EvaluateSurvival(const Row & row, double openBeamNumber, std::int64_t length)
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
EvaluateRow(const Row & row, double openBeamNumber, std::int64_t length)
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

} // namespace

std::optional<BadPixel>
FindFirstInvalid(const PixelGrid & grid, const PixelView<const float> & pixels, const ParallelFor & parallelFor)
{
  return FindFirstBadPixel(
    grid, pixels, parallelFor, [](float value) { return !(std::isfinite(value) && value >= 0.0f); });
}

void
EvaluateTransmission(const PixelGrid &              grid,
                     const PixelView<const float> & depths,
                     const OpenBeam &               openBeam,
                     const TransmissionOutputs &    outputs,
                     const ParallelFor &            parallelFor)
{
  ForEachRowPiece(grid, parallelFor, [&](const RowPiece & piece) {
    const Row row{ depths.At(piece),         openBeam.pixels.At(piece),         outputs.transmission.At(piece),
                   outputs.counts.At(piece), outputs.logTransmission.At(piece), outputs.removed.At(piece) };
    EvaluateRow(row, openBeam.number, piece.length);
  });
}

} // namespace radiography::compute
