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
#ifndef itkRadiographMask_h
#define itkRadiographMask_h

#include "RadiographyExport.h"
#include "itkRadiographGeometry.h"
#include "itkRadiographyMacros.h"

#include "itkImage.h"

#include <string>

namespace itk
{

/** \class RadiographMask
 * \brief Masks of a view's pixels: read from files, and combined.
 *
 * A mask is a one-slice image on the detector of a view; a pixel is compared where it is not 0.
 *
 * All functions throw itk::ExceptionObject, naming what is wrong, and return new images of 0 and 1.
 *
 * \sa RadiographMaskTruncationImageFilter
 * \ingroup Radiography */
class Radiography_EXPORT RadiographMask
{
public:
  using MaskImageType = Image<unsigned char, 3>;
  using ImageType = Image<float, 3>;

  /** From any image file that ITK reads: 1 where the value is not 0.
   *
   * It is taken pixel by pixel, column and row as the file has them, onto the detector of the view: where a file says
   * that its pixels lie (a PNG says nothing) is not looked at. Throws if the file cannot be read, has several values
   * per pixel, more than one slice, another size than the detector, or a value that is NaN. */
  static MaskImageType::Pointer
  Read(const std::string & path, const RadiographGeometry * geometry);

  /** 1 where both are not 0. Throws if one is null, not in memory, or if they do not lie in one place (ITK's tolerance,
   * 1e-6 of a pixel). */
  static MaskImageType::Pointer
  Intersect(const MaskImageType * one, const MaskImageType * other);

  /** Pixels that are not 0. */
  static SizeValueType
  CountPixels(const MaskImageType * mask);
};

} // namespace itk

#endif
