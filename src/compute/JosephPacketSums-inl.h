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
#if defined(radiography_compute_JosephPacketSums_inl_h) == defined(HWY_TARGET_TOGGLE)
#  ifdef radiography_compute_JosephPacketSums_inl_h
#    undef radiography_compute_JosephPacketSums_inl_h
#  else
#    define radiography_compute_JosephPacketSums_inl_h
#  endif

#  include "compute/JosephPacket.h"
#  include "compute/JosephPackets-inl.h"

// What packets of Joseph's and of CellGauss add up along their rays, and how depths and gradients come from it.
HWY_BEFORE_NAMESPACE();
namespace radiography::compute::joseph
{
namespace HWY_NAMESPACE
{

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

HWY_NOINLINE inline void
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

} // namespace HWY_NAMESPACE
} // namespace radiography::compute::joseph
HWY_AFTER_NAMESPACE();

#endif
