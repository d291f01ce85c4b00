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
#ifndef itkGradientMessages_h
#define itkGradientMessages_h

#include "compute/PixelGradient.h"
#include "transmission/itkPixelViews.h"

/** Words and views that the adjoint filters share. */
namespace itk
{

inline const char * const GradientRangeRemedy = ", which its number format cannot hold. Nothing was written or "
                                                "accumulated; scale the cotangents down, and do not let "
                                                "an optimizer accept this evaluation.";

/** "The depth cotangent at pixel [3, 4, 0] is 1e39, which ...". */
inline std::string
DescribeGradient(const char * what, const ImageRegion<3> & region, const radiography::compute::GradientOutOfRange & bad)
{
  return std::string("The ") + what + " at " + DescribePlace(region, bad.column, bad.row, bad.slice) + " is " +
         TextOf(bad.value) + GradientRangeRemedy;
}

/** The pixels of an image that may be missing. */
inline radiography::compute::PixelView<const float>
ViewOrNone(const TransmissionImage * image, const ImageRegion<3> & region)
{
  return image ? ConstViewOf(*image, region) : radiography::compute::PixelView<const float>{};
}

} // namespace itk

#endif
