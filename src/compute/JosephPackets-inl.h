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

// Of each instruction set its own: included once per pass of hwy/foreach_target.h, hence the toggle for a guard.
#if defined(radiography_compute_JosephPackets_inl_h) == defined(HWY_TARGET_TOGGLE)
#  ifdef radiography_compute_JosephPackets_inl_h
#    undef radiography_compute_JosephPackets_inl_h
#  else
#    define radiography_compute_JosephPackets_inl_h
#  endif

#  include "compute/JosephPacket.h"

#  include "hwy/cache_control.h"
#  include "hwy/highway.h"

#  include <algorithm>
#  include <cstring>

// What forward projection, derivatives and back projection in packets have in common: how packets are made, how they
// read rows of voxels, and in what order they go through a tile's slabs.
HWY_BEFORE_NAMESPACE();
namespace radiography::compute::joseph
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
HWY_NOINLINE inline void
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

// ---------------------------------------------------------------------------------------------- rows of voxels

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

#  if HWY_TARGET == HWY_AVX3
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
#  else
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
#  endif

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
HWY_NOINLINE inline void
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


/** Where the rays of a packet are in a slab near the volume's border: what is outside counts as 0. */
template <int VRegisters>
struct BorderPlaces
{
  using Choice = typename Window<VRegisters>::Choice;

  /** Each ray's place between its left and its right voxel, which voxels of a window these are, and whether they are in
   * the volume. */
  V                u;
  Choice           left;
  Choice           right;
  hn::Mask<Floats> hasLeft;
  hn::Mask<Floats> hasRight;
  /** Each ray's place along q, in rows from row baseQ. */
  V            q;
  std::int64_t baseQ;
  /** The rows of the volume, first to last, that the rays meet. */
  std::int64_t firstRow;
  std::int64_t lastRow;
  /** Values from the volume's first one to the first of the window of row 0. */
  std::int64_t offset;
};

template <int VRegisters>
HWY_INLINE BorderPlaces<VRegisters>
           FindBorderPlaces(const PacketJob & job, const Packet & packet, std::int64_t slab)
{
  const Floats       d;
  const Ints         di;
  const VI           one = hn::Set(di, 1);
  const std::int64_t loaded = VRegisters * job.layout.lanes;
  const std::int64_t sizeP = job.volume.size[job.p];
  const std::int64_t sizeQ = job.volume.size[job.q];
  const SlabPlaces   places = FindPlaces(packet, slab);

  // Voxel index - loadedP is the lane of the voxel in the register; masks take out those that are not in the volume.
  const std::int64_t       last = std::max<std::int64_t>(sizeP - loaded, 0);
  const std::int64_t       loadedP = std::min(std::max<std::int64_t>(places.baseP, 0), last);
  const VI                 index = hn::ConvertTo(di, places.p);
  const VI                 leftVoxel = hn::Add(index, hn::Set(di, static_cast<int>(places.baseP)));
  const VI                 rightVoxel = hn::Add(leftVoxel, one);
  const VI                 none = hn::Set(di, -1);
  const VI                 end = hn::Set(di, static_cast<int>(sizeP));
  const VI                 lane = hn::Sub(leftVoxel, hn::Set(di, static_cast<int>(loadedP)));
  const VI                 inWindow = hn::Set(di, static_cast<int>(loaded - 1));
  const auto               highRow = static_cast<std::int64_t>(std::floor(packet.highQ.At(static_cast<double>(slab))));
  BorderPlaces<VRegisters> border;
  border.u = hn::Sub(places.p, hn::ConvertTo(d, index));
  border.left = Window<VRegisters>::Choose(hn::And(lane, inWindow));
  border.right = Window<VRegisters>::Choose(hn::And(hn::Add(lane, one), inWindow));
  border.hasLeft = hn::RebindMask(d, hn::And(hn::Gt(leftVoxel, none), hn::Lt(leftVoxel, end)));
  border.hasRight = hn::RebindMask(d, hn::And(hn::Gt(rightVoxel, none), hn::Lt(rightVoxel, end)));
  border.q = places.q;
  border.baseQ = places.baseQ;
  border.firstRow = std::max<std::int64_t>(places.baseQ, 0);
  border.lastRow = std::min(highRow + 1, sizeQ - 1);
  border.offset = slab * job.volume.stride[job.m] + loadedP;
  return border;
}


// ---------------------------------------------------------------------------------------------- tiles

/** Takes the slabs [begin, end) of a packet in order: border(slab) for each one near the volume's border, inner(begin,
 * end) for those in which all rays have four voxels around. */
template <typename TBorder, typename TInner>
HWY_INLINE void
VisitSlabs(const Packet & packet, std::int64_t begin, std::int64_t end, const TBorder & border, const TInner & inner)
{
  const std::int64_t innerBegin = std::min(std::max(begin, packet.innerBegin), end);
  const std::int64_t innerEnd = std::max(std::min(end, packet.innerEnd), innerBegin);
  for (std::int64_t slab = begin; slab < innerBegin; ++slab)
  {
    border(slab);
  }
  if (innerBegin < innerEnd)
  {
    inner(innerBegin, innerEnd);
  }
  for (std::int64_t slab = innerEnd; slab < end; ++slab)
  {
    border(slab);
  }
}

/** Block by block of slabs, calls visitBlock(packet, begin, end) for each packet that has slabs [begin, end) there. */
template <typename TPacket, typename TVisitBlock>
HWY_INLINE void
March(const PacketJob & job, TPacket * packets, int count, const TVisitBlock & visitBlock)
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
        visitBlock(packets[i], first, last);
      }
    }
  }
}

/** Makes the packets of a tile, each by make(along, across, packet), which returns whether any of its rays is asked
 * for, and calls integrate(packets, count) for as many as are held at a time. \tparam TPacket a Packet and what more
 * there is of each. */
template <typename TPacket, typename TMake, typename TIntegrate>
HWY_INLINE void
MakePackets(const PacketJob & job, const PixelTiles::Tile & tile, const TMake & make, const TIntegrate & integrate)
{
  const std::int64_t width = job.layout.width;
  const std::int64_t height = job.layout.GetHeight();
  TPacket            packets[MostPackets];
  int                count = 0;
  for (std::int64_t across = tile.rowBegin / height * height; across < tile.rowEnd; across += height)
  {
    for (std::int64_t along = tile.columnBegin / width * width; along < tile.columnEnd; along += width)
    {
      count += make(along, across, packets[count]) ? 1 : 0;
      if (count == MostPackets)
      {
        integrate(packets, count);
        count = 0;
      }
    }
  }
  integrate(packets, count);
}

/** The same for packets of Joseph's rule. \return rays asked for that have an end inside the volume. */
template <typename TPacket, typename TIntegrate>
HWY_INLINE std::int64_t
           VisitPackets(const PacketJob & job, const PixelTiles::Tile & tile, const TIntegrate & integrate)
{
  std::int64_t endsInside = 0;
  MakePackets<TPacket>(
    job,
    tile,
    [&](std::int64_t along, std::int64_t across, Packet & packet) {
      const std::int64_t inside = MakePacket(job, tile, along, across, packet);
      endsInside += std::max<std::int64_t>(inside, 0);
      return inside >= 0;
    },
    integrate);
  return endsInside;
}

} // namespace HWY_NAMESPACE
} // namespace radiography::compute::joseph
HWY_AFTER_NAMESPACE();

#endif
