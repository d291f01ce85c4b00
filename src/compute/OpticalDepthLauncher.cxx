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
#include "compute/OpticalDepthLauncher.h"

#include "kernel/TransmissionAdjoint.h"

namespace radiography::compute
{
namespace
{

/** Forms the decrement cotangents of a chunk. */
auto
DecrementCotangentsOf(const PixelView<const float> & decrements, const PixelView<const float> & weights)
{
  return [&](const RowPiece & chunk, GradientChunk & gradient) {
    const float * const first = decrements.At(chunk);
    std::transform(first, first + chunk.length, weights.At(chunk), gradient.begin(), kernel::DecrementCotangent);
  };
}

} // namespace

std::optional<BadPixel>
FindFirstNoDecrement(const PixelGrid & grid, const PixelView<const float> & pixels, const ParallelFor & parallelFor)
{
  return FindFirstBadPixel(grid, pixels, parallelFor, [](float value) { return !(value >= 0.0f && value < 1.0f); });
}

void
EvaluateOpticalDepth(const PixelGrid &              grid,
                     const PixelView<const float> & decrements,
                     const PixelView<float> &       depths,
                     const ParallelFor &            parallelFor)
{
  ForEachRowPiece(grid, parallelFor, [&](const RowPiece & piece) {
    const float * const first = decrements.At(piece);
    std::transform(first, first + piece.length, depths.At(piece), [](float decrement) {
      return static_cast<float>(kernel::OpticalDepth(decrement));
    });
  });
}

std::optional<GradientOutOfRange>
FindDecrementCotangentOutOfRange(const PixelGrid &              grid,
                                 const PixelView<const float> & decrements,
                                 const PixelView<const float> & weights,
                                 const PixelView<const float> & accumulated,
                                 const ParallelFor &            parallelFor)
{
  return FindGradientOutOfRange(
    grid, accumulated, parallelFor, NotKnownToBeInRange, DecrementCotangentsOf(decrements, weights));
}

void
EvaluateOpticalDepthAdjoint(const PixelGrid &              grid,
                            const PixelView<const float> & decrements,
                            const PixelView<const float> & weights,
                            const GradientViews &          gradient,
                            const ParallelFor &            parallelFor)
{
  AccumulateGradient(grid, gradient, parallelFor, DecrementCotangentsOf(decrements, weights));
}

} // namespace radiography::compute
