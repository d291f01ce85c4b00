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

#include "itkMultiThreaderBase.h"
#include "itkTotalProgressReporter.h"

#include <algorithm>

namespace itk
{

radiography::compute::ParallelFor
HandDownThreads(ProcessObject & filter, float progressWeight)
{
  return [&filter, progressWeight](std::int64_t count, const radiography::compute::ItemBody & body) {
    if (count <= 0)
    {
      return;
    }
    const auto  total = static_cast<SizeValueType>(count);
    const float progressAtStart = filter.GetProgress();
    filter.GetMultiThreader()->SetNumberOfWorkUnits(filter.GetNumberOfWorkUnits());
    filter.GetMultiThreader()->ParallelizeArray(
      0,
      total,
      [&](SizeValueType item) {
        // One reporter per item: it throws ProcessAborted when the flag is set, before and after the work.
        TotalProgressReporter progress(&filter, total, total, progressWeight);
        progress.CheckAbortGenerateData();
        body(static_cast<std::int64_t>(item));
        progress.Completed(1);
      },
      nullptr);
    // ITK reports progress from the calling thread's items only: the run's end is reported in any case.
    filter.UpdateProgress(std::min(progressAtStart + progressWeight, 1.0F));
  };
}

radiography::compute::ParallelFor
HandDownThreads(MultiThreaderBase & multiThreader)
{
  return [&multiThreader](std::int64_t count, const radiography::compute::ItemBody & body) {
    if (count > 0)
    {
      multiThreader.ParallelizeArray(
        0,
        static_cast<SizeValueType>(count),
        [&body](SizeValueType item) { body(static_cast<std::int64_t>(item)); },
        nullptr);
    }
  };
}

} // namespace itk
