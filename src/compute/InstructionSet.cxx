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
#include "compute/InstructionSet.h"
#include "compute/HighwayTargets.h"

// Compiles Probe() once per instruction set, which makes Highway's table of them.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/InstructionSet.cxx"
#include "hwy/foreach_target.h"

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace radiography::compute
{
namespace HWY_NAMESPACE
{

std::int64_t
ProbeTarget()
{
  return HWY_TARGET;
}

} // namespace HWY_NAMESPACE
} // namespace radiography::compute
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#  include <cstdlib>
#  include <cstring>

namespace radiography::compute
{
namespace
{

HWY_EXPORT(ProbeTarget);

} // namespace

bool
IsSimdDisabled()
{
  const char * const wish = std::getenv("RADIOGRAPHY_DISABLE_SIMD");
  return wish && std::strcmp(wish, "1") == 0;
}

InstructionSet
GetInstructionSet()
{
  const std::int64_t target = HWY_DYNAMIC_DISPATCH(ProbeTarget)();
  return { target, hwy::TargetName(target) };
}

std::vector<InstructionSet>
GetInstructionSets()
{
  std::vector<InstructionSet> sets;
  // Better targets are lower bits.
  for (std::int64_t rest = hwy::SupportedTargets() & HWY_TARGETS; rest != 0; rest &= rest - 1)
  {
    const std::int64_t target = rest & -rest;
    sets.push_back({ target, hwy::TargetName(target) });
  }
  return sets;
}

ForcedInstructionSet::ForcedInstructionSet(const InstructionSet & instructionSet)
{
  hwy::SetSupportedTargetsForTest(instructionSet.target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

ForcedInstructionSet::~ForcedInstructionSet()
{
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

} // namespace radiography::compute

#endif
