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
#ifndef DICOMBytes_h
#define DICOMBytes_h

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

/** DICOM files in explicit little endian as bytes, and changes that keep the chain of lengths whole: for tests that
 * damage one thing at a time, which random bytes seldom do. */
namespace dicombytes
{

using Bytes = std::vector<std::uint8_t>;

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
SetLength(Bytes & bytes, const Element & element, std::size_t length)
{
  for (std::size_t at = element.lengthAt; at < element.value; ++at)
  {
    bytes[at] = static_cast<std::uint8_t>(length);
    length /= 256;
  }
}

/** The same with `value` in place of the element's; the length is set, whether it is even or not. */
inline Bytes
WithValue(const Bytes & bytes, const Element & element, const Bytes & value)
{
  Bytes result(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(element.value));
  result.insert(result.end(), value.begin(), value.end());
  result.insert(result.end(), bytes.begin() + static_cast<std::ptrdiff_t>(element.end), bytes.end());
  SetLength(result, element, value.size());
  return result;
}

/** A copy of `from` before `to`, or in its place. */
inline Bytes
WithElementElsewhere(const Bytes & bytes, const Element & from, const Element & to, bool keep)
{
  const auto begin = bytes.begin();
  const auto first = begin + static_cast<std::ptrdiff_t>(from.begin);
  const auto last = begin + static_cast<std::ptrdiff_t>(from.end);
  const auto target = begin + static_cast<std::ptrdiff_t>(to.begin);
  const auto targetEnd = begin + static_cast<std::ptrdiff_t>(to.end);

  Bytes result(begin, target);
  result.insert(result.end(), first, last);
  result.insert(result.end(), keep ? target : targetEnd, bytes.end());
  return result;
}

inline Bytes
Without(const Bytes & bytes, const Element & element)
{
  auto result = bytes;
  result.erase(result.begin() + static_cast<std::ptrdiff_t>(element.begin),
               result.begin() + static_cast<std::ptrdiff_t>(element.end));
  return result;
}

} // namespace dicombytes

#endif
