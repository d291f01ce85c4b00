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
#ifndef DICOMPhantomSeries_h
#define DICOMPhantomSeries_h

#include "itkDICOMCTVolumeReader.h"

#include <dcmtk/config/osconfig.h>
#include <dcmtk/dcmdata/dctk.h>

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <unistd.h>

/** A small CT series in which any flip, swap or reorder changes an exact voxel: stored value 1000 + c + 20 r + 300 k,
 * 12 columns, 10 rows, 6 slices, 0.5 mm between columns, 0.7 mm between rows, 2.5 mm between slices. */
namespace phantom
{

constexpr unsigned Columns = 12;
constexpr unsigned Rows = 10;
constexpr unsigned Slices = 6;

inline itk::Vector<double, 3>
XYZ(double x, double y, double z)
{
  itk::Vector<double, 3> v;
  v[0] = x;
  v[1] = y;
  v[2] = z;
  return v;
}

constexpr int
StoredValue(unsigned c, unsigned r, unsigned k)
{
  return static_cast<int>(1000 + c + 20 * r + 300 * k);
}

/** A folder of its own, gone at the end of the test. */
class TemporaryFolder
{
public:
  TemporaryFolder()
  {
    static std::atomic<int> count{ 0 };
    m_Path = std::filesystem::temp_directory_path() /
             ("radiography-dicom-" + std::to_string(::getpid()) + "-" + std::to_string(count++));
    std::filesystem::remove_all(m_Path);
    std::filesystem::create_directories(m_Path);
  }
  ~TemporaryFolder()
  {
    std::error_code ignored;
    std::filesystem::remove_all(m_Path, ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &
  operator=(const TemporaryFolder &) = delete;

  std::filesystem::path
  operator/(const std::string & name) const
  {
    return m_Path / name;
  }
  std::string
  String() const
  {
    return m_Path.string();
  }

private:
  std::filesystem::path m_Path;
};

using Dataset = DcmDataset;
/** Changes what slice k says before it is written. */
using Change = std::function<void(Dataset & dataset, unsigned k)>;

inline void
Put(Dataset & dataset, const DcmTagKey & tag, const std::string & value)
{
  ASSERT_TRUE(dataset.putAndInsertString(tag, value.c_str()).good());
}

inline void
PutWord(Dataset & dataset, const DcmTagKey & tag, unsigned value)
{
  ASSERT_TRUE(dataset.putAndInsertUint16(tag, static_cast<Uint16>(value)).good());
}

inline void
PutPixels(Dataset & dataset, const std::vector<Uint16> & cells)
{
  ASSERT_TRUE(dataset.putAndInsertUint16Array(DCM_PixelData, cells.data(), cells.size()).good());
}

inline std::vector<Uint16>
Cells(
  unsigned                           k,
  const std::function<Uint16(int)> & encode = [](int v) { return static_cast<Uint16>(v); })
{
  std::vector<Uint16> cells;
  for (unsigned r = 0; r < Rows; ++r)
  {
    for (unsigned c = 0; c < Columns; ++c)
    {
      cells.push_back(encode(StoredValue(c, r, k)));
    }
  }
  return cells;
}

inline std::unique_ptr<DcmFileFormat>
MakeSlice(unsigned k)
{
  auto              file = std::make_unique<DcmFileFormat>();
  DcmDataset &      dataset = *file->getDataset();
  const auto        number = std::to_string(k + 1);
  const std::string root = "1.2.3.4.5.";
  Put(dataset, DCM_SOPClassUID, UID_CTImageStorage);
  Put(dataset, DCM_SOPInstanceUID, root + "9." + number);
  Put(dataset, DCM_StudyInstanceUID, root + "1");
  Put(dataset, DCM_SeriesInstanceUID, root + "2");
  Put(dataset, DCM_FrameOfReferenceUID, root + "3");
  Put(dataset, DCM_Modality, "CT");
  Put(dataset, DCM_ImageType, "ORIGINAL\\PRIMARY\\AXIAL");
  Put(dataset, DCM_InstanceNumber, number);
  Put(dataset, DCM_ImagePositionPatient, "-10\\20\\" + std::to_string(k * 5 / 2) + (k % 2 == 1 ? ".5" : ".0"));
  Put(dataset, DCM_ImageOrientationPatient, "1\\0\\0\\0\\1\\0");
  Put(dataset, DCM_PixelSpacing, "0.7\\0.5");
  Put(dataset, DCM_SliceThickness, "4");
  Put(dataset, DCM_RescaleSlope, "1");
  Put(dataset, DCM_RescaleIntercept, "-1024");
  Put(dataset, DCM_PhotometricInterpretation, "MONOCHROME2");
  PutWord(dataset, DCM_SamplesPerPixel, 1);
  PutWord(dataset, DCM_Rows, Rows);
  PutWord(dataset, DCM_Columns, Columns);
  PutWord(dataset, DCM_BitsAllocated, 16);
  PutWord(dataset, DCM_BitsStored, 16);
  PutWord(dataset, DCM_HighBit, 15);
  PutWord(dataset, DCM_PixelRepresentation, 0);
  PutPixels(dataset, Cells(k));
  return file;
}

inline void
Save(DcmFileFormat & file, const std::filesystem::path & path, E_TransferSyntax syntax = EXS_LittleEndianExplicit)
{
  std::filesystem::create_directories(path.parent_path());
  const OFCondition status = file.saveFile(path.string().c_str(), syntax);
  ASSERT_TRUE(status.good()) << path << ": " << status.text();
}

/** Slice k becomes the file "s<k>". */
inline void
WriteSeries(const TemporaryFolder & folder, const Change & change = {}, const std::string & prefix = "s")
{
  for (unsigned k = 0; k < Slices; ++k)
  {
    const auto file = MakeSlice(k);
    if (change)
    {
      change(*file->getDataset(), k);
    }
    Save(*file, folder / (prefix + std::to_string(k)));
  }
}

inline itk::DICOMCTVolumeReader::Pointer
MakeReader(const TemporaryFolder & folder)
{
  auto reader = itk::DICOMCTVolumeReader::New();
  reader->SetPath(folder.String());
  return reader;
}

/** The value at every voxel is `expected(c, r, k)`, to the bit. */
inline void
ExpectVoxels(const itk::Image<float, 3> &                                      image,
             const std::function<double(unsigned c, unsigned r, unsigned k)> & expected)
{
  ASSERT_EQ(image.GetLargestPossibleRegion().GetSize(), (itk::Size<3>{ { Columns, Rows, Slices } }));
  for (unsigned k = 0; k < Slices; ++k)
  {
    for (unsigned r = 0; r < Rows; ++r)
    {
      for (unsigned c = 0; c < Columns; ++c)
      {
        ASSERT_EQ(image.GetPixel({ { c, r, k } }), static_cast<float>(expected(c, r, k)))
          << "column " << c << ", row " << r << ", slice " << k;
      }
    }
  }
}

inline double
PhantomHU(unsigned c, unsigned r, unsigned k)
{
  return StoredValue(c, r, k) - 1024.0;
}

/** Reading the folder gives the phantom. */
inline void
ExpectPhantom(const TemporaryFolder & folder)
{
  const auto reader = MakeReader(folder);
  ASSERT_NO_THROW(reader->Update());
  ExpectVoxels(*reader->GetOutput(), PhantomHU);
}

/** What Update() says; empty if it does not throw. */
inline std::string
UpdateError(const std::string & path)
{
  auto reader = itk::DICOMCTVolumeReader::New();
  reader->SetPath(path);
  try
  {
    reader->Update();
  }
  catch (const itk::ExceptionObject & error)
  {
    return error.GetDescription();
  }
  return {};
}

/** Update() is refused and says each of `words`; the inventory is there all the same, with the problem's code. */
inline void
ExpectRefusal(const TemporaryFolder & folder, const std::string & code, const std::vector<std::string> & words)
{
  const std::string error = UpdateError(folder.String());
  EXPECT_FALSE(error.empty()) << "it was read";
  for (const auto & word : words)
  {
    EXPECT_NE(error.find(word), std::string::npos) << "\"" << word << "\" is not in: " << error;
  }
  const auto reader = MakeReader(folder);
  ASSERT_NO_THROW(reader->ScanInventory());
  bool listed = false;
  for (const auto & series : reader->GetInventory().series)
  {
    for (const auto & problem : series.problems)
    {
      listed = listed || problem.code == code;
    }
  }
  EXPECT_TRUE(listed) << "no problem \"" << code << "\" in the inventory";
}

} // namespace phantom

#endif
