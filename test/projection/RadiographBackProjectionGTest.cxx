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
#include "EachKernel.h"
#include "ProjectionFixtures.h"
#include "Refusal.h"
#include "compute/JosephPackets.h"
#include "itkRadiographBackProjectionImageFilter.h"

#include "itkCommand.h"
#include "itkImageRegionIterator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <sstream>

using namespace radiography::test;
using BackFilterType = itk::RadiographBackProjectionImageFilter;
using testimages::Refusal;

namespace
{

ImageType::Pointer
MakeVolume(std::mt19937 & engine, const itk::Size<3> & size)
{
  const auto image = MakeObliqueImage(engine, size, 1.5, 1.2, 2.0);
  FillAtRandom(*image, engine, 0.01F, 1.0F);
  return image;
}

ImageType::Pointer
MakePixels(const GeometryType & view, std::mt19937 & engine)
{
  const auto image = MakeDetectorPixels(view);
  FillAtRandom(*image, engine, 0.01F, 1.0F);
  return image;
}

BackFilterType::Pointer
MakeBackFilter(const ImageType * pixels, const GeometryType * view, const ImageType * grid, Projector projector)
{
  const auto filter = BackFilterType::New();
  filter->SetInput(pixels);
  filter->SetGeometry(view);
  filter->SetReferenceImage(grid);
  filter->SetProjector(projector);
  return filter;
}

std::vector<float>
GetPixels(const ImageType & image)
{
  const float * const begin = image.GetBufferPointer();
  return std::vector<float>(begin, begin + image.GetBufferedRegion().GetNumberOfPixels());
}

itk::Vector<double, 3>
Vector(double x, double y, double z)
{
  return MakePoint(x, y, z).GetVectorFromOrigin();
}

double
Dot(const ImageType & a, const ImageType & b)
{
  const auto one = GetPixels(a);
  const auto other = GetPixels(b);
  double     sum = 0.0;
  for (size_t i = 0; i < one.size(); ++i)
  {
    sum += static_cast<double>(one.at(i)) * static_cast<double>(other.at(i));
  }
  return sum;
}

bool
Contains(const std::string & text, const std::string & part)
{
  return text.find(part) != std::string::npos;
}

} // namespace

TEST(RadiographBackProjection, IsTheTransposeOfTheRadiograph)
{
  for (unsigned int seed = 0; seed < 8; ++seed)
  {
    std::mt19937 engine(seed);
    const auto   volume = MakeVolume(engine, { { 11 - seed, 1 + 2 * seed, 9 } });
    const auto   parallel = MakeParallelView(Vector(0.3, 1.0, -0.2 * seed), 23, 1.3);
    const auto   view = seed % 2 == 0 ? MakeCArmView(17.0 * seed, 10, 23, 1.7, 5.0 * seed) : parallel;
    const auto   pixels = MakePixels(*view, engine);
    const auto   pose = itk::Euler3DTransform<double>::New();
    pose->SetRotation(0.1 * seed, -0.2, 0.3);
    pose->SetOffset(Vector(1.0, -2.0, 0.5 * seed));
    for (const Projector projector : { Projector::Joseph, Projector::CellGauss, Projector::Siddon })
    {
      const auto filter = MakeBackFilter(pixels, view, volume, projector);
      filter->SetTransform(pose);
      filter->Update();
      const double forward = Dot(*Project(volume, view, projector, pose), *pixels);
      ASSERT_GT(forward, 0.0);
      EXPECT_NEAR(Dot(*volume, *filter->GetOutput()), forward, 1e-6 * forward) << "seed " << seed << ' ' << projector;
    }
  }
}

TEST(RadiographBackProjection, ImpulsesGiveTheColumnOfTheRadiograph)
{
  std::mt19937 engine(1);
  const auto   volume = MakeVolume(engine, { { 3, 4, 2 } });
  const auto   view = MakeCArmView(20, 10, 9, 1.3);
  const auto   pixels = MakePixels(*view, engine);
  pixels->FillBuffer(0.0F);
  const itk::Index<3> pixel{ { 4, 4, 0 } };
  for (const Projector projector : { Projector::Joseph, Projector::CellGauss, Projector::Siddon })
  {
    pixels->SetPixel(pixel, 2.0F);
    pixels->Modified();
    const auto first = MakeBackFilter(pixels, view, volume, projector);
    first->Update();
    const auto second = MakeBackFilter(pixels, view, volume, projector);
    second->SetWeightPower(2);
    second->Update();
    for (itk::ImageRegionIterator<ImageType> it(volume, volume->GetBufferedRegion()); !it.IsAtEnd(); ++it)
    {
      volume->FillBuffer(0.0F);
      it.Set(1.0F);
      volume->Modified();
      const double weight = Project(volume, view, projector)->GetPixel(pixel);
      // An accelerated forward path may be some 1e-6 mm off; test/compute compares with the scalar bodies.
      EXPECT_NEAR(first->GetOutput()->GetPixel(it.GetIndex()), 2.0 * weight, 1e-6 * (1.0 + weight));
      EXPECT_NEAR(second->GetOutput()->GetPixel(it.GetIndex()), 2.0 * weight * weight, 4e-6 * (1.0 + weight * weight));
      it.Set(0.0F);
    }
  }
}

TEST(RadiographBackProjection, SameBitsForAnyNumberOfThreads)
{
  std::mt19937 engine(2);
  const auto   volume = MakeVolume(engine, { { 13, 14, 35 } });
  const auto   view = MakeCArmView(80, 10, 31, 1.7);
  const auto   pixels = MakePixels(*view, engine);
  for (const Projector projector : { Projector::Joseph, Projector::CellGauss, Projector::Siddon })
  {
    std::vector<float> reference;
    for (const unsigned int threads : { 1U, 2U, 7U })
    {
      const auto filter = MakeBackFilter(pixels, view, volume, projector);
      filter->GetMultiThreader()->SetMaximumNumberOfThreads(threads);
      filter->SetNumberOfWorkUnits(threads);
      filter->SetPolicy(threads == 7 ? "backProjectionSlices=3" : "");
      filter->Update();
      const auto voxels = GetPixels(*filter->GetOutput());
      reference = reference.empty() ? voxels : reference;
      EXPECT_EQ(voxels, reference) << projector << ' ' << threads << " threads";
    }
  }
}

TEST(RadiographBackProjection, SameBitsForAnyRegion)
{
  std::mt19937 engine(3);
  const auto   volume = MakeVolume(engine, { { 13, 14, 20 } });
  const auto   view = MakeCArmView(80, 10, 31, 1.7);
  const auto   pixels = MakePixels(*view, engine);
  const auto   whole = MakeBackFilter(pixels, view, volume, Projector::CellGauss);
  whole->Update();
  const itk::ImageRegion<3> region({ { 5, 0, 9 } }, { { 4, 7, 11 } });
  const auto                part = MakeBackFilter(pixels, view, volume, Projector::CellGauss);
  part->UpdateOutputInformation();
  part->GetOutput()->SetRequestedRegion(region);
  part->Update();
  ASSERT_EQ(part->GetOutput()->GetBufferedRegion(), region);
  for (itk::ImageRegionIterator<ImageType> it(part->GetOutput(), region); !it.IsAtEnd(); ++it)
  {
    ASSERT_EQ(it.Get(), whole->GetOutput()->GetPixel(it.GetIndex())) << it.GetIndex();
  }
}

TEST(RadiographBackProjection, AnExplicitGridIsThatOfAReferenceImage)
{
  std::mt19937 engine(4);
  const auto   volume = MakeVolume(engine, { { 5, 6, 7 } });
  const auto   view = MakeCArmView(30, 0, 15, 1.7);
  const auto   pixels = MakePixels(*view, engine);
  const auto   byReference = MakeBackFilter(pixels, view, volume, Projector::Joseph);
  byReference->Update();
  const auto byNumbers = MakeBackFilter(pixels, view, nullptr, Projector::Joseph);
  byNumbers->SetSize(volume->GetLargestPossibleRegion().GetSize());
  byNumbers->SetOutputStartIndex(volume->GetLargestPossibleRegion().GetIndex());
  byNumbers->SetOutputSpacing(volume->GetSpacing());
  byNumbers->SetOutputOrigin(volume->GetOrigin());
  byNumbers->SetOutputDirection(volume->GetDirection());
  byNumbers->Update();
  EXPECT_EQ(GetPixels(*byNumbers->GetOutput()), GetPixels(*byReference->GetOutput()));
  for (const auto & filter : { byNumbers, byReference })
  {
    EXPECT_EQ(filter->GetOutput()->GetLargestPossibleRegion(), volume->GetLargestPossibleRegion());
    EXPECT_EQ(filter->GetOutput()->GetOrigin(), volume->GetOrigin());
    EXPECT_EQ(filter->GetOutput()->GetSpacing(), volume->GetSpacing());
    EXPECT_EQ(filter->GetOutput()->GetDirection(), volume->GetDirection());
  }
}

TEST(RadiographBackProjection, FollowsChangesAndRestsOtherwise)
{
  std::mt19937 engine(5);
  const auto   volume = MakeVolume(engine, { { 5, 6, 7 } });
  const auto   view = MakeCArmView(30, 0, 15, 1.7);
  const auto   pixels = MakePixels(*view, engine);
  const auto   filter = MakeBackFilter(pixels, view, volume, Projector::Joseph);
  filter->Update();
  const auto first = GetPixels(*filter->GetOutput());
  const auto time = filter->GetOutput()->GetUpdateMTime();
  filter->Update();
  EXPECT_EQ(filter->GetOutput()->GetUpdateMTime(), time) << "nothing changed, nothing runs";
  filter->SetProjector(Projector::CellGauss);
  filter->Update();
  EXPECT_NE(GetPixels(*filter->GetOutput()), first);
  filter->SetProjector(Projector::Joseph);
  pixels->FillBuffer(1.0F);
  pixels->Modified();
  filter->Update();
  EXPECT_NE(GetPixels(*filter->GetOutput()), first);
}

TEST(RadiographBackProjection, RefusesWhatDoesNotFit)
{
  std::mt19937 engine(6);
  const auto   volume = MakeVolume(engine, { { 5, 6, 7 } });
  const auto   view = MakeCArmView(30, 0, 15, 1.7);
  const auto   pixels = MakePixels(*view, engine);
  const auto   refused = [](BackFilterType * filter) { return Refusal([&]() { filter->Update(); }); };
  const auto   make = [&]() { return MakeBackFilter(pixels, view, volume, Projector::Joseph); };

  EXPECT_TRUE(Contains(refused(MakeBackFilter(pixels, nullptr, volume, Projector::Joseph)), "Geometry"));
  EXPECT_TRUE(Contains(refused(MakeBackFilter(nullptr, view, volume, Projector::Joseph)), "Primary"));
  EXPECT_TRUE(Contains(refused(MakeBackFilter(pixels, view, nullptr, Projector::Joseph)), "no voxels"));
  EXPECT_TRUE(Contains(refused(MakeBackFilter(pixels, GeometryType::New(), volume, Projector::Joseph)), "no detector"));

  std::string error = refused(MakeBackFilter(pixels, MakeCArmView(30, 0, 16, 1.7), volume, Projector::Joseph));
  EXPECT_TRUE(Contains(error, "[15, 15, 1]") && Contains(error, "[16, 16, 1]")) << error;
  error = refused(MakeBackFilter(pixels, MakeCArmView(31, 0, 15, 1.7), volume, Projector::Joseph));
  EXPECT_TRUE(Contains(error, "does not lie on the detector")) << error;

  auto filter = make();
  filter->SetWeightPower(3);
  error = refused(filter);
  EXPECT_TRUE(Contains(error, "WeightPower is 3")) << error;

  filter = make();
  const auto                flat = itk::MatrixOffsetTransformBase<double, 3, 3>::New();
  itk::Matrix<double, 3, 3> matrix;
  matrix.SetIdentity();
  matrix[2][2] = 0.0;
  flat->SetMatrix(matrix);
  filter->SetTransform(flat);
  EXPECT_TRUE(Contains(refused(filter), "inverted"));
  EXPECT_TRUE(Contains(Refusal([&]() { filter->SetPolicy("slices=3"); }), "slices"));

  pixels->SetPixel({ { 7, 3, 0 } }, std::numeric_limits<float>::quiet_NaN());
  pixels->Modified();
  error = refused(make());
  EXPECT_TRUE(Contains(error, "[7, 3]") && Contains(error, "NaN")) << error;

  pixels->FillBuffer(3e38F);
  pixels->Modified();
  filter = make();
  error = refused(filter);
  EXPECT_TRUE(Contains(error, "binary32") && Contains(error, "voxel [")) << error;
  EXPECT_EQ(filter->GetOutput()->GetBufferedRegion().GetNumberOfPixels(), 0U);
}

TEST(RadiographBackProjection, ReportsProgressAndStopsWhenAsked)
{
  std::mt19937 engine(7);
  const auto   volume = MakeVolume(engine, { { 9, 8, 30 } });
  const auto   view = MakeCArmView(30, 0, 31, 1.0);
  const auto   pixels = MakePixels(*view, engine);
  const auto   filter = MakeBackFilter(pixels, view, volume, Projector::Joseph);
  filter->SetPolicy("backProjectionSlices=2");
  filter->SetNumberOfWorkUnits(1);
  filter->GetMultiThreader()->SetMaximumNumberOfThreads(1);
  std::vector<float> progress;
  filter->AddObserver(itk::ProgressEvent(),
                      [&](const itk::EventObject &) { progress.push_back(filter->GetProgress()); });
  filter->Update();
  ASSERT_GT(progress.size(), 3U);
  EXPECT_TRUE(std::is_sorted(progress.begin(), progress.end())) << testing::PrintToString(progress);
  EXPECT_FLOAT_EQ(progress.back(), 1.0F);

  const auto aborted = MakeBackFilter(pixels, view, volume, Projector::Joseph);
  aborted->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) { aborted->AbortGenerateDataOn(); });
  EXPECT_THROW(aborted->Update(), itk::ProcessAborted);
}

TEST(RadiographBackProjection, SaysWhetherPacketsRan)
{
  std::mt19937 engine(9);
  const auto   volume = MakeVolume(engine, { { 20, 18, 19 } });
  const auto   view = MakeCArmView(30, 10, 31, 1.0);
  const auto   pixels = MakePixels(*view, engine);
  const auto   filter = MakeBackFilter(pixels, view, volume, Projector::Joseph);
  filter->Update();
  EXPECT_EQ(Contains(filter->GetComputeReport().kernel, "packets"), radiography::compute::HasJosephPackets())
    << filter->GetComputeReport().kernel;
  const testkernels::ScalarReference scalar;
  const auto                         reference = MakeBackFilter(pixels, view, volume, Projector::Joseph);
  reference->Update();
  EXPECT_EQ(reference->GetComputeReport().kernel, "joseph transposed, weights to the power 1, scalar binary64");
  EXPECT_TRUE(Contains(reference->GetComputeReport().notUsed.at("simd"), "RADIOGRAPHY_DISABLE_SIMD"));
  const auto found = GetPixels(*filter->GetOutput());
  const auto expected = GetPixels(*reference->GetOutput());
  const auto most = *std::max_element(expected.begin(), expected.end());
  for (size_t i = 0; i < found.size(); ++i)
  {
    ASSERT_NEAR(found[i], expected[i], 1e-6 * most) << i;
  }
}

TEST(RadiographBackProjection, PrintsItself)
{
  std::mt19937 engine(8);
  const auto   view = MakeCArmView(30, 0, 5, 1.0);
  const auto   filter =
    MakeBackFilter(MakePixels(*view, engine), view, MakeVolume(engine, { { 2, 2, 2 } }), Projector::Siddon);
  filter->SetWeightPower(2);
  filter->Update();
  std::ostringstream text;
  filter->Print(text);
  for (const char * const part : { "Size: ",
                                   "OutputSpacing: ",
                                   "OutputOrigin: ",
                                   "OutputDirection:",
                                   "OutputStartIndex: ",
                                   "Projector: ",
                                   "WeightPower: 2",
                                   "Policy: (defaults)",
                                   "kernel: siddon transposed, weights to the power 2" })
  {
    EXPECT_TRUE(Contains(text.str(), part)) << part;
  }
}
