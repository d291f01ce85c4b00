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
#include "compute/SurvivalPackets.h"
#include "compute/HighwayTargets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/SurvivalPackets.cxx"
#include "hwy/foreach_target.h"

#include "hwy/highway.h"

#include "compute/ExponentialPacket-inl.h"

#include <algorithm>

HWY_BEFORE_NAMESPACE();
namespace radiography::compute
{
namespace HWY_NAMESPACE
{

using Doubles = hn::ScalableTag<double>;
using Floats = hn::Rebind<float, Doubles>;

HWY_INLINE hn::Vec<Doubles>
           SurvivalOfPacket(const float * depths)
{
  const Doubles    d;
  hn::Vec<Doubles> scale;
  hn::Vec<Doubles> rest;
  SplitExponential(d, hn::PromoteTo(d, hn::LoadU(Floats(), depths)), scale, rest);
  return SurvivalOf(scale, rest);
}

void
EvaluateSurvivalTarget(const float * depths, double * transmissions, std::int64_t length)
{
  const Doubles      d;
  const auto         packet = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t whole = length - length % packet;
  for (std::int64_t i = 0; i < whole; i += packet)
  {
    hn::StoreU(SurvivalOfPacket(depths + i), d, transmissions + i);
  }
  if (whole < length)
  {
    HWY_ALIGN float  lastDepths[hn::MaxLanes(Floats())] = {};
    HWY_ALIGN double last[hn::MaxLanes(Doubles())];
    std::copy(depths + whole, depths + length, lastDepths);
    hn::StoreU(SurvivalOfPacket(lastDepths), d, last);
    std::copy_n(last, length - whole, transmissions + whole);
  }
}

} // namespace HWY_NAMESPACE
} // namespace radiography::compute
HWY_AFTER_NAMESPACE();

#if HWY_ONCE

namespace radiography::compute
{
namespace
{

HWY_EXPORT(EvaluateSurvivalTarget);

} // namespace

void
EvaluateSurvivalPackets(const float * depths, double * transmissions, std::int64_t length)
{
  HWY_DYNAMIC_DISPATCH(EvaluateSurvivalTarget)(depths, transmissions, length);
}

} // namespace radiography::compute

#endif
