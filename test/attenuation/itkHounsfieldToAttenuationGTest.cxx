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
#include "Refusal.h"

#include "itkHounsfieldToAttenuationImageFilter.h"

#include "itkImageRegionIterator.h"
#include "itkStreamingImageFilter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

using Model = itk::HounsfieldAttenuationModel;
using Parameters = itk::HounsfieldAttenuationParameters;

namespace
{

using testimages::Refusal;

/** Coefficients in round numbers, which need no table. */
Parameters
StatedParameters()
{
  Parameters parameters;
  parameters.waterAttenuation = 0.02;
  parameters.boneAttenuation = 0.05;
  parameters.boneHounsfield = 1500.0;
  return parameters;
}

void
ExpectMentions(const std::string & text, const std::vector<std::string> & words)
{
  for (const auto & word : words)
  {
    EXPECT_NE(text.find(word), std::string::npos) << "\"" << word << "\" is not in: " << text;
  }
}

template <typename TImage>
typename TImage::Pointer
MakeRamp(const typename TImage::SizeType & size, double first, double step)
{
  auto                       image = TImage::New();
  typename TImage::IndexType start;
  start.Fill(3);
  image->SetRegions(typename TImage::RegionType(start, size));
  image->Allocate();
  double value = first;
  for (itk::ImageRegionIterator<TImage> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it, value += step)
  {
    it.Set(static_cast<typename TImage::PixelType>(value));
  }
  return image;
}

template <typename TImage>
std::vector<double>
Pixels(const TImage & image)
{
  std::vector<double> values;
  for (itk::ImageRegionConstIterator<TImage> it(&image, image.GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    values.push_back(static_cast<double>(it.Get()));
  }
  return values;
}

} // namespace

TEST(HounsfieldAttenuationModel, TwoStraightPiecesAndAFloor)
{
  const Model model(StatedParameters());
  EXPECT_EQ(model.Evaluate(-3000.0), 0.0);
  EXPECT_EQ(model.Evaluate(-1000.0), 0.0);
  EXPECT_DOUBLE_EQ(model.Evaluate(-500.0), 0.01);
  EXPECT_EQ(model.Evaluate(0.0), 0.02);
  EXPECT_DOUBLE_EQ(model.Evaluate(750.0), 0.035);
  EXPECT_DOUBLE_EQ(model.Evaluate(1500.0), 0.05);
  EXPECT_DOUBLE_EQ(model.Evaluate(3000.0), 0.08);
  EXPECT_TRUE(Model::IsFloored(-1000.5));
  EXPECT_FALSE(Model::IsFloored(-1000.0));
}

TEST(HounsfieldAttenuationModel, DerivativesWithTheStatedConventionAtKinks)
{
  const Model model(StatedParameters());
  EXPECT_EQ(model.EvaluateDerivative(-2000.0), 0.0);
  EXPECT_EQ(model.EvaluateDerivative(-1000.0), 0.0);
  EXPECT_DOUBLE_EQ(model.EvaluateDerivative(-999.0), 2e-5);
  EXPECT_DOUBLE_EQ(model.EvaluateDerivative(0.0), 2e-5);
  EXPECT_DOUBLE_EQ(model.EvaluateDerivative(1.0), 2e-5);
  Parameters steep = StatedParameters();
  steep.boneHounsfield = 1000.0;
  EXPECT_DOUBLE_EQ(Model(steep).EvaluateDerivative(1.0), 3e-5);
  EXPECT_DOUBLE_EQ(Model(steep).EvaluateDerivative(0.0), 2e-5);
}

TEST(HounsfieldAttenuationModel, TablesGiveTheKnownCoefficients)
{
  if (!Model::HasTables())
  {
    GTEST_SKIP() << "BUILT WITHOUT XRAYLIB: coefficients are not compared";
  }
  const Model model;
  EXPECT_EQ(model.GetEnergy(), 60.0);
  EXPECT_EQ(model.GetCTEffectiveEnergy(), 75.0);
  EXPECT_NEAR(model.GetWaterAttenuation(), 0.0205873, 5e-8);
  EXPECT_NEAR(model.GetBoneAttenuation(), 0.310221 * 1.85 / 10.0, 2e-7);
  EXPECT_NEAR(Model::LookUpWaterAttenuation(30.0), 0.0375595, 5e-8);
  EXPECT_NEAR(Model::LookUpWaterAttenuation(80.0), 0.0183657, 5e-8);
  EXPECT_NEAR(Model::LookUpWaterAttenuation(100.0), 0.0170725, 5e-8);
  EXPECT_NEAR(Model::LookUpBoneAttenuation(80.0), 0.0410801, 5e-8);
  const double expected = 1000.0 * (Model::LookUpBoneAttenuation(75.0) / Model::LookUpWaterAttenuation(75.0) - 1.0);
  EXPECT_DOUBLE_EQ(model.GetBoneHounsfield(), expected);
  EXPECT_DOUBLE_EQ(model.Evaluate(model.GetBoneHounsfield()), model.GetBoneAttenuation());
}

TEST(HounsfieldAttenuationModel, AStatedCoefficientWinsOnItsOwn)
{
  if (!Model::HasTables())
  {
    GTEST_SKIP() << "BUILT WITHOUT XRAYLIB: nothing to win over";
  }
  Parameters parameters;
  parameters.waterAttenuation = 0.03;
  const Model model(parameters);
  EXPECT_EQ(model.GetWaterAttenuation(), 0.03);
  EXPECT_EQ(model.GetBoneAttenuation(), Model().GetBoneAttenuation());
  EXPECT_EQ(model.GetBoneHounsfield(), Model().GetBoneHounsfield());
}

TEST(HounsfieldAttenuationModel, WithoutTablesCoefficientsMustBeStated)
{
  if (Model::HasTables())
  {
    GTEST_SKIP() << "built with xraylib";
  }
  ExpectMentions(Refusal([]() { Model(); }), { "without xraylib", "State the coefficients" });
  EXPECT_EQ(Model(StatedParameters()).GetBoneHounsfield(), 1500.0);
}

TEST(HounsfieldAttenuationModel, RefusesByName)
{
  const auto refusal = [](const auto & change) {
    Parameters parameters = StatedParameters();
    change(parameters);
    return Refusal([&]() { Model model(parameters); });
  };
  ExpectMentions(refusal([](Parameters & p) { p.energy = 0.0; }), { "photon energy is 0 keV" });
  ExpectMentions(refusal([](Parameters & p) { p.energy = std::nan(""); }), { "photon energy" });
  ExpectMentions(refusal([](Parameters & p) { p.ctEffectiveEnergy = -1.0; }), { "effective energy is -1 keV" });
  ExpectMentions(refusal([](Parameters & p) { p.waterAttenuation = 0.0; }), { "water is 0 /mm" });
  ExpectMentions(refusal([](Parameters & p) { p.boneAttenuation = HUGE_VAL; }), { "bone" });
  ExpectMentions(refusal([](Parameters & p) { p.boneHounsfield = -5.0; }), { "HU of bone is -5" });
  ExpectMentions(refusal([](Parameters & p) { p.boneAttenuation = 0.02; }), { "bone, 0.02", "water, 0.02" });
  if (Model::HasTables())
  {
    const auto tabulated = [](double energy, double ctEnergy) {
      Parameters parameters;
      parameters.energy = energy;
      parameters.ctEffectiveEnergy = ctEnergy;
      return Refusal([&]() { Model model(parameters); });
    };
    ExpectMentions(tabulated(900.0, 75.0), { "900 keV", "0.1 to 800 keV" });
    ExpectMentions(tabulated(60.0, 0.05), { "effective energy is 0.05 keV" });
  }
}

TEST(HounsfieldAttenuationModel, PrintsEveryNumber)
{
  std::ostringstream text;
  text << Model(StatedParameters());
  ExpectMentions(text.str(), { "60 keV", "75 keV", "0.02 /mm", "0.05 /mm", "1500 HU", "floor 0 /mm" });
}

TEST(HounsfieldToAttenuationImageFilter, ConvertsShortAndCountsFlooredVoxels)
{
  using CTType = itk::Image<short, 3>;
  using Filter = itk::HounsfieldToAttenuationImageFilter<CTType>;
  const auto  ct = MakeRamp<CTType>({ { 30, 20, 10 } }, -1100.0, 1.0);
  const Model model(StatedParameters());
  for (const unsigned int threads : { 1u, 2u, 7u })
  {
    const auto filter = Filter::New();
    filter->SetInput(ct);
    filter->SetModelParameters(StatedParameters());
    filter->SetNumberOfWorkUnits(threads);
    filter->Update();
    EXPECT_EQ(filter->GetNumberOfFlooredVoxels(), 100u) << threads << " threads";
    const auto hounsfield = Pixels(*ct);
    const auto attenuation = Pixels(*filter->GetOutput());
    ASSERT_EQ(attenuation.size(), hounsfield.size());
    for (std::size_t i = 0; i < hounsfield.size(); ++i)
    {
      ASSERT_EQ(attenuation[i], static_cast<double>(static_cast<float>(model.Evaluate(hounsfield[i])))) << i;
    }
  }
}

TEST(HounsfieldToAttenuationImageFilter, ServesOtherDimensionsAndPixelTypes)
{
  using CTType = itk::Image<int, 2>;
  using Filter = itk::HounsfieldToAttenuationImageFilter<CTType, itk::Image<double, 2>>;
  const auto filter = Filter::New();
  filter->SetInput(MakeRamp<CTType>({ { 4, 3 } }, 0.0, 100.0));
  filter->SetModelParameters(StatedParameters());
  filter->Update();
  EXPECT_EQ(Pixels(*filter->GetOutput())[5], Model(StatedParameters()).Evaluate(500.0));
}

TEST(HounsfieldToAttenuationImageFilter, RunsInPlaceOnlyWhenAsked)
{
  using ImageType = itk::Image<float, 3>;
  using Filter = itk::HounsfieldToAttenuationImageFilter<ImageType, ImageType>;
  for (const bool inPlace : { false, true })
  {
    const auto ct = MakeRamp<ImageType>({ { 5, 4, 3 } }, 0.0, 10.0);
    const auto before = Pixels(*ct);
    const auto filter = Filter::New();
    EXPECT_FALSE(filter->GetInPlace());
    filter->SetInput(ct);
    filter->SetModelParameters(StatedParameters());
    filter->SetInPlace(inPlace);
    const float * const buffer = ct->GetBufferPointer();
    filter->Update();
    EXPECT_EQ(filter->GetOutput()->GetBufferPointer() == buffer, inPlace);
    const auto after = Pixels(*filter->GetOutput());
    EXPECT_FLOAT_EQ(static_cast<float>(after[7]), static_cast<float>(Model(StatedParameters()).Evaluate(before[7])));
    if (!inPlace)
    {
      EXPECT_EQ(Pixels(*ct), before);
    }
  }
}

TEST(HounsfieldToAttenuationImageFilter, RefusesNonFiniteVoxelsBeforeWritingEvenInPlace)
{
  using ImageType = itk::Image<float, 3>;
  using Filter = itk::HounsfieldToAttenuationImageFilter<ImageType, ImageType>;
  for (const unsigned int threads : { 1u, 2u, 7u })
  {
    const auto ct = MakeRamp<ImageType>({ { 5, 40, 30 } }, -100.0, 1.0);
    ct->SetPixel({ { 4, 42, 32 } }, std::numeric_limits<float>::quiet_NaN());
    ct->SetPixel({ { 6, 15, 9 } }, std::numeric_limits<float>::infinity());
    const auto filter = Filter::New();
    filter->SetInput(ct);
    filter->SetModelParameters(StatedParameters());
    filter->InPlaceOn();
    filter->SetNumberOfWorkUnits(threads);
    ExpectMentions(Refusal([&]() { filter->Update(); }), { "[6, 15, 9]", "Infinity" });
    EXPECT_EQ(ct->GetPixel({ { 3, 3, 3 } }), -100.0f) << "the input was touched";
  }
}

TEST(HounsfieldToAttenuationImageFilter, StreamsAndServesRegions)
{
  using CTType = itk::Image<short, 3>;
  using Filter = itk::HounsfieldToAttenuationImageFilter<CTType>;
  const auto make = []() {
    const auto filter = Filter::New();
    filter->SetInput(MakeRamp<CTType>({ { 9, 8, 7 } }, -1100.0, 3.0));
    filter->SetModelParameters(StatedParameters());
    return filter;
  };
  const auto whole = make();
  whole->Update();
  const auto streamed = itk::StreamingImageFilter<Filter::OutputImageType, Filter::OutputImageType>::New();
  const auto source = make();
  streamed->SetInput(source->GetOutput());
  streamed->SetNumberOfStreamDivisions(3);
  streamed->Update();
  EXPECT_EQ(Pixels(*streamed->GetOutput()), Pixels(*whole->GetOutput()));
}

TEST(HounsfieldToAttenuationImageFilter, SettersReachTheModelAndAreRefusedBeforeWork)
{
  using CTType = itk::Image<short, 3>;
  const auto filter = itk::HounsfieldToAttenuationImageFilter<CTType>::New();
  filter->SetInput(MakeRamp<CTType>({ { 2, 2, 2 } }, 0.0, 1.0));
  filter->SetEnergy(70.0);
  filter->SetCTEffectiveEnergy(80.0);
  filter->SetWaterAttenuation(0.02);
  filter->SetBoneAttenuation(0.05);
  filter->SetBoneHounsfield(1200.0);
  EXPECT_EQ(filter->GetModel().GetEnergy(), 70.0);
  EXPECT_EQ(filter->GetModel().GetCTEffectiveEnergy(), 80.0);
  EXPECT_EQ(filter->GetModel().GetBoneHounsfield(), 1200.0);
  filter->SetWaterAttenuation(-1.0);
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "water is -1 /mm" });
  filter->UseTabulatedCoefficients();
  EXPECT_FALSE(filter->GetModelParameters().waterAttenuation);

  std::ostringstream text;
  filter->Print(text);
  ExpectMentions(
    text.str(), { "Energy: 70", "CTEffectiveEnergy: 80", "WaterAttenuation: (looked up)", "NumberOfFlooredVoxels: 0" });
}
