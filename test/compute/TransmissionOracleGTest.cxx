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
#include "FastOracle.h"
#include "UlpHistogram.h"

#include <gtest/gtest.h>

#include <random>

using namespace oracle;

TEST(TransmissionOracle, MpfrGivesKnownNumbers)
{
  EXPECT_EQ(oracle::Transmission(0.0f), 1.0f);
  EXPECT_EQ(oracle::Transmission(1.0f), 0.36787944117144232f);
  EXPECT_EQ(oracle::Counts(110.0f, 1e30f), 1.6889119056383768e-18f);
  EXPECT_EQ(oracle::Removed(1e-30f), 1e-30f);
  EXPECT_EQ(oracle::Removed(800.0f), 1.0f);
  EXPECT_EQ(oracle::OpticalDepth(0.5f), 0.69314718055994531f);
  EXPECT_EQ(oracle::OpticalDepth(1e-30f), 1e-30f);
}

TEST(TransmissionOracle, LongDoubleAndMpfrAgree)
{
  constexpr unsigned int                       seed = 20261130;
  std::mt19937                                 engine(seed);
  std::uniform_int_distribution<std::uint32_t> depthBits(0, Bits(800.0f));
  std::uniform_int_distribution<std::uint32_t> moderateBits(Bits(1e-4f), Bits(200.0f));
  std::uniform_int_distribution<std::uint32_t> countBits(0, Bits(std::numeric_limits<float>::max()));
  std::uniform_int_distribution<std::uint32_t> decrementBits(0, Bits(1.0f) - 1);
  for (int i = 0; i < 1000; ++i)
  {
    const float   depth = FromBits(i % 2 == 0 ? depthBits(engine) : moderateBits(engine));
    const float   openBeam = FromBits(countBits(engine));
    const float   decrement = FromBits(decrementBits(engine));
    const FastLaw law(depth);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", depth bits " << Bits(depth) << ", n0 bits "
                                    << Bits(openBeam) << ", decrement bits " << Bits(decrement));
    ASSERT_EQ(law.Transmission(), oracle::Transmission(depth));
    ASSERT_EQ(law.Counts(openBeam), oracle::Counts(depth, openBeam));
    ASSERT_EQ(law.Removed(), oracle::Removed(depth));
    ASSERT_EQ(FastOpticalDepth(decrement), oracle::OpticalDepth(decrement));
  }
}

TEST(TransmissionOracle, WhatIsCloseToATieGoesToMpfr)
{
  if (!HasExtendedPrecision)
  {
    GTEST_SKIP() << "long double is no wider than binary64 here: everything goes to MPFR";
  }
  for (const float value : { 1.0f, 0.3f, 1e-38f, 1e-44f, 0.0f })
  {
    const long double next = std::nextafter(value, 2.0f);
    const long double tie = (static_cast<long double>(value) + next) / 2.0L;
    EXPECT_FALSE(RoundsSafely(tie)) << value;
    EXPECT_FALSE(RoundsSafely(tie * (1.0L + 0x1p-54L))) << value;
    EXPECT_TRUE(RoundsSafely(tie * (1.0L + 0x1p-50L))) << value;
    EXPECT_TRUE(RoundsSafely(value)) << value;
  }
}

TEST(TransmissionOracle, DistancesCountRepresentableNumbers)
{
  const float least = std::numeric_limits<float>::denorm_min();
  const float leastNormal = std::numeric_limits<float>::min();
  EXPECT_EQ(UlpDistance(0.0f, -0.0f), 0);
  EXPECT_EQ(UlpDistance(-least, least), 2);
  EXPECT_EQ(UlpDistance(1.0f, std::nextafter(1.0f, 0.0f)), 1);
  EXPECT_EQ(UlpDistance(-1.0f, std::nextafter(-1.0f, -2.0f)), 1);
  EXPECT_EQ(UlpDistance(leastNormal, std::nextafter(leastNormal, 0.0f)), 1);
  EXPECT_TRUE(IsSubnormal(least));
  EXPECT_TRUE(IsSubnormal(-least));
  EXPECT_FALSE(IsSubnormal(leastNormal));
  EXPECT_FALSE(IsSubnormal(0.0f));
}

TEST(TransmissionOracle, TheHistogramCounts)
{
  UlpHistogram histogram;
  for (int i = 0; i < 999; ++i)
  {
    histogram.Add(1.0f, 1.0f);
  }
  histogram.Add(FromBits(Bits(1.0f) + 3), 1.0f);
  EXPECT_EQ(histogram.Quantile999(), 0);
  UlpHistogram more;
  more.Add(FromBits(2), FromBits(1));
  more.Add(std::nanf(""), 1.0f);
  histogram += more;
  EXPECT_EQ(histogram.Count(), 1002);
  EXPECT_EQ(histogram.CountNotExact(), 3);
  EXPECT_EQ(histogram.Largest(), 63) << "NaN is as far as it gets";
  EXPECT_EQ(histogram.LargestOfSubnormals(), 1);
  EXPECT_EQ(histogram.Quantile999(), 3);
}
