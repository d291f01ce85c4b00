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
#ifndef itkDetectorParameters_h
#define itkDetectorParameters_h

#include "transmission/itkPixelViews.h"

#include <cmath>

/** What is wrong with a parameter of the detector, in words, or nothing: for the response and its adjoint. */
namespace itk
{

inline std::string
FaultOfGain(double gain)
{
  return std::isfinite(gain) && gain > 0.0
           ? std::string()
           : "Gain is " + TextOf(gain) + "; give a finite number of detector units per count above 0.";
}

inline std::string
FaultOfScatter(double scatter)
{
  return std::isfinite(scatter) && scatter >= 0.0
           ? std::string()
           : "Scatter is " + TextOf(scatter) + "; give a finite number of counts that is not negative.";
}

inline std::string
FaultOfOffset(double offset)
{
  return std::isfinite(offset) ? std::string()
                               : "Offset is " + TextOf(offset) + "; give a finite number of detector units.";
}

} // namespace itk

#endif
