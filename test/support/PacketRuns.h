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
#ifndef PacketRuns_h
#define PacketRuns_h

#include "JosephScenes.h"
#include "RandomVolume.h"

#include "compute/ForwardProjection.h"
#include "compute/InstructionSet.h"
#include "compute/JosephPackets.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

/** What the tests of packets share, whatever a packet integrates by. */
namespace radiography::test
{

/** Instruction sets with packets on this machine. */
inline std::vector<compute::InstructionSet>
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

inline bool
RanPackets(const compute::ComputeReport & report)
{
  return report.kernel.find("packets, binary32") != std::string::npos;
}

/** The depths of a whole view. */
inline compute::ComputeReport
ProjectScene(const JosephScene &               scene,
             compute::Projector                projector,
             const compute::ProjectionPolicy & policy,
             std::vector<float> &              depths,
             const compute::ParallelFor &      parallelFor = compute::SerialFor)
{
  depths.assign(static_cast<size_t>(scene.view.columns * scene.view.rows), -1.0F);
  return compute::ForwardProject({ scene.volume->view, scene.GetTransposed() },
                                 scene.view,
                                 projector,
                                 policy,
                                 parallelFor,
                                 { depths.data(), 0, 0, scene.view.columns, scene.view.rows });
}

/** Single voxels in empty space: whatever weight falls below 0 shows. */
inline void
MakeSparse(JosephScene & scene, unsigned int seed)
{
  Random       random(seed);
  const auto & size = scene.volume->view.size;
  auto         sparse = std::make_unique<OwnedVolume>(size[0], size[1], size[2]);
  for (float & value : sparse->values)
  {
    value = random.Integer(0, 9) == 0 ? 10.0F : 0.0F;
  }
  sparse->values[0] = 1e-30F;
  scene.SetVolume(std::move(sparse));
}

/** Depths of 0 and more by each instruction set with packets. */
inline void
ExpectDepthsOfZeroAndMore(const JosephScene &               scene,
                          compute::Projector                projector,
                          const compute::ProjectionPolicy & policy,
                          unsigned int                      seed)
{
  for (const auto & set : GetPacketSets())
  {
    const compute::ForcedInstructionSet forced(set);
    std::vector<float>                  depths;
    ProjectScene(scene, projector, policy, depths);
    for (const float depth : depths)
    {
      ASSERT_GE(depth, 0.0F) << set.name << ", seed " << seed << ", " << scene;
    }
  }
}

/** A part of the view, random, has the bits of the whole. */
inline void
ExpectBitsOfTheWholeInAPart(const JosephScene &               scene,
                            compute::Projector                projector,
                            const compute::ProjectionPolicy & policy,
                            const std::vector<float> &        whole,
                            unsigned int                      seed)
{
  Random             random(seed);
  const std::int64_t firstColumn = random.Integer(0, scene.view.columns - 1);
  const std::int64_t firstRow = random.Integer(0, scene.view.rows - 1);
  const std::int64_t columns = random.Integer(1, scene.view.columns - firstColumn);
  const std::int64_t rows = random.Integer(1, scene.view.rows - firstRow);
  std::vector<float> part(static_cast<size_t>(columns * rows), -1.0F);
  compute::ForwardProject({ scene.volume->view, scene.GetTransposed() },
                          scene.view,
                          projector,
                          policy,
                          compute::SerialFor,
                          { part.data(), firstColumn, firstRow, columns, rows });
  for (std::int64_t i = 0; i < columns * rows; ++i)
  {
    const std::int64_t pixel = firstColumn + i % columns + (firstRow + i / columns) * scene.view.columns;
    ASSERT_EQ(part[static_cast<size_t>(i)], whole[static_cast<size_t>(pixel)]) << "seed " << seed << ", " << scene;
  }
}

} // namespace radiography::test

#endif
