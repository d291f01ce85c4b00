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
#include "DICOMEnhancedFiles.h"

#include "itkCommand.h"

#include <cstring>
#include <iterator>

using namespace phantom;

TEST(DICOMReaderPipeline, GivesTheSameBitsForAnyNumberOfThreads)
{
  const TemporaryFolder folder;
  WriteSeries(folder, [](Dataset & d, unsigned k) { Put(d, DCM_RescaleSlope, "0.1" + std::to_string(k)); });
  std::vector<float> first;
  for (const unsigned threads : { 1u, 2u, 7u })
  {
    const auto reader = MakeReader(folder);
    reader->SetNumberOfWorkUnits(threads);
    reader->Update();
    const float * const      begin = reader->GetOutput()->GetBufferPointer();
    const std::vector<float> voxels(begin, begin + Columns * Rows * Slices);
    first = first.empty() ? voxels : first;
    EXPECT_EQ(std::memcmp(first.data(), voxels.data(), voxels.size() * sizeof(float)), 0) << threads << " threads";
  }
}

TEST(DICOMReaderPipeline, InformationDoesNotDecode)
{
  const TemporaryFolder folder;
  WriteSeries(folder);
  const auto reader = MakeReader(folder);
  reader->UpdateOutputInformation();
  EXPECT_EQ(reader->GetOutput()->GetLargestPossibleRegion().GetNumberOfPixels(), Columns * Rows * Slices);
  EXPECT_EQ(reader->GetOutput()->GetBufferedRegion().GetNumberOfPixels(), 0u);
}

TEST(DICOMReaderPipeline, ReportsProgressAndStopsWhenAborted)
{
  const TemporaryFolder folder;
  WriteSeries(folder);
  const auto  reader = MakeReader(folder);
  std::size_t events = 0;
  reader->SetNumberOfWorkUnits(1);
  const auto id = reader->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) { ++events; });
  reader->Update();
  EXPECT_GE(events, 1u);
  reader->RemoveObserver(id);
  reader->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) { reader->AbortGenerateDataOn(); });
  reader->Modified();
  EXPECT_THROW(reader->Update(), itk::ProcessAborted);
}

TEST(DICOMReaderPipeline, AStopWhileHeadersAreReadLeavesNothing)
{
  const TemporaryFolder folder;
  WriteSeries(folder);
  const auto reader = MakeReader(folder);
  reader->SetNumberOfWorkUnits(1);
  const auto id =
    reader->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) { reader->AbortGenerateDataOn(); });
  EXPECT_THROW(reader->UpdateOutputInformation(), itk::ProcessAborted);
  EXPECT_TRUE(reader->GetInventory().series.empty());
  reader->RemoveObserver(id);
  ASSERT_NO_THROW(reader->Update());
  ExpectVoxels(*reader->GetOutput(), PhantomHU);
}

TEST(DICOMReaderPipeline, ProgressNeverRunsBackwards)
{
  const TemporaryFolder folder;
  WriteSeries(folder);
  std::filesystem::remove(folder / "s2");
  const auto reader = MakeReader(folder);
  reader->ResampleOn();
  reader->SetNumberOfWorkUnits(1);
  reader->ScanInventory();
  float last = 0.0f;
  reader->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) {
    EXPECT_GE(reader->GetProgress(), last);
    last = reader->GetProgress();
  });
  reader->Update();
  EXPECT_EQ(last, 1.0f);
}

TEST(DICOMReaderPipeline, FilesAreClosed)
{
  const auto open = [] {
    const std::filesystem::directory_iterator descriptors("/proc/self/fd");
    return std::distance(begin(descriptors), end(descriptors));
  };
  const TemporaryFolder folder;
  WriteSeries(folder);
  const TemporaryFolder broken;
  WriteSeries(broken);
  std::filesystem::resize_file(broken / "s3", std::filesystem::file_size(broken / "s3") - 100);
  const TemporaryFolder enhanced;
  Save(*MakeEnhanced(MakeFrames({ 2, 1, 0 })), enhanced / "enhanced");
  MakeReader(folder)->Update(); // whatever is opened once and for all
  const auto before = open();
  for (const auto * one : { &folder, &broken, &enhanced })
  {
    const auto reader = MakeReader(*one);
    UpdateError(one->String());
    reader->ScanInventory();
    EXPECT_EQ(open(), before);
  }
}

TEST(DICOMReaderPipeline, PrintsEveryMember)
{
  const auto         reader = itk::DICOMCTVolumeReader::New();
  std::ostringstream text;
  reader->Print(text);
  for (const char * member : { "Path", "Series", "MaximumNumberOfVoxels", "NumberOfPaddedVoxels", "Inventory" })
  {
    EXPECT_NE(text.str().find(member), std::string::npos) << member;
  }
  EXPECT_STREQ(reader->GetNameOfClass(), "DICOMCTVolumeReader");
  std::ostringstream kind;
  kind << itk::DICOMInventoryEnums::SeriesKind::CTVolume << itk::DICOMInventoryEnums::SeriesKind::Radiograph;
  EXPECT_EQ(kind.str(), "ct-volumeradiograph");
}
