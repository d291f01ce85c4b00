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
#ifndef radiography_compute_ViewPlan_h
#define radiography_compute_ViewPlan_h

#include "compute/InternalExport.h"
#include "compute/ProjectionPolicy.h"
#include "kernel/Ray.h"
#include "kernel/VolumeView.h"

#include <string>

namespace radiography::compute
{

/** What a whole view is integrated by, decided once from view and policy: forward projection, its transpose and its
 * derivatives all take it from here, so that they are of one and the same matrix. */
struct ViewPlan
{
  Projector projector;
  int       mainAxis;
  /** Why an image asked for by Joseph is left to CellGauss; empty if it is not. */
  std::string reasonAgainstJoseph;
  /** The steepest ray against the main axis, see FindSteepestSlope(). */
  double steepestSlope;
};

RADIOGRAPHY_INTERNAL_EXPORT ViewPlan
MakeViewPlan(const kernel::ViewRays & view, Projector projector, const ProjectionPolicy & policy);

/** The body that a ray goes to. */
enum class RayKernel
{
  None,
  Joseph,
  CellGauss,
  Siddon
};

struct RayChoice
{
  RayKernel kernel;
  /** Source or detector pixel lies inside the volume. */
  bool endsInside;
};

/** \param volume only its size is looked at. */
inline RayChoice
ChooseRayKernel(const kernel::VolumeView & volume, const kernel::Ray & ray, const ViewPlan & plan)
{
  const double          margin = plan.projector == Projector::Siddon ? 0.5 : 1.0;
  const kernel::RayCase rayCase = kernel::Classify(kernel::ClipLine(ray, volume, margin));
  const bool            endsInside = rayCase == kernel::RayCase::EndsInside;
  if (rayCase == kernel::RayCase::Misses)
  {
    return { RayKernel::None, false };
  }
  if (plan.projector == Projector::Siddon)
  {
    return { RayKernel::Siddon, endsInside };
  }
  const bool exact = plan.projector == Projector::CellGauss || endsInside;
  return { exact ? RayKernel::CellGauss : RayKernel::Joseph, endsInside };
}

} // namespace radiography::compute

#endif
