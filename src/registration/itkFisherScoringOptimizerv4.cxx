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
#include "itkFisherScoringOptimizerv4.h"

#include "registration/itkInformationSpectrum.h"
#include "registration/itkRigidMotionUpdate.h"

#include "itkContinuousIndex.h"
#include "itkImage.h"
#include "itkNumberToString.h"
#include "itkObjectToObjectMetric.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace itk
{

namespace
{

/** Below this fraction of the value, a decrease may be rounding. */
constexpr double ValueResolution = 1e-10;

std::string
TextOf(double value)
{
  return NumberToString<double>()(value);
}

vnl_matrix<double>
Magnitudes(const vnl_matrix<double> & matrix)
{
  return matrix.apply([](double element) { return std::abs(element); });
}

/** B^T H B. A diagonal element that is nothing but the rounding of its terms is 0, so that a direction that the value
 * does not see is not scaled up to one that it does. */
vnl_matrix<double>
ChangeBasis(const vnl_matrix<double> & information, const vnl_matrix<double> & basis, double singularity)
{
  vnl_matrix<double>       changed = basis.transpose() * information * basis;
  const vnl_matrix<double> terms = Magnitudes(basis).transpose() * Magnitudes(information) * Magnitudes(basis);
  for (unsigned int i = 0; i < changed.rows(); ++i)
  {
    if (changed(i, i) <= singularity * terms(i, i))
    {
      changed.set_row(i, 0.0);
      changed.set_column(i, 0.0);
    }
  }
  return changed;
}

/** The parameters whose weight is not 0. */
std::vector<unsigned int>
FindFreeParameters(unsigned int count, const Array<double> & weights)
{
  std::vector<unsigned int> free;
  for (unsigned int i = 0; i < count; ++i)
  {
    if (weights.Size() == 0 || weights[i] != 0.0)
    {
      free.push_back(i);
    }
  }
  return free;
}

/** Free parameters as columns, to be multiplied with. There is at least one. */
vnl_matrix<double>
MakeFreeDirections(unsigned int count, const std::vector<unsigned int> & free)
{
  vnl_matrix<double> all(count, count);
  all.set_identity();
  return all.get_columns(vnl_vector<unsigned int>(free.data(), free.size()));
}

} // namespace

std::ostream &
operator<<(std::ostream & out, FisherScoringOptimizerv4Enums::Update value)
{
  return out << (value == FisherScoringOptimizerv4Enums::Update::Parameters ? "Parameters" : "RigidMotion");
}

std::ostream &
operator<<(std::ostream & out, FisherScoringOptimizerv4Enums::StopCondition value)
{
  static const char * const names[] = { "None",           "Stationary",   "NumberOfIterations",
                                        "LargestDamping", "InvalidStart", "NoInformation",
                                        "Abandoned",      "Stopped",      "MetricError" };
  return out << names[static_cast<std::size_t>(value)];
}

struct FisherScoringOptimizerv4::Evaluation
{
  /** The metric vouches for it, and all numbers are finite. */
  bool           isUsable{ false };
  double         value{ 0.0 };
  DerivativeType derivative;
  MatrixType     information;
  double         stationarity{ std::numeric_limits<double>::infinity() };
  /** At least one direction of the free parameters is determined. */
  bool isDetermined{ false };
};

/** A damped step: coordinates along `basis`, which are `change` of the parameters to first order. */
struct FisherScoringOptimizerv4::Step
{
  vnl_matrix<double> basis;
  vnl_vector<double> coordinates;
  vnl_vector<double> change;
  /** By how much the quadratic model falls. */
  double predictedDecrease{ 0.0 };
};

/** What is determined of the free parameters. */
struct FisherScoringOptimizerv4::Determination
{
  /** The free parameters as columns. */
  vnl_matrix<double>  free;
  InformationSpectrum spectrum;
};

std::unique_ptr<FisherScoringOptimizerv4::Determination>
FisherScoringOptimizerv4::Decompose(const MatrixType & information) const
{
  const auto free = FindFreeParameters(information.rows(), this->m_Weights);
  if (free.empty())
  {
    return nullptr;
  }
  const vnl_matrix<double> directions = MakeFreeDirections(information.rows(), free);
  const vnl_matrix<double> ofFree = directions.transpose() * information * directions;
  return std::make_unique<Determination>(Determination{ directions, { ofFree, m_SingularityTolerance } });
}

FisherScoringOptimizerv4::Step
FisherScoringOptimizerv4::SolveStep() const
{
  Step step;
  step.basis = m_RigidMotion ? m_RigidMotion->ComputeBasis() : this->Decompose(m_Information)->free;
  const vnl_matrix<double> information = ChangeBasis(m_Information, step.basis, m_SingularityTolerance);
  const vnl_vector<double> derivative = m_Derivative * step.basis;
  step.coordinates = InformationSpectrum(information, m_SingularityTolerance).Solve(derivative, m_Damping);
  step.change = step.basis * step.coordinates;
  step.predictedDecrease = dot_product(step.coordinates, derivative - information * step.coordinates / 2.0);
  return step;
}

FisherScoringOptimizerv4::FisherScoringOptimizerv4()
{
  this->m_NumberOfIterations = 100;
}

FisherScoringOptimizerv4::~FisherScoringOptimizerv4() = default;

void
FisherScoringOptimizerv4::SetRotationCenter(const PointType & center)
{
  if (!m_RotationCenterIsGiven || center != m_RotationCenter)
  {
    m_RotationCenter = center;
    m_RotationCenterIsGiven = true;
    this->Modified();
  }
}

void
FisherScoringOptimizerv4::SetAbandonment(AbandonmentType abandonment)
{
  m_Abandonment = std::move(abandonment);
  this->Modified();
}

void
FisherScoringOptimizerv4::RefuseBadSettings() const
{
  if (this->m_Metric.IsNull())
  {
    itkExceptionMacro("There is no metric: give one with SetMetric().");
  }
  if (dynamic_cast<const FisherInformationProvider *>(this->m_Metric.GetPointer()) == nullptr)
  {
    itkExceptionMacro("" << this->m_Metric->GetNameOfClass()
                         << " offers no information matrix: give a metric that is a FisherInformationProvider, or take "
                            "another optimizer.");
  }
  if (!(m_InitialDamping > 0.0 && m_LargestDamping >= m_InitialDamping))
  {
    itkExceptionMacro("The initial damping, " << TextOf(m_InitialDamping)
                                              << ", must be greater than 0 and at most the largest, "
                                              << TextOf(m_LargestDamping) << '.');
  }
  if (!(m_StationarityTolerance >= 0.0 && m_SingularityTolerance >= 0.0 && m_SingularityTolerance < 1.0))
  {
    itkExceptionMacro("StationarityTolerance, "
                      << TextOf(m_StationarityTolerance) << ", must be 0 or more; SingularityTolerance, "
                      << TextOf(m_SingularityTolerance) << ", must be 0 or more and below 1.");
  }
  this->RefuseBadWeights();
}

void
FisherScoringOptimizerv4::RefuseBadWeights() const
{
  for (unsigned int i = 0; i < this->m_Weights.Size(); ++i)
  {
    const double weight = this->m_Weights[i];
    if (weight != 0.0 && weight != 1.0)
    {
      itkExceptionMacro("Weight " << i << " is " << TextOf(weight)
                                  << "; it must be 0 (the parameter is held) or 1: a step does not depend on weights.");
    }
    if (weight == 0.0 && m_Update == UpdateEnum::RigidMotion)
    {
      itkExceptionMacro("Weight " << i << " is 0, but a rigid motion cannot hold a parameter: use Update::Parameters.");
    }
  }
}

void
FisherScoringOptimizerv4::PrepareRigidMotion()
{
  m_RigidMotion.reset();
  if (m_Update == UpdateEnum::Parameters)
  {
    return;
  }
  using MetricWithTransformType = ObjectToObjectMetric<3, 3, Image<float, 3>, double>;
  auto * const metric = dynamic_cast<MetricWithTransformType *>(this->m_Metric.GetPointer());
  if (metric == nullptr)
  {
    itkExceptionMacro("" << this->m_Metric->GetNameOfClass()
                         << " has no moving transform of three dimensions: use Update::Parameters.");
  }
  if (!m_RotationCenterIsGiven)
  {
    const auto &               region = metric->GetVirtualRegion();
    ContinuousIndex<double, 3> middle;
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      const double size = static_cast<double>(region.GetSize(axis));
      middle[axis] = static_cast<double>(region.GetIndex(axis)) + (size - 1.0) / 2.0;
    }
    metric->GetVirtualImage()->TransformContinuousIndexToPhysicalPoint(middle, m_RotationCenter);
  }
  m_RigidMotion = std::make_unique<RigidMotionUpdate>(*metric->GetModifiableMovingTransform(), m_RotationCenter);
}

void
FisherScoringOptimizerv4::StartOptimization(bool doOnlyInitialization)
{
  Superclass::StartOptimization(doOnlyInitialization);
  this->RefuseBadSettings();
  this->m_CurrentIteration = 0;
  m_Damping = m_InitialDamping;
  m_DampingGrowth = 2.0;
  m_Trace.clear();
  m_StopCondition = StopConditionEnum::None;
  m_StopConditionDescription.clear();
  if (!doOnlyInitialization)
  {
    this->ResumeOptimization();
  }
}

void
FisherScoringOptimizerv4::ResumeOptimization()
{
  this->RefuseBadSettings();
  this->PrepareRigidMotion();
  m_Stop = false;
  m_StopCondition = StopConditionEnum::None;
  m_StopConditionDescription.clear();
  m_Position = this->m_Metric->GetParameters();
  this->InvokeEvent(StartEvent());
  try
  {
    if (this->EvaluateStart())
    {
      while (!this->EndIfDone())
      {
        this->TryStep();
      }
    }
  }
  catch (...)
  {
    this->m_Metric->SetParameters(m_Position);
    this->End(StopConditionEnum::MetricError, "the metric threw an exception");
    throw;
  }
  this->InvokeEvent(EndEvent());
}

void
FisherScoringOptimizerv4::StopOptimization()
{
  m_Stop = true;
}

void
FisherScoringOptimizerv4::End(StopConditionEnum condition, const std::string & why)
{
  m_StopCondition = condition;
  m_StopConditionDescription = why;
}

FisherScoringOptimizerv4::Evaluation
FisherScoringOptimizerv4::Evaluate() const
{
  const auto & provider = dynamic_cast<const FisherInformationProvider &>(*this->m_Metric);
  Evaluation   evaluation;
  const bool   isValid =
    provider.GetValueDerivativeAndInformation(evaluation.value, evaluation.derivative, evaluation.information);
  const auto   isFinite = [](double number) { return std::isfinite(number); };
  const auto & derivative = evaluation.derivative;
  const auto & information = evaluation.information;
  evaluation.isUsable = isValid && isFinite(evaluation.value) &&
                        std::all_of(derivative.begin(), derivative.end(), isFinite) &&
                        std::all_of(information.begin(), information.end(), isFinite);
  if (evaluation.isUsable)
  {
    const auto determination = this->Decompose(information);
    evaluation.isDetermined = determination && determination->spectrum.IsDetermined();
    evaluation.stationarity =
      determination ? determination->spectrum.ComputeLength(derivative * determination->free) : 0.0;
  }
  return evaluation;
}

void
FisherScoringOptimizerv4::Accept(const Evaluation & evaluation)
{
  m_Position = this->m_Metric->GetParameters();
  this->m_CurrentMetricValue = evaluation.value;
  m_Derivative = evaluation.derivative;
  m_Information = evaluation.information;
  m_Stationarity = evaluation.stationarity;
  m_IsDetermined = evaluation.isDetermined;
}

bool
FisherScoringOptimizerv4::EvaluateStart()
{
  const Evaluation start = this->Evaluate();
  this->Accept(start);
  m_Trace.push_back({ start.value, start.stationarity, 0.0, start.isUsable, m_Position });
  if (!start.isUsable)
  {
    this->End(StopConditionEnum::InvalidStart,
              "the metric's value means nothing at the start: the object is out of every view, the transform has no "
              "inverse, or a number is not finite");
  }
  return start.isUsable;
}

bool
FisherScoringOptimizerv4::EndIfDone()
{
  const std::string rest = "; the optimum is " + TextOf(m_Stationarity) + " standard errors away";
  if (!m_IsDetermined)
  {
    this->End(StopConditionEnum::NoInformation, "the information is 0: no free parameter is determined");
  }
  else if (m_Stationarity <= m_StationarityTolerance)
  {
    this->End(StopConditionEnum::Stationary,
              "stationary, StationarityTolerance is " + TextOf(m_StationarityTolerance) + rest);
  }
  else if (m_StopCondition == StopConditionEnum::Abandoned)
  {
    this->End(StopConditionEnum::Abandoned, "abandoned by the function given to SetAbandonment()" + rest);
  }
  else if (m_Stop)
  {
    this->End(StopConditionEnum::Stopped, "StopOptimization() was called" + rest);
  }
  else if (this->m_CurrentIteration >= this->m_NumberOfIterations)
  {
    this->End(StopConditionEnum::NumberOfIterations,
              "NumberOfIterations, " + std::to_string(this->m_NumberOfIterations) + ", steps were tried" + rest);
  }
  else if (!(m_Damping <= m_LargestDamping))
  {
    this->End(StopConditionEnum::LargestDamping,
              "LargestDamping, " + TextOf(m_LargestDamping) + ", was reached, no step lowers the value" + rest);
  }
  return m_StopCondition != StopConditionEnum::None;
}

void
FisherScoringOptimizerv4::MoveBy(const Step & step)
{
  if (m_RigidMotion)
  {
    m_RigidMotion->Move(step.basis, step.coordinates);
    return;
  }
  ParametersType parameters = m_Position;
  parameters += step.change;
  this->m_Metric->SetParameters(parameters);
}

double
FisherScoringOptimizerv4::ComputeGain(const Step & step, const Evaluation & trial) const
{
  // What the whole way to the optimum promises.
  const double promise = m_Stationarity * m_Stationarity / 2.0;
  const double decrease = promise > ValueResolution * std::abs(this->m_CurrentMetricValue)
                            ? this->m_CurrentMetricValue - trial.value
                            : dot_product(step.change, m_Derivative + trial.derivative) / 2.0;
  return decrease / step.predictedDecrease;
}

void
FisherScoringOptimizerv4::TryStep()
{
  const Step step = this->SolveStep();
  this->MoveBy(step);
  const Evaluation trial = this->Evaluate();
  const double     gain = trial.isUsable ? this->ComputeGain(step, trial) : 0.0;
  const bool       isBetter = gain > 0.0;
  m_Trace.push_back({ trial.value, trial.stationarity, m_Damping, isBetter, this->m_Metric->GetParameters() });
  if (isBetter)
  {
    this->Accept(trial);
    const double distance = 2.0 * gain - 1.0;
    m_Damping *= std::max(1.0 / 3.0, 1.0 - distance * distance * distance);
    m_DampingGrowth = 2.0;
  }
  else
  {
    this->m_Metric->SetParameters(m_Position);
    m_Damping *= m_DampingGrowth;
    m_DampingGrowth *= 2.0;
  }
  ++this->m_CurrentIteration;
  this->InvokeEvent(IterationEvent());
  if (isBetter && m_Abandonment && m_Abandonment(*this))
  {
    m_StopCondition = StopConditionEnum::Abandoned;
  }
}

FisherScoringOptimizerv4::MatrixType
FisherScoringOptimizerv4::GetCovariance() const
{
  const auto determination = this->Decompose(m_Information);
  if (!determination)
  {
    return MatrixType(m_Information.rows(), m_Information.columns(), 0.0);
  }
  const vnl_matrix<double> & free = determination->free;
  return free * determination->spectrum.ComputeInverse() * free.transpose();
}

FisherScoringOptimizerv4::DirectionsType
FisherScoringOptimizerv4::GetUndeterminedDirections() const
{
  DirectionsType directions;
  if (const auto determination = this->Decompose(m_Information))
  {
    for (const vnl_vector<double> & direction : determination->spectrum.GetUndeterminedDirections())
    {
      directions.emplace_back(determination->free * direction);
    }
  }
  return directions;
}

const FisherScoringOptimizerv4::StopConditionReturnStringType
FisherScoringOptimizerv4::GetStopConditionDescription() const
{
  std::string text = std::string(this->GetNameOfClass()) + ": " + m_StopConditionDescription;
  if (m_IsDetermined)
  {
    for (const auto & direction : this->GetUndeterminedDirections())
    {
      text += "; this change of the parameters is undetermined:";
      for (const double element : direction)
      {
        text += ' ' + TextOf(element);
      }
    }
  }
  return text + '.';
}

void
FisherScoringOptimizerv4::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "Update: " << m_Update << std::endl;
  os << indent << "RotationCenter: " << m_RotationCenter << std::endl;
  os << indent << "RotationCenterIsGiven: " << (m_RotationCenterIsGiven ? "yes" : "no") << std::endl;
  os << indent << "StationarityTolerance: " << m_StationarityTolerance << std::endl;
  os << indent << "InitialDamping: " << m_InitialDamping << std::endl;
  os << indent << "LargestDamping: " << m_LargestDamping << std::endl;
  os << indent << "SingularityTolerance: " << m_SingularityTolerance << std::endl;
  os << indent << "Abandonment: " << (m_Abandonment ? "given" : "none") << std::endl;
  os << indent << "Stop: " << (m_Stop ? "asked for" : "not asked for") << std::endl;
  os << indent << "StopCondition: " << m_StopCondition << std::endl;
  os << indent << "StopConditionDescription: " << m_StopConditionDescription << std::endl;
  os << indent << "Damping: " << m_Damping << std::endl;
  os << indent << "DampingGrowth: " << m_DampingGrowth << std::endl;
  os << indent << "Stationarity: " << m_Stationarity << std::endl;
  os << indent << "IsDetermined: " << (m_IsDetermined ? "yes" : "no") << std::endl;
  os << indent << "Trace: " << m_Trace.size() << " evaluations" << std::endl;
  os << indent << "Position: " << m_Position << std::endl;
  os << indent << "Derivative: " << m_Derivative << std::endl;
  os << indent << "Information:" << std::endl << m_Information;
  os << indent << "RigidMotion: " << (m_RigidMotion ? "prepared" : "none") << std::endl;
}

} // namespace itk
