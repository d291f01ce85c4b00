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

#include "compute/ForwardProjection.h"
#include "compute/InstructionSet.h"
#include "compute/JosephPackets.h"
#include "compute/RayDerivatives.h"
#include "kernel/JosephSensitivity.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

using namespace radiography;

namespace
{

using test::JosephScene;
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

bool
RanPackets(const compute::ComputeReport & report)
{
  return report.kernel.find("packets, binary32") != std::string::npos;
}

/** Instruction sets with packets on this machine. */
std::vector<compute::InstructionSet>
GetPacketSets()
{
  std::vector<compute::InstructionSet> sets;
  for (const auto & set : compute::GetInstructionSets())
  {
    const compute::ForcedInstructionSet forced(set);
    if (compute::HasJosephPackets())
    {
      sets.push_back(set);
    }
  }
  return sets;
}

kernel::Ray
GetRay(const JosephScene & scene, size_t pixel)
{
  const auto columns = static_cast<size_t>(scene.view.columns);
  return kernel::MakeRay(scene.view, static_cast<double>(pixel % columns), static_cast<double>(pixel / columns));
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
