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
#include "compute/RayDerivatives.h"

#include "compute/CellGaussPackets.h"
#include "compute/JosephPackets.h"
#include "compute/PacketChoice.h"
#include "compute/PixelTiles.h"
#include "kernel/CellGaussSensitivity.h"
#include "kernel/JosephSensitivity.h"
#include "kernel/SiddonSensitivity.h"

#include <vector>

namespace radiography::compute
{

namespace
{

bool
IsAsked(const RayDerivativeRegion & output, std::int64_t pixel)
{
  return output.mask == nullptr || output.mask[pixel] != 0;
}

void
SetUnaskedToZero(const RayDerivativeRegion & output)
{
  for (std::int64_t pixel = 0; pixel < output.columns * output.rows; ++pixel)
  {
    if (!IsAsked(output, pixel))
    {
      output.values[pixel] = {};
    }
  }
}

/** \return rays with an end inside the volume. */
std::int64_t
DifferentiateRayByRay(const kernel::VolumeView &  volume,
                      const kernel::ViewRays &    view,
                      const ViewPlan &            plan,
                      const ProjectionPolicy &    policy,
                      const ParallelFor &         parallelFor,
                      const RayDerivativeRegion & output)
{
  const PixelTiles tiles(output.firstColumn, output.firstRow, output.columns, output.rows, policy);
  return VisitTiledPixels(tiles, parallelFor, [&](std::int64_t column, std::int64_t row, std::int64_t & endsInside) {
    const std::int64_t pixel = column - output.firstColumn + (row - output.firstRow) * output.columns;
    if (IsAsked(output, pixel))
    {
      const kernel::Ray ray = kernel::MakeRay(view, static_cast<double>(column), static_cast<double>(row));
      output.values[pixel] = DifferentiateRay(volume, ray, plan, endsInside);
    }
  });
}

/** Puts the depths of the forward projection, which are from packets, in the place of those of the scalar body.
 * \return what they were computed by. */
std::string
TakeForwardDepths(const VolumeLayouts &       layouts,
                  const kernel::ViewRays &    view,
                  const ViewPlan &            plan,
                  const ProjectionPolicy &    policy,
                  const ParallelFor &         parallelFor,
                  const RayDerivativeRegion & output)
{
  std::vector<float>  depths(static_cast<std::size_t>(output.columns * output.rows));
  const DepthImage    image{ depths.data(), output.firstColumn, output.firstRow, output.columns, output.rows };
  const ComputeReport report = ForwardProject(layouts, view, plan, policy, parallelFor, image);
  for (std::int64_t pixel = 0; pixel < output.columns * output.rows; ++pixel)
  {
    if (IsAsked(output, pixel))
    {
      output.values[pixel].depth = static_cast<double>(depths[static_cast<std::size_t>(pixel)]);
    }
  }
  return report.kernel;
}

} // namespace

kernel::RaySensitivity
DifferentiateRay(const kernel::VolumeView & volume,
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
      return kernel::DifferentiateJoseph(volume, ray, plan.mainAxis);
    case RayKernel::CellGauss:
      return kernel::DifferentiateCellGauss(volume, ray);
    case RayKernel::Siddon:
      return kernel::DifferentiateSiddon(volume, ray);
  }
  return {};
}

ComputeReport
DifferentiateRays(const VolumeLayouts &      layouts,
                  const kernel::ViewRays &   view,
                  const ViewPlan &           plan,
                  const ProjectionPolicy &   policy,
                  const ParallelFor &        parallelFor,
                  const RayDerivativeImage & output)
{
  return DifferentiateRays(layouts,
                           view,
                           plan,
                           policy,
                           parallelFor,
                           RayDerivativeRegion{ output.values, 0, 0, output.columns, output.rows, output.mask });
}

ComputeReport
DifferentiateRays(const VolumeLayouts &       layouts,
                  const kernel::ViewRays &    view,
                  const ViewPlan &            plan,
                  const ProjectionPolicy &    policy,
                  const ParallelFor &         parallelFor,
                  const RayDerivativeRegion & output)
{
  SetUnaskedToZero(output);
  ComputeReport      report = MakeProjectionReport(plan, policy, " with gradients, scalar binary64");
  const PacketChoice packets = ChoosePackets(layouts, plan, policy);
  if (packets.volume != nullptr)
  {
    const auto differentiate =
      plan.projector == Projector::CellGauss ? DifferentiateCellGaussPackets : DifferentiateJosephPackets;
    const JosephPacketResult result = differentiate(*packets.volume, view, plan, policy, parallelFor, output);
    report.kernel = result.kernel;
    report.raysWithEndInside = result.raysWithEndInside;
    return report;
  }
  report.notUsed["simd"] = packets.reasonAgainst;
  report.raysWithEndInside = DifferentiateRayByRay(layouts.natural, view, plan, policy, parallelFor, output);
  if (ChoosePackets(layouts, plan, policy, PacketWork::DepthsOnly).volume != nullptr)
  {
    report.kernel += "; depths: " + TakeForwardDepths(layouts, view, plan, policy, parallelFor, output);
    report.notUsed.erase("simd");
    report.notUsed["simd for gradients"] = packets.reasonAgainst;
  }
  return report;
}

} // namespace radiography::compute
