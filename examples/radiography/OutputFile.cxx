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
#include "OutputFile.h"

#include "Errors.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <fstream>
#include <random>

#if !defined(_WIN32)
#  include <csignal>
#  include <unistd.h>
#endif

namespace fs = std::filesystem;

namespace radiography::program
{
namespace
{

std::string
FindEnding(const std::string & path, const std::vector<std::string> & endings)
{
  auto name = fs::path(path).filename().string();
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const auto & ending : endings)
  {
    if (name.size() > ending.size() && name.compare(name.size() - ending.size(), ending.size(), ending) == 0)
    {
      return ending;
    }
  }
  std::string list;
  for (const auto & ending : endings)
  {
    list += " " + ending;
  }
  throw UsageError("cannot write " + path + ": its ending is none of" + list);
}

#if !defined(_WIN32)

/** A file that is being written. In plain memory: a signal handler may call little more than unlink(). */
struct Unfinished
{
  std::atomic<bool>      isTaken{ false };
  std::atomic<bool>      isNamed{ false };
  std::array<char, 4096> name{};
};
std::array<Unfinished, 16> unfinished;

extern "C" void
RemoveUnfinishedAndEnd(int signal)
{
  for (const auto & file : unfinished)
  {
    if (file.isNamed)
    {
      ::unlink(file.name.data());
    }
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/** Where a signal would end the program anyway; one that is ignored, as under nohup, stays so. */
void
CatchSignals()
{
  for (const int signal : { SIGINT, SIGTERM, SIGHUP })
  {
    struct sigaction current = {};
    if (sigaction(signal, nullptr, &current) == 0 && current.sa_handler == SIG_DFL)
    {
      std::signal(signal, RemoveUnfinishedAndEnd);
    }
  }
}

/** More files at once than there is room for are not removed by a signal; nothing in this program writes so many. */
void
RemoveOnSignal(const fs::path & path)
{
  static const bool once = (CatchSignals(), true);
  const auto &      name = path.native();
  for (auto & file : unfinished)
  {
    if (once && name.size() < file.name.size() && !file.isTaken.exchange(true))
    {
      file.name.fill('\0');
      std::copy(name.begin(), name.end(), file.name.begin());
      file.isNamed = true;
      return;
    }
  }
}

void
ForgetOnSignal(const fs::path & path)
{
  for (auto & file : unfinished)
  {
    if (file.isNamed && path.native() == file.name.data())
    {
      file.isNamed = false;
      file.isTaken = false;
    }
  }
}

#else

void
RemoveOnSignal(const fs::path &)
{}

void
ForgetOnSignal(const fs::path &)
{}

#endif

} // namespace

fs::path
TemporaryNameBeside(const fs::path & path, const std::string & ending)
{
  std::random_device random;
  fs::path           candidate;
  do
  {
    candidate = path.parent_path() / (".radiography-" + std::to_string(random()) + ending);
  } while (fs::exists(candidate));
  return candidate;
}

OutputFile::OutputFile(const std::string & path, const std::vector<std::string> & endings)
  : m_Path(path)
  , m_Ending(FindEnding(path, endings))
{
  const auto folder = fs::path(path).parent_path();
  if (!folder.empty() && !fs::is_directory(folder))
  {
    throw Failure("cannot write " + path + ": the folder " + folder.string() + " does not exist", "create it first");
  }
  if (fs::is_directory(path))
  {
    throw Failure("cannot write " + path + ": it is a folder");
  }
  m_Temporary = TemporaryNameBeside(path, m_Ending);
  RemoveOnSignal(m_Temporary);
}

OutputFile::~OutputFile()
{
  if (!m_Committed)
  {
    std::error_code ignored;
    fs::remove(m_Temporary, ignored);
  }
  ForgetOnSignal(m_Temporary);
}

void
OutputFile::Commit()
{
  std::error_code error;
  fs::rename(m_Temporary, m_Path, error);
  if (error)
  {
    throw Failure("cannot write " + m_Path + ": " + error.message());
  }
  m_Committed = true;
}

void
WriteTextFile(const std::string & text, const fs::path & path)
{
  WriteWhole(path, [&](const std::string & temporary) {
    std::ofstream stream(temporary, std::ios::binary);
    stream << text;
    stream.close();
    if (!stream)
    {
      throw Failure("cannot write " + path.string());
    }
  });
}

} // namespace radiography::program
