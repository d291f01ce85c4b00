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
#ifndef ElementMutator_h
#define ElementMutator_h

#include "DICOMBytes.h"

#include <cstring>
#include <random>

extern "C" std::size_t
LLVMFuzzerMutate(std::uint8_t * data, std::size_t size, std::size_t maximumSize);

/** Mutations that keep a file readable: of one data element the value, with its length corrected, or the element as a
 * whole. Bytes at random break the chain of lengths and seldom come further than the parser. */
namespace fuzz
{

using dicombytes::Bytes;
using dicombytes::Element;

inline Bytes
WithMutatedValue(const Bytes & bytes, const Element & element, std::size_t room)
{
  Bytes             value(bytes.begin() + static_cast<std::ptrdiff_t>(element.value),
              bytes.begin() + static_cast<std::ptrdiff_t>(element.end));
  const std::size_t most = std::min<std::size_t>(value.size() + std::min<std::size_t>(room, 64), 0xfffe);
  const std::size_t before = value.size();
  value.resize(std::max<std::size_t>(most, 2));
  value.resize(LLVMFuzzerMutate(value.data(), std::min(before, value.size()), value.size()));
  if (value.size() % 2 == 1)
  {
    value.push_back(' ');
  }
  return WithValue(bytes, element, value);
}

inline Bytes
MutateElements(const Bytes & bytes, std::size_t maximumSize, std::minstd_rand & random)
{
  const auto elements = dicombytes::ElementsOf(bytes.data(), bytes.size());
  if (elements.empty())
  {
    return {};
  }
  const auto & one = elements[random() % elements.size()];
  const auto & other = elements[random() % elements.size()];
  switch (random() % 8)
  {
    case 0:
      return Without(bytes, one);
    case 1:
      return WithElementElsewhere(bytes, one, other, true);
    case 2:
      return WithElementElsewhere(bytes, one, other, false);
    default:
      return WithMutatedValue(bytes, one, maximumSize - bytes.size());
  }
}

} // namespace fuzz

/** Called by libFuzzer instead of its own mutation of bytes, which it still does in a quarter of the cases. */
extern "C" std::size_t
LLVMFuzzerCustomMutator(std::uint8_t * data, std::size_t size, std::size_t maximumSize, unsigned int seed)
{
  std::minstd_rand random(seed);
  random.discard(3);
  fuzz::Bytes mutated;
  if (random() % 4 != 0)
  {
    mutated = fuzz::MutateElements({ data, data + size }, maximumSize, random);
  }
  if (mutated.empty() || mutated.size() > maximumSize)
  {
    return LLVMFuzzerMutate(data, size, maximumSize);
  }
  std::memcpy(data, mutated.data(), mutated.size());
  return mutated.size();
}

#endif
