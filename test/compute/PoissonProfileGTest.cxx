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
#include "compute/PoissonProfile.h"

#include "BackwardThreads.h"
#include "RandomVolume.h"
#include "kernel/PoissonLikelihood.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

using namespace radiography;
using compute::PoissonProfile;
using compute::PoissonProfileModel;
using compute::PoissonProfileView;

namespace
{

/** Two views of random depths, and counts from nuisances that a test knows. */
struct Scene
{
  struct View
  {
    std::vector<double> depths;
    std::vector<double> observed;
    std::vector<double> openBeam;
    std::vector<double> background;
    std::vector<double> inside;
    compute::HatBasis   columnHats;
    compute::HatBasis   rowHats;
    PoissonProfileView  view;
  };

  Scene(unsigned int seed, double counts, double mismatch, std::int64_t gridColumns, std::int64_t gridRows)
    : random(seed)
  {
    std::mt19937 engine(seed);
    for (std::size_t v = 0; v < 2; ++v)
    {
      View &             view = views[v];
      const std::int64_t columns = random.Integer(12, 40);
      const std::int64_t rows = random.Integer(12, 40);
      const double       exposure = random.Uniform(0.3, 3.0);
      for (std::int64_t i = 0; i < columns * rows; ++i)
      {
        const double x = static_cast<double>(i % columns) / static_cast<double>(columns) - 0.5;
        const double y = static_cast<double>(i / columns) / static_cast<double>(rows) - 0.5;
        const double depth = std::max(0.0, 6.0 * (0.25 - x * x - y * y)) * random.Uniform(0.9, 1.1);
        const double scatter = 0.2 * counts * std::max(0.0, x + 0.2);
        const double mean = exposure * counts * std::exp(-depth * 1.1) * (1.0 + random.Uniform(-mismatch, mismatch));
        view.depths.push_back(depth);
        view.observed.push_back(static_cast<double>(std::poisson_distribution<long>(mean + scatter)(engine)));
        view.openBeam.push_back(counts);
        view.background.push_back(i % 3 == 0 ? 0.5 : 0.0);
        view.inside.push_back(random.Uniform(0.0, 1.0) < 0.9 ? 1.0 : 0.0);
      }
      view.columnHats = compute::HatBasis(gridColumns, columns, 0, 1, columns);
      view.rowHats = compute::HatBasis(gridRows, rows, 0, 1, rows);
      view.view = { columns,
                    rows,
                    view.depths.data(),
                    view.observed.data(),
                    view.openBeam.data(),
                    view.background.data(),
                    view.inside.data(),
                    0.0,
                    &view.columnHats,
                    &view.rowHats };
    }
  }

  PoissonProfile
  Solve(const PoissonProfileModel & model, const compute::ParallelFor & threads = compute::SerialFor) const
  {
    return compute::ProfilePoisson({ views[0].view, views[1].view }, model, true, threads);
  }

  test::Random random;
  View         views[2];
};

double
Hat(const compute::HatBasis & basis, std::int64_t node, std::int64_t pixel)
{
  const double right = basis.GetRightWeight(pixel);
  return basis.GetLeft(pixel) == node ? 1.0 - right : basis.GetLeft(pixel) + 1 == node ? right : 0.0;
}

/** Value, and its derivatives with respect to the unknowns, pixel by pixel without any of the tricks. */
struct Reference
{
  double              value{ 0.0 };
  std::vector<double> gradient;
  std::vector<double> information;

  Reference(const Scene & scene, const PoissonProfile & profile, const std::vector<PoissonProfile::Unknown> & unknowns)
    : gradient(unknowns.size(), 0.0)
    , information(unknowns.size() * unknowns.size(), 0.0)
  {
    for (std::size_t v = 0; v < 2; ++v)
    {
      const auto & view = scene.views[v];
      const auto & found = profile.views[v];
      const auto   nodeColumns = static_cast<std::size_t>(view.columnHats.GetNodes());
      for (std::size_t pixel = 0; pixel < view.depths.size(); ++pixel)
      {
        if (view.inside[pixel] == 0.0)
        {
          continue;
        }
        const auto column = static_cast<std::int64_t>(pixel) % view.view.columns;
        const auto row = static_cast<std::int64_t>(pixel) / view.view.columns;
        const auto functionOf = [&](std::size_t node) {
          return Hat(view.columnHats, static_cast<std::int64_t>(node % nodeColumns), column) *
                 Hat(view.rowHats, static_cast<std::int64_t>(node / nodeColumns), row);
        };
        const double primary =
          view.openBeam[pixel] * std::exp(found.logExposure - profile.attenuationScale * view.depths[pixel]);
        double mean = primary + view.background[pixel];
        for (std::size_t node = 0; node < found.scatter.size(); ++node)
        {
          mean += found.scatter[node] * functionOf(node);
        }
        value += kernel::PoissonHalfDeviance(view.observed[pixel], mean);
        std::vector<double> slope(unknowns.size(), 0.0);
        for (std::size_t k = 0; k < unknowns.size(); ++k)
        {
          switch (unknowns[k].kind)
          {
            case PoissonProfile::Kind::Exposure:
              slope[k] = unknowns[k].view == v ? primary : 0.0;
              break;
            case PoissonProfile::Kind::Attenuation:
              slope[k] = -view.depths[pixel] * primary;
              break;
            case PoissonProfile::Kind::Scatter:
              slope[k] = unknowns[k].view == v ? functionOf(unknowns[k].node) : 0.0;
              break;
          }
        }
        for (std::size_t k = 0; k < unknowns.size(); ++k)
        {
          gradient[k] += slope[k] * (1.0 - view.observed[pixel] / mean);
          for (std::size_t l = 0; l < unknowns.size(); ++l)
          {
            information[k * unknowns.size() + l] += slope[k] * slope[l] / mean;
          }
        }
      }
    }
  }
};

const PoissonProfileModel Everything{ true, true, true, 1.0 };

} // namespace

TEST(PoissonProfile, EndsWhereTheValueIsStationary)
{
  for (unsigned int seed = 1; seed <= 20; ++seed)
  {
    const double counts[] = { 2.0, 30.0, 1e3, 1e6 };
    const double mismatches[] = { 0.0, 0.3, 0.9 };
    const Scene  scene(seed, counts[seed % 4], mismatches[seed % 3], 1 + seed % 4, 1 + (seed / 4) % 4);
    const auto   profile = scene.Solve(Everything);
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(profile.iterations) +
                 " iterations, decrement " + std::to_string(profile.decrement * 1e9) + "e-9");
    EXPECT_LE(profile.decrement, 1e-8);
    EXPECT_LE(profile.iterations, 60);

    const Reference at(scene, profile, profile.unknowns);
    EXPECT_NEAR(profile.value, at.value, 1e-9 * at.value);
    const std::size_t size = profile.unknowns.size();
    for (std::size_t k = 0; k < size; ++k)
    {
      EXPECT_NEAR(at.gradient[k] / std::sqrt(at.information[k * size + k]), 0.0, 1e-7) << k;
      for (std::size_t l = 0; l < size; ++l)
      {
        const double unit = std::sqrt(at.information[k * size + k] * at.information[l * size + l]);
        EXPECT_NEAR(profile.information[k * size + l] / unit, at.information[k * size + l] / unit, 1e-9);
      }
    }

    // Nodes at 0 want to be below.
    for (std::size_t view = 0; view < 2; ++view)
    {
      for (std::size_t node = 0; node < profile.views[view].scatter.size(); ++node)
      {
        EXPECT_GE(profile.views[view].scatter[node], 0.0);
        if (profile.views[view].scatter[node] == 0.0)
        {
          const Reference held(scene, profile, { { PoissonProfile::Kind::Scatter, view, node } });
          EXPECT_GE(held.gradient[0] / std::sqrt(held.information[0]), -1e-9);
        }
      }
    }
  }
}

TEST(PoissonProfile, ExposureAloneHasItsClosedForm)
{
  const Scene scene(3, 500.0, 0.2, 2, 2);
  Scene       plain = scene;
  for (auto & view : plain.views)
  {
    std::fill(view.background.begin(), view.background.end(), 0.0);
  }
  for (std::size_t v = 0; v < 2; ++v)
  {
    plain.views[v].view.depths = plain.views[v].depths.data();
    plain.views[v].view.observed = plain.views[v].observed.data();
    plain.views[v].view.openBeam = plain.views[v].openBeam.data();
    plain.views[v].view.background = plain.views[v].background.data();
    plain.views[v].view.inside = plain.views[v].inside.data();
  }
  const auto profile = plain.Solve({ true, false, false, 1.3 });
  for (std::size_t v = 0; v < 2; ++v)
  {
    const auto & view = plain.views[v];
    double       observed = 0.0;
    double       primary = 0.0;
    for (std::size_t i = 0; i < view.depths.size(); ++i)
    {
      observed += view.inside[i] != 0.0 ? view.observed[i] : 0.0;
      primary += view.inside[i] != 0.0 ? view.openBeam[i] * std::exp(-1.3 * view.depths[i]) : 0.0;
    }
    EXPECT_NEAR(profile.views[v].logExposure, std::log(observed / primary), 1e-12);
  }
}

TEST(PoissonProfile, SameBitsForAnyNumberOfThreads)
{
  const Scene scene(7, 300.0, 0.5, 4, 3);
  const auto  serial = scene.Solve(Everything);
  for (const std::int64_t threads : { 2, 5 })
  {
    const auto parallel = scene.Solve(Everything, testthreads::Backward(threads));
    EXPECT_EQ(parallel.value, serial.value);
    EXPECT_EQ(parallel.attenuationScale, serial.attenuationScale);
    EXPECT_EQ(parallel.information, serial.information);
    for (std::size_t v = 0; v < 2; ++v)
    {
      EXPECT_EQ(parallel.views[v].logExposure, serial.views[v].logExposure);
      EXPECT_EQ(parallel.views[v].scatter, serial.views[v].scatter);
    }
  }
}

TEST(PoissonProfile, OpenBeamDeterminesNoAttenuation)
{
  Scene scene(9, 100.0, 0.0, 2, 2);
  for (auto & view : scene.views)
  {
    std::fill(view.depths.begin(), view.depths.end(), 0.0);
  }
  const auto profile = scene.Solve(Everything);
  EXPECT_EQ(profile.attenuationScale, 1.0); // where it started
  EXPECT_TRUE(std::isfinite(profile.value));
  for (const auto & unknown : profile.unknowns)
  {
    EXPECT_NE(unknown.kind, PoissonProfile::Kind::Attenuation);
  }
}

TEST(PoissonProfile, HatFunctionsAddUpToOneAndReachTheEdges)
{
  for (const std::int64_t nodes : { 1, 2, 5 })
  {
    const compute::HatBasis basis(nodes, 7, 1, 3, 22); // pixels 1, 4, ... 19 of 22
    std::vector<double>     sum(7, 0.0);
    for (std::int64_t node = 0; node < nodes; ++node)
    {
      const auto function = basis.GetFunction(node);
      for (std::size_t i = 0; i < 7; ++i)
      {
        const double place = (1.0 + 3.0 * static_cast<double>(i) + 0.5) / 22.0 * static_cast<double>(nodes - 1);
        EXPECT_NEAR(function[i], std::max(0.0, 1.0 - std::abs(place - static_cast<double>(node))), 1e-12);
        sum[i] += function[i];
      }
    }
    for (const double value : sum)
    {
      EXPECT_NEAR(value, 1.0, 1e-12);
    }
  }
}
