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
#include "itkTransmissionAdjointImageFilter.h"

#include "itkShiftScaleImageFilter.h"
#include "itkStreamingImageFilter.h"

#include <array>
#include <cfloat>
#include <limits>
#include <random>

using namespace testimages;
using Filter = itk::TransmissionAdjointImageFilter;
using Forward = itk::TransmissionImageFilter;
using Form = Filter::OpenBeamFormEnum;

namespace
{

constexpr float NaN = std::numeric_limits<float>::quiet_NaN();

const ImageType::SizeType SmallSize = { { 17, 9, 2 } };
const ImageType::SizeType OnePixelSize = { { 1, 1, 1 } };

/** Images for every input; what a test does not want it sets to null. */
struct Images
{
  ImageType::Pointer                depths;
  ImageType::Pointer                beams;
  ImageType::Pointer                shared;
  std::array<ImageType::Pointer, 4> weights;

  explicit Images(const ImageType::SizeType & size = SmallSize, unsigned int seed = 1)
  {
    std::mt19937                          engine(seed);
    std::uniform_real_distribution<float> uniform(0.0f, 1.0f);
    std::normal_distribution<float>       normal;
    depths = Make(size, [&](std::size_t) { return 9.0f * uniform(engine); });
    // Every fifth detector pixel sees no beam.
    beams = Make(size, [&](std::size_t i) { return i % 5 == 0 ? 0.0f : 1e5f * uniform(engine); });
    shared = MakeConstant(OnePixelSize, 54321.0f);
    const float scales[4] = { 1e3f, 0.1f, 10.0f, 2e3f };
    for (std::size_t k = 0; k < 4; ++k)
    {
      weights[k] = Make(size, [&](std::size_t) { return scales[k] * normal(engine); });
    }
  }
};

void
SetWeights(Filter & filter, const Images & images, unsigned int subset)
{
  const auto chosen = [&](unsigned int k) {
    return ((subset >> k) & 1u) != 0 ? images.weights[k].GetPointer() : nullptr;
  };
  filter.SetTransmissionCotangent(chosen(0));
  filter.SetCountsCotangent(chosen(1));
  filter.SetLogTransmissionCotangent(chosen(2));
  filter.SetRemovedCotangent(chosen(3));
}

template <typename TFilter>
void
SetForm(TFilter & filter, const Images & images, Form form)
{
  switch (form)
  {
    case Form::None:
      filter.ClearOpenBeamCounts();
      break;
    case Form::Number:
      filter.SetOpenBeamCounts(1234.5);
      break;
    case Form::SharedImage:
      filter.SetSharedOpenBeamCountsImage(images.shared);
      break;
    case Form::PixelImage:
      filter.SetOpenBeamCountsImage(images.beams);
      break;
  }
}

Filter::Pointer
MakeFilter(const Images & images, unsigned int subset, Form form, bool active, unsigned int threads = 2)
{
  auto filter = Filter::New();
  filter->SetInput(images.depths);
  SetForm(*filter, images, form);
  filter->SetOpenBeamActive(active);
  SetWeights(*filter, images, subset);
  filter->SetNumberOfWorkUnits(threads);
  return filter;
}

/** What the filter was given at a pixel, in raster order. */
std::vector<reference::Pixel>
PixelsOf(const Filter & filter)
{
  const auto valuesOf = [](const ImageType * image) { return image ? Pixels(*image) : std::vector<float>(); };
  const auto depths = valuesOf(filter.GetInput());
  const auto beams = valuesOf(filter.GetOpenBeamCountsImage());
  const std::array<std::vector<float>, 4> weights{ valuesOf(filter.GetTransmissionCotangent()),
                                                   valuesOf(filter.GetCountsCotangent()),
                                                   valuesOf(filter.GetLogTransmissionCotangent()),
                                                   valuesOf(filter.GetRemovedCotangent()) };
  std::vector<reference::Pixel>           pixels(depths.size());
  for (std::size_t i = 0; i < pixels.size(); ++i)
  {
    const auto at = [i](const std::vector<float> & values) { return values.empty() ? 0.0f : values[i]; };
    const bool perPixel = filter.GetOpenBeamForm() == Form::PixelImage;
    pixels[i] = {
      depths[i],      beams.empty() ? static_cast<float>(filter.GetOpenBeamCounts()) : beams[perPixel ? i : 0],
      at(weights[0]), at(weights[1]),
      at(weights[2]), at(weights[3])
    };
  }
  return pixels;
}

/** Outputs against the formulas; `before` is what each result was accumulated on. */
void
ExpectFormulas(Filter & filter, float depthBefore = 0.0f, float beamBefore = 0.0f)
{
  const auto pixels = PixelsOf(filter);
  const auto depths = Pixels(*filter.GetDepthCotangent());
  ASSERT_EQ(depths.size(), pixels.size());
  const bool       shared = filter.GetOpenBeamForm() == Form::SharedImage;
  reference::Terms sum;
  sum.Add(beamBefore);
  for (std::size_t i = 0; i < pixels.size(); ++i)
  {
    SCOPED_TRACE(i);
    reference::Terms depth = reference::DepthCotangent(pixels[i]);
    depth.Add(depthBefore);
    reference::ExpectWithin(depths[i], depth, reference::PixelRoundings);
    reference::Terms beam = reference::OpenBeamCotangent(pixels[i]);
    sum.Add(beam.sum);
    if (filter.GetOpenBeamActive() && !shared)
    {
      beam.Add(beamBefore);
      reference::ExpectWithin(Pixels(*filter.GetOpenBeamCotangent())[i], beam, reference::PixelRoundings);
    }
  }
  if (filter.GetOpenBeamActive() && shared)
  {
    ASSERT_EQ(Pixels(*filter.GetOpenBeamCotangent()).size(), 1u);
    reference::ExpectWithin(Pixels(*filter.GetOpenBeamCotangent())[0], sum, reference::SumRoundings(pixels.size()));
  }
}

ImageType::Pointer
CopyOf(const ImageType & image)
{
  const auto values = Pixels(image);
  const auto copy = Make(
    image.GetBufferedRegion().GetSize(),
    [&](std::size_t i) { return values[i]; },
    image.GetBufferedRegion().GetIndex());
  return copy;
}

/** Both outputs and what they are accumulated on must survive `run`, which is refused. */
template <typename TRun>
std::string
RefusalThatTouchesNothing(Filter & filter, const TRun & run)
{
  const auto snapshot = [&filter]() {
    std::vector<std::vector<float>> values;
    for (const ImageType * const image : { static_cast<const ImageType *>(filter.GetDepthCotangent()),
                                           static_cast<const ImageType *>(filter.GetOpenBeamCotangent()),
                                           filter.GetAccumulatedDepthCotangent(),
                                           filter.GetAccumulatedOpenBeamCotangent() })
    {
      values.push_back(image ? Pixels(*image) : std::vector<float>());
    }
    return values;
  };
  const auto before = snapshot();
  const auto text = Refusal(run);
  EXPECT_EQ(snapshot(), before) << "a refused execution wrote something";
  return text;
}

} // namespace

TEST(TransmissionAdjointImageFilter, EverySubsetOfCotangentsWithEveryFormOfOpenBeam)
{
  const Images images;
  for (const Form form : { Form::None, Form::Number, Form::SharedImage, Form::PixelImage })
  {
    const bool image = form == Form::SharedImage || form == Form::PixelImage;
    for (const bool active : { false, true })
    {
      for (unsigned int subset = 1; subset < 16 && (image || !active); ++subset)
      {
        SCOPED_TRACE(testing::Message() << form << (active ? ", active" : ", fixed") << ", subset " << subset);
        const auto filter = MakeFilter(images, subset, form, active);
        EXPECT_EQ(filter->GetOpenBeamForm(), form);
        if (form == Form::None && (subset & 2u) != 0)
        {
          ExpectMentions(Refusal([&]() { filter->Update(); }), { "counts cotangent", "SetOpenBeamCounts" });
          continue;
        }
        filter->Update();
        ExpectFormulas(*filter);
        if (!active)
        {
          EXPECT_EQ(filter->GetOpenBeamCotangent()->GetPixelContainer()->Size(), 0u) << "n0 is fixed";
        }
      }
    }
  }
}

TEST(TransmissionAdjointImageFilter, WhatCannotBeDifferentiatedIsRefused)
{
  const Images images;
  ExpectMentions(Refusal([&]() { MakeFilter(images, 0, Form::None, false)->Update(); }),
                 { "No cotangent", "SetTransmissionCotangent", "SetRemovedCotangent" });
  ExpectMentions(Refusal([&]() { MakeFilter(images, 2, Form::Number, true)->Update(); }),
                 { "Form::Number", "never differentiated", "OpenBeamActiveOff" });
  ExpectMentions(Refusal([&]() { MakeFilter(images, 1, Form::None, true)->Update(); }), { "Form::None" });
  const auto filter = MakeFilter(images, 2, Form::PixelImage, false);
  filter->SetAccumulatedOpenBeamCotangent(images.beams);
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "not active", "OpenBeamActiveOn" });
  const auto number = MakeFilter(images, 2, Form::None, false);
  number->SetOpenBeamCounts(1e39);
  ExpectMentions(Refusal([&]() { number->Update(); }), { "OpenBeamCounts is 1e" });
}

TEST(TransmissionAdjointImageFilter, JacobianAndItsTransposeGiveTheSameProduct)
{
  const unsigned int               seed = 30;
  Images                           images(SmallSize, seed);
  std::mt19937                     engine(seed);
  std::normal_distribution<double> normal;
  for (const Form form : { Form::PixelImage, Form::SharedImage })
  {
    const auto filter = MakeFilter(images, 15, form, true);
    filter->RetainCotangentsOn();
    filter->Update();
    const auto       pixels = PixelsOf(*filter);
    const auto       depths = Pixels(*filter->GetDepthCotangent());
    const auto       beams = Pixels(*filter->GetOpenBeamCotangent());
    reference::Real  forward = 0, reverse = 0, bound = 0;
    const double     sharedStep = 50.0 * normal(engine);
    reference::Terms shared;
    for (std::size_t i = 0; i < pixels.size(); ++i)
    {
      const reference::Real depthStep = normal(engine);
      const reference::Real beamStep = form == Form::SharedImage ? sharedStep : 50.0 * normal(engine);
      const auto            depth = reference::DepthCotangent(pixels[i]);
      const auto            beam = reference::OpenBeamCotangent(pixels[i]);
      const auto            factor = std::exp(-pixels[i].depth);
      forward += (pixels[i].removedWeight - pixels[i].transmissionWeight) * factor * depthStep -
                 pixels[i].logWeight * depthStep +
                 pixels[i].countsWeight * factor * (beamStep - pixels[i].openBeam * depthStep);
      reverse += depths[i] * depthStep;
      bound += reference::Bound(depth, reference::PixelRoundings) * std::abs(depthStep);
      shared.Add(beam.sum);
      if (form == Form::PixelImage)
      {
        reverse += beams[i] * beamStep;
        bound += reference::Bound(beam, reference::PixelRoundings) * std::abs(beamStep);
      }
    }
    if (form == Form::SharedImage)
    {
      reverse += beams[0] * sharedStep;
      bound += reference::Bound(shared, reference::SumRoundings(pixels.size())) * std::abs(sharedStep);
    }
    EXPECT_LE(std::abs(forward - reverse), bound) << form << ", seed " << seed;
    EXPECT_GT(std::abs(forward), bound) << "a product that vanishes compares nothing";
  }
}

TEST(TransmissionAdjointImageFilter, ZeroBeamHasADerivative)
{
  Images images;
  images.beams->FillBuffer(0.0f);
  const auto filter = MakeFilter(images, 2, Form::PixelImage, true);
  filter->Update();
  ExpectFormulas(*filter);
  const auto beams = Pixels(*filter->GetOpenBeamCotangent());
  EXPECT_EQ(std::count(beams.begin(), beams.end(), 0.0f), 0) << "counts / n0 would not know it";
}

TEST(TransmissionAdjointImageFilter, WithoutACountsCotangentTheOpenBeamCotangentIsZero)
{
  for (const Form form : { Form::SharedImage, Form::PixelImage })
  {
    const auto filter = MakeFilter(Images(), 13, form, true);
    filter->Update();
    for (const float value : Pixels(*filter->GetOpenBeamCotangent()))
    {
      EXPECT_EQ(value, 0.0f);
    }
  }
}

// T and counts have underflowed at these depths; weights bring the products back.
TEST(TransmissionAdjointImageFilter, ExtremeWeightsSurviveUnderflow)
{
  const ImageType::SizeType size = { { 6, 1, 1 } };
  const double              depths[6] = { 110.0, 110.0, 160.0, 190.0, 250.0, 280.0 };
  Images                    images(size);
  images.depths = Make(size, [&](std::size_t i) { return depths[i]; });
  images.beams = Make(size, [](std::size_t i) { return i < 2 ? 1e30f : FLT_MAX; });
  images.weights[0] = MakeConstant(size, FLT_MAX);
  images.weights[1] = Make(size, [](std::size_t i) { return i == 0 ? 1.0f : -FLT_MAX; });
  const auto counts = MakeFilter(images, 2, Form::PixelImage, true);
  counts->Update();
  ExpectFormulas(*counts);
  const auto result = Pixels(*counts->GetDepthCotangent());
  EXPECT_NEAR(result[0], -1.69e-18, 0.005e-18) << "minus the count";
  EXPECT_GT(result[5], 0.0f);
  const auto beams = Pixels(*counts->GetOpenBeamCotangent());
  EXPECT_NEAR(beams[1], -3.40282347e38 * std::exp(-110.0), 1e-16);
  EXPECT_LT(beams[3], 0.0f) << "a subnormal result";

  const auto transmission = MakeFilter(images, 1, Form::None, false);
  transmission->Update();
  ExpectFormulas(*transmission);
  EXPECT_LT(Pixels(*transmission->GetDepthCotangent())[2], -1e-32f);
  EXPECT_EQ(Pixels(*transmission->GetDepthCotangent())[5], 0.0f) << "underflow is legitimate";
}

TEST(TransmissionAdjointImageFilter, SubnormalInputsAndResults)
{
  const ImageType::SizeType size = { { 40, 1, 1 } };
  Images                    images(size);
  const float               least = std::numeric_limits<float>::denorm_min();
  images.depths = Make(size, [&](std::size_t i) { return i % 2 == 0 ? least : 0.2 * static_cast<double>(i); });
  images.beams = Make(size, [&](std::size_t i) { return i % 3 == 0 ? least : 1e-40; });
  images.weights[0] = Make(size, [&](std::size_t i) { return least * static_cast<float>(3 * i); });
  images.weights[1] = Make(size, [&](std::size_t i) { return i % 4 == 0 ? 1e38 : least; });
  images.weights[2] = MakeConstant(size, -1e-41f);
  images.weights[3] = MakeConstant(size, 1e-39f);
  for (unsigned int subset = 1; subset < 16; ++subset)
  {
    const auto filter = MakeFilter(images, subset, Form::PixelImage, true);
    filter->Update();
    ExpectFormulas(*filter);
  }
}

TEST(TransmissionAdjointImageFilter, CancellationLeavesAnErrorOfTheMagnitudes)
{
  Images images;
  images.weights[0]->FillBuffer(1e30f);
  images.weights[3]->FillBuffer(std::nextafter(1e30f, 2e30f));
  const auto removed = MakeFilter(images, 9, Form::None, false);
  removed->Update();
  ExpectFormulas(*removed);

  // -lambda' n0 exp(-L) against -l', which is its negative but for the last digit.
  images.weights[1]->FillBuffer(3e7f);
  const auto depths = Pixels(*images.depths);
  images.weights[2] =
    Make(SmallSize, [&](std::size_t i) { return -3e7 * 1234.5 * std::exp(-static_cast<double>(depths[i])); });
  const auto counts = MakeFilter(images, 6, Form::Number, false);
  counts->Update();
  ExpectFormulas(*counts);
}

TEST(TransmissionAdjointImageFilter, SizesAroundTheEdgesOfSumsAndLevels)
{
  for (const ImageType::SizeType & size : { ImageType::SizeType{ { 0, 3, 1 } },
                                            ImageType::SizeType{ { 1, 1, 1 } },
                                            ImageType::SizeType{ { 255, 1, 1 } },
                                            ImageType::SizeType{ { 256, 1, 1 } },
                                            ImageType::SizeType{ { 257, 1, 1 } },
                                            ImageType::SizeType{ { 1, 257, 1 } },
                                            ImageType::SizeType{ { 61, 41, 3 } } })
  {
    SCOPED_TRACE(testing::Message() << size);
    for (const Form form : { Form::SharedImage, Form::PixelImage })
    {
      const auto filter = MakeFilter(Images(size), 15, form, true);
      filter->Update();
      ExpectFormulas(*filter);
    }
  }
}

// Terms of one size that do not cancel: a lost or doubled run of 256 would show.
TEST(TransmissionAdjointImageFilter, ALargeImageThenASmallOneLeavesNoPartialSums)
{
  Images large(ImageType::SizeType{ { 300, 250, 1 } });
  large.depths->FillBuffer(0.0f);
  large.weights[1]->FillBuffer(2.0f);
  Images small(ImageType::SizeType{ { 3, 1, 1 } });
  small.depths->FillBuffer(0.0f);
  small.weights[1]->FillBuffer(2.0f);
  const auto filter = MakeFilter(large, 2, Form::SharedImage, true);
  filter->Update();
  EXPECT_EQ(Pixels(*filter->GetOpenBeamCotangent())[0], 150000.0f);
  filter->SetInput(small.depths);
  SetWeights(*filter, small, 2);
  filter->UpdateLargestPossibleRegion();
  EXPECT_EQ(Pixels(*filter->GetOpenBeamCotangent())[0], 6.0f);
  EXPECT_EQ(Pixels(*filter->GetDepthCotangent()).size(), 3u);
}

TEST(TransmissionAdjointImageFilter, PassesAddUnlessZeroedThenTheyRepeat)
{
  for (const Form form : { Form::SharedImage, Form::PixelImage })
  {
    SCOPED_TRACE(form);
    const Images images;
    const auto   plain = MakeFilter(images, 15, form, true);
    plain->Update();
    const auto once = Pixels(*plain->GetDepthCotangent());
    const auto onceBeam = Pixels(*plain->GetOpenBeamCotangent());

    const auto depthSum = MakeConstant(SmallSize, 0.0f);
    const auto beamSum = MakeConstant(form == Form::SharedImage ? OnePixelSize : SmallSize, 0.0f);
    const auto filter = MakeFilter(images, 15, form, true);
    filter->SetAccumulatedDepthCotangent(depthSum);
    filter->SetAccumulatedOpenBeamCotangent(beamSum);
    filter->AccumulateInPlaceOn();
    const auto pass = [&]() {
      for (const auto & weights : images.weights)
      {
        weights->Modified();
      }
      filter->Update();
    };
    const auto twice = [](std::vector<float> values) {
      for (float & value : values)
      {
        value *= 2.0f;
      }
      return values;
    };
    pass();
    EXPECT_EQ(Pixels(*depthSum), once) << "the caller's own buffer";
    EXPECT_EQ(Pixels(*filter->GetDepthCotangent()), once);
    EXPECT_EQ(Pixels(*beamSum), onceBeam);
    pass();
    // Each entry is v + v: exact but for the one rounding of the binary64 sum of the rounded and the unrounded v.
    const auto depths = Pixels(*depthSum);
    for (std::size_t i = 0; i < once.size(); ++i)
    {
      EXPECT_FLOAT_EQ(depths[i], twice(once)[i]);
    }
    for (std::size_t i = 0; i < onceBeam.size(); ++i)
    {
      EXPECT_FLOAT_EQ(Pixels(*beamSum)[i], twice(onceBeam)[i]);
    }
    depthSum->FillBuffer(0.0f);
    depthSum->Modified();
    beamSum->FillBuffer(0.0f);
    beamSum->Modified();
    pass();
    EXPECT_EQ(Pixels(*depthSum), once) << "zeroing repeats the bits";
    EXPECT_EQ(Pixels(*beamSum), onceBeam);
  }
}

TEST(TransmissionAdjointImageFilter, AccumulationHasOneRoundingAndLeavesItsImageAlone)
{
  for (const Form form : { Form::SharedImage, Form::PixelImage })
  {
    const auto depthSum = MakeConstant(SmallSize, 123.0f);
    const auto beamSum = MakeConstant(form == Form::SharedImage ? OnePixelSize : SmallSize, -7.5f);
    const auto filter = MakeFilter(Images(), 15, form, true);
    filter->SetAccumulatedDepthCotangent(depthSum);
    filter->SetAccumulatedOpenBeamCotangent(beamSum);
    filter->Update();
    ExpectFormulas(*filter, 123.0f, -7.5f);
    EXPECT_EQ(Pixels(*depthSum), std::vector<float>(Pixels(*depthSum).size(), 123.0f));
    EXPECT_EQ(Pixels(*beamSum), std::vector<float>(Pixels(*beamSum).size(), -7.5f));
  }
}

TEST(TransmissionAdjointImageFilter, AnOutputOfAnEarlierPassCanBeAccumulatedOn)
{
  const Images images;
  const auto   filter = MakeFilter(images, 1, Form::None, false);
  filter->Update();
  const ImageType::Pointer first = filter->GetDepthCotangent();
  ExpectMentions(Refusal([&]() { filter->SetAccumulatedDepthCotangent(first); }), { "DisconnectPipeline" });
  first->DisconnectPipeline();
  const auto once = Pixels(*first);
  filter->SetAccumulatedDepthCotangent(first);
  images.weights[0]->Modified();
  filter->Update();
  EXPECT_FLOAT_EQ(Pixels(*filter->GetDepthCotangent())[3], 2.0f * once[3]);
  EXPECT_EQ(Pixels(*first), once);
}

TEST(TransmissionAdjointImageFilter, InPlaceIsRefusedWhereItIsNotSafe)
{
  const Images images;
  const auto   filter = MakeFilter(images, 1, Form::None, false);
  filter->AccumulateInPlaceOn();
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "no image to accumulate on", "AccumulateInPlaceOff" });

  const auto upstream = itk::ShiftScaleImageFilter<ImageType, ImageType>::New();
  upstream->SetInput(MakeConstant(SmallSize, 1.0f));
  filter->SetAccumulatedDepthCotangent(upstream->GetOutput());
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "ShiftScaleImageFilter", "DisconnectPipeline" });

  filter->SetAccumulatedDepthCotangent(MakeConstant(SmallSize, 1.0f));
  filter->GetDepthCotangent()->SetRequestedRegion(ImageType::RegionType({ { 6, -2, 2 } }, { { 4, 4, 1 } }));
  ExpectMentions(RefusalThatTouchesNothing(*filter, [&]() { filter->Update(); }), { "whole image", "[4, 4, 1]" });
}

TEST(TransmissionAdjointImageFilter, AfterInPlaceTheOutputHasItsOwnBufferAgain)
{
  const Images images;
  const auto   filter = MakeFilter(images, 1, Form::None, false);
  const auto   sum = MakeConstant(SmallSize, 1.0f);
  filter->SetAccumulatedDepthCotangent(sum);
  filter->AccumulateInPlaceOn();
  filter->Update();
  const auto afterFirst = Pixels(*sum);
  EXPECT_EQ(filter->GetDepthCotangent()->GetBufferPointer(), sum->GetBufferPointer());
  filter->AccumulateInPlaceOff();
  images.weights[0]->Modified();
  filter->Update();
  EXPECT_EQ(Pixels(*sum), afterFirst);
  EXPECT_NE(filter->GetDepthCotangent()->GetBufferPointer(), sum->GetBufferPointer());
  EXPECT_NE(Pixels(*filter->GetDepthCotangent()), afterFirst);
}

TEST(TransmissionAdjointImageFilter, CotangentsAreConsumedOnceUnlessRetained)
{
  const Images images;
  const auto   filter = MakeFilter(images, 3, Form::PixelImage, true);
  filter->Update();
  filter->Update(); // nothing is modified: no second execution
  filter->Modified();
  ExpectMentions(RefusalThatTouchesNothing(*filter, [&]() { filter->Update(); }),
                 { "TransmissionCotangent was consumed", "RetainCotangentsOn", "Modified()", "streaming" });
  images.weights[0]->Modified();
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "CountsCotangent was consumed" });
  images.weights[1]->Modified();
  filter->Update();
  // Under another name it is the same image, and still consumed.
  filter->SetTransmissionCotangent(nullptr);
  filter->SetCountsCotangent(nullptr);
  filter->SetRemovedCotangent(images.weights[0]);
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "RemovedCotangent was consumed" });
  filter->RetainCotangentsOn();
  filter->Update();
  filter->Modified();
  filter->Update();
  ExpectFormulas(*filter);
}

TEST(TransmissionAdjointImageFilter, ARefusedPassConsumesNothing)
{
  const Images images;
  const auto   filter = MakeFilter(images, 1, Form::None, false);
  images.depths->SetPixel({ { 5, -3, 2 } }, -1.0f);
  Refusal([&]() { filter->Update(); });
  images.depths->SetPixel({ { 5, -3, 2 } }, 1.0f);
  images.depths->Modified();
  filter->Update();
  ExpectFormulas(*filter);
}

TEST(TransmissionAdjointImageFilter, StreamedRegionsNeedRetainedCotangents)
{
  const Images images;
  const auto   whole = MakeFilter(images, 15, Form::PixelImage, false);
  whole->Update();
  const auto source = MakeFilter(images, 15, Form::PixelImage, false);
  const auto stream = [&source]() {
    // A new one each time: ITK's does not run again after an exception.
    const auto streamed = itk::StreamingImageFilter<ImageType, ImageType>::New();
    streamed->SetInput(source->GetDepthCotangent());
    streamed->SetNumberOfStreamDivisions(3);
    streamed->Update();
    return Pixels(*streamed->GetOutput());
  };
  ExpectMentions(Refusal(stream), { "consumed", "streaming in pieces", "RetainCotangentsOn" });
  source->RetainCotangentsOn();
  EXPECT_EQ(stream(), Pixels(*whole->GetDepthCotangent()));
}

TEST(TransmissionAdjointImageFilter, TheForwardGivesInputsAndForm)
{
  const Images images;
  for (const Form form : { Form::None, Form::Number, Form::SharedImage, Form::PixelImage })
  {
    const auto forward = Forward::New();
    forward->SetInput(images.depths);
    SetForm(*forward, images, form);
    forward->Update();
    const auto filter = Filter::New();
    filter->SetForward(forward);
    EXPECT_EQ(filter->GetForward(), forward.GetPointer());
    EXPECT_EQ(filter->GetInput(), images.depths.GetPointer());
    EXPECT_EQ(filter->GetOpenBeamForm(), form);
    EXPECT_EQ(filter->GetOpenBeamCounts(), forward->GetOpenBeamCounts());
    EXPECT_EQ(filter->GetOpenBeamCountsImage(), forward->GetOpenBeamCountsImage());
    SetWeights(*filter, images, form == Form::None ? 13 : 15);
    for (const auto & weights : images.weights)
    {
      weights->Modified();
    }
    filter->Update();
    ExpectFormulas(*filter);
  }
}

TEST(TransmissionAdjointImageFilter, AStaleForwardIsRefused)
{
  const auto staleAfter = [](const auto & change) {
    Images     images;
    const auto forward = Forward::New();
    forward->SetInput(images.depths);
    forward->SetOpenBeamCountsImage(images.beams);
    forward->Update();
    const auto filter = Filter::New();
    filter->SetForward(forward);
    filter->RetainCotangentsOn();
    SetWeights(*filter, images, 15);
    filter->Update();
    change(images, *forward, *filter);
    const auto text = RefusalThatTouchesNothing(*filter, [&]() { filter->Update(); });
    filter->SetForward(nullptr);
    filter->UpdateLargestPossibleRegion(); // on its own it goes on
    return text;
  };
  ExpectMentions(staleAfter([](Images & images, Forward &, Filter &) { images.depths->Modified(); }),
                 { "The depth image was modified", "time stamp", "Update() again" });
  ExpectMentions(staleAfter([](Images & images, Forward &, Filter &) { images.beams->Modified(); }),
                 { "The open-beam image was modified" });
  ExpectMentions(staleAfter([](Images &, Forward & forward, Filter & filter) {
                   forward.SetOpenBeamCounts(3.0);
                   filter.SetOpenBeamCounts(3.0);
                 }),
                 { "The open-beam image is another one" });
  ExpectMentions(staleAfter([](Images & images, Forward & forward, Filter & filter) {
                   const auto other = CopyOf(*images.depths);
                   forward.SetInput(other);
                   filter.SetInput(other);
                 }),
                 { "The depth image is another one" });
  ExpectMentions(staleAfter([](Images & images, Forward & forward, Filter &) {
                   forward.SetInput(CopyOf(*images.depths));
                   forward.Update();
                 }),
                 { "no longer that of the forward", "SetForward() again" });
  ExpectMentions(staleAfter([](Images & images, Forward &, Filter & filter) {
                   // The same images, but of another size than was evaluated.
                   const Images small(ImageType::SizeType{ { 4, 2, 1 } });
                   for (std::size_t k = 0; k < 4; ++k)
                   {
                     images.weights[k]->Graft(small.weights[k]);
                   }
                   images.depths->Graft(small.depths);
                   images.beams->Graft(small.beams);
                   filter.GetDepthCotangent()->SetRequestedRegion(small.depths->GetLargestPossibleRegion());
                 }),
                 { "of another size", "[17, 9, 2]", "[4, 2, 1]" });

  const Images images;
  const auto   forward = Forward::New();
  forward->SetInput(images.depths);
  const auto filter = Filter::New();
  filter->SetForward(forward);
  SetWeights(*filter, images, 1);
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "has not been evaluated", "Update() first" });
}

TEST(TransmissionAdjointImageFilter, AForwardWhoseNumberChangedIsRefused)
{
  const Images images;
  const auto   forward = Forward::New();
  forward->SetInput(images.depths);
  forward->SetOpenBeamCounts(10.0);
  forward->Update();
  const auto filter = Filter::New();
  filter->SetForward(forward);
  SetWeights(*filter, images, 2);
  forward->SetOpenBeamCounts(11.0);
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "SetForward() again" });
  filter->SetForward(forward);
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "was", "Number 10", "Number 11" });
  forward->Update();
  filter->Update();
  ExpectFormulas(*filter);
}

// A pipeline in which the cotangents are computed from the forward's own output.
TEST(TransmissionAdjointImageFilter, AForwardUpstreamOfTheCotangentsIsEvaluatedByThem)
{
  const Images images;
  const auto   upstream = itk::ShiftScaleImageFilter<ImageType, ImageType>::New();
  upstream->SetInput(images.depths);
  upstream->SetScale(0.5);
  const auto forward = Forward::New();
  forward->SetInput(upstream->GetOutput());
  const auto weights = itk::ShiftScaleImageFilter<ImageType, ImageType>::New();
  weights->SetInput(forward->GetTransmission());
  const auto filter = Filter::New();
  filter->SetForward(forward);
  filter->SetTransmissionCotangent(weights->GetOutput());
  filter->Update();
  ExpectFormulas(*filter);
  upstream->SetScale(0.25);
  filter->Update();
  ExpectFormulas(*filter);
}

TEST(TransmissionAdjointImageFilter, BadValuesAreNamedBeforeAnythingIsWritten)
{
  const auto refusal = [](const auto & spoil, bool check) {
    Images     images;
    const auto filter = MakeFilter(images, 15, Form::PixelImage, true);
    filter->SetAccumulatedDepthCotangent(MakeConstant(SmallSize, 3.0f));
    filter->AccumulateInPlaceOn();
    filter->Update();
    for (const auto & weights : images.weights)
    {
      weights->Modified();
    }
    spoil(images);
    filter->SetCheckInputs(check);
    return RefusalThatTouchesNothing(*filter, [&]() { filter->Update(); });
  };
  const ImageType::IndexType place = { { 9, -1, 3 } };
  const char * const         names[4] = {
            "TransmissionCotangent", "CountsCotangent", "LogTransmissionCotangent", "RemovedCotangent"
  };
  for (std::size_t k = 0; k < 4; ++k)
  {
    const auto spoil = [&](Images & images) { images.weights[k]->SetPixel(place, NaN); };
    ExpectMentions(refusal(spoil, true), { names[k], "is finite", "[9, -1, 3]" });
    // Unchecked, the range of the result is still looked at.
    ExpectMentions(refusal(spoil, false), { "depth cotangent at pixel [9, -1, 3]" });
  }
  const auto badDepth = [&](Images & images) {
    images.depths->SetPixel(place, -0.5f);
    images.depths->Modified();
  };
  ExpectMentions(refusal(badDepth, true), { "Optical depths", "[9, -1, 3]", "-0.5" });
  const auto badBeam = [&](Images & images) {
    images.beams->SetPixel(place, -2.0f);
    images.beams->Modified();
  };
  ExpectMentions(refusal(badBeam, true), { "Open-beam counts", "[9, -1, 3]", "-2" });
}

TEST(TransmissionAdjointImageFilter, UncheckedSkipsTheScanOnly)
{
  Images images;
  images.depths->SetPixel({ { 5, -3, 2 } }, -2.0f);
  const auto filter = MakeFilter(images, 1, Form::None, false);
  filter->CheckInputsOff();
  filter->Update();
  ExpectFormulas(*filter);
  images.depths->SetPixel({ { 5, -3, 2 } }, -200.0f);
  images.depths->Modified();
  images.weights[0]->Modified();
  ExpectMentions(RefusalThatTouchesNothing(*filter, [&]() { filter->Update(); }), { "depth cotangent", "[5, -3, 2]" });
}

TEST(TransmissionAdjointImageFilter, AGradientOutOfRangeIsNamedBeforeAnythingIsWritten)
{
  for (const unsigned int threads : { 1u, 2u, 7u })
  {
    for (const bool inPlace : { false, true })
    {
      Images images;
      images.beams->FillBuffer(10.0f);
      images.shared->FillBuffer(1.0f);
      const auto filter = MakeFilter(images, 2, Form::PixelImage, true, threads);
      filter->SetAccumulatedDepthCotangent(MakeConstant(SmallSize, 1.0f));
      filter->SetAccumulatedOpenBeamCotangent(MakeConstant(SmallSize, 2.0f));
      filter->SetAccumulateInPlace(inPlace);
      filter->Update();
      const auto refusal = [&]() {
        images.weights[1]->Modified();
        return RefusalThatTouchesNothing(*filter, [&]() { filter->Update(); });
      };
      images.weights[1]->SetPixel({ { 9, -1, 2 } }, FLT_MAX);
      images.weights[1]->SetPixel({ { 10, -1, 3 } }, FLT_MAX);
      images.depths->SetPixel({ { 9, -1, 2 } }, 0.5f);
      ExpectMentions(refusal(), { "The depth cotangent at pixel [9, -1, 2] is -2.06", "e+39", "accumulated" });
      // Deep enough it is in range, but the open beam's is not when there is something already.
      images.beams->FillBuffer(0.0f);
      images.depths->SetPixel({ { 9, -1, 2 } }, 0.0f);
      const auto full = MakeConstant(SmallSize, FLT_MAX);
      filter->SetAccumulatedOpenBeamCotangent(full);
      ExpectMentions(refusal(), { "The open-beam cotangent at pixel [9, -1, 2] is 6.8" });
      EXPECT_EQ(Pixels(*full), std::vector<float>(Pixels(*full).size(), FLT_MAX));
    }
  }
}

TEST(TransmissionAdjointImageFilter, ASharedGradientOutOfRangeIsRefused)
{
  Images     images;
  const auto filter = MakeFilter(images, 2, Form::SharedImage, true);
  filter->SetAccumulatedDepthCotangent(MakeConstant(SmallSize, 1.0f));
  filter->AccumulateInPlaceOn();
  images.shared->FillBuffer(0.0f);
  images.depths->FillBuffer(0.0f);
  images.weights[1]->FillBuffer(FLT_MAX / 2);
  ExpectMentions(RefusalThatTouchesNothing(*filter, [&]() { filter->Update(); }),
                 { "open-beam cotangent, summed over all pixels, is 5.2", "e+40" });
  // Sums of large terms that cancel are in range.
  images.weights[1] = Make(SmallSize, [](std::size_t i) { return i % 2 == 0 ? FLT_MAX : -FLT_MAX; });
  filter->SetCountsCotangent(images.weights[1]);
  filter->Update();
  EXPECT_EQ(Pixels(*filter->GetOpenBeamCotangent())[0], 0.0f);
}

TEST(TransmissionAdjointImageFilter, AliasesAreRefused)
{
  const auto refusal = [](unsigned int output, const auto & choose) {
    Images     images;
    const auto filter = MakeFilter(images, 15, Form::PixelImage, true);
    const auto depthSum = MakeConstant(SmallSize, 1.0f);
    filter->SetAccumulatedDepthCotangent(depthSum);
    ImageType * const victim = choose(images, *depthSum);
    const auto        before = Pixels(*victim);
    filter->GraftNthOutput(output, victim);
    const auto text = Refusal([&]() { filter->Update(); });
    EXPECT_EQ(Pixels(*victim), before);
    return text;
  };
  ExpectMentions(refusal(0, [](Images & images, ImageType &) { return images.depths.GetPointer(); }),
                 { "Output 0 shares memory", "Primary" });
  ExpectMentions(refusal(1, [](Images & images, ImageType &) { return images.depths.GetPointer(); }),
                 { "Output 1 shares memory", "Primary" });
  ExpectMentions(refusal(0, [](Images & images, ImageType &) { return images.beams.GetPointer(); }),
                 { "OpenBeamCounts" });
  for (std::size_t k = 0; k < 4; ++k)
  {
    ExpectMentions(refusal(1, [k](Images & images, ImageType &) { return images.weights[k].GetPointer(); }),
                   { "Cotangent" });
  }
  ExpectMentions(refusal(0, [](Images &, ImageType & depthSum) { return &depthSum; }),
                 { "AccumulatedDepthCotangent", "AccumulateInPlaceOn" });
  ExpectMentions(refusal(1, [](Images &, ImageType & depthSum) { return &depthSum; }), { "AccumulatedDepthCotangent" });
}

TEST(TransmissionAdjointImageFilter, PartialOverlapsAreRefused)
{
  Images             images;
  const std::size_t  count = Pixels(*images.depths).size();
  std::vector<float> memory(count + 10, 1.0f);
  images.depths->GetPixelContainer()->SetImportPointer(memory.data(), count);
  const auto filter = MakeFilter(images, 1, Form::None, false);
  const auto output = MakeConstant(SmallSize, 0.0f);
  output->GetPixelContainer()->SetImportPointer(memory.data() + 10, count);
  filter->GraftOutput(output);
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "Output 0 shares memory" });

  // In place, the borrowed buffer must be no other input, nor the other output's.
  const auto other = MakeFilter(Images(), 1, Form::None, false);
  const auto sum = MakeConstant(SmallSize, 0.0f);
  other->SetAccumulatedDepthCotangent(sum);
  other->SetTransmissionCotangent(sum);
  other->AccumulateInPlaceOn();
  ExpectMentions(Refusal([&]() { other->Update(); }), { "Output 0 shares memory", "TransmissionCotangent" });

  const auto two = MakeFilter(Images(), 2, Form::PixelImage, true);
  two->SetAccumulatedDepthCotangent(sum);
  two->AccumulateInPlaceOn();
  two->GraftNthOutput(1, sum);
  ExpectMentions(Refusal([&]() { two->Update(); }), { "share" });
  EXPECT_EQ(Pixels(*sum), std::vector<float>(count, 0.0f));
}

TEST(TransmissionAdjointImageFilter, ASecondDerivativeIsRefusedThroughAPipeline)
{
  const Images images;
  const auto   first = MakeFilter(images, 1, Form::None, false);
  const auto   scaled = itk::ShiftScaleImageFilter<ImageType, ImageType>::New();
  scaled->SetInput(first->GetDepthCotangent());
  const auto second = MakeFilter(images, 1, Form::None, false);
  second->SetInput(scaled->GetOutput());
  ExpectMentions(Refusal([&]() { second->Update(); }),
                 { "The depth image", "TransmissionAdjointImageFilter", "first derivatives only" });
  second->SetInput(images.depths);
  second->SetOpenBeamCountsImage(scaled->GetOutput());
  ExpectMentions(Refusal([&]() { second->Update(); }), { "The open-beam image" });
  // A derivative as cotangent is what the chain rule asks for.
  second->ClearOpenBeamCounts();
  second->SetTransmissionCotangent(scaled->GetOutput());
  second->Update();
  ExpectFormulas(*second);
}

TEST(TransmissionAdjointImageFilter, ThreadsAndRegionsGiveTheSameBits)
{
  const Images images(ImageType::SizeType{ { 131, 97, 1 } });
  for (const Form form : { Form::SharedImage, Form::PixelImage })
  {
    const auto whole = MakeFilter(images, 15, form, true, 1);
    whole->Update();
    for (const unsigned int threads : { 2u, 7u })
    {
      const auto other = MakeFilter(images, 15, form, true, threads);
      other->Update();
      EXPECT_EQ(Pixels(*other->GetDepthCotangent()), Pixels(*whole->GetDepthCotangent()));
      EXPECT_EQ(Pixels(*other->GetOpenBeamCotangent()), Pixels(*whole->GetOpenBeamCotangent()));
    }
    const auto                  part = MakeFilter(images, 15, form, true);
    const ImageType::RegionType region({ { 20, 11, 2 } }, { { 33, 40, 1 } });
    part->GetDepthCotangent()->SetRequestedRegion(region);
    part->Update();
    EXPECT_EQ(Pixels(*part->GetDepthCotangent(), region), Pixels(*whole->GetDepthCotangent(), region));
    if (form == Form::PixelImage)
    {
      EXPECT_EQ(part->GetDepthCotangent()->GetBufferedRegion(), region);
      EXPECT_EQ(part->GetOpenBeamCotangent()->GetBufferedRegion(), region);
      EXPECT_EQ(Pixels(*part->GetOpenBeamCotangent()), Pixels(*whole->GetOpenBeamCotangent(), region));
    }
    else
    {
      EXPECT_EQ(part->GetDepthCotangent()->GetBufferedRegion(), images.depths->GetLargestPossibleRegion())
        << "a sum needs every pixel";
      EXPECT_EQ(Pixels(*part->GetOpenBeamCotangent()), Pixels(*whole->GetOpenBeamCotangent()));
    }
  }
}

TEST(TransmissionAdjointImageFilter, OutputsHaveTheGridsOfTheirInputs)
{
  Images       images;
  const double origin[3] = { 7.0, 8.0, 9.0 };
  images.shared->SetOrigin(origin);
  const auto filter = MakeFilter(images, 2, Form::SharedImage, true);
  filter->Update();
  EXPECT_EQ(filter->GetDepthCotangent()->GetOrigin(), images.depths->GetOrigin());
  EXPECT_EQ(filter->GetDepthCotangent()->GetSpacing(), images.depths->GetSpacing());
  EXPECT_EQ(filter->GetOpenBeamCotangent()->GetOrigin(), images.shared->GetOrigin());
  EXPECT_EQ(filter->GetOpenBeamCotangent()->GetLargestPossibleRegion(), images.shared->GetLargestPossibleRegion());
}

TEST(TransmissionAdjointImageFilter, ImagesThatDoNotFitAreRefused)
{
  const Images images;
  const auto   refusal = [&](const auto & set) {
    const auto filter = MakeFilter(images, 2, Form::PixelImage, true);
    set(*filter);
    return Refusal([&]() { filter->Update(); });
  };
  const auto   small = MakeConstant({ { 3, 3, 1 } }, 1.0f);
  const auto   moved = MakeConstant(SmallSize, 1.0f);
  const double origin[3] = { 7.0, 8.0, 9.0 };
  moved->SetOrigin(origin);
  ExpectMentions(refusal([&](Filter & filter) { filter.SetCountsCotangent(small); }),
                 { "CountsCotangent", "[3, 3, 1]", "[17, 9, 2]" });
  ExpectMentions(refusal([&](Filter & filter) { filter.SetOpenBeamCountsImage(small); }),
                 { "OpenBeamCounts", "[3, 3, 1]" });
  ExpectMentions(refusal([&](Filter & filter) { filter.SetAccumulatedDepthCotangent(small); }),
                 { "AccumulatedDepthCotangent" });
  ExpectMentions(refusal([&](Filter & filter) { filter.SetRemovedCotangent(moved); }),
                 { "RemovedCotangent", "physical space" });
  ExpectMentions(refusal([&](Filter & filter) { filter.SetSharedOpenBeamCountsImage(small); }),
                 { "[3, 3, 1]", "one pixel" });
  ExpectMentions(refusal([&](Filter & filter) {
                   filter.SetSharedOpenBeamCountsImage(images.shared);
                   filter.SetAccumulatedOpenBeamCotangent(images.beams);
                 }),
                 { "AccumulatedOpenBeamCotangent", "one pixel" });
}

TEST(TransmissionAdjointImageFilter, PrintsItsState)
{
  const auto filter = MakeFilter(Images(), 1, Form::Number, false);
  filter->Update();
  ExpectMentions(Printed(*filter),
                 { "RetainCotangents: Off",
                   "AccumulateInPlace: Off",
                   "CheckInputs: On",
                   "Primals: Primary (The depth image) OpenBeamCounts (The open-beam image)",
                   "Cotangents: TransmissionCotangent CountsCotangent",
                   "Accumulators: AccumulatedDepthCotangent (output 0)",
                   "Consumed cotangents: 1",
                   "Outputs that borrow a buffer: 0",
                   "Forward: 0",
                   "OpenBeamForm::Number",
                   "OpenBeamCounts: 1234.5",
                   "OpenBeamActive: Off",
                   "SharedOpenBeamCotangent: 0" });
}
