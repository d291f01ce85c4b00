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
#ifndef radiography_kernel_TransmissionLaw_h
#define radiography_kernel_TransmissionLaw_h

#include "kernel/HostDevice.h"

#include <cmath>

namespace radiography::kernel
{

/** T = exp(-L), the surviving primary fraction. */
RADIOGRAPHY_HD inline double
Transmission(double depth)
{
  return std::exp(-depth);
}

/** lambda = n0 T, from the binary64 T of Transmission(): a T rounded to binary32 would spoil it. Zero counts are +0. */
RADIOGRAPHY_HD inline double
ExpectedCounts(double openBeamCounts, double transmission)
{
  return openBeamCounts * transmission + 0.0;
}

/** log T = -L, exactly, the sign of zero included. */
RADIOGRAPHY_HD inline double
LogTransmission(double depth)
{
  return -depth;
}

/** 1 - T, without the cancellation of that difference at small depths. Subtracted from +0, so zero removed is +0. */
RADIOGRAPHY_HD inline double
RemovedFraction(double depth)
{
  return 0.0 - std::expm1(-depth);
}

/** The least depth of positive weight, L_0: the anchor of the sums below. */
template <typename DepthOf, typename WeightOf>
RADIOGRAPHY_HD double
LeastDepth(int count, const DepthOf & depthOf, const WeightOf & weightOf)
{
  double least = HUGE_VAL;
  for (int i = 0; i < count; ++i)
  {
    const double depth = depthOf(i);
    least = (weightOf(i) > 0.0 && depth < least) ? depth : least;
  }
  return least;
}

/** The sum of w_i exp(L_0 - L_i): the mean transmission relative to that of depth L_0. No term exceeds its weight. */
template <typename DepthOf, typename WeightOf>
RADIOGRAPHY_HD double
RelativeTransmission(int count, double least, const DepthOf & depthOf, const WeightOf & weightOf)
{
  double sum = 0.0;
  for (int i = 0; i < count; ++i)
  {
    const double weight = weightOf(i);
    sum += weight > 0.0 ? weight * std::exp(least - depthOf(i)) : 0.0;
  }
  return sum;
}

/** Below this mean transmission relative to the least depth's, 1 + sum of w_i expm1(L_0 - L_i) has lost too many
 * digits. Equal weights of up to 1024 x 1024 sub-rays never go below it. */
constexpr double LeastRelativeTransmission = 1.0 / (1 << 21);

/** -ln(sum of w_i exp(-L_i)) for weights that are non-negative and sum to one; depthOf(i) and weightOf(i) give them.
 *
 * Log-sum-exp anchored at the least depth of positive weight, L_0:
 * L_0 - log1p(sum of w_i expm1(L_0 - L_i)). No term overflows, depths of any size survive, and equal depths come back
 * exactly because every term of the sum is then zero. Where the least depth has hardly any weight, the sum comes close
 * to -1 and its terms are added up as exponentials instead, all of one sign. */
template <typename DepthOf, typename WeightOf>
RADIOGRAPHY_HD double
EffectiveDepth(int count, const DepthOf & depthOf, const WeightOf & weightOf)
{
  const double least = LeastDepth(count, depthOf, weightOf);
  double       sum = 0.0;
  for (int i = 0; i < count; ++i)
  {
    const double weight = weightOf(i);
    sum += weight > 0.0 ? weight * std::expm1(least - depthOf(i)) : 0.0;
  }
  return 1.0 + sum < LeastRelativeTransmission ? least - std::log(RelativeTransmission(count, least, depthOf, weightOf))
                                               : least - std::log1p(sum);
}

} // namespace radiography::kernel

#endif
