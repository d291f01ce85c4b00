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
#include "itkPoissonLikelihood.h"
#include "itkPoissonResidualImageFilter.h"

#include "itkMetaDataObject.h"
#include "itkStreamingImageFilter.h"

#include <cmath>
#include <limits>

using namespace testimages;
using Filter = itk::PoissonResidualImageFilter;
using ResidualEnum = Filter::ResidualEnum;
using Poisson = itk::PoissonLikelihood;

namespace
{

constexpr float           NaN = std::numeric_limits<float>::quiet_NaN();
constexpr float           Infinity = std::numeric_limits<float>::infinity();
const ImageType::SizeType Size = { { 67, 70, 3 } };

ImageType::Pointer
Means()
{
  return Make(Size, [](std::size_t i) { return 0.25 * static_cast<double>(i % 4001); });
}

ImageType::Pointer
Draw(const ImageType * means)
{
  const auto noise = itk::PhotonNoiseImageFilter::New();
  noise->SetInput(means);
  noise->SetSeed(13);
  noise->Update();
  const ImageType::Pointer counts = noise->GetOutput();
  counts->DisconnectPipeline();
  return counts;
}

Filter::Pointer
MakeFilter(const ImageType * observed, const ImageType * expected, ResidualEnum residual = ResidualEnum::Deviance)
{
  const auto filter = Filter::New();
  filter->SetObservedCounts(observed);
  filter->SetExpectedCounts(expected);
  filter->SetResidual(residual);
  return filter;
}

} // namespace

TEST(PoissonResidualImageFilter, EqualsTheFunctionsPerPixel)
{
  const auto                   means = Means();
  const auto                   observed = Draw(means);
  const itk::PoissonDispersion dispersion{ 2.25, 3.0 };
  for (const auto residual : { ResidualEnum::Deviance, ResidualEnum::Pearson })
  {
    const auto filter = MakeFilter(observed, means, residual);
    filter->SetDispersionFactor(2.25);
    filter->SetElectronicVariance(3.0);
    filter->Update();
    const auto residuals = Pixels(*filter->GetOutput());
    const auto n = Pixels(*observed);
    const auto m = Pixels(*means);
    for (std::size_t i = 0; i < residuals.size(); ++i)
    {
      const double expected = residual == ResidualEnum::Deviance ? Poisson::DevianceResidual(n[i], m[i], dispersion)
                                                                 : Poisson::PearsonResidual(n[i], m[i], dispersion);
      EXPECT_EQ(residuals[i], static_cast<float>(expected)) << "N " << n[i] << ", lambda " << m[i];
    }
  }
}

TEST(PoissonResidualImageFilter, NoiseHasUnitVariance)
{
  const auto means = Make({ { 200, 100, 1 } }, [](std::size_t i) { return 50.0 + static_cast<double>(i % 100); });
  for (const auto residual : { ResidualEnum::Deviance, ResidualEnum::Pearson })
  {
    const auto filter = MakeFilter(Draw(means), means, residual);
    filter->Update();
    double sum = 0.0;
    double squares = 0.0;
    for (const float value : Pixels(*filter->GetOutput()))
    {
      sum += value;
      squares += static_cast<double>(value) * value;
    }
    // The deviance residual is biased by -1 / (6 sqrt(lambda)), and its square by 1 / (6 lambda).
    const double bias = residual == ResidualEnum::Deviance ? -1.0 / (6.0 * 10.0) : 0.0;
    EXPECT_NEAR(sum / 20000.0, bias, 5.0 / std::sqrt(20000.0)) << "seed 13";
    EXPECT_NEAR(squares / 20000.0, 1.0, 5.0 * std::sqrt(2.02 / 20000.0) + 0.004) << "seed 13";
  }
}

TEST(PoissonResidualImageFilter, NothingExpectedAndNothingSeenIsNoResidual)
{
  for (const auto residual : { ResidualEnum::Deviance, ResidualEnum::Pearson })
  {
    const auto filter = MakeFilter(MakeConstant({ { 3, 2, 1 } }, 0.0f), MakeConstant({ { 3, 2, 1 } }, 0.0f), residual);
    filter->Update();
    EXPECT_EQ(Pixels(*filter->GetOutput()), std::vector<float>(6, 0.0f));
  }
}

TEST(PoissonResidualImageFilter, ThreadsAndRegionsGiveTheSameBits)
{
  const auto means = Means();
  const auto observed = Draw(means);
  const auto whole = MakeFilter(observed, means);
  whole->SetNumberOfWorkUnits(1);
  whole->Update();
  const auto expected = Pixels(*whole->GetOutput());
  for (const unsigned int threads : { 2u, 7u })
  {
    const auto other = MakeFilter(observed, means);
    other->SetNumberOfWorkUnits(threads);
    other->Update();
    EXPECT_EQ(Pixels(*other->GetOutput()), expected) << threads << " threads";
  }
  const auto                  part = MakeFilter(observed, means);
  const ImageType::RegionType region({ { 11, 4, 3 } }, { { 20, 31, 2 } });
  part->GetOutput()->SetRequestedRegion(region);
  part->Update();
  EXPECT_EQ(Pixels(*part->GetOutput()), Pixels(*whole->GetOutput(), region));

  const auto streamed = itk::StreamingImageFilter<ImageType, ImageType>::New();
  const auto source = MakeFilter(observed, means);
  streamed->SetInput(source->GetOutput());
  streamed->SetNumberOfStreamDivisions(4);
  streamed->Update();
  EXPECT_EQ(Pixels(*streamed->GetOutput()), expected);
}

TEST(PoissonResidualImageFilter, RefusesPixelsByIndexAndValueBeforeWriting)
{
  const auto observed = MakeConstant({ { 3, 2, 1 } }, 4.0f);
  const auto means = MakeConstant({ { 3, 2, 1 } }, 4.0f);
  const auto filter = MakeFilter(observed, means, ResidualEnum::Pearson);
  filter->Update();
  const auto refusal = [&](float n, float lambda) {
    observed->SetPixel({ { 6, -2, 2 } }, n);
    means->SetPixel({ { 6, -2, 2 } }, lambda);
    observed->Modified();
    means->Modified();
    const std::string text = Refusal([&]() { filter->Update(); });
    EXPECT_EQ(Pixels(*filter->GetOutput()), std::vector<float>(6, 0.0f)) << "the output was touched";
    return text;
  };
  for (const float bad : { NaN, Infinity, -1.0f })
  {
    ExpectMentions(refusal(bad, 4.0f), { "Observed counts", "[6, -2, 2] is" });
    ExpectMentions(refusal(4.0f, bad), { "Expected counts", "[6, -2, 2] is" });
  }
  ExpectMentions(refusal(-1.0f, 4.0f), { "[6, -2, 2] is -1" });
  ExpectMentions(refusal(3.0f, 0.0f), { "nothing is expected", "[6, -2, 2] is 3" });
  ExpectMentions(refusal(3e38f, 1e-20f), { "cannot hold", "[6, -2, 2] is" });
}

TEST(PoissonResidualImageFilter, UncheckedModeSkipsOnlyTheScan)
{
  const auto observed = MakeConstant({ { 3, 2, 1 } }, 4.0f);
  const auto filter = MakeFilter(observed, MakeConstant({ { 3, 2, 1 } }, 0.0f), ResidualEnum::Pearson);
  filter->CheckInputsOff();
  filter->Update();
  EXPECT_EQ(filter->GetOutput()->GetPixel({ { 5, -3, 2 } }), Infinity);
  filter->SetDispersionFactor(0.0);
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "DispersionFactor is 0" });
}

TEST(PoissonResidualImageFilter, ElectronicVarianceAdmitsReadingsBelowZero)
{
  const auto filter = MakeFilter(MakeConstant({ { 2, 2, 1 } }, -3.0f), MakeConstant({ { 2, 2, 1 } }, 0.0f));
  filter->SetElectronicVariance(9.0);
  filter->SetResidual(ResidualEnum::Pearson);
  filter->Update();
  EXPECT_EQ(Pixels(*filter->GetOutput()), std::vector<float>(4, -1.0f));
  filter->SetElectronicVariance(2.0);
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "[5, -3, 2] is -3" });
}

TEST(PoissonResidualImageFilter, RefusesSettingsAndImagesByName)
{
  const auto counts = MakeConstant({ { 3, 2, 1 } }, 4.0f);
  const auto filter = MakeFilter(counts, counts);
  filter->SetDispersionFactor(-1.0);
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "DispersionFactor is -1" });
  filter->SetDispersionFactor(1.0);
  filter->SetElectronicVariance(HUGE_VAL);
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "ElectronicVariance is" });
  filter->SetElectronicVariance(0.0);
  filter->SetExpectedCounts(MakeConstant({ { 3, 3, 1 } }, 4.0f));
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "[3, 2, 1]", "[3, 3, 1]" });
  filter->SetExpectedCounts(nullptr);
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "ExpectedCounts" });

  const auto declared = MakeConstant({ { 3, 2, 1 } }, 4.0f);
  itk::EncapsulateMetaData<std::string>(declared->GetMetaDataDictionary(), "radiography_quantity", "log-transmission");
  filter->SetExpectedCounts(declared);
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "expected counts", "log-transmission", "AllowNonCounts" });
  filter->AllowNonCountsOn();
  filter->Update();
  EXPECT_EQ(Pixels(*filter->GetOutput()), std::vector<float>(6, 0.0f));
}

TEST(PoissonResidualImageFilter, PrintsItsState)
{
  ExpectMentions(Printed(*Filter::New()),
                 { "Residual: itk::PoissonResidualImageFilterEnums::Residual::Deviance",
                   "DispersionFactor: 1",
                   "ElectronicVariance: 0",
                   "CheckInputs: On",
                   "AllowNonCounts: Off" });
}
