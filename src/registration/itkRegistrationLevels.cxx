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
#include "registration/itkRegistrationLevels.h"

#include <algorithm>
#include <cmath>

namespace itk
{
namespace
{

using Level = RadiographRegistrationLevel;
using ProjectorEnum = DigitallyReconstructedRadiographImageFilterEnums::Projector;

unsigned int
AtLeastOne(double number)
{
  return static_cast<unsigned int>(std::max(1.0, std::round(number)));
}

bool
IsFull(const Level & level)
{
  return level.volumeBlock == Size<3>{ { 1, 1, 1 } } &&
         std::all_of(level.imageBlocks.begin(), level.imageBlocks.end(), [](unsigned int block) { return block == 1; });
}

double
CountRays(const RegistrationSizes & sizes, unsigned int stride)
{
  double rays = 0.0;
  for (const RegistrationSizes::View & view : sizes.views)
  {
    rays += static_cast<double>(view.size[0] / stride) * static_cast<double>(view.size[1] / stride);
  }
  return rays;
}

} // namespace

double
ComputePitchAt(const RadiographGeometry & geometry, const Point<double, 3> & world)
{
  const double pitch = 0.5 * (geometry.GetDetectorSpacing()[0] + geometry.GetDetectorSpacing()[1]);
  if (geometry.GetBeam() == RadiographGeometry::Beam::Parallel)
  {
    return pitch;
  }
  // The third component that the 3 x 4 matrix gives is the distance from the source along the principal ray.
  const RadiographGeometry::ProjectionMatrixType matrix = geometry.GetProjectionMatrix();
  const double depth = matrix(2, 0) * world[0] + matrix(2, 1) * world[1] + matrix(2, 2) * world[2] + matrix(2, 3);
  return depth > 0.0 ? pitch * depth / geometry.GetSourceDetectorDistance() : pitch;
}

Level
MakeCoarseLevel(const RegistrationSizes & sizes, unsigned int pixels)
{
  Level  level;
  double voxel = NumericTraits<double>::max();
  level.imageBlocks.clear();
  for (const RegistrationSizes::View & view : sizes.views)
  {
    const double       longest = static_cast<double>(std::max(view.size[0], view.size[1]));
    const unsigned int block = AtLeastOne(longest / pixels);
    level.imageBlocks.push_back(block);
    voxel = std::min(voxel, block * view.pitchAtCT);
  }
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    const SizeValueType block = AtLeastOne(voxel / sizes.volumeSpacing[axis]);
    level.volumeBlock[axis] = std::min(block, sizes.volumeSize[axis]);
  }
  return level;
}

Level
MakeFullLevel(const RegistrationSizes & sizes, double budget)
{
  Level level;
  level.imageBlocks.assign(sizes.views.size(), 1);
  level.projector = ProjectorEnum::CellGauss;
  const double cells = static_cast<double>(sizes.volumeSize[0] + sizes.volumeSize[1] + sizes.volumeSize[2]);
  while (CountRays(sizes, level.stride) * cells > budget)
  {
    ++level.stride;
  }
  return level;
}

std::vector<Level>
MakeRegistrationLevels(const RegistrationSizes & sizes, bool fullResolution, double budget)
{
  std::vector<Level> levels;
  for (const unsigned int pixels : { 32U, 64U, 128U })
  {
    const Level level = MakeCoarseLevel(sizes, pixels);
    const bool  repeats = !levels.empty() && levels.back().imageBlocks == level.imageBlocks;
    if (!repeats && !(fullResolution && IsFull(level)))
    {
      levels.push_back(level);
    }
  }
  if (fullResolution)
  {
    levels.push_back(MakeFullLevel(sizes, budget));
  }
  return levels;
}

} // namespace itk
