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
#include "compute/CorrelationOfGradients.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace radiography::compute
{
namespace
{

using Stencil = std::vector<DifferencePixel>;

Stencil
MakeStencil(const DifferenceOperator & difference)
{
  const double half = 0.5 / difference.spacing;
  Stencil      stencil;
  const auto   add = [&](std::int64_t across, double weight) {
    for (const std::int64_t along : { -1, 1 })
    {
      const double factor = static_cast<double>(along) * weight * half;
      stencil.push_back(difference.axis == 0 ? DifferencePixel{ along, across, factor }
                                             : DifferencePixel{ across, along, factor });
    }
  };
  if (difference.kind == DifferenceKind::Central)
  {
    add(0, 1.0);
    return stencil;
  }
  add(-1, 0.25);
  add(0, 0.5);
  add(1, 0.25);
  return stencil;
}

bool
IsInside(const PixelGrid & grid, std::int64_t column, std::int64_t row)
{
  return column >= 0 && column < grid.columns && row >= 0 && row < grid.rows;
}

/** Calls visit(column, row, place) for every pixel; place counts in raster order. */
template <typename TVisit>
void
ForEachPixel(const PixelGrid & grid, const ParallelFor & parallelFor, const TVisit & visit)
{
  ForEachRowPiece(grid, parallelFor, [&](const RowPiece & piece) {
    for (std::int64_t i = 0; i < piece.length; ++i)
    {
      const std::int64_t column = piece.column + i;
      visit(column, piece.row, static_cast<std::size_t>(column + piece.row * grid.columns));
    }
  });
}

std::size_t
PlaceOf(const PixelGrid & grid, std::int64_t column, std::int64_t row)
{
  return static_cast<std::size_t>(column + row * grid.columns);
}

PixelView<const double>
ViewOf(const PixelGrid & grid, const std::vector<double> & pixels)
{
  return { pixels.data(), grid.columns, grid.columns * grid.rows };
}

PixelView<double>
ViewOf(const PixelGrid & grid, std::vector<double> & pixels)
{
  return { pixels.data(), grid.columns, grid.columns * grid.rows };
}

PixelView<const unsigned char>
ViewOf(const PixelGrid & grid, const std::vector<unsigned char> & pixels)
{
  return { pixels.data(), grid.columns, grid.columns * grid.rows };
}

/** One axis: its operator, and which pixels have a difference. */
struct GradientAxis
{
  DifferenceOperator         difference;
  std::vector<unsigned char> mask;
};

/** What an evaluation has to work with. */
struct GradientInputs
{
  const PixelGrid &           grid;
  const std::vector<double> & predicted;
  const std::vector<double> & observed;
  ComparedQuantity            compared;
  CorrelationSign             sign;
  SimilarityOrder             order;
  const ParallelFor &         parallelFor;
};

/** The derivatives of one axis with respect to q(L); couplings are still those of differences. */
struct AxisDerivatives
{
  std::vector<double> score;
  std::vector<double> couplings[2];
};

AxisDerivatives
DifferentiateAxis(const GradientInputs & inputs, const CorrelationImages & pair, const Correlation & correlation)
{
  const PixelGrid &      grid = inputs.grid;
  AxisDerivatives        result;
  CorrelationDerivatives outputs;
  result.score.resize(inputs.predicted.size());
  outputs.score = ViewOf(grid, result.score);
  if (inputs.order == SimilarityOrder::Information)
  {
    for (auto & column : result.couplings)
    {
      column.resize(inputs.predicted.size());
    }
    outputs.constant = ViewOf(grid, result.couplings[0]);
    outputs.slope = ViewOf(grid, result.couplings[1]);
  }
  DifferentiateCorrelation(grid, pair, correlation, outputs, inputs.parallelFor);
  return result;
}

/** factor x D^T, then dq / dL. */
std::vector<double>
PullBackToDepths(const GradientInputs &      inputs,
                 const GradientAxis &        axis,
                 const std::vector<double> & differences,
                 double                      factor)
{
  auto pixels = DifferentiateTransposed(inputs.grid, axis.difference, differences, inputs.parallelFor);
  for (double & pixel : pixels)
  {
    pixel *= factor;
  }
  MultiplyBySlopes(inputs.predicted, inputs.compared, pixels);
  return pixels;
}

/** The greatest difference that pixels of such magnitudes can have. */
double
GreatestDifference(const std::vector<double> & pixels, const GradientAxis & axis)
{
  double greatest = 0.0;
  for (const double pixel : pixels)
  {
    greatest = std::max(greatest, std::abs(pixel));
  }
  return greatest / axis.difference.spacing;
}

/** Adds half of what one axis has to say. */
void
AddAxis(const GradientInputs & inputs, const GradientAxis & axis, SimilarityTerms & terms)
{
  constexpr double  half = 0.5;
  const PixelGrid & grid = inputs.grid;
  const auto        predicted = Differentiate(grid, axis.difference, inputs.predicted, axis.mask, inputs.parallelFor);
  const auto        observed = Differentiate(grid, axis.difference, inputs.observed, axis.mask, inputs.parallelFor);
  const CorrelationImages pair{ ViewOf(grid, predicted),
                                ViewOf(grid, observed),
                                ViewOf(grid, axis.mask),
                                GreatestDifference(inputs.predicted, axis),
                                GreatestDifference(inputs.observed, axis) };
  const Correlation       correlation = MeasureCorrelation(grid, pair, inputs.sign, inputs.parallelFor);
  terms.value += half * correlation.value;
  terms.pixels += correlation.pixels;
  terms.isDefined = terms.isDefined && correlation.isDefined;
  if (inputs.order == SimilarityOrder::Value)
  {
    return;
  }
  const AxisDerivatives derivatives = DifferentiateAxis(inputs, pair, correlation);
  const auto            score = PullBackToDepths(inputs, axis, derivatives.score, half);
  std::transform(score.begin(), score.end(), terms.scores.begin(), terms.scores.begin(), std::plus<>());
  if (inputs.order == SimilarityOrder::Information)
  {
    const double        weight = half * CorrelationWeight(correlation);
    std::vector<double> weights(axis.mask.size());
    std::transform(axis.mask.begin(), axis.mask.end(), weights.begin(), [weight](unsigned char isThere) {
      return isThere != 0 ? weight : 0.0;
    });
    terms.differences.push_back({ MakeStencil(axis.difference), std::move(weights) });
    for (const auto & column : derivatives.couplings)
    {
      terms.couplings.push_back(PullBackToDepths(inputs, axis, column, std::sqrt(half)));
    }
  }
}

} // namespace

std::vector<unsigned char>
MakeDifferenceMask(const PixelGrid &                      grid,
                   const DifferenceOperator &             difference,
                   const PixelView<const unsigned char> & mask,
                   const ParallelFor &                    parallelFor)
{
  const Stencil stencil = MakeStencil(difference);
  const auto    isThere = [&](std::int64_t column, std::int64_t row) {
    return IsInside(grid, column, row) && (!mask || *mask.At({ column, row, 0, 1 }) != 0);
  };
  std::vector<unsigned char> valid(static_cast<std::size_t>(grid.Count()));
  ForEachPixel(grid, parallelFor, [&](std::int64_t column, std::int64_t row, std::size_t place) {
    // Each pixel of the stencil, and the one on its line that lies between it and its opposite.
    valid[place] = std::all_of(stencil.begin(), stencil.end(), [&](const DifferencePixel & pixel) {
      const std::int64_t middleColumn = difference.axis == 0 ? column : column + pixel.column;
      const std::int64_t middleRow = difference.axis == 0 ? row + pixel.row : row;
      return isThere(column + pixel.column, row + pixel.row) && isThere(middleColumn, middleRow);
    });
  });
  return valid;
}

std::vector<double>
Differentiate(const PixelGrid &                  grid,
              const DifferenceOperator &         difference,
              const std::vector<double> &        pixels,
              const std::vector<unsigned char> & mask,
              const ParallelFor &                parallelFor)
{
  const Stencil       stencil = MakeStencil(difference);
  std::vector<double> result(pixels.size(), 0.0);
  ForEachPixel(grid, parallelFor, [&](std::int64_t column, std::int64_t row, std::size_t place) {
    for (std::size_t i = 0; mask[place] != 0 && i < stencil.size(); ++i)
    {
      result[place] += stencil[i].factor * pixels[PlaceOf(grid, column + stencil[i].column, row + stencil[i].row)];
    }
  });
  return result;
}

std::vector<double>
DifferentiateTransposed(const PixelGrid &           grid,
                        const DifferenceOperator &  difference,
                        const std::vector<double> & differences,
                        const ParallelFor &         parallelFor)
{
  const Stencil       stencil = MakeStencil(difference);
  std::vector<double> result(differences.size(), 0.0);
  ForEachPixel(grid, parallelFor, [&](std::int64_t column, std::int64_t row, std::size_t place) {
    for (const DifferencePixel & pixel : stencil)
    {
      const std::int64_t c = column - pixel.column;
      const std::int64_t r = row - pixel.row;
      if (IsInside(grid, c, r))
      {
        result[place] += pixel.factor * differences[PlaceOf(grid, c, r)];
      }
    }
  });
  return result;
}

SimilarityTerms
EvaluateGradientCorrelation(const PixelGrid &             grid,
                            const DepthImages &           images,
                            const std::array<double, 2> & spacing,
                            DifferenceKind                kind,
                            ComparedQuantity              compared,
                            CorrelationSign               sign,
                            SimilarityOrder               order,
                            const ParallelFor &           parallelFor)
{
  const auto           predicted = MakeComparedImage(grid, images, compared, parallelFor);
  const auto           observed = MakeObservedImage(grid, images, parallelFor);
  const GradientInputs inputs{ grid, predicted, observed, compared, sign, order, parallelFor };

  SimilarityTerms terms;
  terms.isDefined = true;
  terms.scores.assign(order == SimilarityOrder::Value ? 0 : predicted.size(), 0.0);
  for (int i = 0; i < 2; ++i)
  {
    GradientAxis axis{ { kind, i, spacing[static_cast<std::size_t>(i)] }, {} };
    axis.mask = MakeDifferenceMask(grid, axis.difference, images.mask, parallelFor);
    AddAxis(inputs, axis, terms);
  }
  if (order == SimilarityOrder::Information && compared != ComparedQuantity::OpticalDepth)
  {
    terms.slopes.assign(predicted.size(), 1.0);
    MultiplyBySlopes(predicted, compared, terms.slopes);
  }
  return terms;
}

} // namespace radiography::compute
