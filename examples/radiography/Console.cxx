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
#include "Console.h"

#include "Numbers.h"

#include "itkCommand.h"
#include "itkMultiThreaderBase.h"

#include <iostream>
#include <regex>

#ifdef _WIN32
#  include <io.h>
#else
#  include <unistd.h>
#endif

namespace radiography::program
{
namespace
{

bool
StderrIsTerminal()
{
#ifdef _WIN32
  return _isatty(2) != 0;
#else
  return isatty(2) != 0;
#endif
}

void
DrawBar(const std::string & task, float fraction)
{
  constexpr int width = 40;
  const int     done = static_cast<int>(width * fraction + 0.5f);
  std::cerr << '\r' << task << " [" << std::string(done, '#') << std::string(width - done, ' ') << "] "
            << static_cast<int>(100 * fraction + 0.5f) << " %" << std::flush;
}

void
WipeBar()
{
  std::cerr << "\r\033[K" << std::flush;
}

} // namespace

void
AddCommonOptions(CLI::App & command, CommonOptions & options)
{
  AddInteger(command, "--threads", options.threads, 1, ITK_MAX_THREADS, "threads to use (default: all)")
    ->group("Common options");
  command.add_flag("--json", options.json, "one JSON object on stdout and nothing else")->group("Common options");
  command.add_flag("--quiet", options.quiet, "only warnings and errors")->group("Common options");
}

Console::Console(const CommonOptions & options)
  : m_Options(options)
  , m_ShowProgress(!options.quiet && StderrIsTerminal())
{
  if (options.threads > 0)
  {
    const auto threads = static_cast<itk::ThreadIdType>(options.threads);
    itk::MultiThreaderBase::SetGlobalMaximumNumberOfThreads(threads);
    itk::MultiThreaderBase::SetGlobalDefaultNumberOfThreads(threads);
  }
}

void
Console::Say(const std::string & line) const
{
  if (!m_Options.json && !m_Options.quiet)
  {
    std::cout << line << '\n';
  }
}

void
Console::Print(const JSON & object) const
{
  // File names may hold any bytes: those that are not UTF-8 are replaced.
  std::cout << object.dump(2, ' ', false, JSON::error_handler_t::replace) << '\n';
}

void
Console::Warn(const std::string & warning)
{
  const auto line = OneLine(warning);
  std::cerr << "radiography: warning: " << line << '\n';
  m_Warnings.push_back(line);
}

void
Console::Watch(itk::ProcessObject & filter, const std::string & task) const
{
  if (!m_ShowProgress)
  {
    return;
  }
  auto * const watched = &filter;
  filter.AddObserver(itk::ProgressEvent(),
                     [watched, task](const itk::EventObject &) { DrawBar(task, watched->GetProgress()); });
  filter.AddObserver(itk::EndEvent(), [](const itk::EventObject &) { WipeBar(); });
}

std::string
OneLine(const std::string & text)
{
  static const std::regex prefix(R"(((itk::|ITK )?ERROR: )([A-Za-z0-9_]+\([^)]*\): )?)");
  static const std::regex breaks(R"(\s*\n\s*)");
  auto                    line = std::regex_replace(text, prefix, "");
  line = std::regex_replace(line, breaks, " ");
  const auto last = line.find_last_not_of(' ');
  return last == std::string::npos ? std::string() : line.substr(0, last + 1);
}

} // namespace radiography::program
