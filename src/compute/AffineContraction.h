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

/** What is said of the pixels of a view, in raster order; null where there is nothing to say. With J_p = dL_p / d(A, b)
 * of pixel p: */
struct ContractionWeights
{
  /** the sum of scores x J; */
  const double * scores{ nullptr };
  /** the sum of weights x J J^T; */
  const double * weights{ nullptr };
  /** the sum of columnWeights x (J_q - J_p) (J_q - J_p)^T, q = p's neighbour in the next column, 0 in the last column;
   */
  const double * columnWeights{ nullptr };
  /** the same for the neighbour in the next row, 0 in the last row. */
  const double * rowWeights{ nullptr };
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
