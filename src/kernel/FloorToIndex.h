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
#ifndef radiography_kernel_FloorToIndex_h
#define radiography_kernel_FloorToIndex_h

#include "kernel/HostDevice.h"

#include <cstdint>

namespace radiography::kernel
{

/** floor(x) for |x| < 2^63, without the call into the mathematical library that std::floor is on plain x86-64. */
RADIOGRAPHY_HD inline std::int64_t
FloorToIndex(double x)
{
  const auto truncated = static_cast<std::int64_t>(x);
  return truncated - (x < static_cast<double>(truncated) ? 1 : 0);
}

} // namespace radiography::kernel

#endif
