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
#include "compute/StartPoses.h"

#include <Random123/philox.h>

namespace radiography::compute
{
namespace
{

using Generator = r123::Philox4x32;

std::uint32_t
LowWord(std::uint64_t value)
{
  return static_cast<std::uint32_t>(value & 0xffffffffu);
}

std::uint32_t
HighWord(std::uint64_t value)
{
  return static_cast<std::uint32_t>(value >> 32);
}

double
BetweenMinusOneAndOne(std::uint32_t word)
{
  constexpr double words = 4294967296.0;
  return 2.0 * ((static_cast<double>(word) + 0.5) / words) - 1.0;
}

} // namespace

std::array<double, 6>
DrawStart(std::uint64_t seed, std::uint64_t start)
{
  const Generator::ukey_type key{ { LowWord(seed), HighWord(seed) } };
  std::array<double, 6>      place{};
  for (std::uint32_t half = 0; half < 2; ++half)
  {
    const Generator::ctr_type words = Generator()({ { LowWord(start), HighWord(start), half, 0 } }, key);
    for (std::size_t i = 0; i < 3; ++i)
    {
      place[3 * half + i] = BetweenMinusOneAndOne(words[i]);
    }
  }
  return place;
}

} // namespace radiography::compute
