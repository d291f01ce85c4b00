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

// Transmission beside a plain copy of the same bytes with the same threads. Bytes are declared: what a call must read
// and write at least. See doc/performance.md.

#include "compute/InstructionSet.h"
#include "compute/TransmissionAdjointLauncher.h"
#include "compute/TransmissionLauncher.h"
#include "stairs/itkHandDownThreads.h"

#include "itkMultiThreaderBase.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace compute = radiography::compute;

namespace
{

/** 64 MiB a buffer, which no cache holds, and 256 KiB. */
constexpr std::int64_t PixelCounts[] = { 16 * 1024 * 1024, 64 * 1024 };

// Bytes per pixel of one output, and of four with n0 per pixel.
constexpr std::int64_t OneOutput = 8;
constexpr std::int64_t OneOutputWithOpenBeam = 12;
constexpr std::int64_t FourOutputs = 24;
constexpr std::int64_t ScanOnly = 4;

/** All buffers of one size; depths from 0 to 128, so that every second one is beyond 64, where T leaves binary32's
 * normal numbers soon after. */
struct Images
{
  std::int64_t       pixels;
  std::vector<float> depths;
  std::vector<float> openBeam;
  std::vector<float> outputs[4];

  explicit Images(std::int64_t count)
    : pixels(count)
    , depths(static_cast<std::size_t>(count))
    , openBeam(static_cast<std::size_t>(count), 1e4F)
  {
    std::minstd_rand                      engine(1);
    std::uniform_real_distribution<float> depth(0.0F, 128.0F);
    for (float & value : depths)
    {
      value = depth(engine);
    }
    for (auto & output : outputs)
    {
      output.resize(depths.size());
    }
  }

  compute::PixelGrid
  Grid() const
  {
    return { pixels, 1, 1 };
  }

  compute::PixelView<const float>
  ConstView(const std::vector<float> & values) const
  {
    return { values.data(), pixels, pixels };
  }

  compute::PixelView<float>
  View(std::vector<float> & values) const
  {
    return { values.data(), pixels, pixels };
  }

  compute::TransmissionOutputs
  AllOutputs()
  {
    return { this->View(outputs[0]), this->View(outputs[1]), this->View(outputs[2]), this->View(outputs[3]) };
  }
};

/** One set of buffers is kept at a time. */
Images &
GetImages(std::int64_t pixels)
{
  static std::unique_ptr<Images> images;
  if (!images || images->pixels != pixels)
  {
    images.reset();
    images = std::make_unique<Images>(pixels);
  }
  return *images;
}

/** std::memcpy of half of `bytes`, which reads and writes `bytes`: each worker one stretch of as many images as that
 * takes. */
void
Copy(Images & images, std::int64_t bytesPerPixel, std::int64_t workers, const compute::ParallelFor & parallelFor)
{
  const std::int64_t part = images.pixels / workers;
  parallelFor(workers, [&](std::int64_t worker) {
    for (std::int64_t image = 0; image < bytesPerPixel / OneOutput; ++image)
    {
      std::memcpy(images.outputs[image].data() + worker * part,
                  images.depths.data() + worker * part,
                  static_cast<std::size_t>(part) * sizeof(float));
    }
  });
}

struct Case
{
  std::string                                                               name;
  std::int64_t                                                              bytesPerPixel;
  std::string                                                               kernel;
  std::function<void(Images &, std::int64_t, const compute::ParallelFor &)> run;
};

/** What is written of four outputs, with n0 as one number. */
Case
EvaluationCase(const std::string & name, bool transmission, bool counts, bool logTransmission, bool removed)
{
  const auto run = [=](Images & images, std::int64_t, const compute::ParallelFor & parallelFor) {
    auto outputs = images.AllOutputs();
    outputs.transmission = transmission ? outputs.transmission : compute::PixelView<float>{};
    outputs.counts = counts ? outputs.counts : compute::PixelView<float>{};
    outputs.logTransmission = logTransmission ? outputs.logTransmission : compute::PixelView<float>{};
    outputs.removed = removed ? outputs.removed : compute::PixelView<float>{};
    compute::EvaluateTransmission(images.Grid(),
                                  images.ConstView(images.depths),
                                  { 1e4, {} },
                                  outputs,
                                  parallelFor,
                                  compute::SelectProjectionPolicy());
  };
  return { name, OneOutput, compute::TransmissionKernelName(), run };
}

/** Counts with n0 per pixel, alone or with all others. */
Case
OpenBeamImageCase(const std::string & name, bool all)
{
  const auto run = [=](Images & images, std::int64_t, const compute::ParallelFor & parallelFor) {
    auto outputs = images.AllOutputs();
    compute::EvaluateTransmission(images.Grid(),
                                  images.ConstView(images.depths),
                                  { 0.0, images.ConstView(images.openBeam) },
                                  all ? outputs : compute::TransmissionOutputs{ {}, outputs.counts, {}, {} },
                                  parallelFor,
                                  compute::SelectProjectionPolicy());
  };
  return { name, all ? FourOutputs : OneOutputWithOpenBeam, compute::TransmissionKernelName(), run };
}

Case
CopyCase(const std::string & name, std::int64_t bytesPerPixel)
{
  return { name,
           bytesPerPixel,
           "std::memcpy",
           [=](Images & images, std::int64_t workers, const compute::ParallelFor & parallelFor) {
             Copy(images, bytesPerPixel, workers, parallelFor);
           } };
}

void
Scan(Images & images, const compute::ParallelFor & parallelFor)
{
  if (compute::FindFirstInvalid(images.Grid(), images.ConstView(images.depths), parallelFor))
  {
    throw std::logic_error("a depth of the benchmark is not valid");
  }
}

/** The scan alone, and the scan followed by T: what checked mode costs. */
Case
ScanCase()
{
  return { "scan",
           ScanOnly,
           compute::TransmissionKernelName(),
           [](Images & images, std::int64_t, const compute::ParallelFor & parallelFor) { Scan(images, parallelFor); } };
}

Case
CheckedCase()
{
  const Case evaluation = EvaluationCase("", true, false, false, false);
  return { "T-checked",
           OneOutput,
           compute::TransmissionKernelName(),
           [=](Images & images, std::int64_t workers, const compute::ParallelFor & parallelFor) {
             Scan(images, parallelFor);
             evaluation.run(images, workers, parallelFor);
           } };
}

/** The derivative by one n0 that all pixels share: a sum over pixels, nothing written. */
Case
ReductionCase()
{
  const auto run = [](Images & images, std::int64_t, const compute::ParallelFor & parallelFor) {
    compute::TransmissionAdjointInputs inputs;
    inputs.depths = images.ConstView(images.depths);
    inputs.weights.counts = images.ConstView(images.openBeam);
    benchmark::DoNotOptimize(compute::SumOpenBeamCotangent(images.Grid(), inputs, parallelFor));
  };
  return { "sum-shared-n0", OneOutput, "adjoint of " + compute::TransmissionKernelName(), run };
}

compute::ParallelFor
MakeParallelFor(unsigned int workers, itk::MultiThreaderBase & threader)
{
  if (workers == 1)
  {
    return compute::SerialFor;
  }
  threader.SetMaximumNumberOfThreads(workers);
  threader.SetNumberOfWorkUnits(workers);
  return itk::HandDownThreads(threader);
}

void
Measure(benchmark::State & state, const Case & work, std::int64_t pixels, unsigned int workers)
{
  Images &                   images = GetImages(pixels);
  const auto                 threader = itk::MultiThreaderBase::New();
  const compute::ParallelFor parallelFor = MakeParallelFor(workers, *threader);
  for (auto _ : state)
  {
    work.run(images, workers, parallelFor);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * pixels * work.bytesPerPixel);
  state.counters["s/pixel"] = benchmark::Counter(
    static_cast<double>(pixels), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  state.SetLabel(work.kernel);
}

void
Register(const Case & work)
{
  for (const std::int64_t pixels : PixelCounts)
  {
    for (const unsigned int workers : { 1U, 2U })
    {
      const std::string name = work.name + "/pixels:" + std::to_string(pixels) + "/workers:" + std::to_string(workers);
      benchmark::RegisterBenchmark(name.c_str(),
                                   [=](benchmark::State & state) { Measure(state, work, pixels, workers); })
        ->Unit(benchmark::kMicrosecond)
        ->UseRealTime();
    }
  }
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
  Register(CopyCase("copy-8B", OneOutput));
  Register(EvaluationCase("T", true, false, false, false));
  Register(EvaluationCase("counts", false, true, false, false));
  Register(EvaluationCase("logT", false, false, true, false));
  Register(EvaluationCase("removed", false, false, false, true));
  Register(CheckedCase());
  Register(ScanCase());
  Register(ReductionCase());
  Register(OpenBeamImageCase("counts-n0-image", false));
  Register(CopyCase("copy-24B", FourOutputs));
  Register(OpenBeamImageCase("all-four-n0-image", true));
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
