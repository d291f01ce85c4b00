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
#include "BackwardThreads.h"

#include "compute/CorrelationOfDepths.h"
#include "compute/LinearAlgebra.h"
#include "compute/CorrelationOfGradients.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>

using namespace radiography;
using compute::ComparedQuantity;
using compute::CorrelationSign;
using compute::DifferenceKind;
using compute::SimilarityOrder;

namespace
{

const CorrelationSign  Signs[] = { CorrelationSign::Any, CorrelationSign::Positive, CorrelationSign::Negative };
const ComparedQuantity Quantities[] = { ComparedQuantity::OpticalDepth, ComparedQuantity::Transmission };
constexpr int          NumberOfParameters = 4;

enum class Kind
{
  Depths,
  CentralGradients,
  SobelGradients
};
const Kind Kinds[] = { Kind::Depths, Kind::CentralGradients, Kind::SobelGradients };

/** Smooth depths that depend on a few parameters, an image of noise and structure, and a mask with holes. */
struct Scene
{
  compute::PixelGrid           grid{ 17, 13, 1 };
  std::vector<double>          depths;
  std::vector<Eigen::VectorXd> jacobian;
  std::vector<float>           image;
  std::vector<unsigned char>   mask;

  explicit Scene(unsigned int seed, double slope = 300.0)
    : mask(static_cast<std::size_t>(grid.Count()), 1)
  {
    std::mt19937                           engine(seed);
    std::normal_distribution<double>       normal;
    std::uniform_real_distribution<double> angle(0.0, 6.3);
    const double                           phase = angle(engine);
    for (std::int64_t row = 0; row < grid.rows; ++row)
    {
      for (std::int64_t column = 0; column < grid.columns; ++column)
      {
        const double x = 0.4 * static_cast<double>(column);
        const double y = 0.3 * static_cast<double>(row);
        depths.push_back(2.0 + std::sin(x + phase) * std::cos(y) + 0.3 * std::cos(2.0 * x - y));
        Eigen::VectorXd gradient(NumberOfParameters);
        gradient << std::cos(x + phase) * std::cos(y), std::sin(x) * std::sin(y + phase), std::cos(x - 2.0 * y),
          std::sin(1.3 * x + phase);
        jacobian.push_back(gradient);
        image.push_back(static_cast<float>(1000.0 + slope * depths.back() + 90.0 * normal(engine)));
      }
    }
    for (const std::size_t hole : { std::size_t{ 3 }, std::size_t{ 70 }, std::size_t{ 71 }, std::size_t{ 150 } })
    {
      mask[hole] = 0;
      image[hole] = std::numeric_limits<float>::quiet_NaN();
    }
  }

  compute::DepthImages
  Images(const std::vector<double> & these) const
  {
    return { { these.data(), grid.columns, grid.Count() },
             { image.data(), grid.columns, grid.Count() },
             { mask.data(), grid.columns, grid.Count() } };
  }

  compute::SimilarityTerms
  Evaluate(Kind                         kind,
           ComparedQuantity             compared,
           CorrelationSign              sign,
           SimilarityOrder              order,
           const std::vector<double> &  these,
           const compute::ParallelFor & parallelFor = compute::SerialFor) const
  {
    if (kind == Kind::Depths)
    {
      return compute::EvaluateDepthCorrelation(grid, this->Images(these), compared, sign, order, parallelFor);
    }
    const auto difference = kind == Kind::SobelGradients ? DifferenceKind::Sobel : DifferenceKind::Central;
    return compute::EvaluateGradientCorrelation(
      grid, this->Images(these), { 0.8, 1.5 }, difference, compared, sign, order, parallelFor);
  }
};

Eigen::MatrixXd
GaussNewton(const Scene & scene, const compute::SimilarityTerms & terms)
{
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(NumberOfParameters, NumberOfParameters);
  for (std::size_t i = 0; i < terms.weights.size(); ++i)
  {
    matrix += terms.weights[i] * scene.jacobian[i] * scene.jacobian[i].transpose();
  }
  for (const auto & difference : terms.differences)
  {
    for (std::size_t i = 0; i < difference.weights.size(); ++i)
    {
      Eigen::VectorXd sum = Eigen::VectorXd::Zero(NumberOfParameters);
      for (const auto & pixel : difference.pixels)
      {
        if (difference.weights[i] != 0.0)
        {
          const auto place =
            static_cast<std::size_t>(static_cast<std::int64_t>(i) + pixel.column + pixel.row * scene.grid.columns);
          sum += pixel.factor * (terms.slopes.empty() ? 1.0 : terms.slopes[place]) * scene.jacobian[place];
        }
      }
      matrix += difference.weights[i] * sum * sum.transpose();
    }
  }
  for (const auto & column : terms.couplings)
  {
    Eigen::VectorXd sum = Eigen::VectorXd::Zero(NumberOfParameters);
    for (std::size_t i = 0; i < column.size(); ++i)
    {
      sum += column[i] * scene.jacobian[i];
    }
    matrix -= sum * sum.transpose();
  }
  return matrix;
}

std::string
Describe(Kind kind, ComparedQuantity compared, CorrelationSign sign)
{
  return "kind " + std::to_string(static_cast<int>(kind)) + ", compared " + std::to_string(static_cast<int>(compared)) +
         ", sign " + std::to_string(static_cast<int>(sign));
}

/** Calls check(kind, compared, sign) for all of them. */
template <typename TCheck>
void
ForEachSimilarity(const TCheck & check)
{
  for (const Kind kind : Kinds)
  {
    for (const ComparedQuantity compared : Quantities)
    {
      for (const CorrelationSign sign : Signs)
      {
        SCOPED_TRACE(Describe(kind, compared, sign));
        check(kind, compared, sign);
      }
    }
  }
}

/** Standardised, over the pixels that are compared, without their mean. */
Eigen::VectorXd
Standardise(const std::vector<double> & values, const std::vector<unsigned char> & mask)
{
  std::vector<double> compared;
  for (std::size_t i = 0; i < values.size(); ++i)
  {
    if (mask[i] != 0)
    {
      compared.push_back(values[i]);
    }
  }
  Eigen::VectorXd vector = Eigen::Map<Eigen::VectorXd>(compared.data(), static_cast<Eigen::Index>(compared.size()));
  vector.array() -= vector.mean();
  return vector.normalized();
}

double
BruteForceValue(double coefficient, double pixels, CorrelationSign sign)
{
  switch (sign)
  {
    case CorrelationSign::Positive:
      return pixels * (1.0 - coefficient);
    case CorrelationSign::Negative:
      return pixels * (1.0 + coefficient);
    default:
      return 0.5 * pixels * (1.0 - coefficient * coefficient);
  }
}

} // namespace

TEST(Correlation, ValueIsThatOfTheDefinition)
{
  const Scene scene(1);
  for (const ComparedQuantity compared : Quantities)
  {
    std::vector<double> predicted = scene.depths;
    std::vector<double> observed(scene.image.begin(), scene.image.end());
    for (double & value : predicted)
    {
      value = compared == ComparedQuantity::OpticalDepth ? value : std::exp(-value);
    }
    const double coefficient = Standardise(predicted, scene.mask).dot(Standardise(observed, scene.mask));
    const double pixels = static_cast<double>(scene.grid.Count() - 4);
    EXPECT_GT(std::abs(coefficient), 0.8);
    for (const CorrelationSign sign : Signs)
    {
      const auto terms = scene.Evaluate(Kind::Depths, compared, sign, SimilarityOrder::Value, scene.depths);
      EXPECT_EQ(terms.pixels, scene.grid.Count() - 4);
      EXPECT_NEAR(terms.value, BruteForceValue(coefficient, pixels, sign), 1e-11 * pixels);
    }
  }
}

TEST(Correlation, GradientValueIsTheMeanOfBothAxes)
{
  const Scene                scene(2);
  const auto                 columns = scene.grid.columns;
  std::vector<double>        gradients[2][2];
  std::vector<unsigned char> masks[2];
  for (int axis = 0; axis < 2; ++axis)
  {
    const std::int64_t step = axis == 0 ? 1 : columns;
    for (std::int64_t row = 0; row < scene.grid.rows; ++row)
    {
      for (std::int64_t column = 0; column < columns; ++column)
      {
        const std::int64_t place = column + row * columns;
        const bool inside = axis == 0 ? column > 0 && column + 1 < columns : row > 0 && row + 1 < scene.grid.rows;
        const auto at = [](std::int64_t i) { return static_cast<std::size_t>(i); };
        const bool there = inside && scene.mask[at(place - step)] != 0 && scene.mask[at(place)] != 0 &&
                           scene.mask[at(place + step)] != 0;
        masks[axis].push_back(there);
        gradients[axis][0].push_back(there ? scene.depths[at(place + step)] - scene.depths[at(place - step)] : 0.0);
        gradients[axis][1].push_back(
          there ? static_cast<double>(scene.image[at(place + step)]) - scene.image[at(place - step)] : 0.0);
      }
    }
  }
  for (const CorrelationSign sign : Signs)
  {
    double expected = 0.0;
    for (int axis = 0; axis < 2; ++axis)
    {
      const auto   predicted = Standardise(gradients[axis][0], masks[axis]);
      const double coefficient = predicted.dot(Standardise(gradients[axis][1], masks[axis]));
      expected += 0.5 * BruteForceValue(coefficient, static_cast<double>(predicted.size()), sign);
    }
    const auto terms = scene.Evaluate(
      Kind::CentralGradients, ComparedQuantity::OpticalDepth, sign, SimilarityOrder::Value, scene.depths);
    EXPECT_NEAR(terms.value, expected, 1e-11 * static_cast<double>(terms.pixels));
  }
}

TEST(Correlation, SobelOfAPlaneIsItsSlope)
{
  const compute::PixelGrid grid{ 6, 5, 1 };
  std::vector<double>      plane;
  for (int row = 0; row < 5; ++row)
  {
    for (int column = 0; column < 6; ++column)
    {
      plane.push_back(7.0 + 3.0 * 0.8 * column - 2.0 * 1.5 * row);
    }
  }
  for (const DifferenceKind kind : { DifferenceKind::Central, DifferenceKind::Sobel })
  {
    for (int axis = 0; axis < 2; ++axis)
    {
      const compute::DifferenceOperator difference{ kind, axis, axis == 0 ? 0.8 : 1.5 };
      const auto                        mask = compute::MakeDifferenceMask(grid, difference, {}, compute::SerialFor);
      const auto  slopes = compute::Differentiate(grid, difference, plane, mask, compute::SerialFor);
      std::size_t count = 0;
      for (std::size_t i = 0; i < slopes.size(); ++i)
      {
        count += mask[i];
        EXPECT_NEAR(slopes[i], mask[i] != 0 ? (axis == 0 ? 3.0 : -2.0) : 0.0, 1e-13);
      }
      const std::size_t expected = kind == DifferenceKind::Sobel ? 12U : (axis == 0 ? 20U : 18U);
      EXPECT_EQ(count, expected);
    }
  }
}

TEST(Correlation, TransposedDifferenceIsTheTranspose)
{
  const Scene                      scene(3);
  std::mt19937                     engine(5);
  std::normal_distribution<double> normal;
  for (const DifferenceKind kind : { DifferenceKind::Central, DifferenceKind::Sobel })
  {
    for (int axis = 0; axis < 2; ++axis)
    {
      const compute::DifferenceOperator difference{ kind, axis, 0.7 };
      const auto                        mask = compute::MakeDifferenceMask(
        scene.grid, difference, { scene.mask.data(), scene.grid.columns, 0 }, compute::SerialFor);
      std::vector<double> pixels(mask.size());
      std::vector<double> weights(mask.size());
      for (std::size_t i = 0; i < mask.size(); ++i)
      {
        pixels[i] = normal(engine);
        weights[i] = mask[i] != 0 ? normal(engine) : 0.0;
      }
      const auto differences = compute::Differentiate(scene.grid, difference, pixels, mask, compute::SerialFor);
      const auto back = compute::DifferentiateTransposed(scene.grid, difference, weights, compute::SerialFor);
      double     forward = 0.0;
      double     backward = 0.0;
      for (std::size_t i = 0; i < mask.size(); ++i)
      {
        forward += weights[i] * differences[i];
        backward += back[i] * pixels[i];
      }
      EXPECT_NEAR(forward, backward, 1e-12);
    }
  }
}

TEST(Correlation, ScoreIsTheDerivativeForEveryPixel)
{
  const Scene scene(4);
  ForEachSimilarity([&](Kind kind, ComparedQuantity compared, CorrelationSign sign) {
    const auto   terms = scene.Evaluate(kind, compared, sign, SimilarityOrder::Score, scene.depths);
    const double step = 1e-4;
    for (std::size_t i = 0; i < scene.depths.size(); ++i)
    {
      auto depths = scene.depths;
      depths[i] += step;
      const double above = scene.Evaluate(kind, compared, sign, SimilarityOrder::Value, depths).value;
      depths[i] -= 2.0 * step;
      const double below = scene.Evaluate(kind, compared, sign, SimilarityOrder::Value, depths).value;
      ASSERT_NEAR(terms.scores[i], (above - below) / (2.0 * step), 1e-7 * (1.0 + std::abs(terms.scores[i])))
        << "pixel " << i;
    }
  });
}

// Standardised residuals r(parameters) whose half squared sum is the value (with the best factor for sign Any).
TEST(Correlation, InformationOfDepthsIsThatOfVariableProjection)
{
  const Scene scene(6);
  for (const ComparedQuantity compared : Quantities)
  {
    for (const CorrelationSign sign : Signs)
    {
      SCOPED_TRACE(Describe(Kind::Depths, compared, sign));
      const auto terms = scene.Evaluate(Kind::Depths, compared, sign, SimilarityOrder::Information, scene.depths);
      std::vector<Eigen::Index> places;
      for (std::size_t i = 0; i < scene.mask.size(); ++i)
      {
        if (scene.mask[i] != 0)
        {
          places.push_back(static_cast<Eigen::Index>(i));
        }
      }
      const auto      count = static_cast<Eigen::Index>(places.size());
      Eigen::MatrixXd jacobian(count, NumberOfParameters);
      Eigen::MatrixXd nuisances(count, 2);
      Eigen::VectorXd observed(count);
      for (Eigen::Index i = 0; i < count; ++i)
      {
        const auto   place = static_cast<std::size_t>(places[static_cast<std::size_t>(i)]);
        const double depth = scene.depths[place];
        const bool   isDepth = compared == ComparedQuantity::OpticalDepth;
        nuisances.row(i) << 1.0, isDepth ? depth : std::exp(-depth);
        jacobian.row(i) = (isDepth ? 1.0 : -std::exp(-depth)) * scene.jacobian[place].transpose();
        observed[i] = scene.image[place];
      }
      const Eigen::VectorXd line = nuisances.colPivHouseholderQr().solve(observed);
      const double          spread = (observed.array() - observed.mean()).matrix().norm();
      const double          norm = (nuisances.col(1).array() - nuisances.col(1).mean()).matrix().norm();
      const double          slope = sign == CorrelationSign::Any ? line[1] / spread : 1.0 / norm;
      const Eigen::MatrixXd projected = jacobian - nuisances * nuisances.colPivHouseholderQr().solve(jacobian);
      const Eigen::MatrixXd expected = static_cast<double>(count) * slope * slope * projected.transpose() * projected;
      EXPECT_LT((GaussNewton(scene, terms) - expected).norm(), 1e-10 * expected.norm());
    }
  }
}

TEST(Correlation, InformationOfGradientsIsThatOfVariableProjection)
{
  const Scene scene(7);
  for (const Kind kind : { Kind::CentralGradients, Kind::SobelGradients })
  {
    for (const ComparedQuantity compared : Quantities)
    {
      SCOPED_TRACE(Describe(kind, compared, CorrelationSign::Positive));
      const auto terms =
        scene.Evaluate(kind, compared, CorrelationSign::Positive, SimilarityOrder::Information, scene.depths);
      const auto      difference = kind == Kind::SobelGradients ? DifferenceKind::Sobel : DifferenceKind::Central;
      const double    spacing[2] = { 0.8, 1.5 };
      Eigen::MatrixXd exact = Eigen::MatrixXd::Zero(NumberOfParameters, NumberOfParameters);
      for (int axis = 0; axis < 2; ++axis)
      {
        const compute::DifferenceOperator op{ difference, axis, spacing[axis] };
        const auto                        mask =
          compute::MakeDifferenceMask(scene.grid, op, { scene.mask.data(), scene.grid.columns, 0 }, compute::SerialFor);
        auto predicted = scene.depths;
        for (double & value : predicted)
        {
          value = compared == ComparedQuantity::OpticalDepth ? value : std::exp(-value);
        }
        const auto gradient = compute::Differentiate(scene.grid, op, predicted, mask, compute::SerialFor);
        double     mean = 0.0;
        double     count = 0.0;
        for (std::size_t i = 0; i < mask.size(); ++i)
        {
          mean += gradient[i];
          count += mask[i];
        }
        mean /= count;
        Eigen::MatrixXd jacobian(static_cast<Eigen::Index>(mask.size()), NumberOfParameters);
        for (int parameter = 0; parameter < NumberOfParameters; ++parameter)
        {
          std::vector<double> column(mask.size());
          for (std::size_t i = 0; i < mask.size(); ++i)
          {
            column[i] =
              scene.jacobian[i][parameter] * (compared == ComparedQuantity::OpticalDepth ? 1.0 : -predicted[i]);
          }
          const auto d = compute::Differentiate(scene.grid, op, column, mask, compute::SerialFor);
          jacobian.col(parameter) = Eigen::Map<const Eigen::VectorXd>(d.data(), static_cast<Eigen::Index>(d.size()));
        }
        Eigen::MatrixXd nuisances = Eigen::MatrixXd::Zero(jacobian.rows(), 2);
        double          squares = 0.0;
        for (std::size_t i = 0; i < mask.size(); ++i)
        {
          const double centred = mask[i] != 0 ? gradient[i] - mean : 0.0;
          nuisances.row(static_cast<Eigen::Index>(i)) << mask[i], centred;
          squares += centred * centred;
        }
        const Eigen::MatrixXd projected = jacobian - nuisances * nuisances.colPivHouseholderQr().solve(jacobian);
        exact += 0.5 * count / squares * projected.transpose() * projected;
      }
      EXPECT_LT((GaussNewton(scene, terms) - exact).norm(), 1e-10 * exact.norm());
    }
  }
}

TEST(Correlation, ValueAndScoreDoNotSeeGainAndOffsetOfTheImage)
{
  const Scene scene(8);
  ForEachSimilarity([&](Kind kind, ComparedQuantity compared, CorrelationSign sign) {
    Scene scaled = scene;
    for (float & pixel : scaled.image)
    {
      pixel = 4.0F * pixel - 2048.0F; // exact in binary32
    }
    const auto one = scene.Evaluate(kind, compared, sign, SimilarityOrder::Score, scene.depths);
    const auto other = scaled.Evaluate(kind, compared, sign, SimilarityOrder::Score, scene.depths);
    EXPECT_NEAR(one.value, other.value, 1e-10 * one.value);
    for (std::size_t i = 0; i < one.scores.size(); ++i)
    {
      ASSERT_NEAR(one.scores[i], other.scores[i], 1e-10 * static_cast<double>(one.pixels));
    }
  });
}

TEST(Correlation, APerfectPredictionHasAValueNearZeroNotARoundedOne)
{
  Scene scene(9);
  for (std::size_t i = 0; i < scene.depths.size(); ++i)
  {
    scene.image[i] = static_cast<float>(500.0 + 250.0 * scene.depths[i]);
  }
  for (const Kind kind : Kinds)
  {
    for (const CorrelationSign sign : { CorrelationSign::Any, CorrelationSign::Positive })
    {
      SCOPED_TRACE(Describe(kind, ComparedQuantity::OpticalDepth, sign));
      const auto terms =
        scene.Evaluate(kind, ComparedQuantity::OpticalDepth, sign, SimilarityOrder::Score, scene.depths);
      EXPECT_GE(terms.value, 0.0);
      EXPECT_LT(terms.value, 1e-9);
    }
  }
}

TEST(Correlation, ConstantImagesAreNotDefinedAndFinite)
{
  Scene                     scene(10);
  const std::vector<double> nothing(scene.depths.size(), 0.0);
  const std::vector<double> same(scene.depths.size(), 1.0 / 3.0);
  std::vector<double>       rounded = same;
  for (std::size_t i = 0; i < rounded.size(); i += 3)
  {
    rounded[i] = static_cast<double>(1.0F / 3.0F);
  }
  const float flat = 1234.5F;
  const auto  check = [](const compute::SimilarityTerms & terms) {
    EXPECT_FALSE(terms.isDefined);
    EXPECT_TRUE(std::isfinite(terms.value));
    EXPECT_GT(terms.value, 0.0);
    for (const auto & difference : terms.differences)
    {
      for (const double value : difference.weights)
      {
        ASSERT_EQ(value, 0.0);
      }
    }
    for (const auto * values : { &terms.scores, &terms.weights, &terms.couplings[0] })
    {
      for (const double value : *values)
      {
        ASSERT_EQ(value, 0.0);
      }
    }
  };
  ForEachSimilarity([&](Kind kind, ComparedQuantity compared, CorrelationSign sign) {
    check(scene.Evaluate(kind, compared, sign, SimilarityOrder::Information, nothing));
    check(scene.Evaluate(kind, compared, sign, SimilarityOrder::Information, same));
    check(scene.Evaluate(kind, compared, sign, SimilarityOrder::Information, rounded));
    Scene constant = scene;
    std::fill(constant.image.begin(), constant.image.end(), flat);
    check(constant.Evaluate(kind, compared, sign, SimilarityOrder::Information, scene.depths));
    Scene masked = scene;
    std::fill(masked.mask.begin(), masked.mask.end(), static_cast<unsigned char>(0));
    const auto terms = masked.Evaluate(kind, compared, sign, SimilarityOrder::Information, scene.depths);
    EXPECT_FALSE(terms.isDefined);
    EXPECT_EQ(terms.value, 0.0);
    EXPECT_EQ(terms.pixels, 0);
  });
}

TEST(Correlation, HasTheSameBitsForAnyThreadsAndAnyOrder)
{
  const Scene scene(11);
  ForEachSimilarity([&](Kind kind, ComparedQuantity compared, CorrelationSign sign) {
    const auto serial = scene.Evaluate(kind, compared, sign, SimilarityOrder::Information, scene.depths);
    EXPECT_EQ(serial.value, scene.Evaluate(kind, compared, sign, SimilarityOrder::Value, scene.depths).value);
    EXPECT_EQ(serial.scores, scene.Evaluate(kind, compared, sign, SimilarityOrder::Score, scene.depths).scores);
    for (const std::int64_t threads : { 2, 5 })
    {
      const auto other = scene.Evaluate(
        kind, compared, sign, SimilarityOrder::Information, scene.depths, testthreads::Backward(threads));
      EXPECT_EQ(other.value, serial.value);
      EXPECT_EQ(other.scores, serial.scores);
      EXPECT_EQ(other.weights, serial.weights);
      EXPECT_EQ(other.couplings, serial.couplings);
    }
  });
}
