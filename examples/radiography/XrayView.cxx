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
#include "XrayView.h"

#include "Errors.h"

#ifdef RADIOGRAPHY_USE_DCMTK
#  include "itkDICOMRadiographReader.h"
#  include "itkMath.h"
#endif

#include <algorithm>
#include <map>
#include <sstream>

namespace radiography::program
{

#ifdef RADIOGRAPHY_USE_DCMTK

namespace
{

using Reader = itk::DICOMRadiographReader;

/** The program's option for a setter of the reader. */
const std::map<std::string, std::string> Options{ { "Frame", "--frame" },
                                                  { "Pitch", "--pitch-mm" },
                                                  { "PatientPosition", "--patient-position" },
                                                  { "Isocenter", "--isocenter-mm" },
                                                  { "PrimaryAngle", "--primary-angle-deg" },
                                                  { "SecondaryAngle", "--secondary-angle-deg" },
                                                  { "Roll", "--roll-deg" },
                                                  { "GantryAngle", "--gantry-angle-deg" },
                                                  { "CouchAngle", "--couch-angle-deg" },
                                                  { "ReceptorAngle", "--receptor-angle-deg" },
                                                  { "SourceIsocenterDistance", "--source-isocenter-mm" },
                                                  { "SourceDetectorDistance", "--source-detector-mm" },
                                                  { "PatientOrientation", "--patient-orientation" },
                                                  { "PixelMeaning", "--pixels-are" },
                                                  { "Geometry", "--view (a view file in its place)" } };

/** "option Pitch" becomes "option --pitch-mm". */
std::string
WithOptionNames(const std::string & text)
{
  const std::string start = "option ";
  const auto        place = text.rfind(start);
  if (place == std::string::npos)
  {
    return text;
  }
  const auto name = text.substr(place + start.size());
  const auto option = Options.find(name.substr(0, name.find(' ')));
  return option == Options.end()
           ? text
           : text.substr(0, place + start.size()) + option->second + name.substr(option->first.size());
}

/** Each option that helps against a refusal, once. */
std::vector<std::string>
HelpfulOptions(const std::vector<itk::DICOMRadiographProblem> & problems)
{
  std::vector<std::string> helpful;
  for (const auto & problem : problems)
  {
    std::istringstream setters(problem.refuses ? problem.remedy : std::string());
    for (std::string setter; setters >> setter;)
    {
      const auto & option = Options.at(setter);
      if (std::find(helpful.begin(), helpful.end(), option) == helpful.end())
      {
        helpful.push_back(option);
      }
    }
  }
  return helpful;
}

std::string
Joined(const std::vector<std::string> & words)
{
  std::string text;
  for (const auto & word : words)
  {
    text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

JSON
ToJSON(const std::vector<itk::DICOMRadiographProblem> & problems)
{
  JSON list = JSON::array();
  for (const auto & problem : problems)
  {
    list.push_back({ { "code", problem.code }, { "message", problem.message } });
  }
  return list;
}

/** All refusals as one error; its hint has each option that helps. */
[[noreturn]] void
RefuseView(const std::string & path, const std::vector<itk::DICOMRadiographProblem> & problems)
{
  std::string message;
  for (const auto & problem : problems)
  {
    message += problem.refuses ? (message.empty() ? "" : "; ") + problem.message : "";
  }
  const auto hint = Joined(HelpfulOptions(problems));
  throw Failure("the view of " + path + " is not known: " + message, hint.empty() ? "" : "what helps: " + hint);
}

double
Radians(double degrees)
{
  return degrees * itk::Math::pi / 180.0;
}

Reader::PixelMeaning
ToMeaning(const std::string & name)
{
  using Meaning = Reader::PixelMeaning;
  return name == "linear"     ? Meaning::Linear
         : name == "inverted" ? Meaning::Inverted
         : name == "log"      ? Meaning::Log
                              : Meaning::Display;
}

void
Tell(Reader & reader, const ViewOptions & o)
{
  const auto angle = [&reader](const std::optional<double> & degrees, void (Reader::*set)(double)) {
    if (degrees)
    {
      (reader.*set)(Radians(*degrees));
    }
  };
  const auto length = [&reader](const std::optional<double> & mm, void (Reader::*set)(double)) {
    if (mm)
    {
      (reader.*set)(*mm);
    }
  };
  angle(o.primaryAngle, &Reader::SetPrimaryAngle);
  angle(o.secondaryAngle, &Reader::SetSecondaryAngle);
  angle(o.roll, &Reader::SetRoll);
  angle(o.gantryAngle, &Reader::SetGantryAngle);
  angle(o.couchAngle, &Reader::SetCouchAngle);
  angle(o.receptorAngle, &Reader::SetReceptorAngle);
  length(o.sourceIsocenter, &Reader::SetSourceIsocenterDistance);
  length(o.sourceDetector, &Reader::SetSourceDetectorDistance);
  if (!o.pitch.empty())
  {
    reader.SetPitch(o.pitch.front(), o.pitch.back());
  }
  if (o.isocenter.size() == 3)
  {
    reader.SetIsocenter(Reader::PointType(o.isocenter.data()));
  }
  if (!o.patientPosition.empty())
  {
    reader.SetPatientPosition(ToPatientPosition(o.patientPosition));
  }
  if (o.frame)
  {
    reader.SetFrame(*o.frame);
  }
  if (!o.patientOrientation.empty())
  {
    reader.SetPatientOrientation(o.patientOrientation);
  }
  if (!o.pixelsAre.empty())
  {
    reader.SetPixelMeaning(ToMeaning(o.pixelsAre));
  }
}

std::string
TitleOf(const std::string & path, const itk::DICOMRadiographInformation & information)
{
  const bool several = information.frames > 1;
  return path + ": " + information.modality + ", " + std::to_string(information.columns) + " x " +
         std::to_string(information.rows) + " pixels, " + information.photometricInterpretation +
         (several ? ", frame " + std::to_string(information.frame) + " of " + std::to_string(information.frames) : "");
}

XrayView
Describe(const Reader & reader, const std::string & path)
{
  const auto & information = reader.GetInformation();
  XrayView     view;
  view.geometry = itk::RadiographGeometry::New();
  view.geometry->Graft(reader.GetGeometry());
  view.provenance = JSON::array();
  for (const auto & number : information.provenance)
  {
    view.provenance.push_back(
      { { "quantity", number.quantity }, { "value", number.value }, { "source", WithOptionNames(number.source) } });
  }
  view.problems = ToJSON(information.problems);
  view.title = TitleOf(path, information);
  return view;
}

} // namespace

namespace
{

/** A reader that has been told the options and knows its view. */
struct ToldReader
{
  Reader::Pointer reader;
  bool            movesIsocenter;
};

ToldReader
MakeReader(const ViewOptions &                          options,
           const std::optional<itk::Point<double, 3>> & defaultIsocenter,
           const itk::RadiographGeometry *              geometry)
{
  const auto reader = Reader::New();
  reader->SetFileName(options.like);
  Tell(*reader, options);
  if (geometry != nullptr)
  {
    reader->SetGeometry(geometry);
  }
  reader->ReadInformation();
  const bool movesIsocenter = reader->GetInformation().isocenterIsAssumed && defaultIsocenter;
  if (movesIsocenter)
  {
    reader->SetIsocenter(*defaultIsocenter);
    reader->ReadInformation();
  }
  if (reader->GetGeometry() == nullptr)
  {
    RefuseView(options.like, reader->GetInformation().problems);
  }
  return { reader, movesIsocenter };
}

XrayView
DescribeView(const ToldReader & told, const std::string & path)
{
  auto view = Describe(*told.reader, path);
  for (auto & number : view.provenance)
  {
    if (told.movesIsocenter && number["quantity"] == "isocenter")
    {
      number["source"] = "default: the centre of the CT's grid";
    }
  }
  return view;
}

} // namespace

XraySummary
SummarizeXray(const std::string & file, const std::string & path)
{
  const auto reader = Reader::New();
  reader->SetFileName(file);
  try
  {
    reader->ReadInformation();
  }
  catch (const itk::ExceptionObject & error)
  {
    const std::string message = OneLine(error.GetDescription());
    return { { { "path", path }, { "error", message } }, path + ": " + message };
  }
  const auto & information = reader->GetInformation();
  const auto   needs = HelpfulOptions(information.problems);
  const bool   isKnown = reader->GetGeometry() != nullptr;
  const auto   meaning = itk::DICOMPixelMeaningName(information.pixelMeaning);
  XraySummary  summary;
  summary.report = { { "path", path },
                     { "sop_class", information.sopClassName },
                     { "columns", information.columns },
                     { "rows", information.rows },
                     { "frames", information.frames },
                     { "pixels_are", meaning },
                     { "view_is_known", isKnown },
                     { "needs", needs },
                     { "problems", ToJSON(information.problems) } };
  summary.line = path + ": " + std::to_string(information.columns) + " x " + std::to_string(information.rows) +
                 (information.frames > 1 ? ", " + std::to_string(information.frames) + " frames" : "") +
                 ", pixels are " + meaning + (isKnown ? ", view known" : ", view needs " + Joined(needs));
  return summary;
}

XrayView
ReadXrayView(const ViewOptions & options, const std::optional<itk::Point<double, 3>> & defaultIsocenter)
{
  return DescribeView(MakeReader(options, defaultIsocenter, nullptr), options.like);
}

XrayImage
ReadXrayImage(const ViewOptions &                          options,
              const std::optional<itk::Point<double, 3>> & defaultIsocenter,
              const itk::RadiographGeometry *              geometry)
{
  const auto told = MakeReader(options, defaultIsocenter, geometry);
  told.reader->Update();
  XrayImage xray{ DescribeView(told, options.like), told.reader->GetOutput(), told.reader->GetMaskOutput() };
  xray.image->DisconnectPipeline();
  xray.mask->DisconnectPipeline();
  return xray;
}

#else

XrayView
ReadXrayView(const ViewOptions &, const std::optional<itk::Point<double, 3>> &)
{
  throw Failure("this build has no DCMTK and cannot read DICOM", HowToBuildWithDCMTK);
}

XrayImage
ReadXrayImage(const ViewOptions &, const std::optional<itk::Point<double, 3>> &, const itk::RadiographGeometry *)
{
  throw Failure("this build has no DCMTK and cannot read DICOM", HowToBuildWithDCMTK);
}

#endif

} // namespace radiography::program
