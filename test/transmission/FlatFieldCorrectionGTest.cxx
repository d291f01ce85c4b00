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
#include "itkDetectorResponseImageFilter.h"
#include "itkFlatFieldCorrectionImageFilter.h"

#include "itkStreamingImageFilter.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace testimages;
using Filter = itk::FlatFieldCorrectionImageFilter;
using Status = Filter::PixelStatusEnum;

namespace
{

constexpr float NaN = std::numeric_limits<float>::quiet_NaN();
constexpr float Infinity = std::numeric_limits<float>::infinity();

ImageType::Pointer
Row(const std::vector<double> & values)
{
  return Make({ { values.size(), 1, 1 } }, [&](std::size_t i) { return values[i]; });
}

Filter::Pointer
MakeFilter(const ImageType::Pointer & raw, const ImageType::Pointer & dark, const ImageType::Pointer & flat)
{
  const auto filter = Filter::New();
  filter->SetInput(raw);
  filter->SetDarkImage(dark);
  filter->SetFlatImage(flat);
  return filter;
}

void
ComputeAll(Filter & filter)
{
  filter.ComputeApparentDepthOn();
  filter.ComputeMaskOn();
  filter.ComputeVarianceOn();
  filter.SetGain(2.0);
  filter.SetElectronicVariance(9.0);
}

std::vector<Status>
MaskOf(Filter & filter)
{
  using Iterator = itk::ImageRegionConstIterator<Filter::MaskType>;
  std::vector<Status> values;
  for (Iterator it(filter.GetMask(), filter.GetMask()->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    values.push_back(static_cast<Status>(it.Get()));
  }
  return values;
}

/** One pixel of each status: valid, valid at 1, above one, zero, negative, flat = dark, flat < dark. */
Filter::Pointer
MakeEveryStatus()
{
  const auto filter = MakeFilter(
    Row({ 60, 110, 210, 10, 5, 60, 60 }), Row({ 10, 10, 10, 10, 10, 10, 10 }), Row({ 110, 110, 110, 110, 110, 10, 5 }));
  ComputeAll(*filter);
  return filter;
}

/** The bits of floats, so that NaN equals itself. */
std::vector<std::uint32_t>
Bits(const std::vector<float> & values)
{
  std::vector<std::uint32_t> bits(values.size());
  std::memcpy(bits.data(), values.data(), values.size() * sizeof(float));
  return bits;
}

} // namespace

TEST(FlatFieldCorrectionImageFilter, EveryStatusIsReportedAndNothingIsClipped)
{
  const auto filter = MakeEveryStatus();
  filter->Update();
  EXPECT_EQ(MaskOf(*filter),
            (std::vector<Status>{ Status::Valid,
                                  Status::Valid,
                                  Status::AboveOne,
                                  Status::NotPositive,
                                  Status::NotPositive,
                                  Status::FlatNotAboveDark,
                                  Status::FlatNotAboveDark }));
  const auto transmission = Pixels(*filter->GetCorrectedTransmission());
  EXPECT_EQ(std::vector<float>(transmission.begin(), transmission.begin() + 5),
            (std::vector<float>{ 0.5f, 1.0f, 2.0f, 0.0f, -0.05f }));
  EXPECT_TRUE(std::isnan(transmission[5]));
  EXPECT_TRUE(std::isnan(transmission[6]));
  const auto depth = Pixels(*filter->GetApparentDepth());
  EXPECT_FLOAT_EQ(depth[0], static_cast<float>(std::log(2.0)));
  EXPECT_EQ(depth[1], 0.0f);
  EXPECT_FLOAT_EQ(depth[2], static_cast<float>(-std::log(2.0)));
  for (std::size_t i = 3; i < 7; ++i)
  {
    EXPECT_TRUE(std::isnan(depth[i])) << i;
  }
  EXPECT_EQ(filter->GetNumberOfValidPixels(), 2u);
  EXPECT_EQ(filter->GetNumberOfAboveOnePixels(), 1u);
  EXPECT_EQ(filter->GetNumberOfNotPositivePixels(), 2u);
  EXPECT_EQ(filter->GetNumberOfFlatNotAboveDarkPixels(), 2u);
}

TEST(FlatFieldCorrectionImageFilter, EveryMaskOfOutputs)
{
  for (unsigned int mask = 1; mask < 16; ++mask)
  {
    SCOPED_TRACE(mask);
    const auto filter = MakeEveryStatus();
    filter->SetComputeCorrectedTransmission((mask & 1u) != 0);
    filter->SetComputeApparentDepth((mask & 2u) != 0);
    filter->SetComputeMask((mask & 4u) != 0);
    filter->SetComputeVariance((mask & 8u) != 0);
    filter->Update();
    const auto size = [](const auto & image) { return image.GetPixelContainer()->Size(); };
    EXPECT_EQ(size(*filter->GetCorrectedTransmission()), (mask & 1u) ? 7u : 0u);
    EXPECT_EQ(size(*filter->GetApparentDepth()), (mask & 2u) ? 7u : 0u);
    EXPECT_EQ(size(*filter->GetMask()), (mask & 4u) ? 7u : 0u);
    EXPECT_EQ(size(*filter->GetVariance()), (mask & 8u) ? 7u : 0u);
    EXPECT_EQ(filter->GetNumberOfNotPositivePixels(), 2u);
  }
  const auto filter = MakeEveryStatus();
  filter->ComputeCorrectedTransmissionOff();
  filter->ComputeApparentDepthOff();
  filter->ComputeMaskOff();
  filter->ComputeVarianceOff();
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "No output", "ComputeMask" });
}

// Through the module's own forward model: gain and offset cancel where they match.
TEST(FlatFieldCorrectionImageFilter, UndoesGainAndOffsetOfEachPixel)
{
  std::mt19937                           engine(8);
  std::uniform_real_distribution<double> depthOf(0.0, 6.0);
  std::uniform_real_distribution<double> gainOf(0.5, 4.0);
  std::uniform_real_distribution<double> offsetOf(-50.0, 50.0);
  std::vector<double>                    depths, raw, dark, flat;
  for (int i = 0; i < 200; ++i)
  {
    const double gain = gainOf(engine);
    depths.push_back(depthOf(engine));
    dark.push_back(static_cast<float>(offsetOf(engine)));
    flat.push_back(gain * 1e4 + dark.back());
    raw.push_back(gain * 1e4 * std::exp(-depths.back()) + dark.back());
  }
  const auto filter = MakeFilter(Row(raw), Row(dark), Row(flat));
  filter->ComputeApparentDepthOn();
  filter->Update();
  const auto apparent = Pixels(*filter->GetApparentDepth());
  for (std::size_t i = 0; i < depths.size(); ++i)
  {
    // The readings are rounded to binary32.
    const double rounding = 0x1p-24 * std::abs(raw[i]) / (raw[i] - dark[i]) + 0x1p-23;
    EXPECT_NEAR(apparent[i], depths[i], 2.0 * rounding + 1e-6) << "seed 8, pixel " << i;
  }
}

TEST(FlatFieldCorrectionImageFilter, ScatterLowersTheApparentDepth)
{
  const double openBeam = 1000.0;
  const double gain = 2.0;
  const double offset = 30.0;
  for (const double depth : { 0.1, 1.0, 3.0 })
  {
    for (const double scatter : { 0.0, 20.0, 94.0, 96.0, 640.0, 960.0 })
    {
      const double counts = static_cast<float>(openBeam * std::exp(-depth));
      const auto   response = itk::DetectorResponseImageFilter::New();
      response->SetInput(Row({ counts }));
      response->SetGain(gain);
      response->SetScatter(scatter);
      response->SetOffset(offset);
      const auto filter = MakeFilter(response->GetOutput(), Row({ offset }), Row({ gain * openBeam + offset }));
      ComputeAll(*filter);
      filter->Update();
      const double apparent = Pixels(*filter->GetApparentDepth())[0];
      SCOPED_TRACE(testing::Message() << "L " << depth << ", s " << scatter);
      EXPECT_NEAR(apparent, -std::log(std::exp(-depth) + scatter / openBeam), 2e-6);
      const bool isAbove = scatter / openBeam > -std::expm1(-depth);
      EXPECT_EQ(apparent < 0.0, isAbove);
      EXPECT_EQ(MaskOf(*filter)[0], isAbove ? Status::AboveOne : Status::Valid);
    }
  }
}

// An exposure that changed between flat and raw shifts the depth by the logarithm of the ratio: it does not cancel.
TEST(FlatFieldCorrectionImageFilter, AnUnmatchedExposureDoesNotCancel)
{
  const auto filter = MakeFilter(Row({ 10 + 0.9 * 200 }), Row({ 10 }), Row({ 210 }));
  filter->ComputeApparentDepthOn();
  filter->Update();
  EXPECT_FLOAT_EQ(Pixels(*filter->GetApparentDepth())[0], static_cast<float>(-std::log(0.9)));
}

// 1 - T^ is 6e-15 here, of which the quotient in binary64 has hardly two digits.
TEST(FlatFieldCorrectionImageFilter, SmallDepthsKeepTheirDigits)
{
  const double dark = -1e7;
  const float  flat = 1.0f;
  const float  raw = std::nextafter(flat, 0.0f);
  const auto   filter = MakeFilter(Row({ raw }), Row({ dark }), Row({ flat }));
  filter->ComputeApparentDepthOn();
  filter->Update();
  EXPECT_FLOAT_EQ(Pixels(*filter->GetApparentDepth())[0], static_cast<float>(std::log1p(0x1p-24 / (raw - dark))));
}

TEST(FlatFieldCorrectionImageFilter, AnUnderflowIsLegitimateAndHasADepth)
{
  const auto filter = MakeFilter(Row({ 1e-38 }), Row({ 0.0 }), Row({ 1e30 }));
  ComputeAll(*filter);
  filter->ComputeVarianceOff();
  filter->Update();
  EXPECT_EQ(Pixels(*filter->GetCorrectedTransmission())[0], 0.0f);
  EXPECT_FLOAT_EQ(Pixels(*filter->GetApparentDepth())[0], static_cast<float>(68.0 * std::log(10.0)));
  EXPECT_EQ(MaskOf(*filter)[0], Status::Valid);
}

TEST(FlatFieldCorrectionImageFilter, VarianceIsTheFirstOrderFormula)
{
  const auto filter = MakeFilter(Row({ 60, 210 }), Row({ 10, 10 }), Row({ 110, 110 }));
  ComputeAll(*filter);
  filter->SetNumberOfDarkFrames(16);
  filter->SetNumberOfFlatFrames(4);
  filter->Update();
  const auto variance = Pixels(*filter->GetVariance());
  // Gain 2, electronic variance 9; flat - dark = 100.
  const double flatVariance = (2.0 * 100.0 + 9.0) / 4.0;
  const double darkVariance = 9.0 / 16.0;
  EXPECT_FLOAT_EQ(variance[0],
                  static_cast<float>((2.0 * 50.0 + 9.0 + 0.25 * flatVariance + 0.25 * darkVariance) / 1e4));
  EXPECT_FLOAT_EQ(variance[1], static_cast<float>((2.0 * 200.0 + 9.0 + 4.0 * flatVariance + 1.0 * darkVariance) / 1e4));
}

TEST(FlatFieldCorrectionImageFilter, VarianceHasNoValueWhereTheNoiseModelHasNone)
{
  const auto filter = MakeEveryStatus();
  filter->Update();
  const auto variance = Pixels(*filter->GetVariance());
  EXPECT_FLOAT_EQ(variance[3], static_cast<float>((9.0 + 9.0) / 1e4)) << "raw = dark: electronic noise of both";
  EXPECT_TRUE(std::isnan(variance[4])) << "Var(raw) = 2 (5 - 10) + 9 is negative";
  EXPECT_TRUE(std::isnan(variance[5]));
  EXPECT_TRUE(std::isnan(variance[6]));
}

// Against simulated photons: raw, flat (mean of 4) and dark (mean of 4) with Poisson and electronic noise.
TEST(FlatFieldCorrectionImageFilter, VarianceIsTheOneOfSimulatedNoise)
{
  std::mt19937                     engine(21);
  std::poisson_distribution<int>   rawPhotons(400.0);
  std::poisson_distribution<int>   flatPhotons(1600.0);
  std::normal_distribution<double> electronic(0.0, 6.0);
  const double                     gain = 1.5;
  const int                        frames = 4;
  const int                        trials = 20000;
  std::vector<double>              raw, dark, flat;
  for (int i = 0; i < trials; ++i)
  {
    raw.push_back(gain * rawPhotons(engine) + 50.0 + electronic(engine));
    double darkSum = 0.0;
    double flatSum = 0.0;
    for (int frame = 0; frame < frames; ++frame)
    {
      darkSum += 50.0 + electronic(engine);
      flatSum += gain * flatPhotons(engine) + 50.0 + electronic(engine);
    }
    dark.push_back(darkSum / frames);
    flat.push_back(flatSum / frames);
  }
  const auto filter = MakeFilter(Row(raw), Row(dark), Row(flat));
  filter->ComputeVarianceOn();
  filter->SetGain(gain);
  filter->SetElectronicVariance(36.0);
  filter->SetNumberOfDarkFrames(frames);
  filter->SetNumberOfFlatFrames(frames);
  filter->Update();
  const auto values = Pixels(*filter->GetCorrectedTransmission());
  const auto variances = Pixels(*filter->GetVariance());
  double     mean = 0.0;
  double     predicted = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i)
  {
    mean += values[i] / trials;
    predicted += variances[i] / trials;
  }
  double seen = 0.0;
  for (const float value : values)
  {
    seen += (value - mean) * (value - mean) / (trials - 1);
  }
  // Standard error of a variance: sqrt(2 / n) of it, 1 %.
  EXPECT_NEAR(seen / predicted, 1.0, 0.05) << "seed 21";
  EXPECT_NEAR(mean, 0.25, 1e-3) << "seed 21";
}

TEST(FlatFieldCorrectionImageFilter, ThreadsAndRegionsGiveTheSameBits)
{
  std::mt19937                           engine(2);
  std::uniform_real_distribution<double> reading(0.0, 100.0);
  const itk::Size<3>                     size{ { 83, 61, 2 } };
  const auto                             random = [&](std::size_t) { return reading(engine); };
  const auto                             raw = Make(size, random);
  const auto                             dark = Make(size, random);
  const auto                             flat = Make(size, random);
  const auto                             make = [&](unsigned int threads) {
    const auto filter = MakeFilter(raw, dark, flat);
    ComputeAll(*filter);
    filter->SetNumberOfWorkUnits(threads);
    return filter;
  };
  const auto whole = make(1);
  whole->Update();
  const auto pixels = whole->GetNumberOfValidPixels() + whole->GetNumberOfAboveOnePixels() +
                      whole->GetNumberOfNotPositivePixels() + whole->GetNumberOfFlatNotAboveDarkPixels();
  EXPECT_EQ(pixels, 83u * 61u * 2u);
  const auto expectSame = [&](Filter & filter, const ImageType::RegionType & region) {
    for (const unsigned int output : { 0u, 1u, 3u })
    {
      EXPECT_EQ(Bits(Pixels(*filter.GetOutput(output), region)), Bits(Pixels(*whole->GetOutput(output), region)))
        << "output " << output << ", seed 2";
    }
  };
  for (const unsigned int threads : { 2u, 7u })
  {
    const auto other = make(threads);
    other->Update();
    expectSame(*other, raw->GetBufferedRegion());
    EXPECT_EQ(MaskOf(*other), MaskOf(*whole));
    EXPECT_EQ(other->GetNumberOfAboveOnePixels(), whole->GetNumberOfAboveOnePixels());
  }
  const auto                  part = make(2);
  const ImageType::RegionType region({ { 20, 5, 3 } }, { { 31, 40, 1 } });
  part->GetCorrectedTransmission()->SetRequestedRegion(region);
  part->Update();
  EXPECT_EQ(part->GetApparentDepth()->GetBufferedRegion(), region);
  expectSame(*part, region);

  const auto streamed = itk::StreamingImageFilter<ImageType, ImageType>::New();
  const auto source = make(2);
  streamed->SetInput(source->GetApparentDepth());
  streamed->SetNumberOfStreamDivisions(4);
  streamed->Update();
  EXPECT_EQ(Bits(Pixels(*streamed->GetOutput())), Bits(Pixels(*whole->GetApparentDepth())));
}

TEST(FlatFieldCorrectionImageFilter, RefusesBadReadingsBeforeAnythingIsWritten)
{
  const itk::Size<3> size{ { 4, 3, 1 } };
  const auto         raw = MakeConstant(size, 60.0f);
  const auto         dark = MakeConstant(size, 10.0f);
  const auto         flat = MakeConstant(size, 110.0f);
  const auto         filter = MakeFilter(raw, dark, flat);
  filter->Update();
  const auto refused = [&](const ImageType::Pointer & image, float bad) {
    const ImageType::IndexType index{ { 7, -2, 2 } };
    const float                good = image->GetPixel(index);
    image->SetPixel(index, bad);
    image->Modified();
    const auto text = Refusal([&]() { filter->Update(); });
    EXPECT_EQ(Pixels(*filter->GetOutput()), std::vector<float>(12, 0.5f)) << "the output was touched";
    image->SetPixel(index, good);
    image->Modified();
    return text;
  };
  ExpectMentions(refused(raw, NaN), { "raw", "[7, -2, 2]" });
  ExpectMentions(refused(dark, Infinity), { "dark", "[7, -2, 2]" });
  ExpectMentions(refused(flat, -Infinity), { "flat", "[7, -2, 2]" });
  dark->FillBuffer(0.0f);
  raw->FillBuffer(5.0f);
  flat->FillBuffer(10.0f);
  ExpectMentions(refused(flat, 1e-39f), { "binary32", "[7, -2, 2]", "raw 5" });
}

TEST(FlatFieldCorrectionImageFilter, RefusesImagesThatDoNotFit)
{
  const auto small = MakeConstant({ { 3, 2, 1 } }, 1.0f);
  const auto large = MakeConstant({ { 3, 3, 1 } }, 1.0f);
  ExpectMentions(Refusal([&]() { MakeFilter(small, large, small)->Update(); }), { "dark", "[3, 3, 1]", "[3, 2, 1]" });
  ExpectMentions(Refusal([&]() { MakeFilter(small, small, large)->Update(); }), { "flat", "[3, 3, 1]" });
  ExpectMentions(Refusal([&]() { MakeFilter(small, nullptr, small)->Update(); }), { "DarkImage" });
  ExpectMentions(Refusal([&]() { MakeFilter(small, small, nullptr)->Update(); }), { "FlatImage" });
  const auto   elsewhere = MakeConstant({ { 3, 2, 1 } }, 1.0f);
  const double origin[3] = { 1, 2, 3 };
  elsewhere->SetOrigin(origin);
  ExpectMentions(Refusal([&]() { MakeFilter(small, elsewhere, small)->Update(); }), { "same physical space" });
}

TEST(FlatFieldCorrectionImageFilter, SharedMemoryIsRefused)
{
  const auto raw = MakeConstant({ { 3, 2, 1 } }, 60.0f);
  const auto dark = MakeConstant({ { 3, 2, 1 } }, 10.0f);
  const auto flat = MakeConstant({ { 3, 2, 1 } }, 110.0f);
  for (const auto & input : { raw, dark, flat })
  {
    const auto filter = MakeFilter(raw, dark, flat);
    filter->ComputeApparentDepthOn();
    filter->GetApparentDepth()->Graft(input);
    ExpectMentions(Refusal([&]() { filter->Update(); }), { "shares memory" });
  }
  EXPECT_EQ(Pixels(*flat), std::vector<float>(6, 110.0f));
}

TEST(FlatFieldCorrectionImageFilter, RefusesAVarianceWithoutItsNumbers)
{
  const auto refusal = [](const auto & set) {
    const auto filter = MakeEveryStatus();
    set(*filter);
    return Refusal([&]() { filter->Update(); });
  };
  ExpectMentions(refusal([](Filter & filter) { filter.SetGain(0.0); }), { "variance needs a gain", "Gain is 0" });
  ExpectMentions(refusal([](Filter & filter) { filter.SetGain(HUGE_VAL); }), { "Gain is" });
  ExpectMentions(refusal([](Filter & filter) { filter.SetElectronicVariance(-1.0); }), { "ElectronicVariance is -1" });
  ExpectMentions(refusal([](Filter & filter) { filter.SetElectronicVariance(std::nan("")); }),
                 { "ElectronicVariance" });
  ExpectMentions(refusal([](Filter & filter) { filter.SetNumberOfDarkFrames(0); }), { "NumberOfDarkFrames is 0" });
  ExpectMentions(refusal([](Filter & filter) { filter.SetNumberOfFlatFrames(0); }), { "NumberOfFlatFrames 0" });
}

TEST(FlatFieldCorrectionImageFilter, PrintsItsState)
{
  const auto filter = MakeEveryStatus();
  filter->Update();
  ExpectMentions(Printed(*filter),
                 { "ComputeCorrectedTransmission: On",
                   "ComputeApparentDepth: On",
                   "ComputeMask: On",
                   "ComputeVariance: On",
                   "Gain: 2",
                   "ElectronicVariance: 9",
                   "NumberOfDarkFrames: 1",
                   "NumberOfFlatFrames: 1",
                   "NumberOfFlatNotAboveDarkPixels: 2",
                   "NumberOfValidPixels: 2",
                   "NumberOfAboveOnePixels: 1",
                   "NumberOfNotPositivePixels: 2" });
  std::ostringstream text;
  text << Status::AboveOne;
  EXPECT_EQ(text.str(), "itk::FlatFieldCorrectionImageFilterEnums::PixelStatus::AboveOne");
}
