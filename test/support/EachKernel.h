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
#ifndef EachKernel_h
#define EachKernel_h

#include "compute/InstructionSet.h"

#include <cstdlib>
#include <string>
#include <vector>

namespace testkernels
{

/** Makes calls run the scalar reference while it lives. Not thread-safe. */
class ScalarReference
{
public:
  ScalarReference()
  {
    setenv("RADIOGRAPHY_DISABLE_SIMD", "1", 1);
  }
  ~ScalarReference()
  {
    unsetenv("RADIOGRAPHY_DISABLE_SIMD");
  }
  ScalarReference(const ScalarReference &) = delete;
  ScalarReference &
  operator=(const ScalarReference &) = delete;
};

/** The names that ForEach() goes through. */
inline std::vector<std::string>
Names()
{
  std::vector<std::string> names;
  for (const auto & set : radiography::compute::GetInstructionSets())
  {
    names.push_back(set.name);
  }
  names.emplace_back("scalar reference");
  return names;
}

/** Calls body(number) with each instruction set of this machine forced, then with the scalar reference. */
template <typename TBody>
void
ForEach(const TBody & body)
{
  std::size_t number = 0;
  for (const auto & set : radiography::compute::GetInstructionSets())
  {
    const radiography::compute::ForcedInstructionSet forced(set);
    body(number++);
  }
  const ScalarReference scalar;
  body(number);
}

} // namespace testkernels

#endif
