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
#include "dicom/DICOMFolder.h"

#include "dicom/DICOMCodecs.h"
#include "dicom/DICOMEnhancedCT.h"
#include "dicom/DICOMPixelDecoder.h"
#include "dicom/DICOMTagReader.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>

namespace radiography::dicom
{
namespace
{

namespace fs = std::filesystem;

/** Walks a tree; links wait until all that is really there has been seen, so that a file is known by its own name. */
class Walker
{
public:
  explicit Walker(fs::path root)
    : m_Root(std::move(root))
  {}

  std::vector<ScannedFile>
  Walk()
  {
    VisitFolder(m_Root);
    while (!m_Links.empty())
    {
      const auto links = std::move(m_Links);
      m_Links.clear();
      for (const auto & link : links)
      {
        VisitTarget(link);
      }
    }
    std::sort(m_Files.begin(), m_Files.end(), [](const auto & a, const auto & b) { return a.path < b.path; });
    return std::move(m_Files);
  }

private:
  void
  Add(const fs::path & path, const std::string & reason, bool unreadable = false)
  {
    ScannedFile file;
    file.path = path.lexically_relative(m_Root).generic_string();
    file.absolutePath = path.string();
    file.notDICOM = reason;
    file.unreadable = unreadable;
    m_Files.push_back(std::move(file));
  }

  void
  VisitFolder(const fs::path & folder)
  {
    std::error_code error;
    const auto      canonical = fs::canonical(folder, error);
    if (!error && !m_Seen.insert(canonical).second)
    {
      return;
    }
    fs::directory_iterator entries(folder, error);
    if (error && folder == m_Root)
    {
      throw std::runtime_error("The folder \"" + folder.string() + "\" cannot be listed: " + error.message());
    }
    if (error)
    {
      Add(folder, "this folder cannot be listed: " + error.message(), true);
      return;
    }
    std::vector<fs::path> paths;
    for (; entries != fs::directory_iterator(); entries.increment(error))
    {
      paths.push_back(entries->path());
    }
    std::sort(paths.begin(), paths.end());
    for (const auto & path : paths)
    {
      VisitEntry(path);
    }
  }

  void
  VisitEntry(const fs::path & path)
  {
    const bool      isHidden = path.filename().native().front() == fs::path::value_type('.');
    std::error_code error;
    if (fs::is_symlink(fs::symlink_status(path, error)) && !isHidden)
    {
      m_Links.push_back(path);
      return;
    }
    if (isHidden)
    {
      AddHidden(path);
      return;
    }
    VisitTarget(path);
  }

  void
  AddHidden(const fs::path & path)
  {
    std::error_code error;
    if (!fs::is_directory(fs::symlink_status(path, error)))
    {
      Add(path, "a hidden file: not opened");
      return;
    }
    const auto                       skip = fs::directory_options::skip_permission_denied;
    fs::recursive_directory_iterator entry(path, skip, error);
    for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error))
    {
      if (!entry->is_directory(error))
      {
        Add(entry->path(), "in a hidden folder: not opened");
      }
    }
  }

  void
  VisitTarget(const fs::path & path)
  {
    std::error_code error;
    const auto      status = fs::status(path, error);
    if (!fs::exists(status))
    {
      Add(path, "a link to a file that is not there", true);
    }
    else if (fs::is_directory(status))
    {
      VisitFolder(path);
    }
    else if (!fs::is_regular_file(status))
    {
      Add(path, "not a regular file: not opened");
    }
    else if (!m_Seen.insert(fs::canonical(path, error)).second)
    {
      Add(path, "a link to a file that is in this list under its own name");
    }
    else
    {
      Add(path, "");
    }
  }

  fs::path                 m_Root;
  std::vector<fs::path>    m_Links;
  std::set<fs::path>       m_Seen;
  std::vector<ScannedFile> m_Files;
};

/** DICOM has "DICM" after a preamble of 128 bytes; where both are missing, the first tag is of group 2 or 8, in either
 * byte order. Nothing else is handed to a parser that would take any text for tags. */
bool
LooksLikeDICOM(const std::array<char, 132> & start, std::size_t count)
{
  if (count == start.size() && std::equal(start.begin() + 128, start.end(), "DICM"))
  {
    return true;
  }
  const bool littleEndian = (start[0] == 2 || start[0] == 8) && start[1] == 0;
  const bool bigEndian = start[0] == 0 && start[1] == 8;
  return count > 8 && (littleEndian || bigEndian);
}

void
ReadCTHeader(ScannedFile &                  file,
             DcmDataset &                   dataset,
             const OFCondition &            status,
             const std::optional<Rescale> & byHand)
{
  if (status.bad())
  {
    throw FileError("damaged-file", std::string("the file is damaged or truncated (") + status.text() + ")");
  }
  std::vector<SliceHeader> slices;
  if (file.identity.kind == ImageKind::EnhancedCT)
  {
    slices = ReadEnhancedSlices(dataset, file.identity, file.absolutePath, byHand);
  }
  else
  {
    slices.push_back(ReadSliceHeader(dataset, file.identity, file.absolutePath, byHand));
  }
  CheckPixelDataLength(dataset, slices.front().format, slices.front().frames);
  file.slices = std::move(slices);
}

void
ParseFile(ScannedFile & file, const std::optional<Rescale> & byHand)
{
  DcmFileFormat     format;
  const OFCondition status = format.loadFile(file.absolutePath.c_str());
  file.identity = ReadImageIdentity(format);
  if (status.bad() && file.identity.seriesInstanceUID.empty())
  {
    file.unreadable = true;
    file.notDICOM = std::string("a damaged or unsupported DICOM file (") + status.text() + ")";
    return;
  }
  if (file.identity.kind != ImageKind::CTSlice && file.identity.kind != ImageKind::EnhancedCT)
  {
    return;
  }
  try
  {
    ReadCTHeader(file, *format.getDataset(), status, byHand);
  }
  catch (const FileError & error)
  {
    file.problem = error.what();
    file.problemCode = error.GetCode();
  }
}

} // namespace

std::string
ReasonNotToParse(ScannedFile & file)
{
  std::ifstream         stream(file.absolutePath, std::ios::binary);
  std::array<char, 132> start{};
  if (!stream)
  {
    file.unreadable = true;
    return "cannot be opened (permission?)";
  }
  stream.read(start.data(), start.size());
  const auto count = static_cast<std::size_t>(stream.gcount());
  if (count == 0)
  {
    file.unreadable = true;
    return "an empty file (0 bytes)";
  }
  return LooksLikeDICOM(start, count) ? "" : "not a DICOM file";
}

std::vector<ScannedFile>
ListFiles(const std::string & path)
{
  const fs::path  root = fs::path(path).lexically_normal();
  std::error_code error;
  if (!fs::exists(root, error))
  {
    throw std::runtime_error("There is no file or folder \"" + path + "\"");
  }
  if (fs::is_directory(root, error))
  {
    return Walker(root).Walk();
  }
  ScannedFile file;
  file.path = root.filename().string();
  file.absolutePath = root.string();
  return { file };
}

void
ScanFile(ScannedFile & file, const std::optional<Rescale> & byHand)
{
  if (!file.notDICOM.empty())
  {
    return;
  }
  file.notDICOM = ReasonNotToParse(file);
  if (file.notDICOM.empty())
  {
    ParseFile(file, byHand);
  }
}

} // namespace radiography::dicom
