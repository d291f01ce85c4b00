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
#include "itkSubrayAverageImageFilter.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

using namespace testimages;
using Average = itk::SubrayAverageImageFilter;

namespace
{

Average::Pointer
MakeAverage(const ImageType::Pointer & depths, unsigned int side, const std::vector<double> & weights)
{
  const auto filter = Average::New();
  filter->SetInput(depths);
  filter->SetSubraysPerSide(side);
  filter->SetWeights(weights);
  return filter;
}

/** One pixel of 2 x 2 sub-rays. */
ImageType::Pointer
OneBlock(const std::vector<double> & depths)
{
  return Make({ { 2, 2, 1 } }, [&](std::size_t i) { return depths[i]; });
}

float
OneDepth(const std::vector<double> & depths, const std::vector<double> & weights)
{
  const auto filter = MakeAverage(OneBlock(depths), 2, weights);
  filter->Update();
  return Pixels(*filter->GetOutput())[0];
}

std::string
RefusalOf(const std::vector<double> & weights)
{
  return Refusal([&]() { MakeAverage(OneBlock({ 1, 1, 1, 1 }), 2, weights)->Update(); });
}

} // namespace

TEST(SubrayWeights, AverageTransmissionsInColumnOrder)
{
  const std::vector<double> depths{ 0.25, 1.0, 2.5, 4.0 };
  const std::vector<double> weights{ 0.1, 0.2, 0.3, 0.4 };
  double                    transmission = 0.0;
  for (std::size_t i = 0; i < 4; ++i)
  {
    transmission += weights[i] * std::exp(-depths[i]);
  }
  EXPECT_FLOAT_EQ(OneDepth(depths, weights), static_cast<float>(-std::log(transmission)));
}

TEST(SubrayWeights, ZeroAndTwoWithEqualWeights)
{
  EXPECT_NEAR(std::exp(-OneDepth({ 0, 2, 0, 2 }, {})), 0.567668, 5e-7);
  EXPECT_NEAR(std::exp(-OneDepth({ 0, 2, 7, 9 }, { 0.5, 0.5, 0.0, 0.0 })), 0.567668, 5e-7);
}

TEST(SubrayWeights, EqualOnesAreTheDefaultToTheBit)
{
  std::mt19937                           engine(5);
  std::uniform_real_distribution<double> depth(0.0, 20.0);
  const auto                             input = Make({ { 15, 9, 2 } }, [&](std::size_t) { return depth(engine); });
  const auto                             given = MakeAverage(input, 3, std::vector<double>(9, 1.0 / 9.0));
  const auto                             equal = MakeAverage(input, 3, {});
  given->Update();
  equal->Update();
  EXPECT_EQ(Pixels(*given->GetOutput()), Pixels(*equal->GetOutput())) << "seed 5";
}

TEST(SubrayWeights, OneOnAllOfTheWeightGivesThatDepth)
{
  EXPECT_EQ(OneDepth({ 0.0, 3.5, 800.0, 1.0 }, { 0, 1, 0, 0 }), 3.5f);
  EXPECT_EQ(OneDepth({ 0.0, 3.5, 800.0, 1.0 }, { 0, 0, 1, 0 }), 800.0f);
}

// The mean transmission is then nearly all of hardly any weight: 1 - (1 - w) must not be formed.
TEST(SubrayWeights, TheLeastDepthMayHaveHardlyAnyWeight)
{
  const double rest = 1.0 - 1e-20;
  EXPECT_FLOAT_EQ(OneDepth({ 0, 2000, 0, 0 }, { 1e-20, rest, 0, 0 }), static_cast<float>(-std::log(1e-20)));
  EXPECT_FLOAT_EQ(OneDepth({ 3, 2000, 0, 0 }, { 5e-324, 1, 0, 0 }), static_cast<float>(3.0 - std::log(5e-324)));
}

TEST(SubrayWeights, AreRefusedByNameAndValue)
{
  ExpectMentions(RefusalOf({ 0.5, 0.5 }), { "2 weights", "need 4" });
  ExpectMentions(RefusalOf({ 0.5, 0.75, -0.25, 0.0 }), { "Weight 2 is -0.25" });
  ExpectMentions(RefusalOf({ std::nan(""), 1, 0, 0 }), { "Weight 0 is" });
  ExpectMentions(RefusalOf({ 0, HUGE_VAL, 0, 0 }), { "Weight 1 is" });
  ExpectMentions(RefusalOf({ 0.25, 0.25, 0.25, 0.125 }), { "sum to 0.875", "divide" });
}

TEST(SubrayWeights, ABadDepthIsBadEvenWithoutWeight)
{
  const auto refusal = Refusal([]() { OneDepth({ 1, 1, 1, -1 }, { 0.5, 0.5, 0, 0 }); });
  ExpectMentions(refusal, { "[6, -2, 2]", "-1" });
}

TEST(SubrayWeights, ArePrintedAndTellOfChange)
{
  const auto filter = MakeAverage(OneBlock({ 0, 0, 0, 0 }), 2, { 0.5, 0.25, 0.25, 0 });
  ExpectMentions(Printed(*filter), { "Weights: 0.5, 0.25, 0.25, 0" });
  ExpectMentions(Printed(*Average::New()), { "Weights: (equal)" });
  const auto before = filter->GetMTime();
  filter->SetWeights({ 0.5, 0.25, 0.25, 0 });
  EXPECT_EQ(filter->GetMTime(), before);
  filter->SetWeights({});
  EXPECT_GT(filter->GetMTime(), before);
}
