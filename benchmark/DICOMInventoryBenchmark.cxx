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

// Time to look through a folder of 10,000 DICOM files (DICOMCTVolumeReader::ScanInventory) with two threads: as one
// series and as 200 of them. The files are small CT slices that the program writes first; pixel data above 4 KiB are
// not read while looking, so that larger slices take as long but for the file system's part.

#include "itkDICOMCTVolumeReader.h"

#include "itkMultiThreaderBase.h"

#include <benchmark/benchmark.h>

#include <dcmtk/config/osconfig.h>

#include <dcmtk/dcmdata/dctk.h>

#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace
{

constexpr unsigned int threads = 2;
constexpr unsigned int files = 10000;

void
Put(DcmDataset & dataset, const DcmTagKey & tag, const std::string & value)
{
  if (dataset.putAndInsertString(tag, value.c_str()).bad())
  {
    throw std::runtime_error("cannot set " + std::string(tag.toString().c_str()));
  }
}

/** A CT slice of 32 x 32 pixels. */
void
WriteSlice(const fs::path & path, unsigned int series, unsigned int slice)
{
  DcmFileFormat     file;
  DcmDataset &      dataset = *file.getDataset();
  const std::string root = "1.2.3.4.5.";
  const std::string number = std::to_string(series);
  Put(dataset, DCM_SOPClassUID, UID_CTImageStorage);
  Put(dataset, DCM_SOPInstanceUID, root + "9." + number + "." + std::to_string(slice));
  Put(dataset, DCM_StudyInstanceUID, root + "1");
  Put(dataset, DCM_SeriesInstanceUID, root + "2." + number);
  Put(dataset, DCM_FrameOfReferenceUID, root + "3");
  Put(dataset, DCM_Modality, "CT");
  Put(dataset, DCM_ImageType, "ORIGINAL\\PRIMARY\\AXIAL");
  Put(dataset, DCM_SeriesDescription, "chest");
  Put(dataset, DCM_ImagePositionPatient, "-10\\20\\" + std::to_string(slice));
  Put(dataset, DCM_ImageOrientationPatient, "1\\0\\0\\0\\1\\0");
  Put(dataset, DCM_PixelSpacing, "0.7\\0.7");
  Put(dataset, DCM_RescaleSlope, "1");
  Put(dataset, DCM_RescaleIntercept, "-1024");
  Put(dataset, DCM_PhotometricInterpretation, "MONOCHROME2");
  constexpr Uint16 size = 32;
  for (const auto & [tag, value] : { std::pair(DCM_SamplesPerPixel, 1),
                                     std::pair(DCM_Rows, int{ size }),
                                     std::pair(DCM_Columns, int{ size }),
                                     std::pair(DCM_BitsAllocated, 16),
                                     std::pair(DCM_BitsStored, 16),
                                     std::pair(DCM_HighBit, 15),
                                     std::pair(DCM_PixelRepresentation, 0) })
  {
    dataset.putAndInsertUint16(tag, static_cast<Uint16>(value));
  }
  const std::vector<Uint16> cells(size * size, 1000);
  dataset.putAndInsertUint16Array(DCM_PixelData, cells.data(), cells.size());
  if (file.saveFile(path.c_str(), EXS_LittleEndianExplicit).bad())
  {
    throw std::runtime_error("cannot write " + path.string());
  }
}

/** 10,000 slices of so many series, below a folder that is gone with its owner. */
class SliceFolder
{
public:
  explicit SliceFolder(unsigned int series)
  {
    std::string name = (fs::temp_directory_path() / "radiography-inventory-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
    {
      throw std::runtime_error("cannot make a folder like " + name);
    }
    m_Path = name;
    for (unsigned int i = 0; i < files; ++i)
    {
      WriteSlice(m_Path / std::to_string(i), i % series, i / series);
    }
  }
  ~SliceFolder()
  {
    std::error_code ignored;
    fs::remove_all(m_Path, ignored);
  }
  SliceFolder(const SliceFolder &) = delete;
  SliceFolder &
  operator=(const SliceFolder &) = delete;

  std::string
  GetPath() const
  {
    return m_Path.string();
  }

private:
  fs::path m_Path;
};

void
LookThrough(benchmark::State & state, const std::string & folder, unsigned int series)
{
  for (auto _ : state)
  {
    const auto reader = itk::DICOMCTVolumeReader::New();
    reader->SetPath(folder);
    reader->ScanInventory();
    const auto & inventory = reader->GetInventory();
    if (inventory.files.size() != files || inventory.series.size() != series || !inventory.series[0].loadable)
    {
      state.SkipWithError("the inventory is wrong");
    }
  }
}

void
Register(const std::string & name, const std::string & folder, unsigned int series)
{
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State & state) { LookThrough(state, folder, series); })
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1)
    ->Repetitions(5)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
}

} // namespace

int
main(int argc, char ** argv)
{
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
  {
    return 1;
  }
  itk::MultiThreaderBase::SetGlobalDefaultNumberOfThreads(threads);
  try
  {
    const SliceFolder one(1);
    const SliceFolder many(200);
    std::cout << files << " files, " << threads << " threads allowed, DCMTK " << OFFIS_DCMTK_VERSION << std::endl;
    Register("one series", one.GetPath(), 1);
    Register("200 series", many.GetPath(), 200);
    benchmark::RunSpecifiedBenchmarks();
  }
  catch (const std::exception & problem)
  {
    std::cerr << "Nothing was measured: " << problem.what() << '\n';
    return 1;
  }
  benchmark::Shutdown();
  return 0;
}
