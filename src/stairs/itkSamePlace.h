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
#ifndef itkSamePlace_h
#define itkSamePlace_h

#include "itkImageBase.h"

#include <cmath>

namespace itk
{

/** Whether origin, spacing and direction are the same within the tolerances of an ImageToImageFilter, the first
 * relative to the spacing. What ImageToImageFilter itself asks of all its inputs. */
inline bool
IsSamePlace(const ImageBase<3> & one, const ImageBase<3> & other, double coordinates, double directions)
{
  const double length = std::abs(coordinates * one.GetSpacing()[0]);
  return one.GetOrigin().GetVnlVector().is_equal(other.GetOrigin().GetVnlVector(), length) &&
         one.GetSpacing().GetVnlVector().is_equal(other.GetSpacing().GetVnlVector(), length) &&
         one.GetDirection().GetVnlMatrix().as_ref().is_equal(other.GetDirection().GetVnlMatrix().as_ref(), directions);
}

} // namespace itk

#endif
