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
#include "EachKernel.h"
#include "MpfrOracle.h"

#include "compute/SubrayAverage.h"
#include "compute/TransmissionLauncher.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <random>
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

/** Calls body(name) for each instruction set of this machine and for the scalar reference. */
template <typename TBody>
void
ForEachKernel(const TBody & body)
{
  const auto names = testkernels::Names();
  testkernels::ForEach([&](std::size_t kernel) {
    SCOPED_TRACE(names[kernel]);
    body(names[kernel]);
  });
}

/** Rows of pixels in the middle of a buffer of canaries, as an image's region is: what lies around must stay. */
class PaddedRows
{
public:
  static constexpr float Canary = -77.25f;

  PaddedRows(std::int64_t columns, std::int64_t rows, std::int64_t shift)
    : m_Columns(columns)
    , m_Rows(rows)
    , m_Stride(columns + 5)
    , m_First(32 + shift)
    , m_Values(static_cast<std::size_t>(m_First + rows * m_Stride + 32), Canary)
  {}

  compute::PixelGrid
  Grid() const
  {
    return { m_Columns, m_Rows, 1 };
  }

  compute::PixelView<float>
  View()
  {
    return { m_Values.data() + m_First, m_Stride, m_Stride * m_Rows };
  }

  compute::PixelView<const float>
  ConstView() const
  {
    return { m_Values.data() + m_First, m_Stride, m_Stride * m_Rows };
  }

  float &
  At(std::int64_t pixel)
  {
    return m_Values[static_cast<std::size_t>(m_First + pixel / m_Columns * m_Stride + pixel % m_Columns)];
  }

  std::int64_t
  Count() const
  {
    return m_Columns * m_Rows;
  }

  std::int64_t
  CountCanaries() const
  {
    return std::count(m_Values.begin(), m_Values.end(), Canary);
  }

  std::int64_t
  CountAround() const
  {
    return static_cast<std::int64_t>(m_Values.size()) - this->Count();
  }

private:
  std::int64_t       m_Columns;
  std::int64_t       m_Rows;
  std::int64_t       m_Stride;
  std::int64_t       m_First;
  std::vector<float> m_Values;
};

/** Depths and n0 of all magnitudes. */
struct RandomInputs
{
  PaddedRows depths;
  PaddedRows openBeam;

  RandomInputs(std::int64_t columns, std::int64_t rows, std::int64_t shift)
    : depths(columns, rows, shift)
    , openBeam(columns, rows, 3)
  {
    std::mt19937                                 engine(1);
    std::uniform_int_distribution<std::uint32_t> depthBits(0, oracle::Bits(800.0f));
    std::uniform_real_distribution<float>        depth(0.0f, 120.0f);
    std::uniform_int_distribution<std::uint32_t> countBits(0, oracle::Bits(3e38f));
    for (std::int64_t i = 0; i < depths.Count(); ++i)
    {
      depths.At(i) = i % 2 == 0 ? depth(engine) : oracle::FromBits(depthBits(engine));
      openBeam.At(i) = oracle::FromBits(countBits(engine));
    }
  }
};

/** What one pixel gives on its own. */
std::array<float, 4>
EvaluatePixel(float depth, float openBeam)
{
  const Results one = EvaluateAll({ depth }, openBeam);
  return { one.transmission[0], one.counts[0], one.logTransmission[0], one.removed[0] };
}

/** Evaluates the outputs of a mask and compares every pixel with what it gives on its own, and all around with what was
 * there before. */
void
CheckMask(unsigned int                      mask,
          bool                              openBeamPixels,
          RandomInputs &                    inputs,
          const compute::ProjectionPolicy & policy,
          const compute::ParallelFor &      parallelFor)
{
  constexpr float         number = 12345.0f;
  const std::int64_t      columns = inputs.depths.Grid().columns;
  const std::int64_t      rows = inputs.depths.Grid().rows;
  std::vector<PaddedRows> outputs(4, PaddedRows(columns, rows, 1));
  const auto              view = [&](unsigned int output) {
    return ((mask >> output) & 1u) != 0 ? outputs[output].View() : compute::PixelView<float>{};
  };
  compute::EvaluateTransmission(
    inputs.depths.Grid(),
    inputs.depths.ConstView(),
    { number, openBeamPixels ? inputs.openBeam.ConstView() : compute::PixelView<const float>{} },
    { view(0), view(1), view(2), view(3) },
    parallelFor,
    policy);
  for (unsigned int output = 0; output < 4; ++output)
  {
    const bool wanted = ((mask >> output) & 1u) != 0;
    ASSERT_EQ(outputs[output].CountCanaries() - outputs[output].CountAround(), wanted ? 0 : columns * rows)
      << "output " << output;
    for (std::int64_t i = 0; wanted && i < inputs.depths.Count(); ++i)
    {
      const auto alone = EvaluatePixel(inputs.depths.At(i), openBeamPixels ? inputs.openBeam.At(i) : number);
      ASSERT_EQ(oracle::Bits(outputs[output].At(i)), oracle::Bits(alone[output]))
        << "output " << output << ", pixel " << i << ", depth bits " << oracle::Bits(inputs.depths.At(i))
        << ", n0 bits " << oracle::Bits(inputs.openBeam.At(i));
    }
  }
}

compute::ProjectionPolicy
SmallTiles(bool stream)
{
  compute::ProjectionPolicy policy;
  policy.transmissionTilePixels = 67;
  policy.streamingStoreBytes = stream ? 1 : policy.streamingStoreBytes;
  return policy;
}

} // namespace

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

TEST(TransmissionLauncher, EveryMaskWithEitherFormOfOpenBeamGivesTheSameBits)
{
  RandomInputs inputs(71, 2, 0);
  ForEachKernel([&](const std::string &) {
    for (unsigned int mask = 1; mask < 16; ++mask)
    {
      for (const bool stream : { false, true })
      {
        SCOPED_TRACE(testing::Message() << "mask " << mask << (stream ? ", streaming" : ""));
        CheckMask(mask, false, inputs, SmallTiles(stream), compute::SerialFor);
        CheckMask(mask, true, inputs, SmallTiles(stream), compute::SerialFor);
      }
    }
  });
}

// Row lengths around those of packets, heads before an aligned address, several threads.
TEST(TransmissionLauncher, TheBitsOfAPixelDoNotDependOnItsPlace)
{
  ForEachKernel([&](const std::string &) {
    for (std::int64_t columns = 1; columns < 36; columns += 1 + columns / 9)
    {
      for (const std::int64_t shift : { 0, 1, 7 })
      {
        RandomInputs inputs(columns, 3, shift);
        for (const bool stream : { false, true })
        {
          SCOPED_TRACE(testing::Message() << columns << " columns, shift " << shift << (stream ? ", streaming" : ""));
          CheckMask(15, true, inputs, SmallTiles(stream), testthreads::Backward(2));
        }
      }
    }
  });
}

// Outputs that are not aligned to each other are not streamed.
TEST(TransmissionLauncher, OutputsOfDifferentAlignmentHaveTheSameBits)
{
  RandomInputs       inputs(200, 1, 0);
  const auto         count = static_cast<std::size_t>(inputs.depths.Count());
  std::vector<float> transmission(count + 1);
  std::vector<float> removed(count + 2);
  ForEachKernel([&](const std::string &) {
    compute::EvaluateTransmission(inputs.depths.Grid(),
                                  inputs.depths.ConstView(),
                                  {},
                                  { { transmission.data() + 1, 200, 200 }, {}, {}, { removed.data() + 2, 200, 200 } },
                                  compute::SerialFor,
                                  SmallTiles(true));
    for (std::size_t i = 0; i < count; ++i)
    {
      const auto alone = EvaluatePixel(inputs.depths.At(static_cast<std::int64_t>(i)), 1.0f);
      ASSERT_EQ(oracle::Bits(transmission[i + 1]), oracle::Bits(alone[0])) << i;
      ASSERT_EQ(oracle::Bits(removed[i + 2]), oracle::Bits(alone[3])) << i;
    }
  });
}

TEST(TransmissionLauncher, ZerosHaveTheirSigns)
{
  ForEachKernel([](const std::string &) {
    for (const float zero : { 0.0f, -0.0f })
    {
      for (const float openBeam : { 0.0f, -0.0f })
      {
        const auto pixel = EvaluatePixel(zero, openBeam);
        EXPECT_EQ(pixel[0], 1.0f);
        EXPECT_EQ(oracle::Bits(pixel[1]), 0u) << "counts of a dark beam are +0";
        EXPECT_EQ(oracle::Bits(pixel[2]), oracle::Bits(zero) ^ 0x80000000u);
        EXPECT_EQ(oracle::Bits(pixel[3]), 0u) << "nothing removed is +0";
      }
    }
    EXPECT_EQ(oracle::Bits(EvaluatePixel(800.0f, 3e38f)[1]), 0u);
  });
}

// What TransmissionPackets.h says of values that no one checked.
TEST(TransmissionLauncher, UncheckedValuesGiveWhatIsDocumented)
{
  ForEachKernel([](const std::string &) {
    for (const float value : EvaluatePixel(NaN, 2.0f))
    {
      EXPECT_TRUE(std::isnan(value));
    }
    EXPECT_TRUE(std::isnan(EvaluatePixel(1.0f, NaN)[1]));
    EXPECT_FLOAT_EQ(EvaluatePixel(1.0f, NaN)[0], std::exp(-1.0f));
    EXPECT_EQ(EvaluatePixel(Infinity, 2.0f), (std::array<float, 4>{ 0.0f, 0.0f, -Infinity, 1.0f }));
    EXPECT_EQ(EvaluatePixel(-Infinity, 2.0f), (std::array<float, 4>{ Infinity, Infinity, Infinity, -Infinity }));
    EXPECT_EQ(EvaluatePixel(-1e30f, 2.0f), (std::array<float, 4>{ Infinity, Infinity, 1e30f, -Infinity }));
    EXPECT_FLOAT_EQ(EvaluatePixel(-1.0f, 2.0f)[1], 2.0f * std::exp(1.0f));
    EXPECT_FLOAT_EQ(EvaluatePixel(-1.0f, 2.0f)[3], -std::expm1(1.0f));
    EXPECT_EQ(EvaluatePixel(1.0f, Infinity)[1], Infinity);
  });
}

TEST(TransmissionLauncher, TheScanFindsABadValueWhereverItStands)
{
  const float bad[] = { NaN, -NaN, Infinity, -Infinity, -std::numeric_limits<float>::denorm_min(), -1.0f };
  const float good[] = {
    0.0f, -0.0f, std::numeric_limits<float>::denorm_min(), std::numeric_limits<float>::max(), 1.0f
  };
  ForEachKernel([&](const std::string &) {
    for (std::size_t count = 1; count < 70; count += 1 + count / 4)
    {
      std::vector<float> values(count);
      for (std::size_t i = 0; i < count; ++i)
      {
        values[i] = good[i % std::size(good)];
      }
      const auto find = [&]() {
        return compute::FindFirstInvalid(RowGrid(count), ConstRowOf(values), compute::SerialFor);
      };
      EXPECT_FALSE(find());
      for (std::size_t i = 0; i < count; ++i)
      {
        const float before = values[i];
        values[i] = bad[i % std::size(bad)];
        const auto found = find();
        ASSERT_TRUE(found) << i << " of " << count;
        EXPECT_EQ(found->column, static_cast<std::int64_t>(i));
        EXPECT_EQ(oracle::Bits(found->value), oracle::Bits(values[i]));
        values[i] = before;
      }
    }
  });
}

TEST(TransmissionLauncher, TheKernelThatRunsHasAName)
{
  ForEachKernel([](const std::string & kernel) {
    const bool scalar = kernel == "scalar reference";
    EXPECT_EQ(compute::TransmissionKernelName(),
              "transmission, " + (scalar ? "scalar" : kernel + " packets,") + " binary64");
  });
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
