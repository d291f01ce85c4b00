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
#ifndef itkHounsfieldToAttenuationImageFilter_hxx
#define itkHounsfieldToAttenuationImageFilter_hxx

#include "itkImageRegionConstIteratorWithIndex.h"
#include "itkImageScanlineConstIterator.h"
#include "itkImageScanlineIterator.h"
#include "itkNumberToString.h"

#include <atomic>
#include <cmath>
#include <mutex>

namespace itk
{

template <typename TInputImage, typename TOutputImage>
HounsfieldToAttenuationImageFilter<TInputImage, TOutputImage>::HounsfieldToAttenuationImageFilter()
{
  this->InPlaceOff();
}

template <typename TInputImage, typename TOutputImage>
void
HounsfieldToAttenuationImageFilter<TInputImage, TOutputImage>::SetModelParameters(
  const ModelParametersType & parameters)
{
  m_ModelParameters = parameters;
  this->Modified();
}

template <typename TInputImage, typename TOutputImage>
void
HounsfieldToAttenuationImageFilter<TInputImage, TOutputImage>::SetEnergy(double energy)
{
  m_ModelParameters.energy = energy;
  this->Modified();
}

template <typename TInputImage, typename TOutputImage>
void
HounsfieldToAttenuationImageFilter<TInputImage, TOutputImage>::SetCTEffectiveEnergy(double energy)
{
  m_ModelParameters.ctEffectiveEnergy = energy;
  this->Modified();
}

template <typename TInputImage, typename TOutputImage>
void
HounsfieldToAttenuationImageFilter<TInputImage, TOutputImage>::SetWaterAttenuation(double attenuation)
{
  m_ModelParameters.waterAttenuation = attenuation;
  this->Modified();
}

template <typename TInputImage, typename TOutputImage>
void
HounsfieldToAttenuationImageFilter<TInputImage, TOutputImage>::SetBoneAttenuation(double attenuation)
{
  m_ModelParameters.boneAttenuation = attenuation;
  this->Modified();
}

template <typename TInputImage, typename TOutputImage>
void
HounsfieldToAttenuationImageFilter<TInputImage, TOutputImage>::SetBoneHounsfield(double hounsfield)
{
  m_ModelParameters.boneHounsfield = hounsfield;
  this->Modified();
}

template <typename TInputImage, typename TOutputImage>
void
HounsfieldToAttenuationImageFilter<TInputImage, TOutputImage>::UseTabulatedCoefficients()
{
  m_ModelParameters.waterAttenuation.reset();
  m_ModelParameters.boneAttenuation.reset();
  m_ModelParameters.boneHounsfield.reset();
  this->Modified();
}

template <typename TInputImage, typename TOutputImage>
void
HounsfieldToAttenuationImageFilter<TInputImage, TOutputImage>::VerifyPreconditions() ITKv5_CONST
{
  Superclass::VerifyPreconditions();
  this->GetModel(); // throws for what it refuses
}

template <typename TInputImage, typename TOutputImage>
void
HounsfieldToAttenuationImageFilter<TInputImage, TOutputImage>::RefuseNonFiniteVoxels(
  const OutputImageRegionType & region)
{
  const InputImageType * const    input = this->GetInput();
  std::mutex                      mutex;
  bool                            found = false;
  typename TInputImage::IndexType firstIndex{};
  // The first in raster order is the one of least offset in the buffer, however the region is shared out.
  const auto scan = [&](const OutputImageRegionType & part) {
    for (ImageRegionConstIteratorWithIndex<TInputImage> it(input, part); !it.IsAtEnd(); ++it)
    {
      if (!std::isfinite(static_cast<double>(it.Get())))
      {
        const std::lock_guard<std::mutex> lock(mutex);
        if (!found || input->ComputeOffset(it.GetIndex()) < input->ComputeOffset(firstIndex))
        {
          firstIndex = it.GetIndex();
          found = true;
        }
        return;
      }
    }
  };
  this->GetMultiThreader()->template ParallelizeImageRegion<TOutputImage::ImageDimension>(region, scan, nullptr);
  if (found)
  {
    const NumberToString<double> toString;
    itkExceptionMacro("Voxel " << firstIndex << " of the CT is "
                               << toString(static_cast<double>(input->GetPixel(firstIndex)))
                               << " HU, which is not finite. Replace such voxels (air is -1000 HU) before converting.");
  }
}

template <typename TInputImage, typename TOutputImage>
void
HounsfieldToAttenuationImageFilter<TInputImage, TOutputImage>::GenerateData()
{
  const HounsfieldAttenuationModel model = this->GetModel();
  const OutputImageRegionType      region = this->GetOutput()->GetRequestedRegion();
  this->GetMultiThreader()->SetNumberOfWorkUnits(this->GetNumberOfWorkUnits());

  // Before AllocateOutputs(), so that a refusal leaves the output (in place: the input) as it was.
  if (std::is_floating_point<InputPixelType>::value)
  {
    this->RefuseNonFiniteVoxels(region);
  }
  this->AllocateOutputs();

  const InputImageType * const input = this->GetInput();
  OutputImageType * const      output = this->GetOutput();
  std::atomic<SizeValueType>   floored{ 0 };
  const auto                   convert = [&](const OutputImageRegionType & part) {
    SizeValueType                           flooredHere = 0;
    ImageScanlineConstIterator<TInputImage> in(input, part);
    ImageScanlineIterator<TOutputImage>     out(output, part);
    for (; !in.IsAtEnd(); in.NextLine(), out.NextLine())
    {
      for (; !in.IsAtEndOfLine(); ++in, ++out)
      {
        const auto hounsfield = static_cast<double>(in.Get());
        flooredHere += HounsfieldAttenuationModel::IsFloored(hounsfield) ? 1 : 0;
        out.Set(static_cast<OutputPixelType>(model.Evaluate(hounsfield)));
      }
    }
    floored += flooredHere;
  };
  this->GetMultiThreader()->template ParallelizeImageRegion<TOutputImage::ImageDimension>(region, convert, this);
  m_NumberOfFlooredVoxels = floored;
}

template <typename TInputImage, typename TOutputImage>
void
HounsfieldToAttenuationImageFilter<TInputImage, TOutputImage>::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  const auto printStated = [&](const char * name, const std::optional<double> & value) {
    os << indent << name << ": ";
    value ? (os << *value) : (os << "(looked up)");
    os << std::endl;
  };
  os << indent << "Energy: " << m_ModelParameters.energy << " keV" << std::endl;
  os << indent << "CTEffectiveEnergy: " << m_ModelParameters.ctEffectiveEnergy << " keV" << std::endl;
  printStated("WaterAttenuation", m_ModelParameters.waterAttenuation);
  printStated("BoneAttenuation", m_ModelParameters.boneAttenuation);
  printStated("BoneHounsfield", m_ModelParameters.boneHounsfield);
  os << indent << "NumberOfFlooredVoxels: " << m_NumberOfFlooredVoxels << std::endl;
}

} // namespace itk

#endif
