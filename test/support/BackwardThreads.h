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
#ifndef BackwardThreads_h
#define BackwardThreads_h

#include "compute/ParallelFor.h"

#include <thread>
#include <vector>

namespace testthreads
{

/** Threads that share items out in the worst order: backwards, interleaved. */
inline radiography::compute::ParallelFor
Backward(std::int64_t threads)
{
  return [threads](std::int64_t count, const radiography::compute::ItemBody & body) {
    std::vector<std::thread> pool;
    for (std::int64_t t = 0; t < threads; ++t)
    {
      pool.emplace_back([=, &body]() {
        for (std::int64_t item = count - 1 - t; item >= 0; item -= threads)
        {
          body(item);
        }
      });
    }
    for (auto & thread : pool)
    {
      thread.join();
    }
  };
}

} // namespace testthreads

#endif
