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
#include "dicom/DICOMTagReader.h"

#include <dcmtk/dcmdata/dcspchrs.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace radiography::dicom
{

FileError::~FileError() = default;

std::string
TagName(const DcmTagKey & tag)
{
  DcmTag named(tag);
  return std::string(named.getTagName()) + " " + tag.toString().c_str();
}

std::string
Trimmed(std::string_view text)
{
  constexpr std::string_view blanks(" \0\t", 3);
  const auto                 first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos)
  {
    return {};
  }
  return std::string(text.substr(first, text.find_last_not_of(blanks) - first + 1));
}

std::optional<double>
ParseDecimalString(std::string_view text)
{
  const std::string number = Trimmed(text);
  const char *      first = number.data();
  const char *      last = first + number.size();
  // from_chars takes no plus sign, DS allows one (and only one sign).
  if (number.size() > 1 && number[0] == '+' && number[1] != '-')
  {
    ++first;
  }
  double value = 0.0;
  const auto [end, error] = std::from_chars(first, last, value);
  if (error != std::errc{} || end != last || !std::isfinite(value))
  {
    return std::nullopt;
  }
  return value;
}

std::string
NumberText(double value)
{
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 15).ptr;
  return { text.data(), end };
}

namespace
{

/** More than any number or name needs. DCMTK reserves as much memory as a damaged file claims before it looks whether
 * the value is there. */
constexpr Uint32 LongestValue = 1 << 20;

/** Nothing if the tag is absent or its value is impossibly long. */
DcmElement *
FindValue(DcmItem & item, const DcmTagKey & tag)
{
  DcmElement * element = nullptr;
  const bool   isThere = item.findAndGetElement(tag, element).good() && element != nullptr;
  return isThere && element->getLengthField() <= LongestValue ? element : nullptr;
}

} // namespace

std::string
TextOf(DcmItem & item, const DcmTagKey & tag)
{
  OFString           text;
  DcmElement * const element = FindValue(item, tag);
  if (element == nullptr || element->getOFStringArray(text).bad())
  {
    return {};
  }
  return Trimmed(std::string_view(text.c_str(), text.size()));
}

bool
HasValue(const std::string & values, const std::string & wanted)
{
  for (std::size_t begin = 0; begin <= values.size();)
  {
    const std::size_t end = std::min(values.find('\\', begin), values.size());
    if (Trimmed(std::string_view(values).substr(begin, end - begin)) == wanted)
    {
      return true;
    }
    begin = end + 1;
  }
  return false;
}

std::string
TextInUTF8(DcmItem & item, const DcmTagKey & tag)
{
  const std::string text = TextOf(item, tag);
  if (std::all_of(text.begin(), text.end(), [](unsigned char c) { return c >= 0x20 && c < 0x7f; }))
  {
    return text;
  }
  DcmSpecificCharacterSet converter;
  OFString                converted;
  if (converter.selectCharacterSet(item, "UTF-8").good() && converter.convertString(text.c_str(), converted).good())
  {
    return converted.c_str();
  }
  std::string ascii = text;
  std::replace_if(
    ascii.begin(), ascii.end(), [](unsigned char c) { return c < 0x20 || c >= 0x7f; }, '?');
  return ascii;
}

namespace
{

/** The numbers of an element of VR FL, as they are; as text they would be rounded. Empty if it has another VR. */
std::vector<double>
SinglesOf(DcmItem & item, const DcmTagKey & tag)
{
  std::vector<double> values;
  DcmElement *        element = nullptr;
  if (item.findAndGetElement(tag, element).bad() || element == nullptr || element->ident() != EVR_FL)
  {
    return values;
  }
  Float32 value = 0.0f;
  for (unsigned long i = 0; i < element->getVM() && element->getFloat32(value, i).good(); ++i)
  {
    if (!std::isfinite(value))
    {
      throw FileError("bad-number", TagName(tag) + " is not a finite number");
    }
    values.push_back(static_cast<double>(value));
  }
  return values;
}

} // namespace

std::vector<double>
DecimalsOf(DcmItem & item, const DcmTagKey & tag)
{
  std::vector<double> values = SinglesOf(item, tag);
  if (!values.empty())
  {
    return values;
  }
  const std::string text = TextOf(item, tag);
  if (text.empty())
  {
    return values;
  }
  for (std::size_t begin = 0; begin <= text.size();)
  {
    const std::size_t end = std::min(text.find('\\', begin), text.size());
    const auto        value = ParseDecimalString(std::string_view(text).substr(begin, end - begin));
    if (!value)
    {
      throw FileError("bad-number", TagName(tag) + " is \"" + text + "\", which is not a decimal number");
    }
    values.push_back(*value);
    begin = end + 1;
  }
  return values;
}

std::vector<double>
RequiredDecimals(DcmItem & item, const DcmTagKey & tag, std::size_t count)
{
  auto values = DecimalsOf(item, tag);
  if (values.empty())
  {
    throw FileError("missing-tag", TagName(tag) + " is absent or empty");
  }
  if (values.size() != count)
  {
    throw FileError("wrong-number-of-values",
                    TagName(tag) + " is \"" + TextOf(item, tag) + "\": " + std::to_string(values.size()) +
                      " values instead of " + std::to_string(count));
  }
  return values;
}

std::optional<std::uint16_t>
WordOf(DcmItem & item, const DcmTagKey & tag)
{
  DcmElement * const element = FindValue(item, tag);
  if (element == nullptr)
  {
    return std::nullopt;
  }
  Uint16 unsignedValue = 0;
  if (element->getUint16(unsignedValue).good())
  {
    return unsignedValue;
  }
  Sint16 signedValue = 0;
  if (element->getSint16(signedValue).good())
  {
    return static_cast<std::uint16_t>(signedValue);
  }
  return std::nullopt;
}

std::uint16_t
RequiredWord(DcmItem & item, const DcmTagKey & tag)
{
  const auto value = WordOf(item, tag);
  if (!value)
  {
    throw FileError("missing-tag", TagName(tag) + " is absent or empty");
  }
  return *value;
}

} // namespace radiography::dicom
