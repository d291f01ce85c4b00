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
#include "compute/SubrayAverage.h"

#include "kernel/TransmissionLaw.h"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace radiography::compute
{
namespace
{

void
RefuseBadWeights(int count, const double * weights)
{
  if (count <= 0)
  {
    throw std::invalid_argument("there are no sub-rays to average");
  }
  double sum = 0.0;
  for (int i = 0; i < count; ++i)
  {
    if (!(std::isfinite(weights[i]) && weights[i] >= 0.0))
    {
      throw std::invalid_argument("the weight of sub-ray " + std::to_string(i) + " is negative or not finite");
    }
    sum += weights[i];
  }
  // Each of the weights and of the additions rounds once.
  if (std::abs(sum - 1.0) > 2.0 * count * std::numeric_limits<double>::epsilon())
  {
    throw std::invalid_argument("the weights of the sub-rays do not sum to one");
  }
}

} // namespace

AveragedTransmission
AverageTransmission(int count, const float * depths, const double * weights)
{
  RefuseBadWeights(count, weights);
  const double depth = kernel::EffectiveDepth(
    count, [depths](int i) { return static_cast<double>(depths[i]); }, [weights](int i) { return weights[i]; });
  return { depth, kernel::Transmission(depth) };
}

void
AverageSubrays(const PixelGrid &              grid,
               int                            subraysPerSide,
               const PixelView<const float> & depths,
               const PixelView<float> &       effectiveDepths,
               const ParallelFor &            parallelFor)
{
  const int    side = subraysPerSide;
  const double weight = 1.0 / (static_cast<double>(side) * side);
  const auto   weightOf = [weight](int) { return weight; };
  ForEachRowPiece(grid, parallelFor, [&](const RowPiece & piece) {
    const float * block = depths.At(RowPiece{ piece.column * side, piece.row * side, piece.slice, 1 });
    float *       out = effectiveDepths.At(piece);
    for (std::int64_t i = 0; i < piece.length; ++i, block += side)
    {
      const auto depthOf = [&](int k) { return static_cast<double>(block[(k / side) * depths.rowStride + k % side]); };
      out[i] = static_cast<float>(kernel::EffectiveDepth(side * side, depthOf, weightOf));
    }
  });
}

} // namespace radiography::compute
