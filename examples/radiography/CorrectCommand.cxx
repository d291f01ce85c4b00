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
#include "ImageInput.h"
#include "ImageOutput.h"
#include "Numbers.h"
#include "OutputFile.h"

#include "itkFlatFieldCorrectionImageFilter.h"
#include "itkMetaDataObject.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace radiography::program
{
namespace
{

using Filter = itk::FlatFieldCorrectionImageFilter;
using Radiograph = Filter::ImageType;
using Status = Filter::PixelStatusEnum;

struct CorrectOptions
{
  CommonOptions common;
  std::string   raw;
  std::string   output;
  std::string   dark;
  std::string   flat;
  std::string   mask;
};

/** The mask's values, and how they are called. */
struct StatusName
{
  Status       status;
  const char * name;
};
constexpr StatusName StatusNames[] = { { Status::FlatNotAboveDark, "flat_not_above_dark" },
                                       { Status::Valid, "valid" },
                                       { Status::AboveOne, "above_one" },
                                       { Status::NotPositive, "not_positive" } };

std::uint64_t
CountOf(const Filter & filter, Status status)
{
  switch (status)
  {
    case Status::FlatNotAboveDark:
      return filter.GetNumberOfFlatNotAboveDarkPixels();
    case Status::Valid:
      return filter.GetNumberOfValidPixels();
    case Status::AboveOne:
      return filter.GetNumberOfAboveOnePixels();
    case Status::NotPositive:
      return filter.GetNumberOfNotPositivePixels();
  }
  return 0;
}

/** OUT.nrrd becomes OUT-mask.nrrd. */
std::string
MaskNameFor(const OutputFile & output)
{
  const auto & path = output.Path();
  const auto   stem = path.size() - output.Ending().size();
  return path.substr(0, stem) + "-mask" + path.substr(stem);
}

/** An image file of two dimensions, or of more that are one pixel deep. */
Radiograph::Pointer
ReadRadiograph(const std::string & path, const Console & console)
{
  const auto io = OpenImageFile(path, "a radiograph", "give a .nrrd, .mha, .nii, .nii.gz or .png file");
  bool       isFlat = io->GetNumberOfDimensions() >= 2;
  for (unsigned int i = 2; i < io->GetNumberOfDimensions(); ++i)
  {
    isFlat = isFlat && io->GetDimensions(i) == 1;
  }
  if (!isFlat)
  {
    throw Failure(path + " is no radiograph, which has columns and rows and one slice");
  }
  return ReadImageFile<Radiograph>(*io, console);
}

std::string
SizeText(const Radiograph & image)
{
  const auto size = image.GetLargestPossibleRegion().GetSize();
  return std::to_string(size[0]) + " x " + std::to_string(size[1]);
}

/** A calibration image on the grid of the raw one: readings belong to pixels, whatever place their file gives them. */
Radiograph::Pointer
ReadCalibration(const std::string & path, const Radiograph & raw, const std::string & rawPath, const Console & console)
{
  auto image = ReadRadiograph(path, console);
  if (image->GetLargestPossibleRegion() != raw.GetLargestPossibleRegion())
  {
    throw Failure(path + " has " + SizeText(*image) + " pixels, " + rawPath + " " + SizeText(raw),
                  "the dark and the flat image must be of the same detector and setting");
  }
  image->CopyInformation(&raw);
  return image;
}

void
RefuseWithoutOpenBeam(const Filter & filter, const Radiograph & raw)
{
  if (filter.GetNumberOfFlatNotAboveDarkPixels() == raw.GetLargestPossibleRegion().GetNumberOfPixels())
  {
    throw Failure("in no pixel is the flat image above the dark one", "are --dark and --flat interchanged?");
  }
}

/** The extremes of the pixels that have a value. */
std::pair<double, double>
RangeOf(const Radiograph & image)
{
  double       least = std::numeric_limits<double>::max();
  double       largest = std::numeric_limits<double>::lowest();
  const auto   pixels = image.GetBufferedRegion().GetNumberOfPixels();
  const auto * first = image.GetBufferPointer();
  for (const auto * pixel = first; pixel != first + pixels; ++pixel)
  {
    if (!std::isnan(*pixel))
    {
      least = std::min<double>(least, *pixel);
      largest = std::max<double>(largest, *pixel);
    }
  }
  return { least, largest };
}

JSON
Describe(const Filter & filter, const Radiograph & transmission, const OutputFile & output, const OutputFile & mask)
{
  const auto size = transmission.GetLargestPossibleRegion().GetSize();
  const auto [least, largest] = RangeOf(transmission);
  JSON values;
  JSON pixels{ { "total", transmission.GetLargestPossibleRegion().GetNumberOfPixels() } };
  for (const auto & entry : StatusNames)
  {
    values[entry.name] = static_cast<int>(entry.status);
    pixels[entry.name] = CountOf(filter, entry.status);
  }
  return { { "output",
             { { "path", output.Path() },
               { "quantity", "transmission" },
               { "unit", "1" },
               { "size", { size[0], size[1] } },
               { "min", least },
               { "max", largest } } },
           { "mask", { { "path", mask.Path() }, { "values", values } } },
           { "pixels", pixels } };
}

void
SaySummary(const JSON & report, const Console & console)
{
  const auto & output = report["output"];
  const auto & pixels = report["pixels"];
  const auto   count = [&pixels](const char * name) { return std::to_string(pixels[name].get<std::uint64_t>()); };
  console.Say(output["path"].get<std::string>() + ": transmission of " +
              std::to_string(output["size"][0].get<std::uint64_t>()) + " x " +
              std::to_string(output["size"][1].get<std::uint64_t>()) + " pixels, min " +
              ToRoundedText(output["min"].get<double>(), 5) + ", max " + ToRoundedText(output["max"].get<double>(), 5));
  console.Say(report["mask"]["path"].get<std::string>() + ": " + count("valid") + " pixels valid (1), " +
              count("above_one") + " above one (2), " + count("not_positive") + " not positive, no logarithm (3), " +
              count("flat_not_above_dark") + " without a value, flat not above dark (0)");
}

void
RunCorrect(const CorrectOptions & options)
{
  // No NIfTI: its common reader turns what is not a number into 0.
  OutputFile file(options.output, { ".nrrd", ".mha" });
  OutputFile maskFile(options.mask.empty() ? MaskNameFor(file) : options.mask, { ".nrrd", ".mha", ".nii.gz", ".nii" });
  if (std::filesystem::path(file.Path()).lexically_normal() ==
      std::filesystem::path(maskFile.Path()).lexically_normal())
  {
    throw UsageError("--mask names the same file as OUT, " + file.Path());
  }
  const Console console(options.common);
  const auto    raw = ReadRadiograph(options.raw, console);
  const auto    filter = Filter::New();
  filter->SetInput(raw);
  filter->SetDarkImage(ReadCalibration(options.dark, *raw, options.raw, console));
  filter->SetFlatImage(ReadCalibration(options.flat, *raw, options.raw, console));
  filter->ComputeMaskOn();
  console.Watch(*filter, "correcting");
  filter->Update();
  RefuseWithoutOpenBeam(*filter, *raw);

  auto & transmission = *filter->GetCorrectedTransmission();
  itk::EncapsulateMetaData<std::string>(transmission.GetMetaDataDictionary(), "radiography_quantity", "transmission");
  WriteWholeImage(transmission, file.TemporaryPath(), false, &console);
  WriteWholeImage(*filter->GetMask(), maskFile.TemporaryPath(), true, &console);
  const auto report = Describe(*filter, transmission, file, maskFile);
  maskFile.Commit();
  file.Commit();
  if (console.WantsJSON())
  {
    console.Print(report);
    return;
  }
  SaySummary(report, console);
}

} // namespace

void
AddCorrectCommand(CLI::App & program, Action & chosen)
{
  const auto options = std::make_shared<CorrectOptions>();
  auto &     command = *program.add_subcommand(
    "correct", "from detector readings to transmission: (RAW - dark) / (flat - dark), with a mask");
  command.add_option("RAW", options->raw, "radiograph as read out: an image file of one slice")->required();
  command.add_option("OUT", options->output, "transmission, not a number where flat is not above dark: .nrrd .mha")
    ->required();
  command.add_option("--dark", options->dark, "the same detector without a beam")->required()->type_name("D");
  command.add_option("--flat", options->flat, "the open beam, same gain, offset and exposure as RAW")
    ->required()
    ->type_name("F");
  command
    .add_option(
      "--mask",
      options->mask,
      "why a pixel is flagged: 0 flat not above dark, 1 valid, 2 above one, 3 not positive (default: OUT with "
      "-mask before its ending)")
    ->type_name("M");
  AddCommonOptions(command, options->common);
  command.callback([options, &chosen] { chosen = [options] { RunCorrect(*options); }; });
}

} // namespace radiography::program
