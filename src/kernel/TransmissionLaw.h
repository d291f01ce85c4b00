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

/** -ln(sum of w_i exp(-L_i)) for weights that are non-negative and sum to one; depthOf(i) and weightOf(i) give them.
 *
 * Log-sum-exp anchored at the least depth of positive weight, L_0:
 * L_0 - log1p(sum of w_i expm1(L_0 - L_i)). No term overflows, depths of any size survive, and equal depths come back
 * exactly because every term of the sum is then zero. */
template <typename DepthOf, typename WeightOf>
RADIOGRAPHY_HD double
EffectiveDepth(int count, const DepthOf & depthOf, const WeightOf & weightOf)
{
  double least = HUGE_VAL;
  for (int i = 0; i < count; ++i)
  {
    const double depth = depthOf(i);
    least = (weightOf(i) > 0.0 && depth < least) ? depth : least;
  }
  double sum = 0.0;
  for (int i = 0; i < count; ++i)
  {
    const double weight = weightOf(i);
    sum += weight > 0.0 ? weight * std::expm1(least - depthOf(i)) : 0.0;
  }
  return least - std::log1p(sum);
}

} // namespace radiography::kernel

#endif
