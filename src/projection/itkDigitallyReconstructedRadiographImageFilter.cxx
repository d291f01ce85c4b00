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
#include "itkDigitallyReconstructedRadiographImageFilter.h"

#include "compute/ForwardProjection.h"
#include "projection/itkViewRays.h"
#include "projection/itkVolumeView.h"
#include "stairs/itkHandDownThreads.h"

#include "itkIdentityTransform.h"
#include "itkMultiThreaderBase.h"

#include <stdexcept>

namespace itk
{

namespace compute = radiography::compute;

std::ostream &
operator<<(std::ostream & out, const DigitallyReconstructedRadiographImageFilterEnums::Projector value)
{
  static const char * const names[] = { "Joseph", "CellGauss", "Siddon" };
  return out << "itk::DigitallyReconstructedRadiographImageFilterEnums::Projector::"
             << names[static_cast<unsigned int>(value)];
}

namespace
{

compute::Projector
ToCompute(DigitallyReconstructedRadiographImageFilterEnums::Projector projector)
{
  using ProjectorEnum = DigitallyReconstructedRadiographImageFilterEnums::Projector;
  switch (projector)
  {
    case ProjectorEnum::Joseph:
      return compute::Projector::Joseph;
    case ProjectorEnum::CellGauss:
      return compute::Projector::CellGauss;
    case ProjectorEnum::Siddon:
      return compute::Projector::Siddon;
  }
  itkGenericExceptionMacro("There is no projector number " << static_cast<int>(projector) << '.');
}

} // namespace

DigitallyReconstructedRadiographImageFilter::DigitallyReconstructedRadiographImageFilter()
{
  // The CT comes as an image or as a ProjectionVolume: VerifyPreconditions() sees that one of them is there.
  this->RemoveRequiredInputName("Primary");
  this->AddRequiredInputName("Geometry");
  this->SetTransform(IdentityTransform<double, 3>::New());
}

DigitallyReconstructedRadiographImageFilter::~DigitallyReconstructedRadiographImageFilter() = default;

void
DigitallyReconstructedRadiographImageFilter::SetPolicy(const std::string & overrides)
{
  try
  {
    compute::ParseProjectionPolicy(overrides);
  }
  catch (const std::invalid_argument & error)
  {
    itkExceptionMacro("" << error.what());
  }
  if (overrides != m_Policy)
  {
    m_Policy = overrides;
    this->Modified();
  }
}

void
DigitallyReconstructedRadiographImageFilter::VerifyPreconditions() ITKv5_CONST
{
  Superclass::VerifyPreconditions();
  if (this->GetInput() == nullptr && this->GetProjectionVolume() == nullptr)
  {
    itkExceptionMacro("There is no CT: give an image of mu in 1/mm (SetInput) or a ProjectionVolume.");
  }
  ToAffineMap(*this->GetTransform());
}

void
DigitallyReconstructedRadiographImageFilter::GenerateOutputInformation()
{
  const RadiographGeometry * const geometry = this->GetGeometry();
  if (geometry->GetDetectorSize()[0] == 0 || geometry->GetDetectorSize()[1] == 0)
  {
    itkExceptionMacro("The view has no detector: set it up with one of RadiographGeometry's builders.");
  }
  this->GetOutput()->CopyInformation(geometry->MakeDetectorImage());
}

void
DigitallyReconstructedRadiographImageFilter::GenerateInputRequestedRegion()
{
  // A ray can meet any voxel.
  if (auto * const image = const_cast<ImageType *>(this->GetInput()))
  {
    image->SetRequestedRegionToLargestPossibleRegion();
  }
}

const ProjectionVolume *
DigitallyReconstructedRadiographImageFilter::PrepareVolume()
{
  if (const ProjectionVolume * const given = this->GetProjectionVolume())
  {
    if (given->GetImage() == nullptr)
    {
      itkExceptionMacro("The ProjectionVolume is empty: give it an image with SetImage().");
    }
    return given;
  }
  const ImageType * const image = this->GetInput();
  const bool upToDate = m_OwnVolume && m_OwnVolume->GetImage() == image && m_OwnVolume->GetMTime() > image->GetMTime();
  if (!upToDate)
  {
    m_OwnVolume = nullptr;
    const auto volume = ProjectionVolume::New();
    volume->SetImage(image);
    m_OwnVolume = volume;
  }
  return m_OwnVolume;
}

compute::ProjectionPolicy
DigitallyReconstructedRadiographImageFilter::SelectPolicy() const
{
  try
  {
    return compute::ParseProjectionPolicy(m_Policy, compute::SelectProjectionPolicy());
  }
  catch (const std::invalid_argument & error)
  {
    itkExceptionMacro("The environment variable RADIOGRAPHY_POLICY is not understood: " << error.what());
  }
}

void
DigitallyReconstructedRadiographImageFilter::GenerateData()
{
  const compute::ProjectionPolicy policy = this->SelectPolicy();
  const ImageType &               ct = *this->PrepareVolume()->GetImage();
  const auto                      rays = MakeViewRays(*this->GetGeometry(), ToAffineMap(*this->GetTransform()), ct);

  this->AllocateOutputs();
  ImageType * const            output = this->GetOutput();
  const ImageType::RegionType  region = output->GetBufferedRegion();
  const compute::DepthImage    pixels{ output->GetBufferPointer(),
                                    static_cast<std::int64_t>(region.GetIndex(0)),
                                    static_cast<std::int64_t>(region.GetIndex(1)),
                                    static_cast<std::int64_t>(region.GetSize(0)),
                                    static_cast<std::int64_t>(region.GetSize(1)) };
  const compute::ComputeReport report =
    compute::ForwardProject(MakeVolumeView(ct), rays, ToCompute(m_Projector), policy, HandDownThreads(*this), pixels);

  m_ComputeReport.projector = report.projector;
  m_ComputeReport.kernel = report.kernel;
  m_ComputeReport.policy = report.policy;
  m_ComputeReport.threads =
    std::min<unsigned int>(this->GetMultiThreader()->GetMaximumNumberOfThreads(), this->GetNumberOfWorkUnits());
  m_ComputeReport.raysWithEndInside = static_cast<SizeValueType>(report.raysWithEndInside);
  m_ComputeReport.notUsed = report.notUsed;
}

void
DigitallyReconstructedRadiographImageFilter::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "Projector: " << m_Projector << std::endl;
  os << indent << "Policy: " << (m_Policy.empty() ? "(defaults)" : m_Policy) << std::endl;
  itkPrintSelfObjectMacro(OwnVolume);
  os << indent << "ComputeReport:" << std::endl;
  const Indent next = indent.GetNextIndent();
  os << next << "projector: " << m_ComputeReport.projector << std::endl;
  os << next << "kernel: " << m_ComputeReport.kernel << std::endl;
  os << next << "policy: " << m_ComputeReport.policy << std::endl;
  os << next << "threads: " << m_ComputeReport.threads << std::endl;
  os << next << "raysWithEndInside: " << m_ComputeReport.raysWithEndInside << std::endl;
  for (const auto & item : m_ComputeReport.notUsed)
  {
    os << next << "not used: " << item.first << " (" << item.second << ')' << std::endl;
  }
}

} // namespace itk
