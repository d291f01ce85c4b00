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
#include "kernel/IndexBox.h"
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

/** The slabs k for which first + k * slope can lie in [-1, size]: the others sample zeros. */
RADIOGRAPHY_HD inline void
LimitSlabs(double first, double slope, std::int64_t size, std::int64_t & begin, std::int64_t & end)
{
  if (slope == 0.0)
  {
    if (!(first >= -1.0 && first <= static_cast<double>(size)))
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

/** A ray as its slabs see it: main axis m, the two others p < q, the position (x, y) along these in slab k. */
struct SlabLine
{
  int    m;
  int    p;
  int    q;
  double start[3]; // along m, p and q
  double slopeP;
  double slopeQ;
  /** Length of the ray in the world per slab, mm. */
  double slabLength;

  RADIOGRAPHY_HD
  SlabLine(const Ray & ray, int mainAxis)
    : m(mainAxis)
    , p(mainAxis == 0 ? 1 : 0)
    , q(mainAxis == 2 ? 1 : 2)
    , start{ ray.start[m], ray.start[p], ray.start[q] }
    , slopeP((ray.end[p] - ray.start[p]) / (ray.end[m] - ray.start[m]))
    , slopeQ((ray.end[q] - ray.start[q]) / (ray.end[m] - ray.start[m]))
    , slabLength(ray.worldLength / std::fabs(ray.end[m] - ray.start[m]))
  {}
};

/** Calls visit(k, tau, x, y) for every slab k of a box in which the ray can meet the tents of the box's voxels;
 * tau = k - start[m], (x, y) where the ray meets the slab. None of these depends on the box. */
template <typename TVisit>
RADIOGRAPHY_HD inline void
VisitSlabs(const SlabLine & line, const IndexBox & box, TVisit && visit)
{
  std::int64_t begin = box.begin[line.m];
  std::int64_t end = box.end[line.m];
  const double firstP = line.start[1] - line.start[0] * line.slopeP - static_cast<double>(box.begin[line.p]);
  const double firstQ = line.start[2] - line.start[0] * line.slopeQ - static_cast<double>(box.begin[line.q]);
  LimitSlabs(firstP, line.slopeP, box.end[line.p] - box.begin[line.p], begin, end);
  LimitSlabs(firstQ, line.slopeQ, box.end[line.q] - box.begin[line.q], begin, end);
  for (std::int64_t k = begin; k < end; ++k)
  {
    const double tau = static_cast<double>(k) - line.start[0];
    visit(k, tau, line.start[1] + line.slopeP * tau, line.start[2] + line.slopeQ * tau);
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
  const SlabLine line(ray, m);
  double         sum = 0.0;
  VisitSlabs(line, WholeVolume(volume), [&](std::int64_t k, double, double x, double y) {
    sum += SampleSlab(volume, volume.values + k * volume.stride[m], line.p, line.q, x, y);
  });
  return sum * line.slabLength;
}

/** The row of the matrix that IntegrateJoseph applies: visit(voxel, weight) once for every voxel of `box` that the ray
 * meets. Needs what IntegrateJoseph needs. */
template <typename TVisit>
RADIOGRAPHY_HD inline void
VisitJosephWeights(const Ray & ray, int m, const IndexBox & box, TVisit && visit)
{
  const SlabLine line(ray, m);
  VisitSlabs(line, box, [&](std::int64_t k, double, double x, double y) {
    const std::int64_t i = FloorToIndex(x);
    const std::int64_t j = FloorToIndex(y);
    const double       u = x - static_cast<double>(i);
    const double       v = y - static_cast<double>(j);
    const double       weightP[2] = { 1.0 - u, u };
    const double       weightQ[2] = { (1.0 - v) * line.slabLength, v * line.slabLength };
    for (int b = 0; b < 2; ++b)
    {
      for (int a = 0; a < 2; ++a)
      {
        if (box.Holds(line.p, i + a) && box.Holds(line.q, j + b))
        {
          std::int64_t voxel[3];
          voxel[m] = k;
          voxel[line.p] = i + a;
          voxel[line.q] = j + b;
          visit(voxel, weightP[a] * weightQ[b]);
        }
      }
    }
  });
}

} // namespace radiography::kernel

#endif
