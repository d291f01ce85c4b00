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
#include "RandomVolume.h"
#include "kernel/CellGauss.h"
#include "kernel/Joseph.h"
#include "kernel/Siddon.h"

#include <gtest/gtest.h>

using namespace radiography;

namespace
{

constexpr std::int64_t N = 8;

struct Case
{
  kernel::Ray ray;
  int         axis;
};

/** Rays along each axis from both sides, off the middle so that no symmetry helps. */
std::vector<Case>
AxisRays(double a, double b)
{
  std::vector<Case> cases;
  for (int axis = 0; axis < 3; ++axis)
  {
    kernel::Ray ray = test::MakeTestRay(a, a, a, a, a, a);
    ray.start[(axis + 1) % 3] = ray.end[(axis + 1) % 3] = b;
    ray.start[axis] = -20.0;
    ray.end[axis] = 30.0;
    ray.worldLength = 50.0;
    cases.push_back({ ray, axis });
    cases.push_back({ test::Reversed(ray), axis });
  }
  return cases;
}

} // namespace

TEST(UniformBlock, EightVoxelsAreEightLongFromBothSides)
{
  const test::OwnedVolume block(N, N, N, 1.0F);
  for (const double a : { 0.0, 3.0, 3.3, 7.0 })
  {
    for (const Case & item : AxisRays(a, 2.7))
    {
      EXPECT_NEAR(kernel::IntegrateJoseph(block.view, item.ray, item.axis), 8.0, 1e-12) << item.ray;
      EXPECT_NEAR(kernel::IntegrateCellGauss(block.view, item.ray), 8.0, 1e-12) << item.ray;
      EXPECT_NEAR(kernel::IntegrateSiddon(block.view, item.ray), 8.0, 1e-12) << item.ray;
    }
  }
}

TEST(UniformBlock, FallsLinearlyToZeroOneVoxelOutside)
{
  const test::OwnedVolume block(N, N, N, 1.0F);
  for (const Case & item : AxisRays(7.25, 3.0))
  {
    // Two axes may be off at once: along the axis whose neighbour is 3 only one is.
    const double expected = 8.0 * 0.75;
    EXPECT_NEAR(kernel::IntegrateJoseph(block.view, item.ray, item.axis), expected, 1e-12) << item.ray;
    EXPECT_NEAR(kernel::IntegrateCellGauss(block.view, item.ray), expected, 1e-12) << item.ray;
  }
}

TEST(UniformBlock, OneVoxel)
{
  const test::OwnedVolume voxel(1, 1, 1, 2.0F);
  const auto              ray = test::MakeTestRay(-5, 0, 0, 5, 0, 0);
  EXPECT_NEAR(kernel::IntegrateJoseph(voxel.view, ray, 0), 2.0, 1e-14);
  EXPECT_NEAR(kernel::IntegrateCellGauss(voxel.view, ray), 2.0, 1e-14);
  EXPECT_NEAR(kernel::IntegrateSiddon(voxel.view, ray), 2.0, 1e-14);
}

TEST(UniformBlock, DiagonalThroughCorners)
{
  const test::OwnedVolume block(N, N, N, 1.0F);
  const auto              ray = test::MakeTestRay(-10.5, -10.5, -10.5, 17.5, 17.5, 17.5);
  // Boxes: the diagonal of the cube. Tents: the integral of w(x)^3 over the line, 7 + 2 int_0^1 u^3 du.
  EXPECT_NEAR(kernel::IntegrateSiddon(block.view, ray), 8.0 * std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(kernel::IntegrateCellGauss(block.view, ray), 7.5 * std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(kernel::IntegrateJoseph(block.view, ray, 2), 8.0 * std::sqrt(3.0), 1e-12);
}

TEST(UniformBlock, RaysThatMissAreZero)
{
  const test::OwnedVolume block(N, N, N, 1.0F);
  const kernel::Ray       rays[] = { test::MakeTestRay(-5, 9, 3, 15, 9, 3),   test::MakeTestRay(-5, 8, 3, 15, 8, 3),
                                     test::MakeTestRay(-5, -1, 3, 15, -1, 3), test::MakeTestRay(-5, -20, 3, 15, -10, 3),
                                     test::MakeTestRay(-30, 3, 3, -5, 3, 3),  test::MakeTestRay(20, 3, 3, 30, 3, 3) };
  for (const kernel::Ray & ray : rays)
  {
    EXPECT_EQ(kernel::IntegrateCellGauss(block.view, ray), 0.0) << ray;
    EXPECT_EQ(kernel::IntegrateSiddon(block.view, ray), 0.0) << ray;
  }
  for (int i = 0; i < 4; ++i)
  {
    EXPECT_EQ(kernel::IntegrateJoseph(block.view, rays[i], 0), 0.0) << rays[i];
  }
  EXPECT_EQ(kernel::Classify(kernel::ClipLine(rays[4], block.view, 1.0)), kernel::RayCase::Misses);
  EXPECT_EQ(kernel::Classify(kernel::ClipLine(rays[5], block.view, 1.0)), kernel::RayCase::Misses);
}

TEST(UniformBlock, FromInsideOnlyWhatLiesAhead)
{
  const test::OwnedVolume block(N, N, N, 1.0F);
  const auto              ray = test::MakeTestRay(3.5, 3.0, 3.0, 20.0, 3.0, 3.0);
  EXPECT_EQ(kernel::Classify(kernel::ClipLine(ray, block.view, 1.0)), kernel::RayCase::EndsInside);
  EXPECT_NEAR(kernel::IntegrateCellGauss(block.view, ray), 4.0, 1e-13);
  EXPECT_NEAR(kernel::IntegrateSiddon(block.view, ray), 4.0, 1e-13);
  EXPECT_NEAR(kernel::IntegrateCellGauss(block.view, test::Reversed(ray)), 4.0, 1e-13);
  const auto within = test::MakeTestRay(2.0, 3.0, 3.0, 4.5, 3.0, 3.0);
  EXPECT_NEAR(kernel::IntegrateCellGauss(block.view, within), 2.5, 1e-13);
}

TEST(UniformBlock, RaysInFacesEdgesAndPlanesOfTheGrid)
{
  const test::OwnedVolume block(N, N, N, 1.0F);
  // In a plane of voxel faces: both sides hold the same value.
  EXPECT_NEAR(kernel::IntegrateSiddon(block.view, test::MakeTestRay(-5, 2.5, 3.5, 20, 2.5, 3.5)), 8.0, 1e-12);
  // In the outermost faces: the lower one belongs to the block, the upper one is outside.
  EXPECT_NEAR(kernel::IntegrateSiddon(block.view, test::MakeTestRay(-5, -0.5, 3, 20, -0.5, 3)), 8.0, 1e-12);
  EXPECT_EQ(kernel::IntegrateSiddon(block.view, test::MakeTestRay(-5, 7.5, 3, 20, 7.5, 3)), 0.0);
  // Diagonal within a plane of centres, through grid edges only.
  const auto diagonal = test::MakeTestRay(-5, -5, 4, 12, 12, 4);
  EXPECT_NEAR(kernel::IntegrateCellGauss(block.view, diagonal), (7.0 + 2.0 / 3.0) * std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(kernel::IntegrateSiddon(block.view, diagonal), 8.0 * std::sqrt(2.0), 1e-12);
}
