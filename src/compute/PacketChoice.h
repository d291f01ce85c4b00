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
#ifndef radiography_compute_PacketChoice_h
#define radiography_compute_PacketChoice_h

#include "compute/ComputeReport.h"
#include "compute/ForwardProjection.h"
#include "compute/InternalExport.h"
#include "compute/ProjectionPolicy.h"
#include "compute/ViewPlan.h"
#include "kernel/VolumeView.h"

#include <string>

namespace radiography::compute
{

/** What packets are asked for: Siddon's give depths and nothing else. */
enum class PacketWork
{
  Any,
  DepthsOnly
};

/** Why no packets run, whatever the memory layout; empty if they can. */
RADIOGRAPHY_INTERNAL_EXPORT std::string
FindReasonAgainstPackets(const ViewPlan & plan, const ProjectionPolicy & policy, PacketWork work = PacketWork::Any);

/** Whether packets run. */
struct PacketChoice
{
  /** The memory that packets run in: one whose contiguous axis is not the main axis; nullptr if none run. */
  const kernel::VolumeView * volume;
  /** Why none run. */
  std::string reasonAgainst;
};

/** \param layouts must outlive the result. */
RADIOGRAPHY_INTERNAL_EXPORT PacketChoice
ChoosePackets(const VolumeLayouts &    layouts,
              const ViewPlan &         plan,
              const ProjectionPolicy & policy,
              PacketWork               work = PacketWork::Any);

/** The report of a call that has not run yet. \param what follows the projector's name in the report's kernel. */
RADIOGRAPHY_INTERNAL_EXPORT ComputeReport
MakeProjectionReport(const ViewPlan & plan, const ProjectionPolicy & policy, const std::string & what);

} // namespace radiography::compute

#endif
