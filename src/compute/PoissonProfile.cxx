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
#include "compute/PoissonProfile.h"
#include "compute/LinearAlgebra.h"

#include "compute/InstructionSet.h"
#include "compute/PixelSum.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace radiography::compute
{

namespace
{

using Kind = PoissonProfile::Kind;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

/** The nuisances of a view in the order of its sums: log exposure, attenuation scale, scatter nodes. */
constexpr std::size_t ExposurePlace = 0;
constexpr std::size_t AttenuationPlace = 1;
constexpr std::size_t FirstNodePlace = 2;

/** Sums over pixels of a view: value, and derivatives with respect to its nuisances. Empty vectors stand for 0. */
struct ProfileSums
{
  double              value{ 0.0 };
  std::vector<double> first;
  /** Upper triangle of a square matrix, row by row. */
  std::vector<double> second;

  ProfileSums &
  operator+=(const ProfileSums & other)
  {
    value += other.value;
    AddAll(first, other.first);
    AddAll(second, other.second);
    return *this;
  }

private:
  static void
  AddAll(std::vector<double> & to, const std::vector<double> & from)
  {
    to.resize(std::max(to.size(), from.size()));
    for (std::size_t i = 0; i < from.size(); ++i)
    {
      to[i] += from[i];
    }
  }
};

/** The mean of a view's pixels at given nuisances, and sums over them. */
class ViewModel
{
public:
  ViewModel(const PoissonProfileView & view, const PoissonProfileNuisances & nuisances, double attenuation)
    : m_View(view)
    , m_Scatter(nuisances.scatter)
    , m_Exposure(std::exp(nuisances.logExposure))
    , m_Attenuation(attenuation)
  {}

  /** Visits the stretches of a piece of a row: visit(stretch, firstPixel, leftNode). */
  template <typename TVisit>
  void
  ForEachStretch(const RowPiece & piece, std::int64_t row, const TVisit & visit) const
  {
    const auto         scatter = this->ScatterOfRow(row);
    const std::int64_t end = piece.column + piece.length;
    for (std::int64_t column = piece.column; column < end;)
    {
      const bool         hasNodes = !m_Scatter.empty();
      const std::int64_t next = hasNodes ? std::min(end, m_View.columnHats->GetEndOfInterval(column)) : end;
      const std::int64_t pixel = column + row * m_View.columns;
      const auto         node = static_cast<std::size_t>(hasNodes ? m_View.columnHats->GetLeft(column) : 0);
      PoissonStretch     stretch = this->StretchFrom(pixel);
      stretch.length = next - column;
      stretch.rightWeights = hasNodes ? m_View.columnHats->GetRightWeights() + column : nullptr;
      stretch.left = scatter[node];
      stretch.right = scatter[node + 1];
      visit(stretch, pixel, node);
      column = next;
    }
  }

  /** Adds up the rows rowStep / 2 + i rowStep. */
  ProfileSums
  Sum(PoissonDerivatives derivatives, std::int64_t rowStep, bool inPackets, const ParallelFor & parallelFor) const
  {
    const std::int64_t rows = (m_View.rows - rowStep / 2 + rowStep - 1) / rowStep;
    return SumOverPixels<ProfileSums>(
      { m_View.columns, rows, 1 }, parallelFor, [&](const RowPiece & piece, ProfileSums & sum) {
        const std::int64_t row = piece.row * rowStep + rowStep / 2;
        if (derivatives != PoissonDerivatives::None)
        {
          sum.first.resize(this->CountPlaces());
          sum.second.resize(this->CountPlaces() * this->CountPlaces());
        }
        this->ForEachStretch(piece, row, [&](const PoissonStretch & stretch, std::int64_t, std::size_t node) {
          const PoissonStretchSums sums = SumPoissonStretch(stretch, derivatives, inPackets);
          sum.value += sums.value;
          if (derivatives != PoissonDerivatives::None)
          {
            this->AddStretch(sums, row, node, sum);
          }
        });
      });
  }

  std::size_t
  CountPlaces() const
  {
    return FirstNodePlace + m_Scatter.size();
  }

  /** Without scatter and length. */
  PoissonStretch
  StretchFrom(std::int64_t pixel) const
  {
    PoissonStretch stretch;
    stretch.depths = m_View.depths + pixel;
    stretch.observed = m_View.observed + pixel;
    stretch.openBeam = m_View.openBeam + pixel;
    stretch.background = m_View.background + pixel;
    stretch.inside = m_View.inside + pixel;
    stretch.exposure = m_Exposure;
    stretch.attenuation = m_Attenuation;
    return stretch;
  }

private:
  /** The estimated scatter at the nodes' columns in one row; one more than there are, so that the last has a right
   * neighbour. */
  std::vector<double>
  ScatterOfRow(std::int64_t row) const
  {
    if (m_Scatter.empty())
    {
      return { 0.0, 0.0 };
    }
    const auto          columns = static_cast<std::size_t>(m_View.columnHats->GetNodes());
    std::vector<double> nodes(columns + 1, 0.0);
    const auto          top = static_cast<std::size_t>(m_View.rowHats->GetLeft(row)) * columns;
    const double        weight = m_View.rowHats->GetRightWeight(row);
    const bool          hasLower = m_View.rowHats->GetNodes() > 1;
    for (std::size_t i = 0; i < columns; ++i)
    {
      nodes[i] = (1.0 - weight) * m_Scatter[top + i] + (hasLower ? weight * m_Scatter[top + columns + i] : 0.0);
    }
    return nodes;
  }

  /** A stretch lies between two columns and two rows of nodes. */
  void
  AddStretch(const PoissonStretchSums & stretch, std::int64_t row, std::size_t node, ProfileSums & sum) const
  {
    const std::size_t size = this->CountPlaces();
    sum.first[ExposurePlace] += stretch.e;
    sum.first[AttenuationPlace] += stretch.a;
    sum.second[ExposurePlace * size + ExposurePlace] += stretch.ee;
    sum.second[ExposurePlace * size + AttenuationPlace] += stretch.ea;
    sum.second[AttenuationPlace * size + AttenuationPlace] += stretch.aa;
    if (m_Scatter.empty())
    {
      return;
    }
    const auto        columns = static_cast<std::size_t>(m_View.columnHats->GetNodes());
    const auto        top = static_cast<std::size_t>(m_View.rowHats->GetLeft(row));
    const double      lower = m_View.rowHats->GetRightWeight(row);
    const double      rowWeights[2] = { 1.0 - lower, lower };
    const std::size_t rowCount = m_View.rowHats->GetNodes() > 1 ? 2 : 1;
    const std::size_t columnCount = columns > 1 ? 2 : 1;
    for (std::size_t j = 0; j < rowCount; ++j)
    {
      for (std::size_t i = 0; i < columnCount; ++i)
      {
        const std::size_t place = FirstNodePlace + (top + j) * columns + node + i;
        sum.first[place] += rowWeights[j] * stretch.s[i];
        sum.second[ExposurePlace * size + place] += rowWeights[j] * stretch.es[i];
        sum.second[AttenuationPlace * size + place] += rowWeights[j] * stretch.as[i];
        for (std::size_t l = 0; l < rowCount; ++l)
        {
          for (std::size_t k = 0; k < columnCount; ++k)
          {
            const std::size_t other = FirstNodePlace + (top + l) * columns + node + k;
            if (other >= place)
            {
              sum.second[place * size + other] += rowWeights[j] * (rowWeights[l] * stretch.ss[i + k]);
            }
          }
        }
      }
    }
  }

  const PoissonProfileView &  m_View;
  const std::vector<double> & m_Scatter;
  double                      m_Exposure;
  double                      m_Attenuation;
};

/** All unknowns in one vector, and what they stand for. */
class Unknowns
{
public:
  Unknowns(const std::vector<PoissonProfileView> & views, const PoissonProfileModel & model)
    : m_Views(views)
    , m_Model(model)
  {
    for (std::size_t view = 0; view < views.size(); ++view)
    {
      if (model.estimateExposure)
      {
        m_List.push_back({ Kind::Exposure, view, 0 });
      }
      const auto nodes = static_cast<std::size_t>(views[view].columnHats->GetNodes() * views[view].rowHats->GetNodes());
      for (std::size_t node = 0; model.estimateScatter && node < nodes; ++node)
      {
        m_List.push_back({ Kind::Scatter, view, node });
      }
    }
    if (model.estimateAttenuation)
    {
      m_List.push_back({ Kind::Attenuation, 0, 0 });
    }
  }

  const std::vector<PoissonProfile::Unknown> &
  GetList() const
  {
    return m_List;
  }

  Eigen::Index
  Count() const
  {
    return static_cast<Eigen::Index>(m_List.size());
  }

  bool
  IsScatter(Eigen::Index unknown) const
  {
    return m_List[static_cast<std::size_t>(unknown)].kind == Kind::Scatter;
  }

  /** The place of an unknown in the sums of a view; -1 if it is of another view. */
  static int
  PlaceOf(const PoissonProfile::Unknown & unknown, std::size_t view)
  {
    if (unknown.kind == Kind::Attenuation)
    {
      return static_cast<int>(AttenuationPlace);
    }
    if (unknown.view != view)
    {
      return -1;
    }
    return static_cast<int>(unknown.kind == Kind::Exposure ? ExposurePlace : FirstNodePlace + unknown.node);
  }

  void
  Unpack(const Vector & values, PoissonProfile & profile) const
  {
    profile.attenuationScale = m_Model.attenuationScale;
    profile.views.resize(m_Views.size());
    for (std::size_t view = 0; view < m_Views.size(); ++view)
    {
      const auto & basis = m_Views[view];
      profile.views[view].logExposure = basis.logExposure;
      profile.views[view].scatter.assign(
        m_Model.estimateScatter ? static_cast<std::size_t>(basis.columnHats->GetNodes() * basis.rowHats->GetNodes())
                                : 0,
        0.0);
    }
    for (std::size_t i = 0; i < m_List.size(); ++i)
    {
      const double value = values[static_cast<Eigen::Index>(i)];
      switch (m_List[i].kind)
      {
        case Kind::Exposure:
          profile.views[m_List[i].view].logExposure = value;
          break;
        case Kind::Attenuation:
          profile.attenuationScale = value;
          break;
        case Kind::Scatter:
          profile.views[m_List[i].view].scatter[m_List[i].node] = value;
          break;
      }
    }
  }

private:
  const std::vector<PoissonProfileView> & m_Views;
  PoissonProfileModel                     m_Model;
  std::vector<PoissonProfile::Unknown>    m_List;
};

/** The value with its derivatives at some nuisances. */
struct Expansion
{
  double value{ 0.0 };
  Vector gradient;
  Matrix hessian;
};

/** A quadratic model's step: from where, and how much it promises. */
struct Step
{
  Vector change;
  /** sqrt(g^T H^-1 g), with the damping that made H positive. */
  double decrement{ 0.0 };
  bool   isPositive{ false };
};

class Solver
{
public:
  Solver(const std::vector<PoissonProfileView> & views,
         const PoissonProfileModel &             model,
         const ParallelFor &                     parallelFor)
    : m_Views(views)
    , m_Unknowns(views, model)
    , m_ParallelFor(parallelFor)
    , m_Model(model)
    , m_InPackets(!IsSimdDisabled())
  {}

  PoissonProfile
  Solve(bool withInformation)
  {
    PoissonProfile profile;
    Vector         values = Vector::Zero(m_Unknowns.Count());
    if (m_Unknowns.Count() > 0)
    {
      values = this->MakeStart();
      std::int64_t rows = std::numeric_limits<std::int64_t>::max();
      for (const auto & view : m_Views)
      {
        rows = std::min(rows, view.rows);
      }
      if (rows >= CoarseRowStep * LeastCoarseRows)
      {
        this->Minimise(CoarseRowStep, CoarseTolerance, values, profile);
      }
      profile.value = this->Minimise(1, Tolerance, values, profile);
    }
    m_Unknowns.Unpack(values, profile);
    this->StoreResult(withInformation, values, profile);
    return profile;
  }

private:
  static constexpr std::int64_t CoarseRowStep = 8;
  static constexpr std::int64_t LeastCoarseRows = 4;
  static constexpr double       CoarseTolerance = 1e-2;
  /** In standard errors. */
  static constexpr double Tolerance = 1e-9;
  /** Below this decrement the value's rounding could hide a step's gain: Newton's steps are taken as they are. */
  static constexpr double TrustedDecrement = 1e-3;
  static constexpr int    MostIterations = 200;
  /** The part of the mean count that scatter has in the start. */
  static constexpr double ScatterShare = 0.05;

  struct Totals
  {
    double count{ 0.0 };
    double observed{ 0.0 };
    double background{ 0.0 };
    double primary{ 0.0 };

    Totals &
    operator+=(const Totals & other)
    {
      count += other.count;
      observed += other.observed;
      background += other.background;
      primary += other.primary;
      return *this;
    }
  };

  /** Exposures as if there were no scatter but a little, attenuation as given. */
  Vector
  MakeStart() const
  {
    std::vector<Totals> totals;
    for (const auto & view : m_Views)
    {
      totals.push_back(this->SumTotals(view));
    }
    Vector values = Vector::Zero(m_Unknowns.Count());
    for (Eigen::Index i = 0; i < m_Unknowns.Count(); ++i)
    {
      const auto & unknown = m_Unknowns.GetList()[static_cast<std::size_t>(i)];
      const auto & total = totals[unknown.view];
      switch (unknown.kind)
      {
        case Kind::Exposure:
          values[i] = this->StartExposure(total, m_Views[unknown.view].logExposure);
          break;
        case Kind::Attenuation:
          values[i] = m_Model.attenuationScale;
          break;
        case Kind::Scatter:
          values[i] = total.count > 0.0 ? ScatterShare * (total.observed / total.count) : 0.0;
          break;
      }
    }
    return values;
  }

  double
  StartExposure(const Totals & total, double given) const
  {
    const double share = m_Model.estimateScatter ? 1.0 - ScatterShare : 1.0;
    const double wanted = std::max(total.observed - total.background, ScatterShare * total.observed);
    return wanted > 0.0 && total.primary > 0.0 ? std::log(share * (wanted / total.primary)) : given;
  }

  Totals
  SumTotals(const PoissonProfileView & view) const
  {
    const PoissonProfileNuisances none;
    const PoissonStretch          pixels = ViewModel(view, none, m_Model.attenuationScale).StretchFrom(0);
    return SumOverPixels<Totals>(
      { view.columns, view.rows, 1 }, m_ParallelFor, [&](const RowPiece & piece, Totals & sum) {
        const std::int64_t first = piece.column + piece.row * view.columns;
        for (std::int64_t pixel = first; pixel < first + piece.length; ++pixel)
        {
          if (view.inside[pixel] != 0.0)
          {
            sum += Totals{ 1.0, view.observed[pixel], view.background[pixel], pixels.PrimaryOf(pixel) };
          }
        }
      });
  }

  Expansion
  Expand(PoissonDerivatives derivatives, const Vector & values, std::int64_t rowStep) const
  {
    PoissonProfile profile;
    m_Unknowns.Unpack(values, profile);
    const Eigen::Index count = m_Unknowns.Count();
    Expansion          expansion{ 0.0, Vector::Zero(count), Matrix::Zero(count, count) };
    for (std::size_t view = 0; view < m_Views.size(); ++view)
    {
      const ViewModel model(m_Views[view], profile.views[view], profile.attenuationScale);
      const auto      sums = model.Sum(derivatives, rowStep, m_InPackets, m_ParallelFor);
      this->AddView(sums, view, model.CountPlaces(), expansion);
    }
    return expansion;
  }

  void
  AddView(const ProfileSums & sums, std::size_t view, std::size_t size, Expansion & expansion) const
  {
    const auto & list = m_Unknowns.GetList();
    expansion.value += sums.value;
    for (std::size_t i = 0; i < list.size(); ++i)
    {
      const int row = Unknowns::PlaceOf(list[i], view);
      if (row < 0)
      {
        continue;
      }
      expansion.gradient[static_cast<Eigen::Index>(i)] += sums.first[static_cast<std::size_t>(row)];
      for (std::size_t j = 0; j < list.size(); ++j)
      {
        const int column = Unknowns::PlaceOf(list[j], view);
        if (column >= 0)
        {
          const auto upper = static_cast<std::size_t>(std::min(row, column));
          const auto right = static_cast<std::size_t>(std::max(row, column));
          expansion.hessian(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) +=
            sums.second[upper * size + right];
        }
      }
    }
  }

  /** Those that a step may change: not nodes at 0 that want to be below, not what the images say nothing about. */
  std::vector<Eigen::Index>
  FindFree(const Vector & values, const Expansion & expansion) const
  {
    std::vector<Eigen::Index> free;
    for (Eigen::Index i = 0; i < m_Unknowns.Count(); ++i)
    {
      const bool isHeld = m_Unknowns.IsScatter(i) && values[i] == 0.0 && expansion.gradient[i] >= 0.0;
      const bool isUnknown = expansion.hessian(i, i) == 0.0 && expansion.gradient[i] == 0.0;
      if (!isHeld && !isUnknown)
      {
        free.push_back(i);
      }
    }
    return free;
  }

  Step
  MakeStep(const Expansion & expansion, const std::vector<Eigen::Index> & free, double damping) const
  {
    const auto count = static_cast<Eigen::Index>(free.size());
    Matrix     hessian(count, count);
    Vector     gradient(count);
    for (Eigen::Index i = 0; i < count; ++i)
    {
      gradient[i] = expansion.gradient[free[static_cast<std::size_t>(i)]];
      for (Eigen::Index j = 0; j < count; ++j)
      {
        hessian(i, j) = expansion.hessian(free[static_cast<std::size_t>(i)], free[static_cast<std::size_t>(j)]);
      }
    }
    // The diagonal is what scales damping: every unknown has its own unit.
    Vector scale = hessian.diagonal().cwiseAbs();
    hessian.diagonal() += damping * scale;
    const Vector       root = scale.cwiseSqrt();
    Eigen::LLT<Matrix> factors;
    Step               step;
    step.change = Vector::Zero(m_Unknowns.Count());
    if (!(scale.minCoeff() > 0.0))
    {
      return step;
    }
    const Vector inverse = root.cwiseInverse();
    factors.compute(inverse.asDiagonal() * hessian * inverse.asDiagonal());
    if (factors.info() != Eigen::Success)
    {
      return step;
    }
    const Vector solution = -inverse.cwiseProduct(factors.solve(inverse.cwiseProduct(gradient)));
    if (!solution.allFinite())
    {
      return step;
    }
    for (Eigen::Index i = 0; i < count; ++i)
    {
      step.change[free[static_cast<std::size_t>(i)]] = solution[i];
    }
    step.isPositive = true;
    step.decrement = std::sqrt(std::max(0.0, -gradient.dot(solution)));
    return step;
  }

  Vector
  Project(Vector values) const
  {
    for (Eigen::Index i = 0; i < values.size(); ++i)
    {
      if (m_Unknowns.IsScatter(i) && values[i] < 0.0)
      {
        values[i] = 0.0;
      }
    }
    return values;
  }

  /** \return the value at the end. */
  double
  Minimise(std::int64_t rowStep, double tolerance, Vector & values, PoissonProfile & profile) const
  {
    double    damping = 0.0;
    double    growth = 2.0;
    double    lastDecrement = HUGE_VAL;
    auto      lastFree = std::vector<Eigen::Index>();
    Expansion here = this->Expand(PoissonDerivatives::Observed, values, rowStep);
    for (int iteration = 0; iteration < MostIterations; ++iteration)
    {
      const auto free = this->FindFree(values, here);
      if (free.empty())
      {
        profile.decrement = 0.0;
        break;
      }
      const Step step = this->MakeStep(here, free, damping);
      if (!step.isPositive)
      {
        damping = std::max(LeastDamping, damping * growth);
        growth *= 2.0;
        continue;
      }
      const bool isTrusted = damping == 0.0 && step.decrement < TrustedDecrement;
      // The second of two steps that do not get smaller only stirs what rounding leaves.
      const bool isFloor = isTrusted && step.decrement >= lastDecrement && free == lastFree;
      profile.decrement = step.decrement;
      if (step.decrement <= tolerance || isFloor)
      {
        break;
      }
      lastFree = free;
      lastDecrement = isTrusted ? step.decrement : HUGE_VAL;

      const Vector trial = this->Project(values + step.change);
      Expansion    there = this->Expand(PoissonDerivatives::Observed, trial, rowStep);
      ++profile.iterations;
      const Vector moved = trial - values;
      const double promised = -(here.gradient.dot(moved) + 0.5 * moved.dot(here.hessian * moved));
      const double gain = (here.value - there.value) / promised;
      if (isTrusted || (std::isfinite(there.value) && promised > 0.0 && gain > LeastGain))
      {
        values = trial;
        here = std::move(there);
        damping = gain > GoodGain || isTrusted ? (damping > LeastDamping ? 0.1 * damping : 0.0) : damping;
        growth = 2.0;
      }
      else
      {
        damping = std::max(LeastDamping, damping * growth);
        growth *= 2.0;
      }
    }
    return here.value;
  }

  void
  StoreResult(bool withInformation, const Vector & values, PoissonProfile & profile) const
  {
    if (m_Unknowns.Count() == 0)
    {
      for (std::size_t view = 0; view < m_Views.size(); ++view)
      {
        const ViewModel model(m_Views[view], profile.views[view], profile.attenuationScale);
        profile.value += model.Sum(PoissonDerivatives::None, 1, m_InPackets, m_ParallelFor).value;
      }
      return;
    }
    if (!withInformation)
    {
      return;
    }
    const Expansion expansion = this->Expand(PoissonDerivatives::Fisher, values, 1);
    const auto      free = this->FindFree(values, expansion);
    for (const Eigen::Index i : free)
    {
      profile.unknowns.push_back(m_Unknowns.GetList()[static_cast<std::size_t>(i)]);
      for (const Eigen::Index j : free)
      {
        profile.information.push_back(expansion.hessian(i, j));
      }
    }
  }

  static constexpr double LeastDamping = 1e-4;
  static constexpr double LeastGain = 1e-4;
  static constexpr double GoodGain = 0.75;

  const std::vector<PoissonProfileView> & m_Views;
  Unknowns                                m_Unknowns;
  const ParallelFor &                     m_ParallelFor;
  PoissonProfileModel                     m_Model;
  bool                                    m_InPackets;
};

} // namespace

HatBasis::HatBasis(std::int64_t nodes,
                   std::int64_t pixels,
                   std::int64_t first,
                   std::int64_t stride,
                   std::int64_t detectorPixels)
  : m_Nodes(nodes)
{
  const std::int64_t intervals = std::max<std::int64_t>(nodes - 1, 1);
  for (std::int64_t pixel = 0; pixel < pixels; ++pixel)
  {
    const double edge = (static_cast<double>(first + pixel * stride) + 0.5) / static_cast<double>(detectorPixels);
    const double place = edge * static_cast<double>(nodes - 1);
    const auto   left = std::min(static_cast<std::int64_t>(place), intervals - 1);
    m_Left.push_back(left);
    m_RightWeight.push_back(nodes > 1 ? place - static_cast<double>(left) : 0.0);
  }
  m_End.resize(m_Left.size());
  for (std::size_t pixel = m_Left.size(); pixel-- > 0;)
  {
    const bool isLast = pixel + 1 == m_Left.size() || m_Left[pixel + 1] != m_Left[pixel];
    m_End[pixel] = isLast ? static_cast<std::int64_t>(pixel) + 1 : m_End[pixel + 1];
  }
}

std::vector<double>
HatBasis::GetFunction(std::int64_t node) const
{
  std::vector<double> function;
  for (std::size_t pixel = 0; pixel < m_Left.size(); ++pixel)
  {
    const double right = m_RightWeight[pixel];
    function.push_back(m_Left[pixel] == node ? 1.0 - right : m_Left[pixel] + 1 == node ? right : 0.0);
  }
  return function;
}

PoissonProfile
ProfilePoisson(const std::vector<PoissonProfileView> & views,
               const PoissonProfileModel &             model,
               bool                                    withInformation,
               const ParallelFor &                     parallelFor)
{
  return Solver(views, model, parallelFor).Solve(withInformation);
}

void
EvaluatePoissonPixels(const PoissonProfileView & view,
                      const PoissonProfile &     profile,
                      std::size_t                number,
                      const PoissonPixelTerms &  terms,
                      const ParallelFor &        parallelFor)
{
  const ViewModel model(view, profile.views[number], profile.attenuationScale);
  const bool      inPackets = !IsSimdDisabled();
  ForEachRowPiece({ view.columns, view.rows, 1 }, parallelFor, [&](const RowPiece & piece) {
    model.ForEachStretch(piece, piece.row, [&](const PoissonStretch & stretch, std::int64_t pixel, std::size_t) {
      StorePoissonStretch(stretch, terms.From(pixel), inPackets);
    });
  });
}

} // namespace radiography::compute
