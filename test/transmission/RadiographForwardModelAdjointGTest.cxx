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
#include "ForwardModelFixtures.h"
#include "TransmissionTestImages.h"
#include "itkDerivativeChecker.h"
#include "itkPoissonLikelihoodCalculator.h"
#include "itkRadiographForwardModelAdjointImageFilter.h"
#include "transmission/itkSubrayViews.h"

#include "itkCommand.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <sstream>

using namespace radiography::test;
using testimages::ExpectMentions;
using testimages::Pixels;
using testimages::Printed;
using testimages::Refusal;
using AdjointType = itk::RadiographForwardModelAdjointImageFilter;
using Checker = itk::DerivativeChecker;
using Vector = Checker::VectorType;

namespace
{

// Depths, counts and readings are each rounded to binary32; depths of these scenes are below 3.
constexpr double ChainPrecision = 3.0 * Checker::Binary32Precision;

struct Scene
{
  std::mt19937          engine;
  ImageType::Pointer    mu;
  GeometryType::Pointer view{ MakeObliqueView() };

  explicit Scene(unsigned int seed = 4711)
    : engine(seed)
    , mu(MakeMu(engine))
  {}

  ModelType::Pointer
  Model(Projector projector = Projector::Joseph, const Sampling & sampling = Samplings[0]) const
  {
    return MakeModel(mu, view, projector, sampling);
  }

  /** An updated one. */
  ModelType::Pointer
  Evaluated(Projector projector = Projector::Joseph, const Sampling & sampling = Samplings[0]) const
  {
    const auto model = this->Model(projector, sampling);
    model->Update();
    return model;
  }

  ImageType::Pointer
  RandomPixels(float low = -1.0F, float high = 1.0F)
  {
    std::uniform_real_distribution<float> value(low, high);
    return MakePixels(*view, [&]() { return value(engine); });
  }

  /** The same grid, other values. */
  ImageType::Pointer
  MuOf(const Vector & values) const
  {
    const auto image = ImageType::New();
    image->CopyInformation(mu);
    image->SetRegions(mu->GetBufferedRegion());
    image->Allocate();
    std::transform(
      values.begin(), values.end(), image->GetBufferPointer(), [](double v) { return static_cast<float>(v); });
    return image;
  }
};

AdjointType::Pointer
MakeAdjoint(const ModelType * forward, const ImageType * readingCotangent)
{
  const auto adjoint = AdjointType::New();
  adjoint->SetForward(forward);
  adjoint->SetReadingCotangent(readingCotangent);
  return adjoint;
}

double
Dot(const Vector & a, const Vector & b)
{
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double
DotOfMagnitudes(const Vector & a, const Vector & b)
{
  return std::inner_product(
    a.begin(), a.end(), b.begin(), 0.0, std::plus<>(), [](double x, double y) { return std::abs(x * y); });
}

template <typename T>
std::string
TextOf(const T & value)
{
  std::ostringstream text;
  text << value;
  return text.str();
}

Checker
ChainChecker()
{
  Checker checker;
  checker.SetStorage(Checker::StorageEnum::Binary32);
  checker.SetFunctionPrecision(ChainPrecision);
  checker.SetDomain(0.0, 1e30);
  checker.SetStepScale(1.0 / 16.0);
  checker.SetStepExponents(2, 16);
  return checker;
}

/** J v of the readings, by rays that are projected one view after another and averaged in binary64: what the adjoint is
 * the transpose of. */
Vector
ReadingsTangent(const Scene & scene, Projector projector, const Sampling & sampling, const ImageType & tangent)
{
  const unsigned int side = sampling.subraysPerSide;
  const auto         views = itk::MakeSubrayViews(*scene.view, side, { sampling.spot, 0.5 * sampling.spot, 2 });
  Vector             result(36, 0.0);
  for (const auto & view : views)
  {
    const auto depths = ValuesOf(*Project(scene.mu, view.view, projector, MakePose()));
    const auto changes = ValuesOf(*Project(&tangent, view.view, projector, MakePose()));
    for (std::size_t i = 0; i < depths.size(); ++i)
    {
      const std::size_t column = i % (6 * side) / side;
      const std::size_t row = i / (6 * side) / side;
      result[row * 6 + column] -= 2.5 * 1000.0 * view.weight / (side * side) * std::exp(-depths[i]) * changes[i];
    }
  }
  return result;
}

} // namespace

TEST(RadiographForwardModelAdjoint, MuAgreesWithDifferencesOfTheChain)
{
  Scene      scene;
  const auto y = scene.RandomPixels();
  for (const Projector projector : Projectors)
  {
    for (const Sampling & sampling : { Samplings[0], Samplings[3] })
    {
      const auto adjoint = MakeAdjoint(scene.Evaluated(projector, sampling), y);
      adjoint->Update();
      const auto apply = [&](const ImageType * mu) {
        const auto model = MakeModel(mu, scene.view, projector, sampling);
        model->Update();
        return ImageType::Pointer(model->GetReadings());
      };
      Checker checker = ChainChecker();
      checker.SetCoordinateLimit(4);
      // Of a voxel's effect on the sum over all pixels, most of which it does not touch.
      checker.SetResolution(1e-3);
      const auto report = checker.CheckImageAdjoint(apply, scene.mu, y, adjoint->GetMuCotangent());
      EXPECT_TRUE(report.Passed()) << Describe(projector, sampling) << '\n' << report;

      Vector wrong = ValuesOf(*adjoint->GetMuCotangent());
      std::transform(wrong.begin(), wrong.end(), wrong.begin(), [](double v) { return 1.005 * v; });
      EXPECT_FALSE(checker.CheckImageAdjoint(apply, scene.mu, y, scene.MuOf(wrong)).Passed());
    }
  }
}

TEST(RadiographForwardModelAdjoint, IsTheTransposeOfTheTangent)
{
  for (const unsigned int seed : { 1u, 2u, 3u })
  {
    Scene                                 scene(seed);
    const auto                            y = scene.RandomPixels();
    const auto                            tangent = scene.MuOf(ValuesOf(*scene.mu));
    std::uniform_real_distribution<float> value(0.0F, 0.1F);
    FillWith(*tangent, [&]() { return value(scene.engine); });
    for (const Projector projector : Projectors)
    {
      for (const Sampling & sampling : Samplings)
      {
        const auto adjoint = MakeAdjoint(scene.Evaluated(projector, sampling), y);
        adjoint->Update();
        const auto forwards = ReadingsTangent(scene, projector, sampling, *tangent);
        const auto muCotangent = ValuesOf(*adjoint->GetMuCotangent());
        // Roundings of depths, of tangents' depths, and of the cotangents of counts, depths, sub-rays and mu.
        const double bound = 10.0 * Checker::Binary32Precision * DotOfMagnitudes(forwards, ValuesOf(*y));
        EXPECT_NEAR(Dot(muCotangent, ValuesOf(*tangent)), Dot(forwards, ValuesOf(*y)), bound)
          << "seed " << seed << ", " << Describe(projector, sampling);
        EXPECT_LT(bound, 1e-3 * std::abs(Dot(forwards, ValuesOf(*y)))) << "a bound that tells something";
      }
    }
  }
}

TEST(RadiographForwardModelAdjoint, DepthsAreHomogeneousInMu)
{
  // Euler: L is linear in mu, so <mu, dL/dmu> = L for every pixel.
  Scene scene;
  for (const Projector projector : Projectors)
  {
    const auto model = scene.Evaluated(projector);
    const auto depths = ValuesOf(*model->GetDepth());
    for (const std::size_t pixel : { 0u, 8u, 14u, 21u, 27u, 35u })
    {
      const auto depthCotangent = scene.RandomPixels();
      depthCotangent->FillBuffer(0.0F);
      depthCotangent->GetBufferPointer()[pixel] = 1.0F;
      const auto adjoint = AdjointType::New();
      adjoint->SetForward(model);
      adjoint->SetDepthCotangent(depthCotangent);
      adjoint->Update();
      // Packets take samples in binary32: their error is relative to the largest attenuation times the path.
      const double tolerance = 2e-7 * depths[pixel] + 5e-7;
      EXPECT_NEAR(Dot(ValuesOf(*scene.mu), ValuesOf(*adjoint->GetMuCotangent())), depths[pixel], tolerance)
        << Describe(projector, Samplings[0]) << ", pixel " << pixel;
    }
  }
}

TEST(RadiographForwardModelAdjoint, EulersRelationHoldsForTheWholeObjective)
{
  // For an objective of the depths alone: <mu, mu'> = <L, L'>, whatever the cotangents, without sub-rays.
  Scene      scene;
  const auto y = scene.RandomPixels();
  for (const Projector projector : Projectors)
  {
    const auto model = scene.Evaluated(projector);
    const auto adjoint = MakeAdjoint(model, y);
    adjoint->Update();
    const auto depths = ValuesOf(*model->GetDepth());
    Vector     depthCotangents = ValuesOf(*y);
    for (std::size_t i = 0; i < depths.size(); ++i)
    {
      depthCotangents[i] *= -2.5 * 1000.0 * std::exp(-depths[i]);
    }
    EXPECT_NEAR(Dot(ValuesOf(*scene.mu), ValuesOf(*adjoint->GetMuCotangent())),
                Dot(depths, depthCotangents),
                6.0 * Checker::Binary32Precision * DotOfMagnitudes(depths, depthCotangents));
  }
}

TEST(RadiographForwardModelAdjoint, OpenBeamAgreesWithDifferences)
{
  Scene      scene;
  const auto y = scene.RandomPixels();
  for (const Sampling & sampling : { Samplings[0], Samplings[3] })
  {
    for (const bool shared : { true, false })
    {
      const auto model = scene.Model(Projector::Joseph, sampling);
      const auto set = [&](ModelType & chain, const Vector & n0) {
        std::size_t i = 0;
        if (shared)
        {
          chain.SetSharedOpenBeamCountsImage(MakeOnePixel(static_cast<float>(n0[0])));
        }
        else
        {
          chain.SetOpenBeamCountsImage(MakePixels(*scene.view, [&]() { return n0[i++]; }));
        }
      };
      // One pixel without any beam: its derivative exists.
      Vector n0(shared ? 1 : 36, 1024.0);
      n0.back() = shared ? 1024.0 : 0.0;
      set(*model, n0);
      model->Update();
      const auto adjoint = MakeAdjoint(model, y);
      adjoint->OpenBeamActiveOn();
      adjoint->Update();
      Checker checker = ChainChecker();
      checker.SetStepScale(1024.0);
      checker.SetCoordinateLimit(3);
      checker.SetResolution(2e-3);
      const auto apply = [&](const Vector & at) {
        const auto chain = scene.Model(Projector::Joseph, sampling);
        set(*chain, at);
        chain->Update();
        return ValuesOf(*chain->GetReadings());
      };
      const auto report = checker.CheckAdjoint(apply, n0, ValuesOf(*y), ValuesOf(*adjoint->GetOpenBeamCotangent()));
      EXPECT_TRUE(report.Passed()) << "shared: " << shared << ", " << Describe(Projector::Joseph, sampling) << '\n'
                                   << report;
    }
  }
}

TEST(RadiographForwardModelAdjoint, DetectorParametersAgreeWithDifferences)
{
  Scene      scene;
  const auto y = scene.RandomPixels(0.5F, 1.0F);
  const auto adjoint = MakeAdjoint(scene.Evaluated(), y);
  adjoint->Update();
  const auto objective = [&](const auto & set) {
    return [&, set](double value) {
      const auto model = scene.Model();
      set(*model, value);
      model->Update();
      return Dot(ValuesOf(*model->GetReadings()), ValuesOf(*y));
    };
  };
  Checker checker;
  checker.SetFunctionPrecision(Checker::Binary32Precision);
  checker.SetResolution(1e-3);
  const auto gain = checker.CheckScalar(
    objective([](ModelType & model, double v) { model.SetGain(v); }), 2.5, adjoint->GetGainCotangent());
  EXPECT_TRUE(gain.Passed()) << gain;
  checker.SetStepScale(64.0);
  checker.SetDomain(0.0, 1e6);
  const auto scatter = checker.CheckScalar(
    objective([](ModelType & model, double v) { model.SetScatter(v); }), 20.0, adjoint->GetScatterCotangent());
  EXPECT_TRUE(scatter.Passed()) << scatter;
  checker.SetDomain(-1e6, 1e6);
  const auto offset = checker.CheckScalar(
    objective([](ModelType & model, double v) { model.SetOffset(v); }), -30.0, adjoint->GetOffsetCotangent());
  EXPECT_TRUE(offset.Passed()) << offset;
  EXPECT_FALSE(checker
                 .CheckScalar(objective([](ModelType & model, double v) { model.SetOffset(v); }),
                              -30.0,
                              adjoint->GetScatterCotangent())
                 .Passed());
}

TEST(RadiographForwardModelAdjoint, PoissonHalfDevianceIsAnObjective)
{
  Scene scene;
  for (const Sampling & sampling : { Samplings[0], Samplings[3] })
  {
    const auto model = scene.Model(Projector::CellGauss, sampling);
    model->SetGain(1.0);
    model->SetOffset(0.0);
    model->SetScatter(5.0);
    model->Update();
    const auto means = ValuesOf(*model->GetReadings());
    const auto observed = scene.RandomPixels();
    std::transform(means.begin(), means.end(), observed->GetBufferPointer(), [&](double mean) {
      return static_cast<float>(std::poisson_distribution<int>(1.2 * mean)(scene.engine));
    });
    const auto likelihood = itk::PoissonLikelihoodCalculator::New();
    likelihood->SetObservedCounts(observed);
    likelihood->SetOpenBeamCounts(1000.0);
    likelihood->SetScatterCounts(5.0);
    const auto objective = [&](const Vector & mu) {
      const auto chain = MakeModel(scene.MuOf(mu), scene.view, Projector::CellGauss, sampling);
      chain->Update();
      likelihood->SetDepth(chain->GetDepth());
      likelihood->Compute();
      return likelihood->GetValue();
    };
    // dl/dlambda = 1 - N / lambda
    const auto cotangent = scene.RandomPixels();
    std::transform(means.begin(),
                   means.end(),
                   observed->GetBufferPointer(),
                   cotangent->GetBufferPointer(),
                   [](double mean, float n) { return static_cast<float>(1.0 - static_cast<double>(n) / mean); });
    const auto adjoint = MakeAdjoint(model, cotangent);
    adjoint->Update();
    Checker checker = ChainChecker();
    checker.SetCoordinateLimit(3);
    checker.SetResolution(2e-3);
    // Depths are rounded to binary32, which the score turns into an error of the value.
    const double score = DotOfMagnitudes(ValuesOf(*cotangent), means);
    checker.SetFunctionNoise(3.0 * Checker::Binary32Precision * score);
    checker.SetFunctionPrecision(1e-12);
    const auto report = checker.CheckGradient(objective, ValuesOf(*scene.mu), ValuesOf(*adjoint->GetMuCotangent()));
    EXPECT_TRUE(report.Passed()) << Describe(Projector::CellGauss, sampling) << '\n' << report;
  }
}

TEST(RadiographForwardModelAdjoint, CotangentsOfAllOutputsAddUp)
{
  Scene      scene;
  const auto model = scene.Evaluated(Projector::Siddon, Samplings[1]);
  const auto readings = scene.RandomPixels();
  const auto counts = scene.RandomPixels();
  const auto depths = scene.RandomPixels(-100.0F, 100.0F);
  const auto pull = [&](const ImageType * c, const ImageType * lambda, const ImageType * depth) {
    const auto adjoint = AdjointType::New();
    adjoint->SetForward(model);
    adjoint->SetReadingCotangent(c);
    adjoint->SetCountsCotangent(lambda);
    adjoint->SetDepthCotangent(depth);
    adjoint->Update();
    return ValuesOf(*adjoint->GetMuCotangent());
  };
  const auto all = pull(readings, counts, depths);
  const auto first = pull(readings, nullptr, nullptr);
  const auto second = pull(nullptr, counts, nullptr);
  const auto third = pull(nullptr, nullptr, depths);
  double     scale = 0.0;
  for (std::size_t i = 0; i < all.size(); ++i)
  {
    scale = std::max(scale, std::abs(first[i]) + std::abs(second[i]) + std::abs(third[i]));
  }
  for (std::size_t i = 0; i < all.size(); ++i)
  {
    EXPECT_NEAR(all[i], first[i] + second[i] + third[i], 1e-6 * scale) << i;
    EXPECT_NE(third[i], 0.0);
  }
  const auto adjoint = AdjointType::New();
  adjoint->SetForward(model);
  adjoint->SetCountsCotangent(counts);
  adjoint->Update();
  EXPECT_EQ(adjoint->GetGainCotangent(), 0.0) << "counts do not depend on the detector";
}

TEST(RadiographForwardModelAdjoint, SeveralViewsAccumulate)
{
  Scene      scene;
  const auto y = scene.RandomPixels();
  const auto one = MakeAdjoint(scene.Evaluated(), y);
  one->Update();
  const auto other = MakeModel(scene.mu, MakeCArmView(-60.0, 5.0, 6, 12.0), Projector::Joseph, Samplings[2]);
  other->Update();
  const auto z = MakePixels(*other->GetGeometry(), []() { return 0.5; });
  const auto alone = MakeAdjoint(other, z);
  alone->Update();
  const auto both = MakeAdjoint(other, z);
  both->SetAccumulatedMuCotangent(one->GetMuCotangent());
  both->Update();
  const auto a = ValuesOf(*one->GetMuCotangent());
  const auto b = ValuesOf(*alone->GetMuCotangent());
  const auto sum = ValuesOf(*both->GetMuCotangent());
  for (std::size_t i = 0; i < sum.size(); ++i)
  {
    EXPECT_NEAR(sum[i], a[i] + b[i], 2e-7 * (std::abs(a[i]) + std::abs(b[i])));
  }
  const auto zeros = scene.MuOf(Vector(a.size(), 0.0));
  const auto again = MakeAdjoint(scene.Evaluated(), y);
  again->SetAccumulatedMuCotangent(zeros);
  again->Update();
  EXPECT_EQ(Pixels(*again->GetMuCotangent()), Pixels(*one->GetMuCotangent()));
  EXPECT_EQ(Pixels(*zeros), std::vector<float>(a.size(), 0.0F)) << "not changed";

  const auto model = scene.Model();
  model->SetSharedOpenBeamCountsImage(MakeOnePixel(1000.0F));
  model->Update();
  const auto openBeam = MakeAdjoint(model, y);
  openBeam->OpenBeamActiveOn();
  openBeam->RetainCotangentsOn();
  openBeam->Update();
  const float plain = openBeam->GetOpenBeamCotangent()->GetBufferPointer()[0];
  openBeam->SetAccumulatedOpenBeamCotangent(MakeOnePixel(8.0F));
  openBeam->Update();
  EXPECT_NEAR(openBeam->GetOpenBeamCotangent()->GetBufferPointer()[0], plain + 8.0F, 1e-6F);
}

TEST(RadiographForwardModelAdjoint, SameBitsForAnyNumberOfThreads)
{
  Scene      scene;
  const auto y = scene.RandomPixels();
  for (const Sampling & sampling : { Samplings[0], Samplings[3] })
  {
    const auto run = [&](itk::ThreadIdType threads) {
      const auto model = scene.Model(Projector::Joseph, sampling);
      model->SetSharedOpenBeamCountsImage(MakeOnePixel(1000.0F));
      model->SetNumberOfWorkUnits(threads);
      model->Update();
      const auto adjoint = MakeAdjoint(model, y);
      adjoint->OpenBeamActiveOn();
      adjoint->SetNumberOfWorkUnits(threads);
      adjoint->Update();
      auto bits = Pixels(*adjoint->GetMuCotangent());
      bits.push_back(adjoint->GetOpenBeamCotangent()->GetBufferPointer()[0]);
      return std::make_pair(
        bits, Vector{ adjoint->GetGainCotangent(), adjoint->GetScatterCotangent(), adjoint->GetOffsetCotangent() });
    };
    const auto one = run(1);
    EXPECT_EQ(run(2), one);
    EXPECT_EQ(run(7), one);
  }
}

TEST(RadiographForwardModelAdjoint, ASecondDerivativeIsRefused)
{
  Scene      scene;
  const auto y = scene.RandomPixels();
  const auto adjoint = MakeAdjoint(scene.Evaluated(), y);
  adjoint->Update();
  ASSERT_NE(dynamic_cast<itk::FirstDerivativeOnly *>(adjoint.GetPointer()), nullptr);

  // A volume of positive values, to pass for mu.
  const ImageType::Pointer gradient = adjoint->GetMuCotangent();
  FillWith(*gradient, []() { return 0.02; });
  const auto model = MakeModel(gradient, scene.view, Projector::Joseph, Samplings[0]);
  model->Update();
  const auto second = MakeAdjoint(model, scene.RandomPixels());
  ExpectMentions(Refusal([&]() { second->Update(); }), { "The image of mu", "first derivatives only" });
  gradient->DisconnectPipeline();
  model->SetInput(gradient);
  model->Update();
  second->SetForward(model);
  second->Update();

  // n0 as well, and of another adjoint.
  const auto openBeamModel = scene.Model();
  openBeamModel->SetSharedOpenBeamCountsImage(MakeOnePixel(1000.0F));
  openBeamModel->Update();
  const auto openBeamAdjoint = MakeAdjoint(openBeamModel, scene.RandomPixels(0.5F, 1.0F));
  openBeamAdjoint->OpenBeamActiveOn();
  openBeamAdjoint->Update();
  const auto third = scene.Model();
  third->SetSharedOpenBeamCountsImage(openBeamAdjoint->GetOpenBeamCotangent());
  third->Update();
  ExpectMentions(Refusal([&]() { MakeAdjoint(third, scene.RandomPixels())->Update(); }),
                 { "The open-beam image", "first derivatives only" });
}

TEST(RadiographForwardModelAdjoint, AForwardThatIsOutOfDateIsRefused)
{
  Scene      scene;
  const auto model = scene.Model();
  const auto adjoint = MakeAdjoint(model, scene.RandomPixels());
  ExpectMentions(Refusal([&]() { adjoint->Update(); }), { "has not been evaluated" });
  model->Update();
  adjoint->Update();
  const auto transform = itk::Euler3DTransform<double>::New();
  const auto change = [&](const auto & modify) {
    modify();
    adjoint->SetReadingCotangent(scene.RandomPixels());
    const std::string text = Refusal([&]() { adjoint->Update(); });
    ExpectMentions(text, { "modified", "Call its Update() again" });
    model->Update();
    adjoint->Update();
  };
  change([&]() { scene.mu->Modified(); });
  change([&]() { model->SetGain(3.0); });
  change([&]() { model->SetTransform(transform); });
  change([&]() {
    transform->SetRotation(0.1, 0.0, 0.0);
    transform->Modified(); // SetRotation() forgets it
  });
  change([&]() { scene.view->Modified(); });
  change([&]() { model->SetOpenBeamCounts(500.0); });

  model->SetSharedOpenBeamCountsImage(MakeOnePixel(10.0F));
  model->Update();
  adjoint->SetReadingCotangent(scene.RandomPixels());
  ExpectMentions(Refusal([&]() { adjoint->Update(); }), { "SetForward() again" });

  const auto part = scene.Model();
  part->UpdateOutputInformation();
  auto region = part->GetOutput()->GetLargestPossibleRegion();
  region.SetSize(0, 3);
  part->GetOutput()->SetRequestedRegion(region);
  part->Update();
  ExpectMentions(Refusal([&]() { MakeAdjoint(part, scene.RandomPixels())->Update(); }), { "part of the detector" });
}

TEST(RadiographForwardModelAdjoint, CotangentsAreConsumedUnlessRetained)
{
  Scene      scene;
  const auto y = scene.RandomPixels();
  const auto adjoint = MakeAdjoint(scene.Evaluated(), y);
  adjoint->Update();
  adjoint->Update();
  adjoint->Modified();
  ExpectMentions(Refusal([&]() { adjoint->Update(); }), { "ReadingCotangent was consumed" });
  y->Modified();
  adjoint->Update();
  adjoint->RetainCotangentsOn();
  y->Modified();
  adjoint->Update();
  adjoint->Modified();
  adjoint->Update();
}

TEST(RadiographForwardModelAdjoint, ALaterExecutionLeavesKeptResultsAlone)
{
  Scene      scene;
  const auto model = scene.Evaluated();
  const auto adjoint = MakeAdjoint(model, scene.RandomPixels());
  adjoint->Update();
  const ImageType::Pointer kept = adjoint->GetMuCotangent();
  const auto               pixels = Pixels(*kept);
  kept->DisconnectPipeline();
  adjoint->SetReadingCotangent(scene.RandomPixels());
  adjoint->Update();
  EXPECT_EQ(Pixels(*kept), pixels);
  EXPECT_NE(Pixels(*adjoint->GetMuCotangent()), pixels);
}

TEST(RadiographForwardModelAdjoint, RefusesBeforeAnyOutputIsTouched)
{
  Scene      scene;
  const auto refusal = [&](const auto & set) {
    const auto model = scene.Evaluated();
    const auto adjoint = MakeAdjoint(model, scene.RandomPixels());
    adjoint->Update();
    const auto before = Pixels(*adjoint->GetMuCotangent());
    adjoint->SetReadingCotangent(scene.RandomPixels());
    set(*adjoint);
    const std::string text = Refusal([&]() { adjoint->Update(); });
    EXPECT_EQ(Pixels(*adjoint->GetMuCotangent()), before) << text;
    return text;
  };
  const auto pixels = [&](float value) {
    const auto image = scene.RandomPixels();
    image->GetBufferPointer()[7] = value;
    return image;
  };
  ExpectMentions(Refusal([]() { AdjointType::New()->Update(); }), { "Call SetForward()" });
  ExpectMentions(refusal([](AdjointType & adjoint) { adjoint.SetReadingCotangent(nullptr); }),
                 { "No cotangent is given" });
  ExpectMentions(refusal([](AdjointType & adjoint) { adjoint.OpenBeamActiveOn(); }), { "never differentiated" });
  ExpectMentions(refusal([](AdjointType & adjoint) { adjoint.SetAccumulatedOpenBeamCotangent(MakeOnePixel(1.0F)); }),
                 { "not active" });
  ExpectMentions(refusal([&](AdjointType & adjoint) { adjoint.SetReadingCotangent(pixels(std::nanf(""))); }),
                 { "ReadingCotangent", "[1, 1, 0]" });
  ExpectMentions(refusal([&](AdjointType & adjoint) { adjoint.SetDepthCotangent(pixels(HUGE_VALF)); }),
                 { "DepthCotangent", "[1, 1, 0]" });
  ExpectMentions(refusal([&](AdjointType & adjoint) { adjoint.SetReadingCotangent(scene.mu); }),
                 { "ReadingCotangent" });
  ExpectMentions(refusal([&](AdjointType & adjoint) { adjoint.SetAccumulatedMuCotangent(scene.RandomPixels()); }),
                 { "AccumulatedMuCotangent", "grid of mu" });
  const auto shifted = scene.MuOf(Vector(36, 0.0));
  shifted->SetOrigin(MakePoint(0.0, 0.0, 1.0));
  ExpectMentions(refusal([&](AdjointType & adjoint) { adjoint.SetAccumulatedMuCotangent(shifted); }), { "grid of mu" });
}

TEST(RadiographForwardModelAdjoint, AGradientOutOfRangeIsAnError)
{
  Scene      scene;
  const auto constant = [&](float value) { return MakePixels(*scene.view, [value]() { return value; }); };
  const auto run = [&](const auto & set) {
    const auto adjoint = AdjointType::New();
    adjoint->SetForward(scene.Evaluated());
    set(*adjoint);
    return Refusal([&]() { adjoint->Update(); });
  };
  // In the cotangent of the counts (g = 2.5), of the depths (n0 = 1000), of mu, and of what mu's is added to.
  ExpectMentions(run([&](AdjointType & adjoint) { adjoint.SetReadingCotangent(constant(3e38F)); }),
                 { "counts cotangent" });
  ExpectMentions(run([&](AdjointType & adjoint) { adjoint.SetReadingCotangent(constant(1e37F)); }),
                 { "depth cotangent" });
  ExpectMentions(run([&](AdjointType & adjoint) { adjoint.SetDepthCotangent(constant(3e38F)); }), { "voxel" });
  ExpectMentions(run([&](AdjointType & adjoint) {
                   adjoint.SetDepthCotangent(constant(2e36F));
                   const auto accumulated = scene.MuOf(Vector(36, 0.0));
                   accumulated->FillBuffer(std::numeric_limits<float>::max());
                   adjoint.SetAccumulatedMuCotangent(accumulated);
                 }),
                 { "mu cotangent" });
}

TEST(RadiographForwardModelAdjoint, ReportsProgressAndStopsWhenAsked)
{
  Scene      scene;
  const auto adjoint = MakeAdjoint(scene.Evaluated(Projector::CellGauss, Samplings[3]), scene.RandomPixels());
  adjoint->RetainCotangentsOn();
  float      last = 0.0F;
  const auto tag = adjoint->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) {
    EXPECT_GE(adjoint->GetProgress(), last);
    last = adjoint->GetProgress();
  });
  adjoint->Update();
  EXPECT_NEAR(last, 1.0F, 1e-3F);
  adjoint->RemoveObserver(tag);
  adjoint->Modified();
  adjoint->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) {
    if (adjoint->GetProgress() > 0.5F)
    {
      adjoint->AbortGenerateDataOn();
    }
  });
  EXPECT_THROW(adjoint->Update(), itk::ProcessAborted);
}

TEST(RadiographForwardModelAdjoint, PrintsItself)
{
  ExpectMentions(Printed(*AdjointType::New()),
                 { "Forward: (null)",
                   "OpenBeamActive: Off",
                   "RetainCotangents: Off",
                   "GainCotangent: 0",
                   "ScatterCotangent: 0",
                   "OffsetCotangent: 0",
                   "Consumed cotangents: 0" });
}
