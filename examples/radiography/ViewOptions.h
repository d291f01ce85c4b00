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
#ifndef ViewOptions_h
#define ViewOptions_h

#include "itkRadiographGeometry.h"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace radiography::program
{

/** The VIEW part of a command line: a view file, an X-ray image, a C-arm or a treatment machine's gantry. */
struct ViewOptions
{
  std::string           file;
  std::optional<double> primaryAngle;
  std::optional<double> secondaryAngle;
  std::optional<double> roll;
  std::optional<double> gantryAngle;
  std::optional<double> couchAngle;
  std::string           patientPosition;
  std::optional<double> sourceIsocenter;
  std::optional<double> sourceDetector;
  std::vector<double>   pixels;
  std::vector<double>   pitch;
  std::vector<double>   isocenter;

  /** An X-ray image in DICOM; with it the numbers above and below win over the file. */
  std::string                  like;
  std::optional<std::uint64_t> frame;
  std::string                  pixelsAre;
  std::string                  patientOrientation;
  std::optional<double>        receptorAngle;
};

void
AddViewOptions(CLI::App & command, ViewOptions & options);

/** The options alone that complete what an X-ray image says of its view. */
void
AddXrayViewOptions(CLI::App & command, ViewOptions & options);

/** One of HFS, HFP, FFS and FFP. */
itk::RadiographGeometry::PatientPosition
ToPatientPosition(const std::string & name);

/** Looks at the options alone, before any file is read.
 * \throws UsageError unless they make exactly one view: it names what is missing or too much. */
void
CheckViewOptions(const ViewOptions & options);

/** The view, unless it is an X-ray image's. `defaultIsocenter` (the CT's centre) serves a C-arm without --isocenter-mm.
 */
itk::RadiographGeometry::Pointer
MakeView(const ViewOptions & options, const itk::Point<double, 3> & defaultIsocenter);

} // namespace radiography::program

#endif
