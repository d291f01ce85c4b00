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
#ifndef itkOpenBeam_h
#define itkOpenBeam_h

#include "compute/TransmissionLauncher.h"
#include "transmission/itkPixelViews.h"

#include "itkTransmissionImageFilter.h"

#include <cmath>
#include <limits>

/** The open beam in its declared forms, for the transmission filter and its adjoint. */
namespace itk
{

inline const char * const ValidDepths = "Optical depths are finite and not negative";
inline const char * const ValidCounts = "Open-beam counts are finite and not negative";

constexpr double LargestBinary32 = std::numeric_limits<float>::max();

/** What binary32 cannot hold is kept as it is, to be refused by its name. */
inline double
RoundedToBinary32(double value)
{
  return std::abs(value) <= LargestBinary32 ? static_cast<double>(static_cast<float>(value)) : value;
}

/** Whether a plain number may be an open beam. */
inline bool
IsOpenBeamNumber(double counts)
{
  return counts >= 0.0 && counts <= LargestBinary32;
}

/** The open beam over a region; `image` is that of either image form. */
inline radiography::compute::OpenBeam
OpenBeamOver(const ImageRegion<3> &                     region,
             TransmissionImageFilterEnums::OpenBeamForm form,
             double                                     number,
             const TransmissionImage *                  image)
{
  using Form = TransmissionImageFilterEnums::OpenBeamForm;
  if (form == Form::SharedImage)
  {
    return { *image->GetBufferPointer(), {} };
  }
  if (form == Form::PixelImage)
  {
    return { 0.0, ConstViewOf(*image, region) };
  }
  return { number, {} };
}

} // namespace itk

#endif
