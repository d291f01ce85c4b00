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
#ifndef radiography_compute_PoissonStretch_h
#define radiography_compute_PoissonStretch_h

#include "compute/InternalExport.h"
#include "kernel/PoissonLikelihood.h"

#include <cstdint>

namespace radiography::compute
{

/** Neighbouring pixels of a row, of which the estimated scatter is linear between two nodes: (1 - b) left + b right. */
struct PoissonStretch
{
  std::int64_t length{ 0 };
  /** L. */
  const double * depths{ nullptr };
  /** N. */
  const double * observed{ nullptr };
  /** n0. */
  const double * openBeam{ nullptr };
  /** Counts that are known to come on top. */
  const double * background{ nullptr };
  /** 1 for pixels that are compared, else 0. */
  const double * inside{ nullptr };
  /** b; null: 0. */
  const double * rightWeights{ nullptr };
  double         left{ 0.0 };
  double         right{ 0.0 };
  /** exp(e). */
  double exposure{ 1.0 };
  /** a. */
  double attenuation{ 1.0 };

  double
  RightWeightOf(std::int64_t i) const
  {
    return rightWeights != nullptr ? rightWeights[i] : 0.0;
  }

  double
  ExtraOf(std::int64_t i) const
  {
    return background[i] + (left + this->RightWeightOf(i) * (right - left));
  }

  double
  PrimaryOf(std::int64_t i) const
  {
    return exposure * kernel::PrimaryMean(attenuation * depths[i], openBeam[i]);
  }
};

/** Which derivatives are added up. */
enum class PoissonDerivatives
{
  None,
  /** First and second derivatives. */
  Observed,
  /** First derivatives and the means of the second. */
  Fisher
};

/** Sums over a stretch: half the deviance, and its derivatives for e, a, and the scatter s at the left and right node.
 */
struct PoissonStretchSums
{
  double value{ 0.0 };
  double e{ 0.0 };
  double a{ 0.0 };
  double s[2]{};
  double ee{ 0.0 };
  double ea{ 0.0 };
  double aa{ 0.0 };
  double es[2]{};
  double as[2]{};
  /** left left, left right, right right */
  double ss[3]{};
};

/** Where what is said of pixels goes, 0 for those that are not compared; null if it is not asked for. With y the
 * primary and m the mean: */
struct PoissonPixelTerms
{
  /** d(value) / dL. */
  double * scores{ nullptr };
  /** Fisher information on L, a^2 y^2 / m. */
  double * weights{ nullptr };
  /** Coupling of L with the log exposure, - a y^2 / m; the attenuation scale, a L y^2 / m; and a count of scatter, - a
   * y / m. */
  double * exposure{ nullptr };
  double * attenuation{ nullptr };
  double * scatter{ nullptr };
  /** y and m. */
  double * primary{ nullptr };
  double * mean{ nullptr };

  /** The same from pixel `first` on. */
  PoissonPixelTerms
  From(std::int64_t first) const
  {
    const auto move = [first](double * values) { return values != nullptr ? values + first : nullptr; };
    return { move(scores), move(weights), move(exposure), move(attenuation), move(scatter), move(primary), move(mean) };
  }
};

/** \name One pixel: the reference of packets */
///@{
RADIOGRAPHY_INTERNAL_EXPORT void
AddPoissonPixel(const PoissonStretch & stretch,
                std::int64_t           i,
                PoissonDerivatives     derivatives,
                PoissonStretchSums &   sums);

RADIOGRAPHY_INTERNAL_EXPORT void
StorePoissonPixel(const PoissonStretch & stretch, std::int64_t i, const PoissonPixelTerms & terms);
///@}

/** \name All pixels of a stretch
 * In packets of binary64, but pixel by pixel if `inPackets` is false, and for packets with a pixel whose mean is near
 * the end of the range of binary64. Sums differ from those of the reference by rounding, and by 1e-15 of each pixel's
 * exponential and logarithm. */
///@{
RADIOGRAPHY_INTERNAL_EXPORT PoissonStretchSums
SumPoissonStretch(const PoissonStretch & stretch, PoissonDerivatives derivatives, bool inPackets);

RADIOGRAPHY_INTERNAL_EXPORT void
StorePoissonStretch(const PoissonStretch & stretch, const PoissonPixelTerms & terms, bool inPackets);
///@}

} // namespace radiography::compute

#endif
