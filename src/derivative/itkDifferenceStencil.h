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
#ifndef itkDifferenceStencil_h
#define itkDifferenceStencil_h

#include "itkDerivativeChecker.h"

#include <limits>
#include <utility>
#include <vector>

namespace itk
{

/** A point of a stencil, relative to the anchor. */
struct Arm
{
  DerivativeChecker::VectorType displacement;
  /** Its component along the direction. */
  double step;
  double weight;
};

struct StencilOfArms
{
  std::vector<Arm> arms;
  /** The weight of the anchor itself. */
  double anchorWeight{ 0.0 };
  /** s of the tolerance formula. */
  double squaredStep{ 0.0 };
};

/** Forms the points of difference stencils that storage can hold and the domain contains, for one anchor and direction.
 * Steps must be asked for from large to small. */
class StencilMaker
{
public:
  using VectorType = DerivativeChecker::VectorType;
  using StorageEnum = DerivativeCheckerEnums::Storage;
  using StencilEnum = DerivativeCheckerEnums::Stencil;
  using OutcomeEnum = DerivativeCheckerEnums::Outcome;

  struct Interval
  {
    double lower;
    double upper;
  };

  /** Keeps references to the vectors. */
  StencilMaker(StorageEnum storage, const Interval & domain, const VectorType & anchor, const VectorType & direction);

  /** One-sided where the anchor's place on the boundary demands it. */
  StencilEnum
  Kind() const
  {
    return m_Kind;
  }

  /** Evaluated means that `stencil` is usable. */
  OutcomeEnum
  Make(double step, StencilOfArms & stencil);

private:
  double
  Stored(double value) const;
  bool
  Blocked(double sign) const;
  Arm
  MakeArm(VectorType displacement) const;
  VectorType
  Rounded(double step) const;
  VectorType
  RoundedOutward(double step) const;
  bool
  Symmetric(const VectorType & displacement) const;
  bool
  InDomain(const Arm & arm) const;
  OutcomeEnum
  MakeCentred(double step, StencilOfArms & stencil) const;
  OutcomeEnum
  MakeOneSided(double step, StencilOfArms & stencil) const;

  StorageEnum        m_Storage;
  Interval           m_Domain;
  const VectorType & m_Anchor;
  const VectorType & m_Direction;
  double             m_SquaredNorm;
  StencilEnum        m_Kind;
  double             m_LastSquaredStep{ std::numeric_limits<double>::infinity() };
};

} // namespace itk

#endif
