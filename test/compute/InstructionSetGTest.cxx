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

#include <gtest/gtest.h>

#include <cstdlib>

using namespace radiography;

TEST(InstructionSet, TheBestOneIsUsedAndEachCanBeForced)
{
  const auto sets = compute::GetInstructionSets();
  ASSERT_FALSE(sets.empty());
  EXPECT_EQ(compute::GetInstructionSet().name, sets.front().name);
  for (const auto & set : sets)
  {
    const compute::ForcedInstructionSet forced(set);
    EXPECT_EQ(compute::GetInstructionSet().target, set.target) << set.name;
  }
  EXPECT_EQ(compute::GetInstructionSet().name, sets.front().name) << "it ends with the object";
}

TEST(InstructionSet, OneVariableOfTheEnvironmentSwitchesThemOff)
{
  EXPECT_FALSE(compute::IsSimdDisabled());
  setenv("RADIOGRAPHY_DISABLE_SIMD", "1", 1);
  EXPECT_TRUE(compute::IsSimdDisabled());
  setenv("RADIOGRAPHY_DISABLE_SIMD", "0", 1);
  EXPECT_FALSE(compute::IsSimdDisabled());
  unsetenv("RADIOGRAPHY_DISABLE_SIMD");
}
