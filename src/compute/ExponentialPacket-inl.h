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
#if defined(radiography_compute_ExponentialPacket_inl_h) == defined(HWY_TARGET_TOGGLE)
#  ifdef radiography_compute_ExponentialPacket_inl_h
#    undef radiography_compute_ExponentialPacket_inl_h
#  else
#    define radiography_compute_ExponentialPacket_inl_h
#  endif

#  include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace radiography::compute
{
namespace HWY_NAMESPACE
{

namespace hn = hwy::HWY_NAMESPACE;

/** The nearest number of [-708, 708]. NaN stays: x86 takes the second operand of a minimum where one is NaN, and other
 * sets of instructions return NaN whichever it is. */
template <class D, class V>
HWY_INLINE V
Bounded(D d, V depth)
{
  const V least = hn::Set(d, -708.0);
  const V most = hn::Set(d, 708.0);
#  if HWY_TARGET == HWY_SCALAR
  // Its minimum drops NaN.
  return hn::IfThenElse(hn::Lt(depth, least), least, hn::IfThenElse(hn::Gt(depth, most), most, depth));
#  else
  return hn::Max(least, hn::Min(most, depth));
#  endif
}

/** exp(-depth) in binary64, as scale (1 + rest): scale is a power of two and rest = expm1(r) for the reduced argument
 * r, |r| <= ln 2 / 2. The two parts serve T and 1 - T alike (SurvivalOf, RemovedOf) for one evaluation.
 *
 * With -depth = k ln 2 + r (W. J. Cody, W. Waite, Software Manual for the Elementary Functions, 1980),
 * expm1(r) = r + r^2 q(r), where q of degree 8 is minimax by Remez's algorithm: its error relative to expm1(r) is at
 * most 2^-49.3. With u = 2^-53 the relative errors are
 * - of T: 2^-49.3 |rest| + 4 u, below 2^-49.5;
 * - of 1 - T: where k = 0 it is -rest itself, 2^-49.3 + 4 u, below 2^-48.7, however small the depth; elsewhere 1 - T is
 *   0.29 at least, T at most 0.71, and the error of T counts 2.5 times.
 * Half an ulp of binary32 is between 2^-25 and 2^-24 of a normal number and more of a subnormal one, so every output
 * is within 0.5 + 2^-23 ulp: it is rounded as the exact value is, unless that is as close as this to a tie.
 *
 * Depths beyond +-708 are evaluated as +-708, so that the power of two needs no second step: exp(-708) times the
 * largest counts and cotangents of binary32 is zero in binary32, and exp(708) infinite, as beyond.
 *
 * Highway's own Exp is as exact for 1.6 times the time, returns 0 for NaN, and leaves 1 - T to a second evaluation. */
template <class D, class V>
HWY_INLINE void
SplitExponential(D d, V depth, V & scale, V & rest)
{
  const hn::RebindToUnsigned<D> du;
  const V                       bounded = Bounded(d, depth);
  // Adding it rounds to an integer and leaves k plus the bias of an exponent in the lowest bits.
  const V shift = hn::Set(d, 0x1.8p52 + 1023.0);
  const V shifted = hn::MulAdd(bounded, hn::Set(d, -1.44269504088896340736), shift);
  scale = hn::BitCast(d, hn::ShiftLeft<52>(hn::BitCast(du, shifted)));
  const V k = hn::Sub(shifted, shift);
  // k times the first part of ln 2 is exact: the part has 41 bits.
  const V high = hn::MulAdd(k, hn::Set(d, 0x1.62e42fefa3800p-1), bounded);
  const V r = hn::NegMulSub(k, hn::Set(d, 0x1.ef35793c76730p-45), high);

  const V r2 = hn::Mul(r, r);
  const V r4 = hn::Mul(r2, r2);
  const V q01 = hn::MulAdd(hn::Set(d, 0x1.5555555552270p-3), r, hn::Set(d, 0x1.fffffffffffbfp-2));
  const V q23 = hn::MulAdd(hn::Set(d, 0x1.1111112131dbbp-7), r, hn::Set(d, 0x1.5555555564b32p-5));
  const V q45 = hn::MulAdd(hn::Set(d, 0x1.a0199c0ac12a8p-13), r, hn::Set(d, 0x1.6c16c135903f8p-10));
  const V q67 = hn::MulAdd(hn::Set(d, 0x1.72da337ce150fp-19), r, hn::Set(d, 0x1.a01a78f5db2bcp-16));
  const V q03 = hn::MulAdd(q23, r2, q01);
  const V q48 = hn::MulAdd(hn::MulAdd(hn::Set(d, 0x1.27dc620b33ecap-22), r2, q67), r2, q45);
  rest = hn::MulAdd(hn::MulAdd(q48, r4, q03), r2, r);
}

/** Rounded to the nearest binary32, beyond the largest to infinity, as in a cast. */
template <class D, class V>
HWY_INLINE hn::Vec<hn::Rebind<float, D>>
           RoundToBinary32(D, V value)
{
  const hn::Rebind<float, D> f;
#  if HWY_TARGET == HWY_SCALAR
  // Its DemoteTo() ends at the largest number.
  return hn::Set(f, static_cast<float>(hn::GetLane(value)));
#  else
  return hn::DemoteTo(f, value);
#  endif
}

/** T = scale (1 + rest). */
template <class V>
HWY_INLINE V
SurvivalOf(V scale, V rest)
{
  return hn::MulAdd(scale, rest, scale);
}

/** 1 - T = (1 - scale) - scale rest: where depth < ln 2 / 2, scale is 1, and nothing cancels. Zero removed is +0. */
template <class D, class V>
HWY_INLINE V
RemovedOf(D d, V scale, V rest)
{
  return hn::NegMulAdd(scale, rest, hn::Sub(hn::Set(d, 1.0), scale));
}

} // namespace HWY_NAMESPACE
} // namespace radiography::compute
HWY_AFTER_NAMESPACE();

#endif
