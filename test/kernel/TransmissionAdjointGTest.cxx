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
#include "AdjointReference.h"

#include "kernel/TransmissionAdjoint.h"
#include "kernel/TransmissionLaw.h"

#include <cfloat>
#include <random>

using namespace radiography;
using reference::Real;

namespace
{

double
DepthCotangentOf(const reference::Pixel & pixel)
{
  return kernel::DepthCotangent(kernel::Transmission(static_cast<double>(pixel.depth)),
                                static_cast<double>(pixel.openBeam),
                                { static_cast<double>(pixel.transmissionWeight),
                                  static_cast<double>(pixel.countsWeight),
                                  static_cast<double>(pixel.logWeight),
                                  static_cast<double>(pixel.removedWeight) });
}

double
OpenBeamCotangentOf(const reference::Pixel & pixel)
{
  return kernel::OpenBeamCotangent(kernel::Transmission(static_cast<double>(pixel.depth)),
                                   static_cast<double>(pixel.countsWeight));
}

void
ExpectWithinDoubleBound(double got, const reference::Terms & terms)
{
  const Real bound = 6.0L * std::ldexp(1.0L, -53) * terms.magnitude + std::ldexp(1.0L, -1074);
  EXPECT_LE(std::abs(got - terms.sum), bound) << "got " << got << " for " << terms.sum;
}

} // namespace

TEST(TransmissionAdjoint, JacobianAndItsTransposeGiveTheSameProduct)
{
  const unsigned int                     seed = 20;
  std::mt19937_64                        engine(seed);
  std::normal_distribution<double>       normal;
  std::uniform_real_distribution<double> depth(0.0, 12.0);
  Real                                   forward = 0;
  Real                                   reverse = 0;
  Real                                   magnitude = 0;
  for (int i = 0; i < 2000; ++i)
  {
    const reference::Pixel pixel{ depth(engine),  std::abs(1e4 * normal(engine)), 1e3 * normal(engine),
                                  normal(engine), 100.0 * normal(engine),         1e3 * normal(engine) };
    const Real             depthStep = normal(engine);
    const Real             beamStep = 100.0 * normal(engine);
    // The directional derivatives of T, lambda, log T and 1 - T, times the weights.
    const Real factor = std::exp(-pixel.depth);
    const Real products[4] = { pixel.transmissionWeight * (-factor * depthStep),
                               pixel.countsWeight * (factor * beamStep - pixel.openBeam * factor * depthStep),
                               pixel.logWeight * -depthStep,
                               pixel.removedWeight * (factor * depthStep) };
    for (const Real product : products)
    {
      forward += product;
      magnitude += std::abs(product);
    }
    reverse += DepthCotangentOf(pixel) * depthStep + OpenBeamCotangentOf(pixel) * beamStep;
  }
  EXPECT_LE(std::abs(forward - reverse), 1e-12L * magnitude) << "seed " << seed;
  EXPECT_GT(std::abs(forward), 1e-6L * magnitude) << "a product that vanishes compares nothing";
}

// |cotangent| and n0 up to the largest binary32, at every depth where a product can still reach a binary32.
TEST(TransmissionAdjoint, Binary64ReachesBelowAnythingThatBinary32CanHold)
{
  const Real largest = FLT_MAX;
  const Real smallest = std::ldexp(1.0L, -149);
  bool       reachedTheEnd = false;
  for (double depth = 0.0; depth < 320.0; depth += 0.37)
  {
    SCOPED_TRACE(depth);
    reference::Pixel pixel{ depth, largest, largest, 0, 0, -largest };
    ExpectWithinDoubleBound(DepthCotangentOf(pixel), reference::DepthCotangent(pixel));
    pixel = { depth, largest, 0, largest, 0, 0 };
    ExpectWithinDoubleBound(DepthCotangentOf(pixel), reference::DepthCotangent(pixel));
    ExpectWithinDoubleBound(OpenBeamCotangentOf(pixel), reference::OpenBeamCotangent(pixel));
    pixel = { depth, smallest, 0, smallest, 0, 0 };
    ExpectWithinDoubleBound(DepthCotangentOf(pixel), reference::DepthCotangent(pixel));
    reachedTheEnd |= largest * largest * std::exp(-static_cast<Real>(depth)) < smallest / 2;
    EXPECT_GT(kernel::Transmission(depth), DBL_MIN) << "exp(-L) itself has not underflowed";
  }
  EXPECT_TRUE(reachedTheEnd) << "the sweep must pass the depth beyond which binary32 holds nothing";
}

TEST(TransmissionAdjoint, CancellationLeavesAnErrorOfTheMagnitudes)
{
  const float            heavy = 1e30f;
  const float            next = std::nextafter(heavy, 2e30f);
  const reference::Pixel pixels[] = { { 0.7, 0, heavy, 0, 0, next },
                                      { 0.0, 3, heavy, -heavy / 3, 0, 0 },
                                      { 1.5, 1e10, 0, heavy, -2.2313016e39L, 0 } };
  for (const reference::Pixel & pixel : pixels)
  {
    ExpectWithinDoubleBound(DepthCotangentOf(pixel), reference::DepthCotangent(pixel));
  }
}

TEST(TransmissionAdjoint, NoDepthCotangentExceedsItsBound)
{
  std::mt19937_64                        engine(21);
  std::uniform_real_distribution<double> exponent(-40.0, 38.0);
  std::uniform_real_distribution<double> depth(0.0, 3.0);
  const auto weight = [&]() { return std::pow(10.0, exponent(engine)) * (engine() % 2 ? 1 : -1); };
  for (int i = 0; i < 5000; ++i)
  {
    const reference::Pixel pixel{ depth(engine), std::abs(weight()), weight(), weight(), weight(), weight() };
    const double           bound = kernel::DepthCotangentBound(static_cast<double>(pixel.openBeam),
                                                     { static_cast<double>(pixel.transmissionWeight),
                                                                 static_cast<double>(pixel.countsWeight),
                                                                 static_cast<double>(pixel.logWeight),
                                                                 static_cast<double>(pixel.removedWeight) });
    ASSERT_LE(std::abs(DepthCotangentOf(pixel)), bound * (1.0 + 1e-14)) << "seed 21, case " << i;
  }
}

TEST(TransmissionAdjoint, InverseAndItsDerivativeAtTheEnds)
{
  EXPECT_EQ(kernel::OpticalDepth(0.0), 0.0);
  EXPECT_FALSE(std::signbit(kernel::OpticalDepth(0.0)));
  EXPECT_FALSE(std::signbit(kernel::OpticalDepth(-0.0)));
  EXPECT_EQ(kernel::OpticalDepth(1e-30), 1e-30);
  EXPECT_EQ(kernel::DecrementCotangent(0.0, -3.0), -3.0);
  const double last = std::nextafter(1.0f, 0.0f);
  EXPECT_EQ(kernel::DecrementCotangent(last, 1.0), std::ldexp(1.0, 24)) << "nothing is clamped";
  EXPECT_DOUBLE_EQ(kernel::OpticalDepth(last), 24.0 * std::log(2.0));
}
