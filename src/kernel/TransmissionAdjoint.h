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
#ifndef radiography_kernel_TransmissionAdjoint_h
#define radiography_kernel_TransmissionAdjoint_h

#include "kernel/HostDevice.h"

#include <cmath>

/** Vector-Jacobian products of TransmissionLaw.h. Every product is formed in binary64 from binary32 factors: with
 * |cotangent| and n0 below 2^128, what binary32 can hold needs exp(-L) no smaller than 2^-149-256, and binary64 has it
 * down to 2^-1022. Large weights of an underflowed transmission survive. */
namespace radiography::kernel
{

/** Weights of the four outputs of the law at one pixel; zero for an output that has none. */
struct TransmissionCotangents
{
  double transmission{ 0.0 };
  double counts{ 0.0 };
  double logTransmission{ 0.0 };
  double removed{ 0.0 };
};

/** L' = (r' - T') exp(-L) - lambda' n0 exp(-L) - l', given T = exp(-L) of the original depth in binary64. */
RADIOGRAPHY_HD inline double
DepthCotangent(double transmission, double openBeamCounts, const TransmissionCotangents & weights)
{
  const double fractions = (weights.removed - weights.transmission) * transmission;
  const double counts = weights.counts * openBeamCounts * transmission;
  return fractions - counts - weights.logTransmission;
}

/** No |L'| of a depth that is not negative exceeds this, nor does its rounding error exceed 6 u times this. */
RADIOGRAPHY_HD inline double
DepthCotangentBound(double openBeamCounts, const TransmissionCotangents & weights)
{
  const double fractions = std::fabs(weights.removed) + std::fabs(weights.transmission);
  return fractions + std::fabs(weights.counts * openBeamCounts) + std::fabs(weights.logTransmission);
}

/** n0' = lambda' exp(-L), never counts / n0: n0 = 0 is valid. */
RADIOGRAPHY_HD inline double
OpenBeamCotangent(double transmission, double countsCotangent)
{
  return countsCotangent * transmission;
}

/** The inverse of 1 - exp(-L): L = -log1p(-delta), 0 <= delta < 1. Subtracted from +0, so no decrement is +0. */
RADIOGRAPHY_HD inline double
OpticalDepth(double decrement)
{
  return 0.0 - std::log1p(-decrement);
}

/** delta' = L' / (1 - delta), of the original delta. */
RADIOGRAPHY_HD inline double
DecrementCotangent(double decrement, double depthCotangent)
{
  return depthCotangent / (1.0 - decrement);
}

} // namespace radiography::kernel

#endif
