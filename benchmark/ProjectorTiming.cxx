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

// Times projections of one volume, as a program that waits for jobs, so that rounds can alternate with other programs'
// and neither its start nor the reading of the volume is timed. See benchmark/peers/projectors.sh and
// doc/performance.md.
//
//   ProjectorTiming VOLUME < JOBS
//
// VOLUME: an image of mu in 1/mm. A job is a JSON object on one line of the standard input:
//
//   key        meaning                                                                               default
//   do         "forward", "back" (the transpose) or "gradient" (value, and derivatives by pose,      "forward"
//              source and detector, of the sum of all optical depths)
//   projector  "joseph", "cell-gauss", "siddon"                                                      "joseph"
//   view       a view file
//   simd       false: as with RADIOGRAPHY_DISABLE_SIMD=1                                             true
//   threads    number of threads                                                                     1
//   calls      calls that are timed, after one that is not                                           1
//   fresh      "forward", "back": each call allocates its output anew                                false
//   policy     overrides, see DigitallyReconstructedRadiographImageFilter::SetPolicy                 ""
//   pixels     "back": the image that is spread over the volume, on the view's detector
//   out        where the result goes as an image: depths, or the volume of "back"                    not written
//
// For each the standard output gets one line of JSON: milliseconds of each call, elapsed ("ms") and of the CPU in all
// threads ("cpu_ms"), "kernel" and what else the call reported, "samples" (see RaySamples.h), and on Linux
// "memory_mib": what the job took beyond the program's memory before it, at its peak. A job that fails ends the program
// with status 1 and a message.

#include "RaySamples.h"

#include "itkDigitallyReconstructedRadiographImageFilter.h"
#include "itkProjectionVolume.h"
#include "itkRadiographBackProjectionImageFilter.h"
#include "itkRadiographGeometryJSON.h"
#include "itkRadiographSensitivityCalculator.h"
#include "projection/itkVolumeView.h"

#include "itkEuler3DTransform.h"
#include "itkImageFileReader.h"
#include "itkImageFileWriter.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>

namespace compute = radiography::compute;
namespace kernel = radiography::kernel;

namespace
{

using ImageType = itk::Image<float, 3>;
using ForwardType = itk::DigitallyReconstructedRadiographImageFilter;
using BackType = itk::RadiographBackProjectionImageFilter;
using GradientType = itk::RadiographSensitivityCalculator;
using Report = ForwardType::ComputeReport;
using JSON = nlohmann::json;

const std::pair<const char *, compute::Projector> ProjectorNames[] = {
  { "joseph", compute::Projector::Joseph },
  { "cell-gauss", compute::Projector::CellGauss },
  { "siddon", compute::Projector::Siddon },
};

compute::Projector
ToProjector(const std::string & text)
{
  for (const auto & [name, projector] : ProjectorNames)
  {
    if (text == name)
    {
      return projector;
    }
  }
  throw std::invalid_argument("there is no projector \"" + text + "\"");
}

ForwardType::ProjectorEnum
ToEnum(compute::Projector projector)
{
  switch (projector)
  {
    case compute::Projector::Joseph:
      return ForwardType::ProjectorEnum::Joseph;
    case compute::Projector::CellGauss:
      return ForwardType::ProjectorEnum::CellGauss;
    default:
      return ForwardType::ProjectorEnum::Siddon;
  }
}

struct Job
{
  explicit Job(const JSON & text)
    : operation(text.value("do", "forward"))
    , projector(ToProjector(text.value("projector", "joseph")))
    , view(itk::RadiographGeometryJSON::ReadFile(text.at("view").get<std::string>()))
    , simd(text.value("simd", true))
    , threads(text.value("threads", 1U))
    , calls(text.value("calls", 1U))
    , fresh(text.value("fresh", false))
    , policy(text.value("policy", ""))
    , pixels(text.value("pixels", ""))
    , out(text.value("out", ""))
  {}

  std::string                      operation;
  compute::Projector               projector;
  itk::RadiographGeometry::Pointer view;
  bool                             simd;
  unsigned int                     threads;
  unsigned int                     calls;
  bool                             fresh;
  std::string                      policy;
  std::string                      pixels;
  std::string                      out;
};

/** One call that is not timed, then those that are: [elapsed], [CPU] in ms. Before each comes `prepare`, not timed. */
template <typename TPrepare, typename TCall>
JSON
TimeCalls(unsigned int calls, TPrepare && prepare, TCall && call)
{
  using Clock = std::chrono::steady_clock;
  JSON elapsed = JSON::array();
  JSON cpu = JSON::array();
  prepare();
  call();
  for (unsigned int i = 0; i < calls; ++i)
  {
    prepare();
    const std::clock_t      cpuBegin = std::clock();
    const Clock::time_point begin = Clock::now();
    call();
    elapsed.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
    cpu.push_back(1e3 * static_cast<double>(std::clock() - cpuBegin) / CLOCKS_PER_SEC);
  }
  return { { "ms", elapsed }, { "cpu_ms", cpu } };
}

/** What all three have in common. */
template <typename TFilter>
void
SetUp(TFilter & filter, const Job & job)
{
  filter.SetGeometry(job.view);
  filter.SetProjector(ToEnum(job.projector));
  filter.SetPolicy(job.policy);
  filter.GetMultiThreader()->SetMaximumNumberOfThreads(job.threads);
  filter.SetNumberOfWorkUnits(job.threads);
}

template <typename TFilter>
JSON
TimeUpdates(TFilter & filter, const Job & job)
{
  const auto prepare = [&] {
    filter.Modified();
    if (job.fresh)
    {
      filter.GetOutput()->Initialize();
    }
  };
  JSON result = TimeCalls(job.calls, prepare, [&] { filter.Update(); });
  if (!job.out.empty())
  {
    itk::WriteImage(filter.GetOutput(), job.out);
  }
  return result;
}

/** MiB of this program: VmRSS now, VmHWM at its peak; 0 where Linux's /proc is not there. */
double
ReadMemory(const std::string & field)
{
  std::ifstream status("/proc/self/status");
  std::string   line;
  while (std::getline(status, line))
  {
    if (line.compare(0, field.size() + 1, field + ":") == 0)
    {
      return std::stod(line.substr(field.size() + 1)) / 1024.0;
    }
  }
  return 0.0;
}

/** Makes the peak begin anew. */
void
ForgetPeak()
{
  std::ofstream("/proc/self/clear_refs") << "5";
}

/** A score of 1 for every pixel: the objective is the sum of the depths. */
ImageType::Pointer
MakeOnes(const itk::RadiographGeometry & view)
{
  const auto ones = ImageType::New();
  ones->CopyInformation(view.MakeDetectorImage());
  ones->SetRegions(ones->GetLargestPossibleRegion());
  ones->Allocate();
  ones->FillBuffer(1.0F);
  return ones;
}

/** The rays of a view in a volume's index space, for counting: no lengths in the world. */
kernel::ViewRays
MakeRays(const itk::RadiographGeometry & view, const ImageType & volume)
{
  const auto toIndex = [&](const itk::Point<double, 3> & point) {
    itk::ContinuousIndex<double, 3> index;
    // The result says whether the point is inside, which it need not be.
    (void)volume.TransformPhysicalPointToContinuousIndex(point, index);
    return index;
  };
  const auto       source = toIndex(view.GetSource());
  const auto       first = toIndex(view.GetPixelCenter(0, 0));
  const auto       nextColumn = toIndex(view.GetPixelCenter(1, 0));
  const auto       nextRow = toIndex(view.GetPixelCenter(0, 1));
  kernel::ViewRays rays{};
  rays.columns = static_cast<std::int64_t>(view.GetDetectorSize()[0]);
  rays.rows = static_cast<std::int64_t>(view.GetDetectorSize()[1]);
  for (int axis = 0; axis < 3; ++axis)
  {
    rays.start.origin[axis] = source[axis];
    rays.end.origin[axis] = first[axis];
    rays.end.column[axis] = nextColumn[axis] - first[axis];
    rays.end.row[axis] = nextRow[axis] - first[axis];
  }
  return rays;
}

class Timing
{
public:
  explicit Timing(const std::string & path)
    : m_Image(itk::ReadImage<ImageType>(path))
    , m_Volume(itk::ProjectionVolume::New())
  {
    m_Volume->SetImage(m_Image);
  }

  JSON
  Run(const Job & job) const
  {
    setenv("RADIOGRAPHY_DISABLE_SIMD", job.simd ? "0" : "1", 1);
    ForgetPeak();
    const double before = ReadMemory("VmRSS");
    JSON         result = this->Measure(job);
    result["memory_mib"] = ReadMemory("VmHWM") - before;
    if (result["kernel"].get<std::string>().empty())
    {
      throw std::runtime_error("the call did not report which kernel ran: its times are worth nothing");
    }
    const auto rays = MakeRays(*job.view, *m_Image);
    result["samples"] = radiography::benchmark::CountWork(itk::MakeVolumeView(*m_Image), rays, job.projector).samples;
    return result;
  }

private:
  JSON
  Measure(const Job & job) const
  {
    if (job.operation == "forward")
    {
      return this->Forward(job);
    }
    if (job.operation == "back")
    {
      return this->Back(job);
    }
    if (job.operation == "gradient")
    {
      return this->Gradient(job);
    }
    throw std::invalid_argument("there is nothing called \"" + job.operation + "\" to do");
  }

  static void
  AddReport(const Report & report, JSON & result)
  {
    result["projector"] = report.projector;
    result["kernel"] = report.kernel;
    result["policy"] = report.policy;
    result["threads"] = report.threads;
    result["not_used"] = report.notUsed;
  }

  JSON
  Forward(const Job & job) const
  {
    const auto filter = ForwardType::New();
    SetUp(*filter, job);
    filter->SetProjectionVolume(m_Volume);
    JSON result = TimeUpdates(*filter, job);
    AddReport(filter->GetComputeReport(), result);
    return result;
  }

  JSON
  Back(const Job & job) const
  {
    const auto filter = BackType::New();
    SetUp(*filter, job);
    filter->SetInput(itk::ReadImage<ImageType>(job.pixels));
    filter->SetReferenceImage(m_Image);
    JSON result = TimeUpdates(*filter, job);
    AddReport(filter->GetComputeReport(), result);
    return result;
  }

  JSON
  Gradient(const Job & job) const
  {
    const auto transform = itk::Euler3DTransform<double>::New();
    const auto calculator = GradientType::New();
    SetUp(*calculator, job);
    calculator->SetProjectionVolume(m_Volume);
    calculator->SetTransform(transform);
    calculator->SetScore(MakeOnes(*job.view));
    JSON result = TimeCalls(
      job.calls, [] {}, [&] { calculator->Compute(); });
    AddReport(calculator->GetComputeReport(), result);
    const auto & gradient = calculator->GetParameterGradient();
    result["value"] = calculator->GetValue();
    result["gradient"] = std::vector<double>(gradient.begin(), gradient.end());
    return result;
  }

  ImageType::Pointer             m_Image;
  itk::ProjectionVolume::Pointer m_Volume;
};

} // namespace

int
main(int argc, char ** argv)
{
  if (argc != 2)
  {
    std::cerr << "usage: " << argv[0] << " VOLUME < JOBS\n";
    return 2;
  }
  try
  {
    const Timing timing(argv[1]);
    std::string  line;
    while (std::getline(std::cin, line))
    {
      std::cout << timing.Run(Job(JSON::parse(line))) << std::endl;
    }
  }
  catch (const std::exception & error)
  {
    std::cerr << argv[0] << ": " << error.what() << '\n';
    return 1;
  }
  return 0;
}
