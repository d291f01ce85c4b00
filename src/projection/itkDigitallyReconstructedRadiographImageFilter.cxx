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
#include "projection/itkProjectionCall.h"
#include "projection/itkViewRays.h"
#include "stairs/itkHandDownThreads.h"

#include "itkIdentityTransform.h"

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
  CheckPolicyText(overrides);
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
  RefuseEmptyDetector(*geometry);
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
  return PrepareProjectionVolume(this->GetInput(), this->GetProjectionVolume(), m_OwnVolume);
}

void
DigitallyReconstructedRadiographImageFilter::GenerateData()
{
  const compute::ProjectionPolicy policy = SelectPolicy(m_Policy);
  const ProjectionVolume &        volume = *this->PrepareVolume();
  const ImageType &               ct = *volume.GetImage();
  const auto                      rays = MakeViewRays(*this->GetGeometry(), ToAffineMap(*this->GetTransform()), ct);
  const compute::Projector        projector = ToCompute(m_Projector);

  const auto held = HoldVolumeLayouts(volume, rays, projector, policy, *this->GetMultiThreader());

  this->AllocateOutputs();
  ImageType * const            output = this->GetOutput();
  const ImageType::RegionType  region = output->GetBufferedRegion();
  const compute::DepthImage    pixels{ output->GetBufferPointer(),
                                    static_cast<std::int64_t>(region.GetIndex(0)),
                                    static_cast<std::int64_t>(region.GetIndex(1)),
                                    static_cast<std::int64_t>(region.GetSize(0)),
                                    static_cast<std::int64_t>(region.GetSize(1)) };
  const compute::ComputeReport report =
    compute::ForwardProject(held.layouts, rays, projector, policy, HandDownThreads(*this), pixels);

  m_ComputeReport = MakeComputeReport(report, *this);
}

void
DigitallyReconstructedRadiographImageFilter::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "Projector: " << m_Projector << std::endl;
  os << indent << "Policy: " << (m_Policy.empty() ? "(defaults)" : m_Policy) << std::endl;
  itkPrintSelfObjectMacro(OwnVolume);
  PrintComputeReport(os, indent, m_ComputeReport);
}

} // namespace itk
