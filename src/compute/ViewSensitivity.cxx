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

#include "compute/PixelSum.h"
#include "compute/PixelTiles.h"
#include "compute/RayDerivatives.h"
#include "compute/ViewPlan.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>
#include <type_traits>
#include <vector>

namespace radiography::compute
{

namespace
{

using Vector3 = std::array<double, 3>;

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

/** Rays of whole rows of pixels. */
struct RayBand
{
  std::int64_t                        firstColumn;
  std::int64_t                        firstRow;
  std::int64_t                        columns;
  std::vector<kernel::RaySensitivity> rays;

  RayBand(std::int64_t column, std::int64_t row, std::int64_t columnCount, std::int64_t rowCount)
    : firstColumn(column)
    , firstRow(row)
    , columns(columnCount)
    , rays(static_cast<std::size_t>(columnCount * rowCount))
  {}

  const kernel::RaySensitivity &
  At(std::int64_t column, std::int64_t row) const
  {
    return rays[static_cast<std::size_t>(column - firstColumn + (row - firstRow) * columns)];
  }

  RayDerivativeRegion
  MakeRegion(const unsigned char * mask)
  {
    return { rays.data(), firstColumn, firstRow, columns, static_cast<std::int64_t>(rays.size()) / columns, mask };
  }
};

/** Differentiates band after band of the rays of a view, on any thread, and keeps the report of them all. */
class BandDifferentiator
{
public:
  BandDifferentiator(const VolumeLayouts &    layouts,
                     const SensitivityView &  view,
                     Projector                projector,
                     const ProjectionPolicy & policy)
    : m_Layouts(layouts)
    , m_Rays(view.rays)
    , m_Plan(MakeViewPlan(view.rays, projector, policy))
    , m_Policy(policy)
  {}

  void
  Differentiate(RayBand & band, const unsigned char * mask = nullptr)
  {
    const ComputeReport report =
      DifferentiateRays(m_Layouts, m_Rays, m_Plan, m_Policy, SerialFor, band.MakeRegion(mask));
    m_RaysWithEndInside += report.raysWithEndInside;
    std::call_once(m_IsReported, [&]() { m_Report = report; });
  }

  /** The pixels [begin, end) of raster order, with zeros for the others of their rows. */
  RayBand
  DifferentiatePixels(std::int64_t begin, std::int64_t end)
  {
    const std::int64_t         columns = m_Rays.columns;
    const std::int64_t         firstRow = begin / columns;
    RayBand                    band(0, firstRow, columns, (end - 1) / columns + 1 - firstRow);
    std::vector<unsigned char> mask(band.rays.size(), 0);
    std::fill(mask.begin() + (begin - firstRow * columns), mask.begin() + (end - firstRow * columns), 1);
    this->Differentiate(band, mask.data());
    return band;
  }

  /** When all bands are through. */
  ComputeReport
  GetReport() const
  {
    ComputeReport report = m_Report;
    report.raysWithEndInside = m_RaysWithEndInside;
    return report;
  }

private:
  const VolumeLayouts &     m_Layouts;
  const kernel::ViewRays &  m_Rays;
  ViewPlan                  m_Plan;
  const ProjectionPolicy &  m_Policy;
  std::once_flag            m_IsReported;
  ComputeReport             m_Report;
  std::atomic<std::int64_t> m_RaysWithEndInside{ 0 };
};

constexpr int AffineCount = 12;

/** Origin, column step and row step of an affine point, each with the 1 (or 0) of an affine map's fourth column. */
using HomogeneousPoint = std::array<std::array<double, 4>, 3>;

HomogeneousPoint
MakeHomogeneous(const kernel::ViewRays::AffinePoint & point)
{
  HomogeneousPoint result{ { { 0.0, 0.0, 0.0, 1.0 }, {}, {} } };
  for (int axis = 0; axis < 3; ++axis)
  {
    result[0][axis] = point.origin[axis];
    result[1][axis] = point.column[axis];
    result[2][axis] = point.row[axis];
  }
  return result;
}

std::array<double, 4>
Evaluate(const HomogeneousPoint & point, double column, double row)
{
  std::array<double, 4> result{};
  for (int i = 0; i < 4; ++i)
  {
    result[i] = point[0][i] + column * point[1][i] + row * point[2][i];
  }
  return result;
}

/** Where the rays start in the world: their ends less their spans. */
kernel::ViewRays::AffinePoint
GetWorldStart(const SensitivityView & view)
{
  kernel::ViewRays::AffinePoint start{};
  for (int axis = 0; axis < 3; ++axis)
  {
    start.origin[axis] = view.worldEnd.origin[axis] - view.rays.span.origin[axis];
    start.column[axis] = view.worldEnd.column[axis] - view.rays.span.column[axis];
    start.row[axis] = view.worldEnd.row[axis] - view.rays.span.row[axis];
  }
  return start;
}

/** Where entry (i, j) of the 3 x 4 matrix [A b] stands in ViewSensitivity::affine. */
constexpr std::size_t
GetAffinePlace(int i, int j)
{
  return static_cast<std::size_t>(j < 3 ? 3 * i + j : 9 + i);
}

/** dL / d(A, b), but for the way from points of the volume to index space, which all pixels share: nine of A and three
 * of b as rows of 3 x 4, of a pixel whose ray's ends have these gradients. */
using AffineGradient = std::array<double, AffineCount>;

AffineGradient
MakeAffineGradient(const kernel::RaySensitivity & ray,
                   const std::array<double, 4> &  start,
                   const std::array<double, 4> &  end)
{
  AffineGradient gradient{};
  for (int i = 0; i < 3; ++i)
  {
    for (int j = 0; j < 4; ++j)
    {
      gradient[4 * i + j] = ray.start[i] * start[j] + ray.end[i] * end[j];
    }
  }
  return gradient;
}

/** Adds weight x gradient gradient^T on and right of the 4 x 4 blocks of the diagonal. */
void
AddOuterProduct(const AffineGradient & gradient, double weight, double (&sum)[AffineCount][AffineCount])
{
  const auto addRows = [&](auto first) {
    for (int i = first; i < first + 4; ++i)
    {
      const double weighted = weight * gradient[i];
      for (int j = first; j < AffineCount; ++j)
      {
        sum[i][j] += weighted * gradient[j];
      }
    }
  };
  addRows(std::integral_constant<int, 0>());
  addRows(std::integral_constant<int, 4>());
  addRows(std::integral_constant<int, 8>());
}

/** What is added up over pixels, in index space: 1, column and row times score times gradient, from which all first
 * derivatives follow; and the Fisher matrix. */
struct SensitivitySums
{
  using Moments = std::array<Vector3, 3>;

  double  value{ 0.0 };
  Moments start{};
  Moments end{};
  Moments length{}; // of the depth's gradient with respect to the end in the world, through the ray's length
  double  fisher[AffineCount][AffineCount]{};

  void
  AddFirst(const kernel::RaySensitivity & ray, const Vector3 & lengthGradient, double score, double column, double row)
  {
    const double factors[3] = { score, score * column, score * row };
    for (int k = 0; k < 3; ++k)
    {
      for (int axis = 0; axis < 3; ++axis)
      {
        start[k][axis] += factors[k] * ray.start[axis];
        end[k][axis] += factors[k] * ray.end[axis];
        length[k][axis] += factors[k] * lengthGradient[axis];
      }
    }
  }

  SensitivitySums &
  operator+=(const SensitivitySums & other)
  {
    value += other.value;
    for (int k = 0; k < 3; ++k)
    {
      AddAll(start[k], other.start[k]);
      AddAll(end[k], other.end[k]);
      AddAll(length[k], other.length[k]);
    }
    for (int i = 0; i < AffineCount; ++i)
    {
      AddAll(fisher[i], other.fisher[i]);
    }
    return *this;
  }

private:
  template <typename TArray>
  static void
  AddAll(TArray & to, const TArray & from)
  {
    for (std::size_t i = 0; i < std::size(to); ++i)
    {
      to[i] += from[i];
    }
  }
};

/** Contracts the gradients of pixels of a view. */
class PixelContraction
{
public:
  PixelContraction(const SensitivityView & view, const ObjectiveOfPixel & objective)
    : m_Span(view.rays.span)
    , m_Objective(objective)
    , m_WorldStart(MakeHomogeneous(GetWorldStart(view)))
    , m_WorldEnd(MakeHomogeneous(view.worldEnd))
  {}

  void
  Add(const kernel::RaySensitivity & ray, std::int64_t column, std::int64_t row, SensitivitySums & sums) const
  {
    const auto           x = static_cast<double>(column);
    const auto           y = static_cast<double>(row);
    const PixelObjective pixel = m_Objective(column, row, ray.depth);
    sums.value += pixel.value;
    sums.AddFirst(ray, this->MakeLengthGradient(ray.depth, x, y), pixel.score, x, y);
    if (pixel.fisher != 0.0)
    {
      AddOuterProduct(
        MakeAffineGradient(ray, Evaluate(m_WorldStart, x, y), Evaluate(m_WorldEnd, x, y)), pixel.fisher, sums.fisher);
    }
  }

  ViewSensitivity
  Finish(const SensitivitySums & sums, const SensitivityView & view) const
  {
    ViewSensitivity result;
    result.value = sums.value;
    this->FinishAffine(sums, view, result);
    FinishFisher(sums, view, result);
    FinishEnds(sums, view, result);
    return result;
  }

private:
  Vector3
  MakeLengthGradient(double depth, double column, double row) const
  {
    Vector3 span{};
    double  squaredLength = 0.0;
    for (int axis = 0; axis < 3; ++axis)
    {
      span[axis] = kernel::Evaluate(m_Span, axis, column, row);
      squaredLength += span[axis] * span[axis];
    }
    const double factor = depth / squaredLength;
    return { factor * span[0], factor * span[1], factor * span[2] };
  }

  /** dL / dA = G0 S^T + G1 P^T and dL / db = G0 + G1, with S and P affine in the pixel. */
  void
  FinishAffine(const SensitivitySums & sums, const SensitivityView & view, ViewSensitivity & result) const
  {
    for (int k = 0; k < 3; ++k)
    {
      const Vector3 start = PullBack(view.indexFromPoint, sums.start[k]);
      const Vector3 end = PullBack(view.indexFromPoint, sums.end[k]);
      for (int i = 0; i < 3; ++i)
      {
        for (int j = 0; j < 4; ++j)
        {
          result.affine[GetAffinePlace(i, j)] += start[i] * m_WorldStart[k][j] + end[i] * m_WorldEnd[k][j];
        }
      }
    }
  }

  /** Both sides of the sum in index space go back to points of the volume. */
  static void
  FinishFisher(const SensitivitySums & sums, const SensitivityView & view, ViewSensitivity & result)
  {
    const auto entry = [&](int i, int j) { return i / 4 <= j / 4 ? sums.fisher[i][j] : sums.fisher[j][i]; };
    for (int j = 0; j < 4; ++j)
    {
      for (int l = 0; l < 4; ++l)
      {
        double block[3][3];
        for (int a = 0; a < 3; ++a)
        {
          const Vector3 row{ entry(4 * a + j, l), entry(4 * a + j, 4 + l), entry(4 * a + j, 8 + l) };
          const Vector3 pulled = PullBack(view.indexFromPoint, row);
          std::copy(pulled.begin(), pulled.end(), block[a]);
        }
        for (int k = 0; k < 3; ++k)
        {
          const Vector3 pulled = PullBack(view.indexFromPoint, Vector3{ block[0][k], block[1][k], block[2][k] });
          for (int i = 0; i < 3; ++i)
          {
            result.affineFisher[GetAffinePlace(i, j)][GetAffinePlace(k, l)] = pulled[i];
          }
        }
      }
    }
    // Rounding may tell the two halves apart.
    for (int i = 0; i < AffineCount; ++i)
    {
      for (int j = 0; j < i; ++j)
      {
        result.affineFisher[i][j] = result.affineFisher[j][i];
      }
    }
  }

  static void
  FinishEnds(const SensitivitySums & sums, const SensitivityView & view, ViewSensitivity & result)
  {
    const auto toWorld = [&](const Vector3 & gradient) {
      return PullBack(view.pointFromWorld, PullBack(view.indexFromPoint, gradient));
    };
    for (int k = 0; k < 3; ++k)
    {
      result.worldStart[k] = toWorld(sums.start[k]);
      result.worldEnd[k] = toWorld(sums.end[k]);
      for (int axis = 0; axis < 3; ++axis)
      {
        result.worldStart[k][axis] -= sums.length[k][axis];
        result.worldEnd[k][axis] += sums.length[k][axis];
      }
    }
  }

  const kernel::ViewRays::AffinePoint & m_Span;
  const ObjectiveOfPixel &              m_Objective;
  HomogeneousPoint                      m_WorldStart;
  HomogeneousPoint                      m_WorldEnd;
};

/** dL / d(omega, tau) of one pixel. */
std::array<double, 6>
MakePoseGradient(const kernel::RaySensitivity & ray,
                 const SensitivityView &        view,
                 const Vector3 &                centre,
                 double                         column,
                 double                         row)
{
  const Vector3 start = PullBack(view.pointFromWorld, PullBack(view.indexFromPoint, ray.start));
  const Vector3 end = PullBack(view.pointFromWorld, PullBack(view.indexFromPoint, ray.end));
  Vector3       startArm{};
  Vector3       endArm{};
  for (int axis = 0; axis < 3; ++axis)
  {
    endArm[axis] = kernel::Evaluate(view.worldEnd, axis, column, row) - centre[axis];
    startArm[axis] = endArm[axis] - kernel::Evaluate(view.rays.span, axis, column, row);
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
ContractSensitivities(const VolumeLayouts &    layouts,
                      const SensitivityView &  view,
                      Projector                projector,
                      const ProjectionPolicy & policy,
                      const ParallelFor &      parallelFor,
                      const ObjectiveOfPixel & objective)
{
  const PixelGrid        grid{ view.rays.columns, view.rays.rows, 1 };
  const std::int64_t     sumsPerBand = policy.derivativeRows * grid.columns / PixelsPerSum;
  BandDifferentiator     differentiator(layouts, view, projector, policy);
  const PixelContraction contraction(view, objective);

  const auto sums = SumOverPreparedPixels<SensitivitySums>(
    grid,
    std::max<std::int64_t>(sumsPerBand, 1) * PixelsPerSum,
    parallelFor,
    [&](std::int64_t begin, std::int64_t end) {
      return [&contraction, band = differentiator.DifferentiatePixels(begin, end)](const RowPiece &  piece,
                                                                                   SensitivitySums & sum) {
        for (std::int64_t column = piece.column; column < piece.column + piece.length; ++column)
        {
          contraction.Add(band.At(column, piece.row), column, piece.row, sum);
        }
      };
    });

  ViewSensitivity result = contraction.Finish(sums, view);
  result.report = differentiator.GetReport();
  return result;
}

ComputeReport
ComputePoseJacobian(const VolumeLayouts &         layouts,
                    const SensitivityView &       view,
                    const std::array<double, 3> & centre,
                    Projector                     projector,
                    const ProjectionPolicy &      policy,
                    const ParallelFor &           parallelFor,
                    const PoseJacobianImage &     output)
{
  BandDifferentiator differentiator(layouts, view, projector, policy);
  ProjectionPolicy   bands = policy;
  bands.tileColumns = output.firstColumn + output.columns;
  bands.tileRows = policy.derivativeRows;
  const PixelTiles tiles(output.firstColumn, output.firstRow, output.columns, output.rows, bands);

  parallelFor(tiles.GetCount(), [&](std::int64_t item) {
    const PixelTiles::Tile tile = tiles.GetTile(item);
    RayBand                band(tile.columnBegin, tile.rowBegin, output.columns, tile.rowEnd - tile.rowBegin);
    differentiator.Differentiate(band);
    for (std::int64_t row = tile.rowBegin; row < tile.rowEnd; ++row)
    {
      float * values = output.values + 6 * (row - output.firstRow) * output.columns;
      for (std::int64_t column = tile.columnBegin; column < tile.columnEnd; ++column)
      {
        const auto gradient =
          MakePoseGradient(band.At(column, row), view, centre, static_cast<double>(column), static_cast<double>(row));
        values = std::transform(
          gradient.begin(), gradient.end(), values, [](double value) { return static_cast<float>(value); });
      }
    }
  });
  return differentiator.GetReport();
}

} // namespace radiography::compute
