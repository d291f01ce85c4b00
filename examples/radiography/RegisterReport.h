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
#ifndef RegisterReport_h
#define RegisterReport_h

#include "RegisterImages.h"
#include "RegisterTruth.h"

#include "itkRadiographRegistrationResult.h"

#include <optional>

namespace radiography::program
{

/** Where the search began, if landmarks said so. */
struct LandmarkStart
{
  double                   rmsErrorMM{ 0.0 };
  double                   rmsErrorPixels{ 0.0 };
  std::size_t              observations{ 0 };
  std::vector<std::string> warnings;
};

/** How wrong the pose is where the right one is known. */
struct TruthComparison
{
  Targets     targets;
  TargetError before;
  TargetError after;
};

/** A registration, with what the program knows besides its result. */
struct Registration
{
  std::string                                     ct;
  std::vector<RegisterImage>                      images;
  itk::ImageBase<3>::Pointer                      grid;
  itk::RadiographRegistrationResult::ConstPointer result;
  std::string                                     metric;
  std::string                                     estimated;
  std::optional<LandmarkStart>                    landmarks;
  std::optional<TruthComparison>                  truth;
  std::string                                     output;
  double                                          loadSeconds{ 0.0 };
  double                                          prepareSeconds{ 0.0 };
  double                                          registerSeconds{ 0.0 };
};

/** The JSON of `register`, which is report.json too. */
JSON
DescribeRegistration(const Registration & registration, const std::vector<std::string> & warnings);

/** Writes index.html, report.json and the pictures into a folder, which is made if need be. */
void
WriteRegistrationReport(const Registration & registration, const JSON & report, const std::string & folder);

/** "converged" and so on. */
std::string
VerdictText(const itk::RadiographRegistrationResult & result);

} // namespace radiography::program

#endif
