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
#include "ProjectionFixtures.h"
#include "TransmissionTestImages.h"
#include "itkSubrayAverageImageFilter.h"
#include "itkSubrayRadiographImageFilter.h"
#include "transmission/itkSubrayViews.h"

#include "itkEuler3DTransform.h"
#include "itkImageRegionIterator.h"

#include <cmath>
#include <numeric>
#include <random>

namespace
{

using namespace radiography::test;
using testimages::ExpectMentions;
using testimages::Pixels;
using testimages::Printed;
using testimages::Refusal;
using Subray = itk::SubrayRadiographImageFilter;
using ImageType = itk::Image<float, 3>;

ImageType::Pointer
MakeRandomCT(unsigned int seed)
{
  std::mt19937                          engine(seed);
  std::uniform_real_distribution<float> mu(0.0F, 0.05F);
  const auto                            image = MakeCenteredImage({ { 12, 10, 9 } }, 2.0, 2.5, 3.0);
  for (itk::ImageRegionIterator<ImageType> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    it.Set(mu(engine));
  }
  return image;
}

Subray::Pointer
MakeSubray(const ImageType * image, const GeometryType * view, Projector projector = Projector::Joseph)
{
  const auto filter = Subray::New();
  filter->SetInput(image);
  filter->SetGeometry(view);
  filter->SetProjector(projector);
  return filter;
}

void
SetSpot(Subray & filter, double width, double height, unsigned int samples)
{
  Subray::FocalSpotSizeType size;
  size[0] = width;
  size[1] = height;
  filter.SetFocalSpotSize(size);
  filter.SetFocalSpotSamples(samples);
}

constexpr double EdgeDepth = 1.0;

/** Source at z = -500, a thin plate about z = 0 that covers x < 0, a detector at z = 500: D1 = 500, D2 = 1000. */
ImageType::Pointer
MakeEdge()
{
  const auto image = MakeCenteredImage({ { 60, 60, 1 } }, 1.0, 1.0, 0.125);
  for (itk::ImageRegionIterator<ImageType> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    it.Set(it.GetIndex()[0] < 30 ? static_cast<float>(EdgeDepth / 0.125) : 0.0F);
  }
  return image;
}

/** Columns along x, rows along y, middle of the detector on the axis. */
GeometryType::Pointer
MakeEdgeView(itk::SizeValueType columns, itk::SizeValueType rows, double pitch)
{
  const auto             detector = itk::ImageBase<3>::New();
  itk::Size<3>           size{ { columns, rows, 1 } };
  ImageType::SpacingType spacing;
  spacing.Fill(pitch);
  detector->SetRegions(size);
  detector->SetSpacing(spacing);
  detector->SetOrigin(MakePoint(
    -0.5 * (static_cast<double>(columns) - 1.0) * pitch, -0.5 * (static_cast<double>(rows) - 1.0) * pitch, 500.0));
  const auto view = GeometryType::New();
  view->SetConeBeam(MakePoint(0.0, 0.0, -500.0), detector);
  return view;
}

/** The width of a blurred step in pixels, from its slope as a density: a uniform one of width w has variance w^2 / 12.
 */
double
WidthOfStep(const std::vector<float> & depths)
{
  double sum = 0.0;
  double first = 0.0;
  double second = 0.0;
  for (std::size_t i = 0; i + 1 < depths.size(); ++i)
  {
    const double slope = std::exp(-depths[i + 1]) - std::exp(-depths[i]);
    const double place = static_cast<double>(i);
    sum += slope;
    first += slope * place;
    second += slope * place * place;
  }
  const double mean = first / sum;
  return std::sqrt(12.0 * (second / sum - mean * mean));
}

} // namespace

TEST(SubrayRadiographImageFilter, OneRayPerPixelIsTheRadiographBitForBit)
{
  const auto image = MakeRandomCT(1);
  const auto view = MakeCArmView(20.0, 10.0, 24, 1.5);
  for (const auto projector : { Projector::Joseph, Projector::CellGauss, Projector::Siddon })
  {
    const auto filter = MakeSubray(image, view, projector);
    filter->Update();
    const auto plain = Project(image, view, projector);
    EXPECT_EQ(Pixels(*filter->GetOutput()), Pixels(*plain)) << "seed 1, " << projector;
    EXPECT_EQ(filter->GetOutput()->GetOrigin(), plain->GetOrigin());
    EXPECT_EQ(filter->GetOutput()->GetDirection(), plain->GetDirection());
    EXPECT_FALSE(filter->GetComputeReport().kernel.empty());
    filter->Modified();
    filter->Update();
    EXPECT_EQ(filter->GetComputeReport().raysWithEndInside, 0U);
  }
}

TEST(SubrayRadiographImageFilter, SubraysOfAPointSourceAreTheAveragesBits)
{
  const auto image = MakeRandomCT(2);
  const auto view = MakeCArmView(-30.0, 15.0, 10, 3.0);
  const auto filter = MakeSubray(image, view);
  filter->SetSubraysPerSide(3);
  filter->Update();

  const auto average = itk::SubrayAverageImageFilter::New();
  average->SetInput(Project(image, itk::RefineDetector(*view, 3), Projector::Joseph));
  average->SetSubraysPerSide(3);
  average->Update();
  EXPECT_EQ(Pixels(*filter->GetOutput()), Pixels(*average->GetOutput())) << "seed 2";
  EXPECT_EQ(filter->GetOutput()->GetSpacing(), view->GetDetectorSpacing());
  EXPECT_EQ(filter->GetOutput()->GetOrigin(), view->GetDetectorOrigin());
}

TEST(SubrayRadiographImageFilter, TransmissionsOfSourcePointsAreAveraged)
{
  const auto image = MakeRandomCT(3);
  const auto view = MakeCArmView(0.0, 0.0, 8, 4.0);
  const auto filter = MakeSubray(image, view);
  filter->SetSubraysPerSide(2);
  SetSpot(*filter, 30.0, 20.0, 3);
  filter->Update();

  std::vector<double> transmission(64, 0.0);
  for (const double v : { -20.0 / 3.0, 0.0, 20.0 / 3.0 })
  {
    for (const double u : { -10.0, 0.0, 10.0 })
    {
      const auto shifted = GeometryType::New();
      shifted->SetConeBeam(view->GetSource() + view->GetColumnDirection() * u + view->GetRowDirection() * v,
                           view->MakeDetectorImage());
      const auto pixels = MakeSubray(image, shifted);
      pixels->SetSubraysPerSide(2);
      pixels->Update();
      const auto depths = Pixels(*pixels->GetOutput());
      for (std::size_t i = 0; i < depths.size(); ++i)
      {
        transmission[i] += std::exp(-static_cast<double>(depths[i])) / 9.0;
      }
    }
  }
  const auto depths = Pixels(*filter->GetOutput());
  for (std::size_t i = 0; i < depths.size(); ++i)
  {
    EXPECT_NEAR(depths[i], -std::log(transmission[i]), 1e-6) << "seed 3, pixel " << i;
  }
}

TEST(SubrayRadiographImageFilter, AUniformSlabIsUnchangedForParallelRays)
{
  const auto             image = MakeCenteredImage({ { 40, 40, 8 } }, 1.0, 1.0, 1.0, 0.0390625F);
  itk::Vector<double, 3> along;
  along.Fill(0.0);
  along[2] = 1.0;
  const auto view = MakeParallelView(along, 8, 2.0);
  const auto filter = MakeSubray(image, view);
  filter->SetSubraysPerSide(4);
  filter->Update();
  EXPECT_EQ(Pixels(*filter->GetOutput()), std::vector<float>(64, 0.3125F));
}

// Similar triangles: a spot of f blurs an edge at D1 over f (D2 - D1) / D1 of the detector at D2. The midpoint rule's M
// points spread over a variance of 1 - 1 / M^2 of the uniform spot's.
TEST(SubrayRadiographImageFilter, APenumbraHasTheWidthOfSimilarTriangles)
{
  const double pitch = 0.25;
  const auto   image = MakeEdge();
  const auto   view = MakeEdgeView(96, 1, pitch);
  for (const double width : { 2.0, 4.0, 10.0 })
  {
    const unsigned int samples = 16;
    const auto         filter = MakeSubray(image, view, Projector::Siddon);
    SetSpot(*filter, width, 0.0, samples);
    filter->SetSubraysPerSide(4);
    filter->Update();
    const double expected = width * (1000.0 - 500.0) / 500.0 / pitch * std::sqrt(1.0 - 1.0 / (samples * samples));
    // The pixel's own width adds as a variance of one pixel squared over 12.
    EXPECT_NEAR(WidthOfStep(Pixels(*filter->GetOutput())), std::sqrt(expected * expected + 1.0), 0.02 * expected)
      << width << " mm";
  }
}

TEST(SubrayRadiographImageFilter, TheSpotsWidthLiesAlongColumnsAndItsHeightAlongRows)
{
  const auto image = MakeEdge();
  const auto view = MakeEdgeView(32, 1, 0.5);
  const auto stepOf = [&](double width, double height) {
    const auto filter = MakeSubray(image, view, Projector::Siddon);
    SetSpot(*filter, width, height, 8);
    filter->Update();
    return Pixels(*filter->GetOutput());
  };
  const auto sharp = stepOf(0.0, 0.0);
  EXPECT_EQ(sharp[15], static_cast<float>(EdgeDepth));
  EXPECT_EQ(sharp[16], 0.0F);
  const auto alongEdge = stepOf(0.0, 4.0);
  for (std::size_t i = 0; i < sharp.size(); ++i)
  {
    EXPECT_NEAR(alongEdge[i], sharp[i], 1e-4) << i;
  }
  EXPECT_GT(WidthOfStep(stepOf(4.0, 0.0)), 7.0);
}

// Half of the spot is behind the plate: mean transmission, not mean depth.
TEST(SubrayRadiographImageFilter, TheMiddleOfAPenumbraIsAMeanOfTransmissions)
{
  const auto filter = MakeSubray(MakeEdge(), MakeEdgeView(1, 1, 0.25), Projector::Siddon);
  SetSpot(*filter, 4.0, 0.0, 4);
  filter->Update();
  EXPECT_NEAR(Pixels(*filter->GetOutput())[0], -std::log(0.5 * (1.0 + std::exp(-EdgeDepth))), 1e-5);
}

TEST(SubrayRadiographImageFilter, ThreadsAndRegionsGiveTheSameBits)
{
  const auto image = MakeRandomCT(4);
  const auto view = MakeCArmView(40.0, -5.0, 30, 1.5);
  const auto make = [&](unsigned int threads) {
    const auto filter = MakeSubray(image, view);
    filter->SetSubraysPerSide(2);
    SetSpot(*filter, 3.0, 2.0, 2);
    filter->SetNumberOfWorkUnits(threads);
    return filter;
  };
  const auto whole = make(1);
  whole->Update();
  for (const unsigned int threads : { 2U, 5U })
  {
    const auto other = make(threads);
    other->Update();
    EXPECT_EQ(Pixels(*other->GetOutput()), Pixels(*whole->GetOutput())) << threads << " threads, seed 4";
  }
  const auto                  part = make(2);
  const ImageType::RegionType region({ { 7, 11, 0 } }, { { 13, 6, 1 } });
  part->UpdateOutputInformation();
  part->GetOutput()->SetRequestedRegion(region);
  part->Update();
  EXPECT_EQ(part->GetOutput()->GetBufferedRegion(), region);
  EXPECT_EQ(Pixels(*part->GetOutput()), Pixels(*whole->GetOutput(), region)) << "seed 4";
}

TEST(SubrayRadiographImageFilter, ProgressRunsToTheEndAndAbortStops)
{
  const auto image = MakeRandomCT(5);
  const auto view = MakeCArmView(0.0, 0.0, 60, 1.0);
  const auto filter = MakeSubray(image, view);
  filter->SetSubraysPerSide(2);
  SetSpot(*filter, 1.0, 1.0, 2);
  float last = 0.0F;
  int   events = 0;
  filter->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) {
    EXPECT_GE(filter->GetProgress(), last);
    last = filter->GetProgress();
    ++events;
  });
  filter->Update();
  EXPECT_NEAR(last, 1.0F, 1e-3F);
  EXPECT_GE(events, 8) << "each source point moves it";

  const auto stopped = MakeSubray(image, view);
  stopped->SetSubraysPerSide(2);
  SetSpot(*stopped, 1.0, 1.0, 4);
  stopped->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) {
    if (stopped->GetProgress() > 0.3F)
    {
      stopped->AbortGenerateDataOn();
    }
  });
  EXPECT_THROW(stopped->Update(), itk::ProcessAborted);
  EXPECT_LT(stopped->GetProgress(), 0.9F);
}

TEST(SubrayRadiographImageFilter, TakesAPreparedVolumeAndAPose)
{
  const auto image = MakeRandomCT(6);
  const auto view = MakeCArmView(0.0, 0.0, 12, 2.0);
  const auto pose = itk::Euler3DTransform<double>::New();
  pose->SetRotation(0.1, 0.2, -0.3);
  const auto volume = itk::ProjectionVolume::New();
  volume->SetImage(image);
  const auto filter = Subray::New();
  filter->SetProjectionVolume(volume);
  filter->SetGeometry(view);
  filter->SetTransform(pose);
  filter->Update();
  EXPECT_EQ(Pixels(*filter->GetOutput()), Pixels(*Project(image, view, Projector::Joseph, pose))) << "seed 6";
}

TEST(SubrayRadiographImageFilter, RefusesWhatItCannotProject)
{
  const auto             image = MakeRandomCT(7);
  itk::Vector<double, 3> along;
  along.Fill(0.0);
  along[2] = 1.0;
  const auto parallel = MakeSubray(image, MakeParallelView(along, 4, 1.0));
  parallel->Update();
  SetSpot(*parallel, 0.5, 0.25, 2);
  ExpectMentions(Refusal([&]() { parallel->Update(); }), { "0.5 x 0.25 mm", "parallel beam" });

  const auto view = MakeCArmView(0.0, 0.0, 4, 1.0);
  const auto refusal = [&](const auto & set) {
    const auto filter = MakeSubray(image, view);
    set(*filter);
    return Refusal([&]() { filter->Update(); });
  };
  ExpectMentions(refusal([](Subray & filter) { filter.SetSubraysPerSide(0); }), { "SubraysPerSide is 0" });
  ExpectMentions(refusal([](Subray & filter) { SetSpot(filter, -1.0, 0.0, 2); }), { "-1 x 0 mm" });
  ExpectMentions(refusal([](Subray & filter) { SetSpot(filter, 1.0, std::nan(""), 2); }), { "focal spot" });
  ExpectMentions(refusal([](Subray & filter) { SetSpot(filter, 1.0, 1.0, 0); }), { "FocalSpotSamples is 0" });
  ExpectMentions(refusal([](Subray & filter) { filter.SetInput(nullptr); }), { "no CT" });
}

TEST(SubrayRadiographImageFilter, PrintsItsState)
{
  const auto filter = Subray::New();
  filter->SetSubraysPerSide(3);
  SetSpot(*filter, 1.5, 0.5, 2);
  ExpectMentions(Printed(*filter), { "SubraysPerSide: 3", "FocalSpotSize: [1.5, 0.5]", "FocalSpotSamples: 2" });
}

TEST(SubrayViews, PointsLieInTheMiddlesOfEqualPartsAndWeighTheSame)
{
  const auto view = MakeCArmView(25.0, -10.0, 6, 2.0, 30.0);
  const auto views = itk::MakeSubrayViews(*view, 1, { 4.0, 1.0, 2 });
  ASSERT_EQ(views.size(), 4U);
  double sum = 0.0;
  for (std::size_t i = 0; i < 4; ++i)
  {
    const double u = i % 2 == 0 ? -1.0 : 1.0;
    const double v = i / 2 == 0 ? -0.25 : 0.25;
    const auto   expected = view->GetSource() + view->GetColumnDirection() * u + view->GetRowDirection() * v;
    EXPECT_LT(views[i].view->GetSource().EuclideanDistanceTo(expected), 1e-12);
    EXPECT_EQ(views[i].view->GetDetectorOrigin(), view->GetDetectorOrigin());
    EXPECT_NEAR(views[i].view->GetSourceDetectorDistance(), view->GetSourceDetectorDistance(), 1e-9);
    sum += views[i].weight;
  }
  EXPECT_DOUBLE_EQ(sum, 1.0);
  EXPECT_EQ(itk::MakeSubrayViews(*view, 1, { 4.0, 0.0, 5 }).size(), 5U) << "no height, no repeated points";
  const auto point = itk::MakeSubrayViews(*view, 1, {});
  ASSERT_EQ(point.size(), 1U);
  EXPECT_EQ(point[0].view, view) << "the view itself";
}

TEST(SubrayViews, SubraysLieInTheMiddlesOfEqualParts)
{
  const auto view = MakeCArmView(25.0, -10.0, 6, 2.0, 30.0);
  const auto fine = itk::RefineDetector(*view, 4);
  EXPECT_EQ(fine->GetDetectorSize()[0], 24U);
  EXPECT_EQ(fine->GetDetectorSize()[1], 24U);
  for (int k = 0; k < 4; ++k)
  {
    const double part = (k + 0.5) / 4.0 - 0.5;
    const auto   expected = view->GetPixelCenter(2.0 + part, 3.0 - part);
    EXPECT_LT(fine->GetPixelCenter(8.0 + k, 12.0 + 3.0 - k).EuclideanDistanceTo(expected), 1e-9);
  }
}
