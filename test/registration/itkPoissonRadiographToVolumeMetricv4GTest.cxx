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
#include "ProjectionFixtures.h"
#include "Refusal.h"
#include "MetricScenes.h"
#include "itkPoissonLikelihoodCalculator.h"
#include "itkPoissonRadiographToVolumeMetricv4.h"

#include "itkImageRegistrationMethodv4.h"
#include "itkMetaDataObject.h"
#include "itkRegistrationParameterScalesFromPhysicalShift.h"
#include "itkRegularStepGradientDescentOptimizerv4.h"

#include "vnl/algo/vnl_matrix_inverse.h"

#include <cmath>
#include <limits>
#include <sstream>

using namespace radiography::test;
using testimages::Refusal;
using Metric = itk::PoissonRadiographToVolumeMetricv4;
using MaskType = Metric::MaskImageType;

namespace
{

constexpr double OpenBeam = 2000.0;

/** Counts of a view of a CT, from CellGauss and a Poisson distribution. */
ImageType::Pointer
MakeCounts(const ImageType &     ct,
           const GeometryType &  view,
           const TransformType & transform,
           unsigned int          seed,
           double                openBeam = OpenBeam,
           double                attenuation = 1.0,
           double                scatter = 0.0)
{
  const auto   depths = ProjectInDouble(ct, view, transform, Projector::CellGauss);
  const auto   counts = MakeDetectorPixels(view);
  std::mt19937 engine(seed);
  for (std::size_t i = 0; i < depths.size(); ++i)
  {
    std::poisson_distribution<int> pixel(openBeam * std::exp(-attenuation * depths[i]) + scatter);
    counts->GetBufferPointer()[i] = static_cast<float>(pixel(engine));
  }
  return counts;
}

/** A CT and two radiographs of it at the identity; the second view's is mirrored in no way, but rolled. */
struct Scene
{
  explicit Scene(unsigned int seed = 3, double attenuation = 1.0, double scatter = 0.0, double exposure = 1.0)
    : ct(MakeObliqueCT(seed))
    , views{ MakeCArmView(10, 20, 20, 10.0).GetPointer(), MakeCArmView(100, -10, 18, 11.0, 30.0).GetPointer() }
  {
    const auto truth = itk::Euler3DTransform<double>::New();
    for (unsigned int view = 0; view < 2; ++view)
    {
      images[view] = MakeCounts(*ct, *views[view], *truth, seed + view, exposure * OpenBeam, attenuation, scatter);
    }
  }

  Metric::Pointer
  MakeMetric(TransformType & transform, Projector projector = Projector::CellGauss, bool inPackets = false) const
  {
    const auto metric = Metric::New();
    metric->SetPolicy(inPackets ? "" : "simd=0");
    metric->SetFixedImage(images[0]);
    metric->SetGeometry(views[0]);
    metric->AddView(images[1], views[1]);
    metric->SetMovingImage(ct);
    metric->SetMovingTransform(&transform);
    metric->SetProjector(projector);
    metric->SetOpenBeamCounts(OpenBeam);
    return metric;
  }

  ImageType::Pointer    ct;
  GeometryType::Pointer views[2];
  ImageType::Pointer    images[2];
};

/** Which nuisances are estimated. */
struct Estimated
{
  bool exposure;
  bool attenuation;
  bool scatter;

  void
  Apply(Metric & metric) const
  {
    metric.SetEstimateExposure(exposure);
    metric.SetEstimateAttenuationScale(attenuation);
    metric.SetEstimateScatter(scatter);
    metric.SetScatterGrid({ { 3, 2 } });
  }

  std::string
  Describe() const
  {
    return std::string(exposure ? "exposure " : "") + (attenuation ? "attenuation " : "") + (scatter ? "scatter" : "");
  }
};

const std::vector<Estimated> AllSets{ { false, false, false }, { true, false, false }, { false, true, false },
                                      { false, false, true },  { true, true, false },  { true, true, true } };

/** Everything of one evaluation. */
struct Evaluation
{
  double                 value{ 0.0 };
  Metric::DerivativeType derivative;
  vnl_matrix<double>     information;
  bool                   isMeaningful{ false };

  explicit Evaluation(const Metric & metric)
  {
    isMeaningful = metric.GetValueDerivativeAndInformation(value, derivative, information);
  }

  bool
  operator==(const Evaluation & other) const
  {
    return value == other.value && derivative == other.derivative && information == other.information &&
           isMeaningful == other.isMeaningful;
  }
};

/** A small part of each parameter's standard error. */
std::vector<double>
MakeSteps(const vnl_matrix<double> & information, double share)
{
  std::vector<double> steps;
  for (unsigned int i = 0; i < information.rows(); ++i)
  {
    steps.push_back(share / std::sqrt(information(i, i)));
  }
  return steps;
}

double
ValueAt(const Metric & metric, TransformType & transform, const ParametersType & parameters)
{
  transform.SetParametersByValue(parameters);
  return metric.GetValue();
}

void
ExpectDerivativeIsThatOfTheValue(const Metric & metric, TransformType & transform, double share, double tolerance)
{
  const Evaluation     here(metric);
  const ParametersType parameters = transform.GetParameters();
  const auto           steps = MakeSteps(here.information, share);
  for (unsigned int i = 0; i < parameters.GetSize(); ++i)
  {
    ParametersType above = parameters;
    ParametersType below = parameters;
    above[i] += steps[i];
    below[i] -= steps[i];
    const double difference =
      (ValueAt(metric, transform, above) - ValueAt(metric, transform, below)) / (above[i] - below[i]);
    const double unit = std::sqrt(here.information(i, i));
    EXPECT_NEAR(-here.derivative[i] / unit, difference / unit, tolerance * (1.0 + std::abs(difference / unit)))
      << "parameter " << i << " of " << transform.GetNameOfClass();
  }
  transform.SetParametersByValue(parameters);
}

} // namespace

TEST(PoissonRadiographToVolumeMetricv4, DerivativeIsThatOfTheValueForEveryTransformAndEveryNuisance)
{
  unsigned int seed = 30; // another direction of the CT, mirrored or not, for each transform
  for (const auto & transform : MakeTransforms())
  {
    const Scene scene(++seed);
    for (const Estimated & estimated : AllSets)
    {
      SCOPED_TRACE(estimated.Describe() + "seed " + std::to_string(seed));
      const auto metric = scene.MakeMetric(*transform);
      estimated.Apply(*metric);
      metric->Initialize();
      ExpectDerivativeIsThatOfTheValue(*metric, *transform, 1e-3, 2e-5);
    }
  }
}

TEST(PoissonRadiographToVolumeMetricv4, DerivativeHoldsForPacketsOfRays)
{
  // Depths are binary32, and Joseph's samples cross planes of voxel centres.
  const Scene scene;
  for (const auto projector : { Projector::Joseph, Projector::CellGauss })
  {
    const auto transform = MakeTransforms()[0];
    const auto metric = scene.MakeMetric(*transform, projector, true);
    metric->SetEstimateExposure(true);
    metric->Initialize();
    ExpectDerivativeIsThatOfTheValue(*metric, *transform, 0.05, 1e-2);
  }
}

TEST(PoissonRadiographToVolumeMetricv4, DerivativeIsExactForAParallelBeam)
{
  Scene                  scene;
  itk::Vector<double, 3> direction;
  direction[0] = 0.3;
  direction[1] = 1.0;
  direction[2] = -0.2;
  const auto identity = itk::Euler3DTransform<double>::New();
  scene.views[1] = MakeParallelView(direction, 17, 8.0);
  scene.images[1] = MakeCounts(*scene.ct, *scene.views[1], *identity, 12);
  const auto transform = MakeTransforms()[3];
  const auto metric = scene.MakeMetric(*transform);
  metric->SetEstimateScatter(true);
  metric->Initialize();
  ExpectDerivativeIsThatOfTheValue(*metric, *transform, 1e-3, 2e-5);
}

namespace
{

/** The Fisher matrix of parameters and nuisances of a view's pixels, from Jacobians by differences: parameters first,
 * then exposures of both views, the attenuation scale, and the scatter nodes of both views. */
vnl_matrix<double>
MakeJointInformation(const Scene &               scene,
                     TransformType &             transform,
                     const std::vector<double> & steps,
                     const Metric &              metric)
{
  const auto         nuisances = metric.GetNuisances();
  const auto         parameters = static_cast<unsigned int>(steps.size());
  const auto         grid = metric.GetScatterGrid();
  const auto         nodes = static_cast<unsigned int>(grid[0] * grid[1]);
  const unsigned int size = parameters + 3 + 2 * nodes;
  vnl_matrix<double> information(size, size, 0.0);
  for (unsigned int view = 0; view < 2; ++view)
  {
    const auto & geometry = *scene.views[view];
    const auto   columns = geometry.GetDetectorSize()[0];
    const auto   rows = geometry.GetDetectorSize()[1];
    const auto   depths = ProjectInDouble(*scene.ct, geometry, transform, Projector::CellGauss);
    const auto   jacobian = DifferenceDepths(*scene.ct, geometry, transform, Projector::CellGauss, steps);
    const auto & found = nuisances[view];
    const auto   hat = [](double place, unsigned int node) {
      return std::max(0.0, 1.0 - std::abs(place - static_cast<double>(node)));
    };
    for (std::size_t pixel = 0; pixel < depths.size(); ++pixel)
    {
      const double a = found.attenuationScale;
      const double primary = OpenBeam * found.exposure * std::exp(-a * depths[pixel]);
      const double x =
        (static_cast<double>(pixel % columns) + 0.5) / static_cast<double>(columns) * static_cast<double>(grid[0] - 1);
      const double y =
        (static_cast<double>(pixel / columns) + 0.5) / static_cast<double>(rows) * static_cast<double>(grid[1] - 1);
      double             mean = primary;
      vnl_vector<double> gradient(size, 0.0);
      for (unsigned int node = 0; node < nodes; ++node)
      {
        const double function =
          hat(x, node % static_cast<unsigned int>(grid[0])) * hat(y, node / static_cast<unsigned int>(grid[0]));
        gradient[parameters + 3 + view * nodes + node] = function;
        mean += found.scatter.empty() ? 0.0 : found.scatter[node] * function;
      }
      for (unsigned int i = 0; i < parameters; ++i)
      {
        gradient[i] = -a * primary * jacobian[i][pixel];
      }
      gradient[parameters + view] = primary;
      gradient[parameters + 2] = -depths[pixel] * primary;
      information += outer_product(gradient, gradient) / mean;
    }
  }
  return information;
}

/** The Schur complement that leaves the first `parameters`, of those others that are marked. */
vnl_matrix<double>
Eliminate(const vnl_matrix<double> & joint, unsigned int parameters, const std::vector<bool> & marked)
{
  std::vector<unsigned int> kept;
  for (unsigned int i = parameters; i < joint.rows(); ++i)
  {
    if (marked[i - parameters])
    {
      kept.push_back(i);
    }
  }
  vnl_matrix<double> result = joint.extract(parameters, parameters);
  if (kept.empty())
  {
    return result;
  }
  const auto         count = static_cast<unsigned int>(kept.size());
  vnl_matrix<double> own(count, count);
  vnl_matrix<double> coupling(count, parameters);
  for (unsigned int i = 0; i < count; ++i)
  {
    for (unsigned int j = 0; j < count; ++j)
    {
      own(i, j) = joint(kept[i], kept[j]);
    }
    coupling.set_row(i, joint.get_row(kept[i]).extract(parameters));
  }
  return result - coupling.transpose() * vnl_matrix_inverse<double>(own).solve(coupling);
}

} // namespace

TEST(PoissonRadiographToVolumeMetricv4, InformationIsTheSchurComplementOfPixelsByDifferences)
{
  const Scene scene(3, 1.0, 60.0);
  for (const auto & transform : MakeTransforms())
  {
    for (const Estimated & estimated : AllSets)
    {
      SCOPED_TRACE(estimated.Describe());
      const auto metric = scene.MakeMetric(*transform);
      estimated.Apply(*metric);
      metric->Initialize();
      const Evaluation  here(*metric);
      const auto        parameters = here.information.rows();
      const auto        joint = MakeJointInformation(scene, *transform, MakeSteps(here.information, 1e-3), *metric);
      std::vector<bool> marked{ estimated.exposure, estimated.exposure, estimated.attenuation };
      for (const auto & view : metric->GetNuisances())
      {
        for (unsigned int node = 0; node < 6; ++node)
        {
          marked.push_back(estimated.scatter && view.scatter[node] > 0.0);
        }
      }
      const auto expected = Eliminate(joint, parameters, marked);
      for (unsigned int i = 0; i < parameters; ++i)
      {
        for (unsigned int j = 0; j < parameters; ++j)
        {
          const double unit = std::sqrt(joint(i, i) * joint(j, j));
          EXPECT_NEAR(here.information(i, j) / unit, expected(i, j) / unit, 1e-5) << i << ", " << j;
        }
      }
    }
  }
}

TEST(PoissonRadiographToVolumeMetricv4, ValueIsTheSumOfItsViews)
{
  const Scene scene;
  const auto  transform = MakeTransforms()[1];
  const auto  both = scene.MakeMetric(*transform);
  both->SetEstimateExposure(true);
  both->SetEstimateScatter(true);
  both->Initialize();
  const Evaluation   sum(*both);
  double             value = 0.0;
  vnl_vector<double> derivative(transform->GetNumberOfParameters(), 0.0);
  vnl_matrix<double> information(derivative.size(), derivative.size(), 0.0);
  for (unsigned int view = 0; view < 2; ++view)
  {
    const auto metric = scene.MakeMetric(*transform);
    metric->ClearViews();
    metric->SetFixedImage(scene.images[view]);
    metric->SetGeometry(scene.views[view]);
    metric->SetEstimateExposure(true);
    metric->SetEstimateScatter(true);
    metric->Initialize();
    const Evaluation one(*metric);
    value += one.value;
    derivative += one.derivative;
    information += one.information;
  }
  // Each stops within 1e-9 standard errors of its nuisances.
  EXPECT_NEAR(sum.value, value, 1e-10 * value);
  for (unsigned int i = 0; i < derivative.size(); ++i)
  {
    const double unit = std::sqrt(information(i, i));
    EXPECT_NEAR(sum.derivative[i] / unit, derivative[i] / unit, 1e-7);
    EXPECT_NEAR(sum.information(i, i) / information(i, i), 1.0, 1e-9);
  }
}

TEST(PoissonRadiographToVolumeMetricv4, NuisancesComeBackWithinTheirStandardErrors)
{
  const Scene scene(5, 1.1, 150.0, 1.5);
  const auto  transform = itk::Euler3DTransform<double>::New();
  const auto  metric = scene.MakeMetric(*transform);
  AllSets.back().Apply(*metric);
  metric->Initialize();
  for (const auto & view : metric->GetNuisances())
  {
    EXPECT_TRUE(view.exposureIsEstimated && view.attenuationIsEstimated && view.scatterIsEstimated);
    EXPECT_GT(view.logExposureStandardError, 1e-4);
    EXPECT_LT(view.logExposureStandardError, 0.2);
    EXPECT_NEAR(std::log(view.exposure / 1.5), 0.0, 4.0 * view.logExposureStandardError);
    EXPECT_NEAR(view.attenuationScale, 1.1, 4.0 * view.attenuationStandardError);
    EXPECT_LT(view.attenuationStandardError, 0.2);
    ASSERT_EQ(view.scatter.size(), 6U);
    for (std::size_t node = 0; node < 6; ++node)
    {
      EXPECT_NEAR(view.scatter[node], 150.0, 4.5 * view.scatterStandardErrors[node]) << node;
    }
  }
  EXPECT_NEAR(metric->EstimateDispersionFactor(), 1.0, 0.3);
  EXPECT_LE(metric->GetNuisanceStationarity(), 1e-9);
  EXPECT_EQ(metric->GetNumberOfPixels(), 20U * 20U + 18U * 18U);
  EXPECT_EQ(metric->GetDegreesOfFreedom(), 724U - 6U - 15U);
}

TEST(PoissonRadiographToVolumeMetricv4, ScoresAtTheTruthVaryAsTheInformationSays)
{
  // g^T I^-1 g is chi-square with 6 degrees of freedom, whatever was eliminated.
  constexpr int runs = 100;
  const auto    transform = itk::Euler3DTransform<double>::New();
  for (const Estimated & estimated : { AllSets.front(), AllSets.back() })
  {
    double sum = 0.0;
    for (unsigned int run = 0; run < runs; ++run)
    {
      const Scene scene(100 + 2 * run, 1.0, 200.0);
      const auto  metric = scene.MakeMetric(*transform);
      estimated.Apply(*metric);
      for (unsigned int view = 0; view < 2 && !estimated.scatter; ++view)
      {
        metric->SetViewScatterCounts(view, 200.0);
      }
      metric->Initialize();
      const Evaluation         here(*metric);
      const vnl_vector<double> score(here.derivative.data_block(), 6);
      sum += dot_product(score, vnl_matrix_inverse<double>(here.information).solve(score));
    }
    // Four standard deviations of the mean.
    EXPECT_NEAR(sum / runs, 6.0, 4.0 * std::sqrt(12.0 / runs)) << estimated.Describe();
  }
}

TEST(PoissonRadiographToVolumeMetricv4, NuisancesMakeTheValueLeast)
{
  const Scene scene(5, 1.1, 150.0, 1.5);
  const auto  transform = MakeTransforms()[0];
  const auto  metric = scene.MakeMetric(*transform);
  AllSets.back().Apply(*metric);
  metric->Initialize();
  const double least = metric->GetValue();
  const auto   nuisances = metric->GetNuisances();

  const auto valueWith = [&](double exposure, double attenuation, double scatter) {
    const auto known = scene.MakeMetric(*transform);
    known->SetAttenuationScale(nuisances[0].attenuationScale + attenuation);
    for (unsigned int view = 0; view < 2; ++view)
    {
      known->SetViewLogExposure(view, std::log(nuisances[view].exposure) + (view == 0 ? exposure : 0.0));
      const auto field = MakeDetectorPixels(*scene.views[view]);
      const auto size = scene.views[view]->GetDetectorSize();
      for (itk::SizeValueType pixel = 0; pixel < size[0] * size[1]; ++pixel)
      {
        const double x = 2.0 * (static_cast<double>(pixel % size[0]) + 0.5) / static_cast<double>(size[0]);
        const double y = (static_cast<double>(pixel / size[0]) + 0.5) / static_cast<double>(size[1]);
        double       sum = 0.0;
        for (unsigned int node = 0; node < 6; ++node)
        {
          sum += nuisances[view].scatter[node] * std::max(0.0, 1.0 - std::abs(x - node % 3)) *
                 std::max(0.0, 1.0 - std::abs(y - node / 3));
        }
        field->GetBufferPointer()[pixel] = static_cast<float>((1.0 + scatter) * sum);
      }
      known->SetViewScatterCountsImage(view, field);
    }
    known->Initialize();
    return known->GetValue();
  };
  // The fields are images of binary32.
  EXPECT_NEAR(valueWith(0.0, 0.0, 0.0), least, 1e-7 * least);
  for (const double step : { -1e-3, 1e-3 })
  {
    EXPECT_GT(valueWith(step, 0.0, 0.0), least);
    EXPECT_GT(valueWith(0.0, step, 0.0), least);
    EXPECT_GT(valueWith(0.0, 0.0, 10.0 * step), least);
  }
}

TEST(PoissonRadiographToVolumeMetricv4, NodesOfScatterAreHeldAtZeroAndLeftOut)
{
  const Scene scene; // without scatter: about half of the nodes want to be below 0
  const auto  transform = itk::Euler3DTransform<double>::New();
  const auto  metric = scene.MakeMetric(*transform);
  metric->SetEstimateScatter(true);
  metric->Initialize();
  std::size_t held = 0;
  for (const auto & view : metric->GetNuisances())
  {
    for (std::size_t node = 0; node < view.scatter.size(); ++node)
    {
      EXPECT_GE(view.scatter[node], 0.0);
      EXPECT_EQ(view.scatter[node] == 0.0, view.scatterStandardErrors[node] == 0.0);
      held += view.scatter[node] == 0.0 ? 1 : 0;
    }
  }
  EXPECT_GT(held, 4U);
  EXPECT_LT(held, 32U);
  EXPECT_EQ(metric->GetDegreesOfFreedom(), 724U - 6U - (32U - held));
}

TEST(PoissonRadiographToVolumeMetricv4, ValueIsThatOfTheLikelihoodCalculator)
{
  const Scene scene;
  const auto  transform = MakeTransforms()[2];
  const auto  metric = scene.MakeMetric(*transform, Projector::Joseph, true);
  metric->SetViewScatterCounts(0, 12.5);
  metric->SetElectronicVariance(9.0);
  metric->SetDispersionFactor(1.5);
  metric->SetAttenuationScale(0.9);
  metric->SetViewLogExposure(0, 0.1);
  metric->SetViewLogExposure(1, 0.1);
  metric->SetViewScatterCounts(1, 12.5);
  metric->Initialize();
  double expected = 0.0;
  for (unsigned int view = 0; view < 2; ++view)
  {
    const auto calculator = itk::PoissonLikelihoodCalculator::New();
    calculator->SetDepth(Project(scene.ct, scene.views[view], Projector::Joseph, transform).GetPointer());
    calculator->SetObservedCounts(scene.images[view]);
    calculator->SetOpenBeamCounts(OpenBeam);
    calculator->SetScatterCounts(12.5);
    calculator->SetElectronicVariance(9.0);
    calculator->SetDispersionFactor(1.5);
    calculator->SetAttenuationScaleFactor(0.9);
    calculator->SetExposure(std::exp(0.1));
    calculator->Compute();
    expected += calculator->GetValue();
  }
  EXPECT_NEAR(metric->GetValue(), expected, 1e-12 * expected);
  EXPECT_NEAR(metric->GetDeviance(), 2.0 * 1.5 * expected, 1e-11 * expected);
}

TEST(PoissonRadiographToVolumeMetricv4, ReadingsAreTakenBackToPhotons)
{
  const Scene scene;
  const auto  transform = MakeTransforms()[0];
  const auto  photons = scene.MakeMetric(*transform);
  photons->Initialize();
  Scene        readings;
  const double gain = 0.25;
  const double offset = 96.0;
  for (const auto & image : readings.images)
  {
    for (itk::SizeValueType i = 0; i < image->GetBufferedRegion().GetNumberOfPixels(); ++i)
    {
      image->GetBufferPointer()[i] = static_cast<float>(gain * image->GetBufferPointer()[i] + offset);
    }
  }
  const auto metric = readings.MakeMetric(*transform);
  for (unsigned int view = 0; view < 2; ++view)
  {
    metric->SetViewGain(view, gain);
    metric->SetViewOffset(view, offset);
  }
  metric->Initialize();
  EXPECT_TRUE(Evaluation(*metric) == Evaluation(*photons)); // these numbers lose nothing in binary32
  const auto prediction = photons->MakePrediction(1);
  const auto expected = metric->MakePrediction(1);
  const auto residual = photons->MakeResidual(1);
  const auto sameResidual = metric->MakeResidual(1);
  for (itk::SizeValueType i = 0; i < prediction->GetBufferedRegion().GetNumberOfPixels(); ++i)
  {
    EXPECT_NEAR(expected->GetBufferPointer()[i], gain * prediction->GetBufferPointer()[i] + offset, 1e-3);
    EXPECT_FLOAT_EQ(sameResidual->GetBufferPointer()[i], residual->GetBufferPointer()[i]);
  }
}

TEST(PoissonRadiographToVolumeMetricv4, PredictionIsTheLawAndResidualsAreStandardDeviations)
{
  const Scene scene(4, 1.0, 0.0, 1.25);
  const auto  transform = itk::Euler3DTransform<double>::New();
  const auto  metric = scene.MakeMetric(*transform, Projector::Joseph, true);
  metric->SetEstimateExposure(true);
  metric->Initialize();
  const auto   prediction = metric->MakePrediction(0);
  const auto   residual = metric->MakeResidual(0);
  const auto   depths = Project(scene.ct, scene.views[0], Projector::Joseph, transform);
  const double exposure = metric->GetNuisances()[0].exposure;
  double       sum = 0.0;
  for (unsigned int i = 0; i < 400; ++i)
  {
    const double expected = OpenBeam * exposure * std::exp(-static_cast<double>(depths->GetBufferPointer()[i]));
    EXPECT_NEAR(prediction->GetBufferPointer()[i], expected, 1e-6 * expected);
    const double difference = scene.images[0]->GetBufferPointer()[i] - expected;
    EXPECT_GE(residual->GetBufferPointer()[i] * difference, 0.0);
    sum += std::pow(residual->GetBufferPointer()[i], 2);
  }
  EXPECT_GT(sum / 400.0, 0.7); // Joseph is not CellGauss: a little more than noise
  EXPECT_LT(sum / 400.0, 4.0);
}

TEST(PoissonRadiographToVolumeMetricv4, UnknownOpenBeamIsTheLargestCountTimesAnExposure)
{
  const Scene scene;
  const auto  transform = MakeTransforms()[0];
  const auto  known = scene.MakeMetric(*transform);
  const auto  unknown = scene.MakeMetric(*transform);
  known->SetEstimateExposure(true);
  unknown->SetEstimateExposure(true);
  unknown->SetOpenBeamCounts(std::nan(""));
  known->Initialize();
  unknown->Initialize();
  const Evaluation expected(*known);
  const Evaluation found(*unknown);
  EXPECT_NEAR(found.value, expected.value, 1e-9 * expected.value);
  for (unsigned int i = 0; i < 6; ++i)
  {
    EXPECT_NEAR(found.derivative[i], expected.derivative[i], 1e-6 * std::sqrt(expected.information(i, i)));
  }
  const auto nuisances = unknown->GetNuisances();
  EXPECT_TRUE(nuisances[0].openBeamCountsAreAssumed);
  EXPECT_FALSE(known->GetNuisances()[0].openBeamCountsAreAssumed);
  EXPECT_NEAR(
    nuisances[0].openBeamCounts * nuisances[0].exposure, OpenBeam * known->GetNuisances()[0].exposure, 1e-5 * OpenBeam);
}

TEST(PoissonRadiographToVolumeMetricv4, QuasiCountsDivideByTheirDispersion)
{
  // 7 times the photons: variance 7 times the mean.
  Scene scene;
  for (const auto & image : scene.images)
  {
    for (itk::SizeValueType i = 0; i < image->GetBufferedRegion().GetNumberOfPixels(); ++i)
    {
      image->GetBufferPointer()[i] *= 7.0F;
    }
  }
  const auto transform = itk::Euler3DTransform<double>::New();
  const auto metric = scene.MakeMetric(*transform);
  metric->SetOpenBeamCounts(7.0 * OpenBeam);
  metric->Initialize();
  const Evaluation plain(*metric);
  const double     dispersion = metric->EstimateDispersionFactor();
  EXPECT_NEAR(dispersion / 7.0, 1.0, 0.25);
  metric->SetDispersionFactor(4.0);
  metric->Initialize();
  const Evaluation divided(*metric);
  EXPECT_EQ(divided.value, plain.value / 4.0);
  EXPECT_NEAR(divided.derivative[2], plain.derivative[2] / 4.0, 1e-12 * std::abs(plain.derivative[2]));
  EXPECT_NEAR(divided.information(2, 2), plain.information(2, 2) / 4.0, 1e-12 * plain.information(2, 2));
  EXPECT_NEAR(metric->EstimateDispersionFactor(), dispersion, 1e-12 * dispersion);
}

TEST(PoissonRadiographToVolumeMetricv4, SandwichIsTheInverseInformationWhereTheModelIsRight)
{
  const Scene scene(6, 1.0, 100.0);
  const auto  transform = itk::Euler3DTransform<double>::New();
  const auto  metric = scene.MakeMetric(*transform);
  AllSets.back().Apply(*metric);
  metric->Initialize();
  const Evaluation here(*metric);
  const auto       covariance = vnl_matrix_inverse<double>(here.information).inverse();
  const auto       sandwich = metric->ComputeSandwichCovariance(1);
  ASSERT_EQ(sandwich.rows(), 6U);
  for (unsigned int i = 0; i < 6; ++i)
  {
    EXPECT_NEAR(std::sqrt(sandwich(i, i) / covariance(i, i)), 1.0, 0.2) << i;
    EXPECT_NEAR(sandwich(i, (i + 1) % 6), sandwich((i + 1) % 6, i), 1e-9 * std::sqrt(sandwich(i, i)));
  }
  // The dispersion cancels, and blocks are another estimate of the same.
  metric->SetDispersionFactor(9.0);
  metric->Initialize();
  const auto same = metric->ComputeSandwichCovariance(1);
  const auto blocks = metric->ComputeSandwichCovariance(4);
  for (unsigned int i = 0; i < 6; ++i)
  {
    EXPECT_NEAR(same(i, i), sandwich(i, i), 1e-6 * sandwich(i, i));
    EXPECT_NEAR(std::sqrt(blocks(i, i) / covariance(i, i)), 1.0, 0.6) << i;
  }
}

TEST(PoissonRadiographToVolumeMetricv4, SandwichGrowsWhereResidualsBelongTogether)
{
  Scene scene(6);
  for (const auto & image : scene.images)
  {
    const auto columns = image->GetBufferedRegion().GetSize(0);
    for (itk::SizeValueType i = 0; i < image->GetBufferedRegion().GetNumberOfPixels(); ++i)
    {
      const bool isBright = (i % columns / 5 + i / columns / 5) % 2 == 0;
      image->GetBufferPointer()[i] *= isBright ? 1.3F : 0.75F;
    }
  }
  const auto transform = itk::Euler3DTransform<double>::New();
  const auto metric = scene.MakeMetric(*transform);
  metric->Initialize();
  const auto pixels = metric->ComputeSandwichCovariance(1);
  const auto blocks = metric->ComputeSandwichCovariance(5);
  double     growth = 0.0;
  for (unsigned int i = 0; i < 6; ++i)
  {
    growth += std::sqrt(blocks(i, i) / pixels(i, i)) / 6.0;
  }
  EXPECT_GT(growth, 1.3);
  EXPECT_GT(metric->GetRelativeResidual(), 0.2);
  EXPECT_LT(metric->GetRelativeResidual(), 0.4);
}

TEST(PoissonRadiographToVolumeMetricv4, WhatCannotBeToldApartIsNamed)
{
  // A CT that is c times as large and c times as far from the source looks the same, but for its depths, which are c
  // times as large: the attenuation scale undoes it.
  const Scene scene;
  const auto  similarity = itk::Similarity3DTransform<double>::New();
  similarity->SetCenter(MakePoint(10, 5, -5));
  const auto metric = scene.MakeMetric(*similarity);
  metric->ClearViews();
  metric->SetFixedImage(scene.images[0]);
  metric->SetGeometry(scene.views[0]);
  metric->Initialize();
  EXPECT_TRUE(metric->FindSingularDirections().empty());
  metric->SetEstimateAttenuationScale(true);
  metric->Initialize();
  const auto directions = metric->FindSingularDirections();
  ASSERT_EQ(directions.size(), 1U);
  EXPECT_NE(directions[0].find("parameter 6"), std::string::npos) << directions[0];
  EXPECT_NE(directions[0].find("Similarity3DTransform"), std::string::npos) << directions[0];
  EXPECT_NE(directions[0].find("the attenuation scale"), std::string::npos) << directions[0];
  EXPECT_NE(Refusal([&] { metric->ComputeSandwichCovariance(2); }).find("parameter 6"), std::string::npos);

  // Two views from two sources tell size from attenuation.
  const auto both = scene.MakeMetric(*similarity);
  both->SetEstimateAttenuationScale(true);
  both->Initialize();
  EXPECT_TRUE(both->FindSingularDirections().empty());
}

TEST(PoissonRadiographToVolumeMetricv4, NuisancesThatTheImagesDoNotDetermineAreNamed)
{
  // Far away there is open beam only: exposure, but no attenuation.
  const Scene scene;
  const auto  transform = itk::Euler3DTransform<double>::New();
  const auto  metric = scene.MakeMetric(*transform);
  AllSets.back().Apply(*metric);
  metric->Initialize();
  transform->SetTranslation(MakePoint(5000, 0, 0) - MakePoint(0, 0, 0));
  const Evaluation far(*metric);
  EXPECT_FALSE(far.isMeaningful);
  EXPECT_TRUE(std::isfinite(far.value));
  EXPECT_GT(far.value, 0.0);
  EXPECT_TRUE(far.derivative.is_zero());
  EXPECT_TRUE(far.information.is_zero());
  EXPECT_EQ(metric->GetNumberOfValidPoints(), 0U);
  EXPECT_EQ(metric->GetNuisances()[0].attenuationStandardError, HUGE_VAL);
  EXPECT_FALSE(metric->FindSingularDirections().empty());
}

TEST(PoissonRadiographToVolumeMetricv4, RefusesWhatHoldsNoCounts)
{
  const auto transform = itk::Euler3DTransform<double>::New();
  const auto refusal = [&](const Scene & scene) {
    return Refusal([&] { scene.MakeMetric(*transform)->Initialize(); });
  };
  {
    Scene scene;
    scene.images[1]->GetBufferPointer()[18 * 3 + 7] = -1.0F;
    const std::string text = refusal(scene);
    EXPECT_NE(text.find("view 1 at pixel [7, 3, 0] is -1"), std::string::npos) << text;
  }
  {
    Scene scene;
    scene.images[0]->GetBufferPointer()[5] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_NE(refusal(scene).find("pixel [5, 0, 0]"), std::string::npos);
    // Whoever masks the pixel may have what he likes there.
    const auto mask = MaskType::New();
    mask->CopyInformation(scene.images[0]);
    mask->SetRegions(scene.images[0]->GetLargestPossibleRegion());
    mask->Allocate();
    mask->FillBuffer(1);
    mask->GetBufferPointer()[5] = 0;
    const auto metric = scene.MakeMetric(*transform);
    metric->SetMask(mask);
    metric->Initialize();
    EXPECT_TRUE(std::isfinite(metric->GetValue()));
    EXPECT_EQ(metric->GetNumberOfPixels(), 723U);
    EXPECT_EQ(metric->MakeResidual(0)->GetBufferPointer()[5], 0.0F);
  }
  for (const char * quantity : { "log", "display", "optical-depth", "transmission", "unknown" })
  {
    Scene scene;
    itk::EncapsulateMetaData<std::string>(scene.images[1]->GetMetaDataDictionary(), "radiography_quantity", quantity);
    EXPECT_NE(refusal(scene).find(quantity), std::string::npos);
    const auto metric = scene.MakeMetric(*transform);
    metric->AllowNonCountsOn();
    metric->Initialize();
  }
  for (const char * quantity : { "counts", "linear" })
  {
    Scene scene;
    itk::EncapsulateMetaData<std::string>(scene.images[1]->GetMetaDataDictionary(), "radiography_quantity", quantity);
    scene.MakeMetric(*transform)->Initialize();
  }
}

TEST(PoissonRadiographToVolumeMetricv4, RefusesOptionsOutOfRange)
{
  const Scene scene;
  const auto  transform = itk::Euler3DTransform<double>::New();
  const auto  refusal = [&](const auto & change) {
    const auto metric = scene.MakeMetric(*transform);
    change(*metric);
    return Refusal([&] { metric->Initialize(); });
  };
  const auto expect = [](const std::string & text, const char * word) {
    EXPECT_NE(text.find(word), std::string::npos) << text;
  };
  expect(refusal([](Metric & m) { m.SetOpenBeamCounts(std::nan("")); }), "EstimateExposure");
  expect(refusal([](Metric & m) { m.SetOpenBeamCounts(-1.0); }), "OpenBeamCounts");
  expect(refusal([](Metric & m) { m.SetAttenuationScale(0.0); }), "AttenuationScale");
  expect(refusal([](Metric & m) { m.SetElectronicVariance(-1.0); }), "ElectronicVariance");
  expect(refusal([](Metric & m) { m.SetDispersionFactor(0.0); }), "DispersionFactor");
  expect(refusal([](Metric & m) { m.SetScatterGrid({ { 4, 0 } }); }), "ScatterGrid");
  expect(refusal([](Metric & m) { m.SetViewGain(1, 0.0); }), "gain of view 1");
  expect(refusal([](Metric & m) { m.SetViewOffset(0, HUGE_VAL); }), "offset of view 0");
  expect(refusal([](Metric & m) { m.SetViewScatterCounts(0, -2.0); }), "ScatterCounts of view 0 is -2");
  expect(refusal([](Metric & m) { m.SetViewLogExposure(0, std::nan("")); }), "log exposure");
  expect(refusal([](Metric & m) { m.SetViewGain(2, 1.0); }), "view 2");
  const auto wrong = MakeDetectorPixels(*scene.views[1]);
  expect(refusal([&](Metric & m) { m.SetViewOpenBeamCountsImage(0, wrong); }), "open-beam");
  const auto zero = MakeDetectorPixels(*scene.views[0]);
  expect(refusal([&](Metric & m) { m.SetViewOpenBeamCountsImage(0, zero); }), "mask the pixel");
  zero->FillBuffer(-3.0F);
  expect(refusal([&](Metric & m) { m.SetViewOpenBeamCountsImage(0, zero); }), "-3");
  expect(refusal([&](Metric & m) { m.SetViewScatterCountsImage(0, zero); }), "-3");
}

TEST(PoissonRadiographToVolumeMetricv4, OpenBeamAndScatterMayBeImages)
{
  const Scene scene;
  const auto  transform = MakeTransforms()[0];
  const auto  numbers = scene.MakeMetric(*transform);
  const auto  images = scene.MakeMetric(*transform);
  for (unsigned int view = 0; view < 2; ++view)
  {
    const auto openBeam = MakeDetectorPixels(*scene.views[view]);
    const auto scatter = MakeDetectorPixels(*scene.views[view]);
    openBeam->FillBuffer(1500.0F);
    scatter->FillBuffer(31.0F);
    images->SetViewOpenBeamCountsImage(view, openBeam);
    images->SetViewScatterCountsImage(view, scatter);
    numbers->SetViewOpenBeamCounts(view, 1500.0);
    numbers->SetViewScatterCounts(view, 31.0);
  }
  numbers->Initialize();
  images->Initialize();
  EXPECT_TRUE(Evaluation(*numbers) == Evaluation(*images));
  EXPECT_TRUE(std::isnan(images->GetNuisances()[0].openBeamCounts));
}

TEST(PoissonRadiographToVolumeMetricv4, SameBitsForAnyNumberOfThreadsAndWhateverWasEvaluatedBefore)
{
  const Scene scene(3, 1.05, 80.0);
  for (const auto projector : { Projector::Joseph, Projector::CellGauss })
  {
    const auto transform = MakeTransforms()[1];
    const auto metric = scene.MakeMetric(*transform, projector, true);
    AllSets.back().Apply(*metric);
    metric->SetMaximumNumberOfWorkUnits(1);
    metric->Initialize();
    const Evaluation     first(*metric);
    const double         value = metric->GetValue();
    const ParametersType here = transform->GetParameters();
    EXPECT_EQ(value, first.value);
    for (const unsigned int threads : { 2U, 3U, 7U })
    {
      metric->SetMaximumNumberOfWorkUnits(threads);
      ParametersType elsewhere = here;
      elsewhere[0] += 0.1 * threads;
      elsewhere[4] -= 30.0 * threads;
      transform->SetParametersByValue(elsewhere);
      const Evaluation other(*metric);
      EXPECT_NE(other.value, first.value);
      transform->SetParametersByValue(here);
      EXPECT_TRUE(Evaluation(*metric) == first) << threads;
      EXPECT_EQ(metric->GetValue(), value);
      double                 again = 0.0;
      Metric::DerivativeType derivative;
      metric->GetValueAndDerivative(again, derivative);
      EXPECT_EQ(again, value);
      EXPECT_TRUE(derivative == first.derivative);
      EXPECT_EQ(metric->GetCurrentValue(), value);
    }
  }
}

TEST(PoissonRadiographToVolumeMetricv4, GradientDescentOfTheFrameworkComesHome)
{
  const Scene scene;
  const auto  transform = itk::Euler3DTransform<double>::New();
  transform->SetRotation(0.03, -0.02, 0.02);
  transform->SetTranslation(MakePoint(2, -3, 2) - MakePoint(0, 0, 0));
  const auto metric = scene.MakeMetric(*transform, Projector::Joseph);

  using Method = itk::ImageRegistrationMethodv4<ImageType, ImageType>;
  const auto method = Method::New();
  const auto optimizer = itk::RegularStepGradientDescentOptimizerv4<double>::New();
  const auto scales = itk::RegistrationParameterScalesFromPhysicalShift<Metric::Superclass::Superclass>::New();
  scales->SetMetric(metric);
  optimizer->SetScalesEstimator(scales);
  optimizer->SetLearningRate(1.0);
  optimizer->SetMinimumStepLength(1e-3);
  optimizer->SetNumberOfIterations(60);
  method->SetFixedImage(scene.images[0]);
  method->SetMovingImage(scene.ct);
  method->SetMetric(metric);
  method->SetOptimizer(optimizer);
  method->SetInitialTransform(transform);
  method->InPlaceOn();
  method->SetNumberOfLevels(1);
  Method::ShrinkFactorsArrayType shrink(1);
  shrink.Fill(1);
  Method::SmoothingSigmasArrayType sigmas(1);
  sigmas.Fill(0.0);
  method->SetShrinkFactorsPerLevel(shrink);
  method->SetSmoothingSigmasPerLevel(sigmas);
  method->Update();
  const auto result = method->GetTransform()->GetParameters();
  for (unsigned int i = 0; i < 6; ++i)
  {
    EXPECT_NEAR(result[i], 0.0, i < 3 ? 0.005 : 0.5) << i;
  }
}

TEST(PoissonRadiographToVolumeMetricv4, PrintsItsState)
{
  const Scene        scene;
  const auto         transform = itk::Euler3DTransform<double>::New();
  const auto         metric = scene.MakeMetric(*transform);
  std::ostringstream text;
  metric->SetViewGain(1, 2.0);
  metric->Print(text);
  for (const char * word : { "OpenBeamCounts: 2000",
                             "EstimateScatter: Off",
                             "ScatterGrid",
                             "gain 2",
                             "Stride: 1",
                             "not prepared",
                             "Projector: itk::" })
  {
    EXPECT_NE(text.str().find(word), std::string::npos) << word << " in\n" << text.str();
  }
}
