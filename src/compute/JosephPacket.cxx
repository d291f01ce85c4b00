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
#include "compute/JosephPacket.h"

#include "compute/InstructionSet.h"
#include "compute/JosephPackets.h"
#include "kernel/CellGauss.h"
#include "kernel/CellGaussSensitivity.h"
#include "kernel/JosephSensitivity.h"

#include <algorithm>

namespace radiography::compute::joseph
{

namespace
{

/** A range [begin, end) of slabs. */
struct SlabRange
{
  double begin;
  double end;
};

/** Keeps the slabs in which `line` is 0 or more; by rounding one more (generous) or none too many. */
void
KeepNonNegative(const AffineInSlab & line, bool generous, SlabRange & slabs)
{
  if (line.step == 0.0)
  {
    slabs.end = line.first >= 0.0 ? slabs.end : slabs.begin;
    return;
  }
  const double root = -line.first / line.step;
  if (line.step > 0.0)
  {
    slabs.begin = std::max(slabs.begin, generous ? std::floor(root) : std::ceil(root));
  }
  else
  {
    slabs.end = std::min(slabs.end, (generous ? std::ceil(root) : std::floor(root)) + 1.0);
  }
}

/** Keeps the slabs in which [low, high) has something of [begin, end) (generous), or lies within it. */
void
KeepBetween(const AffineInSlab & low,
            const AffineInSlab & high,
            double               begin,
            double               end,
            bool                 generous,
            SlabRange &          slabs)
{
  const AffineInSlab & toBegin = generous ? high : low;
  const AffineInSlab & toEnd = generous ? low : high;
  KeepNonNegative({ toBegin.first - begin, toBegin.step }, generous, slabs);
  KeepNonNegative({ end - toEnd.first, -toEnd.step }, generous, slabs);
}

void
SetSlabs(const SlabRange & slabs, std::int64_t & begin, std::int64_t & end)
{
  begin = slabs.begin < slabs.end ? static_cast<std::int64_t>(slabs.begin) : 0;
  end = slabs.begin < slabs.end ? static_cast<std::int64_t>(slabs.end) : 0;
}

/** Whether the ray of a pixel passes through all slabs between its two ends. */
bool
CrossesAllSlabs(const kernel::ViewRays & view, int m, std::int64_t slabs, double column, double row)
{
  const double start = kernel::Evaluate(view.start, m, column, row);
  const double end = kernel::Evaluate(view.end, m, column, row);
  return std::min(start, end) <= -1.0 && std::max(start, end) >= static_cast<double>(slabs);
}

/** For the whole detector: the two ends are affine in the pixel, so that its corners tell. */
bool
AllCrossAllSlabs(const kernel::ViewRays & view, int m, std::int64_t slabs)
{
  bool all = true;
  for (const double column : { 0.0, static_cast<double>(view.columns - 1) })
  {
    for (const double row : { 0.0, static_cast<double>(view.rows - 1) })
    {
      all = all && CrossesAllSlabs(view, m, slabs, column, row);
    }
  }
  return all;
}

/** Whether a ray keeps to a plane of voxel centres along `axis`, to within what its places in binary32 can tell. There
 * the slope across the plane jumps. */
bool
KeepsToPlaneAcross(const PacketJob & job, const kernel::Ray & ray, int axis)
{
  const double slope = (ray.end[axis] - ray.start[axis]) / (ray.end[job.m] - ray.start[job.m]);
  const double first = ray.start[axis] - slope * ray.start[job.m];
  const double last = first + slope * static_cast<double>(job.volume.size[job.m] - 1);
  const double plane = std::floor(first + 0.5);
  return std::abs(first - plane) < Slack && std::abs(last - plane) < Slack;
}

} // namespace

PacketJob
MakePacketJob(const kernel::VolumeView & volume,
              const kernel::ViewRays &   view,
              const ViewPlan &           plan,
              const ProjectionPolicy &   policy,
              const PixelRegion &        region,
              int                        lanes)
{
  const int                m = plan.mainAxis;
  const int                p = FindLateralContiguousAxis(volume, m);
  const JosephPacketLayout layout = MakeJosephPacketLayout(volume, view, m, p, lanes, policy);
  const bool               all = AllCrossAllSlabs(view, m, volume.size[m]);
  PacketJob                job{ volume,           view, plan, layout,
                 region,           m,    p,    3 - m - p,
                 policy.slabBlock, all,  {},   plan.projector == Projector::CellGauss };
  for (std::int64_t along = 0; along < layout.countAlong; ++along)
  {
    job.shifts.push_back(layout.GetShift(along));
  }
  return job;
}

PixelTiles
MakeTiles(const PacketJob & job, const ProjectionPolicy & policy)
{
  const PixelRegion & region = job.region;
  return MakeJosephPacketTiles(job.layout, region.firstColumn, region.firstRow, region.columns, region.rows, policy);
}

std::string
DescribePackets(const PacketJob & job)
{
  return GetInstructionSet().name + " " + std::to_string(job.layout.width) + "x" +
         std::to_string(job.layout.GetHeight()) + " packets, binary32";
}

int
CountRegisters(const Packet & packet, int lanes, double lastSlab)
{
  double widest = 0.0;
  double tallest = 0.0;
  for (const double slab : { 0.0, lastSlab })
  {
    widest = std::max(widest, packet.highP.At(slab) - packet.lowP.At(slab));
    tallest = std::max(tallest, packet.highQ.At(slab) - packet.lowQ.At(slab));
  }
  if (!(widest < 2 * lanes - 2) || !(tallest < MostRows))
  {
    return 0;
  }
  return widest < lanes - 2 ? 1 : 2;
}

void
FindSlabs(const PacketJob & job, int loaded, Packet & packet)
{
  const auto slabCount = static_cast<double>(job.volume.size[job.m]);
  const auto sizeP = static_cast<double>(job.volume.size[job.p]);
  const auto sizeQ = static_cast<double>(job.volume.size[job.q]);
  SlabRange  outer{ 0.0, slabCount };
  KeepBetween(packet.lowP, packet.highP, -1.0, sizeP, true, outer);
  KeepBetween(packet.lowQ, packet.highQ, -1.0, sizeQ, true, outer);
  SetSlabs(outer, packet.begin, packet.end);

  SlabRange inner = outer;
  if (sizeP < loaded)
  {
    inner.end = inner.begin;
  }
  KeepBetween(packet.lowP, packet.highP, 0.0, sizeP - 1.0, false, inner);
  KeepBetween(packet.lowQ, packet.highQ, 0.0, sizeQ - 1.0, false, inner);
  SetSlabs(inner, packet.innerBegin, packet.innerEnd);
}

bool
SetPixels(const PacketJob &        job,
          const PixelTiles::Tile & tile,
          std::int64_t             along,
          std::int64_t             across,
          Packet &                 packet)
{
  const JosephPacketLayout & layout = job.layout;
  const PixelRegion &        region = job.region;
  int                        first = -1;
  bool                       any = false;
  bool                       all = true;
  bool                       onDetector[MostLanes];
  for (int lane = 0; lane < layout.lanes; ++lane)
  {
    const std::int64_t a = along + lane % layout.width;
    const std::int64_t b = across + lane / layout.width;
    const std::int64_t shifted = b + (a < layout.countAlong ? job.shifts[static_cast<size_t>(a)] : 0);
    onDetector[lane] = a < layout.countAlong && shifted >= 0 && shifted < layout.countAcross;
    const std::int64_t column = layout.alongRows ? shifted : a;
    const std::int64_t row = layout.alongRows ? a : shifted;
    const std::int64_t i = column - region.firstColumn;
    const std::int64_t j = row - region.firstRow;
    const bool         asked = onDetector[lane] && a >= tile.columnBegin && a < tile.columnEnd && b >= tile.rowBegin &&
                       b < tile.rowEnd && i >= 0 && i < region.columns && j >= 0 && j < region.rows &&
                       (region.mask == nullptr || region.mask[i + j * region.columns] != 0);
    packet.column[lane] = column;
    packet.row[lane] = row;
    packet.target[lane] = asked ? i + j * region.columns : -1;
    first = first < 0 && onDetector[lane] ? lane : first;
    any = any || asked;
    all = all && onDetector[lane];
  }
  for (int lane = 0; any && !all && lane < layout.lanes; ++lane)
  {
    if (!onDetector[lane])
    {
      packet.column[lane] = packet.column[first];
      packet.row[lane] = packet.row[first];
    }
  }
  return any;
}

std::int64_t
SortRays(const PacketJob & job, Packet & packet)
{
  std::int64_t endsInside = 0;
  bool         any = false;
  packet.mixed = false;
  for (int lane = 0; lane < job.layout.lanes; ++lane)
  {
    const RayChoice choice = ChooseRayKernel(job.volume, MakeRay(job, packet, lane), job.plan);
    const bool      inPacket = choice.kernel != RayKernel::None && !choice.endsInside;
    packet.kernels[lane] = inPacket ? RayKernel::Joseph : choice.kernel;
    packet.mixed = packet.mixed || !inPacket;
    any = any || inPacket;
    endsInside += choice.endsInside && packet.target[lane] >= 0 ? 1 : 0;
  }
  if (!any)
  {
    packet.end = packet.begin;
  }
  return endsInside;
}

double
GetDepth(const PacketJob & job, const DepthPacket & packet, int lane)
{
  switch (GetKernel(packet, lane))
  {
    case RayKernel::None:
      return 0.0;
    case RayKernel::CellGauss:
      return kernel::IntegrateCellGauss(job.volume, MakeRay(job, packet, lane));
    default:
      return packet.sum[lane] * packet.weight[lane];
  }
}

void
StoreDepths(const PacketJob & job, const DepthPacket & packet, float * values)
{
  for (int lane = 0; lane < job.layout.lanes; ++lane)
  {
    if (packet.target[lane] >= 0)
    {
      values[packet.target[lane]] = static_cast<float>(GetDepth(job, packet, lane));
    }
  }
}

bool
KeepsToPlane(const PacketJob & job, const kernel::Ray & ray)
{
  return KeepsToPlaneAcross(job, ray, job.p) || KeepsToPlaneAcross(job, ray, job.q);
}

kernel::RaySensitivity
DifferentiateAlone(const PacketJob & job, const DepthPacket & packet, int lane)
{
  const kernel::Ray ray = MakeRay(job, packet, lane);
  switch (GetKernel(packet, lane))
  {
    case RayKernel::None:
      return {};
    case RayKernel::CellGauss:
      return kernel::DifferentiateCellGauss(job.volume, ray);
    default:
      break;
  }
  kernel::RaySensitivity result =
    job.exact ? kernel::DifferentiateCellGauss(job.volume, ray) : kernel::DifferentiateJoseph(job.volume, ray, job.m);
  result.depth = GetDepth(job, packet, lane);
  return result;
}

} // namespace radiography::compute::joseph
