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
#include "compute/PacketChoice.h"

#include "compute/CellGaussPackets.h"
#include "compute/InstructionSet.h"
#include "compute/JosephPackets.h"

namespace radiography::compute
{

std::string
FindReasonAgainstPackets(const ViewPlan & plan, const ProjectionPolicy & policy, PacketWork work)
{
  if (plan.projector == Projector::Siddon && work == PacketWork::Any)
  {
    return "not built: siddon has packets for depths only";
  }
  if (IsSimdDisabled())
  {
    return "switched off: RADIOGRAPHY_DISABLE_SIMD=1";
  }
  if (policy.simd == 0)
  {
    return "switched off: the policy says simd=0";
  }
  if (!HasJosephPackets())
  {
    return "not built: no instruction set of this machine has registers long enough";
  }
  return plan.projector == Projector::CellGauss ? FindReasonAgainstCellGaussPackets(plan.steepestSlope) : "";
}

PacketChoice
ChoosePackets(const VolumeLayouts & layouts, const ViewPlan & plan, const ProjectionPolicy & policy, PacketWork work)
{
  const std::string reason = FindReasonAgainstPackets(plan, policy, work);
  if (!reason.empty())
  {
    return { nullptr, reason };
  }
  for (const kernel::VolumeView * const volume : { &layouts.natural, &layouts.transposed })
  {
    if (volume->values != nullptr && FindLateralContiguousAxis(*volume, plan.mainAxis) >= 0)
    {
      return { volume, {} };
    }
  }
  return { nullptr, "the view is along the contiguous axis of the volume, which has no transposed copy" };
}

ComputeReport
MakeProjectionReport(const ViewPlan & plan, const ProjectionPolicy & policy, const std::string & what)
{
  ComputeReport report;
  report.projector = ToString(plan.projector);
  report.kernel = report.projector + what;
  report.policy = policy.ToString();
  report.notUsed["cuda"] = "not built: this version runs on the CPU only";
  if (!plan.reasonAgainstJoseph.empty())
  {
    report.notUsed["joseph"] = plan.reasonAgainstJoseph;
  }
  return report;
}

} // namespace radiography::compute
