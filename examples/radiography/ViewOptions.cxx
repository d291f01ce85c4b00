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
#include "ViewOptions.h"

#include "Errors.h"
#include "Numbers.h"

#include "itkMath.h"
#include "itkRadiographGeometryJSON.h"

#include <cmath>
#include <utility>

namespace radiography::program
{
namespace
{

using Geometry = itk::RadiographGeometry;

/** An option's name and whether it was given. */
using Given = std::pair<std::string, bool>;

std::vector<Given>
CArmAngles(const ViewOptions & o)
{
  return { { "--primary-angle-deg", o.primaryAngle.has_value() },
           { "--secondary-angle-deg", o.secondaryAngle.has_value() } };
}

std::vector<Given>
GantryOnly(const ViewOptions & o)
{
  return { { "--gantry-angle-deg", o.gantryAngle.has_value() }, { "--patient-position", !o.patientPosition.empty() } };
}

std::vector<Given>
Distances(const ViewOptions & o)
{
  return { { "--source-isocenter-mm", o.sourceIsocenter.has_value() },
           { "--source-detector-mm", o.sourceDetector.has_value() },
           { "--pixels", !o.pixels.empty() },
           { "--pitch-mm", !o.pitch.empty() } };
}

std::string
ListOf(const std::vector<Given> & options, bool given)
{
  std::string names;
  for (const auto & [name, isGiven] : options)
  {
    if (isGiven == given)
    {
      names += (names.empty() ? "" : " ") + name;
    }
  }
  return names;
}

std::vector<Given>
operator+(std::vector<Given> a, const std::vector<Given> & b)
{
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

void
RequireAll(const std::string & form, const std::vector<Given> & options)
{
  const auto missing = ListOf(options, false);
  if (!missing.empty())
  {
    throw UsageError("the view of a " + form + " also needs " + missing);
  }
}

void
RefuseAny(const std::string & form, const std::vector<Given> & options)
{
  const auto given = ListOf(options, true);
  if (!given.empty())
  {
    throw UsageError("exactly one view is expected: " + form + " does not go with " + given);
  }
}

Geometry::DetectorGrid
MakeGrid(const ViewOptions & options)
{
  for (const double count : options.pixels)
  {
    if (count != std::floor(count) || count > 65535.0)
    {
      throw UsageError("--pixels " + ToText(options.pixels[0]) + "," + ToText(options.pixels[1]) +
                       ": whole numbers from 1 to 65535 are expected");
    }
  }
  Geometry::DetectorGrid grid;
  grid.columns = static_cast<itk::SizeValueType>(options.pixels[0]);
  grid.rows = static_cast<itk::SizeValueType>(options.pixels[1]);
  grid.columnSpacing = options.pitch.front();
  grid.rowSpacing = options.pitch.back();
  return grid;
}

double
Radians(const std::optional<double> & degrees)
{
  return degrees.value_or(0.0) * itk::Math::pi / 180.0;
}

Geometry::PointType
Isocenter(const ViewOptions & options, const Geometry::PointType & otherwise)
{
  auto point = otherwise;
  for (unsigned int i = 0; i < options.isocenter.size(); ++i)
  {
    point[i] = options.isocenter[i];
  }
  return point;
}

void
SetCArm(Geometry & geometry, const ViewOptions & options, const Geometry::PointType & defaultIsocenter)
{
  Geometry::CArm arm;
  arm.primaryAngle = Radians(options.primaryAngle);
  arm.secondaryAngle = Radians(options.secondaryAngle);
  arm.roll = Radians(options.roll);
  arm.sourceIsocenterDistance = *options.sourceIsocenter;
  arm.sourceDetectorDistance = *options.sourceDetector;
  arm.isocenter = Isocenter(options, defaultIsocenter);
  geometry.SetCArm(arm, MakeGrid(options));
}

void
SetGantry(Geometry & geometry, const ViewOptions & options)
{
  Geometry::Gantry gantry;
  gantry.gantryAngle = Radians(options.gantryAngle);
  gantry.couchAngle = Radians(options.couchAngle);
  gantry.patientPosition = ToPatientPosition(options.patientPosition);
  gantry.sourceIsocenterDistance = *options.sourceIsocenter;
  gantry.sourceDetectorDistance = *options.sourceDetector;
  gantry.isocenter = Isocenter(options, {});
  geometry.SetGantry(gantry, MakeGrid(options));
}

} // namespace

namespace
{

/** The numbers that a C-arm, a gantry and an X-ray image share. */
void
AddViewNumbers(CLI::App & command, ViewOptions & options, const char * group)
{
  AddNumber(command, "--primary-angle-deg", options.primaryAngle, AnyNumber, "C-arm: +90 = detector at patient's left")
    ->group(group);
  AddNumber(command, "--secondary-angle-deg", options.secondaryAngle, AnyNumber, "C-arm: +90 = detector cranial")
    ->group(group);
  AddNumber(command, "--roll-deg", options.roll, AnyNumber, "C-arm: turn of the detector about the principal ray")
    ->group(group);
  AddNumber(command, "--gantry-angle-deg", options.gantryAngle, AnyNumber, "gantry, IEC 61217")->group(group);
  AddNumber(command, "--couch-angle-deg", options.couchAngle, AnyNumber, "couch, IEC 61217")->group(group);
  command.add_option("--patient-position", options.patientPosition, "how the patient lies on the couch")
    ->check(CLI::IsMember({ "HFS", "HFP", "FFS", "FFP" }))
    ->type_name("HFS|HFP|FFS|FFP")
    ->group(group);
  AddNumber(command, "--source-isocenter-mm", options.sourceIsocenter, PositiveNumber, "source to isocentre")
    ->group(group);
  AddNumber(command, "--source-detector-mm", options.sourceDetector, PositiveNumber, "source to detector")
    ->group(group);
  AddNumbers(command, "--pitch-mm", options.pitch, 1, 2, PositiveNumber, "between columns[, between rows]")
    ->type_name("P[,PV]")
    ->group(group);
  AddNumbers(command, "--isocenter-mm", options.isocenter, 3, 3, AnyNumber, "in the world (C-arm: default CT's centre)")
    ->type_name("X,Y,Z")
    ->group(group);
}

/** What only an X-ray image needs. */
void
AddImageOptions(CLI::App & command, ViewOptions & options, const char * group)
{
  AddInteger(command, "--frame", options.frame, 1, 1000000000, "which frame, from 1; required if there are several")
    ->group(group);
  command.add_option("--pixels-are", options.pixelsAre, "what pixel values mean, where the file is wrong or silent")
    ->check(CLI::IsMember({ "linear", "inverted", "log", "display" }))
    ->type_name("linear|inverted|log|display")
    ->group(group);
  command.add_option("--patient-orientation", options.patientOrientation, "where columns and rows run to: L,F")
    ->type_name("X,Y")
    ->group(group);
  AddNumber(command, "--receptor-angle-deg", options.receptorAngle, AnyNumber, "RT Image: turn of the image receptor")
    ->group(group);
}

/** With --like the other numbers complete or overrule the file. */
void
CheckLikeOptions(const ViewOptions & o)
{
  RefuseAny("--like", { { "--view", !o.file.empty() }, { "--pixels", !o.pixels.empty() } });
}

void
RefuseImageOptions(const ViewOptions & o)
{
  const auto given = ListOf({ { "--frame", o.frame.has_value() },
                              { "--pixels-are", !o.pixelsAre.empty() },
                              { "--patient-orientation", !o.patientOrientation.empty() },
                              { "--receptor-angle-deg", o.receptorAngle.has_value() } },
                            true);
  if (!given.empty())
  {
    throw UsageError(given + " concerns an X-ray image, and there is no --like");
  }
}

} // namespace

void
AddViewOptions(CLI::App & command, ViewOptions & options)
{
  const char * const group = "VIEW, exactly one of: --view; --like; a C-arm (primary and secondary angle); a gantry";
  command.add_option("--view", options.file, "a view file")->type_name("V.json")->group(group);
  command.add_option("--like", options.like, "the view of an X-ray image; the numbers here win over the file")
    ->type_name("XRAY.dcm")
    ->group(group);
  AddViewNumbers(command, options, group);
  AddNumbers(command, "--pixels", options.pixels, 2, 2, { 1.0 }, "columns, rows")->type_name("W,H")->group(group);
  AddImageOptions(command, options, "X-ray image of --like");
}

void
AddXrayViewOptions(CLI::App & command, ViewOptions & options)
{
  const char * const group = "What the file does not say, or wrongly";
  AddViewNumbers(command, options, group);
  AddImageOptions(command, options, group);
}

itk::RadiographGeometry::PatientPosition
ToPatientPosition(const std::string & name)
{
  using Position = Geometry::PatientPosition;
  return name == "HFS" ? Position::HFS : name == "HFP" ? Position::HFP : name == "FFS" ? Position::FFS : Position::FFP;
}

void
CheckViewOptions(const ViewOptions & o)
{
  if (!o.like.empty())
  {
    CheckLikeOptions(o);
    return;
  }
  RefuseImageOptions(o);
  const Given              roll{ "--roll-deg", o.roll.has_value() };
  const Given              couch{ "--couch-angle-deg", o.couchAngle.has_value() };
  const Given              isocenter{ "--isocenter-mm", !o.isocenter.empty() };
  const std::vector<Given> cArm = CArmAngles(o) + std::vector<Given>{ roll };
  const std::vector<Given> gantry = GantryOnly(o) + std::vector<Given>{ couch };
  if (!o.file.empty())
  {
    RefuseAny("--view", cArm + gantry + Distances(o) + std::vector<Given>{ isocenter });
  }
  else if (!ListOf(cArm, true).empty())
  {
    RefuseAny("a C-arm (" + ListOf(cArm, true) + ")", gantry);
    RequireAll("C-arm", CArmAngles(o) + Distances(o));
  }
  else if (!ListOf(gantry, true).empty())
  {
    RequireAll("gantry", GantryOnly(o) + Distances(o) + std::vector<Given>{ isocenter });
  }
  else
  {
    throw UsageError(
      "no view is given",
      "--view V.json, or --like XRAY.dcm, or --primary-angle-deg A --secondary-angle-deg B --source-isocenter-mm D1 "
      "--source-detector-mm D2 --pixels W,H --pitch-mm P, or --gantry-angle-deg G ...");
  }
  if (!o.pixels.empty())
  {
    MakeGrid(o);
  }
}

itk::RadiographGeometry::Pointer
MakeView(const ViewOptions & options, const itk::Point<double, 3> & defaultIsocenter)
{
  if (!options.file.empty())
  {
    return itk::RadiographGeometryJSON::ReadFile(options.file);
  }
  auto geometry = Geometry::New();
  if (options.gantryAngle)
  {
    SetGantry(*geometry, options);
  }
  else
  {
    SetCArm(*geometry, options, defaultIsocenter);
  }
  return geometry;
}

} // namespace radiography::program
