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
#ifndef AdjointReference_h
#define AdjointReference_h

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>

/** Vector-Jacobian products written out in long double, and the bounds that results are held to. Never calls the code
 * under test. */
namespace reference
{

using Real = long double;

/** A sum and the sum of the magnitudes of its terms, of which cancellation leaves nothing to see in the sum. */
struct Terms
{
  Real sum{ 0 };
  Real magnitude{ 0 };

  void
  Add(Real term)
  {
    sum += term;
    magnitude += std::abs(term);
  }
};

/** What belongs to one pixel. */
struct Pixel
{
  Real depth{ 0 };
  Real openBeam{ 0 };
  Real transmissionWeight{ 0 };
  Real countsWeight{ 0 };
  Real logWeight{ 0 };
  Real removedWeight{ 0 };
};

inline Terms
DepthCotangent(const Pixel & pixel)
{
  const Real factor = std::exp(-pixel.depth);
  Terms      terms;
  terms.Add(pixel.removedWeight * factor);
  terms.Add(-pixel.transmissionWeight * factor);
  terms.Add(-pixel.countsWeight * pixel.openBeam * factor);
  terms.Add(-pixel.logWeight);
  return terms;
}

inline Terms
OpenBeamCotangent(const Pixel & pixel)
{
  Terms terms;
  terms.Add(pixel.countsWeight * std::exp(-pixel.depth));
  return terms;
}

/** The rounding to binary32, subnormals included, and `roundings` units of binary64 of the sum of magnitudes. */
inline Real
Bound(const Terms & terms, Real roundings)
{
  const Real storage = std::abs(terms.sum) * std::ldexp(1.0L, -24) + std::ldexp(1.0L, -150);
  return storage * (1.0L + 1e-9L) + roundings * std::ldexp(1.0L, -53) * terms.magnitude;
}

/** Twelve of exp(-L), whose error is below 2^-49.5; three products, three sums and the accumulation. */
constexpr Real PixelRoundings = 20;

/** Those of a pixel's term, of a run of 256 and of the levels of the tree. */
inline Real
SumRoundings(std::size_t pixels)
{
  const std::size_t runs = (pixels + 255) / 256;
  return PixelRoundings + 256 + std::ceil(std::log2(static_cast<Real>(runs == 0 ? 1 : runs)));
}

inline void
ExpectWithin(float got, const Terms & terms, Real roundings)
{
  EXPECT_LE(std::abs(static_cast<Real>(got) - terms.sum), Bound(terms, roundings))
    << "got " << got << " for " << terms.sum << ", magnitudes " << terms.magnitude;
}

} // namespace reference

#endif
