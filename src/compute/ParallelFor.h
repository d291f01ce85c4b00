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
#ifndef radiography_compute_ParallelFor_h
#define radiography_compute_ParallelFor_h

#include <cstdint>
#include <functional>

namespace radiography::compute
{

/** What is done to item i of [0, count). Items are independent: each writes its own part of the output. */
using ItemBody = std::function<void(std::int64_t item)>;

/** Runs body(0) ... body(count - 1), in any order, possibly at the same time, and returns when all are done.
 *
 * The thread pool comes from upstairs as this callable, so that nothing down here knows whose threads it uses. An
 * exception thrown by a body ends the run and is rethrown to the caller. A body must never depend on how items are
 * shared out: that is what makes results the same for any number of threads. */
using ParallelFor = std::function<void(std::int64_t count, const ItemBody & body)>;

/** The one without threads. */
inline void
SerialFor(std::int64_t count, const ItemBody & body)
{
  for (std::int64_t item = 0; item < count; ++item)
  {
    body(item);
  }
}

} // namespace radiography::compute

#endif
