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
#include "CTInput.h"

#include "Errors.h"
#include "ImageInput.h"
#include "Numbers.h"

#include "itkHounsfieldToAttenuationImageFilter.h"
#include "itkRadiographMaskLabelImageFilter.h"

#ifdef RADIOGRAPHY_USE_DCMTK
#  include "itkDICOMCTVolumeReader.h"
#endif

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;

namespace radiography::program
{
namespace
{

using LabelImage = itk::Image<std::int64_t, 3>;

/** An image file that holds a volume. */
template <typename TImage>
typename TImage::Pointer
ReadVolumeFile(const std::string & path, const std::string & what, const Console & console)
{
  const auto io = OpenImageFile(path, what, "give a DICOM folder, or a .nrrd, .mha, .nii or .nii.gz file");
  bool       isVolume = io->GetNumberOfDimensions() >= 3;
  for (unsigned int i = 3; i < io->GetNumberOfDimensions(); ++i)
  {
    isVolume = isVolume && io->GetDimensions(i) == 1;
  }
  if (!isVolume)
  {
    throw Failure(path + " has " + std::to_string(io->GetNumberOfDimensions()) + " dimensions; " + what + " has three");
  }
  return ReadImageFile<TImage>(*io, console);
}

#ifdef RADIOGRAPHY_USE_DCMTK

VolumeImage::Pointer
ReadDICOM(const CTOptions & options, Console & console, std::vector<std::string> * files)
{
  const auto reader = itk::DICOMCTVolumeReader::New();
  reader->SetPath(options.path);
  reader->SetSeries(options.series);
  reader->SetResample(options.resample);
  if (!options.rescale.empty())
  {
    reader->SetRescale(options.rescale[0], options.rescale[1]);
  }
  console.Watch(*reader, "reading");
  reader->Update();
  for (const auto & warning : reader->GetWarnings())
  {
    console.Warn(warning);
  }
  if (files != nullptr)
  {
    for (const auto & file : reader->GetInventory().files)
    {
      if (file.used)
      {
        files->push_back((fs::path(reader->GetInventory().folder) / file.path).string());
      }
    }
  }
  VolumeImage::Pointer image = reader->GetOutput();
  image->DisconnectPipeline();
  return image;
}

#else

VolumeImage::Pointer
ReadDICOM(const CTOptions &, Console &, std::vector<std::string> *)
{
  throw Failure("this build has no DCMTK and cannot read DICOM", HowToBuildWithDCMTK);
}

#endif

/** Of a voxel; of a direction cosine. */
constexpr double GridTolerance = 1e-3;

/** The first thing about the grids that differs, or nothing. */
std::string
CompareGrids(const itk::ImageBase<3> & mask, const itk::ImageBase<3> & ct)
{
  if (mask.GetLargestPossibleRegion().GetSize() != ct.GetLargestPossibleRegion().GetSize())
  {
    return "size";
  }
  const double voxel = std::min({ ct.GetSpacing()[0], ct.GetSpacing()[1], ct.GetSpacing()[2] });
  for (unsigned int i = 0; i < 3; ++i)
  {
    if (std::abs(mask.GetSpacing()[i] - ct.GetSpacing()[i]) > GridTolerance * ct.GetSpacing()[i])
    {
      return "spacing";
    }
    if (std::abs(mask.GetOrigin()[i] - ct.GetOrigin()[i]) > GridTolerance * voxel)
    {
      return "origin";
    }
    for (unsigned int j = 0; j < 3; ++j)
    {
      if (std::abs(mask.GetDirection()[i][j] - ct.GetDirection()[i][j]) > GridTolerance)
      {
        return "direction";
      }
    }
  }
  return {};
}

VolumeImage::Pointer
ApplyMask(VolumeImage & attenuation, const CTOptions & options, const Console & console)
{
  const auto labels = ReadVolumeFile<LabelImage>(options.mask, "a label image", console);
  const auto difference = CompareGrids(*labels, attenuation);
  if (!difference.empty())
  {
    throw Failure("the " + difference + " of " + options.mask + " is not the CT's",
                  "resample the labels onto the CT's grid (nearest neighbour)");
  }
  const auto filter = itk::RadiographMaskLabelImageFilter::New();
  filter->SetInput(&attenuation);
  filter->SetLabelImage(labels);
  if (options.label)
  {
    filter->SetLabels({ static_cast<std::int64_t>(*options.label) });
  }
  // The grids were compared above, with a message that names the file; ITK's own tolerance is a thousand times as
  // small.
  filter->SetCoordinateTolerance(GridTolerance);
  filter->SetDirectionTolerance(GridTolerance);
  filter->InPlaceOn();
  try
  {
    filter->Update();
  }
  catch (const itk::ExceptionObject & error)
  {
    throw Failure(options.mask + ": " + error.GetDescription());
  }
  VolumeImage::Pointer masked = filter->GetOutput();
  masked->DisconnectPipeline();
  return masked;
}

JSON
ToJSON(const itk::Matrix<double, 3, 3> & matrix)
{
  JSON list = JSON::array();
  for (unsigned int i = 0; i < 3; ++i)
  {
    for (unsigned int j = 0; j < 3; ++j)
    {
      list.push_back(matrix[i][j]);
    }
  }
  return list;
}

} // namespace

bool
HasDICOMPreamble(const std::string & path)
{
  std::ifstream file(path, std::ios::binary);
  char          magic[4]{};
  file.seekg(128);
  file.read(magic, 4);
  return file && std::string(magic, 4) == "DICM";
}

void
AddCTOptions(CLI::App & command, CTOptions & options)
{
  const char * const group = "CT";
  command.add_option("CT", options.path, "a DICOM folder or file, or an image file in HU (.nrrd .mha .nii ...)")
    ->required();
  command.add_option("--series", options.series, "which volume: a SeriesInstanceUID, or the number that inspect gives")
    ->type_name("UID|NUMBER")
    ->group(group);
  AddNumbers(command,
             "--rescale",
             options.rescale,
             2,
             2,
             AnyNumber,
             "HU = stored value x SLOPE + INTERCEPT, whatever the DICOM files say or lack")
    ->type_name("SLOPE,INTERCEPT")
    ->group(group);
  AddNumber(command, "--energy-kev", options.energy, PositiveNumber, "energy of the photons, keV")->group(group);
  AddNumber(command, "--ct-energy-kev", options.ctEnergy, PositiveNumber, "the CT's effective energy, keV")
    ->group(group);
  AddNumber(command, "--mu-water", options.waterAttenuation, PositiveNumber, "mu of water, 1/mm (default: tables)")
    ->group(group);
  AddNumber(
    command, "--mu-bone", options.boneAttenuation, PositiveNumber, "mu of cortical bone, 1/mm (default: tables)")
    ->group(group);
  const auto mask =
    command.add_option("--ct-mask", options.mask, "label image on the CT's grid: mu = 0 outside of the labels")
      ->type_name("LABELS")
      ->group(group);
  AddInteger(command,
             "--label",
             options.label,
             0,
             std::numeric_limits<std::uint32_t>::max(),
             "the one label to keep (default: all but 0)")
    ->needs(mask)
    ->group(group);
}

VolumeImage::Pointer
ReadCT(const CTOptions & options, Console & console, std::vector<std::string> * dicomFiles)
{
  if (!fs::exists(options.path))
  {
    throw Failure("there is no " + options.path);
  }
  if (!options.rescale.empty() && options.rescale[0] == 0.0)
  {
    throw UsageError("the slope of --rescale is 0: every voxel would have the same value");
  }
  const bool isDICOM = fs::is_directory(options.path) || HasDICOMPreamble(options.path);
  if (isDICOM)
  {
    return ReadDICOM(options, console, dicomFiles);
  }
  if (options.resample)
  {
    throw UsageError("--resample concerns DICOM slices; " + options.path + " is an image file");
  }
  if (!options.rescale.empty())
  {
    throw UsageError("--rescale concerns DICOM slices; " + options.path + " is an image file");
  }
  if (!options.series.empty())
  {
    throw UsageError("--series chooses within a DICOM folder; " + options.path + " is not one");
  }
  return ReadVolumeFile<VolumeImage>(options.path, "a CT", console);
}

AttenuationVolume
ConvertToAttenuation(VolumeImage::Pointer hounsfield, const CTOptions & options, Console & console)
{
  itk::HounsfieldAttenuationParameters parameters;
  parameters.energy = options.energy;
  parameters.ctEffectiveEnergy = options.ctEnergy;
  parameters.waterAttenuation = options.waterAttenuation;
  parameters.boneAttenuation = options.boneAttenuation;

  const auto filter = itk::HounsfieldToAttenuationImageFilter<VolumeImage>::New();
  filter->SetInput(hounsfield);
  filter->SetModelParameters(parameters);
  filter->InPlaceOn();
  console.Watch(*filter, "attenuation");
  filter->Update();
  VolumeImage::Pointer attenuation = filter->GetOutput();
  attenuation->DisconnectPipeline();
  if (!options.mask.empty())
  {
    attenuation = ApplyMask(*attenuation, options, console);
  }
  return { attenuation, filter->GetModel(), filter->GetNumberOfFlooredVoxels() };
}

JSON
DescribeGrid(const itk::ImageBase<3> & image)
{
  const auto & size = image.GetLargestPossibleRegion().GetSize();
  const auto & spacing = image.GetSpacing();
  // The place of the first voxel, whatever the index start.
  itk::Point<double, 3> origin;
  image.TransformIndexToPhysicalPoint(image.GetLargestPossibleRegion().GetIndex(), origin);
  return { { "size", { size[0], size[1], size[2] } },
           { "spacing_mm", { spacing[0], spacing[1], spacing[2] } },
           { "origin_mm", { origin[0], origin[1], origin[2] } },
           { "direction", ToJSON(image.GetDirection()) } };
}

itk::Point<double, 3>
GridCenter(const itk::ImageBase<3> & image)
{
  const auto &                    region = image.GetLargestPossibleRegion();
  itk::ContinuousIndex<double, 3> middle;
  for (unsigned int i = 0; i < 3; ++i)
  {
    middle[i] = static_cast<double>(region.GetIndex(i)) + 0.5 * (static_cast<double>(region.GetSize(i)) - 1.0);
  }
  itk::Point<double, 3> center;
  image.TransformContinuousIndexToPhysicalPoint(middle, center);
  return center;
}

} // namespace radiography::program
