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
#include "itkSubrayAverageAdjointImageFilter.h"

#include "compute/TransmissionLauncher.h"
#include "stairs/itkHandDownThreads.h"
#include "transmission/itkSubrayBlocks.h"

#include <ostream>

namespace itk
{
namespace
{

constexpr float CheckWeight = 0.1f;
constexpr float EvaluationWeight = 0.8f;

} // namespace

SubrayAverageAdjointImageFilter::SubrayAverageAdjointImageFilter()
{
  this->AddRequiredInputName("EffectiveDepthCotangent");
}

SubrayAverageAdjointImageFilter::~SubrayAverageAdjointImageFilter() = default;

void
SubrayAverageAdjointImageFilter::SetWeights(const std::vector<double> & weights)
{
  if (weights != m_Weights)
  {
    m_Weights = weights;
    this->Modified();
  }
}

void
SubrayAverageAdjointImageFilter::VerifyPreconditions() ITKv5_CONST
{
  Superclass::VerifyPreconditions();
  const auto fault = FaultOfSubrays(m_SubraysPerSide, m_Weights);
  if (!fault.empty())
  {
    itkExceptionMacro("" << fault);
  }
  RefuseSecondDerivative(this->GetInput(), "The optical depths", this->GetNameOfClass());
}

void
SubrayAverageAdjointImageFilter::VerifyInputInformation() ITKv5_CONST
{
  // Replaces the base class's, which wants one grid for all inputs.
  const auto depths = this->GetInput()->GetLargestPossibleRegion();
  const auto pixels = this->GetEffectiveDepthCotangent()->GetLargestPossibleRegion();
  if (SubrayRegion(pixels, depths.GetIndex(), m_SubraysPerSide) != depths)
  {
    itkExceptionMacro("The depth image has the index and size "
                      << depths.GetIndex() << ' ' << depths.GetSize() << ", the effective-depth cotangent "
                      << pixels.GetIndex() << ' ' << pixels.GetSize()
                      << "; they must begin at the same index, and columns and rows must be SubraysPerSide, "
                      << m_SubraysPerSide << ", times as many.");
  }
}

SubrayAverageAdjointImageFilter::OutputImageRegionType
SubrayAverageAdjointImageFilter::PixelsOf(const OutputImageRegionType & subrays) const
{
  return PixelRegion(subrays, this->GetInput()->GetLargestPossibleRegion().GetIndex(), m_SubraysPerSide);
}

void
SubrayAverageAdjointImageFilter::EnlargeOutputRequestedRegion(DataObject * output)
{
  // A cotangent depends on all sub-rays of its pixel: whole blocks are made.
  auto * const image = static_cast<ImageType *>(output);
  const auto   start = this->GetInput()->GetLargestPossibleRegion().GetIndex();
  image->SetRequestedRegion(SubrayRegion(this->PixelsOf(image->GetRequestedRegion()), start, m_SubraysPerSide));
}

void
SubrayAverageAdjointImageFilter::GenerateInputRequestedRegion()
{
  // Replaces the base class's, which asks all inputs for the same region.
  const auto region = this->GetOutput()->GetRequestedRegion();
  const_cast<ImageType *>(this->GetInput())->SetRequestedRegion(region);
  const_cast<ImageType *>(this->GetEffectiveDepthCotangent())->SetRequestedRegion(this->PixelsOf(region));
}

void
SubrayAverageAdjointImageFilter::RefuseBadValues(const OutputImageRegionType & subrays)
{
  const auto badDepth = radiography::compute::FindFirstInvalid(
    GridOf(subrays), ConstViewOf(*this->GetInput(), subrays), HandDownThreads(*this, CheckWeight));
  if (badDepth)
  {
    itkExceptionMacro("Optical depths are finite and not negative; " << DescribePixel(subrays, *badDepth) << '.');
  }
  const auto pixels = this->PixelsOf(subrays);
  const auto badCotangent = radiography::compute::FindFirstNonFinite(
    GridOf(pixels), ConstViewOf(*this->GetEffectiveDepthCotangent(), pixels), HandDownThreads(*this, CheckWeight));
  if (badCotangent)
  {
    itkExceptionMacro("Cotangents are finite; " << DescribePixel(pixels, *badCotangent) << '.');
  }
}

void
SubrayAverageAdjointImageFilter::GenerateData()
{
  const auto subrays = this->GetOutput()->GetRequestedRegion();
  this->RefuseBadValues(subrays);
  const auto pixels = this->PixelsOf(subrays);
  const auto depths = ConstViewOf(*this->GetInput(), subrays);
  this->AllocateOutputs();
  const auto cotangents = ViewOf(*this->GetOutput(), subrays);
  if (SharesMemory(GridOf(subrays), depths, cotangents))
  {
    itkExceptionMacro("The output shares memory with the depths. Give it its own buffer.");
  }
  radiography::compute::AverageSubraysAdjoint(GridOf(pixels),
                                              SubrayBlocksOf(m_SubraysPerSide, m_Weights, depths),
                                              ConstViewOf(*this->GetEffectiveDepthCotangent(), pixels),
                                              cotangents,
                                              HandDownThreads(*this, EvaluationWeight));
}

void
SubrayAverageAdjointImageFilter::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "SubraysPerSide: " << m_SubraysPerSide << std::endl;
  os << indent << "Weights: " << TextOf(m_Weights) << std::endl;
}

} // namespace itk
