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
#include "PacketRuns.h"
#include "RandomVolume.h"

#include "compute/ForwardProjection.h"
#include "compute/InstructionSet.h"
#include "compute/JosephPackets.h"
#include "compute/RayDerivatives.h"
#include "kernel/CellGauss.h"
#include "kernel/CellGaussSensitivity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

using namespace radiography;

namespace
{

using test::GetPacketSets;
using test::JosephScene;
using test::RanPackets;
using Sensitivities = std::vector<kernel::RaySensitivity>;

size_t
CountPixels(const JosephScene & scene)
{
  return static_cast<size_t>(scene.view.columns * scene.view.rows);
}

kernel::Ray
GetRay(const JosephScene & scene, size_t pixel)
{
  const auto columns = static_cast<size_t>(scene.view.columns);
  return kernel::MakeRay(scene.view, static_cast<double>(pixel % columns), static_cast<double>(pixel / columns));
}

compute::ComputeReport
Project(const JosephScene &               scene,
        const compute::ProjectionPolicy & policy,
        std::vector<float> &              depths,
        const compute::ParallelFor &      parallelFor = compute::SerialFor)
{
  return test::ProjectScene(scene, compute::Projector::CellGauss, policy, depths, parallelFor);
}

compute::ComputeReport
Differentiate(const JosephScene &               scene,
              const compute::ProjectionPolicy & policy,
              Sensitivities &                   result,
              const compute::ParallelFor &      parallelFor = compute::SerialFor)
{
  result.assign(CountPixels(scene), {});
  return compute::DifferentiateRays({ scene.volume->view, scene.GetTransposed() },
                                    scene.view,
                                    compute::MakeViewPlan(scene.view, compute::Projector::CellGauss, policy),
                                    policy,
                                    parallelFor,
                                    { result.data(), scene.view.columns, scene.view.rows, nullptr });
}

/** What CellGaussPackets.h promises for depths, beside 1e-7 of the depth, and for gradients along a lateral axis on
 * which a ray moves by `moved` voxels. */
double
GetBound(double largestDepth, double spread)
{
  return (2e-7 + 5e-8 * spread) * largestDepth;
}

double
GetGradientBound(double largestDepth, double spread, double moved)
{
  return GetBound(largestDepth, spread) * (4.0 + 4.0 / moved);
}

/** Errors in parts of the bounds, the largest of some rays. */
struct Errors
{
  double depth{ 0.0 };
  double gradient{ 0.0 };
};

void
CompareGradient(const JosephScene &            scene,
                const kernel::Ray &            ray,
                int                            m,
                double                         spread,
                const kernel::RaySensitivity & found,
                const kernel::RaySensitivity & expected,
                Errors &                       errors)
{
  const double largest = scene.GetLargestDepth(ray, m);
  const double stepM = ray.end[m] - ray.start[m];
  const auto   planes = static_cast<double>(scene.volume->view.size[m] + 1);
  double       boundM = (1e-7 * expected.depth + GetBound(largest, spread)) / std::abs(stepM);
  const auto   check = [&](int axis, double bound) {
    errors.gradient = std::max({ errors.gradient,
                                 std::abs(found.start[axis] - expected.start[axis]) / bound,
                                 std::abs(found.end[axis] - expected.end[axis]) / bound });
  };
  for (int axis = 0; axis < 3; ++axis)
  {
    if (axis != m)
    {
      const double slope = std::abs((ray.end[axis] - ray.start[axis]) / stepM);
      const double bound = GetGradientBound(largest, spread, slope * planes);
      check(axis, bound);
      boundM += slope * bound;
    }
  }
  check(m, boundM);
}

/** Of all rays, against the scalar reference in binary64. */
Errors
CompareWithReference(const JosephScene & scene, const Sensitivities & found)
{
  const int    m = compute::SelectMainAxis(scene.view);
  const double spread = scene.GetSpread(m);
  Errors       errors;
  for (size_t i = 0; i < found.size(); ++i)
  {
    const kernel::Ray            ray = GetRay(scene, i);
    const kernel::RaySensitivity expected = kernel::DifferentiateCellGauss(scene.volume->view, ray);
    const double                 largest = scene.GetLargestDepth(ray, m);
    errors.depth = std::max(
      errors.depth, std::abs(found[i].depth - expected.depth) / (1e-7 * expected.depth + GetBound(largest, spread)));
    CompareGradient(scene, ray, m, spread, found[i], expected, errors);
    EXPECT_GE(found[i].depth, 0.0);
  }
  return errors;
}

/** A parallel beam of `columns` x `rows` rays, `step` voxels apart, in direction (slopeX, slopeY, 1) through (x, y) in
 * plane z = 0. */
kernel::ViewRays
MakeParallelBeam(double x, double y, double slopeX, double slopeY, double step, std::int64_t columns, std::int64_t rows)
{
  constexpr double before = -20.0;
  constexpr double behind = 80.0;
  kernel::ViewRays view{};
  view.columns = columns;
  view.rows = rows;
  view.start = { { x + before * slopeX, y + before * slopeY, before }, { step, 0, 0 }, { 0, step, 0 } };
  view.end = { { x + behind * slopeX, y + behind * slopeY, behind }, { step, 0, 0 }, { 0, step, 0 } };
  view.span = { { (behind - before) * slopeX, (behind - before) * slopeY, behind - before }, {}, {} };
  return view;
}

} // namespace

TEST(CellGaussPackets, EachInstructionSetAgreesWithTheReferenceForRandomViews)
{
  ASSERT_FALSE(GetPacketSets().empty()) << "no packets on this machine: nothing is tested";
  for (const auto & set : GetPacketSets())
  {
    const compute::ForcedInstructionSet forced(set);
    Errors                              worst;
    int                                 mainAxes[3] = { 0, 0, 0 };
    int                                 steep = 0;
    for (unsigned int seed = 1; seed <= 150; ++seed)
    {
      const JosephScene scene(seed);
      Sensitivities     found;
      const auto        report = Differentiate(scene, {}, found);
      const int         m = compute::SelectMainAxis(scene.view);
      const double      slope = compute::FindSteepestSlope(scene.view, m);
      EXPECT_EQ(RanPackets(report), slope <= 3.9) << report.kernel;
      if (!RanPackets(report))
      {
        continue;
      }
      EXPECT_EQ(report.kernel.find("cell-gauss with gradients, " + set.name), 0U) << report.kernel;
      ++mainAxes[m];
      steep += slope > 1.0 ? 1 : 0;
      const Errors errors = CompareWithReference(scene, found);
      EXPECT_LE(errors.depth, 1.0) << set.name << ", seed " << seed << ", " << scene << ", " << report.kernel;
      EXPECT_LE(errors.gradient, 1.0) << set.name << ", seed " << seed << ", " << scene << ", " << report.kernel;
      worst = { std::max(worst.depth, errors.depth), std::max(worst.gradient, errors.gradient) };
    }
    RecordProperty("worst_depth_in_bounds_" + set.name, std::to_string(worst.depth));
    RecordProperty("worst_gradient_in_bounds_" + set.name, std::to_string(worst.gradient));
    EXPECT_GT(*std::min_element(mainAxes, mainAxes + 3), 10) << "all three main axes";
    EXPECT_GT(steep, 10) << "rays steeper than 1";
  }
}

TEST(CellGaussPackets, EachPacketShapeAgreesWithTheReference)
{
  for (const std::int64_t width : { 1, 2, 4, 8, 16 })
  {
    for (unsigned int seed = 201; seed <= 212; ++seed)
    {
      const JosephScene         scene(seed);
      compute::ProjectionPolicy policy;
      policy.packetWidth = width;
      Sensitivities found;
      if (RanPackets(Differentiate(scene, policy, found)))
      {
        const Errors errors = CompareWithReference(scene, found);
        EXPECT_LE(errors.depth, 1.0) << "width " << width << ", seed " << seed << ", " << scene;
        EXPECT_LE(errors.gradient, 1.0) << "width " << width << ", seed " << seed << ", " << scene;
      }
    }
  }
}

TEST(CellGaussPackets, EachRollAgreesWithTheReference)
{
  // A detector of 3 x 5 and one of 33 x 19 pixels, rolled, on an oblique beam of slopes up to 0.9.
  test::Random      random(3);
  test::OwnedVolume volume(41, 37, 23);
  random.Fill(volume);
  for (const double roll : { 0.0, 15.0, 45.0, 80.0, 90.0, 200.0 })
  {
    for (const std::int64_t columns : { 3, 33 })
    {
      const double     c = std::cos(roll * 3.14159265358979 / 180.0);
      const double     s = std::sin(roll * 3.14159265358979 / 180.0);
      kernel::ViewRays view{};
      view.columns = columns;
      view.rows = columns == 3 ? 5 : 19;
      view.start = { { 3.3, 5.1, -90.0 }, {}, {} };
      view.end = { { 31.7, 25.2, 60.0 }, { 1.7 * c, 1.7 * s, 0 }, { -1.7 * s, 1.7 * c, 0 } };
      view.span = { { 28.4, 20.1, 150.0 }, { 1.7 * c, 1.7 * s, 0 }, { -1.7 * s, 1.7 * c, 0 } };
      JosephScene scene(1);
      auto        copy = std::make_unique<test::OwnedVolume>(41, 37, 23);
      copy->values.assign(volume.values.begin(), volume.values.end());
      scene.SetVolume(std::move(copy));
      scene.view = view;
      Sensitivities found;
      ASSERT_TRUE(RanPackets(Differentiate(scene, {}, found)));
      const Errors errors = CompareWithReference(scene, found);
      EXPECT_LE(errors.depth, 1.0) << "roll " << roll << ", " << scene;
      EXPECT_LE(errors.gradient, 1.0) << "roll " << roll << ", " << scene;
    }
  }
}

TEST(CellGaussPackets, AUniformBlockHasItsLength)
{
  // Rays that enter and leave a block of ones by its first and last plane, at any slope: the tents at both ends are
  // worth half a slab each.
  const test::OwnedVolume block(90, 90, 13, 1.0F);
  test::Random            random(5);
  for (const auto & set : GetPacketSets())
  {
    const compute::ForcedInstructionSet forced(set);
    for (int trial = 0; trial < 20; ++trial)
    {
      const double       slopeX = random.Uniform(-1.9, 1.9);
      const double       slopeY = random.Uniform(-1.0, 1.0);
      const auto         view = MakeParallelBeam(30.0 + random.Uniform(0.0, 1.0), 35.2, slopeX, slopeY, 0.7, 17, 9);
      std::vector<float> depths(17 * 9);
      const auto         report = compute::ForwardProject(
        block.view, view, compute::Projector::CellGauss, {}, compute::SerialFor, { depths.data(), 0, 0, 17, 9 });
      if (compute::SelectMainAxis(view) != 2)
      {
        continue;
      }
      ASSERT_TRUE(RanPackets(report)) << report.kernel;
      const double expected = 13.0 * std::sqrt(1.0 + slopeX * slopeX + slopeY * slopeY);
      for (const float depth : depths)
      {
        ASSERT_NEAR(depth, expected, 1e-6 * expected) << set.name << ": slopes " << slopeX << ", " << slopeY;
      }
    }
  }
}

TEST(CellGaussPackets, VoxelsOfZeroAndMoreGiveDepthsOfZeroAndMore)
{
  for (unsigned int seed = 301; seed <= 330; ++seed)
  {
    JosephScene scene(seed);
    test::MakeSparse(scene, seed);
    test::ExpectDepthsOfZeroAndMore(scene, compute::Projector::CellGauss, {}, seed);
  }
}

TEST(CellGaussPackets, RaysThatEndInsideOrBeforeTheVolumeGoWhereTheyBelong)
{
  int withBoth = 0;
  for (unsigned int seed = 401; seed <= 430; ++seed)
  {
    JosephScene scene(seed);
    // The detector moves to the volume's middle, or a bit before or behind it.
    scene.MoveDetectorTo(scene.middle * (0.8 + 0.013 * static_cast<double>(seed - 401)));
    Sensitivities             found;
    Sensitivities             expected;
    compute::ProjectionPolicy policy;
    const auto                report = Differentiate(scene, policy, found);
    policy.simd = 0;
    const auto reference = Differentiate(scene, policy, expected);
    EXPECT_EQ(report.raysWithEndInside, reference.raysWithEndInside) << "seed " << seed << ", " << scene;
    if (!RanPackets(report))
    {
      continue;
    }
    const auto all = static_cast<std::int64_t>(found.size());
    withBoth += report.raysWithEndInside > 0 && report.raysWithEndInside < all ? 1 : 0;
    const int    m = compute::SelectMainAxis(scene.view);
    const double spread = scene.GetSpread(m);
    Errors       errors;
    for (size_t i = 0; i < found.size(); ++i)
    {
      const kernel::Ray ray = GetRay(scene, i);
      const double      bound = 1e-7 * expected[i].depth + GetBound(scene.GetLargestDepth(ray, m), spread);
      EXPECT_NEAR(found[i].depth, expected[i].depth, bound) << "seed " << seed << ", " << scene;
      CompareGradient(scene, ray, m, spread, found[i], expected[i], errors);
    }
    EXPECT_LE(errors.gradient, 1.0) << "seed " << seed << ", " << scene;
  }
  EXPECT_GT(withBoth, 3) << "some packets are mixed";
}

TEST(CellGaussPackets, SameBitsForAnyTileThreadAndRegion)
{
  int ran = 0;
  for (unsigned int seed = 501; seed <= 515; ++seed)
  {
    const JosephScene         scene(seed);
    compute::ProjectionPolicy policy;
    std::vector<float>        whole;
    if (!RanPackets(Project(scene, policy, whole)))
    {
      continue;
    }
    ++ran;
    policy.tileColumns = 5;
    policy.tileRows = 3;
    std::vector<float> other;
    Project(scene, policy, other, testthreads::Backward(3));
    EXPECT_EQ(other, whole) << "seed " << seed << ", " << scene;

    test::ExpectBitsOfTheWholeInAPart(scene, compute::Projector::CellGauss, policy, whole, seed);
  }
  EXPECT_GT(ran, 5);
}

TEST(CellGaussPackets, DepthIsOnceContinuouslyDifferentiableAlongAPath)
{
  // One ray goes sideways across lines of voxel centres. The gradients at both ends of a step give the depth's change
  // up to the second order, and change by as little as the step: Joseph's would jump by a whole sample's slope.
  test::Random      random(7);
  test::OwnedVolume volume(40, 40, 20);
  random.Fill(volume);
  constexpr int    steps = 3000;
  constexpr double step = 1.0 / 1024.0;
  JosephScene      scene(1);
  auto             copy = std::make_unique<test::OwnedVolume>(40, 40, 20);
  copy->values.assign(volume.values.begin(), volume.values.end());
  scene.SetVolume(std::move(copy));
  for (const double slope : { 0.13, 0.6 })
  {
    scene.view = MakeParallelBeam(12.3, 14.9, slope, -0.21, step, steps, 1);
    Sensitivities along;
    ASSERT_TRUE(RanPackets(Differentiate(scene, {}, along)));
    double largestChange = 0.0;
    for (size_t i = 1; i < along.size(); ++i)
    {
      const double before = along[i - 1].start[0] + along[i - 1].end[0];
      const double after = along[i].start[0] + along[i].end[0];
      EXPECT_NEAR(along[i].depth - along[i - 1].depth, 0.5 * step * (before + after), 3e-6) << i;
      largestChange = std::max(largestChange, std::abs(after - before));
    }
    EXPECT_LT(largestChange, 0.02) << "a sample's slope jumps by up to 0.2";
  }
}

TEST(CellGaussPackets, CentralDifferencesOfPacketsAreTheGradients)
{
  constexpr double step = 1.0 / 256.0;
  for (unsigned int seed = 601; seed <= 606; ++seed)
  {
    JosephScene   scene(seed);
    Sensitivities found;
    if (!RanPackets(Differentiate(scene, {}, found)))
    {
      continue;
    }
    for (int parameter = 0; parameter < 6; ++parameter)
    {
      double &     place = parameter < 3 ? scene.view.start.origin[parameter] : scene.view.end.origin[parameter - 3];
      const double kept = place;
      std::vector<float> up;
      std::vector<float> down;
      place = kept + step;
      Project(scene, {}, up);
      place = kept - step;
      Project(scene, {}, down);
      place = kept;
      for (size_t i = 0; i < found.size(); ++i)
      {
        const double difference = (static_cast<double>(up[i]) - static_cast<double>(down[i])) / (2.0 * step);
        const double gradient = parameter < 3 ? found[i].start[parameter] : found[i].end[parameter - 3];
        const double largest = scene.GetLargestDepth(GetRay(scene, i), compute::SelectMainAxis(scene.view));
        // Depths' rounding over the step, and the second derivative's jumps over it.
        EXPECT_NEAR(difference, gradient, 2e-2 * largest) << "seed " << seed << ", " << scene << ", " << parameter;
      }
    }
  }
}

TEST(CellGaussPackets, ARayInAPlaneOfVoxelCentresHasTheMeanOfBothSlopes)
{
  JosephScene scene(1);
  auto        volume = std::make_unique<test::OwnedVolume>(40, 40, 9);
  test::Random(9).Fill(*volume);
  scene.SetVolume(std::move(volume));
  scene.view = MakeParallelBeam(10.0, 11.0, 0.0, 0.0, 0.5, 18, 7);
  Sensitivities found;
  ASSERT_TRUE(RanPackets(Differentiate(scene, {}, found)));
  for (size_t i = 0; i < found.size(); ++i)
  {
    const auto expected = kernel::DifferentiateCellGauss(scene.volume->view, GetRay(scene, i));
    for (int axis = 0; axis < 3; ++axis)
    {
      EXPECT_NEAR(found[i].start[axis], expected.start[axis], 2e-6) << i;
      EXPECT_NEAR(found[i].end[axis], expected.end[axis], 2e-6) << i;
    }
  }
}

TEST(CellGaussPackets, SwitchedOffTheScalarReferenceRunsAndTheReportSaysWhy)
{
  const JosephScene         scene(4);
  compute::ProjectionPolicy policy;
  std::vector<float>        packets;
  const auto                report = Project(scene, policy, packets);
  EXPECT_TRUE(RanPackets(report)) << report.kernel;
  EXPECT_NE(report.kernel.find(compute::GetInstructionSet().name), std::string::npos) << report.kernel;
  EXPECT_EQ(report.notUsed.count("simd"), 0U);

  policy.simd = 0;
  std::vector<float> reference;
  const auto         byPolicy = Project(scene, policy, reference);
  EXPECT_EQ(byPolicy.kernel, "cell-gauss, scalar binary64");
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
    EXPECT_EQ(reference[i], static_cast<float>(kernel::IntegrateCellGauss(scene.volume->view, GetRay(scene, i))));
  }
}

TEST(CellGaussPackets, ViewsThatAreTooSteepAreLeftToTheReferenceAndTheReportSaysWhy)
{
  JosephScene scene(1);
  scene.SetVolume(std::make_unique<test::OwnedVolume>(20, 20, 20, 1.0F));
  // A fan that opens to more than 75 degrees.
  scene.view = {};
  scene.view.columns = 9;
  scene.view.rows = 3;
  scene.view.start = { { 10.0, 10.0, -30.0 }, {}, {} };
  scene.view.end = { { -230.0, 8.0, 30.0 }, { 60.0, 0.0, 0.0 }, { 0.0, 2.0, 0.0 } };
  scene.view.span = { { -240.0, -2.0, 60.0 }, { 60.0, 0.0, 0.0 }, { 0.0, 2.0, 0.0 } };
  std::vector<float> depths;
  const auto         report = Project(scene, {}, depths);
  EXPECT_EQ(report.kernel, "cell-gauss, scalar binary64");
  EXPECT_NE(report.notUsed.at("simd").find("slope 4"), std::string::npos) << report.notUsed.at("simd");
}
