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
#include "compute/ViewSensitivity.h"

#include "compute/PacketChoice.h"
#include "compute/PixelSum.h"
#include "compute/PixelTiles.h"
#include "compute/RayDerivatives.h"
#include "compute/ViewPlan.h"

#include <atomic>
#include <string>

namespace radiography::compute
{

namespace
{

using Vector3 = std::array<double, 3>;

ComputeReport
MakeReport(const ViewPlan & plan, const ProjectionPolicy & policy)
{
  ComputeReport report = MakeProjectionReport(plan, policy, " with gradients, scalar binary64");
  report.notUsed["simd"] = "not built: gradients have scalar kernels only";
  return report;
}

/** matrix^T vector: how a gradient goes back through a linear map. */
template <typename TVector>
Vector3
PullBack(const double (&matrix)[3][3], const TVector & gradient)
{
  Vector3 result{};
  for (int j = 0; j < 3; ++j)
  {
    for (int i = 0; i < 3; ++i)
    {
      result[j] += matrix[i][j] * gradient[i];
    }
  }
  return result;
}

Vector3
Cross(const Vector3 & a, const Vector3 & b)
{
  return { a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0] };
}

/** The depth of one pixel, its gradients with respect to the ends of its ray in points of the volume (the length held),
 * and where these ends are in the world. */
struct PixelSensitivity
{
  double  depth{ 0.0 };
  Vector3 start{};
  Vector3 end{};
  Vector3 worldStart{};
  Vector3 worldEnd{};
  Vector3 lengthGradient{}; // of the depth, with respect to the end in the world, through the ray's length
  bool    endsInside{ false };
};

PixelSensitivity
DifferentiatePixel(const kernel::VolumeView & volume,
                   const SensitivityView &    view,
                   const ViewPlan &           plan,
                   double                     column,
                   double                     row)
{
  const kernel::Ray            ray = kernel::MakeRay(view.rays, column, row);
  std::int64_t                 endsInside = 0;
  const kernel::RaySensitivity sensitivity = DifferentiateRay(volume, ray, plan, endsInside);

  PixelSensitivity pixel;
  pixel.depth = sensitivity.depth;
  pixel.start = PullBack(view.indexFromPoint, sensitivity.start);
  pixel.end = PullBack(view.indexFromPoint, sensitivity.end);
  pixel.endsInside = endsInside > 0;
  for (int axis = 0; axis < 3; ++axis)
  {
    const double span = kernel::Evaluate(view.rays.span, axis, column, row);
    pixel.worldEnd[axis] = kernel::Evaluate(view.worldEnd, axis, column, row);
    pixel.worldStart[axis] = pixel.worldEnd[axis] - span;
    pixel.lengthGradient[axis] = sensitivity.depth * span / (ray.worldLength * ray.worldLength);
  }
  return pixel;
}

constexpr int AffineCount = 12;

/** dL / d(A, b). */
std::array<double, AffineCount>
MakeAffineGradient(const PixelSensitivity & pixel)
{
  std::array<double, AffineCount> gradient{};
  for (int i = 0; i < 3; ++i)
  {
    for (int j = 0; j < 3; ++j)
    {
      gradient[3 * i + j] = pixel.start[i] * pixel.worldStart[j] + pixel.end[i] * pixel.worldEnd[j];
    }
    gradient[9 + i] = pixel.start[i] + pixel.end[i];
  }
  return gradient;
}

/** What is added up over pixels: 1, column and row times score times gradient, from which all first derivatives follow;
 * and the upper triangle of the Fisher matrix. */
struct SensitivitySums
{
  using Moments = std::array<Vector3, 3>;

  double                                                 value{ 0.0 };
  std::array<double, AffineCount>                        affine{};
  Moments                                                start{};
  Moments                                                end{};
  Moments                                                length{};
  std::array<double, AffineCount *(AffineCount + 1) / 2> fisher{};

  void
  Add(const PixelSensitivity & pixel, const PixelObjective & objective, double column, double row)
  {
    value += objective.value;
    const auto gradient = MakeAffineGradient(pixel);
    for (int i = 0; i < AffineCount; ++i)
    {
      affine[i] += objective.score * gradient[i];
    }
    const double factors[3] = { objective.score, objective.score * column, objective.score * row };
    for (int k = 0; k < 3; ++k)
    {
      for (int axis = 0; axis < 3; ++axis)
      {
        start[k][axis] += factors[k] * pixel.start[axis];
        end[k][axis] += factors[k] * pixel.end[axis];
        length[k][axis] += factors[k] * pixel.lengthGradient[axis];
      }
    }
    int place = 0;
    for (int i = 0; i < AffineCount; ++i)
    {
      const double weighted = objective.fisher * gradient[i];
      for (int j = i; j < AffineCount; ++j)
      {
        fisher[place++] += weighted * gradient[j];
      }
    }
  }

  SensitivitySums &
  operator+=(const SensitivitySums & other)
  {
    value += other.value;
    AddAll(affine, other.affine);
    AddAll(fisher, other.fisher);
    for (int k = 0; k < 3; ++k)
    {
      AddAll(start[k], other.start[k]);
      AddAll(end[k], other.end[k]);
      AddAll(length[k], other.length[k]);
    }
    return *this;
  }

private:
  template <typename TArray>
  static void
  AddAll(TArray & to, const TArray & from)
  {
    for (std::size_t i = 0; i < to.size(); ++i)
    {
      to[i] += from[i];
    }
  }
};

ViewSensitivity
Finish(const SensitivitySums & sums, const SensitivityView & view)
{
  ViewSensitivity result;
  result.value = sums.value;
  result.affine = sums.affine;
  int place = 0;
  for (int i = 0; i < AffineCount; ++i)
  {
    for (int j = i; j < AffineCount; ++j)
    {
      result.affineFisher[i][j] = result.affineFisher[j][i] = sums.fisher[place++];
    }
  }
  for (int k = 0; k < 3; ++k)
  {
    result.worldStart[k] = PullBack(view.pointFromWorld, sums.start[k]);
    result.worldEnd[k] = PullBack(view.pointFromWorld, sums.end[k]);
    for (int axis = 0; axis < 3; ++axis)
    {
      result.worldStart[k][axis] -= sums.length[k][axis];
      result.worldEnd[k][axis] += sums.length[k][axis];
    }
  }
  return result;
}

/** dL / d(omega, tau) of one pixel. */
std::array<double, 6>
MakePoseGradient(const PixelSensitivity & pixel, const double (&pointFromWorld)[3][3], const Vector3 & centre)
{
  const Vector3 start = PullBack(pointFromWorld, pixel.start);
  const Vector3 end = PullBack(pointFromWorld, pixel.end);
  Vector3       startArm{};
  Vector3       endArm{};
  for (int axis = 0; axis < 3; ++axis)
  {
    startArm[axis] = pixel.worldStart[axis] - centre[axis];
    endArm[axis] = pixel.worldEnd[axis] - centre[axis];
  }
  const Vector3         startTurn = Cross(startArm, start);
  const Vector3         endTurn = Cross(endArm, end);
  std::array<double, 6> gradient{};
  for (int axis = 0; axis < 3; ++axis)
  {
    gradient[axis] = startTurn[axis] + endTurn[axis];
    gradient[3 + axis] = start[axis] + end[axis];
  }
  return gradient;
}

} // namespace

ViewSensitivity
ContractSensitivities(const kernel::VolumeView & volume,
                      const SensitivityView &    view,
                      Projector                  projector,
                      const ProjectionPolicy &   policy,
                      const ParallelFor &        parallelFor,
                      const ObjectiveOfPixel &   objective)
{
  const ViewPlan            plan = MakeViewPlan(view.rays, projector, policy);
  const PixelGrid           grid{ view.rays.columns, view.rays.rows, 1 };
  std::atomic<std::int64_t> raysWithEndInside{ 0 };

  const auto sums =
    SumOverPixels<SensitivitySums>(grid, parallelFor, [&](const RowPiece & piece, SensitivitySums & sum) {
      std::int64_t endsInside = 0;
      for (std::int64_t column = piece.column; column < piece.column + piece.length; ++column)
      {
        const auto             x = static_cast<double>(column);
        const auto             y = static_cast<double>(piece.row);
        const PixelSensitivity pixel = DifferentiatePixel(volume, view, plan, x, y);
        endsInside += pixel.endsInside ? 1 : 0;
        sum.Add(pixel, objective(column, piece.row, pixel.depth), x, y);
      }
      raysWithEndInside += endsInside;
    });

  ViewSensitivity result = Finish(sums, view);
  result.report = MakeReport(plan, policy);
  result.report.raysWithEndInside = raysWithEndInside;
  return result;
}

ComputeReport
ComputePoseJacobian(const kernel::VolumeView &    volume,
                    const SensitivityView &       view,
                    const std::array<double, 3> & centre,
                    Projector                     projector,
                    const ProjectionPolicy &      policy,
                    const ParallelFor &           parallelFor,
                    const PoseJacobianImage &     output)
{
  const ViewPlan            plan = MakeViewPlan(view.rays, projector, policy);
  const PixelTiles          tiles(output.firstColumn, output.firstRow, output.columns, output.rows, policy);
  std::atomic<std::int64_t> raysWithEndInside{ 0 };

  parallelFor(tiles.GetCount(), [&](std::int64_t item) {
    const PixelTiles::Tile tile = tiles.GetTile(item);
    std::int64_t           endsInside = 0;
    for (std::int64_t row = tile.rowBegin; row < tile.rowEnd; ++row)
    {
      for (std::int64_t column = tile.columnBegin; column < tile.columnEnd; ++column)
      {
        const PixelSensitivity pixel =
          DifferentiatePixel(volume, view, plan, static_cast<double>(column), static_cast<double>(row));
        endsInside += pixel.endsInside ? 1 : 0;
        const auto    gradient = MakePoseGradient(pixel, view.pointFromWorld, centre);
        float * const values =
          output.values + 6 * (column - output.firstColumn + (row - output.firstRow) * output.columns);
        for (std::size_t i = 0; i < gradient.size(); ++i)
        {
          values[i] = static_cast<float>(gradient[i]);
        }
      }
    }
    raysWithEndInside += endsInside;
  });

  ComputeReport report = MakeReport(plan, policy);
  report.raysWithEndInside = raysWithEndInside;
  return report;
}

} // namespace radiography::compute
