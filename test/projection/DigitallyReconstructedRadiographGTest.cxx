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

#include "itkCommand.h"
#include "itkCompositeTransform.h"
#include "itkImageRegionIterator.h"
#include "itkTranslationTransform.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <sstream>

using namespace radiography::test;

namespace
{

std::vector<float>
GetPixels(const ImageType * image)
{
  const float * const begin = image->GetBufferPointer();
  return std::vector<float>(begin, begin + image->GetBufferedRegion().GetNumberOfPixels());
}

/** The message of the exception that an update ends in. */
std::string
GetError(FilterType * filter)
{
  try
  {
    filter->Update();
  }
  catch (const itk::ExceptionObject & error)
  {
    return error.GetDescription();
  }
  return "no error";
}

bool
Contains(const std::string & text, const std::string & part)
{
  return text.find(part) != std::string::npos;
}

} // namespace

TEST(DigitallyReconstructedRadiograph, SameBitsForAnyNumberOfThreads)
{
  const auto image = MakeRandomImage(1, { { 31, 29, 17 } });
  const auto view = MakeCArmView(40, 10, 97, 1.1);
  for (const Projector projector : { Projector::Joseph, Projector::CellGauss, Projector::Siddon })
  {
    std::vector<float> reference;
    for (const unsigned int threads : { 1U, 2U, 7U })
    {
      const auto filter = MakeFilter(image, view, projector);
      filter->GetMultiThreader()->SetMaximumNumberOfThreads(threads);
      filter->SetNumberOfWorkUnits(threads);
      filter->Update();
      const auto pixels = GetPixels(filter->GetOutput());
      reference = reference.empty() ? pixels : reference;
      EXPECT_EQ(pixels, reference) << projector << ' ' << threads << " threads";
    }
  }
}

TEST(DigitallyReconstructedRadiograph, SameBitsForAnyRegion)
{
  const auto image = MakeRandomImage(2, { { 31, 29, 17 } });
  const auto filter = MakeFilter(image, MakeCArmView(20, 0, 90, 1.1), Projector::Joseph);
  filter->Update();
  const auto whole = GetPixels(filter->GetOutput());
  for (const auto & region : { itk::ImageRegion<3>({ { 3, 5, 0 } }, { { 1, 1, 1 } }),
                               itk::ImageRegion<3>({ { 31, 15, 0 } }, { { 34, 40, 1 } }),
                               itk::ImageRegion<3>({ { 0, 89, 0 } }, { { 90, 1, 1 } }) })
  {
    const auto part = MakeFilter(image, MakeCArmView(20, 0, 90, 1.1), Projector::Joseph);
    part->GetOutput()->SetRequestedRegion(region);
    part->UpdateOutputInformation();
    part->GetOutput()->SetRequestedRegion(region);
    part->GetOutput()->Update();
    ASSERT_EQ(part->GetOutput()->GetBufferedRegion(), region);
    for (itk::ImageRegionIterator<ImageType> it(part->GetOutput(), region); !it.IsAtEnd(); ++it)
    {
      const auto index = it.GetIndex();
      ASSERT_EQ(it.Get(), whole[static_cast<size_t>(index[0] + 90 * index[1])]) << index;
    }
  }
}

TEST(DigitallyReconstructedRadiograph, PolicyDoesNotChangePixels)
{
  const auto image = MakeRandomImage(3, { { 31, 29, 17 } });
  const auto filter = MakeFilter(image, MakeCArmView(20, 0, 50, 1.1), Projector::Joseph);
  filter->Update();
  const auto pixels = GetPixels(filter->GetOutput());
  filter->SetPolicy("tileColumns=3,tileRows=5");
  filter->Update();
  EXPECT_EQ(GetPixels(filter->GetOutput()), pixels);
  EXPECT_TRUE(Contains(filter->GetComputeReport().policy, "tileColumns=3,tileRows=5"));
  EXPECT_THROW(filter->SetPolicy("tileRow=5"), itk::ExceptionObject);
  EXPECT_THROW(filter->SetPolicy("tileRows=0"), itk::ExceptionObject);
  EXPECT_THROW(filter->SetPolicy("tileRows=5x"), itk::ExceptionObject);
}

TEST(DigitallyReconstructedRadiograph, OutputLiesOnTheDetector)
{
  const auto view = MakeCArmView(20, 10, 50, 1.1);
  const auto output = Project(MakeRandomImage(3, { { 5, 6, 7 } }), view, Projector::Joseph);
  EXPECT_EQ(output->GetLargestPossibleRegion().GetSize(), view->GetDetectorSize());
  ImageType::PointType corner;
  output->TransformIndexToPhysicalPoint({ { 49, 3, 0 } }, corner);
  EXPECT_LT(corner.EuclideanDistanceTo(view->GetPixelCenter(49, 3)), 1e-9);
}

TEST(DigitallyReconstructedRadiograph, LargeSlopesGoToCellGaussAndTheReportSaysSo)
{
  const auto image = MakeRandomImage(4, { { 31, 29, 17 } });
  const auto view = MakeCArmView(40, 0, 50, 30.0); // a very wide fan, past 45 degrees
  const auto joseph = MakeFilter(image, view, Projector::Joseph);
  joseph->Update();
  EXPECT_EQ(joseph->GetComputeReport().projector, "cell-gauss");
  EXPECT_TRUE(Contains(joseph->GetComputeReport().notUsed.at("joseph"), "slope"));
  EXPECT_EQ(GetPixels(joseph->GetOutput()), GetPixels(Project(image, view, Projector::CellGauss)));
}

TEST(DigitallyReconstructedRadiograph, FollowsChangesOfInputViewAndPose)
{
  const auto image = MakeRandomImage(5, { { 9, 9, 9 } });
  const auto view = MakeCArmView(0, 0, 20, 1.0);
  const auto pose = itk::TranslationTransform<double, 3>::New();
  const auto filter = MakeFilter(image, view, Projector::Joseph);
  filter->SetTransform(pose);
  filter->Update();
  const auto first = GetPixels(filter->GetOutput());
  const auto firstTime = filter->GetOutput()->GetUpdateMTime();
  filter->Update();
  EXPECT_EQ(filter->GetOutput()->GetUpdateMTime(), firstTime) << "nothing changed, nothing runs";

  itk::TranslationTransform<double, 3>::OutputVectorType shift;
  shift.Fill(1.0);
  pose->Translate(shift);
  filter->Update();
  EXPECT_NE(GetPixels(filter->GetOutput()), first);
  pose->SetIdentity();
  image->FillBuffer(0.01F);
  image->Modified();
  filter->Update();
  EXPECT_NE(GetPixels(filter->GetOutput()), first);
  view->Graft(MakeCArmView(0, 0, 30, 1.0));
  filter->Update();
  EXPECT_EQ(filter->GetOutput()->GetLargestPossibleRegion().GetSize(0), 30u);
}

TEST(DigitallyReconstructedRadiograph, CompositeTransformsAreServed)
{
  const auto image = MakeRandomImage(6, { { 19, 19, 19 } });
  const auto view = MakeCArmView(10, 0, 30, 1.0);
  const auto turn = itk::Euler3DTransform<double>::New();
  turn->SetRotation(0.1, 0.2, 0.3);
  const auto                                             move = itk::TranslationTransform<double, 3>::New();
  itk::TranslationTransform<double, 3>::OutputVectorType shift;
  shift.Fill(2.5);
  move->SetOffset(shift);
  const auto both = itk::CompositeTransform<double, 3>::New();
  both->AddTransform(turn);
  both->AddTransform(move); // the last one added is applied first
  const auto single = itk::Euler3DTransform<double>::New();
  single->SetRotation(0.1, 0.2, 0.3);
  single->SetOffset(turn->GetMatrix() * shift);
  const auto a = GetPixels(Project(image, view, Projector::CellGauss, both));
  const auto b = GetPixels(Project(image, view, Projector::CellGauss, single));
  for (size_t i = 0; i < a.size(); ++i)
  {
    EXPECT_NEAR(a[i], b[i], 1e-6);
  }
}

TEST(DigitallyReconstructedRadiograph, SharedVolumeGivesTheSame)
{
  const auto image = MakeRandomImage(7, { { 9, 8, 7 } });
  const auto view = MakeCArmView(10, 0, 30, 1.0);
  const auto volume = itk::ProjectionVolume::New();
  volume->SetImage(image);
  const auto filter = FilterType::New();
  filter->SetProjectionVolume(volume);
  filter->SetGeometry(view);
  filter->Update();
  EXPECT_EQ(GetPixels(filter->GetOutput()), GetPixels(Project(image, view, Projector::Joseph)));
}

TEST(DigitallyReconstructedRadiograph, RefusesWhatIsNoAttenuation)
{
  const auto view = MakeCArmView(0, 0, 10, 1.0);
  const auto image = MakeCenteredImage({ { 6, 5, 4 } }, 1, 1, 1, 0.02F);
  image->SetPixel({ { 2, 3, 1 } }, -1000.0F);
  std::string error = GetError(MakeFilter(image, view, Projector::Joseph));
  EXPECT_TRUE(Contains(error, "[2, 3, 1]")) << error;
  EXPECT_TRUE(Contains(error, "-1000")) << error;
  EXPECT_TRUE(Contains(error, "Hounsfield")) << error;

  image->FillBuffer(40.0F);
  error = GetError(MakeFilter(image, view, Projector::Joseph));
  EXPECT_TRUE(Contains(error, "[0, 0, 0]") && Contains(error, "Hounsfield")) << error;

  image->FillBuffer(0.02F);
  image->SetPixel({ { 5, 4, 3 } }, std::numeric_limits<float>::quiet_NaN());
  error = GetError(MakeFilter(image, view, Projector::Joseph));
  EXPECT_TRUE(Contains(error, "[5, 4, 3]") && Contains(error, "not numbers")) << error;

  image->SetPixel({ { 5, 4, 3 } }, -1e-6F);
  error = GetError(MakeFilter(image, view, Projector::Joseph));
  EXPECT_TRUE(Contains(error, "never negative")) << error;
}

TEST(DigitallyReconstructedRadiograph, RefusesMissingInputsAndBadTransforms)
{
  const auto image = MakeCenteredImage({ { 6, 5, 4 } }, 1, 1, 1, 0.02F);
  const auto view = MakeCArmView(0, 0, 10, 1.0);
  EXPECT_TRUE(Contains(GetError(FilterType::New()), "Geometry"));
  EXPECT_TRUE(Contains(GetError(MakeFilter(nullptr, view, Projector::Joseph)), "no CT"));
  EXPECT_TRUE(Contains(GetError(MakeFilter(image, GeometryType::New(), Projector::Joseph)), "no detector"));

  const auto                flat = itk::MatrixOffsetTransformBase<double, 3, 3>::New();
  itk::Matrix<double, 3, 3> matrix;
  matrix.SetIdentity();
  matrix[2][2] = 0.0;
  flat->SetMatrix(matrix);
  const auto filter = MakeFilter(image, view, Projector::Joseph);
  filter->SetTransform(flat);
  EXPECT_TRUE(Contains(GetError(filter), "inverted"));
}

TEST(DigitallyReconstructedRadiograph, ReportsProgressAndStopsWhenAsked)
{
  const auto image = MakeRandomImage(8, { { 9, 8, 7 } });
  const auto filter = MakeFilter(image, MakeCArmView(0, 0, 256, 0.1), Projector::CellGauss);
  filter->GetMultiThreader()->SetMaximumNumberOfThreads(1);
  std::vector<float> progress;
  filter->AddObserver(itk::ProgressEvent(),
                      [&](const itk::EventObject &) { progress.push_back(filter->GetProgress()); });
  filter->Update();
  ASSERT_GT(progress.size(), 5u);
  EXPECT_TRUE(std::is_sorted(progress.begin(), progress.end()));
  EXPECT_FLOAT_EQ(progress.back(), 1.0F);

  const auto aborted = MakeFilter(image, MakeCArmView(0, 0, 256, 0.1), Projector::CellGauss);
  aborted->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) { aborted->AbortGenerateDataOn(); });
  EXPECT_THROW(aborted->Update(), itk::ProcessAborted);
}

TEST(DigitallyReconstructedRadiograph, EnvironmentOverridesThePolicy)
{
  const auto image = MakeRandomImage(9, { { 9, 8, 7 } });
  const auto filter = MakeFilter(image, MakeCArmView(0, 0, 8, 1.0), Projector::Joseph);
  setenv("RADIOGRAPHY_POLICY", "tileRows=4", 1);
  filter->Update();
  EXPECT_TRUE(Contains(filter->GetComputeReport().policy, "tileRows=4"));
  setenv("RADIOGRAPHY_POLICY", "nonsense", 1);
  filter->Modified();
  EXPECT_TRUE(Contains(GetError(filter), "RADIOGRAPHY_POLICY"));
  unsetenv("RADIOGRAPHY_POLICY");
}

TEST(DigitallyReconstructedRadiograph, PrintsItself)
{
  const auto filter = MakeFilter(MakeRandomImage(9, { { 9, 8, 7 } }), MakeCArmView(0, 0, 8, 1.0), Projector::Siddon);
  filter->Update();
  std::ostringstream text;
  filter->Print(text);
  for (const char * const part : { "Projector: ", "Siddon", "Policy: ", "OwnVolume", "kernel: siddon", "cuda" })
  {
    EXPECT_TRUE(Contains(text.str(), part)) << part;
  }
}
