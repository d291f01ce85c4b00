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
#include "compute/JosephPackets.h"
#include "compute/HighwayTargets.h"

#include "compute/JosephPacket.h"

#include <cmath>
#include <cstdint>

// Compiles what stands between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE once per instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/JosephPackets.cxx"
#include "hwy/foreach_target.h"

#include "compute/JosephPacketSums-inl.h"
#include "compute/JosephPackets-inl.h"

HWY_BEFORE_NAMESPACE();
namespace radiography::compute::joseph
{
namespace HWY_NAMESPACE
{

int
GetLaneCount()
{
  return static_cast<int>(hn::Lanes(Floats()));
}

// ---------------------------------------------------------------------------------------------- samples

/** The rays' samples in the slabs of a block, all of whose voxels are there, added up. VRows: how many rows of voxels
 * are read, 0 if that is known at run time only. */
template <bool VSlopes, int VRegisters, int VRows>
HWY_NOINLINE SlabSums<VSlopes>
             SumInner(const PacketJob &    job,
                      const Packet &       packet,
                      const CornerPlaces & places,
                      std::int64_t         begin,
                      std::int64_t         end)
{
  using Row = Window<VRegisters>;
  const Floats       d;
  const Ints         di;
  const V            zero = hn::Zero(d);
  const V            one = hn::Set(d, 1.0F);
  const V            offsetP = hn::Load(d, packet.offsetP);
  const V            slopeP = hn::Load(d, packet.slopeP);
  const V            offsetQ = hn::Load(d, packet.offsetQ);
  const V            slopeQ = hn::Load(d, packet.slopeQ);
  const std::int64_t stride = job.volume.stride[job.q];
  const int          rows = VRows > 0 ? VRows : places.rows;

  const std::int64_t ahead = FindNextBlock(job, packet);
  auto               sums = SlabSums<VSlopes>::Zero();
  V                  slab = hn::Set(d, static_cast<float>(begin));
  for (std::int64_t i = 0; i < end - begin; ++i)
  {
    const V       x = hn::Add(hn::MulAdd(slab, slopeP, offsetP), hn::Set(d, places.p[i]));
    V             y = hn::Add(hn::MulAdd(slab, slopeQ, offsetQ), hn::Set(d, places.q[i]));
    const VI      index = hn::ConvertTo(di, x);
    const V       u = hn::Sub(x, hn::ConvertTo(d, index));
    const auto    left = Row::Choose(index);
    const auto    right = Row::Choose(hn::Add(index, hn::Set(di, 1)));
    const float * row = job.volume.values + static_cast<std::int64_t>(places.offset[i]);
    for (int j = 0; j < rows - 1; ++j)
    {
      for (int part = 0; part < VRegisters; ++part)
      {
        PrefetchAhead(row, ahead + j * stride + part * job.layout.lanes);
      }
    }
    auto sample = Sample<VSlopes>::Zero();
    V    lineBelow = zero;
    V    yBelow = zero;
    for (int j = 0; j < rows; ++j)
    {
      const Row voxels = Row::Load(row);
      const V   a = voxels.Pick(left);
      const V   step = hn::Sub(voxels.Pick(right), a);
      const V   line = hn::MulAdd(u, step, a);
      const V   tent = hn::Max(zero, hn::Sub(one, hn::Abs(y)));
      sample.value = hn::MulAdd(line, tent, sample.value);
      if constexpr (VSlopes)
      {
        sample.slopeP = hn::MulAdd(step, tent, sample.slopeP);
        if (j > 0)
        {
          // Of the rows that are not above a ray, the last one is the lower of its two.
          const V upwards = hn::Sub(line, lineBelow);
          sample.slopeQ = j == 1 ? upwards : hn::IfNegativeThenElse(yBelow, sample.slopeQ, upwards);
        }
        lineBelow = line;
        yBelow = y;
      }
      y = hn::Sub(y, one);
      row += stride;
    }
    sums.Add(sample, slab);
    slab = hn::Add(slab, one);
  }
  return sums;
}

template <bool VSlopes, int VRegisters>
HWY_INLINE SlabSums<VSlopes>
           SumInnerSlabs(const PacketJob & job, const Packet & packet, std::int64_t begin, std::int64_t end)
{
  CornerPlaces places;
  FindCorners(job, packet, begin, end, places);
  switch (places.rows)
  {
    case 2:
      return SumInner<VSlopes, VRegisters, 2>(job, packet, places, begin, end);
    case 3:
      return SumInner<VSlopes, VRegisters, 3>(job, packet, places, begin, end);
    case 4:
      return SumInner<VSlopes, VRegisters, 4>(job, packet, places, begin, end);
    case 5:
      return SumInner<VSlopes, VRegisters, 5>(job, packet, places, begin, end);
    case 6:
      return SumInner<VSlopes, VRegisters, 6>(job, packet, places, begin, end);
    default:
      return SumInner<VSlopes, VRegisters, 0>(job, packet, places, begin, end);
  }
}

/** The rays' samples in one slab near the volume's border: what is outside is 0. */
template <bool VSlopes, int VRegisters>
HWY_NOINLINE Sample<VSlopes>
             SampleBorder(const PacketJob & job, const Packet & packet, std::int64_t slab)
{
  const Floats d;
  const V      zero = hn::Zero(d);
  const V      one = hn::Set(d, 1.0F);
  const auto   border = FindBorderPlaces<VRegisters>(job, packet, slab);
  auto         sample = Sample<VSlopes>::Zero();
  for (std::int64_t j = border.firstRow; j <= border.lastRow; ++j)
  {
    const auto voxels =
      LoadRow<VRegisters>(job.volume.values + border.offset + j * job.volume.stride[job.q], job.volume.size[job.p]);
    const V a = hn::IfThenElseZero(border.hasLeft, voxels.Pick(border.left));
    const V step = hn::Sub(hn::IfThenElseZero(border.hasRight, voxels.Pick(border.right)), a);
    const V line = hn::MulAdd(border.u, step, a);
    const V distance = hn::Sub(border.q, hn::Set(d, static_cast<float>(j - border.baseQ)));
    const V tent = hn::Max(zero, hn::Sub(one, hn::Abs(distance)));
    sample.value = hn::MulAdd(line, tent, sample.value);
    if constexpr (VSlopes)
    {
      // As the lower one of a ray's two rows, [0, 1) below it, this one counts with -1, as the upper one with 1.
      const auto isUpper = hn::And(hn::Ge(distance, hn::Neg(one)), hn::Lt(distance, zero));
      const auto isLower = hn::And(hn::Ge(distance, zero), hn::Lt(distance, one));
      sample.slopeP = hn::MulAdd(step, tent, sample.slopeP);
      sample.slopeQ = hn::Add(sample.slopeQ, hn::IfThenElseZero(isUpper, line));
      sample.slopeQ = hn::Sub(sample.slopeQ, hn::IfThenElseZero(isLower, line));
    }
  }
  return sample;
}

/** The rays' samples in one slab, each ray's four voxels read on their own: for rays that are far apart. */
template <bool VSlopes>
HWY_NOINLINE Sample<VSlopes>
             SampleLaneByLane(const PacketJob & job, const Packet & packet, std::int64_t slab)
{
  const Floats       d;
  const Ints         di;
  const SlabPlaces   places = FindPlaces(packet, slab);
  const VI           indexP = hn::ConvertTo(di, places.p);
  const VI           indexQ = hn::ConvertTo(di, places.q);
  const V            u = hn::Sub(places.p, hn::ConvertTo(d, indexP));
  const V            v = hn::Sub(places.q, hn::ConvertTo(d, indexQ));
  const std::int64_t sizeP = job.volume.size[job.p];
  const std::int64_t sizeQ = job.volume.size[job.q];
  const std::int64_t stride = job.volume.stride[job.q];
  const float *      values = job.volume.values + slab * job.volume.stride[job.m];

  alignas(64) std::int32_t p[MostLanes];
  alignas(64) std::int32_t q[MostLanes];
  alignas(64) float        corner[2][2][MostLanes];
  hn::Store(indexP, di, p);
  hn::Store(indexQ, di, q);
  const std::int64_t ahead = FindNextBlock(job, packet);
  for (int lane = 0; lane < job.layout.lanes; ++lane)
  {
    for (int b = 0; b < 2; ++b)
    {
      const std::int64_t j = places.baseQ + q[lane] + b;
      const std::int64_t i = places.baseP + p[lane];
      corner[b][0][lane] = corner[b][1][lane] = 0.0F;
      // A ray may be anywhere in this slab: no address is formed far from the volume.
      if (j >= 0 && j < sizeQ && i >= -1 && i < sizeP)
      {
        const float * const row = values + j * stride + i;
        corner[b][0][lane] = i >= 0 ? row[0] : 0.0F;
        corner[b][1][lane] = i < sizeP - 1 ? row[1] : 0.0F;
        PrefetchAhead(row, ahead);
      }
    }
  }
  V steps[2];
  V rows[2];
  for (int b = 0; b < 2; ++b)
  {
    const V left = hn::Load(d, corner[b][0]);
    steps[b] = hn::Sub(hn::Load(d, corner[b][1]), left);
    rows[b] = hn::MulAdd(u, steps[b], left);
  }
  Sample<VSlopes> sample;
  sample.value = hn::MulAdd(rows[1], v, hn::Mul(rows[0], hn::Sub(hn::Set(d, 1.0F), v)));
  if constexpr (VSlopes)
  {
    sample.slopeP = hn::MulAdd(v, hn::Sub(steps[1], steps[0]), steps[0]);
    sample.slopeQ = hn::Sub(rows[1], rows[0]);
  }
  return sample;
}

// ---------------------------------------------------------------------------------------------- sums

/** The rays' samples in the slabs [begin, end) of a block, added up. */
template <bool VSlopes, int VRegisters>
HWY_INLINE SlabSums<VSlopes>
           SumSlabs(const PacketJob & job, const Packet & packet, std::int64_t begin, std::int64_t end)
{
  auto sums = SlabSums<VSlopes>::Zero();
  VisitSlabs(
    packet,
    begin,
    end,
    [&](std::int64_t slab) {
      sums.Add(SampleBorder<VSlopes, VRegisters>(job, packet, slab), hn::Set(Floats(), static_cast<float>(slab)));
    },
    [&](std::int64_t innerBegin, std::int64_t innerEnd) {
      sums.Add(SumInnerSlabs<VSlopes, VRegisters>(job, packet, innerBegin, innerEnd));
    });
  return sums;
}

template <bool VSlopes>
HWY_INLINE SlabSums<VSlopes>
           SumSlabsLaneByLane(const PacketJob & job, const Packet & packet, std::int64_t begin, std::int64_t end)
{
  auto sums = SlabSums<VSlopes>::Zero();
  for (std::int64_t slab = begin; slab < end; ++slab)
  {
    sums.Add(SampleLaneByLane<VSlopes>(job, packet, slab), hn::Set(Floats(), static_cast<float>(slab)));
  }
  return sums;
}

/** Sums along the rays of the packets of a tile. */
template <bool VSlopes, typename TPacket>
HWY_NOINLINE void
SumAlongRays(const PacketJob & job, TPacket * packets, int count)
{
  for (int i = 0; i < count; ++i)
  {
    Reset(packets[i]);
  }
  March(job, packets, count, [&](TPacket & packet, std::int64_t begin, std::int64_t end) {
    AddBlock(packet.registers == 1   ? SumSlabs<VSlopes, 1>(job, packet, begin, end)
             : packet.registers == 2 ? SumSlabs<VSlopes, 2>(job, packet, begin, end)
                                     : SumSlabsLaneByLane<VSlopes>(job, packet, begin, end),
             packet);
  });
}

// ---------------------------------------------------------------------------------------------- tiles

/** \return rays with an end inside the volume. */
std::int64_t
ProjectTile(const PacketJob & job, const PixelTiles::Tile & tile, float * depths)
{
  return VisitPackets<DepthPacket>(job, tile, [&](DepthPacket * packets, int count) {
    SumAlongRays<false>(job, packets, count);
    for (int i = 0; i < count; ++i)
    {
      StoreDepths(job, packets[i], depths);
    }
  });
}

/** \return rays with an end inside the volume. */
std::int64_t
DifferentiateTile(const PacketJob & job, const PixelTiles::Tile & tile, kernel::RaySensitivity * values)
{
  return VisitPackets<SlopePacket>(job, tile, [&](SlopePacket * packets, int count) {
    SumAlongRays<true>(job, packets, count);
    for (int i = 0; i < count; ++i)
    {
      StoreGradients(job, packets[i], values);
    }
  });
}

} // namespace HWY_NAMESPACE
} // namespace radiography::compute::joseph
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace radiography::compute
{

namespace joseph
{
namespace
{

HWY_EXPORT(GetLaneCount);
HWY_EXPORT(ProjectTile);
HWY_EXPORT(DifferentiateTile);

} // namespace
} // namespace joseph

int
GetJosephPacketLanes()
{
  using namespace joseph;
  return HWY_DYNAMIC_DISPATCH(GetLaneCount)();
}

bool
HasJosephPackets()
{
  return GetJosephPacketLanes() > 1;
}

int
FindLateralContiguousAxis(const kernel::VolumeView & volume, int mainAxis)
{
  for (int axis = 0; axis < 3; ++axis)
  {
    if (axis != mainAxis && volume.stride[axis] == 1)
    {
      return axis;
    }
  }
  return -1;
}

JosephPacketResult
ProjectJosephPackets(const kernel::VolumeView & volume,
                     const kernel::ViewRays &   view,
                     const ViewPlan &           plan,
                     const ProjectionPolicy &   policy,
                     const ParallelFor &        parallelFor,
                     const DepthImage &         output)
{
  using namespace joseph;
  const PacketJob    job = MakePacketJob(volume,
                                      view,
                                      plan,
                                      policy,
                                      { output.firstColumn, output.firstRow, output.columns, output.rows },
                                      GetJosephPacketLanes());
  const std::int64_t raysWithEndInside =
    SumOverTiles(MakeTiles(job, policy), parallelFor, [&](const PixelTiles::Tile & tile) {
      return HWY_DYNAMIC_DISPATCH(ProjectTile)(job, tile, output.values);
    });
  return { "joseph, " + DescribePackets(job), raysWithEndInside };
}

JosephPacketResult
DifferentiateJosephPackets(const kernel::VolumeView &  volume,
                           const kernel::ViewRays &    view,
                           const ViewPlan &            plan,
                           const ProjectionPolicy &    policy,
                           const ParallelFor &         parallelFor,
                           const RayDerivativeRegion & output)
{
  using namespace joseph;
  const PacketJob    job = MakePacketJob(volume,
                                      view,
                                      plan,
                                      policy,
                                      { output.firstColumn, output.firstRow, output.columns, output.rows, output.mask },
                                      GetJosephPacketLanes());
  const std::int64_t raysWithEndInside =
    SumOverTiles(MakeTiles(job, policy), parallelFor, [&](const PixelTiles::Tile & tile) {
      return HWY_DYNAMIC_DISPATCH(DifferentiateTile)(job, tile, output.values);
    });
  return { "joseph with gradients, " + DescribePackets(job), raysWithEndInside };
}

} // namespace radiography::compute

#endif
