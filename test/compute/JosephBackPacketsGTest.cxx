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
#include "BackwardThreads.h"
#include "JosephScenes.h"
#include "RandomVolume.h"
#include "compute/BackProjection.h"
#include "compute/ForwardProjection.h"
#include "compute/InstructionSet.h"
#include "compute/TransposedVolume.h"
#include "compute/ViewPlan.h"
#include "kernel/Joseph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

using namespace radiography;

namespace
{

using compute::WeightPower;
using test::JosephScene;

constexpr WeightPower Powers[] = { WeightPower::One, WeightPower::Two };

compute::ProjectionPolicy
MakePolicy()
{
  compute::ProjectionPolicy policy;
  policy.josephSlopeLimit = 4.0;
  return policy;
}

std::vector<float>
MakePixels(test::Random & random, const kernel::ViewRays & view)
{
  std::vector<float> pixels(static_cast<size_t>(view.columns * view.rows));
  for (float & pixel : pixels)
  {
    pixel = static_cast<float>(random.Uniform(0.1, 1.0));
  }
  return pixels;
}

compute::BackProjectionResult
Back(const kernel::VolumeView &        grid,
     const kernel::ViewRays &          view,
     const compute::ProjectionPolicy & policy,
     const std::vector<float> &        pixels,
     WeightPower                       power,
     std::vector<float> &              voxels,
     const compute::ParallelFor &      parallelFor = compute::SerialFor)
{
  voxels.assign(static_cast<size_t>(grid.size[0] * grid.size[1] * grid.size[2]), -1.0F);
  return compute::BackProject(grid,
                              view,
                              compute::Projector::Joseph,
                              policy,
                              parallelFor,
                              pixels.data(),
                              power,
                              { voxels.data(), kernel::WholeVolume(grid) },
                              parallelFor);
}

bool
RanPackets(const compute::ComputeReport & report)
{
  return report.kernel.find("packets") != std::string::npos;
}

/** Instruction sets with packets on this machine. */
std::vector<compute::InstructionSet>
GetPacketSets()
{
  std::vector<compute::InstructionSet> sets;
  for (const auto & set : compute::GetInstructionSets())
  {
    const compute::ForcedInstructionSet forced(set);
    const auto                          grid = kernel::MakeVolumeGrid(3, 3, 3);
    const kernel::ViewRays view{ { { 1, 1, -9 }, {}, {} }, { { 1, 1, 9 }, {}, {} }, { { 0, 0, 18 }, {}, {} }, 1, 1 };
    std::vector<float>     voxels;
    if (RanPackets(Back(grid, view, {}, { 1.0F }, WeightPower::One, voxels).report))
    {
      sets.push_back(set);
    }
  }
  return sets;
}

/** For every voxel, what errors of weights and roundings are to be compared with. */
struct Reach
{
  /** Over the rays that reach the voxel, |pixel| x slab length to the power. */
  std::vector<double> sum;
  /** How many these are. */
  std::vector<int> rays;
  /** The largest such product of any ray. */
  double largest{ 0.0 };
};

Reach
FindReach(const JosephScene &        scene,
          const std::vector<float> & pixels,
          WeightPower                power,
          const compute::ViewPlan &  plan)
{
  const kernel::VolumeView & grid = scene.volume->view;
  const size_t               voxels = scene.volume->values.size();
  Reach                      reach{ std::vector<double>(voxels, 0.0), std::vector<int>(voxels, 0) };
  for (size_t pixel = 0; pixel < pixels.size(); ++pixel)
  {
    const auto        column = static_cast<double>(static_cast<std::int64_t>(pixel) % scene.view.columns);
    const auto        row = static_cast<double>(static_cast<std::int64_t>(pixel) / scene.view.columns);
    const kernel::Ray ray = kernel::MakeRay(scene.view, column, row);
    if (compute::ChooseRayKernel(grid, ray, plan).kernel != compute::RayKernel::Joseph)
    {
      continue;
    }
    const double length = kernel::SlabLine(ray, plan.mainAxis).slabLength;
    const double value = std::abs(pixels[pixel]) * (power == WeightPower::One ? length : length * length);
    const auto   add = [&](const std::int64_t(&voxel)[3], double) {
      const auto i = static_cast<size_t>(voxel[0] + grid.size[0] * (voxel[1] + grid.size[1] * voxel[2]));
      reach.sum[i] += value;
      reach.rays[i] += 1;
    };
    kernel::VisitJosephWeights(ray, plan.mainAxis, kernel::WholeVolume(grid), add);
    reach.largest = std::max(reach.largest, value);
  }
  return reach;
}

/** What JosephBackPackets.h promises: of a weight, in parts of the ray's length in a slab. */
double
GetWeightBound(double spread, WeightPower power)
{
  return (power == WeightPower::One ? 1.0 : 2.0) * (5e-7 + 1e-7 * spread);
}

struct Comparison
{
  compute::ComputeReport report;
  /** Largest error, in parts of the bound, against the scalar reference. */
  double worst{ 0.0 };
};

Comparison
Compare(const JosephScene &               scene,
        const std::vector<float> &        pixels,
        WeightPower                       power,
        const compute::ProjectionPolicy & policy)
{
  const kernel::VolumeView & grid = scene.volume->view;
  std::vector<float>         voxels;
  std::vector<float>         expected;
  compute::ProjectionPolicy  scalar = policy;
  scalar.simd = 0;
  Comparison result;
  result.report = Back(grid, scene.view, policy, pixels, power, voxels).report;
  const auto reference = Back(grid, scene.view, scalar, pixels, power, expected).report;
  EXPECT_EQ(result.report.raysWithEndInside, reference.raysWithEndInside);
  EXPECT_FALSE(RanPackets(reference));

  const auto   plan = compute::MakeViewPlan(scene.view, compute::Projector::Joseph, policy);
  const Reach  reach = FindReach(scene, pixels, power, plan);
  const double weight = GetWeightBound(scene.GetSpread(plan.mainAxis), power);
  for (size_t i = 0; i < voxels.size(); ++i)
  {
    // Pixels are positive: a sum of n rays is rounded n times.
    const double rounding = (reach.rays[i] + 3) * 6e-8 * static_cast<double>(expected[i]);
    const double bound = weight * (reach.sum[i] + 0.5 * reach.largest) + rounding;
    const double error = std::abs(static_cast<double>(voxels[i]) - static_cast<double>(expected[i]));
    result.worst = std::max(result.worst, error > 0.0 ? error / bound : 0.0);
    EXPECT_GE(voxels[i], 0.0F);
  }
  return result;
}

/** Moves the detector towards the source, to a part of the rays. */
void
Shorten(double part, kernel::ViewRays & view)
{
  for (int a = 0; a < 3; ++a)
  {
    view.end.origin[a] = view.start.origin[a] + part * (view.end.origin[a] - view.start.origin[a]);
    view.end.column[a] = view.start.column[a] + part * (view.end.column[a] - view.start.column[a]);
    view.end.row[a] = view.start.row[a] + part * (view.end.row[a] - view.start.row[a]);
    for (double * const span : { &view.span.origin[a], &view.span.column[a], &view.span.row[a] })
    {
      *span *= part;
    }
  }
}

double
Dot(const std::vector<float> & a, const std::vector<float> & b)
{
  double sum = 0.0;
  for (size_t i = 0; i < a.size(); ++i)
  {
    sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  }
  return sum;
}

/** A cone along an axis, rolled about its middle ray, that covers all of a volume but for its corners. */
kernel::ViewRays
MakeRolledView(const kernel::VolumeView & grid, int axis, double rollDegrees, std::int64_t columns, std::int64_t rows)
{
  const int        u = axis == 0 ? 1 : 0;
  const int        v = axis == 2 ? 1 : 2;
  const double     roll = rollDegrees * 3.14159265358979323846 / 180.0;
  const double     reach = 3.0 * static_cast<double>(std::max({ grid.size[0], grid.size[1], grid.size[2] }));
  kernel::ViewRays view{};
  view.columns = columns;
  view.rows = rows;
  for (int a = 0; a < 3; ++a)
  {
    const double middle = 0.5 * static_cast<double>(grid.size[a] - 1);
    const double column = 1.4 * (a == u ? std::cos(roll) : a == v ? std::sin(roll) : 0.0);
    const double row = 1.4 * (a == u ? -std::sin(roll) : a == v ? std::cos(roll) : 0.0);
    const double corner = -0.5 * (static_cast<double>(columns - 1) * column + static_cast<double>(rows - 1) * row);
    view.start.origin[a] = middle - (a == axis ? reach : 0.0);
    view.end.origin[a] = middle + (a == axis ? 0.5 * reach : 0.0) + corner;
    view.end.column[a] = column;
    view.end.row[a] = row;
    view.span.origin[a] = view.end.origin[a] - view.start.origin[a];
    view.span.column[a] = column;
    view.span.row[a] = row;
  }
  return view;
}

} // namespace

TEST(JosephBackPackets, EachInstructionSetAgreesWithTheReferenceForRandomViews)
{
  ASSERT_FALSE(GetPacketSets().empty()) << "no packets on this machine: nothing is tested";
  for (const auto & set : GetPacketSets())
  {
    const compute::ForcedInstructionSet forced(set);
    double                              worst = 0.0;
    int                                 mainAxes[3] = { 0, 0, 0 };
    for (unsigned int seed = 1; seed <= 120; ++seed)
    {
      const JosephScene scene(seed);
      test::Random      random(seed);
      const auto        pixels = MakePixels(random, scene.view);
      const auto        found = Compare(scene, pixels, Powers[seed % 2], MakePolicy());
      if (found.report.projector != "joseph")
      {
        continue;
      }
      ASSERT_TRUE(RanPackets(found.report)) << found.report.kernel;
      ++mainAxes[compute::SelectMainAxis(scene.view)];
      EXPECT_LE(found.worst, 1.0) << set.name << ", seed " << seed << ", " << scene << ", " << found.report.kernel;
      worst = std::max(worst, found.worst);
    }
    RecordProperty("worst_in_bounds_" + set.name, std::to_string(worst));
    for (const int count : mainAxes)
    {
      EXPECT_GT(count, 10) << "all three main axes";
    }
  }
}

TEST(JosephBackPackets, BlocksAndStripsOfAnySizeAgreeWithTheReference)
{
  for (const std::int64_t slabs : { 1, 4, 64 })
  {
    for (unsigned int seed = 201; seed <= 225; ++seed)
    {
      const JosephScene         scene(seed);
      test::Random              random(seed);
      compute::ProjectionPolicy policy = MakePolicy();
      policy.backProjectionSlabs = slabs;
      policy.backProjectionStrip = random.Integer(1, 40);
      policy.backProjectionRows = random.Integer(1, 9);
      policy.streamingStoreBytes = 1;
      const auto found = Compare(scene, MakePixels(random, scene.view), Powers[seed % 2], policy);
      EXPECT_LE(found.worst, 1.0) << slabs << " slabs, seed " << seed << ", " << scene;
    }
  }
}

TEST(JosephBackPackets, IsTheTransposeOfThePacketsThatProjectForward)
{
  // <A x, y> = <x, A^T y>, uniform positive inputs, along each axis and at any roll.
  test::Random            random(1);
  const test::OwnedVolume volume(43, 37, 40);
  std::vector<float>      transposed(volume.values.size());
  std::vector<float>      x(volume.values.size());
  for (float & value : x)
  {
    value = static_cast<float>(random.Uniform(0.1, 1.0));
  }
  kernel::VolumeView view = volume.view;
  view.values = x.data();
  compute::TransposeVolume(view, compute::SerialFor, transposed.data());
  const compute::VolumeLayouts layouts(view, compute::MakeTransposedView(view, transposed.data()));
  for (const auto & set : GetPacketSets())
  {
    const compute::ForcedInstructionSet forced(set);
    for (int axis = 0; axis < 3; ++axis)
    {
      for (const double roll : { 0.0, 15.0, 45.0, 80.0, 100.0, 190.0, 305.0 })
      {
        const auto         rays = MakeRolledView(volume.view, axis, roll, 51, 47);
        const auto         y = MakePixels(random, rays);
        std::vector<float> depths(y.size());
        const auto         forward = compute::ForwardProject(layouts,
                                                     rays,
                                                     compute::Projector::Joseph,
                                                     {},
                                                     compute::SerialFor,
                                                     { depths.data(), 0, 0, rays.columns, rays.rows });
        std::vector<float> voxels;
        const auto         back = Back(volume.view, rays, {}, y, WeightPower::One, voxels).report;
        EXPECT_TRUE(RanPackets(forward)) << forward.kernel;
        EXPECT_TRUE(RanPackets(back)) << back.kernel;
        const double expected = Dot(depths, y);
        EXPECT_GT(expected, 0.0);
        EXPECT_NEAR(Dot(x, voxels), expected, 2e-7 * expected) << set.name << " axis " << axis << " roll " << roll;
      }
    }
  }
}

TEST(JosephBackPackets, RaysThatEndInsideOrBeforeTheVolumeGoWhereTheyBelong)
{
  int withBoth = 0;
  for (unsigned int seed = 401; seed <= 440; ++seed)
  {
    JosephScene scene(seed);
    // The detector moves to the volume's middle, or a bit before or behind it.
    Shorten(scene.middle * (0.8 + 0.01 * static_cast<double>(seed - 401)), scene.view);
    test::Random random(seed);
    const auto   found = Compare(scene, MakePixels(random, scene.view), Powers[seed % 2], MakePolicy());
    if (RanPackets(found.report))
    {
      EXPECT_LE(found.worst, 1.0) << "seed " << seed << ", " << scene;
      const std::int64_t all = scene.view.columns * scene.view.rows;
      withBoth += found.report.raysWithEndInside > 0 && found.report.raysWithEndInside < all ? 1 : 0;
    }
  }
  EXPECT_GT(withBoth, 3) << "some views are mixed";
}

TEST(JosephBackPackets, SameBitsForAnyThreadsBandsAndRegions)
{
  for (unsigned int seed = 501; seed <= 580; ++seed)
  {
    const JosephScene          scene(seed);
    const kernel::VolumeView & grid = scene.volume->view;
    test::Random               random(seed);
    const auto                 pixels = MakePixels(random, scene.view);
    compute::ProjectionPolicy  policy = MakePolicy();
    policy.backProjectionSlabs = random.Integer(0, 1) == 0 ? 4 : 32;
    std::vector<float> whole;
    if (!RanPackets(Back(grid, scene.view, policy, pixels, Powers[seed % 2], whole).report))
    {
      continue;
    }
    policy.backProjectionRows = random.Integer(1, 7);
    policy.streamingStoreBytes = random.Integer(1, 100000);
    std::vector<float> other;
    Back(grid, scene.view, policy, pixels, Powers[seed % 2], other, testthreads::Backward(3));
    EXPECT_EQ(other, whole) << "seed " << seed << ", " << scene;

    kernel::IndexBox box{};
    std::int64_t     count = 1;
    for (int axis = 0; axis < 3; ++axis)
    {
      box.begin[axis] = random.Integer(0, grid.size[axis] - 1);
      box.end[axis] = random.Integer(box.begin[axis] + 1, grid.size[axis]);
      count *= box.end[axis] - box.begin[axis];
    }
    std::vector<float> part(static_cast<size_t>(count), -1.0F);
    compute::BackProject(grid,
                         scene.view,
                         compute::Projector::Joseph,
                         policy,
                         testthreads::Backward(2),
                         pixels.data(),
                         Powers[seed % 2],
                         { part.data(), box });
    size_t i = 0;
    for (std::int64_t z = box.begin[2]; z < box.end[2]; ++z)
    {
      for (std::int64_t y = box.begin[1]; y < box.end[1]; ++y)
      {
        for (std::int64_t x = box.begin[0]; x < box.end[0]; ++x)
        {
          ASSERT_EQ(part[i++], whole[static_cast<size_t>(x + grid.size[0] * (y + grid.size[1] * z))])
            << "seed " << seed << ", " << scene << ": " << x << ' ' << y << ' ' << z;
        }
      }
    }
  }
}

TEST(JosephBackPackets, PixelsThatBinary32SumsMightNotHoldGoRayByRay)
{
  const auto             grid = kernel::MakeVolumeGrid(3, 3, 40);
  const kernel::ViewRays view{ { { 1, 1, -100 }, {}, {} }, { { 1, 1, 100 }, {}, {} }, { { 0, 0, 200 }, {}, {} }, 1, 1 };
  std::vector<float>     voxels;
  const auto             result = Back(grid, view, {}, { 1e30F }, WeightPower::One, voxels);
  EXPECT_FALSE(RanPackets(result.report));
  EXPECT_NE(result.report.notUsed.at("simd").find("over 1e27"), std::string::npos) << result.report.notUsed.at("simd");
  EXPECT_EQ(voxels[4], 1e30F);
}

TEST(JosephBackPackets, ThinVolumesHaveWorkForSeveralThreads)
{
  const auto countItems = [](const kernel::VolumeView & grid, const compute::ProjectionPolicy & policy) {
    std::int64_t               most = 0;
    const compute::ParallelFor parallelFor = [&](std::int64_t count, const compute::ItemBody & body) {
      most = std::max(most, count);
      compute::SerialFor(count, body);
    };
    const auto         view = MakeRolledView(grid, 2, 10.0, 2, 2);
    std::vector<float> voxels(static_cast<size_t>(grid.size[0] * grid.size[1] * grid.size[2]));
    const float        pixels[4] = { 1, 1, 1, 1 };
    compute::BackProject(grid,
                         view,
                         compute::Projector::Joseph,
                         policy,
                         parallelFor,
                         pixels,
                         WeightPower::One,
                         { voxels.data(), kernel::WholeVolume(grid) });
    return most;
  };
  compute::ProjectionPolicy scalar;
  scalar.simd = 0;
  EXPECT_EQ(countItems(kernel::MakeVolumeGrid(5, 256, 5), {}), 8);
  EXPECT_EQ(countItems(kernel::MakeVolumeGrid(5, 256, 5), scalar), 8);
  EXPECT_EQ(countItems(kernel::MakeVolumeGrid(5, 40, 5), scalar), 3) << "boxes of 16 rows at least";
  EXPECT_EQ(countItems(kernel::MakeVolumeGrid(5, 5, 160), scalar), 10);
}
