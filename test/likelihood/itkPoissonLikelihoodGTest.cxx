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
#include "PoissonOracle.h"
#include "Refusal.h"
#include "itkPoissonLikelihood.h"

#include "kernel/PoissonLikelihood.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

using testimages::Refusal;
using Poisson = itk::PoissonLikelihood;
using Expectation = itk::PoissonExpectation;
using oracle::Real;

namespace
{

constexpr double Epsilon = std::numeric_limits<double>::epsilon();
constexpr double SmallestNormal = std::numeric_limits<double>::min();
constexpr double NaN = std::numeric_limits<double>::quiet_NaN();
constexpr double Infinity = std::numeric_limits<double>::infinity();
constexpr int    Cases = 1500;

/** Random numbers of one test; printed with a failure. */
class Sampler
{
public:
  explicit Sampler(std::uint64_t seed)
    : m_Generator(seed)
  {}

  double
  Uniform(double low, double high)
  {
    return std::uniform_real_distribution<double>(low, high)(m_Generator);
  }
  double
  LogUniform(double low, double high)
  {
    return std::exp(Uniform(std::log(low), std::log(high)));
  }
  std::mt19937_64 &
  Generator()
  {
    return m_Generator;
  }

private:
  std::mt19937_64 m_Generator;
};

std::string
Describe(double observed, const Expectation & e)
{
  std::ostringstream text;
  text.precision(17);
  text << "N " << observed << ", L " << e.depth << ", n0 " << e.openBeamCounts << ", s " << e.scatter;
  return text.str();
}

std::string
Describe(double observed, double mean)
{
  std::ostringstream text;
  text.precision(17);
  text << "N " << observed << ", lambda " << mean;
  return text.str();
}

/** |value - expected| in terms of |expected|. */
double
RelativeError(double value, double expected)
{
  return value == expected ? 0.0 : std::abs(value - expected) / std::abs(expected);
}

double
ExactHalfDeviance(double observed, double mean)
{
  return oracle::SettledDouble([=]() { return oracle::HalfDeviance(observed, Real(mean)); });
}

double
ExactHalfDeviance(double observed, const Expectation & e)
{
  return oracle::SettledDouble(
    [&]() { return oracle::HalfDeviance(observed, oracle::PoissonMean(e.depth, e.openBeamCounts, e.scatter)); });
}

/** A pixel of a radiograph: up to six decades of counts, a count near its mean, scatter in two cases of three. */
struct RandomPixel
{
  explicit RandomPixel(Sampler & sampler)
  {
    expectation.depth = sampler.Uniform(-0.5, 12.0);
    expectation.openBeamCounts = sampler.LogUniform(1.0, 1e8);
    const double primary = expectation.openBeamCounts * std::exp(-expectation.depth);
    expectation.scatter = sampler.Uniform(0.0, 1.0) < 1.0 / 3.0 ? 0.0 : primary * sampler.LogUniform(1e-3, 1e2);
    observed = (primary + expectation.scatter) * sampler.LogUniform(0.1, 10.0);
  }

  Expectation expectation;
  double      observed;
};

/** A central difference of the exact half-deviance with respect to one of its arguments. */
template <typename TMove>
double
ExactSlope(double observed, const TMove & move, double step)
{
  return oracle::SettledDouble([&]() {
    return (oracle::HalfDeviance(observed, move(Real(step))) - oracle::HalfDeviance(observed, move(Real(-step)))) /
           Real(2.0 * step);
  });
}

/** n0 exp(e) exp(-a (L + dl)) + s as an exact function of its moves. */
Real
MovedMean(const Expectation & e, double scale, const Real & depth, const Real & exposure, const Real & attenuation)
{
  const Real exponent = exposure - (Real(scale) + attenuation) * (Real(e.depth) + depth);
  return Real(e.openBeamCounts) * Exp(exponent) + Real(e.scatter);
}

} // namespace

TEST(PoissonLikelihood, DevianceOfCountAndMeanIsGoodTo1e14)
{
  Sampler sampler(101);
  double  worst = 0.0;
  for (int i = 0; i < Cases; ++i)
  {
    const double mean = sampler.LogUniform(1e-290, 1e290);
    // Ratios from far apart to nearly equal, on both sides.
    const double offset = sampler.LogUniform(1e-13, 10.0) * (i % 2 ? 1.0 : -1.0);
    const double observed = i % 3 == 0 ? sampler.LogUniform(1e-290, 1e290) : mean * std::exp(offset);
    const double expected = 2.0 * ExactHalfDeviance(observed, mean);
    const double error = RelativeError(Poisson::Deviance(observed, mean), expected);
    EXPECT_LT(error, expected < 1e-300 ? 1e-6 : 1e-14) << "seed 101, " << Describe(observed, mean);
    worst = expected < 1e-300 ? worst : std::max(worst, error);
  }
  RecordProperty("WorstRelativeError", std::to_string(worst * 1e16) + "e-16");
  // Where both branches meet, and where the count is one rounding away.
  for (const double mean : { 1e-305, 1e-3, 1.0, 1e6, 1e18, 1e300 })
  {
    for (const double ratio :
         { 1.0 + 1e-9, 1.0 - 1e-9, 1.0 + Epsilon, 1.0 - Epsilon, 0.5, std::nextafter(0.5, 0.0), 2.0, 2.0 + 1e-12 })
    {
      const double observed = mean * ratio;
      const double expected = 2.0 * ExactHalfDeviance(observed, mean);
      const double smallest = std::numeric_limits<double>::denorm_min();
      EXPECT_NEAR(Poisson::Deviance(observed, mean), expected, 1e-14 * expected + 4.0 * smallest)
        << Describe(observed, mean);
    }
  }
}

TEST(PoissonLikelihood, DevianceOfDepthMeetsItsBound)
{
  Sampler sampler(102);
  double  worst = 0.0;
  for (int i = 0; i < Cases; ++i)
  {
    const double observed = sampler.LogUniform(1e-3, 1e9);
    const double openBeam = sampler.LogUniform(1e-3, 1e12);
    const double optimum = std::log(openBeam / observed);
    const double offset = sampler.LogUniform(1e-9, 100.0) * (i % 2 ? 1.0 : -1.0);
    // A third of the cases beyond the range of exp.
    const Expectation e{ i % 3 == 0 ? sampler.Uniform(700.0, 3000.0) : optimum + offset, openBeam, 0.0 };
    const double      delta = e.depth - optimum;
    const double      bound = 4.0 * Epsilon * std::max(1.0, std::max(1.0, std::abs(e.depth)) / std::abs(delta));
    const double      expected = 2.0 * ExactHalfDeviance(observed, e);
    const double      error = RelativeError(Poisson::Deviance(observed, e), expected);
    EXPECT_LT(error, bound) << "seed 102, " << Describe(observed, e);
    worst = std::max(worst, error / bound);
  }
  RecordProperty("WorstFractionOfBound", std::to_string(worst));
}

TEST(PoissonLikelihood, DevianceOfLogRatioIsGoodTo1e14)
{
  Sampler sampler(103);
  for (int i = 0; i < Cases; ++i)
  {
    const double delta = sampler.LogUniform(1e-12, 600.0) * (i % 2 ? 1.0 : -1.0);
    const double observed = sampler.LogUniform(1e-6, 1e6);
    const double expected =
      oracle::SettledDouble([=]() { return Real(observed) * (Real(delta) + Exp(Real() - Real(delta)) - Real(1.0)); });
    EXPECT_LT(RelativeError(radiography::kernel::PoissonHalfDevianceOfLogRatio(observed, delta), expected), 1e-14)
      << "seed 103, N " << observed << ", delta " << delta;
  }
}

TEST(PoissonLikelihood, KnownValues)
{
  for (const double mean : { 0.0, 1e-300, 0.25, 1.0, 1e6 })
  {
    EXPECT_EQ(Poisson::Deviance(0.0, mean), 2.0 * mean);
    EXPECT_EQ(Poisson::Deviance(mean, mean), 0.0);
    EXPECT_EQ(Poisson::DevianceResidual(mean, mean), 0.0);
    EXPECT_EQ(Poisson::PearsonResidual(mean, mean), 0.0);
    EXPECT_EQ(Poisson::NegativeLogLikelihood(0.0, mean), mean);
  }
  EXPECT_DOUBLE_EQ(Poisson::NegativeLogLikelihood(3.0, 2.0), 2.0 - 3.0 * std::log(2.0));
  EXPECT_DOUBLE_EQ(Poisson::NegativeLogProbability(3.0, 2.0), -std::log(std::exp(-2.0) * 8.0 / 6.0));
  EXPECT_DOUBLE_EQ(Poisson::PearsonResidual(10.0, 16.0), -1.5);
  EXPECT_DOUBLE_EQ(Poisson::DevianceResidual(0.0, 8.0), -4.0);
  EXPECT_DOUBLE_EQ(Poisson::Exposure(5000.0, 0.5), 10000.0);
  EXPECT_DOUBLE_EQ(Poisson::DispersionFactor(300.0, 106.0, 6.0), 3.0);
}

TEST(PoissonLikelihood, BothWaysInAgreeWithTheOracle)
{
  Sampler sampler(104);
  for (int i = 0; i < Cases; ++i)
  {
    const RandomPixel   pixel(sampler);
    const Expectation & e = pixel.expectation;
    const double        n = pixel.observed;
    const auto          exactMean = [&]() { return oracle::PoissonMean(e.depth, e.openBeamCounts, e.scatter); };
    const double        mean = Poisson::Mean(e);
    SCOPED_TRACE("seed 104, " + Describe(n, e));
    EXPECT_LT(RelativeError(mean, oracle::SettledDouble(exactMean)), 2.0 * Epsilon);

    const double likelihood = oracle::SettledDouble([&]() { return oracle::NegativeLogLikelihood(n, exactMean()); });
    const double magnitude = mean + n * (1.0 + std::abs(e.depth) + std::abs(std::log(e.openBeamCounts)));
    EXPECT_NEAR(Poisson::NegativeLogLikelihood(n, e), likelihood, 2.0 * Epsilon * magnitude);
    EXPECT_NEAR(Poisson::NegativeLogLikelihood(n, mean), likelihood, 2.0 * Epsilon * magnitude);

    const double probability = oracle::SettledDouble([&]() { return oracle::NegativeLogProbability(n, Real(mean)); });
    EXPECT_NEAR(Poisson::NegativeLogProbability(n, mean), probability, 1e-14 * std::max(1.0, std::abs(probability)));

    const Real   m(mean);
    const double pearson = oracle::SettledDouble([&]() { return (Real(n) - m) / Sqrt(m); });
    EXPECT_NEAR(Poisson::PearsonResidual(n, mean), pearson, 4.0 * Epsilon * std::abs(pearson));
    const double deviance = Poisson::Deviance(n, mean);
    EXPECT_DOUBLE_EQ(Poisson::DevianceResidual(n, mean), std::copysign(std::sqrt(deviance), n - mean));
    EXPECT_DOUBLE_EQ(Poisson::DevianceResidual(n, e), std::copysign(std::sqrt(Poisson::Deviance(n, e)), n - mean));
    EXPECT_DOUBLE_EQ(Poisson::PearsonResidual(n, e), Poisson::PearsonResidual(n, mean));
    EXPECT_NEAR(
      Poisson::NegativeLogProbability(n, e), Poisson::NegativeLogProbability(n, mean), 1e-13 * (n + mean + 1.0));
  }
}

TEST(PoissonLikelihood, DerivativesAgreeWithTheOracle)
{
  Sampler sampler(105);
  for (int i = 0; i < Cases; ++i)
  {
    const RandomPixel   pixel(sampler);
    const Expectation & e = pixel.expectation;
    const double        n = pixel.observed;
    SCOPED_TRACE("seed 105, " + Describe(n, e));
    const double mean = Poisson::Mean(e);
    const double primary = Poisson::Mean({ e.depth, e.openBeamCounts, 0.0 });
    const auto   exactly = [&](const auto & formula) {
      return oracle::SettledDouble([&]() {
        return formula(oracle::PoissonMean(e.depth, e.openBeamCounts, 0.0),
                       oracle::PoissonMean(e.depth, e.openBeamCounts, e.scatter));
      });
    };
    const double score = exactly([&](const Real & y, const Real & m) { return y * (Real(n) / m - Real(1.0)); });
    const double curvature =
      exactly([&](const Real & y, const Real & m) { return y * (Real(1.0) - Real(n) * Real(e.scatter) / (m * m)); });
    const double information = exactly([](const Real & y, const Real & m) { return y * y / m; });
    EXPECT_NEAR(Poisson::Score(n, e), score, 4.0 * Epsilon * primary * (n / mean + 1.0));
    EXPECT_NEAR(Poisson::Curvature(n, e), curvature, 6.0 * Epsilon * primary * (1.0 + n * e.scatter / (mean * mean)));
    EXPECT_LT(RelativeError(Poisson::FisherInformation(e), information), 6.0 * Epsilon);
  }
}

TEST(PoissonLikelihood, DerivativesAgreeWithCentralDifferences)
{
  // The differences are exact: of a third derivative, step^2 remains.
  constexpr double step = 1e-12;
  Sampler          sampler(106);
  for (int i = 0; i < 300; ++i)
  {
    const RandomPixel   pixel(sampler);
    const Expectation & e = pixel.expectation;
    const double        n = pixel.observed;
    const double        a = sampler.Uniform(0.5, 1.5);
    SCOPED_TRACE("seed 106, a " + std::to_string(a) + ", " + Describe(n, e));
    const auto score = Poisson::NuisanceDerivatives(n, e, a).score;
    const auto slope = [&](const auto & move) { return ExactSlope(n, move, step); };

    Expectation scaled = e;
    scaled.depth *= a;
    const double scale = n + Poisson::Mean(scaled);
    const double depthSlope = slope([&](const Real & h) { return MovedMean(e, 1.0, h, 0.0, 0.0); });
    EXPECT_NEAR(Poisson::Score(n, e), depthSlope, 1e-13 * (n + Poisson::Mean(e)));
    EXPECT_NEAR(score[0], slope([&](const Real & h) { return MovedMean(e, a, 0.0, h, 0.0); }), 1e-13 * scale);
    EXPECT_NEAR(score[1],
                slope([&](const Real & h) { return MovedMean(e, a, 0.0, 0.0, h); }),
                1e-13 * scale * (1.0 + std::abs(e.depth)));
    EXPECT_NEAR(score[2],
                slope([&](const Real & h) { return MovedMean(e, a, 0.0, 0.0, 0.0) + h * Real(scale); }) / scale,
                1e-13 * (1.0 + n / Poisson::Mean(scaled)));

    const double there = Poisson::Score(n, { e.depth + 1e-4, e.openBeamCounts, e.scatter });
    const double here = Poisson::Score(n, { e.depth - 1e-4, e.openBeamCounts, e.scatter });
    EXPECT_NEAR(Poisson::Curvature(n, e), (there - here) / 2e-4, 1e-6 * scale + 1e-6 * (n + Poisson::Mean(e)));
  }
}

TEST(PoissonLikelihood, NuisanceInformationIsTheOuterProductOverTheMean)
{
  Sampler sampler(107);
  for (int i = 0; i < 300; ++i)
  {
    const RandomPixel   pixel(sampler);
    const Expectation & e = pixel.expectation;
    const auto          derivatives = Poisson::NuisanceDerivatives(pixel.observed, e);
    const double        mean = Poisson::Mean(e);
    const double        primary = Poisson::Mean({ e.depth, e.openBeamCounts, 0.0 });
    const double        slopes[3] = { primary, -e.depth * primary, 1.0 };
    for (unsigned int row = 0; row < 3; ++row)
    {
      EXPECT_NEAR(derivatives.score[row],
                  (1.0 - pixel.observed / mean) * slopes[row],
                  1e-14 * (1.0 + pixel.observed / mean) * std::abs(slopes[row]));
      for (unsigned int column = 0; column < 3; ++column)
      {
        const double expected = slopes[row] * slopes[column] / mean;
        EXPECT_NEAR(derivatives.information(row, column), expected, 1e-14 * std::abs(expected))
          << "seed 107, " << Describe(pixel.observed, e);
      }
    }
  }
}

TEST(PoissonLikelihood, ScoreHasMeanZeroAndTheVarianceOfFisher)
{
  // 5 sigma of the mean and of the variance; the fourth central moment of lambda is lambda + 3 lambda^2.
  constexpr int draws = 20000;
  for (const Expectation & e :
       { Expectation{ 3.0, 10.0, 0.0 }, Expectation{ 1.0, 100.0, 0.0 }, Expectation{ 2.0, 1e4, 500.0 } })
  {
    Sampler                         sampler(108);
    const double                    mean = Poisson::Mean(e);
    std::poisson_distribution<long> distribution(mean);
    double                          sum = 0.0;
    double                          squares = 0.0;
    double                          curvature = 0.0;
    for (int i = 0; i < draws; ++i)
    {
      const auto   observed = static_cast<double>(distribution(sampler.Generator()));
      const double score = Poisson::Score(observed, e);
      sum += score;
      squares += score * score;
      curvature += Poisson::Curvature(observed, e);
    }
    const double information = Poisson::FisherInformation(e);
    const double spread = std::sqrt((1.0 / mean + 2.0) / draws);
    EXPECT_LT(std::abs(sum / draws), 5.0 * std::sqrt(information / draws)) << "seed 108, " << Describe(0, e);
    EXPECT_LT(std::abs(squares / draws / information - 1.0), 5.0 * spread) << "seed 108, " << Describe(0, e);
    const double curvatureSpread =
      Poisson::Mean({ e.depth, e.openBeamCounts, 0.0 }) * e.scatter / std::pow(mean, 1.5) / std::sqrt(draws);
    EXPECT_LT(std::abs(curvature / draws - information), 5.0 * curvatureSpread + 1e-9 * information);
  }
}

TEST(PoissonLikelihood, AMeanThatUnderflowsIsLegal)
{
  EXPECT_NEAR(Poisson::NegativeLogLikelihood(1.0, { 110.0, 1.0, 0.0 }), 110.0, 1e-13);
  EXPECT_EQ(Poisson::NegativeLogLikelihood(1.0, { 800.0, 1.0, 0.0 }), 800.0);
  EXPECT_EQ(Poisson::Mean({ 800.0, 1.0, 0.0 }), 0.0);
  EXPECT_EQ(Poisson::HalfDeviance(1.0, { 800.0, 1.0, 0.0 }), 799.0);
  EXPECT_EQ(Poisson::NegativeLogProbability(1.0, { 800.0, 1.0, 0.0 }), 800.0);
  EXPECT_EQ(Poisson::Score(1.0, { 800.0, 1.0, 0.0 }), 1.0);
  EXPECT_EQ(Poisson::FisherInformation({ 800.0, 1.0, 0.0 }), 0.0);
  EXPECT_DOUBLE_EQ(Poisson::DevianceResidual(1.0, { 800.0, 1.0, 0.0 }), std::sqrt(2.0 * 799.0));
  EXPECT_EQ(Poisson::HalfDeviance(0.0, { 800.0, 1.0, 0.0 }), 0.0);
  EXPECT_GT(Poisson::HalfDeviance(1.0, { 1e300, 1.0, 0.0 }), 0.99e300);
  EXPECT_NEAR(Poisson::Mean({ 110.0, 1e30, 0.0 }), 1.69e-18, 0.005e-18);

  // exp(-L) is subnormal or 0, the mean is not.
  for (const double depth : { 720.0, 744.0, 800.0, 1200.0 })
  {
    const Expectation e{ depth, 1e300, 0.0 };
    const double      exact = oracle::SettledDouble([&]() { return oracle::PoissonMean(depth, 1e300, 0.0); });
    EXPECT_LT(RelativeError(Poisson::Mean(e), exact), exact < SmallestNormal ? 1e-3 : 4.0 * Epsilon) << depth;
  }
}

TEST(PoissonLikelihood, ZeroCountsAreBestAtInfiniteDepth)
{
  double last = Infinity;
  for (double depth = 0.0; depth < 700.0; depth += 7.0)
  {
    const Expectation e{ depth, 1e4, 0.0 };
    const double      value = Poisson::HalfDeviance(0.0, e);
    EXPECT_LT(value, last) << depth;
    EXPECT_LT(Poisson::Score(0.0, e), 0.0) << depth;
    last = value;
  }
  EXPECT_EQ(Poisson::HalfDeviance(0.0, { 1e4, 1e4, 0.0 }), 0.0);
  EXPECT_EQ(Poisson::OptimalDepth(0.0, 1e4), Infinity);
  EXPECT_EQ(Poisson::OptimalNonNegativeDepth(0.0, 1e4), Infinity);
}

TEST(PoissonLikelihood, SinglePixelOptimum)
{
  Sampler sampler(109);
  for (int i = 0; i < 300; ++i)
  {
    const double openBeam = sampler.LogUniform(1.0, 1e6);
    const double observed = openBeam * sampler.LogUniform(1e-4, 1e2);
    const double best = Poisson::OptimalDepth(observed, openBeam);
    SCOPED_TRACE("seed 109, N " + std::to_string(observed) + ", n0 " + std::to_string(openBeam));
    EXPECT_NEAR(best, -std::log(observed / openBeam), 1e-15 + 2.0 * Epsilon * std::abs(best));
    EXPECT_LT(std::abs(Poisson::Score(observed, { best, openBeam, 0.0 })),
              4.0 * Epsilon * observed * (1 + best * best));

    const double constrained = Poisson::OptimalNonNegativeDepth(observed, openBeam);
    EXPECT_EQ(constrained, observed > openBeam ? 0.0 : best);
    for (const double depth : { constrained + 0.01, constrained + 1.0, constrained + 30.0 })
    {
      EXPECT_GT(Poisson::HalfDeviance(observed, { depth, openBeam, 0.0 }),
                Poisson::HalfDeviance(observed, { constrained, openBeam, 0.0 }));
    }
  }
  EXPECT_EQ(Poisson::OptimalNonNegativeDepth(12.0, 10.0), 0.0);
  EXPECT_GT(Poisson::Score(12.0, { 0.0, 10.0, 0.0 }), 0.0) << "downhill leads out of the constraint";
}

TEST(PoissonLikelihood, SquareRootOfTheMeanIsTheSignalToNoiseOfASmallChange)
{
  const Expectation e{ 2.0, 1e6, 0.0 };
  const double      change = 1e-5;
  const double      mean = Poisson::Mean(e);
  const double      changed = Poisson::Mean({ e.depth + change, e.openBeamCounts, 0.0 });
  const double      expected = std::sqrt(mean) * change;
  EXPECT_NEAR(-Poisson::PearsonResidual(changed, mean), expected, 1e-5 * expected);
  EXPECT_NEAR(-Poisson::DevianceResidual(changed, mean), expected, 1e-5 * expected);
  EXPECT_NEAR(std::sqrt(Poisson::FisherInformation(e)) * change, expected, 1e-14 * expected);
  // With scatter the signal is the primary's alone.
  EXPECT_NEAR(Poisson::FisherInformation({ 2.0, 1e6, mean }), mean / 2.0, 1e-14 * mean);
}

TEST(PoissonLikelihood, HalfDevianceIsTheLikelihoodMinusItsLeastValue)
{
  Sampler sampler(110);
  for (int i = 0; i < 300; ++i)
  {
    const RandomPixel pixel(sampler);
    const double      n = pixel.observed;
    const double      likelihood = Poisson::NegativeLogLikelihood(n, pixel.expectation);
    const double      least = Poisson::NegativeLogLikelihood(n, n);
    EXPECT_NEAR(Poisson::HalfDeviance(n, pixel.expectation),
                likelihood - least,
                1e-13 * (std::abs(likelihood) + std::abs(least)) + 1e-13)
      << "seed 110, " << Describe(n, pixel.expectation);
  }
}

TEST(PoissonLikelihood, ExposureIsStationary)
{
  // Three pixels that share n0: the sum of scores for log exposure vanishes at the closed form.
  const double depths[3] = { 0.0, 1.5, 4.0 };
  const double counts[3] = { 900.0, 260.0, 31.0 };
  double       sumOfCounts = 0.0;
  double       sumOfTransmissions = 0.0;
  for (int i = 0; i < 3; ++i)
  {
    sumOfCounts += counts[i];
    sumOfTransmissions += std::exp(-depths[i]);
  }
  const double exposure = Poisson::Exposure(sumOfCounts, sumOfTransmissions);
  double       score = 0.0;
  for (int i = 0; i < 3; ++i)
  {
    score += Poisson::NuisanceDerivatives(counts[i], { depths[i], exposure, 0.0 }).score[0];
  }
  EXPECT_NEAR(score, 0.0, 1e-12 * sumOfCounts);
}

TEST(PoissonLikelihood, QuasiPoissonDividesAndLeavesTheOptimum)
{
  const Expectation            e{ 1.2, 5000.0, 300.0 };
  const double                 n = 1700.0;
  const itk::PoissonDispersion phi{ 4.0, 0.0 };
  EXPECT_DOUBLE_EQ(Poisson::HalfDeviance(n, e, phi), Poisson::HalfDeviance(n, e) / 4.0);
  EXPECT_DOUBLE_EQ(Poisson::Deviance(n, 1800.0, phi), Poisson::Deviance(n, 1800.0) / 4.0);
  EXPECT_DOUBLE_EQ(Poisson::Score(n, e, phi), Poisson::Score(n, e) / 4.0);
  EXPECT_DOUBLE_EQ(Poisson::Curvature(n, e, phi), Poisson::Curvature(n, e) / 4.0);
  EXPECT_DOUBLE_EQ(Poisson::FisherInformation(e, phi), Poisson::FisherInformation(e) / 4.0);
  EXPECT_DOUBLE_EQ(Poisson::PearsonResidual(n, e, phi), Poisson::PearsonResidual(n, e) / 2.0);
  EXPECT_DOUBLE_EQ(Poisson::DevianceResidual(n, e, phi), Poisson::DevianceResidual(n, e) / 2.0);
  EXPECT_DOUBLE_EQ(Poisson::NuisanceDerivatives(n, e, 1.0, phi).score[1],
                   Poisson::NuisanceDerivatives(n, e).score[1] / 4.0);

  // Counts of variance 4 lambda: four times a Poisson count of a quarter of the mean.
  Sampler                         sampler(111);
  std::poisson_distribution<long> quarter(250.0);
  constexpr int                   pixels = 20000;
  double                          chiSquare = 0.0;
  for (int i = 0; i < pixels; ++i)
  {
    chiSquare += std::pow(Poisson::PearsonResidual(4.0 * static_cast<double>(quarter(sampler.Generator())), 1000.0), 2);
  }
  EXPECT_NEAR(Poisson::DispersionFactor(chiSquare, pixels, 0.0), 4.0, 5.0 * 4.0 * std::sqrt(2.0 / pixels))
    << "seed 111";
}

TEST(PoissonLikelihood, ElectronicVarianceShiftsCountAndMean)
{
  const Expectation            e{ 3.0, 100.0, 2.0 };
  const itk::PoissonDispersion noise{ 1.0, 9.0 };
  const Expectation            shifted{ 3.0, 100.0, 11.0 };
  EXPECT_EQ(Poisson::HalfDeviance(4.0, e, noise), Poisson::HalfDeviance(13.0, shifted));
  EXPECT_EQ(Poisson::Score(4.0, e, noise), Poisson::Score(13.0, shifted));
  EXPECT_EQ(Poisson::FisherInformation(e, noise), Poisson::FisherInformation(shifted));
  EXPECT_EQ(Poisson::PearsonResidual(4.0, 6.0, noise), Poisson::PearsonResidual(13.0, 15.0));
  EXPECT_EQ(Poisson::DevianceResidual(4.0, 6.0, noise), Poisson::DevianceResidual(13.0, 15.0));
  // An offset-corrected reading below 0 is data as long as the noise explains it.
  EXPECT_EQ(Poisson::HalfDeviance(-9.0, 1.0, noise), 10.0);
  EXPECT_NE(Refusal([&]() { Poisson::HalfDeviance(-9.5, 1.0, noise); }).find("-0.5"), std::string::npos);

  // The shifted residual of Poisson counts with Gaussian noise has variance 1.
  Sampler                          sampler(112);
  std::poisson_distribution<long>  photons(50.0);
  std::normal_distribution<double> electrons(0.0, 3.0);
  constexpr int                    pixels = 20000;
  double                           squares = 0.0;
  for (int i = 0; i < pixels; ++i)
  {
    const double n = static_cast<double>(photons(sampler.Generator())) + electrons(sampler.Generator());
    squares += std::pow(Poisson::PearsonResidual(n, 50.0, noise), 2);
  }
  EXPECT_NEAR(squares / pixels, 1.0, 5.0 * std::sqrt(2.1 / pixels)) << "seed 112";
}

TEST(PoissonLikelihood, RefusesByNameAndValue)
{
  const auto expect = [](const auto & run, const std::string & words) {
    const std::string text = Refusal(run);
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  for (const double bad : { -1.0, -1e-300, NaN, Infinity })
  {
    expect([=]() { Poisson::HalfDeviance(bad, 1.0); }, "The observed count is");
    expect([=]() { Poisson::NegativeLogLikelihood(bad, 1.0); }, "The observed count is");
    expect([=]() { Poisson::Score(bad, { 1.0, 1.0, 0.0 }); }, "The observed count is");
    expect([=]() { Poisson::PearsonResidual(1.0, bad); }, "The expected count is");
    expect([=]() { Poisson::Mean({ 1.0, bad, 0.0 }); }, "The open-beam count is");
    expect([=]() { Poisson::FisherInformation({ 1.0, 1.0, bad }); }, "The scatter is");
    expect([=]() { Poisson::HalfDeviance(1.0, 1.0, { 1.0, bad }); }, "The electronic variance is");
    expect([=]() { Poisson::HalfDeviance(1.0, 1.0, { bad, 0.0 }); }, "The dispersion factor is");
  }
  expect([]() { Poisson::HalfDeviance(-2.5, 1.0); }, "The observed count is -2.5");
  expect([]() { Poisson::HalfDeviance(1.0, 1.0, { 0.0, 0.0 }); }, "The dispersion factor is 0");
  for (const double bad : { NaN, Infinity, -Infinity })
  {
    expect([=]() { Poisson::Curvature(1.0, { bad, 1.0, 0.0 }); }, "The optical depth is");
  }
  for (const auto & likelihood :
       std::vector<double (*)()>{ []() {
                                   return Poisson::NegativeLogLikelihood(3.0, { 1.0, 0.0, 0.0 });
                                 },
                                  []() {
                                    return Poisson::HalfDeviance(3.0, { 1.0, 0.0, 0.0 });
                                  },
                                  []() {
                                    return Poisson::Score(3.0, { 1.0, 0.0, 0.0 });
                                  } })
  {
    expect(likelihood, "The open-beam count and the scatter are 0 while the observed count is 3");
  }
  expect([]() { Poisson::PearsonResidual(3.0, 0.0); }, "The expected count is 0 while the observed count is 3");
  EXPECT_EQ(Poisson::HalfDeviance(0.0, { 1.0, 0.0, 0.0 }), 0.0) << "nothing expected and nothing seen";
  EXPECT_EQ(Poisson::HalfDeviance(3.0, { 1.0, 0.0, 3.0 }), 0.0) << "explained by scatter";

  expect([]() { Poisson::Mean({ -800.0, 1e10, 0.0 }); }, "The expected count is Infinity");
  expect([]() { Poisson::PearsonResidual(1.0, { 800.0, 1.0, 0.0 }); }, "The Pearson residual is Infinity");
  expect([]() { Poisson::NuisanceDerivatives(0.0, { 800.0, 1.0, 0.0 }); }, "A Fisher information of the nuisance");
  expect([]() { Poisson::Exposure(10.0, 0.0); }, "The sum of transmissions is 0");
  expect([]() { Poisson::DispersionFactor(10.0, 6.0, 6.0); }, "The number of pixels minus that of parameters is 0");
  expect([]() { Poisson::OptimalDepth(10.0, 0.0); }, "The open-beam count is 0");
}
