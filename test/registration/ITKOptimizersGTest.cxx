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
#include "ITKOptimizerRuns.h"

#include <gtest/gtest.h>

#include <map>

// Each of ITK's v4 optimizers drives the Poisson metric through ImageRegistrationMethodv4 home to a known pose. What it
// costs is in doc/registration.md.

namespace
{

using namespace radiography::test;

class ITKOptimizers : public testing::TestWithParam<std::string>
{
protected:
  static void
  SetUpTestSuite()
  {
    scene = std::make_unique<TwoViewScene>();
  }
  static void
  TearDownTestSuite()
  {
    scene.reset();
  }
  static std::unique_ptr<TwoViewScene> scene;
};

std::unique_ptr<TwoViewScene> ITKOptimizers::scene;

std::vector<std::string>
NamesOfRuns()
{
  std::vector<std::string> names;
  for (const OptimizerRun & run : MakeOptimizerRuns())
  {
    names.push_back(run.name);
  }
  return names;
}

OptimizerRun
FindRun(const std::string & name)
{
  for (const OptimizerRun & run : MakeOptimizerRuns())
  {
    if (run.name == name)
    {
      return run;
    }
  }
  throw std::invalid_argument(name);
}

} // namespace

TEST_P(ITKOptimizers, RecoversTheKnownPose)
{
  const OptimizerResult result = RunFromItsStart(*scene, FindRun(GetParam()));
  RecordProperty("evaluations", static_cast<int>(result.evaluations));
  std::cout << GetParam() << ": " << result.evaluations << " evaluations, mTRE " << result.startError << " to "
            << result.error << " mm; " << result.stopped << std::endl;
  EXPECT_GT(result.startError, 3.0);
  // Fractions of a millimetre: what first-order and derivative-free methods are good for.
  const bool isFisherScoring = GetParam().find("FisherScoring") == 0 || GetParam() == "MultiStart";
  EXPECT_LT(result.error, isFisherScoring ? 1e-3 : 0.1) << result.stopped;
}

INSTANTIATE_TEST_SUITE_P(Every, ITKOptimizers, testing::ValuesIn(NamesOfRuns()), [](const auto & run) {
  return run.param;
});
