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
#include "kernel/TransmissionLaw.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

using namespace radiography;

namespace
{

template <std::size_t VCount>
double
EffectiveDepthOf(const std::array<double, VCount> & depths, const std::array<double, VCount> & weights)
{
  return kernel::EffectiveDepth(
    static_cast<int>(VCount),
    [&](int i) { return depths[static_cast<std::size_t>(i)]; },
    [&](int i) { return weights[static_cast<std::size_t>(i)]; });
}

} // namespace

TEST(TransmissionLaw, AnEmptyPathRemovesNothingWithTheRightSigns)
{
  for (const double zero : { 0.0, -0.0 })
  {
    EXPECT_EQ(kernel::Transmission(zero), 1.0);
    EXPECT_EQ(kernel::RemovedFraction(zero), 0.0);
    EXPECT_FALSE(std::signbit(kernel::RemovedFraction(zero)));
    EXPECT_EQ(std::signbit(kernel::LogTransmission(zero)), !std::signbit(zero));
    EXPECT_FALSE(std::signbit(kernel::ExpectedCounts(zero, 1.0))) << "zero counts are +0";
  }
}

TEST(TransmissionLaw, RemovedDoesNotCancelAtSmallDepths)
{
  const double depth = 1e-30;
  EXPECT_EQ(kernel::RemovedFraction(depth), depth);
  EXPECT_EQ(1.0 - kernel::Transmission(depth), 0.0) << "the difference that it must not be";
}

TEST(TransmissionLaw, CountsSurviveWhereBinary32TransmissionUnderflows)
{
  EXPECT_EQ(static_cast<float>(kernel::Transmission(110.0)), 0.0f);
  const double openBeam = 1e30f;
  EXPECT_NEAR(kernel::ExpectedCounts(openBeam, kernel::Transmission(110.0)), 1.69e-18, 0.005e-18);
}

TEST(TransmissionLaw, TransmissionsAreAveragedNotDepths)
{
  const double depth = EffectiveDepthOf<2>({ 0.0, 2.0 }, { 0.5, 0.5 });
  EXPECT_NEAR(kernel::Transmission(depth), 0.567668, 5e-7);
  EXPECT_GT(std::abs(kernel::Transmission(depth) - std::exp(-1.0)), 0.1);
}

TEST(TransmissionLaw, EqualDepthsComeBackExactly)
{
  for (const double depth : { 0.0, 1e-30, 0.1, 3.0, 110.0, 1e30 })
  {
    EXPECT_EQ(EffectiveDepthOf<3>({ depth, depth, depth }, { 0.25, 0.5, 0.25 }), depth);
  }
}

TEST(TransmissionLaw, LargeDepthsDoNotUnderflow)
{
  // mean(e^-1000, e^-1001) = e^-1000 (1 + e^-1) / 2
  const double expected = 1000.0 - std::log((1.0 + std::exp(-1.0)) / 2.0);
  EXPECT_DOUBLE_EQ(EffectiveDepthOf<2>({ 1000.0, 1001.0 }, { 0.5, 0.5 }), expected);
  EXPECT_DOUBLE_EQ(EffectiveDepthOf<2>({ 0.0, 1e38 }, { 0.5, 0.5 }), std::log(2.0));
}

TEST(TransmissionLaw, SmallDepthsKeepTheirDigits)
{
  // To first order the effective depth is the mean depth.
  const double depth = EffectiveDepthOf<2>({ 1e-20, 3e-20 }, { 0.5, 0.5 });
  EXPECT_NEAR(depth / 2e-20, 1.0, 1e-15);
}

TEST(TransmissionLaw, ASubrayWithoutWeightDoesNotCount)
{
  EXPECT_EQ(EffectiveDepthOf<3>({ 0.0, 5.0, 1.0 }, { 0.0, 1.0, 0.0 }), 5.0);
  EXPECT_EQ(EffectiveDepthOf<2>({ 0.0, 800.0 }, { 0.0, 1.0 }), 800.0);
}
