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
#ifndef radiography_compute_InstructionSet_h
#define radiography_compute_InstructionSet_h

#include "compute/InternalExport.h"

#include <cstdint>
#include <string>
#include <vector>

namespace radiography::compute
{

/** Whether the environment variable RADIOGRAPHY_DISABLE_SIMD is "1": then the scalar reference bodies run. Read at each
 * call. */
RADIOGRAPHY_INTERNAL_EXPORT bool
IsSimdDisabled();

/** An instruction set that packets are compiled for: a target of Highway. */
struct InstructionSet
{
  std::int64_t target{ 0 };
  /** As Highway calls it: "SSE4", "AVX2", "AVX3" (AVX-512), "NEON". */
  std::string name;
};

/** The best one that is compiled in and that this machine has: what a call uses unless SIMD is disabled. */
RADIOGRAPHY_INTERNAL_EXPORT InstructionSet
GetInstructionSet();

/** All that are compiled in and that this machine has, the best first. */
RADIOGRAPHY_INTERNAL_EXPORT std::vector<InstructionSet>
                            GetInstructionSets();

/** Makes every call use one of GetInstructionSets() while it lives. For tests and benchmarks: not thread-safe. */
class RADIOGRAPHY_INTERNAL_EXPORT ForcedInstructionSet
{
public:
  explicit ForcedInstructionSet(const InstructionSet & instructionSet);
  ~ForcedInstructionSet();
  ForcedInstructionSet(const ForcedInstructionSet &) = delete;
  ForcedInstructionSet &
  operator=(const ForcedInstructionSet &) = delete;
};

} // namespace radiography::compute

#endif
