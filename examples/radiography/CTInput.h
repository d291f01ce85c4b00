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
#ifndef CTInput_h
#define CTInput_h

#include "Console.h"

#include "itkHounsfieldAttenuationModel.h"
#include "itkImage.h"

#include <optional>
#include <string>
#include <vector>

namespace radiography::program
{

using VolumeImage = itk::Image<float, 3>;

/** Which CT, and how its HU become mu. */
struct CTOptions
{
  std::string                  path;
  std::string                  series;
  double                       energy{ 60.0 };
  double                       ctEnergy{ 75.0 };
  std::optional<double>        waterAttenuation;
  std::optional<double>        boneAttenuation;
  std::string                  mask;
  std::optional<std::uint64_t> label;
  /** DICOM: slope and intercept instead of the files' own; empty: theirs. */
  std::vector<double> rescale;
  /** DICOM: tilt, gaps and uneven steps are resampled, not refused. */
  bool resample{ false };
};

/** PS3.10: 128 bytes of preamble, then DICM. */
bool
HasDICOMPreamble(const std::string & path);

void
AddCTOptions(CLI::App & command, CTOptions & options);

/** The CT in HU, from a folder or file of DICOM or from any image file that ITK reads. `dicomFiles` becomes the files
 * that its slices are in; empty if they are no DICOM. */
VolumeImage::Pointer
ReadCT(const CTOptions & options, Console & console, std::vector<std::string> * dicomFiles = nullptr);

/** A CT as mu in 1/mm, and how it became so. */
struct AttenuationVolume
{
  VolumeImage::Pointer            image;
  itk::HounsfieldAttenuationModel model;
  itk::SizeValueType              flooredVoxels;
};

/** Converts in place: `hounsfield` is used up. Applies --ct-mask. */
AttenuationVolume
ConvertToAttenuation(VolumeImage::Pointer hounsfield, const CTOptions & options, Console & console);

/** {"size", "spacing_mm", "origin_mm", "direction"} of an image's grid. */
JSON
DescribeGrid(const itk::ImageBase<3> & image);

/** The centre of the voxel grid, LPS mm. */
itk::Point<double, 3>
GridCenter(const itk::ImageBase<3> & image);

} // namespace radiography::program

#endif
