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
#include "RegisterImages.h"

#include "Errors.h"
#include "ImageInput.h"
#include "XrayView.h"

#include "itkMetaDataObject.h"
#include "itkRadiographGeometryJSON.h"
#include "itkRadiographMask.h"

#include <filesystem>
#include <locale>
#include <sstream>

namespace radiography::program
{
namespace
{

const char * const None = "none";

/** A text of an image's metadata; empty if it has none. */
std::string
MetaText(const RadiographImage & image, const char * key)
{
  std::string text;
  itk::ExposeMetaData<std::string>(image.GetMetaDataDictionary(), key, text);
  return text;
}

/** Numbers with blanks between them; empty if the text is anything else. */
std::vector<double>
ParseNumbers(const std::string & text)
{
  std::istringstream stream(text);
  stream.imbue(std::locale::classic());
  std::vector<double> numbers;
  double              number = 0.0;
  while (stream >> number)
  {
    numbers.push_back(number);
  }
  return stream.eof() ? numbers : std::vector<double>();
}

/** The view that `radiography drr` left in an image's metadata and grid; null if it did not. */
itk::RadiographGeometry::Pointer
ViewOfImage(const RadiographImage & image)
{
  const auto source = ParseNumbers(MetaText(image, "radiography_source_mm"));
  const auto direction = ParseNumbers(MetaText(image, "radiography_direction"));
  auto       view = itk::RadiographGeometry::New();
  if (source.size() == 3)
  {
    view->SetConeBeam(itk::RadiographGeometry::PointType(source.data()), &image);
    return view;
  }
  if (direction.size() == 3)
  {
    view->SetParallelBeam(itk::RadiographGeometry::VectorType(direction.data()), &image);
    return view;
  }
  return nullptr;
}

void
RequireSize(const RegisterImage & image, const std::string & viewFile)
{
  const auto & pixels = image.image->GetLargestPossibleRegion().GetSize();
  const auto & detector = image.geometry->GetDetectorSize();
  if (pixels[0] != detector[0] || pixels[1] != detector[1])
  {
    const auto text = [](const auto & size) { return std::to_string(size[0]) + " x " + std::to_string(size[1]); };
    throw Failure(image.path + " has " + text(pixels) + " pixels, and the view of " + viewFile + " has " +
                    text(detector),
                  "give the view that the image was taken with");
  }
}

/** --pixels-are wins over what the file says; the metric reads the image's own metadata. */
void
SetQuantity(RegisterImage & image, const std::string & pixelsAre)
{
  image.quantity = !pixelsAre.empty() ? pixelsAre : MetaText(*image.image, "radiography_quantity");
  if (image.quantity.empty())
  {
    image.quantity = "unknown";
    return;
  }
  itk::EncapsulateMetaData<std::string>(image.image->GetMetaDataDictionary(), "radiography_quantity", image.quantity);
}

RegisterImage
ReadImageWithITK(const std::string & path,
                 const std::string & viewFile,
                 const std::string & pixelsAre,
                 Console &           console)
{
  const auto    io = OpenImageFile(path, "an X-ray image", "give a DICOM file, or a .nrrd, .mha, .nii.gz or .png file");
  RegisterImage image;
  image.path = path;
  image.image = ReadImageFile<RadiographImage>(*io, console);
  if (image.image->GetLargestPossibleRegion().GetSize(2) != 1)
  {
    throw Failure(path + " has " + std::to_string(image.image->GetLargestPossibleRegion().GetSize(2)) +
                    " slices; an X-ray image has one",
                  "give each image as a file of its own");
  }
  image.geometry = viewFile.empty() ? ViewOfImage(*image.image) : itk::RadiographGeometryJSON::ReadFile(viewFile);
  if (!image.geometry)
  {
    throw Failure("the view of " + path + " is not known: it has no radiography_source_mm", "give --view V.json");
  }
  RequireSize(image, viewFile.empty() ? path : viewFile);
  SetQuantity(image, pixelsAre);
  const auto openBeam = ParseNumbers(MetaText(*image.image, "radiography_open_beam_counts"));
  if (openBeam.size() == 1 && openBeam[0] > 0.0 && image.quantity == "counts")
  {
    image.openBeamCounts = openBeam[0];
  }
  image.provenance = JSON::array();
  return image;
}

RegisterImage
ReadImageWithDICOM(const std::string &           path,
                   const std::string &           viewFile,
                   const ViewOptions &           completions,
                   const itk::Point<double, 3> & defaultIsocenter,
                   Console &                     console)
{
  auto options = completions;
  options.like = path;
  itk::RadiographGeometry::Pointer given;
  if (!viewFile.empty())
  {
    given = itk::RadiographGeometryJSON::ReadFile(viewFile);
  }
  const auto xray = ReadXrayImage(options, defaultIsocenter, given);
  for (const auto & problem : xray.view.problems)
  {
    console.Warn(path + ": " + problem["message"].get<std::string>());
  }
  RegisterImage image;
  image.path = path;
  image.image = xray.image;
  image.geometry = xray.view.geometry;
  image.mask = xray.mask;
  image.provenance = xray.view.provenance;
  RequireSize(image, viewFile.empty() ? path : viewFile);
  SetQuantity(image, completions.pixelsAre);
  return image;
}

/** Whether a file will know its view without help; not known for files that are not there. */
bool
MayKnowItsView(const std::string & path)
{
  if (HasDICOMPreamble(path))
  {
    return true;
  }
  const auto io = OpenImageFile(path, "an X-ray image", "give a DICOM file, or a .nrrd, .mha, .nii.gz or .png file");
  return io->GetMetaDataDictionary().HasKey("radiography_source_mm") ||
         io->GetMetaDataDictionary().HasKey("radiography_direction");
}

/** A view file, or an empty name, for each image. */
std::vector<std::string>
AssignViews(const RegisterImageOptions & options)
{
  std::vector<std::string> views(options.paths.size());
  if (options.views.size() == options.paths.size())
  {
    views = options.views;
  }
  else if (!options.views.empty())
  {
    std::vector<std::size_t> without;
    for (std::size_t i = 0; i < options.paths.size(); ++i)
    {
      if (!MayKnowItsView(options.paths[i]))
      {
        without.push_back(i);
      }
    }
    if (without.size() != options.views.size())
    {
      throw UsageError(std::to_string(options.views.size()) + " --view for " + std::to_string(options.paths.size()) +
                         " images, of which " + std::to_string(without.size()) + " do not know their view",
                       "give --view once for each image in order; --view none keeps an image's own");
    }
    for (std::size_t i = 0; i < without.size(); ++i)
    {
      views[without[i]] = options.views[i];
    }
  }
  for (auto & view : views)
  {
    view = view == None ? "" : view;
  }
  return views;
}

void
ApplyMask(RegisterImage & image, const std::string & path)
{
  if (path == None)
  {
    return;
  }
  const auto mask = itk::RadiographMask::Read(path, image.geometry);
  if (image.mask)
  {
    // The shutters of a DICOM image stay shut.
    image.mask->CopyInformation(mask);
  }
  image.mask = image.mask ? itk::RadiographMask::Intersect(image.mask, mask) : mask;
}

} // namespace

void
CheckRegisterImageOptions(const RegisterImageOptions & options)
{
  const auto images = options.paths.size();
  if (options.views.size() > images)
  {
    throw UsageError(std::to_string(options.views.size()) + " --view for " + std::to_string(images) + " images",
                     "give --view once for each image, in order");
  }
  if (!options.masks.empty() && options.masks.size() != images)
  {
    throw UsageError(std::to_string(options.masks.size()) + " --mask for " + std::to_string(images) + " images",
                     "give --mask once for each image, in order; --mask none is no mask");
  }
}

std::vector<RegisterImage>
ReadRegisterImages(const RegisterImageOptions &  options,
                   const itk::Point<double, 3> & defaultIsocenter,
                   Console &                     console)
{
  for (const auto & path : options.paths)
  {
    if (!std::filesystem::is_regular_file(path))
    {
      throw Failure("there is no image file " + path);
    }
  }
  const auto                 views = AssignViews(options);
  std::vector<RegisterImage> images;
  for (std::size_t i = 0; i < options.paths.size(); ++i)
  {
    const auto & path = options.paths[i];
    images.push_back(HasDICOMPreamble(path)
                       ? ReadImageWithDICOM(path, views[i], options.completions, defaultIsocenter, console)
                       : ReadImageWithITK(path, views[i], options.completions.pixelsAre, console));
    if (!options.masks.empty())
    {
      ApplyMask(images.back(), options.masks[i]);
    }
  }
  return images;
}

bool
IsCountLike(const RegisterImage & image)
{
  return image.quantity == "counts" || image.quantity == "linear";
}

bool
IsTransmissionLike(const RegisterImage & image)
{
  return IsCountLike(image) || image.quantity == "transmission" || image.quantity == "removed" ||
         image.quantity == "inverted";
}

} // namespace radiography::program
