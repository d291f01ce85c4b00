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
#include "itkOpticalDepthAdjointImageFilter.h"

#include "compute/OpticalDepthLauncher.h"
#include "stairs/itkHandDownThreads.h"
#include "transmission/itkDecrements.h"
#include "transmission/itkGradientMessages.h"

namespace itk
{
namespace
{

const char * const DecrementInput = "Primary";
const char * const DepthWeights = "DepthCotangent";
const char * const AccumulatedDecrement = "AccumulatedDecrementCotangent";

} // namespace

OpticalDepthAdjointImageFilter::OpticalDepthAdjointImageFilter()
{
  this->AddPrimal(DecrementInput, "The decrement image");
  this->AddCotangent(DepthWeights);
  this->AddAccumulator(0, AccumulatedDecrement);
}

OpticalDepthAdjointImageFilter::~OpticalDepthAdjointImageFilter() = default;

void
OpticalDepthAdjointImageFilter::SetDepthCotangent(const ImageType * image)
{
  this->SetImage(DepthWeights, image);
}

const OpticalDepthAdjointImageFilter::ImageType *
OpticalDepthAdjointImageFilter::GetDepthCotangent() const
{
  return this->GetImage(DepthWeights);
}

void
OpticalDepthAdjointImageFilter::SetAccumulatedDecrementCotangent(const ImageType * image)
{
  this->SetImage(AccumulatedDecrement, image);
}

const OpticalDepthAdjointImageFilter::ImageType *
OpticalDepthAdjointImageFilter::GetAccumulatedDecrementCotangent() const
{
  return this->GetImage(AccumulatedDecrement);
}

OpticalDepthAdjointImageFilter::ImageType *
OpticalDepthAdjointImageFilter::GetDecrementCotangent()
{
  return this->GetOutput();
}

void
OpticalDepthAdjointImageFilter::RefuseBadPrimals(const RegionType & region)
{
  const auto decrements = ConstViewOf(*this->GetInput(), region);
  const auto bad = FindFirstNoDecrement(GridOf(region), decrements, HandDownThreads(*this, 0.1f));
  if (bad)
  {
    itkExceptionMacro("" << ValidDecrements << "; " << DescribePixel(region, *bad) << DecrementRemedy);
  }
}

void
OpticalDepthAdjointImageFilter::RefuseGradientsOutOfRange(const RegionType & region)
{
  const auto bad = FindDecrementCotangentOutOfRange(GridOf(region),
                                                    ConstViewOf(*this->GetInput(), region),
                                                    ConstViewOf(*this->GetDepthCotangent(), region),
                                                    ViewOrNone(this->GetAccumulatedDecrementCotangent(), region),
                                                    HandDownThreads(*this, 0.4f));
  if (bad)
  {
    itkExceptionMacro("" << DescribeGradient("decrement cotangent", region, *bad));
  }
}

void
OpticalDepthAdjointImageFilter::WriteGradients(const RegionType & region)
{
  EvaluateOpticalDepthAdjoint(
    GridOf(region),
    ConstViewOf(*this->GetInput(), region),
    ConstViewOf(*this->GetDepthCotangent(), region),
    { ViewOrNone(this->GetAccumulatedDecrementCotangent(), region), ViewOf(*this->GetDecrementCotangent(), region) },
    HandDownThreads(*this, 0.4f));
}

} // namespace itk
