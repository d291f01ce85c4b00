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
#ifndef MpfrOracle_h
#define MpfrOracle_h

#include <mpfr.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>

/** The transmission law and its inverse from MPFR, correctly rounded to binary32, and distances in units in the last
 * place. It never calls the code under test. */
namespace oracle
{

/** A number of stated precision in bits that frees itself. */
class BigFloat
{
public:
  explicit BigFloat(mpfr_prec_t bits)
  {
    mpfr_init2(m_Value, bits);
  }
  ~BigFloat()
  {
    mpfr_clear(m_Value);
  }
  BigFloat(const BigFloat &) = delete;
  BigFloat &
  operator=(const BigFloat &) = delete;

  operator mpfr_ptr()
  {
    return m_Value;
  }

private:
  mpfr_t m_Value;
};

/** n0 exp(-L), evaluated at `bits` and rounded to binary32, subnormals included. */
inline float
CountsAt(mpfr_prec_t bits, float depth, float openBeam)
{
  BigFloat value(bits);
  mpfr_set_flt(value, depth, MPFR_RNDN);
  mpfr_neg(value, value, MPFR_RNDN);
  mpfr_exp(value, value, MPFR_RNDN);
  BigFloat factor(bits);
  mpfr_set_flt(factor, openBeam, MPFR_RNDN);
  mpfr_mul(value, value, factor, MPFR_RNDN);
  return mpfr_get_flt(value, MPFR_RNDN);
}

inline float
RemovedAt(mpfr_prec_t bits, float depth)
{
  BigFloat value(bits);
  mpfr_set_flt(value, depth, MPFR_RNDN);
  mpfr_neg(value, value, MPFR_RNDN);
  mpfr_expm1(value, value, MPFR_RNDN);
  mpfr_neg(value, value, MPFR_RNDN);
  return mpfr_get_flt(value, MPFR_RNDN);
}

/** -ln(1 - delta), the inverse of RemovedAt(). */
inline float
OpticalDepthAt(mpfr_prec_t bits, float decrement)
{
  BigFloat value(bits);
  mpfr_set_flt(value, decrement, MPFR_RNDN);
  mpfr_neg(value, value, MPFR_RNDN);
  mpfr_log1p(value, value, MPFR_RNDN);
  mpfr_neg(value, value, MPFR_RNDN);
  return mpfr_get_flt(value, MPFR_RNDN);
}

/** Evaluates at 256 bits and again at 512, which must not change the rounded result. */
template <typename TAtPrecision>
float
Settled(const TAtPrecision & atPrecision)
{
  const float value = atPrecision(256);
  if (value != atPrecision(512))
  {
    throw std::logic_error("the oracle has not settled at 256 bits");
  }
  return value;
}

inline float
Counts(float depth, float openBeam)
{
  return Settled([=](mpfr_prec_t bits) { return CountsAt(bits, depth, openBeam); });
}

inline float
Transmission(float depth)
{
  return Counts(depth, 1.0f);
}

inline float
Removed(float depth)
{
  return Settled([=](mpfr_prec_t bits) { return RemovedAt(bits, depth); });
}

inline float
OpticalDepth(float decrement)
{
  return Settled([=](mpfr_prec_t bits) { return OpticalDepthAt(bits, decrement); });
}

inline std::uint32_t
Bits(float value)
{
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline float
FromBits(std::uint32_t bits)
{
  float value = 0.0f;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/** Numbers of the number line, -0 and 0 being one: neighbours have neighbouring ordinals. */
inline std::int64_t
Ordinal(float value)
{
  const std::int64_t bits = Bits(value);
  const std::int64_t sign = 0x80000000;
  return bits < sign ? bits : sign - bits;
}

/** Distance between numbers, counted in representable numbers. */
inline std::int64_t
UlpDistance(float a, float b)
{
  const std::int64_t difference = Ordinal(a) - Ordinal(b);
  return difference < 0 ? -difference : difference;
}

/** Between zero and the least normal number. There an ulp is no longer relative to the value, and the law's budget is
 * one ulp whatever that of normal results is. */
inline bool
IsSubnormal(float value)
{
  return (Bits(value) & 0x7f800000u) == 0 && (Bits(value) & 0x007fffffu) != 0;
}

} // namespace oracle

#endif
