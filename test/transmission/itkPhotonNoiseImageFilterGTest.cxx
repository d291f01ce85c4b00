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

#include <cmath>
#include <limits>

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

double
SumOfProbabilities(int first, int last, double mean)
{
  double sum = 0.0;
  for (int count = first; count <= last; ++count)
  {
    sum += PoissonProbability(count, mean);
  }
  return sum;
}

} // namespace

TEST(PhotonNoiseImageFilter, MomentsArePoisson)
{
  for (const double mean : { 0.01, 0.5, 3.0, 11.5, 12.0, 100.0, 1e4, 1e6, 1e9 })
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

TEST(PhotonNoiseImageFilter, CountsFollowThePoissonDistribution)
{
  for (const double mean : { 0.5, 3.0, 11.5, 12.0, 40.0, 400.0 })
  {
    const auto counts = Draw(static_cast<float>(mean), 11);
    const auto n = static_cast<double>(counts.size());
    const int  last = static_cast<int>(mean + 8.0 * std::sqrt(mean) + 10.0);
    double     chiSquare = 0.0;
    int        cells = 0;
    for (int first = 0; first <= last;)
    {
      // Cells of at least 20 expected pixels; the last one takes the rest.
      int    end = first;
      double expected = n * PoissonProbability(first, mean);
      while (expected < 20.0 && end < last)
      {
        expected += n * PoissonProbability(++end, mean);
      }
      if (n * SumOfProbabilities(end + 1, last, mean) < 20.0)
      {
        end = last;
        expected = n - n * SumOfProbabilities(0, first - 1, mean);
      }
      const bool   isTail = end == last;
      const auto   inCell = [=](float count) { return count >= first && (isTail || count <= end); };
      const double seen = static_cast<double>(std::count_if(counts.begin(), counts.end(), inCell));
      chiSquare += (seen - expected) * (seen - expected) / expected;
      ++cells;
      first = end + 1;
    }
    const double freedom = std::max(1, cells - 1);
    EXPECT_GT(cells, 3) << "mean " << mean;
    EXPECT_LT(chiSquare, freedom + 5.0 * std::sqrt(2.0 * freedom)) << "mean " << mean << ", seed 11";
    EXPECT_GT(chiSquare, freedom - 5.0 * std::sqrt(2.0 * freedom)) << "mean " << mean << ", seed 11";
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
