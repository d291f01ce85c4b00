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
#include "compute/SubrayAverage.h"
#include "itkSubrayAverageAdjointImageFilter.h"
#include "itkSubrayAverageImageFilter.h"

#include "itkStreamingImageFilter.h"

#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

using namespace testimages;
using Adjoint = itk::SubrayAverageAdjointImageFilter;
using Weights = std::vector<double>;

namespace
{

constexpr double Unit = 0x1p-24; // of binary32

/** The grid that SubrayAverageImageFilter makes of `depths`. */
ImageType::Pointer
MakeCotangent(const ImageType & depths, unsigned int side, const std::vector<double> & values)
{
  auto size = depths.GetLargestPossibleRegion().GetSize();
  size[0] /= side;
  size[1] /= side;
  return Make(
    size, [&](std::size_t i) { return values[i % values.size()]; }, depths.GetLargestPossibleRegion().GetIndex());
}

Adjoint::Pointer
MakeAdjoint(const ImageType::Pointer & depths,
            const ImageType::Pointer & cotangent,
            unsigned int               side,
            const Weights &            weights = {})
{
  const auto filter = Adjoint::New();
  filter->SetInput(depths);
  filter->SetEffectiveDepthCotangent(cotangent);
  filter->SetSubraysPerSide(side);
  filter->SetWeights(weights);
  return filter;
}

std::vector<float>
AdjointOfBlock(const std::vector<double> & depths, double cotangent, const Weights & weights = {})
{
  const auto image = Make({ { 2, 2, 1 } }, [&](std::size_t i) { return depths[i]; });
  const auto filter = MakeAdjoint(image, MakeCotangent(*image, 2, { cotangent }), 2, weights);
  filter->Update();
  return Pixels(*filter->GetOutput());
}

Weights
RandomWeights(std::mt19937 & engine, std::size_t count)
{
  std::uniform_real_distribution<double> part(0.0, 1.0);
  Weights                                weights;
  double                                 sum = 0.0;
  for (std::size_t i = 0; i < count; ++i)
  {
    weights.push_back(part(engine));
    sum += weights.back();
  }
  for (double & weight : weights)
  {
    weight /= sum;
  }
  return weights;
}

ImageType::Pointer
RandomDepths(std::mt19937 & engine, const ImageType::SizeType & size, double largest)
{
  std::uniform_real_distribution<double> depth(0.0, largest);
  return Make(size, [&](std::size_t) { return depth(engine); });
}

double
DepthOf(const std::vector<double> & depths, const Weights & weights)
{
  return radiography::kernel::EffectiveDepth(
    static_cast<int>(depths.size()),
    [&](int i) { return depths[static_cast<std::size_t>(i)]; },
    [&](int i) { return weights[static_cast<std::size_t>(i)]; });
}

} // namespace

TEST(SubrayAverageAdjointImageFilter, ZeroAndTwoShareThePhotons)
{
  const auto cotangents = AdjointOfBlock({ 0, 2, 0, 2 }, 1.0);
  const auto total = 2.0 * (1.0 + std::exp(-2.0));
  for (std::size_t i = 0; i < 4; ++i)
  {
    EXPECT_FLOAT_EQ(cotangents[i], static_cast<float>((i % 2 == 0 ? 1.0 : std::exp(-2.0)) / total));
  }
}

// <c, J v> = <J^T c, v>, with J v written out as the mean of v over the photons that arrive.
TEST(SubrayAverageAdjointImageFilter, IsTheTransposeOfTheForward)
{
  for (unsigned int seed = 1; seed <= 6; ++seed)
  {
    std::mt19937                     engine(seed);
    const auto                       weights = RandomWeights(engine, 9);
    const auto                       depths = RandomDepths(engine, { { 6, 9, 2 } }, 12.0);
    std::normal_distribution<double> normal;
    std::vector<double>              values(12);
    for (double & value : values)
    {
      value = normal(engine);
    }
    const auto cotangent = MakeCotangent(*depths, 3, values);
    const auto adjoint = MakeAdjoint(depths, cotangent, 3, weights);
    adjoint->Update();

    double forward = 0.0;
    double backward = 0.0;
    double magnitude = 0.0;
    for (itk::ImageRegionConstIterator<ImageType> pixel(cotangent, cotangent->GetBufferedRegion()); !pixel.IsAtEnd();
         ++pixel)
    {
      double photons = 0.0;
      double weighted = 0.0;
      for (itk::IndexValueType k = 0; k < 9; ++k)
      {
        auto index = pixel.GetIndex();
        index[0] = 5 + 3 * (index[0] - 5) + k % 3;
        index[1] = -3 + 3 * (index[1] + 3) + k / 3;
        const double direction = normal(engine);
        const double arriving =
          weights[static_cast<std::size_t>(k)] * std::exp(-static_cast<double>(depths->GetPixel(index)));
        photons += arriving;
        weighted += arriving * direction;
        const double term = static_cast<double>(adjoint->GetOutput()->GetPixel(index)) * direction;
        backward += term;
        magnitude += std::abs(term);
      }
      forward += static_cast<double>(pixel.Get()) * weighted / photons;
    }
    EXPECT_NEAR(forward, backward, 2.0 * Unit * magnitude) << "seed " << seed;
  }
}

TEST(SubrayAverageAdjointImageFilter, AgreesWithCentralDifferences)
{
  for (unsigned int seed = 1; seed <= 10; ++seed)
  {
    std::mt19937                           engine(seed);
    std::uniform_real_distribution<double> uniform(1.0, 6.0);
    const auto                             weights = RandomWeights(engine, 4);
    std::vector<double>                    depths(4);
    for (double & depth : depths)
    {
      depth = static_cast<float>(uniform(engine));
    }
    const auto cotangents = AdjointOfBlock(depths, 2.5, weights);
    for (std::size_t i = 0; i < 4; ++i)
    {
      const double step = 1e-4;
      auto         above = depths;
      auto         below = depths;
      above[i] += step;
      below[i] -= step;
      const double difference = 2.5 * (DepthOf(above, weights) - DepthOf(below, weights)) / (2.0 * step);
      EXPECT_NEAR(cotangents[i], difference, 1e-7) << "seed " << seed << ", sub-ray " << i;
    }
  }
}

TEST(SubrayAverageAdjointImageFilter, DepthsOfAnySizeAndWeightsOfAnySizeSurvive)
{
  const auto deep = AdjointOfBlock({ 1000, 1001, 1000, 1001 }, 1.0);
  EXPECT_FLOAT_EQ(deep[0] / deep[1], static_cast<float>(std::exp(1.0)));
  EXPECT_FLOAT_EQ(deep[0] + deep[1] + deep[2] + deep[3], 1.0f);
  EXPECT_EQ(AdjointOfBlock({ 0, 1e38, 1e38, 1e38 }, 3.0), (std::vector<float>{ 3, 0, 0, 0 }));
  const auto rare = AdjointOfBlock({ 0, 2000, 0, 0 }, 7.0, { 5e-324, 1, 0, 0 });
  EXPECT_EQ(rare, (std::vector<float>{ 7, 0, 0, 0 }));
}

TEST(SubrayAverageAdjointImageFilter, NoFiniteCotangentLeavesTheRange)
{
  constexpr float largest = std::numeric_limits<float>::max();
  EXPECT_EQ(AdjointOfBlock({ 1, 1, 1, 1 }, -largest, { 0, 0, 1, 0 })[2], -largest);
  for (const float value : AdjointOfBlock({ 0, 1, 2, 3 }, largest))
  {
    EXPECT_TRUE(std::isfinite(value));
  }
}

TEST(SubrayAverageAdjointImageFilter, ThreadsAndRegionsGiveTheSameBits)
{
  std::mt19937 engine(3);
  const auto   depths = RandomDepths(engine, { { 90, 76, 2 } }, 8.0);
  const auto   cotangent = MakeCotangent(*depths, 2, { 1.0, -2.5, 0.125, 7.0, 3.0 });
  const auto   whole = MakeAdjoint(depths, cotangent, 2);
  whole->SetNumberOfWorkUnits(1);
  whole->Update();
  for (const unsigned int threads : { 2u, 7u })
  {
    const auto other = MakeAdjoint(depths, cotangent, 2);
    other->SetNumberOfWorkUnits(threads);
    other->Update();
    EXPECT_EQ(Pixels(*other->GetOutput()), Pixels(*whole->GetOutput())) << threads << " threads, seed 3";
  }
  // A region that cuts through blocks.
  const auto                  part = MakeAdjoint(depths, cotangent, 2);
  const ImageType::RegionType region({ { 12, 4, 3 } }, { { 21, 9, 1 } });
  part->GetOutput()->SetRequestedRegion(region);
  part->Update();
  EXPECT_TRUE(part->GetOutput()->GetBufferedRegion().IsInside(region));
  EXPECT_LT(part->GetOutput()->GetBufferedRegion().GetNumberOfPixels(), 300u);
  EXPECT_EQ(Pixels(*part->GetOutput(), region), Pixels(*whole->GetOutput(), region)) << "seed 3";

  const auto streamed = itk::StreamingImageFilter<ImageType, ImageType>::New();
  const auto source = MakeAdjoint(depths, cotangent, 2);
  streamed->SetInput(source->GetOutput());
  streamed->SetNumberOfStreamDivisions(3);
  streamed->Update();
  EXPECT_EQ(Pixels(*streamed->GetOutput()), Pixels(*whole->GetOutput())) << "seed 3";
}

TEST(SubrayAverageAdjointImageFilter, TakesTheForwardsGrids)
{
  std::mt19937 engine(4);
  const auto   depths = RandomDepths(engine, { { 8, 4, 1 } }, 3.0);
  const auto   forward = itk::SubrayAverageImageFilter::New();
  forward->SetInput(depths);
  forward->SetSubraysPerSide(4);
  forward->Update();
  // The gradient of half the sum of squares is the forward's own output.
  const auto adjoint = MakeAdjoint(depths, forward->GetOutput(), 4);
  adjoint->Update();
  EXPECT_EQ(adjoint->GetOutput()->GetBufferedRegion(), depths->GetBufferedRegion());
  EXPECT_EQ(adjoint->GetOutput()->GetSpacing(), depths->GetSpacing());
}

TEST(SubrayAverageAdjointImageFilter, RefusesBeforeAnythingIsWritten)
{
  constexpr float NaN = std::numeric_limits<float>::quiet_NaN();
  const auto      depths = MakeConstant({ { 4, 4, 1 } }, 1.0f);
  const auto      cotangent = MakeCotangent(*depths, 2, { 4.0 });
  const auto      filter = MakeAdjoint(depths, cotangent, 2);
  filter->Update();
  const auto refused = [&]() {
    const auto text = Refusal([&]() { filter->Update(); });
    EXPECT_EQ(Pixels(*filter->GetOutput()), std::vector<float>(16, 1.0f)) << "the output was touched";
    return text;
  };
  depths->SetPixel({ { 7, -1, 2 } }, -3.0f);
  depths->Modified();
  ExpectMentions(refused(), { "[7, -1, 2]", "-3" });
  depths->SetPixel({ { 7, -1, 2 } }, 1.0f);
  cotangent->SetPixel({ { 6, -2, 2 } }, NaN);
  depths->Modified();
  cotangent->Modified();
  ExpectMentions(refused(), { "Cotangents are finite", "[6, -2, 2]" });
  filter->SetWeights({ 1.0 });
  ExpectMentions(refused(), { "1 weights", "need 4" });
  filter->SetWeights({});
  filter->SetSubraysPerSide(4);
  ExpectMentions(refused(), { "[4, 4, 1]", "[2, 2, 1]", "SubraysPerSide, 4" });
  filter->SetSubraysPerSide(0);
  ExpectMentions(refused(), { "SubraysPerSide is 0" });
}

TEST(SubrayAverageAdjointImageFilter, RefusesMissingCotangentsAndSecondDerivatives)
{
  const auto depths = MakeConstant({ { 4, 4, 1 } }, 1.0f);
  const auto bare = Adjoint::New();
  bare->SetInput(depths);
  ExpectMentions(Refusal([&]() { bare->Update(); }), { "EffectiveDepthCotangent" });

  const auto first = MakeAdjoint(depths, MakeCotangent(*depths, 2, { 4.0 }), 2);
  first->Update();
  const ImageType::Pointer derivative = first->GetOutput();
  const auto               second = MakeAdjoint(derivative, MakeCotangent(*depths, 2, { 4.0 }), 2);
  ExpectMentions(Refusal([&]() { second->Update(); }), { "first derivatives only" });
  derivative->DisconnectPipeline();
  second->Update();
}

TEST(SubrayAverageAdjointImageFilter, TransmissionFormAgreesWithCentralDifferences)
{
  const std::array<float, 3>  depths{ 0.5f, 1.25f, 4.0f };
  const std::array<double, 3> weights{ 0.25, 0.625, 0.125 };
  std::array<float, 3>        cotangents{};
  radiography::compute::AverageTransmissionAdjoint(3, depths.data(), weights.data(), -3.0, cotangents.data());
  for (std::size_t i = 0; i < 3; ++i)
  {
    const float step = 0x1p-9f;
    auto        above = depths;
    auto        below = depths;
    above[i] += step;
    below[i] -= step;
    const auto transmission = [&](const std::array<float, 3> & at) {
      return radiography::compute::AverageTransmission(3, at.data(), weights.data()).transmission;
    };
    const double difference = -3.0 * (transmission(above) - transmission(below)) / (2.0 * step);
    EXPECT_NEAR(cotangents[i], difference, 2e-6) << "sub-ray " << i;
  }
}

TEST(SubrayAverageAdjointImageFilter, TransmissionFormKeepsLargeCotangentsOfDeepRays)
{
  const float  depth = 110.0f;
  const double weight = 1.0;
  float        cotangent = 0.0f;
  radiography::compute::AverageTransmissionAdjoint(1, &depth, &weight, 1e60, &cotangent);
  EXPECT_FLOAT_EQ(cotangent, static_cast<float>(-1e60 * std::exp(-110.0)));
}

TEST(SubrayAverageAdjointImageFilter, TransmissionFormRefusesWhatBinary32CannotHold)
{
  const std::array<float, 2>  depths{ 500.0f, 1.0f };
  const std::array<double, 2> weights{ 0.5, 0.5 };
  std::array<float, 2>        cotangents{ 11.0f, 12.0f };
  const auto                  run = [&](double cotangent) {
    radiography::compute::AverageTransmissionAdjoint(2, depths.data(), weights.data(), cotangent, cotangents.data());
  };
  try
  {
    run(1e60);
    ADD_FAILURE() << "nothing was refused";
  }
  catch (const std::range_error & error)
  {
    ExpectMentions(error.what(), { "sub-ray 1" });
  }
  EXPECT_THROW(run(HUGE_VAL), std::invalid_argument);
  EXPECT_EQ(cotangents, (std::array<float, 2>{ 11.0f, 12.0f })) << "something was written";
  run(0.0);
  EXPECT_EQ(cotangents, (std::array<float, 2>{ 0.0f, 0.0f }));
}

TEST(SubrayAverageAdjointImageFilter, PrintsItsState)
{
  const auto filter = Adjoint::New();
  filter->SetSubraysPerSide(1);
  filter->SetWeights({ 1.0 });
  ExpectMentions(Printed(*filter), { "SubraysPerSide: 1", "Weights: 1" });
}
