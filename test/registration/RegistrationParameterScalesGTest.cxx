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
#include "itkRegistrationParameterScalesFromFisherInformation.h"
#include "itkRegistrationParameterScalesFromRadiographShift.h"

#include "LandmarkMetric.h"
#include "ProjectionFixtures.h"
#include "Refusal.h"

#include "itkEuler3DTransform.h"
#include "itkPoissonRadiographToVolumeMetricv4.h"

#include <gtest/gtest.h>

#include <cmath>

namespace
{

using namespace radiography::test;
using testimages::Refusal;
using testmetrics::LandmarkMetric;
using EulerType = itk::Euler3DTransform<double>;
using MetricType = itk::PoissonRadiographToVolumeMetricv4;
using ShiftScales = itk::RegistrationParameterScalesFromRadiographShift;
using FisherScales = itk::RegistrationParameterScalesFromFisherInformation;
using ScalesType = ShiftScales::ScalesType;

/** A cube of 100 mm in the middle of views from the front, and from the left if there are two. */
MetricType::Pointer
MakeMetric(EulerType & transform, bool hasTwoViews)
{
  const auto mu = MakeCenteredImage({ { 11, 11, 11 } }, 10.0, 10.0, 10.0, 0.02F);
  const auto front = MakeCArmView(0, 0, 16, 12.0);
  const auto left = MakeCArmView(90, 0, 16, 12.0);
  const auto image = MakeDetectorPixels(*front);
  image->FillBuffer(100.0F);
  const auto leftImage = MakeDetectorPixels(*left);
  leftImage->FillBuffer(100.0F);
  const auto metric = MetricType::New();
  metric->SetFixedImage(image);
  metric->SetGeometry(front);
  if (hasTwoViews)
  {
    metric->AddView(leftImage, left);
  }
  metric->SetMovingImage(mu);
  metric->SetMovingTransform(&transform);
  metric->SetOpenBeamCounts(1000.0);
  metric->Initialize();
  return metric;
}

ScalesType
EstimateScales(MetricType & metric)
{
  const auto scales = ShiftScales::New();
  scales->SetMetric(&metric);
  ScalesType result;
  scales->EstimateScales(result);
  return result;
}

} // namespace

// A view from the front has x and z across its rays and y along them. A shift t of a corner that lies d mm from the
// source projects to t x SID / d / pitch pixels.
TEST(RegistrationParameterScales, RadiographShiftIsThatOfProjectedCorners)
{
  const auto   transform = EulerType::New();
  const auto   metric = MakeMetric(*transform, false);
  const auto   scales = EstimateScales(*metric);
  const double half =
    0.5 * (static_cast<double>(metric->GetVirtualRegion().GetSize(1)) - 1.0) * metric->GetVirtualSpacing()[1];
  const double across = 1100.0 / (700.0 - half) / 12.0;
  EXPECT_NEAR(std::sqrt(scales[3]), across, 1e-3 * across);
  EXPECT_NEAR(std::sqrt(scales[5]), across, 1e-3 * across);
  // Along the rays: only what perspective makes of it.
  EXPECT_LT(std::sqrt(scales[4]), 0.2 * across);
  EXPECT_GT(std::sqrt(scales[4]), 0.05 * across);
  // About y, the nearest corners turn on a circle of radius sqrt(2) half across the rays.
  EXPECT_NEAR(std::sqrt(scales[1]), std::sqrt(2.0) * half * across, 0.02 * half * across);
  EXPECT_EQ(transform->GetParameters(), EulerType::New()->GetParameters());
}

TEST(RegistrationParameterScales, RadiographShiftIsTheLargestOfAllViews)
{
  const auto transform = EulerType::New();
  const auto one = EstimateScales(*MakeMetric(*transform, false));
  const auto two = EstimateScales(*MakeMetric(*transform, true));
  // The second view sees along x, so that y is across its rays.
  EXPECT_NEAR(two[4], two[3], 1e-3 * two[3]);
  EXPECT_GT(two[4], 20.0 * one[4]);
  EXPECT_NEAR(two[3], one[3], 1e-9 * one[3]);
}

// With the CT turned by 90 degrees about x, its y is the world's z: what moves the CT along its y is seen across the
// rays, not along them.
TEST(RegistrationParameterScales, RadiographShiftIsThatOfTheCTInTheWorld)
{
  const auto upright = EulerType::New();
  const auto turned = EulerType::New();
  turned->SetRotation(itk::Math::pi / 2.0, 0.0, 0.0);
  const auto before = EstimateScales(*MakeMetric(*upright, false));
  const auto after = EstimateScales(*MakeMetric(*turned, false));
  EXPECT_NEAR(after[4], before[5], 1e-3 * before[5]);
  EXPECT_NEAR(after[5], before[4], 1e-3 * before[5]);
}

TEST(RegistrationParameterScales, RadiographShiftOfAStepIsInPixels)
{
  const auto transform = EulerType::New();
  const auto metric = MakeMetric(*transform, true);
  const auto scales = ShiftScales::New();
  scales->SetMetric(metric);
  ScalesType step(6);
  step.Fill(0.0);
  step[3] = 5.0;
  ScalesType unit;
  scales->EstimateScales(unit);
  EXPECT_NEAR(scales->EstimateStepScale(step), 5.0 * std::sqrt(unit[3]), 1e-3 * std::sqrt(unit[3]));
  EXPECT_EQ(scales->EstimateMaximumStepSize(), 1.0);
  scales->SetMaximumShift(2.5);
  EXPECT_EQ(scales->EstimateMaximumStepSize(), 2.5);
}

TEST(RegistrationParameterScales, RadiographShiftNeedsRadiographs)
{
  const auto metric = LandmarkMetric::New();
  metric->SetMovingTransform(EulerType::New());
  metric->Initialize();
  const auto scales = ShiftScales::New();
  scales->SetMetric(metric);
  ScalesType unused;
  EXPECT_NE(Refusal([&] { scales->EstimateScales(unused); }).find("LandmarkMetric has no radiographs"),
            std::string::npos);
}

TEST(RegistrationParameterScales, FisherScalesAreTheDiagonalOfTheInformation)
{
  const auto truth = EulerType::New();
  const auto transform = EulerType::New();
  transform->SetRotation(0.1, -0.2, 0.05);
  const auto metric = LandmarkMetric::New();
  metric->SetPairs(*truth);
  metric->sigma = 0.5;
  metric->SetMovingTransform(transform);
  const auto scales = FisherScales::New();
  scales->SetMetric(metric);
  ScalesType result;
  scales->EstimateScales(result);

  double                          value = 0.0;
  LandmarkMetric::DerivativeType  derivative;
  LandmarkMetric::InformationType information;
  metric->GetValueDerivativeAndInformation(value, derivative, information);
  ScalesType step(6);
  for (unsigned int i = 0; i < 6; ++i)
  {
    EXPECT_EQ(result[i], information(i, i));
    step[i] = 0.1 * (i + 1.0);
  }
  const double expected = std::sqrt(dot_product(step, information * step));
  EXPECT_NEAR(scales->EstimateStepScale(step), expected, 1e-12 * expected);
  // Eight pairs, one error of 1 mm in x each: 8 / sigma^2.
  EXPECT_NEAR(result[3], 32.0, 1e-9);
}

TEST(RegistrationParameterScales, FisherMaximumStepIsTheDistanceToTheOptimum)
{
  const auto                  truth = EulerType::New();
  const auto                  transform = EulerType::New();
  EulerType::OutputVectorType shift(0.0);
  shift[1] = 3.0;
  transform->SetTranslation(shift);
  const auto metric = LandmarkMetric::New();
  metric->SetPairs(*truth);
  metric->SetMovingTransform(transform);
  const auto scales = FisherScales::New();
  scales->SetMetric(metric);
  // 3 mm with a standard error of 1 / sqrt(8) mm.
  EXPECT_NEAR(scales->EstimateMaximumStepSize(), 3.0 * std::sqrt(8.0), 1e-9);
  shift[1] = 0.0;
  transform->SetTranslation(shift);
  EXPECT_EQ(scales->EstimateMaximumStepSize(), 1.0);
}

TEST(RegistrationParameterScales, FisherScalesRefuseWhatHasNone)
{
  const auto scales = FisherScales::New();
  ScalesType result;
  EXPECT_NE(Refusal([&] { scales->EstimateScales(result); }).find("no metric"), std::string::npos);

  const auto metric = testmetrics::ResidualMetric::New();
  metric->parameters.SetSize(2);
  metric->parameters.Fill(1.0);
  bool isValid = true;
  metric->model = [&](const vnl_vector<double> & x, vnl_vector<double> & residuals, vnl_matrix<double> & jacobian) {
    residuals = vnl_vector<double>(1, x[0]);
    jacobian = vnl_matrix<double>(1, 2, 0.0);
    jacobian(0, 0) = 1.0;
    return isValid;
  };
  scales->SetMetric(metric);
  EXPECT_NE(Refusal([&] { scales->EstimateScales(result); }).find("information on parameter 1 is 0"),
            std::string::npos);
  EXPECT_NE(Refusal([&] { scales->EstimateLocalStepScales(result, result); }).find("no local steps"),
            std::string::npos);
  isValid = false;
  EXPECT_NE(Refusal([&] { scales->EstimateScales(result); }).find("means nothing"), std::string::npos);
}
