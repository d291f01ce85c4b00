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
#include "RandomVolume.h"
#include "kernel/CellGaussSensitivity.h"
#include "kernel/JosephSensitivity.h"
#include "kernel/SiddonSensitivity.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

using namespace radiography;

namespace
{

struct Body
{
  std::string                                                                                   name;
  std::function<double(const kernel::VolumeView &, const kernel::Ray &)>                        integrate;
  std::function<kernel::RaySensitivity(const kernel::VolumeView &, const kernel::Ray &, int m)> differentiate;
};

/** Joseph's main axis is that of the ray before it is moved, as it is one for a whole view. */
Body
MakeJoseph(int m)
{
  return { "joseph",
           [m](const kernel::VolumeView & volume, const kernel::Ray & ray) {
             return kernel::IntegrateJoseph(volume, ray, m);
           },
           [](const kernel::VolumeView & volume, const kernel::Ray & ray, int axis) {
             return kernel::DifferentiateJoseph(volume, ray, axis);
           } };
}

Body
MakeCellGauss()
{
  return { "cell-gauss",
           [](const kernel::VolumeView & volume, const kernel::Ray & ray) {
             return kernel::IntegrateCellGauss(volume, ray);
           },
           [](const kernel::VolumeView & volume, const kernel::Ray & ray, int) {
             return kernel::DifferentiateCellGauss(volume, ray);
           } };
}

Body
MakeSiddon()
{
  return { "siddon",
           [](const kernel::VolumeView & volume, const kernel::Ray & ray) {
             return kernel::IntegrateSiddon(volume, ray);
           },
           [](const kernel::VolumeView & volume, const kernel::Ray & ray, int) {
             return kernel::DifferentiateSiddon(volume, ray);
           } };
}

enum Kind
{
  Oblique,
  AlongAxis,
  AlongAxisThroughCentres,
  InPlane,
  InRimPlane,
  Missing,
  FromInside,
  BothEndsInside,
  NumberOfKinds
};

double
At(const kernel::Ray & ray, int axis, double t)
{
  return ray.start[axis] + t * (ray.end[axis] - ray.start[axis]);
}

/** A ray of a kind; its world length has nothing to do with its length in index space. */
kernel::Ray
MakeRayOfKind(Kind kind, const kernel::VolumeView & volume, test::Random & random)
{
  const kernel::Ray across = random.RayAcross(volume);
  kernel::Ray       ray = across;
  const auto        axis = static_cast<int>(random.Integer(0, 2));
  const auto        plane = [&](int a) { return static_cast<double>(random.Integer(0, volume.size[a] - 1)); };
  for (int a = 0; a < 3; ++a)
  {
    if (kind == AlongAxis || kind == AlongAxisThroughCentres)
    {
      const double place = kind == AlongAxis ? At(across, a, 0.5) : plane(a);
      ray.start[a] = a == axis ? across.start[a] - 9.0 : place;
      ray.end[a] = a == axis ? across.start[a] + 30.0 : place;
    }
    if ((kind == InPlane || kind == InRimPlane) && a == axis)
    {
      const double rim = random.Integer(0, 1) == 0 ? -1.0 : static_cast<double>(volume.size[a]);
      ray.start[a] = ray.end[a] = kind == InPlane ? plane(a) : rim;
    }
    if (kind == Missing && a == axis)
    {
      ray.start[a] = ray.end[a] = static_cast<double>(volume.size[a]) + random.Uniform(0.1, 3.0);
    }
    if (kind == FromInside)
    {
      ray.start[a] = At(across, a, 0.5);
    }
    if (kind == BothEndsInside)
    {
      ray.start[a] = random.Uniform(-0.5, static_cast<double>(volume.size[a]) - 0.5);
      ray.end[a] = random.Uniform(-0.5, static_cast<double>(volume.size[a]) - 0.5);
    }
  }
  ray.worldLength = random.Uniform(5.0, 50.0);
  return ray;
}

bool
HasEndInside(const kernel::VolumeView & volume, const kernel::Ray & ray)
{
  return kernel::Classify(kernel::ClipLine(ray, volume, 1.0)) == kernel::RayCase::EndsInside;
}

template <typename TCheck>
void
ForRays(unsigned int seed, int count, TCheck && check)
{
  test::Random random(seed);
  for (int trial = 0; trial < count; ++trial)
  {
    test::OwnedVolume volume(random.Integer(1, 6), random.Integer(1, 5), random.Integer(1, 7));
    random.Fill(volume);
    const auto        kind = static_cast<Kind>(trial % NumberOfKinds);
    const kernel::Ray ray = MakeRayOfKind(kind, volume.view, random);
    for (const Body & body : { MakeJoseph(test::MainAxis(ray)), MakeCellGauss(), MakeSiddon() })
    {
      if (body.name == "joseph" && HasEndInside(volume.view, ray))
      {
        continue; // never asked for such a ray
      }
      SCOPED_TRACE(testing::Message() << body.name << " seed " << seed << " trial " << trial << " kind " << kind
                                      << " size " << volume.view.size[0] << " x " << volume.view.size[1] << " x "
                                      << volume.view.size[2] << ' ' << ray);
      check(body, volume.view, ray);
    }
  }
}

/** (L(+h) - L(-h)) / 2h when one coordinate of one end is moved. */
double
Difference(const Body &               body,
           const kernel::VolumeView & volume,
           const kernel::Ray &        ray,
           bool                       atEnd,
           int                        axis,
           double                     h)
{
  kernel::Ray up = ray;
  kernel::Ray down = ray;
  (atEnd ? up.end : up.start)[axis] += h;
  (atEnd ? down.end : down.start)[axis] -= h;
  const double distance =
    (atEnd ? up.end : up.start)[axis] - (atEnd ? down.end : down.start)[axis]; // as rounding left it
  return (body.integrate(volume, up) - body.integrate(volume, down)) / distance;
}

} // namespace

TEST(RaySensitivity, GivesTheDepthOfTheProjectorItself)
{
  ForRays(1, 400, [](const Body & body, const kernel::VolumeView & volume, const kernel::Ray & ray) {
    const auto result = body.differentiate(volume, ray, test::MainAxis(ray));
    EXPECT_NEAR(result.depth, body.integrate(volume, ray), 1e-14 * (1.0 + result.depth));
  });
}

TEST(RaySensitivity, AgreesWithCentralDifferences)
{
  // 1,000 rays and more per projector, six coordinates each. What a difference is wrong by is taken from two steps, and
  // from the rounding of the depths in it.
  int    rays = 0;
  double largest = 0.0;
  ForRays(2, 4000, [&](const Body & body, const kernel::VolumeView & volume, const kernel::Ray & ray) {
    const auto   result = body.differentiate(volume, ray, test::MainAxis(ray));
    const double h = 1e-7;
    ++rays;
    for (const bool atEnd : { false, true })
    {
      for (int axis = 0; axis < 3; ++axis)
      {
        const double found = (atEnd ? result.end : result.start)[axis];
        const double coarse = Difference(body, volume, ray, atEnd, axis, h);
        const double fine = Difference(body, volume, ray, atEnd, axis, 0.5 * h);
        const double error = 2.0 * std::abs(coarse - fine) + 1e-14 * (0.1 * ray.worldLength) / h;
        EXPECT_NEAR(found, fine, error) << (atEnd ? "end " : "start ") << axis;
        largest = std::max(largest, std::abs(found));
      }
    }
  });
  EXPECT_GT(rays, 3 * 3000);
  EXPECT_GT(largest, 1.0);
}

TEST(RaySensitivity, EndsThatSlideAlongTheRayChangeTheLengthOnly)
{
  // D . (start + end) = 0 and D . end = -L where mu is 0 at both ends.
  ForRays(3, 1500, [](const Body & body, const kernel::VolumeView & volume, const kernel::Ray & ray) {
    if (HasEndInside(volume, ray))
    {
      return;
    }
    const auto result = body.differentiate(volume, ray, test::MainAxis(ray));
    double     both = 0.0;
    double     end = 0.0;
    double     magnitude = result.depth;
    for (int axis = 0; axis < 3; ++axis)
    {
      const double step = ray.end[axis] - ray.start[axis];
      both += step * (result.start[axis] + result.end[axis]);
      end += step * result.end[axis];
      magnitude += std::abs(step) * (std::abs(result.start[axis]) + std::abs(result.end[axis]));
    }
    EXPECT_NEAR(both, 0.0, 1e-13 * (1.0 + magnitude));
    EXPECT_NEAR(end, -result.depth, 1e-13 * (1.0 + magnitude));
  });
}

TEST(RaySensitivity, EndsInsideAddTheFieldAtTheEnds)
{
  // In general D . (start + end) = l (mu(end) - mu(start)) and D . end = l mu(end) - L; here mu = 0.02 all over.
  test::OwnedVolume volume(6, 6, 6, 0.02F);
  kernel::Ray       ray = test::MakeTestRay(1.2, 2.3, 0.7, 4.1, 1.9, 3.3);
  const double      mu = static_cast<double>(0.02F);
  const auto        result = kernel::DifferentiateCellGauss(volume.view, ray);
  double            end = 0.0;
  for (int axis = 0; axis < 3; ++axis)
  {
    end += (ray.end[axis] - ray.start[axis]) * result.end[axis];
    EXPECT_NEAR(result.start[axis], 0.0, 1e-15) << "the field has no slope";
  }
  EXPECT_NEAR(end, ray.worldLength * mu - result.depth, 1e-15);
}

TEST(RaySensitivity, CellGaussIsContinuouslyDifferentiableAcrossVoxelPlanes)
{
  // The gradient of a ray that is moved through planes of voxel centres has no jumps: a step of 1e-6 changes it by no
  // more than some 1e-6. Joseph's does jump, at every centre line that a sample crosses.
  test::Random      random(4);
  test::OwnedVolume volume(6, 5, 7);
  random.Fill(volume);
  double worst[2] = { 0.0, 0.0 };
  for (int trial = 0; trial < 20; ++trial)
  {
    const kernel::Ray first = random.RayAcross(volume.view);
    const int         m = test::MainAxis(first);
    const int         p = m == 0 ? 1 : 0;
    const double      slab = std::floor(0.5 * static_cast<double>(volume.view.size[m]));
    const double      t = (slab - first.start[m]) / (first.end[m] - first.start[m]);
    for (int k = 0; k < 200; ++k)
    {
      for (const bool joseph : { false, true })
      {
        kernel::RaySensitivity pair[2];
        for (int side = 0; side < 2; ++side)
        {
          kernel::Ray ray = first;
          // Through the plane x_p = 2 in the middle slab.
          const double shift = 2.0 - At(first, p, t) + 1e-2 * (k - 100) + 1e-6 * (side - 0.5);
          ray.start[p] += shift;
          ray.end[p] += shift;
          pair[side] = joseph ? kernel::DifferentiateJoseph(volume.view, ray, m)
                              : kernel::DifferentiateCellGauss(volume.view, ray);
        }
        worst[joseph ? 1 : 0] = std::max(worst[joseph ? 1 : 0], std::abs(pair[1].end[p] - pair[0].end[p]));
      }
    }
  }
  EXPECT_LT(worst[0], 1e-3);
  EXPECT_GT(worst[1], 1e-2) << "the comparison shows nothing";
}
