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
#ifndef FastOracle_h
#define FastOracle_h

#include "MpfrOracle.h"

#include <cmath>
#include <limits>

/** The law in long double, for sweeps over very many depths: correctly rounded to binary32, because what is too close
 * to a tie for long double to decide goes to MPFR. It never calls the code under test, which is all in binary64. */
namespace oracle
{

/** Where long double is no wider than binary64, everything goes to MPFR. */
constexpr bool HasExtendedPrecision = std::numeric_limits<long double>::digits >= 64;

/** Whether all numbers within 2^-52 of the value, relatively, round to the same binary32. The C library's functions and
 * one product are good to 2^-60. */
inline bool
RoundsSafely(long double value)
{
  const long double margin = value * 0x1p-52L;
  return HasExtendedPrecision && Bits(static_cast<float>(value - margin)) == Bits(static_cast<float>(value + margin));
}

/** The law at one depth. */
class FastLaw
{
public:
  explicit FastLaw(float depth)
    : m_Depth(depth)
    , m_Transmission(std::exp(-static_cast<long double>(depth)))
  {}

  float
  Counts(float openBeam) const
  {
    const long double counts = m_Transmission * openBeam;
    return RoundsSafely(counts) ? static_cast<float>(counts) : oracle::Counts(m_Depth, openBeam);
  }

  float
  Transmission() const
  {
    return this->Counts(1.0f);
  }

  float
  Removed() const
  {
    const long double removed = 0.0L - std::expm1(-static_cast<long double>(m_Depth));
    return RoundsSafely(removed) ? static_cast<float>(removed) : oracle::Removed(m_Depth);
  }

private:
  float       m_Depth;
  long double m_Transmission;
};

inline float
FastOpticalDepth(float decrement)
{
  const long double depth = 0.0L - std::log1p(-static_cast<long double>(decrement));
  return RoundsSafely(depth) ? static_cast<float>(depth) : OpticalDepth(decrement);
}

} // namespace oracle

#endif
