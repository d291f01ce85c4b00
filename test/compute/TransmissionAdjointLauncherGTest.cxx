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
#include "BackwardThreads.h"
#include "EachKernel.h"

#include "compute/TransmissionAdjointLauncher.h"

#include <random>

using namespace radiography;

namespace
{

// Taken before any is forced, which leaves only that one.
const std::vector<std::string> KernelNames = testkernels::Names();

struct Case
{
  std::vector<float> depths, beams, transmission, counts, logTransmission, removed;

  explicit Case(std::size_t pixels, unsigned int seed = 50)
  {
    std::mt19937                          engine(seed);
    std::uniform_real_distribution<float> uniform(0.0f, 1.0f);
    std::normal_distribution<float>       normal;
    for (std::size_t i = 0; i < pixels; ++i)
    {
      depths.push_back(12.0f * uniform(engine));
      beams.push_back(1e4f * uniform(engine));
      transmission.push_back(1e3f * normal(engine));
      counts.push_back(normal(engine));
      logTransmission.push_back(10.0f * normal(engine));
      removed.push_back(1e3f * normal(engine));
    }
  }

  static compute::PixelView<const float>
  ViewOf(const std::vector<float> & values, std::int64_t columns)
  {
    return { values.data(), columns, static_cast<std::int64_t>(values.size()) };
  }

  compute::TransmissionAdjointInputs
  Inputs(std::int64_t columns) const
  {
    const auto view = [columns](const std::vector<float> & values) { return ViewOf(values, columns); };
    return { view(depths),
             { 0.0, view(beams) },
             { view(transmission), view(counts), view(logTransmission), view(removed) } };
  }
};

struct Results
{
  std::vector<float> depth, openBeam;
  double             sum{ 0.0 };

  bool
  operator==(const Results & other) const
  {
    return depth == other.depth && openBeam == other.openBeam && sum == other.sum;
  }
};

Results
Evaluate(const Case & given, std::int64_t columns, const compute::ParallelFor & parallelFor)
{
  const auto               pixels = static_cast<std::int64_t>(given.depths.size());
  const compute::PixelGrid grid{ columns, pixels / columns, 1 };
  Results                  results{ std::vector<float>(given.depths.size()), std::vector<float>(given.depths.size()) };
  const auto               inputs = given.Inputs(columns);
  compute::EvaluateTransmissionAdjoint(grid,
                                       inputs,
                                       { {}, { results.depth.data(), columns, pixels } },
                                       { {}, { results.openBeam.data(), columns, pixels } },
                                       parallelFor);
  results.sum = compute::SumOpenBeamCotangent(grid, inputs, parallelFor);
  return results;
}

} // namespace

// One pixel of weight 1: the sum is exp(-L) as it is before any rounding to binary32.
TEST(TransmissionAdjointLauncher, ExponentialIsGoodToTheErrorThatBoundsCountOn)
{
  testkernels::ForEach([](std::size_t number) {
    SCOPED_TRACE(KernelNames[number]);
    const float     weight = 1.0f;
    reference::Real worst = 0;
    for (float depth = 0.0f; depth < 700.0f; depth += 0.0937f + depth * 1e-3f)
    {
      compute::TransmissionAdjointInputs inputs;
      inputs.depths = { &depth, 1, 1 };
      inputs.weights.counts = { &weight, 1, 1 };
      const double          got = compute::SumOpenBeamCotangent({ 1, 1, 1 }, inputs, compute::SerialFor);
      const reference::Real expected = std::exp(-static_cast<reference::Real>(depth));
      worst = std::max(worst, std::abs(got - expected) / expected);
    }
    EXPECT_LE(worst, std::exp2(-49.5L));
  });
}

TEST(TransmissionAdjointLauncher, ThreadsAndRowLengthsGiveTheSameBits)
{
  const Case given(3 * 5 * 7 * 11 * 13);
  testkernels::ForEach([&given](std::size_t number) {
    SCOPED_TRACE(KernelNames[number]);
    const Results serial = Evaluate(given, static_cast<std::int64_t>(given.depths.size()), compute::SerialFor);
    for (const std::int64_t columns : { 1, 3, 55, 1001, 15015 })
    {
      EXPECT_TRUE(Evaluate(given, columns, compute::SerialFor) == serial) << columns << " columns";
    }
    for (const std::int64_t threads : { 1, 2, 7 })
    {
      EXPECT_TRUE(Evaluate(given, 143, testthreads::Backward(threads)) == serial) << threads << " threads";
    }
  });
}

TEST(TransmissionAdjointLauncher, EveryKernelIsWithinTheBounds)
{
  const Case given(1003);
  testkernels::ForEach([&given](std::size_t number) {
    SCOPED_TRACE(KernelNames[number]);
    const Results results = Evaluate(given, 17, compute::SerialFor);
    for (std::size_t i = 0; i < results.depth.size(); ++i)
    {
      const reference::Pixel pixel{ given.depths[i], given.beams[i],           given.transmission[i],
                                    given.counts[i], given.logTransmission[i], given.removed[i] };
      reference::ExpectWithin(results.depth[i], reference::DepthCotangent(pixel), reference::PixelRoundings);
      reference::ExpectWithin(results.openBeam[i], reference::OpenBeamCotangent(pixel), reference::PixelRoundings);
    }
  });
}

// Near the end of binary32 the magnitudes leave it open, and the exponential decides.
TEST(TransmissionAdjointLauncher, TheFirstGradientOutOfRangeIsFoundForAnyThreads)
{
  Case given(5 * 4096);
  for (const std::size_t i : { std::size_t{ 300 }, std::size_t{ 9000 }, std::size_t{ 9001 }, std::size_t{ 20000 } })
  {
    given.removed[i] = 3e38f;
    given.transmission[i] = -3e38f;
    given.depths[i] = i == 300 ? 0.7f : 0.1f;
  }
  const compute::PixelGrid grid{ 4096, 5, 1 };
  testkernels::ForEach([&](std::size_t number) {
    SCOPED_TRACE(KernelNames[number]);
    for (const std::int64_t threads : { 1, 2, 7 })
    {
      const auto bad =
        compute::FindDepthCotangentOutOfRange(grid, given.Inputs(4096), {}, testthreads::Backward(threads));
      ASSERT_TRUE(bad);
      EXPECT_EQ(bad->row * 4096 + bad->column, 9000);
      EXPECT_NEAR(bad->value, 6e38 * std::exp(-0.1), 1e33);
    }
  });
}

TEST(TransmissionAdjointLauncher, TheFirstNonFinitePixelIsFoundForAnyThreads)
{
  std::vector<float> values(5 * 4096, -1e38f);
  const auto         find = [&values](std::int64_t threads) {
    return compute::FindFirstNonFinite({ 4096, 5, 1 }, Case::ViewOf(values, 4096), testthreads::Backward(threads));
  };
  EXPECT_FALSE(find(2));
  values[9000] = -std::numeric_limits<float>::infinity();
  values[9001] = std::numeric_limits<float>::quiet_NaN();
  values[20000] = std::numeric_limits<float>::infinity();
  for (const std::int64_t threads : { 1, 2, 7 })
  {
    const auto bad = find(threads);
    ASSERT_TRUE(bad);
    EXPECT_EQ(bad->row * 4096 + bad->column, 9000);
    EXPECT_EQ(bad->value, values[9000]);
  }
}
