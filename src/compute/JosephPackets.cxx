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

#include "compute/InstructionSet.h"
#include "compute/JosephPacketLayout.h"
#include "kernel/CellGauss.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

// Compiles what stands between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE once per instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/JosephPackets.cxx"
#include "hwy/foreach_target.h"

#include "hwy/cache_control.h"
#include "hwy/highway.h"

#ifndef radiography_compute_JosephPackets_once
#  define radiography_compute_JosephPackets_once

namespace radiography::compute
{

namespace
{

/** Lanes of the longest register, and the most slabs of a block. */
constexpr int MostLanes = 16;
constexpr int MostSlabs = 64;
/** Packets of a tile whose state is held at the same time. */
constexpr int MostPackets = 64;
/** With more rows than this in a slab, reading lane by lane is faster. */
constexpr double MostRows = 32.0;
/** Voxels by which the bounds of a packet are wider than its rays: much more than what rounding can move a ray that is
 * at most a register away. It decides only which rows are read, some with weight 0. */
constexpr double Slack = 1.0 / 4096.0;

/** first + k * step in slab k. */
struct AffineInSlab
{
  double first;
  double step;

  double
  At(double slab) const
  {
    return first + slab * step;
  }
};

/** A range [begin, end) of slabs. */
struct SlabRange
{
  double begin;
  double end;
};

/** All that the packets of a view have in common. */
struct PacketJob
{
  kernel::VolumeView       volume;
  const kernel::ViewRays & view;
  const ViewPlan &         plan;
  JosephPacketLayout       layout;
  DepthImage               output;
  /** The volume's axes: main one, contiguous one, third one. */
  int          m;
  int          p;
  int          q;
  std::int64_t slabBlock;
  /** Every ray passes through all slabs between its two ends: none ends inside, or before the volume. */
  bool                      crossesAllSlabs;
  std::vector<std::int64_t> shifts;
};

/** Some rays side by side, and what is summed up along them. Arrays have one element per lane. */
struct Packet
{
  /** Place along p and q relative to the packet's corner, in slab k: offset + k * slope. */
  alignas(64) float offsetP[MostLanes];
  alignas(64) float slopeP[MostLanes];
  alignas(64) float offsetQ[MostLanes];
  alignas(64) float slopeQ[MostLanes];
  /** Of the samples so far. */
  alignas(64) double sum[MostLanes];
  /** Its rays lie in [lowP, highP) x [lowQ, highQ) in each slab; (lowP, lowQ) is its corner. */
  AffineInSlab lowP;
  AffineInSlab highP;
  AffineInSlab lowQ;
  AffineInSlab highQ;
  /** Slabs in which it can meet the tent-padded volume, and those in which all its rays have four voxels around. */
  std::int64_t begin;
  std::int64_t end;
  std::int64_t innerBegin;
  std::int64_t innerEnd;
  /** Registers that hold what the rays need of a row of voxels, 1 or 2; 0: they are farther apart. */
  int registers;
  /** Each ray goes to a body of its own, in `kernels`: some end inside the volume or before it. */
  bool mixed;

  /** World length per slab. */
  alignas(64) double weight[MostLanes];
  /** The ray's pixel. */
  std::int64_t column[MostLanes];
  std::int64_t row[MostLanes];
  /** Its place in the output, -1 if it is not asked for. */
  std::int64_t target[MostLanes];
  RayKernel    kernels[MostLanes];
};

/** Keeps the slabs in which `line` is 0 or more; by rounding one more (generous) or none too many. */
inline void
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
inline void
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

inline void
SetSlabs(const SlabRange & slabs, std::int64_t & begin, std::int64_t & end)
{
  begin = slabs.begin < slabs.end ? static_cast<std::int64_t>(slabs.begin) : 0;
  end = slabs.begin < slabs.end ? static_cast<std::int64_t>(slabs.end) : 0;
}

/** How many registers of `lanes` voxels hold what the rays need of a row. A ray's left neighbour is at most
 * floor(spread) + 1 voxels from the first one that is loaded, its right one is the next. */
inline int
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

/** The slabs that matter to a packet whose bounds are known. \param loaded voxels of a row that are loaded. */
inline void
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

/** Fills in the rays' pixels; a ray beyond the detector is replaced by the packet's first ray on it.
 * \return whether any of them is asked for. */
inline bool
SetPixels(const PacketJob &        job,
          const PixelTiles::Tile & tile,
          std::int64_t             along,
          std::int64_t             across,
          Packet &                 packet)
{
  const JosephPacketLayout & layout = job.layout;
  const DepthImage &         output = job.output;
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
    const std::int64_t i = column - output.firstColumn;
    const std::int64_t j = row - output.firstRow;
    const bool         asked = onDetector[lane] && a >= tile.columnBegin && a < tile.columnEnd && b >= tile.rowBegin &&
                       b < tile.rowEnd && i >= 0 && i < output.columns && j >= 0 && j < output.rows;
    packet.column[lane] = column;
    packet.row[lane] = row;
    packet.target[lane] = asked ? i + j * output.columns : -1;
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

/** Whether the ray of a pixel passes through all slabs between its two ends. */
inline bool
CrossesAllSlabs(const kernel::ViewRays & view, int m, std::int64_t slabs, double column, double row)
{
  const double start = kernel::Evaluate(view.start, m, column, row);
  const double end = kernel::Evaluate(view.end, m, column, row);
  return std::min(start, end) <= -1.0 && std::max(start, end) >= static_cast<double>(slabs);
}

/** Decides ray by ray which body integrates it, for views in which that is not Joseph for all.
 * \return rays asked for that have an end inside the volume. */
inline std::int64_t
SortRays(const PacketJob & job, Packet & packet)
{
  std::int64_t endsInside = 0;
  bool         any = false;
  packet.mixed = false;
  for (int lane = 0; lane < job.layout.lanes; ++lane)
  {
    const kernel::Ray ray =
      kernel::MakeRay(job.view, static_cast<double>(packet.column[lane]), static_cast<double>(packet.row[lane]));
    const RayChoice choice = ChooseRayKernel(job.volume, ray, job.plan);
    packet.kernels[lane] = choice.kernel;
    packet.mixed = packet.mixed || choice.kernel != RayKernel::Joseph;
    any = any || choice.kernel == RayKernel::Joseph;
    endsInside += choice.endsInside && packet.target[lane] >= 0 ? 1 : 0;
  }
  if (!any)
  {
    packet.end = packet.begin;
  }
  return endsInside;
}

/** How many values farther on the packet is in the next block of slabs, as nearly as its corner tells: what is fetched
 * into the caches early. */
inline std::int64_t
FindNextBlock(const PacketJob & job, const Packet & packet)
{
  const auto block = static_cast<double>(job.slabBlock);
  return job.slabBlock * job.volume.stride[job.m] +
         static_cast<std::int64_t>(std::floor(block * packet.lowQ.step + 0.5)) * job.volume.stride[job.q] +
         static_cast<std::int64_t>(std::floor(block * packet.lowP.step + 0.5));
}

/** Depth of a ray of a finished packet. */
inline double
GetDepth(const PacketJob & job, const Packet & packet, int lane)
{
  if (packet.mixed && packet.kernels[lane] == RayKernel::None)
  {
    return 0.0;
  }
  if (packet.mixed && packet.kernels[lane] == RayKernel::CellGauss)
  {
    return kernel::IntegrateCellGauss(
      job.volume,
      kernel::MakeRay(job.view, static_cast<double>(packet.column[lane]), static_cast<double>(packet.row[lane])));
  }
  return packet.sum[lane] * packet.weight[lane];
}

inline void
StoreDepths(const PacketJob & job, const Packet & packet)
{
  for (int lane = 0; lane < job.layout.lanes; ++lane)
  {
    if (packet.target[lane] >= 0)
    {
      job.output.values[packet.target[lane]] = static_cast<float>(GetDepth(job, packet, lane));
    }
  }
}

} // namespace
} // namespace radiography::compute

#endif

HWY_BEFORE_NAMESPACE();
namespace radiography::compute
{
namespace HWY_NAMESPACE
{

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::CappedTag<float, MostLanes>;
using Ints = hn::RebindToSigned<Floats>;
using HalfFloats = hn::Half<Floats>;
using Doubles = hn::Rebind<double, HalfFloats>;
using V = hn::Vec<Floats>;
using VI = hn::Vec<Ints>;
using VD = hn::Vec<Doubles>;

int
GetLaneCount()
{
  return static_cast<int>(hn::Lanes(Floats()));
}

// ---------------------------------------------------------------------------------------------- making packets

/** Along p or q: where the rays are relative to the first one, and how that changes from slab to slab. */
struct Relative
{
  V offset;
  V slope;
};

/** The rays' places along `axis` relative to those of the first one, whose slope is `slope`: with d = end - start,
 * d_axis / d_m - slope = (D_axis - slope D_m) / d_m, D the differences of d to the first ray's. Nothing cancels. */
HWY_INLINE Relative
MakeRelative(const PacketJob & job, int axis, double slope, V columns, V rows, V startM, V stepM)
{
  const Floats                          d;
  const kernel::ViewRays::AffinePoint & start = job.view.start;
  const kernel::ViewRays::AffinePoint & end = job.view.end;
  const int                             m = job.m;
  const double                          startColumn = start.column[axis] - slope * start.column[m];
  const double                          startRow = start.row[axis] - slope * start.row[m];
  const double                          endColumn = end.column[axis] - slope * end.column[m];
  const double                          endRow = end.row[axis] - slope * end.row[m];
  const V                               startPart = hn::MulAdd(
    columns, hn::Set(d, static_cast<float>(startColumn)), hn::Mul(rows, hn::Set(d, static_cast<float>(startRow))));
  const V stepPart = hn::MulAdd(columns,
                                hn::Set(d, static_cast<float>(endColumn - startColumn)),
                                hn::Mul(rows, hn::Set(d, static_cast<float>(endRow - startRow))));
  const V slopes = hn::Div(stepPart, stepM);
  return { hn::NegMulAdd(startM, slopes, startPart), slopes };
}

/** The bounds of a packet along one axis, and its rays relative to the lower one. */
HWY_INLINE void
SetBounds(Relative       rays,
          AffineInSlab   first,
          double         lastSlab,
          float *        offset,
          float *        slope,
          AffineInSlab & low,
          AffineInSlab & high)
{
  const Floats d;
  // Each ray is affine in the slab: the least of them is concave, so that the chord between its ends bounds it.
  const V      atEnd = hn::MulAdd(hn::Set(d, static_cast<float>(lastSlab)), rays.slope, rays.offset);
  const double low0 = static_cast<double>(hn::GetLane(hn::MinOfLanes(d, rays.offset))) - Slack;
  const double low1 = static_cast<double>(hn::GetLane(hn::MinOfLanes(d, atEnd))) - Slack;
  const double high0 = static_cast<double>(hn::GetLane(hn::MaxOfLanes(d, rays.offset))) + Slack;
  const double high1 = static_cast<double>(hn::GetLane(hn::MaxOfLanes(d, atEnd))) + Slack;
  const double scale = lastSlab > 0.0 ? 1.0 / lastSlab : 0.0;
  // The lower bound is taken off the rays in binary32 and added again in binary64: it must be the same number.
  const auto lowOffset = static_cast<float>(low0);
  const auto lowSlope = static_cast<float>((low1 - low0) * scale);
  low = { first.first + static_cast<double>(lowOffset), first.step + static_cast<double>(lowSlope) };
  high = { first.first + high0, first.step + (high1 - high0) * scale };
  hn::Store(hn::Sub(rays.offset, hn::Set(d, lowOffset)), d, offset);
  hn::Store(hn::Sub(rays.slope, hn::Set(d, lowSlope)), d, slope);
}

/** World length per slab of half of the rays. */
HWY_INLINE VD
GetSlabLength(const PacketJob & job, VD columns, VD rows)
{
  const Doubles d;
  VD            squared = hn::Zero(d);
  for (int axis = 0; axis < 3; ++axis)
  {
    const VD span =
      hn::MulAdd(rows,
                 hn::Set(d, job.view.span.row[axis]),
                 hn::MulAdd(columns, hn::Set(d, job.view.span.column[axis]), hn::Set(d, job.view.span.origin[axis])));
    squared = hn::MulAdd(span, span, squared);
  }
  const int m = job.m;
  const VD  step = hn::MulAdd(rows,
                             hn::Set(d, job.view.end.row[m] - job.view.start.row[m]),
                             hn::MulAdd(columns,
                                        hn::Set(d, job.view.end.column[m] - job.view.start.column[m]),
                                        hn::Set(d, job.view.end.origin[m] - job.view.start.origin[m])));
  return hn::Div(hn::Sqrt(squared), hn::Abs(step));
}

/** Fills in the rays and bounds of a packet whose pixels are known. */
HWY_NOINLINE void
SetRays(const PacketJob & job, Packet & packet)
{
  const Floats             d;
  const kernel::ViewRays & view = job.view;
  const int                axes[3] = { job.m, job.p, job.q };
  const int                lanes = job.layout.lanes;
  const auto               column = static_cast<double>(packet.column[0]);
  const auto               row = static_cast<double>(packet.row[0]);

  alignas(64) float  columns[MostLanes];
  alignas(64) float  rows[MostLanes];
  alignas(64) double columns64[MostLanes];
  alignas(64) double rows64[MostLanes];
  for (int lane = 0; lane < lanes; ++lane)
  {
    columns[lane] = static_cast<float>(packet.column[lane] - packet.column[0]);
    rows[lane] = static_cast<float>(packet.row[lane] - packet.row[0]);
    columns64[lane] = static_cast<double>(packet.column[lane]);
    rows64[lane] = static_cast<double>(packet.row[lane]);
  }

  double start[3];
  double step[3];
  for (int i = 0; i < 3; ++i)
  {
    start[i] = kernel::Evaluate(view.start, axes[i], column, row);
    step[i] = kernel::Evaluate(view.end, axes[i], column, row) - start[i];
  }
  const int m = job.m;
  const V   c = hn::Load(d, columns);
  const V   r = hn::Load(d, rows);
  const V   startM = hn::MulAdd(
    c,
    hn::Set(d, static_cast<float>(view.start.column[m])),
    hn::MulAdd(r, hn::Set(d, static_cast<float>(view.start.row[m])), hn::Set(d, static_cast<float>(start[0]))));
  const V      stepM = hn::MulAdd(c,
                             hn::Set(d, static_cast<float>(view.end.column[m] - view.start.column[m])),
                             hn::MulAdd(r,
                                        hn::Set(d, static_cast<float>(view.end.row[m] - view.start.row[m])),
                                        hn::Set(d, static_cast<float>(step[0]))));
  const double lastSlab = static_cast<double>(job.volume.size[m] - 1);
  const double slopes[2] = { step[1] / step[0], step[2] / step[0] };
  SetBounds(MakeRelative(job, job.p, slopes[0], c, r, startM, stepM),
            { start[1] - start[0] * slopes[0], slopes[0] },
            lastSlab,
            packet.offsetP,
            packet.slopeP,
            packet.lowP,
            packet.highP);
  SetBounds(MakeRelative(job, job.q, slopes[1], c, r, startM, stepM),
            { start[2] - start[0] * slopes[1], slopes[1] },
            lastSlab,
            packet.offsetQ,
            packet.slopeQ,
            packet.lowQ,
            packet.highQ);

  const Doubles dd;
  for (int lane = 0; lane < lanes; lane += static_cast<int>(hn::Lanes(dd)))
  {
    hn::Store(
      GetSlabLength(job, hn::Load(dd, columns64 + lane), hn::Load(dd, rows64 + lane)), dd, packet.weight + lane);
    hn::Store(hn::Zero(dd), dd, packet.sum + lane);
  }

  packet.registers = CountRegisters(packet, lanes, lastSlab);
  FindSlabs(job, std::max(packet.registers, 1) * lanes, packet);
}

/** \return rays asked for that have an end inside the volume, -1 if no ray of the packet is asked for. */
HWY_INLINE std::int64_t
           MakePacket(const PacketJob &        job,
                      const PixelTiles::Tile & tile,
                      std::int64_t             along,
                      std::int64_t             across,
                      Packet &                 packet)
{
  if (!SetPixels(job, tile, along, across, packet))
  {
    return -1;
  }
  SetRays(job, packet);
  packet.mixed = false;
  return job.crossesAllSlabs ? 0 : SortRays(job, packet);
}

// ---------------------------------------------------------------------------------------------- samples

/** Part of a row of voxels, in one register or two. */
template <int VRegisters>
struct Window;

template <>
struct Window<1>
{
  V voxels;

  /** Which voxel each ray picks, 0 to lanes - 1. */
  using Choice = decltype(hn::IndicesFromVec(Floats(), VI()));

  static HWY_INLINE Choice
  Choose(VI index)
  {
    return hn::IndicesFromVec(Floats(), index);
  }

  HWY_INLINE V
  Pick(Choice choice) const
  {
    return hn::TableLookupLanes(voxels, choice);
  }

  static HWY_INLINE Window
  Load(const float * row)
  {
    return { hn::LoadU(Floats(), row) };
  }
};

template <>
struct Window<2>
{
  V low;
  V high;

#if HWY_TARGET == HWY_AVX3
  /** Which voxel each ray picks, 0 to 2 lanes - 1. */
  using Choice = VI;

  static HWY_INLINE Choice
  Choose(VI index)
  {
    return index;
  }

  HWY_INLINE V
  Pick(Choice choice) const
  {
    // One instruction where other instruction sets need three.
    return V{ _mm512_permutex2var_ps(low.raw, choice.raw, high.raw) };
  }
#else
  struct Choice
  {
    Window<1>::Choice lane;
    hn::Mask<Floats>  inHigh;
  };

  static HWY_INLINE Choice
  Choose(VI index)
  {
    const Ints d;
    const VI   inRegister = hn::Set(d, static_cast<int>(hn::Lanes(d)) - 1);
    return { Window<1>::Choose(hn::And(index, inRegister)), hn::RebindMask(Floats(), hn::Gt(index, inRegister)) };
  }

  HWY_INLINE V
  Pick(Choice choice) const
  {
    return hn::IfThenElse(
      choice.inHigh, hn::TableLookupLanes(high, choice.lane), hn::TableLookupLanes(low, choice.lane));
  }
#endif

  static HWY_INLINE Window
  Load(const float * row)
  {
    return { hn::LoadU(Floats(), row), hn::LoadU(Floats(), row + hn::Lanes(Floats())) };
  }
};

/** Where the corner of a packet is in the slabs of a block. */
struct CornerPlaces
{
  /** Values from the volume's first one to the first one that is loaded. */
  alignas(64) double offset[MostSlabs];
  /** From there to the corner, in voxels. */
  alignas(64) float p[MostSlabs];
  alignas(64) float q[MostSlabs];
  /** Rows to be read. */
  int rows;
};

/** For slabs in which all rays have four voxels around. What is loaded never leaves a row of the volume, and all rows
 * that are read are there. */
HWY_NOINLINE void
FindCorners(const PacketJob & job, const Packet & packet, std::int64_t begin, std::int64_t end, CornerPlaces & places)
{
  const Doubles    d;
  const HalfFloats dh;
  const auto       step = static_cast<std::int64_t>(hn::Lanes(d));
  const VD         last = hn::Set(d, static_cast<double>(end - 1));
  const VD         lowQ = hn::Set(d, packet.lowQ.first);
  const VD         lowQStep = hn::Set(d, packet.lowQ.step);

  VD spread = hn::Zero(d);
  for (std::int64_t k = begin; k < end; k += step)
  {
    const VD slab = hn::Min(hn::Iota(d, static_cast<double>(k)), last);
    const VD low = hn::Floor(hn::MulAdd(slab, lowQStep, lowQ));
    const VD high = hn::Floor(hn::MulAdd(slab, hn::Set(d, packet.highQ.step), hn::Set(d, packet.highQ.first)));
    spread = hn::Max(spread, hn::Sub(high, low));
  }
  const double rows = hn::GetLane(hn::MaxOfLanes(d, spread)) + 2.0;
  places.rows = static_cast<int>(rows);

  const VD lastP = hn::Set(d, static_cast<double>(job.volume.size[job.p] - packet.registers * job.layout.lanes));
  const VD lastQ = hn::Set(d, static_cast<double>(job.volume.size[job.q]) - rows);
  for (std::int64_t k = begin; k < end; k += step)
  {
    const VD   slab = hn::Min(hn::Iota(d, static_cast<double>(k)), last);
    const VD   p = hn::MulAdd(slab, hn::Set(d, packet.lowP.step), hn::Set(d, packet.lowP.first));
    const VD   q = hn::MulAdd(slab, lowQStep, lowQ);
    const VD   baseP = hn::Min(hn::Floor(p), lastP);
    const VD   baseQ = hn::Min(hn::Floor(q), lastQ);
    const VD   offset = hn::MulAdd(slab,
                                 hn::Set(d, static_cast<double>(job.volume.stride[job.m])),
                                 hn::MulAdd(baseQ, hn::Set(d, static_cast<double>(job.volume.stride[job.q])), baseP));
    const auto i = static_cast<size_t>(k - begin);
    hn::StoreU(offset, d, places.offset + i);
    hn::StoreU(hn::DemoteTo(dh, hn::Sub(p, baseP)), dh, places.p + i);
    hn::StoreU(hn::DemoteTo(dh, hn::Sub(q, baseQ)), dh, places.q + i);
  }
}

/** Asks for the value `ahead` of a voxel, which may be outside the volume. */
HWY_INLINE void
PrefetchAhead(const float * voxel, std::int64_t ahead)
{
  // As a number: a pointer must not leave the volume.
  const auto address = reinterpret_cast<std::uintptr_t>(voxel) + static_cast<std::uintptr_t>(ahead) * sizeof(float);
  hwy::Prefetch(reinterpret_cast<const float *>(address));
}

/** The rays' samples in the slabs of a block, all of whose voxels are there, added up. VRows: how many rows of voxels
 * are read, 0 if that is known at run time only. */
template <int VRegisters, int VRows>
HWY_NOINLINE V
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
  V                  sum = zero;
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
    V             sample = zero;
    for (int j = 0; j < rows - 1; ++j)
    {
      for (int part = 0; part < VRegisters; ++part)
      {
        PrefetchAhead(row, ahead + j * stride + part * job.layout.lanes);
      }
    }
    for (int j = 0; j < rows; ++j)
    {
      const Row voxels = Row::Load(row);
      const V   a = voxels.Pick(left);
      const V   b = voxels.Pick(right);
      const V   tent = hn::Max(zero, hn::Sub(one, hn::Abs(y)));
      sample = hn::MulAdd(hn::MulAdd(u, hn::Sub(b, a), a), tent, sample);
      y = hn::Sub(y, one);
      row += stride;
    }
    sum = hn::Add(sum, sample);
    slab = hn::Add(slab, one);
  }
  return sum;
}

template <int VRegisters>
HWY_INLINE V
SumInnerSlabs(const PacketJob & job, const Packet & packet, std::int64_t begin, std::int64_t end)
{
  CornerPlaces places;
  FindCorners(job, packet, begin, end, places);
  switch (places.rows)
  {
    case 2:
      return SumInner<VRegisters, 2>(job, packet, places, begin, end);
    case 3:
      return SumInner<VRegisters, 3>(job, packet, places, begin, end);
    case 4:
      return SumInner<VRegisters, 4>(job, packet, places, begin, end);
    case 5:
      return SumInner<VRegisters, 5>(job, packet, places, begin, end);
    case 6:
      return SumInner<VRegisters, 6>(job, packet, places, begin, end);
    default:
      return SumInner<VRegisters, 0>(job, packet, places, begin, end);
  }
}

/** A row of voxels that may be shorter than the registers. */
template <int VRegisters>
HWY_INLINE Window<VRegisters>
           LoadRow(const float * row, std::int64_t size)
{
  if (size >= VRegisters * static_cast<std::int64_t>(hn::Lanes(Floats())))
  {
    return Window<VRegisters>::Load(row);
  }
  alignas(64) float voxels[2 * MostLanes] = {};
  std::memcpy(voxels, row, static_cast<size_t>(size) * sizeof(float));
  return Window<VRegisters>::Load(voxels);
}

/** The rays' places in one slab, relative to voxel (baseP, baseQ) at the packet's corner: 0 or more. */
struct SlabPlaces
{
  std::int64_t baseP;
  std::int64_t baseQ;
  V            p;
  V            q;
};

HWY_INLINE SlabPlaces
FindPlaces(const Packet & packet, std::int64_t slab)
{
  const Floats d;
  const auto   k = static_cast<double>(slab);
  const double lowP = packet.lowP.At(k);
  const double lowQ = packet.lowQ.At(k);
  const double baseP = std::floor(lowP);
  const double baseQ = std::floor(lowQ);
  const V      vk = hn::Set(d, static_cast<float>(slab));
  return { static_cast<std::int64_t>(baseP),
           static_cast<std::int64_t>(baseQ),
           hn::Add(hn::MulAdd(vk, hn::Load(d, packet.slopeP), hn::Load(d, packet.offsetP)),
                   hn::Set(d, static_cast<float>(lowP - baseP))),
           hn::Add(hn::MulAdd(vk, hn::Load(d, packet.slopeQ), hn::Load(d, packet.offsetQ)),
                   hn::Set(d, static_cast<float>(lowQ - baseQ))) };
}

/** The rays' samples in one slab near the volume's border: what is outside is 0. */
template <int VRegisters>
HWY_NOINLINE V
SampleBorder(const PacketJob & job, const Packet & packet, std::int64_t slab)
{
  const Floats       d;
  const Ints         di;
  const V            zero = hn::Zero(d);
  const V            one = hn::Set(d, 1.0F);
  const VI           oneI = hn::Set(di, 1);
  const std::int64_t loaded = VRegisters * job.layout.lanes;
  const std::int64_t sizeP = job.volume.size[job.p];
  const std::int64_t sizeQ = job.volume.size[job.q];
  const SlabPlaces   places = FindPlaces(packet, slab);

  // Voxel index - loadedP is the lane of the voxel in the register; masks take out those that are not in the volume.
  const std::int64_t last = std::max<std::int64_t>(sizeP - loaded, 0);
  const std::int64_t loadedP = std::min(std::max<std::int64_t>(places.baseP, 0), last);
  const VI           index = hn::ConvertTo(di, places.p);
  const V            u = hn::Sub(places.p, hn::ConvertTo(d, index));
  const VI           leftVoxel = hn::Add(index, hn::Set(di, static_cast<int>(places.baseP)));
  const VI           rightVoxel = hn::Add(leftVoxel, oneI);
  const VI           none = hn::Set(di, -1);
  const VI           end = hn::Set(di, static_cast<int>(sizeP));
  const auto         hasLeft = hn::RebindMask(d, hn::And(hn::Gt(leftVoxel, none), hn::Lt(leftVoxel, end)));
  const auto         hasRight = hn::RebindMask(d, hn::And(hn::Gt(rightVoxel, none), hn::Lt(rightVoxel, end)));
  const VI           lane = hn::Sub(leftVoxel, hn::Set(di, static_cast<int>(loadedP)));
  const VI           inWindow = hn::Set(di, static_cast<int>(loaded - 1));
  const auto         left = Window<VRegisters>::Choose(hn::And(lane, inWindow));
  const auto         right = Window<VRegisters>::Choose(hn::And(hn::Add(lane, oneI), inWindow));

  const std::int64_t firstRow = std::max<std::int64_t>(places.baseQ, 0);
  const auto         highRow = static_cast<std::int64_t>(std::floor(packet.highQ.At(static_cast<double>(slab))));
  const std::int64_t lastRow = std::min(highRow + 1, sizeQ - 1);
  const float *      values = job.volume.values + slab * job.volume.stride[job.m] + loadedP;
  V                  sample = zero;
  for (std::int64_t j = firstRow; j <= lastRow; ++j)
  {
    const auto voxels = LoadRow<VRegisters>(values + j * job.volume.stride[job.q], sizeP);
    const V    a = hn::IfThenElseZero(hasLeft, voxels.Pick(left));
    const V    b = hn::IfThenElseZero(hasRight, voxels.Pick(right));
    const V    distance = hn::Sub(places.q, hn::Set(d, static_cast<float>(j - places.baseQ)));
    const V    tent = hn::Max(zero, hn::Sub(one, hn::Abs(distance)));
    sample = hn::MulAdd(hn::MulAdd(u, hn::Sub(b, a), a), tent, sample);
  }
  return sample;
}

/** The rays' samples in one slab, each ray's four voxels read on their own: for rays that are far apart. */
HWY_NOINLINE V
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
  V rows[2];
  for (int b = 0; b < 2; ++b)
  {
    const V left = hn::Load(d, corner[b][0]);
    rows[b] = hn::MulAdd(u, hn::Sub(hn::Load(d, corner[b][1]), left), left);
  }
  return hn::MulAdd(rows[1], v, hn::Mul(rows[0], hn::Sub(hn::Set(d, 1.0F), v)));
}

/** The rays' samples in the slabs [begin, end) of a block, added up. */
template <int VRegisters>
HWY_INLINE V
SumSlabs(const PacketJob & job, const Packet & packet, std::int64_t begin, std::int64_t end)
{
  const std::int64_t innerBegin = std::min(std::max(begin, packet.innerBegin), end);
  const std::int64_t innerEnd = std::max(std::min(end, packet.innerEnd), innerBegin);
  V                  sum = hn::Zero(Floats());
  for (std::int64_t slab = begin; slab < innerBegin; ++slab)
  {
    sum = hn::Add(sum, SampleBorder<VRegisters>(job, packet, slab));
  }
  if (innerBegin < innerEnd)
  {
    sum = hn::Add(sum, SumInnerSlabs<VRegisters>(job, packet, innerBegin, innerEnd));
  }
  for (std::int64_t slab = innerEnd; slab < end; ++slab)
  {
    sum = hn::Add(sum, SampleBorder<VRegisters>(job, packet, slab));
  }
  return sum;
}

HWY_INLINE V
SumSlabsLaneByLane(const PacketJob & job, const Packet & packet, std::int64_t begin, std::int64_t end)
{
  V sum = hn::Zero(Floats());
  for (std::int64_t slab = begin; slab < end; ++slab)
  {
    sum = hn::Add(sum, SampleLaneByLane(job, packet, slab));
  }
  return sum;
}

/** Takes a packet through the slabs [begin, end) of one block. */
HWY_INLINE void
AddSlabs(const PacketJob & job, std::int64_t begin, std::int64_t end, Packet & packet)
{
  const Floats      d;
  const HalfFloats  dh;
  const Doubles     dd;
  const V           sum = packet.registers == 1   ? SumSlabs<1>(job, packet, begin, end)
                          : packet.registers == 2 ? SumSlabs<2>(job, packet, begin, end)
                                                  : SumSlabsLaneByLane(job, packet, begin, end);
  alignas(64) float block[MostLanes];
  hn::Store(sum, d, block);
  for (int lane = 0; lane < job.layout.lanes; lane += static_cast<int>(hn::Lanes(dd)))
  {
    const VD total = hn::Load(dd, packet.sum + lane);
    hn::Store(hn::Add(total, hn::PromoteTo(dd, hn::Load(dh, block + lane))), dd, packet.sum + lane);
  }
}

// ---------------------------------------------------------------------------------------------- tiles

/** Block by block of slabs, each with all packets. */
HWY_NOINLINE void
March(const PacketJob & job, Packet * packets, int count)
{
  std::int64_t begin = job.volume.size[job.m];
  std::int64_t end = 0;
  for (int i = 0; i < count; ++i)
  {
    begin = std::min(begin, packets[i].begin);
    end = std::max(end, packets[i].end);
  }
  // Blocks are anchored at slab 0, so that a ray's sum does not depend on its neighbours.
  for (std::int64_t block = begin / job.slabBlock * job.slabBlock; block < end; block += job.slabBlock)
  {
    for (int i = 0; i < count; ++i)
    {
      const std::int64_t first = std::max(block, packets[i].begin);
      const std::int64_t last = std::min(block + job.slabBlock, packets[i].end);
      if (first < last)
      {
        AddSlabs(job, first, last, packets[i]);
      }
    }
  }
}

HWY_INLINE void
Finish(const PacketJob & job, Packet * packets, int count)
{
  March(job, packets, count);
  for (int i = 0; i < count; ++i)
  {
    StoreDepths(job, packets[i]);
  }
}

/** \return rays with an end inside the volume. */
std::int64_t
ProjectTile(const PacketJob & job, const PixelTiles::Tile & tile)
{
  const std::int64_t width = job.layout.width;
  const std::int64_t height = job.layout.GetHeight();
  Packet             packets[MostPackets];
  int                count = 0;
  std::int64_t       endsInside = 0;
  for (std::int64_t across = tile.rowBegin / height * height; across < tile.rowEnd; across += height)
  {
    for (std::int64_t along = tile.columnBegin / width * width; along < tile.columnEnd; along += width)
    {
      const std::int64_t inside = MakePacket(job, tile, along, across, packets[count]);
      if (inside >= 0)
      {
        endsInside += inside;
        count += 1;
      }
      if (count == MostPackets)
      {
        Finish(job, packets, count);
        count = 0;
      }
    }
  }
  Finish(job, packets, count);
  return endsInside;
}

} // namespace HWY_NAMESPACE
} // namespace radiography::compute
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace radiography::compute
{

namespace
{

HWY_EXPORT(GetLaneCount);
HWY_EXPORT(ProjectTile);

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

} // namespace

bool
HasJosephPackets()
{
  return HWY_DYNAMIC_DISPATCH(GetLaneCount)() > 1;
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
  const int                m = plan.mainAxis;
  const int                p = FindLateralContiguousAxis(volume, m);
  const int                lanes = HWY_DYNAMIC_DISPATCH(GetLaneCount)();
  const JosephPacketLayout layout = MakeJosephPacketLayout(volume, view, m, p, lanes, policy);
  const bool               all = AllCrossAllSlabs(view, m, volume.size[m]);
  PacketJob                job{ volume, view, plan, layout, output, m, p, 3 - m - p, policy.slabBlock, all, {} };
  for (std::int64_t along = 0; along < layout.countAlong; ++along)
  {
    job.shifts.push_back(layout.GetShift(along));
  }

  const PixelTiles tiles =
    MakeJosephPacketTiles(layout, output.firstColumn, output.firstRow, output.columns, output.rows, policy);
  std::atomic<std::int64_t> raysWithEndInside{ 0 };
  parallelFor(tiles.GetCount(), [&](std::int64_t item) {
    raysWithEndInside += HWY_DYNAMIC_DISPATCH(ProjectTile)(job, tiles.GetTile(item));
  });
  return { "joseph, " + GetInstructionSet().name + " " + std::to_string(layout.width) + "x" +
             std::to_string(layout.GetHeight()) + " packets, binary32",
           raysWithEndInside };
}

} // namespace radiography::compute

#endif
