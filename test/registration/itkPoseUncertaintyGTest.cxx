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
#include "registration/itkPoseUncertainty.h"

#include "vnl/vnl_inverse.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace
{

using MatrixType = vnl_matrix<double>;

/** A covariance of four parameters whose units differ by powers of ten. */
MatrixType
MakeCovariance(std::mt19937 & engine)
{
  std::normal_distribution<double> normal;
  MatrixType                       root(4, 4);
  for (unsigned int row = 0; row < 4; ++row)
  {
    for (unsigned int column = 0; column < 4; ++column)
    {
      root(row, column) = normal(engine) * std::pow(10.0, row - 2.0);
    }
  }
  return root * root.transpose();
}

double
Along(const MatrixType & covariance, const vnl_vector<double> & direction)
{
  return dot_product(direction, covariance * direction);
}

vnl_vector<double>
RandomDirection(std::mt19937 & engine)
{
  std::normal_distribution<double> normal;
  vnl_vector<double>               direction(4);
  for (unsigned int i = 0; i < 4; ++i)
  {
    direction[i] = normal(engine) / std::pow(10.0, i - 2.0);
  }
  return direction;
}

} // namespace

TEST(PoseUncertainty, InflatedIsAtLeastBothInEveryDirection)
{
  std::mt19937 engine(7);
  for (unsigned int i = 0; i < 20; ++i)
  {
    const MatrixType model = MakeCovariance(engine);
    const MatrixType sandwich = MakeCovariance(engine);
    const MatrixType inflated = itk::InflateCovariance(model, sandwich);
    for (unsigned int k = 0; k < 50; ++k)
    {
      const vnl_vector<double> direction = RandomDirection(engine);
      EXPECT_GE(Along(inflated, direction), Along(model, direction) * (1.0 - 1e-9)) << "case " << i;
      EXPECT_GE(Along(inflated, direction), Along(sandwich, direction) * (1.0 - 1e-9)) << "case " << i;
    }
  }
}

TEST(PoseUncertainty, InflatedIsTheOneThatIsLarger)
{
  std::mt19937     engine(8);
  const MatrixType model = MakeCovariance(engine);
  const MatrixType small = 0.25 * model;
  const MatrixType large = 9.0 * model;
  const MatrixType none(4, 4, 0.0);
  for (unsigned int i = 0; i < 4; ++i)
  {
    EXPECT_NEAR(itk::InflateCovariance(model, small)(i, i) / model(i, i), 1.0, 1e-9);
    EXPECT_NEAR(itk::InflateCovariance(model, none)(i, i) / model(i, i), 1.0, 1e-9);
    EXPECT_NEAR(itk::InflateCovariance(model, large)(i, i) / model(i, i), 9.0, 1e-8);
  }
}

TEST(PoseUncertainty, InverseIsEmptyWhereACombinationIsUndetermined)
{
  std::mt19937     engine(9);
  const MatrixType covariance = MakeCovariance(engine);
  const MatrixType information = vnl_inverse(vnl_matrix_fixed<double, 4, 4>(covariance)).as_matrix();
  const MatrixType product = itk::InvertInformation(information) * information;
  for (unsigned int i = 0; i < 4; ++i)
  {
    EXPECT_NEAR(product(i, i), 1.0, 1e-7);
  }
  // The last two parameters have the same effect.
  MatrixType singular(2, 2, 3.0);
  EXPECT_TRUE(itk::InvertInformation(singular).empty());
}

TEST(PoseUncertainty, DistanceIsThatOfStandardNormalNumbers)
{
  MatrixType covariance(2, 2, 0.0);
  covariance(0, 0) = 4.0;
  covariance(1, 1) = 1e-6;
  vnl_vector<double> difference(2);
  difference[0] = 6.0;
  difference[1] = 4e-3;
  EXPECT_NEAR(itk::ComputeStandardDistance(difference, covariance), 5.0, 1e-12);
}

// Quantiles of chi-square at 0.9973002: R, qchisq(pchisq(9, 1), n).
TEST(PoseUncertainty, BoundIsThreeStandardErrorsInMoreDimensions)
{
  EXPECT_NEAR(itk::ComputeStandardDistanceBound(1), 3.0, 0.03);
  EXPECT_NEAR(itk::ComputeStandardDistanceBound(6), std::sqrt(20.06), 0.02);
  EXPECT_NEAR(itk::ComputeStandardDistanceBound(12), std::sqrt(30.10), 0.03);
}
