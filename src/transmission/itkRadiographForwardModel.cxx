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
#include "itkRadiographForwardModel.h"

#include "projection/itkProjectionCall.h"
#include "transmission/itkDetectorParameters.h"
#include "transmission/itkInnerFilter.h"
#include "transmission/itkOpenBeam.h"
#include "transmission/itkSubrayBlocks.h"

#include "itkIdentityTransform.h"

#include <ostream>

namespace itk
{
namespace
{

enum OutputIndex : unsigned int
{
  ReadingsOutput = 0,
  CountsOutput = 1,
  DepthOutput = 2
};

constexpr unsigned int NumberOfOutputs = 3;
const char * const     OpenBeamInput = "OpenBeamCounts";

// The shares of the progress bar.
constexpr float ProjectionWeight = 0.9f;
constexpr float TransmissionWeight = 0.05f;
constexpr float DetectorWeight = 0.05f;

} // namespace

RadiographForwardModel::RadiographForwardModel()
{
  this->AddRequiredInputName("Geometry");
  this->SetTransform(IdentityTransform<double, 3>::New());
  m_FocalSpotSize.Fill(0.0);
  this->SetNumberOfRequiredOutputs(NumberOfOutputs);
  for (unsigned int i = 0; i < NumberOfOutputs; ++i)
  {
    this->SetNthOutput(i, this->MakeOutput(i));
  }
}

RadiographForwardModel::~RadiographForwardModel() = default;

void
RadiographForwardModel::SetPolicy(const std::string & overrides)
{
  CheckPolicyText(overrides);
  if (overrides != m_Policy)
  {
    m_Policy = overrides;
    this->Modified();
  }
}

void
RadiographForwardModel::SetOpenBeamImage(const ImageType * image, OpenBeamFormEnum form)
{
  this->ProcessObject::SetInput(OpenBeamInput, const_cast<ImageType *>(image));
  m_OpenBeamCounts = 0.0;
  m_OpenBeamForm = image ? form : OpenBeamFormEnum::None;
  this->Modified();
}

void
RadiographForwardModel::SetOpenBeamCounts(double counts)
{
  this->SetOpenBeamImage(nullptr, OpenBeamFormEnum::None);
  m_OpenBeamCounts = RoundedToBinary32(counts);
  m_OpenBeamForm = OpenBeamFormEnum::Number;
}

void
RadiographForwardModel::SetOpenBeamCountsImage(const ImageType * image)
{
  this->SetOpenBeamImage(image, OpenBeamFormEnum::PixelImage);
}

void
RadiographForwardModel::SetSharedOpenBeamCountsImage(const ImageType * image)
{
  this->SetOpenBeamImage(image, OpenBeamFormEnum::SharedImage);
}

const RadiographForwardModel::ImageType *
RadiographForwardModel::GetOpenBeamCountsImage() const
{
  return static_cast<const ImageType *>(this->ProcessObject::GetInput(OpenBeamInput));
}

RadiographForwardModel::ImageType *
RadiographForwardModel::GetReadings()
{
  return this->GetOutput(ReadingsOutput);
}

const RadiographForwardModel::ImageType *
RadiographForwardModel::GetReadings() const
{
  return static_cast<const ImageType *>(this->ProcessObject::GetOutput(ReadingsOutput));
}

RadiographForwardModel::ImageType *
RadiographForwardModel::GetCounts()
{
  return this->GetOutput(CountsOutput);
}

const RadiographForwardModel::ImageType *
RadiographForwardModel::GetCounts() const
{
  return static_cast<const ImageType *>(this->ProcessObject::GetOutput(CountsOutput));
}

RadiographForwardModel::ImageType *
RadiographForwardModel::GetDepth()
{
  return this->GetOutput(DepthOutput);
}

const RadiographForwardModel::ImageType *
RadiographForwardModel::GetDepth() const
{
  return static_cast<const ImageType *>(this->ProcessObject::GetOutput(DepthOutput));
}

// The stages check their own; what is known to be wrong is not projected first.
void
RadiographForwardModel::RefuseParameters() const
{
  for (const std::string & fault : { FaultOfSubrays(m_SubraysPerSide, {}),
                                     FaultOfGain(m_Gain),
                                     FaultOfScatter(m_Scatter),
                                     FaultOfOffset(m_Offset) })
  {
    if (!fault.empty())
    {
      itkExceptionMacro("" << fault);
    }
  }
}

void
RadiographForwardModel::VerifyPreconditions() ITKv5_CONST
{
  Superclass::VerifyPreconditions();
  this->RefuseParameters();
  if (m_OpenBeamForm == OpenBeamFormEnum::None)
  {
    itkExceptionMacro("There are no open-beam counts. Call SetOpenBeamCounts() or one of the two methods for an image "
                      "of them.");
  }
  if (m_OpenBeamForm == OpenBeamFormEnum::Number && !IsOpenBeamNumber(m_OpenBeamCounts))
  {
    itkExceptionMacro("" << ValidCounts << " in binary32; OpenBeamCounts is " << TextOf(m_OpenBeamCounts) << '.');
  }
}

// The superclass wants all image inputs in one place: mu lies in the patient, n0 on the detector.
void
RadiographForwardModel::VerifyInputInformation() ITKv5_CONST
{
  RefuseEmptyDetector(*this->GetGeometry());
  const ImageType * const openBeam = this->GetOpenBeamCountsImage();
  if (m_OpenBeamForm == OpenBeamFormEnum::PixelImage)
  {
    RefuseOtherGrid(*openBeam,
                    *this->GetGeometry(),
                    this->GetCoordinateTolerance(),
                    this->GetDirectionTolerance(),
                    "The open-beam image");
  }
  if (m_OpenBeamForm == OpenBeamFormEnum::SharedImage && openBeam->GetLargestPossibleRegion().GetNumberOfPixels() != 1)
  {
    itkExceptionMacro("The shared open-beam image is of size " << openBeam->GetLargestPossibleRegion().GetSize()
                                                               << "; it must be one pixel. For one value per pixel "
                                                                  "call SetOpenBeamCountsImage().");
  }
}

void
RadiographForwardModel::GenerateOutputInformation()
{
  const auto detector = this->GetGeometry()->MakeDetectorImage();
  for (unsigned int i = 0; i < NumberOfOutputs; ++i)
  {
    this->GetOutput(i)->CopyInformation(detector);
  }
}

void
RadiographForwardModel::GenerateInputRequestedRegion()
{
  // A ray can meet any voxel.
  const_cast<ImageType *>(this->GetInput())->SetRequestedRegionToLargestPossibleRegion();
  auto * const openBeam = const_cast<ImageType *>(this->GetOpenBeamCountsImage());
  if (m_OpenBeamForm == OpenBeamFormEnum::SharedImage)
  {
    openBeam->SetRequestedRegionToLargestPossibleRegion();
  }
  else if (openBeam)
  {
    openBeam->SetRequestedRegion(this->GetOutput()->GetRequestedRegion());
  }
}

// Kept while mu stays the same, because it looks at every voxel once.
const ProjectionVolume *
RadiographForwardModel::PrepareVolume()
{
  const ImageType * const image = this->GetInput();
  if (!m_Volume || m_Volume->GetImage() != image || m_Volume->GetMTime() < image->GetMTime())
  {
    m_Volume = nullptr;
    const auto volume = ProjectionVolume::New();
    volume->SetImage(image);
    m_Volume = volume;
  }
  return m_Volume;
}

SubrayRadiographImageFilter::Pointer
RadiographForwardModel::Project(const OutputImageRegionType & region)
{
  const auto projection = SubrayRadiographImageFilter::New();
  projection->SetProjectionVolume(this->PrepareVolume());
  projection->SetGeometry(this->GetGeometry());
  projection->SetTransform(this->GetTransform());
  projection->SetProjector(m_Projector);
  projection->SetPolicy(m_Policy);
  projection->SetSubraysPerSide(m_SubraysPerSide);
  projection->SetFocalSpotSize(m_FocalSpotSize);
  projection->SetFocalSpotSamples(m_FocalSpotSamples);
  projection->UpdateOutputInformation();
  projection->GetOutput()->SetRequestedRegion(region);
  UpdateInside(*this, *projection, ProjectionWeight);
  m_ComputeReport = projection->GetComputeReport();
  return projection;
}

TransmissionImageFilter::Pointer
RadiographForwardModel::Attenuate(ImageType * depth, const OutputImageRegionType & region)
{
  const auto transmission = TransmissionImageFilter::New();
  transmission->SetInput(depth);
  transmission->SetComputeTransmission(false);
  transmission->SetComputeCounts(true);
  switch (m_OpenBeamForm)
  {
    case OpenBeamFormEnum::SharedImage:
      transmission->SetSharedOpenBeamCountsImage(this->GetOpenBeamCountsImage());
      break;
    case OpenBeamFormEnum::PixelImage:
      transmission->SetOpenBeamCountsImage(this->GetOpenBeamCountsImage());
      break;
    default:
      transmission->SetOpenBeamCounts(m_OpenBeamCounts);
  }
  transmission->UpdateOutputInformation();
  transmission->GetCounts()->SetRequestedRegion(region);
  UpdateInside(*this, *transmission, TransmissionWeight);
  return transmission;
}

DetectorResponseImageFilter::Pointer
RadiographForwardModel::ReadOut(ImageType * counts, const OutputImageRegionType & region)
{
  const auto detector = DetectorResponseImageFilter::New();
  detector->SetInput(counts);
  detector->SetGain(m_Gain);
  detector->SetScatter(m_Scatter);
  detector->SetOffset(m_Offset);
  detector->UpdateOutputInformation();
  detector->GetOutput()->SetRequestedRegion(region);
  UpdateInside(*this, *detector, DetectorWeight);
  return detector;
}

void
RadiographForwardModel::GenerateData()
{
  const OutputImageRegionType region = this->GetOutput()->GetRequestedRegion();
  const auto                  projection = this->Project(region);
  const auto                  transmission = this->Attenuate(projection->GetOutput(), region);
  const auto                  detector = this->ReadOut(transmission->GetCounts(), region);
  this->GraftNthOutput(ReadingsOutput, detector->GetOutput());
  this->GraftNthOutput(CountsOutput, transmission->GetCounts());
  this->GraftNthOutput(DepthOutput, projection->GetOutput());
  this->UpdateProgress(1.0f);
}

void
RadiographForwardModel::RefuseOutdatedOutputs() const
{
  // Brings the time stamps of what lies upstream to this filter's outputs; computes no pixel.
  const_cast<Self *>(this)->UpdateOutputInformation();
  const ImageType & readings = *this->GetReadings();
  if (readings.GetUpdateMTime() == 0)
  {
    itkExceptionMacro("The forward model has not been evaluated. Call its Update() first.");
  }
  if (readings.GetUpdateMTime() < readings.GetPipelineMTime())
  {
    itkExceptionMacro("The forward model was evaluated at time stamp "
                      << readings.GetUpdateMTime() << ", and one of its inputs or parameters was modified at "
                      << readings.GetPipelineMTime() << ". Call its Update() again.");
  }
  for (const ImageType * const output : { this->GetReadings(), this->GetCounts(), this->GetDepth() })
  {
    if (output->GetBufferedRegion() != output->GetLargestPossibleRegion())
    {
      itkExceptionMacro("The forward model holds a part of the detector only, of size "
                        << output->GetBufferedRegion().GetSize() << " in place of "
                        << output->GetLargestPossibleRegion().GetSize() << ". Call its UpdateLargestPossibleRegion().");
    }
  }
}

void
RadiographForwardModel::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "Projector: " << m_Projector << std::endl;
  os << indent << "Policy: " << (m_Policy.empty() ? "(defaults)" : m_Policy) << std::endl;
  os << indent << "SubraysPerSide: " << m_SubraysPerSide << std::endl;
  os << indent << "FocalSpotSize: " << m_FocalSpotSize << std::endl;
  os << indent << "FocalSpotSamples: " << m_FocalSpotSamples << std::endl;
  os << indent << "OpenBeamForm: " << m_OpenBeamForm << std::endl;
  os << indent << "OpenBeamCounts: " << m_OpenBeamCounts << std::endl;
  os << indent << "Gain: " << m_Gain << std::endl;
  os << indent << "Scatter: " << m_Scatter << std::endl;
  os << indent << "Offset: " << m_Offset << std::endl;
  itkPrintSelfObjectMacro(Volume);
  PrintComputeReport(os, indent, m_ComputeReport);
}

} // namespace itk
