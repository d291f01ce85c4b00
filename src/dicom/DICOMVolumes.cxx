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
#include "dicom/DICOMVolumes.h"

#include "dicom/DICOMCodecs.h"
#include "dicom/DICOMResampling.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>

namespace radiography::dicom
{
namespace
{

using itk::DICOMProblem;
using itk::DICOMSeriesInfo;
using Kind = itk::DICOMInventoryEnums::SeriesKind;
using Members = std::vector<Member>;

bool
IsCT(const ScannedFile & file)
{
  return file.identity.kind == ImageKind::CTSlice || file.identity.kind == ImageKind::EnhancedCT;
}

Kind
SeriesKindOf(const ScannedFile & file)
{
  return IsCT(file) ? Kind::CTVolume : file.identity.kind == ImageKind::Radiograph ? Kind::Radiograph : Kind::Other;
}

/** Files without slices are kept together by series and kind. */
bool
BelongToSameGroup(const std::vector<ScannedFile> & files, const Member & m, const Member & n)
{
  const auto & a = files[m.file];
  const auto & b = files[n.file];
  if (!a.slices.empty() && !b.slices.empty())
  {
    return BelongTogether({ &a, m.slice }, { &b, n.slice });
  }
  return a.slices.empty() && b.slices.empty() && SeriesKindOf(a) == SeriesKindOf(b) &&
         a.identity.seriesInstanceUID == b.identity.seriesInstanceUID &&
         a.identity.studyInstanceUID == b.identity.studyInstanceUID;
}

void
AddToGroup(const std::vector<ScannedFile> & files, const Member & member, std::vector<Members> & groups)
{
  const auto group = std::find_if(groups.begin(), groups.end(), [&](const Members & members) {
    return BelongToSameGroup(files, members.front(), member);
  });
  if (group == groups.end())
  {
    groups.push_back({ member });
  }
  else
  {
    group->push_back(member);
  }
}

/** In the order of each group's first file. A directory (DICOMDIR) belongs to no series. */
std::vector<Members>
GroupFiles(const std::vector<ScannedFile> & files)
{
  std::vector<Members> groups;
  for (std::size_t i = 0; i < files.size(); ++i)
  {
    if (!files[i].notDICOM.empty() || (!IsCT(files[i]) && files[i].identity.seriesInstanceUID.empty()))
    {
      continue;
    }
    for (std::size_t slice = 0; slice < std::max<std::size_t>(files[i].slices.size(), 1); ++slice)
    {
      AddToGroup(files, { i, slice }, groups);
    }
  }
  return groups;
}

/** Each file once; slices of a file stand side by side. */
std::vector<std::size_t>
FilesOf(const Members & members)
{
  std::vector<std::size_t> files;
  for (const auto & member : members)
  {
    if (files.empty() || files.back() != member.file)
    {
      files.push_back(member.file);
    }
  }
  return files;
}

/** What a user can do about a problem of a file. */
std::string
RemedyOf(const std::string & code)
{
  if (code == "missing-rescale" || code == "rescale-type")
  {
    return "; nobody may guess the Hounsfield scale: correct the tag at the source, or give slope and intercept "
           "(SetRescale, --rescale)";
  }
  if (code == "multi-frame" || code == "functional-groups")
  {
    return "; nobody may guess where its frames lie: get it as an Enhanced CT image or as single-frame CT images";
  }
  if (code == "damaged-file" || code == "pixel-data")
  {
    return "; copy the file again from its source";
  }
  return "; correct the tag, or take the file out of the folder";
}

/** One problem per code, of the first file that has it; the other files are counted. */
std::vector<DICOMProblem>
ProblemsOfFiles(const std::vector<ScannedFile> & files, const Members & members)
{
  std::vector<DICOMProblem> problems;
  for (const std::size_t i : FilesOf(members))
  {
    const auto known = std::find_if(problems.begin(), problems.end(), [&](const DICOMProblem & problem) {
      return problem.code == files[i].problemCode;
    });
    if (files[i].problem.empty())
    {
      continue;
    }
    if (known == problems.end())
    {
      problems.push_back({ files[i].problemCode, files[i].path + ": " + files[i].problem, { files[i].path } });
    }
    else
    {
      known->files.push_back(files[i].path);
    }
  }
  for (auto & problem : problems)
  {
    if (problem.files.size() > 1)
    {
      problem.message += " (and " + std::to_string(problem.files.size() - 1) + " more file(s) alike)";
    }
    problem.message += RemedyOf(problem.code);
  }
  return problems;
}

std::vector<std::string>
TransferSyntaxesOf(const std::vector<ScannedFile> & files, const Members & members)
{
  std::vector<std::string> uids;
  for (const std::size_t i : FilesOf(members))
  {
    uids.push_back(files[i].identity.transferSyntaxUID);
  }
  std::sort(uids.begin(), uids.end());
  uids.erase(std::unique(uids.begin(), uids.end()), uids.end());
  return uids;
}

DICOMSeriesInfo
DescribeSeries(const std::vector<ScannedFile> & files, const Members & members)
{
  const auto &    first = files[members.front().file];
  DICOMSeriesInfo info;
  info.seriesInstanceUID = first.identity.seriesInstanceUID;
  info.studyInstanceUID = first.identity.studyInstanceUID;
  info.frameOfReferenceUID = first.identity.frameOfReferenceUID;
  info.modality = first.identity.modality;
  info.description = first.identity.description;
  info.kind = SeriesKindOf(first);
  const auto itsFiles = FilesOf(members);
  info.numberOfFiles = itsFiles.size();
  for (const std::size_t i : itsFiles)
  {
    info.filePaths.push_back(files[i].path);
  }
  info.transferSyntaxes = TransferSyntaxesOf(files, members);
  info.size = { { first.identity.columns, first.identity.rows, 0 } };
  for (const std::size_t i : itsFiles)
  {
    info.size[2] += static_cast<itk::SizeValueType>(std::max(1L, files[i].identity.frames));
  }
  return info;
}

void
DescribeGeometry(const SliceStack & stack, DICOMSeriesInfo & info)
{
  const SliceHeader & lowest = stack.slices.front().Header();
  info.stackID = lowest.stackID;
  info.temporalPosition = lowest.temporalPosition;
  info.size[2] = stack.slices.size();
  info.spacing[0] = lowest.spacingBetweenColumns;
  info.spacing[1] = lowest.spacingBetweenRows;
  info.spacing[2] = stack.spacingBetweenSlices;
  for (unsigned i = 0; i < 3; ++i)
  {
    info.origin[i] = lowest.position[i];
    info.direction(i, 0) = lowest.rowCosines[i];
    info.direction(i, 1) = lowest.columnCosines[i];
    info.direction(i, 2) = lowest.normal[i];
  }
}

/** A hole may be where an unreadable file belongs. */
void
MentionUnreadableFiles(const std::vector<ScannedFile> & files, std::vector<DICOMProblem> & problems)
{
  for (auto & problem : problems)
  {
    if (problem.code != "gap" && problem.code != "uneven-steps")
    {
      continue;
    }
    for (const auto & file : files)
    {
      if (file.unreadable)
      {
        problem.message += "; " + file.path + " is " + file.notDICOM;
        problem.files.push_back(file.path);
      }
    }
  }
}

/** A slice that cannot be read may belong to any stack of its series: none of them can be trusted to be complete. */
void
AddProblemsOfSameSeries(FolderScan & scan, const Members & brokenFiles, std::vector<DICOMSeriesInfo> & described)
{
  const auto problems = ProblemsOfFiles(scan.files, brokenFiles);
  for (auto & info : described)
  {
    if (info.seriesInstanceUID == scan.files[brokenFiles.front().file].identity.seriesInstanceUID &&
        info.spacing[0] > 0.0)
    {
      info.problems.insert(info.problems.end(), problems.begin(), problems.end());
      info.loadable = false;
    }
  }
}

void
DescribeVolume(FolderScan & scan, const Members & members, DICOMSeriesInfo & info, SliceStack & stack)
{
  if (scan.files[members.front().file].slices.empty())
  {
    info.problems = ProblemsOfFiles(scan.files, members);
    return;
  }
  std::vector<Slice> slices;
  for (const auto & member : members)
  {
    slices.push_back({ &scan.files[member.file], member.slice });
  }
  stack = BuildSliceStack(slices);
  DescribeGeometry(stack, info);
  MentionUnreadableFiles(scan.files, stack.problems);
  info.problems = stack.problems;
  info.loadable = info.problems.empty();
}

void
WarnOfUnreadableFiles(FolderScan & scan)
{
  std::size_t         count = 0;
  const ScannedFile * first = nullptr;
  for (const auto & file : scan.files)
  {
    count += file.unreadable ? 1 : 0;
    first = first == nullptr && file.unreadable ? &file : first;
  }
  if (first != nullptr)
  {
    scan.warnings.push_back(std::to_string(count) + " file(s) could not be read, the first of them " + first->path +
                            ": " + first->notDICOM);
  }
}

bool
IsNumber(const std::string & text)
{
  return !text.empty() && text.size() < 7 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string
NameOf(const FolderScan & scan, std::size_t series)
{
  const auto & info = scan.inventory.series[series];
  return "series " + std::to_string(series + 1) + " (" + info.seriesInstanceUID + ", " + std::to_string(info.size[0]) +
         " x " + std::to_string(info.size[1]) + " x " + std::to_string(info.size[2]) + ")";
}

std::string
WhyNotLoadable(const FolderScan & scan, std::size_t series)
{
  const auto & info = scan.inventory.series[series];
  std::string  text = NameOf(scan, series) + " cannot be read as a CT volume";
  if (info.kind != Kind::CTVolume)
  {
    return text + ": its kind is " + itk::DICOMSeriesKindName(info.kind);
  }
  const char * separator = ": ";
  for (const auto & problem : info.problems)
  {
    text += separator + problem.message;
    separator = "; ";
  }
  return IsCuredByResampling(info.problems) ? text + ". Resampling it would help: it is done when asked for" : text;
}

/** The series among `candidates` with most voxels, the first of equals; loadable ones win over others if asked for. */
std::optional<std::size_t>
Largest(const FolderScan & scan, const std::vector<std::size_t> & candidates, bool loadableFirst)
{
  const auto voxels = [&scan](std::size_t i) {
    const auto & size = scan.inventory.series[i].size;
    return static_cast<double>(size[0]) * static_cast<double>(size[1]) * static_cast<double>(size[2]);
  };
  const auto isWorse = [&](std::size_t a, std::size_t b) {
    const bool aLoads = scan.inventory.series[a].loadable;
    const bool bLoads = scan.inventory.series[b].loadable;
    return loadableFirst && aLoads != bLoads ? bLoads : voxels(a) < voxels(b);
  };
  const auto largest = std::max_element(candidates.begin(), candidates.end(), isWorse);
  return largest == candidates.end() ? std::nullopt : std::optional<std::size_t>(*largest);
}

std::vector<std::size_t>
Candidates(const FolderScan & scan, const std::string & wanted)
{
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < scan.inventory.series.size(); ++i)
  {
    const auto & info = scan.inventory.series[i];
    const bool   isWanted = wanted.empty()     ? info.kind == Kind::CTVolume
                            : IsNumber(wanted) ? std::to_string(i + 1) == wanted
                                               : info.seriesInstanceUID == wanted;
    if (isWanted)
    {
      found.push_back(i);
    }
  }
  return found;
}

/** Why a folder without any CT volume has none: of one file the reason itself. */
std::string
NoVolumeError(const FolderScan & scan, const std::string & wanted)
{
  const auto & inventory = scan.inventory;
  if (!wanted.empty())
  {
    return "There is no series \"" + wanted + "\" among the " + std::to_string(inventory.series.size()) + " below \"" +
           inventory.folder + "\": give a SeriesInstanceUID or a number from 1";
  }
  std::string text = "There is no CT volume in \"" + inventory.folder + "\"";
  if (inventory.files.empty())
  {
    return text + ": it has no files";
  }
  const auto & first = inventory.files.front();
  return text + " (" + std::to_string(inventory.files.size()) + " file(s); the first, " + first.path + ": " +
         first.reason + ")";
}

VolumeChoice
Choose(const FolderScan & scan, const std::string & wanted)
{
  VolumeChoice choice;
  const auto   candidates = Candidates(scan, wanted);
  const auto   best = Largest(scan, candidates, !wanted.empty());
  if (!best)
  {
    choice.error = NoVolumeError(scan, wanted);
    return choice;
  }
  const auto loadable = std::count_if(
    candidates.begin(), candidates.end(), [&scan](std::size_t i) { return scan.inventory.series[i].loadable; });
  if (!scan.inventory.series[*best].loadable)
  {
    choice.error = WhyNotLoadable(scan, *best);
    choice.error[0] = 'S';
    if (loadable > 0)
    {
      choice.error += "; " + std::to_string(loadable) + " smaller volume(s) can be read: choose one by its series";
    }
    return choice;
  }
  choice.series = best;
  if (loadable > 1)
  {
    choice.warning =
      "there are " + std::to_string(loadable) + " CT volumes; the largest was taken: " + NameOf(scan, *best);
  }
  return choice;
}

std::string
ReasonOfOtherImage(const ImageIdentity & identity)
{
  const std::string name = identity.sopClassName.empty() ? "no SOP class" : identity.sopClassName;
  switch (identity.kind)
  {
    case ImageKind::Localizer:
      return "not a CT slice: a localizer (ImageType says so)";
    case ImageKind::Radiograph:
      return "not a CT slice: an X-ray image (" + name + ")";
    default:
      return "not a CT slice: " + name;
  }
}

std::string
ReasonOfSlices(const FolderScan & scan, const ScannedFile & file, std::size_t slices, std::size_t series)
{
  const auto & info = scan.inventory.series[series];
  const auto   what = file.identity.frames == 1 ? "a slice" : std::to_string(slices) + " frame(s) are slices";
  return what + " of series " + std::to_string(series + 1) +
         (info.chosen     ? ", the chosen one"
          : info.loadable ? ", which is not the chosen one"
                          : ", which cannot be read: " + info.problems.front().code);
}

/** The number of a file's slices in each series. */
using SlicesBySeries = std::map<std::size_t, std::size_t>;

/** What became of each file, without regard to the chosen volume's order of slices. */
std::string
ReasonOf(const FolderScan & scan, const ScannedFile & file, const SlicesBySeries & slices)
{
  if (!file.notDICOM.empty())
  {
    return file.notDICOM;
  }
  if (!file.problem.empty())
  {
    return file.problem;
  }
  if (file.slices.empty() || slices.empty())
  {
    return ReasonOfOtherImage(file.identity);
  }
  std::string text;
  for (const auto & [series, count] : slices)
  {
    text += (text.empty() ? "" : "; ") + ReasonOfSlices(scan, file, count, series);
  }
  const auto others = static_cast<std::size_t>(file.identity.frames) - file.slices.size();
  return others == 0 ? text : text + "; " + std::to_string(others) + " frame(s) are localizers";
}

void
ListFilesOfInventory(FolderScan & scan)
{
  std::vector<SlicesBySeries> slicesOfFile(scan.files.size());
  for (std::size_t s = 0; s < scan.members.size(); ++s)
  {
    for (const auto & member : scan.members[s])
    {
      ++slicesOfFile[member.file][s];
    }
  }
  scan.inventory.files.clear();
  for (std::size_t i = 0; i < scan.files.size(); ++i)
  {
    const auto & file = scan.files[i];
    scan.inventory.files.push_back(
      { file.path, file.identity.seriesInstanceUID, false, ReasonOf(scan, file, slicesOfFile[i]) });
  }
}

/** Says more of the files of the chosen volume; what a file of several frames is has been said. */
void
MarkChosenFiles(FolderScan & scan, std::size_t series)
{
  const SliceStack & stack = scan.stacks[series];
  const auto         infoOf = [&scan](const Slice & slice) -> itk::DICOMFileInfo & {
    return scan.inventory.files[static_cast<std::size_t>(slice.file - scan.files.data())];
  };
  for (std::size_t k = 0; k < stack.slices.size(); ++k)
  {
    auto & info = infoOf(stack.slices[k]);
    info.used = true;
    if (stack.slices[k].Header().frames == 1)
    {
      info.reason =
        "slice " + std::to_string(k + 1) + " of " + std::to_string(stack.slices.size()) + " of the chosen volume";
    }
  }
  for (const auto & dropped : stack.dropped)
  {
    auto &     info = infoOf(dropped.slice);
    const auto text = "a duplicate: same position and voxels as " + dropped.kept.Name();
    info.reason = dropped.slice.Header().frames == 1
                    ? text
                    : info.reason + "; frame " + std::to_string(dropped.slice.Header().frame + 1) + " is " + text;
  }
}

std::string
FolderOf(const std::string & path)
{
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path  normal = fs::path(path).lexically_normal();
  if (fs::is_directory(normal, error))
  {
    return path;
  }
  return normal.has_parent_path() ? normal.parent_path().string() : ".";
}

} // namespace

FolderScan
ScanFolder(const std::string & path, const std::optional<Rescale> & byHand, const compute::ParallelFor & parallelFor)
{
  PrepareDCMTK();
  FolderScan scan;
  scan.inventory.folder = FolderOf(path);
  scan.files = ListFiles(path);
  parallelFor(static_cast<std::int64_t>(scan.files.size()),
              [&](std::int64_t i) { ScanFile(scan.files[static_cast<std::size_t>(i)], byHand); });
  scan.members = GroupFiles(scan.files);
  scan.stacks.resize(scan.members.size());
  for (std::size_t s = 0; s < scan.members.size(); ++s)
  {
    scan.inventory.series.push_back(DescribeSeries(scan.files, scan.members[s]));
    if (scan.inventory.series[s].kind == Kind::CTVolume)
    {
      DescribeVolume(scan, scan.members[s], scan.inventory.series[s], scan.stacks[s]);
    }
  }
  for (const auto & members : scan.members)
  {
    const auto & first = scan.files[members.front().file];
    if (IsCT(first) && first.slices.empty())
    {
      AddProblemsOfSameSeries(scan, members, scan.inventory.series);
    }
  }
  WarnOfUnreadableFiles(scan);
  return scan;
}

VolumeChoice
ChooseVolume(FolderScan & scan, const std::string & wanted, bool resample)
{
  for (std::size_t s = 0; s < scan.inventory.series.size(); ++s)
  {
    auto & info = scan.inventory.series[s];
    info.loadable =
      !scan.stacks[s].slices.empty() && (info.problems.empty() || (resample && IsCuredByResampling(info.problems)));
    info.chosen = false;
  }
  ListFilesOfInventory(scan);
  const VolumeChoice choice = Choose(scan, wanted);
  for (std::size_t s = 0; s < scan.inventory.series.size(); ++s)
  {
    scan.inventory.series[s].chosen = choice.series == s;
  }
  if (choice.series)
  {
    ListFilesOfInventory(scan);
    MarkChosenFiles(scan, *choice.series);
  }
  return choice;
}

} // namespace radiography::dicom
