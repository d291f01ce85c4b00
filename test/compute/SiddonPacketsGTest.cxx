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
#include "JosephScenes.h"
#include "PacketRuns.h"
#include "RandomVolume.h"

#include "compute/ForwardProjection.h"
#include "compute/InstructionSet.h"
#include "compute/JosephPackets.h"
#include "compute/SiddonPackets.h"
#include "kernel/Siddon.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <thread>
#include <vector>

using namespace radiography;

namespace
{

using test::GetPacketSets;
using test::JosephScene;
using test::RanPackets;

compute::ComputeReport
Project(const JosephScene &               scene,
        const compute::ProjectionPolicy & policy,
        std::vector<float> &              depths,
        const compute::ParallelFor &      parallelFor = compute::SerialFor)
{
  return test::ProjectScene(scene, compute::Projector::Siddon, policy, depths, parallelFor);
}

/** What SiddonPackets.h promises, in terms of the largest attenuation. */
double
GetBound(const JosephScene & scene, const kernel::Ray & ray, int m, double depth)
{
  constexpr double       placeError = 3e-8;
  const kernel::Interval line = kernel::ClipLine(ray, scene.volume->view, 0.5);
  const double           inVolume = line.IsEmpty() ? 0.0 : (line.end - line.begin) * ray.worldLength;
  const double           slabLength = ray.worldLength / std::abs(ray.end[m] - ray.start[m]);
  double                 crossings = 0.0;
  for (int axis = 0; axis < 3; ++axis)
  {
    const double slope = std::abs((ray.end[axis] - ray.start[axis]) / (ray.end[m] - ray.start[m]));
    if (axis != m && slope >= 1.0 / 32768.0)
    {
      crossings += placeError / slope;
    }
  }
  return 1e-7 * depth + scene.largest * (1e-7 * (inVolume + slabLength) + crossings * slabLength);
}

/** Largest error, in parts of the bound, against the scalar reference in binary64. */
double
CompareWithReference(const JosephScene & scene, const std::vector<float> & depths)
{
  const int m = compute::SelectMainAxis(scene.view);
  double    worst = 0.0;
  for (std::int64_t row = 0; row < scene.view.rows; ++row)
  {
    for (std::int64_t column = 0; column < scene.view.columns; ++column)
    {
      const kernel::Ray ray = kernel::MakeRay(scene.view, static_cast<double>(column), static_cast<double>(row));
      const double      expected = kernel::IntegrateSiddon(scene.volume->view, ray);
      const double      got = depths[static_cast<size_t>(column + row * scene.view.columns)];
      worst = std::max(worst, std::abs(got - expected) / GetBound(scene, ray, m, expected));
      EXPECT_GE(got, 0.0);
    }
  }
  return worst;
}

/** A cube of random voxels and a parallel beam along `axis` whose rays lie `step` voxels apart, the first at `first`.
 */
JosephScene
MakeGridScene(int axis, double first, double step, std::int64_t pixels, double tilt, std::int64_t sizeZ = 10)
{
  JosephScene  scene(1);
  test::Random random(7);
  auto         volume = std::make_unique<test::OwnedVolume>(9, 11, sizeZ);
  random.Fill(*volume);
  scene.SetVolume(std::move(volume));
  kernel::ViewRays view{};
  view.columns = pixels;
  view.rows = pixels;
  const int across[2] = { axis == 0 ? 1 : 0, axis == 2 ? 1 : 2 };
  view.start.origin[axis] = -20.0;
  view.end.origin[axis] = 40.0;
  view.span.origin[axis] = 60.0;
  for (int i = 0; i < 2; ++i)
  {
    double * const starts[2] = { view.start.column, view.start.row };
    double * const ends[2] = { view.end.column, view.end.row };
    view.start.origin[across[i]] = first;
    view.end.origin[across[i]] = first + tilt;
    view.span.origin[across[i]] = tilt;
    starts[i][across[i]] = step;
    ends[i][across[i]] = step;
  }
  scene.view = view;
  scene.pitch = step;
  return scene;
}

void
RunInThreads(std::int64_t count, const compute::ItemBody & body)
{
  std::vector<std::thread> workers;
  for (std::int64_t worker = 0; worker < 3; ++worker)
  {
    workers.emplace_back([&body, worker, count]() {
      for (std::int64_t item = worker; item < count; item += 3)
      {
        body(item);
      }
    });
  }
  for (std::thread & worker : workers)
  {
    worker.join();
  }
}

} // namespace

TEST(SiddonPackets, EachInstructionSetAgreesWithTheReferenceForRandomViews)
{
  ASSERT_FALSE(GetPacketSets().empty()) << "no packets on this machine: nothing is tested";
  for (const auto & set : GetPacketSets())
  {
    const compute::ForcedInstructionSet forced(set);
    double                              worst = 0.0;
    int                                 mainAxes[3] = { 0, 0, 0 };
    for (unsigned int seed = 1; seed <= 200; ++seed)
    {
      const JosephScene  scene(seed);
      std::vector<float> depths;
      const auto         report = Project(scene, {}, depths);
      ASSERT_TRUE(RanPackets(report)) << report.kernel;
      EXPECT_NE(report.kernel.find(set.name), std::string::npos) << report.kernel;
      ++mainAxes[compute::SelectMainAxis(scene.view)];
      const double error = CompareWithReference(scene, depths);
      EXPECT_LE(error, 1.0) << set.name << ", seed " << seed << ", " << scene << ", " << report.kernel;
      worst = std::max(worst, error);
    }
    RecordProperty("worst_in_bounds_" + set.name, std::to_string(worst));
    for (const int count : mainAxes)
    {
      EXPECT_GT(count, 10) << "all three main axes";
    }
  }
}

TEST(SiddonPackets, EachPacketShapeAndBlockAgreesWithTheReference)
{
  for (const std::int64_t width : { 1, 2, 4, 8, 16 })
  {
    for (unsigned int seed = 201; seed <= 225; ++seed)
    {
      const JosephScene         scene(seed);
      compute::ProjectionPolicy policy;
      policy.packetWidth = width;
      policy.slabBlock = std::int64_t{ 1 } << (seed % 7);
      std::vector<float> depths;
      ASSERT_TRUE(RanPackets(Project(scene, policy, depths)));
      EXPECT_LE(CompareWithReference(scene, depths), 1.0)
        << "width " << width << ", blocks of " << policy.slabBlock << ", seed " << seed << ", " << scene;
    }
  }
}

TEST(SiddonPackets, PacketsOfManyRowsAgreeWithTheReference)
{
  // 16 rays one above the other, over 27 to 36 rows: up to and beyond what fixed point can tell.
  std::int64_t alone = 0;
  std::int64_t together = 0;
  for (double step = 1.8; step < 2.3; step += 0.01)
  {
    const JosephScene         scene = MakeGridScene(0, -0.4, step, 16, 0.7, 40);
    compute::ProjectionPolicy policy;
    policy.packetWidth = 1;
    std::vector<float> depths;
    const auto         report = Project(scene, policy, depths);
    ASSERT_TRUE(RanPackets(report));
    (report.notUsed.count("simd for every ray") > 0 ? alone : together) += 1;
    EXPECT_LE(CompareWithReference(scene, depths), 1.0) << "step " << step << ", " << report.kernel;
  }
  EXPECT_GT(together, 0);
  if (compute::GetJosephPacketLanes() == 16)
  {
    EXPECT_GT(alone, 0);
  }
}

TEST(SiddonPackets, VoxelsOfZeroAndMoreGiveDepthsOfZeroAndMore)
{
  for (unsigned int seed = 301; seed <= 340; ++seed)
  {
    JosephScene scene(seed);
    test::MakeSparse(scene, seed);
    test::ExpectDepthsOfZeroAndMore(scene, compute::Projector::Siddon, {}, seed);
  }
}

TEST(SiddonPackets, RaysWithinFacesAndEdgesFollowTheRuleOfTheReference)
{
  // Every second ray lies within a face of voxels, exactly or nearer than packets can tell, from outside the volume to
  // its far side.
  for (const auto & set : GetPacketSets())
  {
    const compute::ForcedInstructionSet forced(set);
    for (int axis = 0; axis < 3; ++axis)
    {
      for (const double shift : { 0.0, 1e-9, -1e-9, 1e-13 })
      {
        for (const double tilt : { 0.0, 1e-12, -1e-8 })
        {
          const JosephScene  scene = MakeGridScene(axis, -1.5 + shift, 0.5, 27, tilt);
          std::vector<float> depths;
          const auto         report = Project(scene, {}, depths);
          ASSERT_TRUE(RanPackets(report));
          EXPECT_NE(report.notUsed.at("simd for every ray").find(" rays went one by one"), std::string::npos);
          const double error = CompareWithReference(scene, depths);
          EXPECT_LE(error, 1.0) << set.name << ", axis " << axis << ", shift " << shift << ", tilt " << tilt;
        }
      }
    }
  }
}

TEST(SiddonPackets, FacesCrossedSlowlyAgreeWithTheReference)
{
  // Slopes from the smallest that packets take: where on its way a ray crosses a face is known the worst.
  for (const auto & set : GetPacketSets())
  {
    const compute::ForcedInstructionSet forced(set);
    double                              worst = 0.0;
    for (int axis = 0; axis < 3; ++axis)
    {
      for (const double tilt : { 0.002, -0.002, 0.01, -0.03, 0.3 })
      {
        const JosephScene  scene = MakeGridScene(axis, -1.5 - 0.5 * tilt, 0.4375, 27, tilt);
        std::vector<float> depths;
        ASSERT_TRUE(RanPackets(Project(scene, {}, depths)));
        const double error = CompareWithReference(scene, depths);
        EXPECT_LE(error, 1.0) << set.name << ", axis " << axis << ", tilt " << tilt;
        worst = std::max(worst, error);
      }
    }
    RecordProperty("worst_in_bounds_" + set.name, std::to_string(worst));
  }
}

TEST(SiddonPackets, DiagonalsThroughEdgesAgreeWithTheReference)
{
  // Slopes of exactly 1 and 2, through edges and corners of voxels: crossings of two axes coincide.
  for (const auto & set : GetPacketSets())
  {
    const compute::ForcedInstructionSet forced(set);
    for (int axis = 0; axis < 3; ++axis)
    {
      for (const double tilt : { 60.0, -60.0, 30.0, 59.9999999, 60.0000001 })
      {
        const JosephScene  scene = MakeGridScene(axis, -20.5, 0.5, 80, tilt);
        std::vector<float> depths;
        ASSERT_TRUE(RanPackets(Project(scene, {}, depths)));
        EXPECT_LE(CompareWithReference(scene, depths), 1.0) << set.name << ", axis " << axis << ", tilt " << tilt;
      }
    }
  }
}

TEST(SiddonPackets, SteepRaysAgreeWithTheReference)
{
  // A fan from just before the volume, of slopes up to 4.5 against the main axis.
  JosephScene        scene = MakeGridScene(0, 4.6, 0.0, 1, 0.0, 40);
  kernel::ViewRays & view = scene.view;
  constexpr double   step = 2.36;
  view.rows = 161;
  view.start.origin[0] = -2.0;
  view.start.origin[2] = 20.0;
  view.end.origin[1] = 4.9;
  view.end.origin[2] = 20.0 - 80.0 * step;
  view.end.row[2] = step;
  view.span.row[2] = step;
  for (int a = 0; a < 3; ++a)
  {
    view.span.origin[a] = view.end.origin[a] - view.start.origin[a];
  }
  for (const auto & set : GetPacketSets())
  {
    const compute::ForcedInstructionSet forced(set);
    std::vector<float>                  depths;
    const auto                          report = Project(scene, {}, depths);
    ASSERT_TRUE(RanPackets(report));
    EXPECT_EQ(report.notUsed.count("simd for every ray"), 1U) << "the steepest go alone";
    EXPECT_LE(CompareWithReference(scene, depths), 1.0) << set.name;
  }
}

TEST(SiddonPackets, RaysThatEndInsideOrBeforeTheVolumeGoWhereTheyBelong)
{
  int withBoth = 0;
  for (unsigned int seed = 401; seed <= 470; ++seed)
  {
    JosephScene scene(seed);
    // The detector moves to the volume's middle, or a bit before or behind it.
    const double shorten = scene.middle * (0.8 + 0.006 * static_cast<double>(seed - 401));
    for (int a = 0; a < 3; ++a)
    {
      auto & view = scene.view;
      view.end.origin[a] = view.start.origin[a] + shorten * (view.end.origin[a] - view.start.origin[a]);
      view.end.column[a] = view.start.column[a] + shorten * (view.end.column[a] - view.start.column[a]);
      view.end.row[a] = view.start.row[a] + shorten * (view.end.row[a] - view.start.row[a]);
      for (double * const span : { &view.span.origin[a], &view.span.column[a], &view.span.row[a] })
      {
        *span *= shorten;
      }
    }
    std::vector<float>        depths;
    std::vector<float>        expected;
    compute::ProjectionPolicy policy;
    const auto                report = Project(scene, policy, depths);
    policy.simd = 0;
    const auto reference = Project(scene, policy, expected);
    ASSERT_TRUE(RanPackets(report));
    EXPECT_EQ(report.raysWithEndInside, reference.raysWithEndInside) << "seed " << seed << ", " << scene;
    EXPECT_LE(CompareWithReference(scene, depths), 1.0) << "seed " << seed << ", " << scene;
    const auto all = static_cast<std::int64_t>(depths.size());
    withBoth += report.raysWithEndInside > 0 && report.raysWithEndInside < all ? 1 : 0;
  }
  EXPECT_GT(withBoth, 3) << "some packets are mixed";
}

TEST(SiddonPackets, SameBitsForAnyTileThreadAndRegion)
{
  for (unsigned int seed = 501; seed <= 520; ++seed)
  {
    const JosephScene         scene(seed);
    compute::ProjectionPolicy policy;
    std::vector<float>        whole;
    const auto                report = Project(scene, policy, whole);
    ASSERT_TRUE(RanPackets(report));
    policy.tileColumns = 5;
    policy.tileRows = 3;
    std::vector<float> other;
    EXPECT_EQ(Project(scene, policy, other, RunInThreads).notUsed, report.notUsed);
    EXPECT_EQ(other, whole) << "seed " << seed << ", " << scene;

    test::ExpectBitsOfTheWholeInAPart(scene, compute::Projector::Siddon, policy, whole, seed);
  }
}

TEST(SiddonPackets, SwitchedOffTheScalarReferenceRunsAndTheReportSaysWhy)
{
  const JosephScene         scene(4);
  compute::ProjectionPolicy policy;
  std::vector<float>        depths;
  policy.simd = 0;
  const auto byPolicy = Project(scene, policy, depths);
  EXPECT_EQ(byPolicy.kernel, "siddon, scalar binary64");
  EXPECT_EQ(byPolicy.notUsed.at("simd"), "switched off: the policy says simd=0");
  for (size_t i = 0; i < depths.size(); ++i)
  {
    const auto        column = static_cast<double>(i % static_cast<size_t>(scene.view.columns));
    const auto        row = static_cast<double>(i / static_cast<size_t>(scene.view.columns));
    const kernel::Ray ray = kernel::MakeRay(scene.view, column, row);
    EXPECT_EQ(depths[i], static_cast<float>(kernel::IntegrateSiddon(scene.volume->view, ray)));
  }
  policy.simd = 1;
  setenv("RADIOGRAPHY_DISABLE_SIMD", "1", 1);
  std::vector<float> disabled;
  const auto         byEnvironment = Project(scene, policy, disabled);
  unsetenv("RADIOGRAPHY_DISABLE_SIMD");
  EXPECT_EQ(byEnvironment.notUsed.at("simd"), "switched off: RADIOGRAPHY_DISABLE_SIMD=1");
  EXPECT_EQ(disabled, depths);
}
