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
#include "compute/RayDerivatives.h"

#include <gtest/gtest.h>

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
