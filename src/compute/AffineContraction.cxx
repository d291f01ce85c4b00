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
#include "compute/AffineContraction.h"

#include "compute/PixelSum.h"

#include <algorithm>
#include <cstddef>

namespace radiography::compute
{

namespace
{

using Vector3 = std::array<double, 3>;

/** Pixels side by side in one step of a sum: registers of any width are filled, and the order of additions is the
 * same for all. */
constexpr int LaneCount = 8;
using Lanes = std::array<double, LaneCount>;

/** All of J depends on 12 moments of a ray, [u, v, c v, r v], by a matrix that is the same for the whole view: with g0,
 * g1 the gradients for the two ends of the ray, c and r the pixel's column and row counted from the middle,
 * - rays from one point S: dL/dA = g0 S^T + g1 P^T, dL/db = g0 + g1 (before index space is left), so u = g0, v = g1;
 * - rays along one vector D: dL/dA = (g0 + g1) P^T - g0 D^T, dL/db = g0 + g1, so u = -g0, v = g0 + g1;
 * and P = origin + c columnStep + r rowStep. Sums over a row of pixels then need no r. */
class MomentFrame
{
public:
  explicit MomentFrame(const SensitivityView & view)
    : m_View(view)
    , m_IsParallel(IsZero(view.rays.span.column) && IsZero(view.rays.span.row))
    , m_MiddleColumn(0.5 * static_cast<double>(view.rays.columns - 1))
    , m_MiddleRow(0.5 * static_cast<double>(view.rays.rows - 1))
  {}

  double
  GetColumn(std::int64_t column) const
  {
    return static_cast<double>(column) - m_MiddleColumn;
  }

  double
  GetRow(std::int64_t row) const
  {
    return static_cast<double>(row) - m_MiddleRow;
  }

  void
  Split(const kernel::RaySensitivity & ray, Vector3 & u, Vector3 & v) const
  {
    for (std::size_t axis = 0; axis < 3; ++axis)
    {
      u[axis] = m_IsParallel ? -ray.start[axis] : ray.start[axis];
      v[axis] = m_IsParallel ? ray.start[axis] + ray.end[axis] : ray.end[axis];
    }
  }

  AffineVector
  MakeMoments(const kernel::RaySensitivity & ray, std::int64_t column, std::int64_t row) const
  {
    Vector3 u{};
    Vector3 v{};
    this->Split(ray, u, v);
    AffineVector moments{};
    for (std::size_t axis = 0; axis < 3; ++axis)
    {
      moments[axis] = u[axis];
      moments[3 + axis] = v[axis];
      moments[6 + axis] = this->GetColumn(column) * v[axis];
      moments[9 + axis] = this->GetRow(row) * v[axis];
    }
    return moments;
  }

  /** J = T moments. */
  AffineMatrix
  MakeTransfer() const
  {
    const auto & end = m_View.worldEnd;
    AffineMatrix transfer{};
    for (std::size_t i = 0; i < 3; ++i)
    {
      for (std::size_t k = 0; k < 3; ++k)
      {
        const double pull = m_View.indexFromPoint[k][i];
        for (std::size_t j = 0; j < 3; ++j)
        {
          const double point = end.origin[j] + m_MiddleColumn * end.column[j] + m_MiddleRow * end.row[j];
          auto &       entry = transfer[3 * i + j];
          entry[k] = pull * this->GetFixedVector(j);
          entry[3 + k] = pull * point;
          entry[6 + k] = pull * end.column[j];
          entry[9 + k] = pull * end.row[j];
        }
        transfer[9 + i][k] = m_IsParallel ? 0.0 : pull;
        transfer[9 + i][3 + k] = pull;
      }
    }
    return transfer;
  }

private:
  static bool
  IsZero(const double (&vector)[3])
  {
    return vector[0] == 0.0 && vector[1] == 0.0 && vector[2] == 0.0;
  }

  /** S or D. */
  double
  GetFixedVector(std::size_t axis) const
  {
    const double span = m_View.rays.span.origin[axis];
    return m_IsParallel ? span : m_View.worldEnd.origin[axis] - span;
  }

  const SensitivityView & m_View;
  bool                    m_IsParallel;
  double                  m_MiddleColumn;
  double                  m_MiddleRow;
};

AffineVector
Apply(const AffineMatrix & transfer, const AffineVector & moments)
{
  AffineVector result{};
  for (std::size_t i = 0; i < 12; ++i)
  {
    for (std::size_t j = 0; j < 12; ++j)
    {
      result[i] += transfer[i][j] * moments[j];
    }
  }
  return result;
}

/** T F T^T. */
AffineMatrix
Apply(const AffineMatrix & transfer, const AffineMatrix & form)
{
  AffineMatrix half{};
  for (std::size_t i = 0; i < 12; ++i)
  {
    half[i] = Apply(transfer, form[i]); // F is symmetric: row i of F T^T
  }
  AffineMatrix result{};
  for (std::size_t i = 0; i < 12; ++i)
  {
    for (std::size_t j = 0; j < 12; ++j)
    {
      for (std::size_t k = 0; k < 12; ++k)
      {
        result[i][j] += transfer[i][k] * half[k][j];
      }
    }
  }
  // Rounding leaves the two halves different in the last bits.
  for (std::size_t i = 0; i < 12; ++i)
  {
    for (std::size_t j = 0; j < i; ++j)
    {
      result[i][j] = result[j][i];
    }
  }
  return result;
}

double
AddUp(const Lanes & lanes)
{
  return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

/** u, v and c of some pixels of one row, transposed for sums over several pixels at once; 0 behind the last pixel. */
struct RowOfRays
{
  static constexpr std::size_t Capacity = PixelsPerSum + LaneCount;

  std::int64_t count{ 0 };
  double       u[3][Capacity]{};
  double       v[3][Capacity]{};
  double       column[Capacity]{};

  void
  Load(const MomentFrame & frame, const kernel::RaySensitivity * rays, std::int64_t firstColumn, std::int64_t length)
  {
    count = length;
    for (std::int64_t i = 0; i < length; ++i)
    {
      Vector3 ray[2];
      frame.Split(rays[i], ray[0], ray[1]);
      for (std::size_t axis = 0; axis < 3; ++axis)
      {
        u[axis][i] = ray[0][axis];
        v[axis][i] = ray[1][axis];
      }
      column[i] = frame.GetColumn(firstColumn + i);
    }
  }
};

/** factor[i] of the pixels i + lane, 0 behind the last one. */
Lanes
LoadFactors(const double * factors, std::int64_t i, std::int64_t end)
{
  Lanes              lanes{};
  const std::int64_t count = std::min<std::int64_t>(LaneCount, end - i);
  for (std::int64_t lane = 0; lane < count; ++lane)
  {
    lanes[static_cast<std::size_t>(lane)] = factors[i + lane];
  }
  return lanes;
}

void
AddProduct(Lanes & sum, const Lanes & a, const double * b)
{
  for (std::size_t lane = 0; lane < LaneCount; ++lane)
  {
    sum[lane] += a[lane] * b[lane];
  }
}

Lanes
Multiply(const Lanes & a, const double * b)
{
  Lanes product{};
  for (std::size_t lane = 0; lane < LaneCount; ++lane)
  {
    product[lane] = a[lane] * b[lane];
  }
  return product;
}

bool
IsZero(const Lanes & lanes)
{
  return std::all_of(lanes.begin(), lanes.end(), [](double value) { return value == 0.0; });
}

/** The sum over some pixels of one row of factor x moments, added to `moments`. */
void
AddMoments(const RowOfRays & pixels,
           const double *    factors,
           std::int64_t      begin,
           std::int64_t      end,
           double            rowFactor,
           double            row,
           AffineVector &    moments)
{
  Lanes sums[9]{};
  for (std::int64_t i = begin; i < end; i += LaneCount)
  {
    const Lanes factor = LoadFactors(factors, i, end);
    const Lanes withColumn = Multiply(factor, pixels.column + i);
    for (std::size_t axis = 0; axis < 3; ++axis)
    {
      AddProduct(sums[axis], factor, pixels.u[axis] + i);
      AddProduct(sums[3 + axis], factor, pixels.v[axis] + i);
      AddProduct(sums[6 + axis], withColumn, pixels.v[axis] + i);
    }
  }
  for (std::size_t axis = 0; axis < 3; ++axis)
  {
    moments[axis] += rowFactor * AddUp(sums[axis]);
    moments[3 + axis] += rowFactor * AddUp(sums[3 + axis]);
    moments[6 + axis] += rowFactor * AddUp(sums[6 + axis]);
    moments[9 + axis] += rowFactor * (row * AddUp(sums[3 + axis]));
  }
}

/** Sums over some pixels of one row of weight x products of u, v and column. */
struct RowProducts
{
  Lanes uu[6]{};
  Lanes uv[9]{};
  Lanes uvColumn[9]{};
  Lanes vv[6]{};
  Lanes vvColumn[6]{};
  Lanes vvColumnColumn[6]{};

  void
  Add(const RowOfRays & pixels, std::int64_t i, const Lanes & weight)
  {
    const Lanes weightColumn = Multiply(weight, pixels.column + i);
    const Lanes weightColumnColumn = Multiply(weightColumn, pixels.column + i);
    std::size_t place = 0;
    for (std::size_t a = 0; a < 3; ++a)
    {
      const Lanes u = Multiply(weight, pixels.u[a] + i);
      const Lanes uColumn = Multiply(weightColumn, pixels.u[a] + i);
      const Lanes v = Multiply(weight, pixels.v[a] + i);
      const Lanes vColumn = Multiply(weightColumn, pixels.v[a] + i);
      const Lanes vColumnColumn = Multiply(weightColumnColumn, pixels.v[a] + i);
      for (std::size_t b = 0; b < 3; ++b)
      {
        AddProduct(uv[3 * a + b], u, pixels.v[b] + i);
        AddProduct(uvColumn[3 * a + b], uColumn, pixels.v[b] + i);
      }
      for (std::size_t b = a; b < 3; ++b, ++place)
      {
        AddProduct(uu[place], u, pixels.u[b] + i);
        AddProduct(vv[place], v, pixels.v[b] + i);
        AddProduct(vvColumn[place], vColumn, pixels.v[b] + i);
        AddProduct(vvColumnColumn[place], vColumnColumn, pixels.v[b] + i);
      }
    }
  }

  /** Adds the quadratic form of [u, v, c v, r v]: its upper triangle. */
  void
  AddTo(AffineMatrix & form, double row) const
  {
    std::size_t place = 0;
    for (std::size_t a = 0; a < 3; ++a)
    {
      for (std::size_t b = 0; b < 3; ++b)
      {
        const double mixed = AddUp(uv[3 * a + b]);
        form[a][3 + b] += mixed;
        form[a][6 + b] += AddUp(uvColumn[3 * a + b]);
        form[a][9 + b] += row * mixed;
      }
      for (std::size_t b = a; b < 3; ++b, ++place)
      {
        const double plain = AddUp(vv[place]);
        const double column = AddUp(vvColumn[place]);
        form[a][b] += AddUp(uu[place]);
        form[3 + a][3 + b] += plain;
        form[6 + a][6 + b] += AddUp(vvColumnColumn[place]);
        form[9 + a][9 + b] += row * (row * plain);
        this->AddBoth(form, 3, 6, a, b, column);
        this->AddBoth(form, 3, 9, a, b, row * plain);
        this->AddBoth(form, 6, 9, a, b, row * column);
      }
    }
  }

private:
  /** A symmetric 3 x 3 block off the diagonal: both of its triangles. */
  static void
  AddBoth(AffineMatrix & form, std::size_t top, std::size_t left, std::size_t a, std::size_t b, double value)
  {
    form[top + a][left + b] += value;
    if (a != b)
    {
      form[top + b][left + a] += value;
    }
  }
};

/** Adds weight x v v^T: its upper triangle. */
void
AddSquare(const AffineVector & vector, double weight, AffineMatrix & form)
{
  for (std::size_t i = 0; i < 12; ++i)
  {
    const double weighted = weight * vector[i];
    for (std::size_t j = i; j < 12; ++j)
    {
      form[i][j] += weighted * vector[j];
    }
  }
}

void
AddAll(AffineVector & to, const AffineVector & from)
{
  for (std::size_t i = 0; i < 12; ++i)
  {
    to[i] += from[i];
  }
}

/** Sums in the moment frame; of the form the upper triangle. */
struct MomentSums
{
  AffineVector              score{};
  AffineMatrix              form{};
  std::vector<AffineVector> couplings;

  MomentSums &
  operator+=(const MomentSums & other)
  {
    AddAll(score, other.score);
    for (std::size_t i = 0; i < 12; ++i)
    {
      AddAll(form[i], other.form[i]);
    }
    couplings.resize(std::max(couplings.size(), other.couplings.size()));
    for (std::size_t k = 0; k < other.couplings.size(); ++k)
    {
      AddAll(couplings[k], other.couplings[k]);
    }
    return *this;
  }
};

/** A coupling with the stretch of columns where it is not 0. */
struct CouplingPart
{
  CouplingWeights weights;
  std::int64_t    begin;
  std::int64_t    end;
};

CouplingPart
FindStretch(const CouplingWeights & weights, std::int64_t columns)
{
  CouplingPart part{ weights, 0, columns };
  if (weights.columnFactors != nullptr)
  {
    const auto isZero = [&](std::int64_t column) { return weights.columnFactors[column] == 0.0; };
    while (part.begin < part.end && isZero(part.begin))
    {
      ++part.begin;
    }
    while (part.begin < part.end && isZero(part.end - 1))
    {
      --part.end;
    }
  }
  return part;
}

/** What is added up for a piece of a row. */
class PieceContraction
{
public:
  PieceContraction(const SensitivityView &              view,
                   const kernel::RaySensitivity *       rays,
                   const ContractionWeights &           weights,
                   const std::vector<CouplingWeights> & couplings)
    : m_Frame(view)
    , m_Columns(view.rays.columns)
    , m_Rays(rays)
    , m_Weights(weights)
  {
    for (const CouplingWeights & coupling : couplings)
    {
      m_Couplings.push_back(FindStretch(coupling, m_Columns));
    }
  }

  void
  Add(const RowPiece & piece, MomentSums & sums) const
  {
    const std::int64_t first = piece.column + piece.row * m_Columns;
    const double       row = m_Frame.GetRow(piece.row);
    RowOfRays          pixels;
    pixels.Load(m_Frame, m_Rays + first, piece.column, piece.length);
    if (m_Weights.scores != nullptr)
    {
      AddMoments(pixels, m_Weights.scores + first, 0, piece.length, 1.0, row, sums.score);
    }
    if (m_Weights.weights != nullptr)
    {
      AddForm(pixels, m_Weights.weights + first, row, sums.form);
    }
    for (const DifferenceWeights & difference : m_Weights.differences)
    {
      this->AddDifferences(piece, difference, sums.form);
    }
    this->AddCouplings(piece, pixels, row, sums);
  }

private:
  static void
  AddForm(const RowOfRays & pixels, const double * weights, double row, AffineMatrix & form)
  {
    RowProducts products;
    for (std::int64_t i = 0; i < pixels.count; i += LaneCount)
    {
      const Lanes weight = LoadFactors(weights, i, pixels.count);
      if (!IsZero(weight))
      {
        products.Add(pixels, i, weight);
      }
    }
    products.AddTo(form, row);
  }

  void
  AddDifferences(const RowPiece & piece, const DifferenceWeights & difference, AffineMatrix & form) const
  {
    for (std::int64_t column = piece.column; column < piece.column + piece.length; ++column)
    {
      const double weight = difference.weights[column + piece.row * m_Columns];
      if (weight != 0.0)
      {
        AddSquare(this->MomentsOf(difference.pixels, column, piece.row), weight, form);
      }
    }
  }

  AffineVector
  MomentsOf(const std::vector<DifferencePixel> & pixels, std::int64_t column, std::int64_t row) const
  {
    AffineVector sum{};
    for (const DifferencePixel & pixel : pixels)
    {
      const std::int64_t place = column + pixel.column + (row + pixel.row) * m_Columns;
      const double       factor = pixel.factor * (m_Weights.slopes != nullptr ? m_Weights.slopes[place] : 1.0);
      const AffineVector moments = m_Frame.MakeMoments(m_Rays[place], column + pixel.column, row + pixel.row);
      for (std::size_t i = 0; i < 12; ++i)
      {
        sum[i] += factor * moments[i];
      }
    }
    return sum;
  }

  void
  AddCouplings(const RowPiece & piece, const RowOfRays & pixels, double row, MomentSums & sums) const
  {
    sums.couplings.resize(m_Couplings.size());
    double factors[RowOfRays::Capacity];
    for (std::size_t k = 0; k < m_Couplings.size(); ++k)
    {
      const CouplingPart & part = m_Couplings[k];
      const double         rowFactor = part.weights.rowFactors != nullptr ? part.weights.rowFactors[piece.row] : 1.0;
      const std::int64_t   begin = std::max(part.begin, piece.column) - piece.column;
      const std::int64_t   end = std::min(part.end, piece.column + piece.length) - piece.column;
      if (rowFactor == 0.0 || begin >= end)
      {
        continue;
      }
      const double * const amplitudes = part.weights.amplitudes + piece.column + piece.row * m_Columns;
      for (std::int64_t i = begin; i < end; ++i)
      {
        const double columnFactor =
          part.weights.columnFactors != nullptr ? part.weights.columnFactors[piece.column + i] : 1.0;
        factors[i] = amplitudes[i] * columnFactor;
      }
      AddMoments(pixels, factors, begin, end, rowFactor, row, sums.couplings[k]);
    }
  }

  MomentFrame                    m_Frame;
  std::int64_t                   m_Columns;
  const kernel::RaySensitivity * m_Rays;
  ContractionWeights             m_Weights;
  std::vector<CouplingPart>      m_Couplings;
};

} // namespace

AffineContraction
ContractAffine(const SensitivityView &              view,
               const kernel::RaySensitivity *       rays,
               const ContractionWeights &           weights,
               const std::vector<CouplingWeights> & couplings,
               const ParallelFor &                  parallelFor)
{
  const PieceContraction contraction(view, rays, weights, couplings);
  MomentSums             sums =
    SumOverPixels<MomentSums>({ view.rays.columns, view.rays.rows, 1 },
                              parallelFor,
                              [&](const RowPiece & piece, MomentSums & sum) { contraction.Add(piece, sum); });
  for (std::size_t i = 0; i < 12; ++i)
  {
    for (std::size_t j = 0; j < i; ++j)
    {
      sums.form[i][j] = sums.form[j][i];
    }
  }
  const AffineMatrix transfer = MomentFrame(view).MakeTransfer();
  AffineContraction  result;
  result.score = Apply(transfer, sums.score);
  result.information = Apply(transfer, sums.form);
  for (const AffineVector & coupling : sums.couplings)
  {
    result.couplings.push_back(Apply(transfer, coupling));
  }
  return result;
}

std::vector<AffineVector>
ContractAffineBlocks(const SensitivityView &        view,
                     const kernel::RaySensitivity * rays,
                     const double *                 scores,
                     std::int64_t                   blockSize,
                     const ParallelFor &            parallelFor)
{
  const std::int64_t        columns = view.rays.columns;
  const std::int64_t        rows = view.rays.rows;
  const std::int64_t        blockColumns = (columns + blockSize - 1) / blockSize;
  const std::int64_t        blockRows = (rows + blockSize - 1) / blockSize;
  const MomentFrame         frame(view);
  const AffineMatrix        transfer = frame.MakeTransfer();
  std::vector<AffineVector> sums(static_cast<std::size_t>(blockColumns * blockRows));
  parallelFor(blockRows, [&](std::int64_t blockRow) {
    const auto first = static_cast<std::size_t>(blockRow * blockColumns);
    for (std::int64_t row = blockRow * blockSize; row < std::min(rows, (blockRow + 1) * blockSize); ++row)
    {
      for (std::int64_t column = 0; column < columns; ++column)
      {
        const std::int64_t pixel = column + row * columns;
        const AffineVector moments = frame.MakeMoments(rays[pixel], column, row);
        AffineVector &     sum = sums[first + static_cast<std::size_t>(column / blockSize)];
        for (std::size_t i = 0; i < 12; ++i)
        {
          sum[i] += scores[pixel] * moments[i];
        }
      }
    }
    for (std::int64_t block = 0; block < blockColumns; ++block)
    {
      AffineVector & sum = sums[first + static_cast<std::size_t>(block)];
      sum = Apply(transfer, sum);
    }
  });
  return sums;
}

} // namespace radiography::compute
