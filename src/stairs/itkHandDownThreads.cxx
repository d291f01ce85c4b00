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
#include <atomic>
#include <exception>
#include <mutex>

namespace itk
{

namespace
{

using radiography::compute::ItemBody;
using radiography::compute::ParallelFor;

/** Runs the items on ITK's threads. ITK 5.2 loses exceptions that its pool's threads throw, so the first one is carried
 * over by hand; items that have not begun by then are left out. */
void
RunItems(MultiThreaderBase & multiThreader, std::int64_t count, const ItemBody & body)
{
  std::atomic<bool> failed{ false };
  // The pool's join happens in a library that ThreadSanitizer does not see into; this counter says the same in our own
  // code: what an item wrote was written before it was counted, and the count is read before anything is used.
  std::atomic<std::int64_t> finished{ 0 };
  std::mutex                mutex;
  std::exception_ptr        firstException;
  multiThreader.ParallelizeArray(
    0,
    static_cast<SizeValueType>(count),
    [&](SizeValueType item) {
      try
      {
        if (!failed)
        {
          body(static_cast<std::int64_t>(item));
        }
      }
      catch (...)
      {
        const std::lock_guard<std::mutex> lock(mutex);
        if (!failed.exchange(true))
        {
          firstException = std::current_exception();
        }
      }
      finished.fetch_add(1, std::memory_order_release);
    },
    nullptr);
  const bool joined = finished.load(std::memory_order_acquire) == count;
  if (firstException)
  {
    std::rethrow_exception(firstException);
  }
  if (!joined)
  {
    itkGenericExceptionMacro("ITK's threads ran " << finished << " of " << count << " items of work.");
  }
}

} // namespace

ParallelFor
HandDownThreads(ProcessObject & filter, float progressWeight)
{
  return [&filter, progressWeight](std::int64_t count, const ItemBody & body) {
    const float progressAtStart = filter.GetProgress();
    if (count > 0)
    {
      filter.GetMultiThreader()->SetNumberOfWorkUnits(filter.GetNumberOfWorkUnits());
      // One step more than there are items, which the end of the run makes up for: ITK's progress is a fixed-point
      // number that begins again at 0 when rounded steps add up to more than 1.
      const auto total = static_cast<SizeValueType>(count) + 1;
      RunItems(*filter.GetMultiThreader(), count, [&](std::int64_t item) {
        // One reporter per item: it throws ProcessAborted when the flag is set, before and after the work.
        TotalProgressReporter progress(&filter, total, total, progressWeight);
        progress.CheckAbortGenerateData();
        body(item);
        progress.Completed(1);
      });
    }
    // ITK reports progress from the calling thread's items only: the run's end is reported in any case.
    filter.UpdateProgress(std::min(progressAtStart + progressWeight, 1.0F));
  };
}

ParallelFor
HandDownThreads(MultiThreaderBase & multiThreader)
{
  return [&multiThreader](std::int64_t count, const ItemBody & body) {
    if (count > 0)
    {
      RunItems(multiThreader, count, body);
    }
  };
}

} // namespace itk
