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
#include "projection/itkProjectionCall.h"

#include "compute/TransposedVolume.h"
#include "projection/itkVolumeView.h"
#include "stairs/itkSamePlace.h"

#include "itkMultiThreaderBase.h"

#include <algorithm>
#include <stdexcept>

namespace itk
{

namespace compute = radiography::compute;

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

void
CheckPolicyText(const std::string & overrides)
{
  try
  {
    compute::ParseProjectionPolicy(overrides);
  }
  catch (const std::invalid_argument & error)
  {
    itkGenericExceptionMacro("" << error.what());
  }
}

compute::ProjectionPolicy
SelectPolicy(const std::string & overrides)
{
  try
  {
    return compute::ParseProjectionPolicy(overrides, compute::SelectProjectionPolicy());
  }
  catch (const std::invalid_argument & error)
  {
    itkGenericExceptionMacro("The environment variable RADIOGRAPHY_POLICY is not understood: " << error.what());
  }
}

DigitallyReconstructedRadiographImageFilter::ComputeReport
MakeComputeReport(const compute::ComputeReport & report, ProcessObject & filter)
{
  DigitallyReconstructedRadiographImageFilter::ComputeReport result;
  result.projector = report.projector;
  result.kernel = report.kernel;
  result.policy = report.policy;
  result.threads =
    std::min<unsigned int>(filter.GetMultiThreader()->GetMaximumNumberOfThreads(), filter.GetNumberOfWorkUnits());
  result.raysWithEndInside = static_cast<SizeValueType>(report.raysWithEndInside);
  result.notUsed = report.notUsed;
  return result;
}

void
PrintComputeReport(std::ostream &                                                     os,
                   Indent                                                             indent,
                   const DigitallyReconstructedRadiographImageFilter::ComputeReport & report)
{
  os << indent << "ComputeReport:" << std::endl;
  const Indent next = indent.GetNextIndent();
  os << next << "projector: " << report.projector << std::endl;
  os << next << "kernel: " << report.kernel << std::endl;
  os << next << "policy: " << report.policy << std::endl;
  os << next << "threads: " << report.threads << std::endl;
  os << next << "raysWithEndInside: " << report.raysWithEndInside << std::endl;
  for (const auto & item : report.notUsed)
  {
    os << next << "not used: " << item.first << " (" << item.second << ')' << std::endl;
  }
}

const ProjectionVolume *
PrepareProjectionVolume(const Image<float, 3> * image, const ProjectionVolume * given, ProjectionVolume::Pointer & own)
{
  if (given != nullptr)
  {
    if (given->GetImage() == nullptr)
    {
      itkGenericExceptionMacro("The ProjectionVolume is empty: give it an image with SetImage().");
    }
    return given;
  }
  if (image == nullptr)
  {
    itkGenericExceptionMacro("There is no CT: give an image of mu in 1/mm or a ProjectionVolume.");
  }
  const bool upToDate = own && own->GetImage() == image && own->GetMTime() > image->GetMTime();
  if (!upToDate)
  {
    own = nullptr;
    const auto volume = ProjectionVolume::New();
    volume->SetImage(image);
    own = volume;
  }
  return own;
}

HeldVolumeLayouts
HoldVolumeLayouts(const ProjectionVolume &              volume,
                  const radiography::kernel::ViewRays & rays,
                  compute::Projector                    projector,
                  const compute::ProjectionPolicy &     policy,
                  MultiThreaderBase &                   multiThreader)
{
  HeldVolumeLayouts held{ MakeVolumeView(*volume.GetImage()), nullptr };
  if (compute::WantsTransposedVolume(held.layouts.natural, rays, projector, policy))
  {
    held.transposed = volume.GetTransposedCopy(multiThreader);
    held.layouts.transposed = compute::MakeTransposedView(held.layouts.natural, held.transposed.get());
  }
  return held;
}

void
RefuseEmptyDetector(const RadiographGeometry & geometry)
{
  if (geometry.GetDetectorSize()[0] == 0 || geometry.GetDetectorSize()[1] == 0)
  {
    itkGenericExceptionMacro("The view has no detector: set it up with one of RadiographGeometry's builders.");
  }
}

void
RefuseOtherGrid(const ImageBase<3> &       image,
                const RadiographGeometry & geometry,
                double                     coordinateTolerance,
                double                     directionTolerance,
                const char *               name)
{
  const auto detector = geometry.MakeDetectorImage();
  if (image.GetLargestPossibleRegion() != detector->GetLargestPossibleRegion())
  {
    itkGenericExceptionMacro("" << name << " has index " << image.GetLargestPossibleRegion().GetIndex() << " and size "
                                << image.GetLargestPossibleRegion().GetSize() << ", the detector of the view "
                                << detector->GetLargestPossibleRegion().GetIndex() << " and "
                                << detector->GetLargestPossibleRegion().GetSize()
                                << ": there must be one pixel for every ray of the view.");
  }
  if (!IsSamePlace(*detector, image, coordinateTolerance, directionTolerance))
  {
    itkGenericExceptionMacro("" << name << " does not lie on the detector of the view: origin " << image.GetOrigin()
                                << ", spacing " << image.GetSpacing() << ", direction" << std::endl
                                << image.GetDirection() << "instead of " << detector->GetOrigin() << ", "
                                << detector->GetSpacing() << ", " << std::endl
                                << detector->GetDirection()
                                << "Give the view that belongs to the image, copy the detector's grid to the image "
                                   "(CopyInformation), or widen CoordinateTolerance and DirectionTolerance.");
  }
}

} // namespace itk
