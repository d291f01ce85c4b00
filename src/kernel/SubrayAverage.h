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
#ifndef radiography_kernel_SubrayAverage_h
#define radiography_kernel_SubrayAverage_h

#include "kernel/TransmissionLaw.h"

namespace radiography::kernel
{

/** An average of transmissions to which depths are added one after another, for views that are not all in memory.
 *
 * The transmission is exp(-least) (weight + excess), with `excess` the sum of w_i expm1(least - L_i) and `relative` the
 * sum of w_i exp(least - L_i), as in EffectiveDepth(); `weight` is the sum of the weights so far. */
struct DepthAverage
{
  double weight{ 0.0 };
  double least{ HUGE_VAL };
  double excess{ 0.0 };
  double relative{ 0.0 };
};

/** Adds one depth. A new least depth L moves the anchor by c = L - least, by
 * expm1(L - L_i) = exp(c) expm1(least - L_i) + expm1(c). */
RADIOGRAPHY_HD inline void
AddDepth(DepthAverage & average, double depth, double weight)
{
  if (!(weight > 0.0))
  {
    return;
  }
  if (depth < average.least)
  {
    if (average.weight > 0.0)
    {
      const double change = depth - average.least;
      const double factor = std::exp(change);
      average.excess = factor * average.excess + average.weight * std::expm1(change);
      average.relative *= factor;
    }
    average.least = depth;
  }
  average.excess += weight * std::expm1(average.least - depth);
  average.relative += weight * std::exp(average.least - depth);
  average.weight += weight;
}

/** -ln of the average, once the weights sum to one. */
RADIOGRAPHY_HD inline double
EffectiveDepth(const DepthAverage & average)
{
  return 1.0 + average.excess < LeastRelativeTransmission ? average.least - std::log(average.relative)
                                                          : average.least - std::log1p(average.excess);
}

/** The derivative of the effective depth by the depth of one that was added with `weight`: its share of the photons. */
RADIOGRAPHY_HD inline double
ShareOfPhotons(const DepthAverage & average, double depth, double weight)
{
  return weight * std::exp(average.least - depth) / average.relative;
}

/** Calls setCotangent(i, L_i') with L_i' = L' w_i exp(L - L_i) for L the effective depth and L' its cotangent.
 *
 * w_i exp(L - L_i) is formed as w_i exp(L_0 - L_i) / sum of w_j exp(L_0 - L_j), which neither overflows nor cancels for
 * any weights. The shares lie between 0 and 1, so no cotangent exceeds L'. */
template <typename DepthOf, typename WeightOf, typename SetCotangent>
RADIOGRAPHY_HD void
EffectiveDepthAdjoint(int                  count,
                      const DepthOf &      depthOf,
                      const WeightOf &     weightOf,
                      double               effectiveCotangent,
                      const SetCotangent & setCotangent)
{
  const double least = LeastDepth(count, depthOf, weightOf);
  const double relative = RelativeTransmission(count, least, depthOf, weightOf);
  for (int i = 0; i < count; ++i)
  {
    const double weight = weightOf(i);
    const double share = weight > 0.0 ? weight * std::exp(least - depthOf(i)) / relative : 0.0;
    setCotangent(i, effectiveCotangent * share);
  }
}

/** L_i' = -w_i T' exp(-L_i): from the cotangent of a mean transmission to that of one sub-ray's depth. */
RADIOGRAPHY_HD inline double
MeanTransmissionAdjoint(double depth, double weight, double transmissionCotangent)
{
  return -weight * (transmissionCotangent * std::exp(-depth));
}

} // namespace radiography::kernel

#endif
