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
#include "BackwardThreads.h"
#include "MpfrOracle.h"

#include "compute/SubrayAverage.h"
#include "compute/TransmissionLauncher.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <vector>

using namespace radiography;

namespace
{

constexpr float Infinity = std::numeric_limits<float>::infinity();
constexpr float NaN = std::numeric_limits<float>::quiet_NaN();

compute::PixelGrid
RowGrid(std::size_t pixels)
{
  return { static_cast<std::int64_t>(pixels), 1, 1 };
}

compute::PixelView<const float>
ConstRowOf(const std::vector<float> & values)
{
  const auto stride = static_cast<std::int64_t>(values.size());
  return { values.data(), stride, stride };
}

compute::PixelView<float>
RowOf(std::vector<float> & values)
{
  const auto stride = static_cast<std::int64_t>(values.size());
  return { values.data(), stride, stride };
}

struct Results
{
  std::vector<float> transmission, counts, logTransmission, removed;
};

Results
EvaluateAll(const std::vector<float> & depths, float openBeam)
{
  const std::vector<float> empty(depths.size(), NaN);
  Results                  results{ empty, empty, empty, empty };
  compute::EvaluateTransmission(
    RowGrid(depths.size()),
    ConstRowOf(depths),
    { openBeam, {} },
    { RowOf(results.transmission), RowOf(results.counts), RowOf(results.logTransmission), RowOf(results.removed) },
    compute::SerialFor);
  return results;
}

/** Depths that step through the representable numbers from 0 to 800, and the places where ranges end. */
std::vector<float>
SweptDepths()
{
  // RADIOGRAPHY_ULP_STRIDE=1 is the exhaustive sweep: it takes hours.
  const char * const  wish = std::getenv("RADIOGRAPHY_ULP_STRIDE");
  const std::uint32_t stride = wish ? static_cast<std::uint32_t>(std::strtoul(wish, nullptr, 10)) : 37501u;
  std::vector<float>  depths;
  for (std::uint32_t bits = 0; bits < oracle::Bits(800.0f); bits += stride)
  {
    depths.push_back(oracle::FromBits(bits));
  }
  // From 1e-3 on the results leave 1: twenty times as dense.
  for (std::uint32_t bits = oracle::Bits(1e-3f); bits < oracle::Bits(200.0f); bits += stride / 20 + 1)
  {
    depths.push_back(oracle::FromBits(bits));
  }
  for (const float edge : { 64.0f, 87.336f, 103.97f, 104.0f, 110.0f, 149.0f })
  {
    for (std::uint32_t bits = oracle::Bits(edge) - 50; bits <= oracle::Bits(edge) + 50; ++bits)
    {
      depths.push_back(oracle::FromBits(bits));
    }
  }
  return depths;
}

} // namespace

TEST(TransmissionLauncher, EveryOutputIsWithinOneUlpOfTheCorrectlyRoundedResult)
{
  const std::vector<float> depths = SweptDepths();
  std::int64_t             worst[3] = { 0, 0, 0 };
  std::size_t              notExact[3] = { 0, 0, 0 };
  const auto               note = [&](int which, float got, float expected, float depth) {
    const std::int64_t distance = oracle::UlpDistance(got, expected);
    worst[which] = std::max(worst[which], distance);
    notExact[which] += distance != 0 ? 1 : 0;
    ASSERT_LE(distance, 1) << "output " << which << ", depth bits " << oracle::Bits(depth) << ", depth " << depth;
  };
  const float   openBeam = 1e30f;
  const Results results = EvaluateAll(depths, openBeam);
  for (std::size_t i = 0; i < depths.size(); ++i)
  {
    ASSERT_NO_FATAL_FAILURE(note(0, results.transmission[i], oracle::Transmission(depths[i]), depths[i]));
    ASSERT_NO_FATAL_FAILURE(note(1, results.counts[i], oracle::Counts(depths[i], openBeam), depths[i]));
    ASSERT_NO_FATAL_FAILURE(note(2, results.removed[i], oracle::Removed(depths[i]), depths[i]));
    ASSERT_EQ(oracle::Bits(results.logTransmission[i]), oracle::Bits(-depths[i]));
  }
  std::cout << depths.size() << " depths; worst distance in ULP of T, counts, removed: " << worst[0] << ' ' << worst[1]
            << ' ' << worst[2] << "; not correctly rounded: " << notExact[0] << ' ' << notExact[1] << ' ' << notExact[2]
            << std::endl;
}

TEST(TransmissionLauncher, CountsAreNotProductsOfARoundedTransmission)
{
  const Results results = EvaluateAll({ 110.0f }, 1e30f);
  EXPECT_EQ(results.transmission[0], 0.0f);
  EXPECT_NEAR(results.counts[0], 1.69e-18, 0.005e-18);
}

TEST(TransmissionLauncher, WhatIsNotAskedForIsNotWritten)
{
  const std::vector<float> depths(5000, 1.0f);
  std::vector<float>       removed(depths.size());
  compute::EvaluateTransmission(
    RowGrid(depths.size()), ConstRowOf(depths), {}, { {}, {}, {}, RowOf(removed) }, compute::SerialFor);
  EXPECT_FLOAT_EQ(removed.back(), 0.63212056f);
}

TEST(TransmissionLauncher, AnEmptyGridIsNoWork)
{
  compute::EvaluateTransmission({}, {}, {}, {}, compute::SerialFor);
  EXPECT_FALSE(compute::FindFirstInvalid({ 0, 3, 2 }, {}, compute::SerialFor));
}

TEST(TransmissionLauncher, PixelsAroundTileEndsAreAllEvaluatedForAnyThreads)
{
  const auto tile = static_cast<std::size_t>(compute::PixelsPerTile);
  for (const std::size_t count : { std::size_t{ 1 },
                                   std::size_t{ 255 },
                                   std::size_t{ 256 },
                                   std::size_t{ 257 },
                                   tile - 1,
                                   tile,
                                   tile + 1,
                                   3 * tile + 7 })
  {
    std::vector<float> depths(count);
    for (std::size_t i = 0; i < count; ++i)
    {
      depths[i] = 0.001f * static_cast<float>(i);
    }
    const Results serial = EvaluateAll(depths, 100.0f);
    for (const std::int64_t threads : { 1, 2, 7 })
    {
      std::vector<float> transmission(count, NaN);
      compute::EvaluateTransmission(
        RowGrid(count), ConstRowOf(depths), {}, { RowOf(transmission), {}, {}, {} }, testthreads::Backward(threads));
      EXPECT_EQ(transmission, serial.transmission) << count << " pixels, " << threads << " threads";
    }
  }
}

TEST(TransmissionLauncher, TheFirstBadPixelInRasterOrderIsFoundForAnyThreads)
{
  std::vector<float> depths(5 * static_cast<std::size_t>(compute::PixelsPerTile), 1.0f);
  const auto         find = [&depths](std::int64_t threads) {
    return compute::FindFirstInvalid(RowGrid(depths.size()), ConstRowOf(depths), testthreads::Backward(threads));
  };
  depths[7] = -0.0f;
  EXPECT_FALSE(find(2)) << "-0 is a valid depth";

  depths[depths.size() - 1] = NaN;
  depths[9000] = -1.0f;
  depths[9001] = Infinity;
  for (const std::int64_t threads : { 1, 2, 7 })
  {
    const auto bad = find(threads);
    ASSERT_TRUE(bad);
    EXPECT_EQ(bad->column, 9000);
    EXPECT_EQ(bad->value, -1.0f);
  }
  depths[9000] = std::numeric_limits<float>::denorm_min();
  EXPECT_EQ(find(2)->column, 9001);
  depths[9001] = std::numeric_limits<float>::max();
  EXPECT_EQ(find(2)->column, static_cast<std::int64_t>(depths.size()) - 1);
}

TEST(TransmissionLauncher, SharedMemoryIsNoticed)
{
  std::vector<float>       values(20);
  const compute::PixelGrid grid{ 3, 3, 1 };
  const auto at = [&values](std::size_t start) { return compute::PixelView<float>{ values.data() + start, 3, 9 }; };
  EXPECT_TRUE(compute::SharesMemory(grid, at(0), at(0)));
  EXPECT_TRUE(compute::SharesMemory(grid, at(0), at(8)));
  EXPECT_TRUE(compute::SharesMemory(grid, at(8), at(0)));
  EXPECT_FALSE(compute::SharesMemory(grid, at(0), at(9)));
  EXPECT_FALSE(compute::SharesMemory(grid, at(9), at(0)));
  EXPECT_FALSE(compute::SharesMemory(grid, at(0), compute::PixelView<float>{}));
}

TEST(SubrayAverage, GivesDepthAndTransmission)
{
  const float  depths[] = { 0.0f, 2.0f };
  const double weights[] = { 0.5, 0.5 };
  const auto   average = compute::AverageTransmission(2, depths, weights);
  EXPECT_NEAR(average.transmission, 0.567668, 5e-7);
  EXPECT_NEAR(average.depth, -std::log(0.5 * (1.0 + std::exp(-2.0))), 1e-15);
}

TEST(SubrayAverage, RefusesWeightsThatAreNoWeights)
{
  const float depths[] = { 0.0f, 2.0f };
  const auto  refuses = [&depths](int count, double first, double second) {
    const double weights[] = { first, second };
    EXPECT_THROW(compute::AverageTransmission(count, depths, weights), std::invalid_argument)
      << count << ' ' << first << ' ' << second;
  };
  refuses(0, 0.5, 0.5);
  refuses(2, -0.5, 1.5);
  refuses(2, 0.5, 0.4);
  refuses(2, 0.5, std::nan(""));
  refuses(2, 0.5, static_cast<double>(Infinity));
}
