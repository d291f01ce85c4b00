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
#include "kernel/CellGauss.h"
#include "kernel/CellGaussSensitivity.h"
#include "kernel/JosephSensitivity.h"

#include <atomic>
#include <cmath>
#include <cstdint>

// Compiles what stands between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE once per instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/JosephPackets.cxx"
#include "hwy/foreach_target.h"

#include "compute/JosephPackets-inl.h"

#ifndef radiography_compute_JosephPackets_once
#  define radiography_compute_JosephPackets_once

namespace radiography::compute::joseph
{

namespace
{

/** A packet with its samples added up. */
struct DepthPacket : Packet
{
  alignas(64) double sum[MostLanes];
};

/** With the slopes of the samples as well, and these times their slab. */
struct SlopePacket : DepthPacket
{
  alignas(64) double slopeSumP[MostLanes];
  alignas(64) double slopeSumQ[MostLanes];
  alignas(64) double momentP[MostLanes];
  alignas(64) double momentQ[MostLanes];
};

/** Depth of a ray of a finished packet. */
inline double
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

inline void
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

/** Whether a ray keeps to a plane of voxel centres along `axis`, to within what its places in binary32 can tell. There
 * the slope across the plane jumps. */
inline bool
KeepsToPlaneAcross(const PacketJob & job, const kernel::Ray & ray, int axis)
{
  const double slope = (ray.end[axis] - ray.start[axis]) / (ray.end[job.m] - ray.start[job.m]);
  const double first = ray.start[axis] - slope * ray.start[job.m];
  const double last = first + slope * static_cast<double>(job.volume.size[job.m] - 1);
  const double plane = std::floor(first + 0.5);
  return std::abs(first - plane) < Slack && std::abs(last - plane) < Slack;
}

inline bool
KeepsToPlane(const PacketJob & job, const kernel::Ray & ray)
{
  return KeepsToPlaneAcross(job, ray, job.p) || KeepsToPlaneAcross(job, ray, job.q);
}

/** Derivatives of a ray that a packet's moments are not good for. */
inline kernel::RaySensitivity
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
  kernel::RaySensitivity result = kernel::DifferentiateJoseph(job.volume, ray, job.m);
  result.depth = GetDepth(job, packet, lane);
  return result;
}

} // namespace
} // namespace radiography::compute::joseph

#endif

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

/** The rays' bilinear samples in a slab, with their slopes along p and q or without. */
template <bool VSlopes>
struct Sample;

template <>
struct Sample<false>
{
  V value;

  static HWY_INLINE Sample
  Zero()
  {
    return { hn::Zero(Floats()) };
  }
};

template <>
struct Sample<true>
{
  V value;
  V slopeP;
  V slopeQ;

  static HWY_INLINE Sample
  Zero()
  {
    const V zero = hn::Zero(Floats());
    return { zero, zero, zero };
  }
};

/** Samples added up. */
template <bool VSlopes>
struct SlabSums;

template <>
struct SlabSums<false>
{
  V value;

  static HWY_INLINE SlabSums
  Zero()
  {
    return { hn::Zero(Floats()) };
  }

  HWY_INLINE void
  Add(const Sample<false> & sample, V)
  {
    value = hn::Add(value, sample.value);
  }

  HWY_INLINE void
  Add(const SlabSums & other)
  {
    value = hn::Add(value, other.value);
  }
};

template <>
struct SlabSums<true>
{
  V value;
  V slopeP;
  V slopeQ;
  V momentP;
  V momentQ;

  static HWY_INLINE SlabSums
  Zero()
  {
    const V zero = hn::Zero(Floats());
    return { zero, zero, zero, zero, zero };
  }

  HWY_INLINE void
  Add(const Sample<true> & sample, V slab)
  {
    value = hn::Add(value, sample.value);
    slopeP = hn::Add(slopeP, sample.slopeP);
    slopeQ = hn::Add(slopeQ, sample.slopeQ);
    momentP = hn::MulAdd(slab, sample.slopeP, momentP);
    momentQ = hn::MulAdd(slab, sample.slopeQ, momentQ);
  }

  HWY_INLINE void
  Add(const SlabSums & other)
  {
    value = hn::Add(value, other.value);
    slopeP = hn::Add(slopeP, other.slopeP);
    slopeQ = hn::Add(slopeQ, other.slopeQ);
    momentP = hn::Add(momentP, other.momentP);
    momentQ = hn::Add(momentQ, other.momentQ);
  }
};

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
      const std::int64_t  j = places.baseQ + q[lane] + b;
      const std::int64_t  i = places.baseP + p[lane];
      const bool          hasRow = j >= 0 && j < sizeQ;
      const float * const row = values + j * stride + i;
      corner[b][0][lane] = hasRow && i >= 0 && i < sizeP ? row[0] : 0.0F;
      corner[b][1][lane] = hasRow && i >= -1 && i < sizeP - 1 ? row[1] : 0.0F;
      PrefetchAhead(row, ahead);
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

/** Adds what a block of slabs gave to sums in binary64. */
HWY_INLINE void
AddBlock(V block, double * sums)
{
  const HalfFloats  dh;
  const Doubles     dd;
  alignas(64) float values[MostLanes];
  hn::Store(block, Floats(), values);
  for (size_t lane = 0; lane < hn::Lanes(Floats()); lane += hn::Lanes(dd))
  {
    const VD total = hn::Load(dd, sums + lane);
    hn::Store(hn::Add(total, hn::PromoteTo(dd, hn::Load(dh, values + lane))), dd, sums + lane);
  }
}

HWY_INLINE void
AddBlock(const SlabSums<false> & block, DepthPacket & packet)
{
  AddBlock(block.value, packet.sum);
}

HWY_INLINE void
AddBlock(const SlabSums<true> & block, SlopePacket & packet)
{
  AddBlock(block.value, packet.sum);
  AddBlock(block.slopeP, packet.slopeSumP);
  AddBlock(block.slopeQ, packet.slopeSumQ);
  AddBlock(block.momentP, packet.momentP);
  AddBlock(block.momentQ, packet.momentQ);
}

HWY_INLINE void
SetToZero(double (&sums)[MostLanes])
{
  for (double & sum : sums)
  {
    sum = 0.0;
  }
}

HWY_INLINE void
Reset(DepthPacket & packet)
{
  SetToZero(packet.sum);
}

HWY_INLINE void
Reset(SlopePacket & packet)
{
  SetToZero(packet.sum);
  SetToZero(packet.slopeSumP);
  SetToZero(packet.slopeSumQ);
  SetToZero(packet.momentP);
  SetToZero(packet.momentQ);
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

// ---------------------------------------------------------------------------------------------- gradients

/** Pixels of half of the rays of a packet. */
struct HalfPixels
{
  VD columns;
  VD rows;

  HWY_INLINE VD
  Evaluate(const kernel::ViewRays::AffinePoint & point, int axis) const
  {
    const Doubles d;
    return hn::MulAdd(rows,
                      hn::Set(d, point.row[axis]),
                      hn::MulAdd(columns, hn::Set(d, point.column[axis]), hn::Set(d, point.origin[axis])));
  }
};

/** Depths and gradients of the rays of a packet. */
struct PacketGradients
{
  alignas(64) double depth[MostLanes];
  alignas(64) double start[3][MostLanes];
  alignas(64) double end[3][MostLanes];
};

/** From sums and moments to gradients as kernel::DifferentiateJoseph does it, for the half of a packet that begins at
 * `lane`. */
HWY_INLINE void
FindHalfGradients(const PacketJob &   job,
                  const SlopePacket & packet,
                  const double *      columns,
                  const double *      rows,
                  int                 lane,
                  PacketGradients &   gradients)
{
  const Doubles    d;
  const HalfPixels pixels{ hn::Load(d, columns + lane), hn::Load(d, rows + lane) };
  const VD         startM = pixels.Evaluate(job.view.start, job.m);
  const VD         perStep = hn::Div(hn::Set(d, 1.0), hn::Sub(pixels.Evaluate(job.view.end, job.m), startM));
  const VD         weight = hn::Load(d, packet.weight + lane);
  const VD         depth = hn::Mul(hn::Load(d, packet.sum + lane), weight);
  const VD         depthPerStep = hn::Mul(depth, perStep);
  VD               endGradientM = hn::Neg(depthPerStep);
  VD               startGradientM = depthPerStep;
  const auto       addAxis = [&](int axis, const double * slopes, const double * moments) {
    const VD startPlace = pixels.Evaluate(job.view.start, axis);
    const VD slope = hn::Mul(hn::Sub(pixels.Evaluate(job.view.end, axis), startPlace), perStep);
    const VD sum = hn::Load(d, slopes + lane);
    // tau = k - s_m.
    const VD moment = hn::NegMulAdd(startM, sum, hn::Load(d, moments + lane));
    const VD end = hn::Mul(hn::Mul(weight, moment), perStep);
    const VD start = hn::MulSub(weight, sum, end);
    hn::Store(end, d, gradients.end[axis] + lane);
    hn::Store(start, d, gradients.start[axis] + lane);
    endGradientM = hn::NegMulAdd(slope, end, endGradientM);
    startGradientM = hn::NegMulAdd(slope, start, startGradientM);
  };
  addAxis(job.p, packet.slopeSumP, packet.momentP);
  addAxis(job.q, packet.slopeSumQ, packet.momentQ);
  hn::Store(depth, d, gradients.depth + lane);
  hn::Store(endGradientM, d, gradients.end[job.m] + lane);
  hn::Store(startGradientM, d, gradients.start[job.m] + lane);
}

/** Whether some rays of a packet may keep to a plane of voxel centres: one moves less than a voxel along an axis. */
HWY_INLINE bool
MayKeepToPlanes(const PacketJob & job, const Packet & packet)
{
  const Floats d;
  const auto   slabs = static_cast<float>(job.volume.size[job.m]);
  const auto   leastMove = [&](const float * slopes, const AffineInSlab & low) {
    const V slope = hn::Add(hn::Load(d, slopes), hn::Set(d, static_cast<float>(low.step)));
    return hn::GetLane(hn::MinOfLanes(d, hn::Abs(slope))) * slabs;
  };
  return leastMove(packet.slopeP, packet.lowP) < 1.0F || leastMove(packet.slopeQ, packet.lowQ) < 1.0F;
}

HWY_NOINLINE void
StoreGradients(const PacketJob & job, const SlopePacket & packet, kernel::RaySensitivity * values)
{
  alignas(64) double columns[MostLanes];
  alignas(64) double rows[MostLanes];
  for (int lane = 0; lane < job.layout.lanes; ++lane)
  {
    columns[lane] = static_cast<double>(packet.column[lane]);
    rows[lane] = static_cast<double>(packet.row[lane]);
  }
  PacketGradients gradients;
  for (int lane = 0; lane < job.layout.lanes; lane += static_cast<int>(hn::Lanes(Doubles())))
  {
    FindHalfGradients(job, packet, columns, rows, lane, gradients);
  }
  const bool planes = MayKeepToPlanes(job, packet);
  for (int lane = 0; lane < job.layout.lanes; ++lane)
  {
    if (packet.target[lane] < 0)
    {
      continue;
    }
    kernel::RaySensitivity & value = values[packet.target[lane]];
    if (GetKernel(packet, lane) != RayKernel::Joseph || (planes && KeepsToPlane(job, MakeRay(job, packet, lane))))
    {
      value = DifferentiateAlone(job, packet, lane);
      continue;
    }
    value.depth = gradients.depth[lane];
    for (int axis = 0; axis < 3; ++axis)
    {
      value.start[axis] = gradients.start[axis][lane];
      value.end[axis] = gradients.end[axis][lane];
    }
  }
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
  const PacketJob           job = MakePacketJob(volume,
                                      view,
                                      plan,
                                      policy,
                                      { output.firstColumn, output.firstRow, output.columns, output.rows },
                                      GetJosephPacketLanes());
  const PixelTiles          tiles = MakeTiles(job, policy);
  std::atomic<std::int64_t> raysWithEndInside{ 0 };
  parallelFor(tiles.GetCount(), [&](std::int64_t item) {
    raysWithEndInside += HWY_DYNAMIC_DISPATCH(ProjectTile)(job, tiles.GetTile(item), output.values);
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
  const PacketJob           job = MakePacketJob(volume,
                                      view,
                                      plan,
                                      policy,
                                      { output.firstColumn, output.firstRow, output.columns, output.rows, output.mask },
                                      GetJosephPacketLanes());
  const PixelTiles          tiles = MakeTiles(job, policy);
  std::atomic<std::int64_t> raysWithEndInside{ 0 };
  parallelFor(tiles.GetCount(), [&](std::int64_t item) {
    raysWithEndInside += HWY_DYNAMIC_DISPATCH(DifferentiateTile)(job, tiles.GetTile(item), output.values);
  });
  return { "joseph with gradients, " + DescribePackets(job), raysWithEndInside };
}

} // namespace radiography::compute

#endif
