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
#include "compute/ForwardProjection.h"

#include "compute/CellGaussPackets.h"
#include "compute/JosephPackets.h"
#include "compute/PacketChoice.h"
#include "compute/PixelTiles.h"
#include "compute/SiddonPackets.h"
#include "compute/ViewPlan.h"
#include "kernel/CellGauss.h"
#include "kernel/Joseph.h"
#include "kernel/Siddon.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace radiography::compute
{

namespace
{

double
GetComponent(const kernel::ViewRays & view, int axis, double column, double row)
{
  return kernel::Evaluate(view.end, axis, column, row) - kernel::Evaluate(view.start, axis, column, row);
}

/** One pixel. `endsInside` is counted up when the ray has an end inside the volume. */
double
IntegrateRay(const kernel::VolumeView & volume,
             const kernel::Ray &        ray,
             const ViewPlan &           plan,
             std::int64_t &             endsInside)
{
  const RayChoice choice = ChooseRayKernel(volume, ray, plan);
  endsInside += choice.endsInside ? 1 : 0;
  switch (choice.kernel)
  {
    case RayKernel::None:
      break;
    case RayKernel::Joseph:
      return kernel::IntegrateJoseph(volume, ray, plan.mainAxis);
    case RayKernel::CellGauss:
      return kernel::IntegrateCellGauss(volume, ray);
    case RayKernel::Siddon:
      return kernel::IntegrateSiddon(volume, ray);
  }
  return 0.0;
}

/** \return rays with an end inside the volume. */
std::int64_t
ProjectRayByRay(const kernel::VolumeView & volume,
                const kernel::ViewRays &   view,
                const ViewPlan &           plan,
                const ProjectionPolicy &   policy,
                const ParallelFor &        parallelFor,
                const DepthImage &         output)
{
  const PixelTiles tiles(output.firstColumn, output.firstRow, output.columns, output.rows, policy);
  return VisitTiledPixels(tiles, parallelFor, [&](std::int64_t column, std::int64_t row, std::int64_t & endsInside) {
    const kernel::Ray  ray = kernel::MakeRay(view, static_cast<double>(column), static_cast<double>(row));
    const std::int64_t pixel = column - output.firstColumn + (row - output.firstRow) * output.columns;
    output.values[pixel] = static_cast<float>(IntegrateRay(volume, ray, plan, endsInside));
  });
}

void
ReportSiddonPackets(const SiddonPacketResult & result, ComputeReport & report)
{
  report.kernel = result.kernel;
  report.raysWithEndInside = result.raysWithEndInside;
  if (result.raysAlone > 0)
  {
    report.notUsed["simd for every ray"] =
      std::to_string(result.raysAlone) + " rays went one by one in binary64: with an end inside the volume, through an "
                                         "edge of it, within a face of voxels, steep, or far from their neighbours";
  }
}

} // namespace

int
SelectMainAxis(const kernel::ViewRays & view)
{
  const double column = 0.5 * static_cast<double>(view.columns - 1);
  const double row = 0.5 * static_cast<double>(view.rows - 1);
  int          mainAxis = 0;
  for (int axis = 1; axis < 3; ++axis)
  {
    if (std::abs(GetComponent(view, axis, column, row)) > std::abs(GetComponent(view, mainAxis, column, row)))
    {
      mainAxis = axis;
    }
  }
  return mainAxis;
}

double
FindSteepestSlope(const kernel::ViewRays & view, int mainAxis)
{
  const double lastColumn = static_cast<double>(view.columns - 1);
  const double lastRow = static_cast<double>(view.rows - 1);
  const double sign = GetComponent(view, mainAxis, 0.5 * lastColumn, 0.5 * lastRow);
  double       steepest = 0.0;
  for (const double column : { 0.0, lastColumn })
  {
    for (const double row : { 0.0, lastRow })
    {
      const double along = GetComponent(view, mainAxis, column, row);
      if (!(along * sign > 0.0))
      {
        return std::numeric_limits<double>::infinity();
      }
      for (int axis = 0; axis < 3; ++axis)
      {
        if (axis != mainAxis)
        {
          steepest = std::max(steepest, std::abs(GetComponent(view, axis, column, row) / along));
        }
      }
    }
  }
  return steepest;
}

bool
WantsTransposedVolume(const kernel::VolumeView & natural,
                      const kernel::ViewRays &   view,
                      Projector                  projector,
                      const ProjectionPolicy &   policy)
{
  return WantsTransposedVolume(natural, MakeViewPlan(view, projector, policy), policy);
}

bool
WantsTransposedVolume(const kernel::VolumeView & natural, const ViewPlan & plan, const ProjectionPolicy & policy)
{
  return policy.transposedCopy != 0 && FindReasonAgainstPackets(plan, policy, PacketWork::DepthsOnly).empty() &&
         FindLateralContiguousAxis(natural, plan.mainAxis) < 0;
}

ComputeReport
ForwardProject(const VolumeLayouts &    layouts,
               const kernel::ViewRays & view,
               Projector                projector,
               const ProjectionPolicy & policy,
               const ParallelFor &      parallelFor,
               const DepthImage &       output)
{
  return ForwardProject(layouts, view, MakeViewPlan(view, projector, policy), policy, parallelFor, output);
}

ComputeReport
ForwardProject(const VolumeLayouts &    layouts,
               const kernel::ViewRays & view,
               const ViewPlan &         plan,
               const ProjectionPolicy & policy,
               const ParallelFor &      parallelFor,
               const DepthImage &       output)
{
  ComputeReport      report = MakeProjectionReport(plan, policy, ", scalar binary64");
  const PacketChoice packets = ChoosePackets(layouts, plan, policy, PacketWork::DepthsOnly);
  if (packets.volume != nullptr && plan.projector == Projector::Siddon)
  {
    ReportSiddonPackets(ProjectSiddonPackets(*packets.volume, view, plan, policy, parallelFor, output), report);
    return report;
  }
  if (packets.volume != nullptr)
  {
    const auto project = plan.projector == Projector::CellGauss ? ProjectCellGaussPackets : ProjectJosephPackets;
    const JosephPacketResult result = project(*packets.volume, view, plan, policy, parallelFor, output);
    report.kernel = result.kernel;
    report.raysWithEndInside = result.raysWithEndInside;
    return report;
  }
  report.notUsed["simd"] = packets.reasonAgainst;
  report.raysWithEndInside = ProjectRayByRay(layouts.natural, view, plan, policy, parallelFor, output);
  return report;
}

} // namespace radiography::compute
