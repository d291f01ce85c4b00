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
#include "compute/DetectorAdjointLauncher.h"

#include "compute/PixelSum.h"

namespace radiography::compute
{
namespace
{

/** Forms g c for a chunk. */
auto
CountsCotangentsOf(double gain, const PixelView<const float> & weights)
{
  return [gain, &weights](const RowPiece & chunk, GradientChunk & gradient) {
    const float * const first = weights.At(chunk);
    std::transform(first, first + chunk.length, gradient.begin(), [gain](float weight) {
      return gain * static_cast<double>(weight);
    });
  };
}

} // namespace

DetectorAdjointSums
SumDetectorAdjoint(const PixelGrid &              grid,
                   const PixelView<const float> & counts,
                   const PixelView<const float> & weights,
                   double                         scatter,
                   const ParallelFor &            parallelFor)
{
  return SumOverPixels<DetectorAdjointSums>(grid, parallelFor, [&](const RowPiece & piece, DetectorAdjointSums & sums) {
    const float * const count = counts.At(piece);
    const float * const weight = weights.At(piece);
    for (std::int64_t i = 0; i < piece.length; ++i)
    {
      const double c = weight[i];
      sums += DetectorAdjointSums{ c * (static_cast<double>(count[i]) + scatter), c };
    }
  });
}

std::optional<GradientOutOfRange>
FindCountsCotangentOutOfRange(const PixelGrid &              grid,
                              double                         gain,
                              const PixelView<const float> & weights,
                              const PixelView<const float> & accumulated,
                              const ParallelFor &            parallelFor)
{
  return FindGradientOutOfRange(grid, accumulated, parallelFor, NotKnownToBeInRange, CountsCotangentsOf(gain, weights));
}

void
EvaluateCountsCotangent(const PixelGrid &              grid,
                        double                         gain,
                        const PixelView<const float> & weights,
                        const GradientViews &          gradient,
                        const ParallelFor &            parallelFor)
{
  AccumulateGradient(grid, gradient, parallelFor, CountsCotangentsOf(gain, weights));
}

} // namespace radiography::compute
