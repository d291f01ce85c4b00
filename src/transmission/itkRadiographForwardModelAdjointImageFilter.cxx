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
#include "itkRadiographForwardModelAdjointImageFilter.h"

#include "projection/itkProjectionCall.h"
#include "stairs/itkSamePlace.h"
#include "transmission/itkDataStamp.h"
#include "transmission/itkInnerFilter.h"
#include "transmission/itkSubrayProjectionAdjoint.h"

#include "itkDetectorResponseAdjointImageFilter.h"
#include "itkTransmissionAdjointImageFilter.h"

#include <algorithm>
#include <ostream>

namespace itk
{
namespace
{

enum OutputIndex : unsigned int
{
  MuOutput = 0,
  OpenBeamOutput = 1
};

const char * const OpenBeamInput = "OpenBeamCounts";
const char * const CotangentInputs[] = { "ReadingCotangent", "CountsCotangent", "DepthCotangent" };

// The shares of the progress bar; the projection has the rest.
constexpr float DetectorWeight = 0.05f;
constexpr float TransmissionWeight = 0.05f;

const char *
OnOrOff(bool flag)
{
  return flag ? "On" : "Off";
}

Image<float, 3>::Pointer
ZerosLike(const Image<float, 3> & image)
{
  const auto zeros = Image<float, 3>::New();
  zeros->CopyInformation(&image);
  zeros->SetRegions(image.GetLargestPossibleRegion());
  zeros->Allocate(true);
  return zeros;
}

} // namespace

struct RadiographForwardModelAdjointImageFilter::Results
{
  double             gain{ 0.0 };
  double             scatter{ 0.0 };
  double             offset{ 0.0 };
  ImageType::Pointer openBeam;
};

RadiographForwardModelAdjointImageFilter::RadiographForwardModelAdjointImageFilter()
{
  this->SetNumberOfRequiredOutputs(2);
  this->SetNthOutput(MuOutput, this->MakeOutput(MuOutput));
  this->SetNthOutput(OpenBeamOutput, this->MakeOutput(OpenBeamOutput));
}

RadiographForwardModelAdjointImageFilter::~RadiographForwardModelAdjointImageFilter() = default;

void
RadiographForwardModelAdjointImageFilter::SetForward(const RadiographForwardModel * forward)
{
  this->SetInput(forward ? forward->GetInput() : nullptr);
  this->ProcessObject::SetInput(OpenBeamInput,
                                forward ? const_cast<ImageType *>(forward->GetOpenBeamCountsImage()) : nullptr);
  m_Forward = forward;
  this->Modified();
}

RadiographForwardModelAdjointImageFilter::ImageType *
RadiographForwardModelAdjointImageFilter::GetMuCotangent()
{
  return this->GetOutput(MuOutput);
}

RadiographForwardModelAdjointImageFilter::ImageType *
RadiographForwardModelAdjointImageFilter::GetOpenBeamCotangent()
{
  return this->GetOutput(OpenBeamOutput);
}

ModifiedTimeType
RadiographForwardModelAdjointImageFilter::GetMTime() const
{
  const ModifiedTimeType own = Superclass::GetMTime();
  return m_Forward ? std::max<ModifiedTimeType>(own, m_Forward->GetReadings()->GetUpdateMTime()) : own;
}

void
RadiographForwardModelAdjointImageFilter::VerifyPreconditions() ITKv5_CONST
{
  if (!m_Forward)
  {
    itkExceptionMacro("There is no forward model. Call SetForward().");
  }
  Superclass::VerifyPreconditions();
  const DataObject * const openBeam = this->ProcessObject::GetInput(OpenBeamInput);
  if (this->GetInput() != m_Forward->GetInput() || openBeam != m_Forward->GetOpenBeamCountsImage())
  {
    itkExceptionMacro("The image of mu or of the open beam is no longer that of the forward model. Call SetForward() "
                      "again.");
  }
  RefuseSecondDerivative(this->GetInput(), "The image of mu", this->GetNameOfClass());
  RefuseSecondDerivative(openBeam, "The open-beam image", this->GetNameOfClass());
  if (!this->GetReadingCotangent() && !this->GetCountsCotangent() && !this->GetDepthCotangent())
  {
    itkExceptionMacro(
      "No cotangent is given. Call SetReadingCotangent(), SetCountsCotangent() or SetDepthCotangent().");
  }
  if (m_OpenBeamActive && !openBeam)
  {
    itkExceptionMacro("The open beam is active, but of the form "
                      << m_Forward->GetOpenBeamForm()
                      << ", which is never differentiated. Give the forward model an image of it, or call "
                         "OpenBeamActiveOff().");
  }
  if (this->GetAccumulatedOpenBeamCotangent() && !m_OpenBeamActive)
  {
    itkExceptionMacro("An accumulated open-beam cotangent is given, but the open beam is not active. Call "
                      "OpenBeamActiveOn() or take it away.");
  }
}

// The superclass wants all image inputs in one place: mu lies in the patient, the cotangents on the detector.
void
RadiographForwardModelAdjointImageFilter::VerifyInputInformation() ITKv5_CONST
{
  for (const char * const name : CotangentInputs)
  {
    if (const auto * const image = static_cast<const ImageType *>(this->ProcessObject::GetInput(name)))
    {
      RefuseOtherGrid(
        *image, *m_Forward->GetGeometry(), this->GetCoordinateTolerance(), this->GetDirectionTolerance(), name);
    }
  }
  const ImageType * const accumulated = this->GetAccumulatedMuCotangent();
  if (accumulated &&
      (accumulated->GetLargestPossibleRegion() != this->GetInput()->GetLargestPossibleRegion() ||
       !IsSamePlace(*this->GetInput(), *accumulated, this->GetCoordinateTolerance(), this->GetDirectionTolerance())))
  {
    itkExceptionMacro("AccumulatedMuCotangent, of size "
                      << accumulated->GetLargestPossibleRegion().GetSize()
                      << ", does not lie on the grid of mu, of size "
                      << this->GetInput()->GetLargestPossibleRegion().GetSize()
                      << ": index, size, origin, spacing and direction must be the same.");
  }
}

void
RadiographForwardModelAdjointImageFilter::GenerateOutputInformation()
{
  Superclass::GenerateOutputInformation();
  if (m_OpenBeamActive)
  {
    this->GetOpenBeamCotangent()->CopyInformation(this->ProcessObject::GetInput(OpenBeamInput));
  }
}

void
RadiographForwardModelAdjointImageFilter::EnlargeOutputRequestedRegion(DataObject * output)
{
  output->SetRequestedRegionToLargestPossibleRegion();
}

void
RadiographForwardModelAdjointImageFilter::GenerateOutputRequestedRegion(DataObject *)
{
  this->GetMuCotangent()->SetRequestedRegionToLargestPossibleRegion();
  this->GetOpenBeamCotangent()->SetRequestedRegionToLargestPossibleRegion();
}

void
RadiographForwardModelAdjointImageFilter::GenerateInputRequestedRegion()
{
  for (const auto & name : this->GetInputNames())
  {
    if (DataObject * const input = this->ProcessObject::GetInput(name))
    {
      input->SetRequestedRegionToLargestPossibleRegion();
    }
  }
}

void
RadiographForwardModelAdjointImageFilter::RefuseConsumedCotangents() const
{
  for (const char * const name : CotangentInputs)
  {
    const DataObject * const image = this->ProcessObject::GetInput(name);
    if (image && !m_RetainCotangents && m_Consumed.count(StampOf(*image)) > 0)
    {
      itkExceptionMacro("" << name
                           << " was consumed by an earlier execution and has not been modified since. Give a new "
                           << "image, or call Modified() on this one after new values are in it; to use the same "
                           << "values again, call RetainCotangentsOn().");
    }
  }
}

void
RadiographForwardModelAdjointImageFilter::NoteConsumedCotangents()
{
  for (const char * const name : CotangentInputs)
  {
    const DataObject * const image = this->ProcessObject::GetInput(name);
    if (image && !m_RetainCotangents)
    {
      m_Consumed.insert(StampOf(*image));
    }
  }
}

// The cotangent of the counts, from those of readings and counts.
RadiographForwardModelAdjointImageFilter::ImageType::Pointer
RadiographForwardModelAdjointImageFilter::PullBackDetector(Results & results)
{
  const ImageType * const given = this->GetCountsCotangent();
  if (!this->GetReadingCotangent())
  {
    return given ? WithoutPipeline(*given) : ZerosLike(*m_Forward->GetCounts());
  }
  const auto adjoint = DetectorResponseAdjointImageFilter::New();
  adjoint->SetInput(WithoutPipeline(*m_Forward->GetCounts()));
  adjoint->SetGain(m_Forward->GetGain());
  adjoint->SetScatter(m_Forward->GetScatter());
  adjoint->SetReadingCotangent(WithoutPipeline(*this->GetReadingCotangent()));
  adjoint->SetAccumulatedCountsCotangent(given ? WithoutPipeline(*given).GetPointer() : nullptr);
  UpdateInside(*this, *adjoint, DetectorWeight);
  results.gain = adjoint->GetGainCotangent();
  results.scatter = adjoint->GetScatterCotangent();
  results.offset = adjoint->GetOffsetCotangent();
  return WithoutPipeline(*adjoint->GetCountsCotangent());
}

// The cotangent of the depths, from those of counts and depths.
RadiographForwardModelAdjointImageFilter::ImageType::Pointer
RadiographForwardModelAdjointImageFilter::PullBackTransmission(ImageType * countsCotangent, Results & results)
{
  using OpenBeamForm = TransmissionImageFilterEnums::OpenBeamForm;
  const auto adjoint = TransmissionAdjointImageFilter::New();
  adjoint->SetInput(WithoutPipeline(*m_Forward->GetDepth()));
  if (const ImageType * const openBeam = m_Forward->GetOpenBeamCountsImage())
  {
    const bool isShared = m_Forward->GetOpenBeamForm() == OpenBeamForm::SharedImage;
    const auto image = WithoutPipeline(*openBeam);
    isShared ? adjoint->SetSharedOpenBeamCountsImage(image) : adjoint->SetOpenBeamCountsImage(image);
  }
  else
  {
    adjoint->SetOpenBeamCounts(m_Forward->GetOpenBeamCounts());
  }
  const auto copyOrNone = [](const ImageType * image) { return image ? WithoutPipeline(*image) : nullptr; };
  adjoint->SetOpenBeamActive(m_OpenBeamActive);
  adjoint->SetCountsCotangent(countsCotangent);
  adjoint->SetAccumulatedDepthCotangent(copyOrNone(this->GetDepthCotangent()));
  adjoint->SetAccumulatedOpenBeamCotangent(copyOrNone(this->GetAccumulatedOpenBeamCotangent()));
  UpdateInside(*this, *adjoint, TransmissionWeight);
  results.openBeam = m_OpenBeamActive ? WithoutPipeline(*adjoint->GetOpenBeamCotangent()) : nullptr;
  return WithoutPipeline(*adjoint->GetDepthCotangent());
}

void
RadiographForwardModelAdjointImageFilter::GenerateData()
{
  m_Forward->RefuseOutdatedOutputs();
  this->RefuseConsumedCotangents();
  Results    results;
  const auto countsCotangent = this->PullBackDetector(results);
  const auto depthCotangent = this->PullBackTransmission(countsCotangent, results);
  const auto muCotangent =
    SubrayProjectionAdjoint(*this, *m_Forward).Run(*depthCotangent, this->GetAccumulatedMuCotangent());

  this->GraftNthOutput(MuOutput, muCotangent);
  if (m_OpenBeamActive)
  {
    this->GraftNthOutput(OpenBeamOutput, results.openBeam);
  }
  else
  {
    this->GetOpenBeamCotangent()->Initialize();
  }
  m_GainCotangent = results.gain;
  m_ScatterCotangent = results.scatter;
  m_OffsetCotangent = results.offset;
  this->NoteConsumedCotangents();
  this->UpdateProgress(1.0f);
}

void
RadiographForwardModelAdjointImageFilter::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  itkPrintSelfObjectMacro(Forward);
  os << indent << "OpenBeamActive: " << OnOrOff(m_OpenBeamActive) << std::endl;
  os << indent << "RetainCotangents: " << OnOrOff(m_RetainCotangents) << std::endl;
  os << indent << "GainCotangent: " << m_GainCotangent << std::endl;
  os << indent << "ScatterCotangent: " << m_ScatterCotangent << std::endl;
  os << indent << "OffsetCotangent: " << m_OffsetCotangent << std::endl;
  os << indent << "Consumed cotangents: " << m_Consumed.size() << std::endl;
}

} // namespace itk
