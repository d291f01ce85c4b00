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
#include "itkDetectorResponseImageFilter.h"
#include "itkSubrayRadiographImageFilter.h"

#include "itkCommand.h"

#include <cmath>
#include <limits>

using namespace radiography::test;
using testimages::ExpectMentions;
using testimages::Pixels;
using testimages::Printed;
using testimages::Refusal;

namespace
{

struct Scene
{
  std::mt19937          engine{ 4711 };
  ImageType::Pointer    mu{ MakeMu(engine) };
  GeometryType::Pointer view{ MakeObliqueView() };

  ModelType::Pointer
  Model(Projector projector = Projector::Joseph, const Sampling & sampling = Samplings[0]) const
  {
    return MakeModel(mu, view, projector, sampling);
  }
};

} // namespace

TEST(RadiographForwardModel, IsTheChainOfItsStagesToTheBit)
{
  const Scene scene;
  for (const Projector projector : Projectors)
  {
    for (const Sampling & sampling : Samplings)
    {
      const auto model = scene.Model(projector, sampling);
      model->Update();
      const auto depth = itk::SubrayRadiographImageFilter::New();
      depth->SetInput(scene.mu);
      depth->SetGeometry(scene.view);
      depth->SetTransform(MakePose());
      depth->SetProjector(projector);
      depth->SetSubraysPerSide(sampling.subraysPerSide);
      depth->SetFocalSpotSize(model->GetFocalSpotSize());
      depth->SetFocalSpotSamples(2);
      const auto counts = itk::TransmissionImageFilter::New();
      counts->SetInput(depth->GetOutput());
      counts->SetComputeTransmission(false);
      counts->SetComputeCounts(true);
      counts->SetOpenBeamCounts(1000.0);
      const auto readings = itk::DetectorResponseImageFilter::New();
      readings->SetInput(counts->GetCounts());
      readings->SetGain(2.5);
      readings->SetScatter(20.0);
      readings->SetOffset(-30.0);
      readings->Update();
      EXPECT_EQ(Pixels(*model->GetDepth()), Pixels(*depth->GetOutput())) << Describe(projector, sampling);
      EXPECT_EQ(Pixels(*model->GetCounts()), Pixels(*counts->GetCounts())) << Describe(projector, sampling);
      EXPECT_EQ(Pixels(*model->GetOutput()), Pixels(*readings->GetOutput())) << Describe(projector, sampling);
      EXPECT_EQ(model->GetOutput()->GetOrigin(), scene.view->MakeDetectorImage()->GetOrigin());
      EXPECT_EQ(model->GetComputeReport().projector, depth->GetComputeReport().projector);
    }
  }
}

TEST(RadiographForwardModel, EveryFormOfTheOpenBeam)
{
  const Scene scene;
  const auto  model = scene.Model();
  model->Update();
  const auto expected = Pixels(*model->GetOutput());
  model->SetSharedOpenBeamCountsImage(MakeOnePixel(1000.0F));
  EXPECT_EQ(model->GetOpenBeamCounts(), 0.0);
  model->Update();
  EXPECT_EQ(Pixels(*model->GetOutput()), expected);
  model->SetOpenBeamCountsImage(MakePixels(*scene.view, []() { return 1000.0; }));
  model->Update();
  EXPECT_EQ(Pixels(*model->GetOutput()), expected);
  float n0 = 0.0F;
  model->SetOpenBeamCountsImage(MakePixels(*scene.view, [&]() { return n0 += 10.0F; }));
  model->Update();
  for (std::size_t i = 0; i < expected.size(); ++i)
  {
    const double counts = 10.0 * static_cast<double>(i + 1) * std::exp(-Pixels(*model->GetDepth())[i]);
    EXPECT_NEAR(Pixels(*model->GetCounts())[i], counts, 1e-6 * counts);
  }
}

TEST(RadiographForwardModel, SameBitsForAnyNumberOfThreadsAndAnyRegion)
{
  const Scene scene;
  const auto  whole = scene.Model(Projector::Joseph, Samplings[3]);
  whole->SetNumberOfWorkUnits(1);
  whole->Update();
  for (const itk::ThreadIdType threads : { 2u, 7u })
  {
    const auto other = scene.Model(Projector::Joseph, Samplings[3]);
    other->SetNumberOfWorkUnits(threads);
    other->Update();
    EXPECT_EQ(Pixels(*other->GetOutput()), Pixels(*whole->GetOutput())) << threads << " threads";
  }
  const auto part = scene.Model(Projector::Joseph, Samplings[3]);
  part->SetOpenBeamCountsImage(MakePixels(*scene.view, []() { return 1000.0; }));
  part->UpdateOutputInformation();
  auto region = part->GetOutput()->GetLargestPossibleRegion();
  region.SetIndex(0, region.GetIndex(0) + 2);
  region.SetSize(0, 3);
  region.SetIndex(1, region.GetIndex(1) + 1);
  region.SetSize(1, 2);
  part->GetOutput()->SetRequestedRegion(region);
  part->Update();
  EXPECT_EQ(part->GetOutput()->GetBufferedRegion(), region);
  EXPECT_EQ(Pixels(*part->GetOutput(), region), Pixels(*whole->GetOutput(), region));
  EXPECT_EQ(Pixels(*part->GetDepth(), region), Pixels(*whole->GetDepth(), region));
}

TEST(RadiographForwardModel, FollowsChangesAndLeavesKeptResultsAlone)
{
  const Scene scene;
  const auto  model = scene.Model();
  model->Update();
  const auto                  before = Pixels(*model->GetOutput());
  const ImageType::Pointer    kept = model->GetDepth();
  const std::vector<float>    keptPixels = Pixels(*kept);
  const itk::ModifiedTimeType evaluated = model->GetOutput()->GetUpdateMTime();
  model->Update();
  EXPECT_EQ(model->GetOutput()->GetUpdateMTime(), evaluated) << "nothing to do";
  kept->DisconnectPipeline();
  scene.mu->FillBuffer(0.02F);
  scene.mu->Modified();
  model->Update();
  EXPECT_NE(Pixels(*model->GetOutput()), before);
  EXPECT_EQ(Pixels(*kept), keptPixels) << "not overwritten by a later execution";
  const auto transform = itk::Euler3DTransform<double>::New();
  model->SetTransform(transform);
  model->Update();
  const auto changed = Pixels(*model->GetOutput());
  transform->SetRotation(0.1, 0.2, -0.3);
  transform->Modified(); // SetRotation() forgets it
  model->Update();
  EXPECT_NE(Pixels(*model->GetOutput()), changed);
}

TEST(RadiographForwardModel, RefusesBeforeAnyOutputIsTouched)
{
  const Scene scene;
  const auto  refusal = [&](const auto & set) {
    const auto model = scene.Model();
    model->Update();
    const auto before = Pixels(*model->GetOutput());
    set(*model);
    const std::string text = Refusal([&]() { model->Update(); });
    EXPECT_EQ(Pixels(*model->GetOutput()), before) << text;
    return text;
  };
  ExpectMentions(refusal([](ModelType & model) { model.SetGain(0.0); }), { "RadiographForwardModel(", "Gain is 0" });
  ExpectMentions(refusal([](ModelType & model) { model.SetScatter(-2.0); }),
                 { "RadiographForwardModel(", "Scatter is -2" });
  ExpectMentions(refusal([](ModelType & model) { model.SetOffset(std::nan("")); }),
                 { "RadiographForwardModel(", "Offset is" });
  ExpectMentions(refusal([](ModelType & model) { model.SetSubraysPerSide(0); }),
                 { "RadiographForwardModel(", "SubraysPerSide is 0" });
  ExpectMentions(refusal([](ModelType & model) { model.SetOpenBeamCounts(-1.0); }), { "OpenBeamCounts is -1" });
  ExpectMentions(refusal([](ModelType & model) { model.SetOpenBeamCounts(1e39); }), { "OpenBeamCounts is 1e" });
  ExpectMentions(refusal([](ModelType & model) { model.SetOpenBeamCountsImage(nullptr); }), { "no open-beam counts" });
  ExpectMentions(refusal([](ModelType & model) { model.SetOpenBeamCountsImage(MakeOnePixel(1.0F)); }),
                 { "open-beam image" });
  ExpectMentions(refusal([&](ModelType & model) {
                   model.SetSharedOpenBeamCountsImage(MakePixels(*scene.view, []() { return 1.0; }));
                 }),
                 { "must be one pixel" });
  ExpectMentions(refusal([](ModelType & model) { model.SetSharedOpenBeamCountsImage(MakeOnePixel(-1.0F)); }), { "-1" });
  ExpectMentions(refusal([](ModelType & model) { model.SetGain(1e38); }), { "gain" });
  ExpectMentions(refusal([](ModelType & model) { model.SetFocalSpotSamples(0); }), { "" });
  ExpectMentions(refusal([&](ModelType &) {
                   // Hounsfield units where there was mu before.
                   scene.mu->FillBuffer(-1000.0F);
                   scene.mu->Modified();
                 }),
                 { "-1000" });
  ExpectMentions(Refusal([]() { ModelType::New()->Update(); }), { "is required but not set" });
  ExpectMentions(Refusal([&]() { scene.Model()->SetPolicy("nonsense=1"); }), { "nonsense" });
}

TEST(RadiographForwardModel, ReportsProgressAndStopsWhenAsked)
{
  const Scene scene;
  const auto  model = scene.Model(Projector::CellGauss, Samplings[3]);
  float       last = 0.0F;
  const auto  observer = [&](const itk::EventObject &) {
    EXPECT_GE(model->GetProgress(), last);
    last = model->GetProgress();
  };
  const auto tag = model->AddObserver(itk::ProgressEvent(), observer);
  model->Update();
  EXPECT_NEAR(last, 1.0F, 1e-3F);
  model->RemoveObserver(tag);

  model->Modified();
  model->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) {
    if (model->GetProgress() > 0.3F)
    {
      model->AbortGenerateDataOn();
    }
  });
  EXPECT_THROW(model->Update(), itk::ProcessAborted);
}

TEST(RadiographForwardModel, PrintsItself)
{
  ExpectMentions(Printed(*ModelType::New()),
                 { "Projector: ",
                   "Policy: ",
                   "SubraysPerSide: 1",
                   "FocalSpotSize: [0, 0]",
                   "FocalSpotSamples: 4",
                   "OpenBeamForm: ",
                   "OpenBeamCounts: 0",
                   "Gain: 1",
                   "Scatter: 0",
                   "Offset: 0",
                   "Volume: (null)" });
}
