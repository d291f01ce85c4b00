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

// Time per sample of the projectors: a cubic volume, a square detector of as many pixels, source 1000 mm from the
// middle of the volume, detector 1500 mm from the source, rolled about the principal ray. "--large" adds 512^3.
// "back" is the transpose of Joseph's packets; "derivatives" are Joseph's depths with their gradients, and these
// contracted with an objective, each in turns with the plain depths. See doc/performance.md.

#include "RaySamples.h"
#include "compute/BackProjection.h"
#include "compute/ForwardProjection.h"
#include "compute/RayDerivatives.h"
#include "compute/TransposedVolume.h"
#include "compute/ViewPlan.h"
#include "compute/ViewSensitivity.h"
#include "stairs/itkHandDownThreads.h"

#include "itkMultiThreaderBase.h"

#include <benchmark/benchmark.h>

#include <cstring>
#include <cmath>
#include <ctime>
#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace compute = radiography::compute;
namespace kernel = radiography::kernel;

namespace
{

/** A volume of noise, so that no value is a special one, in voxels of 1 mm. */
class Scene
{
public:
  explicit Scene(std::int64_t size)
    : m_Values(static_cast<size_t>(size * size * size))
    , m_Volume(kernel::MakeVolumeView(m_Values.data(), size, size, size))
  {
    std::minstd_rand                      engine(1);
    std::uniform_real_distribution<float> attenuation(0.0F, 0.04F);
    for (float & value : m_Values)
    {
      value = attenuation(engine);
    }
    m_Transposed.resize(m_Values.size());
    compute::TransposeVolume(m_Volume, compute::SerialFor, m_Transposed.data());
  }

  /** As a ProjectionVolume holds it once a view along x was made. */
  compute::VolumeLayouts
  GetLayouts() const
  {
    return { m_Volume, compute::MakeTransposedView(m_Volume, m_Transposed.data()) };
  }

  const kernel::VolumeView &
  GetVolume() const
  {
    return m_Volume;
  }

  std::int64_t
  GetSize() const
  {
    return m_Volume.size[0];
  }

private:
  std::vector<float> m_Values;
  std::vector<float> m_Transposed;
  kernel::VolumeView m_Volume;
};

/** One scene is kept at a time: 512^3 voxels, twice, take a gigabyte. */
const Scene &
GetScene(std::int64_t size)
{
  static std::unique_ptr<Scene> scene;
  if (!scene || scene->GetSize() != size)
  {
    scene.reset();
    scene = std::make_unique<Scene>(size);
  }
  return *scene;
}

/** What is measured in one row. */
struct Setting
{
  compute::Projector projector;
  /** Whether Joseph may run in packets. */
  bool         packets;
  std::int64_t size;
  int          axis;
  int          rollDegrees;
  unsigned int threads;
};

/** The principal ray along an axis through the middle of the volume, on a detector of 400 mm. */
kernel::ViewRays
MakeView(const Setting & setting)
{
  constexpr double sourceToMiddle = 1000.0;
  constexpr double sourceToDetector = 1500.0;
  const int        columnAxis = setting.axis == 0 ? 1 : 0;
  const int        rowAxis = setting.axis == 2 ? 1 : 2;
  const double     middle = 0.5 * static_cast<double>(setting.size - 1);
  // The same cone for any size: voxels of 256 mm / size.
  const double scale = static_cast<double>(setting.size) / 256.0;
  const double pitch = 400.0 / static_cast<double>(setting.size);
  const double roll = setting.rollDegrees * 3.14159265358979323846 / 180.0;

  double column[3] = { 0.0, 0.0, 0.0 };
  double row[3] = { 0.0, 0.0, 0.0 };
  column[columnAxis] = pitch * std::cos(roll);
  column[rowAxis] = pitch * std::sin(roll);
  row[columnAxis] = -pitch * std::sin(roll);
  row[rowAxis] = pitch * std::cos(roll);

  kernel::ViewRays view{};
  view.columns = setting.size;
  view.rows = setting.size;
  for (int a = 0; a < 3; ++a)
  {
    const double start = a == setting.axis ? -sourceToMiddle : 0.0;
    const double end = (a == setting.axis ? sourceToDetector - sourceToMiddle : 0.0) - middle * (column[a] + row[a]);
    view.start.origin[a] = middle + start * scale;
    view.end.origin[a] = middle + end * scale;
    view.end.column[a] = column[a] * scale;
    view.end.row[a] = row[a] * scale;
    // Span is in mm.
    view.span.origin[a] = end - start;
    view.span.column[a] = column[a];
    view.span.row[a] = row[a];
  }
  return view;
}

compute::ParallelFor
MakeParallelFor(unsigned int threads, itk::MultiThreaderBase & threader)
{
  if (threads == 1)
  {
    return compute::SerialFor;
  }
  threader.SetMaximumNumberOfThreads(threads);
  threader.SetNumberOfWorkUnits(threads);
  return itk::HandDownThreads(threader);
}

std::string
Describe(const compute::ComputeReport & report)
{
  std::string text = report.kernel + "; " + report.policy + "; not used:";
  for (const auto & path : report.notUsed)
  {
    text += " " + path.first;
  }
  return text;
}

/** Empty if what was asked for ran. A time without a word on what ran, or of something else, is worth nothing. */
std::string
FindFault(const Setting & setting, const compute::ComputeReport & report)
{
  const bool        packets = report.kernel.find("packets") != std::string::npos;
  const std::string wanted = compute::ToString(setting.projector);
  if (report.kernel.empty() || report.projector != wanted || packets != setting.packets)
  {
    return "asked for was " + wanted + (setting.packets ? " in packets" : "") + "; the call reported \"" +
           report.kernel + "\"";
  }
  return {};
}

/** Times of a call per sample, and what ran. \param cpuSeconds of all threads and iterations together. */
void
Report(benchmark::State &             state,
       const Setting &                setting,
       const kernel::ViewRays &       view,
       double                         cpuSeconds,
       const compute::ComputeReport & report)
{
  const std::string fault = FindFault(setting, report);
  if (!fault.empty())
  {
    state.SkipWithError(fault.c_str());
    return;
  }
  using benchmark::Counter;
  const auto work = radiography::benchmark::CountWork(GetScene(setting.size).GetVolume(), view, setting.projector);
  const auto rate = Counter::kIsIterationInvariantRate;
  state.counters["samples"] = static_cast<double>(work.samples);
  state.counters["s/sample"] = Counter(static_cast<double>(work.samples), rate | Counter::kInvert);
  // What a busy machine leaves alone.
  state.counters["cpu_s/sample"] =
    cpuSeconds / static_cast<double>(state.iterations()) / static_cast<double>(work.samples);
  state.counters["loads_B/s"] = Counter(static_cast<double>(work.bytes), rate);
  state.SetLabel(Describe(report));
}

void
MeasureProjection(benchmark::State & state, const Setting & setting)
{
  const Scene &              scene = GetScene(setting.size);
  const kernel::ViewRays     view = MakeView(setting);
  const auto                 threader = itk::MultiThreaderBase::New();
  const compute::ParallelFor parallelFor = MakeParallelFor(setting.threads, *threader);
  std::vector<float>         depths(static_cast<size_t>(view.columns * view.rows));
  compute::ProjectionPolicy  policy = compute::SelectProjectionPolicy();
  policy.simd = setting.packets ? 1 : 0;

  compute::ComputeReport report;
  const std::clock_t     begin = std::clock();
  for (auto _ : state)
  {
    report = compute::ForwardProject(scene.GetLayouts(),
                                     view,
                                     setting.projector,
                                     policy,
                                     parallelFor,
                                     { depths.data(), 0, 0, view.columns, view.rows });
    benchmark::DoNotOptimize(depths.data());
  }
  Report(state, setting, view, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, report);
}

/** The transpose of MeasureProjection, of pixels none of which is 0, into a volume that is there already. */
void
MeasureBackProjection(benchmark::State & state, const Setting & setting)
{
  const kernel::VolumeView   grid = GetScene(setting.size).GetVolume();
  const kernel::ViewRays     view = MakeView(setting);
  const auto                 threader = itk::MultiThreaderBase::New();
  const compute::ParallelFor parallelFor = MakeParallelFor(setting.threads, *threader);
  const std::vector<float>   pixels(static_cast<size_t>(view.columns * view.rows), 1.0F);
  std::vector<float>         voxels(static_cast<size_t>(setting.size * setting.size * setting.size));
  compute::ProjectionPolicy  policy = compute::SelectProjectionPolicy();
  policy.simd = setting.packets ? 1 : 0;

  compute::ComputeReport report;
  const std::clock_t     begin = std::clock();
  for (auto _ : state)
  {
    report = compute::BackProject(grid,
                                  view,
                                  setting.projector,
                                  policy,
                                  parallelFor,
                                  pixels.data(),
                                  compute::WeightPower::One,
                                  { voxels.data(), kernel::WholeVolume(grid) },
                                  parallelFor)
               .report;
    benchmark::DoNotOptimize(voxels.data());
  }
  Report(state, setting, view, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, report);
}

/** The view of a scene in whose world a unit is a voxel, at the identity. */
compute::SensitivityView
MakeSensitivityView(const kernel::ViewRays & rays)
{
  compute::SensitivityView view{};
  view.rays = rays;
  view.worldEnd = rays.end;
  for (int a = 0; a < 3; ++a)
  {
    view.pointFromWorld[a][a] = 1.0;
    view.indexFromPoint[a][a] = 1.0;
    view.rays.span.origin[a] = rays.end.origin[a] - rays.start.origin[a];
    view.rays.span.column[a] = rays.end.column[a] - rays.start.column[a];
    view.rays.span.row[a] = rays.end.row[a] - rays.start.row[a];
  }
  return view;
}

/** CPU seconds of a call. */
template <typename TCall>
double
Clock(const TCall & call)
{
  const std::clock_t begin = std::clock();
  call();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

/** Depths, then depths with gradients, then those contracted with an objective and its Fisher weights, in turns: the
 * two latter as multiples of the first, in CPU time. */
void
MeasureDerivatives(benchmark::State & state, const Setting & setting)
{
  const Scene &                       scene = GetScene(setting.size);
  const auto                          layouts = scene.GetLayouts();
  const compute::SensitivityView      view = MakeSensitivityView(MakeView(setting));
  const auto                          threader = itk::MultiThreaderBase::New();
  const compute::ParallelFor          parallelFor = MakeParallelFor(setting.threads, *threader);
  const compute::ProjectionPolicy     policy = compute::SelectProjectionPolicy();
  const compute::ViewPlan             plan = compute::MakeViewPlan(view.rays, setting.projector, policy);
  const std::int64_t                  columns = view.rays.columns;
  const std::int64_t                  rows = view.rays.rows;
  std::vector<float>                  depths(static_cast<size_t>(columns * rows));
  std::vector<kernel::RaySensitivity> rays(depths.size());

  compute::ComputeReport report;
  double                 seconds[3] = { 0.0, 0.0, 0.0 };
  for (auto _ : state)
  {
    seconds[0] += Clock([&]() {
      compute::ForwardProject(layouts, view.rays, plan, policy, parallelFor, { depths.data(), 0, 0, columns, rows });
    });
    seconds[1] += Clock([&]() {
      const compute::RayDerivativeImage output{ rays.data(), columns, rows, nullptr };
      report = compute::DifferentiateRays(layouts, view.rays, plan, policy, parallelFor, output);
    });
    seconds[2] += Clock([&]() {
      const auto result = compute::ContractSensitivities(
        layouts, view, setting.projector, policy, parallelFor, [](std::int64_t, std::int64_t, double depth) {
          return compute::PixelObjective{ 0.5 * depth * depth, depth, 1.0 + depth };
        });
      benchmark::DoNotOptimize(result.value);
    });
    benchmark::DoNotOptimize(depths.data());
    benchmark::DoNotOptimize(rays.data());
  }
  const std::string fault = FindFault(setting, report);
  if (!fault.empty())
  {
    state.SkipWithError(fault.c_str());
    return;
  }
  state.counters["depths_cpu_ms"] = 1e3 * seconds[0] / static_cast<double>(state.iterations());
  state.counters["gradients_x_depths"] = seconds[1] / seconds[0];
  state.counters["contraction_x_depths"] = seconds[2] / seconds[0];
  state.SetLabel(Describe(report));
}

/** \param what stands before the name of the projector. */
void
Register(const Setting & setting, const std::string & what, void (*measure)(benchmark::State &, const Setting &))
{
  const std::string name = what + compute::ToString(setting.projector) + (setting.packets ? "-packets" : "") +
                           "/size:" + std::to_string(setting.size) + "/along:" + "xyz"[setting.axis] +
                           "/roll:" + std::to_string(setting.rollDegrees) +
                           "/workers:" + std::to_string(setting.threads);
  benchmark::RegisterBenchmark(name.c_str(), [=](benchmark::State & state) { measure(state, setting); })
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();
}

/** Joseph's packets at a few rolls; all projectors ray by ray, if asked for. */
void
RegisterAll(std::int64_t size, bool rayByRay)
{
  for (int axis = 0; axis < 3; ++axis)
  {
    for (const unsigned int threads : { 1U, 2U })
    {
      for (const int roll : { 0, 15, 45, 80 })
      {
        const Setting setting{ compute::Projector::Joseph, true, size, axis, roll, threads };
        Register(setting, "", MeasureProjection);
        Register(setting, "derivatives-", MeasureDerivatives);
        Register(setting, "back-", MeasureBackProjection);
        const Setting exact{ compute::Projector::CellGauss, true, size, axis, roll, threads };
        Register(exact, "", MeasureProjection);
        Register(exact, "derivatives-", MeasureDerivatives);
      }
      for (const auto projector :
           { compute::Projector::Joseph, compute::Projector::CellGauss, compute::Projector::Siddon })
      {
        if (rayByRay)
        {
          Register({ projector, false, size, axis, 0, threads }, "", MeasureProjection);
        }
      }
    }
  }
}

} // namespace

int
main(int argc, char ** argv)
{
  std::vector<char *> arguments(argv, argv + argc);
  const auto          isLarge = [](const char * argument) { return std::strcmp(argument, "--large") == 0; };
  const auto          kept = std::remove_if(arguments.begin(), arguments.end(), isLarge);
  const bool          large = kept != arguments.end();
  arguments.erase(kept, arguments.end());
  int count = static_cast<int>(arguments.size());

  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data()))
  {
    return 1;
  }
  RegisterAll(64, false);
  RegisterAll(128, false);
  RegisterAll(256, true);
  if (large)
  {
    RegisterAll(512, true);
  }
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
