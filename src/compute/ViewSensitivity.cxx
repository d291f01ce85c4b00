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
#include "compute/RayDerivatives.h"
#include "compute/ViewPlan.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>
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

std::int64_t
GetPixelsPerBand(const ProjectionPolicy & policy)
{
  return std::max<std::int64_t>(policy.derivativePixels / PixelsPerTile, 1) * PixelsPerTile;
}

/** Differentiates the rays of a rectangle of pixels, band by band of its raster order, and keeps those of one band. */
class BandDifferentiator
{
public:
  BandDifferentiator(const VolumeLayouts &    layouts,
                     const SensitivityView &  view,
                     Projector                projector,
                     const ProjectionPolicy & policy,
                     const ParallelFor &      parallelFor,
                     const PixelGrid &        grid,
                     std::int64_t             firstColumn,
                     std::int64_t             firstRow)
    : m_Layouts(layouts)
    , m_View(view.rays)
    , m_Plan(MakeViewPlan(view.rays, projector, policy))
    , m_Policy(policy)
    , m_ParallelFor(parallelFor)
    , m_Grid(grid)
    , m_FirstColumn(firstColumn)
    , m_FirstRow(firstRow)
  {}

  /** The pixels [begin, end), in the place of those of the band before. */
  void
  Differentiate(std::int64_t begin, std::int64_t end)
  {
    m_BandRow = begin / m_Grid.columns;
    const std::int64_t rows = (end - 1) / m_Grid.columns + 1 - m_BandRow;
    const std::int64_t bandBegin = m_BandRow * m_Grid.columns;
    m_Rays.resize(static_cast<std::size_t>(rows * m_Grid.columns));
    // A band may begin and end within a row.
    m_Mask.assign(m_Rays.size(), 0);
    std::fill(m_Mask.begin() + (begin - bandBegin), m_Mask.begin() + (end - bandBegin), 1);

    const RayDerivativeRegion region{ m_Rays.data(),  m_FirstColumn, m_FirstRow + m_BandRow,
                                      m_Grid.columns, rows,          m_Mask.data() };
    ComputeReport             report = DifferentiateRays(m_Layouts, m_View, m_Plan, m_Policy, m_ParallelFor, region);
    report.raysWithEndInside += m_Report.raysWithEndInside;
    m_Report = std::move(report);
  }

  /** A pixel of the present band; column and row are counted from the rectangle's first ones. */
  const kernel::RaySensitivity &
  At(std::int64_t column, std::int64_t row) const
  {
    return m_Rays[static_cast<std::size_t>(column + (row - m_BandRow) * m_Grid.columns)];
  }

  /** Of all bands so far. */
  const ComputeReport &
  GetReport() const
  {
    return m_Report;
  }

private:
  const VolumeLayouts &               m_Layouts;
  const kernel::ViewRays &            m_View;
  ViewPlan                            m_Plan;
  const ProjectionPolicy &            m_Policy;
  const ParallelFor &                 m_ParallelFor;
  PixelGrid                           m_Grid;
  std::int64_t                        m_FirstColumn;
  std::int64_t                        m_FirstRow;
  std::int64_t                        m_BandRow{ 0 };
  std::vector<kernel::RaySensitivity> m_Rays;
  std::vector<unsigned char>          m_Mask;
  ComputeReport                       m_Report;
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

/** The sum of weight x gradient gradient^T on and right of the 4 x 4 blocks of the diagonal. */
using FisherSum = double[AffineCount][AffineCount];

/** Adds the pixels of a group to the Fisher matrix, one after the other: the sum stays in registers meanwhile. */
template <int VCount>
void
AddOuterProducts(const AffineGradient (&gradients)[VCount], const double (&weights)[VCount], FisherSum & sum)
{
  const auto addRows = [&](auto first) {
    for (int i = first; i < first + 4; ++i)
    {
      double weighted[VCount];
      for (int k = 0; k < VCount; ++k)
      {
        weighted[k] = weights[k] * gradients[k][i];
      }
      for (int j = first; j < AffineCount; ++j)
      {
        double entry = sum[i][j];
        for (int k = 0; k < VCount; ++k)
        {
          entry += weighted[k] * gradients[k][j];
        }
        sum[i][j] = entry;
      }
    }
  };
  addRows(std::integral_constant<int, 0>());
  addRows(std::integral_constant<int, 4>());
  addRows(std::integral_constant<int, 8>());
}

/** Pixels on their way to the Fisher matrix, in their order, a few at a time. */
class FisherGroup
{
public:
  explicit FisherGroup(FisherSum & sum)
    : m_Sum(sum)
  {}

  void
  Add(const AffineGradient & gradient, double weight)
  {
    m_Gradients[m_Count] = gradient;
    m_Weights[m_Count] = weight;
    if (++m_Count == Size)
    {
      AddOuterProducts(m_Gradients, m_Weights, m_Sum);
      m_Count = 0;
    }
  }

  /** What is left, when there are no more pixels. */
  void
  Flush()
  {
    for (int k = 0; k < m_Count; ++k)
    {
      AddOuterProducts<1>({ m_Gradients[k] }, { m_Weights[k] }, m_Sum);
    }
    m_Count = 0;
  }

private:
  static constexpr int Size = 4;

  FisherSum &    m_Sum;
  AffineGradient m_Gradients[Size];
  double         m_Weights[Size];
  int            m_Count{ 0 };
};

/** What is added up over pixels, in index space: 1, column and row times score times gradient, from which all first
 * derivatives follow; and the Fisher matrix. */
struct SensitivitySums
{
  using Moments = std::array<Vector3, 3>;

  double    value{ 0.0 };
  Moments   start{};
  Moments   end{};
  Moments   length{}; // of the depth's gradient with respect to the end in the world, through the ray's length
  FisherSum fisher{};

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
  Add(const RowPiece & piece, const BandDifferentiator & band, SensitivitySums & sums) const
  {
    FisherGroup group(sums.fisher);
    const auto  y = static_cast<double>(piece.row);
    for (std::int64_t column = piece.column; column < piece.column + piece.length; ++column)
    {
      const kernel::RaySensitivity & ray = band.At(column, piece.row);
      const auto                     x = static_cast<double>(column);
      const PixelObjective           pixel = m_Objective(column, piece.row, ray.depth);
      sums.value += pixel.value;
      sums.AddFirst(ray, this->MakeLengthGradient(ray.depth, x, y), pixel.score, x, y);
      if (pixel.fisher != 0.0)
      {
        group.Add(MakeAffineGradient(ray, Evaluate(m_WorldStart, x, y), Evaluate(m_WorldEnd, x, y)), pixel.fisher);
      }
    }
    group.Flush();
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

std::int64_t
CountSensitivityRuns(std::int64_t columns, std::int64_t rows, const ProjectionPolicy & policy)
{
  const std::int64_t pixelsPerBand = GetPixelsPerBand(policy);
  return 2 * ((columns * rows + pixelsPerBand - 1) / pixelsPerBand);
}

ViewSensitivity
ContractSensitivities(const VolumeLayouts &    layouts,
                      const SensitivityView &  view,
                      Projector                projector,
                      const ProjectionPolicy & policy,
                      const ParallelFor &      parallelFor,
                      const ObjectiveOfPixel & objective)
{
  const PixelGrid        grid{ view.rays.columns, view.rays.rows, 1 };
  BandDifferentiator     band(layouts, view, projector, policy, parallelFor, grid, 0, 0);
  const PixelContraction contraction(view, objective);

  const auto addPiece = [&](const RowPiece & piece, SensitivitySums & sum) { contraction.Add(piece, band, sum); };
  const auto prepare = [&](std::int64_t begin, std::int64_t end) {
    band.Differentiate(begin, end);
    return std::cref(addPiece);
  };
  const auto sums = SumOverPreparedPixels<SensitivitySums>(grid, GetPixelsPerBand(policy), parallelFor, prepare);

  ViewSensitivity result = contraction.Finish(sums, view);
  result.report = band.GetReport();
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
  const PixelGrid    grid{ output.columns, output.rows, 1 };
  const std::int64_t pixelsPerBand = GetPixelsPerBand(policy);
  BandDifferentiator band(layouts, view, projector, policy, parallelFor, grid, output.firstColumn, output.firstRow);

  const auto store = [&](const RowPiece & piece) {
    float * values = output.values + 6 * (piece.column + piece.row * output.columns);
    for (std::int64_t column = piece.column; column < piece.column + piece.length; ++column)
    {
      const auto gradient = MakePoseGradient(band.At(column, piece.row),
                                             view,
                                             centre,
                                             static_cast<double>(output.firstColumn + column),
                                             static_cast<double>(output.firstRow + piece.row));
      values = std::transform(
        gradient.begin(), gradient.end(), values, [](double value) { return static_cast<float>(value); });
    }
    return true;
  };
  for (std::int64_t begin = 0; begin < grid.Count(); begin += pixelsPerBand)
  {
    const std::int64_t end = std::min(grid.Count(), begin + pixelsPerBand);
    band.Differentiate(begin, end);
    parallelFor((end - begin + PixelsPerTile - 1) / PixelsPerTile,
                [&](std::int64_t tile) { VisitTile(grid, begin / PixelsPerTile + tile, store); });
  }
  return band.GetReport();
}

} // namespace radiography::compute
