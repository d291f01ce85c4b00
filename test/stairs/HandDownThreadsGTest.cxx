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
#include "stairs/itkHandDownThreads.h"

#include "itkImage.h"
#include "itkImageSource.h"
#include "itkMultiThreaderBase.h"
#include "itkRadiographyMacros.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace
{

/** A filter that does nothing but run a body. */
class Runner : public itk::ImageSource<itk::Image<float, 3>>
{
public:
  using Self = Runner;
  using Pointer = itk::SmartPointer<Self>;
  itkNewMacro(Self);

  std::function<void(Self &)> work;

protected:
  void
  GenerateData() override
  {
    this->work(*this);
  }
};

} // namespace

TEST(HandDownThreads, EveryItemOnceWithAnyNumberOfThreads)
{
  for (const unsigned int threads : { 1U, 2U, 7U })
  {
    const auto threader = itk::MultiThreaderBase::New();
    threader->SetNumberOfWorkUnits(threads);
    for (const std::int64_t count : { 0, 1, 5, 1000 })
    {
      std::vector<std::atomic<int>> hits(static_cast<size_t>(count));
      itk::HandDownThreads (*threader)(count, [&](std::int64_t item) { ++hits[static_cast<size_t>(item)]; });
      for (const auto & hit : hits)
      {
        EXPECT_EQ(hit, 1);
      }
    }
  }
}

TEST(HandDownThreads, ExceptionsComeBackToTheCaller)
{
  const auto runner = Runner::New();
  runner->work = [](Runner & filter) {
    itk::HandDownThreads(filter)(100, [](std::int64_t item) {
      if (item == 70)
      {
        throw std::runtime_error("item 70");
      }
    });
  };
  EXPECT_THROW(runner->Update(), std::runtime_error);
}

TEST(HandDownThreads, ProgressOfTwoRunsAddsUp)
{
  const auto runner = Runner::New();
  float      between = 0.0F;
  runner->work = [&between](Runner & filter) {
    itk::HandDownThreads(filter, 0.25F)(40, [](std::int64_t) {});
    between = filter.GetProgress();
    itk::HandDownThreads(filter, 0.75F)(40, [](std::int64_t) {});
  };
  runner->Update();
  EXPECT_NEAR(between, 0.25F, 1e-4F);
  EXPECT_NEAR(runner->GetProgress(), 1.0F, 1e-4F);
}

TEST(HandDownThreads, AbortStopsTheRun)
{
  const auto       runner = Runner::New();
  std::atomic<int> done{ 0 };
  runner->work = [&done](Runner & filter) {
    itk::HandDownThreads(filter)(100000, [&](std::int64_t) {
      if (++done == 10)
      {
        filter.AbortGenerateDataOn();
      }
    });
  };
  EXPECT_THROW(runner->Update(), itk::ProcessAborted);
  EXPECT_LT(done, 100000);
}
