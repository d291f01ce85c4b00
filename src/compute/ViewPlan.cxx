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
#include "compute/ViewPlan.h"

#include "compute/ForwardProjection.h"

#include <sstream>

namespace radiography::compute
{

ViewPlan
MakeViewPlan(const kernel::ViewRays & view, Projector projector, const ProjectionPolicy & policy)
{
  const int mainAxis = SelectMainAxis(view);
  ViewPlan  plan{ projector, mainAxis, {}, FindSteepestSlope(view, mainAxis) };
  if (projector == Projector::Joseph && !(plan.steepestSlope <= policy.josephSlopeLimit))
  {
    std::ostringstream reason;
    reason << "a ray of this view has slope " << plan.steepestSlope
           << " against the main axis, over the policy's limit of " << policy.josephSlopeLimit
           << "; integrated by cell-gauss";
    plan.projector = Projector::CellGauss;
    plan.reasonAgainstJoseph = reason.str();
  }
  return plan;
}

} // namespace radiography::compute
