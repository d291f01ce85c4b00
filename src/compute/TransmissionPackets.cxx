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
#include "compute/TransmissionPackets.h"
#include "compute/HighwayTargets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/TransmissionPackets.cxx"
#include "hwy/foreach_target.h"

#include "hwy/cache_control.h"
#include "hwy/highway.h"

#include "compute/ExponentialPacket-inl.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace radiography::compute
{
namespace HWY_NAMESPACE
{

/** What a kernel does: one is compiled for each combination, so that no output pays for another. */
enum Part : unsigned int
{
  WithTransmission = 1,
  WithCounts = 2,
  WithLogTransmission = 4,
  WithRemoved = 8,
  WithOpenBeamPixels = 16,
  Streaming = 32,
  NumberOfKernels = 64
};

constexpr bool
Has(unsigned int kernel, unsigned int parts)
{
  return (kernel & parts) != 0;
}

// A packet is as many pixels as one vector of binary64 holds.
using Doubles = hn::ScalableTag<double>;
using Floats = hn::Rebind<float, Doubles>;

std::int64_t
PacketLength()
{
  return static_cast<std::int64_t>(hn::Lanes(Floats()));
}

/** To an address that is a multiple of the packet if it streams, to any otherwise. */
template <unsigned int VKernel, class V>
HWY_INLINE void
Store(V packet, float * to)
{
  if constexpr (Has(VKernel, Streaming))
  {
    hn::Stream(packet, Floats(), to);
  }
  else
  {
    hn::StoreU(packet, Floats(), to);
  }
}

template <unsigned int VKernel>
HWY_INLINE hn::Vec<Doubles>
           OpenBeamAt(const TransmissionRow & row, std::int64_t i, double openBeamNumber)
{
  if constexpr (Has(VKernel, WithOpenBeamPixels))
  {
    return hn::PromoteTo(Doubles(), hn::LoadU(Floats(), row.openBeam + i));
  }
  else
  {
    return hn::Set(Doubles(), openBeamNumber);
  }
}

/** Every output rounded once. */
template <unsigned int VKernel>
HWY_INLINE void
EvaluatePacket(const TransmissionRow & row, std::int64_t i, double openBeamNumber)
{
  const Floats  f;
  const Doubles d;
  const auto    depth = hn::LoadU(f, row.depth + i);
  if constexpr (Has(VKernel, WithLogTransmission))
  {
    Store<VKernel>(hn::Neg(depth), row.logTransmission + i);
  }
  if constexpr (Has(VKernel, WithTransmission | WithCounts | WithRemoved))
  {
    hn::Vec<Doubles> scale;
    hn::Vec<Doubles> rest;
    SplitExponential(d, hn::PromoteTo(d, depth), scale, rest);
    const auto transmission = SurvivalOf(scale, rest);
    if constexpr (Has(VKernel, WithTransmission))
    {
      Store<VKernel>(RoundToBinary32(d, transmission), row.transmission + i);
    }
    if constexpr (Has(VKernel, WithCounts))
    {
      const auto openBeam = OpenBeamAt<VKernel>(row, i, openBeamNumber);
      // + 0: zero counts are +0 where n0 is -0 as well.
      Store<VKernel>(RoundToBinary32(d, hn::MulAdd(openBeam, transmission, hn::Zero(d))), row.counts + i);
    }
    if constexpr (Has(VKernel, WithRemoved))
    {
      Store<VKernel>(RoundToBinary32(d, RemovedOf(d, scale, rest)), row.removed + i);
    }
  }
}

void
CopyPart(float * to, const float * from, std::int64_t count)
{
  if (to && from)
  {
    std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float));
  }
}

/** The pixels [begin, begin + count), fewer than a packet. */
template <unsigned int VKernel>
void
EvaluatePart(const TransmissionRow & row, std::int64_t begin, std::int64_t count, double openBeamNumber)
{
  constexpr std::size_t MaxLength = hn::MaxLanes(Floats());
  HWY_ALIGN float       buffer[6][MaxLength] = {};
  const TransmissionRow part{ buffer[0], buffer[1], buffer[2], buffer[3], buffer[4], buffer[5] };
  const auto            at = [begin](auto * first) { return first ? first + begin : first; };
  CopyPart(buffer[0], at(row.depth), count);
  CopyPart(buffer[1], at(row.openBeam), count);
  EvaluatePacket<VKernel>(part, 0, openBeamNumber);
  CopyPart(at(row.transmission), buffer[2], count);
  CopyPart(at(row.counts), buffer[3], count);
  CopyPart(at(row.logTransmission), buffer[4], count);
  CopyPart(at(row.removed), buffer[5], count);
}

/** `head` pixels come before the first whole packet. */
template <unsigned int VKernel>
void
EvaluateRow(const TransmissionRow & row, std::int64_t head, std::int64_t length, double openBeamNumber)
{
  constexpr unsigned int Stored = VKernel & ~static_cast<unsigned int>(Streaming);
  const std::int64_t     packet = PacketLength();
  if (head > 0)
  {
    EvaluatePart<Stored>(row, 0, head, openBeamNumber);
  }
  std::int64_t i = head;
  for (; i + packet <= length; i += packet)
  {
    EvaluatePacket<VKernel>(row, i, openBeamNumber);
  }
  if (i < length)
  {
    EvaluatePart<Stored>(row, i, length - i, openBeamNumber);
  }
  if constexpr (Has(VKernel, Streaming))
  {
    // Streamed values are seen by other threads only after it.
    hwy::FlushStream();
  }
}

using RowKernel = void (*)(const TransmissionRow &, std::int64_t, std::int64_t, double);

template <std::size_t... VKernels>
constexpr std::array<RowKernel, sizeof...(VKernels)>
MakeRowKernels(std::index_sequence<VKernels...>)
{
  return { { &EvaluateRow<static_cast<unsigned int>(VKernels)>... } };
}

constexpr auto RowKernels = MakeRowKernels(std::make_index_sequence<NumberOfKernels>());

/** Pixels before the first address that is a multiple of the packet; -1 where the row cannot be streamed: outputs
 * differ in that, a row is shorter, or a packet is less than the 16 bytes that are streamed at once. */
std::int64_t
CountHead(const TransmissionRow & row, std::int64_t length)
{
  const auto    packetBytes = static_cast<std::uintptr_t>(PacketLength()) * sizeof(float);
  std::int64_t  head = -1;
  const float * outputs[] = { row.transmission, row.counts, row.logTransmission, row.removed };
  for (const float * const output : outputs)
  {
    if (output)
    {
      const std::uintptr_t past = reinterpret_cast<std::uintptr_t>(output) % packetBytes;
      const auto           own = static_cast<std::int64_t>((packetBytes - past) % packetBytes / sizeof(float));
      if (head >= 0 && own != head)
      {
        return -1;
      }
      head = own;
    }
  }
  return head < length && packetBytes >= 16 ? head : -1;
}

void
EvaluateTransmissionTarget(const TransmissionRow & row, double openBeamNumber, std::int64_t length, bool stream)
{
  const std::int64_t head = stream ? CountHead(row, length) : -1;
  const auto         kernel = (row.transmission ? WithTransmission : 0U) | (row.counts ? WithCounts : 0U) |
                      (row.logTransmission ? WithLogTransmission : 0U) | (row.removed ? WithRemoved : 0U) |
                      (row.openBeam ? WithOpenBeamPixels : 0U) | (head >= 0 ? Streaming : 0U);
  RowKernels[kernel](row, std::max<std::int64_t>(head, 0), length, openBeamNumber);
}

/** Whether bits are those of a finite number that is not negative, or of -0. */
bool
IsValid(float value)
{
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits <= 0x7f7fffffU || bits == 0x80000000U;
}

std::int64_t
CountValidTarget(const float * values, std::int64_t length)
{
  const hn::ScalableTag<std::uint32_t> d;
  const auto                           largest = hn::Set(d, 0x7f7fffffU);
  const auto                           minusZero = hn::Set(d, 0x80000000U);
  const auto                           packet = static_cast<std::int64_t>(hn::Lanes(d));
  std::int64_t                         i = 0;
  for (; i + packet <= length; i += packet)
  {
    const auto bits = hn::BitCast(d, hn::LoadU(hn::ScalableTag<float>(), values + i));
    if (!hn::AllFalse(d, hn::AndNot(hn::Eq(bits, minusZero), hn::Gt(bits, largest))))
    {
      break;
    }
  }
  return std::find_if_not(values + i, values + length, IsValid) - values;
}

} // namespace HWY_NAMESPACE
} // namespace radiography::compute
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace radiography::compute
{
namespace
{

HWY_EXPORT(EvaluateTransmissionTarget);
HWY_EXPORT(CountValidTarget);

} // namespace

void
EvaluateTransmissionPackets(const TransmissionRow & row, double openBeamNumber, std::int64_t length, bool stream)
{
  HWY_DYNAMIC_DISPATCH(EvaluateTransmissionTarget)(row, openBeamNumber, length, stream);
}

std::int64_t
CountValidPackets(const float * values, std::int64_t length)
{
  return HWY_DYNAMIC_DISPATCH(CountValidTarget)(values, length);
}

} // namespace radiography::compute

#endif
