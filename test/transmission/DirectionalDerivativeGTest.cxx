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
#include "TransmissionTestImages.h"
#include "itkDerivativeChecker.h"
#include "itkTransmissionAdjointImageFilter.h"

#include <cmath>
#include <limits>
#include <sstream>

using namespace testimages;
using Checker = itk::DerivativeChecker;
using Filter = itk::TransmissionImageFilter;
using Stencil = itk::DerivativeCheckerEnums::Stencil;
using Outcome = itk::DerivativeCheckerEnums::Outcome;

namespace
{

constexpr double OpenBeam = 1000.0;

/** One output of the filter, with its derivatives as the contract states them. */
struct Quantity
{
  const char * name;
  void (Filter::*ask)(bool);
  ImageType * (Filter::*output)();
  double (*derivative)(double depth);
};

const Quantity Quantities[] = {
  { "T", &Filter::SetComputeTransmission, &Filter::GetTransmission, [](double L) { return -std::exp(-L); } },
  { "counts", &Filter::SetComputeCounts, &Filter::GetCounts, [](double L) { return -OpenBeam * std::exp(-L); } },
  { "log T", &Filter::SetComputeLogTransmission, &Filter::GetLogTransmission, [](double) { return -1.0; } },
  { "removed", &Filter::SetComputeRemoved, &Filter::GetRemoved, [](double L) { return std::exp(-L); } },
};

/** The pixel at a depth, from the filter itself. */
double
Evaluate(const Quantity & quantity, double depth, float openBeam)
{
  const auto filter = Filter::New();
  filter->SetInput(MakeConstant({ { 1, 1, 1 } }, static_cast<float>(depth)));
  filter->SetSharedOpenBeamCountsImage(MakeConstant({ { 1, 1, 1 } }, openBeam));
  filter->SetComputeTransmission(false);
  ((*filter).*quantity.ask)(true);
  filter->Update();
  return ((*filter).*quantity.output)()->GetBufferPointer()[0];
}

Checker
OperatorChecker()
{
  Checker checker;
  checker.SetStorage(Checker::StorageEnum::Binary32);
  checker.SetFunctionPrecision(Checker::Binary32Precision);
  checker.SetDomain(0.0, std::numeric_limits<float>::max());
  return checker;
}

std::string
Table(const Quantity & quantity, const itk::DerivativeSweep & sweep)
{
  std::ostringstream text;
  text << quantity.name << '\n' << sweep;
  return text.str();
}

/** 2^-2 ... 2^-24, whatever became of them. */
void
ExpectAllRecords(const itk::DerivativeSweep & sweep)
{
  ASSERT_EQ(sweep.records.size(), 23u);
  for (unsigned int i = 0; i < 23; ++i)
  {
    EXPECT_EQ(sweep.records[i].exponent, i + 2);
    EXPECT_EQ(std::isfinite(sweep.records[i].error),
              sweep.records[i].outcome != Outcome::Collapsed && sweep.records[i].outcome != Outcome::OutsideDomain);
  }
}

} // namespace

TEST(DirectionalDerivative, CentredInside)
{
  for (const Quantity & quantity : Quantities)
  {
    for (const double depth : { 0.34375, 1.3125, 5.5, 20.25 })
    {
      const auto evaluate = [&](double L) { return Evaluate(quantity, L, OpenBeam); };
      const auto sweep = OperatorChecker().CheckScalar(evaluate, depth, quantity.derivative(depth));
      ExpectAllRecords(sweep);
      EXPECT_EQ(sweep.records[4].stencil, Stencil::Centred);
      const bool saturates = &quantity == &Quantities[3] && depth > 5.0;
      // Close to 1 the removed fraction moves by less than binary32 resolves: differences cannot tell, and say so.
      EXPECT_TRUE(sweep.Passed() || (saturates && sweep.verdict == itk::DerivativeCheckerEnums::Verdict::Inconclusive))
        << Table(quantity, sweep);
      EXPECT_FALSE(OperatorChecker().CheckScalar(evaluate, depth, 1.001 * quantity.derivative(depth)).Passed());
      EXPECT_FALSE(OperatorChecker().CheckScalar(evaluate, depth, -quantity.derivative(depth)).Passed());
    }
  }
}

TEST(DirectionalDerivative, OneSidedOfSecondOrderAtDepthZero)
{
  for (const Quantity & quantity : Quantities)
  {
    const auto evaluate = [&](double L) { return Evaluate(quantity, L, OpenBeam); };
    const auto sweep = OperatorChecker().CheckScalar(evaluate, 0.0, quantity.derivative(0.0));
    ExpectAllRecords(sweep);
    EXPECT_TRUE(sweep.Passed()) << Table(quantity, sweep);
    for (const auto & record : sweep.records)
    {
      EXPECT_EQ(record.stencil, Stencil::Forward);
    }
    EXPECT_FALSE(OperatorChecker().CheckScalar(evaluate, 0.0, 1.001 * quantity.derivative(0.0)).Passed());
  }
}

TEST(DirectionalDerivative, AgreementImprovesUntilRoundingDominates)
{
  const auto evaluate = [](double L) { return Evaluate(Quantities[0], L, OpenBeam); };
  const auto sweep = OperatorChecker().CheckScalar(evaluate, 1.3125, -std::exp(-1.3125));
  for (std::size_t i = 1; i < 4; ++i)
  {
    EXPECT_NEAR(sweep.records[i - 1].error / sweep.records[i].error, 4.0, 0.2) << Table(Quantities[0], sweep);
  }
  EXPECT_GT(sweep.records[18].error, 100.0 * sweep.records[7].error) << Table(Quantities[0], sweep);
}

TEST(DirectionalDerivative, SlabSensitivities)
{
  // T = exp(-mu d): dT/dd = -mu T, dT/dmu = -d T; the depth is rounded to binary32 on its way to the operator.
  constexpr double mu = 0.02059;
  constexpr double d = 33.664;
  const double     T = std::exp(-mu * d);
  Checker          checker;
  checker.SetFunctionPrecision((1.0 + mu * d) * Checker::Binary32Precision);
  checker.SetStepScale(64.0);
  const auto ofThickness =
    checker.CheckScalar([](double x) { return Evaluate(Quantities[0], mu * x, OpenBeam); }, d, -mu * T);
  EXPECT_TRUE(ofThickness.Passed()) << Table(Quantities[0], ofThickness);
  checker.SetStepScale(1.0 / 32.0);
  const auto ofMu = checker.CheckScalar([](double x) { return Evaluate(Quantities[0], x * d, OpenBeam); }, mu, -d * T);
  EXPECT_TRUE(ofMu.Passed()) << Table(Quantities[0], ofMu);
}

TEST(DirectionalDerivative, OfTheOpenBeamZeroIncluded)
{
  for (const double openBeam : { 0.0, 3.0, 1000.0 })
  {
    const auto evaluate = [](double n0) { return Evaluate(Quantities[1], 1.3125, static_cast<float>(n0)); };
    const auto sweep = OperatorChecker().CheckScalar(evaluate, openBeam, std::exp(-1.3125));
    ExpectAllRecords(sweep);
    if (openBeam > 500.0)
    {
      // 2^-2 of a thousand counts hardly shows in binary32; larger steps do.
      Checker checker = OperatorChecker();
      checker.SetStepScale(1024.0);
      EXPECT_TRUE(checker.CheckScalar(evaluate, openBeam, std::exp(-1.3125)).Passed());
      continue;
    }
    EXPECT_TRUE(sweep.Passed()) << Table(Quantities[1], sweep);
  }
}

TEST(DirectionalDerivative, OfAllOutputsTogetherThroughTheAdjoint)
{
  // Two depths on the boundary, four inside.
  const ImageType::SizeType size{ { 3, 2, 1 } };
  const std::vector<double> depths{ 0.0, 0.34375, 1.3125, 0.0, 2.5, 0.75 };
  const auto                cotangents = [&](double seed) {
    return Make(size, [seed](std::size_t i) { return std::sin(seed + 3.0 * static_cast<double>(i)) + 0.1; });
  };
  const ImageType::Pointer weights[] = { cotangents(1.0), cotangents(2.0), cotangents(3.0), cotangents(4.0) };

  const auto adjoint = itk::TransmissionAdjointImageFilter::New();
  adjoint->SetInput(Make(size, [&](std::size_t i) { return depths[i]; }));
  adjoint->SetOpenBeamCounts(4.0);
  adjoint->SetTransmissionCotangent(weights[0]);
  adjoint->SetCountsCotangent(weights[1]);
  adjoint->SetLogTransmissionCotangent(weights[2]);
  adjoint->SetRemovedCotangent(weights[3]);
  adjoint->Update();

  const auto apply = [&](const Checker::VectorType & at) {
    const auto filter = Filter::New();
    filter->SetInput(Make(size, [&](std::size_t i) { return at[i]; }));
    filter->SetOpenBeamCounts(4.0);
    for (const Quantity & quantity : Quantities)
    {
      ((*filter).*quantity.ask)(true);
    }
    filter->Update();
    Checker::VectorType all;
    for (const Quantity & quantity : Quantities)
    {
      const auto pixels = Pixels(*((*filter).*quantity.output)());
      all.insert(all.end(), pixels.begin(), pixels.end());
    }
    return all;
  };
  Checker::VectorType y;
  for (const auto & image : weights)
  {
    const auto pixels = Pixels(*image);
    y.insert(y.end(), pixels.begin(), pixels.end());
  }
  const auto pulledBack = Pixels(*adjoint->GetDepthCotangent());
  Checker    checker = OperatorChecker();
  checker.SetResolution(1e-3);
  const auto report = checker.CheckAdjoint(apply, depths, y, { pulledBack.begin(), pulledBack.end() });
  EXPECT_TRUE(report.Passed()) << report;
  EXPECT_EQ(report.sweeps.size(), 6u + 2u * 2u);
  for (const std::size_t i : { 0u, 3u })
  {
    EXPECT_EQ(report.sweeps[i].records.front().stencil, Stencil::Forward);
  }
}
