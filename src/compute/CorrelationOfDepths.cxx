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
#include "compute/CorrelationOfDepths.h"

#include <algorithm>
#include <cmath>

namespace radiography::compute
{
namespace
{

template <typename TPixel>
PixelView<TPixel>
ContiguousView(const PixelGrid & grid, TPixel * first)
{
  return { first, grid.columns, grid.columns * grid.rows };
}

/** convert(pixel) of every pixel that is not masked, 0 elsewhere. */
template <typename TPixel, typename TConvert>
std::vector<double>
ConvertPixels(const PixelGrid &                      grid,
              const PixelView<const TPixel> &        pixels,
              const PixelView<const unsigned char> & mask,
              const ParallelFor &                    parallelFor,
              const TConvert &                       convert)
{
  std::vector<double>     converted(static_cast<std::size_t>(grid.Count()), 0.0);
  const PixelView<double> output = ContiguousView(grid, converted.data());
  ForEachRowPiece(grid, parallelFor, [&](const RowPiece & piece) {
    const TPixel * const        from = pixels.At(piece);
    const unsigned char * const isCompared = mask.At(piece);
    double * const              to = output.At(piece);
    for (std::int64_t i = 0; i < piece.length; ++i)
    {
      if (isCompared == nullptr || isCompared[i] != 0)
      {
        to[i] = convert(from[i]);
      }
    }
  });
  return converted;
}

/** From derivatives with respect to q(L), of which `predicted` are the values, to those with respect to L. */
void
ChainToDepths(const std::vector<double> & predicted, ComparedQuantity compared, SimilarityTerms & terms)
{
  if (compared == ComparedQuantity::OpticalDepth)
  {
    return;
  }
  MultiplyBySlopes(predicted, compared, terms.scores);
  MultiplyBySlopes(predicted, compared, terms.weights);
  MultiplyBySlopes(predicted, compared, terms.weights);
  for (auto & column : terms.couplings)
  {
    MultiplyBySlopes(predicted, compared, column);
  }
}

} // namespace

void
MultiplyBySlopes(const std::vector<double> & predicted, ComparedQuantity compared, std::vector<double> & factors)
{
  for (std::size_t i = 0; i < factors.size(); ++i)
  {
    factors[i] *= ComparedSlope(compared, predicted[i]);
  }
}

std::vector<double>
MakeComparedImage(const PixelGrid &   grid,
                  const DepthImages & images,
                  ComparedQuantity    compared,
                  const ParallelFor & parallelFor)
{
  return ConvertPixels(grid, images.depths, images.mask, parallelFor, [compared](double depth) {
    return compared == ComparedQuantity::OpticalDepth ? depth : std::exp(-depth);
  });
}

std::vector<double>
MakeObservedImage(const PixelGrid & grid, const DepthImages & images, const ParallelFor & parallelFor)
{
  return ConvertPixels(
    grid, images.observed, images.mask, parallelFor, [](float pixel) { return static_cast<double>(pixel); });
}

SimilarityTerms
EvaluateDepthCorrelation(const PixelGrid &   grid,
                         const DepthImages & images,
                         ComparedQuantity    compared,
                         CorrelationSign     sign,
                         SimilarityOrder     order,
                         const ParallelFor & parallelFor)
{
  const auto              predicted = MakeComparedImage(grid, images, compared, parallelFor);
  const auto              observed = MakeObservedImage(grid, images, parallelFor);
  const CorrelationImages pair{ ContiguousView(grid, predicted.data()),
                                ContiguousView(grid, observed.data()),
                                images.mask };
  const Correlation       correlation = MeasureCorrelation(grid, pair, sign, parallelFor);

  SimilarityTerms terms;
  terms.value = correlation.value;
  terms.pixels = correlation.pixels;
  terms.isDefined = correlation.isDefined;
  if (order == SimilarityOrder::Value)
  {
    return terms;
  }
  const std::size_t count = predicted.size();
  terms.scores.resize(count);
  CorrelationDerivatives outputs{ ContiguousView(grid, terms.scores.data()), {}, {} };
  if (order == SimilarityOrder::Information)
  {
    terms.weights.resize(count);
    terms.couplings.assign(2, std::vector<double>(count));
    outputs.constant = ContiguousView(grid, terms.couplings[0].data());
    outputs.slope = ContiguousView(grid, terms.couplings[1].data());
  }
  DifferentiateCorrelation(grid, pair, correlation, outputs, parallelFor);
  if (order == SimilarityOrder::Information)
  {
    // The constant coupling is 0 where a pixel is masked, and elsewhere only if the weight is.
    const double weight = CorrelationWeight(correlation);
    std::transform(terms.couplings[0].begin(),
                   terms.couplings[0].end(),
                   terms.weights.begin(),
                   [weight](double constant) { return constant != 0.0 ? weight : 0.0; });
  }
  ChainToDepths(predicted, compared, terms);
  return terms;
}

} // namespace radiography::compute
