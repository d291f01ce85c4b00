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
#include "itkDerivativeChecker.h"

#include "Refusal.h"

#include <cmath>
#include <limits>
#include <sstream>

using namespace testimages;

using Checker = itk::DerivativeChecker;
using Enums = itk::DerivativeCheckerEnums;
using Outcome = Enums::Outcome;
using Stencil = Enums::Stencil;
using Verdict = Enums::Verdict;
using Vector = Checker::VectorType;

namespace
{

// A slab of the attenuation coefficient mu [1/mm] and the thickness d [mm].
constexpr double Mu = 0.0205078125;
constexpr double Thickness = 33.5;

Checker
Binary32Checker()
{
  Checker checker;
  checker.SetStorage(Checker::StorageEnum::Binary32);
  return checker;
}

template <typename T>
std::string
Printed(const T & value)
{
  std::ostringstream text;
  text << value;
  return text.str();
}

std::size_t
Count(const itk::DerivativeSweep & sweep, Outcome outcome)
{
  std::size_t count = 0;
  for (const auto & record : sweep.records)
  {
    count += record.outcome == outcome ? 1 : 0;
  }
  return count;
}

/** Every wrong derivative of the usual kinds is told from the right one. */
void
ExpectTellsWrongFromRight(const Checker & checker, const Checker::ScalarFunction & f, double x, double derivative)
{
  const auto right = checker.CheckScalar(f, x, derivative);
  EXPECT_EQ(right.verdict, Verdict::Agrees) << Printed(right);
  for (const double wrong : { 1.001 * derivative,
                              0.999 * derivative,
                              -derivative,
                              2.0 * derivative,
                              0.5 * derivative,
                              0.0,
                              derivative + 1.0,
                              derivative - 0.1 })
  {
    const auto sweep = checker.CheckScalar(f, x, wrong);
    EXPECT_EQ(sweep.verdict, Verdict::Disagrees) << wrong << " for " << derivative << '\n' << Printed(sweep);
  }
}

/** A deterministic error between -1 and 1 that looks like noise. */
double
Noise(double x)
{
  return std::sin(1e9 * x + 1e5 * std::sin(3e7 * x));
}

} // namespace

TEST(DerivativeChecker, SlabSensitivitiesAgreeAndWrongOnesDoNot)
{
  for (const auto storage : { Checker::StorageEnum::Binary32, Checker::StorageEnum::Binary64 })
  {
    Checker checker;
    checker.SetStorage(storage);
    const auto ofThickness = [](double d) { return std::exp(-Mu * d); };
    const auto ofMu = [](double mu) { return std::exp(-mu * Thickness); };
    ExpectTellsWrongFromRight(checker, ofThickness, Thickness, -Mu * std::exp(-Mu * Thickness));
    checker.SetStepScale(std::ldexp(1.0, -5));
    ExpectTellsWrongFromRight(checker, ofMu, Mu, -Thickness * std::exp(-Mu * Thickness));
  }
}

TEST(DerivativeChecker, ResultsInBinary32NeedThatPrecisionDeclared)
{
  const auto rounded = [](double x) { return static_cast<double>(static_cast<float>(std::exp(-x))); };
  Checker    checker = Binary32Checker();
  checker.SetFunctionPrecision(Checker::Binary32Precision);
  ExpectTellsWrongFromRight(checker, rounded, 1.25, -std::exp(-1.25));
}

TEST(DerivativeChecker, ABoundaryIsCheckedFromItsInside)
{
  const auto f = [](double x) { return x < 0.0 || x > 1.0 ? std::nan("") : std::exp(-2.0 * x); };
  Checker    checker = Binary32Checker();
  checker.SetDomain(0.0, 1.0);
  ExpectTellsWrongFromRight(checker, f, 0.0, -2.0);
  ExpectTellsWrongFromRight(checker, f, 1.0, -2.0 * std::exp(-2.0));
  const auto lower = checker.CheckScalar(f, 0.0, -2.0);
  const auto upper = checker.CheckScalar(f, 1.0, -2.0 * std::exp(-2.0));
  for (const auto & record : lower.records)
  {
    EXPECT_EQ(record.stencil, Stencil::Forward);
  }
  for (const auto & record : upper.records)
  {
    EXPECT_EQ(record.stencil, Stencil::Backward);
  }
  EXPECT_EQ(Count(lower, Outcome::Evaluated), 23u) << "every step from zero is a binary32 number";
}

TEST(DerivativeChecker, OneSidedDifferencesAreOfSecondOrderForTheRealisedSpacing)
{
  // At 1/3 in binary32 the two steps are not exactly one and two; a parabola is still differentiated exactly.
  const double x = static_cast<float>(1.0 / 3.0);
  const auto   parabola = [x](double t) { return 3.0 * (t - x) * (t - x) - 0.5 * (t - x) + 2.0; };
  Checker      checker = Binary32Checker();
  checker.SetDomain(x, 10.0);
  checker.SetStepScale(1.0 / 3.0);
  const auto sweep = checker.CheckScalar(parabola, x, -0.5);
  EXPECT_TRUE(sweep.Passed()) << Printed(sweep);
  for (const auto & record : sweep.records)
  {
    if (record.outcome == Outcome::Evaluated)
    {
      EXPECT_LE(record.error, record.rounding) << Printed(sweep);
    }
  }

  const auto cubic = [](double t) { return t * t * t + t; };
  checker.SetDomain(0.0, 10.0);
  const auto ofCubic = checker.CheckScalar(cubic, 0.0, 1.0);
  for (std::size_t i = 0; i < 5; ++i)
  {
    const double h = ofCubic.records[i].realisedStep;
    EXPECT_NEAR(ofCubic.records[i].error, 2.0 * h * h, 1e-6 * h * h) << "f'''/6 a b with b = 2 a";
  }
}

TEST(DerivativeChecker, StepsThatStorageCannotHoldAreSkippedAndSaySo)
{
  Checker    checker = Binary32Checker();
  const auto sweep =
    checker.CheckScalar([](double x) { return std::exp(-x / 1000.0); }, 3000.0, -1e-3 * std::exp(-3.0));
  EXPECT_TRUE(sweep.Passed()) << Printed(sweep);
  ASSERT_EQ(sweep.records.size(), 23u) << "all records are kept";
  // Between 2048 and 4096 binary32 numbers are 2^-12 apart.
  EXPECT_EQ(Count(sweep, Outcome::Collapsed), 12u) << Printed(sweep);
  EXPECT_EQ(sweep.records.back().outcome, Outcome::Collapsed);

  // Between 1 and 2 they are 2^-23 apart: both 1.2 and 0.6 times that become one spacing, which counts once.
  checker.SetStepScale(1.2);
  const auto repeated = checker.CheckScalar([](double x) { return x * x; }, 1.5, 3.0);
  EXPECT_EQ(repeated.records[21].realisedStep, std::ldexp(1.0, -23)) << Printed(repeated);
  EXPECT_EQ(repeated.records[22].outcome, Outcome::Collapsed) << Printed(repeated);

  checker.SetStepScale(1.1);
  checker.SetDomain(-1.0, 10.0);
  const auto tiny = checker.CheckScalar([](double x) { return x * x; }, static_cast<float>(1e-10), 2e-10);
  EXPECT_GT(Count(tiny, Outcome::Unequal), 0u) << Printed(tiny);
}

TEST(DerivativeChecker, DividesByTheRealisedStep)
{
  // Steps of a tenth are no binary32 numbers: divided by the step asked for, the estimate would be off by 1e-3 at the
  // smallest steps.
  Checker checker = Binary32Checker();
  checker.SetStepScale(0.1);
  const double x = 7.0;
  const auto   sweep = checker.CheckScalar([](double t) { return 5.0 * t; }, x, 5.0);
  EXPECT_TRUE(sweep.Passed()) << Printed(sweep);
  bool moved = false;
  for (const auto & record : sweep.records)
  {
    if (record.outcome == Outcome::Evaluated)
    {
      EXPECT_NEAR(record.estimate, 5.0, 1e-6);
      moved = moved || std::abs(record.realisedStep / record.requestedStep - 1.0) > 1e-3;
    }
  }
  EXPECT_TRUE(moved) << Printed(sweep);
}

TEST(DerivativeChecker, StepsBeyondTheDomainAreNotEvaluated)
{
  Checker checker;
  checker.SetDomain(0.0, 0.1);
  const auto f = [](double x) {
    EXPECT_GE(x, 0.0);
    EXPECT_LE(x, 0.1);
    return std::sqrt(1.0 + x);
  };
  const auto sweep = checker.CheckScalar(f, 0.03125, 0.5 / std::sqrt(1.03125));
  EXPECT_TRUE(sweep.Passed()) << Printed(sweep);
  EXPECT_EQ(Count(sweep, Outcome::OutsideDomain), 3u) << "2^-2, 2^-3, 2^-4";
  EXPECT_EQ(sweep.records[3].stencil, Stencil::Centred);
}

TEST(DerivativeChecker, TheSmallestStepDoesNotDecide)
{
  // Rounded to multiples of 2^-22, the operator has a derivative of zero, or a huge one, at small steps.
  const auto stairs = [](double x) { return std::ldexp(std::round(std::ldexp(std::exp(-x), 22)), -22); };
  Checker    checker = Binary32Checker();
  checker.SetFunctionNoise(std::ldexp(1.0, -23));
  double      worst = 0.0;
  std::size_t plateaus = 0;
  for (const double x : { 0.5, 0.7001953125, 0.8125, 0.9375, 1.0625, 1.25 })
  {
    ExpectTellsWrongFromRight(checker, stairs, x, -std::exp(-x));
    const auto sweep = checker.CheckScalar(stairs, x, -std::exp(-x));
    plateaus += Count(sweep, Outcome::Plateau);
    for (const auto & record : sweep.records)
    {
      worst = record.outcome == Outcome::Evaluated ? std::max(worst, record.error) : worst;
      EXPECT_FALSE(record.decisive && record.exponent > 12) << Printed(sweep);
    }
  }
  EXPECT_GT(worst, 0.1) << "at some step the estimate is useless";
  EXPECT_GT(plateaus, 0u);
}

TEST(DerivativeChecker, UndeclaredStairsNeverPassTheDerivativeOfThePlateau)
{
  for (const int bits : { 8, 10, 12, 14, 16, 18, 20 })
  {
    const auto stairs = [bits](double x) { return std::ldexp(std::round(std::ldexp(std::exp(-x), bits)), -bits); };
    const auto sweep = Checker().CheckScalar(stairs, 0.7001953125, 0.0);
    EXPECT_FALSE(sweep.Passed()) << bits << '\n' << Printed(sweep);
  }
}

TEST(DerivativeChecker, NoiseIsDeclaredOrPointedOut)
{
  constexpr double noise = 1e-9;
  const auto       f = [](double x) { return std::exp(-x) + noise * Noise(x); };
  Checker          checker;
  for (const double x : { 0.5, 0.8125, 1.25, 2.0 })
  {
    checker.SetFunctionNoise(0.0);
    const auto undeclared = checker.CheckScalar(f, x, -std::exp(-x));
    EXPECT_GT(undeclared.noiseRatio, 1e4) << Printed(undeclared);
    checker.SetFunctionNoise(noise);
    ExpectTellsWrongFromRight(checker, f, x, -std::exp(-x));
    const auto declared = checker.CheckScalar(f, x, -std::exp(-x));
    EXPECT_LE(declared.noiseRatio, 2.0) << Printed(declared);
  }
}

TEST(DerivativeChecker, ANoiseThatHidesTheDerivativeIsInconclusive)
{
  Checker    checker;
  const auto sweep = checker.CheckScalar([](double x) { return std::exp(-x) + 0.01 * Noise(x); }, 1.0, -std::exp(-1.0));
  EXPECT_NE(sweep.verdict, Verdict::Agrees) << Printed(sweep);
  checker.SetFunctionNoise(0.01);
  const auto declared =
    checker.CheckScalar([](double x) { return std::exp(-x) + 0.01 * Noise(x); }, 1.0, -std::exp(-1.0));
  EXPECT_EQ(declared.verdict, Verdict::Inconclusive) << Printed(declared);
  EXPECT_NE(declared.reason.find("resolution"), std::string::npos) << declared.reason;
}

TEST(DerivativeChecker, WhatIsNotFiniteIsReported)
{
  Checker    checker;
  const auto logarithm = [](double x) { return std::log(x); };
  const auto sweep = checker.CheckScalar(logarithm, 0.125, 8.0);
  EXPECT_EQ(sweep.verdict, Verdict::NotFinite) << Printed(sweep);
  EXPECT_EQ(sweep.records[0].outcome, Outcome::NotFinite);
  EXPECT_EQ(sweep.records[1].outcome, Outcome::NotFinite) << "the logarithm of zero";
  EXPECT_NE(sweep.reason.find("2^-2"), std::string::npos) << sweep.reason;
  checker.SetStepExponents(4, 24);
  EXPECT_TRUE(checker.CheckScalar(logarithm, 0.125, 8.0).Passed());
  for (const double bad : { std::nan(""), HUGE_VAL })
  {
    EXPECT_EQ(checker.CheckScalar(logarithm, 0.125, bad).verdict, Verdict::Disagrees);
  }
}

TEST(DerivativeChecker, DifferencesThatDoNotConvergeWithOrderTwoTellNothing)
{
  // At 0 the error of the one-sided difference falls with the root of the step only.
  Checker checker;
  checker.SetDomain(0.0, 10.0);
  const auto sweep = checker.CheckScalar([](double x) { return x + x * std::sqrt(x); }, 0.0, 1.0);
  EXPECT_EQ(sweep.verdict, Verdict::Inconclusive) << Printed(sweep);
}

TEST(DerivativeChecker, AKinkIsNoDerivative)
{
  for (const double claimed : { -1.0, 0.0, 1.0 })
  {
    const auto sweep =
      Checker().CheckScalar([](double x) { return std::abs(x - 1.0) + x * x * x; }, 1.0, 3.0 + claimed);
    // The centred difference gives the mean of both sides, which is the derivative of none.
    EXPECT_EQ(sweep.Passed(), claimed == 0.0) << Printed(sweep);
  }
}

TEST(DerivativeChecker, ADerivativeOfZeroNeedsAScale)
{
  const auto f = [](double x) { return std::cos(x) + 1.0; };
  Checker    checker;
  EXPECT_EQ(checker.CheckScalar([](double x) { return std::cosh(x) + x * x * x; }, 0.0, 0.0).verdict,
            Verdict::Inconclusive);
  checker.SetDerivativeScale(1.0);
  EXPECT_TRUE(checker.CheckScalar([](double x) { return std::cosh(x) + x * x * x; }, 0.0, 0.0).Passed());
  EXPECT_EQ(checker.CheckScalar(f, 0.0, 1e-3).verdict, Verdict::Disagrees);
}

TEST(DerivativeChecker, GradientsAreSweptAlongCoordinatesAndRandomDirections)
{
  const auto f = [](const Vector & x) { return std::exp(-x[0]) * x[1] + x[2] * x[2] * x[1] + std::sin(x[3]); };
  const auto gradient = [](const Vector & x) {
    return Vector{ -std::exp(-x[0]) * x[1], std::exp(-x[0]) + x[2] * x[2], 2.0 * x[2] * x[1], std::cos(x[3]) };
  };
  Checker checker = Binary32Checker();
  checker.SetDomain(0.0, 100.0);
  checker.SetNumberOfRandomDirections(3);
  for (const Vector & x : { Vector{ 0.5, 2.0, 1.5, 0.25 }, Vector{ 0.0, 2.5, 0.0, 0.25 } })
  {
    const Vector right = gradient(x);
    const auto   report = checker.CheckGradient(f, x, right);
    EXPECT_TRUE(report.Passed()) << Printed(report);
    const bool onBoundary = x[0] == 0.0;
    EXPECT_EQ(report.sweeps.size(), onBoundary ? 10u : 7u) << Printed(report);
    for (std::size_t i = 0; i < x.size(); ++i)
    {
      Vector wrong = right;
      wrong[i] += 0.01;
      const auto sweeps = checker.CheckGradient(f, x, wrong).sweeps;
      EXPECT_EQ(sweeps[i].verdict, Verdict::Disagrees) << i << Printed(sweeps[i]);
      EXPECT_TRUE(sweeps[(i + 1) % x.size()].Passed()) << "coordinates are judged apart";
      const bool along = onBoundary && (i == 0 || i == 2);
      EXPECT_EQ(sweeps[along ? 5 : 4].verdict, Verdict::Disagrees) << i << Printed(sweeps[along ? 5 : 4]);
    }
  }
}

TEST(DerivativeChecker, DirectionsAreReproducibleFromTheirSeed)
{
  const auto f = [](const Vector & x) { return x[0] * x[1] * x[2] + x[4] * x[3]; };
  Checker    checker;
  checker.SetCoordinateLimit(2);
  const Vector x{ 1.0, 2.0, 3.0, 4.0, 5.0 };
  const Vector gradient{ 6.0, 3.0, 2.0, 5.0, 4.0 };
  const auto   first = checker.CheckGradient(f, x, gradient);
  EXPECT_EQ(first.sweeps.size(), 4u);
  EXPECT_TRUE(first.Passed()) << Printed(first);
  EXPECT_EQ(Printed(first), Printed(checker.CheckGradient(f, x, gradient)));
  checker.SetSeed(2);
  EXPECT_NE(Printed(first), Printed(checker.CheckGradient(f, x, gradient)));
}

TEST(DerivativeChecker, AGivenDirectionIsRoundedToStorageTogetherWithItsPrediction)
{
  Checker      checker = Binary32Checker();
  const Vector x{ 0.5, 0.75 };
  const auto   f = [](const Vector & v) { return v[0] * std::exp(v[1]); };
  const double e = std::exp(0.75);
  EXPECT_TRUE(checker.CheckDirectional(f, x, { 0.3, -0.7 }, { e, 0.5 * e }).Passed())
    << Printed(checker.CheckDirectional(f, x, { 0.3, -0.7 }, { e, 0.5 * e }));
  EXPECT_EQ(checker.CheckDirectional(f, x, { 0.3, -0.7 }, { e, 0.501 * e }).verdict, Verdict::Disagrees);
}

TEST(DerivativeChecker, AdjointsAreCheckedAgainstDifferencesOfTheOperator)
{
  // F(x) = (x0 x1, exp(-x1), x0^2), cotangent y: J^T y.
  const auto   apply = [](const Vector & x) { return Vector{ x[0] * x[1], std::exp(-x[1]), x[0] * x[0] }; };
  const Vector x{ 1.5, 0.5 };
  const Vector y{ 2.0, -3.0, 0.5 };
  const Vector right{ y[0] * x[1] + 2.0 * y[2] * x[0], y[0] * x[0] - y[1] * std::exp(-x[1]) };
  Checker      checker;
  EXPECT_TRUE(checker.CheckAdjoint(apply, x, y, right).Passed()) << Printed(checker.CheckAdjoint(apply, x, y, right));
  EXPECT_FALSE(checker.CheckAdjoint(apply, x, y, { right[0], -right[1] }).Passed());
  EXPECT_FALSE(checker.CheckAdjoint(apply, x, y, { right[1], right[0] }).Passed()) << "transposed wrongly";
}

TEST(DerivativeChecker, ImageOperatorsAreFunctors)
{
  using ImageType = Checker::ImageType;
  const auto image = [](const std::vector<float> & values) {
    const auto result = ImageType::New();
    result->SetRegions(ImageType::RegionType({ { 3, -2, 1 } }, { { 2, 2, 1 } }));
    result->Allocate();
    std::copy(values.begin(), values.end(), result->GetBufferPointer());
    return result;
  };
  const auto square = [&](const ImageType * input) {
    std::vector<float> values;
    for (int i = 0; i < 4; ++i)
    {
      const float v = input->GetBufferPointer()[i];
      values.push_back(v * v);
    }
    EXPECT_EQ(input->GetBufferedRegion().GetIndex(0), 3);
    return image(values);
  };
  Checker checker;
  checker.SetFunctionPrecision(Checker::Binary32Precision);
  const auto x = image({ 1.0f, 2.0f, 3.0f, 4.0f });
  const auto y = image({ 1.0f, -1.0f, 0.5f, 2.0f });
  const auto right = image({ 2.0f, -4.0f, 3.0f, 16.0f });
  const auto wrong = image({ 2.0f, -4.0f, 3.0f, 8.0f });
  EXPECT_TRUE(checker.CheckImageAdjoint(square, x, y, right).Passed())
    << Printed(checker.CheckImageAdjoint(square, x, y, right));
  EXPECT_FALSE(checker.CheckImageAdjoint(square, x, y, wrong).Passed());
}

TEST(DerivativeChecker, RefusesByName)
{
  const auto identity = [](double x) { return x; };
  const auto expect = [](const auto & run, const std::string & words) {
    const std::string text = Refusal(run);
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  Checker checker = Binary32Checker();
  checker.SetDomain(0.0, 1.0);
  expect([&]() { checker.CheckScalar(identity, -1.0, 1.0); }, "Parameter 0 of the anchor, -1, is not in the domain");
  expect([&]() { checker.CheckScalar(identity, 0.1, 1.0); }, "is not a binary32 number");
  expect([&]() { checker.CheckScalar(identity, std::nan(""), 1.0); }, "is not in the domain");
  expect([&]() { checker.SetDomain(1.0, 1.0); }, "must have an inside");
  expect([&]() { checker.SetStepExponents(20, 4); }, "five steps");
  expect([&]() { checker.SetStepScale(0.0); }, "StepScale is 0");
  expect([&]() { checker.SetFunctionPrecision(-1.0); }, "FunctionPrecision is -1");
  expect([&]() { checker.SetFunctionNoise(std::nan("")); }, "FunctionNoise is");
  expect([&]() { checker.SetResolution(0.0); }, "Resolution is 0");
  const auto sum = [](const Vector & x) { return x[0] + x[1]; };
  expect([&]() { checker.CheckGradient(sum, { 0.5, 0.5 }, { 1.0 }); }, "has 2 elements");
  expect([&]() { checker.CheckDirectional(sum, { 0.5, 0.5 }, { 0.0, 0.0 }, { 1.0, 1.0 }); }, "squared length");
  const auto apply = [](const Vector & x) { return x; };
  expect([&]() { checker.CheckAdjoint(apply, { 0.5 }, { 1.0, 1.0 }, { 1.0 }); }, "the cotangent has 2");
}

TEST(DerivativeChecker, TheTableShowsEveryRecord)
{
  const auto        sweep = Binary32Checker().CheckScalar([](double x) { return x * x; }, 1.0, 2.0);
  const std::string text = Printed(sweep);
  for (const auto & record : sweep.records)
  {
    EXPECT_NE(text.find("2^-" + std::to_string(record.exponent) + ' '), std::string::npos) << text;
  }
  EXPECT_NE(text.find("Agrees"), std::string::npos) << text;
  EXPECT_NE(text.find("Centred"), std::string::npos) << text;
  EXPECT_FALSE(itk::DerivativeReport().Passed()) << "nothing was checked";
}
