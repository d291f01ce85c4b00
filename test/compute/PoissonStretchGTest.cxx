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
#include "compute/PoissonStretch.h"

#include "RandomVolume.h"
#include "compute/InstructionSet.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

using namespace radiography;
using compute::PoissonDerivatives;
using compute::PoissonStretch;
using compute::PoissonStretchSums;

namespace
{

/** Pixels of all kinds: no counts, counts far from the mean on both sides, depths whose exponential underflows, pixels
 * that are not compared and hold no numbers. */
struct Scene
{
  std::vector<double> depths;
  std::vector<double> observed;
  std::vector<double> openBeam;
  std::vector<double> background;
  std::vector<double> inside;
  std::vector<double> rightWeights;
  PoissonStretch      stretch;

  Scene(unsigned int seed, std::int64_t length, bool hasScatter)
  {
    test::Random random(seed);
    for (std::int64_t i = 0; i < length; ++i)
    {
      const std::int64_t kind = random.Integer(0, 19);
      depths.push_back(kind == 0 ? random.Uniform(650.0, 760.0) : random.Uniform(-0.5, 9.0));
      openBeam.push_back(random.Uniform(10.0, 1e5));
      background.push_back(i % 2 == 0 ? 0.0 : random.Uniform(0.0, 20.0));
      observed.push_back(kind == 1   ? 0.0
                         : kind == 2 ? openBeam.back() * 10.0
                                     : openBeam.back() * std::exp(-depths.back()) * random.Uniform(0.7, 1.3));
      inside.push_back(kind == 3 ? 0.0 : 1.0);
      rightWeights.push_back(random.Uniform(0.0, 1.0));
      if (kind == 3)
      {
        observed.back() = std::nan("");
        background.back() = HUGE_VAL;
      }
    }
    stretch.length = length;
    stretch.depths = depths.data();
    stretch.observed = observed.data();
    stretch.openBeam = openBeam.data();
    stretch.background = background.data();
    stretch.inside = inside.data();
    stretch.rightWeights = hasScatter ? rightWeights.data() : nullptr;
    stretch.left = hasScatter ? 3.0 : 0.0;
    stretch.right = hasScatter ? 11.0 : 0.0;
    stretch.exposure = 1.3;
    stretch.attenuation = 0.95;
  }
};

std::array<double, 14>
AllOf(const PoissonStretchSums & sums)
{
  return { sums.value, sums.e,     sums.a,     sums.s[0],  sums.s[1],  sums.ee,    sums.ea,
           sums.aa,    sums.es[0], sums.es[1], sums.as[0], sums.as[1], sums.ss[0], sums.ss[1] };
}

/** The sums of magnitudes, which rounding goes with. */
std::array<double, 14>
MagnitudesOf(const PoissonStretch & stretch, PoissonDerivatives derivatives)
{
  std::array<double, 14> magnitudes{};
  for (std::int64_t i = 0; i < stretch.length; ++i)
  {
    PoissonStretchSums one;
    compute::AddPoissonPixel(stretch, i, derivatives, one);
    const auto all = AllOf(one);
    for (std::size_t k = 0; k < all.size(); ++k)
    {
      magnitudes[k] += std::abs(all[k]);
    }
  }
  return magnitudes;
}

} // namespace

TEST(PoissonStretch, EachInstructionSetAgreesWithTheReference)
{
  for (const auto & set : compute::GetInstructionSets())
  {
    const compute::ForcedInstructionSet forced(set);
    for (unsigned int seed = 1; seed <= 60; ++seed)
    {
      const Scene scene(seed, seed, seed % 3 != 0);
      SCOPED_TRACE(set.name + ", seed " + std::to_string(seed));
      for (const auto derivatives :
           { PoissonDerivatives::None, PoissonDerivatives::Observed, PoissonDerivatives::Fisher })
      {
        const auto found = AllOf(compute::SumPoissonStretch(scene.stretch, derivatives, true));
        const auto expected = AllOf(compute::SumPoissonStretch(scene.stretch, derivatives, false));
        const auto magnitudes = MagnitudesOf(scene.stretch, derivatives);
        for (std::size_t k = 0; k < found.size(); ++k)
        {
          if (std::isfinite(expected[k]))
          {
            EXPECT_NEAR(found[k], expected[k], 1e-13 * magnitudes[k]) << k;
          }
          else
          {
            EXPECT_EQ(found[k], expected[k]) << k; // a mean of 0 has no information for the scatter
          }
        }
      }
    }
  }
}

TEST(PoissonStretch, EachInstructionSetStoresThePixelsOfTheReference)
{
  for (const auto & set : compute::GetInstructionSets())
  {
    const compute::ForcedInstructionSet forced(set);
    for (unsigned int seed = 1; seed <= 40; ++seed)
    {
      const Scene scene(seed, seed, seed % 3 != 0);
      SCOPED_TRACE(set.name + ", seed " + std::to_string(seed));
      const auto          size = static_cast<std::size_t>(scene.stretch.length);
      std::vector<double> found[7];
      std::vector<double> expected[7];
      const auto          termsOf = [size](std::vector<double>(&images)[7]) {
        for (auto & image : images)
        {
          image.assign(size + 1, -7.0); // one behind the end, which must stay
        }
        return compute::PoissonPixelTerms{ images[0].data(), images[1].data(), images[2].data(), images[3].data(),
                                           images[4].data(), images[5].data(), images[6].data() };
      };
      compute::StorePoissonStretch(scene.stretch, termsOf(found), true);
      compute::StorePoissonStretch(scene.stretch, termsOf(expected), false);
      for (std::size_t k = 0; k < 7; ++k)
      {
        EXPECT_EQ(found[k][size], -7.0);
        for (std::size_t i = 0; i < size; ++i)
        {
          const double unit = k == 0 ? scene.observed[i] + expected[6][i] : std::abs(expected[k][i]);
          EXPECT_NEAR(found[k][i], expected[k][i], scene.inside[i] != 0.0 ? 1e-14 * unit : 0.0) << k << ", " << i;
        }
      }
    }
  }
}
