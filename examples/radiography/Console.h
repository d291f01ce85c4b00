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
#ifndef Console_h
#define Console_h

#include "itkProcessObject.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace radiography::program
{

using JSON = nlohmann::ordered_json;

/** What the chosen subcommand will do once the whole command line is understood. */
using Action = std::function<void()>;

/** Options that every subcommand has. */
struct CommonOptions
{
  std::uint64_t threads{ 0 };
  bool          json{ false };
  bool          quiet{ false };
};

void
AddCommonOptions(CLI::App & command, CommonOptions & options);

/** Everything that a run tells: results on stdout, warnings and progress on stderr. Applies --threads. */
class Console
{
public:
  explicit Console(const CommonOptions & options);

  bool
  WantsJSON() const
  {
    return m_Options.json;
  }

  /** One line for people on stdout; silent with --json or --quiet. */
  void
  Say(const std::string & line) const;

  /** The one JSON object on stdout. */
  void
  Print(const JSON & object) const;

  /** A warning line on stderr; kept for the JSON's "warnings". */
  void
  Warn(const std::string & warning);

  const std::vector<std::string> &
  Warnings() const
  {
    return m_Warnings;
  }

  /** Draws the filter's progress, if stderr is a terminal. */
  void
  Watch(itk::ProcessObject & filter, const std::string & task) const;

private:
  CommonOptions            m_Options;
  bool                     m_ShowProgress;
  std::vector<std::string> m_Warnings;
};

/** Seconds since it was made or asked last. */
class Stopwatch
{
public:
  /** Seconds of this lap; the next lap begins. */
  double
  Lap()
  {
    const auto now = std::chrono::steady_clock::now();
    const auto lap = std::chrono::duration<double>(now - m_Lap).count();
    m_Lap = now;
    return lap;
  }

  double
  Total() const
  {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_Start).count();
  }

private:
  std::chrono::steady_clock::time_point m_Start{ std::chrono::steady_clock::now() };
  std::chrono::steady_clock::time_point m_Lap{ m_Start };
};

/** ITK's text without class names, addresses and line breaks: one line that a person reads. */
std::string
OneLine(const std::string & text);

} // namespace radiography::program

#endif
