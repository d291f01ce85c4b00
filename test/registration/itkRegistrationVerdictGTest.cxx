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
#include "registration/itkRegistrationVerdict.h"

#include <gtest/gtest.h>

#include <limits>

namespace
{

using Content = itk::RadiographRegistrationResult::Content;

/** A result that nothing speaks against, although its deviance is large. */
Content
MakeTrustedContent()
{
  Content content;
  content.inflatedStationarity = 1e-4;
  content.halvesWereCompared = true;
  content.halvesDistance = 2.0;
  content.halvesBound = 4.5;
  content.halvesDisplacement = 0.7;
  content.halvesTolerance = 0.1;
  content.relativeResidual = 0.05;
  content.deviance = 1e9;
  content.pixels = 1000;
  content.degreesOfFreedom = 994;
  return content;
}

/** The one doubt that there is. */
std::string
DoubtOf(const Content & content)
{
  const std::vector<std::string> doubts = itk::FindDoubts(content, {});
  EXPECT_EQ(doubts.size(), 1U);
  return doubts.empty() ? "" : doubts.front();
}

bool
Says(const std::string & text, const std::string & words)
{
  return text.find(words) != std::string::npos;
}

} // namespace

TEST(RegistrationVerdict, DevianceAloneIsNoReason)
{
  EXPECT_TRUE(itk::FindDoubts(MakeTrustedContent(), {}).empty());
}

TEST(RegistrationVerdict, NotStationaryIsSaidWithWhyTheOptimizerStopped)
{
  Content content = MakeTrustedContent();
  // In units of noise alone it may be any.
  content.stationarity = 1000.0;
  EXPECT_TRUE(itk::FindDoubts(content, {}).empty());
  content.inflatedStationarity = 2.5;
  content.levels.emplace_back();
  content.levels.back().stopCondition = "Too many steps.";
  const std::string doubt = DoubtOf(content);
  EXPECT_TRUE(Says(doubt, "2.5 standard errors")) << doubt;
  EXPECT_TRUE(Says(doubt, "Too many steps.")) << doubt;
  content.inflatedStationarity = std::numeric_limits<double>::quiet_NaN();
  DoubtOf(content);
}

TEST(RegistrationVerdict, HalvesThatDisagreeAreSaid)
{
  Content content = MakeTrustedContent();
  content.halvesDistance = 7.0;
  const std::string doubt = DoubtOf(content);
  EXPECT_TRUE(Says(doubt, "by 7 standard errors, the bound is 4.5")) << doubt;
  EXPECT_TRUE(Says(doubt, "by 0.7 mm, the tolerance is 0.1 mm")) << doubt;
  content.halvesWereCompared = false;
  EXPECT_TRUE(itk::FindDoubts(content, {}).empty());
}

TEST(RegistrationVerdict, HalvesThatDisagreeByLessThanTheToleranceAreNot)
{
  Content content = MakeTrustedContent();
  content.halvesDistance = 7.0;
  content.halvesDisplacement = 0.09;
  EXPECT_TRUE(itk::FindDoubts(content, {}).empty());
  content.halvesDisplacement = std::numeric_limits<double>::quiet_NaN();
  DoubtOf(content);
}

TEST(RegistrationVerdict, ResidualAboveItsBoundIsSaid)
{
  Content content = MakeTrustedContent();
  content.relativeResidual = 0.31;
  EXPECT_TRUE(Says(DoubtOf(content), "31 %"));
  EXPECT_TRUE(itk::FindDoubts(content, { 0.1, 0.4, 0.5 }).empty());
}

TEST(RegistrationVerdict, CorrelationBelowItsBoundIsSaidWithItsView)
{
  Content content = MakeTrustedContent();
  content.correlations = { 0.95, 0.2, 0.97 };
  EXPECT_TRUE(Says(DoubtOf(content), "view 1 is 0.2"));
}

TEST(RegistrationVerdict, NuisancesBeyondReasonAreSaid)
{
  Content content = MakeTrustedContent();
  content.nuisances.resize(2);
  for (auto & nuisances : content.nuisances)
  {
    nuisances.attenuation = -0.3;
    nuisances.exposure = 2000.0;
  }
  // What was given is the user's.
  EXPECT_TRUE(itk::FindDoubts(content, {}).empty());
  for (auto & nuisances : content.nuisances)
  {
    nuisances.attenuationIsEstimated = true;
  }
  EXPECT_TRUE(Says(DoubtOf(content), "The factor on mu was estimated as -0.3"));
  content.nuisances[0].attenuation = 1.99;
  EXPECT_TRUE(itk::FindDoubts(content, {}).empty());
  content.nuisances[0].attenuation = 0.49;
  DoubtOf(content);
  content.nuisances[0].attenuation = 1.0;
  content.nuisances[1].exposureIsEstimated = true;
  EXPECT_TRUE(Says(DoubtOf(content), "The exposure of view 1 was estimated as 2e+03"));
}

TEST(RegistrationVerdict, ManyOutliersAreSaid)
{
  Content content = MakeTrustedContent();
  content.outliers = 333;
  EXPECT_TRUE(itk::FindDoubts(content, {}).empty());
  content.outliers = 1000;
  EXPECT_TRUE(Says(DoubtOf(content), "50 % were left out as outliers"));
}

TEST(RegistrationVerdict, SingularDirectionIsSaid)
{
  Content content = MakeTrustedContent();
  content.singularDirection = "Scale and attenuation cannot be told apart.";
  EXPECT_EQ(DoubtOf(content), content.singularDirection);
}
