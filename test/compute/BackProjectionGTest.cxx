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
#include "RandomVolume.h"
#include "compute/BackProjection.h"
#include "compute/ForwardProjection.h"
#include "compute/ViewPlan.h"
#include "kernel/CellGauss.h"
#include "kernel/Joseph.h"
#include "kernel/Siddon.h"

#include <gtest/gtest.h>

#include <string>

using namespace radiography;

namespace
{

/** A view in index space and the grid that it looks at, at random: oblique, mirrored, cone or parallel, near or far, so
 * that rays miss, cross, graze and start inside. The world is index space times `scale`. */
struct Scene
{
  kernel::VolumeView grid;
  kernel::ViewRays   view;
};

Scene
RandomScene(test::Random & random)
{
  Scene scene{};
  scene.grid = kernel::MakeVolumeGrid(random.Integer(1, 6), random.Integer(1, 7), random.Integer(1, 5));
  scene.view.columns = random.Integer(1, 7);
  scene.view.rows = random.Integer(1, 6);
  const bool   parallel = random.Integer(0, 2) == 0;
  const bool   onGrid = random.Integer(0, 2) == 0; // through centres, edges and corners, along planes
  const double scale = random.Uniform(0.5, 2.0);
  const auto   draw = [&](double low, double high) {
    const double value = random.Uniform(low, high);
    return onGrid ? 0.5 * std::round(2.0 * value) : value;
  };
  const kernel::Ray ray = random.RayAcross(scene.grid);
  const double      cut = random.Integer(0, 3) == 0 ? random.Uniform(0.3, 0.7) : 1.0;
  for (int axis = 0; axis < 3; ++axis)
  {
    const double end = ray.start[axis] + cut * (ray.end[axis] - ray.start[axis]);
    scene.view.start.origin[axis] = onGrid ? std::round(ray.start[axis]) : ray.start[axis];
    scene.view.end.origin[axis] = onGrid ? std::round(end) : end;
    scene.view.end.column[axis] = draw(-1.5, 1.5);
    scene.view.end.row[axis] = draw(-1.5, 1.5);
    if (parallel)
    {
      scene.view.start.column[axis] = scene.view.end.column[axis];
      scene.view.start.row[axis] = scene.view.end.row[axis];
    }
  }
  for (int axis = 0; axis < 3; ++axis)
  {
    auto &       span = scene.view.span;
    const auto & start = scene.view.start;
    const auto & stop = scene.view.end;
    span.origin[axis] = scale * (stop.origin[axis] - start.origin[axis]);
    span.column[axis] = scale * (stop.column[axis] - start.column[axis]);
    span.row[axis] = scale * (stop.row[axis] - start.row[axis]);
  }
  return scene;
}

std::int64_t
CountVoxels(const kernel::VolumeView & grid)
{
  return grid.size[0] * grid.size[1] * grid.size[2];
}

std::vector<float>
Forward(const Scene &                     scene,
        compute::Projector                projector,
        const std::vector<float> &        voxels,
        const compute::ProjectionPolicy & policy = {})
{
  kernel::VolumeView volume = scene.grid;
  volume.values = voxels.data();
  std::vector<float> depths(static_cast<size_t>(scene.view.columns * scene.view.rows));
  compute::ForwardProject(volume,
                          scene.view,
                          projector,
                          policy,
                          compute::SerialFor,
                          { depths.data(), 0, 0, scene.view.columns, scene.view.rows });
  return depths;
}

/** The same by the scalar bodies in binary64, whatever accelerated path ForwardProject takes. */
std::vector<double>
ForwardByBodies(const Scene & scene, compute::Projector projector, const std::vector<float> & voxels)
{
  kernel::VolumeView volume = scene.grid;
  volume.values = voxels.data();
  const compute::ViewPlan plan = compute::MakeViewPlan(scene.view, projector, {});
  std::vector<double>     depths;
  for (std::int64_t row = 0; row < scene.view.rows; ++row)
  {
    for (std::int64_t column = 0; column < scene.view.columns; ++column)
    {
      const kernel::Ray ray = kernel::MakeRay(scene.view, double(column), double(row));
      switch (compute::ChooseRayKernel(volume, ray, plan).kernel)
      {
        case compute::RayKernel::None:
          depths.push_back(0.0);
          break;
        case compute::RayKernel::Joseph:
          depths.push_back(kernel::IntegrateJoseph(volume, ray, plan.mainAxis));
          break;
        case compute::RayKernel::CellGauss:
          depths.push_back(kernel::IntegrateCellGauss(volume, ray));
          break;
        case compute::RayKernel::Siddon:
          depths.push_back(kernel::IntegrateSiddon(volume, ray));
          break;
      }
    }
  }
  return depths;
}

std::vector<float>
Back(const Scene &                     scene,
     compute::Projector                projector,
     const std::vector<float> &        pixels,
     compute::WeightPower              power = compute::WeightPower::One,
     const compute::ProjectionPolicy & policy = {},
     const compute::ParallelFor &      parallelFor = compute::SerialFor)
{
  std::vector<float> voxels(static_cast<size_t>(CountVoxels(scene.grid)), -1.0F);
  const auto         result = compute::BackProject(scene.grid,
                                           scene.view,
                                           projector,
                                           policy,
                                           parallelFor,
                                           pixels.data(),
                                           power,
                                           { voxels.data(), kernel::WholeVolume(scene.grid) });
  EXPECT_FALSE(result.outOfRange.has_value());
  return voxels;
}

std::vector<float>
RandomValues(test::Random & random, std::int64_t count)
{
  std::vector<float> values(static_cast<size_t>(count));
  for (float & value : values)
  {
    value = static_cast<float>(random.Uniform(0.1, 1.0));
  }
  return values;
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

compute::ProjectionPolicy
MakeScalarPolicy()
{
  compute::ProjectionPolicy policy;
  policy.simd = 0;
  return policy;
}

/** The length of each pixel's ray in a slab, mm. */
std::vector<double>
FindSlabLengths(const Scene & scene)
{
  const int           mainAxis = compute::MakeViewPlan(scene.view, compute::Projector::Joseph, {}).mainAxis;
  std::vector<double> lengths;
  for (std::int64_t row = 0; row < scene.view.rows; ++row)
  {
    for (std::int64_t column = 0; column < scene.view.columns; ++column)
    {
      const kernel::Ray ray = kernel::MakeRay(scene.view, double(column), double(row));
      lengths.push_back(kernel::SlabLine(ray, mainAxis).slabLength);
    }
  }
  return lengths;
}

template <typename TCheck>
void
ForRandomScenes(unsigned int seed, int trials, TCheck && check)
{
  test::Random random(seed);
  for (int trial = 0; trial < trials; ++trial)
  {
    const Scene scene = RandomScene(random);
    for (const auto projector :
         { compute::Projector::Joseph, compute::Projector::CellGauss, compute::Projector::Siddon })
    {
      SCOPED_TRACE(testing::Message() << "seed " << seed << " trial " << trial << ' ' << compute::ToString(projector)
                                      << " size " << scene.grid.size[0] << " x " << scene.grid.size[1] << " x "
                                      << scene.grid.size[2] << " pixels " << scene.view.columns << " x "
                                      << scene.view.rows << " first " << kernel::MakeRay(scene.view, 0.0, 0.0));
      check(scene, projector, random);
    }
  }
}

} // namespace

TEST(BackProjection, IsTheTransposeOfTheForwardProjection)
{
  // <A x, y> = <x, A^T y> with uniform positive inputs, in binary64. Scalar bodies round both sides to binary32 once;
  // packets err in each weight, and in these tiny scenes some rays graze a few voxels only.
  int nonZero = 0;
  ForRandomScenes(1, 150, [&](const Scene & scene, compute::Projector projector, test::Random & random) {
    const auto   x = RandomValues(random, CountVoxels(scene.grid));
    const auto   y = RandomValues(random, scene.view.columns * scene.view.rows);
    const double forward = Dot(Forward(scene, projector, x, MakeScalarPolicy()), y);
    const auto   scalar = Back(scene, projector, y, compute::WeightPower::One, MakeScalarPolicy());
    EXPECT_NEAR(Dot(x, scalar), forward, 2e-7 * forward);
    EXPECT_NEAR(Dot(x, Back(scene, projector, y)), Dot(Forward(scene, projector, x), y), 3e-6 * forward);
    nonZero += forward > 0.0 ? 1 : 0;
  });
  EXPECT_GT(nonZero, 300);
}

TEST(BackProjection, EveryColumnIsThatOfTheForwardMatrix)
{
  ForRandomScenes(2, 25, [](const Scene & scene, compute::Projector projector, test::Random &) {
    const std::int64_t              voxels = CountVoxels(scene.grid);
    const std::int64_t              pixels = scene.view.columns * scene.view.rows;
    const auto                      lengths = FindSlabLengths(scene);
    std::vector<std::vector<float>> rows;
    std::vector<std::vector<float>> packetRows;
    for (std::int64_t pixel = 0; pixel < pixels; ++pixel)
    {
      std::vector<float> unit(static_cast<size_t>(pixels), 0.0F);
      unit[static_cast<size_t>(pixel)] = 1.0F;
      rows.push_back(Back(scene, projector, unit, compute::WeightPower::One, MakeScalarPolicy()));
      packetRows.push_back(Back(scene, projector, unit));
    }
    for (std::int64_t voxel = 0; voxel < voxels; ++voxel)
    {
      std::vector<float> unit(static_cast<size_t>(voxels), 0.0F);
      unit[static_cast<size_t>(voxel)] = 1.0F;
      const auto column = ForwardByBodies(scene, projector, unit);
      for (size_t pixel = 0; pixel < column.size(); ++pixel)
      {
        const double weight = column[pixel];
        ASSERT_NEAR(rows[pixel][static_cast<size_t>(voxel)], weight, 1e-7 * weight + 1e-14)
          << "voxel " << voxel << " pixel " << pixel;
        ASSERT_NEAR(
          packetRows[pixel][static_cast<size_t>(voxel)], weight, 1e-7 * weight + 1e-14 + 2e-6 * lengths[pixel])
          << "packets, voxel " << voxel << " pixel " << pixel;
      }
    }
  });
}

TEST(BackProjection, PowerTwoSquaresWholeWeights)
{
  // By brute force from the forward matrix: a voxel's parts from several cells are added up before they are squared.
  ForRandomScenes(3, 25, [](const Scene & scene, compute::Projector projector, test::Random & random) {
    const auto y = RandomValues(random, scene.view.columns * scene.view.rows);
    const auto voxels = static_cast<size_t>(CountVoxels(scene.grid));
    const auto found = Back(scene, projector, y, compute::WeightPower::Two, MakeScalarPolicy());
    const auto foundByPackets = Back(scene, projector, y, compute::WeightPower::Two);
    const auto lengths = FindSlabLengths(scene);
    for (size_t voxel = 0; voxel < voxels; ++voxel)
    {
      std::vector<float> unit(voxels, 0.0F);
      unit[voxel] = 1.0F;
      const auto column = ForwardByBodies(scene, projector, unit);
      double     sum = 0.0;
      double     error = 0.0;
      for (size_t pixel = 0; pixel < column.size(); ++pixel)
      {
        sum += column[pixel] * column[pixel] * static_cast<double>(y[pixel]);
        // A weight that is off by e changes its square by 2 e x weight + e^2.
        const double off = 2e-6 * lengths[pixel];
        error += off * (2.0 * column[pixel] + off) * static_cast<double>(y[pixel]);
      }
      ASSERT_NEAR(found[voxel], sum, 1e-7 * sum + 1e-25) << "voxel " << voxel;
      ASSERT_NEAR(foundByPackets[voxel], sum, 3e-7 * sum + error + 1e-25) << "packets, voxel " << voxel;
    }
  });
}

TEST(BackProjection, SameBitsForAnyThreadsSlicesAndRegions)
{
  ForRandomScenes(4, 25, [](const Scene & scene, compute::Projector projector, test::Random & random) {
    const auto y = RandomValues(random, scene.view.columns * scene.view.rows);
    for (const auto power : { compute::WeightPower::One, compute::WeightPower::Two })
    {
      compute::ProjectionPolicy policy;
      policy.backProjectionSlices = 1000;
      const auto whole = Back(scene, projector, y, power, policy);
      policy.backProjectionSlices = random.Integer(1, 3);
      for (const int threads : { 1, 2, 7 })
      {
        EXPECT_EQ(Back(scene, projector, y, power, policy, testthreads::Backward(threads)), whole);
      }
      kernel::IndexBox box{};
      std::int64_t     count = 1;
      for (int axis = 0; axis < 3; ++axis)
      {
        box.begin[axis] = random.Integer(0, scene.grid.size[axis] - 1);
        box.end[axis] = random.Integer(box.begin[axis] + 1, scene.grid.size[axis]);
        count *= box.end[axis] - box.begin[axis];
      }
      std::vector<float> part(static_cast<size_t>(count), -1.0F);
      compute::BackProject(
        scene.grid, scene.view, projector, policy, compute::SerialFor, y.data(), power, { part.data(), box });
      size_t i = 0;
      for (std::int64_t z = box.begin[2]; z < box.end[2]; ++z)
      {
        for (std::int64_t row = box.begin[1]; row < box.end[1]; ++row)
        {
          for (std::int64_t x = box.begin[0]; x < box.end[0]; ++x)
          {
            const std::int64_t offset = x + scene.grid.size[0] * (row + scene.grid.size[1] * z);
            ASSERT_EQ(part[i++], whole[static_cast<size_t>(offset)]) << x << ' ' << row << ' ' << z;
          }
        }
      }
    }
  });
}

TEST(BackProjection, ReportsTheSameChoicesAsTheForwardProjection)
{
  int withEndInside = 0;
  int josephs = 0;
  ForRandomScenes(5, 60, [&](const Scene & scene, compute::Projector projector, test::Random & random) {
    const auto         x = RandomValues(random, CountVoxels(scene.grid));
    const auto         y = RandomValues(random, scene.view.columns * scene.view.rows);
    kernel::VolumeView volume = scene.grid;
    volume.values = x.data();
    std::vector<float> depths(y.size());
    std::vector<float> voxels(x.size());
    const auto         forward = compute::ForwardProject(volume,
                                                 scene.view,
                                                 projector,
                                                 {},
                                                 compute::SerialFor,
                                                 { depths.data(), 0, 0, scene.view.columns, scene.view.rows });
    const auto         back = compute::BackProject(scene.grid,
                                           scene.view,
                                           projector,
                                           {},
                                           compute::SerialFor,
                                           y.data(),
                                           compute::WeightPower::One,
                                           { voxels.data(), kernel::WholeVolume(scene.grid) });
    EXPECT_EQ(back.report.projector, forward.projector);
    withEndInside += back.report.raysWithEndInside > 0 ? 1 : 0;
    josephs += back.report.projector == "joseph" ? 1 : 0;
    EXPECT_EQ(back.report.raysWithEndInside, forward.raysWithEndInside);
    EXPECT_EQ(back.report.notUsed.count("joseph"), forward.notUsed.count("joseph"));
    EXPECT_NE(back.report.kernel.find("transposed, weights to the power 1"), std::string::npos);
  });
  EXPECT_GT(withEndInside, 10) << "the scenes are worth nothing";
  EXPECT_GT(josephs, 10) << "the scenes are worth nothing";
}

TEST(BackProjection, NamesTheFirstVoxelThatBinary32CannotHold)
{
  test::Random random(6);
  Scene        scene = RandomScene(random);
  scene.grid = kernel::MakeVolumeGrid(3, 3, 40);
  scene.view.columns = 1;
  scene.view.rows = 1;
  scene.view.start = { { 1, 1, -100 }, {}, {} };
  scene.view.end = { { 1, 1, 100 }, {}, {} };
  scene.view.span = { { 0, 0, 400 }, {}, {} };
  const float        huge = 3e38F;
  std::vector<float> voxels(3 * 3 * 40);
  const auto         result = compute::BackProject(scene.grid,
                                           scene.view,
                                           compute::Projector::Joseph,
                                           {},
                                           compute::SerialFor,
                                           &huge,
                                           compute::WeightPower::One,
                                           { voxels.data(), kernel::WholeVolume(scene.grid) });
  ASSERT_TRUE(result.outOfRange.has_value());
  EXPECT_EQ(result.outOfRange->index[0], 1);
  EXPECT_EQ(result.outOfRange->index[1], 1);
  EXPECT_EQ(result.outOfRange->index[2], 0);
  EXPECT_NEAR(result.outOfRange->value / 6e38, 1.0, 1e-6);
}
