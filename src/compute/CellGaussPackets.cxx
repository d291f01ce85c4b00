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
#include "compute/CellGaussPackets.h"
#include "compute/HighwayTargets.h"

#include "compute/JosephPacket.h"
#include "compute/JosephPackets.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

// Compiles what stands between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE once per instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/CellGaussPackets.cxx"
#include "hwy/foreach_target.h"

#include "compute/JosephPacketSums-inl.h"
#include "compute/JosephPackets-inl.h"

#ifndef radiography_compute_CellGaussPackets_once
#  define radiography_compute_CellGaussPackets_once

namespace radiography::compute::cellgauss
{

using namespace joseph;

namespace
{

/** Along one lateral axis, a ray moves by at most this much from the middle of a part of the tent to its end: with half
 * a voxel to the nearest voxel it stays within a voxel of that, whatever the rounding. */
constexpr double MostMove = 0.49;
/** Most parts that a plane's tent is cut into. */
constexpr int MostParts = 8;
/** The nearest voxel is up to half a voxel from a ray. */
constexpr double HalfVoxel = 0.5;

/** What there is of a packet beside that of Joseph's rule. The packet's corner is half a voxel lower than its rays. */
struct TentRays
{
  /** Voxels per slab along p and q, and -1 over it (0 where that is no number). */
  alignas(64) float fullSlopeP[MostLanes];
  alignas(64) float fullSlopeQ[MostLanes];
  alignas(64) float kinkP[MostLanes];
  alignas(64) float kinkQ[MostLanes];
  /** Equal parts of a plane's tent, in each of which the rays cross at most one line of voxel centres per axis: 1, 2, 4
   * or 8. */
  int parts;
  /** lowP, highP, lowQ, highQ at the planes. */
  AffineInSlab bounds[4];
};

template <typename TPacket>
struct TentPacket : TPacket
{
  TentRays tents;
};

/** A part of a plane's tent, in slabs from the plane. */
struct TentPart
{
  double middle;
  double halfLength;
};

inline TentPart
GetPart(int part, int parts)
{
  const double halfLength = 1.0 / parts;
  return { (2 * part + 1) * halfLength - 1.0, halfLength };
}

inline void
Shift(AffineInSlab & line, double offset)
{
  line.first += offset;
}

/** Widens the bounds of a packet. */
inline void
Widen(Packet & packet, double by)
{
  Shift(packet.lowP, -by);
  Shift(packet.lowQ, -by);
  Shift(packet.highP, by);
  Shift(packet.highQ, by);
}

/** Moves the bounds of a packet from planes to the middle of a part of their tents. */
inline void
MoveTo(const TentPart & part, const TentRays & tents, Packet & packet)
{
  AffineInSlab * const bounds[4] = { &packet.lowP, &packet.highP, &packet.lowQ, &packet.highQ };
  for (int i = 0; i < 4; ++i)
  {
    *bounds[i] = tents.bounds[i];
    Shift(*bounds[i], part.middle * bounds[i]->step);
  }
}

} // namespace
} // namespace radiography::compute::cellgauss

#endif

HWY_BEFORE_NAMESPACE();
namespace radiography::compute::cellgauss
{
namespace HWY_NAMESPACE
{

using namespace joseph::HWY_NAMESPACE;

// ---------------------------------------------------------------------------------------------- packets

HWY_INLINE void
SetSlopes(const float * relative, const AffineInSlab & low, float * full, float * kink)
{
  const Floats d;
  const V      slope = hn::Add(hn::Load(d, relative), hn::Set(d, static_cast<float>(low.step)));
  const V      inverse = hn::Div(hn::Set(d, -1.0F), slope);
  hn::Store(slope, d, full);
  hn::Store(hn::IfThenElseZero(hn::IsFinite(inverse), inverse), d, kink);
}

HWY_INLINE double
GetSteepest(const TentRays & tents)
{
  const Floats d;
  const V      p = hn::Abs(hn::Load(d, tents.fullSlopeP));
  const V      q = hn::Abs(hn::Load(d, tents.fullSlopeQ));
  return static_cast<double>(hn::GetLane(hn::MaxOfLanes(d, hn::Max(p, q))));
}

/** Half a voxel from the corner's new place to its old one, and one half to round. */
HWY_INLINE void
AddOne(float * offsets)
{
  const Floats d;
  hn::Store(hn::Add(hn::Load(d, offsets), hn::Set(d, 1.0F)), d, offsets);
}

/** The planes that matter to a packet, whose bounds are left half a voxel wider than its rays: what they need of a
 * plane. */
HWY_INLINE void
FindPlanes(const PacketJob & job, double steepest, const TentRays & tents, Packet & packet)
{
  const std::int64_t planes = job.volume.size[job.m];
  const bool         empty = packet.begin == packet.end;
  // A ray is in the tent of a plane up to one slab before and behind it.
  const double reach = tents.parts == 1 ? HalfVoxel : HalfVoxel + steepest;
  Widen(packet, HalfVoxel);
  packet.registers = CountRegisters(packet, job.layout.lanes, static_cast<double>(planes - 1));
  Widen(packet, reach - HalfVoxel);
  FindSlabs(job, std::max(packet.registers, 1) * job.layout.lanes, packet);
  Widen(packet, HalfVoxel - reach);
  if (packet.mixed && empty)
  {
    packet.end = packet.begin;
  }
  if (packet.registers == 0)
  {
    packet.innerEnd = packet.innerBegin;
  }
  if (tents.parts > 1)
  {
    // Bounds hold from the first plane to the last; half of the tents of these two is beyond.
    packet.innerBegin = std::max<std::int64_t>(packet.innerBegin, 1);
    packet.innerEnd = std::max(std::min(packet.innerEnd, planes - 1), packet.innerBegin);
  }
}

/** Makes what a packet has beside that of Joseph's rule, and changes what it has otherwise. */
HWY_NOINLINE void
SetTents(const PacketJob & job, TentRays & tents, Packet & packet)
{
  SetSlopes(packet.slopeP, packet.lowP, tents.fullSlopeP, tents.kinkP);
  SetSlopes(packet.slopeQ, packet.lowQ, tents.fullSlopeQ, tents.kinkQ);
  AddOne(packet.offsetP);
  AddOne(packet.offsetQ);
  const double steepest = GetSteepest(tents);
  tents.parts = 1;
  while (steepest > MostMove * tents.parts)
  {
    tents.parts *= 2;
  }
  FindPlanes(job, steepest, tents, packet);
  const AffineInSlab bounds[4] = { packet.lowP, packet.highP, packet.lowQ, packet.highQ };
  std::copy(bounds, bounds + 4, tents.bounds);
}

// ---------------------------------------------------------------------------------------------- pieces of rays

/** Each ray's 3 x 3 voxels of a plane, [q][p], the nearest one in the middle. */
struct Neighbours
{
  V voxel[3][3];
};

/** Where rays are in the middle of a part of a plane's tent, from the nearest voxel, and how they go on. */
struct Places
{
  V x;
  V y;
  V slopeP;
  V slopeQ;
  /** Where they cross the lines of voxel centres through the nearest voxel, in slabs; at most at the part's ends. */
  V kinkP;
  V kinkQ;
  V middle;
};

/** The field of a plane around the nearest voxel: row[i] + |x| step[i][side], weighted with 1 - |y| (i = 1) and |y|. */
struct PlaneField
{
  V row[3];
  V stepDown[3];
  V stepUp[3];

  explicit HWY_INLINE
  PlaneField(const Neighbours & around)
  {
    for (int j = 0; j < 3; ++j)
    {
      row[j] = around.voxel[j][1];
      stepDown[j] = hn::Sub(around.voxel[j][0], row[j]);
      stepUp[j] = hn::Sub(around.voxel[j][2], row[j]);
    }
  }
};

/** Adds the integral of field and tent over a piece of the rays within a cell of the plane, [begin, end] in slabs from
 * the part's middle; with that of the field's slopes, and these times the slabs from there, or without. */
template <bool VSlopes>
HWY_INLINE void
AddPiece(const PlaneField & field, const Places & places, V begin, V end, SlabSums<VSlopes> & sums)
{
  const Floats d;
  const V      half = hn::Set(d, 0.5F);
  const V      zero = hn::Zero(d);
  const V      halfLength = hn::Mul(half, hn::Sub(end, begin));
  const V      middle = hn::Mul(half, hn::Add(begin, end));
  // The piece's middle says which cell it is in.
  const auto up = hn::Gt(hn::MulAdd(places.slopeP, middle, places.x), zero);
  const auto above = hn::Gt(hn::MulAdd(places.slopeQ, middle, places.y), zero);
  const V    stepHere = hn::IfThenElse(up, field.stepUp[1], field.stepDown[1]);
  const V    rowThere = hn::IfThenElse(above, field.row[2], field.row[0]);
  const V    stepThere = hn::IfThenElse(above,
                                     hn::IfThenElse(up, field.stepUp[2], field.stepDown[2]),
                                     hn::IfThenElse(up, field.stepUp[0], field.stepDown[0]));
  const V    node = hn::Set(d, 0.57735026918962576F); // 1 / sqrt(3)
  auto       nodes = SlabSums<VSlopes>::Zero();
  for (const V w : { hn::NegMulAdd(halfLength, node, middle), hn::MulAdd(halfLength, node, middle) })
  {
    const V x = hn::Abs(hn::MulAdd(places.slopeP, w, places.x));
    const V y = hn::Abs(hn::MulAdd(places.slopeQ, w, places.y));
    const V tent = hn::Sub(hn::Set(d, 1.0F), hn::Abs(hn::Add(places.middle, w)));
    const V here = hn::MulAdd(x, stepHere, field.row[1]);
    const V there = hn::MulAdd(x, stepThere, rowThere);
    const V across = hn::Sub(there, here);
    nodes.value = hn::MulAdd(tent, hn::MulAdd(y, across, here), nodes.value);
    if constexpr (VSlopes)
    {
      const V slopeP = hn::Mul(tent, hn::MulAdd(y, hn::Sub(stepThere, stepHere), stepHere));
      const V slopeQ = hn::Mul(tent, across);
      nodes.slopeP = hn::Add(nodes.slopeP, slopeP);
      nodes.slopeQ = hn::Add(nodes.slopeQ, slopeQ);
      nodes.momentP = hn::MulAdd(w, slopeP, nodes.momentP);
      nodes.momentQ = hn::MulAdd(w, slopeQ, nodes.momentQ);
    }
  }
  sums.value = hn::MulAdd(halfLength, nodes.value, sums.value);
  if constexpr (VSlopes)
  {
    // Steps are away from the nearest voxel.
    const V signedP = hn::IfThenElse(up, halfLength, hn::Neg(halfLength));
    const V signedQ = hn::IfThenElse(above, halfLength, hn::Neg(halfLength));
    sums.slopeP = hn::MulAdd(signedP, nodes.slopeP, sums.slopeP);
    sums.slopeQ = hn::MulAdd(signedQ, nodes.slopeQ, sums.slopeQ);
    sums.momentP = hn::MulAdd(signedP, nodes.momentP, sums.momentP);
    sums.momentQ = hn::MulAdd(signedQ, nodes.momentQ, sums.momentQ);
  }
}

/** The integrals over a part of a plane's tent. VWhole: over all of it, with its top. */
template <bool VSlopes, bool VWhole>
HWY_INLINE SlabSums<VSlopes>
           IntegratePart(const Neighbours & around, const Places & places, V halfLength)
{
  const PlaneField field(around);
  const V          first = hn::Neg(halfLength);
  const V          low = hn::Min(places.kinkP, places.kinkQ);
  const V          high = hn::Max(places.kinkP, places.kinkQ);
  auto             sums = SlabSums<VSlopes>::Zero();
  if constexpr (VWhole)
  {
    const V zero = hn::Zero(Floats());
    const V cuts[3] = { hn::Min(low, zero), hn::Max(low, hn::Min(high, zero)), hn::Max(high, zero) };
    AddPiece(field, places, first, cuts[0], sums);
    AddPiece(field, places, cuts[0], cuts[1], sums);
    AddPiece(field, places, cuts[1], cuts[2], sums);
    AddPiece(field, places, cuts[2], halfLength, sums);
  }
  else
  {
    AddPiece(field, places, first, low, sums);
    AddPiece(field, places, low, high, sums);
    AddPiece(field, places, high, halfLength, sums);
  }
  return sums;
}

/** Adds the integrals of a plane. \param slab the middle that its moments are about. */
HWY_INLINE void
AddPlane(const SlabSums<false> & plane, V, SlabSums<false> & sums)
{
  sums.Add(plane);
}

HWY_INLINE void
AddPlane(const SlabSums<true> & plane, V slab, SlabSums<true> & sums)
{
  sums.Add(plane);
  sums.momentP = hn::MulAdd(slab, plane.slopeP, sums.momentP);
  sums.momentQ = hn::MulAdd(slab, plane.slopeQ, sums.momentQ);
}

/** The rays of a packet in a part of tents. */
struct PartRays
{
  V offsetP;
  V offsetQ;
  V slopeP;
  V slopeQ;
  V fullSlopeP;
  V fullSlopeQ;
  V kinkP;
  V kinkQ;
  V middle;
  V halfLength;

  HWY_INLINE
  PartRays(const Packet & packet, const TentRays & tents, const TentPart & part)
  {
    const Floats d;
    middle = hn::Set(d, static_cast<float>(part.middle));
    halfLength = hn::Set(d, static_cast<float>(part.halfLength));
    slopeP = hn::Load(d, packet.slopeP);
    slopeQ = hn::Load(d, packet.slopeQ);
    offsetP = hn::MulAdd(middle, slopeP, hn::Load(d, packet.offsetP));
    offsetQ = hn::MulAdd(middle, slopeQ, hn::Load(d, packet.offsetQ));
    fullSlopeP = hn::Load(d, tents.fullSlopeP);
    fullSlopeQ = hn::Load(d, tents.fullSlopeQ);
    kinkP = hn::Load(d, tents.kinkP);
    kinkQ = hn::Load(d, tents.kinkQ);
  }

  /** Places from the nearest voxels. */
  HWY_INLINE Places
  GetPlaces(V x, V y) const
  {
    const V first = hn::Neg(halfLength);
    return { x,
             y,
             fullSlopeP,
             fullSlopeQ,
             hn::Min(hn::Max(hn::Mul(x, kinkP), first), halfLength),
             hn::Min(hn::Max(hn::Mul(y, kinkQ), first), halfLength),
             middle };
  }
};

// ---------------------------------------------------------------------------------------------- planes

/** The rays' voxels of one plane, all of which are there. \param row the first row of the window. \param p,q the
 * nearest voxels, from there. VRows: how many rows are read, 0 if that is known at run time only. */
template <int VRegisters, int VRows>
HWY_INLINE Neighbours
PickNeighbours(const float * row, std::int64_t stride, int rowCount, VI p, VI q)
{
  using Row = Window<VRegisters>;
  const Floats               d;
  const Ints                 di;
  const VI                   one = hn::Set(di, 1);
  const typename Row::Choice choices[3] = { Row::Choose(hn::Sub(p, one)),
                                            Row::Choose(p),
                                            Row::Choose(hn::Add(p, one)) };
  Neighbours                 around;
  for (auto & line : around.voxel)
  {
    for (V & voxel : line)
    {
      voxel = hn::Zero(d);
    }
  }
  const int rows = VRows > 0 ? VRows : rowCount;
  for (int j = 0; j < rows; ++j)
  {
    const Row voxels = Row::Load(row);
    for (int b = 0; b < 3; ++b)
    {
      // Row j is line b of the rays of which it is b - 1 above the nearest voxel.
      const auto isLine = hn::RebindMask(d, hn::Eq(q, hn::Set(di, j + 1 - b)));
      for (int a = 0; a < 3; ++a)
      {
        around.voxel[b][a] = hn::IfThenElse(isLine, voxels.Pick(choices[a]), around.voxel[b][a]);
      }
    }
    row += stride;
  }
  return around;
}

/** The integrals over a part of the tents of the planes of a block, all of whose voxels are there. */
template <bool VSlopes, bool VWhole, int VRegisters, int VRows>
HWY_NOINLINE SlabSums<VSlopes>
             IntegrateInner(const PacketJob &    job,
                            const Packet &       packet,
                            const PartRays &     rays,
                            const CornerPlaces & corners,
                            std::int64_t         begin,
                            std::int64_t         end)
{
  const Floats       d;
  const Ints         di;
  const V            half = hn::Set(d, 0.5F);
  const std::int64_t stride = job.volume.stride[job.q];
  const int          rows = VRows > 0 ? VRows : corners.rows;
  const std::int64_t ahead = FindNextBlock(job, packet);
  auto               sums = SlabSums<VSlopes>::Zero();
  for (std::int64_t i = 0; i < end - begin; ++i)
  {
    const V             slab = hn::Set(d, static_cast<float>(begin + i));
    const V             p = hn::Add(hn::MulAdd(slab, rays.slopeP, rays.offsetP), hn::Set(d, corners.p[i]));
    const V             q = hn::Add(hn::MulAdd(slab, rays.slopeQ, rays.offsetQ), hn::Set(d, corners.q[i]));
    const VI            nearestP = hn::ConvertTo(di, p);
    const VI            nearestQ = hn::ConvertTo(di, q);
    const float * const first = job.volume.values + static_cast<std::int64_t>(corners.offset[i]);
    for (int j = 0; j < rows; ++j)
    {
      for (int window = 0; window < VRegisters; ++window)
      {
        PrefetchAhead(first, ahead + j * stride + window * job.layout.lanes);
      }
    }
    const Neighbours around = PickNeighbours<VRegisters, VRows>(first, stride, rows, nearestP, nearestQ);
    const V          x = hn::Sub(hn::Sub(p, hn::ConvertTo(d, nearestP)), half);
    const V          y = hn::Sub(hn::Sub(q, hn::ConvertTo(d, nearestQ)), half);
    AddPlane(
      IntegratePart<VSlopes, VWhole>(around, rays.GetPlaces(x, y), rays.halfLength), hn::Add(slab, rays.middle), sums);
  }
  return sums;
}

template <bool VSlopes, bool VWhole, int VRegisters>
HWY_INLINE SlabSums<VSlopes>
           IntegrateInnerPlanes(const PacketJob & job,
                                const Packet &    packet,
                                const PartRays &  rays,
                                std::int64_t      begin,
                                std::int64_t      end)
{
  CornerPlaces corners;
  FindCorners(job, packet, begin, end, corners);
  switch (corners.rows)
  {
    case 4:
      return IntegrateInner<VSlopes, VWhole, VRegisters, 4>(job, packet, rays, corners, begin, end);
    case 5:
      return IntegrateInner<VSlopes, VWhole, VRegisters, 5>(job, packet, rays, corners, begin, end);
    case 6:
      return IntegrateInner<VSlopes, VWhole, VRegisters, 6>(job, packet, rays, corners, begin, end);
    default:
      return IntegrateInner<VSlopes, VWhole, VRegisters, 0>(job, packet, rays, corners, begin, end);
  }
}

/** Reads each ray's voxels on their own; what is outside the volume is 0. \param p,q the nearest voxels. */
HWY_INLINE Neighbours
ReadNeighbours(const PacketJob & job, std::int64_t slab, std::int64_t baseP, std::int64_t baseQ, VI p, VI q)
{
  const Ints               di;
  const Floats             d;
  const std::int64_t       sizeP = job.volume.size[job.p];
  const std::int64_t       sizeQ = job.volume.size[job.q];
  const std::int64_t       stride = job.volume.stride[job.q];
  const float * const      values = job.volume.values + slab * job.volume.stride[job.m];
  alignas(64) std::int32_t indexP[MostLanes];
  alignas(64) std::int32_t indexQ[MostLanes];
  alignas(64) float        voxels[3][3][MostLanes];
  hn::Store(p, di, indexP);
  hn::Store(q, di, indexQ);
  for (int lane = 0; lane < job.layout.lanes; ++lane)
  {
    const std::int64_t i = baseP + indexP[lane] - 1;
    const std::int64_t j = baseQ + indexQ[lane] - 1;
    for (int b = 0; b < 3; ++b)
    {
      const bool hasRow = j + b >= 0 && j + b < sizeQ;
      for (int a = 0; a < 3; ++a)
      {
        voxels[b][a][lane] = hasRow && i + a >= 0 && i + a < sizeP ? values[(j + b) * stride + i + a] : 0.0F;
      }
    }
  }
  Neighbours around;
  for (int b = 0; b < 3; ++b)
  {
    for (int a = 0; a < 3; ++a)
    {
      around.voxel[b][a] = hn::Load(d, voxels[b][a]);
    }
  }
  return around;
}

/** The integrals over a part of the tent of one plane, near the volume's border or for rays that are far apart. */
template <bool VSlopes, bool VWhole>
HWY_NOINLINE SlabSums<VSlopes>
             IntegrateLaneByLane(const PacketJob & job, const Packet & packet, const PartRays & rays, std::int64_t slab)
{
  const Ints       di;
  const V          half = hn::Set(Floats(), 0.5F);
  const SlabPlaces places = FindPlaces(packet, slab);
  const V          p = hn::MulAdd(rays.middle, rays.slopeP, places.p);
  const V          q = hn::MulAdd(rays.middle, rays.slopeQ, places.q);
  const V          nearestP = hn::Floor(p);
  const V          nearestQ = hn::Floor(q);
  const Neighbours around =
    ReadNeighbours(job, slab, places.baseP, places.baseQ, hn::ConvertTo(di, nearestP), hn::ConvertTo(di, nearestQ));
  return IntegratePart<VSlopes, VWhole>(
    around, rays.GetPlaces(hn::Sub(hn::Sub(p, nearestP), half), hn::Sub(hn::Sub(q, nearestQ), half)), rays.halfLength);
}

/** The integrals over a part of the tents of the planes [begin, end). */
template <bool VSlopes, bool VWhole>
HWY_INLINE SlabSums<VSlopes>
           IntegratePlanes(const PacketJob & job,
                           const Packet &    packet,
                           const PartRays &  rays,
                           std::int64_t      begin,
                           std::int64_t      end)
{
  auto sums = SlabSums<VSlopes>::Zero();
  VisitSlabs(
    packet,
    begin,
    end,
    [&](std::int64_t slab) {
      AddPlane(IntegrateLaneByLane<VSlopes, VWhole>(job, packet, rays, slab),
               hn::Add(hn::Set(Floats(), static_cast<float>(slab)), rays.middle),
               sums);
    },
    [&](std::int64_t innerBegin, std::int64_t innerEnd) {
      sums.Add(packet.registers == 1
                 ? IntegrateInnerPlanes<VSlopes, VWhole, 1>(job, packet, rays, innerBegin, innerEnd)
                 : IntegrateInnerPlanes<VSlopes, VWhole, 2>(job, packet, rays, innerBegin, innerEnd));
    });
  return sums;
}

/** Takes a packet through the planes [begin, end) of one block. */
template <bool VSlopes, typename TPacket>
HWY_INLINE void
AddPlanes(const PacketJob & job, TPacket & packet, std::int64_t begin, std::int64_t end)
{
  if (packet.tents.parts == 1)
  {
    const PartRays rays(packet, packet.tents, { 0.0, 1.0 });
    AddBlock(IntegratePlanes<VSlopes, true>(job, packet, rays, begin, end), packet);
    return;
  }
  for (int i = 0; i < packet.tents.parts; ++i)
  {
    const TentPart part = GetPart(i, packet.tents.parts);
    const PartRays rays(packet, packet.tents, part);
    MoveTo(part, packet.tents, packet);
    AddBlock(IntegratePlanes<VSlopes, false>(job, packet, rays, begin, end), packet);
  }
}

// ---------------------------------------------------------------------------------------------- tiles

/** Integrates along the rays of a tile and calls store(packet) for each packet. \return rays with an end inside the
 * volume. */
template <bool VSlopes, typename TPacket, typename TStore>
HWY_INLINE std::int64_t
           IntegrateTile(const PacketJob & job, const PixelTiles::Tile & tile, const TStore & store)
{
  return VisitPackets<TentPacket<TPacket>>(job, tile, [&](TentPacket<TPacket> * packets, int count) {
    for (int i = 0; i < count; ++i)
    {
      Reset(packets[i]);
      SetTents(job, packets[i].tents, packets[i]);
    }
    March(job, packets, count, [&](TentPacket<TPacket> & packet, std::int64_t begin, std::int64_t end) {
      AddPlanes<VSlopes>(job, packet, begin, end);
    });
    for (int i = 0; i < count; ++i)
    {
      store(packets[i]);
    }
  });
}

std::int64_t
ProjectTile(const PacketJob & job, const PixelTiles::Tile & tile, float * depths)
{
  return IntegrateTile<false, DepthPacket>(
    job, tile, [&](const DepthPacket & packet) { StoreDepths(job, packet, depths); });
}

std::int64_t
DifferentiateTile(const PacketJob & job, const PixelTiles::Tile & tile, kernel::RaySensitivity * values)
{
  return IntegrateTile<true, SlopePacket>(
    job, tile, [&](const SlopePacket & packet) { StoreGradients(job, packet, values); });
}

} // namespace HWY_NAMESPACE
} // namespace radiography::compute::cellgauss
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

#  include <locale>
#  include <sstream>

namespace radiography::compute
{

namespace cellgauss
{
namespace
{

HWY_EXPORT(ProjectTile);
HWY_EXPORT(DifferentiateTile);

// By the best instruction set. Here, where the namespaces of instruction sets are those of CellGauss alone.
std::int64_t
CallProjectTile(const PacketJob & job, const PixelTiles::Tile & tile, float * values)
{
  return HWY_DYNAMIC_DISPATCH(ProjectTile)(job, tile, values);
}

std::int64_t
CallDifferentiateTile(const PacketJob & job, const PixelTiles::Tile & tile, kernel::RaySensitivity * values)
{
  return HWY_DYNAMIC_DISPATCH(DifferentiateTile)(job, tile, values);
}

} // namespace
} // namespace cellgauss

std::string
FindReasonAgainstCellGaussPackets(double steepestSlope)
{
  constexpr double limit = 3.9;
  static_assert(limit < cellgauss::MostMove * cellgauss::MostParts, "MostParts must do for every slope");
  if (steepestSlope <= limit)
  {
    return "";
  }
  std::ostringstream reason;
  reason.imbue(std::locale::classic());
  reason << "a ray of this view has slope " << steepestSlope << " against the main axis, over the limit of packets, "
         << limit;
  return reason.str();
}

JosephPacketResult
ProjectCellGaussPackets(const kernel::VolumeView & volume,
                        const kernel::ViewRays &   view,
                        const ViewPlan &           plan,
                        const ProjectionPolicy &   policy,
                        const ParallelFor &        parallelFor,
                        const DepthImage &         output)
{
  using namespace cellgauss;
  const PacketJob    job = MakePacketJob(volume,
                                      view,
                                      plan,
                                      policy,
                                      { output.firstColumn, output.firstRow, output.columns, output.rows },
                                      GetJosephPacketLanes());
  const std::int64_t raysWithEndInside =
    SumOverTiles(MakeTiles(job, policy), parallelFor, [&](const PixelTiles::Tile & tile) {
      return CallProjectTile(job, tile, output.values);
    });
  return { "cell-gauss, " + DescribePackets(job), raysWithEndInside };
}

JosephPacketResult
DifferentiateCellGaussPackets(const kernel::VolumeView &  volume,
                              const kernel::ViewRays &    view,
                              const ViewPlan &            plan,
                              const ProjectionPolicy &    policy,
                              const ParallelFor &         parallelFor,
                              const RayDerivativeRegion & output)
{
  using namespace cellgauss;
  const PacketJob    job = MakePacketJob(volume,
                                      view,
                                      plan,
                                      policy,
                                      { output.firstColumn, output.firstRow, output.columns, output.rows, output.mask },
                                      GetJosephPacketLanes());
  const std::int64_t raysWithEndInside =
    SumOverTiles(MakeTiles(job, policy), parallelFor, [&](const PixelTiles::Tile & tile) {
      return CallDifferentiateTile(job, tile, output.values);
    });
  return { "cell-gauss with gradients, " + DescribePackets(job), raysWithEndInside };
}

} // namespace radiography::compute

#endif
