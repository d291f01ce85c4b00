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
#include "itkTransmissionImageFilter.h"

#include "compute/TransmissionLauncher.h"
#include "projection/itkProjectionCall.h"
#include "stairs/itkHandDownThreads.h"
#include "transmission/itkDataStamp.h"
#include "transmission/itkOpenBeam.h"
#include "transmission/itkPixelViews.h"

#include <algorithm>
#include <ostream>

namespace itk
{
namespace
{

using radiography::compute::PixelView;
using radiography::compute::TransmissionOutputs;

enum OutputIndex : unsigned int
{
  TransmissionOutput = 0,
  CountsOutput = 1,
  LogTransmissionOutput = 2,
  RemovedOutput = 3
};

constexpr unsigned int NumberOfOutputs = 4;
const char * const     OpenBeamInput = "OpenBeamCounts";

// The shares of the progress bar.
constexpr float CheckWeight = 0.1f;
constexpr float EvaluationWeight = 0.8f;

const char *
OnOrOff(bool flag)
{
  return flag ? "On" : "Off";
}

} // namespace

std::ostream &
operator<<(std::ostream & out, TransmissionImageFilterEnums::OpenBeamForm value)
{
  using Form = TransmissionImageFilterEnums::OpenBeamForm;
  switch (value)
  {
    case Form::None:
      return out << "itk::TransmissionImageFilterEnums::OpenBeamForm::None";
    case Form::Number:
      return out << "itk::TransmissionImageFilterEnums::OpenBeamForm::Number";
    case Form::SharedImage:
      return out << "itk::TransmissionImageFilterEnums::OpenBeamForm::SharedImage";
    case Form::PixelImage:
      return out << "itk::TransmissionImageFilterEnums::OpenBeamForm::PixelImage";
  }
  return out << "INVALID VALUE FOR itk::TransmissionImageFilterEnums::OpenBeamForm";
}

TransmissionImageFilter::TransmissionImageFilter()
{
  this->SetNumberOfRequiredOutputs(NumberOfOutputs);
  for (unsigned int i = 0; i < NumberOfOutputs; ++i)
  {
    this->SetNthOutput(i, this->MakeOutput(i));
  }
}

TransmissionImageFilter::~TransmissionImageFilter() = default;

void
TransmissionImageFilter::SetOpenBeamCounts(double counts)
{
  this->ProcessObject::SetInput(OpenBeamInput, nullptr);
  m_OpenBeamCounts = RoundedToBinary32(counts);
  m_OpenBeamForm = OpenBeamFormEnum::Number;
  this->Modified();
}

void
TransmissionImageFilter::SetOpenBeamImage(const ImageType * image, OpenBeamFormEnum form)
{
  this->ProcessObject::SetInput(OpenBeamInput, const_cast<ImageType *>(image));
  m_OpenBeamCounts = 0.0;
  m_OpenBeamForm = image ? form : OpenBeamFormEnum::None;
  this->Modified();
}

void
TransmissionImageFilter::SetOpenBeamCountsImage(const ImageType * image)
{
  this->SetOpenBeamImage(image, OpenBeamFormEnum::PixelImage);
}

void
TransmissionImageFilter::SetSharedOpenBeamCountsImage(const ImageType * image)
{
  this->SetOpenBeamImage(image, OpenBeamFormEnum::SharedImage);
}

void
TransmissionImageFilter::ClearOpenBeamCounts()
{
  this->SetOpenBeamImage(nullptr, OpenBeamFormEnum::None);
}

const TransmissionImageFilter::ImageType *
TransmissionImageFilter::GetOpenBeamCountsImage() const
{
  return static_cast<const ImageType *>(this->ProcessObject::GetInput(OpenBeamInput));
}

TransmissionImageFilter::ImageType *
TransmissionImageFilter::GetTransmission()
{
  return this->GetOutput(TransmissionOutput);
}

TransmissionImageFilter::ImageType *
TransmissionImageFilter::GetCounts()
{
  return this->GetOutput(CountsOutput);
}

TransmissionImageFilter::ImageType *
TransmissionImageFilter::GetLogTransmission()
{
  return this->GetOutput(LogTransmissionOutput);
}

TransmissionImageFilter::ImageType *
TransmissionImageFilter::GetRemoved()
{
  return this->GetOutput(RemovedOutput);
}

std::array<bool, 4>
TransmissionImageFilter::WantedOutputs() const
{
  return { m_ComputeTransmission, m_ComputeCounts, m_ComputeLogTransmission, m_ComputeRemoved };
}

TransmissionImageFilter::ImageType *
TransmissionImageFilter::FirstWantedOutput()
{
  const auto wanted = this->WantedOutputs();
  const auto first = std::find(wanted.begin(), wanted.end(), true);
  // With none wanted the first output leads to the refusal in VerifyPreconditions().
  return this->GetOutput(first == wanted.end() ? 0 : static_cast<unsigned int>(first - wanted.begin()));
}

// The base class looks at the first output, which has no pixels when it is not asked for and would always be out of
// date.
void
TransmissionImageFilter::Update()
{
  this->FirstWantedOutput()->Update();
}

void
TransmissionImageFilter::UpdateLargestPossibleRegion()
{
  this->UpdateOutputInformation();
  this->FirstWantedOutput()->SetRequestedRegionToLargestPossibleRegion();
  this->Update();
}

void
TransmissionImageFilter::VerifyPreconditions() ITKv5_CONST
{
  Superclass::VerifyPreconditions();
  const auto wanted = this->WantedOutputs();
  if (std::none_of(wanted.begin(), wanted.end(), [](bool want) { return want; }))
  {
    itkExceptionMacro("No output is asked for. Switch on ComputeTransmission, ComputeCounts, ComputeLogTransmission or "
                      "ComputeRemoved.");
  }
  if (m_ComputeCounts && m_OpenBeamForm == OpenBeamFormEnum::None)
  {
    itkExceptionMacro("Counts are asked for without open-beam counts. Call SetOpenBeamCounts() or one of the two "
                      "methods for an image of them, or switch ComputeCounts off.");
  }
  if (m_OpenBeamForm == OpenBeamFormEnum::Number && !IsOpenBeamNumber(m_OpenBeamCounts))
  {
    itkExceptionMacro("" << ValidCounts << " in binary32; OpenBeamCounts is " << TextOf(m_OpenBeamCounts) << '.');
  }
}

void
TransmissionImageFilter::VerifyInputInformation() ITKv5_CONST
{
  const ImageType * const openBeam = this->GetOpenBeamCountsImage();
  if (m_OpenBeamForm == OpenBeamFormEnum::SharedImage)
  {
    // One pixel for all has no place in the world: only its size is looked at.
    if (openBeam->GetLargestPossibleRegion().GetNumberOfPixels() != 1)
    {
      itkExceptionMacro("The shared open-beam image is of size " << openBeam->GetLargestPossibleRegion().GetSize()
                                                                 << "; it must be one pixel. For one value per pixel "
                                                                    "call SetOpenBeamCountsImage().");
    }
    return;
  }
  if (m_OpenBeamForm == OpenBeamFormEnum::PixelImage &&
      openBeam->GetLargestPossibleRegion() != this->GetInput()->GetLargestPossibleRegion())
  {
    itkExceptionMacro("The open-beam image has the index and size "
                      << openBeam->GetLargestPossibleRegion().GetIndex() << ' '
                      << openBeam->GetLargestPossibleRegion().GetSize() << ", the depth image "
                      << this->GetInput()->GetLargestPossibleRegion().GetIndex() << ' '
                      << this->GetInput()->GetLargestPossibleRegion().GetSize()
                      << "; they must be the same. For one value for all pixels call SetOpenBeamCounts() or "
                         "SetSharedOpenBeamCountsImage().");
  }
  Superclass::VerifyInputInformation();
}

void
TransmissionImageFilter::GenerateInputRequestedRegion()
{
  Superclass::GenerateInputRequestedRegion();
  if (m_OpenBeamForm == OpenBeamFormEnum::SharedImage)
  {
    const_cast<ImageType *>(this->GetOpenBeamCountsImage())->SetRequestedRegionToLargestPossibleRegion();
  }
}

void
TransmissionImageFilter::RefuseBadValues(const OutputImageRegionType & region)
{
  // Always the whole set of inputs, so that a bad value is found whichever outputs are asked for.
  const auto refuse = [this](const ImageType & image, const OutputImageRegionType & part, const char * what) {
    const auto threads = HandDownThreads(*this, CheckWeight);
    const auto bad = radiography::compute::FindFirstInvalid(GridOf(part), ConstViewOf(image, part), threads);
    if (bad)
    {
      itkExceptionMacro("" << what << "; " << DescribePixel(part, *bad) << '.');
    }
  };
  refuse(*this->GetInput(), region, ValidDepths);
  if (const ImageType * const openBeam = this->GetOpenBeamCountsImage())
  {
    const bool shared = m_OpenBeamForm == OpenBeamFormEnum::SharedImage;
    refuse(*openBeam, shared ? openBeam->GetLargestPossibleRegion() : region, ValidCounts);
  }
}

void
TransmissionImageFilter::GenerateData()
{
  const auto                  policy = SelectPolicy({});
  const OutputImageRegionType region = this->FirstWantedOutput()->GetRequestedRegion();
  if (m_CheckInputs)
  {
    this->RefuseBadValues(region);
  }
  const auto grid = GridOf(region);
  const auto depths = ConstViewOf(*this->GetInput(), region);
  const auto openBeam = OpenBeamOver(region, m_OpenBeamForm, m_OpenBeamCounts, this->GetOpenBeamCountsImage());

  const auto                      wanted = this->WantedOutputs();
  std::array<PixelView<float>, 4> views{};
  for (unsigned int i = 0; i < NumberOfOutputs; ++i)
  {
    ImageType & output = *this->GetOutput(i);
    if (!wanted[i])
    {
      output.Initialize();
      continue;
    }
    output.SetBufferedRegion(region);
    output.Allocate();
    views[i] = ViewOf(output, region);
    const auto overlaps = [&](const PixelView<float> & other) { return SharesMemory(grid, other, views[i]); };
    if (SharesMemory(grid, depths, views[i]) || SharesMemory(grid, openBeam.pixels, views[i]) ||
        std::any_of(views.begin(), views.begin() + i, overlaps))
    {
      itkExceptionMacro("Output " << i << " shares memory with an input or another output. Give it its own buffer.");
    }
  }
  radiography::compute::EvaluateTransmission(
    grid,
    depths,
    openBeam,
    TransmissionOutputs{
      views[TransmissionOutput], views[CountsOutput], views[LogTransmissionOutput], views[RemovedOutput] },
    HandDownThreads(*this, EvaluationWeight),
    policy);
  m_Evaluated = this->CurrentInputs();
  m_KernelName = radiography::compute::TransmissionKernelName();
}

TransmissionImageFilter::InputsRead
TransmissionImageFilter::CurrentInputs() const
{
  const auto stampOf = [](const ImageType * image) {
    return image ? ImageRead{ image, StampOf(*image), image->GetLargestPossibleRegion() } : ImageRead{};
  };
  return { stampOf(this->GetInput()), stampOf(this->GetOpenBeamCountsImage()), m_OpenBeamForm, m_OpenBeamCounts };
}

void
TransmissionImageFilter::RefuseChangedInputs() const
{
  const InputsRead now = this->CurrentInputs();
  if (!m_Evaluated.depths.image)
  {
    itkExceptionMacro("The forward transmission has not been evaluated. Call its Update() first.");
  }
  const auto refuse = [this](const char * what, const ImageRead & before, const ImageRead & current) {
    if (before.image != current.image || before.region != current.region)
    {
      itkExceptionMacro("" << what << " is another one, or of another size, than the forward transmission evaluated: "
                           << before.region.GetSize() << " then, " << current.region.GetSize()
                           << " now. Call the forward's Update() again.");
    }
    if (before.stamp != current.stamp)
    {
      itkExceptionMacro(
        "" << what << " was modified or computed anew after the forward transmission was evaluated (time "
           << "stamp " << before.stamp << " then, " << current.stamp << " now). Call the forward's Update() again.");
    }
  };
  refuse("The depth image", m_Evaluated.depths, now.depths);
  refuse("The open-beam image", m_Evaluated.openBeam, now.openBeam);
  // Numbers are compared for being the same one, not for being close.
  if (m_Evaluated.form != now.form || m_Evaluated.number < now.number || now.number < m_Evaluated.number)
  {
    itkExceptionMacro("The open beam of the forward transmission was "
                      << m_Evaluated.form << ' ' << TextOf(m_Evaluated.number) << " when it was evaluated and is now "
                      << now.form << ' ' << TextOf(now.number) << ". Call the forward's Update() again.");
  }
}

void
TransmissionImageFilter::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "OpenBeamForm: " << m_OpenBeamForm << std::endl;
  os << indent << "OpenBeamCounts: " << m_OpenBeamCounts << std::endl;
  os << indent << "ComputeTransmission: " << OnOrOff(m_ComputeTransmission) << std::endl;
  os << indent << "ComputeCounts: " << OnOrOff(m_ComputeCounts) << std::endl;
  os << indent << "ComputeLogTransmission: " << OnOrOff(m_ComputeLogTransmission) << std::endl;
  os << indent << "ComputeRemoved: " << OnOrOff(m_ComputeRemoved) << std::endl;
  os << indent << "CheckInputs: " << OnOrOff(m_CheckInputs) << std::endl;
  os << indent << "KernelName: " << (m_KernelName.empty() ? "(none yet)" : m_KernelName) << std::endl;
  os << indent << "Evaluated depth image: " << m_Evaluated.depths.image << ", time stamp " << m_Evaluated.depths.stamp
     << std::endl;
  os << indent << "Evaluated open-beam image: " << m_Evaluated.openBeam.image << ", time stamp "
     << m_Evaluated.openBeam.stamp << std::endl;
  os << indent << "Evaluated open beam: " << m_Evaluated.form << ' ' << m_Evaluated.number << std::endl;
}

} // namespace itk
