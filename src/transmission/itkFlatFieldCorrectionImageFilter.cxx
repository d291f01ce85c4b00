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
#include "itkFlatFieldCorrectionImageFilter.h"

#include "compute/FlatFieldCorrection.h"
#include "stairs/itkHandDownThreads.h"
#include "transmission/itkPixelViews.h"

#include <algorithm>
#include <cmath>
#include <ostream>

namespace itk
{
namespace
{

using radiography::compute::FlatFieldInputs;
using radiography::compute::FlatFieldOutputs;
using radiography::compute::PixelView;

enum OutputIndex : unsigned int
{
  CorrectedTransmissionOutput = 0,
  ApparentDepthOutput = 1,
  MaskOutput = 2,
  VarianceOutput = 3
};

constexpr unsigned int NumberOfOutputs = 4;

// The shares of the progress bar.
constexpr float CheckWeight = 0.05f;
constexpr float RangeWeight = 0.25f;
constexpr float EvaluationWeight = 0.6f;

const char *
OnOrOff(bool flag)
{
  return flag ? "On" : "Off";
}

// The pixels of an output that was asked for, else nothing.
template <typename TPixel>
PixelView<TPixel>
ViewIfWanted(Image<TPixel, 3> & image, const ImageRegion<3> & region, bool wanted)
{
  if (!wanted)
  {
    return {};
  }
  const OffsetValueType * const strides = image.GetOffsetTable();
  return { image.GetBufferPointer() + image.ComputeOffset(region.GetIndex()), strides[1], strides[2] };
}

FlatFieldInputs
InputsOf(const FlatFieldCorrectionImageFilter & filter, const ImageRegion<3> & region)
{
  return { ConstViewOf(*filter.GetInput(), region),
           ConstViewOf(*filter.GetDarkImage(), region),
           ConstViewOf(*filter.GetFlatImage(), region) };
}

radiography::kernel::ReadingNoise
NoiseOf(const FlatFieldCorrectionImageFilter & filter)
{
  return { filter.GetGain(),
           filter.GetElectronicVariance(),
           static_cast<double>(filter.GetNumberOfDarkFrames()),
           static_cast<double>(filter.GetNumberOfFlatFrames()) };
}

} // namespace

std::ostream &
operator<<(std::ostream & out, FlatFieldCorrectionImageFilterEnums::PixelStatus value)
{
  static const char * const names[] = { "FlatNotAboveDark", "Valid", "AboveOne", "NotPositive" };
  return out << "itk::FlatFieldCorrectionImageFilterEnums::PixelStatus::" << names[static_cast<unsigned int>(value)];
}

FlatFieldCorrectionImageFilter::FlatFieldCorrectionImageFilter()
{
  this->AddRequiredInputName("DarkImage");
  this->AddRequiredInputName("FlatImage");
  this->SetNumberOfRequiredOutputs(NumberOfOutputs);
  for (unsigned int i = 0; i < NumberOfOutputs; ++i)
  {
    this->SetNthOutput(i, this->MakeOutput(i));
  }
}

FlatFieldCorrectionImageFilter::~FlatFieldCorrectionImageFilter() = default;

DataObject::Pointer
FlatFieldCorrectionImageFilter::MakeOutput(DataObjectPointerArraySizeType output)
{
  return output == MaskOutput ? DataObject::Pointer(MaskType::New().GetPointer()) : Superclass::MakeOutput(output);
}

FlatFieldCorrectionImageFilter::ImageType *
FlatFieldCorrectionImageFilter::GetCorrectedTransmission()
{
  return this->GetOutput(CorrectedTransmissionOutput);
}

FlatFieldCorrectionImageFilter::ImageType *
FlatFieldCorrectionImageFilter::GetApparentDepth()
{
  return this->GetOutput(ApparentDepthOutput);
}

FlatFieldCorrectionImageFilter::MaskType *
FlatFieldCorrectionImageFilter::GetMask()
{
  return static_cast<MaskType *>(this->ProcessObject::GetOutput(MaskOutput));
}

FlatFieldCorrectionImageFilter::ImageType *
FlatFieldCorrectionImageFilter::GetVariance()
{
  return this->GetOutput(VarianceOutput);
}

std::array<bool, 4>
FlatFieldCorrectionImageFilter::WantedOutputs() const
{
  return { m_ComputeCorrectedTransmission, m_ComputeApparentDepth, m_ComputeMask, m_ComputeVariance };
}

ImageBase<3> *
FlatFieldCorrectionImageFilter::FirstWantedOutput()
{
  const auto wanted = this->WantedOutputs();
  const auto first = std::find(wanted.begin(), wanted.end(), true);
  // With none wanted the first output leads to the refusal in VerifyPreconditions().
  const auto output = first == wanted.end() ? 0 : static_cast<unsigned int>(first - wanted.begin());
  return static_cast<ImageBase<3> *>(this->ProcessObject::GetOutput(output));
}

// The base class looks at the first output, which has no pixels when it is not asked for and would always be out of
// date.
void
FlatFieldCorrectionImageFilter::Update()
{
  this->FirstWantedOutput()->Update();
}

void
FlatFieldCorrectionImageFilter::UpdateLargestPossibleRegion()
{
  this->UpdateOutputInformation();
  this->FirstWantedOutput()->SetRequestedRegionToLargestPossibleRegion();
  this->Update();
}

void
FlatFieldCorrectionImageFilter::RefuseBadNoise() const
{
  if (!(std::isfinite(m_Gain) && m_Gain > 0.0))
  {
    itkExceptionMacro("The variance needs a gain, a finite number of detector units per photon above 0; Gain is "
                      << TextOf(m_Gain) << '.');
  }
  if (!(std::isfinite(m_ElectronicVariance) && m_ElectronicVariance >= 0.0))
  {
    itkExceptionMacro("ElectronicVariance is " << TextOf(m_ElectronicVariance)
                                               << "; give a finite number that is not negative.");
  }
  if (m_NumberOfDarkFrames == 0 || m_NumberOfFlatFrames == 0)
  {
    itkExceptionMacro("NumberOfDarkFrames is " << m_NumberOfDarkFrames << " and NumberOfFlatFrames "
                                               << m_NumberOfFlatFrames << "; each image is made of at least 1 frame.");
  }
}

void
FlatFieldCorrectionImageFilter::VerifyPreconditions() ITKv5_CONST
{
  Superclass::VerifyPreconditions();
  const auto wanted = this->WantedOutputs();
  if (std::none_of(wanted.begin(), wanted.end(), [](bool want) { return want; }))
  {
    itkExceptionMacro("No output is asked for. Switch on ComputeCorrectedTransmission, ComputeApparentDepth, "
                      "ComputeMask or ComputeVariance.");
  }
  if (m_ComputeVariance)
  {
    this->RefuseBadNoise();
  }
}

void
FlatFieldCorrectionImageFilter::VerifyInputInformation() ITKv5_CONST
{
  const auto region = this->GetInput()->GetLargestPossibleRegion();
  const auto refuse = [this, &region](const ImageType & other, const char * name) {
    if (other.GetLargestPossibleRegion() != region)
    {
      itkExceptionMacro("The " << name << " image has the index and size "
                               << other.GetLargestPossibleRegion().GetIndex() << ' '
                               << other.GetLargestPossibleRegion().GetSize() << ", the raw image " << region.GetIndex()
                               << ' ' << region.GetSize() << "; they must be the same.");
    }
  };
  refuse(*this->GetDarkImage(), "dark");
  refuse(*this->GetFlatImage(), "flat");
  Superclass::VerifyInputInformation();
}

void
FlatFieldCorrectionImageFilter::RefuseBadReadings(const ImageType & image, const char * name)
{
  const auto region = this->FirstWantedOutput()->GetRequestedRegion();
  const auto bad = radiography::compute::FindFirstNonFinite(
    GridOf(region), ConstViewOf(image, region), HandDownThreads(*this, CheckWeight));
  if (bad)
  {
    itkExceptionMacro("Readings are finite; in the " << name << " image " << DescribePixel(region, *bad) << '.');
  }
}

void
FlatFieldCorrectionImageFilter::RefuseResultsOutOfRange()
{
  const auto region = this->FirstWantedOutput()->GetRequestedRegion();
  const auto bad = radiography::compute::FindFlatFieldOutOfRange(
    GridOf(region), InputsOf(*this, region), NoiseOf(*this), m_ComputeVariance, HandDownThreads(*this, RangeWeight));
  if (bad)
  {
    itkExceptionMacro("The result for " << DescribePlace(region, bad->column, bad->row, bad->slice)
                                        << " does not fit binary32: its readings are raw " << TextOf(bad->readings.raw)
                                        << ", dark " << TextOf(bad->readings.dark) << ", flat "
                                        << TextOf(bad->readings.flat) << '.');
  }
}

void
FlatFieldCorrectionImageFilter::AllocateWantedOutputs()
{
  const auto region = this->FirstWantedOutput()->GetRequestedRegion();
  const auto wanted = this->WantedOutputs();
  for (unsigned int i = 0; i < NumberOfOutputs; ++i)
  {
    auto & output = *static_cast<ImageBase<3> *>(this->ProcessObject::GetOutput(i));
    if (!wanted[i])
    {
      output.Initialize();
      continue;
    }
    output.SetBufferedRegion(region);
    output.Allocate();
  }
}

void
FlatFieldCorrectionImageFilter::GenerateData()
{
  this->RefuseBadReadings(*this->GetInput(), "raw");
  this->RefuseBadReadings(*this->GetDarkImage(), "dark");
  this->RefuseBadReadings(*this->GetFlatImage(), "flat");
  this->RefuseResultsOutOfRange();

  this->AllocateWantedOutputs();
  const auto             region = this->FirstWantedOutput()->GetRequestedRegion();
  const FlatFieldOutputs outputs{ ViewIfWanted(
                                    *this->GetCorrectedTransmission(), region, m_ComputeCorrectedTransmission),
                                  ViewIfWanted(*this->GetApparentDepth(), region, m_ComputeApparentDepth),
                                  ViewIfWanted(*this->GetMask(), region, m_ComputeMask),
                                  ViewIfWanted(*this->GetVariance(), region, m_ComputeVariance) };

  const auto grid = GridOf(region);
  const auto inputs = InputsOf(*this, region);
  const auto overlaps = [&](const auto & output) {
    return SharesMemory(grid, inputs.raw, output) || SharesMemory(grid, inputs.dark, output) ||
           SharesMemory(grid, inputs.flat, output);
  };
  if (overlaps(outputs.transmission) || overlaps(outputs.depth) || overlaps(outputs.mask) || overlaps(outputs.variance))
  {
    itkExceptionMacro("An output shares memory with an input. Give it its own buffer.");
  }
  const auto counts = radiography::compute::CorrectFlatField(
    grid, inputs, NoiseOf(*this), outputs, HandDownThreads(*this, EvaluationWeight));
  m_NumberOfFlatNotAboveDarkPixels = static_cast<SizeValueType>(counts.flatNotAboveDark);
  m_NumberOfValidPixels = static_cast<SizeValueType>(counts.valid);
  m_NumberOfAboveOnePixels = static_cast<SizeValueType>(counts.aboveOne);
  m_NumberOfNotPositivePixels = static_cast<SizeValueType>(counts.notPositive);
}

void
FlatFieldCorrectionImageFilter::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "ComputeCorrectedTransmission: " << OnOrOff(m_ComputeCorrectedTransmission) << std::endl;
  os << indent << "ComputeApparentDepth: " << OnOrOff(m_ComputeApparentDepth) << std::endl;
  os << indent << "ComputeMask: " << OnOrOff(m_ComputeMask) << std::endl;
  os << indent << "ComputeVariance: " << OnOrOff(m_ComputeVariance) << std::endl;
  os << indent << "Gain: " << m_Gain << std::endl;
  os << indent << "ElectronicVariance: " << m_ElectronicVariance << std::endl;
  os << indent << "NumberOfDarkFrames: " << m_NumberOfDarkFrames << std::endl;
  os << indent << "NumberOfFlatFrames: " << m_NumberOfFlatFrames << std::endl;
  os << indent << "NumberOfFlatNotAboveDarkPixels: " << m_NumberOfFlatNotAboveDarkPixels << std::endl;
  os << indent << "NumberOfValidPixels: " << m_NumberOfValidPixels << std::endl;
  os << indent << "NumberOfAboveOnePixels: " << m_NumberOfAboveOnePixels << std::endl;
  os << indent << "NumberOfNotPositivePixels: " << m_NumberOfNotPositivePixels << std::endl;
}

} // namespace itk
