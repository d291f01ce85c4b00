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
#ifndef Numbers_h
#define Numbers_h

#include <CLI/CLI.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace radiography::program
{

/** \name Numbers as text, whatever the locale. */
///@{
/** The fewest digits that read back to the same bits. */
std::string
ToText(double value);

/** That many digits after the point. */
std::string
ToFixedText(double value, int decimals);

/** That many significant digits, without an exponent where it is readable. */
std::string
ToRoundedText(double value, int digits);
///@}

/** What a number may be. */
struct Range
{
  double lowest{ std::numeric_limits<double>::lowest() };
  double largest{ std::numeric_limits<double>::max() };
  bool   withoutLowest{ false };
};
inline constexpr Range AnyNumber{};
inline constexpr Range PositiveNumber{ 0.0, std::numeric_limits<double>::max(), true };
inline constexpr Range NonNegativeNumber{ 0.0, std::numeric_limits<double>::max(), false };

/** \name Options that take numbers. They refuse what is not wholly a finite number in its range, and call it wrong
 * usage. */
///@{
CLI::Option *
AddNumber(CLI::App & app, const std::string & name, double & value, const Range & range, const std::string & help);

CLI::Option *
AddNumber(CLI::App &              app,
          const std::string &     name,
          std::optional<double> & value,
          const Range &           range,
          const std::string &     help);

/** Whole numbers. */
CLI::Option *
AddInteger(CLI::App &          app,
           const std::string & name,
           std::uint64_t &     value,
           std::uint64_t       lowest,
           std::uint64_t       largest,
           const std::string & help);

CLI::Option *
AddInteger(CLI::App &                     app,
           const std::string &            name,
           std::optional<std::uint64_t> & value,
           std::uint64_t                  lowest,
           std::uint64_t                  largest,
           const std::string &            help);

/** A list of between `least` and `most` numbers with commas between them: 512,512. */
CLI::Option *
AddNumbers(CLI::App &            app,
           const std::string &   name,
           std::vector<double> & values,
           std::size_t           least,
           std::size_t           most,
           const Range &         range,
           const std::string &   help);
///@}

} // namespace radiography::program

#endif
