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
#include "likelihood/itkCountsDeclaration.h"

#include "transmission/itkPixelViews.h"

#include "itkMetaDataObject.h"

#include <algorithm>
#include <vector>

namespace itk
{
namespace
{

using radiography::compute::PoissonFault;

const char * const QuantityKey = "radiography_quantity";

std::string
WhyNot(const DataObject &               image,
       const std::string &              name,
       const std::vector<std::string> & accepted,
       const std::string &              wanted)
{
  std::string quantity;
  if (!ExposeMetaData(image.GetMetaDataDictionary(), QuantityKey, quantity) ||
      std::find(accepted.begin(), accepted.end(), quantity) != accepted.end())
  {
    return {};
  }
  return name + " declares that it holds " + quantity + " (metadata key " + QuantityKey + "), not " + wanted +
         ". Give " + wanted + ", or switch AllowNonCounts on to take its values as such all the same.";
}

std::string
WhatIsWrong(PoissonFault fault)
{
  switch (fault)
  {
    case PoissonFault::Depth:
      return "Optical depths are finite; ";
    case PoissonFault::OpenBeam:
      return "Open-beam counts are finite and not negative; ";
    case PoissonFault::Scatter:
      return "Scatter is finite and not negative; ";
    case PoissonFault::Observed:
      return "Observed counts are finite, and not negative once the electronic variance is added; ";
    case PoissonFault::Expected:
      return "Expected counts are finite and not negative; ";
    case PoissonFault::Impossible:
      return "Nothing can be seen where nothing is expected (mask the pixel, or give the scatter that explains it); "
             "the observed ";
    case PoissonFault::Range:
      break;
  }
  return "The number format cannot hold the result there; ";
}

} // namespace

std::string
WhyNotCounts(const DataObject & image, const std::string & name)
{
  return WhyNot(image, name, { "counts", "linear" }, "photon counts");
}

std::string
WhyNotDepths(const DataObject & image, const std::string & name)
{
  return WhyNot(image, name, { "optical-depth" }, "optical depths");
}

std::string
DescribeFault(const ImageRegion<3> & region, const radiography::compute::PoissonBadPixel & bad)
{
  return WhatIsWrong(bad.fault) + DescribePlace(region, bad.column, bad.row, bad.slice) + " is " + TextOf(bad.value) +
         '.';
}

} // namespace itk
