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
#include "BackwardThreads.h"
#include "RandomVolume.h"
#include "compute/ForwardProjection.h"
#include "compute/ViewSensitivity.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace radiography;

namespace
{

using AffinePoint = kernel::ViewRays::AffinePoint;

/** All that a view's rays come from, as 12 + 9 + 9 numbers that can be moved one by one. */
struct Scene
{
  double      poseMatrix[3][3];
  double      poseOffset[3];
  AffinePoint worldStart;
  AffinePoint worldEnd;
  double      indexFromPoint[3][3];
  double      indexOffset[3];

  static constexpr int Count = 30;

  double &
  Parameter(int i)
  {
    if (i < 12)
    {
      return i < 9 ? poseMatrix[i / 3][i % 3] : poseOffset[i - 9];
    }
    AffinePoint & point = i < 21 ? worldStart : worldEnd;
    double(&part)[3] = (i - 12) % 9 < 3 ? point.origin : ((i - 12) % 9 < 6 ? point.column : point.row);
    return part[(i - 12) % 3];
  }
};

AffinePoint
MapPoint(const double (&matrix)[3][3], const double (&offset)[3], const AffinePoint & point)
{
  AffinePoint mapped{};
  for (int i = 0; i < 3; ++i)
  {
    mapped.origin[i] = offset[i];
    for (int j = 0; j < 3; ++j)
    {
      mapped.origin[i] += matrix[i][j] * point.origin[j];
      mapped.column[i] += matrix[i][j] * point.column[j];
      mapped.row[i] += matrix[i][j] * point.row[j];
    }
  }
  return mapped;
}

compute::SensitivityView
MakeView(const Scene & scene, std::int64_t columns, std::int64_t rows)
{
  compute::SensitivityView view{};
  view.rays.columns = columns;
  view.rays.rows = rows;
  const auto toIndex = [&](const AffinePoint & world) {
    return MapPoint(scene.indexFromPoint, scene.indexOffset, MapPoint(scene.poseMatrix, scene.poseOffset, world));
  };
  view.rays.start = toIndex(scene.worldStart);
  view.rays.end = toIndex(scene.worldEnd);
  view.worldEnd = scene.worldEnd;
  for (int i = 0; i < 3; ++i)
  {
    view.rays.span.origin[i] = scene.worldEnd.origin[i] - scene.worldStart.origin[i];
    view.rays.span.column[i] = scene.worldEnd.column[i] - scene.worldStart.column[i];
    view.rays.span.row[i] = scene.worldEnd.row[i] - scene.worldStart.row[i];
    for (int j = 0; j < 3; ++j)
    {
      view.pointFromWorld[i][j] = scene.poseMatrix[i][j];
      view.indexFromPoint[i][j] = scene.indexFromPoint[i][j];
    }
  }
  return view;
}

/** Around a volume of 6 x 5 x 7 voxels: a general affine pose, a cone or (every other time) a parallel beam. */
Scene
RandomScene(test::Random & random, bool parallel)
{
  Scene scene{};
  for (int i = 0; i < 3; ++i)
  {
    for (int j = 0; j < 3; ++j)
    {
      scene.poseMatrix[i][j] = (i == j ? 1.0 : 0.0) + random.Uniform(-0.3, 0.3);
      scene.indexFromPoint[i][j] = (i == (j + 1) % 3 ? 0.8 : 0.0) + random.Uniform(-0.1, 0.1);
    }
    scene.poseOffset[i] = random.Uniform(-1.0, 1.0);
    scene.indexOffset[i] = random.Uniform(2.0, 3.0);
    scene.worldEnd.column[i] = random.Uniform(-0.4, 0.4);
    scene.worldEnd.row[i] = random.Uniform(-0.4, 0.4);
    scene.worldStart.origin[i] = random.Uniform(-4.0, 4.0) + (i == 1 ? -30.0 : 0.0);
    scene.worldEnd.origin[i] =
      random.Uniform(-2.0, 2.0) + (i == 1 ? 20.0 : 0.0) - 4.5 * scene.worldEnd.column[i] - 3.5 * scene.worldEnd.row[i];
    if (parallel)
    {
      scene.worldStart.origin[i] += scene.worldEnd.origin[i] * (i == 1 ? 0.0 : 1.0);
      scene.worldStart.column[i] = scene.worldEnd.column[i];
      scene.worldStart.row[i] = scene.worldEnd.row[i];
    }
  }
  return scene;
}

/** Nothing linear, and different from pixel to pixel. */
compute::PixelObjective
EvaluateObjective(std::int64_t column, std::int64_t row, double depth)
{
  const double a = 0.3 + 0.1 * static_cast<double>(column % 3);
  const double b = 0.2 + 0.07 * static_cast<double>(row);
  return { a * depth + 0.5 * b * depth * depth, a + b * depth, 0.5 + 0.1 * static_cast<double>(row) };
}

constexpr std::int64_t Columns = 10;
constexpr std::int64_t Rows = 8;

/** The scalar reference: differences of depths in binary32 are worth nothing at small steps. */
compute::ProjectionPolicy
MakeScalarPolicy()
{
  compute::ProjectionPolicy policy;
  policy.simd = 0;
  return policy;
}

compute::ViewSensitivity
Contract(const test::OwnedVolume &         volume,
         const Scene &                     scene,
         compute::Projector                projector,
         const compute::ObjectiveOfPixel & objective = EvaluateObjective,
         const compute::ProjectionPolicy & policy = {})
{
  return compute::ContractSensitivities(
    volume.view, MakeView(scene, Columns, Rows), projector, policy, compute::SerialFor, objective);
}

template <typename TCheck>
void
ForRandomScenes(unsigned int seed, int trials, TCheck && check)
{
  test::Random random(seed);
  for (int trial = 0; trial < trials; ++trial)
  {
    test::OwnedVolume volume(6, 5, 7);
    random.Fill(volume);
    const Scene scene = RandomScene(random, trial % 2 == 1);
    for (const auto projector :
         { compute::Projector::Joseph, compute::Projector::CellGauss, compute::Projector::Siddon })
    {
      SCOPED_TRACE(testing::Message() << "seed " << seed << " trial " << trial << ' ' << compute::ToString(projector)
                                      << " first " << kernel::MakeRay(MakeView(scene, Columns, Rows).rays, 0.0, 0.0));
      check(volume, scene, projector);
    }
  }
}

} // namespace

TEST(ViewSensitivity, AllDerivativesAgreeWithCentralDifferences)
{
  // Pose (12), the rays' starts (9) and ends (9) in the world, of an objective that is not linear in the depths.
  double largest = 0.0;
  int    josephs = 0;
  ForRandomScenes(1, 12, [&](const test::OwnedVolume & volume, Scene scene, compute::Projector projector) {
    const auto contract = [&]() { return Contract(volume, scene, projector, EvaluateObjective, MakeScalarPolicy()); };
    const auto result = contract();
    josephs += result.report.projector == "joseph" ? 1 : 0;
    for (int i = 0; i < Scene::Count; ++i)
    {
      const double found =
        i < 12 ? result.affine[i]
               : (i < 21 ? result.worldStart[(i - 12) / 3][(i - 12) % 3] : result.worldEnd[(i - 21) / 3][(i - 21) % 3]);
      const double origin = scene.Parameter(i);
      const auto   difference = [&](double h) {
        double values[2];
        for (int side = 0; side < 2; ++side)
        {
          scene.Parameter(i) = origin + (side == 0 ? -h : h);
          values[side] = contract().value;
        }
        scene.Parameter(i) = origin;
        return (values[1] - values[0]) / (2.0 * h);
      };
      const double h = 1e-7;
      const double coarse = difference(h);
      const double fine = difference(0.5 * h);
      EXPECT_NEAR(found, fine, 3.0 * std::abs(coarse - fine) + 1e-6 * (1.0 + result.value)) << "parameter " << i;
      largest = std::max(largest, std::abs(found));
    }
  });
  EXPECT_GT(largest, 1.0);
  EXPECT_GT(josephs, 6) << "the scenes are worth nothing";
}

TEST(ViewSensitivity, PacketsGiveTheDerivativesOfTheReference)
{
  int ran = 0;
  ForRandomScenes(6, 20, [&](const test::OwnedVolume & volume, const Scene & scene, compute::Projector projector) {
    const auto packets = Contract(volume, scene, projector);
    const auto reference = Contract(volume, scene, projector, EvaluateObjective, MakeScalarPolicy());
    if (packets.report.kernel.find("packets") == std::string::npos)
    {
      EXPECT_EQ(packets.affine, reference.affine) << packets.report.kernel;
      return;
    }
    ++ran;
    EXPECT_EQ(packets.report.notUsed.count("simd"), 0U);
    EXPECT_NEAR(packets.value, reference.value, 1e-6 * reference.value);
    for (int i = 0; i < 12; ++i)
    {
      const double scale = std::sqrt(reference.affineFisher[i][i] * 80.0);
      EXPECT_NEAR(packets.affine[i], reference.affine[i], 1e-5 * scale) << i;
      for (int j = 0; j < 12; ++j)
      {
        EXPECT_NEAR(packets.affineFisher[i][j],
                    reference.affineFisher[i][j],
                    1e-5 * std::sqrt(reference.affineFisher[i][i] * reference.affineFisher[j][j]))
          << i << ' ' << j;
      }
    }
  });
  EXPECT_GT(ran, 5) << "no packets: nothing is tested";
}

TEST(ViewSensitivity, ResultsDoNotDependOnTheBands)
{
  test::Random      random(7);
  test::OwnedVolume volume(6, 5, 7);
  random.Fill(volume);
  const std::int64_t columns = 37; // sums and bands begin within rows
  const std::int64_t rows = 300;
  Scene              scene = RandomScene(random, false);
  scene.worldEnd.origin[1] -= 20.0; // the detector cuts through the volume, all rows of it
  for (double & step : scene.worldEnd.row)
  {
    step *= 0.02;
  }
  const auto view = MakeView(scene, columns, rows);
  for (const auto projector : { compute::Projector::Joseph, compute::Projector::Siddon })
  {
    const auto contract = [&](const compute::ProjectionPolicy & policy) {
      return compute::ContractSensitivities(
        volume.view, view, projector, policy, compute::SerialFor, EvaluateObjective);
    };
    const auto differentiate = [&](const compute::ProjectionPolicy & policy) {
      std::vector<float> jacobian(static_cast<size_t>(6 * columns * rows));
      compute::ComputePoseJacobian(volume.view,
                                   view,
                                   { { 1.0, 2.0, 3.0 } },
                                   projector,
                                   policy,
                                   compute::SerialFor,
                                   { jacobian.data(), 0, 0, columns, rows });
      return jacobian;
    };
    compute::ProjectionPolicy oneBand;
    compute::ProjectionPolicy threeBands;
    threeBands.derivativePixels = 4096;
    EXPECT_EQ(compute::CountSensitivityRuns(columns, rows, oneBand), 2);
    EXPECT_EQ(compute::CountSensitivityRuns(columns, rows, threeBands), 6);
    const auto reference = contract(oneBand);
    const auto result = contract(threeBands);
    EXPECT_EQ(result.affine, reference.affine);
    EXPECT_EQ(result.affineFisher, reference.affineFisher);
    EXPECT_EQ(result.worldEnd, reference.worldEnd);
    EXPECT_EQ(result.report.raysWithEndInside, reference.report.raysWithEndInside);
    EXPECT_GT(result.report.raysWithEndInside, 0);
    EXPECT_EQ(differentiate(threeBands), differentiate(oneBand));
  }
}

TEST(ViewSensitivity, SumsAreThoseOfThePixels)
{
  ForRandomScenes(2, 4, [](const test::OwnedVolume & volume, const Scene & scene, compute::Projector projector) {
    const auto             whole = Contract(volume, scene, projector);
    std::array<double, 12> affine{};
    double                 fisher[12][12] = {};
    double                 value = 0.0;
    for (std::int64_t row = 0; row < Rows; ++row)
    {
      for (std::int64_t column = 0; column < Columns; ++column)
      {
        compute::PixelObjective own{};
        // The Jacobian of this pixel alone.
        const auto jacobian = Contract(volume,
                                       scene,
                                       projector,
                                       [&](std::int64_t c, std::int64_t r, double depth) -> compute::PixelObjective {
                                         if (c != column || r != row)
                                         {
                                           return {};
                                         }
                                         own = EvaluateObjective(c, r, depth);
                                         return { depth, 1.0, 0.0 };
                                       })
                                .affine;
        value += own.value;
        for (int i = 0; i < 12; ++i)
        {
          affine[i] += own.score * jacobian[i];
          for (int j = 0; j < 12; ++j)
          {
            fisher[i][j] += own.fisher * jacobian[i] * jacobian[j];
          }
        }
      }
    }
    EXPECT_NEAR(whole.value, value, 1e-12 * value);
    for (int i = 0; i < 12; ++i)
    {
      EXPECT_NEAR(whole.affine[i], affine[i], 1e-10) << i;
      for (int j = 0; j < 12; ++j)
      {
        EXPECT_NEAR(whole.affineFisher[i][j], fisher[i][j], 1e-9 * std::sqrt(fisher[i][i] * fisher[j][j]))
          << i << ' ' << j;
      }
    }
  });
}

TEST(ViewSensitivity, DepthsAreThoseOfTheForwardProjection)
{
  ForRandomScenes(3, 4, [](const test::OwnedVolume & volume, const Scene & scene, compute::Projector projector) {
    compute::ProjectionPolicy policy;
    std::vector<float>        depths(static_cast<size_t>(Columns * Rows));
    std::vector<float>        found(depths.size());
    compute::ForwardProject(volume.view,
                            MakeView(scene, Columns, Rows).rays,
                            projector,
                            policy,
                            compute::SerialFor,
                            { depths.data(), 0, 0, Columns, Rows });
    Contract(volume, scene, projector, [&](std::int64_t column, std::int64_t row, double depth) {
      found.at(static_cast<size_t>(column + row * Columns)) = static_cast<float>(depth);
      return compute::PixelObjective{};
    });
    for (size_t i = 0; i < found.size(); ++i)
    {
      EXPECT_NEAR(found[i], depths[i], 1e-5F * depths[i] + 1e-7F) << "an accelerated path may be that far off";
    }
  });
}

TEST(ViewSensitivity, SameBitsForAnyNumberOfThreads)
{
  test::Random      random(4);
  test::OwnedVolume volume(6, 5, 7);
  random.Fill(volume);
  const auto view = MakeView(RandomScene(random, false), 130, 90); // three items of work
  for (const auto projector : { compute::Projector::Joseph, compute::Projector::CellGauss, compute::Projector::Siddon })
  {
    const auto run = [&](const compute::ParallelFor & parallelFor) {
      return compute::ContractSensitivities(volume.view, view, projector, {}, parallelFor, EvaluateObjective);
    };
    const auto reference = run(compute::SerialFor);
    for (const int threads : { 1, 2, 7 })
    {
      const auto result = run(testthreads::Backward(threads));
      EXPECT_EQ(result.value, reference.value);
      EXPECT_EQ(result.affine, reference.affine);
      EXPECT_EQ(result.affineFisher, reference.affineFisher);
      EXPECT_EQ(result.worldStart, reference.worldStart);
      EXPECT_EQ(result.worldEnd, reference.worldEnd);
    }
  }
}

TEST(ViewSensitivity, ThePoseJacobianIsThatOfTheAffineChain)
{
  // omega, tau at a centre c: dA = A [omega]x, db = A (tau - omega x c), applied to the Jacobian of each pixel.
  const std::array<double, 3> centre{ { 1.5, -2.0, 0.5 } };
  ForRandomScenes(5, 3, [&](const test::OwnedVolume & volume, const Scene & scene, compute::Projector projector) {
    std::vector<float> jacobian(static_cast<size_t>(6 * Columns * Rows));
    compute::ComputePoseJacobian(volume.view,
                                 MakeView(scene, Columns, Rows),
                                 centre,
                                 projector,
                                 {},
                                 compute::SerialFor,
                                 { jacobian.data(), 0, 0, Columns, Rows });
    for (std::int64_t pixel = 0; pixel < Columns * Rows; pixel += 7)
    {
      const auto affine = Contract(volume,
                                   scene,
                                   projector,
                                   [&](std::int64_t column, std::int64_t row, double) -> compute::PixelObjective {
                                     return { 0.0, column + row * Columns == pixel ? 1.0 : 0.0, 0.0 };
                                   })
                            .affine;
      for (int parameter = 0; parameter < 6; ++parameter)
      {
        const int  k = parameter % 3;
        const bool turns = parameter < 3;
        const int  next = (k + 1) % 3;
        const int  last = (k + 2) % 3;
        double     motion[3] = { 0.0, 0.0, 0.0 }; // tau - omega x c
        double     cross[3][3] = {};              // [omega]x
        if (turns)
        {
          cross[last][next] = 1.0;
          cross[next][last] = -1.0;
          motion[last] = -centre[next];
          motion[next] = centre[last];
        }
        else
        {
          motion[k] = 1.0;
        }
        double expected = 0.0;
        for (int i = 0; i < 3; ++i)
        {
          for (int j = 0; j < 3; ++j)
          {
            expected += affine[9 + i] * scene.poseMatrix[i][j] * motion[j];
            for (int l = 0; l < 3; ++l)
            {
              expected += affine[3 * i + l] * scene.poseMatrix[i][j] * cross[j][l];
            }
          }
        }
        EXPECT_NEAR(jacobian[static_cast<size_t>(6 * pixel + parameter)], expected, 1e-6 * (1.0 + std::abs(expected)))
          << "pixel " << pixel << " parameter " << parameter;
      }
    }
  });
}
