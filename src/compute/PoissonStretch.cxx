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
#include "compute/PoissonStretch.h"

#include "compute/PoissonPackets.h"

namespace radiography::compute
{

namespace
{

/** Derivatives of a pixel's half-deviance: `primary` with respect to a relative change of y, `counts` with respect to
 * the mean; and the second ones. */
struct PixelDerivatives
{
  double primary;
  double counts;
  double primaryPrimary;
  double primaryCounts;
  double countsCounts;
};

PixelDerivatives
Differentiate(double observed, double primary, double extra, PoissonDerivatives derivatives)
{
  const double mean = primary + extra;
  const double first = -kernel::PoissonScore(observed, primary, extra);
  const double counts = observed == 0.0 ? 1.0 : (mean - observed) / mean;
  if (derivatives == PoissonDerivatives::Fisher)
  {
    return {
      first, counts, kernel::PoissonInformation(primary, extra), extra == 0.0 ? 1.0 : primary / mean, 1.0 / mean
    };
  }
  const double ratio = observed == 0.0 ? 0.0 : observed / mean;
  const double inverse = ratio == 0.0 ? 0.0 : ratio / mean;
  return { first, counts, kernel::PoissonCurvature(observed, primary, extra), primary * inverse, inverse };
}

void
AddDerivatives(const PixelDerivatives & pixel, double depth, double b, PoissonStretchSums & sums)
{
  const double weights[2] = { 1.0 - b, b };
  sums.e += pixel.primary;
  sums.a -= depth * pixel.primary;
  sums.ee += pixel.primaryPrimary;
  sums.ea -= depth * pixel.primaryPrimary;
  sums.aa += depth * (depth * pixel.primaryPrimary);
  for (int i = 0; i < 2; ++i)
  {
    sums.s[i] += weights[i] * pixel.counts;
    sums.es[i] += weights[i] * pixel.primaryCounts;
    sums.as[i] -= depth * (weights[i] * pixel.primaryCounts);
    sums.ss[2 * i] += weights[i] * (weights[i] * pixel.countsCounts);
  }
  sums.ss[1] += weights[0] * (weights[1] * pixel.countsCounts);
}

} // namespace

void
AddPoissonPixel(const PoissonStretch & stretch,
                std::int64_t           i,
                PoissonDerivatives     derivatives,
                PoissonStretchSums &   sums)
{
  if (stretch.inside[i] == 0.0)
  {
    return;
  }
  const double observed = stretch.observed[i];
  const double depth = stretch.depths[i];
  const double extra = stretch.ExtraOf(i);
  const double primary = stretch.PrimaryOf(i);
  sums.value += kernel::PoissonHalfDeviance(
    { observed, stretch.attenuation * depth, stretch.exposure * stretch.openBeam[i], extra }, primary);
  if (derivatives != PoissonDerivatives::None)
  {
    AddDerivatives(Differentiate(observed, primary, extra, derivatives), depth, stretch.RightWeightOf(i), sums);
  }
}

void
StorePoissonPixel(const PoissonStretch & stretch, std::int64_t i, const PoissonPixelTerms & terms)
{
  const bool   isInside = stretch.inside[i] != 0.0;
  const double a = stretch.attenuation;
  const double depth = stretch.depths[i];
  const double extra = stretch.ExtraOf(i);
  const double primary = stretch.PrimaryOf(i);
  const double information = kernel::PoissonInformation(primary, extra);
  const auto   put = [i, isInside](double * to, double value) {
    if (to != nullptr)
    {
      to[i] = isInside ? value : 0.0;
    }
  };
  put(terms.scores, a * kernel::PoissonScore(stretch.observed[i], primary, extra));
  put(terms.weights, a * (a * information));
  put(terms.exposure, -a * information);
  put(terms.attenuation, a * (depth * information));
  put(terms.scatter, -a * (extra == 0.0 ? 1.0 : primary / (primary + extra)));
  put(terms.primary, primary);
  put(terms.mean, primary + extra);
}

PoissonStretchSums
SumPoissonStretch(const PoissonStretch & stretch, PoissonDerivatives derivatives, bool inPackets)
{
  if (inPackets)
  {
    return SumPoissonPackets(stretch, derivatives);
  }
  PoissonStretchSums sums;
  for (std::int64_t i = 0; i < stretch.length; ++i)
  {
    AddPoissonPixel(stretch, i, derivatives, sums);
  }
  return sums;
}

void
StorePoissonStretch(const PoissonStretch & stretch, const PoissonPixelTerms & terms, bool inPackets)
{
  if (inPackets)
  {
    StorePoissonPackets(stretch, terms);
    return;
  }
  for (std::int64_t i = 0; i < stretch.length; ++i)
  {
    StorePoissonPixel(stretch, i, terms);
  }
}

} // namespace radiography::compute
