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
#include "Commands.h"

#include "Errors.h"
#include "Numbers.h"
#include "XrayView.h"

#ifdef RADIOGRAPHY_USE_DCMTK
#  include "itkDICOMCTVolumeReader.h"
#endif

#include <algorithm>
#include <filesystem>
#include <iomanip>
#include <map>
#include <memory>
#include <sstream>

namespace radiography::program
{
namespace
{

struct InspectOptions
{
  CommonOptions common;
  std::string   folder;
};

#ifdef RADIOGRAPHY_USE_DCMTK

/** What each X-ray image of a series says; empty for other series. */
std::vector<XraySummary>
SummarizeImages(const itk::DICOMInventory & inventory, const itk::DICOMSeriesInfo & series)
{
  std::vector<XraySummary> images;
  if (series.kind == itk::DICOMInventoryEnums::SeriesKind::Radiograph)
  {
    for (const auto & path : series.filePaths)
    {
      images.push_back(SummarizeXray((std::filesystem::path(inventory.folder) / path).string(), path));
    }
  }
  return images;
}

JSON
Describe(const itk::DICOMInventory & inventory, const itk::DICOMSeriesInfo & series)
{
  JSON problems = JSON::array();
  for (const auto & problem : series.problems)
  {
    problems.push_back({ { "code", problem.code }, { "message", problem.message }, { "files", problem.files } });
  }
  JSON direction = JSON::array();
  for (unsigned int row = 0; row < 3; ++row)
  {
    for (unsigned int column = 0; column < 3; ++column)
    {
      direction.push_back(series.direction[row][column]);
    }
  }
  JSON images = JSON::array();
  for (const auto & image : SummarizeImages(inventory, series))
  {
    images.push_back(image.report);
  }
  const auto & size = series.size;
  const auto & spacing = series.spacing;
  const auto & origin = series.origin;
  return { { "series_instance_uid", series.seriesInstanceUID },
           { "study_instance_uid", series.studyInstanceUID },
           { "frame_of_reference_uid", series.frameOfReferenceUID },
           { "modality", series.modality },
           { "description", series.description },
           { "stack_id", series.stackID },
           { "temporal_position", series.temporalPosition },
           { "kind", itk::DICOMSeriesKindName(series.kind) },
           { "loadable", series.loadable },
           { "chosen", series.chosen },
           { "size", { size[0], size[1], size[2] } },
           { "spacing_mm", { spacing[0], spacing[1], spacing[2] } },
           { "origin_mm", { origin[0], origin[1], origin[2] } },
           { "direction", direction },
           { "files", series.numberOfFiles },
           { "transfer_syntaxes", series.transferSyntaxes },
           { "problems", problems },
           { "images", images } };
}

JSON
Describe(const itk::DICOMInventory & inventory)
{
  JSON series = JSON::array();
  for (const auto & one : inventory.series)
  {
    series.push_back(Describe(inventory, one));
  }
  JSON files = JSON::array();
  for (const auto & file : inventory.files)
  {
    files.push_back({ { "path", file.path },
                      { "series_instance_uid", file.seriesInstanceUID },
                      { "used", file.used },
                      { "reason", file.reason } });
  }
  return { { "folder", inventory.folder }, { "series", series }, { "files", files } };
}

std::string
SizeText(const itk::DICOMSeriesInfo & series)
{
  return std::to_string(series.size[0]) + " x " + std::to_string(series.size[1]) + " x " +
         std::to_string(series.size[2]);
}

std::string
SpacingText(const itk::DICOMSeriesInfo & series)
{
  return ToRoundedText(series.spacing[0], 6) + " x " + ToRoundedText(series.spacing[1], 6) + " x " +
         ToRoundedText(series.spacing[2], 6);
}

/** With the stack's name where a series has several. */
std::string
DescriptionOf(const itk::DICOMSeriesInfo & series)
{
  return series.description + (series.stackID.empty() ? "" : " (stack " + series.stackID + ")") +
         (series.temporalPosition.empty() ? "" : " (temporal position " + series.temporalPosition + ")");
}

/** A row of the table; the first cells of all rows share their widths. */
std::string
Row(const std::string & number,
    const std::string & kind,
    const std::string & modality,
    const std::string & files,
    const std::string & size,
    const std::string & spacing,
    const std::string & rest)
{
  std::ostringstream row;
  row << std::left << std::setw(4) << number << std::setw(11) << kind << std::setw(10) << modality << std::setw(7)
      << files << std::setw(18) << size << std::setw(26) << spacing << rest;
  return row.str();
}

/** One line each, as far as a person would read. */
void
SayImages(const std::vector<XraySummary> & images, const Console & console)
{
  constexpr std::size_t most = 20;
  for (std::size_t i = 0; i < std::min(images.size(), most); ++i)
  {
    console.Say("    " + OneLine(images[i].line));
  }
  if (images.size() > most)
  {
    console.Say("    and " + std::to_string(images.size() - most) + " more: --json lists them");
  }
}

void
SayTable(const itk::DICOMInventory & inventory, const Console & console)
{
  console.Say(Row("no", "kind", "modality", "files", "size", "spacing mm", "description"));
  std::size_t number = 0;
  for (const auto & series : inventory.series)
  {
    const std::string mark = series.chosen ? "  <- chosen" : "";
    console.Say(Row(std::to_string(++number),
                    itk::DICOMSeriesKindName(series.kind),
                    series.modality,
                    std::to_string(series.numberOfFiles),
                    SizeText(series),
                    SpacingText(series),
                    DescriptionOf(series) + mark));
    console.Say("    " + series.seriesInstanceUID);
    for (const auto & problem : series.problems)
    {
      console.Say("    " + problem.code + ": " + OneLine(problem.message));
    }
    SayImages(SummarizeImages(inventory, series), console);
  }
}

/** How many files, reason by reason: a folder may hold thousands. */
void
SayFiles(const itk::DICOMInventory & inventory, const Console & console)
{
  std::map<std::string, std::vector<std::string>> reasons;
  std::size_t                                     used = 0;
  for (const auto & file : inventory.files)
  {
    used += file.used;
    if (!file.used)
    {
      reasons[file.reason].push_back(file.path);
    }
  }
  console.Say(std::to_string(inventory.files.size()) + " files, " + std::to_string(used) + " of them used");
  for (const auto & [reason, paths] : reasons)
  {
    const std::string more = paths.size() > 1 ? " and " + std::to_string(paths.size() - 1) + " more" : "";
    console.Say("  not used: " + paths.front() + more + ": " + OneLine(reason));
  }
}

void
RunInspect(const InspectOptions & options)
{
  Console console(options.common);
  if (!std::filesystem::exists(options.folder))
  {
    throw Failure("there is no folder " + options.folder);
  }
  const auto reader = itk::DICOMCTVolumeReader::New();
  reader->SetPath(options.folder);
  reader->ScanInventory();
  const auto & inventory = reader->GetInventory();
  if (console.WantsJSON())
  {
    console.Print(Describe(inventory));
    return;
  }
  SayTable(inventory, console);
  SayFiles(inventory, console);
}

#else

void
RunInspect(const InspectOptions &)
{
  throw Failure("this build has no DCMTK and cannot read DICOM", HowToBuildWithDCMTK);
}

#endif

} // namespace

void
AddInspectCommand(CLI::App & program, Action & chosen)
{
  const auto options = std::make_shared<InspectOptions>();
  auto &     command = *program.add_subcommand("inspect", "list what a DICOM folder holds, and what of it is a volume");
  command.add_option("FOLDER", options->folder, "searched at any depth")->required();
  AddCommonOptions(command, options->common);
  command.callback([options, &chosen] { chosen = [options] { RunInspect(*options); }; });
}

} // namespace radiography::program
