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

#include <cmath>
#include <set>

using namespace radiography;

namespace
{

/** Rays that cross the volume, half of them aimed at centres, edges and corners. */
template <typename TCheck>
void
ForRandomRays(unsigned int seed, TCheck && check)
{
  test::Random random(seed);
  for (int trial = 0; trial < 400; ++trial)
  {
    test::OwnedVolume volume(random.Integer(1, 6), random.Integer(1, 7), random.Integer(1, 5));
    random.Fill(volume);
    kernel::Ray ray = random.RayAcross(volume.view);
    for (int axis = 0; axis < 3 && trial % 2 == 0; ++axis)
    {
      const double half = random.Integer(0, 1) == 0 ? 0.0 : 0.5;
      ray.start[axis] = std::round(ray.start[axis]) + half;
      ray.end[axis] = std::round(ray.end[axis]) + half;
    }
    SCOPED_TRACE(testing::Message() << "seed " << seed << " trial " << trial << " size " << volume.view.size[0] << " x "
                                    << volume.view.size[1] << " x " << volume.view.size[2] << ' ' << ray);
    check(volume.view, ray);
  }
}

/** Weighs the volume by what visitWeights(visit) hands over; each voxel may come once. */
template <typename TVisitWeights>
double
Weigh(const kernel::VolumeView & volume, const TVisitWeights & visitWeights)
{
  std::set<std::int64_t> seen;
  double                 sum = 0.0;
  visitWeights([&](const std::int64_t(&voxel)[3], double weight) {
    EXPECT_TRUE(seen.insert(voxel[0] + volume.size[0] * (voxel[1] + volume.size[1] * voxel[2])).second)
      << "voxel " << voxel[0] << ' ' << voxel[1] << ' ' << voxel[2] << " comes twice";
    sum += weight * kernel::PaddedValue(volume, voxel);
  });
  return sum;
}

} // namespace

TEST(RayWeights, AreThoseOfTheIntegralAndComeOncePerVoxel)
{
  ForRandomRays(1, [](const kernel::VolumeView & volume, const kernel::Ray & ray) {
    const auto   box = kernel::WholeVolume(volume);
    const int    m = test::MainAxis(ray);
    const double joseph = Weigh(volume, [&](const auto & visit) { kernel::VisitJosephWeights(ray, m, box, visit); });
    const double cellGauss =
      Weigh(volume, [&](const auto & visit) { kernel::VisitCellGaussWeights(volume, ray, box, visit); });
    const double siddon =
      Weigh(volume, [&](const auto & visit) { kernel::VisitSiddonWeights(volume, ray, box, visit); });
    EXPECT_NEAR(joseph, kernel::IntegrateJoseph(volume, ray, m), 1e-14 * (1.0 + joseph));
    EXPECT_NEAR(cellGauss, kernel::IntegrateCellGauss(volume, ray), 1e-14 * (1.0 + cellGauss));
    EXPECT_NEAR(siddon, kernel::IntegrateSiddon(volume, ray), 1e-14 * (1.0 + siddon));
  });
}
