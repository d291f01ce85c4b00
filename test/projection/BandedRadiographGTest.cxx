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
#include "Refusal.h"
#include "itkBandedRadiographImageFilter.h"
#include "itkRadiographBackProjectionImageFilter.h"

#include "itkCommand.h"
#include "itkImageFileReader.h"
#include "itkImageFileWriter.h"
#include "itkMetaImageIO.h"
#include "itkPipelineMonitorImageFilter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <vector>

using namespace radiography::test;
using BandedType = itk::BandedRadiographImageFilter;
using MonitorType = itk::PipelineMonitorImageFilter<ImageType>;
using ReaderType = itk::ImageFileReader<ImageType>;
using testimages::Refusal;

namespace
{

constexpr itk::SizeValueType Pixels = 33;
constexpr itk::SizeValueType PixelBytes = 16 * Pixels * Pixels;

/** A random volume whose index does not begin at 0. */
ImageType::Pointer
MakeVolume(unsigned int seed, const itk::Size<3> & size = { { 20, 18, 14 } })
{
  std::mt19937                          engine(seed);
  std::uniform_real_distribution<float> value(0.0F, 0.1F);
  const auto                            image = MakeCenteredImage(size, 1.5, 1.2, 2.0);
  image->SetRegions(itk::ImageRegion<3>({ { 3, -2, 5 } }, size));
  image->Allocate();
  std::generate_n(
    image->GetBufferPointer(), image->GetBufferedRegion().GetNumberOfPixels(), [&]() { return value(engine); });
  return image;
}

/** Bytes for bands of so many slices, to the byte. */
itk::SizeValueType
BudgetFor(const ImageType & volume, itk::SizeValueType slices, bool transposed = false)
{
  const auto size = volume.GetLargestPossibleRegion().GetSize();
  return PixelBytes + slices * size[0] * size[1] * sizeof(float) * (transposed ? 2 : 1);
}

BandedType::Pointer
MakeBanded(const ImageType * volume, const GeometryType * view, Projector projector, itk::SizeValueType budget)
{
  const auto filter = BandedType::New();
  filter->SetInput(volume);
  filter->SetGeometry(view);
  filter->SetProjector(projector);
  filter->SetMemoryBudget(budget);
  return filter;
}

std::vector<float>
GetPixels(const ImageType & image)
{
  const float * const begin = image.GetBufferPointer();
  return std::vector<float>(begin, begin + image.GetBufferedRegion().GetNumberOfPixels());
}

/** Relative to the largest depth of the image. */
double
FindDistance(const ImageType & a, const ImageType & b)
{
  const auto   one = GetPixels(a);
  const auto   other = GetPixels(b);
  const double largest = *std::max_element(other.begin(), other.end());
  double       worst = 0.0;
  for (std::size_t i = 0; i < one.size(); ++i)
  {
    worst = std::max(worst, std::abs(static_cast<double>(one.at(i)) - static_cast<double>(other.at(i))) / largest);
  }
  return worst;
}

/** A file that is gone at the end. */
struct TemporaryFile
{
  std::string path;

  explicit TemporaryFile(const std::string & name)
    : path(testing::TempDir() + "BandedRadiographGTest-" + name)
  {}
  ~TemporaryFile()
  {
    std::remove(path.c_str());
  }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &
  operator=(const TemporaryFile &) = delete;
};

void
Write(const ImageType * image, const std::string & path, bool compressed)
{
  const auto writer = itk::ImageFileWriter<ImageType>::New();
  writer->SetImageIO(itk::MetaImageIO::New());
  writer->SetInput(image);
  writer->SetUseCompression(compressed);
  writer->SetFileName(path);
  writer->Update();
}

ReaderType::Pointer
MakeReader(const std::string & path)
{
  const auto reader = ReaderType::New();
  reader->SetImageIO(itk::MetaImageIO::New());
  reader->SetFileName(path);
  return reader;
}

bool
Contains(const std::string & text, const std::string & part)
{
  return text.find(part) != std::string::npos;
}

} // namespace

TEST(BandedRadiograph, EqualsTheRadiographOfTheWholeVolume)
{
  const auto volume = MakeVolume(1);
  const auto pose = itk::Euler3DTransform<double>::New();
  pose->SetRotation(0.1, -0.2, 0.3);
  // Along each of the volume's axes, askew, parallel, and with the source inside the volume.
  const auto inside = GeometryType::New();
  inside->SetConeBeam(MakePoint(1, 2, 3), MakeCArmView(0, 0, Pixels, 1.1)->MakeDetectorImage());
  const GeometryType::Pointer views[] = { MakeCArmView(0, 0, Pixels, 1.9),
                                          MakeCArmView(90, 5, Pixels, 1.9),
                                          MakeCArmView(20, 88, Pixels, 1.9, 30),
                                          MakeCArmView(45, 45, Pixels, 1.9),
                                          MakeParallelView(MakePoint(1, 0.2, -0.3).GetVectorFromOrigin(), Pixels, 1.3),
                                          inside };
  for (const auto & view : views)
  {
    for (const Projector projector : { Projector::Joseph, Projector::CellGauss, Projector::Siddon })
    {
      const auto whole = Project(volume, view, projector, pose);
      for (const itk::SizeValueType slices : { 14, 7, 2, 1 })
      {
        const auto filter = MakeBanded(volume, view, projector, BudgetFor(*volume, slices, true));
        filter->SetTransform(pose);
        filter->Update();
        // Where no transposed copy is made there is room for twice as much.
        const itk::SizeValueType bands = filter->ComputeNumberOfBands();
        EXPECT_TRUE(bands == 14 / slices || bands == (14 + 2 * slices - 1) / (2 * slices)) << bands << ' ' << slices;
        ASSERT_LE(FindDistance(*filter->GetOutput(), *whole), 1e-6) << projector << ", " << slices << " slices";
        ASSERT_EQ(filter->GetOutput()->GetLargestPossibleRegion(), whole->GetLargestPossibleRegion());
        ASSERT_EQ(filter->GetOutput()->GetOrigin(), whole->GetOrigin());
      }
    }
  }
}

TEST(BandedRadiograph, AFileIsReadBandByBand)
{
  const auto          volume = MakeVolume(2);
  const auto          view = MakeCArmView(20, 10, Pixels, 1.9);
  const TemporaryFile file("stream.mha");
  Write(volume, file.path, false);
  const auto whole = Project(volume, view, Projector::CellGauss);
  for (const unsigned int slices : { 14U, 5U, 2U, 1U })
  {
    const auto reader = MakeReader(file.path);
    const auto monitor = MonitorType::New();
    monitor->SetInput(reader->GetOutput());
    const auto filter = MakeBanded(monitor->GetOutput(), view, Projector::CellGauss, BudgetFor(*volume, slices));
    filter->Update();
    ASSERT_LE(FindDistance(*filter->GetOutput(), *whole), 3e-7);
    const unsigned int bands = (14 + slices - 1) / slices;
    EXPECT_EQ(filter->ComputeNumberOfBands(), bands);
    EXPECT_EQ(monitor->GetUpdatedRequestedRegions().size(), bands);
    itk::SizeValueType covered = 0;
    for (const auto & region : monitor->GetUpdatedBufferedRegions())
    {
      EXPECT_LE(region.GetSize(2), slices) << "more than the budget was in memory";
      covered += region.GetSize(2);
    }
    EXPECT_EQ(covered, 14U);
    EXPECT_LE(reader->GetOutput()->GetBufferedRegion().GetSize(2), slices);
    EXPECT_LE(reader->GetOutput()->GetPixelContainer()->Capacity(), slices * 20U * 18U) << "memory of the reader";
  }
}

TEST(BandedRadiograph, AFileThatCannotBeStreamedGivesTheSameImage)
{
  const auto          volume = MakeVolume(3);
  const auto          view = MakeCArmView(20, 10, Pixels, 1.9);
  const TemporaryFile streamed("plain.mha");
  const TemporaryFile compressed("compressed.mha");
  Write(volume, streamed.path, false);
  Write(volume, compressed.path, true);
  std::vector<std::vector<float>> images;
  for (const TemporaryFile * const file : { &streamed, &compressed })
  {
    const auto reader = MakeReader(file->path);
    const auto filter = MakeBanded(reader->GetOutput(), view, Projector::Joseph, BudgetFor(*volume, 3, true));
    filter->Update();
    images.push_back(GetPixels(*filter->GetOutput()));
  }
  const auto fromMemory = MakeBanded(volume, view, Projector::Joseph, BudgetFor(*volume, 3, true));
  fromMemory->Update();
  EXPECT_EQ(images[0], GetPixels(*fromMemory->GetOutput()));
  EXPECT_EQ(images[1], images[0]);
}

TEST(BandedRadiograph, SameBitsForAnyNumberOfThreads)
{
  const auto volume = MakeVolume(4);
  for (const double primary : { 0.0, 90.0 })
  {
    const auto view = MakeCArmView(primary, 10, Pixels, 1.9);
    for (const Projector projector : { Projector::Joseph, Projector::CellGauss, Projector::Siddon })
    {
      std::vector<float> reference;
      for (const unsigned int threads : { 1U, 2U, 7U })
      {
        const auto filter = MakeBanded(volume, view, projector, BudgetFor(*volume, 5, true));
        filter->GetMultiThreader()->SetMaximumNumberOfThreads(threads);
        filter->SetNumberOfWorkUnits(threads);
        filter->Update();
        const auto pixels = GetPixels(*filter->GetOutput());
        reference = reference.empty() ? pixels : reference;
        EXPECT_EQ(pixels, reference) << projector << ' ' << threads << " threads";
      }
    }
  }
}

TEST(BandedRadiograph, SameBitsForAnyRegion)
{
  const auto volume = MakeVolume(5);
  const auto inside = GeometryType::New();
  inside->SetConeBeam(MakePoint(1, 2, 3), MakeCArmView(0, 0, Pixels, 1.1)->MakeDetectorImage());
  const itk::ImageRegion<3> region({ { 11, 3, 0 } }, { { 9, 21, 1 } });
  for (const auto & view : { MakeCArmView(20, 10, Pixels, 1.9), inside })
  {
    const auto whole = MakeBanded(volume, view, Projector::Joseph, BudgetFor(*volume, 4, true));
    whole->Update();
    const auto part = MakeBanded(volume, view, Projector::Joseph, BudgetFor(*volume, 4, true));
    part->UpdateOutputInformation();
    part->GetOutput()->SetRequestedRegion(region);
    part->Update();
    ASSERT_EQ(part->GetOutput()->GetBufferedRegion(), region);
    for (itk::ImageRegionConstIterator<ImageType> it(part->GetOutput(), region); !it.IsAtEnd(); ++it)
    {
      ASSERT_EQ(it.Get(), whole->GetOutput()->GetPixel(it.GetIndex())) << it.GetIndex();
    }
  }
}

TEST(BandedRadiograph, FollowsChangesAndRestsOtherwise)
{
  const auto          volume = MakeVolume(6);
  const TemporaryFile file("changes.mha");
  Write(volume, file.path, false);
  const auto reader = MakeReader(file.path);
  const auto view = MakeCArmView(20, 10, Pixels, 1.9);
  const auto filter = MakeBanded(reader->GetOutput(), view, Projector::Siddon, BudgetFor(*volume, 5));
  filter->Update();
  const auto time = filter->GetOutput()->GetUpdateMTime();
  const auto first = GetPixels(*filter->GetOutput());
  filter->Update();
  EXPECT_EQ(filter->GetOutput()->GetUpdateMTime(), time) << "nothing changed, nothing runs";
  filter->SetMemoryBudget(BudgetFor(*volume, 2));
  filter->Update();
  EXPECT_NE(filter->GetOutput()->GetUpdateMTime(), time);
  EXPECT_LE(FindDistance(*filter->GetOutput(), *Project(volume, view, Projector::Siddon)), 3e-7);
  reader->Modified();
  filter->SetMemoryBudget(BudgetFor(*volume, 5));
  filter->Update();
  EXPECT_EQ(GetPixels(*filter->GetOutput()), first);
}

TEST(BandedRadiograph, RefusesABudgetThatIsTooSmall)
{
  const auto volume = MakeVolume(7);
  for (const double primary : { 0.0, 90.0 })
  {
    // Joseph's packets want a second copy of the band for views along the volume's first axis.
    const auto view = MakeCArmView(primary, 0, Pixels, 1.9);
    const auto probe = MakeFilter(volume, view, Projector::Joseph);
    probe->Update();
    const bool doubled = primary == 90.0 && Contains(probe->GetComputeReport().kernel, "packets");
    const auto needed = BudgetFor(*volume, 1, doubled);

    const auto filter = MakeBanded(volume, view, Projector::Joseph, needed - 1);
    const auto error = Refusal([&]() { filter->Update(); });
    EXPECT_TRUE(Contains(error, std::to_string(needed - 1))) << error;
    EXPECT_TRUE(Contains(error, "at least " + std::to_string(needed) + " ")) << error;
    EXPECT_EQ(filter->GetOutput()->GetBufferedRegion().GetNumberOfPixels(), 0U);
    filter->SetMemoryBudget(needed);
    filter->Update();
    EXPECT_EQ(filter->ComputeNumberOfBands(), 14U);
    EXPECT_EQ(filter->GetComputeReport().kernel, probe->GetComputeReport().kernel);
  }
}

TEST(BandedRadiograph, RefusesWhatDoesNotFit)
{
  const auto volume = MakeVolume(8);
  const auto view = MakeCArmView(20, 10, Pixels, 1.9);
  const auto filter = MakeBanded(volume, view, Projector::Siddon, BudgetFor(*volume, 3));
  const auto prepared = itk::ProjectionVolume::New();
  prepared->SetImage(volume);
  filter->SetProjectionVolume(prepared);
  EXPECT_TRUE(Contains(Refusal([&]() { filter->Update(); }), "ProjectionVolume"));
  EXPECT_TRUE(
    Contains(Refusal([&]() { MakeBanded(nullptr, view, Projector::Siddon, 1000000)->Update(); }), "There is no CT"));

  // Hounsfield units in the last band: nothing is written.
  volume->SetPixel({ { 7, 8, 18 } }, -1000.0F);
  const auto late = MakeBanded(volume, view, Projector::Siddon, BudgetFor(*volume, 3));
  const auto error = Refusal([&]() { late->Update(); });
  EXPECT_TRUE(Contains(error, "[7, 8, 18]") && Contains(error, "Hounsfield")) << error;
  EXPECT_EQ(late->GetOutput()->GetBufferedRegion().GetNumberOfPixels(), 0U);
}

TEST(BandedRadiograph, ReportsProgressAndStopsWhenAsked)
{
  const auto volume = MakeVolume(9);
  const auto view = MakeCArmView(20, 10, Pixels, 1.9);
  const auto filter = MakeBanded(volume, view, Projector::Joseph, BudgetFor(*volume, 2, true));
  filter->SetNumberOfWorkUnits(1);
  filter->GetMultiThreader()->SetMaximumNumberOfThreads(1);
  std::vector<float> progress;
  filter->AddObserver(itk::ProgressEvent(),
                      [&](const itk::EventObject &) { progress.push_back(filter->GetProgress()); });
  filter->Update();
  ASSERT_GT(progress.size(), 7U);
  EXPECT_TRUE(std::is_sorted(progress.begin(), progress.end())) << testing::PrintToString(progress);
  EXPECT_FLOAT_EQ(progress.back(), 1.0F);

  const auto aborted = MakeBanded(volume, view, Projector::Joseph, BudgetFor(*volume, 2, true));
  const auto tag = aborted->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) {
    if (aborted->GetProgress() > 0.5F)
    {
      aborted->AbortGenerateDataOn();
    }
  });
  EXPECT_THROW(aborted->Update(), itk::ProcessAborted);
  EXPECT_EQ(aborted->GetOutput()->GetBufferedRegion().GetNumberOfPixels(), 0U);
  aborted->RemoveObserver(tag);
  aborted->Update();
  EXPECT_EQ(GetPixels(*aborted->GetOutput()), GetPixels(*filter->GetOutput()));
}

// More than 2^32 voxels, of which there is only the grid.
TEST(BandedRadiograph, BandsOfAHugeVolumeAreCountedWithoutIt)
{
  const auto huge = ImageType::New();
  huge->SetRegions(itk::Size<3>{ { 2048, 2048, 1100 } });
  const auto filter = MakeBanded(huge, MakeCArmView(0, 0, Pixels, 1.9), Projector::CellGauss, std::size_t{ 1 } << 30);
  filter->UpdateOutputInformation();
  EXPECT_EQ(filter->ComputeNumberOfBands(), 18U); // 63 slices of 16 MiB, and the pixels, are in 1 GiB
  filter->SetMemoryBudget(std::numeric_limits<itk::SizeValueType>::max());
  EXPECT_EQ(filter->ComputeNumberOfBands(), 1U);
}

TEST(BandedRadiograph, PrintsItself)
{
  const auto         filter = MakeBanded(MakeVolume(10), MakeCArmView(0, 0, Pixels, 1.9), Projector::Siddon, 123456789);
  std::ostringstream text;
  filter->Print(text);
  EXPECT_TRUE(Contains(text.str(), "MemoryBudget: 123456789")) << text.str();
}

// ---------------------------------------------------------------------------------------------- back projection

namespace
{

using BackFilterType = itk::RadiographBackProjectionImageFilter;

BackFilterType::Pointer
MakeBack(const ImageType * pixels, const GeometryType * view, const ImageType * grid)
{
  const auto filter = BackFilterType::New();
  filter->SetInput(pixels);
  filter->SetGeometry(view);
  filter->SetReferenceImage(grid);
  filter->SetNumberOfWorkUnits(2);
  filter->GetMultiThreader()->SetMaximumNumberOfThreads(2);
  filter->SetPolicy("backProjectionSlices=2");
  return filter;
}

} // namespace

TEST(BandedBackProjection, IsWrittenBandByBandToTheSameBits)
{
  const auto volume = MakeVolume(11);
  const auto view = MakeCArmView(20, 10, Pixels, 1.9);
  const auto pixels = Project(volume, view, Projector::Joseph);
  const auto whole = MakeBack(pixels, view, volume);
  whole->Update();
  for (const std::size_t budget : { 8712 + 12 * 360, 8712 + 12 * 360 * 3, 8712 + 4 * 360 * 7 + 8 * 360 * 4, 1000000 })
  {
    const TemporaryFile file("back.mha");
    const auto          filter = MakeBack(pixels, view, volume);
    const auto          monitor = MonitorType::New();
    monitor->SetInput(filter->GetOutput());
    const auto writer = itk::ImageFileWriter<ImageType>::New();
    writer->SetImageIO(itk::MetaImageIO::New());
    writer->SetInput(monitor->GetOutput());
    writer->SetFileName(file.path);
    writer->SetNumberOfStreamDivisions(filter->ComputeNumberOfBands(budget));
    writer->Update();
    EXPECT_EQ(monitor->GetUpdatedBufferedRegions().size(), filter->ComputeNumberOfBands(budget));
    for (const auto & region : monitor->GetUpdatedBufferedRegions())
    {
      const std::size_t slices = region.GetSize(2);
      EXPECT_LE(8712 + 4 * 360 * slices + 8 * 360 * std::min<std::size_t>(slices, 4), budget);
    }
    const auto reader = MakeReader(file.path);
    reader->Update();
    EXPECT_EQ(GetPixels(*reader->GetOutput()), GetPixels(*whole->GetOutput())) << budget;
  }
}

TEST(BandedBackProjection, CountsBandsAndRefusesABudgetThatIsTooSmall)
{
  const auto volume = MakeVolume(12);
  const auto view = MakeCArmView(20, 10, Pixels, 1.9);
  const auto filter = MakeBack(Project(volume, view, Projector::Joseph), view, volume);
  const auto slice = [](std::size_t slices) {
    return 8712 + 4 * 360 * slices + 8 * 360 * std::min<std::size_t>(slices, 4);
  };
  EXPECT_EQ(filter->ComputeNumberOfBands(slice(1)), 14U);
  EXPECT_EQ(filter->ComputeNumberOfBands(slice(4)), 4U);
  EXPECT_EQ(filter->ComputeNumberOfBands(slice(5) - 1), 4U);
  EXPECT_EQ(filter->ComputeNumberOfBands(slice(5)), 3U);
  EXPECT_EQ(filter->ComputeNumberOfBands(slice(7) - 1), 3U);
  EXPECT_EQ(filter->ComputeNumberOfBands(slice(7)), 2U);
  EXPECT_EQ(filter->ComputeNumberOfBands(slice(14)), 1U);
  EXPECT_EQ(filter->ComputeNumberOfBands(std::numeric_limits<std::size_t>::max()), 1U);
  const auto error = Refusal([&]() { filter->ComputeNumberOfBands(slice(1) - 1); });
  EXPECT_TRUE(Contains(error, "at least " + std::to_string(slice(1)))) << error;
}
