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

#include <clocale>
#include <sys/stat.h>

using namespace phantom;
namespace fs = std::filesystem;

namespace
{

std::string
ReasonFor(const itk::DICOMInventory & inventory, const std::string & path)
{
  for (const auto & file : inventory.files)
  {
    if (file.path == path)
    {
      EXPECT_FALSE(file.used) << path;
      return file.reason;
    }
  }
  return "(not listed)";
}

void
ExpectReason(const itk::DICOMInventory & inventory, const std::string & path, const std::string & words)
{
  const std::string reason = ReasonFor(inventory, path);
  EXPECT_NE(reason.find(words), std::string::npos) << path << ": " << reason;
}

} // namespace

TEST(DICOMFolder, SaysForEveryFileWhatBecameOfIt)
{
  const TemporaryFolder folder;
  WriteSeries(folder, {}, "S\xc3\xa9rie 1/im");
  std::ofstream(folder / "empty.dcm").flush();
  std::ofstream(folder / "notes.txt") << "no image at all, only text that is long enough to be looked at twice";
  fs::create_symlink("S\xc3\xa9rie 1/im0", folder / "a-link");
  fs::create_symlink("nowhere", folder / "broken-link");
  fs::create_directory_symlink(".", folder / "loop");
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  Save(*MakeSlice(9), folder / ".hidden/slice");
  const auto localizer = MakeSlice(8);
  Put(*localizer->getDataset(), DCM_ImageType, "ORIGINAL\\PRIMARY\\LOCALIZER");
  Save(*localizer, folder / "scout");
  const auto capture = MakeSlice(8);
  Put(*capture->getDataset(), DCM_SOPClassUID, UID_SecondaryCaptureImageStorage);
  Save(*capture, folder / "capture");
  const auto xray = MakeSlice(8);
  Put(*xray->getDataset(), DCM_SOPClassUID, UID_XRayAngiographicImageStorage);
  Put(*xray->getDataset(), DCM_Modality, "XA");
  Save(*xray, folder / "xray");

  ExpectPhantom(folder);
  const auto reader = MakeReader(folder);
  reader->ScanInventory();
  const auto & inventory = reader->GetInventory();
  EXPECT_EQ(inventory.files.size(), 15u);
  std::size_t used = 0;
  for (const auto & file : inventory.files)
  {
    used += file.used ? 1 : 0;
    EXPECT_FALSE(file.reason.empty()) << file.path;
  }
  EXPECT_EQ(used, Slices);
  ExpectReason(inventory, "empty.dcm", "empty");
  ExpectReason(inventory, "notes.txt", "not a DICOM file");
  ExpectReason(inventory, "a-link", "link");
  ExpectReason(inventory, "broken-link", "not there");
  ExpectReason(inventory, "pipe", "not a regular file");
  ExpectReason(inventory, ".hidden/slice", "hidden folder");
  ExpectReason(inventory, "scout", "localizer");
  ExpectReason(inventory, "capture", "SecondaryCapture");
  ExpectReason(inventory, "xray", "X-ray image");
}

TEST(DICOMFolder, KeepsSeriesApartAndTakesTheLargest)
{
  const TemporaryFolder folder;
  WriteSeries(folder, {}, "b");
  const auto other = [](Dataset & d, unsigned) { Put(d, DCM_SeriesInstanceUID, "1.2.3.4.5.77"); };
  WriteSeries(folder, other, "a");
  fs::remove(folder / "a5");
  const auto reader = MakeReader(folder);
  reader->Update();
  ExpectVoxels(*reader->GetOutput(), PhantomHU);
  ASSERT_EQ(reader->GetInventory().series.size(), 2u);
  EXPECT_TRUE(reader->GetInventory().series[1].chosen);
  ASSERT_EQ(reader->GetWarnings().size(), 1u);
  EXPECT_NE(reader->GetWarnings()[0].find("largest"), std::string::npos);
  ExpectReason(reader->GetInventory(), "a0", "series 1");

  for (const char * choice : { "1", "1.2.3.4.5.77" })
  {
    reader->SetSeries(choice);
    reader->Update();
    EXPECT_EQ(reader->GetOutput()->GetLargestPossibleRegion().GetSize(2), 5u);
    EXPECT_TRUE(reader->GetInventory().series[0].chosen);
    EXPECT_FALSE(reader->GetInventory().series[1].chosen);
  }
  for (const char * choice : { "3", "0", "1.2.3" })
  {
    reader->SetSeries(choice);
    EXPECT_THROW(reader->Update(), itk::ExceptionObject) << choice;
  }
}

TEST(DICOMFolder, NeverTakesASmallerVolumeForABrokenLargerOne)
{
  const TemporaryFolder folder;
  WriteSeries(folder);
  fs::remove(folder / "s1");
  const auto small = MakeSlice(0);
  Put(*small->getDataset(), DCM_SeriesInstanceUID, "1.2.3.4.5.77");
  Save(*small, folder / "z");
  ExpectRefusal(folder, "gap", { "s0", "s2", "smaller volume" });
  const auto reader = MakeReader(folder);
  reader->SetSeries("2");
  EXPECT_NO_THROW(reader->Update());
}

TEST(DICOMFolder, SplitsASeriesOfSeveralStacks)
{
  const TemporaryFolder folder;
  WriteSeries(folder, {}, "axial");
  const auto coronal = [](Dataset & d, unsigned k) {
    Put(d, DCM_ImageOrientationPatient, "1\\0\\0\\0\\0\\-1");
    Put(d, DCM_ImagePositionPatient, "0\\" + std::to_string(3 * k) + "\\0");
  };
  WriteSeries(folder, coronal, "coronal");
  const auto reader = MakeReader(folder);
  reader->ScanInventory();
  ASSERT_EQ(reader->GetInventory().series.size(), 2u);
  EXPECT_EQ(reader->GetInventory().series[0].size[2], 6u);
  EXPECT_EQ(reader->GetInventory().series[1].spacing[2], 3.0);
}

TEST(DICOMFolder, RefusesTruncatedSlices)
{
  for (const std::uintmax_t cut : { 2u, 100u, 239u })
  {
    const TemporaryFolder folder;
    WriteSeries(folder);
    fs::resize_file(folder / "s3", fs::file_size(folder / "s3") - cut);
    ExpectRefusal(folder, "damaged-file", { "s3", "truncated" });
  }
}

TEST(DICOMFolder, RefusesShortPixelData)
{
  const TemporaryFolder folder;
  WriteSeries(folder, [](Dataset & d, unsigned k) {
    if (k == 3)
    {
      auto cells = Cells(k);
      cells.pop_back();
      PutPixels(d, cells);
    }
  });
  ExpectRefusal(folder, "pixel-data", { "s3", "238 bytes", "240" });
}

TEST(DICOMFolder, TakesPixelDataThatAreTooLong)
{
  const TemporaryFolder folder;
  WriteSeries(folder, [](Dataset & d, unsigned k) {
    auto cells = Cells(k);
    cells.resize(cells.size() + 100, 4095);
    PutPixels(d, cells);
  });
  ExpectPhantom(folder);
}

TEST(DICOMFolder, RefusesMissingPixelData)
{
  const TemporaryFolder folder;
  WriteSeries(folder, [](Dataset & d, unsigned k) {
    if (k == 3)
    {
      d.findAndDeleteElement(DCM_PixelData);
    }
  });
  ExpectRefusal(folder, "pixel-data", { "s3", "private compression" });
}

TEST(DICOMFolder, NamesAPathThatIsNotThere)
{
  EXPECT_NE(UpdateError("/no/such/folder").find("/no/such/folder"), std::string::npos);
  EXPECT_NE(UpdateError("").find("SetPath"), std::string::npos);
  const TemporaryFolder folder;
  EXPECT_NE(UpdateError(folder.String()).find("no files"), std::string::npos);
  std::ofstream(folder / "empty").flush();
  EXPECT_NE(UpdateError((folder / "empty").string()).find("empty file"), std::string::npos);
}

TEST(DICOMFolder, DoesNotDependOnTheLocale)
{
  const std::string before = std::setlocale(LC_ALL, nullptr);
  const char *      comma = nullptr;
  for (const char * name : { "de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "nl_NL.UTF-8" })
  {
    comma = comma == nullptr ? std::setlocale(LC_ALL, name) : comma;
  }
  const TemporaryFolder folder;
  WriteSeries(folder);
  ExpectPhantom(folder);
  std::setlocale(LC_ALL, before.c_str());
  if (comma == nullptr)
  {
    GTEST_SKIP() << "NO LOCALE WITH A DECIMAL COMMA IS INSTALLED: checked in the locale \"" << before << "\" only";
  }
}

TEST(DICOMFolder, HoldsTheDeclaredSizeAgainstTheLimit)
{
  const TemporaryFolder folder;
  WriteSeries(folder);
  const auto reader = MakeReader(folder);
  reader->SetMaximumNumberOfVoxels(Columns * Rows * Slices - 1);
  EXPECT_THROW(reader->Update(), itk::ExceptionObject);
  reader->SetMaximumNumberOfVoxels(Columns * Rows * Slices);
  EXPECT_NO_THROW(reader->Update());
}
