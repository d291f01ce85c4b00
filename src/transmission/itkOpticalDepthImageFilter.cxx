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
#include "itkOpticalDepthImageFilter.h"

#include "compute/OpticalDepthLauncher.h"
#include "stairs/itkHandDownThreads.h"
#include "transmission/itkDecrements.h"

namespace itk
{

OpticalDepthImageFilter::OpticalDepthImageFilter() = default;

OpticalDepthImageFilter::~OpticalDepthImageFilter() = default;

void
OpticalDepthImageFilter::GenerateData()
{
  const auto region = this->GetOutput()->GetRequestedRegion();
  const auto grid = GridOf(region);
  const auto decrements = ConstViewOf(*this->GetInput(), region);
  const auto bad = FindFirstNoDecrement(grid, decrements, HandDownThreads(*this, 0.2f));
  if (bad)
  {
    itkExceptionMacro("" << ValidDecrements << "; " << DescribePixel(region, *bad) << DecrementRemedy);
  }
  this->AllocateOutputs();
  EvaluateOpticalDepth(grid, decrements, ViewOf(*this->GetOutput(), region), HandDownThreads(*this, 0.8f));
}

} // namespace itk
