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
#include "itkRadiographPoseJacobianImageFilter.h"

#include "compute/ViewSensitivity.h"
#include "projection/itkProjectionCall.h"
#include "projection/itkViewRays.h"
#include "stairs/itkHandDownThreads.h"

#include "itkIdentityTransform.h"
#include "itkImageRegionConstIteratorWithIndex.h"

#include "vnl/vnl_inverse.h"

#include <cmath>

namespace itk
{

namespace compute = radiography::compute;

namespace
{

/** The point of the world that the transform takes to the middle of the CT. */
Point<double, 3>
FindVolumeCenter(const ImageBase<3> & ct, const AffineMap & ctFromWorld)
{
  const auto       world = vnl_inverse(ctFromWorld.matrix) * (CenterOfGrid(ct).GetVnlVector() - ctFromWorld.offset);
  Point<double, 3> center;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    center[axis] = world[axis];
  }
  return center;
}

bool
IsFinite(const Vector<float, 6> & pixel)
{
  for (unsigned int i = 0; i < 6; ++i)
  {
    if (!std::isfinite(pixel[i]))
    {
      return false;
    }
  }
  return true;
}

} // namespace

RadiographPoseJacobianImageFilter::RadiographPoseJacobianImageFilter()
{
  // The CT comes as an image or as a ProjectionVolume: VerifyPreconditions() sees that one of them is there.
  this->RemoveRequiredInputName("Primary");
  this->AddRequiredInputName("Geometry");
  this->SetTransform(IdentityTransform<double, 3>::New());
  m_Center.Fill(0.0);
}

RadiographPoseJacobianImageFilter::~RadiographPoseJacobianImageFilter() = default;

void
RadiographPoseJacobianImageFilter::SetCenter(const PointType & center)
{
  if (m_UseVolumeCenter || center != m_Center)
  {
    m_Center = center;
    m_UseVolumeCenter = false;
    this->Modified();
  }
}

void
RadiographPoseJacobianImageFilter::SetPolicy(const std::string & overrides)
{
  CheckPolicyText(overrides);
  if (overrides != m_Policy)
  {
    m_Policy = overrides;
    this->Modified();
  }
}

void
RadiographPoseJacobianImageFilter::VerifyPreconditions() ITKv5_CONST
{
  Superclass::VerifyPreconditions();
  if (this->GetInput() == nullptr && this->GetProjectionVolume() == nullptr)
  {
    itkExceptionMacro("There is no CT: give an image of mu in 1/mm (SetInput) or a ProjectionVolume.");
  }
  const auto * const given = this->GetProjectionVolume();
  RefuseSecondDerivative(given != nullptr ? given->GetImage() : this->GetInput(), "The CT", this->GetNameOfClass());
  ToAffineMap(*this->GetTransform());
}

void
RadiographPoseJacobianImageFilter::GenerateOutputInformation()
{
  RefuseEmptyDetector(*this->GetGeometry());
  this->GetOutput()->CopyInformation(this->GetGeometry()->MakeDetectorImage());
}

void
RadiographPoseJacobianImageFilter::GenerateInputRequestedRegion()
{
  // A ray can meet any voxel.
  if (auto * const image = const_cast<ImageType *>(this->GetInput()))
  {
    image->SetRequestedRegionToLargestPossibleRegion();
  }
}

void
RadiographPoseJacobianImageFilter::GenerateData()
{
  const compute::ProjectionPolicy policy = SelectPolicy(m_Policy);
  const ProjectionVolume &        volume =
    *PrepareProjectionVolume(this->GetInput(), this->GetProjectionVolume(), m_OwnVolume);
  const ImageType &        ct = *volume.GetImage();
  const AffineMap          pose = ToAffineMap(*this->GetTransform());
  const auto               view = MakeSensitivityView(*this->GetGeometry(), pose, ct);
  const compute::Projector projector = ToCompute(m_Projector);
  const auto               held = HoldVolumeLayouts(volume, view.rays, projector, policy, *this->GetMultiThreader());
  if (m_UseVolumeCenter)
  {
    m_Center = FindVolumeCenter(ct, pose);
  }

  this->AllocateOutputs();
  JacobianImageType * const        output = this->GetOutput();
  const auto                       region = output->GetBufferedRegion();
  const compute::PoseJacobianImage pixels{ output->GetBufferPointer()->GetDataPointer(),
                                           static_cast<std::int64_t>(region.GetIndex(0)),
                                           static_cast<std::int64_t>(region.GetIndex(1)),
                                           static_cast<std::int64_t>(region.GetSize(0)),
                                           static_cast<std::int64_t>(region.GetSize(1)) };
  const auto                       runs = compute::CountSensitivityRuns(pixels.columns, pixels.rows, policy);
  const auto                       report = compute::ComputePoseJacobian(held.layouts,
                                                   view,
                                                   { m_Center[0], m_Center[1], m_Center[2] },
                                                   projector,
                                                   policy,
                                                   HandDownThreads(*this, 1.0F / static_cast<float>(runs)),
                                                   pixels);
  m_ComputeReport = MakeComputeReport(report, *this);
  this->RefuseResultsOutOfRange();
}

void
RadiographPoseJacobianImageFilter::RefuseResultsOutOfRange()
{
  JacobianImageType & output = *this->GetOutput();
  using IteratorType = ImageRegionConstIteratorWithIndex<JacobianImageType>;
  for (IteratorType it(&output, output.GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    if (!IsFinite(it.Get()))
    {
      const auto index = it.GetIndex();
      const auto pixel = it.Get();
      output.Initialize();
      itkExceptionMacro("The derivatives of pixel " << index << " are " << pixel
                                                    << ": binary32 cannot hold them. Is the view that large?");
    }
  }
}

void
RadiographPoseJacobianImageFilter::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "Projector: " << m_Projector << std::endl;
  os << indent << "Center: " << m_Center << std::endl;
  os << indent << "UseVolumeCenter: " << (m_UseVolumeCenter ? "On" : "Off") << std::endl;
  os << indent << "Policy: " << (m_Policy.empty() ? "(defaults)" : m_Policy) << std::endl;
  itkPrintSelfObjectMacro(OwnVolume);
  PrintComputeReport(os, indent, m_ComputeReport);
}

} // namespace itk
