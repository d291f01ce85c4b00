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

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string_view>
#include <vector>

extern "C" std::size_t
LLVMFuzzerMutate(std::uint8_t * data, std::size_t size, std::size_t maximumSize);

/** Mutations that keep a file readable: of one data element the value, with its length corrected, or the element as a
 * whole. Bytes at random break the chain of lengths and seldom come further than the parser. */
namespace fuzz
{

/** A data element in explicit little endian, or a fragment of compressed pixels. */
struct Element
{
  std::size_t begin;
  std::size_t lengthAt;
  std::size_t value;
  std::size_t end;
};

inline bool
HasLongLength(const std::uint8_t * representation)
{
  static constexpr const char * longOnes[] = { "OB", "OD", "OF", "OL", "OW", "SQ", "UC", "UR", "UT", "UN" };
  return std::any_of(std::begin(longOnes), std::end(longOnes), [representation](const char * name) {
    return std::equal(name, name + 2, representation);
  });
}

inline std::size_t
NumberAt(const std::uint8_t * at, std::size_t bytes)
{
  std::size_t number = 0;
  for (std::size_t i = bytes; i-- > 0;)
  {
    number = number * 256 + at[i];
  }
  return number;
}

/** The elements from `offset` on, up to where they make no sense. Of sequences and items of undefined length the
 * elements within, of others the whole. */
inline std::vector<Element>
ElementsFrom(const std::uint8_t * data, std::size_t size, std::size_t offset)
{
  constexpr std::size_t undefined = 0xffffffff;
  std::vector<Element>  elements;
  while (offset + 12 <= size)
  {
    const std::uint8_t * const at = data + offset;
    const bool                 isItem = NumberAt(at, 2) == 0xfffe;
    const bool                 isLong = !isItem && HasLongLength(at + 4);
    const bool                 isShort = !isItem && !isLong;
    const std::size_t          lengthAt = offset + (isItem ? 4 : isLong ? 8 : 6);
    const std::size_t          value = lengthAt + (isShort ? 2 : 4);
    const std::size_t          length = NumberAt(data + lengthAt, value - lengthAt);
    if (!isItem && (at[4] < 'A' || at[4] > 'Z' || at[5] < 'A' || at[5] > 'Z'))
    {
      break;
    }
    if (length == undefined || (isItem && length == 0))
    {
      offset = value;
      continue;
    }
    if (length > size - value)
    {
      break;
    }
    elements.push_back({ offset, lengthAt, value, value + length });
    offset = value + length;
  }
  return elements;
}

/** Those of all files of an input. */
inline std::vector<Element>
ElementsOf(const std::uint8_t * data, std::size_t size)
{
  const std::string_view input(reinterpret_cast<const char *>(data), size);
  std::vector<Element>   elements;
  for (auto start = input.find("DICM"); start != std::string_view::npos; start = input.find("DICM", start + 4))
  {
    const auto ofFile = ElementsFrom(data, size, start + 4);
    elements.insert(elements.end(), ofFile.begin(), ofFile.end());
  }
  return elements;
}

inline void
SetLength(std::vector<std::uint8_t> & bytes, const Element & element, std::size_t length)
{
  for (std::size_t at = element.lengthAt; at < element.value; ++at)
  {
    bytes[at] = static_cast<std::uint8_t>(length);
    length /= 256;
  }
}

inline std::vector<std::uint8_t>
WithAnotherValue(const std::vector<std::uint8_t> & bytes, const Element & element, std::size_t room)
{
  std::vector<std::uint8_t> value(bytes.begin() + static_cast<std::ptrdiff_t>(element.value),
                                  bytes.begin() + static_cast<std::ptrdiff_t>(element.end));
  const std::size_t         most = std::min<std::size_t>(value.size() + std::min<std::size_t>(room, 64), 0xfffe);
  const std::size_t         before = value.size();
  value.resize(std::max<std::size_t>(most, 2));
  value.resize(LLVMFuzzerMutate(value.data(), std::min(before, value.size()), value.size()));
  if (value.size() % 2 == 1)
  {
    value.push_back(' ');
  }
  auto result = bytes;
  SetLength(result, element, value.size());
  const auto begin = result.begin() + static_cast<std::ptrdiff_t>(element.value);
  const auto kept = result.erase(begin, begin + static_cast<std::ptrdiff_t>(element.end - element.value));
  result.insert(kept, value.begin(), value.end());
  return result;
}

inline std::vector<std::uint8_t>
WithElementElsewhere(const std::vector<std::uint8_t> & bytes, const Element & from, const Element & to, bool keep)
{
  const auto begin = bytes.begin();
  const auto first = begin + static_cast<std::ptrdiff_t>(from.begin);
  const auto last = begin + static_cast<std::ptrdiff_t>(from.end);
  const auto target = begin + static_cast<std::ptrdiff_t>(to.begin);
  const auto targetEnd = begin + static_cast<std::ptrdiff_t>(to.end);

  std::vector<std::uint8_t> result(begin, target);
  result.insert(result.end(), first, last);
  result.insert(result.end(), keep ? target : targetEnd, bytes.end());
  return result;
}

inline std::vector<std::uint8_t>
Without(const std::vector<std::uint8_t> & bytes, const Element & element)
{
  auto result = bytes;
  result.erase(result.begin() + static_cast<std::ptrdiff_t>(element.begin),
               result.begin() + static_cast<std::ptrdiff_t>(element.end));
  return result;
}

inline std::vector<std::uint8_t>
MutateElements(const std::vector<std::uint8_t> & bytes, std::size_t maximumSize, std::minstd_rand & random)
{
  const auto elements = ElementsOf(bytes.data(), bytes.size());
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
      return WithAnotherValue(bytes, one, maximumSize - bytes.size());
  }
}

} // namespace fuzz

/** Called by libFuzzer instead of its own mutation of bytes, which it still does in a quarter of the cases. */
extern "C" std::size_t
LLVMFuzzerCustomMutator(std::uint8_t * data, std::size_t size, std::size_t maximumSize, unsigned int seed)
{
  std::minstd_rand random(seed);
  random.discard(3);
  std::vector<std::uint8_t> mutated;
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
