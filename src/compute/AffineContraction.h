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
#ifndef radiography_compute_AffineContraction_h
#define radiography_compute_AffineContraction_h

#include "compute/DifferencePixel.h"
#include "compute/InternalExport.h"
#include "compute/ParallelFor.h"
#include "compute/ViewSensitivity.h"
#include "kernel/RaySensitivity.h"

#include <array>
#include <cstdint>
#include <vector>

namespace radiography::compute
{

/** d / d(A, b) of the pose "point of the CT = A x + b": the nine of A row by row, then b. */
using AffineVector = std::array<double, 12>;
using AffineMatrix = std::array<std::array<double, 12>, 12>;

/** Differences of one kind: at each pixel p whose weight is not 0; all pixels that it is made of lie in the view. */
struct DifferenceWeights
{
  std::vector<DifferencePixel> pixels{};
  const double *               weights{ nullptr };
};

/** What is said of the pixels of a view, in raster order; null where there is nothing to say. With J_p = dL_p / d(A, b)
 * of pixel p: */
struct ContractionWeights
{
  /** the sum of scores x J; */
  const double * scores{ nullptr };
  /** the sum of weights x J J^T; */
  const double * weights{ nullptr };
  /** for each of them, the sum of its weights x D_p D_p^T, D_p = sum of factor x slope_q x J_q over the pixels q that
   * the difference at p is made of; */
  std::vector<DifferenceWeights> differences{};
  /** slopes of all pixels; null: 1. */
  const double * slopes{ nullptr };
};

/** One more sum of c x J, with c = amplitudes x columnFactors[column] x rowFactors[row]. */
struct CouplingWeights
{
  const double * amplitudes{ nullptr };
  /** Null: 1. */
  const double * columnFactors{ nullptr };
  /** Null: 1. */
  const double * rowFactors{ nullptr };
};

struct AffineContraction
{
  AffineVector              score{};
  AffineMatrix              information{};
  std::vector<AffineVector> couplings;
};

/** Contracts the gradients of a view's depths (DifferentiateRays) with weights of its pixels. The same bits for any
 * number of threads.
 *
 * \param view all its rays start in one point, or run along one vector
 * \param rays of all pixels, columns fastest; those of masked pixels are 0 */
RADIOGRAPHY_INTERNAL_EXPORT AffineContraction
ContractAffine(const SensitivityView &              view,
               const kernel::RaySensitivity *       rays,
               const ContractionWeights &           weights,
               const std::vector<CouplingWeights> & couplings,
               const ParallelFor &                  parallelFor);

/** The sums of scores x J within square blocks of blockSize^2 pixels; blocks in raster order, those at the right and
 * lower border perhaps smaller. */
RADIOGRAPHY_INTERNAL_EXPORT std::vector<AffineVector>
                            ContractAffineBlocks(const SensitivityView &        view,
                                                 const kernel::RaySensitivity * rays,
                                                 const double *                 scores,
                                                 std::int64_t                   blockSize,
                                                 const ParallelFor &            parallelFor);

} // namespace radiography::compute

#endif
