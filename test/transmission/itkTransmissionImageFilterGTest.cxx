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
#include "itkTransmissionImageFilter.h"

#include "itkCommand.h"
#include "itkStreamingImageFilter.h"

#include <cmath>
#include <limits>

using namespace testimages;
using Filter = itk::TransmissionImageFilter;
using Form = Filter::OpenBeamFormEnum;

namespace
{

constexpr float Infinity = std::numeric_limits<float>::infinity();
constexpr float NaN = std::numeric_limits<float>::quiet_NaN();

const ImageType::SizeType SmallSize = { { 7, 5, 2 } };

ImageType::Pointer
Ramp()
{
  return Make(SmallSize, [](std::size_t offset) { return 0.05 * static_cast<double>(offset); });
}

ImageType::Pointer
OpenBeamRamp()
{
  return Make(SmallSize, [](std::size_t offset) { return 10.0 * static_cast<double>(offset); });
}

ImageType::Pointer
OnePixel(float value)
{
  return MakeConstant({ { 1, 1, 1 } }, value);
}

void
SetForm(Filter & filter, Form form)
{
  switch (form)
  {
    case Form::None:
      filter.ClearOpenBeamCounts();
      break;
    case Form::Number:
      filter.SetOpenBeamCounts(1000.0);
      break;
    case Form::SharedImage:
      filter.SetSharedOpenBeamCountsImage(OnePixel(1000.0f));
      break;
    case Form::PixelImage:
      filter.SetOpenBeamCountsImage(OpenBeamRamp());
      break;
  }
}

void
SetMask(Filter & filter, unsigned int mask)
{
  filter.SetComputeTransmission((mask & 1u) != 0);
  filter.SetComputeCounts((mask & 2u) != 0);
  filter.SetComputeLogTransmission((mask & 4u) != 0);
  filter.SetComputeRemoved((mask & 8u) != 0);
}

double
Law(unsigned int output, double depth, double openBeam)
{
  const double values[4] = { std::exp(-depth), openBeam * std::exp(-depth), -depth, -std::expm1(-depth) };
  return values[output];
}

void
ExpectOutput(Filter & filter, unsigned int output, bool wanted, Form form)
{
  const ImageType & image = *filter.GetOutput(output);
  if (!wanted)
  {
    EXPECT_EQ(image.GetPixelContainer()->Size(), 0u) << "output " << output << " was not asked for";
    return;
  }
  const auto depths = Pixels(*filter.GetInput());
  const auto values = Pixels(image);
  ASSERT_EQ(values.size(), depths.size());
  for (std::size_t i = 0; i < depths.size(); ++i)
  {
    const double openBeam = form == Form::PixelImage ? 10.0 * static_cast<double>(i) : 1000.0;
    const double expected = Law(output, depths[i], openBeam);
    EXPECT_FLOAT_EQ(values[i], static_cast<float>(expected)) << "output " << output << ", pixel " << i;
  }
}

} // namespace

TEST(TransmissionImageFilter, EveryMaskWithEveryFormOfOpenBeam)
{
  for (const Form form : { Form::None, Form::Number, Form::SharedImage, Form::PixelImage })
  {
    for (unsigned int mask = 1; mask < 16; ++mask)
    {
      SCOPED_TRACE(testing::Message() << form << ", mask " << mask);
      const auto filter = Filter::New();
      filter->SetInput(Ramp());
      SetForm(*filter, form);
      SetMask(*filter, mask);
      EXPECT_EQ(filter->GetOpenBeamForm(), form);
      if (form == Form::None && (mask & 2u) != 0)
      {
        ExpectMentions(Refusal([&]() { filter->Update(); }), { "Counts", "SetOpenBeamCounts" });
        continue;
      }
      filter->Update();
      for (unsigned int output = 0; output < 4; ++output)
      {
        ExpectOutput(*filter, output, ((mask >> output) & 1u) != 0, form);
      }
    }
  }
}

TEST(TransmissionImageFilter, NoOutputIsRefused)
{
  const auto filter = Filter::New();
  filter->SetInput(Ramp());
  SetMask(*filter, 0);
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "No output", "ComputeTransmission" });
}

TEST(TransmissionImageFilter, WhatIsNoLongerAskedForIsReleased)
{
  const auto filter = Filter::New();
  filter->SetInput(Ramp());
  filter->ComputeRemovedOn();
  filter->Update();
  EXPECT_NE(filter->GetRemoved()->GetPixelContainer()->Size(), 0u);
  filter->ComputeRemovedOff();
  filter->Update();
  EXPECT_EQ(filter->GetRemoved()->GetPixelContainer()->Size(), 0u);
}

TEST(TransmissionImageFilter, RunsOnceWhenTheFirstOutputIsNotAskedFor)
{
  const auto filter = Filter::New();
  filter->SetInput(Ramp());
  SetMask(*filter, 8);
  int        runs = 0;
  const auto count = itk::CStyleCommand::New();
  count->SetClientData(&runs);
  count->SetCallback([](itk::Object *, const itk::EventObject &, void * data) { ++*static_cast<int *>(data); });
  filter->AddObserver(itk::StartEvent(), count);
  filter->Update();
  filter->Update();
  filter->UpdateLargestPossibleRegion();
  EXPECT_EQ(runs, 1);
}

TEST(TransmissionImageFilter, ABadDepthIsNamedBeforeAnythingIsWritten)
{
  for (const float bad : { NaN, Infinity, -Infinity, -1.0f })
  {
    for (const unsigned int threads : { 1u, 2u, 7u })
    {
      const auto filter = Filter::New();
      const auto depths = Ramp();
      filter->SetInput(depths);
      filter->SetNumberOfWorkUnits(threads);
      filter->SetOpenBeamCounts(0.0); // a bad depth is bad even so
      SetMask(*filter, 15);
      filter->Update();
      std::vector<std::vector<float>> before;
      for (unsigned int output = 0; output < 4; ++output)
      {
        before.push_back(Pixels(*filter->GetOutput(output)));
      }
      depths->SetPixel({ { 9, -1, 3 } }, bad);
      depths->SetPixel({ { 11, 1, 3 } }, NaN);
      depths->Modified();
      const std::string text = std::isnan(bad) ? "NaN" : std::isinf(bad) ? "Infinity" : "-1";
      ExpectMentions(Refusal([&]() { filter->Update(); }), { "[9, -1, 3]", text });
      for (unsigned int output = 0; output < 4; ++output)
      {
        EXPECT_EQ(Pixels(*filter->GetOutput(output)), before[output]) << "output " << output << " was touched";
      }
    }
  }
}

TEST(TransmissionImageFilter, ABadOpenBeamIsNamed)
{
  const auto refusal = [](const auto & setOpenBeam) {
    const auto filter = Filter::New();
    filter->SetInput(Ramp());
    setOpenBeam(*filter);
    return Refusal([&]() { filter->Update(); });
  };
  const auto image = OpenBeamRamp();
  image->SetPixel({ { 6, -3, 2 } }, -2.0f);
  ExpectMentions(refusal([&](Filter & filter) { filter.SetOpenBeamCountsImage(image); }), { "[6, -3, 2]", "-2" });
  ExpectMentions(refusal([](Filter & filter) { filter.SetSharedOpenBeamCountsImage(OnePixel(Infinity)); }),
                 { "[5, -3, 2]", "Infinity" });
  ExpectMentions(refusal([](Filter & filter) { filter.SetOpenBeamCounts(-1.0); }), { "OpenBeamCounts is -1" });
  ExpectMentions(refusal([](Filter & filter) { filter.SetOpenBeamCounts(1e39); }), { "OpenBeamCounts is 1e" });
  refusal([](Filter & filter) { filter.SetOpenBeamCounts(std::nan("")); });
}

TEST(TransmissionImageFilter, OpenBeamImagesAreNotBroadcast)
{
  const auto refusal = [](const auto & setOpenBeam) {
    const auto filter = Filter::New();
    filter->SetInput(Ramp());
    setOpenBeam(*filter);
    return Refusal([&]() { filter->Update(); });
  };
  ExpectMentions(refusal([](Filter & filter) { filter.SetOpenBeamCountsImage(OnePixel(1.0f)); }),
                 { "[1, 1, 1]", "[7, 5, 2]", "SetSharedOpenBeamCountsImage" });
  ExpectMentions(refusal([](Filter & filter) { filter.SetSharedOpenBeamCountsImage(OpenBeamRamp()); }),
                 { "[7, 5, 2]", "SetOpenBeamCountsImage" });
}

TEST(TransmissionImageFilter, UncheckedSkipsTheScanOnly)
{
  const auto filter = Filter::New();
  const auto depths = Ramp();
  depths->SetPixel({ { 5, -3, 2 } }, NaN);
  filter->SetInput(depths);
  filter->CheckInputsOff();
  filter->Update();
  EXPECT_TRUE(std::isnan(Pixels(*filter->GetTransmission())[0]));
  filter->ComputeCountsOn();
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "Counts" });
}

TEST(TransmissionImageFilter, TheNumberIsRoundedToBinary32)
{
  const auto filter = Filter::New();
  filter->SetOpenBeamCounts(0.1);
  EXPECT_EQ(filter->GetOpenBeamCounts(), static_cast<double>(0.1f));
}

TEST(TransmissionImageFilter, SharedMemoryIsRefused)
{
  const auto filter = Filter::New();
  const auto depths = Ramp();
  const auto before = Pixels(*depths);
  filter->SetInput(depths);
  filter->GraftOutput(depths);
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "shares memory" });
  EXPECT_EQ(Pixels(*depths), before);
}

TEST(TransmissionImageFilter, RegionsAndThreadsGiveTheSameBits)
{
  const ImageType::SizeType size = { { 131, 97, 1 } };
  const auto                depths = Make(size, [](std::size_t offset) { return 1e-3 * static_cast<double>(offset); });
  const auto                beams = Make(size, [](std::size_t offset) { return 1e5 + static_cast<double>(offset); });
  const auto                make = [&](unsigned int threads) {
    const auto filter = Filter::New();
    filter->SetInput(depths);
    filter->SetOpenBeamCountsImage(beams);
    filter->SetNumberOfWorkUnits(threads);
    SetMask(*filter, 2);
    return filter;
  };
  const auto whole = make(1);
  whole->Update();
  for (const unsigned int threads : { 2u, 7u })
  {
    const auto other = make(threads);
    other->Update();
    EXPECT_EQ(Pixels(*other->GetCounts()), Pixels(*whole->GetCounts()));
  }
  const auto                  part = make(2);
  const ImageType::RegionType region({ { 20, 11, 2 } }, { { 33, 40, 1 } });
  part->GetCounts()->SetRequestedRegion(region);
  part->Update();
  EXPECT_EQ(part->GetCounts()->GetBufferedRegion(), region);
  EXPECT_EQ(Pixels(*part->GetCounts()), Pixels(*whole->GetCounts(), region));

  const auto streamed = itk::StreamingImageFilter<ImageType, ImageType>::New();
  const auto source = make(2);
  streamed->SetInput(source->GetCounts());
  streamed->SetNumberOfStreamDivisions(5);
  streamed->Update();
  EXPECT_EQ(Pixels(*streamed->GetOutput()), Pixels(*whole->GetCounts()));
}

TEST(TransmissionImageFilter, OutputsKeepTheGridOfTheDepths)
{
  const auto filter = Filter::New();
  filter->SetInput(Ramp());
  SetMask(*filter, 8);
  filter->Update();
  EXPECT_EQ(filter->GetRemoved()->GetOrigin(), filter->GetInput()->GetOrigin());
  EXPECT_EQ(filter->GetRemoved()->GetSpacing(), filter->GetInput()->GetSpacing());
  EXPECT_EQ(filter->GetRemoved()->GetBufferedRegion(), filter->GetInput()->GetBufferedRegion());
}

// Book value of water at 60 keV, 0.2059 cm^2/g at 1 g/cm^3; 10,000 photons.
TEST(TransmissionImageFilter, TheTableOfWater)
{
  const double millimetres[5] = { 1.0, 10.0, 33.664, 100.0, 200.0 };
  const double counts[5] = { 9796.21, 8139.14, 5000.0, 1275.81, 162.770 };
  const auto   filter = Filter::New();
  filter->SetInput(Make({ { 5, 1, 1 } }, [&](std::size_t i) { return 0.02059 * millimetres[i]; }));
  filter->SetOpenBeamCounts(10000.0);
  filter->ComputeCountsOn();
  filter->Update();
  const auto result = Pixels(*filter->GetCounts());
  for (std::size_t i = 0; i < 5; ++i)
  {
    EXPECT_NEAR(result[i], counts[i], 5e-5 * counts[i]) << millimetres[i] << " mm";
  }
}

TEST(TransmissionImageFilter, TwoLayersInEitherOrder)
{
  for (const double depth : { 40.0 * 0.02 + 10.0 * 0.05, 10.0 * 0.05 + 40.0 * 0.02 })
  {
    const auto filter = Filter::New();
    filter->SetInput(Make({ { 1, 1, 1 } }, [depth](std::size_t) { return depth; }));
    filter->Update();
    EXPECT_NEAR(Pixels(*filter->GetTransmission())[0], 0.2725, 5e-5);
  }
}

TEST(TransmissionImageFilter, PrintsItsState)
{
  const auto filter = Filter::New();
  filter->SetOpenBeamCounts(5.0);
  ExpectMentions(Printed(*filter),
                 { "OpenBeamForm::Number",
                   "OpenBeamCounts: 5",
                   "ComputeTransmission: On",
                   "ComputeCounts: Off",
                   "ComputeLogTransmission: Off",
                   "ComputeRemoved: Off",
                   "CheckInputs: On",
                   "KernelName: (none yet)" });
}

TEST(TransmissionImageFilter, NamesTheKernelThatRan)
{
  const auto filter = Filter::New();
  filter->SetInput(Ramp());
  EXPECT_EQ(filter->GetKernelName(), "");
  filter->Update();
  EXPECT_NE(filter->GetKernelName().find("packets, binary64"), std::string::npos) << filter->GetKernelName();
  const auto packets = Pixels(*filter->GetTransmission());

  setenv("RADIOGRAPHY_DISABLE_SIMD", "1", 1);
  filter->Modified();
  filter->Update();
  unsetenv("RADIOGRAPHY_DISABLE_SIMD");
  EXPECT_EQ(filter->GetKernelName(), "transmission, scalar binary64");
  EXPECT_EQ(Pixels(*filter->GetTransmission()), packets);
}

TEST(TransmissionImageFilter, APolicyThatIsNotUnderstoodIsRefusedBeforeAnythingIsWritten)
{
  const auto filter = Filter::New();
  filter->SetInput(Ramp());
  setenv("RADIOGRAPHY_POLICY", "streamingStoreBytes=-1", 1);
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "RADIOGRAPHY_POLICY", "streamingStoreBytes" });
  unsetenv("RADIOGRAPHY_POLICY");
  EXPECT_EQ(filter->GetTransmission()->GetPixelContainer()->Size(), 0u);
}
