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

// Time to load a CT series: DICOMCTVolumeReader beside ITK's GDCM series reader, as stored (JPEG-LS) and uncompressed,
// in one run and in random turns. The series is ct-chest-lidc-0001 in the folder that RADIOGRAPHY_TEST_DATA names.

#include "itkDICOMCTVolumeReader.h"

#include "itkGDCMImageIO.h"
#include "itkGDCMSeriesFileNames.h"
#include "itkImageSeriesReader.h"
#include "itkMultiThreaderBase.h"
#include "itkVersion.h"

#include <benchmark/benchmark.h>

#include <dcmtk/config/osconfig.h>

#include <dcmtk/dcmdata/dctk.h>
#include <dcmtk/dcmjpls/djdecode.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace fs = std::filesystem;

namespace
{

using ImageType = itk::Image<float, 3>;

/** Both readers may use this many threads; ITK's series reader uses one. */
constexpr unsigned int threads = 2;

/** A folder that is gone with its owner. */
class TemporaryFolder
{
public:
  TemporaryFolder()
  {
    std::string name = (fs::temp_directory_path() / "radiography-benchmark-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
    {
      throw std::runtime_error("cannot make a folder like " + name);
    }
    m_Path = name;
  }
  ~TemporaryFolder()
  {
    std::error_code ignored;
    fs::remove_all(m_Path, ignored);
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &
  operator=(const TemporaryFolder &) = delete;

  const fs::path &
  GetPath() const
  {
    return m_Path;
  }

private:
  fs::path m_Path;
};

void
Check(const OFCondition & condition, const fs::path & file)
{
  if (condition.bad())
  {
    throw std::runtime_error(file.string() + ": " + condition.text());
  }
}

/** Writes each file of a series in explicit little endian, as DCMTK decodes it. */
void
WriteUncompressed(const fs::path & from, const fs::path & to)
{
  DJLSDecoderRegistration::registerCodecs();
  for (const auto & entry : fs::directory_iterator(from))
  {
    const fs::path target = to / entry.path().filename();
    DcmFileFormat  file;
    Check(file.loadFile(entry.path().c_str()), entry.path());
    Check(file.getDataset()->chooseRepresentation(EXS_LittleEndianExplicit, nullptr), entry.path());
    Check(file.saveFile(target.c_str(), EXS_LittleEndianExplicit), target);
  }
}

ImageType::Pointer
ReadWithRadiography(const std::string & folder)
{
  const auto reader = itk::DICOMCTVolumeReader::New();
  reader->SetPath(folder);
  reader->Update();
  return reader->GetOutput();
}

ImageType::Pointer
ReadWithGDCM(const std::string & folder)
{
  const auto names = itk::GDCMSeriesFileNames::New();
  names->SetDirectory(folder);
  const auto reader = itk::ImageSeriesReader<ImageType>::New();
  reader->SetImageIO(itk::GDCMImageIO::New());
  reader->SetFileNames(names->GetInputFileNames());
  reader->Update();
  return reader->GetOutput();
}

using ReadFunction = ImageType::Pointer (*)(const std::string &);

/** Largest difference of two volumes of one size, infinite otherwise. */
double
FindLargestDifference(const ImageType & a, const ImageType & b)
{
  if (a.GetBufferedRegion() != b.GetBufferedRegion())
  {
    return HUGE_VAL;
  }
  double     largest = 0.0;
  const auto count = a.GetBufferedRegion().GetNumberOfPixels();
  for (itk::SizeValueType i = 0; i < count; ++i)
  {
    largest = std::max(largest, std::abs(static_cast<double>(a.GetBufferPointer()[i]) - b.GetBufferPointer()[i]));
  }
  return largest;
}

void
MeasureReading(benchmark::State & state, ReadFunction read, const std::string & folder, const ImageType & truth)
{
  ImageType::Pointer image;
  for (auto _ : state)
  {
    try
    {
      image = nullptr;
      image = read(folder);
    }
    catch (const std::exception & problem)
    {
      state.SkipWithError(problem.what());
      return;
    }
  }
  // The time of a wrong answer is worth nothing.
  const double difference = FindLargestDifference(*image, truth);
  if (difference != 0.0)
  {
    state.SkipWithError(("the voxels differ by up to " + std::to_string(difference) + " HU").c_str());
    return;
  }
  state.SetLabel("voxels equal");
}

/** The usual table, and below it the ratio of the medians. */
class RatioReporter : public benchmark::ConsoleReporter
{
public:
  void
  ReportRuns(const std::vector<Run> & runs) override
  {
    benchmark::ConsoleReporter::ReportRuns(runs);
    for (const Run & run : runs)
    {
      if (run.aggregate_name == "median" && !run.error_occurred)
      {
        m_Medians[run.run_name.function_name] = run.GetAdjustedRealTime();
      }
    }
  }

  void
  Finalize() override
  {
    for (const std::string stored : { "jpeg-ls", "raw" })
    {
      const auto ours = m_Medians.find("radiography/" + stored);
      const auto theirs = m_Medians.find("gdcm/" + stored);
      if (ours != m_Medians.end() && theirs != m_Medians.end())
      {
        this->GetOutputStream() << stored << ": median of DICOMCTVolumeReader / median of GDCM = "
                                << ours->second / theirs->second << '\n';
      }
      else
      {
        this->GetOutputStream() << stored << ": no ratio: one of the two gave no median (see above)\n";
      }
    }
  }

private:
  std::map<std::string, double> m_Medians;
};

void
Register(const std::string & name, ReadFunction read, const std::string & folder, const ImageType * truth)
{
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State & state) { MeasureReading(state, read, folder, *truth); })
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1)
    ->Repetitions(9)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
}

void
Run(const fs::path & series)
{
  const TemporaryFolder uncompressed;
  WriteUncompressed(series, uncompressed.GetPath());
  const ImageType::Pointer truth = ReadWithRadiography(uncompressed.GetPath().string());
  std::cout << "ITK " << itk::Version::GetITKVersion() << " with its GDCM, DCMTK " << OFFIS_DCMTK_VERSION << "; "
            << threads << " threads allowed; size " << truth->GetBufferedRegion().GetSize()
            << "; kernel: DCMTK decoders, HU in binary64" << std::endl;
  for (const auto & [stored, folder] :
       { std::pair("jpeg-ls", series.string()), std::pair("raw", uncompressed.GetPath().string()) })
  {
    Register(std::string("radiography/") + stored, ReadWithRadiography, folder, truth);
    Register(std::string("gdcm/") + stored, ReadWithGDCM, folder, truth);
  }
  RatioReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
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
  const char * const data = std::getenv("RADIOGRAPHY_TEST_DATA");
  if (data == nullptr)
  {
    std::cerr << "Nothing was measured: RADIOGRAPHY_TEST_DATA must name the folder that holds ct-chest-lidc-0001.\n";
    return 1;
  }
  itk::MultiThreaderBase::SetGlobalDefaultNumberOfThreads(threads);
  try
  {
    Run(fs::path(data) / "ct-chest-lidc-0001");
  }
  catch (const std::exception & problem)
  {
    std::cerr << "Nothing was measured: " << problem.what() << '\n';
    return 1;
  }
  benchmark::Shutdown();
  return 0;
}
