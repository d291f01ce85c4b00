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

#include "itkRadiographLandmarkJSON.h"
#include "itkRadiographLandmarkPoseEstimator.h"

#include "vnl/algo/vnl_matrix_inverse.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <sstream>

using namespace radiography::test;
using testimages::Refusal;
using Estimator = itk::RadiographLandmarkPoseEstimator;
using EulerType = Estimator::TransformType;
using LandmarkJSON = itk::RadiographLandmarkJSON;

namespace
{

const itk::Point<double, 3> Places[] = { MakePoint(10, 20, 30),
                                         MakePoint(-40, 5, 60),
                                         MakePoint(0, -50, 5),
                                         MakePoint(35, -15, -45),
                                         MakePoint(-20, 45, -60) };

EulerType::Pointer
MakeTruth()
{
  const auto truth = EulerType::New();
  truth->SetCenter(MakePoint(4, 5, 6));
  truth->SetRotation(0.2, -0.3, 0.4);
  truth->SetTranslation(MakePoint(12, -7, 20) - MakePoint(0, 0, 0));
  return truth;
}

std::string
NameOf(std::size_t landmark)
{
  return "F-" + std::to_string(landmark + 1);
}

/** The first `count` places, seen by the views in the pose. */
Estimator::Pointer
Observe(const std::vector<GeometryType::Pointer> & views,
        const EulerType &                          pose,
        std::size_t                                count,
        double                                     noise = 0.0,
        unsigned int                               seed = 1)
{
  std::mt19937                     engine(seed);
  std::normal_distribution<double> normal;
  const auto                       estimator = Estimator::New();
  const auto                       worldFromCT = pose.GetInverseTransform();
  for (std::size_t i = 0; i < count; ++i)
  {
    estimator->AddLandmark(NameOf(i), Places[i]);
  }
  for (const auto & view : views)
  {
    const unsigned int number = estimator->AddView(view);
    for (std::size_t i = 0; i < count; ++i)
    {
      Estimator::PixelType pixel;
      EXPECT_TRUE(view->ProjectPoint(worldFromCT->TransformPoint(Places[i]), pixel));
      pixel[0] += noise * normal(engine);
      pixel[1] += noise * normal(engine);
      estimator->AddObservation(number, NameOf(i), pixel);
    }
  }
  return estimator;
}

double
GreatestDistance(const EulerType & one, const EulerType & other)
{
  double greatest = 0.0;
  for (const auto & place : Places)
  {
    greatest = std::max(greatest,
                        one.GetInverseTransform()->TransformPoint(place).EuclideanDistanceTo(
                          other.GetInverseTransform()->TransformPoint(place)));
  }
  return greatest;
}

} // namespace

TEST(RadiographLandmarkPoseEstimator, FindsTheTransformFromWorldToCT)
{
  const auto truth = MakeTruth();
  const auto oblique = MakeCArmView(20, -15, 64, 4.0, 25.0);
  const auto lateral = MakeCArmView(95, 5, 64, 4.0);
  for (const auto & views :
       { std::vector<GeometryType::Pointer>{ oblique }, std::vector<GeometryType::Pointer>{ oblique, lateral } })
  {
    const auto estimator = Observe(views, *truth, 5);
    estimator->SetCenter(truth->GetCenter());
    estimator->Compute();
    const auto & found = *estimator->GetTransform();
    EXPECT_LT(GreatestDistance(found, *truth), 1e-6);
    for (unsigned int i = 0; i < 6; ++i)
    {
      EXPECT_NEAR(found.GetParameters()[i], truth->GetParameters()[i], 1e-7);
    }
    EXPECT_EQ(found.GetCenter(), truth->GetCenter());
    EXPECT_LT(estimator->GetRMSError(), 1e-8);
    EXPECT_FALSE(estimator->GetIsCoplanar());
    EXPECT_FALSE(estimator->GetIsAmbiguous());
    EXPECT_TRUE(estimator->GetWarnings().empty());
  }
}

TEST(RadiographLandmarkPoseEstimator, ThreeInTwoParallelBeamsAndPixelsThatAreNotSquare)
{
  const auto         truth = MakeTruth();
  GeometryType::CArm arm;
  arm.sourceIsocenterDistance = 700.0;
  arm.sourceDetectorDistance = 1100.0;
  const auto cone = GeometryType::New();
  cone->SetCArm(arm, { 64, 80, 3.0, 4.5 });
  const auto estimator =
    Observe({ MakeParallelView(MakePoint(0.3, 1, 0.1) - MakePoint(0, 0, 0), 64, 4.0), cone }, *truth, 3);
  estimator->Compute();
  EXPECT_LT(GreatestDistance(*estimator->GetTransform(), *truth), 1e-6);
  const auto center = estimator->GetTransform()->GetCenter();
  EXPECT_NEAR(center[0], -10.0, 1e-12);
  EXPECT_NEAR(center[1], -25.0 / 3.0, 1e-12);
}

TEST(RadiographLandmarkPoseEstimator, ErrorsAreThoseOfTheProjection)
{
  const auto truth = MakeTruth();
  const auto view = MakeCArmView(20, -15, 64, 4.0);
  const auto estimator = Observe({ view }, *truth, 5, 0.4, 7);
  estimator->Compute();
  double squares = 0.0;
  for (const auto & observation : estimator->GetObservations())
  {
    EXPECT_NEAR(observation.error, 4.0 * observation.pixelError, 1e-12);
    EXPECT_NEAR(
      observation.pixelError,
      std::hypot(observation.projected[0] - observation.pixel[0], observation.projected[1] - observation.pixel[1]),
      1e-12);
    squares += observation.error * observation.error;
  }
  EXPECT_GT(squares, 0.0);
  EXPECT_NEAR(estimator->GetRMSError(), std::sqrt(squares / 5.0), 1e-12);
  EXPECT_NEAR(estimator->GetRMSPixelError(), estimator->GetRMSError() / 4.0, 1e-12);
}

// Normalised squared errors of the parameters have the mean 6 over many noises.
TEST(RadiographLandmarkPoseEstimator, CovarianceIsThatOfNoise)
{
  const auto   truth = MakeTruth();
  const auto   one = MakeCArmView(20, -15, 64, 4.0, 10.0);
  const auto   two = MakeCArmView(100, 5, 64, 4.0);
  const double noise = 0.3;
  const int    trials = 60;
  double       sum = 0.0;
  double       residual = 0.0;
  for (int trial = 0; trial < trials; ++trial)
  {
    const auto estimator = Observe({ one, two }, *truth, 5, noise, 100U + static_cast<unsigned int>(trial));
    estimator->SetCenter(truth->GetCenter());
    estimator->SetLandmarkStandardDeviation(4.0 * noise);
    estimator->Compute();
    vnl_vector<double> error(6);
    for (unsigned int i = 0; i < 6; ++i)
    {
      error[i] = estimator->GetTransform()->GetParameters()[i] - truth->GetParameters()[i];
    }
    sum += dot_product(error, vnl_matrix_inverse<double>(estimator->GetCovariance()).as_matrix() * error);
    estimator->SetLandmarkStandardDeviation(0.0);
    const double given = estimator->GetCovariance()(3, 3);
    estimator->Compute();
    residual += estimator->GetCovariance()(3, 3) / given;
  }
  // Six standard errors of the mean of a chi-square with 6 degrees of freedom; with 14, for the variance.
  EXPECT_NEAR(sum / trials, 6.0, 6.0 * std::sqrt(12.0 / trials));
  EXPECT_NEAR(residual / trials, 1.0, 6.0 * std::sqrt(2.0 / 14.0 / trials));
}

TEST(RadiographLandmarkPoseEstimator, SaysThatAPlaneHasTwoPoses)
{
  const auto view = MakeCArmView(0, 0, 64, 4.0);
  const auto pose = EulerType::New();
  pose->SetRotation(0.5, 0.0, 0.1);
  const auto estimator = Estimator::New();
  estimator->AddView(view);
  const double corners[5][2] = { { 20, 20 }, { -20, 20 }, { -20, -20 }, { 20, -20 }, { 5, 12 } };
  for (std::size_t i = 0; i < 5; ++i)
  {
    const auto           place = MakePoint(corners[i][0], 0.0, corners[i][1]);
    Estimator::PixelType pixel;
    ASSERT_TRUE(view->ProjectPoint(pose->GetInverseTransform()->TransformPoint(place), pixel));
    pixel[0] = 0.25 * std::round(4.0 * pixel[0]);
    pixel[1] = 0.25 * std::round(4.0 * pixel[1]);
    estimator->AddLandmark(NameOf(i), place);
    estimator->AddObservation(0, NameOf(i), pixel);
  }
  estimator->Compute();
  EXPECT_TRUE(estimator->GetIsCoplanar());
  EXPECT_TRUE(estimator->GetIsAmbiguous());
  ASSERT_NE(estimator->GetAlternativeTransform(), nullptr);
  EXPECT_GE(estimator->GetAlternativeRMSError(), estimator->GetRMSError());
  ASSERT_EQ(estimator->GetWarnings().size(), 2U);
  EXPECT_NE(estimator->GetWarnings()[0].find("plane"), std::string::npos);
}

TEST(RadiographLandmarkPoseEstimator, RefusesByName)
{
  const auto truth = MakeTruth();
  const auto view = MakeCArmView(20, -15, 64, 4.0);
  const auto computeOf = [](const Estimator::Pointer & estimator) { return Refusal([&]() { estimator->Compute(); }); };
  EXPECT_NE(computeOf(Estimator::New()).find("too few"), std::string::npos);
  EXPECT_NE(computeOf(Observe({ view }, *truth, 3)).find("too few"), std::string::npos);

  const auto line = Estimator::New();
  line->AddView(view);
  for (std::size_t i = 0; i < 5; ++i)
  {
    const auto           place = MakePoint(10.0 * static_cast<double>(i), 5.0, -7.0 * static_cast<double>(i));
    Estimator::PixelType pixel;
    view->ProjectPoint(place, pixel);
    line->AddLandmark(NameOf(i), place);
    line->AddObservation(0, NameOf(i), pixel);
  }
  EXPECT_NE(computeOf(line).find("on a line"), std::string::npos);

  const auto           estimator = Observe({ view }, *truth, 4);
  Estimator::PixelType pixel;
  pixel.Fill(1.0);
  EXPECT_NE(Refusal([&]() { estimator->AddObservation(1, "F-1", pixel); }).find("no view 1"), std::string::npos);
  EXPECT_NE(Refusal([&]() { estimator->AddObservation(0, "G", pixel); }).find("\"G\""), std::string::npos);
  EXPECT_NE(Refusal([&]() { estimator->AddObservation(0, "F-1", pixel); }).find("twice"), std::string::npos);
  EXPECT_NE(Refusal([&]() { estimator->AddLandmark("F-1", Places[0]); }).find("two landmarks"), std::string::npos);
  EXPECT_NE(Refusal([&]() {
              estimator->AddLandmark("N", MakePoint(0.0, std::numeric_limits<double>::quiet_NaN(), 0.0));
            }).find("not finite"),
            std::string::npos);
  EXPECT_NE(Refusal([&]() { estimator->AddView(nullptr); }).find("geometry"), std::string::npos);
  estimator->SetLandmarkStandardDeviation(-1.0);
  EXPECT_NE(computeOf(estimator).find("LandmarkStandardDeviation"), std::string::npos);
}

TEST(RadiographLandmarkPoseEstimator, RefusesLandmarksBehindTheSource)
{
  // Two beams from opposite sides, 3 m apart: lines through pixels that the images do not share meet behind.
  const auto one = MakeCArmView(0, 0, 64, 4.0);
  const auto two = MakeCArmView(90, 0, 64, 4.0);
  const auto estimator = Estimator::New();
  estimator->AddView(one);
  estimator->AddView(two);
  const auto matrixOne = one->GetProjectionMatrix();
  const auto matrixTwo = two->GetProjectionMatrix();
  const auto behindBoth =
    one->GetSource() + (two->GetSource() - MakePoint(0, 0, 0)) * 2.0 + (one->GetSource() - MakePoint(0, 0, 0));
  for (std::size_t i = 0; i < 3; ++i)
  {
    estimator->AddLandmark(NameOf(i), Places[i]);
    const auto point = behindBoth + (Places[i] - MakePoint(0, 0, 0));
    for (unsigned int view = 0; view < 2; ++view)
    {
      const auto & matrix = view == 0 ? matrixOne : matrixTwo;
      double       image[3];
      for (unsigned int row = 0; row < 3; ++row)
      {
        image[row] = matrix[row][0] * point[0] + matrix[row][1] * point[1] + matrix[row][2] * point[2] + matrix[row][3];
      }
      ASSERT_LT(image[2], 0.0);
      Estimator::PixelType pixel;
      pixel[0] = image[0] / image[2];
      pixel[1] = image[1] / image[2];
      estimator->AddObservation(view, NameOf(i), pixel);
    }
  }
  EXPECT_NE(Refusal([&]() { estimator->Compute(); }).find("behind"), std::string::npos);
}

TEST(RadiographLandmarkPoseEstimator, PrintsItsMembers)
{
  const auto estimator = Observe({ MakeCArmView(20, -15, 64, 4.0) }, *MakeTruth(), 4);
  estimator->Compute();
  std::ostringstream text;
  estimator->Print(text);
  for (const char * const name :
       { "RMSError: ", "Covariance: ", "F-1 at", "IsAmbiguous: ", "Center: ", "AlternativeRMSError: " })
  {
    EXPECT_NE(text.str().find(name), std::string::npos) << name;
  }
}

TEST(RadiographLandmarkPoseEstimator, MarkupsOfSlicerInBothSystems)
{
  const auto text = [](const std::string & system) {
    return R"({"@schema": "https://raw.githubusercontent.com/slicer/slicer/master/Modules/Loadable/Markups/Resources/Schema/markups-schema-v1.0.3.json#",
      "markups": [{"type": "Fiducial", "coordinateSystem": ")" +
           system + R"(", "coordinateUnits": "mm", "locked": false,
        "controlPoints": [
          {"id": "1", "label": "F-1", "position": [1.5, -2.25, 3], "positionStatus": "defined", "selected": true},
          {"id": "2", "label": "F-2", "position": [4, 5, 6], "positionStatus": "undefined"},
          {"id": "3", "label": "F-3", "position": [7, 8, 9e1]}],
        "measurements": []}]})";
  };
  for (const std::string system : { "LPS", "RAS" })
  {
    const auto   landmarks = LandmarkJSON::ParseMarkups(text(system));
    const double sense = system == "LPS" ? 1.0 : -1.0;
    ASSERT_EQ(landmarks.size(), 2U);
    EXPECT_EQ(landmarks[0].label, "F-1");
    EXPECT_EQ(landmarks[0].point, MakePoint(1.5 * sense, -2.25 * sense, 3.0));
    EXPECT_EQ(landmarks[1].label, "F-3");
    EXPECT_EQ(landmarks[1].point, MakePoint(7.0 * sense, 8.0 * sense, 90.0));
  }
  const auto refusal = [&](const std::string & from, const std::string & to) {
    std::string changed = text("LPS");
    changed.replace(changed.find(from), from.size(), to);
    return Refusal([&]() { LandmarkJSON::ParseMarkups(changed); });
  };
  EXPECT_NE(refusal("\"LPS\"", "\"IJK\"").find("coordinateSystem"), std::string::npos);
  EXPECT_NE(refusal("\"coordinateSystem\"", "\"other\"").find("coordinateSystem"), std::string::npos);
  EXPECT_NE(refusal("\"mm\"", "\"cm\"").find("coordinateUnits"), std::string::npos);
  EXPECT_NE(refusal("Fiducial", "Curve").find("Curve"), std::string::npos);
  EXPECT_NE(refusal("F-3", "F-1").find("twice"), std::string::npos);
  EXPECT_NE(refusal("[7, 8, 9e1]", "[7, 8]").find("control point 2 of markup 0"), std::string::npos);
  EXPECT_NE(Refusal([]() { LandmarkJSON::ParseMarkups("{"); }).find("JSON"), std::string::npos);
}

TEST(RadiographLandmarkPoseEstimator, PixelsOfSeveralImages)
{
  const std::string text = R"({"radiography_landmarks_2d": 1, "images": [
    {"landmarks": [{"label": "F-1", "pixel": [120.5, 88]}, {"label": "F-2", "pixel": [64, 30.25]}]},
    {"landmarks": []}]})";
  const auto        images = LandmarkJSON::ParsePixels(text);
  ASSERT_EQ(images.size(), 2U);
  ASSERT_EQ(images[0].size(), 2U);
  EXPECT_TRUE(images[1].empty());
  EXPECT_EQ(images[0][1].label, "F-2");
  EXPECT_EQ(images[0][1].pixel[0], 64.0);
  EXPECT_EQ(images[0][1].pixel[1], 30.25);
  const auto refusal = [&](const std::string & from, const std::string & to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return Refusal([&]() { LandmarkJSON::ParsePixels(changed); });
  };
  EXPECT_NE(refusal("2d\": 1", "2d\": 2").find("must be 1"), std::string::npos);
  EXPECT_NE(refusal("F-2", "F-1").find("image 0"), std::string::npos);
  EXPECT_NE(refusal("[120.5, 88]", "[120.5]").find("landmark 0 of image 0"), std::string::npos);
  EXPECT_NE(refusal("\"pixel\"", "\"pixle\"").find("pixel"), std::string::npos);
  EXPECT_NE(refusal("\"images\"", "\"pictures\"").find("pictures"), std::string::npos);
  EXPECT_NE(Refusal([]() { LandmarkJSON::ReadPixels("no such file.json"); }).find("no such file.json"),
            std::string::npos);
}
