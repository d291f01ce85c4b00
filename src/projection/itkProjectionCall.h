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
#ifndef itkProjectionCall_h
#define itkProjectionCall_h

#include "compute/ComputeReport.h"
#include "compute/ForwardProjection.h"
#include "compute/ProjectionPolicy.h"
#include "itkDigitallyReconstructedRadiographImageFilter.h"

#include <memory>
#include <ostream>
#include <string>

/** What all filters of this room that go down to the projectors do on the stairs. */
namespace itk
{

radiography::compute::Projector
ToCompute(DigitallyReconstructedRadiographImageFilterEnums::Projector projector);

/** \throws ExceptionObject if the text is no policy: a key that is not known or a value out of range. */
void
CheckPolicyText(const std::string & overrides);

/** The policy of a call: defaults, then the environment, then a filter's overrides.
 * \throws ExceptionObject if the environment variable RADIOGRAPHY_POLICY is not understood. */
radiography::compute::ProjectionPolicy
SelectPolicy(const std::string & overrides);

/** A report from downstairs, with the threads of the filter that asked for it. */
DigitallyReconstructedRadiographImageFilter::ComputeReport
MakeComputeReport(const radiography::compute::ComputeReport & report, ProcessObject & filter);

/** For PrintSelf. */
void
PrintComputeReport(std::ostream &                                                     os,
                   Indent                                                             indent,
                   const DigitallyReconstructedRadiographImageFilter::ComputeReport & report);

/** The CT of a call: `given` if there is one, else one made of `image` and kept in `own` for the next time.
 * \throws ExceptionObject if there is neither, or no mu in 1/mm in it. */
const ProjectionVolume *
PrepareProjectionVolume(const Image<float, 3> * image, const ProjectionVolume * given, ProjectionVolume::Pointer & own);

/** The voxels of a ProjectionVolume as a call takes them, the transposed copy with them if the call wants it. The
 * volume must outlive it. */
struct HeldVolumeLayouts
{
  radiography::compute::VolumeLayouts layouts;
  std::shared_ptr<const float>        transposed;
};

/** \throws ExceptionObject if there is no memory for the copy. */
HeldVolumeLayouts
HoldVolumeLayouts(const ProjectionVolume &                       volume,
                  const radiography::kernel::ViewRays &          rays,
                  radiography::compute::Projector                projector,
                  const radiography::compute::ProjectionPolicy & policy,
                  MultiThreaderBase &                            multiThreader);

/** The checks of a view that every such filter makes before it asks for its pixels.
 * \throws ExceptionObject if the view has no detector. */
void
RefuseEmptyDetector(const RadiographGeometry & geometry);

/** \throws ExceptionObject unless `image` lies on the detector of the view, within the tolerances: region, and with it
 * size; origin, spacing and direction.
 * \param name what the image is, for the message */
void
RefuseOtherGrid(const ImageBase<3> &       image,
                const RadiographGeometry & geometry,
                double                     coordinateTolerance,
                double                     directionTolerance,
                const char *               name);

} // namespace itk

#endif
