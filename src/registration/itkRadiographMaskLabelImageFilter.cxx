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
#include "itkRadiographMaskLabelImageFilter.h"

#include "itkImageRegionConstIterator.h"
#include "itkImageRegionIterator.h"

#include <algorithm>
#include <sstream>

namespace itk
{

RadiographMaskLabelImageFilter::RadiographMaskLabelImageFilter()
{
  this->AddRequiredInputName("LabelImage");
  this->InPlaceOff();
}

RadiographMaskLabelImageFilter::~RadiographMaskLabelImageFilter() = default;

void
RadiographMaskLabelImageFilter::SetLabels(const LabelsType & labels)
{
  if (labels != m_Labels)
  {
    m_Labels = labels;
    this->Modified();
  }
}

void
RadiographMaskLabelImageFilter::VerifyInputInformation() ITKv5_CONST
{
  const auto region = this->GetInput()->GetLargestPossibleRegion();
  const auto labels = this->GetLabelImage()->GetLargestPossibleRegion();
  if (labels != region)
  {
    itkExceptionMacro("The label image has the index and size "
                      << labels.GetIndex() << ' ' << labels.GetSize() << ", the CT " << region.GetIndex() << ' '
                      << region.GetSize() << ". Resample the labels onto the CT's grid (nearest neighbour).");
  }
  Superclass::VerifyInputInformation();
}

void
RadiographMaskLabelImageFilter::GenerateInputRequestedRegion()
{
  const_cast<ImageType *>(this->GetInput())->SetRequestedRegionToLargestPossibleRegion();
  const_cast<LabelImageType *>(this->GetLabelImage())->SetRequestedRegionToLargestPossibleRegion();
}

void
RadiographMaskLabelImageFilter::EnlargeOutputRequestedRegion(DataObject * output)
{
  output->SetRequestedRegionToLargestPossibleRegion();
}

bool
RadiographMaskLabelImageFilter::IsKept(LabelType label) const
{
  return m_Labels.empty() ? label != 0 : std::find(m_Labels.begin(), m_Labels.end(), label) != m_Labels.end();
}

SizeValueType
RadiographMaskLabelImageFilter::CountKept() const
{
  const LabelImageType & labels = *this->GetLabelImage();
  SizeValueType          kept = 0;
  for (ImageRegionConstIterator<LabelImageType> it(&labels, labels.GetLargestPossibleRegion()); !it.IsAtEnd(); ++it)
  {
    kept += this->IsKept(it.Get());
  }
  return kept;
}

void
RadiographMaskLabelImageFilter::GenerateData()
{
  m_NumberOfKeptVoxels = this->CountKept();
  if (m_NumberOfKeptVoxels == 0)
  {
    std::ostringstream names;
    for (const LabelType label : m_Labels)
    {
      names << (names.tellp() > 0 ? " or " : "the label ") << label;
    }
    itkExceptionMacro("No voxel of the label image has " << (m_Labels.empty() ? "a label other than 0" : names.str())
                                                         << ", so that nothing of the CT would be left.");
  }
  this->AllocateOutputs();
  const auto                               region = this->GetOutput()->GetRequestedRegion();
  ImageRegionConstIterator<LabelImageType> label(this->GetLabelImage(), region);
  ImageRegionConstIterator<ImageType>      from(this->GetInput(), region);
  for (ImageRegionIterator<ImageType> to(this->GetOutput(), region); !to.IsAtEnd(); ++to, ++from, ++label)
  {
    to.Set(this->IsKept(label.Get()) ? from.Get() : 0.0F);
  }
}

void
RadiographMaskLabelImageFilter::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "Labels:";
  for (const LabelType label : m_Labels)
  {
    os << ' ' << label;
  }
  os << std::endl;
  os << indent << "NumberOfKeptVoxels: " << m_NumberOfKeptVoxels << std::endl;
}

} // namespace itk
