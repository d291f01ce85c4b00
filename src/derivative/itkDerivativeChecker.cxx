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

#include "itkNumberToString.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <limits>
#include <locale>
#include <numeric>
#include <random>
#include <sstream>
#include <utility>

namespace itk
{
namespace
{

using Record = DerivativeStepRecord;
using StencilEnum = DerivativeCheckerEnums::Stencil;
using StorageEnum = DerivativeCheckerEnums::Storage;
using OutcomeEnum = DerivativeCheckerEnums::Outcome;
using VerdictEnum = DerivativeCheckerEnums::Verdict;
using VectorType = DerivativeChecker::VectorType;

constexpr double      UnitRoundoff = std::numeric_limits<double>::epsilon() / 2;
constexpr std::size_t DecisiveSteps = 3;

std::string
TextOf(double value)
{
  return NumberToString<double>()(value);
}

double
Dot(const VectorType & a, const VectorType & b)
{
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

double
DotOfMagnitudes(const VectorType & a, const VectorType & b)
{
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i)
  {
    sum += std::abs(a[i] * b[i]);
  }
  return sum;
}

} // namespace

/** One sweep: the steps, the estimates, the tolerances, the verdict. */
class DerivativeSweeper
{
public:
  using ValueAndMagnitude = DerivativeChecker::ValueAndMagnitude;
  using Evaluation = DerivativeChecker::Evaluation;

  DerivativeSweeper(const DerivativeChecker & settings,
                    Evaluation                evaluate,
                    double                    precision,
                    const VectorType &        anchor,
                    const VectorType &        direction,
                    const VectorType &        gradient)
    : m_Settings(settings)
    , m_Evaluate(std::move(evaluate))
    , m_Precision(precision)
    , m_Anchor(anchor)
    , m_Direction(direction)
    , m_Gradient(gradient)
    , m_Stencils(settings.m_Storage, { settings.m_Lower, settings.m_Upper }, anchor, direction)
  {}

  DerivativeSweep
  Run(const std::string & name)
  {
    m_Sweep.direction = name;
    const double derivative = Dot(m_Gradient, m_Direction);
    if (!std::isfinite(derivative))
    {
      this->Conclude(VerdictEnum::Disagrees, "The derivative under test is " + TextOf(derivative) + '.');
      return std::move(m_Sweep);
    }
    for (unsigned int exponent = m_Settings.m_FirstExponent; exponent <= m_Settings.m_LastExponent; ++exponent)
    {
      m_Sweep.records.push_back(this->Step(exponent));
    }
    this->SkipPlateaus();
    this->CollectEvaluated();
    this->EstimateTruncation();
    this->FindScale();
    this->Decide();
    return std::move(m_Sweep);
  }

private:
  ValueAndMagnitude
  ValueAt(const Arm & arm) const
  {
    VectorType x = m_Anchor;
    std::transform(x.begin(), x.end(), arm.displacement.begin(), x.begin(), std::plus<>());
    return m_Evaluate(x);
  }

  const ValueAndMagnitude &
  ValueAtAnchor()
  {
    if (!m_AnchorKnown)
    {
      m_AnchorValue = m_Evaluate(m_Anchor);
      m_AnchorKnown = true;
    }
    return m_AnchorValue;
  }

  Record
  Step(unsigned int exponent)
  {
    Record record;
    record.exponent = exponent;
    record.requestedStep = std::ldexp(m_Settings.m_StepScale, -static_cast<int>(exponent));
    record.stencil = m_Stencils.Kind();
    StencilOfArms stencil;
    record.outcome = m_Stencils.Make(record.requestedStep, stencil);
    m_SquaredSteps.push_back(stencil.squaredStep);
    m_Flat.push_back(false);
    if (record.outcome == OutcomeEnum::Evaluated)
    {
      record.realisedStep = std::abs(stencil.arms.front().step);
      this->FormDifference(stencil, record);
    }
    return record;
  }

  void
  FormDifference(const StencilOfArms & stencil, Record & record)
  {
    double                         estimate = 0.0;
    double                         analytic = 0.0;
    double                         products = 0.0;
    double                         rounding = 0.0;
    std::vector<ValueAndMagnitude> values;
    const auto                     add = [&](double weight, const ValueAndMagnitude & value) {
      estimate += weight * value.value;
      rounding += std::abs(weight) * (m_Precision * value.magnitude + m_Settings.m_FunctionNoise);
      values.push_back(value);
    };
    if (stencil.anchorWeight != 0.0)
    {
      add(stencil.anchorWeight, this->ValueAtAnchor());
    }
    for (const Arm & arm : stencil.arms)
    {
      add(arm.weight, this->ValueAt(arm));
      analytic += arm.weight * Dot(m_Gradient, arm.displacement);
      products += std::abs(arm.weight) * DotOfMagnitudes(m_Gradient, arm.displacement);
    }
    if (std::any_of(values.begin(), values.end(), [](const ValueAndMagnitude & v) { return !std::isfinite(v.value); }))
    {
      record.outcome = OutcomeEnum::NotFinite;
      return;
    }
    record.estimate = estimate;
    record.analytic = analytic;
    record.error = std::abs(estimate - analytic);
    record.rounding =
      rounding + UnitRoundoff * (static_cast<double>(m_Anchor.size()) + 8.0) * (std::abs(estimate) + products);
    m_Flat.back() = std::all_of(
      values.begin(), values.end(), [&](const ValueAndMagnitude & v) { return v.value == values.front().value; });
  }

  void
  SkipPlateaus()
  {
    bool changed = false;
    for (std::size_t i = 0; i < m_Sweep.records.size(); ++i)
    {
      Record & record = m_Sweep.records[i];
      if (record.outcome == OutcomeEnum::Evaluated)
      {
        changed = changed || !m_Flat[i];
        record.outcome = changed && m_Flat[i] ? OutcomeEnum::Plateau : OutcomeEnum::Evaluated;
      }
    }
  }

  void
  CollectEvaluated()
  {
    for (std::size_t i = 0; i < m_Sweep.records.size(); ++i)
    {
      if (m_Sweep.records[i].outcome == OutcomeEnum::Evaluated)
      {
        m_Evaluated.push_back(i);
      }
    }
  }

  Record &
  Evaluated(std::size_t k)
  {
    return m_Sweep.records[m_Evaluated[k]];
  }

  double
  SquaredStep(std::size_t k) const
  {
    return m_SquaredSteps[m_Evaluated[k]];
  }

  void
  EstimateTruncation()
  {
    double before = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t k = 1; k < m_Evaluated.size(); ++k)
    {
      const Record & coarser = this->Evaluated(k - 1);
      Record &       record = this->Evaluated(k);
      const double   shrinkage = this->SquaredStep(k - 1) - this->SquaredStep(k);
      const double   constant = std::abs(coarser.estimate - record.estimate) / shrinkage;
      if (k > 1)
      {
        record.truncation = this->SquaredStep(k) * std::max(constant, before);
        record.tolerance = 2.0 * record.truncation + record.rounding;
        record.convergent = constant <= 2.0 * before + (coarser.rounding + record.rounding) / shrinkage;
      }
      before = constant;
    }
  }

  void
  FindScale()
  {
    const double n = static_cast<double>(m_Gradient.size());
    m_Sweep.scale = std::max(m_Settings.m_DerivativeScale,
                             std::sqrt(Dot(m_Gradient, m_Gradient) / n * Dot(m_Direction, m_Direction)));
    for (std::size_t k = 0; k < m_Evaluated.size(); ++k)
    {
      m_Sweep.scale = std::max(m_Sweep.scale, std::abs(this->Evaluated(k).analytic));
    }
  }

  double
  LargestTolerance(std::size_t first)
  {
    double largest = 0.0;
    for (std::size_t k = first; k < first + DecisiveSteps; ++k)
    {
      const Record & record = this->Evaluated(k);
      largest = record.convergent ? std::max(largest, record.tolerance) : std::numeric_limits<double>::infinity();
      if (!record.convergent)
      {
        break;
      }
    }
    return largest;
  }

  /** The first of the decisive steps; the number of evaluated ones if there is no such run. */
  std::size_t
  FindDecisiveRun()
  {
    std::size_t best = m_Evaluated.size();
    double      tolerance = std::numeric_limits<double>::infinity();
    for (std::size_t first = 2; first + DecisiveSteps <= m_Evaluated.size(); ++first)
    {
      const double largest = this->LargestTolerance(first);
      if (largest < tolerance)
      {
        best = first;
        tolerance = largest;
      }
    }
    return best;
  }

  void
  MeasureNoise(std::size_t first)
  {
    for (std::size_t k = first + DecisiveSteps; k < m_Evaluated.size(); ++k)
    {
      const Record & coarser = this->Evaluated(k - 1);
      const Record & record = this->Evaluated(k);
      const double   explained = coarser.rounding + record.rounding;
      const double   difference = std::abs(coarser.estimate - record.estimate);
      if (difference > 0.0)
      {
        m_Sweep.noiseRatio = std::max(m_Sweep.noiseRatio, difference / explained);
      }
    }
  }

  void
  Conclude(VerdictEnum verdict, const std::string & reason)
  {
    m_Sweep.verdict = verdict;
    m_Sweep.reason = reason;
  }

  bool
  ConcludeNotFinite()
  {
    for (const Record & record : m_Sweep.records)
    {
      if (record.outcome == OutcomeEnum::NotFinite)
      {
        this->Conclude(VerdictEnum::NotFinite,
                       "The operator gave NaN or an infinity at the step 2^-" + std::to_string(record.exponent) +
                         ". Declare its domain with SetDomain(), or start with smaller steps.");
        return true;
      }
    }
    return false;
  }

  void
  Decide()
  {
    const std::size_t first = this->FindDecisiveRun();
    if (this->ConcludeNotFinite())
    {
      return;
    }
    if (first == m_Evaluated.size())
    {
      this->Conclude(VerdictEnum::Inconclusive,
                     "There are no three steps in a row at which differences converge with order two. Declare the "
                     "operator's precision, or change the steps.");
      return;
    }
    this->MeasureNoise(first);
    this->DecideAt(first);
  }

  void
  DecideAt(std::size_t first)
  {
    const Record * worst = &this->Evaluated(first);
    double         smallest = std::numeric_limits<double>::infinity();
    for (std::size_t k = first; k < first + DecisiveSteps; ++k)
    {
      Record & record = this->Evaluated(k);
      record.decisive = true;
      smallest = std::min(smallest, record.tolerance);
      if (record.error - record.tolerance > worst->error - worst->tolerance)
      {
        worst = &record;
      }
    }
    const std::string at = " at the step 2^-" + std::to_string(worst->exponent) + ": error " + TextOf(worst->error) +
                           ", tolerance " + TextOf(worst->tolerance) + '.';
    if (worst->error > worst->tolerance)
    {
      this->Conclude(VerdictEnum::Disagrees, "Disagrees" + at);
    }
    else if (smallest > m_Settings.m_Resolution * m_Sweep.scale)
    {
      this->Conclude(VerdictEnum::Inconclusive,
                     "The best tolerance, " + TextOf(smallest) + ", is above the resolution, " +
                       TextOf(m_Settings.m_Resolution) + " times " + TextOf(m_Sweep.scale) + '.');
    }
    else
    {
      this->Conclude(VerdictEnum::Agrees, "Agrees, least closely" + at);
    }
  }

  const DerivativeChecker & m_Settings;
  Evaluation                m_Evaluate;
  double                    m_Precision;
  const VectorType &        m_Anchor;
  const VectorType &        m_Direction;
  const VectorType &        m_Gradient;
  StencilMaker              m_Stencils;
  ValueAndMagnitude         m_AnchorValue{};
  bool                      m_AnchorKnown{ false };
  DerivativeSweep           m_Sweep;
  /** Per record: s, and whether all values were the same. */
  std::vector<double> m_SquaredSteps;
  std::vector<bool>   m_Flat;
  /** The places of the evaluated records. */
  std::vector<std::size_t> m_Evaluated;
};


namespace
{

struct Direction
{
  std::string name;
  VectorType  vector;
};

[[noreturn]] void
Refuse(const std::string & text)
{
  itkGenericExceptionMacro("" << text);
}

void
RefuseUnequalLengths(const char * what, std::size_t length, const char * other, std::size_t otherLength)
{
  if (length != otherLength)
  {
    Refuse(std::string(what) + " has " + std::to_string(length) + " elements, " + other + " has " +
           std::to_string(otherLength) + "; they must be as many.");
  }
}

Direction
AlongCoordinate(std::size_t n, std::size_t coordinate)
{
  Direction direction{ "coordinate " + std::to_string(coordinate), VectorType(n, 0.0) };
  direction.vector[coordinate] = 1.0;
  return direction;
}

/** All coordinates, or as many of them as the limit allows, in increasing order. */
std::vector<std::size_t>
ChooseCoordinates(std::size_t n, std::size_t limit, std::mt19937_64 & engine)
{
  std::vector<std::size_t> coordinates(n);
  std::iota(coordinates.begin(), coordinates.end(), std::size_t{ 0 });
  if (limit >= n)
  {
    return coordinates;
  }
  // Of Fisher and Yates, by hand: what the library's distributions give differs between libraries.
  for (std::size_t i = 0; i < limit; ++i)
  {
    std::swap(coordinates[i], coordinates[i + engine() % (n - i)]);
  }
  coordinates.resize(limit);
  std::sort(coordinates.begin(), coordinates.end());
  return coordinates;
}

/** Random signs for the coordinates that lie on the boundary (inwards only), or for those that do not. Empty if there
 * is no such coordinate. */
Direction
AlongRandomSigns(const std::vector<int> & inward, bool onBoundary, unsigned int number, std::mt19937_64 & engine)
{
  Direction direction{ "random direction " + std::to_string(number) +
                         (onBoundary ? ", parameters on the boundary" : ""),
                       VectorType(inward.size(), 0.0) };
  bool      any = false;
  for (std::size_t i = 0; i < inward.size(); ++i)
  {
    const double sign = (engine() & 1u) == 0 ? 1.0 : -1.0;
    if (onBoundary == (inward[i] != 0))
    {
      direction.vector[i] = onBoundary ? inward[i] : sign;
      any = true;
    }
  }
  return any ? direction : Direction{};
}

VectorType
Values(const DerivativeChecker::ImageType & image)
{
  const auto pixels = image.GetBufferedRegion().GetNumberOfPixels();
  return VectorType(image.GetBufferPointer(), image.GetBufferPointer() + pixels);
}

/** An image of the grid of another one, with these values. */
DerivativeChecker::ImageType::Pointer
ImageOf(const VectorType & values, const DerivativeChecker::ImageType & grid)
{
  const auto image = DerivativeChecker::ImageType::New();
  image->CopyInformation(&grid);
  image->SetRegions(grid.GetBufferedRegion());
  image->Allocate();
  std::transform(
    values.begin(), values.end(), image->GetBufferPointer(), [](double v) { return static_cast<float>(v); });
  return image;
}

void
RefuseNotPositive(const char * what, double value)
{
  if (!(value > 0.0 && std::isfinite(value)))
  {
    Refuse(std::string(what) + " is " + TextOf(value) + "; it must be positive and finite.");
  }
}

void
RefuseNegative(const char * what, double value)
{
  if (!(value >= 0.0 && std::isfinite(value)))
  {
    Refuse(std::string(what) + " is " + TextOf(value) + "; it must be finite and not negative.");
  }
}

} // namespace

void
DerivativeChecker::SetStorage(StorageEnum storage)
{
  m_Storage = storage;
}

void
DerivativeChecker::SetDomain(double lower, double upper)
{
  if (!(lower < upper))
  {
    Refuse("The domain is from " + TextOf(lower) + " to " + TextOf(upper) + "; it must have an inside.");
  }
  m_Lower = lower;
  m_Upper = upper;
}

void
DerivativeChecker::SetStepExponents(unsigned int first, unsigned int last)
{
  if (last > 1000 || last < first + 4)
  {
    Refuse("Step exponents are " + std::to_string(first) + " to " + std::to_string(last) +
           "; a verdict needs five steps at least, and none below 2^-1000.");
  }
  m_FirstExponent = first;
  m_LastExponent = last;
}

void
DerivativeChecker::SetStepScale(double scale)
{
  RefuseNotPositive("StepScale", scale);
  m_StepScale = scale;
}

void
DerivativeChecker::SetFunctionPrecision(double precision)
{
  RefuseNegative("FunctionPrecision", precision);
  m_FunctionPrecision = precision;
}

void
DerivativeChecker::SetFunctionNoise(double noise)
{
  RefuseNegative("FunctionNoise", noise);
  m_FunctionNoise = noise;
}

void
DerivativeChecker::SetResolution(double resolution)
{
  RefuseNotPositive("Resolution", resolution);
  m_Resolution = resolution;
}

void
DerivativeChecker::SetDerivativeScale(double scale)
{
  RefuseNegative("DerivativeScale", scale);
  m_DerivativeScale = scale;
}

void
DerivativeChecker::SetCoordinateLimit(std::size_t limit)
{
  m_CoordinateLimit = limit;
}

void
DerivativeChecker::SetNumberOfRandomDirections(unsigned int count)
{
  m_NumberOfRandomDirections = count;
}

void
DerivativeChecker::SetSeed(std::uint64_t seed)
{
  m_Seed = seed;
}

void
DerivativeChecker::RefuseBadAnchor(const VectorType & x, const VectorType & gradient) const
{
  RefuseUnequalLengths("The anchor", x.size(), "the derivative under test", gradient.size());
  for (std::size_t i = 0; i < x.size(); ++i)
  {
    const std::string name = "Parameter " + std::to_string(i) + " of the anchor, " + TextOf(x[i]) + ", ";
    if (!std::isfinite(x[i]) || x[i] < m_Lower || x[i] > m_Upper)
    {
      Refuse(name + "is not in the domain from " + TextOf(m_Lower) + " to " + TextOf(m_Upper) + '.');
    }
    if (m_Storage == StorageEnum::Binary32 && static_cast<double>(static_cast<float>(x[i])) != x[i])
    {
      Refuse(name + "is not a binary32 number, so the operator would be evaluated elsewhere. Round it.");
    }
  }
}

DerivativeChecker::Evaluation
DerivativeChecker::WithMagnitude(const Objective & f)
{
  return [&f](const VectorType & x) {
    const double value = f(x);
    return ValueAndMagnitude{ value, std::abs(value) };
  };
}

DerivativeReport
DerivativeChecker::SweepAll(const Evaluation & evaluate,
                            double             precision,
                            const VectorType & x,
                            const VectorType & gradient) const
{
  this->RefuseBadAnchor(x, gradient);
  std::mt19937_64  engine(m_Seed);
  DerivativeReport report;
  const auto       sweep = [&](const Direction & direction) {
    if (!direction.vector.empty())
    {
      report.sweeps.push_back(
        DerivativeSweeper(*this, evaluate, precision, x, direction.vector, gradient).Run(direction.name));
    }
  };
  for (const std::size_t coordinate : ChooseCoordinates(x.size(), m_CoordinateLimit, engine))
  {
    sweep(AlongCoordinate(x.size(), coordinate));
  }
  // For a parameter on the boundary the way inwards, 1 or -1; 0 for the others.
  std::vector<int> inward(x.size());
  std::transform(
    x.begin(), x.end(), inward.begin(), [this](double v) { return v <= m_Lower ? 1 : (v >= m_Upper ? -1 : 0); });
  for (unsigned int number = 0; number < m_NumberOfRandomDirections; ++number)
  {
    sweep(AlongRandomSigns(inward, false, number, engine));
    sweep(AlongRandomSigns(inward, true, number, engine));
  }
  return report;
}

DerivativeSweep
DerivativeChecker::CheckScalar(const ScalarFunction & f, double x, double derivative) const
{
  return this->CheckDirectional([&f](const VectorType & v) { return f(v.front()); }, { x }, { 1.0 }, { derivative });
}

DerivativeSweep
DerivativeChecker::CheckDirectional(const Objective &  f,
                                    const VectorType & x,
                                    const VectorType & direction,
                                    const VectorType & gradient) const
{
  this->RefuseBadAnchor(x, gradient);
  RefuseUnequalLengths("The direction", direction.size(), "the anchor", x.size());
  RefuseNotPositive("The squared length of the direction", Dot(direction, direction));
  return DerivativeSweeper(*this, WithMagnitude(f), m_FunctionPrecision, x, direction, gradient).Run("given direction");
}

DerivativeReport
DerivativeChecker::CheckGradient(const Objective & f, const VectorType & x, const VectorType & gradient) const
{
  return this->SweepAll(WithMagnitude(f), m_FunctionPrecision, x, gradient);
}

DerivativeReport
DerivativeChecker::CheckAdjoint(const Operator &   apply,
                                const VectorType & x,
                                const VectorType & cotangent,
                                const VectorType & pulledBack) const
{
  const auto evaluate = [&](const VectorType & at) {
    const VectorType result = apply(at);
    RefuseUnequalLengths("The operator's result", result.size(), "the cotangent", cotangent.size());
    return ValueAndMagnitude{ Dot(result, cotangent), DotOfMagnitudes(result, cotangent) };
  };
  const double summation = UnitRoundoff * static_cast<double>(cotangent.size());
  return this->SweepAll(evaluate, m_FunctionPrecision + summation, x, pulledBack);
}

DerivativeReport
DerivativeChecker::CheckImageAdjoint(const ImageOperator & apply,
                                     const ImageType *     x,
                                     const ImageType *     cotangent,
                                     const ImageType *     pulledBack) const
{
  DerivativeChecker checker = *this;
  checker.SetStorage(StorageEnum::Binary32);
  const auto applyToValues = [&](const VectorType & values) { return Values(*apply(ImageOf(values, *x))); };
  return checker.CheckAdjoint(applyToValues, Values(*x), Values(*cotangent), Values(*pulledBack));
}

bool
DerivativeReport::Passed() const
{
  return !sweeps.empty() &&
         std::all_of(sweeps.begin(), sweeps.end(), [](const DerivativeSweep & sweep) { return sweep.Passed(); });
}

std::ostream &
operator<<(std::ostream & out, DerivativeCheckerEnums::Storage value)
{
  switch (value)
  {
    case DerivativeCheckerEnums::Storage::Binary32:
      return out << "itk::DerivativeCheckerEnums::Storage::Binary32";
    case DerivativeCheckerEnums::Storage::Binary64:
      return out << "itk::DerivativeCheckerEnums::Storage::Binary64";
  }
  return out << "INVALID VALUE FOR itk::DerivativeCheckerEnums::Storage";
}

std::ostream &
operator<<(std::ostream & out, DerivativeCheckerEnums::Stencil value)
{
  switch (value)
  {
    case DerivativeCheckerEnums::Stencil::Centred:
      return out << "itk::DerivativeCheckerEnums::Stencil::Centred";
    case DerivativeCheckerEnums::Stencil::Forward:
      return out << "itk::DerivativeCheckerEnums::Stencil::Forward";
    case DerivativeCheckerEnums::Stencil::Backward:
      return out << "itk::DerivativeCheckerEnums::Stencil::Backward";
  }
  return out << "INVALID VALUE FOR itk::DerivativeCheckerEnums::Stencil";
}

std::ostream &
operator<<(std::ostream & out, DerivativeCheckerEnums::Outcome value)
{
  switch (value)
  {
    case DerivativeCheckerEnums::Outcome::Evaluated:
      return out << "itk::DerivativeCheckerEnums::Outcome::Evaluated";
    case DerivativeCheckerEnums::Outcome::Collapsed:
      return out << "itk::DerivativeCheckerEnums::Outcome::Collapsed";
    case DerivativeCheckerEnums::Outcome::Unequal:
      return out << "itk::DerivativeCheckerEnums::Outcome::Unequal";
    case DerivativeCheckerEnums::Outcome::OutsideDomain:
      return out << "itk::DerivativeCheckerEnums::Outcome::OutsideDomain";
    case DerivativeCheckerEnums::Outcome::Plateau:
      return out << "itk::DerivativeCheckerEnums::Outcome::Plateau";
    case DerivativeCheckerEnums::Outcome::NotFinite:
      return out << "itk::DerivativeCheckerEnums::Outcome::NotFinite";
  }
  return out << "INVALID VALUE FOR itk::DerivativeCheckerEnums::Outcome";
}

std::ostream &
operator<<(std::ostream & out, DerivativeCheckerEnums::Verdict value)
{
  switch (value)
  {
    case DerivativeCheckerEnums::Verdict::Agrees:
      return out << "itk::DerivativeCheckerEnums::Verdict::Agrees";
    case DerivativeCheckerEnums::Verdict::Disagrees:
      return out << "itk::DerivativeCheckerEnums::Verdict::Disagrees";
    case DerivativeCheckerEnums::Verdict::Inconclusive:
      return out << "itk::DerivativeCheckerEnums::Verdict::Inconclusive";
    case DerivativeCheckerEnums::Verdict::NotFinite:
      return out << "itk::DerivativeCheckerEnums::Verdict::NotFinite";
  }
  return out << "INVALID VALUE FOR itk::DerivativeCheckerEnums::Verdict";
}

namespace
{

/** The part behind the last colon. */
template <typename TEnum>
std::string
WordOf(TEnum value)
{
  std::ostringstream text;
  text << value;
  return text.str().substr(text.str().rfind(':') + 1);
}

void
PrintRecord(std::ostream & text, const DerivativeStepRecord & record)
{
  text << (record.decisive ? '*' : ' ') << (record.convergent ? 'c' : ' ') << " 2^-" << std::left << std::setw(5)
       << record.exponent << std::setw(9) << WordOf(record.stencil) << std::right;
  for (const double number : { record.realisedStep,
                               record.estimate,
                               record.analytic,
                               record.error,
                               record.rounding,
                               record.truncation,
                               record.tolerance })
  {
    text << ' ' << std::setw(13) << number;
  }
  text << "  " << WordOf(record.outcome) << '\n';
}

} // namespace

std::ostream &
operator<<(std::ostream & out, const DerivativeSweep & sweep)
{
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text << std::scientific << std::setprecision(5);
  text << sweep.direction << ": " << WordOf(sweep.verdict) << ". " << sweep.reason << " Noise ratio "
       << sweep.noiseRatio << ".\n   step   stencil       realised      estimate      analytic         error"
       << "      rounding    truncation     tolerance  outcome (*: decisive, c: convergent)\n";
  for (const DerivativeStepRecord & record : sweep.records)
  {
    PrintRecord(text, record);
  }
  return out << text.str();
}

std::ostream &
operator<<(std::ostream & out, const DerivativeReport & report)
{
  for (const DerivativeSweep & sweep : report.sweeps)
  {
    out << sweep;
  }
  return out;
}

} // namespace itk
