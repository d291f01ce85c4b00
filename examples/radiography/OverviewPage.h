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
#ifndef OverviewPage_h
#define OverviewPage_h

#include "CTInput.h"
#include "Display.h"
#include "Projection.h"

#include "itkRadiographGeometry.h"

#include <string>
#include <vector>

namespace radiography::program
{

/** One view with all that is shown of it. */
struct OverviewView
{
  std::string                      title;
  std::string                      name; // of its files
  itk::RadiographGeometry::Pointer geometry;
  RadiographImage::Pointer         depth;
  RadiographImage::Pointer         transmission;
  RadiographImage::Pointer         counts;
  Window                           window;
  DRRFilter::ComputeReport         report;
  double                           projectSeconds{ 0.0 };
};

/** What the page tells besides. */
struct OverviewFacts
{
  std::string                     path;
  itk::ImageBase<3>::Pointer      grid;
  itk::HounsfieldAttenuationModel model;
  itk::SizeValueType              flooredVoxels;
  double                          ctEnergy;
  double                          photons;
  std::uint64_t                   noiseSeed;
  double                          loadSeconds;
  double                          prepareSeconds;
  std::vector<std::string>        warnings;
};

/** \name Names of a view's pictures, beside the page */
///@{
std::string
FilmName(const OverviewView & view);
std::string
TransmissionName(const OverviewView & view);
std::string
CountsName(const OverviewView & view);
///@}

/** The page, as HTML. */
std::string
MakeOverviewPage(const std::vector<OverviewView> & views, const OverviewFacts & facts);

} // namespace radiography::program

#endif
