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
#include "AdjointReference.h"
#include "MpfrOracle.h"
#include "TransmissionTestImages.h"
#include "itkOpticalDepthAdjointImageFilter.h"
#include "itkOpticalDepthImageFilter.h"
#include "itkTransmissionImageFilter.h"

#include <cfloat>
#include <limits>
#include <random>

using namespace testimages;
using Inverse = itk::OpticalDepthImageFilter;
using Adjoint = itk::OpticalDepthAdjointImageFilter;

namespace
{

constexpr float NaN = std::numeric_limits<float>::quiet_NaN();

const ImageType::SizeType SmallSize = { { 17, 9, 2 } };

float
DepthAt(mpfr_prec_t bits, float decrement)
{
  oracle::BigFloat value(bits);
  mpfr_set_flt(value, decrement, MPFR_RNDN);
  mpfr_neg(value, value, MPFR_RNDN);
  mpfr_log1p(value, value, MPFR_RNDN);
  mpfr_neg(value, value, MPFR_RNDN);
  return mpfr_get_flt(value, MPFR_RNDN);
}

/** Decrements that step through the representable numbers, and all next to 0 and 1. */
std::vector<float>
SweptDecrements()
{
  std::vector<float>  decrements;
  const std::uint32_t one = oracle::Bits(1.0f);
  for (std::uint32_t bits = 0; bits < one; bits += 150001)
  {
    decrements.push_back(oracle::FromBits(bits));
  }
  for (std::uint32_t bits = 0; bits < 200; ++bits)
  {
    decrements.push_back(oracle::FromBits(bits));
    decrements.push_back(oracle::FromBits(one - 1 - bits));
  }
  // From 1e-3 on the depth leaves the decrement: denser.
  for (std::uint32_t bits = oracle::Bits(1e-3f); bits < one; bits += 20011)
  {
    decrements.push_back(oracle::FromBits(bits));
  }
  return decrements;
}

ImageType::Pointer
RandomDecrements(unsigned int seed)
{
  std::mt19937                          engine(seed);
  std::uniform_real_distribution<float> uniform(0.0f, 0.999f);
  return Make(SmallSize, [&](std::size_t) { return uniform(engine); });
}

ImageType::Pointer
RandomWeights(unsigned int seed)
{
  std::mt19937                    engine(seed);
  std::normal_distribution<float> normal(0.0f, 100.0f);
  return Make(SmallSize, [&](std::size_t) { return normal(engine); });
}

Adjoint::Pointer
MakeAdjoint(const ImageType * decrements, const ImageType * weights, unsigned int threads = 2)
{
  auto filter = Adjoint::New();
  filter->SetInput(decrements);
  filter->SetDepthCotangent(weights);
  filter->SetNumberOfWorkUnits(threads);
  return filter;
}

} // namespace

TEST(OpticalDepthImageFilter, IsWithinOneUlpOfTheCorrectlyRoundedResult)
{
  const auto decrements = SweptDecrements();
  const auto filter = Inverse::New();
  filter->SetInput(Make({ { decrements.size(), 1, 1 } }, [&](std::size_t i) { return decrements[i]; }));
  filter->Update();
  const auto   depths = Pixels(*filter->GetOutput());
  std::int64_t worst = 0;
  for (std::size_t i = 0; i < depths.size(); ++i)
  {
    const float expected = oracle::Settled([&](mpfr_prec_t bits) { return DepthAt(bits, decrements[i]); });
    worst = std::max(worst, oracle::UlpDistance(depths[i], std::abs(expected)));
    ASSERT_LE(worst, 1) << "decrement " << decrements[i] << ", bits " << oracle::Bits(decrements[i]);
  }
  RecordProperty("worst", static_cast<int>(worst));
}

TEST(OpticalDepthImageFilter, ZeroIsPositiveAndTheLastDecrementHasADepth)
{
  const float last = std::nextafter(1.0f, 0.0f);
  const float decrements[3] = { 0.0f, -0.0f, last };
  const auto  filter = Inverse::New();
  filter->SetInput(Make({ { 3, 1, 1 } }, [&](std::size_t i) { return decrements[i]; }));
  filter->Update();
  const auto depths = Pixels(*filter->GetOutput());
  EXPECT_EQ(oracle::Bits(depths[0]), oracle::Bits(0.0f));
  EXPECT_EQ(oracle::Bits(depths[1]), oracle::Bits(0.0f));
  EXPECT_FLOAT_EQ(depths[2], 16.635532f);
}

TEST(OpticalDepthImageFilter, UndoesTheRemovedFraction)
{
  const auto forward = itk::TransmissionImageFilter::New();
  forward->SetInput(Make({ { 100, 1, 1 } }, [](std::size_t i) { return 0.05 * static_cast<double>(i); }));
  forward->ComputeTransmissionOff();
  forward->ComputeRemovedOn();
  const auto filter = Inverse::New();
  filter->SetInput(forward->GetRemoved());
  filter->Update();
  const auto expected = Pixels(*forward->GetInput());
  const auto depths = Pixels(*filter->GetOutput());
  for (std::size_t i = 0; i < depths.size(); ++i)
  {
    // Half a unit of the decrement's rounding is worth exp(L) of depth.
    EXPECT_NEAR(depths[i], expected[i], 1e-7 * std::exp(expected[i]));
  }
}

TEST(OpticalDepthImageFilter, WhatIsNoDecrementIsNamedBeforeAnythingIsWritten)
{
  for (const float bad : { 1.0f, 1.5f, -1e-30f, NaN, std::numeric_limits<float>::infinity() })
  {
    const auto decrements = RandomDecrements(1);
    const auto filter = Inverse::New();
    filter->SetInput(decrements);
    filter->Update();
    const auto before = Pixels(*filter->GetOutput());
    decrements->SetPixel({ { 9, -1, 3 } }, bad);
    decrements->SetPixel({ { 11, 1, 3 } }, NaN);
    decrements->Modified();
    ExpectMentions(Refusal([&]() { filter->Update(); }), { "not negative and below 1", "[9, -1, 3] is ", "mask" });
    EXPECT_EQ(Pixels(*filter->GetOutput()), before);
  }
}

TEST(OpticalDepthImageFilter, ThreadsAndRegionsGiveTheSameBits)
{
  const ImageType::SizeType size = { { 131, 97, 1 } };
  const auto decrements = Make(size, [](std::size_t i) { return static_cast<double>(i % 9973) / 9973.0; });
  const auto make = [&](unsigned int threads) {
    const auto filter = Inverse::New();
    filter->SetInput(decrements);
    filter->SetNumberOfWorkUnits(threads);
    return filter;
  };
  const auto whole = make(1);
  whole->Update();
  for (const unsigned int threads : { 2u, 7u })
  {
    const auto other = make(threads);
    other->Update();
    EXPECT_EQ(Pixels(*other->GetOutput()), Pixels(*whole->GetOutput()));
  }
  const auto                  part = make(2);
  const ImageType::RegionType region({ { 20, 11, 2 } }, { { 33, 40, 1 } });
  part->GetOutput()->SetRequestedRegion(region);
  part->Update();
  EXPECT_EQ(Pixels(*part->GetOutput()), Pixels(*whole->GetOutput(), region));
}

TEST(OpticalDepthAdjointImageFilter, IsTheCotangentOverOneMinusDelta)
{
  const auto decrements = RandomDecrements(2);
  const auto weights = RandomWeights(3);
  const auto filter = MakeAdjoint(decrements, weights);
  filter->SetAccumulatedDecrementCotangent(MakeConstant(SmallSize, 5.0f));
  filter->Update();
  const auto delta = Pixels(*decrements);
  const auto weight = Pixels(*weights);
  const auto result = Pixels(*filter->GetDecrementCotangent());
  for (std::size_t i = 0; i < result.size(); ++i)
  {
    reference::Terms terms;
    terms.Add(weight[i] / (1.0L - delta[i]));
    terms.Add(5.0L);
    reference::ExpectWithin(result[i], terms, 4);
  }
}

TEST(OpticalDepthAdjointImageFilter, IsTheDerivativeOfTheInverse)
{
  const double delta = 0.75f;
  const double step = std::ldexp(1.0, -16);
  const auto   depth = [](double d) { return -std::log1p(-d); };
  const auto   filter = MakeAdjoint(MakeConstant({ { 1, 1, 1 } }, 0.75f), MakeConstant({ { 1, 1, 1 } }, 3.0f));
  filter->Update();
  EXPECT_NEAR(Pixels(*filter->GetDecrementCotangent())[0],
              3.0 * (depth(delta + step) - depth(delta - step)) / (2.0 * step),
              1e-6);
}

TEST(OpticalDepthAdjointImageFilter, AGradientOutOfRangeIsNamedBeforeAnythingIsWritten)
{
  const auto decrements = RandomDecrements(4);
  const auto weights = RandomWeights(5);
  const auto sum = MakeConstant(SmallSize, 1.0f);
  const auto filter = MakeAdjoint(decrements, weights);
  filter->SetAccumulatedDecrementCotangent(sum);
  filter->AccumulateInPlaceOn();
  filter->Update();
  const auto before = Pixels(*sum);
  decrements->SetPixel({ { 9, -1, 3 } }, std::nextafter(1.0f, 0.0f));
  decrements->Modified();
  weights->SetPixel({ { 9, -1, 3 } }, 1e35f);
  weights->Modified();
  for (const bool check : { true, false })
  {
    filter->SetCheckInputs(check);
    ExpectMentions(Refusal([&]() { filter->Update(); }),
                   { "The decrement cotangent at pixel [9, -1, 3] is 1.67", "e+42", "optimizer" });
    EXPECT_EQ(Pixels(*sum), before);
  }
}

TEST(OpticalDepthAdjointImageFilter, RefusesWhatItsBaseRefuses)
{
  const auto decrements = RandomDecrements(6);
  const auto weights = RandomWeights(7);
  const auto filter = MakeAdjoint(decrements, nullptr);
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "No cotangent", "SetDepthCotangent()" });
  filter->SetDepthCotangent(weights);
  filter->Update();
  filter->Modified();
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "DepthCotangent was consumed" });
  weights->SetPixel({ { 6, -3, 2 } }, NaN);
  weights->Modified();
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "DepthCotangent is finite", "[6, -3, 2]" });
  weights->SetPixel({ { 6, -3, 2 } }, 1.0f);
  decrements->SetPixel({ { 7, -3, 2 } }, 1.0f);
  decrements->Modified();
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "below 1", "[7, -3, 2] is 1" });
  const auto upstream = MakeAdjoint(decrements, weights);
  filter->SetInput(upstream->GetOutput());
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "The decrement image", "first derivatives only" });
}
