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
#include "compute/JosephBackPackets.h"
#include "compute/HighwayTargets.h"

#include "compute/InstructionSet.h"
#include "compute/JosephBackJob.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

// Compiles what stands between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE once per instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/JosephBackPackets.cxx"
#include "hwy/foreach_target.h"

#include "hwy/cache_control.h"
#include "hwy/highway.h"

#ifndef radiography_compute_JosephBackPackets_once
#  define radiography_compute_JosephBackPackets_once

namespace radiography::compute::josephback
{

namespace
{

/** With more pieces of rows than this in a slab, or this few rays, writing lane by lane is faster. */
constexpr double MostPieces = 24.0;
constexpr int    FewestRays = 2;
/** Beyond this, binary32 sums over a view's rays might overflow. */
constexpr double LargestValue = 1e27;

/** Some rays side by side. Arrays have one element per lane. Slabs count from the middle of the block. */
struct BackPacket
{
  /** Place along p and q, relative to the corner (that along p: to half a register beyond), in slab t: offset + t x
   * slope. */
  alignas(64) float offsetP[MostLanes];
  alignas(64) float slopeP[MostLanes];
  alignas(64) float offsetQ[MostLanes];
  alignas(64) float slopeQ[MostLanes];
  alignas(64) float values[MostLanes];
  int rays;
  /** Its rays lie within; (lowP, lowQ) is its corner. */
  Bounds bounds;
  /** Ray l is at firstP + l x spacing along p, but for `deviation`. */
  AffineInSlab firstP;
  AffineInSlab spacing;
  double       deviation;
  /** Rays that are looked at for each voxel. */
  int candidates;
  /** Registers along a row. */
  int registers;
  /** Its rays are so far apart, or so few, that each one's voxels are written on their own. */
  bool laneByLane;
};

/** Where a packet is in the slabs of a band. */
struct BackPlaces
{
  /** From the corner's voxel to the corner. */
  alignas(64) float p[MostSlabs];
  alignas(64) float q[MostSlabs];
  /** The first candidate of the voxel in lane i: first + (i - half a register) x inverse, and what follows the point.
   */
  alignas(64) float first[MostSlabs];
  alignas(64) float inverse[MostSlabs];
  /** The corner's voxel, relative to the band's first one. */
  alignas(64) std::int32_t row[MostSlabs];
  alignas(64) std::int32_t column[MostSlabs];
  /** Rows that the packet meets in any of the slabs. */
  int rows;
};

/** The slabs of a band, counted from the middle of its block. */
struct BandSlabs
{
  double       first;
  std::int64_t count;
};

inline bool
MeetsBand(const Bounds & bounds, const Band & band, double first, double last)
{
  const auto meets = [&](const AffineInSlab & low, const AffineInSlab & high, std::int64_t begin, std::int64_t count) {
    return std::min(low.At(first), low.At(last)) < static_cast<double>(begin + count) &&
           std::max(high.At(first), high.At(last)) > static_cast<double>(begin - 1);
  };
  return meets(bounds.lowQ, bounds.highQ, band.rowBegin, band.rows) &&
         meets(bounds.lowP, bounds.highP, band.columnBegin, band.columns);
}

/** Rays of a packet of this strip: as many as one register of voxels has room for, shared out evenly. */
inline std::int64_t
ChoosePacketSize(const BackJob & job, const Strip & strip, double first, double last)
{
  const std::int64_t count = strip.end - strip.begin;
  if (count < 2)
  {
    return 1;
  }
  const Bounds & bounds = strip.bounds;
  const double   width =
    std::max(bounds.highP.At(first) - bounds.lowP.At(first), bounds.highP.At(last) - bounds.lowP.At(last));
  const double room = static_cast<double>(job.lanes) - 2.0 - 4.0 * Slack - job.stairs;
  const double fits = room * static_cast<double>(count - 1) / width + 1.0;
  const auto   lanes = static_cast<double>(job.lanes);
  // What is far too wide is spread lane by lane, all lanes at once.
  const double size = fits >= 2.0 ? std::min(std::floor(fits), lanes) : lanes;
  const auto   packets = static_cast<std::int64_t>(std::ceil(static_cast<double>(count) / size));
  return (count + packets - 1) / packets;
}

/** How a packet is written, in any slab of its block. */
inline void
SetPieces(const BackJob & job, double first, double last, BackPacket & packet)
{
  const auto spread = [&](const AffineInSlab & low, const AffineInSlab & high) {
    return std::min(std::max(high.At(first) - low.At(first), high.At(last) - low.At(last)), 1e6);
  };
  const Bounds & bounds = packet.bounds;
  const auto     voxels = static_cast<int>(spread(bounds.lowP, bounds.highP) + 1.0) + 2;
  const double   rows = spread(bounds.lowQ, bounds.highQ) + 2.0;
  packet.registers = (voxels + job.lanes - 1) / job.lanes;
  packet.laneByLane = packet.rays <= FewestRays || packet.registers * rows > MostPieces;
}

/** How many candidates a voxel has. */
inline void
SetCandidates(double first, double last, BackPacket & packet)
{
  const double spacing = std::min(packet.spacing.At(first), packet.spacing.At(last));
  // Of rays l with |place - voxel| < 1: an interval of l, so long.
  const double length = 2.0 * (1.0 + packet.deviation + Slack) / spacing;
  packet.candidates = packet.rays;
  if (spacing > 0.0 && length < static_cast<double>(packet.rays - 1))
  {
    packet.candidates = static_cast<int>(length) + 1;
  }
}

} // namespace
} // namespace radiography::compute::josephback

#endif

HWY_BEFORE_NAMESPACE();
namespace radiography::compute::josephback
{
namespace HWY_NAMESPACE
{

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, MostLanes>;
using Ints = hn::RebindToSigned<Floats>;
using HalfFloats = hn::Half<Floats>;
using Doubles = hn::Rebind<double, HalfFloats>;
using HalfInts = hn::Rebind<std::int32_t, Doubles>;
using V = hn::Vec<Floats>;
using VI = hn::Vec<Ints>;
using VD = hn::Vec<Doubles>;

int
GetBackLaneCount()
{
  return static_cast<int>(hn::Lanes(Floats()));
}

// ---------------------------------------------------------------------------------------------- rays

HWY_INLINE VD
Evaluate(const AffineInPixel & function, VD place, VD across)
{
  const Doubles d;
  return hn::MulAdd(
    place, hn::Set(d, function.along), hn::MulAdd(across, hn::Set(d, function.across), hn::Set(d, function.origin)));
}

/** Half a register of rays: where they are in slab k. */
struct SomeRays
{
  VD startM;
  VD startP;
  VD startQ;
  VD stepM;
  VD slopeP;
  VD slopeQ;

  HWY_INLINE VD
  GetP(VD slab) const
  {
    return hn::MulAdd(hn::Sub(slab, startM), slopeP, startP);
  }

  HWY_INLINE VD
  GetQ(VD slab) const
  {
    return hn::MulAdd(hn::Sub(slab, startM), slopeQ, startQ);
  }
};

/** Places from `first` on; those behind `last` are `last` again. */
struct SomePlaces
{
  VD place;
  VD across;
};

HWY_INLINE SomePlaces
MakePlaces(const BackJob & job, std::int64_t line, std::int64_t first, std::int64_t last)
{
  const Doubles d;
  const VD      end = hn::Set(d, static_cast<double>(last));
  const VD      place = hn::Iota(d, static_cast<double>(first));
  const VD      shift = hn::IfThenElse(
    hn::Lt(place, end), hn::LoadU(d, job.shifts.data() + first), hn::Set(d, job.shifts[static_cast<size_t>(last)]));
  return { hn::Min(place, end), hn::Add(shift, hn::Set(d, static_cast<double>(line))) };
}

HWY_INLINE SomeRays
MakeRays(const BackJob & job, const SomePlaces & at)
{
  SomeRays rays;
  rays.startM = Evaluate(job.start[0], at.place, at.across);
  rays.startP = Evaluate(job.start[1], at.place, at.across);
  rays.startQ = Evaluate(job.start[2], at.place, at.across);
  rays.stepM = Evaluate(job.step[0], at.place, at.across);
  const VD inverse = hn::Div(hn::Set(Doubles(), 1.0), rays.stepM);
  rays.slopeP = hn::Mul(Evaluate(job.step[1], at.place, at.across), inverse);
  rays.slopeQ = hn::Mul(Evaluate(job.step[2], at.place, at.across), inverse);
  return rays;
}

/** Length in the world per slab, to the power of the weights. */
HWY_INLINE VD
GetSlabLengths(const BackJob & job, const SomePlaces & at, VD stepM)
{
  VD squared = hn::Zero(Doubles());
  for (const AffineInPixel & component : job.span)
  {
    const VD span = Evaluate(component, at.place, at.across);
    squared = hn::MulAdd(span, span, squared);
  }
  const VD squaredLength = hn::Div(squared, hn::Mul(stepM, stepM));
  return job.power == WeightPower::One ? hn::Sqrt(squaredLength) : squaredLength;
}

/** Running bounds of rays in two slabs. */
struct TwoSlabs
{
  VD low[2];
  VD high[2];

  HWY_INLINE void
  Add(VD first, VD last)
  {
    low[0] = hn::Min(low[0], first);
    low[1] = hn::Min(low[1], last);
    high[0] = hn::Max(high[0], first);
    high[1] = hn::Max(high[1], last);
  }

  HWY_INLINE void
  SetChords(double first, double last, AffineInSlab & lowChord, AffineInSlab & highChord) const
  {
    const Doubles d;
    lowChord = MakeChord(
      first, hn::GetLane(hn::MinOfLanes(d, low[0])) - Slack, last, hn::GetLane(hn::MinOfLanes(d, low[1])) - Slack);
    highChord = MakeChord(
      first, hn::GetLane(hn::MaxOfLanes(d, high[0])) + Slack, last, hn::GetLane(hn::MaxOfLanes(d, high[1])) + Slack);
  }
};

HWY_INLINE TwoSlabs
MakeTwoSlabs()
{
  const Doubles d;
  const VD      most = hn::Set(d, HUGE_VAL);
  const VD      least = hn::Set(d, -HUGE_VAL);
  return { { most, most }, { least, least } };
}

/** Bounds of a strip's rays in all slabs of the volume; \param values the strip's pixels, which are multiplied by slab
 * lengths. */
void
PrepareStrip(const BackJob & job, Strip & strip, float * values)
{
  const Doubles    d;
  const HalfFloats dh;
  const auto       lastSlab = static_cast<double>(job.grid.size[job.m] - 1);
  TwoSlabs         p = MakeTwoSlabs();
  TwoSlabs         q = MakeTwoSlabs();
  VD               largest = hn::Zero(d);
  const auto       step = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t place = strip.begin; place < strip.end; place += step)
  {
    const SomePlaces at = MakePlaces(job, strip.line, place, strip.end - 1);
    const SomeRays   rays = MakeRays(job, at);
    p.Add(rays.GetP(hn::Zero(d)), rays.GetP(hn::Set(d, lastSlab)));
    q.Add(rays.GetQ(hn::Zero(d)), rays.GetQ(hn::Set(d, lastSlab)));

    alignas(64) float some[MostLanes] = {};
    const auto        count = static_cast<size_t>(std::min(step, strip.end - place));
    std::memcpy(some, values + (place - strip.begin), count * sizeof(float));
    const VD weighted = hn::Mul(hn::PromoteTo(d, hn::Load(dh, some)), GetSlabLengths(job, at, rays.stepM));
    largest = hn::Max(largest, hn::Abs(weighted));
    hn::Store(hn::DemoteTo(dh, weighted), dh, some);
    std::memcpy(values + (place - strip.begin), some, count * sizeof(float));
  }
  p.SetChords(0.0, lastSlab, strip.bounds.lowP, strip.bounds.highP);
  q.SetChords(0.0, lastSlab, strip.bounds.lowQ, strip.bounds.highQ);
  strip.largest = hn::GetLane(hn::MaxOfLanes(d, largest));
}

// ---------------------------------------------------------------------------------------------- making packets

/** Rays of a line from `place` on, in a block whose slabs count from -first to last around its middle.
 * \return whether there is anything to be spread. */
HWY_INLINE bool
MakeBackPacket(const BackJob & job,
               const Strip &   strip,
               std::int64_t    place,
               std::int64_t    count,
               double          middle,
               double          first,
               double          last,
               BackPacket &    packet)
{
  const Floats     d;
  const Doubles    dd;
  const HalfFloats dh;
  constexpr int    halves = 2;
  const auto       step = static_cast<std::int64_t>(hn::Lanes(dd));
  const V          lane = hn::Iota(d, 0.0F);
  const V          given = hn::LoadU(d, job.values.data() + strip.firstValue + (place - strip.begin));
  const V          values = hn::IfThenElseZero(hn::Lt(lane, hn::Set(d, static_cast<float>(count))), given);
  if (hn::AllTrue(d, hn::Eq(values, hn::Zero(d))))
  {
    return false;
  }
  hn::Store(values, d, packet.values);
  packet.rays = static_cast<int>(count);

  SomeRays           rays[halves];
  VD                 p[halves][2];
  TwoSlabs           q = MakeTwoSlabs();
  const VD           firstSlab = hn::Set(dd, middle + first);
  const VD           lastSlab = hn::Set(dd, middle + last);
  const VD           middleSlab = hn::Set(dd, middle);
  alignas(64) double middleP[MostLanes];
  alignas(64) double slopeP[MostLanes];
  for (int half = 0; half < halves; ++half)
  {
    const std::int64_t at = std::min(place + half * step, place + count - 1);
    rays[half] = MakeRays(job, MakePlaces(job, strip.line, at, place + count - 1));
    p[half][0] = rays[half].GetP(firstSlab);
    p[half][1] = rays[half].GetP(lastSlab);
    q.Add(rays[half].GetQ(firstSlab), rays[half].GetQ(lastSlab));
    hn::Store(rays[half].GetP(middleSlab), dd, middleP + half * step);
    hn::Store(rays[half].slopeP, dd, slopeP + half * step);
  }
  q.SetChords(first, last, packet.bounds.lowQ, packet.bounds.highQ);

  // Evenly spaced, but for the stairs of a slanted line and for perspective.
  const auto   end = static_cast<int>(count - 1);
  const double inverse = end > 0 ? 1.0 / end : 0.0;
  packet.firstP = { middleP[0], slopeP[0] };
  packet.spacing = { (middleP[end] - middleP[0]) * inverse, (slopeP[end] - slopeP[0]) * inverse };
  const double ends[2] = { first, last };
  VD           deviation = hn::Zero(dd);
  for (int half = 0; half < halves; ++half)
  {
    const VD index =
      hn::Min(hn::Iota(dd, static_cast<double>(half * step)), hn::Set(dd, static_cast<double>(count - 1)));
    for (int i = 0; i < 2; ++i)
    {
      const VD even =
        hn::MulAdd(index, hn::Set(dd, packet.spacing.At(ends[i])), hn::Set(dd, packet.firstP.At(ends[i])));
      deviation = hn::Max(deviation, hn::Abs(hn::Sub(p[half][i], even)));
    }
  }
  packet.deviation = hn::GetLane(hn::MaxOfLanes(dd, deviation));

  double low[2];
  double high[2];
  for (int i = 0; i < 2; ++i)
  {
    const double a = packet.firstP.At(ends[i]);
    const double b = a + end * packet.spacing.At(ends[i]);
    low[i] = std::min(a, b) - packet.deviation - Slack;
    high[i] = std::max(a, b) + packet.deviation + Slack;
  }
  packet.bounds.lowP = MakeChord(first, low[0], last, low[1]);
  packet.bounds.highP = MakeChord(first, high[0], last, high[1]);
  SetPieces(job, first, last, packet);

  const double half = 0.5 * job.lanes;
  for (int i = 0; i < halves; ++i)
  {
    const auto store = [&](VD value, float * array) { hn::Store(hn::DemoteTo(dh, value), dh, array + i * step); };
    store(hn::Sub(rays[i].GetP(middleSlab), hn::Set(dd, packet.bounds.lowP.first + half)), packet.offsetP);
    store(hn::Sub(rays[i].slopeP, hn::Set(dd, packet.bounds.lowP.step)), packet.slopeP);
    store(hn::Sub(rays[i].GetQ(middleSlab), hn::Set(dd, packet.bounds.lowQ.first)), packet.offsetQ);
    store(hn::Sub(rays[i].slopeQ, hn::Set(dd, packet.bounds.lowQ.step)), packet.slopeQ);
  }
  SetCandidates(first, last, packet);
  return true;
}

/** Fills in where the packet is in each slab of the band. */
HWY_NOINLINE void
FindBackPlaces(const BackJob &    job,
               const Band &       band,
               const BandSlabs &  slabs,
               const BackPacket & packet,
               BackPlaces &       places)
{
  const Doubles    d;
  const HalfFloats dh;
  const HalfInts   di;
  const auto       step = static_cast<std::int64_t>(hn::Lanes(d));
  const auto       at = [&](const AffineInSlab & line, VD slab) {
    return hn::MulAdd(slab, hn::Set(d, line.step), hn::Set(d, line.first));
  };
  const VD   last = hn::Set(d, slabs.first + static_cast<double>(slabs.count - 1));
  const VD   rowBegin = hn::Set(d, static_cast<double>(band.rowBegin));
  const VD   columnBegin = hn::Set(d, static_cast<double>(band.columnBegin));
  const VD   far = hn::Set(d, 1e9);
  const VD   farBefore = hn::Set(d, -1e9);
  const bool all = packet.candidates == packet.rays;
  const VD   reach = hn::Set(d, 1.0 + packet.deviation + Slack - 0.5 * job.lanes);
  const VD   one = hn::Set(d, 1.0);
  VD         spread = hn::Zero(d);
  for (std::int64_t i = 0; i < slabs.count; i += step)
  {
    const VD slab = hn::Min(hn::Iota(d, slabs.first + static_cast<double>(i)), last);
    const VD p = at(packet.bounds.lowP, slab);
    const VD q = at(packet.bounds.lowQ, slab);
    const VD baseP = hn::Floor(p);
    const VD baseQ = hn::Floor(q);
    spread = hn::Max(spread, hn::Sub(hn::Floor(at(packet.bounds.highQ, slab)), baseQ));
    const auto clamp = [&](VD value) { return hn::Min(hn::Max(value, farBefore), far); };
    hn::StoreU(hn::DemoteTo(dh, hn::Sub(p, baseP)), dh, places.p + i);
    hn::StoreU(hn::DemoteTo(dh, hn::Sub(q, baseQ)), dh, places.q + i);
    hn::StoreU(hn::DemoteTo(di, clamp(hn::Sub(baseQ, rowBegin))), di, places.row + i);
    hn::StoreU(hn::DemoteTo(di, clamp(hn::Sub(baseP, columnBegin))), di, places.column + i);
    // The first ray less than 1 before the voxel, counted up to the next whole number.
    const VD inverse = all ? hn::Zero(d) : hn::Div(one, at(packet.spacing, slab));
    const VD first = hn::Sub(hn::Sub(baseP, at(packet.firstP, slab)), reach);
    hn::StoreU(hn::DemoteTo(dh, inverse), dh, places.inverse + i);
    hn::StoreU(hn::DemoteTo(dh, all ? hn::Zero(d) : hn::MulAdd(first, inverse, one)), dh, places.first + i);
  }
  places.rows = static_cast<int>(std::min(hn::GetLane(hn::MaxOfLanes(d, spread)), 1e6)) + 2;
}

// ---------------------------------------------------------------------------------------------- spreading

/** The tent of a distance, to the power of the weights. */
template <bool VSquared>
HWY_INLINE V
GetTent(V distance)
{
  const Floats d;
  const V      tent = hn::Max(hn::Zero(d), hn::Sub(hn::Set(d, 1.0F), hn::Abs(distance)));
  return VSquared ? hn::Mul(tent, tent) : tent;
}

/** Adds a packet to one register's width of its rows in each slab. VCandidates: 0 if that is known at run time only. */
template <int VCandidates, bool VSquared>
HWY_NOINLINE void
AddRegister(const BackJob &    job,
            const Band &       band,
            const BandSlabs &  slabs,
            const BackPacket & packet,
            const BackPlaces & places,
            int                number,
            float *            buffer)
{
  using Choice = decltype(hn::IndicesFromVec(Floats(), VI()));
  constexpr int      most = VCandidates > 0 ? VCandidates : MostLanes;
  const int          candidates = VCandidates > 0 ? VCandidates : packet.candidates;
  const Floats       d;
  const Ints         di;
  const V            one = hn::Set(d, 1.0F);
  const V            offsetP = hn::Load(d, packet.offsetP);
  const V            slopeP = hn::Load(d, packet.slopeP);
  const V            offsetQ = hn::Load(d, packet.offsetQ);
  const V            slopeQ = hn::Load(d, packet.slopeQ);
  const V            values = hn::Load(d, packet.values);
  const std::int64_t lanes = job.lanes;
  const std::int64_t before = number * lanes;
  const V            voxel = hn::Iota(d, static_cast<float>(before) - 0.5F * static_cast<float>(lanes));
  const V            lastFirst = hn::Set(d, static_cast<float>(packet.rays - candidates));
  V                  slab = hn::Set(d, static_cast<float>(slabs.first));
  float *            plane = buffer + lanes;
  for (std::int64_t i = 0; i < slabs.count; ++i, plane += band.slabStride, slab = hn::Add(slab, one))
  {
    const std::int64_t column = places.column[i] + before;
    const std::int64_t rowBegin = std::max(places.row[i], 0);
    const std::int64_t rowEnd = std::min<std::int64_t>(places.row[i] + places.rows, band.rows);
    if (rowBegin >= rowEnd || column <= -lanes || column >= band.columns)
    {
      continue;
    }
    const V  p = hn::Add(hn::MulAdd(slab, slopeP, offsetP), hn::Set(d, places.p[i]));
    const V  first = hn::MulAdd(voxel, hn::Set(d, places.inverse[i]), hn::Set(d, places.first[i]));
    const VI index = hn::ConvertTo(di, hn::Min(hn::Max(first, hn::Zero(d)), lastFirst));
    Choice   choice[most];
    V        tents[most];
    for (int n = 0; n < candidates; ++n)
    {
      choice[n] = hn::IndicesFromVec(d, hn::Add(index, hn::Set(di, n)));
      tents[n] = GetTent<VSquared>(hn::Sub(hn::TableLookupLanes(p, choice[n]), voxel));
    }
    V q = hn::Add(hn::MulAdd(slab, slopeQ, offsetQ), hn::Set(d, places.q[i]));
    q = hn::Sub(q, hn::Set(d, static_cast<float>(rowBegin - places.row[i])));
    float * row = plane + column + rowBegin * band.rowStride;
    for (std::int64_t j = rowBegin; j < rowEnd; ++j)
    {
      const V weighted = hn::Mul(values, GetTent<VSquared>(q));
      V       sum = hn::LoadU(d, row);
      for (int n = 0; n < candidates; ++n)
      {
        sum = hn::MulAdd(hn::TableLookupLanes(weighted, choice[n]), tents[n], sum);
      }
      hn::StoreU(sum, d, row);
      q = hn::Sub(q, one);
      row += band.rowStride;
    }
  }
}

template <bool VSquared>
HWY_INLINE void
AddRegisters(const BackJob &    job,
             const Band &       band,
             const BandSlabs &  slabs,
             const BackPacket & packet,
             const BackPlaces & places,
             float *            buffer)
{
  for (int number = 0; number < packet.registers; ++number)
  {
    switch (packet.candidates)
    {
      case 1:
        AddRegister<1, VSquared>(job, band, slabs, packet, places, number, buffer);
        break;
      case 2:
        AddRegister<2, VSquared>(job, band, slabs, packet, places, number, buffer);
        break;
      case 3:
        AddRegister<3, VSquared>(job, band, slabs, packet, places, number, buffer);
        break;
      case 4:
        AddRegister<4, VSquared>(job, band, slabs, packet, places, number, buffer);
        break;
      default:
        AddRegister<0, VSquared>(job, band, slabs, packet, places, number, buffer);
    }
  }
}

/** Each ray's four voxels on their own: for rays that are far apart. */
HWY_NOINLINE void
AddLaneByLane(const BackJob &    job,
              const Band &       band,
              const BandSlabs &  slabs,
              const BackPacket & packet,
              const BackPlaces & places,
              float *            buffer)
{
  const bool  squared = job.power == WeightPower::Two;
  const float half = 0.5F * static_cast<float>(job.lanes);
  for (std::int64_t i = 0; i < slabs.count; ++i)
  {
    const auto    slab = static_cast<float>(slabs.first + static_cast<double>(i));
    float * const plane = buffer + i * band.slabStride + job.lanes;
    for (int lane = 0; lane < packet.rays; ++lane)
    {
      const float p = packet.offsetP[lane] + slab * packet.slopeP[lane] + half + places.p[i];
      const float q = packet.offsetQ[lane] + slab * packet.slopeQ[lane] + places.q[i];
      const float floorP = std::floor(p);
      const float floorQ = std::floor(q);
      const auto  column = places.column[i] + static_cast<std::int64_t>(floorP);
      const auto  row = places.row[i] + static_cast<std::int64_t>(floorQ);
      const float weightP[2] = { 1.0F - (p - floorP), p - floorP };
      const float weightQ[2] = { 1.0F - (q - floorQ), q - floorQ };
      for (int b = 0; b < 2; ++b)
      {
        for (int a = 0; a < 2; ++a)
        {
          if (row + b >= 0 && row + b < band.rows && column + a >= 0 && column + a < band.columns)
          {
            const float weight = weightP[a] * weightQ[b];
            plane[column + a + (row + b) * band.rowStride] +=
              packet.values[lane] * (squared ? weight * weight : weight);
          }
        }
      }
    }
  }
}

HWY_INLINE void
AddPacket(const BackJob & job, const Band & band, const BandSlabs & slabs, const BackPacket & packet, float * buffer)
{
  BackPlaces places;
  FindBackPlaces(job, band, slabs, packet, places);
  if (packet.laneByLane)
  {
    AddLaneByLane(job, band, slabs, packet, places, buffer);
  }
  else if (job.power == WeightPower::One)
  {
    AddRegisters<false>(job, band, slabs, packet, places, buffer);
  }
  else
  {
    AddRegisters<true>(job, band, slabs, packet, places, buffer);
  }
}

// ---------------------------------------------------------------------------------------------- bands

/** Slabs side by side, columns apart: four by four. */
HWY_INLINE void
StoreTransposed(const float * plane,
                std::int64_t  slabStride,
                std::int64_t  slabs,
                std::int64_t  columns,
                float *       to,
                std::int64_t  columnStride)
{
  std::int64_t column = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::FixedTag<float, 4> d;
  for (; column + 4 <= columns; column += 4)
  {
    std::int64_t slab = 0;
    for (; slab + 4 <= slabs; slab += 4)
    {
      const float * const from = plane + slab * slabStride + column;
      const auto          a = hn::LoadU(d, from);
      const auto          b = hn::LoadU(d, from + slabStride);
      const auto          c = hn::LoadU(d, from + 2 * slabStride);
      const auto          e = hn::LoadU(d, from + 3 * slabStride);
      const auto          ac0 = hn::InterleaveLower(d, a, c);
      const auto          ac1 = hn::InterleaveUpper(d, a, c);
      const auto          be0 = hn::InterleaveLower(d, b, e);
      const auto          be1 = hn::InterleaveUpper(d, b, e);
      float * const       at = to + column * columnStride + slab;
      hn::StoreU(hn::InterleaveLower(d, ac0, be0), d, at);
      hn::StoreU(hn::InterleaveUpper(d, ac0, be0), d, at + columnStride);
      hn::StoreU(hn::InterleaveLower(d, ac1, be1), d, at + 2 * columnStride);
      hn::StoreU(hn::InterleaveUpper(d, ac1, be1), d, at + 3 * columnStride);
    }
    for (; slab < slabs; ++slab)
    {
      for (int i = 0; i < 4; ++i)
      {
        to[(column + i) * columnStride + slab] = plane[slab * slabStride + column + i];
      }
    }
  }
#endif
  for (; column < columns; ++column)
  {
    for (std::int64_t slab = 0; slab < slabs; ++slab)
    {
      to[column * columnStride + slab] = plane[slab * slabStride + column];
    }
  }
}

HWY_INLINE void
StoreRow(const float * from, std::int64_t count, float * to, bool pastCaches)
{
  std::int64_t begin = 0;
  std::int64_t end = 0;
  if (pastCaches)
  {
    const Floats d;
    const auto   lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const auto   ahead = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(to) / sizeof(float)) % lanes;
    begin = std::min(count, (lanes - ahead) % lanes);
    for (end = begin; end + lanes <= count; end += lanes)
    {
      hn::Stream(hn::LoadU(d, from + end), d, to + end);
    }
  }
  std::copy(from, from + begin, to);
  std::copy(from + end, from + count, to + end);
}

HWY_INLINE void
StoreBand(const BackJob & job, const Band & band, const float * buffer, const BandOutput & output)
{
  const std::int64_t slabs = band.slabEnd - band.slabBegin;
  const float *      first = buffer + job.lanes;
  if (output.columnStride != 1)
  {
    for (std::int64_t row = 0; row < band.rows; ++row)
    {
      StoreTransposed(first + row * band.rowStride,
                      band.slabStride,
                      slabs,
                      band.columns,
                      output.values + row * output.rowStride,
                      output.columnStride);
    }
    return;
  }
  for (std::int64_t slab = 0; slab < slabs; ++slab)
  {
    for (std::int64_t row = 0; row < band.rows; ++row)
    {
      StoreRow(first + slab * band.slabStride + row * band.rowStride,
               band.columns,
               output.values + slab * output.slabStride + row * output.rowStride,
               output.pastCaches);
    }
  }
}

void
GatherBand(const BackJob & job, const Band & band, float * buffer, const BandOutput & output)
{
  const double    middle = band.GetMiddle();
  const double    first = static_cast<double>(band.blockBegin) - middle;
  const double    last = static_cast<double>(band.blockEnd - 1) - middle;
  const auto      slabBegin = static_cast<double>(band.slabBegin);
  const auto      slabLast = static_cast<double>(band.slabEnd - 1);
  const BandSlabs slabs{ slabBegin - middle, band.slabEnd - band.slabBegin };
  std::fill(buffer, buffer + slabs.count * band.slabStride, 0.0F);
  for (const Strip & strip : job.strips)
  {
    if (strip.largest == 0.0 || !MeetsBand(strip.bounds, band, slabBegin, slabLast))
    {
      continue;
    }
    const std::int64_t size = ChoosePacketSize(job, strip, middle + first, middle + last);
    for (std::int64_t place = strip.begin; place < strip.end; place += size)
    {
      BackPacket packet;
      if (MakeBackPacket(job, strip, place, std::min(size, strip.end - place), middle, first, last, packet) &&
          MeetsBand(packet.bounds, band, slabs.first, slabLast - middle))
      {
        AddPacket(job, band, slabs, packet, buffer);
      }
    }
  }
  StoreBand(job, band, buffer, output);
  hwy::FlushStream();
}

} // namespace HWY_NAMESPACE
} // namespace radiography::compute::josephback
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace radiography::compute
{

namespace josephback
{

HWY_EXPORT(GetBackLaneCount);
HWY_EXPORT(PrepareStrip);
HWY_EXPORT(GatherBand);

namespace
{

/** Strips that a thread prepares at a time. */
constexpr std::int64_t PreparedStrips = 64;

/** Whether the packets' rays are Joseph's in any case: all pass through all slabs between their two ends. The ends are
 * affine in the pixel, so that the detector's corners tell. */
bool
AllCrossAllSlabs(const BackJob & job)
{
  const kernel::ViewRays & view = job.view;
  bool                     all = true;
  for (const double column : { 0.0, static_cast<double>(view.columns - 1) })
  {
    for (const double row : { 0.0, static_cast<double>(view.rows - 1) })
    {
      const double start = kernel::Evaluate(view.start, job.m, column, row);
      const double end = kernel::Evaluate(view.end, job.m, column, row);
      const auto   slabs = static_cast<double>(job.grid.size[job.m]);
      all = all && std::min(start, end) <= -1.0 && std::max(start, end) >= slabs;
    }
  }
  return all;
}

/** The body that a pixel's ray goes to. */
RayKernel
ChooseKernel(const BackJob & job, const JosephPacketLayout::Pixel & pixel)
{
  const kernel::Ray ray = kernel::MakeRay(job.view, static_cast<double>(pixel.column), static_cast<double>(pixel.row));
  return ChooseRayKernel(job.grid, ray, job.plan).kernel;
}

/** Takes a strip's pixels. Those whose rays are not Joseph's stay 0. */
void
TakePixels(const BackJob &          job,
           const Strip &            strip,
           const float *            pixels,
           bool                     allJoseph,
           float *                  values,
           std::vector<PixelLeft> & left)
{
  for (std::int64_t place = strip.begin; place < strip.end; ++place)
  {
    const JosephPacketLayout::Pixel pixel = job.GetPixel(strip.line, place);
    const float                     value = pixels[pixel.column + pixel.row * job.view.columns];
    if (allJoseph || value == 0.0F)
    {
      values[place - strip.begin] = value;
      continue;
    }
    const RayKernel rayKernel = ChooseKernel(job, pixel);
    if (rayKernel == RayKernel::Joseph)
    {
      values[place - strip.begin] = value;
    }
    else if (rayKernel == RayKernel::CellGauss)
    {
      left.push_back({ pixel.column, pixel.row });
    }
  }
}

/** Values and bounds of all strips. \return the pixels left, in raster order. */
std::vector<PixelLeft>
PrepareStrips(const float * pixels, const ParallelFor & prepareFor, BackJob & job)
{
  const bool                          allJoseph = AllCrossAllSlabs(job);
  const auto                          strips = static_cast<std::int64_t>(job.strips.size());
  const std::int64_t                  items = (strips + PreparedStrips - 1) / PreparedStrips;
  std::vector<std::vector<PixelLeft>> leftOfItems(static_cast<size_t>(items));
  prepareFor(items, [&](std::int64_t item) {
    for (std::int64_t i = item * PreparedStrips; i < std::min((item + 1) * PreparedStrips, strips); ++i)
    {
      Strip &       strip = job.strips[static_cast<size_t>(i)];
      float * const values = job.values.data() + strip.firstValue;
      TakePixels(job, strip, pixels, allJoseph, values, leftOfItems[static_cast<size_t>(item)]);
      HWY_DYNAMIC_DISPATCH(PrepareStrip)(job, strip, values);
    }
  });
  std::vector<PixelLeft> left;
  for (const std::vector<PixelLeft> & some : leftOfItems)
  {
    left.insert(left.end(), some.begin(), some.end());
  }
  std::sort(left.begin(), left.end(), [](const PixelLeft & a, const PixelLeft & b) {
    return std::make_pair(a.row, a.column) < std::make_pair(b.row, b.column);
  });
  return left;
}

bool
MightOverflow(const BackJob & job)
{
  return std::any_of(
    job.strips.begin(), job.strips.end(), [](const Strip & strip) { return !(strip.largest < LargestValue); });
}

int
GetLanes()
{
  return HWY_DYNAMIC_DISPATCH(GetBackLaneCount)();
}

void
Gather(const BackJob & job, const Band & band, float * buffer, const BandOutput & output)
{
  HWY_DYNAMIC_DISPATCH(GatherBand)(job, band, buffer, output);
}

} // namespace
} // namespace josephback

JosephBackPacketResult
BackProjectJosephPackets(const kernel::VolumeView & grid,
                         const kernel::ViewRays &   view,
                         const ViewPlan &           plan,
                         const ProjectionPolicy &   policy,
                         const ParallelFor &        prepareFor,
                         const ParallelFor &        parallelFor,
                         const float *              pixels,
                         WeightPower                power,
                         const AddRaysLeft &        addRaysLeft,
                         const VoxelBlock &         output)
{
  using namespace josephback;
  BackJob                      job = MakeBackJob(grid, view, plan, policy, power, GetLanes());
  const std::vector<PixelLeft> left = PrepareStrips(pixels, prepareFor, job);
  if (MightOverflow(job))
  {
    return { {}, "a pixel times the length of its ray in a slab is over 1e27: sums in binary32 might overflow", 0 };
  }
  const Bands bands(job, policy, output);
  Buffers     buffers(bands.GetBufferSize());
  parallelFor(bands.GetCount(), [&](std::int64_t item) {
    const Band               band = bands.GetBand(item);
    std::unique_ptr<float[]> buffer = buffers.Take();
    Gather(job, band, buffer.get(), bands.GetOutput(band));
    buffers.GiveBack(std::move(buffer));
    if (!left.empty())
    {
      addRaysLeft(left, bands.GetBox(band));
    }
  });
  return { GetInstructionSet().name + " packets of up to " + std::to_string(job.lanes) + " rays, binary32",
           {},
           static_cast<std::int64_t>(left.size()) };
}

} // namespace radiography::compute

#endif
