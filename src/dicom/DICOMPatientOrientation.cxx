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
#include "dicom/DICOMPatientOrientation.h"

#include "dicom/DICOMTagReader.h"

#include <array>

namespace radiography::dicom
{
namespace
{

/** LPS. */
std::optional<Vector3>
AxisOf(char letter)
{
  constexpr std::string_view letters = "LRPAHF";
  const auto                 place = letters.find(letter);
  if (place == std::string_view::npos)
  {
    return std::nullopt;
  }
  Vector3 axis(0.0);
  axis[static_cast<unsigned int>(place / 2)] = place % 2 == 0 ? 1.0 : -1.0;
  return axis;
}

std::optional<OrientationLetters>
ParseLetters(const std::string & text)
{
  const auto comma = text.find_first_of("\\,");
  if (comma == std::string::npos || comma == 0 || comma + 1 == text.size() ||
      text.find_first_not_of("LRPAHF\\,") != std::string::npos ||
      text.find_first_of("\\,", comma + 1) != std::string::npos)
  {
    return std::nullopt;
  }
  const auto columns = AxisOf(text[0]);
  const auto rows = AxisOf(text[comma + 1]);
  if (!columns || !rows || *columns * *rows != 0.0)
  {
    return std::nullopt;
  }
  return OrientationLetters{ *columns, *rows, text, {} };
}

/** The first letter names the nearest axis: the cosine to it is at least 1/sqrt(3) = 0.58. A little less is allowed for
 * letters that were not updated when the C-arm moved. */
constexpr double LeastCosine = 0.5;

} // namespace

std::optional<OrientationLetters>
ReadPatientOrientation(Findings & findings, const std::optional<std::string> & option)
{
  const std::string text = option ? Trimmed(*option) : TextOf(findings.Item(), DCM_PatientOrientation);
  auto              letters = ParseLetters(text);
  if (letters)
  {
    letters->source = option ? OptionSource("PatientOrientation") : TagName(DCM_PatientOrientation);
    findings.Know("patient orientation", text, letters->source);
    return letters;
  }
  if (option)
  {
    findings.Refuse("patient-orientation",
                    OptionSource("PatientOrientation") + " is \"" + text + "\": two directions as L\\F are expected",
                    "PatientOrientation");
  }
  else
  {
    findings.Warn("orientation-unverified",
                  TagName(DCM_PatientOrientation) + (text.empty() ? " is absent or empty" : " is \"" + text + "\"") +
                    ": whether the image is mirrored or turned cannot be checked",
                  "PatientOrientation");
  }
  return std::nullopt;
}

bool
Agree(const OrientationLetters & letters, const ImageAxes & axes)
{
  return letters.columns * axes.columns > LeastCosine && letters.rows * axes.rows > LeastCosine;
}

std::optional<ImageAxes>
ChooseStoredAxes(const OrientationLetters & letters, const ImageAxes & axes)
{
  const Vector3 & u = axes.columns;
  const Vector3 & v = axes.rows;
  // As they are first: it wins where letters fit two ways alike.
  const std::array<ImageAxes, 8> ways{
    { { u, v }, { -u, v }, { u, -v }, { -u, -v }, { v, u }, { -v, u }, { v, -u }, { -v, -u } }
  };
  std::optional<ImageAxes> best;
  double                   bestFit = 0.0;
  for (const auto & way : ways)
  {
    const double fit = letters.columns * way.columns + letters.rows * way.rows;
    if (Agree(letters, way) && fit > bestFit)
    {
      best = way;
      bestFit = fit;
    }
  }
  return best;
}

} // namespace radiography::dicom
