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
#include "itkPoissonLikelihoodCalculator.h"
#include "itkTransmissionImageFilter.h"

#include "itkMetaDataObject.h"

#include <cmath>
#include <limits>

using namespace testimages;
using Calculator = itk::PoissonLikelihoodCalculator;
using Poisson = itk::PoissonLikelihood;
using Expectation = itk::PoissonExpectation;

namespace
{

constexpr double          OpenBeam = 2000.0;
constexpr float           NaN = std::numeric_limits<float>::quiet_NaN();
constexpr float           Infinity = std::numeric_limits<float>::infinity();
const ImageType::SizeType Size = { { 40, 23, 2 } };

double
DepthAt(std::size_t i)
{
  return 0.002 * static_cast<double>(i % 1700);
}

/** Depths, and counts drawn from them. */
struct Scene
{
  explicit Scene(double openBeam = OpenBeam, const ImageType::SizeType & size = Size)
    : depth(Make(size, DepthAt))
  {
    const auto law = itk::TransmissionImageFilter::New();
    law->SetInput(depth);
    law->SetOpenBeamCounts(openBeam);
    law->ComputeTransmissionOff();
    law->ComputeCountsOn();
    const auto noise = itk::PhotonNoiseImageFilter::New();
    noise->SetInput(law->GetCounts());
    noise->SetSeed(5);
    noise->Update();
    counts = noise->GetOutput();
    counts->DisconnectPipeline();
    calculator->SetDepth(depth);
    calculator->SetObservedCounts(counts);
    calculator->SetOpenBeamCounts(openBeam);
  }

  double
  Value()
  {
    calculator->Compute();
    return calculator->GetValue();
  }

  ImageType::Pointer  depth;
  ImageType::Pointer  counts;
  Calculator::Pointer calculator = Calculator::New();
};

std::vector<double>
DoublePixels(const Calculator::DoubleImageType & image)
{
  const double * const first = image.GetBufferPointer();
  return { first, first + image.GetBufferedRegion().GetNumberOfPixels() };
}

/** Everything that Compute() can give, for comparisons of bits. */
std::vector<double>
AllResults(Calculator & calculator)
{
  calculator.ComputeScoreImageOn();
  calculator.ComputeInformationImageOn();
  calculator.Compute();
  std::vector<double> all{ calculator.GetValue(),
                           calculator.GetDeviance(),
                           calculator.GetPearsonChiSquare(),
                           calculator.GetMostLikelyExposure() };
  for (const auto row : { Calculator::LogExposure, Calculator::AttenuationScale, Calculator::Scatter })
  {
    all.push_back(calculator.GetNuisanceScore(row));
    for (const auto column : { Calculator::LogExposure, Calculator::AttenuationScale, Calculator::Scatter })
    {
      all.push_back(calculator.GetNuisanceInformation(row, column));
    }
  }
  for (const auto * image : { calculator.GetScoreImage(), calculator.GetInformationImage() })
  {
    const auto pixels = DoublePixels(*image);
    all.insert(all.end(), pixels.begin(), pixels.end());
  }
  return all;
}

} // namespace

TEST(PoissonLikelihoodCalculator, SumsWhatThePixelsSay)
{
  Scene      scene;
  const auto scatter = Make(Size, [](std::size_t i) { return i % 3 == 0 ? 0.0 : 12.5; });
  const auto openBeam = Make(Size, [](std::size_t i) { return OpenBeam + static_cast<double>(i % 7); });
  auto &     calculator = *scene.calculator;
  calculator.SetOpenBeamCountsImage(openBeam);
  calculator.SetScatterCountsImage(scatter);
  calculator.SetExposure(1.25);
  calculator.SetAttenuationScaleFactor(0.9);
  calculator.SetDispersionFactor(2.0);
  calculator.SetElectronicVariance(4.0);
  calculator.SetNumberOfParameters(6);
  calculator.ComputeScoreImageOn();
  calculator.ComputeInformationImageOn();
  calculator.Compute();

  const itk::PoissonDispersion dispersion{ 2.0, 4.0 };
  const auto                   depths = Pixels(*scene.depth);
  const auto                   counts = Pixels(*scene.counts);
  const auto                   scores = DoublePixels(*calculator.GetScoreImage());
  const auto                   informations = DoublePixels(*calculator.GetInformationImage());
  double                       value = 0.0;
  double                       chiSquare = 0.0;
  itk::Vector<double, 3>       score(0.0);
  itk::Matrix<double, 3, 3>    information;
  information.Fill(0.0);
  for (std::size_t i = 0; i < depths.size(); ++i)
  {
    const double      scatterHere = i % 3 == 0 ? 0.0 : 12.5;
    const Expectation given{ depths[i], 1.25 * (OpenBeam + static_cast<double>(i % 7)), scatterHere };
    Expectation       scaled = given;
    scaled.depth *= 0.9;
    value += Poisson::HalfDeviance(counts[i], scaled, dispersion);
    chiSquare += std::pow(Poisson::PearsonResidual(counts[i], scaled, { 1.0, 4.0 }), 2);
    const auto nuisance = Poisson::NuisanceDerivatives(counts[i], given, 0.9, dispersion);
    score += nuisance.score;
    information += nuisance.information;
    EXPECT_DOUBLE_EQ(scores[i], 0.9 * Poisson::Score(counts[i], scaled, dispersion)) << "pixel " << i;
    EXPECT_DOUBLE_EQ(informations[i], 0.81 * Poisson::FisherInformation(scaled, dispersion)) << "pixel " << i;
  }
  EXPECT_NEAR(calculator.GetValue(), value, 1e-12 * value);
  EXPECT_NEAR(calculator.GetDeviance(), 4.0 * value, 4e-12 * value);
  EXPECT_EQ(calculator.GetNumberOfPixels(), depths.size());
  EXPECT_NEAR(calculator.GetDeviancePerDegreeOfFreedom(), 4.0 * value / static_cast<double>(depths.size() - 6), 1e-9);
  EXPECT_NEAR(calculator.GetPearsonChiSquare(), chiSquare, 1e-12 * chiSquare);
  EXPECT_NEAR(calculator.GetEstimatedDispersionFactor(), chiSquare / static_cast<double>(depths.size() - 6), 1e-9);
  for (const auto row : { Calculator::LogExposure, Calculator::AttenuationScale, Calculator::Scatter })
  {
    EXPECT_NEAR(calculator.GetNuisanceScore(row), score[row], 1e-11 * value) << row;
    for (const auto column : { Calculator::LogExposure, Calculator::AttenuationScale, Calculator::Scatter })
    {
      const double expected = information(row, column);
      EXPECT_NEAR(calculator.GetNuisanceInformation(row, column), expected, 1e-12 * std::abs(expected));
    }
  }
}

TEST(PoissonLikelihoodCalculator, ScoreImageIsTheDerivativeOfTheValue)
{
  Scene scene;
  scene.calculator->SetScatterCounts(30.0);
  scene.calculator->SetDispersionFactor(1.5);
  scene.calculator->ComputeScoreImageOn();
  scene.Value();
  const auto scores = DoublePixels(*scene.calculator->GetScoreImage());

  // Depths in binary64 move by a direction of alternating sign; the central difference has an error of step^2.
  const auto depths = Pixels(*scene.depth);
  const auto moved = Calculator::DoubleImageType::New();
  moved->CopyInformation(scene.depth);
  moved->SetRegions(scene.depth->GetLargestPossibleRegion());
  moved->Allocate();
  const auto direction = [](std::size_t i) { return i % 2 ? 1.0 : -0.5; };
  const auto valueAt = [&](double step) {
    for (std::size_t i = 0; i < depths.size(); ++i)
    {
      moved->GetBufferPointer()[i] = depths[i] + step * direction(i);
    }
    moved->Modified();
    scene.calculator->SetDepth(moved);
    return scene.Value();
  };
  double analytic = 0.0;
  double magnitude = 0.0;
  for (std::size_t i = 0; i < scores.size(); ++i)
  {
    analytic += scores[i] * direction(i);
    magnitude += std::abs(scores[i] * direction(i));
  }
  const double step = 1e-5;
  EXPECT_NEAR((valueAt(step) - valueAt(-step)) / (2.0 * step), analytic, 1e-7 * magnitude);
}

TEST(PoissonLikelihoodCalculator, NuisanceScoresAreDerivativesOfTheValue)
{
  Scene  scene;
  auto & calculator = *scene.calculator;
  calculator.SetScatterCounts(20.0);
  scene.Value();
  const double scale = std::sqrt(calculator.GetNuisanceInformation(Calculator::LogExposure, Calculator::LogExposure));
  const double exposureScore = calculator.GetNuisanceScore(Calculator::LogExposure);
  const double attenuationScore = calculator.GetNuisanceScore(Calculator::AttenuationScale);
  const double scatterScore = calculator.GetNuisanceScore(Calculator::Scatter);
  const double step = 1e-5;
  const auto   slope = [&](const auto & set) {
    set(step);
    const double above = scene.Value();
    set(-step);
    const double below = scene.Value();
    set(0.0);
    return (above - below) / (2.0 * step);
  };
  EXPECT_NEAR(exposureScore, slope([&](double h) { calculator.SetExposure(std::exp(h)); }), 1e-5 * scale);
  EXPECT_NEAR(attenuationScore, slope([&](double h) { calculator.SetAttenuationScaleFactor(1.0 + h); }), 1e-5 * scale);
  EXPECT_NEAR(scatterScore, slope([&](double h) { calculator.SetScatterCounts(20.0 + h); }), 1e-5 * scale);
}

TEST(PoissonLikelihoodCalculator, ATrueModelHasDevianceOneAndAScoreWithinItsError)
{
  Scene scene;
  scene.Value();
  const auto & calculator = *scene.calculator;
  const double freedom = static_cast<double>(calculator.GetNumberOfPixels());
  // Means from 67 to 2000 counts: the deviance exceeds chi-square by 1 / (6 lambda) at most.
  EXPECT_NEAR(calculator.GetDeviancePerDegreeOfFreedom(), 1.0, 5.0 * std::sqrt(2.0 / freedom) + 0.003) << "seed 5";
  EXPECT_NEAR(calculator.GetEstimatedDispersionFactor(), 1.0, 5.0 * std::sqrt(2.02 / freedom)) << "seed 5";
  for (const auto parameter : { Calculator::LogExposure, Calculator::AttenuationScale, Calculator::Scatter })
  {
    EXPECT_LT(std::abs(calculator.GetNuisanceScore(parameter)),
              5.0 * std::sqrt(calculator.GetNuisanceInformation(parameter, parameter)))
      << "parameter " << parameter << ", seed 5";
  }
}

TEST(PoissonLikelihoodCalculator, MostLikelyExposureIsStationaryAndBest)
{
  Scene scene;
  scene.calculator->SetOpenBeamCounts(OpenBeam / 3.0);
  scene.Value();
  const double best = scene.calculator->GetMostLikelyExposure();
  // Three, within five standard errors of the total count.
  EXPECT_NEAR(best / 3.0, 1.0, 5.0 / std::sqrt(500.0 * 1840.0)) << "seed 5";
  scene.calculator->SetExposure(best);
  const double least = scene.Value();
  EXPECT_NEAR(scene.calculator->GetNuisanceScore(Calculator::LogExposure), 0.0, 1e-6);
  EXPECT_DOUBLE_EQ(scene.calculator->GetMostLikelyExposure(), best) << "the answer does not depend on where one stands";
  for (const double factor : { 0.99, 1.01 })
  {
    scene.calculator->SetExposure(factor * best);
    EXPECT_GT(scene.Value(), least);
  }
  scene.calculator->SetScatterCounts(1.0);
  scene.Value();
  ExpectMentions(Refusal([&]() { scene.calculator->GetMostLikelyExposure(); }), { "no closed form" });
}

TEST(PoissonLikelihoodCalculator, MaskedPixelsAreNotLookedAt)
{
  Scene      scene;
  const auto mask = Calculator::MaskImageType::New();
  mask->CopyInformation(scene.depth);
  mask->SetRegions(scene.depth->GetLargestPossibleRegion());
  mask->Allocate();
  mask->FillBuffer(1);
  const ImageType::IndexType dead = { { 7, 0, 2 } };
  mask->SetPixel(dead, 0);
  scene.Value();
  const double whole = scene.calculator->GetValue();
  const double here = Poisson::HalfDeviance(scene.counts->GetPixel(dead), { scene.depth->GetPixel(dead), OpenBeam });
  scene.counts->SetPixel(dead, NaN);
  scene.counts->Modified();
  scene.calculator->SetMask(mask);
  scene.calculator->ComputeScoreImageOn();
  EXPECT_NEAR(scene.Value(), whole - here, 1e-12 * whole);
  EXPECT_EQ(scene.calculator->GetNumberOfPixels(), 40u * 23u * 2u - 1u);
  EXPECT_EQ(scene.calculator->GetScoreImage()->GetPixel(dead), 0.0);

  mask->FillBuffer(0);
  mask->Modified();
  EXPECT_EQ(scene.Value(), 0.0);
  ExpectMentions(Refusal([&]() { scene.calculator->GetDeviancePerDegreeOfFreedom(); }), { "no degrees of freedom" });
}

TEST(PoissonLikelihoodCalculator, ThreadsGiveTheSameBits)
{
  Scene scene(OpenBeam, { { 130, 101, 1 } });
  scene.calculator->SetNumberOfWorkUnits(1);
  const auto expected = AllResults(*scene.calculator);
  for (const itk::ThreadIdType threads : { 2u, 5u, 0u })
  {
    scene.calculator->SetNumberOfWorkUnits(threads);
    EXPECT_EQ(AllResults(*scene.calculator), expected) << threads << " work units";
  }
}

TEST(PoissonLikelihoodCalculator, DepthsInBinary64AreNotRounded)
{
  Scene      scene;
  const auto fine = Calculator::DoubleImageType::New();
  fine->CopyInformation(scene.depth);
  fine->SetRegions(scene.depth->GetLargestPossibleRegion());
  fine->Allocate();
  const auto depths = Pixels(*scene.depth);
  std::copy(depths.begin(), depths.end(), fine->GetBufferPointer());
  const double value = scene.Value();
  scene.calculator->SetDepth(fine);
  EXPECT_EQ(scene.Value(), value);
  fine->GetBufferPointer()[9] += 1e-12;
  fine->Modified();
  EXPECT_NE(scene.Value(), value);
  scene.calculator->SetDepth(scene.depth);
  EXPECT_EQ(scene.Value(), value);
}

TEST(PoissonLikelihoodCalculator, AMeanThatUnderflowsIsLegalButHasNoScatterDerivative)
{
  Scene scene(1.0);
  scene.depth->FillBuffer(1.0f);
  scene.counts->FillBuffer(1.0f);
  scene.depth->SetPixel({ { 6, -3, 2 } }, 800.0f);
  scene.counts->Modified();
  scene.depth->Modified();
  scene.calculator->ComputeScoreImageOn();
  const double rest = (40.0 * 23.0 * 2.0 - 1.0) * Poisson::HalfDeviance(1.0, { 1.0, 1.0 });
  EXPECT_NEAR(scene.Value(), 799.0 + rest, 1e-9);
  EXPECT_EQ(scene.calculator->GetScoreImage()->GetPixel({ { 6, -3, 2 } }), 1.0);
  EXPECT_TRUE(std::isfinite(scene.calculator->GetNuisanceScore(Calculator::AttenuationScale)));
  ExpectMentions(Refusal([&]() { scene.calculator->GetNuisanceScore(Calculator::Scatter); }), { "[6, -3, 2]" });
  ExpectMentions(
    Refusal([&]() { scene.calculator->GetNuisanceInformation(Calculator::LogExposure, Calculator::Scatter); }),
    { "[6, -3, 2] is 0" });
  ExpectMentions(Refusal([&]() { scene.calculator->GetPearsonChiSquare(); }), { "[6, -3, 2] is 0" });
}

TEST(PoissonLikelihoodCalculator, ZeroCountsAreData)
{
  Scene scene;
  scene.counts->FillBuffer(0.0f);
  scene.counts->Modified();
  double mean = 0.0;
  for (const float depth : Pixels(*scene.depth))
  {
    mean += Poisson::Mean({ depth, OpenBeam });
  }
  EXPECT_NEAR(scene.Value(), mean, 1e-12 * mean);
  EXPECT_EQ(scene.calculator->GetMostLikelyExposure(), 0.0);
}

TEST(PoissonLikelihoodCalculator, RefusesPixelsByIndexAndValue)
{
  const auto refusal = [](const auto & spoil) {
    Scene scene;
    spoil(scene);
    return Refusal([&]() { scene.calculator->Compute(); });
  };
  const ImageType::IndexType at = { { 8, -1, 3 } };
  for (const float bad : { NaN, Infinity, -1.0f })
  {
    ExpectMentions(refusal([&](Scene & scene) { scene.counts->SetPixel(at, bad); }), { "Observed", "[8, -1, 3] is" });
    ExpectMentions(refusal([&](Scene & scene) {
                     const auto scatter = MakeConstant(Size, 1.0f);
                     scatter->SetPixel(at, bad);
                     scene.calculator->SetScatterCountsImage(scatter);
                   }),
                   { "Scatter", "[8, -1, 3] is" });
    ExpectMentions(refusal([&](Scene & scene) {
                     const auto openBeam = MakeConstant(Size, 1.0f);
                     openBeam->SetPixel(at, bad);
                     scene.calculator->SetOpenBeamCountsImage(openBeam);
                   }),
                   { "Open-beam", "[8, -1, 3] is" });
  }
  ExpectMentions(refusal([&](Scene & scene) { scene.counts->SetPixel(at, -1.0f); }), { "[8, -1, 3] is -1" });
  for (const float bad : { NaN, Infinity })
  {
    ExpectMentions(refusal([&](Scene & scene) { scene.depth->SetPixel(at, bad); }), { "depths", "[8, -1, 3] is" });
  }
  ExpectMentions(refusal([&](Scene & scene) { scene.depth->SetPixel(at, -900.0f); }),
                 { "cannot hold", "[8, -1, 3] is -900" });
  ExpectMentions(refusal([&](Scene & scene) {
                   scene.counts->FillBuffer(0.0f);
                   scene.counts->SetPixel(at, 3.0f);
                   scene.calculator->SetOpenBeamCounts(0.0);
                 }),
                 { "nothing is expected", "[8, -1, 3] is 3" });
}

TEST(PoissonLikelihoodCalculator, RefusesSettingsAndImagesByName)
{
  const auto refusal = [](const auto & spoil) {
    Scene scene;
    spoil(*scene.calculator);
    return Refusal([&]() { scene.calculator->Compute(); });
  };
  ExpectMentions(refusal([](Calculator & c) { c.SetOpenBeamCounts(-2.0); }), { "OpenBeamCounts is -2" });
  ExpectMentions(refusal([](Calculator & c) { c.SetScatterCounts(-2.0); }), { "ScatterCounts is -2" });
  ExpectMentions(refusal([](Calculator & c) { c.SetExposure(0.0); }), { "Exposure is 0" });
  ExpectMentions(refusal([](Calculator & c) { c.SetAttenuationScaleFactor(HUGE_VAL); }), { "AttenuationScaleFactor" });
  ExpectMentions(refusal([](Calculator & c) { c.SetDispersionFactor(0.0); }), { "DispersionFactor is 0" });
  ExpectMentions(refusal([](Calculator & c) { c.SetElectronicVariance(-1.0); }), { "ElectronicVariance is -1" });
  ExpectMentions(refusal([](Calculator & c) { c.SetObservedCounts(nullptr); }), { "no observed counts" });
  ExpectMentions(refusal([](Calculator & c) { c.SetDepth(static_cast<ImageType *>(nullptr)); }), { "no depths" });
  ExpectMentions(refusal([](Calculator & c) {
                   c.SetObservedCounts(MakeConstant({ { 4, 4, 1 } }, 1.0f));
                 }),
                 { "observed counts", "[4, 4, 1]", "[40, 23, 2]" });
  ExpectMentions(refusal([](Calculator & c) {
                   const auto moved = MakeConstant(Size, 1.0f);
                   moved->SetOrigin(moved->GetOrigin() + itk::Vector<double, 3>(1.0));
                   c.SetScatterCountsImage(moved);
                 }),
                 { "scatter", "origin" });
  ExpectMentions(refusal([](Calculator & c) {
                   const auto part = MakeConstant(Size, 1.0f);
                   part->SetBufferedRegion(ImageType::RegionType({ { 5, -3, 2 } }, { { 2, 2, 1 } }));
                   c.SetOpenBeamCountsImage(part);
                 }),
                 { "open-beam", "not wholly in memory" });
}

TEST(PoissonLikelihoodCalculator, RefusesImagesThatSayTheyAreNotCounts)
{
  const auto declare = [](ImageType & image, const char * quantity) {
    itk::EncapsulateMetaData<std::string>(image.GetMetaDataDictionary(), "radiography_quantity", quantity);
  };
  Scene scene;
  for (const char * counts : { "counts", "linear" })
  {
    declare(*scene.counts, counts);
    EXPECT_GT(scene.Value(), 0.0);
  }
  declare(*scene.depth, "optical-depth");
  const double value = scene.Value();
  for (const char * other : { "log-transmission", "display", "optical-depth" })
  {
    declare(*scene.counts, other);
    ExpectMentions(Refusal([&]() { scene.calculator->Compute(); }), { "observed counts", other, "AllowNonCounts" });
  }
  scene.calculator->AllowNonCountsOn();
  EXPECT_EQ(scene.Value(), value);
  scene.calculator->AllowNonCountsOff();
  declare(*scene.counts, "counts");
  declare(*scene.depth, "transmission");
  ExpectMentions(Refusal([&]() { scene.calculator->Compute(); }), { "depths", "transmission", "AllowNonCounts" });
}

TEST(PoissonLikelihoodCalculator, ResultsBelongToTheLastCompute)
{
  Scene scene;
  ExpectMentions(Refusal([&]() { scene.calculator->GetValue(); }), { "Call Compute()" });
  const double value = scene.Value();
  EXPECT_EQ(scene.calculator->GetScoreImage(), nullptr);
  scene.calculator->SetExposure(1.5);
  ExpectMentions(Refusal([&]() { scene.calculator->GetDeviance(); }), { "changed since" });
  scene.calculator->SetExposure(1.0);
  EXPECT_EQ(scene.Value(), value);
  scene.counts->Modified();
  ExpectMentions(Refusal([&]() { scene.calculator->GetDeviance(); }), { "changed since" });
}

TEST(PoissonLikelihoodCalculator, PrintsItsState)
{
  Scene scene;
  scene.Value();
  ExpectMentions(Printed(*scene.calculator),
                 { "OpenBeamCounts: 2000",
                   "ScatterCounts: 0",
                   "Exposure: 1",
                   "AttenuationScaleFactor: 1",
                   "DispersionFactor: 1",
                   "ElectronicVariance: 0",
                   "NumberOfParameters: 0",
                   "CheckInputs: On",
                   "AllowNonCounts: Off",
                   "NumberOfPixels: 1840" });
}
