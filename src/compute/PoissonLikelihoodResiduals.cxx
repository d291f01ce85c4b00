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
#include "compute/PoissonLikelihoodResiduals.h"

#include <cmath>

namespace radiography::compute
{
namespace
{

float
ResidualOf(double observed, double expected, const PoissonResidual & residual)
{
  const double count = observed + residual.electronicVariance;
  const double mean = expected + residual.electronicVariance;
  const double deviations =
    residual.pearson ? kernel::PearsonResidual(count, mean) : kernel::DevianceResidual(count, mean);
  return static_cast<float>(deviations / std::sqrt(residual.dispersionFactor));
}

/** The fault and the value that shows it, or nothing. */
std::optional<std::pair<PoissonFault, double>>
FaultOf(double observed, double expected, const PoissonResidual & residual)
{
  const auto fault = [](PoissonFault what, double value) { return std::make_pair(what, value); };
  if (!(std::isfinite(observed) && observed + residual.electronicVariance >= 0.0))
  {
    return fault(PoissonFault::Observed, observed);
  }
  if (!(std::isfinite(expected) && expected >= 0.0))
  {
    return fault(PoissonFault::Expected, expected);
  }
  if (observed + residual.electronicVariance > 0.0 && expected + residual.electronicVariance == 0.0)
  {
    return fault(PoissonFault::Impossible, observed);
  }
  if (!std::isfinite(ResidualOf(observed, expected, residual)))
  {
    return fault(PoissonFault::Range, observed);
  }
  return std::nullopt;
}

} // namespace

std::optional<PoissonBadPixel>
FindFirstWithoutResidual(const PixelGrid &              grid,
                         const PixelView<const float> & observed,
                         const PixelView<const float> & expected,
                         const PoissonResidual &        residual,
                         const ParallelFor &            parallelFor)
{
  return FindFirst<PoissonBadPixel>(grid, parallelFor, [&](const RowPiece & piece) -> std::optional<PoissonBadPixel> {
    const float * const counts = observed.At(piece);
    const float * const means = expected.At(piece);
    for (std::int64_t i = 0; i < piece.length; ++i)
    {
      if (const auto fault = FaultOf(counts[i], means[i], residual))
      {
        return PoissonBadPixel{ piece.column + i, piece.row, piece.slice, fault->first, fault->second };
      }
    }
    return std::nullopt;
  });
}

void
EvaluateResiduals(const PixelGrid &              grid,
                  const PixelView<const float> & observed,
                  const PixelView<const float> & expected,
                  const PoissonResidual &        residual,
                  const PixelView<float> &       residuals,
                  const ParallelFor &            parallelFor)
{
  ForEachRowPiece(grid, parallelFor, [&](const RowPiece & piece) {
    const float * const counts = observed.At(piece);
    const float * const means = expected.At(piece);
    float * const       out = residuals.At(piece);
    for (std::int64_t i = 0; i < piece.length; ++i)
    {
      out[i] = ResidualOf(counts[i], means[i], residual);
    }
  });
}

} // namespace radiography::compute
