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
#ifndef radiography_compute_PoissonLikelihoodLauncher_h
#define radiography_compute_PoissonLikelihoodLauncher_h

#include "compute/InternalExport.h"
#include "compute/PixelGrid.h"
#include "kernel/PoissonLikelihood.h"

namespace radiography::compute
{

/** A part of the mean in counts: of each pixel where `pixels` is not null, else `number` for all. */
struct CountsTerm
{
  double                 number{ 0.0 };
  PixelView<const float> pixels{};
};

/** What is compared, in every pixel whose mask is not 0; without a mask in all. Depths are binary32 or binary64. */
template <typename TDepth>
struct PoissonImages
{
  PixelView<const TDepth>        depths{};
  CountsTerm                     openBeam{};
  CountsTerm                     scatter{};
  PixelView<const float>         observed{};
  PixelView<const unsigned char> mask{};
};

/** The mean is exposure n0 exp(-attenuationScale L) + s; the variance of the electronics shifts count and mean. */
struct PoissonModel
{
  double exposure{ 1.0 };
  double attenuationScale{ 1.0 };
  double electronicVariance{ 0.0 };
};

/** Per pixel, where not null: dl/dL and y^2 / lambda for the depths as given, 0 where masked. */
struct PoissonOutputs
{
  PixelView<double> score{};
  PixelView<double> information{};
};

/** Sums over the pixels that are compared. */
struct PoissonSums
{
  std::int64_t            pixels{ 0 };
  double                  halfDeviance{ 0.0 };
  double                  pearsonChiSquare{ 0.0 };
  double                  observed{ 0.0 };
  double                  primary{ 0.0 };
  kernel::PoissonNuisance nuisance{};

  RADIOGRAPHY_INTERNAL_EXPORT PoissonSums &
  operator+=(const PoissonSums & other);
};

/** What is wrong with a pixel. */
enum class PoissonFault
{
  /** a depth that is not finite */
  Depth,
  /** an open-beam count that is negative or not finite */
  OpenBeam,
  /** a scatter that is negative or not finite */
  Scatter,
  /** an observed count that is not finite, or negative beyond the electronic variance */
  Observed,
  /** an expected count that is negative or not finite */
  Expected,
  /** a count where none can be: n0 = s = 0 */
  Impossible,
  /** a mean or result that does not fit its number format */
  Range
};

/** Where, what, and the value that shows it. */
struct PoissonBadPixel
{
  std::int64_t column{ 0 };
  std::int64_t row{ 0 };
  std::int64_t slice{ 0 };
  PoissonFault fault{ PoissonFault::Depth };
  double       value{ 0.0 };
};

/** The first pixel in raster order that cannot be compared. Masked pixels are not looked at. */
template <typename TDepth>
std::optional<PoissonBadPixel>
FindFirstPoissonFault(const PixelGrid &             grid,
                      const PoissonImages<TDepth> & images,
                      const PoissonModel &          model,
                      const ParallelFor &           parallelFor);

/** The first pixel whose mean is too small for Pearson's residual or for a derivative for the scatter. */
template <typename TDepth>
std::optional<PoissonBadPixel>
FindFirstTinyMean(const PixelGrid &             grid,
                  const PoissonImages<TDepth> & images,
                  const PoissonModel &          model,
                  const ParallelFor &           parallelFor);

/** Fills the outputs and returns the sums, the same bits for any number of threads. Values are taken as they are: call
 * FindFirstPoissonFault() before. Pearson's chi-square and the scatter's derivatives are infinite where a mean is too
 * small for them. */
template <typename TDepth>
PoissonSums
EvaluatePoisson(const PixelGrid &             grid,
                const PoissonImages<TDepth> & images,
                const PoissonModel &          model,
                const PoissonOutputs &        outputs,
                const ParallelFor &           parallelFor);

} // namespace radiography::compute

#endif
