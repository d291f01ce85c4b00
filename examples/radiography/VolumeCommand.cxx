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

#include "CTInput.h"
#include "Errors.h"
#include "ImageOutput.h"
#include "Numbers.h"
#include "OutputFile.h"
#include "Projection.h"

#include <memory>

namespace radiography::program
{
namespace
{

struct VolumeOptions
{
  CommonOptions common;
  CTOptions     ct;
  std::string   output;
  bool          attenuation{ false };
};

void
RunVolume(const VolumeOptions & options)
{
  if (!options.ct.mask.empty() && !options.attenuation)
  {
    throw UsageError("--ct-mask sets mu and needs --attenuation");
  }
  OutputFile file(options.output, { ".nrrd", ".mha", ".nii.gz", ".nii" });
  Console    console(options.common);
  Stopwatch  watch;

  auto         image = ReadCT(options.ct, console);
  const double load = watch.Lap();
  if (options.attenuation)
  {
    image = ConvertToAttenuation(image, options.ct, console).image;
  }
  const double prepare = watch.Lap();

  WriteWholeImage(*image, file.TemporaryPath(), true, &console);
  file.Commit();
  const double write = watch.Lap();

  const auto summary = Summarize(*image);
  const auto grid = DescribeGrid(*image);
  if (console.WantsJSON())
  {
    JSON output{ { "path", options.output },
                 { "quantity", options.attenuation ? "attenuation" : "hounsfield" },
                 { "unit", options.attenuation ? "1/mm" : "HU" } };
    output.update(grid);
    output.update({ { "min", summary.min }, { "max", summary.max }, { "mean", summary.mean } });
    console.Print(
      { { "output", output },
        { "seconds", { { "load", load }, { "prepare", prepare }, { "write", write }, { "total", watch.Total() } } },
        { "warnings", console.Warnings() } });
  }
  const auto size = image->GetLargestPossibleRegion().GetSize();
  console.Say(options.output + ": " + std::to_string(size[0]) + " x " + std::to_string(size[1]) + " x " +
              std::to_string(size[2]) + (options.attenuation ? " mu in 1/mm, " : " HU, ") +
              ToRoundedText(summary.min, 5) + " to " + ToRoundedText(summary.max, 5));
}

} // namespace

void
AddVolumeCommand(CLI::App & program, Action & chosen)
{
  const auto options = std::make_shared<VolumeOptions>();
  auto &     command = *program.add_subcommand("volume", "write a CT as one image file");
  AddCTOptions(command, options->ct);
  command.add_option("OUT", options->output, "image file: .nrrd .mha .nii.gz .nii")->required();
  command.add_flag("--attenuation", options->attenuation, "write mu in 1/mm instead of HU");
  command.add_flag("--resample",
                   options->ct.resample,
                   "resample tilted, gapped or uneven stacks onto a regular grid (default: refuse them)");
  AddCommonOptions(command, options->common);
  command.callback([options, &chosen] { chosen = [options] { RunVolume(*options); }; });
}

} // namespace radiography::program
