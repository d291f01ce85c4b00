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

#include "compute/ForwardProjection.h"
#include "compute/InstructionSet.h"
#include "compute/JosephPackets.h"
#include "compute/RayDerivatives.h"
#include "kernel/JosephSensitivity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

using namespace radiography;

namespace
{

using test::GetPacketSets;
using test::JosephScene;
using test::RanPackets;
using Sensitivities = std::vector<kernel::RaySensitivity>;

constexpr compute::Projector Projectors[] = { compute::Projector::Joseph,
                                              compute::Projector::CellGauss,
                                              compute::Projector::Siddon };

compute::ProjectionPolicy
MakePolicy()
{
  compute::ProjectionPolicy policy;
  policy.josephSlopeLimit = 4.0;
  return policy;
}

compute::VolumeLayouts
GetLayouts(const JosephScene & scene)
{
  return { scene.volume->view, scene.GetTransposed() };
}

size_t
CountPixels(const JosephScene & scene)
{
  return static_cast<size_t>(scene.view.columns * scene.view.rows);
}

compute::ComputeReport
Differentiate(const JosephScene &               scene,
              compute::Projector                projector,
              const compute::ProjectionPolicy & policy,
              Sensitivities &                   result,
              const compute::ParallelFor &      parallelFor = compute::SerialFor,
              const unsigned char *             mask = nullptr)
{
  kernel::RaySensitivity unset;
  unset.depth = -1.0;
  result.assign(CountPixels(scene), unset);
  return compute::DifferentiateRays(GetLayouts(scene),
                                    scene.view,
                                    compute::MakeViewPlan(scene.view, projector, policy),
                                    policy,
                                    parallelFor,
                                    { result.data(), scene.view.columns, scene.view.rows, mask });
}

kernel::Ray
GetRay(const JosephScene & scene, size_t pixel)
{
  const auto columns = static_cast<size_t>(scene.view.columns);
  return kernel::MakeRay(scene.view, static_cast<double>(pixel % columns), static_cast<double>(pixel / columns));
}

/** A cone beam around the middle of the scene's volume along an axis, its detector rolled. */
void
LookAlong(JosephScene & scene, int axis, double rollDegrees)
{
  const double       angle = rollDegrees * 3.14159265358979 / 180.0;
  const int          lateral[2] = { axis == 0 ? 1 : 0, axis == 2 ? 1 : 2 };
  kernel::ViewRays & view = scene.view;
  const auto &       size = scene.volume->view.size;
  view = {};
  view.columns = 33;
  view.rows = 24;
  const double step = 0.013 + 1.5 * static_cast<double>(std::max(size[lateral[0]], size[lateral[1]])) / 33.0;
  view.end.column[lateral[0]] = step * std::cos(angle);
  view.end.column[lateral[1]] = step * std::sin(angle);
  view.end.row[lateral[0]] = -step * std::sin(angle);
  view.end.row[lateral[1]] = step * std::cos(angle);
  for (int a = 0; a < 3; ++a)
  {
    const double middle = 0.5 * static_cast<double>(size[a] - 1) + 0.017;
    view.start.origin[a] = middle - (a == axis ? 200.0 : 0.0);
    view.end.origin[a] = middle + (a == axis ? 100.0 : 0.0) - 16.0 * view.end.column[a] - 11.5 * view.end.row[a];
    view.span.origin[a] = view.end.origin[a] - view.start.origin[a];
    view.span.column[a] = view.end.column[a];
    view.span.row[a] = view.end.row[a];
  }
}

/** A parallel beam along an axis, one ray for each voxel of the volume's face, displaced along the first of the other
 * two axes. */
void
LookAlongVoxels(JosephScene & scene, int axis, double offset)
{
  const int          lateral[2] = { axis == 0 ? 1 : 0, axis == 2 ? 1 : 2 };
  kernel::ViewRays & view = scene.view;
  view = {};
  view.columns = scene.volume->view.size[lateral[0]];
  view.rows = scene.volume->view.size[lateral[1]];
  view.start.column[lateral[0]] = view.end.column[lateral[0]] = 1.0;
  view.start.row[lateral[1]] = view.end.row[lateral[1]] = 1.0;
  view.start.origin[lateral[0]] = view.end.origin[lateral[0]] = offset;
  view.start.origin[axis] = -100.0;
  view.end.origin[axis] = 150.0;
  view.span.origin[axis] = 250.0;
}

/** What slopes jump by, times the length of a slab, in samples that are so near to a line of voxel centres that
 * binary32 cannot tell which side of it they are on. */
struct Jumps
{
  double alongP{ 0.0 };
  double alongQ{ 0.0 };
};

Jumps
FindJumps(const kernel::VolumeView & volume, const kernel::Ray & ray, int m, double nearness)
{
  Jumps                  jumps;
  const kernel::SlabLine line(ray, m);
  kernel::VisitSlabs(line, kernel::WholeVolume(volume), [&](std::int64_t k, double, double x, double y) {
    const float * const slab = volume.values + k * volume.stride[m];
    const auto          slopes = [&](double dx, double dy) {
      return kernel::DifferentiateSlab(volume, slab, line.p, line.q, x + dx, y + dy);
    };
    if (std::floor(x - nearness) != std::floor(x + nearness))
    {
      jumps.alongP += line.slabLength * std::abs(slopes(nearness, 0.0).alongP - slopes(-nearness, 0.0).alongP);
    }
    if (std::floor(y - nearness) != std::floor(y + nearness))
    {
      jumps.alongQ += line.slabLength * std::abs(slopes(0.0, nearness).alongQ - slopes(0.0, -nearness).alongQ);
    }
  });
  return jumps;
}

/** The errors of a ray's gradients in parts of what JosephPackets.h promises. */
double
CompareGradients(const JosephScene &            scene,
                 const kernel::Ray &            ray,
                 int                            m,
                 double                         spread,
                 const kernel::RaySensitivity & found,
                 bool                           withJumps)
{
  const kernel::VolumeView &   volume = scene.volume->view;
  const kernel::SlabLine       line(ray, m);
  const kernel::RaySensitivity expected = kernel::DifferentiateJoseph(volume, ray, m);
  const double                 largest = scene.GetLargestDepth(ray, m);
  const double                 bound = (2e-7 + 5e-8 * spread) * largest;
  const Jumps                  jumps = withJumps ? FindJumps(volume, ray, m, 1e-6 + 2.5e-7 * spread) : Jumps{};
  const double                 boundP = bound + jumps.alongP;
  const double                 boundQ = bound + jumps.alongQ;
  const double                 depthBound = 1e-7 * expected.depth + bound;
  const double                 boundM =
    std::abs(line.slopeP) * boundP + std::abs(line.slopeQ) * boundQ + depthBound / std::abs(ray.end[m] - ray.start[m]);
  double     worst = std::abs(found.depth - expected.depth) / depthBound;
  const auto check = [&](int axis, double limit) {
    worst = std::max(worst, std::abs(found.start[axis] - expected.start[axis]) / limit);
    worst = std::max(worst, std::abs(found.end[axis] - expected.end[axis]) / limit);
  };
  check(line.p, boundP);
  check(line.q, boundQ);
  check(m, boundM);
  return worst;
}

/** Of all rays that cross the volume, the largest error in parts of the bound. */
double
CompareWithReference(const JosephScene & scene, const Sensitivities & found)
{
  const int    m = compute::SelectMainAxis(scene.view);
  const double spread = scene.GetSpread(m);
  double       worst = 0.0;
  for (size_t i = 0; i < found.size(); ++i)
  {
    const kernel::Ray ray = GetRay(scene, i);
    if (kernel::Classify(kernel::ClipLine(ray, scene.volume->view, 1.0)) == kernel::RayCase::Crosses)
    {
      worst = std::max(worst, CompareGradients(scene, ray, m, spread, found[i], true));
    }
  }
  return worst;
}

/** As numbers: 0 and -0 are the same. */
bool
AreEqual(const kernel::RaySensitivity & one, const kernel::RaySensitivity & other)
{
  return one.depth == other.depth && std::equal(one.start, one.start + 3, other.start) &&
         std::equal(one.end, one.end + 3, other.end);
}

bool
HaveSameBits(const kernel::RaySensitivity & one, const kernel::RaySensitivity & other)
{
  return std::memcmp(&one, &other, sizeof one) == 0;
}

} // namespace

TEST(RayDerivatives, DepthsHaveTheBitsOfTheForwardProjection)
{
  for (const auto & set : compute::GetInstructionSets())
  {
    const compute::ForcedInstructionSet forced(set);
    for (unsigned int seed = 1; seed <= 30; ++seed)
    {
      const JosephScene scene(seed);
      for (const auto projector : Projectors)
      {
        Sensitivities      result;
        std::vector<float> depths(CountPixels(scene));
        const auto         report = Differentiate(scene, projector, MakePolicy(), result);
        const auto         forward = compute::ForwardProject(GetLayouts(scene),
                                                     scene.view,
                                                     projector,
                                                     MakePolicy(),
                                                     compute::SerialFor,
                                                     { depths.data(), 0, 0, scene.view.columns, scene.view.rows });
        EXPECT_EQ(report.raysWithEndInside, forward.raysWithEndInside);
        for (size_t i = 0; i < depths.size(); ++i)
        {
          ASSERT_EQ(static_cast<float>(result[i].depth), depths[i])
            << set.name << ", " << compute::ToString(projector) << ", seed " << seed << ", " << scene << ", pixel " << i
            << ", " << report.kernel;
        }
      }
    }
  }
}

TEST(RayDerivatives, SameBitsForAnyThreadTileAndMask)
{
  for (unsigned int seed = 101; seed <= 112; ++seed)
  {
    const JosephScene          scene(seed);
    std::vector<unsigned char> mask(CountPixels(scene));
    test::Random               random(seed);
    for (unsigned char & value : mask)
    {
      value = static_cast<unsigned char>(random.Integer(0, 2) == 0 ? random.Integer(1, 255) : 0);
    }
    for (const auto projector : Projectors)
    {
      compute::ProjectionPolicy policy = MakePolicy();
      Sensitivities             whole;
      Differentiate(scene, projector, policy, whole);
      policy.tileColumns = 5;
      policy.tileRows = 3;
      Sensitivities threaded;
      Differentiate(scene, projector, policy, threaded, testthreads::Backward(3));
      Sensitivities masked;
      Differentiate(scene, projector, policy, masked, testthreads::Backward(2), mask.data());
      for (size_t i = 0; i < whole.size(); ++i)
      {
        ASSERT_TRUE(HaveSameBits(threaded[i], whole[i])) << "seed " << seed << ", " << scene << ", pixel " << i;
        const kernel::RaySensitivity expected = mask[i] != 0 ? whole[i] : kernel::RaySensitivity{};
        ASSERT_TRUE(HaveSameBits(masked[i], expected)) << "seed " << seed << ", " << scene << ", pixel " << i;
      }
    }
  }
}

TEST(RayDerivatives, EachInstructionSetAgreesWithTheReferenceForRandomViews)
{
  ASSERT_FALSE(GetPacketSets().empty()) << "no packets on this machine: nothing is tested";
  for (const auto & set : GetPacketSets())
  {
    const compute::ForcedInstructionSet forced(set);
    double                              worst = 0.0;
    int                                 mainAxes[3] = { 0, 0, 0 };
    for (unsigned int seed = 1; seed <= 150; ++seed)
    {
      const JosephScene scene(seed);
      Sensitivities     found;
      const auto        report = Differentiate(scene, compute::Projector::Joseph, MakePolicy(), found);
      if (report.projector != "joseph")
      {
        continue;
      }
      ASSERT_TRUE(RanPackets(report)) << report.kernel;
      EXPECT_EQ(report.kernel.find("joseph with gradients, " + set.name), 0U) << report.kernel;
      ++mainAxes[compute::SelectMainAxis(scene.view)];
      const double error = CompareWithReference(scene, found);
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

TEST(RayDerivatives, EachPacketShapeAgreesWithTheReference)
{
  for (const std::int64_t width : { 1, 2, 4, 8, 16 })
  {
    for (unsigned int seed = 201; seed <= 225; ++seed)
    {
      const JosephScene         scene(seed);
      compute::ProjectionPolicy policy = MakePolicy();
      policy.packetWidth = width;
      Sensitivities found;
      if (RanPackets(Differentiate(scene, compute::Projector::Joseph, policy, found)))
      {
        EXPECT_LE(CompareWithReference(scene, found), 1.0) << "width " << width << ", seed " << seed << ", " << scene;
      }
    }
  }
}

TEST(RayDerivatives, EveryRollAgreesWithTheReference)
{
  for (const auto & set : GetPacketSets())
  {
    const compute::ForcedInstructionSet forced(set);
    for (int axis = 0; axis < 3; ++axis)
    {
      for (const double roll : { 0.0, 15.0, 45.0, 80.0, 135.0, 200.0, 300.0 })
      {
        JosephScene scene(4);
        LookAlong(scene, axis, roll);
        Sensitivities found;
        ASSERT_TRUE(RanPackets(Differentiate(scene, compute::Projector::Joseph, MakePolicy(), found)));
        EXPECT_LE(CompareWithReference(scene, found), 1.0) << set.name << ", axis " << axis << ", roll " << roll;
      }
    }
  }
}

TEST(RayDerivatives, RaysWithinPlanesOfVoxelCentresHaveTheMeanOfBothSides)
{
  // Rays along each axis through voxel centres: where binary32 decides on a side by its rounding, the mean shows it.
  for (const auto & set : GetPacketSets())
  {
    const compute::ForcedInstructionSet forced(set);
    for (int axis = 0; axis < 3; ++axis)
    {
      // Every ray along one of two lateral planes, or along both.
      for (const double offset : { 0.0, 0.4 })
      {
        JosephScene scene(4);
        LookAlongVoxels(scene, axis, offset);
        Sensitivities found;
        ASSERT_TRUE(RanPackets(Differentiate(scene, compute::Projector::Joseph, MakePolicy(), found)));
        const double spread = scene.GetSpread(axis);
        for (size_t i = 0; i < found.size(); ++i)
        {
          EXPECT_LE(CompareGradients(scene, GetRay(scene, i), axis, spread, found[i], false), 1.0)
            << set.name << ", axis " << axis << ", offset " << offset << ", " << GetRay(scene, i);
        }
      }
    }
  }
}

TEST(RayDerivatives, AnEndThatSlidesAlongItsRayChangesNothing)
{
  // (d - s) . G0 = L and (d - s) . G1 = -L: see RaySensitivity.h.
  for (unsigned int seed = 301; seed <= 330; ++seed)
  {
    const JosephScene scene(seed);
    Sensitivities     found;
    Differentiate(scene, compute::Projector::Joseph, MakePolicy(), found);
    for (size_t i = 0; i < found.size(); ++i)
    {
      const kernel::Ray ray = GetRay(scene, i);
      if (kernel::Classify(kernel::ClipLine(ray, scene.volume->view, 1.0)) != kernel::RayCase::Crosses)
      {
        continue;
      }
      double alongStart = 0.0;
      double alongEnd = 0.0;
      double size = found[i].depth;
      for (int axis = 0; axis < 3; ++axis)
      {
        const double step = ray.end[axis] - ray.start[axis];
        alongStart += step * found[i].start[axis];
        alongEnd += step * found[i].end[axis];
        size += std::abs(step * found[i].start[axis]) + std::abs(step * found[i].end[axis]);
      }
      EXPECT_NEAR(alongStart, found[i].depth, 1e-14 * size) << "seed " << seed << ", " << scene << ", " << ray;
      EXPECT_NEAR(alongEnd, -found[i].depth, 1e-14 * size) << "seed " << seed << ", " << scene << ", " << ray;
    }
  }
}

TEST(RayDerivatives, GradientsAreCentralDifferencesOfDepthsFromPackets)
{
  // In a smooth field, whose slopes jump by little where samples cross lines of voxel centres.
  test::OwnedVolume volume(24, 21, 19);
  for (std::int64_t z = 0; z < 19; ++z)
  {
    for (std::int64_t y = 0; y < 21; ++y)
    {
      for (std::int64_t x = 0; x < 24; ++x)
      {
        const double wave = std::sin(0.2 * static_cast<double>(x)) * std::sin(0.15 * static_cast<double>(y));
        volume.At(x, y, z) = static_cast<float>(0.02 + 0.01 * wave * std::cos(0.1 * static_cast<double>(z)));
      }
    }
  }
  kernel::ViewRays view{};
  view.columns = 9;
  view.rows = 7;
  view.start = { { 10.3, 9.7, -80.0 }, {}, {} };
  view.end = { { 6.1, 5.9, 60.0 }, { 1.3, 0.4, 0.0 }, { -0.3, 1.1, 0.1 } };
  view.span = { { 0.0, 0.0, 140.0 }, { 1.3, 0.4, 0.0 }, { -0.3, 1.1, 0.1 } };
  const auto differentiate = [&](Sensitivities & result) {
    result.assign(63, {});
    return compute::DifferentiateRays(volume.view,
                                      view,
                                      compute::MakeViewPlan(view, compute::Projector::Joseph, {}),
                                      {},
                                      compute::SerialFor,
                                      compute::RayDerivativeImage{ result.data(), 9, 7, nullptr });
  };
  Sensitivities gradients;
  double        largest = 0.0;
  ASSERT_TRUE(RanPackets(differentiate(gradients)));
  double * const moved[6] = { &view.start.origin[0], &view.start.origin[1], &view.start.origin[2],
                              &view.end.origin[0],   &view.end.origin[1],   &view.end.origin[2] };
  for (int parameter = 0; parameter < 6; ++parameter)
  {
    const double  h = 0.05;
    const double  origin = *moved[parameter];
    Sensitivities sides[2];
    for (int side = 0; side < 2; ++side)
    {
      *moved[parameter] = origin + (side == 0 ? -h : h);
      differentiate(sides[side]);
    }
    *moved[parameter] = origin;
    for (size_t i = 0; i < gradients.size(); ++i)
    {
      const double found = parameter < 3 ? gradients[i].start[parameter] : gradients[i].end[parameter - 3];
      const double difference = (sides[1][i].depth - sides[0][i].depth) / (2.0 * h);
      // Depths of about 0.4 are good to 1e-6; slopes change by 4e-4 a voxel in each of 19 slabs, by half of that in h.
      EXPECT_NEAR(found, difference, 2e-4) << "parameter " << parameter << ", pixel " << i;
      largest = std::max(largest, std::abs(found));
    }
  }
  EXPECT_GT(largest, 0.01);
}

TEST(RayDerivatives, RaysThatEndInsideGoToTheExactBody)
{
  int withBoth = 0;
  for (unsigned int seed = 401; seed <= 440; ++seed)
  {
    JosephScene scene(seed);
    scene.MoveDetectorTo(scene.middle * (0.8 + 0.01 * static_cast<double>(seed - 401)));
    Sensitivities             found;
    Sensitivities             expected;
    compute::ProjectionPolicy policy = MakePolicy();
    const auto                report = Differentiate(scene, compute::Projector::Joseph, policy, found);
    if (report.projector != "joseph")
    {
      continue;
    }
    policy.simd = 0;
    const auto reference = Differentiate(scene, compute::Projector::Joseph, policy, expected);
    EXPECT_EQ(report.raysWithEndInside, reference.raysWithEndInside) << "seed " << seed << ", " << scene;
    for (size_t i = 0; i < found.size(); ++i)
    {
      const auto rayCase = kernel::Classify(kernel::ClipLine(GetRay(scene, i), scene.volume->view, 1.0));
      if (rayCase != kernel::RayCase::Crosses)
      {
        EXPECT_TRUE(AreEqual(found[i], expected[i])) << "seed " << seed << ", " << scene << ", pixel " << i;
      }
    }
    if (RanPackets(report))
    {
      EXPECT_LE(CompareWithReference(scene, found), 1.0) << "seed " << seed << ", " << scene;
      const auto all = static_cast<std::int64_t>(found.size());
      withBoth += report.raysWithEndInside > 0 && report.raysWithEndInside < all ? 1 : 0;
    }
  }
  EXPECT_GT(withBoth, 3) << "some packets are mixed";
}

TEST(RayDerivatives, SwitchedOffTheReportSaysWhy)
{
  const JosephScene         scene(4);
  compute::ProjectionPolicy policy = MakePolicy();
  Sensitivities             result;
  const auto                report = Differentiate(scene, compute::Projector::Joseph, policy, result);
  EXPECT_TRUE(RanPackets(report)) << report.kernel;
  EXPECT_EQ(report.notUsed.count("simd"), 0U);

  policy.simd = 0;
  const auto byPolicy = Differentiate(scene, compute::Projector::Joseph, policy, result);
  EXPECT_EQ(byPolicy.kernel, "joseph with gradients, scalar binary64");
  EXPECT_EQ(byPolicy.notUsed.at("simd"), "switched off: the policy says simd=0");
  policy.simd = 1;
  setenv("RADIOGRAPHY_DISABLE_SIMD", "1", 1);
  const auto byEnvironment = Differentiate(scene, compute::Projector::Joseph, policy, result);
  unsetenv("RADIOGRAPHY_DISABLE_SIMD");
  EXPECT_EQ(byEnvironment.notUsed.at("simd"), "switched off: RADIOGRAPHY_DISABLE_SIMD=1");
}
