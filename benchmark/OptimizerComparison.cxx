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
/** What each of ITK's v4 optimizers, and FisherScoringOptimizerv4, pays for the pose of a phantom in two radiographs,
 * as a table: the runs of the tests Every/ITKOptimizers.
 *
 *     OptimizerComparison [repetitions]
 *
 * Times are medians. An evaluation renders both views; one that asks for derivatives costs more than one that asks for
 * the value. */
#include "../test/support/ITKOptimizerRuns.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <iomanip>
#include <iostream>
#include <vector>

namespace
{

using namespace radiography::test;

/** Milliseconds. */
struct Times
{
  double elapsed{ 0.0 };
  /** Of all threads. */
  double cpu{ 0.0 };
};

Times
RunAndTime(const TwoViewScene & scene, const OptimizerRun & run, OptimizerResult & result)
{
  const auto start = std::chrono::steady_clock::now();
  const auto cpuStart = std::clock();
  result = RunFromItsStart(scene, run);
  const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - start;
  return { elapsed.count(), 1e3 * static_cast<double>(std::clock() - cpuStart) / CLOCKS_PER_SEC };
}

double
Median(std::vector<Times> times, double Times::*which)
{
  std::sort(times.begin(), times.end(), [=](const Times & a, const Times & b) { return a.*which < b.*which; });
  return times[times.size() / 2].*which;
}

void
PrintRow(const TwoViewScene & scene, const OptimizerRun & run, unsigned int repetitions)
{
  OptimizerResult    result;
  std::vector<Times> times;
  for (unsigned int i = 0; i < repetitions; ++i)
  {
    times.push_back(RunAndTime(scene, run, result));
  }
  std::cout << "| " << run.name << " | " << result.evaluations << " | " << std::setprecision(3)
            << Median(times, &Times::elapsed) << " | " << Median(times, &Times::cpu) << " | " << result.startError
            << " | " << std::setprecision(2) << result.error << " |" << std::endl;
}

} // namespace

int
main(int argc, char ** argv)
{
  try
  {
    const auto repetitions = argc > 1 ? static_cast<unsigned int>(std::max(1L, std::strtol(argv[1], nullptr, 10))) : 5U;
    const TwoViewScene scene;
    itk::Object::GlobalWarningDisplayOff();
    std::cout << "| optimizer | evaluations of both views | elapsed, ms | CPU, ms | mTRE before, mm | after, mm |\n"
              << "| --- | --- | --- | --- | --- | --- |" << std::endl;
    for (const OptimizerRun & run : MakeOptimizerRuns())
    {
      PrintRow(scene, run, repetitions);
    }
    return EXIT_SUCCESS;
  }
  catch (const std::exception & error)
  {
    std::cerr << error.what() << std::endl;
    return EXIT_FAILURE;
  }
}
