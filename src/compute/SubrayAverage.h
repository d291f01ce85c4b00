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
#ifndef radiography_compute_SubrayAverage_h
#define radiography_compute_SubrayAverage_h

#include "compute/InternalExport.h"
#include "compute/PixelGrid.h"
#include "kernel/SubrayAverage.h"

#include <optional>
#include <vector>

namespace radiography::compute
{

/** What is wrong with the weights of sub-rays: one that is negative or not finite, or their sum. */
struct WeightFault
{
  /** The first bad weight; nothing where the sum is not one. */
  std::optional<int> subray;
  /** That weight, or the sum. */
  double value{ 0.0 };
};

/** Weights must be finite, non-negative and sum to one, within the rounding of as many additions. */
RADIOGRAPHY_INTERNAL_EXPORT std::optional<WeightFault>
                            FindWeightFault(const std::vector<double> & weights);

/** side x side weights that are all the same. */
RADIOGRAPHY_INTERNAL_EXPORT std::vector<double>
                            EqualSubrayWeights(int side);

/** Some sub-rays seen as one: T = mean of exp(-L), and the depth -ln T, which is finite even where T underflows. */
struct AveragedTransmission
{
  double depth{ 0.0 };
  double transmission{ 1.0 };
};

/** Averages the transmissions of `count` sub-rays.
 * \throws std::invalid_argument for no sub-rays, and for weights that are negative, not finite or do not sum to one. */
RADIOGRAPHY_INTERNAL_EXPORT AveragedTransmission
AverageTransmission(int count, const float * depths, const double * weights);

/** Its adjoint for the transmission: L_i' = -w_i T' exp(-L_i), in binary64 from the original depths, rounded once.
 * \throws std::invalid_argument as AverageTransmission() and for a T' that is not finite; std::range_error, before
 * anything is written, for an L_i' that binary32 cannot hold. */
RADIOGRAPHY_INTERNAL_EXPORT void
AverageTransmissionAdjoint(int            count,
                           const float *  depths,
                           const double * weights,
                           double         transmissionCotangent,
                           float *        depthCotangents);

/** The sub-rays that the pixels of a grid have in one view. */
struct SubrayBlocks
{
  /** Sub-rays along each side of a pixel. */
  int side{ 1 };
  /** Of the sub-rays of a pixel, columns fastest; side x side of them, without a WeightFault. */
  std::vector<double> weights{ 1.0 };
  /** Views the fine grid: `side` times as many columns and rows, the same slices. */
  PixelView<const float> depths{};
};

/** The effective depth of each pixel of `grid` from its block of sub-rays. */
RADIOGRAPHY_INTERNAL_EXPORT void
AverageSubrays(const PixelGrid &        grid,
               const SubrayBlocks &     subrays,
               const PixelView<float> & effectiveDepths,
               const ParallelFor &      parallelFor);

/** Its adjoint: from the cotangent of each effective depth to those of its sub-rays' depths, on the fine grid.
 *
 * Evaluated in binary64 from the original depths and rounded once. Finite cotangents give finite ones: a sub-ray's
 * share is at most one. */
RADIOGRAPHY_INTERNAL_EXPORT void
AverageSubraysAdjoint(const PixelGrid &              grid,
                      const SubrayBlocks &           subrays,
                      const PixelView<const float> & effectiveCotangents,
                      const PixelView<float> &       depthCotangents,
                      const ParallelFor &            parallelFor);

/** One average per pixel of a grid, in raster order, over views that are added one after another. */
using ViewAverages = std::vector<kernel::DepthAverage>;

/** Adds the sub-rays of one view, which has `viewWeight` of the photons. Views must come in the same order always. */
RADIOGRAPHY_INTERNAL_EXPORT void
AddViewOfSubrays(const PixelGrid &    grid,
                 const SubrayBlocks & subrays,
                 double               viewWeight,
                 ViewAverages &       averages,
                 const ParallelFor &  parallelFor);

/** The effective depths, once all views are added and their weights sum to one. */
RADIOGRAPHY_INTERNAL_EXPORT void
FinishViews(const PixelGrid &        grid,
            const ViewAverages &     averages,
            const PixelView<float> & effectiveDepths,
            const ParallelFor &      parallelFor);

/** The adjoint for the sub-rays of one view among those that `averages` was made of. */
RADIOGRAPHY_INTERNAL_EXPORT void
ViewOfSubraysAdjoint(const PixelGrid &              grid,
                     const SubrayBlocks &           subrays,
                     double                         viewWeight,
                     const ViewAverages &           averages,
                     const PixelView<const float> & effectiveCotangents,
                     const PixelView<float> &       depthCotangents,
                     const ParallelFor &            parallelFor);

} // namespace radiography::compute

#endif
