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

namespace radiography::compute
{

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

/** The effective depth of each pixel of `grid` from its block of subraysPerSide x subraysPerSide depths, equal weights.
 * `depths` views the fine grid: subraysPerSide times as many columns and rows, the same slices. */
RADIOGRAPHY_INTERNAL_EXPORT void
AverageSubrays(const PixelGrid &              grid,
               int                            subraysPerSide,
               const PixelView<const float> & depths,
               const PixelView<float> &       effectiveDepths,
               const ParallelFor &            parallelFor);

} // namespace radiography::compute

#endif
