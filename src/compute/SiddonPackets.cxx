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
#include "compute/SiddonPackets.h"
#include "compute/HighwayTargets.h"

#include "compute/JosephPacket.h"
#include "compute/JosephPackets.h"
#include "kernel/Siddon.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>

// Compiles what stands between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE once per instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/SiddonPackets.cxx"
#include "hwy/foreach_target.h"

#include "compute/JosephPackets-inl.h"

#ifndef radiography_compute_SiddonPackets_once
#  define radiography_compute_SiddonPackets_once

namespace radiography::compute::siddon
{

using namespace joseph;

namespace
{

/** Slabs that a packet goes through in fixed point at a time. */
constexpr std::int64_t FixedSlabs = 8;
/** Bits of a fraction of a voxel in fixed point; five more tell voxels within two registers, or rows of a slab. */
constexpr int          FractionBits = 27;
constexpr std::int32_t VoxelUnit = 1 << FractionBits;
/** Half of the voxels that fixed point can tell: taken off places, so that they have a sign. */
constexpr double HalfRange = 16.0;
/** A packet with a steeper ray is integrated ray by ray. */
constexpr double SteepestSlope = 4.0;
/** A ray of smaller slope that comes nearer to a face than the distance, in voxels, is integrated alone. */
constexpr double FlatSlope = 1.0 / 32768.0;
constexpr double FaceDistance = 1.0 / 1048576.0;
/** A ray that is in the volume for fewer slabs is integrated alone: the error of the crossings where it goes in and out
 * is no longer small beside its depth. */
constexpr double FewSlabs = 2.0;

enum class Fate
{
  Misses,
  Together,
  Alone
};

/** Places count from the volume's first faces: voxel i is [i, i + 1). The bounds in Packet are those of whole slabs. */
struct SiddonPacket : Packet
{
  /** Place along p and q at the face plane before slab k: place + k * slope. */
  alignas(64) double placeP[MostLanes];
  alignas(64) double slopeP[MostLanes];
  alignas(64) double placeQ[MostLanes];
  alignas(64) double slopeQ[MostLanes];
  /** Slabs for which a ray is in the volume, less than 0 if it misses it; means nothing for rays within a face. */
  alignas(64) double slabsInside[MostLanes];
  /** Of value times length, so far. */
  alignas(64) double sum[MostLanes];
  /** Equal parts of a slab; in none of them a ray crosses two faces of one axis. */
  int  parts;
  Fate fate[MostLanes];
};

/** Rays asked for that are special. */
struct RayCounts
{
  std::int64_t endsInside{ 0 };
  std::int64_t alone{ 0 };
};

/** Whether a ray that hardly moves along an axis is nearer to one of its faces than fixed point can tell. */
inline bool
KeepsToFace(double place, double slope, double lastPlane)
{
  const double end = place + lastPlane * slope;
  return std::abs(slope) < FlatSlope &&
         std::floor(std::min(place, end) - FaceDistance) != std::floor(std::max(place, end) + FaceDistance);
}

/** What becomes of a ray. */
inline Fate
FindFate(const PacketJob & job, const SiddonPacket & packet, int lane, bool & endsInside)
{
  if (!job.crossesAllSlabs)
  {
    const RayChoice choice = ChooseRayKernel(job.volume, MakeRay(job, packet, lane), job.plan);
    endsInside = choice.endsInside;
    if (choice.kernel == RayKernel::None)
    {
      return Fate::Misses;
    }
  }
  const auto lastPlane = static_cast<double>(job.volume.size[job.m]);
  if (endsInside || packet.registers == 0 || KeepsToFace(packet.placeP[lane], packet.slopeP[lane], lastPlane) ||
      KeepsToFace(packet.placeQ[lane], packet.slopeQ[lane], lastPlane))
  {
    return Fate::Alone;
  }
  if (packet.slabsInside[lane] < -1.0)
  {
    return Fate::Misses;
  }
  return packet.slabsInside[lane] >= std::min(FewSlabs, lastPlane) ? Fate::Together : Fate::Alone;
}

/** \return whether any ray goes through the slabs together with others. */
inline bool
FindFates(const PacketJob & job, SiddonPacket & packet, RayCounts & counts)
{
  bool together = false;
  for (int lane = 0; lane < job.layout.lanes; ++lane)
  {
    bool endsInside = false;
    packet.fate[lane] = FindFate(job, packet, lane, endsInside);
    together = together || packet.fate[lane] == Fate::Together;
    if (packet.target[lane] >= 0)
    {
      counts.endsInside += endsInside ? 1 : 0;
      counts.alone += packet.fate[lane] == Fate::Alone ? 1 : 0;
    }
  }
  return together;
}

/** Depth of a ray of a finished packet. */
inline double
GetDepth(const PacketJob & job, const SiddonPacket & packet, int lane)
{
  switch (packet.fate[lane])
  {
    case Fate::Misses:
      return 0.0;
    case Fate::Alone:
      return kernel::IntegrateSiddon(job.volume, MakeRay(job, packet, lane));
    default:
      return packet.sum[lane] * packet.weight[lane];
  }
}

inline void
StoreDepths(const PacketJob & job, const SiddonPacket & packet, float * values)
{
  for (int lane = 0; lane < job.layout.lanes; ++lane)
  {
    if (packet.target[lane] >= 0)
    {
      values[packet.target[lane]] = static_cast<float>(GetDepth(job, packet, lane));
    }
  }
}

} // namespace
} // namespace radiography::compute::siddon

#endif

HWY_BEFORE_NAMESPACE();
namespace radiography::compute::siddon
{
namespace HWY_NAMESPACE
{

using namespace joseph::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;

using HalfInts = hn::RebindToSigned<HalfFloats>;
using Unsigned = hn::RebindToUnsigned<Floats>;
using VU = hn::Vec<Unsigned>;

// ---------------------------------------------------------------------------------------------- making packets

HWY_INLINE VD
EvaluateRays(const kernel::ViewRays::AffinePoint & point, int axis, VD columns, VD rows)
{
  const Doubles d;
  return hn::MulAdd(rows,
                    hn::Set(d, point.row[axis]),
                    hn::MulAdd(columns, hn::Set(d, point.column[axis]), hn::Set(d, point.origin[axis])));
}

/** For how many slabs rays are in the volume. */
struct SlabsInside
{
  VD begin;
  VD end;

  /** \param size of the volume, in voxels along the axis of the places. */
  HWY_INLINE void
  Clip(VD place, VD slope, double size)
  {
    const Doubles d;
    const VD      a = hn::Div(hn::Neg(place), slope);
    const VD      b = hn::Div(hn::Sub(hn::Set(d, size), place), slope);
    begin = hn::Max(begin, hn::Min(a, b));
    end = hn::Min(end, hn::Max(a, b));
  }
};

/** The range of places along one axis at the first and at the last face plane, and of slopes. */
struct PlaceRange
{
  VD low[2];
  VD high[2];
  VD steepest;

  static HWY_INLINE PlaceRange
  Empty()
  {
    const VD none = hn::Set(Doubles(), HUGE_VAL);
    return { { none, none }, { hn::Neg(none), hn::Neg(none) }, hn::Zero(Doubles()) };
  }

  HWY_INLINE void
  Add(VD place, VD slope, VD lastPlane)
  {
    const VD end = hn::MulAdd(lastPlane, slope, place);
    low[0] = hn::Min(low[0], place);
    low[1] = hn::Min(low[1], end);
    high[0] = hn::Max(high[0], place);
    high[1] = hn::Max(high[1], end);
    // A slope that is not a number (a ray of no length) counts as infinite.
    const VD size = hn::Abs(slope);
    steepest = hn::Max(steepest, hn::IfThenElse(hn::Eq(size, size), size, hn::Set(Doubles(), HUGE_VAL)));
  }

  /** Bounds of whole slabs. Each ray is affine in the plane, so that the least of them is concave: the chord between
   * its ends bounds it. */
  HWY_INLINE void
  GetBounds(double lastPlane, AffineInSlab & lower, AffineInSlab & upper) const
  {
    const Doubles d;
    const double  first[2] = { hn::GetLane(hn::MinOfLanes(d, low[0])), hn::GetLane(hn::MaxOfLanes(d, high[0])) };
    const double  last[2] = { hn::GetLane(hn::MinOfLanes(d, low[1])), hn::GetLane(hn::MaxOfLanes(d, high[1])) };
    const double  step[2] = { (last[0] - first[0]) / lastPlane, (last[1] - first[1]) / lastPlane };
    lower = { first[0] - Slack + std::min(step[0], 0.0), step[0] };
    upper = { first[1] + Slack + std::max(step[1], 0.0), step[1] };
  }

  HWY_INLINE double
  GetSteepest() const
  {
    return hn::GetLane(hn::MaxOfLanes(Doubles(), steepest));
  }
};

/** Fills in the rays and bounds of a packet whose pixels are known. */
HWY_NOINLINE void
SetSiddonRays(const PacketJob & job, SiddonPacket & packet)
{
  const Doubles d;
  const int     lanes = job.layout.lanes;
  const int     axes[3] = { job.m, job.p, job.q };
  const auto    lastPlane = static_cast<double>(job.volume.size[job.m]);
  const VD      half = hn::Set(d, 0.5);
  double *      places[2] = { packet.placeP, packet.placeQ };
  double *      slopes[2] = { packet.slopeP, packet.slopeQ };

  alignas(64) double columns[MostLanes];
  alignas(64) double rows[MostLanes];
  for (int lane = 0; lane < lanes; ++lane)
  {
    columns[lane] = static_cast<double>(packet.column[lane]);
    rows[lane] = static_cast<double>(packet.row[lane]);
  }
  PlaceRange ranges[2] = { PlaceRange::Empty(), PlaceRange::Empty() };
  for (int lane = 0; lane < lanes; lane += static_cast<int>(hn::Lanes(d)))
  {
    const VD c = hn::Load(d, columns + lane);
    const VD r = hn::Load(d, rows + lane);
    VD       start[3];
    VD       step[3];
    for (int i = 0; i < 3; ++i)
    {
      start[i] = EvaluateRays(job.view.start, axes[i], c, r);
      step[i] = hn::Sub(EvaluateRays(job.view.end, axes[i], c, r), start[i]);
    }
    // The first faces lie at -1/2 in index space.
    const VD    toPlane = hn::Neg(hn::Add(start[0], half));
    SlabsInside inside{ hn::Zero(d), hn::Set(d, lastPlane) };
    for (int i = 0; i < 2; ++i)
    {
      const VD slope = hn::Div(step[i + 1], step[0]);
      const VD place = hn::MulAdd(toPlane, slope, hn::Add(start[i + 1], half));
      hn::Store(slope, d, slopes[i] + lane);
      hn::Store(place, d, places[i] + lane);
      ranges[i].Add(place, slope, hn::Set(d, lastPlane));
      inside.Clip(place, slope, static_cast<double>(job.volume.size[axes[i + 1]]));
    }
    hn::Store(hn::Sub(inside.end, inside.begin), d, packet.slabsInside + lane);
    hn::Store(GetSlabLength(job, c, r), d, packet.weight + lane);
    hn::Store(hn::Zero(d), d, packet.sum + lane);
  }
  ranges[0].GetBounds(lastPlane, packet.lowP, packet.highP);
  ranges[1].GetBounds(lastPlane, packet.lowQ, packet.highQ);

  const double steepest = std::max(ranges[0].GetSteepest(), ranges[1].GetSteepest());
  packet.parts = steepest > 1.0 && steepest <= SteepestSlope ? static_cast<int>(std::ceil(steepest)) : 1;
  const double tallest = std::max(packet.highQ.At(0.0) - packet.lowQ.At(0.0),
                                  packet.highQ.At(lastPlane - 1.0) - packet.lowQ.At(lastPlane - 1.0));
  const bool   together = steepest <= SteepestSlope && tallest < 2.0 * HalfRange - 2.0;
  packet.registers = together ? CountRegisters(packet, lanes, lastPlane - 1.0) : 0;
  for (int lane = 0; lane < lanes; ++lane)
  {
    packet.weight[lane] /= packet.parts;
  }
}

/** \return whether any ray of the packet is asked for. */
HWY_INLINE bool
MakeSiddonPacket(const PacketJob &        job,
                 const PixelTiles::Tile & tile,
                 std::int64_t             along,
                 std::int64_t             across,
                 SiddonPacket &           packet,
                 RayCounts &              counts)
{
  if (!SetPixels(job, tile, along, across, packet))
  {
    return false;
  }
  SetSiddonRays(job, packet);
  if (FindFates(job, packet, counts))
  {
    FindSlabs(job, packet.registers * job.layout.lanes, packet);
  }
  else
  {
    packet.begin = 0;
    packet.end = 0;
  }
  return true;
}

// ---------------------------------------------------------------------------------------------- places in slabs

/** The first voxel and row that a packet reads, slab by slab: its corner. */
struct SiddonCorners
{
  /** The corner less that of the first slab and HalfRange, in fixed point that wraps around. */
  alignas(64) std::int32_t fixedP[FixedSlabs];
  alignas(64) std::int32_t fixedQ[FixedSlabs];
  /** Values from the volume's first one to the corner, and the corner itself. */
  alignas(64) double offset[FixedSlabs];
  alignas(64) double p[FixedSlabs];
  alignas(64) double q[FixedSlabs];
  /** Rows to be read. */
  int rows;
};

HWY_INLINE VD
FloorAt(const AffineInSlab & bound, VD slab)
{
  const Doubles d;
  return hn::Floor(hn::MulAdd(slab, hn::Set(d, bound.step), hn::Set(d, bound.first)));
}

HWY_INLINE void
StoreFixed(VD corner, double first, std::int32_t * fixed)
{
  const HalfInts d;
  const VD       relative = hn::Sub(corner, hn::Set(Doubles(), first + HalfRange));
  hn::StoreU(hn::ShiftLeft<FractionBits>(hn::DemoteTo(d, relative)), d, fixed);
}

/** \tparam VInner in all these slabs what the rays meet lies within the volume: then so does all that is read. */
template <bool VInner>
HWY_NOINLINE void
FindSiddonCorners(const PacketJob &    job,
                  const SiddonPacket & packet,
                  std::int64_t         begin,
                  std::int64_t         count,
                  SiddonCorners &      corners)
{
  const Doubles d;
  const auto    step = static_cast<std::int64_t>(hn::Lanes(d));
  const auto    first = static_cast<double>(begin);
  const VD      last = hn::Set(d, static_cast<double>(begin + count - 1));
  VD            spread = hn::Zero(d);
  for (std::int64_t k = 0; k < count; k += step)
  {
    const VD slab = hn::Min(hn::Iota(d, first + static_cast<double>(k)), last);
    spread = hn::Max(spread, hn::Sub(FloorAt(packet.highQ, slab), FloorAt(packet.lowQ, slab)));
  }
  const double rows = hn::GetLane(hn::MaxOfLanes(d, spread)) + 1.0;
  corners.rows = static_cast<int>(rows);

  const VD lastP = hn::Set(d, static_cast<double>(job.volume.size[job.p] - packet.registers * job.layout.lanes));
  const VD lastQ = hn::Set(d, static_cast<double>(job.volume.size[job.q]) - rows);
  const VD strideM = hn::Set(d, static_cast<double>(job.volume.stride[job.m]));
  const VD strideQ = hn::Set(d, static_cast<double>(job.volume.stride[job.q]));
  for (std::int64_t k = 0; k < count; k += step)
  {
    const VD slab = hn::Min(hn::Iota(d, first + static_cast<double>(k)), last);
    VD       p = FloorAt(packet.lowP, slab);
    VD       q = FloorAt(packet.lowQ, slab);
    if (VInner)
    {
      p = hn::Min(p, lastP);
      q = hn::Min(q, lastQ);
    }
    hn::Store(p, d, corners.p + k);
    hn::Store(q, d, corners.q + k);
    hn::Store(hn::MulAdd(slab, strideM, hn::MulAdd(q, strideQ, p)), d, corners.offset + k);
    StoreFixed(p, corners.p[0], corners.fixedP + k);
    StoreFixed(q, corners.q[0], corners.fixedQ + k);
  }
}

HWY_INLINE VI
Join(hn::Vec<HalfInts> lower, hn::Vec<HalfInts> upper)
{
#if HWY_TARGET == HWY_SCALAR
  (void)upper;
  return lower;
#else
  return hn::Combine(Ints(), upper, lower);
#endif
}

HWY_INLINE V
Join(hn::Vec<HalfFloats> lower, hn::Vec<HalfFloats> upper)
{
#if HWY_TARGET == HWY_SCALAR
  (void)upper;
  return lower;
#else
  return hn::Combine(Floats(), upper, lower);
#endif
}

/** A piece of the way of each ray along one axis: the voxel that it begins in, the next one, and where it crosses over,
 * 0 to 1; 1: it does not. Voxels count from the corner. */
struct Crossing
{
  VI first;
  VI next;
  V  at;
};

/** Places of the rays along one axis in fixed point, which move on part by part of a slab. */
struct FixedPlaces
{
  VU place;
  VU step;
  /** Turns a fraction into the distance to the face ahead. */
  VU flip;
  /** -1 or 1, and parts of a slab per unit of distance. */
  VI towards;
  V  perUnit;

  HWY_INLINE Crossing
  Cross(std::int32_t corner) const
  {
    const Floats   d;
    const Ints     di;
    const Unsigned du;
    const VU       inCell = hn::Set(du, static_cast<std::uint32_t>(VoxelUnit - 1));
    const VU       relative = hn::Sub(place, hn::Set(du, static_cast<std::uint32_t>(corner)));
    const VI       distance = hn::BitCast(di, hn::Xor(hn::And(relative, inCell), flip));
    const VI       first = hn::BitCast(di, hn::ShiftRight<FractionBits>(relative));
    return { first, hn::Add(first, towards), hn::Min(hn::Mul(hn::ConvertTo(d, distance), perUnit), hn::Set(d, 1.0F)) };
  }
};

/** \param parts of a slab; \param corner that of slab `begin`. */
HWY_INLINE FixedPlaces
MakeFixedPlaces(const double * places, const double * slopes, int parts, std::int64_t begin, double corner)
{
  const Floats     d;
  const Ints       di;
  const Unsigned   du;
  const Doubles    dd;
  const HalfInts   dhi;
  const HalfFloats dh;
  const VD         unit = hn::Set(dd, static_cast<double>(VoxelUnit));
  const VD         origin = hn::Set(dd, corner + HalfRange);
  const VD         slab = hn::Set(dd, static_cast<double>(begin));
  const VD         part = hn::Set(dd, 1.0 / static_cast<double>(parts));
  const VD         flattest = hn::Set(dd, 1e-30);

  hn::Vec<HalfInts>   place[2];
  hn::Vec<HalfInts>   step[2];
  hn::Vec<HalfFloats> length[2];
  for (int i = 0; i < 2; ++i)
  {
    const size_t lane = std::min<size_t>(static_cast<size_t>(i) * hn::Lanes(dd), hn::Lanes(d) - 1);
    const VD     slope = hn::Load(dd, slopes + lane);
    const VD     at = hn::Sub(hn::MulAdd(slab, slope, hn::Load(dd, places + lane)), origin);
    const VD     units = hn::Mul(hn::Mul(slope, part), unit);
    place[i] = hn::DemoteTo(dhi, hn::Round(hn::Mul(at, unit)));
    step[i] = hn::DemoteTo(dhi, hn::Round(units));
    length[i] = hn::DemoteTo(dh, hn::Max(hn::Abs(units), flattest));
  }
  const VI steps = Join(step[0], step[1]);
  const VI backward = hn::ShiftRight<31>(steps);
  return { hn::BitCast(du, Join(place[0], place[1])),
           hn::BitCast(du, steps),
           hn::BitCast(du, hn::AndNot(backward, hn::Set(di, VoxelUnit - 1))),
           hn::Or(backward, hn::Set(di, 1)),
           hn::Div(hn::Set(d, 1.0F), Join(length[0], length[1])) };
}

// ---------------------------------------------------------------------------------------------- voxels

/** What of a row of voxels lies in the volume; 0 elsewhere. \param p,q the row's first voxel; \param offset of it. */
template <int VRegisters>
HWY_INLINE Window<VRegisters>
           LoadBorderRow(const PacketJob & job, std::int64_t p, std::int64_t q, std::int64_t offset)
{
  alignas(64) float  voxels[2 * MostLanes] = {};
  const std::int64_t begin = std::max<std::int64_t>(0, -p);
  const std::int64_t end = std::min<std::int64_t>(VRegisters * job.layout.lanes, job.volume.size[job.p] - p);
  if (q >= 0 && q < job.volume.size[job.q] && begin < end)
  {
    std::memcpy(voxels + begin, job.volume.values + offset + begin, static_cast<size_t>(end - begin) * sizeof(float));
  }
  return Window<VRegisters>::Load(voxels);
}

/** Value times length of each ray, in parts of a slab, in slabs of which the corners are known, added up.
 * \tparam VRows how many rows of voxels are read, 0 if that is known at run time only. */
template <int VRegisters, int VRows, bool VInner>
HWY_NOINLINE V
SumSlabs(const PacketJob &     job,
         const SiddonPacket &  packet,
         const SiddonCorners & corners,
         std::int64_t          begin,
         std::int64_t          count)
{
  using Row = Window<VRegisters>;
  const Floats       d;
  const Ints         di;
  const V            one = hn::Set(d, 1.0F);
  const VI           inWindow = hn::Set(di, static_cast<std::int32_t>(VRegisters * hn::Lanes(d)) - 1);
  const std::int64_t stride = job.volume.stride[job.q];
  const int          rows = VRows > 0 ? VRows : corners.rows;
  const std::int64_t ahead = FindNextBlock(job, packet);
  FixedPlaces        p = MakeFixedPlaces(packet.placeP, packet.slopeP, packet.parts, begin, corners.p[0]);
  FixedPlaces        q = MakeFixedPlaces(packet.placeQ, packet.slopeQ, packet.parts, begin, corners.q[0]);
  V                  sum = hn::Zero(d);
  for (std::int64_t k = 0; k < count; ++k)
  {
    const auto offset = static_cast<std::int64_t>(corners.offset[k]);
    if (VInner)
    {
      for (int j = 0; j < rows; ++j)
      {
        PrefetchAhead(job.volume.values + offset, ahead + j * stride);
      }
    }
    for (int part = 0; part < packet.parts; ++part)
    {
      const Crossing crossP = p.Cross(corners.fixedP[k]);
      const Crossing crossQ = q.Cross(corners.fixedQ[k]);
      p.place = hn::Add(p.place, p.step);
      q.place = hn::Add(q.place, q.step);
      // Of the voxels between the first and the last one, the ray meets the one beyond the face that it crosses first.
      const auto pIsFirst = hn::RebindMask(di, hn::Lt(crossP.at, crossQ.at));
      const VI   middleP = hn::IfThenElse(pIsFirst, crossP.next, crossP.first);
      const VI   middleQ = hn::IfThenElse(pIsFirst, crossQ.first, crossQ.next);
      const auto pickFirst = Row::Choose(crossP.first);
      const auto pickMiddle = Row::Choose(hn::And(middleP, inWindow));
      const auto pickLast = Row::Choose(hn::And(crossP.next, inWindow));
      V          first = hn::Zero(d);
      V          middle = hn::Zero(d);
      V          last = hn::Zero(d);
      for (int j = 0; j < rows; ++j)
      {
        const Row voxels = VInner ? Row::Load(job.volume.values + offset + j * stride)
                                  : LoadBorderRow<VRegisters>(job,
                                                              static_cast<std::int64_t>(corners.p[k]),
                                                              static_cast<std::int64_t>(corners.q[k]) + j,
                                                              offset + j * stride);
        if (j == 0)
        {
          // A ray for which this is not the row picks again, or has no length there.
          first = voxels.Pick(pickFirst);
          middle = voxels.Pick(pickMiddle);
          last = voxels.Pick(pickLast);
          continue;
        }
        const VI row = hn::Set(di, j);
        first = hn::IfThenElse(hn::RebindMask(d, hn::Eq(crossQ.first, row)), voxels.Pick(pickFirst), first);
        middle = hn::IfThenElse(hn::RebindMask(d, hn::Eq(middleQ, row)), voxels.Pick(pickMiddle), middle);
        last = hn::IfThenElse(hn::RebindMask(d, hn::Eq(crossQ.next, row)), voxels.Pick(pickLast), last);
      }
      const V early = hn::Min(crossP.at, crossQ.at);
      const V late = hn::Max(crossP.at, crossQ.at);
      sum = hn::MulAdd(first, early, sum);
      sum = hn::MulAdd(middle, hn::Sub(late, early), sum);
      sum = hn::MulAdd(last, hn::Sub(one, late), sum);
    }
  }
  return sum;
}

template <int VRegisters>
HWY_INLINE V
SumInnerSlabs(const PacketJob & job, const SiddonPacket & packet, std::int64_t begin, std::int64_t count)
{
  SiddonCorners corners;
  FindSiddonCorners<true>(job, packet, begin, count, corners);
  switch (corners.rows)
  {
    case 1:
      return SumSlabs<VRegisters, 1, true>(job, packet, corners, begin, count);
    case 2:
      return SumSlabs<VRegisters, 2, true>(job, packet, corners, begin, count);
    case 3:
      return SumSlabs<VRegisters, 3, true>(job, packet, corners, begin, count);
    case 4:
      return SumSlabs<VRegisters, 4, true>(job, packet, corners, begin, count);
    case 5:
      return SumSlabs<VRegisters, 5, true>(job, packet, corners, begin, count);
    case 6:
      return SumSlabs<VRegisters, 6, true>(job, packet, corners, begin, count);
    default:
      return SumSlabs<VRegisters, 0, true>(job, packet, corners, begin, count);
  }
}

HWY_INLINE void
AddToSums(V sum, SiddonPacket & packet)
{
  const Floats      d;
  const HalfFloats  dh;
  const Doubles     dd;
  alignas(64) float values[MostLanes];
  hn::Store(sum, d, values);
  for (size_t lane = 0; lane < hn::Lanes(d); lane += hn::Lanes(dd))
  {
    const VD total = hn::Load(dd, packet.sum + lane);
    hn::Store(hn::Add(total, hn::PromoteTo(dd, hn::Load(dh, values + lane))), dd, packet.sum + lane);
  }
}

/** Takes a packet through the slabs [begin, end), `inner` or near the volume's border. */
template <int VRegisters>
HWY_INLINE void
AddSlabs(const PacketJob & job, std::int64_t begin, std::int64_t end, bool inner, SiddonPacket & packet)
{
  for (std::int64_t k = begin; k < end; k += FixedSlabs)
  {
    const std::int64_t count = std::min(FixedSlabs, end - k);
    if (inner)
    {
      AddToSums(SumInnerSlabs<VRegisters>(job, packet, k, count), packet);
      continue;
    }
    SiddonCorners corners;
    FindSiddonCorners<false>(job, packet, k, count, corners);
    AddToSums(SumSlabs<VRegisters, 0, false>(job, packet, corners, k, count), packet);
  }
}

/** Takes a packet through the slabs [begin, end) of one block. */
template <int VRegisters>
HWY_INLINE void
AddBlock(const PacketJob & job, std::int64_t begin, std::int64_t end, SiddonPacket & packet)
{
  const std::int64_t innerBegin = std::min(std::max(begin, packet.innerBegin), end);
  const std::int64_t innerEnd = std::max(std::min(end, packet.innerEnd), innerBegin);
  AddSlabs<VRegisters>(job, begin, innerBegin, false, packet);
  AddSlabs<VRegisters>(job, innerBegin, innerEnd, true, packet);
  AddSlabs<VRegisters>(job, innerEnd, end, false, packet);
}

// ---------------------------------------------------------------------------------------------- tiles

HWY_INLINE void
IntegratePackets(const PacketJob & job, SiddonPacket * packets, int count, float * values)
{
  March(job, packets, count, [&](SiddonPacket & packet, std::int64_t begin, std::int64_t end) {
    if (packet.registers == 1)
    {
      AddBlock<1>(job, begin, end, packet);
    }
    else
    {
      AddBlock<2>(job, begin, end, packet);
    }
  });
  for (int i = 0; i < count; ++i)
  {
    StoreDepths(job, packets[i], values);
  }
}

RayCounts
ProjectSiddonTile(const PacketJob & job, const PixelTiles::Tile & tile, float * values)
{
  RayCounts counts;
  MakePackets<SiddonPacket>(
    job,
    tile,
    [&](std::int64_t along, std::int64_t across, SiddonPacket & packet) {
      return MakeSiddonPacket(job, tile, along, across, packet, counts);
    },
    [&](SiddonPacket * packets, int count) { IntegratePackets(job, packets, count, values); });
  return counts;
}

} // namespace HWY_NAMESPACE
} // namespace radiography::compute::siddon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace radiography::compute
{

namespace siddon
{
namespace
{

HWY_EXPORT(ProjectSiddonTile);

/** By the best instruction set. Here, where the namespaces of instruction sets are those of Siddon alone. */
RayCounts
ProjectTile(const PacketJob & job, const PixelTiles::Tile & tile, float * values)
{
  return HWY_DYNAMIC_DISPATCH(ProjectSiddonTile)(job, tile, values);
}

} // namespace
} // namespace siddon

SiddonPacketResult
ProjectSiddonPackets(const kernel::VolumeView & volume,
                     const kernel::ViewRays &   view,
                     const ViewPlan &           plan,
                     const ProjectionPolicy &   policy,
                     const ParallelFor &        parallelFor,
                     const DepthImage &         output)
{
  using namespace siddon;
  const PacketJob           job = MakePacketJob(volume,
                                      view,
                                      plan,
                                      policy,
                                      { output.firstColumn, output.firstRow, output.columns, output.rows },
                                      GetJosephPacketLanes());
  const PixelTiles          tiles = MakeTiles(job, policy);
  std::atomic<std::int64_t> endsInside{ 0 };
  std::atomic<std::int64_t> alone{ 0 };
  parallelFor(tiles.GetCount(), [&](std::int64_t item) {
    const RayCounts counts = ProjectTile(job, tiles.GetTile(item), output.values);
    endsInside += counts.endsInside;
    alone += counts.alone;
  });
  return { "siddon, " + DescribePackets(job), endsInside, alone };
}

} // namespace radiography::compute

#endif
