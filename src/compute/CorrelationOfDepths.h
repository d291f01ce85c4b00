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
#ifndef radiography_compute_CorrelationOfDepths_h
#define radiography_compute_CorrelationOfDepths_h

#include "compute/Correlation.h"
#include "compute/DifferencePixel.h"

#include <vector>

namespace radiography::compute
{

/** What an image is compared with: optical depths L, or transmissions exp(-L). */
enum class ComparedQuantity
{
  OpticalDepth,
  Transmission
};

/** Depths and the image to compare them with, on one grid. Pixels whose mask is 0 are not looked at. */
struct DepthImages
{
  PixelView<const double>        depths{};
  PixelView<const float>         observed{};
  PixelView<const unsigned char> mask{};
};

/** How much is asked for; each includes those before it. */
enum class SimilarityOrder
{
  Value,
  Score,
  Information
};

/** Differences of pixels along one axis, and the weight of each; 0 where there is none. */
struct SimilarityDifferences
{
  std::vector<DifferencePixel> pixels{};
  std::vector<double>          weights{};
};

/** What a similarity of depths and image is made of, and all that a Gauss-Newton step needs. Vectors hold one number a
 * pixel in raster order, 0 where nothing is compared; they are empty when they were not asked for or have no part.
 *
 * With J the gradient of a pixel's depth with respect to any parameters, and D_p the sum of factor x slope x J over the
 * pixels of the difference at p, the Gauss-Newton matrix is
 *
 *     sum of weights J J^T + sum over differences of weights D D^T - sum over k of C_k C_k^T,
 *     C_k = sum of couplings[k] J */
struct SimilarityTerms
{
  /** To be minimised. */
  double value{ 0.0 };
  /** Pixels, or differences of pixels, that were compared. */
  std::int64_t pixels{ 0 };
  /** Whether there is anything to correlate; if not, what has no correlation has the value of correlation 0 and no
   * derivatives. */
  bool isDefined{ false };
  /** d(value) / d(depth). */
  std::vector<double>                scores{};
  std::vector<double>                weights{};
  std::vector<SimilarityDifferences> differences{};
  /** dq / dL; empty: 1. */
  std::vector<double>              slopes{};
  std::vector<std::vector<double>> couplings{};
};

/** q(L) of every pixel that is not masked, 0 elsewhere; raster order. */
std::vector<double>
MakeComparedImage(const PixelGrid &   grid,
                  const DepthImages & images,
                  ComparedQuantity    compared,
                  const ParallelFor & parallelFor);

/** The observed image in binary64, 0 where masked; raster order. */
std::vector<double>
MakeObservedImage(const PixelGrid & grid, const DepthImages & images, const ParallelFor & parallelFor);

/** dq / dL for a value q of what is compared. */
inline double
ComparedSlope(ComparedQuantity compared, double value)
{
  return compared == ComparedQuantity::OpticalDepth ? 1.0 : -value;
}

/** Multiplies each factor, if there are any, by its pixel's dq / dL; `predicted` are the values q(L). */
void
MultiplyBySlopes(const std::vector<double> & predicted, ComparedQuantity compared, std::vector<double> & factors);

/** The normalised correlation of q(L) and the image over the pixels that are not masked. */
RADIOGRAPHY_INTERNAL_EXPORT SimilarityTerms
EvaluateDepthCorrelation(const PixelGrid &   grid,
                         const DepthImages & images,
                         ComparedQuantity    compared,
                         CorrelationSign     sign,
                         SimilarityOrder     order,
                         const ParallelFor & parallelFor);

} // namespace radiography::compute

#endif
