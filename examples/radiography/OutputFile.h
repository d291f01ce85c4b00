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
#ifndef OutputFile_h
#define OutputFile_h

#include <filesystem>
#include <string>
#include <vector>

namespace radiography::program
{

/** A file that appears only when it is complete.
 *
 * Written under a temporary name beside (same ending, so that a format is still found by it), then renamed over what
 * was there. Without Commit() the temporary file is removed, also when SIGINT (Ctrl-C), SIGTERM or SIGHUP ends the
 * program. */
class OutputFile
{
public:
  /** \throws UsageError, before anything is done, if the ending is none of `endings` (lower case, with the dot),
   * Failure if the folder does not exist or `path` is a folder. */
  OutputFile(const std::string & path, const std::vector<std::string> & endings);
  ~OutputFile();
  OutputFile(const OutputFile &) = delete;
  OutputFile &
  operator=(const OutputFile &) = delete;

  const std::string &
  Path() const
  {
    return m_Path;
  }
  /** Which of the endings it has. */
  const std::string &
  Ending() const
  {
    return m_Ending;
  }
  /** Write here. */
  std::string
  TemporaryPath() const
  {
    return m_Temporary.string();
  }

  /** The file appears. */
  void
  Commit();

private:
  std::string           m_Path;
  std::string           m_Ending;
  std::filesystem::path m_Temporary;
  bool                  m_Committed{ false };
};

/** A file that write(temporary name) makes, and that appears when it is complete. */
template <typename TWrite>
void
WriteWhole(const std::filesystem::path & path, const TWrite & write)
{
  OutputFile file(path.string(), { path.extension().string() });
  write(file.TemporaryPath());
  file.Commit();
}

/** Text as a file. \throws Failure if it cannot be written. */
void
WriteTextFile(const std::string & text, const std::filesystem::path & path);

/** A name beside `path` that nobody uses. */
std::filesystem::path
TemporaryNameBeside(const std::filesystem::path & path, const std::string & ending);

} // namespace radiography::program

#endif
