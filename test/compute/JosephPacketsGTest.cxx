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

#include "compute/InstructionSet.h"
#include "compute/JosephPacketLayout.h"
#include "compute/JosephPackets.h"
#include "compute/TransposedVolume.h"
#include "kernel/CellGauss.h"
#include "kernel/Joseph.h"

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
  return test::ProjectScene(scene, compute::Projector::Joseph, policy, depths, parallelFor);
}

compute::ProjectionPolicy
MakePolicy()
{
  compute::ProjectionPolicy policy;
  policy.josephSlopeLimit = 4.0;
  return policy;
}

/** What JosephPackets.h promises. */
double
GetBound(double depth, double largestDepth, double spread)
{
  return 1e-7 * depth + (2e-7 + 5e-8 * spread) * largestDepth;
}

double
IntegrateByReference(const JosephScene & scene, const kernel::Ray & ray, int m)
{
  switch (kernel::Classify(kernel::ClipLine(ray, scene.volume->view, 1.0)))
  {
    case kernel::RayCase::Misses:
      return 0.0;
    case kernel::RayCase::EndsInside:
      return kernel::IntegrateCellGauss(scene.volume->view, ray);
    default:
      return kernel::IntegrateJoseph(scene.volume->view, ray, m);
  }
}

/** Largest error, in parts of the bound, against the scalar reference in binary64. */
double
CompareWithReference(const JosephScene & scene, const std::vector<float> & depths)
{
  const int    m = compute::SelectMainAxis(scene.view);
  const double spread = scene.GetSpread(m);
  double       worst = 0.0;
  for (std::int64_t row = 0; row < scene.view.rows; ++row)
  {
    for (std::int64_t column = 0; column < scene.view.columns; ++column)
    {
      const kernel::Ray ray = kernel::MakeRay(scene.view, static_cast<double>(column), static_cast<double>(row));
      const double      expected = IntegrateByReference(scene, ray, m);
      const double      got = depths[static_cast<size_t>(column + row * scene.view.columns)];
      worst = std::max(worst, std::abs(got - expected) / GetBound(expected, scene.GetLargestDepth(ray, m), spread));
      EXPECT_GE(got, 0.0);
    }
  }
  return worst;
}

} // namespace

TEST(JosephPackets, EachInstructionSetAgreesWithTheReferenceForRandomViews)
{
  ASSERT_FALSE(GetPacketSets().empty()) << "no packets on this machine: nothing is tested";
  for (const auto & set : GetPacketSets())
  {
    const compute::ForcedInstructionSet forced(set);
    double                              worst = 0.0;
    int                                 mainAxes[3] = { 0, 0, 0 };
    for (unsigned int seed = 1; seed <= 150; ++seed)
    {
      const JosephScene  scene(seed);
      std::vector<float> depths;
      const auto         report = Project(scene, MakePolicy(), depths);
      if (report.projector != "joseph")
      {
        continue;
      }
      ASSERT_TRUE(RanPackets(report)) << report.kernel;
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

TEST(JosephPackets, EachPacketShapeAgreesWithTheReference)
{
  for (const std::int64_t width : { 1, 2, 4, 8, 16 })
  {
    for (unsigned int seed = 201; seed <= 225; ++seed)
    {
      const JosephScene         scene(seed);
      compute::ProjectionPolicy policy = MakePolicy();
      policy.packetWidth = width;
      std::vector<float> depths;
      if (RanPackets(Project(scene, policy, depths)))
      {
        EXPECT_LE(CompareWithReference(scene, depths), 1.0) << "width " << width << ", seed " << seed << ", " << scene;
      }
    }
  }
}

TEST(JosephPackets, VoxelsOfZeroAndMoreGiveDepthsOfZeroAndMore)
{
  for (unsigned int seed = 301; seed <= 340; ++seed)
  {
    JosephScene scene(seed);
    test::MakeSparse(scene, seed);
    test::ExpectDepthsOfZeroAndMore(scene, compute::Projector::Joseph, MakePolicy(), seed);
  }
}

TEST(JosephPackets, AUniformBlockHasItsMassUpToItsTents)
{
  // Parallel to z through a block of ones: each ray is the product of two tents' sums, times the slabs.
  for (const std::int64_t size : { 1, 2, 15, 16, 17, 40 })
  {
    const test::OwnedVolume block(size, size, 5, 1.0F);
    kernel::ViewRays        view{};
    constexpr double        step = 0.25;
    view.columns = 4 * (size + 3);
    view.rows = view.columns;
    view.start = { { -1.9, -1.9, -10.0 }, { step, 0, 0 }, { 0, step, 0 } };
    view.end = { { -1.9, -1.9, 20.0 }, { step, 0, 0 }, { 0, step, 0 } };
    view.span = { { 0, 0, 30.0 }, {}, {} };
    std::vector<float> depths(static_cast<size_t>(view.columns * view.rows));
    const auto         report = compute::ForwardProject(block.view,
                                                view,
                                                compute::Projector::Joseph,
                                                {},
                                                compute::SerialFor,
                                                { depths.data(), 0, 0, view.columns, view.rows });
    ASSERT_TRUE(RanPackets(report));
    const auto cover = [&](std::int64_t pixel) {
      const double x = -1.9 + step * static_cast<double>(pixel);
      return std::min(std::max(0.0, std::min(x + 1.0, static_cast<double>(size) - x)), 1.0);
    };
    for (std::int64_t row = 0; row < view.rows; ++row)
    {
      for (std::int64_t column = 0; column < view.columns; ++column)
      {
        EXPECT_NEAR(depths[static_cast<size_t>(column + row * view.columns)], 5.0 * cover(column) * cover(row), 1e-5)
          << size << ": " << column << ", " << row;
      }
    }
  }
}

TEST(JosephPackets, RaysThatEndInsideOrBeforeTheVolumeGoWhereTheyBelong)
{
  int withBoth = 0;
  for (unsigned int seed = 401; seed <= 440; ++seed)
  {
    JosephScene scene(seed);
    // The detector moves to the volume's middle, or a bit before or behind it.
    scene.MoveDetectorTo(scene.middle * (0.8 + 0.01 * static_cast<double>(seed - 401)));
    std::vector<float>        depths;
    std::vector<float>        expected;
    compute::ProjectionPolicy policy = MakePolicy();
    const auto                report = Project(scene, policy, depths);
    policy.simd = 0;
    const auto reference = Project(scene, policy, expected);
    EXPECT_EQ(report.raysWithEndInside, reference.raysWithEndInside) << "seed " << seed << ", " << scene;
    if (RanPackets(report))
    {
      EXPECT_LE(CompareWithReference(scene, depths), 1.0) << "seed " << seed << ", " << scene;
      const auto all = static_cast<std::int64_t>(depths.size());
      withBoth += report.raysWithEndInside > 0 && report.raysWithEndInside < all ? 1 : 0;
    }
  }
  EXPECT_GT(withBoth, 3) << "some packets are mixed";
}

TEST(JosephPackets, SameBitsForAnyTileThreadAndRegion)
{
  const auto threads = [](std::int64_t count, const compute::ItemBody & body) {
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
  };
  for (unsigned int seed = 501; seed <= 520; ++seed)
  {
    const JosephScene         scene(seed);
    compute::ProjectionPolicy policy = MakePolicy();
    std::vector<float>        whole;
    if (!RanPackets(Project(scene, policy, whole)))
    {
      continue;
    }
    policy.tileColumns = 5;
    policy.tileRows = 3;
    std::vector<float> other;
    Project(scene, policy, other, threads);
    EXPECT_EQ(other, whole) << "seed " << seed << ", " << scene;

    test::ExpectBitsOfTheWholeInAPart(scene, compute::Projector::Joseph, policy, whole, seed);
  }
}

TEST(JosephPackets, TilesOfALayoutHoldEachPixelOnce)
{
  for (unsigned int seed = 601; seed <= 640; ++seed)
  {
    const JosephScene scene(seed);
    const int         m = compute::SelectMainAxis(scene.view);
    const auto        layout =
      compute::MakeJosephPacketLayout(scene.volume->view, scene.view, m, m == 0 ? 1 : 0, 16, MakePolicy());
    EXPECT_LE(std::abs(layout.slant), 1.0);
    EXPECT_EQ(layout.width * layout.GetHeight(), 16);
    const auto tiles = compute::MakeJosephPacketTiles(layout, 0, 0, scene.view.columns, scene.view.rows, MakePolicy());
    std::vector<int> hits(static_cast<size_t>(scene.view.columns * scene.view.rows), 0);
    for (std::int64_t item = 0; item < tiles.GetCount(); ++item)
    {
      const auto tile = tiles.GetTile(item);
      EXPECT_GE(tile.rowBegin, 0);
      for (std::int64_t across = tile.rowBegin; across < tile.rowEnd; ++across)
      {
        for (std::int64_t along = tile.columnBegin; along < tile.columnEnd; ++along)
        {
          const auto pixel = layout.GetPixel(along, across);
          if (pixel.column >= 0 && pixel.column < scene.view.columns && pixel.row >= 0 && pixel.row < scene.view.rows)
          {
            ++hits[static_cast<size_t>(pixel.column + pixel.row * scene.view.columns)];
          }
        }
      }
    }
    for (const int hit : hits)
    {
      ASSERT_EQ(hit, 1) << "seed " << seed << ", " << scene;
    }
  }
}

TEST(JosephPackets, LinesOfRaysFollowTheContiguousAxisAtAnyRoll)
{
  // A parallel beam along z, rolled: neighbours in a line keep their y within a pixel, and go along x.
  const auto volume = kernel::MakeVolumeGrid(64, 64, 64);
  for (const double roll : { 0.0, 15.0, 45.0, 80.0, 90.0, 135.0, 200.0 })
  {
    const double     c = std::cos(roll * 3.14159265358979 / 180.0);
    const double     s = std::sin(roll * 3.14159265358979 / 180.0);
    kernel::ViewRays view{};
    view.columns = 64;
    view.rows = 64;
    view.start = { { 32, 32, -100 }, { c, s, 0 }, { -s, c, 0 } };
    view.end = { { 32, 32, 200 }, { c, s, 0 }, { -s, c, 0 } };
    view.span = { { 0, 0, 300 }, {}, {} };
    const auto layout = compute::MakeJosephPacketLayout(volume, view, 2, 0, 16, {});
    EXPECT_EQ(layout.width, 8) << roll;
    const auto first = layout.GetPixel(8, 80);
    for (std::int64_t i = 1; i < layout.width; ++i)
    {
      const auto   next = layout.GetPixel(8 + i, 80);
      const double columns = static_cast<double>(next.column - first.column);
      const double rows = static_cast<double>(next.row - first.row);
      EXPECT_LT(std::abs(columns * s + rows * c), 1.0) << roll << ", ray " << i;
      EXPECT_GT(std::abs(columns * c - rows * s), 0.9 * static_cast<double>(i)) << roll << ", ray " << i;
    }
  }
}

TEST(JosephPackets, SwitchedOffTheScalarReferenceRunsAndTheReportSaysWhy)
{
  const JosephScene         scene(4);
  compute::ProjectionPolicy policy = MakePolicy();
  std::vector<float>        packets;
  const auto                report = Project(scene, policy, packets);
  EXPECT_TRUE(RanPackets(report));
  EXPECT_NE(report.kernel.find(compute::GetInstructionSet().name), std::string::npos) << report.kernel;
  EXPECT_EQ(report.notUsed.count("simd"), 0U);

  policy.simd = 0;
  std::vector<float> reference;
  const auto         byPolicy = Project(scene, policy, reference);
  EXPECT_EQ(byPolicy.kernel, "joseph, scalar binary64");
  EXPECT_EQ(byPolicy.notUsed.at("simd"), "switched off: the policy says simd=0");
  policy.simd = 1;
  setenv("RADIOGRAPHY_DISABLE_SIMD", "1", 1);
  std::vector<float> disabled;
  const auto         byEnvironment = Project(scene, policy, disabled);
  unsetenv("RADIOGRAPHY_DISABLE_SIMD");
  EXPECT_EQ(byEnvironment.notUsed.at("simd"), "switched off: RADIOGRAPHY_DISABLE_SIMD=1");
  EXPECT_EQ(disabled, reference);
  for (size_t i = 0; i < reference.size(); ++i)
  {
    const auto        column = static_cast<double>(i % static_cast<size_t>(scene.view.columns));
    const auto        row = static_cast<double>(i / static_cast<size_t>(scene.view.columns));
    const kernel::Ray ray = kernel::MakeRay(scene.view, column, row);
    EXPECT_EQ(reference[i], static_cast<float>(IntegrateByReference(scene, ray, compute::SelectMainAxis(scene.view))));
  }
}

TEST(JosephPackets, AlongTheContiguousAxisATransposedCopyIsNeeded)
{
  const test::OwnedVolume block(9, 8, 7, 1.0F);
  kernel::ViewRays        view{};
  view.columns = 3;
  view.rows = 3;
  view.start = { { -10, 3, 3 }, { 0, 1, 0 }, { 0, 0, 1 } };
  view.end = { { 30, 3, 3 }, { 0, 1, 0 }, { 0, 0, 1 } };
  view.span = { { 40, 0, 0 }, {}, {} };
  std::vector<float> depths(9);
  const auto         project = [&](const compute::VolumeLayouts & layouts) {
    return compute::ForwardProject(
      layouts, view, compute::Projector::Joseph, {}, compute::SerialFor, { depths.data(), 0, 0, 3, 3 });
  };
  EXPECT_TRUE(compute::WantsTransposedVolume(block.view, view, compute::Projector::Joseph, {}));
  EXPECT_TRUE(compute::WantsTransposedVolume(block.view, view, compute::Projector::Siddon, {}));
  compute::ProjectionPolicy without;
  without.transposedCopy = 0;
  EXPECT_FALSE(compute::WantsTransposedVolume(block.view, view, compute::Projector::Joseph, without));

  const auto scalar = project(block.view);
  EXPECT_EQ(scalar.kernel, "joseph, scalar binary64");
  EXPECT_NE(scalar.notUsed.at("simd").find("no transposed copy"), std::string::npos);
  EXPECT_EQ(depths, std::vector<float>(9, 9.0F));

  std::vector<float> copy(block.values.size());
  compute::TransposeVolume(block.view, compute::SerialFor, copy.data());
  const auto packets = project({ block.view, compute::MakeTransposedView(block.view, copy.data()) });
  EXPECT_TRUE(RanPackets(packets)) << packets.kernel;
  EXPECT_EQ(depths, std::vector<float>(9, 9.0F));
}

TEST(JosephPackets, ATransposedVolumeHoldsEachVoxel)
{
  test::OwnedVolume volume(37, 70, 3);
  test::Random      random(1);
  random.Fill(volume);
  std::vector<float> values(volume.values.size());
  compute::TransposeVolume(volume.view, compute::SerialFor, values.data());
  const kernel::VolumeView transposed = compute::MakeTransposedView(volume.view, values.data());
  for (std::int64_t z = 0; z < 3; ++z)
  {
    for (std::int64_t y = 0; y < 70; ++y)
    {
      for (std::int64_t x = 0; x < 37; ++x)
      {
        ASSERT_EQ(kernel::PaddedValue(transposed, { x, y, z }), volume.At(x, y, z)) << x << ", " << y << ", " << z;
      }
    }
  }
}
