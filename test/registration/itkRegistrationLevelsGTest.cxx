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
#include "registration/itkRegistrationLevels.h"

#include "ProjectionFixtures.h"

#include <gtest/gtest.h>

namespace
{

using ProjectorEnum = itk::DigitallyReconstructedRadiographImageFilterEnums::Projector;
using Levels = std::vector<itk::RadiographRegistrationLevel>;

itk::RegistrationSizes
MakeSizes(itk::SizeValueType pixels, double pitchAtCT)
{
  itk::RegistrationSizes sizes;
  sizes.views.push_back({ { { pixels, pixels / 2, 1 } }, pitchAtCT });
  sizes.views.push_back({ { { pixels, pixels, 1 } }, pitchAtCT });
  sizes.volumeSize = { { 256, 256, 100 } };
  const double spacing[3] = { 0.7, 0.7, 2.5 };
  sizes.volumeSpacing = itk::Vector<double, 3>(spacing);
  return sizes;
}

} // namespace

TEST(RegistrationLevels, DefaultsHalveImagesAndMatchVoxels)
{
  const Levels levels = itk::MakeRegistrationLevels(MakeSizes(512, 0.5), true, 1e12);
  ASSERT_EQ(levels.size(), 4U);
  const unsigned int blocks[4] = { 16, 8, 4, 1 };
  for (unsigned int i = 0; i < 4; ++i)
  {
    EXPECT_EQ(levels[i].imageBlocks, std::vector<unsigned int>(2, blocks[i]));
    EXPECT_EQ(levels[i].projector, i < 3 ? ProjectorEnum::Joseph : ProjectorEnum::CellGauss);
    EXPECT_EQ(levels[i].stride, 1U);
  }
  // Rays of a coarse pixel are 8 mm apart.
  EXPECT_EQ(levels[0].volumeBlock, (itk::Size<3>{ { 11, 11, 3 } }));
  EXPECT_EQ(levels[3].volumeBlock, (itk::Size<3>{ { 1, 1, 1 } }));
}

TEST(RegistrationLevels, SmallImagesRepeatNoLevel)
{
  const Levels levels = itk::MakeRegistrationLevels(MakeSizes(40, 2.0), false, 1e12);
  ASSERT_EQ(levels.size(), 1U);
  EXPECT_EQ(levels[0].imageBlocks.front(), 1U);
}

TEST(RegistrationLevels, FullResolutionKeepsWithinItsBudget)
{
  const itk::RegistrationSizes sizes = MakeSizes(1024, 0.3);
  const double                 cells = 256 + 256 + 100;
  const double                 rays = 1024.0 * 512.0 + 1024.0 * 1024.0;
  EXPECT_EQ(itk::MakeFullLevel(sizes, rays * cells).stride, 1U);
  EXPECT_EQ(itk::MakeFullLevel(sizes, rays * cells * 0.99).stride, 2U);
  EXPECT_EQ(itk::MakeFullLevel(sizes, rays * cells / 8.9).stride, 3U);
}

TEST(RegistrationLevels, PitchShrinksTowardsTheSource)
{
  const auto view = radiography::test::MakeCArmView(0, 0, 16, 2.2);
  EXPECT_NEAR(itk::ComputePitchAt(*view, radiography::test::MakePoint(0, 0, 0)), 2.2 * 700.0 / 1100.0, 1e-9);
  // The source is behind the patient: the detector's side is the negative y.
  EXPECT_NEAR(itk::ComputePitchAt(*view, radiography::test::MakePoint(0, -100, 0)), 2.2 * 800.0 / 1100.0, 1e-9);
  EXPECT_NEAR(itk::ComputePitchAt(*view, radiography::test::MakePoint(0, 900, 0)), 2.2, 1e-9);
  itk::Vector<double, 3> along(0.0);
  along[1] = 1.0;
  EXPECT_EQ(
    itk::ComputePitchAt(*radiography::test::MakeParallelView(along, 16, 1.5), radiography::test::MakePoint(3, 4, 5)),
    1.5);
}
