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
#include "Numbers.h"

#include <array>
#include <charconv>
#include <cmath>

namespace radiography::program
{
namespace
{

template <typename... TFormat>
std::string
Print(double value, TFormat... format)
{
  std::array<char, 400> buffer;
  const auto            result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format...);
  return std::string(buffer.data(), result.ptr);
}

/** Reads the whole text as a T, or nothing. */
template <typename T>
std::optional<T>
Read(std::string_view text)
{
  if (!text.empty() && text.front() == '+')
  {
    text.remove_prefix(1);
  }
  T          value{};
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size())
  {
    return std::nullopt;
  }
  return value;
}

[[noreturn]] void
Refuse(const std::string & name, const std::string & text, const std::string & expected)
{
  throw CLI::ValidationError(name, "'" + text + "' is not " + expected);
}

std::string
Describe(const Range & range)
{
  if (range.lowest == AnyNumber.lowest)
  {
    return "a number";
  }
  const std::string above = (range.withoutLowest ? "a number > " : "a number >= ") + ToText(range.lowest);
  return range.largest == AnyNumber.largest ? above : above + " and <= " + ToText(range.largest);
}

double
ReadNumber(const std::string & name, const std::string & text, const Range & range)
{
  const auto value = Read<double>(text);
  if (!value || !std::isfinite(*value) || *value < range.lowest || *value > range.largest ||
      (range.withoutLowest && *value == range.lowest))
  {
    Refuse(name, text, Describe(range));
  }
  return *value;
}

std::uint64_t
ReadInteger(const std::string & name, const std::string & text, std::uint64_t lowest, std::uint64_t largest)
{
  const auto value = Read<std::uint64_t>(text);
  if (!value || *value < lowest || *value > largest)
  {
    Refuse(name, text, "a whole number from " + std::to_string(lowest) + " to " + std::to_string(largest));
  }
  return *value;
}

std::vector<std::string>
Split(const std::string & text)
{
  std::vector<std::string> parts(1);
  for (const char c : text)
  {
    if (c == ',')
    {
      parts.emplace_back();
    }
    else
    {
      parts.back() += c;
    }
  }
  return parts;
}

CLI::Option *
AddTextOption(CLI::App &                               app,
              const std::string &                      name,
              std::function<void(const std::string &)> read,
              const std::string &                      help,
              const std::string &                      type)
{
  return app.add_option_function<std::string>(name, std::move(read), help)->type_name(type);
}

} // namespace

std::string
ToText(double value)
{
  return Print(value);
}

std::string
ToFixedText(double value, int decimals)
{
  return Print(value, std::chars_format::fixed, decimals);
}

std::string
ToRoundedText(double value, int digits)
{
  return Print(value, std::chars_format::general, digits);
}

CLI::Option *
AddNumber(CLI::App & app, const std::string & name, double & value, const Range & range, const std::string & help)
{
  return AddTextOption(
    app,
    name,
    [&value, name, range](const std::string & text) { value = ReadNumber(name, text, range); },
    help + " [" + ToText(value) + "]",
    "NUMBER");
}

CLI::Option *
AddNumber(CLI::App &              app,
          const std::string &     name,
          std::optional<double> & value,
          const Range &           range,
          const std::string &     help)
{
  return AddTextOption(
    app,
    name,
    [&value, name, range](const std::string & text) { value = ReadNumber(name, text, range); },
    help,
    "NUMBER");
}

CLI::Option *
AddInteger(CLI::App &          app,
           const std::string & name,
           std::uint64_t &     value,
           std::uint64_t       lowest,
           std::uint64_t       largest,
           const std::string & help)
{
  return AddTextOption(
    app,
    name,
    [&value, name, lowest, largest](const std::string & text) { value = ReadInteger(name, text, lowest, largest); },
    value < lowest ? help : help + " [" + std::to_string(value) + "]", // a default that cannot be given has a name
    "N");
}

CLI::Option *
AddInteger(CLI::App &                     app,
           const std::string &            name,
           std::optional<std::uint64_t> & value,
           std::uint64_t                  lowest,
           std::uint64_t                  largest,
           const std::string &            help)
{
  return AddTextOption(
    app,
    name,
    [&value, name, lowest, largest](const std::string & text) { value = ReadInteger(name, text, lowest, largest); },
    help,
    "N");
}

CLI::Option *
AddNumbers(CLI::App &            app,
           const std::string &   name,
           std::vector<double> & values,
           std::size_t           least,
           std::size_t           most,
           const Range &         range,
           const std::string &   help)
{
  const auto read = [&values, name, least, most, range](const std::string & text) {
    const auto parts = Split(text);
    if (parts.size() < least || parts.size() > most)
    {
      const std::string count =
        least == most ? std::to_string(least) : std::to_string(least) + " or " + std::to_string(most);
      Refuse(name, text, count + " numbers with commas between them");
    }
    values.clear();
    for (const auto & part : parts)
    {
      values.push_back(ReadNumber(name, part, range));
    }
  };
  return AddTextOption(app, name, read, help, "NUMBER,...");
}

} // namespace radiography::program
