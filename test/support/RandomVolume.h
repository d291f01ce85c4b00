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
#ifndef RandomVolume_h
#define RandomVolume_h

#include "kernel/Ray.h"
#include "kernel/VolumeView.h"

#include <cmath>
#include <cstdint>
#include <ostream>
#include <random>
#include <vector>

namespace radiography::test
{

/** Voxels that a test owns, with the view of them that kernels take. */
struct OwnedVolume
{
  std::vector<float> values;
  kernel::VolumeView view;

  OwnedVolume(std::int64_t x, std::int64_t y, std::int64_t z, float fill = 0.0F)
    : values(static_cast<size_t>(x * y * z), fill)
    , view(kernel::MakeVolumeView(values.data(), x, y, z))
  {}
  OwnedVolume(const OwnedVolume &) = delete;
  OwnedVolume &
  operator=(const OwnedVolume &) = delete;

  float &
  At(std::int64_t x, std::int64_t y, std::int64_t z)
  {
    return values[static_cast<size_t>(x * view.stride[0] + y * view.stride[1] + z * view.stride[2])];
  }
};

class Random
{
public:
  explicit Random(unsigned int seed)
    : m_Engine(seed)
  {}

  double
  Uniform(double low, double high)
  {
    return std::uniform_real_distribution<double>(low, high)(m_Engine);
  }

  std::int64_t
  Integer(std::int64_t low, std::int64_t high)
  {
    return std::uniform_int_distribution<std::int64_t>(low, high)(m_Engine);
  }

  void
  Fill(OwnedVolume & volume)
  {
    for (float & value : volume.values)
    {
      value = static_cast<float>(this->Uniform(0.0, 0.1));
    }
  }

  /** Two points on a sphere around the volume, far enough outside, whose line passes near its middle. */
  kernel::Ray
  RayAcross(const kernel::VolumeView & volume)
  {
    kernel::Ray ray{};
    double      direction[3];
    double      length = 0.0;
    double      reach = 4.0;
    for (int axis = 0; axis < 3; ++axis)
    {
      direction[axis] = std::normal_distribution<double>()(m_Engine);
      length += direction[axis] * direction[axis];
      reach += static_cast<double>(volume.size[axis]);
    }
    length = std::sqrt(length);
    for (int axis = 0; axis < 3; ++axis)
    {
      const double through = this->Uniform(-0.9, static_cast<double>(volume.size[axis]) - 0.1);
      ray.start[axis] = through - reach * direction[axis] / length;
      ray.end[axis] = through + reach * direction[axis] / length;
    }
    ray.worldLength = 2.0 * reach;
    return ray;
  }

private:
  std::mt19937 m_Engine;
};

inline kernel::Ray
MakeTestRay(double x0, double y0, double z0, double x1, double y1, double z1)
{
  const double length = std::sqrt((x1 - x0) * (x1 - x0) + (y1 - y0) * (y1 - y0) + (z1 - z0) * (z1 - z0));
  return { { x0, y0, z0 }, { x1, y1, z1 }, length };
}

inline kernel::Ray
Reversed(const kernel::Ray & ray)
{
  return MakeTestRay(ray.end[0], ray.end[1], ray.end[2], ray.start[0], ray.start[1], ray.start[2]);
}

/** The main axis of one ray, as an image of this ray alone has it. */
inline int
MainAxis(const kernel::Ray & ray)
{
  int m = 0;
  for (int axis = 1; axis < 3; ++axis)
  {
    if (std::abs(ray.end[axis] - ray.start[axis]) > std::abs(ray.end[m] - ray.start[m]))
    {
      m = axis;
    }
  }
  return m;
}

} // namespace radiography::test

namespace radiography::kernel
{
/** For failure messages. */
inline std::ostream &
operator<<(std::ostream & out, const Ray & ray)
{
  out.precision(17);
  return out << "ray (" << ray.start[0] << ", " << ray.start[1] << ", " << ray.start[2] << ") -> (" << ray.end[0]
             << ", " << ray.end[1] << ", " << ray.end[2] << ")";
}
} // namespace radiography::kernel

#endif
