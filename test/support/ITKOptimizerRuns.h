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
#ifndef ITKOptimizerRuns_h
#define ITKOptimizerRuns_h

#include "itkFisherScoringOptimizerv4.h"
#include "itkPoissonRadiographToVolumeMetricv4.h"
#include "itkRegistrationParameterScalesFromFisherInformation.h"
#include "itkRegistrationParameterScalesFromRadiographShift.h"

#include "RegistrationScenes.h"

#include "itkAmoebaOptimizerv4.h"
#include "itkConjugateGradientLineSearchOptimizerv4.h"
#include "itkExhaustiveOptimizerv4.h"
#include "itkImageRegistrationMethodv4.h"
#include "itkLBFGS2Optimizerv4.h"
#include "itkLBFGSBOptimizerv4.h"
#include "itkMultiStartOptimizerv4.h"
#include "itkNormalVariateGenerator.h"
#include "itkOnePlusOneEvolutionaryOptimizerv4.h"
#include "itkPowellOptimizerv4.h"
#include "itkRegularStepGradientDescentOptimizerv4.h"

#include <functional>
#include <string>
#include <vector>

/** Two radiographs of a phantom, and how each of ITK's v4 optimizers is set up to find its pose from them. */
namespace radiography::test
{

using OptimizerType = itk::ObjectToObjectOptimizerBaseTemplate<double>;

/** Counts what a registration costs. */
class CountingMetric : public itk::PoissonRadiographToVolumeMetricv4
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(CountingMetric);

  using Self = CountingMetric;
  using Superclass = itk::PoissonRadiographToVolumeMetricv4;
  using Pointer = itk::SmartPointer<Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(CountingMetric);

  /** Evaluations: each renders every view once. */
  mutable std::size_t evaluations{ 0 };

protected:
  CountingMetric() = default;
  ~CountingMetric() override = default;

  void
  EvaluateSimilarity(const std::vector<ViewPixels> & views, Order order, Similarity & similarity) const override
  {
    ++evaluations;
    Superclass::EvaluateSimilarity(views, order, similarity);
  }
};

/** A trunk of 5 mm voxels, seen from the front and from the left by 32 x 32 pixels, 10,000 photons, no noise: the value
 * at the true pose is 0 but for the rounding of counts. */
struct TwoViewScene
{
  TwoViewScene()
    : mu(MakePhantom(Trunk(), 5.0))
    , views{ MakeCArmView(0, 0, 32, 9.0).GetPointer(), MakeCArmView(90, 0, 32, 9.0).GetPointer() }
    , truth(MakePose(0.04, -0.03, 0.05, 4.0, -3.0, 2.0))
  {
    for (unsigned int view = 0; view < 2; ++view)
    {
      images[view] = Project(mu, views[view], Projector::Joseph, truth);
      const auto pixels = images[view]->GetLargestPossibleRegion().GetNumberOfPixels();
      for (itk::SizeValueType i = 0; i < pixels; ++i)
      {
        float & pixel = images[view]->GetBufferPointer()[i];
        pixel = static_cast<float>(Photons * std::exp(-static_cast<double>(pixel)));
      }
    }
  }

  static constexpr double Photons = 10000.0;

  CountingMetric::Pointer
  MakeMetric() const
  {
    const auto metric = CountingMetric::New();
    metric->SetFixedImage(images[0]);
    metric->SetGeometry(views[0]);
    metric->AddView(images[1], views[1]);
    metric->SetMovingImage(mu);
    metric->SetOpenBeamCounts(Photons);
    return metric;
  }

  ImageType::Pointer    mu;
  GeometryType::Pointer views[2];
  ImageType::Pointer    images[2];
  EulerType::Pointer    truth;
};

/** What became of a registration. */
struct OptimizerResult
{
  double      startError{ 0.0 };
  double      error{ 0.0 };
  std::size_t evaluations{ 0 };
  std::string stopped;
};

/** Runs an optimizer inside ImageRegistrationMethodv4, on one level. */
inline OptimizerResult
RunInRegistrationMethod(const TwoViewScene & scene,
                        CountingMetric &     metric,
                        OptimizerType &      optimizer,
                        const EulerType &    start)
{
  using MethodType = itk::ImageRegistrationMethodv4<ImageType, ImageType, EulerType, ImageType>;
  const auto method = MethodType::New();
  method->SetFixedImage(scene.images[0]);
  method->SetMovingImage(scene.mu);
  method->SetMetric(&metric);
  method->SetOptimizer(&optimizer);
  method->SetInitialTransform(&start);
  method->SetNumberOfLevels(1);
  // Shrinking and smoothing would make something else of counts.
  MethodType::ShrinkFactorsArrayType shrink(1);
  shrink.Fill(1);
  method->SetShrinkFactorsPerLevel(shrink);
  MethodType::SmoothingSigmasArrayType sigmas(1);
  sigmas.Fill(0.0);
  method->SetSmoothingSigmasPerLevel(sigmas);
  // Before the method grafts its result onto it.
  const double startError = MeanTargetError(start, *scene.truth);
  method->Update();
  if (const auto * const walker = dynamic_cast<const itk::ExhaustiveOptimizerv4<double> *>(&optimizer))
  {
    // It leaves the transform at the last pose of its grid.
    method->GetModifiableTransform()->SetParameters(walker->GetMinimumMetricValuePosition());
  }
  return { startError,
           MeanTargetError(*method->GetTransform(), *scene.truth),
           metric.evaluations,
           optimizer.GetStopConditionDescription() };
}

/** Parameters of a Euler3DTransform: three angles (rad), three translations (mm). */
inline OptimizerType::ParametersType
MakeEulerParameters(double angle, double translation)
{
  OptimizerType::ParametersType parameters(6);
  for (unsigned int i = 0; i < 6; ++i)
  {
    parameters[i] = i < 3 ? angle : translation;
  }
  return parameters;
}

/** An optimizer, ready to run. */
struct OptimizerRun
{
  std::string                                             name;
  std::function<OptimizerType::Pointer(CountingMetric &)> make;
  /** Whether the start is `StartOnGrid` instead of the identity. */
  bool startsOnGrid{ false };
};

/** Where ExhaustiveOptimizerv4 starts: at the true angles, and two steps of 2 mm away from the true translation. */
inline EulerType::Pointer
StartOnGrid(const EulerType & truth)
{
  const auto start = MakePose(truth.GetAngleX(), truth.GetAngleY(), truth.GetAngleZ(), 0.0, 0.0, 0.0);
  VectorType away;
  away[0] = 4.0;
  away[1] = -2.0;
  away[2] = 2.0;
  start->SetTranslation(truth.GetTranslation() + away);
  return start;
}

inline itk::RegistrationParameterScalesFromRadiographShift::Pointer
MakeShiftScales(CountingMetric & metric)
{
  const auto scales = itk::RegistrationParameterScalesFromRadiographShift::New();
  scales->SetMetric(&metric);
  return scales;
}

inline itk::RegistrationParameterScalesFromFisherInformation::Pointer
MakeFisherScales(CountingMetric & metric)
{
  const auto scales = itk::RegistrationParameterScalesFromFisherInformation::New();
  scales->SetMetric(&metric);
  return scales;
}

inline OptimizerType::Pointer
MakeRegularStep(OptimizerType::ScalesEstimatorType * scales)
{
  const auto optimizer = itk::RegularStepGradientDescentOptimizerv4<double>::New();
  optimizer->SetScalesEstimator(scales);
  optimizer->SetDoEstimateLearningRateOnce(true);
  optimizer->SetNumberOfIterations(200);
  optimizer->SetRelaxationFactor(0.6);
  optimizer->SetMinimumStepLength(1e-4);
  optimizer->SetGradientMagnitudeTolerance(0.0);
  return optimizer.GetPointer();
}

template <typename TOptimizer>
OptimizerType::Pointer
MakeLineSearch(CountingMetric & metric, itk::SizeValueType iterations)
{
  const auto optimizer = TOptimizer::New();
  // A line search along a gradient goes straight only where parameters weigh alike in the value itself.
  optimizer->SetScalesEstimator(MakeFisherScales(metric));
  optimizer->SetDoEstimateLearningRateOnce(true);
  optimizer->SetNumberOfIterations(iterations);
  return optimizer.GetPointer();
}

inline OptimizerType::Pointer
MakeLBFGS2()
{
  const auto optimizer = itk::LBFGS2Optimizerv4::New();
  optimizer->SetNumberOfIterations(100);
  optimizer->SetSolutionAccuracy(1e-6);
  return optimizer.GetPointer();
}

inline OptimizerType::Pointer
MakeLBFGSB()
{
  const auto                                 optimizer = itk::LBFGSBOptimizerv4::New();
  itk::LBFGSBOptimizerv4::BoundSelectionType unbounded(6);
  unbounded.Fill(0);
  optimizer->SetBoundSelection(unbounded);
  optimizer->SetLowerBound(MakeEulerParameters(0.0, 0.0));
  optimizer->SetUpperBound(MakeEulerParameters(0.0, 0.0));
  optimizer->SetNumberOfIterations(100);
  optimizer->SetMaximumNumberOfFunctionEvaluations(200);
  optimizer->SetCostFunctionConvergenceFactor(1e3);
  optimizer->SetGradientConvergenceTolerance(1e-3);
  return optimizer.GetPointer();
}

inline OptimizerType::Pointer
MakeAmoeba()
{
  const auto optimizer = itk::AmoebaOptimizerv4::New();
  optimizer->SetInitialSimplexDelta(MakeEulerParameters(0.05, 3.0));
  optimizer->SetNumberOfIterations(1000);
  optimizer->SetParametersConvergenceTolerance(1e-3);
  optimizer->SetFunctionConvergenceTolerance(1e-2);
  return optimizer.GetPointer();
}

inline OptimizerType::Pointer
MakePowell()
{
  const auto optimizer = itk::PowellOptimizerv4<double>::New();
  // A radian is about 60 mm at the surface of the trunk.
  optimizer->SetScales(MakeEulerParameters(60.0, 1.0));
  optimizer->SetStepLength(1.0);
  optimizer->SetStepTolerance(1e-3);
  optimizer->SetValueTolerance(1e-6);
  optimizer->SetMaximumIteration(100);
  return optimizer.GetPointer();
}

inline OptimizerType::Pointer
MakeOnePlusOne()
{
  const auto optimizer = itk::OnePlusOneEvolutionaryOptimizerv4<double>::New();
  const auto random = itk::Statistics::NormalVariateGenerator::New();
  random->Initialize(20261130);
  optimizer->SetNormalVariateGenerator(random);
  optimizer->SetScales(MakeEulerParameters(60.0, 1.0));
  optimizer->Initialize(1.0);
  optimizer->SetEpsilon(1e-3);
  optimizer->SetMaximumIteration(2000);
  return optimizer.GetPointer();
}

inline OptimizerType::Pointer
MakeExhaustive()
{
  using ExhaustiveType = itk::ExhaustiveOptimizerv4<double>;
  const auto                optimizer = ExhaustiveType::New();
  ExhaustiveType::StepsType steps(6);
  for (unsigned int i = 0; i < 6; ++i)
  {
    steps[i] = i < 3 ? 0 : 2;
  }
  optimizer->SetNumberOfSteps(steps);
  optimizer->SetStepLength(2.0);
  return optimizer.GetPointer();
}

/** Three starts, two of them far away; each runs a few steps of Fisher scoring. */
inline OptimizerType::Pointer
MakeMultiStart()
{
  using MultiStartType = itk::MultiStartOptimizerv4Template<double>;
  const auto                         optimizer = MultiStartType::New();
  MultiStartType::ParametersListType starts{ MakeEulerParameters(0.5, 60.0),
                                             MakeEulerParameters(0.0, 0.0),
                                             MakeEulerParameters(-0.6, -50.0) };
  optimizer->SetParametersList(starts);
  optimizer->SetLocalOptimizer(itk::FisherScoringOptimizerv4::New());
  return optimizer.GetPointer();
}

/** All of them. */
inline std::vector<OptimizerRun>
MakeOptimizerRuns()
{
  using GradientLineType = itk::GradientDescentLineSearchOptimizerv4Template<double>;
  using ConjugateLineType = itk::ConjugateGradientLineSearchOptimizerv4Template<double>;
  const auto makeRigid = [](CountingMetric &) {
    const auto optimizer = itk::FisherScoringOptimizerv4::New();
    optimizer->SetUpdate(itk::FisherScoringOptimizerv4::UpdateEnum::RigidMotion);
    return OptimizerType::Pointer(optimizer.GetPointer());
  };
  return {
    { "FisherScoring",
      [](CountingMetric &) { return OptimizerType::Pointer(itk::FisherScoringOptimizerv4::New().GetPointer()); } },
    { "FisherScoringRigid", makeRigid },
    { "RegularStepShiftScales", [](CountingMetric & metric) { return MakeRegularStep(MakeShiftScales(metric)); } },
    { "RegularStepFisherScales", [](CountingMetric & metric) { return MakeRegularStep(MakeFisherScales(metric)); } },
    { "GradientDescentLineSearch",
      [](CountingMetric & metric) { return MakeLineSearch<GradientLineType>(metric, 25); } },
    { "ConjugateGradientLineSearch",
      [](CountingMetric & metric) { return MakeLineSearch<ConjugateLineType>(metric, 20); } },
    { "LBFGS2", [](CountingMetric &) { return MakeLBFGS2(); } },
    { "LBFGSB", [](CountingMetric &) { return MakeLBFGSB(); } },
    { "Amoeba", [](CountingMetric &) { return MakeAmoeba(); } },
    { "Powell", [](CountingMetric &) { return MakePowell(); } },
    { "OnePlusOneEvolutionary", [](CountingMetric &) { return MakeOnePlusOne(); } },
    { "Exhaustive", [](CountingMetric &) { return MakeExhaustive(); }, true },
    { "MultiStart", [](CountingMetric &) { return MakeMultiStart(); } },
  };
}

/** Runs one of them from its start. */
inline OptimizerResult
RunFromItsStart(const TwoViewScene & scene, const OptimizerRun & run)
{
  const auto metric = scene.MakeMetric();
  const auto optimizer = run.make(*metric);
  const auto start = run.startsOnGrid ? StartOnGrid(*scene.truth) : MakePose(0, 0, 0, 0, 0, 0);
  return RunInRegistrationMethod(scene, *metric, *optimizer, *start);
}

} // namespace radiography::test

#endif
