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
#include "MetricScenes.h"
#include "Refusal.h"
#include "RegistrationScenes.h"

#include "itkFisherScoringOptimizerv4.h"
#include "itkGradientCorrelationRadiographToVolumeMetricv4.h"
#include "itkNormalizedCorrelationRadiographToVolumeMetricv4.h"

#include "itkImageRegistrationMethodv4.h"
#include "itkRegistrationParameterScalesFromPhysicalShift.h"
#include "itkRegularStepGradientDescentOptimizerv4.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <sstream>

using namespace radiography::test;
using testimages::Refusal;

namespace
{

using Metric = itk::CorrelationRadiographToVolumeMetricv4;
using NormalizedMetric = itk::NormalizedCorrelationRadiographToVolumeMetricv4;
using GradientMetric = itk::GradientCorrelationRadiographToVolumeMetricv4;
using Compared = Metric::ComparedEnum;
using Relation = Metric::RelationEnum;

enum class Kind
{
  Normalized,
  Central,
  Sobel
};
const Kind Kinds[] = { Kind::Normalized, Kind::Central, Kind::Sobel };

Metric::Pointer
NewMetric(Kind kind)
{
  if (kind == Kind::Normalized)
  {
    return NormalizedMetric::New().GetPointer();
  }
  const auto metric = GradientMetric::New();
  metric->SetDifference(kind == Kind::Central ? GradientMetric::DifferenceEnum::Central
                                              : GradientMetric::DifferenceEnum::Sobel);
  return metric.GetPointer();
}

/** Two radiographs of a phantom, which lies in `truth`; log-converted (display-like) or linear. */
struct Scene
{
  ImageType::Pointer    mu = MakePhantom(Trunk(), 10.0);
  GeometryType::Pointer views[2] = { MakeCArmView(10, 20, 24, 14.0), MakeCArmView(100, -10, 22, 15.0, 30.0) };
  EulerType::Pointer    truth = MakePose(0.05, -0.03, 0.04, 3.0, -2.0, 4.0);
  ImageType::Pointer    images[2];

  explicit Scene(Compared quantity = Compared::OpticalDepth,
                 double   gain = 250.0,
                 double   offset = 1000.0,
                 float    noise = 0.0F)
  {
    std::mt19937                    engine(5);
    std::normal_distribution<float> normal;
    for (unsigned int view = 0; view < 2; ++view)
    {
      images[view] = Project(mu, views[view], Projector::CellGauss, truth);
      for (itk::ImageRegionIterator<ImageType> it(images[view], images[view]->GetBufferedRegion()); !it.IsAtEnd(); ++it)
      {
        const double depth = it.Get();
        const double value = quantity == Compared::OpticalDepth ? depth : std::exp(-depth);
        it.Set(static_cast<float>(offset + gain * value) + noise * normal(engine));
      }
    }
  }

  template <typename TMetric>
  void
  Fill(TMetric & metric, TransformType & transform) const
  {
    metric.SetFixedImage(images[0]);
    metric.SetGeometry(views[0]);
    metric.AddView(images[1], views[1]);
    metric.SetMovingImage(mu);
    metric.SetMovingTransform(&transform);
    metric.SetProjector(Projector::CellGauss);
    metric.SetPolicy("simd=0"); // depths to the last digits, for differences of values
  }

  Metric::Pointer
  Make(Kind kind, TransformType & transform) const
  {
    const auto metric = NewMetric(kind);
    this->Fill(*metric, transform);
    return metric;
  }
};

/** Without a block of pixels and one more. */
itk::Image<unsigned char, 3>::Pointer
MakeHoles(const GeometryType & view)
{
  const auto mask = itk::Image<unsigned char, 3>::New();
  mask->CopyInformation(view.MakeDetectorImage());
  mask->SetRegions(mask->GetLargestPossibleRegion());
  mask->Allocate();
  mask->FillBuffer(1);
  for (itk::ImageRegionIteratorWithIndex<itk::Image<unsigned char, 3>> it(mask, mask->GetBufferedRegion());
       !it.IsAtEnd();
       ++it)
  {
    const auto index = it.GetIndex();
    const bool isHole =
      (index[0] > 3 && index[0] < 9 && index[1] > 10 && index[1] < 15) || (index[0] == 15 && index[1] == 7);
    it.Set(isHole ? 0 : 1);
  }
  return mask;
}

/** Relative to the largest component in units of `scale`. */
void
ExpectCentralDifferences(const Metric & metric, TransformType & transform)
{
  const auto             parameters = transform.GetParameters();
  Metric::MeasureType    value = 0.0;
  Metric::DerivativeType derivative;
  metric.GetValueAndDerivative(value, derivative);
  EXPECT_EQ(value, metric.GetValue());
  const auto jacobian = itk::RadiographSensitivityCalculator::ComputeAffineJacobian(transform);
  for (unsigned int i = 0; i < parameters.Size(); ++i)
  {
    double weight = 0.0; // rows of A act over some 100 mm, those of b as they are
    for (unsigned int j = 0; j < 12; ++j)
    {
      weight = std::max(weight, std::abs(jacobian(j, i)) * (j < 9 ? 100.0 : 1.0));
    }
    const double step = 0.003 / weight;
    const auto   valueAt = [&](double by) {
      auto moved = parameters;
      moved[i] += by;
      transform.SetParameters(moved);
      return metric.GetValue();
    };
    const double difference =
      (8.0 * (valueAt(step) - valueAt(-step)) - (valueAt(2.0 * step) - valueAt(-2.0 * step))) / (12.0 * step);
    transform.SetParameters(parameters);
    EXPECT_NEAR(-derivative[i] / weight, difference / weight, 2e-5 * (1.0 + std::abs(difference / weight)))
      << "parameter " << i << " of " << transform.GetNameOfClass();
  }
}

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
};

/** Second derivatives of the value by differences of the gradient, rotations in units of 1/100. */
vnl_matrix<double>
Hessian(const Metric & metric, TransformType & transform, const vnl_vector<double> & scale)
{
  const auto         parameters = transform.GetParameters();
  vnl_matrix<double> hessian(6, 6);
  const double       step = 1e-3;
  for (unsigned int i = 0; i < 6; ++i)
  {
    Metric::DerivativeType derivatives[2];
    for (unsigned int side = 0; side < 2; ++side)
    {
      auto   moved = parameters;
      double value = 0.0;
      moved[i] += (side == 0 ? step : -step) * scale[i];
      transform.SetParameters(moved);
      metric.GetValueAndDerivative(value, derivatives[side]);
    }
    for (unsigned int j = 0; j < 6; ++j)
    {
      hessian(i, j) = -(derivatives[0][j] - derivatives[1][j]) * scale[j] / (2.0 * step);
    }
  }
  transform.SetParameters(parameters);
  return 0.5 * (hessian + hessian.transpose());
}

vnl_vector<double>
EulerScale()
{
  vnl_vector<double> scale(6, 1.0);
  scale[0] = scale[1] = scale[2] = 0.01;
  return scale;
}

} // namespace

TEST(CorrelationMetric, DerivativeIsThatOfCentralDifferencesForAllTransforms)
{
  const Scene scene(Compared::OpticalDepth, 250.0, 1000.0, 60.0F);
  for (const auto & transform : MakeTransforms())
  {
    for (const Kind kind : Kinds)
    {
      SCOPED_TRACE("kind " + std::to_string(static_cast<int>(kind)));
      const auto metric = scene.Make(kind, *transform);
      metric->Initialize();
      ExpectCentralDifferences(*metric, *transform);
    }
  }
}

TEST(CorrelationMetric, DerivativeIsThatOfCentralDifferencesForAllOptions)
{
  const Scene scene(Compared::OpticalDepth, 250.0, 1000.0, 60.0F);
  for (const Compared compared : { Compared::OpticalDepth, Compared::Transmission })
  {
    for (const Relation relation : { Relation::Automatic, Relation::Growing, Relation::Falling })
    {
      for (const Kind kind : Kinds)
      {
        const auto transform = MakePose(0.1, -0.05, 0.02, 5.0, 1.0, -3.0);
        const auto metric = NewMetric(kind);
        scene.Fill(*metric, *transform);
        metric->SetMask(MakeHoles(*scene.views[0]));
        metric->SetCompared(compared);
        metric->SetRelation(relation);
        metric->SetStride(kind == Kind::Normalized ? 2 : 1);
        metric->Initialize();
        std::ostringstream name;
        name << metric->GetNameOfClass() << ' ' << compared << ' ' << relation;
        SCOPED_TRACE(name.str());
        ExpectCentralDifferences(*metric, *transform);
      }
    }
  }
}

TEST(CorrelationMetric, InformationAtAPerfectFitIsTheSecondDerivative)
{
  for (const Compared compared : { Compared::OpticalDepth, Compared::Transmission })
  {
    const Scene scene(compared);
    for (const Relation relation : { Relation::Automatic, Relation::Growing })
    {
      for (const Kind kind : Kinds)
      {
        const auto metric = scene.Make(kind, *scene.truth);
        metric->SetCompared(compared);
        metric->SetRelation(relation);
        metric->Initialize();
        const auto scale = EulerScale();
        const auto hessian = Hessian(*metric, *scene.truth, scale);
        auto       information = Evaluation(*metric).information;
        for (unsigned int i = 0; i < 6; ++i)
        {
          for (unsigned int j = 0; j < 6; ++j)
          {
            information(i, j) *= scale[i] * scale[j];
          }
        }
        EXPECT_LT((information - hessian).frobenius_norm(), 2e-3 * hessian.frobenius_norm())
          << "kind " << static_cast<int>(kind);
      }
    }
  }
}

TEST(CorrelationMetric, DoesNotSeeGainAndOffset)
{
  const Scene plain(Compared::OpticalDepth, 256.0, 0.0);
  Scene       other = plain;
  for (auto & image : other.images)
  {
    const auto scaled = ImageType::New();
    scaled->Graft(image);
    const auto copy = ImageType::New();
    copy->CopyInformation(scaled);
    copy->SetRegions(scaled->GetLargestPossibleRegion());
    copy->Allocate();
    for (itk::SizeValueType i = 0; i < copy->GetBufferedRegion().GetNumberOfPixels(); ++i)
    {
      copy->GetBufferPointer()[i] = -4.0F * image->GetBufferPointer()[i]; // inverted
    }
    image = copy;
  }
  const auto transform = MakePose(0.02, 0.01, -0.03, 2.0, 3.0, 1.0);
  for (const Kind kind : Kinds)
  {
    const auto one = plain.Make(kind, *transform);
    const auto two = other.Make(kind, *transform);
    one->Initialize();
    two->Initialize();
    EXPECT_NEAR(one->GetValue(), two->GetValue(), 1e-9 * one->GetValue());
    one->SetRelation(Relation::Growing);
    two->SetRelation(Relation::Falling);
    one->Initialize();
    two->Initialize();
    EXPECT_NEAR(one->GetValue(), two->GetValue(), 1e-9 * one->GetValue());
    two->SetRelation(Relation::Growing);
    two->Initialize();
    EXPECT_GT(two->GetValue(), 2.0 * one->GetValue());
  }
}

TEST(CorrelationMetric, FarPosesAreFiniteAndMeanNothing)
{
  const Scene scene;
  for (const Kind kind : Kinds)
  {
    for (const Relation relation : { Relation::Automatic, Relation::Growing, Relation::Falling })
    {
      const auto transform = MakePose(0.0, 0.0, 0.0, 0.0, 0.0, 0.0);
      const auto metric = scene.Make(kind, *transform);
      metric->SetRelation(relation);
      metric->Initialize();
      const Evaluation near(*metric);
      EXPECT_TRUE(near.isMeaningful);
      auto parameters = transform->GetParameters();
      parameters[5] = 5000.0;
      metric->SetParameters(parameters);
      const Evaluation far(*metric);
      EXPECT_FALSE(far.isMeaningful);
      EXPECT_EQ(metric->GetNumberOfValidPoints(), 0U);
      EXPECT_TRUE(std::isfinite(far.value));
      EXPECT_EQ(far.derivative.two_norm(), 0.0);
      EXPECT_EQ(far.information.frobenius_norm(), 0.0);
      if (relation != Relation::Falling)
      {
        EXPECT_GT(far.value, near.value);
      }
    }
  }
}

TEST(CorrelationMetric, RefusesWhatCannotBeCorrelated)
{
  const Scene scene;
  const auto  refusal = [&](const std::function<void(ImageType &)> & spoil, bool withMask) {
    const Scene fresh;
    spoil(*fresh.images[1]);
    const auto metric = NormalizedMetric::New();
    metric->SetFixedImage(fresh.images[0]);
    metric->SetGeometry(fresh.views[0]);
    const auto mask = MakeHoles(*fresh.views[1]);
    metric->AddView(fresh.images[1], fresh.views[1], withMask ? mask.GetPointer() : nullptr);
    metric->SetMovingImage(fresh.mu);
    metric->SetMovingTransform(fresh.truth);
    return Refusal([&]() { metric->Initialize(); });
  };
  const auto nan = [](ImageType & image) { image.SetPixel({ { 4, 11, 0 } }, std::numeric_limits<float>::quiet_NaN()); };
  const auto constant = [](ImageType & image) { image.FillBuffer(7.0F); };
  EXPECT_NE(refusal(nan, false).find("view 1 pixel [4, 11]"), std::string::npos);
  EXPECT_NE(refusal(constant, false).find("nothing to correlate in the image of view 1"), std::string::npos);
  // What is masked is not looked at.
  const Scene masked;
  nan(*masked.images[0]);
  const auto metric = NormalizedMetric::New();
  masked.Fill(*metric, *masked.truth);
  metric->SetMask(MakeHoles(*masked.views[0]));
  metric->Initialize();
  EXPECT_TRUE(std::isfinite(metric->GetValue()));
  const auto nothing = MakeHoles(*masked.views[0]);
  nothing->FillBuffer(0);
  metric->SetMask(nothing);
  EXPECT_NE(Refusal([&]() { metric->Initialize(); }).find("view 0"), std::string::npos);
}

TEST(CorrelationMetric, PredictionIsTheFittedImageAndResidualsAreStandardised)
{
  for (const Compared compared : { Compared::OpticalDepth, Compared::Transmission })
  {
    const Scene scene(compared, -250.0, 1000.0);
    const auto  metric = scene.Make(Kind::Normalized, *scene.truth);
    metric->SetCompared(compared);
    metric->Initialize();
    EXPECT_LT(metric->GetDispersion(), 1e-9);
    const auto prediction = metric->MakePrediction(1);
    const auto residual = metric->MakeResidual(1);
    for (itk::SizeValueType i = 0; i < prediction->GetBufferedRegion().GetNumberOfPixels(); ++i)
    {
      ASSERT_NEAR(prediction->GetBufferPointer()[i], scene.images[1]->GetBufferPointer()[i], 1e-2);
      ASSERT_NEAR(residual->GetBufferPointer()[i], 0.0, 1e-4);
    }
    const auto moved = MakePose(0.1, 0.0, 0.0, 5.0, 0.0, 0.0);
    metric->SetMovingTransform(moved);
    metric->Initialize();
    const auto dispersion = metric->GetDispersion();
    double     squares = 0.0;
    double     count = 0.0;
    for (unsigned int view = 0; view < 2; ++view)
    {
      const auto image = metric->MakeResidual(view);
      for (itk::SizeValueType i = 0; i < image->GetBufferedRegion().GetNumberOfPixels(); ++i)
      {
        squares += std::pow(image->GetBufferPointer()[i], 2);
        count += 1.0;
      }
    }
    EXPECT_NEAR(dispersion, squares / count, 1e-4 * dispersion);
  }
}

TEST(CorrelationMetric, HasTheSameBitsForAnyThreads)
{
  const Scene scene(Compared::OpticalDepth, 250.0, 1000.0, 60.0F);
  for (const Kind kind : Kinds)
  {
    const auto transform = MakePose(0.02, 0.01, -0.03, 2.0, 3.0, 1.0);
    const auto metric = scene.Make(kind, *transform);
    metric->Initialize();
    metric->SetMaximumNumberOfWorkUnits(1);
    const Evaluation serial(*metric);
    metric->SetMaximumNumberOfWorkUnits(7);
    const Evaluation parallel(*metric);
    EXPECT_EQ(serial.value, parallel.value);
    EXPECT_EQ(serial.derivative, parallel.derivative);
    EXPECT_EQ(serial.information, parallel.information);
  }
}

TEST(CorrelationMetric, RegularStepGradientDescentRecoversAKnownPose)
{
  const Scene scene;
  for (const Kind kind : { Kind::Normalized, Kind::Sobel })
  {
    const auto pose = MoveAway(*scene.truth, 5.0, 3);
    const auto metric = scene.Make(kind, *pose);
    using MethodType = itk::ImageRegistrationMethodv4<ImageType, ImageType, EulerType>;
    using OptimizerType = itk::RegularStepGradientDescentOptimizerv4<double>;
    using ScalesType = itk::RegistrationParameterScalesFromPhysicalShift<Metric::Superclass::Superclass>;
    const auto scales = ScalesType::New();
    scales->SetMetric(metric);
    const auto optimizer = OptimizerType::New();
    optimizer->SetScalesEstimator(scales);
    optimizer->SetLearningRate(1.0);
    optimizer->SetDoEstimateLearningRateOnce(true);
    optimizer->SetMinimumStepLength(1e-3);
    optimizer->SetNumberOfIterations(300);
    const auto method = MethodType::New();
    method->SetFixedImage(scene.images[0]);
    method->SetMovingImage(scene.mu);
    method->SetMetric(metric);
    method->SetOptimizer(optimizer);
    method->SetInitialTransform(pose);
    method->InPlaceOn();
    method->SetNumberOfLevels(1);
    method->SetSmoothingSigmasPerLevel(MethodType::SmoothingSigmasArrayType(1, 0.0));
    method->SetShrinkFactorsPerLevel(MethodType::ShrinkFactorsArrayType(1, 1));
    method->Update();
    EXPECT_LT(MeanTargetError(*pose, *scene.truth), 0.5) << "kind " << static_cast<int>(kind);
  }
}

TEST(CorrelationMetric, FisherScoringRecoversAKnownPose)
{
  for (const Compared compared : { Compared::OpticalDepth, Compared::Transmission })
  {
    const Scene scene(compared);
    for (const Kind kind : Kinds)
    {
      const auto pose = MoveAway(*scene.truth, 8.0, 4);
      const auto metric = scene.Make(kind, *pose);
      metric->SetCompared(compared);
      metric->SetRelation(Relation::Growing);
      metric->Initialize();
      const auto optimizer = itk::FisherScoringOptimizerv4::New();
      optimizer->SetMetric(metric);
      optimizer->SetNumberOfIterations(10);
      optimizer->StartOptimization();
      EXPECT_LT(MeanTargetError(*pose, *scene.truth), 1e-3)
        << "kind " << static_cast<int>(kind) << ", " << optimizer->GetStopConditionDescription();
    }
  }
}

TEST(CorrelationMetric, OneViewOutOfSightLeavesTheOther)
{
  const Scene scene;
  const auto  transform = MakePose(0.02, 0.01, -0.03, 2.0, 3.0, 1.0);
  const auto  both = NormalizedMetric::New();
  scene.Fill(*both, *transform);
  // A detector that sees nothing of the CT.
  const auto         away = MakeCArmView(10, 20, 24, 14.0);
  GeometryType::CArm arm;
  arm.sourceIsocenterDistance = 700.0;
  arm.sourceDetectorDistance = 1100.0;
  arm.isocenter = MakePoint(3000.0, 0.0, 0.0);
  away->SetCArm(arm, { 24, 24, 14.0, 14.0 });
  const auto   blind = NormalizedMetric::New();
  const auto   image = MakeDetectorPixels(*away);
  std::mt19937 engine(1);
  FillAtRandom(*image, engine, 0.0F, 1.0F);
  scene.Fill(*blind, *transform);
  blind->AddView(image, away);
  both->Initialize();
  blind->Initialize();
  const Evaluation one(*both);
  const Evaluation two(*blind);
  EXPECT_TRUE(two.isMeaningful);
  EXPECT_EQ(two.value, one.value + 0.5 * 24.0 * 24.0);
  EXPECT_EQ(two.derivative, one.derivative);
}

TEST(CorrelationMetric, PrintsItsOptions)
{
  const auto         metric = GradientMetric::New();
  std::ostringstream text;
  metric->Print(text);
  for (const char * const name : { "Compared: ", "Relation: ", "Difference: " })
  {
    EXPECT_NE(text.str().find(name), std::string::npos) << name;
  }
}
