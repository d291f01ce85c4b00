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
#include "kernel/CellGauss.h"
#include "kernel/Joseph.h"
#include "kernel/Siddon.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace radiography;

namespace
{

/** The field's value by its definition, sum of value x product of tents: slow and independent of the kernels. */
double
Field(const kernel::VolumeView & volume, const double (&x)[3])
{
  double sum = 0.0;
  for (std::int64_t k = 0; k < volume.size[2]; ++k)
  {
    for (std::int64_t j = 0; j < volume.size[1]; ++j)
    {
      for (std::int64_t i = 0; i < volume.size[0]; ++i)
      {
        const double index[3] = { double(i), double(j), double(k) };
        double       weight = 1.0;
        for (int axis = 0; axis < 3; ++axis)
        {
          weight *= std::max(0.0, 1.0 - std::abs(x[axis] - index[axis]));
        }
        sum += weight * kernel::PaddedValue(volume, { i, j, k });
      }
    }
  }
  return sum;
}

/** Integral of the field along a ray, piece by piece between all its crossings with grid planes, by Simpson's rule,
 * which is exact for the cubic in each. */
double
IntegrateField(const kernel::VolumeView & volume, const kernel::Ray & ray)
{
  std::vector<double> cuts{ 0.0, 1.0 };
  for (int axis = 0; axis < 3; ++axis)
  {
    for (std::int64_t plane = -1; plane <= volume.size[axis]; ++plane)
    {
      const double t = (double(plane) - ray.start[axis]) / (ray.end[axis] - ray.start[axis]);
      if (t > 0.0 && t < 1.0)
      {
        cuts.push_back(t);
      }
    }
  }
  std::sort(cuts.begin(), cuts.end());
  const auto value = [&](double t) {
    double x[3];
    for (int axis = 0; axis < 3; ++axis)
    {
      x[axis] = ray.start[axis] + t * (ray.end[axis] - ray.start[axis]);
    }
    return Field(volume, x);
  };
  double sum = 0.0;
  for (size_t i = 0; i + 1 < cuts.size(); ++i)
  {
    const double h = cuts[i + 1] - cuts[i];
    sum += h / 6.0 * (value(cuts[i]) + 4.0 * value(cuts[i] + 0.5 * h) + value(cuts[i + 1]));
  }
  return sum * ray.worldLength;
}

/** Joseph's sum by its definition: every slab, the field's value where the ray meets it. */
double
SumSlabs(const kernel::VolumeView & volume, const kernel::Ray & ray, int m)
{
  double sum = 0.0;
  for (std::int64_t k = 0; k < volume.size[m]; ++k)
  {
    const double t = (double(k) - ray.start[m]) / (ray.end[m] - ray.start[m]);
    double       x[3];
    for (int axis = 0; axis < 3; ++axis)
    {
      x[axis] = ray.start[axis] + t * (ray.end[axis] - ray.start[axis]);
    }
    x[m] = double(k);
    sum += Field(volume, x);
  }
  return sum * ray.worldLength / std::abs(ray.end[m] - ray.start[m]);
}

/** Length in each box by clipping the ray to it. */
double
SumBoxes(const kernel::VolumeView & volume, const kernel::Ray & ray)
{
  double sum = 0.0;
  for (std::int64_t k = 0; k < volume.size[2]; ++k)
  {
    for (std::int64_t j = 0; j < volume.size[1]; ++j)
    {
      for (std::int64_t i = 0; i < volume.size[0]; ++i)
      {
        const std::int64_t index[3] = { i, j, k };
        double             begin = 0.0;
        double             end = 1.0;
        for (int axis = 0; axis < 3; ++axis)
        {
          const double step = ray.end[axis] - ray.start[axis];
          const double a = (double(index[axis]) - 0.5 - ray.start[axis]) / step;
          const double b = (double(index[axis]) + 0.5 - ray.start[axis]) / step;
          begin = std::max(begin, std::min(a, b));
          end = std::min(end, std::max(a, b));
        }
        sum += kernel::PaddedValue(volume, index) * std::max(0.0, end - begin);
      }
    }
  }
  return sum * ray.worldLength;
}

template <typename TCheck>
void
ForRandomRays(unsigned int seed, TCheck && check)
{
  test::Random random(seed);
  for (int trial = 0; trial < 60; ++trial)
  {
    test::OwnedVolume volume(random.Integer(1, 7), random.Integer(1, 6), random.Integer(1, 5));
    random.Fill(volume);
    for (int shot = 0; shot < 5; ++shot)
    {
      const kernel::Ray ray = random.RayAcross(volume.view);
      SCOPED_TRACE(testing::Message() << "seed " << seed << " trial " << trial << " size " << volume.view.size[0]
                                      << " x " << volume.view.size[1] << " x " << volume.view.size[2] << ' ' << ray);
      check(volume, ray, random);
    }
  }
}

} // namespace

TEST(LineIntegral, CellGaussIsTheExactIntegral)
{
  ForRandomRays(1, [](const test::OwnedVolume & volume, const kernel::Ray & ray, test::Random &) {
    const double exact = IntegrateField(volume.view, ray);
    EXPECT_NEAR(kernel::IntegrateCellGauss(volume.view, ray), exact, 1e-12 * (1.0 + exact));
  });
}

TEST(LineIntegral, CellGaussBetweenEndsInsideIsExactToo)
{
  ForRandomRays(2, [](const test::OwnedVolume & volume, kernel::Ray ray, test::Random & random) {
    const double a = random.Uniform(0.4, 0.5);
    const double b = random.Uniform(0.5, 0.6);
    kernel::Ray  part = ray;
    for (int axis = 0; axis < 3; ++axis)
    {
      part.start[axis] = ray.start[axis] + a * (ray.end[axis] - ray.start[axis]);
      part.end[axis] = ray.start[axis] + b * (ray.end[axis] - ray.start[axis]);
    }
    part.worldLength = (b - a) * ray.worldLength;
    EXPECT_NEAR(kernel::IntegrateCellGauss(volume.view, part), IntegrateField(volume.view, part), 1e-12);
  });
}

TEST(LineIntegral, JosephIsItsSumOfSlabs)
{
  ForRandomRays(3, [](const test::OwnedVolume & volume, const kernel::Ray & ray, test::Random &) {
    const int m = test::MainAxis(ray);
    EXPECT_NEAR(kernel::IntegrateJoseph(volume.view, ray, m), SumSlabs(volume.view, ray, m), 1e-12);
  });
}

TEST(LineIntegral, SiddonIsTheSumOfBoxLengths)
{
  ForRandomRays(4, [](const test::OwnedVolume & volume, const kernel::Ray & ray, test::Random &) {
    EXPECT_NEAR(kernel::IntegrateSiddon(volume.view, ray), SumBoxes(volume.view, ray), 1e-12);
  });
}

TEST(LineIntegral, ReversedRaysAgree)
{
  ForRandomRays(5, [](const test::OwnedVolume & volume, const kernel::Ray & ray, test::Random &) {
    const kernel::Ray back = test::Reversed(ray);
    const int         m = test::MainAxis(ray);
    EXPECT_NEAR(kernel::IntegrateJoseph(volume.view, ray, m), kernel::IntegrateJoseph(volume.view, back, m), 1e-13);
    EXPECT_NEAR(kernel::IntegrateCellGauss(volume.view, ray), kernel::IntegrateCellGauss(volume.view, back), 1e-13);
    EXPECT_NEAR(kernel::IntegrateSiddon(volume.view, ray), kernel::IntegrateSiddon(volume.view, back), 1e-13);
  });
}

TEST(LineIntegral, NonNegativeVolumesGiveNonNegativeDepths)
{
  ForRandomRays(6, [](const test::OwnedVolume & volume, const kernel::Ray & ray, test::Random &) {
    EXPECT_GE(kernel::IntegrateJoseph(volume.view, ray, test::MainAxis(ray)), 0.0);
    EXPECT_GE(kernel::IntegrateCellGauss(volume.view, ray), 0.0);
    EXPECT_GE(kernel::IntegrateSiddon(volume.view, ray), 0.0);
  });
}

TEST(LineIntegral, RaysThroughVoxelCentresAndEdgesAreContinuous)
{
  // Aimed exactly at centres, edges and corners, then moved by 1e-9: the tent field may not jump.
  test::Random      random(7);
  test::OwnedVolume volume(4, 5, 3);
  random.Fill(volume);
  for (int trial = 0; trial < 300; ++trial)
  {
    kernel::Ray ray{};
    for (int axis = 0; axis < 3; ++axis)
    {
      ray.start[axis] = static_cast<double>(random.Integer(-20, 20)) * 0.5;
      ray.end[axis] = static_cast<double>(random.Integer(-20, 20)) * 0.5;
    }
    ray.worldLength = 20.0;
    kernel::Ray moved = ray;
    for (int axis = 0; axis < 3; ++axis)
    {
      moved.start[axis] += random.Uniform(-1e-9, 1e-9);
      moved.end[axis] += random.Uniform(-1e-9, 1e-9);
    }
    EXPECT_NEAR(kernel::IntegrateCellGauss(volume.view, ray), kernel::IntegrateCellGauss(volume.view, moved), 1e-7)
      << "seed 7 trial " << trial << ' ' << ray;
  }
}

TEST(LineIntegral, LayersInBothOrdersAndUnits)
{
  // 40 mm at 0.02 then 10 mm at 0.05 1/mm: L = 1.3, T = 0.2725; the same with lengths in cm and mu in 1/cm.
  for (const bool reversed : { false, true })
  {
    test::OwnedVolume slab(1, 1, 50);
    test::OwnedVolume slabCm(1, 1, 50);
    for (std::int64_t k = 0; k < 50; ++k)
    {
      const bool thick = reversed ? k >= 10 : k < 40;
      slab.At(0, 0, k) = thick ? 0.02F : 0.05F;
      slabCm.At(0, 0, k) = thick ? 0.2F : 0.5F;
    }
    kernel::Ray  ray = test::MakeTestRay(0, 0, -30, 0, 0, 90);
    const double depths[] = { kernel::IntegrateJoseph(slab.view, ray, 2),
                              kernel::IntegrateCellGauss(slab.view, ray),
                              kernel::IntegrateSiddon(slab.view, ray) };
    ray.worldLength /= 10.0;
    for (const double depth : depths)
    {
      EXPECT_NEAR(depth, 1.3, 1e-7);
      EXPECT_NEAR(std::exp(-depth), 0.2725, 5e-5);
      EXPECT_NEAR(kernel::IntegrateCellGauss(slabCm.view, ray), depth, 1e-7);
    }
  }
}

TEST(LineIntegral, LinearGradientAlongAndAcross)
{
  // mu = a + b z in n voxels, tents at the rims included: along z the exact integral is the voxels' sum; across, at
  // height z, n (a + b z); over 1 mm and over 1000 mm with the same values the depths are as 1 : 1000.
  constexpr std::int64_t n = 11;
  constexpr double       a = 0.02;
  constexpr double       b = 0.003;
  test::OwnedVolume      volume(n, n, n);
  double                 sum = 0.0;
  for (std::int64_t k = 0; k < n; ++k)
  {
    for (std::int64_t j = 0; j < n; ++j)
    {
      for (std::int64_t i = 0; i < n; ++i)
      {
        volume.At(i, j, k) = static_cast<float>(a + b * static_cast<double>(k));
      }
    }
    sum += volume.At(0, 0, k);
  }
  // Polynomial antiderivative: over the centres a z + b z^2 / 2, and half a voxel's tent at each rim.
  const double antiderivative = a * (n - 1) + 0.5 * b * (n - 1) * (n - 1) + 0.5 * a + 0.5 * (a + b * (n - 1));
  EXPECT_NEAR(sum, antiderivative, 1e-7);

  kernel::Ray along = test::MakeTestRay(4.3, 5.1, -10, 4.3, 5.1, 30);
  const auto  across = test::MakeTestRay(-10, 5.1, 4.3, 30, 5.1, 4.3);
  EXPECT_NEAR(kernel::IntegrateCellGauss(volume.view, along), sum, 1e-14);
  EXPECT_NEAR(kernel::IntegrateJoseph(volume.view, along, 2), sum, 1e-14);
  EXPECT_NEAR(kernel::IntegrateCellGauss(volume.view, across), n * (a + b * 4.3), 1e-7);
  EXPECT_NEAR(kernel::IntegrateJoseph(volume.view, across, 0), n * (a + b * 4.3), 1e-7);

  const double thin = kernel::IntegrateCellGauss(volume.view, along);
  along.worldLength *= 1000.0;
  EXPECT_NEAR(kernel::IntegrateCellGauss(volume.view, along), 1000.0 * thin, 1e-10);

  // From inside, the integral's boundary terms: from z0 to z1 between centres.
  const auto   inside = test::MakeTestRay(4.3, 5.1, 2.25, 4.3, 5.1, 7.75);
  const double expected = a * (7.75 - 2.25) + 0.5 * b * (7.75 * 7.75 - 2.25 * 2.25);
  EXPECT_NEAR(kernel::IntegrateCellGauss(volume.view, inside), expected, 1e-8);
}
