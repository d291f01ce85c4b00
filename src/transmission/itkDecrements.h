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
#ifndef itkDecrements_h
#define itkDecrements_h

#include "transmission/itkPixelViews.h"

/** Words on decrements that the inverse and its adjoint share. */
namespace itk
{

inline const char * const ValidDecrements = "Decrements 1 - T are not negative and below 1";
inline const char * const DecrementRemedy =
  ". A pixel that removes nothing is 0, one that lets nothing through has no finite depth: mask such pixels.";

} // namespace itk

#endif
