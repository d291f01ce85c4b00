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
#ifndef radiography_kernel_Joseph_h
#define radiography_kernel_Joseph_h

#include "kernel/FloorToIndex.h"
#include "kernel/HostDevice.h"
#include "kernel/Ray.h"
#include "kernel/VolumeView.h"

#include <cmath>
#include <cstdint>

namespace radiography::kernel
{

/** Bilinear interpolation in one slab of the volume, with tent padding.
 * \param slab first value of the slab; p, q: its two axes; (x, y): position along them in index space. */
RADIOGRAPHY_HD inline double
SampleSlab(const VolumeView & volume, const float * slab, int p, int q, double x, double y)
{
  const std::int64_t i = FloorToIndex(x);
  const std::int64_t j = FloorToIndex(y);
  const double       u = x - static_cast<double>(i);
  const double       v = y - static_cast<double>(j);

  double corner[2][2];
  for (int b = 0; b < 2; ++b)
  {
    for (int a = 0; a < 2; ++a)
    {
      const bool inside = IsInside(volume, p, i + a) && IsInside(volume, q, j + b);
      corner[b][a] = inside ? slab[(i + a) * volume.stride[p] + (j + b) * volume.stride[q]] : 0.0;
    }
  }
  const double lower = corner[0][0] + u * (corner[0][1] - corner[0][0]);
  const double upper = corner[1][0] + u * (corner[1][1] - corner[1][0]);
  return lower + v * (upper - lower);
}

/** The slabs k for which first + k * slope can lie in (-1, size): the others sample zeros. */
RADIOGRAPHY_HD inline void
LimitSlabs(double first, double slope, std::int64_t size, std::int64_t & begin, std::int64_t & end)
{
  if (slope == 0.0)
  {
    if (!(first > -1.0 && first < static_cast<double>(size)))
    {
      end = begin;
    }
    return;
  }
  const double a = (-1.0 - first) / slope;
  const double b = (static_cast<double>(size) - first) / slope;
  const double low = std::floor(std::fmin(a, b));
  const double high = std::ceil(std::fmax(a, b));
  if (low > static_cast<double>(begin))
  {
    begin = low < static_cast<double>(end) ? static_cast<std::int64_t>(low) : end;
  }
  if (high < static_cast<double>(end) - 1.0)
  {
    end = high >= static_cast<double>(begin) ? static_cast<std::int64_t>(high) + 1 : begin;
  }
}

/** Optical depth by the slab rule of Joseph (IEEE TMI 1(3), 1982): one bilinear sample per slab of the main axis m,
 * L = worldLength / |d_m| * sum of samples, d = end - start in index space.
 *
 * Every slab of the volume counts, with tent padding, so nothing is clipped: the sum is continuous in both endpoints
 * and its derivative is exact. Needs d_m != 0 and both endpoints outside the padded volume (RayCase::Crosses). The
 * reference of every accelerated Joseph kernel. */
RADIOGRAPHY_HD inline double
IntegrateJoseph(const VolumeView & volume, const Ray & ray, int m)
{
  const int    p = m == 0 ? 1 : 0;
  const int    q = m == 2 ? 1 : 2;
  const double step = ray.end[m] - ray.start[m];
  const double slopeP = (ray.end[p] - ray.start[p]) / step;
  const double slopeQ = (ray.end[q] - ray.start[q]) / step;

  std::int64_t begin = 0;
  std::int64_t end = volume.size[m];
  LimitSlabs(ray.start[p] - ray.start[m] * slopeP, slopeP, volume.size[p], begin, end);
  LimitSlabs(ray.start[q] - ray.start[m] * slopeQ, slopeQ, volume.size[q], begin, end);

  double sum = 0.0;
  for (std::int64_t k = begin; k < end; ++k)
  {
    const double tau = static_cast<double>(k) - ray.start[m];
    sum += SampleSlab(
      volume, volume.values + k * volume.stride[m], p, q, ray.start[p] + slopeP * tau, ray.start[q] + slopeQ * tau);
  }
  return sum * (ray.worldLength / std::fabs(step));
}

} // namespace radiography::kernel

#endif
