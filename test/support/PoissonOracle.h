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
#ifndef PoissonOracle_h
#define PoissonOracle_h

#include <mpfr.h>

#include <stdexcept>

/** The Poisson likelihood from MPFR, rounded to binary64 once. It never calls the code under test. */
namespace oracle
{

/** A number of MPFR's default precision, with arithmetic. */
class Real
{
public:
  Real(double value = 0.0)
  {
    mpfr_init_set_d(m_Value, value, MPFR_RNDN);
  }
  Real(const Real & other)
  {
    mpfr_init_set(m_Value, other.m_Value, MPFR_RNDN);
  }
  ~Real()
  {
    mpfr_clear(m_Value);
  }
  Real &
  operator=(const Real & other)
  {
    mpfr_set(m_Value, other.m_Value, MPFR_RNDN);
    return *this;
  }

  double
  ToDouble() const
  {
    return mpfr_get_d(m_Value, MPFR_RNDN);
  }
  bool
  IsZero() const
  {
    return mpfr_zero_p(m_Value) != 0;
  }

  friend Real
  operator+(const Real & a, const Real & b)
  {
    return Apply(mpfr_add, a, b);
  }
  friend Real
  operator-(const Real & a, const Real & b)
  {
    return Apply(mpfr_sub, a, b);
  }
  friend Real
  operator*(const Real & a, const Real & b)
  {
    return Apply(mpfr_mul, a, b);
  }
  friend Real
  operator/(const Real & a, const Real & b)
  {
    return Apply(mpfr_div, a, b);
  }
  friend Real
  Exp(const Real & a)
  {
    return Apply(mpfr_exp, a);
  }
  friend Real
  Log(const Real & a)
  {
    return Apply(mpfr_log, a);
  }
  friend Real
  Sqrt(const Real & a)
  {
    return Apply(mpfr_sqrt, a);
  }
  /** ln Gamma(a), for a > 0. */
  friend Real
  LogGamma(const Real & a)
  {
    return Apply(mpfr_lngamma, a);
  }

private:
  using Unary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  using Binary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

  static Real
  Apply(Unary function, const Real & a)
  {
    Real result;
    function(result.m_Value, a.m_Value, MPFR_RNDN);
    return result;
  }
  static Real
  Apply(Binary function, const Real & a, const Real & b)
  {
    Real result;
    function(result.m_Value, a.m_Value, b.m_Value, MPFR_RNDN);
    return result;
  }

  mpfr_t m_Value;
};

/** evaluate() at 256 bits and again at 512, which must not change the rounded result. */
template <typename TEvaluate>
double
SettledDouble(const TEvaluate & evaluate)
{
  mpfr_set_default_prec(256);
  const double value = evaluate().ToDouble();
  mpfr_set_default_prec(512);
  if (value != evaluate().ToDouble())
  {
    throw std::logic_error("the oracle has not settled at 256 bits");
  }
  return value;
}

inline Real
PoissonMean(double depth, double openBeam, double scatter)
{
  return Real(openBeam) * Exp(Real() - Real(depth)) + Real(scatter);
}

/** N ln(N / lambda) + lambda - N. */
inline Real
HalfDeviance(double observed, const Real & mean)
{
  const Real n(observed);
  return n.IsZero() ? mean : n * Log(n / mean) + mean - n;
}

/** lambda - N ln lambda. */
inline Real
NegativeLogLikelihood(double observed, const Real & mean)
{
  return observed == 0.0 ? mean : mean - Real(observed) * Log(mean);
}

/** -ln P(N; lambda). */
inline Real
NegativeLogProbability(double observed, const Real & mean)
{
  return NegativeLogLikelihood(observed, mean) + LogGamma(Real(observed) + Real(1.0));
}

} // namespace oracle

#endif
