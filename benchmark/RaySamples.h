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
#ifndef RaySamples_h
#define RaySamples_h

#include "compute/ForwardProjection.h"
#include "kernel/CellTraversal.h"
#include "kernel/Joseph.h"
#include "kernel/Ray.h"
#include "kernel/VolumeView.h"

#include <cstdint>

/** How much work a projector has with a view, counted by walking every ray: what times are divided by. */
namespace radiography::benchmark
{

/** Slabs that IntegrateJoseph adds up for a ray. */
inline std::int64_t
CountSlabs(const kernel::VolumeView & volume, const kernel::Ray & ray, int m)
{
  const double step = ray.end[m] - ray.start[m];
  std::int64_t begin = 0;
  std::int64_t end = volume.size[m];
  for (int axis = 0; axis < 3; ++axis)
  {
    if (axis != m)
    {
      const double slope = (ray.end[axis] - ray.start[axis]) / step;
      kernel::LimitSlabs(ray.start[axis] - ray.start[m] * slope, slope, volume.size[axis], begin, end);
    }
  }
  return end - begin;
}

/** Pieces into which the voxel faces (Siddon) or the planes of voxel centres (CellGauss) cut a ray. */
inline std::int64_t
CountPieces(const kernel::VolumeView & volume, const kernel::Ray & ray, bool siddon)
{
  const std::int64_t grow = siddon ? 0 : 1;
  const std::int64_t cells[3] = { volume.size[0] + grow, volume.size[1] + grow, volume.size[2] + grow };
  std::int64_t       pieces = 0;
  kernel::TraverseCells(ray,
                        kernel::ClipToEnds(kernel::ClipLine(ray, volume, siddon ? 0.5 : 1.0)),
                        siddon ? 0.5 : 0.0,
                        -grow,
                        cells,
                        [&](const std::int64_t(&)[3], double, double) { ++pieces; });
  return pieces;
}

/** What a projector does along the rays of a view: Joseph one bilinear sample per slab, CellGauss two trilinear samples
 * per piece, Siddon one voxel per piece. */
struct Work
{
  std::int64_t samples{ 0 };
  std::int64_t bytes{ 0 };
};

inline Work
CountWork(const kernel::VolumeView & volume, const kernel::ViewRays & view, compute::Projector projector)
{
  const int    mainAxis = compute::SelectMainAxis(view);
  std::int64_t steps = 0;
  for (std::int64_t row = 0; row < view.rows; ++row)
  {
    for (std::int64_t column = 0; column < view.columns; ++column)
    {
      const kernel::Ray ray = kernel::MakeRay(view, static_cast<double>(column), static_cast<double>(row));
      if (kernel::Classify(kernel::ClipLine(ray, volume, 1.0)) != kernel::RayCase::Misses)
      {
        steps += projector == compute::Projector::Joseph
                   ? CountSlabs(volume, ray, mainAxis)
                   : CountPieces(volume, ray, projector == compute::Projector::Siddon);
      }
    }
  }
  const auto voxel = static_cast<std::int64_t>(sizeof(float));
  switch (projector)
  {
    case compute::Projector::Joseph:
      return { steps, steps * 4 * voxel };
    case compute::Projector::CellGauss:
      return { steps * 2, steps * 8 * voxel };
    default:
      return { steps, steps * voxel };
  }
}

} // namespace radiography::benchmark

#endif
