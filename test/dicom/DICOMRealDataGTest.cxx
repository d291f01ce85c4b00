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
#include "DICOMPhantomSeries.h"

#include <dcmtk/dcmjpls/djdecode.h>

#include <cmath>
#include <cstdlib>
#include <map>

namespace fs = std::filesystem;

namespace
{

/** Empty if there are no real data. */
std::string
DataFolder(const std::string & name)
{
  const char * const root = std::getenv("RADIOGRAPHY_TEST_DATA");
  return root == nullptr || !fs::exists(fs::path(root) / name) ? std::string() : (fs::path(root) / name).string();
}

itk::DICOMCTVolumeReader::Pointer
ReaderOf(const std::string & path)
{
  auto reader = itk::DICOMCTVolumeReader::New();
  reader->SetPath(path);
  return reader;
}

/** DCMTK's own way, for signed 16 bit slices that all have slope 1 and intercept -1024: height -> stored values. */
std::map<double, std::vector<Sint16>>
DecodeIndependently(const std::string & folder)
{
  std::map<double, std::vector<Sint16>> slices;
  for (const auto & entry : fs::directory_iterator(folder))
  {
    DcmFileFormat file;
    Float64       z = 0.0;
    if (entry.path().extension() != ".dcm" || file.loadFile(entry.path().c_str()).bad())
    {
      continue;
    }
    DcmDataset & dataset = *file.getDataset();
    EXPECT_TRUE(dataset.chooseRepresentation(EXS_LittleEndianExplicit, nullptr).good());
    EXPECT_TRUE(dataset.findAndGetFloat64(DCM_ImagePositionPatient, z, 2).good());
    const Uint16 * cells = nullptr;
    unsigned long  count = 0;
    EXPECT_TRUE(dataset.findAndGetUint16Array(DCM_PixelData, cells, &count).good());
    auto & values = slices[z];
    for (unsigned long i = 0; i < count; ++i)
    {
      values.push_back(static_cast<Sint16>(cells[i]));
    }
  }
  return slices;
}

} // namespace

#define NEED_DATA(path, name)                                                                                          \
  const std::string path = DataFolder(name);                                                                           \
  if (path.empty())                                                                                                    \
  {                                                                                                                    \
    GTEST_SKIP() << "SKIPPED: the real data set " << name << " is not below RADIOGRAPHY_TEST_DATA";                    \
  }

TEST(DICOMRealData, ChestCT)
{
  NEED_DATA(folder, "ct-chest-lidc-0001");
  const auto reader = ReaderOf(folder);
  reader->Update();
  const auto & image = *reader->GetOutput();
  const auto   size = image.GetLargestPossibleRegion().GetSize();
  ASSERT_EQ(size, (itk::Size<3>{ { 512, 512, 133 } }));
  EXPECT_EQ(image.GetSpacing(), phantom::XYZ(0.703125, 0.703125, 2.5));
  EXPECT_EQ(image.GetOrigin().GetVectorFromOrigin(), phantom::XYZ(-166.0, -171.699997, -340.0));
  EXPECT_TRUE(image.GetDirection().GetVnlMatrix().is_identity());
  EXPECT_EQ(reader->GetNumberOfPaddedVoxels(), 0u);

  const auto slices = DecodeIndependently(folder);
  ASSERT_EQ(slices.size(), 133u);
  const float * voxel = image.GetBufferPointer();
  std::size_t   different = 0;
  std::size_t   outside = 0;
  for (const auto & [z, values] : slices)
  {
    ASSERT_EQ(values.size(), 512u * 512u) << z;
    for (const Sint16 value : values)
    {
      different += *voxel != static_cast<float>(value - 1024) ? 1 : 0;
      outside += *voxel == -2048.0f ? 1 : 0;
      ++voxel;
    }
  }
  EXPECT_EQ(different, 0u);
  EXPECT_GT(outside, 133u * 512u * 512u / 5);
}

TEST(DICOMRealData, EveryTransferSyntax)
{
  NEED_DATA(folder, "ct-transfer-syntaxes");
  const auto reference = ReaderOf(folder + "/CTImage.dcm");
  reference->Update();
  const float * const expected = reference->GetOutput()->GetBufferPointer();
  const std::size_t   count = 512u * 512u;
  std::size_t         lossless = 0;
  std::size_t         lossy = 0;
  for (const auto & entry : fs::directory_iterator(folder))
  {
    SCOPED_TRACE(entry.path().filename().string());
    const auto reader = ReaderOf(entry.path().string());
    ASSERT_NO_THROW(reader->Update());
    const float * const voxels = reader->GetOutput()->GetBufferPointer();
    bool                saysLossy = false;
    for (const auto & warning : reader->GetWarnings())
    {
      saysLossy = saysLossy || warning.find("lossy") != std::string::npos;
    }
    double sum = 0.0;
    double largest = 0.0;
    for (std::size_t i = 0; i < count; ++i)
    {
      const double difference = std::abs(static_cast<double>(voxels[i]) - expected[i]);
      sum += difference;
      largest = std::max(largest, difference);
    }
    (saysLossy ? lossy : lossless) += 1;
    if (saysLossy)
    {
      // The 8 bit encoding has steps of 32 HU.
      const bool isEightBit = reader->GetInventory().series[0].transferSyntaxes[0] == UID_JPEGProcess1TransferSyntax;
      EXPECT_LT(sum / static_cast<double>(count), isEightBit ? 25.0 : 6.0);
      EXPECT_LT(largest, 250.0);
      RecordProperty("mean_error_" + reader->GetInventory().series[0].transferSyntaxes[0], std::to_string(sum / count));
    }
    else
    {
      EXPECT_EQ(largest, 0.0);
    }
  }
  EXPECT_EQ(lossless, 10u);
  EXPECT_EQ(lossy, 6u);
}

TEST(DICOMRealData, MessyFolder)
{
  NEED_DATA(folder, "ct-messy-folder");
  const auto reader = ReaderOf(folder);
  reader->Update();
  EXPECT_EQ(reader->GetOutput()->GetLargestPossibleRegion().GetSize(), (itk::Size<3>{ { 512, 512, 28 } }));
  EXPECT_NEAR(reader->GetOutput()->GetSpacing()[2], 5.0, 1e-9);
  std::size_t used = 0;
  std::size_t files = 0;
  for (const auto & entry : fs::recursive_directory_iterator(folder))
  {
    files += entry.is_regular_file() ? 1 : 0;
  }
  EXPECT_EQ(reader->GetInventory().files.size(), files);
  for (const auto & file : reader->GetInventory().files)
  {
    EXPECT_FALSE(file.reason.empty()) << file.path;
    EXPECT_TRUE(!file.used || file.path.rfind("S2010/I", 0) == 0) << file.path;
    used += file.used ? 1 : 0;
  }
  EXPECT_EQ(used, 28u);
}

TEST(DICOMRealData, XrayImagesAreListedAsRadiographs)
{
  for (const char * name : { "xa-angio-static-phantom", "rtimage" })
  {
    NEED_DATA(folder, name);
    const auto reader = ReaderOf(folder);
    ASSERT_NO_THROW(reader->ScanInventory());
    ASSERT_FALSE(reader->GetInventory().series.empty());
    for (const auto & series : reader->GetInventory().series)
    {
      EXPECT_EQ(series.kind, itk::DICOMInventoryEnums::SeriesKind::Radiograph);
      EXPECT_FALSE(series.loadable);
    }
    for (const auto & file : reader->GetInventory().files)
    {
      EXPECT_NE(file.reason.find("not a CT slice"), std::string::npos) << file.path;
    }
    EXPECT_THROW(reader->Update(), itk::ExceptionObject);
  }
}
