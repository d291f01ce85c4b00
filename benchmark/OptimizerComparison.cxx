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
 * An evaluation renders both views; one that asks for derivatives costs more than one that asks for the value. */
#include "../test/support/ITKOptimizerRuns.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <iomanip>
#include <iostream>
#include <vector>

namespace
{

using namespace radiography::test;

double
RunAndTime(const TwoViewScene & scene, const OptimizerRun & run, OptimizerResult & result)
{
  const auto start = std::chrono::steady_clock::now();
  result = RunFromItsStart(scene, run);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

void
PrintRow(const TwoViewScene & scene, const OptimizerRun & run, unsigned int repetitions)
{
  OptimizerResult     result;
  std::vector<double> times;
  for (unsigned int i = 0; i < repetitions; ++i)
  {
    times.push_back(RunAndTime(scene, run, result));
  }
  std::sort(times.begin(), times.end());
  std::cout << "| " << run.name << " | " << result.evaluations << " | " << std::setprecision(3)
            << times[times.size() / 2] << " | " << result.startError << " | " << std::setprecision(2) << result.error
            << " |" << std::endl;
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
    std::cout
      << "| optimizer | evaluations of both views | time, median, ms | mTRE at the start, mm | at the end, mm |\n"
      << "| --- | --- | --- | --- | --- |" << std::endl;
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
