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
#ifndef radiography_kernel_SiddonSensitivity_h
#define radiography_kernel_SiddonSensitivity_h

#include "kernel/RaySensitivity.h"
#include "kernel/Siddon.h"

namespace radiography::kernel
{

/** What a ray's crossings of faces sum up to, axis by axis: the fall of mu at the face, and that times the crossing's
 * place t on the ray. */
struct FaceSums
{
  double fall[3]{ 0.0, 0.0, 0.0 };
  double moment[3]{ 0.0, 0.0, 0.0 };

  RADIOGRAPHY_HD void
  Add(int axis, double t, double before, double after)
  {
    fall[axis] += before - after;
    moment[axis] += t * (before - after);
  }
};

/** The axis whose faces bound the part of a line that lies in the volume, at its end or its beginning. */
RADIOGRAPHY_HD inline int
FindBoundingAxis(const VolumeView & volume, const Ray & ray, bool atEnd)
{
  int    found = 0;
  double bound = atEnd ? HUGE_VAL : -HUGE_VAL;
  for (int axis = 0; axis < 3; ++axis)
  {
    const double step = ray.end[axis] - ray.start[axis];
    if (step != 0.0)
    {
      const bool   upper = (step > 0.0) == atEnd;
      const double face = upper ? static_cast<double>(volume.size[axis]) - 0.5 : -0.5;
      const double t = (face - ray.start[axis]) / step;
      if (atEnd ? t < bound : t > bound)
      {
        bound = t;
        found = axis;
      }
    }
  }
  return found;
}

/** IntegrateSiddon with its gradients.
 *
 * L = worldLength * sum over faces of t_j (mu before - mu after), where t_j = (face - s_a) / d_a for a face across axis
 * a, hence dt_j = -((1 - t_j) ds_a + t_j de_a) / d_a; the ray's own ends in a voxel are no faces and do not move in t.
 * Exact almost everywhere: a ray through an edge of voxels, where L has a kink, gets a one-sided derivative, one within
 * a face, where L jumps, that of the voxels it belongs to. */
RADIOGRAPHY_HD inline RaySensitivity
DifferentiateSiddon(const VolumeView & volume, const Ray & ray)
{
  const Interval line = ClipLine(ray, volume, 0.5);
  const Interval part = ClipToEnds(line);
  RaySensitivity result;
  FaceSums       faces;
  bool           first = true;
  double         value = 0.0;
  std::int64_t   current[3] = { 0, 0, 0 };
  TraverseCells(ray, part, 0.5, 0, volume.size, [&](const std::int64_t(&voxel)[3], double begin, double end) {
    if (first)
    {
      first = false;
      value = PaddedValue(volume, voxel);
      if (line.begin > 0.0)
      {
        faces.Add(FindBoundingAxis(volume, ray, false), line.begin, 0.0, value);
      }
      for (int axis = 0; axis < 3; ++axis)
      {
        current[axis] = voxel[axis];
      }
    }
    // Axis by axis, so that a step over an edge goes by way of the voxel between.
    for (int axis = 0; axis < 3; ++axis)
    {
      if (voxel[axis] != current[axis])
      {
        current[axis] = voxel[axis];
        const double next = PaddedValue(volume, current);
        faces.Add(axis, begin, value, next);
        value = next;
      }
    }
    result.depth += value * (end - begin);
  });
  if (!first && line.end < 1.0)
  {
    faces.Add(FindBoundingAxis(volume, ray, true), line.end, value, 0.0);
  }

  result.depth *= ray.worldLength;
  for (int axis = 0; axis < 3; ++axis)
  {
    const double step = ray.end[axis] - ray.start[axis];
    const double scale = step == 0.0 ? 0.0 : ray.worldLength / step; // no faces across an axis that the ray keeps to
    result.end[axis] = -scale * faces.moment[axis];
    result.start[axis] = -scale * (faces.fall[axis] - faces.moment[axis]);
  }
  return result;
}

} // namespace radiography::kernel

#endif
