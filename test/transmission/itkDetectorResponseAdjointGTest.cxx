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
#include "TransmissionTestImages.h"
#include "itkDetectorResponseAdjointImageFilter.h"

#include <cfloat>
#include <limits>
#include <random>

using namespace testimages;
using Filter = itk::DetectorResponseAdjointImageFilter;

namespace
{

constexpr double Gain = 2.5;
constexpr double Scatter = 30.0;

struct Images
{
  ImageType::Pointer counts;
  ImageType::Pointer weights;

  explicit Images(const ImageType::SizeType & size = { { 17, 9, 2 } }, unsigned int seed = 1)
  {
    std::mt19937                          engine(seed);
    std::uniform_real_distribution<float> uniform(0.0f, 1e4f);
    std::normal_distribution<float>       normal;
    counts = Make(size, [&](std::size_t) { return uniform(engine); });
    weights = Make(size, [&](std::size_t) { return normal(engine); });
  }
};

Filter::Pointer
MakeFilter(const Images & images, unsigned int threads = 2)
{
  auto filter = Filter::New();
  filter->SetInput(images.counts);
  filter->SetReadingCotangent(images.weights);
  filter->SetGain(Gain);
  filter->SetScatter(Scatter);
  filter->SetNumberOfWorkUnits(threads);
  return filter;
}

void
ExpectWithinSumBound(double got, const reference::Terms & terms, std::size_t pixels)
{
  const reference::Real bound = reference::SumRoundings(pixels) * std::ldexp(1.0L, -53) * terms.magnitude;
  EXPECT_LE(std::abs(got - terms.sum), bound) << "got " << got << " for " << terms.sum;
}

} // namespace

TEST(DetectorResponseAdjointImageFilter, FormulasForSizesAroundTheEdgesOfSumsAndLevels)
{
  for (const ImageType::SizeType & size : { ImageType::SizeType{ { 0, 3, 1 } },
                                            ImageType::SizeType{ { 1, 1, 1 } },
                                            ImageType::SizeType{ { 255, 1, 1 } },
                                            ImageType::SizeType{ { 256, 1, 1 } },
                                            ImageType::SizeType{ { 257, 1, 1 } },
                                            ImageType::SizeType{ { 61, 41, 3 } } })
  {
    SCOPED_TRACE(testing::Message() << size);
    const Images images(size);
    const auto   filter = MakeFilter(images);
    filter->SetAccumulatedCountsCotangent(MakeConstant(size, 4.0f));
    filter->Update();
    const auto       counts = Pixels(*images.counts);
    const auto       weights = Pixels(*images.weights);
    const auto       result = Pixels(*filter->GetCountsCotangent());
    reference::Terms gain, sum;
    ASSERT_EQ(result.size(), counts.size());
    for (std::size_t i = 0; i < counts.size(); ++i)
    {
      const reference::Real weight = weights[i];
      gain.Add(weight * (counts[i] + static_cast<reference::Real>(Scatter)));
      sum.Add(weight);
      reference::Terms pixel;
      pixel.Add(static_cast<reference::Real>(Gain) * weight);
      pixel.Add(4.0L);
      reference::ExpectWithin(result[i], pixel, 3);
    }
    ExpectWithinSumBound(filter->GetGainCotangent(), gain, counts.size());
    ExpectWithinSumBound(filter->GetOffsetCotangent(), sum, counts.size());
    EXPECT_EQ(filter->GetScatterCotangent(), Gain * filter->GetOffsetCotangent());
  }
}

TEST(DetectorResponseAdjointImageFilter, ALargeImageThenASmallOneLeavesNoPartialSums)
{
  const Images large(ImageType::SizeType{ { 300, 250, 1 } });
  const Images small(ImageType::SizeType{ { 3, 1, 1 } });
  for (const Images * const images : { &large, &small })
  {
    images->counts->FillBuffer(10.0f);
    images->weights->FillBuffer(2.0f);
  }
  const auto filter = MakeFilter(large);
  filter->Update();
  EXPECT_EQ(filter->GetOffsetCotangent(), 150000.0);
  filter->SetInput(small.counts);
  filter->SetReadingCotangent(small.weights);
  filter->UpdateLargestPossibleRegion();
  EXPECT_EQ(filter->GetOffsetCotangent(), 6.0);
  EXPECT_EQ(filter->GetGainCotangent(), 240.0);
  EXPECT_EQ(filter->GetScatterCotangent(), 15.0);
}

TEST(DetectorResponseAdjointImageFilter, JacobianAndItsTransposeGiveTheSameProduct)
{
  const unsigned int               seed = 40;
  const Images                     images(ImageType::SizeType{ { 40, 30, 1 } }, seed);
  std::mt19937                     engine(seed);
  std::normal_distribution<double> normal;
  const auto                       filter = MakeFilter(images);
  filter->Update();
  const auto            counts = Pixels(*images.counts);
  const auto            weights = Pixels(*images.weights);
  const auto            result = Pixels(*filter->GetCountsCotangent());
  const reference::Real gainStep = normal(engine), scatterStep = normal(engine), offsetStep = normal(engine);
  reference::Real       forward = 0, magnitude = 0;
  reference::Real       reverse = filter->GetGainCotangent() * gainStep + filter->GetScatterCotangent() * scatterStep +
                            filter->GetOffsetCotangent() * offsetStep;
  for (std::size_t i = 0; i < counts.size(); ++i)
  {
    const reference::Real step = normal(engine);
    for (const reference::Real term : { Gain * step, gainStep * (counts[i] + Scatter), Gain * scatterStep, offsetStep })
    {
      forward += weights[i] * term;
      magnitude += std::abs(weights[i] * term);
    }
    reverse += result[i] * step;
  }
  EXPECT_LE(std::abs(forward - reverse), std::ldexp(1.0L, -23) * magnitude) << "seed " << seed;
}

TEST(DetectorResponseAdjointImageFilter, ThreadsAndRegionsGiveTheSameBits)
{
  const Images images(ImageType::SizeType{ { 131, 97, 1 } });
  const auto   whole = MakeFilter(images, 1);
  whole->Update();
  const auto expectSame = [&whole](Filter & other) {
    EXPECT_EQ(Pixels(*other.GetCountsCotangent()), Pixels(*whole->GetCountsCotangent()));
    EXPECT_EQ(other.GetGainCotangent(), whole->GetGainCotangent());
    EXPECT_EQ(other.GetScatterCotangent(), whole->GetScatterCotangent());
    EXPECT_EQ(other.GetOffsetCotangent(), whole->GetOffsetCotangent());
  };
  for (const unsigned int threads : { 2u, 7u })
  {
    const auto other = MakeFilter(images, threads);
    other->Update();
    expectSame(*other);
  }
  // A requested part is enlarged to the whole: the sums need it.
  const auto part = MakeFilter(images);
  part->GetCountsCotangent()->SetRequestedRegion(ImageType::RegionType({ { 20, 11, 2 } }, { { 33, 40, 1 } }));
  part->Update();
  expectSame(*part);
}

TEST(DetectorResponseAdjointImageFilter, WhatIsBadIsNamedBeforeAnythingIsWritten)
{
  const ImageType::IndexType place = { { 9, -1, 3 } };
  const auto                 refusal = [&](const auto & spoil, bool check = true) {
    const Images images;
    const auto   sum = MakeConstant({ { 17, 9, 2 } }, 1.0f);
    const auto   filter = MakeFilter(images);
    filter->SetAccumulatedCountsCotangent(sum);
    filter->AccumulateInPlaceOn();
    filter->Update();
    const auto before = Pixels(*sum);
    const auto gainBefore = filter->GetGainCotangent();
    images.weights->Modified();
    filter->SetCheckInputs(check);
    spoil(images, *filter);
    const auto text = Refusal([&]() { filter->Update(); });
    EXPECT_EQ(Pixels(*sum), before);
    EXPECT_EQ(filter->GetGainCotangent(), gainBefore);
    return text;
  };
  ExpectMentions(refusal([](const Images &, Filter & filter) { filter.SetGain(0.0); }), { "Gain is 0" });
  ExpectMentions(refusal([](const Images &, Filter & filter) { filter.SetScatter(-1.0); }), { "Scatter is -1" });
  ExpectMentions(refusal([&](const Images & images, Filter &) {
                   images.counts->SetPixel(place, -3.0f);
                   images.counts->Modified();
                 }),
                 { "Counts are", "[9, -1, 3] is -3" });
  const auto bigWeight = [&](const Images & images, Filter &) { images.weights->SetPixel(place, FLT_MAX); };
  ExpectMentions(refusal(bigWeight), { "The counts cotangent at pixel [9, -1, 3] is 8.5", "e+38" });
  ExpectMentions(refusal(bigWeight, false), { "The counts cotangent at pixel [9, -1, 3]" });
  ExpectMentions(refusal([](const Images & images, Filter & filter) {
                   images.weights->FillBuffer(10.0f);
                   filter.SetScatter(1e308);
                 }),
                 { "The gain cotangent, summed over all pixels" });
}

TEST(DetectorResponseAdjointImageFilter, RefusesWhatItsBaseRefuses)
{
  const Images images;
  const auto   filter = MakeFilter(images);
  filter->Update();
  filter->Modified();
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "ReadingCotangent was consumed" });
  filter->SetReadingCotangent(nullptr);
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "No cotangent", "SetReadingCotangent()" });
  const auto upstream = MakeFilter(images);
  filter->SetInput(upstream->GetOutput());
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "The counts image", "first derivatives only" });
}

TEST(DetectorResponseAdjointImageFilter, PrintsItsState)
{
  const auto filter = MakeFilter(Images());
  ExpectMentions(Printed(*filter),
                 { "Gain: 2.5",
                   "Scatter: 30",
                   "GainCotangent: 0",
                   "ScatterCotangent: 0",
                   "OffsetCotangent: 0",
                   "ReadingCotangent" });
}
