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

#include "LandmarkMetric.h"
#include "Refusal.h"

#include "itkAffineTransform.h"
#include "itkCenteredEuler3DTransform.h"
#include "itkCommand.h"
#include "itkCompositeTransform.h"
#include "itkEuler3DTransform.h"
#include "itkImageRegistrationMethodv4.h"
#include "itkMath.h"
#include "itkScaleSkewVersor3DTransform.h"
#include "itkScaleTransform.h"
#include "itkSimilarity3DTransform.h"
#include "itkTranslationTransform.h"
#include "itkVersorRigid3DTransform.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <stdexcept>

namespace
{

using itk::FisherScoringOptimizerv4;
using testimages::Refusal;
using testmetrics::LandmarkMetric;
using testmetrics::ResidualMetric;
using StopCondition = FisherScoringOptimizerv4::StopConditionEnum;
using Update = FisherScoringOptimizerv4::UpdateEnum;
using Parameters = FisherScoringOptimizerv4::ParametersType;
using EulerType = itk::Euler3DTransform<double>;

Parameters
MakeParameters(std::initializer_list<double> values)
{
  Parameters parameters(values.size());
  std::copy(values.begin(), values.end(), parameters.begin());
  return parameters;
}

/** J. J. More, B. S. Garbow and K. E. Hillstrom, ACM Trans. Math. Softw. 7 (1981) 17, problem 1. */
bool
Rosenbrock(const vnl_vector<double> & x, vnl_vector<double> & residuals, vnl_matrix<double> & jacobian)
{
  residuals.set_size(2);
  residuals[0] = 10.0 * (x[1] - x[0] * x[0]);
  residuals[1] = 1.0 - x[0];
  jacobian.set_size(2, 2);
  jacobian(0, 0) = -20.0 * x[0];
  jacobian(0, 1) = 10.0;
  jacobian(1, 0) = -1.0;
  jacobian(1, 1) = 0.0;
  return true;
}

ResidualMetric::Pointer
MakeRosenbrock()
{
  auto metric = ResidualMetric::New();
  metric->model = Rosenbrock;
  metric->parameters = MakeParameters({ -1.2, 1.0 });
  return metric;
}

FisherScoringOptimizerv4::Pointer
MakeOptimizer(FisherScoringOptimizerv4::MetricType * metric)
{
  auto optimizer = FisherScoringOptimizerv4::New();
  optimizer->SetMetric(metric);
  return optimizer;
}

itk::CStyleCommand::Pointer
ObserveIterations(FisherScoringOptimizerv4 & optimizer, std::function<void(FisherScoringOptimizerv4 &)> & function)
{
  auto command = itk::CStyleCommand::New();
  command->SetClientData(&function);
  command->SetCallback([](itk::Object * caller, const itk::EventObject &, void * data) {
    (*static_cast<std::function<void(FisherScoringOptimizerv4 &)> *>(data))(
      dynamic_cast<FisherScoringOptimizerv4 &>(*caller));
  });
  optimizer.AddObserver(itk::IterationEvent(), command);
  return command;
}

/** Sets a transform to a pose that is a few degrees and centimetres off. */
template <typename TTransform>
void
Turn(TTransform & transform, double angle, double shift)
{
  typename TTransform::OutputVectorType axis;
  axis[0] = 0.6;
  axis[1] = -0.48;
  axis[2] = 0.64;
  const auto rotation = itk::AffineTransform<double, 3>::New();
  rotation->Rotate3D(axis, angle);
  typename TTransform::OutputVectorType translation;
  translation[0] = shift;
  translation[1] = -0.5 * shift;
  translation[2] = 2.0 * shift;
  transform.SetMatrix(rotation->GetMatrix());
  transform.SetTranslation(translation);
}

LandmarkMetric::Pointer
MakeLandmarks(const LandmarkMetric::MovingTransformType & truth, LandmarkMetric::MovingTransformType & start)
{
  auto metric = LandmarkMetric::New();
  metric->SetPairs(truth);
  metric->SetMovingTransform(&start);
  metric->Initialize();
  return metric;
}

double
LargestTargetError(const LandmarkMetric & metric)
{
  double largest = 0.0;
  for (const auto & pair : metric.pairs)
  {
    largest =
      std::max(largest, metric.GetMovingTransform()->TransformPoint(pair.fixed).EuclideanDistanceTo(pair.moving));
  }
  return largest;
}

} // namespace

TEST(FisherScoringOptimizer, FindsTheMinimumOfRosenbrocksValley)
{
  const auto metric = MakeRosenbrock();
  const auto optimizer = MakeOptimizer(metric);
  optimizer->SetStationarityTolerance(1e-10);
  optimizer->StartOptimization();
  EXPECT_EQ(optimizer->GetStopCondition(), StopCondition::Stationary) << optimizer->GetStopConditionDescription();
  EXPECT_NEAR(metric->parameters[0], 1.0, 1e-9);
  EXPECT_NEAR(metric->parameters[1], 1.0, 1e-9);
  EXPECT_LT(optimizer->GetCurrentIteration(), 40U);
  EXPECT_EQ(metric->evaluations, optimizer->GetCurrentIteration() + 1);
}

// Every step that stays lowers the value, every other one is taken back; the trace says which.
TEST(FisherScoringOptimizer, TraceHasTheStartAndEveryStep)
{
  const auto                                      metric = MakeRosenbrock();
  const auto                                      optimizer = MakeOptimizer(metric);
  size_t                                          events = 0;
  size_t                                          rejected = 0;
  std::function<void(FisherScoringOptimizerv4 &)> observe = [&](FisherScoringOptimizerv4 & caller) {
    ++events;
    EXPECT_EQ(caller.GetCurrentIteration(), events);
    const auto & trace = caller.GetTrace();
    ASSERT_EQ(trace.size(), events + 1);
    auto lastAccepted = trace.rbegin();
    while (!lastAccepted->accepted)
    {
      ++lastAccepted;
    }
    rejected += trace.back().accepted ? 0 : 1;
    EXPECT_EQ(caller.GetCurrentMetricValue(), lastAccepted->value);
    EXPECT_EQ(caller.GetStationarity(), lastAccepted->stationarity);
    EXPECT_EQ(caller.GetCurrentPosition(), lastAccepted->parameters);
    EXPECT_GT(trace.back().damping, 0.0);
  };
  ObserveIterations(*optimizer, observe);
  optimizer->StartOptimization();
  EXPECT_EQ(events, optimizer->GetCurrentIteration());
  EXPECT_GT(rejected, 0U);
  double best = std::numeric_limits<double>::max();
  for (const auto & entry : optimizer->GetTrace())
  {
    EXPECT_EQ(entry.accepted, entry.value < best);
    best = std::min(best, entry.value);
  }
}

// sqrt(g^T H^-1 g) of a quadratic is the distance in standard errors, half its square what is left of the value.
TEST(FisherScoringOptimizer, StationarityIsTheDistanceInStandardErrors)
{
  const auto metric = ResidualMetric::New();
  metric->model = [](const vnl_vector<double> & x, vnl_vector<double> & residuals, vnl_matrix<double> & jacobian) {
    const double elements[] = { 3.0, 1.0, 0.0, 200.0 };
    jacobian = vnl_matrix<double>(elements, 2, 2);
    residuals = jacobian * x;
    return true;
  };
  metric->parameters = MakeParameters({ 0.5, -0.02 });
  const auto optimizer = MakeOptimizer(metric);
  optimizer->SetNumberOfIterations(0);
  optimizer->StartOptimization();
  EXPECT_EQ(optimizer->GetStopCondition(), StopCondition::NumberOfIterations);
  const double expected = std::sqrt(2.0 * optimizer->GetCurrentMetricValue());
  EXPECT_NEAR(optimizer->GetStationarity(), expected, 1e-12 * expected);
  // (J^T J)^-1
  const auto covariance = optimizer->GetCovariance();
  EXPECT_NEAR(covariance(0, 0), (1.0 + 200.0 * 200.0) / (600.0 * 600.0), 1e-12);
  EXPECT_NEAR(covariance(0, 1), -3.0 / (600.0 * 600.0), 1e-12);
  EXPECT_NEAR(covariance(1, 1), 9.0 / (600.0 * 600.0), 1e-12);
}

TEST(FisherScoringOptimizer, StaysAtTheOptimum)
{
  const auto metric = MakeRosenbrock();
  metric->parameters = MakeParameters({ 1.0, 1.0 });
  const auto optimizer = MakeOptimizer(metric);
  optimizer->StartOptimization();
  EXPECT_EQ(optimizer->GetStopCondition(), StopCondition::Stationary);
  EXPECT_EQ(optimizer->GetCurrentIteration(), 0U);
  EXPECT_EQ(metric->parameters, MakeParameters({ 1.0, 1.0 }));
  EXPECT_EQ(metric->evaluations, 1U);
}

// The metric says that the valley's far side means nothing, and lures there with small values.
TEST(FisherScoringOptimizer, NeverAcceptsAnInvalidEvaluation)
{
  for (const bool isNaN : { false, true })
  {
    const auto metric = MakeRosenbrock();
    metric->model =
      [isNaN](const vnl_vector<double> & x, vnl_vector<double> & residuals, vnl_matrix<double> & jacobian) {
        Rosenbrock(x, residuals, jacobian);
        if (x[1] < 0.2)
        {
          residuals.fill(isNaN ? std::numeric_limits<double>::quiet_NaN() : 0.0);
          return isNaN;
        }
        return true;
      };
    const auto optimizer = MakeOptimizer(metric);
    optimizer->StartOptimization();
    size_t rejected = 0;
    for (const auto & entry : optimizer->GetTrace())
    {
      EXPECT_TRUE(!entry.accepted || entry.parameters[1] >= 0.2);
      rejected += entry.parameters[1] < 0.2 ? 1 : 0;
    }
    EXPECT_GT(rejected, 0U);
    EXPECT_TRUE(std::isfinite(optimizer->GetCurrentMetricValue()));
    EXPECT_GE(metric->parameters[1], 0.2);
  }
}

TEST(FisherScoringOptimizer, SaysThatTheStartIsInvalid)
{
  const auto metric = MakeRosenbrock();
  metric->model = [](const vnl_vector<double> & x, vnl_vector<double> & residuals, vnl_matrix<double> & jacobian) {
    Rosenbrock(x, residuals, jacobian);
    return false;
  };
  const auto optimizer = MakeOptimizer(metric);
  optimizer->StartOptimization();
  EXPECT_EQ(optimizer->GetStopCondition(), StopCondition::InvalidStart);
  EXPECT_EQ(metric->evaluations, 1U);
  EXPECT_EQ(metric->parameters, MakeParameters({ -1.2, 1.0 }));
  EXPECT_NE(optimizer->GetStopConditionDescription().find("out of every view"), std::string::npos);
}

// A derivative that points uphill: no step is short enough.
TEST(FisherScoringOptimizer, SaysThatDampingReachedItsLargestValue)
{
  const auto metric = MakeRosenbrock();
  metric->model = [](const vnl_vector<double> & x, vnl_vector<double> & residuals, vnl_matrix<double> & jacobian) {
    Rosenbrock(x, residuals, jacobian);
    jacobian *= -1.0;
    return true;
  };
  const auto optimizer = MakeOptimizer(metric);
  optimizer->StartOptimization();
  EXPECT_EQ(optimizer->GetStopCondition(), StopCondition::LargestDamping);
  EXPECT_EQ(metric->parameters, MakeParameters({ -1.2, 1.0 }));
  EXPECT_NE(optimizer->GetStopConditionDescription().find("LargestDamping"), std::string::npos);
}

// Three parameters of which the value sees two combinations: the others' optimum is found, the third direction is left
// alone and named.
TEST(FisherScoringOptimizer, NamesADirectionThatTheInformationDoesNotSee)
{
  const auto metric = ResidualMetric::New();
  metric->model = [](const vnl_vector<double> & x, vnl_vector<double> & residuals, vnl_matrix<double> & jacobian) {
    const double elements[] = { 1.0, -2.0, 0.0, 0.0, 0.0, 1e3, 2.0, -4.0, 1e3 };
    jacobian = vnl_matrix<double>(elements, 3, 3);
    const double targets[] = { 1.0, 5e3, 5e3 + 2.0 };
    residuals = jacobian * x - vnl_vector<double>(targets, 3);
    return true;
  };
  metric->parameters = MakeParameters({ 10.0, 7.0, 0.0 });
  const auto optimizer = MakeOptimizer(metric);
  optimizer->StartOptimization();
  EXPECT_EQ(optimizer->GetStopCondition(), StopCondition::Stationary) << optimizer->GetStopConditionDescription();
  EXPECT_NEAR(metric->parameters[0] - 2.0 * metric->parameters[1], 1.0, 1e-3);
  EXPECT_NEAR(metric->parameters[2], 5.0, 1e-5);
  // Orthogonal to the direction (2, 1, 0) with diag(H) = (5, 20, ...) as metric.
  EXPECT_NEAR(10.0 * (metric->parameters[0] - 10.0) + 20.0 * (metric->parameters[1] - 7.0), 0.0, 1e-6);
  const auto directions = optimizer->GetUndeterminedDirections();
  ASSERT_EQ(directions.size(), 1U);
  EXPECT_NEAR(std::abs(directions[0][0]), 2.0 / std::sqrt(5.0), 1e-9);
  EXPECT_NEAR(std::abs(directions[0][1]), 1.0 / std::sqrt(5.0), 1e-9);
  EXPECT_NEAR(directions[0][2], 0.0, 1e-9);
  EXPECT_NE(optimizer->GetStopConditionDescription().find("undetermined"), std::string::npos);
  // The covariance is that of what is determined: not of the direction's own.
  const auto covariance = optimizer->GetCovariance();
  EXPECT_TRUE(std::isfinite(covariance.absolute_value_max()));
}

TEST(FisherScoringOptimizer, AParameterWithoutInfluenceStaysWhereItIs)
{
  const auto metric = MakeRosenbrock();
  metric->model = [](const vnl_vector<double> & x, vnl_vector<double> & residuals, vnl_matrix<double> & jacobian) {
    vnl_matrix<double> two;
    Rosenbrock(x.extract(2), residuals, two);
    jacobian.set_size(2, 3);
    jacobian.fill(0.0);
    jacobian.update(two);
    return true;
  };
  metric->parameters = MakeParameters({ -1.2, 1.0, 42.0 });
  const auto optimizer = MakeOptimizer(metric);
  optimizer->StartOptimization();
  EXPECT_EQ(optimizer->GetStopCondition(), StopCondition::Stationary);
  EXPECT_EQ(metric->parameters[2], 42.0);
  ASSERT_EQ(optimizer->GetUndeterminedDirections().size(), 1U);
  EXPECT_EQ(std::abs(optimizer->GetUndeterminedDirections()[0][2]), 1.0);
}

TEST(FisherScoringOptimizer, SaysThatThereIsNoInformationAtAll)
{
  const auto metric = ResidualMetric::New();
  metric->model = [](const vnl_vector<double> &, vnl_vector<double> & residuals, vnl_matrix<double> & jacobian) {
    residuals = vnl_vector<double>(2, 1.0);
    jacobian = vnl_matrix<double>(2, 2, 0.0);
    return true;
  };
  metric->parameters = MakeParameters({ 1.0, 2.0 });
  const auto optimizer = MakeOptimizer(metric);
  optimizer->StartOptimization();
  EXPECT_EQ(optimizer->GetStopCondition(), StopCondition::NoInformation);
  EXPECT_EQ(optimizer->GetUndeterminedDirections().size(), 2U);
}

TEST(FisherScoringOptimizer, AWeightOfZeroHoldsAParameter)
{
  const auto metric = MakeRosenbrock();
  metric->parameters = MakeParameters({ 0.5, 3.0 });
  const auto optimizer = MakeOptimizer(metric);
  optimizer->SetWeights(MakeParameters({ 0.0, 1.0 }));
  optimizer->StartOptimization();
  EXPECT_EQ(optimizer->GetStopCondition(), StopCondition::Stationary);
  EXPECT_EQ(metric->parameters[0], 0.5);
  EXPECT_NEAR(metric->parameters[1], 0.25, 1e-3);
  const auto covariance = optimizer->GetCovariance();
  EXPECT_EQ(covariance(0, 0), 0.0);
  EXPECT_NEAR(covariance(1, 1), 0.01, 1e-12);
  optimizer->SetWeights(MakeParameters({ 0.5, 1.0 }));
  EXPECT_NE(Refusal([&] { optimizer->StartOptimization(); }).find("Weight 0 is 0.5"), std::string::npos);
}

TEST(FisherScoringOptimizer, HoldsAllParametersIfAsked)
{
  const auto metric = MakeRosenbrock();
  const auto optimizer = MakeOptimizer(metric);
  EXPECT_EQ(optimizer->GetCovariance().rows(), 0U);
  EXPECT_TRUE(optimizer->GetUndeterminedDirections().empty());
  optimizer->SetWeights(MakeParameters({ 0.0, 0.0 }));
  optimizer->StartOptimization();
  EXPECT_EQ(optimizer->GetStopCondition(), StopCondition::NoInformation);
  EXPECT_EQ(metric->parameters, MakeParameters({ -1.2, 1.0 }));
  EXPECT_EQ(optimizer->GetCovariance(), vnl_matrix<double>(2, 2, 0.0));
}

// Units do not matter: the same steps in parameters of other units.
TEST(FisherScoringOptimizer, StepsDoNotDependOnTheUnitsOfParameters)
{
  const auto   metric = MakeRosenbrock();
  const auto   other = MakeRosenbrock();
  const double unit = 1024.0;
  other->model = [unit](const vnl_vector<double> & x, vnl_vector<double> & residuals, vnl_matrix<double> & jacobian) {
    vnl_vector<double> scaled = x;
    scaled[1] *= unit;
    Rosenbrock(scaled, residuals, jacobian);
    jacobian.scale_column(1, unit);
    return true;
  };
  other->parameters[1] /= unit;
  const auto optimizer = MakeOptimizer(metric);
  const auto otherOptimizer = MakeOptimizer(other);
  optimizer->StartOptimization();
  otherOptimizer->StartOptimization();
  ASSERT_EQ(optimizer->GetTrace().size(), otherOptimizer->GetTrace().size());
  for (size_t i = 0; i < optimizer->GetTrace().size(); ++i)
  {
    EXPECT_NEAR(optimizer->GetTrace()[i].value, otherOptimizer->GetTrace()[i].value, 1e-10);
  }
}

TEST(FisherScoringOptimizer, StopsFromAnObserverAndResumes)
{
  const auto                                      metric = MakeRosenbrock();
  const auto                                      optimizer = MakeOptimizer(metric);
  std::function<void(FisherScoringOptimizerv4 &)> stop = [](FisherScoringOptimizerv4 & caller) {
    if (caller.GetCurrentIteration() == 3)
    {
      caller.StopOptimization();
    }
  };
  ObserveIterations(*optimizer, stop);
  optimizer->StartOptimization();
  EXPECT_EQ(optimizer->GetStopCondition(), StopCondition::Stopped);
  EXPECT_EQ(optimizer->GetCurrentIteration(), 3U);
  optimizer->ResumeOptimization();
  EXPECT_EQ(optimizer->GetStopCondition(), StopCondition::Stationary);

  const auto whole = MakeRosenbrock();
  const auto reference = MakeOptimizer(whole);
  reference->StartOptimization();
  EXPECT_EQ(reference->GetCurrentIteration(), optimizer->GetCurrentIteration());
  EXPECT_EQ(whole->parameters, metric->parameters);
}

TEST(FisherScoringOptimizer, AFunctionAbandonsAHopelessRun)
{
  const auto metric = MakeRosenbrock();
  const auto optimizer = MakeOptimizer(metric);
  optimizer->SetAbandonment([](const FisherScoringOptimizerv4 & run) { return run.GetCurrentIteration() >= 2; });
  optimizer->StartOptimization();
  EXPECT_EQ(optimizer->GetStopCondition(), StopCondition::Abandoned);
  EXPECT_LT(optimizer->GetCurrentIteration(), 5U);
}

TEST(FisherScoringOptimizer, RestoresTheBestParametersWhenTheMetricThrows)
{
  const auto metric = MakeRosenbrock();
  size_t     calls = 0;
  metric->model = [&](const vnl_vector<double> & x, vnl_vector<double> & residuals, vnl_matrix<double> & jacobian) {
    if (++calls == 4)
    {
      throw std::runtime_error("no power");
    }
    return Rosenbrock(x, residuals, jacobian);
  };
  const auto optimizer = MakeOptimizer(metric);
  EXPECT_THROW(optimizer->StartOptimization(), std::runtime_error);
  EXPECT_EQ(optimizer->GetStopCondition(), StopCondition::MetricError);
  auto last = optimizer->GetTrace().rbegin();
  while (!last->accepted)
  {
    ++last;
  }
  EXPECT_EQ(metric->parameters, last->parameters);
  EXPECT_EQ(optimizer->GetTrace().size(), 3U);
}

TEST(FisherScoringOptimizer, RefusesWhatItCannotUse)
{
  const auto optimizer = FisherScoringOptimizerv4::New();
  EXPECT_THROW(optimizer->StartOptimization(), itk::ExceptionObject);

  const auto metric = MakeRosenbrock();
  optimizer->SetMetric(metric);
  optimizer->SetInitialDamping(0.0);
  EXPECT_NE(Refusal([&] { optimizer->StartOptimization(); }).find("initial damping, 0,"), std::string::npos);
  optimizer->SetInitialDamping(1e-3);
  optimizer->SetStationarityTolerance(-1.0);
  EXPECT_NE(Refusal([&] { optimizer->StartOptimization(); }).find("StationarityTolerance, -1"), std::string::npos);
  optimizer->SetStationarityTolerance(1e-3);
  optimizer->SetUpdate(Update::RigidMotion);
  EXPECT_NE(Refusal([&] { optimizer->StartOptimization(); }).find("no moving transform"), std::string::npos);
}

TEST(FisherScoringOptimizer, RefusesAMetricWithoutInformation)
{
  class PlainMetric : public testmetrics::LandmarkMetricBase
  {
  public:
    using Self = PlainMetric;
    using Pointer = itk::SmartPointer<Self>;
    itkNewMacro(Self);
    const char *
    GetNameOfClass() const override
    {
      return "PlainMetric";
    }
  };
  const auto metric = PlainMetric::New();
  metric->SetMovingTransform(EulerType::New());
  const auto optimizer = MakeOptimizer(metric);
  const auto message = Refusal([&] { optimizer->StartOptimization(); });
  EXPECT_NE(message.find("PlainMetric offers no information matrix"), std::string::npos) << message;
}

namespace
{

template <typename TTransform>
void
ExpectPoseIsFound(Update update, size_t largestNumberOfSteps)
{
  const auto            truth = TTransform::New();
  const auto            start = TTransform::New();
  itk::Point<double, 3> center;
  center[0] = 300.0;
  center[1] = -200.0;
  center[2] = 100.0;
  truth->SetCenter(center);
  start->SetCenter(center);
  Turn(*truth, 0.3, 8.0);
  Turn(*start, -0.5, -20.0);
  const auto metric = MakeLandmarks(*truth, *start);
  const auto optimizer = MakeOptimizer(metric);
  optimizer->SetUpdate(update);
  optimizer->SetStationarityTolerance(1e-7);
  optimizer->StartOptimization();
  EXPECT_EQ(optimizer->GetStopCondition(), StopCondition::Stationary) << optimizer->GetStopConditionDescription();
  EXPECT_LT(LargestTargetError(*metric), 1e-6) << start->GetNameOfClass();
  EXPECT_LE(optimizer->GetCurrentIteration(), largestNumberOfSteps) << start->GetNameOfClass();
}

} // namespace

TEST(FisherScoringOptimizer, FindsThePoseOfEveryKindOfTransform)
{
  for (const Update update : { Update::Parameters, Update::RigidMotion })
  {
    SCOPED_TRACE(update == Update::Parameters ? "Parameters" : "RigidMotion");
    ExpectPoseIsFound<EulerType>(update, 12);
    ExpectPoseIsFound<itk::VersorRigid3DTransform<double>>(update, 12);
    ExpectPoseIsFound<itk::Similarity3DTransform<double>>(update, 12);
    ExpectPoseIsFound<itk::AffineTransform<double, 3>>(update, 12);
    ExpectPoseIsFound<itk::CenteredEuler3DTransform<double>>(update, 40);
  }
}

// The path of rigid motions belongs to the world: not to the order of angles, not to a transform's centre.
TEST(FisherScoringOptimizer, RigidMotionsDoNotDependOnTheParametersOfTheTransform)
{
  const auto run = [](LandmarkMetric::MovingTransformType & start) {
    const auto truth = EulerType::New();
    Turn(*truth, 0.7, 8.0);
    const auto metric = MakeLandmarks(*truth, start);
    const auto optimizer = MakeOptimizer(metric);
    optimizer->SetUpdate(Update::RigidMotion);
    optimizer->StartOptimization();
    std::vector<double> values;
    for (const auto & entry : optimizer->GetTrace())
    {
      values.push_back(entry.value);
    }
    return values;
  };
  const auto            euler = EulerType::New();
  const auto            far = EulerType::New();
  const auto            versor = itk::VersorRigid3DTransform<double>::New();
  itk::Point<double, 3> center(500.0);
  far->SetCenter(center);
  far->SetComputeZYX(true);
  const auto expected = run(*euler);
  const auto fromFar = run(*far);
  const auto fromVersor = run(*versor);
  ASSERT_EQ(expected.size(), fromFar.size());
  ASSERT_EQ(expected.size(), fromVersor.size());
  for (size_t i = 0; i < expected.size(); ++i)
  {
    EXPECT_NEAR(fromFar[i], expected[i], 1e-7 * expected[0]);
    EXPECT_NEAR(fromVersor[i], expected[i], 1e-7 * expected[0]);
  }
}

// One step of a problem whose only error is a rotation of the world about a point: the twist is that rotation's, and
// the exponential takes it there at once where the centre is that point.
TEST(FisherScoringOptimizer, RigidMotionGoesBeforeTheTransform)
{
  const auto start = EulerType::New();
  Turn(*start, 0.4, 10.0);
  const auto truth = itk::AffineTransform<double, 3>::New();
  truth->SetMatrix(start->GetMatrix());
  truth->SetOffset(start->GetOffset());
  itk::Vector<double, 3> axis(0.0);
  axis[2] = 1.0;
  truth->Rotate3D(axis, 1e-3, true);
  const auto metric = MakeLandmarks(*truth, *start);
  const auto optimizer = MakeOptimizer(metric);
  optimizer->SetUpdate(Update::RigidMotion);
  optimizer->SetInitialDamping(1e-12);
  optimizer->SetNumberOfIterations(1);
  optimizer->StartOptimization();
  EXPECT_LT(LargestTargetError(*metric), 1e-7);
}

// A twist is one motion, whatever point its velocity is given at: without damping, which looks at coordinates, a step
// does not depend on the centre.
TEST(FisherScoringOptimizer, RigidMotionIsTheExponentialOfItsTwist)
{
  const auto step = [](double x, double y, double z) {
    const auto truth = EulerType::New();
    Turn(*truth, 0.8, 15.0);
    const auto            start = EulerType::New();
    const auto            metric = MakeLandmarks(*truth, *start);
    const auto            optimizer = MakeOptimizer(metric);
    itk::Point<double, 3> center;
    center[0] = x;
    center[1] = y;
    center[2] = z;
    optimizer->SetRotationCenter(center);
    optimizer->SetUpdate(Update::RigidMotion);
    optimizer->SetInitialDamping(1e-14);
    optimizer->SetNumberOfIterations(1);
    optimizer->StartOptimization();
    EXPECT_TRUE(optimizer->GetTrace().back().accepted);
    return start->GetParameters();
  };
  const auto near = step(0.0, 0.0, 0.0);
  const auto far = step(300.0, -200.0, 100.0);
  for (unsigned int i = 0; i < 6; ++i)
  {
    EXPECT_NEAR(near[i], far[i], 1e-8) << i;
  }
}

TEST(FisherScoringOptimizer, RigidMotionLeavesTheRestOfATransformAlone)
{
  const auto truth = itk::Similarity3DTransform<double>::New();
  const auto start = itk::Similarity3DTransform<double>::New();
  truth->SetScale(1.1);
  start->SetScale(0.9);
  const auto metric = MakeLandmarks(*truth, *start);
  const auto optimizer = MakeOptimizer(metric);
  optimizer->SetUpdate(Update::RigidMotion);
  optimizer->StartOptimization();
  EXPECT_NEAR(start->GetScale(), 1.1, 1e-4);
  EXPECT_LT(start->GetVersor().GetAngle(), 1e-10);
}

TEST(FisherScoringOptimizer, RigidMotionRefusesTransformsThatCannotTurn)
{
  const auto refusal = [](LandmarkMetric::MovingTransformType & transform) {
    const auto metric = MakeLandmarks(transform, transform);
    const auto optimizer = MakeOptimizer(metric);
    optimizer->SetUpdate(Update::RigidMotion);
    return Refusal([&] { optimizer->StartOptimization(); });
  };
  const auto translation = itk::TranslationTransform<double, 3>::New();
  EXPECT_NE(refusal(*translation).find("TranslationTransform cannot be moved"), std::string::npos);
  const auto scale = itk::ScaleTransform<double, 3>::New();
  EXPECT_NE(refusal(*scale).find("ScaleTransform cannot be moved"), std::string::npos);
  const auto versor = itk::ScaleSkewVersor3DTransform<double>::New();
  EXPECT_NE(refusal(*versor).find("ScaleSkewVersor3DTransform cannot be moved"), std::string::npos);

  // Where the middle angle is 90 degrees, the other two turn about one axis.
  const auto locked = EulerType::New();
  locked->SetRotation(itk::Math::pi / 2.0, 0.3, 0.0);
  EXPECT_NE(refusal(*locked).find("rotates and translates in every way"), std::string::npos);

  const auto composite = itk::CompositeTransform<double, 3>::New();
  composite->AddTransform(EulerType::New());
  composite->AddTransform(EulerType::New());
  EXPECT_NE(refusal(*composite).find("transform 0 of 2, Euler3DTransform, is to be optimised"), std::string::npos)
    << refusal(*composite);
}

TEST(FisherScoringOptimizer, MovesTheLastTransformOfACompositeOne)
{
  const auto first = EulerType::New();
  Turn(*first, 1.0, 30.0);
  const auto last = EulerType::New();
  const auto composite = itk::CompositeTransform<double, 3>::New();
  composite->AddTransform(first);
  composite->AddTransform(last);
  composite->SetOnlyMostRecentTransformToOptimizeOn();
  const auto truth = EulerType::New();
  Turn(*truth, 0.6, 12.0);
  for (const Update update : { Update::Parameters, Update::RigidMotion })
  {
    last->SetIdentity();
    const auto metric = MakeLandmarks(*truth, *composite);
    const auto optimizer = MakeOptimizer(metric);
    optimizer->SetUpdate(update);
    optimizer->StartOptimization();
    EXPECT_EQ(optimizer->GetStopCondition(), StopCondition::Stationary);
    EXPECT_LT(LargestTargetError(*metric), 1e-3);
  }
}

TEST(FisherScoringOptimizer, WorksInImageRegistrationMethod)
{
  using ImageType = itk::Image<float, 3>;
  const auto image = ImageType::New();
  image->SetRegions(ImageType::SizeType{ { 8, 8, 1 } });
  image->Allocate(true);
  for (const Update update : { Update::Parameters, Update::RigidMotion })
  {
    const auto truth = EulerType::New();
    Turn(*truth, 0.3, 5.0);
    const auto start = EulerType::New();
    const auto metric = LandmarkMetric::New();
    metric->SetPairs(*truth);
    const auto optimizer = FisherScoringOptimizerv4::New();
    optimizer->SetUpdate(update);

    using MethodType = itk::ImageRegistrationMethodv4<ImageType, ImageType, EulerType, ImageType>;
    const auto method = MethodType::New();
    method->SetFixedImage(image);
    method->SetMovingImage(image);
    method->SetMetric(metric);
    method->SetOptimizer(optimizer);
    method->SetInitialTransform(start);
    method->SetNumberOfLevels(2);
    method->SetSmoothingSigmasPerLevel(MethodType::SmoothingSigmasArrayType(2, 0.0));
    MethodType::ShrinkFactorsArrayType factors(2);
    factors.Fill(1);
    method->SetShrinkFactorsPerLevel(factors);
    method->Update();
    EXPECT_EQ(optimizer->GetStopCondition(), StopCondition::Stationary) << optimizer->GetStopConditionDescription();
    // The second level starts where the first one ended.
    EXPECT_EQ(optimizer->GetCurrentIteration(), 0U);
    for (const auto & pair : metric->pairs)
    {
      EXPECT_LT(method->GetTransform()->TransformPoint(pair.fixed).EuclideanDistanceTo(pair.moving), 1e-3);
    }
  }
}

TEST(FisherScoringOptimizer, PrintsItsMembers)
{
  const auto         optimizer = MakeOptimizer(MakeRosenbrock());
  std::ostringstream text;
  optimizer->SetUpdate(Update::RigidMotion);
  optimizer->Print(text);
  for (const char * const member : { "Update: RigidMotion", "StationarityTolerance: 0.001", "StopCondition: None" })
  {
    EXPECT_NE(text.str().find(member), std::string::npos) << member << " in " << text.str();
  }
}
