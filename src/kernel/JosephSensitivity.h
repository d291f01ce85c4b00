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
#ifndef radiography_kernel_JosephSensitivity_h
#define radiography_kernel_JosephSensitivity_h

#include "kernel/Joseph.h"
#include "kernel/RaySensitivity.h"

namespace radiography::kernel
{

/** A bilinear sample in a slab with its slopes along the slab's two axes. */
struct SlabSlopes
{
  double value;
  double alongP;
  double alongQ;
};

/** SampleSlab with slopes. Exactly on a line of voxel centres, where the slope across it jumps, it is the mean of both
 * sides, which is what central differences give. */
RADIOGRAPHY_HD inline SlabSlopes
DifferentiateSlab(const VolumeView & volume, const float * slab, int p, int q, double x, double y)
{
  const std::int64_t i = FloorToIndex(x);
  const std::int64_t j = FloorToIndex(y);
  const double       u = x - static_cast<double>(i);
  const double       v = y - static_cast<double>(j);
  const auto         at = [&](std::int64_t a, std::int64_t b) -> double {
    const bool inside = IsInside(volume, p, a) && IsInside(volume, q, b);
    return inside ? slab[a * volume.stride[p] + b * volume.stride[q]] : 0.0;
  };
  const double corner[2][2] = { { at(i, j), at(i + 1, j) }, { at(i, j + 1), at(i + 1, j + 1) } };
  const double slope[2] = { corner[0][1] - corner[0][0], corner[1][1] - corner[1][0] };
  const double lower = corner[0][0] + u * slope[0];
  const double upper = corner[1][0] + u * slope[1];

  SlabSlopes result{ lower + v * (upper - lower), slope[0] + v * (slope[1] - slope[0]), upper - lower };
  if (u == 0.0)
  {
    const double before[2] = { corner[0][0] - at(i - 1, j), corner[1][0] - at(i - 1, j + 1) };
    result.alongP = 0.5 * (result.alongP + before[0] + v * (before[1] - before[0]));
  }
  if (v == 0.0)
  {
    const double under = at(i, j - 1);
    result.alongQ = 0.5 * (upper - (under + u * (at(i + 1, j - 1) - under)));
  }
  return result;
}

/** IntegrateJoseph with its gradients, exact for the implemented sum.
 *
 * With w = worldLength / |d_m|, a = d_p / d_m, b = d_q / d_m, the sample of slab k lies at s_p + a tau, s_q + b tau,
 * tau = k - s_m, so that dL = w [sum g_p (ds_p - a ds_m) + sum tau g_p da + the same for q, b] - L dd_m / d_m, where da
 * = (dd_p - a dd_m) / d_m and d = end - start. Needs what IntegrateJoseph needs. */
RADIOGRAPHY_HD inline RaySensitivity
DifferentiateJoseph(const VolumeView & volume, const Ray & ray, int m)
{
  const SlabLine line(ray, m);
  double         sum = 0.0;
  double         sumP = 0.0;
  double         sumQ = 0.0;
  double         momentP = 0.0;
  double         momentQ = 0.0;
  VisitSlabs(line, WholeVolume(volume), [&](std::int64_t k, double tau, double x, double y) {
    const SlabSlopes sample = DifferentiateSlab(volume, volume.values + k * volume.stride[m], line.p, line.q, x, y);
    sum += sample.value;
    sumP += sample.alongP;
    sumQ += sample.alongQ;
    momentP += tau * sample.alongP;
    momentQ += tau * sample.alongQ;
  });

  const double   step = ray.end[m] - ray.start[m];
  const double   w = line.slabLength;
  RaySensitivity result;
  result.depth = sum * w;
  result.end[line.p] = w * momentP / step;
  result.end[line.q] = w * momentQ / step;
  result.end[m] = -line.slopeP * result.end[line.p] - line.slopeQ * result.end[line.q] - result.depth / step;
  result.start[line.p] = w * sumP - result.end[line.p];
  result.start[line.q] = w * sumQ - result.end[line.q];
  result.start[m] = -line.slopeP * result.start[line.p] - line.slopeQ * result.start[line.q] + result.depth / step;
  return result;
}

} // namespace radiography::kernel

#endif
