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
#include "TransmissionTestImages.h"
#include "itkPhotonNoiseImageFilter.h"

#include "itkStreamingImageFilter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

using namespace testimages;
using Filter = itk::PhotonNoiseImageFilter;

namespace
{

std::vector<float>
Draw(float mean, std::uint64_t seed, const ImageType::SizeType & size = { { 256, 256, 1 } })
{
  const auto filter = Filter::New();
  filter->SetInput(MakeConstant(size, mean));
  filter->SetSeed(seed);
  filter->Update();
  return Pixels(*filter->GetOutput());
}

double
PoissonProbability(double count, double mean)
{
  return std::exp(count * std::log(mean) - mean - std::lgamma(count + 1.0));
}

/** Counts up to `last`, beyond those of the cell before. */
struct Cell
{
  double last;
  double probability;
};

/** Cells of a probability of 1/40 or a little more, where single counts allow; the last one takes the tail. */
std::vector<Cell>
CellsOf(double mean)
{
  const double      end = std::floor(mean + 9.0 * std::sqrt(mean) + 10.0);
  std::vector<Cell> cells;
  double            sum = 0.0;
  double            here = 0.0;
  for (double count = std::fmax(0.0, std::ceil(mean - 9.0 * std::sqrt(mean))); count <= end; ++count)
  {
    here += PoissonProbability(count, mean);
    if (here >= 1.0 / 40.0)
    {
      cells.push_back({ count, here });
      sum += here;
      here = 0.0;
    }
  }
  const double tail = 1.0 - sum;
  if (tail < 1e-3)
  {
    cells.back().probability += tail;
    cells.back().last = HUGE_VAL;
  }
  else
  {
    cells.push_back({ HUGE_VAL, tail });
  }
  return cells;
}

/** Pearson's chi-square of the counts over the cells. */
double
ChiSquare(const std::vector<float> & counts, const std::vector<Cell> & cells)
{
  std::vector<double> seen(cells.size());
  for (const float count : counts)
  {
    const auto cell = std::lower_bound(
      cells.begin(), cells.end(), count, [](const Cell & one, float value) { return one.last < value; });
    ++seen[static_cast<std::size_t>(cell - cells.begin())];
  }
  double sum = 0.0;
  for (std::size_t i = 0; i < cells.size(); ++i)
  {
    const double expected = cells[i].probability * static_cast<double>(counts.size());
    sum += (seen[i] - expected) * (seen[i] - expected) / expected;
  }
  return sum;
}

/** The quantile of chi-square that belongs to the normal quantile z (Wilson and Hilferty 1931). */
double
ChiSquareQuantile(double freedom, double z)
{
  const double spread = 2.0 / (9.0 * freedom);
  return freedom * std::pow(std::fmax(0.0, 1.0 - spread + z * std::sqrt(spread)), 3);
}

} // namespace

// The seed is fixed. With another seed a right generator would fail a comparison with the probability that a normal
// variable is 5 standard deviations off, 6e-7, so the test with 1.4e-5.
TEST(PhotonNoiseImageFilter, MomentsArePoisson)
{
  for (const double mean : { 0.01, 0.1, 0.5, 1.0, 3.0, 10.0, 11.5, 12.0, 100.0, 1e4, 1e6, 1e9 })
  {
    const auto   counts = Draw(static_cast<float>(mean), 7);
    const auto   n = static_cast<double>(counts.size());
    const double expected = static_cast<float>(mean);
    double       sum = 0.0;
    double       squares = 0.0;
    for (const float count : counts)
    {
      EXPECT_EQ(count, std::floor(count));
      sum += count - expected;
      squares += (count - expected) * (count - expected);
    }
    // Variance of the sample mean: lambda / n; of the second moment: (mu4 - lambda^2) / n, mu4 = lambda + 3 lambda^2.
    EXPECT_LT(std::abs(sum / n), 5.0 * std::sqrt(expected / n)) << "mean " << mean << ", seed 7";
    const double spread = std::sqrt((expected + 2.0 * expected * expected) / n);
    EXPECT_LT(std::abs(squares / n - expected), 5.0 * spread) << "mean " << mean << ", seed 7";
  }
}

// A right generator with another seed would fail a mean with the probability of 4.753 standard deviations on either
// side: 2e-6, so the test as a whole with 2.4e-5. Around 12 the library changes its algorithm.
TEST(PhotonNoiseImageFilter, CountsFollowThePoissonDistribution)
{
  constexpr double z = 4.753;
  for (const double mean : { 0.1, 0.5, 1.0, 3.0, 10.0, 11.5, 12.0, 40.0, 100.0, 400.0, 1e4, 1e6 })
  {
    const double exactMean = static_cast<float>(mean);
    const auto   cells = CellsOf(exactMean);
    const double chiSquare = ChiSquare(Draw(static_cast<float>(mean), 11), cells);
    const double freedom = static_cast<double>(cells.size()) - 1.0;
    EXPECT_GE(freedom, mean < 0.5 ? 2.0 : 3.0) << "mean " << mean;
    EXPECT_LT(chiSquare, ChiSquareQuantile(freedom, z)) << "mean " << mean << ", seed 11, " << freedom << " cells";
    EXPECT_GT(chiSquare, ChiSquareQuantile(freedom, -z)) << "mean " << mean << ", seed 11, " << freedom << " cells";
  }
}

TEST(PhotonNoiseImageFilter, NeighboursAreIndependent)
{
  const double mean = 100.0;
  const auto   counts = Draw(static_cast<float>(mean), 3);
  for (const std::size_t lag : { std::size_t{ 1 }, std::size_t{ 2 }, std::size_t{ 256 } })
  {
    double sum = 0.0;
    for (std::size_t i = lag; i < counts.size(); ++i)
    {
      sum += (counts[i] - mean) * (counts[i - lag] - mean) / mean;
    }
    EXPECT_LT(std::abs(sum), 5.0 * std::sqrt(static_cast<double>(counts.size()))) << "lag " << lag << ", seed 3";
  }
}

TEST(PhotonNoiseImageFilter, ZeroMeanGivesZero)
{
  EXPECT_EQ(Draw(0.0f, 1, { { 8, 8, 1 } }), std::vector<float>(64, 0.0f));
  EXPECT_EQ(Draw(-0.0f, 1, { { 2, 2, 1 } }), std::vector<float>(4, 0.0f));
}

TEST(PhotonNoiseImageFilter, SeedsDifferInBothWords)
{
  const auto one = Draw(1000.0f, 1);
  EXPECT_EQ(one, Draw(1000.0f, 1));
  EXPECT_NE(one, Draw(1000.0f, 2));
  EXPECT_NE(one, Draw(1000.0f, 1 + (std::uint64_t{ 1 } << 32)));
}

TEST(PhotonNoiseImageFilter, ThreadsAndRegionsGiveTheSameBits)
{
  const auto means = Make({ { 70, 61, 3 } }, [](std::size_t i) { return 0.01 * static_cast<double>(i); });
  const auto make = [&means](unsigned int threads) {
    const auto filter = Filter::New();
    filter->SetInput(means);
    filter->SetSeed(99);
    filter->SetNumberOfWorkUnits(threads);
    return filter;
  };
  const auto whole = make(1);
  whole->Update();
  const auto expected = Pixels(*whole->GetOutput());
  for (const unsigned int threads : { 2u, 7u })
  {
    const auto other = make(threads);
    other->Update();
    EXPECT_EQ(Pixels(*other->GetOutput()), expected) << threads << " threads";
  }
  const auto                  part = make(2);
  const ImageType::RegionType region({ { 11, 4, 3 } }, { { 20, 31, 2 } });
  part->GetOutput()->SetRequestedRegion(region);
  part->Update();
  EXPECT_EQ(Pixels(*part->GetOutput()), Pixels(*whole->GetOutput(), region));

  const auto streamed = itk::StreamingImageFilter<ImageType, ImageType>::New();
  const auto source = make(2);
  streamed->SetInput(source->GetOutput());
  streamed->SetNumberOfStreamDivisions(4);
  streamed->Update();
  EXPECT_EQ(Pixels(*streamed->GetOutput()), expected);
}

TEST(PhotonNoiseImageFilter, RefusesMeansThatAreNone)
{
  const auto means = MakeConstant({ { 3, 3, 1 } }, 0.0f);
  const auto filter = Filter::New();
  filter->SetInput(means);
  filter->Update();
  for (const float bad :
       { -1.0f, 2e15f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN() })
  {
    means->FillBuffer(5.0f);
    means->SetPixel({ { 7, -2, 2 } }, bad);
    means->Modified();
    ExpectMentions(Refusal([&]() { filter->Update(); }), { "[7, -2, 2]" });
    EXPECT_EQ(Pixels(*filter->GetOutput()), std::vector<float>(9, 0.0f)) << "the output was touched";
  }
}

TEST(PhotonNoiseImageFilter, PrintsItsState)
{
  const auto filter = Filter::New();
  filter->SetSeed(42);
  ExpectMentions(Printed(*filter), { "Seed: 42" });
}
