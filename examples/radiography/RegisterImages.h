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
#ifndef RegisterImages_h
#define RegisterImages_h

#include "Projection.h"
#include "ViewOptions.h"

#include "itkRadiographGeometry.h"

#include <optional>
#include <string>
#include <vector>

namespace radiography::program
{

using MaskImage = itk::Image<unsigned char, 3>;

/** An X-ray image that a CT is registered to. */
struct RegisterImage
{
  std::string                      path;
  RadiographImage::Pointer         image;
  itk::RadiographGeometry::Pointer geometry;
  /** Null if all pixels are to be compared. */
  MaskImage::Pointer mask;
  /** counts, linear, inverted, log, display, optical-depth, log-transmission, transmission, removed or unknown. */
  std::string quantity;
  /** Open-beam counts per pixel that the file tells. */
  std::optional<double> openBeamCounts;
  /** Which number of the view comes from where; empty unless the image is DICOM. */
  JSON provenance;
};

/** What the command line says about images. */
struct RegisterImageOptions
{
  std::vector<std::string> paths;
  /** View files in the images' order, or only for those that do not know theirs; "none" keeps the image's own. */
  std::vector<std::string> views;
  /** One for each image, or none; "none" is no mask. */
  std::vector<std::string> masks;
  /** What completes the views of DICOM images, and what pixels are. */
  ViewOptions completions;
};

/** \throws UsageError, before a file is read, if the numbers of images, views and masks do not go together. */
void
CheckRegisterImageOptions(const RegisterImageOptions & options);

/** \throws Failure if an image does not know its view, has another size than its view file says, or cannot be read. */
std::vector<RegisterImage>
ReadRegisterImages(const RegisterImageOptions &  options,
                   const itk::Point<double, 3> & defaultIsocenter,
                   Console &                     console);

/** Whether a Poisson likelihood fits: counts, or readings linear in them. */
bool
IsCountLike(const RegisterImage & image);

/** Whether the image is affine in exp(-L) rather than in L. */
bool
IsTransmissionLike(const RegisterImage & image);

} // namespace radiography::program

#endif
