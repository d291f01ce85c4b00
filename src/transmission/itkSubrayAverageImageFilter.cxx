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
#include "itkSubrayAverageImageFilter.h"

#include "compute/TransmissionLauncher.h"
#include "stairs/itkHandDownThreads.h"
#include "transmission/itkSubrayBlocks.h"

#include <ostream>

namespace itk
{

SubrayAverageImageFilter::SubrayAverageImageFilter() = default;

SubrayAverageImageFilter::~SubrayAverageImageFilter() = default;

void
SubrayAverageImageFilter::SetWeights(const std::vector<double> & weights)
{
  if (weights != m_Weights)
  {
    m_Weights = weights;
    this->Modified();
  }
}

void
SubrayAverageImageFilter::VerifyPreconditions() ITKv5_CONST
{
  Superclass::VerifyPreconditions();
  const auto fault = FaultOfSubrays(m_SubraysPerSide, m_Weights);
  if (!fault.empty())
  {
    itkExceptionMacro("" << fault);
  }
}

void
SubrayAverageImageFilter::VerifyInputInformation() ITKv5_CONST
{
  Superclass::VerifyInputInformation();
  const auto size = this->GetInput()->GetLargestPossibleRegion().GetSize();
  for (unsigned int axis = 0; axis < SubrayAxes; ++axis)
  {
    if (size[axis] % m_SubraysPerSide != 0)
    {
      itkExceptionMacro("The depth image is of size " << size << "; its columns and rows must be multiples of "
                                                      << "SubraysPerSide, " << m_SubraysPerSide << '.');
    }
  }
}

void
SubrayAverageImageFilter::GenerateOutputInformation()
{
  Superclass::GenerateOutputInformation();
  const ImageType & input = *this->GetInput();
  ImageType &       output = *this->GetOutput();
  auto              region = input.GetLargestPossibleRegion();
  auto              spacing = input.GetSpacing();

  // The continuous index, among sub-rays, of the middle of the block that index 0 of the output would have.
  ContinuousIndex<double, 3> middle;
  middle.Fill(0.0);
  for (unsigned int axis = 0; axis < SubrayAxes; ++axis)
  {
    const auto start = static_cast<double>(region.GetIndex(axis));
    middle[axis] = start - start * m_SubraysPerSide + 0.5 * (m_SubraysPerSide - 1);
    region.SetSize(axis, region.GetSize(axis) / m_SubraysPerSide);
    spacing[axis] *= m_SubraysPerSide;
  }
  ImageType::PointType origin;
  input.TransformContinuousIndexToPhysicalPoint(middle, origin);
  output.SetLargestPossibleRegion(region);
  output.SetSpacing(spacing);
  output.SetOrigin(origin);
}

void
SubrayAverageImageFilter::GenerateInputRequestedRegion()
{
  // Replaces the base class's, which asks for the pixels' own region.
  auto * const input = const_cast<ImageType *>(this->GetInput());
  input->SetRequestedRegion(SubrayRegion(this->GetOutput()->GetRequestedRegion(),
                                         this->GetOutput()->GetLargestPossibleRegion().GetIndex(),
                                         m_SubraysPerSide));
}

void
SubrayAverageImageFilter::GenerateData()
{
  const auto region = this->GetOutput()->GetRequestedRegion();
  const auto subrays = SubrayRegion(region, this->GetOutput()->GetLargestPossibleRegion().GetIndex(), m_SubraysPerSide);
  const auto depths = ConstViewOf(*this->GetInput(), subrays);

  const auto bad = radiography::compute::FindFirstInvalid(GridOf(subrays), depths, HandDownThreads(*this, 0.2f));
  if (bad)
  {
    itkExceptionMacro("Optical depths are finite and not negative; " << DescribePixel(subrays, *bad) << '.');
  }
  this->AllocateOutputs();
  radiography::compute::AverageSubrays(GridOf(region),
                                       SubrayBlocksOf(m_SubraysPerSide, m_Weights, depths),
                                       ViewOf(*this->GetOutput(), region),
                                       HandDownThreads(*this, 0.8f));
}

void
SubrayAverageImageFilter::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "SubraysPerSide: " << m_SubraysPerSide << std::endl;
  os << indent << "Weights: " << TextOf(m_Weights) << std::endl;
}

} // namespace itk
