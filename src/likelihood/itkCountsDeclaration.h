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
#ifndef itkCountsDeclaration_h
#define itkCountsDeclaration_h

#include "compute/PoissonLikelihoodLauncher.h"

#include "itkDataObject.h"
#include "itkImageRegion.h"

#include <string>

/** What this room's objects say about images and pixels that are no counts. */
namespace itk
{

/** Why an image must not be taken as photon counts, from the metadata key radiography_quantity that the program writes:
 * empty if it declares counts, linear (a linear detector's reading), or nothing. */
std::string
WhyNotCounts(const DataObject & image, const std::string & name);

/** The same for optical depths. */
std::string
WhyNotDepths(const DataObject & image, const std::string & name);

/** The sentence for a pixel that cannot be compared. */
std::string
DescribeFault(const ImageRegion<3> & region, const radiography::compute::PoissonBadPixel & bad);

} // namespace itk

#endif
