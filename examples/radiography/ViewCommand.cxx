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

#include "itkRadiographGeometryJSON.h"

#include <iomanip>
#include <memory>
#include <sstream>

namespace radiography::program
{
namespace
{

struct ViewCommandOptions
{
  CommonOptions common;
  ViewOptions   view;
};

std::string
Row(const std::string & quantity, const std::string & value, const std::string & source)
{
  std::ostringstream row;
  row << "  " << std::left << std::setw(48) << quantity << "  " << std::setw(source.empty() ? 0 : 36) << value;
  return row.str() + (source.empty() ? "" : "  " + source);
}

template <typename TTriple>
std::string
Triple(const TTriple & triple)
{
  return ToRoundedText(triple[0], 9) + ", " + ToRoundedText(triple[1], 9) + ", " + ToRoundedText(triple[2], 9);
}

/** What the view comes to, derived from the numbers above it. */
void
SayGeometry(const itk::RadiographGeometry & view, const Console & console)
{
  const auto size = view.GetDetectorSize();
  const auto spacing = view.GetDetectorSpacing();
  console.Say("In the world (LPS, mm):");
  console.Say(Row("source", Triple(view.GetSource()), ""));
  console.Say(Row("pixel (0, 0)", Triple(view.GetDetectorOrigin()), ""));
  console.Say(Row("direction of columns", Triple(view.GetColumnDirection()), ""));
  console.Say(Row("direction of rows", Triple(view.GetRowDirection()), ""));
  console.Say(Row("pixels", std::to_string(size[0]) + " x " + std::to_string(size[1]), ""));
  console.Say(Row("spacing", ToRoundedText(spacing[0], 9) + ", " + ToRoundedText(spacing[1], 9), ""));
  console.Say(Row("image seen from", view.IsSeenFromSource() ? "the source" : "the detector's far side", ""));
}

void
RunView(const ViewCommandOptions & options)
{
  Console    console(options.common);
  const auto view = ReadXrayView(options.view, {});
  for (const auto & problem : view.problems)
  {
    console.Warn(problem["message"].get<std::string>());
  }
  if (console.WantsJSON())
  {
    auto report = JSON::parse(itk::RadiographGeometryJSON::Serialize(view.geometry));
    report["provenance"] = view.provenance;
    report["problems"] = view.problems;
    console.Print(report);
    return;
  }
  console.Say(view.title);
  for (const auto & number : view.provenance)
  {
    console.Say(Row(number["quantity"], number["value"], number["source"]));
  }
  SayGeometry(*view.geometry, console);
}

} // namespace

void
AddViewCommand(CLI::App & program, Action & chosen)
{
  const auto options = std::make_shared<ViewCommandOptions>();
  auto &     command =
    *program.add_subcommand("view", "tell the view of an X-ray image, and which tag each number comes from");
  command.add_option("XRAY", options->view.like, "a DICOM file: XA, XRF, RF, DX, CR, RT Image, secondary capture")
    ->required()
    ->type_name("XRAY.dcm");
  AddXrayViewOptions(command, options->view);
  AddCommonOptions(command, options->common);
  command.callback([options, &chosen] { chosen = [options] { RunView(*options); }; });
}

} // namespace radiography::program
