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
#include "compute/PoissonPackets.h"
#include "compute/HighwayTargets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/PoissonPackets.cxx"
#include "hwy/foreach_target.h"

#include "hwy/highway.h"

#include "hwy/contrib/math/math-inl.h"

#include "compute/ExponentialPacket-inl.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace radiography::compute
{
namespace HWY_NAMESPACE
{

using Doubles = hn::ScalableTag<double>;
using Packet = hn::Vec<Doubles>;
using PacketMask = hn::Mask<Doubles>;

/** Beyond these a mean or an exponential leaves the range where formulas hold as they stand. */
constexpr double LargestDepth = 700.0;
constexpr double LeastMean = 1e-280;

/** The columns of a stretch from pixel i on; those behind its last pixel are copied to a buffer, filled up with pixels
 * that are not compared. */
class StretchPackets
{
public:
  explicit StretchPackets(const PoissonStretch & stretch)
    : m_Stretch(stretch)
    , m_Packet(static_cast<std::int64_t>(hn::Lanes(Doubles())))
    , m_Whole(stretch.length - stretch.length % m_Packet)
  {
    m_Last = stretch;
    m_Last.length = stretch.length - m_Whole;
    m_Last.depths = this->Fill(0, stretch.depths, 0.0);
    m_Last.observed = this->Fill(1, stretch.observed, 1.0);
    m_Last.openBeam = this->Fill(2, stretch.openBeam, 1.0);
    m_Last.background = this->Fill(3, stretch.background, 1.0);
    m_Last.inside = this->Fill(4, stretch.inside, 0.0);
    m_Last.rightWeights = stretch.rightWeights != nullptr ? this->Fill(5, stretch.rightWeights, 0.0) : nullptr;
  }

  /** visit(stretch, i, count): `count` pixels from i on, of a stretch that may be read for a whole packet. */
  template <typename TVisit>
  HWY_INLINE void
  ForEach(const TVisit & visit) const
  {
    for (std::int64_t i = 0; i < m_Whole; i += m_Packet)
    {
      visit(m_Stretch, i, i, m_Packet);
    }
    if (m_Whole < m_Stretch.length)
    {
      visit(m_Last, 0, m_Whole, m_Last.length);
    }
  }

private:
  const double *
  Fill(std::size_t which, const double * values, double filling)
  {
    double * const buffer = m_Buffers[which];
    std::fill_n(buffer, m_Packet, filling);
    std::copy(values + m_Whole, values + m_Stretch.length, buffer);
    return buffer;
  }

  const PoissonStretch & m_Stretch;
  std::int64_t           m_Packet;
  std::int64_t           m_Whole;
  PoissonStretch         m_Last;
  HWY_ALIGN double       m_Buffers[6][hn::MaxLanes(Doubles())];
};

/** What all formulas begin with. */
struct PacketMeans
{
  Packet     depth;
  Packet     observed;
  Packet     right;
  Packet     primary;
  Packet     extra;
  Packet     mean;
  PacketMask isInside;
  bool       isOrdinary;
};

HWY_INLINE PacketMeans
FindMeans(const PoissonStretch & stretch, std::int64_t i)
{
  const Doubles d;
  PacketMeans   pixels;
  pixels.depth = hn::LoadU(d, stretch.depths + i);
  pixels.observed = hn::LoadU(d, stretch.observed + i);
  pixels.isInside = hn::Ne(hn::LoadU(d, stretch.inside + i), hn::Zero(d));
  pixels.right = stretch.rightWeights != nullptr ? hn::LoadU(d, stretch.rightWeights + i) : hn::Zero(d);
  const Packet scaled = hn::Mul(hn::Set(d, stretch.attenuation), pixels.depth);
  Packet       scale;
  Packet       rest;
  SplitExponential(d, scaled, scale, rest);
  const Packet openBeam = hn::LoadU(d, stretch.openBeam + i);
  pixels.primary = hn::Mul(hn::Set(d, stretch.exposure), hn::Mul(openBeam, SurvivalOf(scale, rest)));
  const Packet estimated = hn::MulAdd(pixels.right, hn::Set(d, stretch.right - stretch.left), hn::Set(d, stretch.left));
  pixels.extra = hn::Add(hn::LoadU(d, stretch.background + i), estimated);
  pixels.mean = hn::Add(pixels.primary, pixels.extra);
  const PacketMask isOrdinary =
    hn::And(hn::Le(hn::Abs(scaled), hn::Set(d, LargestDepth)), hn::Ge(pixels.mean, hn::Set(d, LeastMean)));
  pixels.isOrdinary = hn::AllTrue(d, hn::Or(isOrdinary, hn::Not(pixels.isInside)));
  return pixels;
}

/** (atanh(v) - v) / v from w = v^2 <= 1/9; see kernel::AtanhRemainder. */
HWY_INLINE Packet
AtanhRemainder(Packet w)
{
  const Doubles d;
  Packet        sum = hn::Zero(d);
  for (int j = 17; j >= 1; --j)
  {
    sum = hn::Mul(hn::Add(sum, hn::Set(d, 1.0 / (2 * j + 1))), w);
  }
  return sum;
}

/** kernel::PoissonHalfDeviance(observed, mean). */
HWY_INLINE Packet
HalfDeviance(const PacketMeans & pixels)
{
  const Doubles d;
  const Packet  difference = hn::Sub(pixels.observed, pixels.mean);
  const Packet  v = hn::Div(difference, hn::Add(pixels.observed, pixels.mean));
  const Packet  series = hn::Mul(hn::Mul(hn::Add(pixels.observed, pixels.observed), v), AtanhRemainder(hn::Mul(v, v)));
  const Packet  near = hn::MulAdd(difference, v, series);
  const auto    isNear = hn::Le(hn::Abs(v), hn::Set(d, 1.0 / 3.0));
  if (hn::AllTrue(d, hn::Or(isNear, hn::Not(pixels.isInside))))
  {
    return near;
  }
  const auto   isZero = hn::Eq(pixels.observed, hn::Zero(d));
  const Packet ratio = hn::Div(hn::IfThenElse(isZero, pixels.mean, pixels.observed), pixels.mean);
  const Packet far = hn::MulSub(pixels.observed, hn::Log(d, ratio), difference);
  return hn::IfThenElse(isNear, near, far);
}

/** One register for each member of PoissonStretchSums. */
struct PacketSums
{
  Packet value;
  Packet e;
  Packet a;
  Packet s[2];
  Packet ee;
  Packet ea;
  Packet aa;
  Packet es[2];
  Packet as[2];
  Packet ss[3];
};

HWY_INLINE PacketSums
ZeroSums()
{
  const Packet zero = hn::Zero(Doubles());
  return { zero, zero, zero, { zero, zero }, zero, zero, zero, { zero, zero }, { zero, zero }, { zero, zero, zero } };
}

template <bool TFisher>
HWY_INLINE void
AddDerivatives(const PacketMeans & pixels, PacketSums & sums)
{
  const Doubles d;
  const auto    only = [&pixels](Packet value) { return hn::IfThenElseZero(pixels.isInside, value); };
  const Packet  inverse = hn::Div(hn::Set(d, 1.0), pixels.mean);
  const Packet  share = hn::Mul(pixels.primary, inverse);
  const Packet  difference = hn::Sub(pixels.mean, pixels.observed);
  const Packet  first = only(hn::Mul(share, difference));
  const Packet  counts = only(hn::Mul(difference, inverse));
  Packet        both;
  Packet        mixed;
  Packet        twice;
  if (TFisher)
  {
    both = only(hn::Mul(pixels.primary, share));
    mixed = only(share);
    twice = only(inverse);
  }
  else
  {
    const Packet ratio = hn::Mul(pixels.observed, inverse);
    const Packet curved = hn::NegMulAdd(ratio, hn::Mul(pixels.extra, inverse), hn::Set(d, 1.0));
    both = only(hn::Mul(pixels.primary, curved));
    twice = only(hn::Mul(ratio, inverse));
    mixed = hn::Mul(pixels.primary, twice);
  }
  const Packet right = pixels.right;
  const Packet left = hn::Sub(hn::Set(d, 1.0), right);
  const Packet depthBoth = hn::Mul(pixels.depth, both);
  const Packet depthMixed = hn::Mul(pixels.depth, mixed);
  const Packet rightTwice = hn::Mul(right, twice);
  sums.e = hn::Add(sums.e, first);
  sums.a = hn::NegMulAdd(pixels.depth, first, sums.a);
  sums.ee = hn::Add(sums.ee, both);
  sums.ea = hn::Sub(sums.ea, depthBoth);
  sums.aa = hn::MulAdd(pixels.depth, depthBoth, sums.aa);
  sums.s[0] = hn::MulAdd(left, counts, sums.s[0]);
  sums.s[1] = hn::MulAdd(right, counts, sums.s[1]);
  sums.es[0] = hn::MulAdd(left, mixed, sums.es[0]);
  sums.es[1] = hn::MulAdd(right, mixed, sums.es[1]);
  sums.as[0] = hn::NegMulAdd(left, depthMixed, sums.as[0]);
  sums.as[1] = hn::NegMulAdd(right, depthMixed, sums.as[1]);
  sums.ss[0] = hn::MulAdd(hn::Mul(left, left), twice, sums.ss[0]);
  sums.ss[1] = hn::MulAdd(left, rightTwice, sums.ss[1]);
  sums.ss[2] = hn::MulAdd(right, rightTwice, sums.ss[2]);
}

HWY_INLINE void
AddTo(double & sum, Packet lanes)
{
  sum += hn::GetLane(hn::SumOfLanes(Doubles(), lanes));
}

HWY_INLINE void
AddTo(PoissonStretchSums & sums, const PacketSums & packet)
{
  AddTo(sums.value, packet.value);
  AddTo(sums.e, packet.e);
  AddTo(sums.a, packet.a);
  AddTo(sums.ee, packet.ee);
  AddTo(sums.ea, packet.ea);
  AddTo(sums.aa, packet.aa);
  for (int i = 0; i < 2; ++i)
  {
    AddTo(sums.s[i], packet.s[i]);
    AddTo(sums.es[i], packet.es[i]);
    AddTo(sums.as[i], packet.as[i]);
  }
  for (int i = 0; i < 3; ++i)
  {
    AddTo(sums.ss[i], packet.ss[i]);
  }
}

template <PoissonDerivatives TDerivatives>
HWY_INLINE PoissonStretchSums
SumPackets(const PoissonStretch & given)
{
  PoissonStretchSums sums; // of packets that are left to the reference
  PacketSums         packets = ZeroSums();
  StretchPackets(given).ForEach([&](const PoissonStretch & stretch, std::int64_t i, std::int64_t, std::int64_t count) {
    const PacketMeans pixels = FindMeans(stretch, i);
    if (!pixels.isOrdinary)
    {
      for (std::int64_t pixel = i; pixel < i + count; ++pixel)
      {
        AddPoissonPixel(stretch, pixel, TDerivatives, sums);
      }
      return;
    }
    packets.value = hn::Add(packets.value, hn::IfThenElseZero(pixels.isInside, HalfDeviance(pixels)));
    if (TDerivatives != PoissonDerivatives::None)
    {
      AddDerivatives<TDerivatives == PoissonDerivatives::Fisher>(pixels, packets);
    }
  });
  AddTo(sums, packets);
  return sums;
}

PoissonStretchSums
SumPoissonTarget(const PoissonStretch & stretch, PoissonDerivatives derivatives)
{
  switch (derivatives)
  {
    case PoissonDerivatives::None:
      return SumPackets<PoissonDerivatives::None>(stretch);
    case PoissonDerivatives::Observed:
      return SumPackets<PoissonDerivatives::Observed>(stretch);
    case PoissonDerivatives::Fisher:
      return SumPackets<PoissonDerivatives::Fisher>(stretch);
  }
  return {};
}

HWY_INLINE void
Put(double * to, std::int64_t count, Packet values)
{
  const Doubles d;
  if (to == nullptr)
  {
    return;
  }
  if (count == static_cast<std::int64_t>(hn::Lanes(d)))
  {
    hn::StoreU(values, d, to);
    return;
  }
  HWY_ALIGN double last[hn::MaxLanes(Doubles())];
  hn::StoreU(values, d, last);
  std::copy_n(last, count, to);
}

void
StorePoissonTarget(const PoissonStretch & given, const PoissonPixelTerms & terms)
{
  const Doubles d;
  const Packet  a = hn::Set(d, given.attenuation);
  StretchPackets(given).ForEach(
    [&](const PoissonStretch & stretch, std::int64_t i, std::int64_t place, std::int64_t count) {
      const PacketMeans       pixels = FindMeans(stretch, i);
      const PoissonPixelTerms here = terms.From(place);
      if (!pixels.isOrdinary)
      {
        for (std::int64_t pixel = 0; pixel < count; ++pixel)
        {
          StorePoissonPixel(given, place + pixel, terms);
        }
        return;
      }
      const auto   only = [&pixels](Packet value) { return hn::IfThenElseZero(pixels.isInside, value); };
      const Packet share = only(hn::Div(pixels.primary, pixels.mean));
      const Packet aShare = hn::Mul(a, share);
      const Packet aInformation = hn::Mul(aShare, pixels.primary);
      Put(here.scores, count, only(hn::Mul(aShare, hn::Sub(pixels.observed, pixels.mean))));
      Put(here.weights, count, hn::Mul(a, aInformation));
      Put(here.exposure, count, hn::Neg(aInformation));
      Put(here.attenuation, count, hn::Mul(pixels.depth, aInformation));
      Put(here.scatter, count, hn::Neg(aShare));
      Put(here.primary, count, only(pixels.primary));
      Put(here.mean, count, only(pixels.mean));
    });
}

} // namespace HWY_NAMESPACE
} // namespace radiography::compute
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace radiography::compute
{
namespace
{

HWY_EXPORT(SumPoissonTarget);
HWY_EXPORT(StorePoissonTarget);

} // namespace

PoissonStretchSums
SumPoissonPackets(const PoissonStretch & stretch, PoissonDerivatives derivatives)
{
  return HWY_DYNAMIC_DISPATCH(SumPoissonTarget)(stretch, derivatives);
}

void
StorePoissonPackets(const PoissonStretch & stretch, const PoissonPixelTerms & terms)
{
  HWY_DYNAMIC_DISPATCH(StorePoissonTarget)(stretch, terms);
}

} // namespace radiography::compute

#endif
