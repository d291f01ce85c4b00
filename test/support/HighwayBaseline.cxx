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
// What of Highway's library packets call, for a machine with the baseline's instruction set alone: tools/arm.sh has no
// library of Highway for the processor that it compiles for.
#include "compute/HighwayTargets.h"

#include "hwy/highway.h"

namespace hwy
{

namespace
{

int64_t targetsForTest = 0;

} // namespace

int64_t
SupportedTargets()
{
  return targetsForTest != 0 ? targetsForTest : HWY_STATIC_TARGET;
}

void
SetSupportedTargetsForTest(int64_t targets)
{
  targetsForTest = targets;
}

ChosenTarget &
GetChosenTarget()
{
  static ChosenTarget chosen;
  return chosen;
}

} // namespace hwy
