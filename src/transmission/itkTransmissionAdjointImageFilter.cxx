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
#include "itkTransmissionAdjointImageFilter.h"

#include "compute/TransmissionAdjointLauncher.h"
#include "stairs/itkHandDownThreads.h"
#include "transmission/itkGradientMessages.h"
#include "transmission/itkOpenBeam.h"

#include <ostream>

namespace itk
{
namespace
{

using radiography::compute::FitsBinary32;
using radiography::compute::GradientViews;
using radiography::compute::TransmissionAdjointInputs;

enum OutputIndex : unsigned int
{
  DepthOutput = 0,
  OpenBeamOutput = 1
};

const char * const DepthInput = "Primary";
const char * const OpenBeamInput = "OpenBeamCounts";
const char * const TransmissionWeights = "TransmissionCotangent";
const char * const CountsWeights = "CountsCotangent";
const char * const LogTransmissionWeights = "LogTransmissionCotangent";
const char * const RemovedWeights = "RemovedCotangent";
const char * const AccumulatedDepth = "AccumulatedDepthCotangent";
const char * const AccumulatedOpenBeam = "AccumulatedOpenBeamCotangent";

// The shares of the progress bar.
constexpr float CheckWeight = 0.05f;
constexpr float RangeWeight = 0.1f;
constexpr float EvaluationWeight = 0.4f;

TransmissionAdjointInputs
InputsOver(const ImageRegion<3> & region, const TransmissionAdjointImageFilter & filter)
{
  return { ConstViewOf(*filter.GetInput(), region),
           OpenBeamOver(region, filter.GetOpenBeamForm(), filter.GetOpenBeamCounts(), filter.GetOpenBeamCountsImage()),
           { ViewOrNone(filter.GetTransmissionCotangent(), region),
             ViewOrNone(filter.GetCountsCotangent(), region),
             ViewOrNone(filter.GetLogTransmissionCotangent(), region),
             ViewOrNone(filter.GetRemovedCotangent(), region) } };
}

} // namespace

TransmissionAdjointImageFilter::TransmissionAdjointImageFilter()
{
  this->SetNumberOfRequiredOutputs(2);
  this->SetNthOutput(DepthOutput, this->MakeOutput(DepthOutput));
  this->SetNthOutput(OpenBeamOutput, this->MakeOutput(OpenBeamOutput));
  this->AddPrimal(DepthInput, "The depth image");
  this->AddPrimal(OpenBeamInput, "The open-beam image");
  this->AddCotangent(TransmissionWeights);
  this->AddCotangent(CountsWeights);
  this->AddCotangent(LogTransmissionWeights);
  this->AddCotangent(RemovedWeights);
  this->AddAccumulator(DepthOutput, AccumulatedDepth);
  this->AddAccumulator(OpenBeamOutput, AccumulatedOpenBeam);
}

TransmissionAdjointImageFilter::~TransmissionAdjointImageFilter() = default;

void
TransmissionAdjointImageFilter::SetForward(const TransmissionImageFilter * forward)
{
  if (forward)
  {
    this->SetInput(forward->GetInput());
    this->SetOpenBeamImage(forward->GetOpenBeamCountsImage(), forward->GetOpenBeamForm());
    m_OpenBeamForm = forward->GetOpenBeamForm();
    m_OpenBeamCounts = forward->GetOpenBeamCounts();
  }
  m_Forward = forward;
  this->Modified();
}

void
TransmissionAdjointImageFilter::RefuseOtherInputsThanForward() const
{
  if (!m_Forward)
  {
    return;
  }
  const bool sameNumber =
    !(m_OpenBeamCounts < m_Forward->GetOpenBeamCounts()) && !(m_OpenBeamCounts > m_Forward->GetOpenBeamCounts());
  if (this->GetInput() != m_Forward->GetInput() || m_OpenBeamForm != m_Forward->GetOpenBeamForm() || !sameNumber ||
      this->GetOpenBeamCountsImage() != m_Forward->GetOpenBeamCountsImage())
  {
    itkExceptionMacro(
      "The depth image or the open beam is no longer that of the forward transmission. Call SetForward() "
      "again, or SetForward(nullptr) to go on without it.");
  }
}

void
TransmissionAdjointImageFilter::SetOpenBeamCounts(double counts)
{
  this->SetImage(OpenBeamInput, nullptr);
  m_OpenBeamCounts = RoundedToBinary32(counts);
  m_OpenBeamForm = OpenBeamFormEnum::Number;
  this->Modified();
}

void
TransmissionAdjointImageFilter::SetOpenBeamImage(const ImageType * image, OpenBeamFormEnum form)
{
  this->SetImage(OpenBeamInput, image);
  m_OpenBeamCounts = 0.0;
  m_OpenBeamForm = image ? form : OpenBeamFormEnum::None;
  this->Modified();
}

void
TransmissionAdjointImageFilter::SetOpenBeamCountsImage(const ImageType * image)
{
  this->SetOpenBeamImage(image, OpenBeamFormEnum::PixelImage);
}

void
TransmissionAdjointImageFilter::SetSharedOpenBeamCountsImage(const ImageType * image)
{
  this->SetOpenBeamImage(image, OpenBeamFormEnum::SharedImage);
}

const TransmissionAdjointImageFilter::ImageType *
TransmissionAdjointImageFilter::GetOpenBeamCountsImage() const
{
  return this->GetImage(OpenBeamInput);
}

void
TransmissionAdjointImageFilter::ClearOpenBeamCounts()
{
  this->SetOpenBeamImage(nullptr, OpenBeamFormEnum::None);
}

void
TransmissionAdjointImageFilter::SetTransmissionCotangent(const ImageType * image)
{
  this->SetImage(TransmissionWeights, image);
}

const TransmissionAdjointImageFilter::ImageType *
TransmissionAdjointImageFilter::GetTransmissionCotangent() const
{
  return this->GetImage(TransmissionWeights);
}

void
TransmissionAdjointImageFilter::SetCountsCotangent(const ImageType * image)
{
  this->SetImage(CountsWeights, image);
}

const TransmissionAdjointImageFilter::ImageType *
TransmissionAdjointImageFilter::GetCountsCotangent() const
{
  return this->GetImage(CountsWeights);
}

void
TransmissionAdjointImageFilter::SetLogTransmissionCotangent(const ImageType * image)
{
  this->SetImage(LogTransmissionWeights, image);
}

const TransmissionAdjointImageFilter::ImageType *
TransmissionAdjointImageFilter::GetLogTransmissionCotangent() const
{
  return this->GetImage(LogTransmissionWeights);
}

void
TransmissionAdjointImageFilter::SetRemovedCotangent(const ImageType * image)
{
  this->SetImage(RemovedWeights, image);
}

const TransmissionAdjointImageFilter::ImageType *
TransmissionAdjointImageFilter::GetRemovedCotangent() const
{
  return this->GetImage(RemovedWeights);
}

void
TransmissionAdjointImageFilter::SetAccumulatedDepthCotangent(const ImageType * image)
{
  this->SetImage(AccumulatedDepth, image);
}

const TransmissionAdjointImageFilter::ImageType *
TransmissionAdjointImageFilter::GetAccumulatedDepthCotangent() const
{
  return this->GetImage(AccumulatedDepth);
}

void
TransmissionAdjointImageFilter::SetAccumulatedOpenBeamCotangent(const ImageType * image)
{
  this->SetImage(AccumulatedOpenBeam, image);
}

const TransmissionAdjointImageFilter::ImageType *
TransmissionAdjointImageFilter::GetAccumulatedOpenBeamCotangent() const
{
  return this->GetImage(AccumulatedOpenBeam);
}

TransmissionAdjointImageFilter::ImageType *
TransmissionAdjointImageFilter::GetDepthCotangent()
{
  return this->GetOutput(DepthOutput);
}

TransmissionAdjointImageFilter::ImageType *
TransmissionAdjointImageFilter::GetOpenBeamCotangent()
{
  return this->GetOutput(OpenBeamOutput);
}

bool
TransmissionAdjointImageFilter::IsOnePixel(const std::string & inputName) const
{
  return m_OpenBeamForm == OpenBeamFormEnum::SharedImage &&
         (inputName == OpenBeamInput || inputName == AccumulatedOpenBeam);
}

bool
TransmissionAdjointImageFilter::NeedsWholeImage() const
{
  return m_OpenBeamActive && m_OpenBeamForm == OpenBeamFormEnum::SharedImage;
}

bool
TransmissionAdjointImageFilter::IsWanted(unsigned int output) const
{
  return output == DepthOutput || m_OpenBeamActive;
}

void
TransmissionAdjointImageFilter::VerifyPreconditions() ITKv5_CONST
{
  Superclass::VerifyPreconditions();
  this->RefuseOtherInputsThanForward();
  if (m_OpenBeamForm == OpenBeamFormEnum::Number && !IsOpenBeamNumber(m_OpenBeamCounts))
  {
    itkExceptionMacro("" << ValidCounts << " in binary32; OpenBeamCounts is " << TextOf(m_OpenBeamCounts) << '.');
  }
  if (this->GetCountsCotangent() && m_OpenBeamForm == OpenBeamFormEnum::None)
  {
    itkExceptionMacro(
      "A counts cotangent is given without open-beam counts. Call SetOpenBeamCounts() or one of the two "
      "methods for an image of them.");
  }
  if (m_OpenBeamActive && !this->GetOpenBeamCountsImage())
  {
    itkExceptionMacro("The open beam is active, but of the form "
                      << m_OpenBeamForm
                      << ", which is never differentiated. Give an image of "
                         "it, or call OpenBeamActiveOff().");
  }
  if (this->GetAccumulatedOpenBeamCotangent() && !m_OpenBeamActive)
  {
    itkExceptionMacro("An accumulated open-beam cotangent is given, but the open beam is not active. Call "
                      "OpenBeamActiveOn() or take it away.");
  }
}

void
TransmissionAdjointImageFilter::GenerateOutputInformation()
{
  Superclass::GenerateOutputInformation();
  if (m_OpenBeamActive)
  {
    this->GetOpenBeamCotangent()->CopyInformation(this->GetOpenBeamCountsImage());
  }
}

void
TransmissionAdjointImageFilter::GenerateData()
{
  // Only now are the inputs up to date, and the forward too where the cotangents depend on it.
  if (m_Forward)
  {
    m_Forward->RefuseChangedInputs();
  }
  Superclass::GenerateData();
}

void
TransmissionAdjointImageFilter::RefuseBadPrimals(const RegionType & region)
{
  const auto refuse = [this](const ImageType & image, const RegionType & part, const char * what) {
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
    refuse(*openBeam, this->IsOnePixel(OpenBeamInput) ? openBeam->GetLargestPossibleRegion() : region, ValidCounts);
  }
}

void
TransmissionAdjointImageFilter::RefuseGradientsOutOfRange(const RegionType & region)
{
  const auto refuse = [this](const char * what, const RegionType & part, const auto & bad) {
    if (bad)
    {
      itkExceptionMacro("" << DescribeGradient(what, part, *bad));
    }
  };
  const auto grid = GridOf(region);
  const auto inputs = InputsOver(region, *this);
  const auto threads = HandDownThreads(*this, RangeWeight);
  refuse("depth cotangent",
         region,
         FindDepthCotangentOutOfRange(grid, inputs, ViewOrNone(this->GetAccumulatedDepthCotangent(), region), threads));
  if (!m_OpenBeamActive)
  {
    return;
  }
  const ImageType * const accumulated = this->GetAccumulatedOpenBeamCotangent();
  if (!this->NeedsWholeImage())
  {
    refuse("open-beam cotangent",
           region,
           FindOpenBeamCotangentOutOfRange(grid, inputs, ViewOrNone(accumulated, region), threads));
    return;
  }
  const double before = accumulated ? static_cast<double>(*accumulated->GetBufferPointer()) : 0.0;
  m_SharedOpenBeamCotangent = before + SumOpenBeamCotangent(grid, inputs, HandDownThreads(*this, EvaluationWeight));
  if (!FitsBinary32(m_SharedOpenBeamCotangent))
  {
    itkExceptionMacro("The open-beam cotangent, summed over all pixels, is " << TextOf(m_SharedOpenBeamCotangent)
                                                                             << GradientRangeRemedy);
  }
}

void
TransmissionAdjointImageFilter::WriteGradients(const RegionType & region)
{
  const bool    perPixel = m_OpenBeamActive && !this->NeedsWholeImage();
  GradientViews openBeam{};
  if (perPixel)
  {
    openBeam = { ViewOrNone(this->GetAccumulatedOpenBeamCotangent(), region),
                 ViewOf(*this->GetOpenBeamCotangent(), region) };
  }
  EvaluateTransmissionAdjoint(
    GridOf(region),
    InputsOver(region, *this),
    { ViewOrNone(this->GetAccumulatedDepthCotangent(), region), ViewOf(*this->GetDepthCotangent(), region) },
    openBeam,
    HandDownThreads(*this, EvaluationWeight));
  if (this->NeedsWholeImage())
  {
    *this->GetOpenBeamCotangent()->GetBufferPointer() = static_cast<float>(m_SharedOpenBeamCotangent);
  }
}

void
TransmissionAdjointImageFilter::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "Forward: " << m_Forward.GetPointer() << std::endl;
  os << indent << "OpenBeamForm: " << m_OpenBeamForm << std::endl;
  os << indent << "OpenBeamCounts: " << m_OpenBeamCounts << std::endl;
  os << indent << "OpenBeamActive: " << (m_OpenBeamActive ? "On" : "Off") << std::endl;
  os << indent << "SharedOpenBeamCotangent: " << m_SharedOpenBeamCotangent << std::endl;
}

} // namespace itk
