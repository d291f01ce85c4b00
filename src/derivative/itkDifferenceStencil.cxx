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
#include "derivative/itkDifferenceStencil.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace itk
{
namespace
{

constexpr double UnitRoundoff = std::numeric_limits<double>::epsilon() / 2;

double
Dot(const StencilMaker::VectorType & a, const StencilMaker::VectorType & b)
{
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/** Whether two displacements lie in one line, but for the rounding of this question. */
bool
Parallel(const Arm & first, const Arm & second)
{
  for (std::size_t i = 0; i < first.displacement.size(); ++i)
  {
    const double a = first.displacement[i] * second.step;
    const double b = second.displacement[i] * first.step;
    if (std::abs(a - b) > 8.0 * UnitRoundoff * std::abs(a))
    {
      return false;
    }
  }
  return true;
}

} // namespace

StencilMaker::StencilMaker(StorageEnum        storage,
                           const Interval &   domain,
                           const VectorType & anchor,
                           const VectorType & direction)
  : m_Storage(storage)
  , m_Domain(domain)
  , m_Anchor(anchor)
  , m_Direction(direction)
  , m_SquaredNorm(Dot(direction, direction))
  , m_Kind(StencilEnum::Centred)
{
  if (this->Blocked(-1.0))
  {
    m_Kind = StencilEnum::Forward;
  }
  else if (this->Blocked(1.0))
  {
    m_Kind = StencilEnum::Backward;
  }
}

StencilMaker::OutcomeEnum
StencilMaker::Make(double step, StencilOfArms & stencil)
{
  const double      sign = m_Kind == StencilEnum::Backward ? -1.0 : 1.0;
  const OutcomeEnum outcome =
    m_Kind == StencilEnum::Centred ? this->MakeCentred(step, stencil) : this->MakeOneSided(sign * step, stencil);
  if (outcome != OutcomeEnum::Evaluated)
  {
    return outcome;
  }
  const bool repeated = stencil.squaredStep >= m_LastSquaredStep;
  m_LastSquaredStep = stencil.squaredStep;
  return repeated ? OutcomeEnum::Collapsed : outcome;
}

double
StencilMaker::Stored(double value) const
{
  return m_Storage == StorageEnum::Binary32 ? static_cast<double>(static_cast<float>(value)) : value;
}

/** The anchor may not be moved along the direction (sign 1) or against it (sign -1). */
bool
StencilMaker::Blocked(double sign) const
{
  for (std::size_t i = 0; i < m_Anchor.size(); ++i)
  {
    const double move = sign * m_Direction[i];
    if ((move < 0.0 && m_Anchor[i] <= m_Domain.lower) || (move > 0.0 && m_Anchor[i] >= m_Domain.upper))
    {
      return true;
    }
  }
  return false;
}

Arm
StencilMaker::MakeArm(VectorType displacement) const
{
  const double step = Dot(displacement, m_Direction) / m_SquaredNorm;
  return { std::move(displacement), step, 0.0 };
}

/** The displacement that storage makes of `step` times the direction. */
StencilMaker::VectorType
StencilMaker::Rounded(double step) const
{
  VectorType displacement(m_Anchor.size());
  for (std::size_t i = 0; i < m_Anchor.size(); ++i)
  {
    displacement[i] = this->Stored(m_Anchor[i] + step * m_Direction[i]) - m_Anchor[i];
  }
  return displacement;
}

/** A displacement whose mirror image storage can hold as well: rounded on the side away from zero, where numbers are
 * coarser. */
StencilMaker::VectorType
StencilMaker::RoundedOutward(double step) const
{
  VectorType displacement(m_Anchor.size());
  for (std::size_t i = 0; i < m_Anchor.size(); ++i)
  {
    const double move = step * m_Direction[i];
    const double outward = std::signbit(move) == std::signbit(m_Anchor[i]) ? 1.0 : -1.0;
    displacement[i] = outward * (this->Stored(m_Anchor[i] + outward * move) - m_Anchor[i]);
  }
  return displacement;
}

bool
StencilMaker::Symmetric(const VectorType & displacement) const
{
  for (std::size_t i = 0; i < m_Anchor.size(); ++i)
  {
    const double d = displacement[i];
    if (this->Stored(m_Anchor[i] + d) - m_Anchor[i] != d || m_Anchor[i] - this->Stored(m_Anchor[i] - d) != d)
    {
      return false;
    }
  }
  return true;
}

bool
StencilMaker::InDomain(const Arm & arm) const
{
  for (std::size_t i = 0; i < m_Anchor.size(); ++i)
  {
    const double x = m_Anchor[i] + arm.displacement[i];
    if (!(x >= m_Domain.lower && x <= m_Domain.upper))
    {
      return false;
    }
  }
  return true;
}

StencilMaker::OutcomeEnum
StencilMaker::MakeCentred(double step, StencilOfArms & stencil) const
{
  Arm right = this->MakeArm(this->RoundedOutward(step));
  if (right.step == 0.0)
  {
    return OutcomeEnum::Collapsed;
  }
  Arm left = right;
  std::transform(left.displacement.begin(), left.displacement.end(), left.displacement.begin(), std::negate<>());
  left.step = -right.step;
  if (!this->InDomain(left) || !this->InDomain(right))
  {
    return OutcomeEnum::OutsideDomain;
  }
  if (!this->Symmetric(right.displacement))
  {
    return OutcomeEnum::Unequal;
  }
  right.weight = 0.5 / right.step;
  left.weight = -right.weight;
  stencil.squaredStep = right.step * right.step;
  stencil.arms = { std::move(right), std::move(left) };
  return OutcomeEnum::Evaluated;
}

/** Three points for realised steps a, b: the derivative at 0 of the parabola through them. Negative steps: the same. */
StencilMaker::OutcomeEnum
StencilMaker::MakeOneSided(double step, StencilOfArms & stencil) const
{
  Arm          near = this->MakeArm(this->Rounded(step));
  Arm          far = this->MakeArm(this->Rounded(2.0 * step));
  const double a = near.step;
  const double b = far.step;
  if (a == 0.0 || std::abs(b) <= std::abs(a))
  {
    return OutcomeEnum::Collapsed;
  }
  if (!this->InDomain(near) || !this->InDomain(far))
  {
    return OutcomeEnum::OutsideDomain;
  }
  if (!Parallel(near, far))
  {
    return OutcomeEnum::Unequal;
  }
  near.weight = b / (a * (b - a));
  far.weight = -a / (b * (b - a));
  stencil.anchorWeight = -(near.weight + far.weight);
  stencil.squaredStep = a * b;
  stencil.arms = { std::move(near), std::move(far) };
  return OutcomeEnum::Evaluated;
}

} // namespace itk
