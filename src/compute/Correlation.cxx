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
#include "compute/Correlation.h"

#include "compute/PixelSum.h"

#include <algorithm>
#include <cmath>

namespace radiography::compute
{
namespace
{

/** Fewer pixels always lie on a straight line. */
constexpr std::int64_t FewestPixels = 3;

/** The pointers of one row piece. */
struct Row
{
  const double *        predicted;
  const double *        observed;
  const unsigned char * mask;

  Row(const CorrelationImages & images, const RowPiece & piece)
    : predicted(images.predicted.At(piece))
    , observed(images.observed.At(piece))
    , mask(images.mask.At(piece))
  {}

  bool
  IsCompared(std::int64_t i) const
  {
    return mask == nullptr || mask[i] != 0;
  }
};

/** One number per image, and for their product. */
struct Sums
{
  std::int64_t pixels{ 0 };
  double       predicted{ 0.0 };
  double       observed{ 0.0 };
  double       product{ 0.0 };

  Sums &
  operator+=(const Sums & other)
  {
    pixels += other.pixels;
    predicted += other.predicted;
    observed += other.observed;
    product += other.product;
    return *this;
  }
};

/** Calls addPixel(predicted, observed, sums) for the compared pixels. */
template <typename TAddPixel>
Sums
AddUp(const PixelGrid &         grid,
      const CorrelationImages & images,
      const ParallelFor &       parallelFor,
      const TAddPixel &         addPixel)
{
  return SumOverPixels<Sums>(grid, parallelFor, [&](const RowPiece & piece, Sums & sums) {
    const Row row(images, piece);
    for (std::int64_t i = 0; i < piece.length; ++i)
    {
      if (row.IsCompared(i))
      {
        addPixel(row.predicted[i], row.observed[i], sums);
        ++sums.pixels;
      }
    }
  });
}

/** The greatest magnitudes of both images. A maximum has the same bits in any order. */
struct Magnitudes
{
  double predicted{ 0.0 };
  double observed{ 0.0 };

  Magnitudes &
  operator+=(const Magnitudes & other)
  {
    predicted = std::max(predicted, other.predicted);
    observed = std::max(observed, other.observed);
    return *this;
  }
};

Magnitudes
FindMagnitudes(const PixelGrid & grid, const CorrelationImages & images, const ParallelFor & parallelFor)
{
  return SumOverPixels<Magnitudes>(grid, parallelFor, [&](const RowPiece & piece, Magnitudes & greatest) {
    const Row row(images, piece);
    for (std::int64_t i = 0; i < piece.length; ++i)
    {
      if (row.IsCompared(i))
      {
        greatest += { std::abs(row.predicted[i]), std::abs(row.observed[i]) };
      }
    }
  });
}

bool
HasSpread(double norm, std::int64_t pixels, double magnitude)
{
  return norm > ConstantWithin * magnitude * std::sqrt(static_cast<double>(pixels));
}

/** k: what the standardised prediction is multiplied by when it is compared. */
double
PredictionFactor(const Correlation & correlation)
{
  switch (correlation.sign)
  {
    case CorrelationSign::Positive:
      return 1.0;
    case CorrelationSign::Negative:
      return -1.0;
    default:
      return correlation.coefficient;
  }
}

double
ValueWithoutCorrelation(const Correlation & correlation)
{
  const auto pixels = static_cast<double>(correlation.pixels);
  return correlation.sign == CorrelationSign::Any ? 0.5 * pixels : pixels;
}

void
MeasureMeans(const PixelGrid &         grid,
             const CorrelationImages & images,
             const ParallelFor &       parallelFor,
             Correlation &             correlation)
{
  const Sums sums = AddUp(grid, images, parallelFor, [](double predicted, double observed, Sums & sum) {
    sum.predicted += predicted;
    sum.observed += observed;
  });
  correlation.pixels = sums.pixels;
  if (sums.pixels > 0)
  {
    correlation.predictedMean = sums.predicted / static_cast<double>(sums.pixels);
    correlation.observedMean = sums.observed / static_cast<double>(sums.pixels);
  }
}

/** Norms and coefficient, from the means. */
void
MeasureSpread(const PixelGrid &         grid,
              const CorrelationImages & images,
              const ParallelFor &       parallelFor,
              Correlation &             correlation)
{
  const Sums sums = AddUp(grid, images, parallelFor, [&correlation](double predicted, double observed, Sums & sum) {
    const double p = predicted - correlation.predictedMean;
    const double o = observed - correlation.observedMean;
    sum.predicted += p * p;
    sum.observed += o * o;
    sum.product += p * o;
  });
  correlation.predictedNorm = std::sqrt(sums.predicted);
  correlation.observedNorm = std::sqrt(sums.observed);
  Magnitudes greatest = FindMagnitudes(grid, images, parallelFor);
  greatest += { images.predictedMagnitude, images.observedMagnitude };
  correlation.isDefined = sums.pixels >= FewestPixels &&
                          HasSpread(correlation.predictedNorm, sums.pixels, greatest.predicted) &&
                          HasSpread(correlation.observedNorm, sums.pixels, greatest.observed);
  if (correlation.isDefined)
  {
    correlation.coefficient = sums.product / correlation.predictedNorm / correlation.observedNorm;
  }
}

/** Half the sum of squares of standardised observation minus factor x standardised prediction, times M. */
double
MeasureResiduals(const PixelGrid &         grid,
                 const CorrelationImages & images,
                 const ParallelFor &       parallelFor,
                 const Correlation &       correlation)
{
  const double factor = PredictionFactor(correlation);
  const Sums   sums = AddUp(grid, images, parallelFor, [&](double predicted, double observed, Sums & sum) {
    const double p = (predicted - correlation.predictedMean) / correlation.predictedNorm;
    const double o = (observed - correlation.observedMean) / correlation.observedNorm;
    const double residual = o - factor * p;
    sum.product += residual * residual;
  });
  return 0.5 * static_cast<double>(correlation.pixels) * sums.product;
}

} // namespace

Correlation
MeasureCorrelation(const PixelGrid &         grid,
                   const CorrelationImages & images,
                   CorrelationSign           sign,
                   const ParallelFor &       parallelFor)
{
  Correlation correlation;
  correlation.sign = sign;
  MeasureMeans(grid, images, parallelFor, correlation);
  MeasureSpread(grid, images, parallelFor, correlation);
  correlation.value = correlation.isDefined ? MeasureResiduals(grid, images, parallelFor, correlation)
                                            : ValueWithoutCorrelation(correlation);
  return correlation;
}

bool
HasContrast(const PixelGrid &                      grid,
            const PixelView<const double> &        pixels,
            const PixelView<const unsigned char> & mask,
            const ParallelFor &                    parallelFor)
{
  Correlation             withItself;
  const CorrelationImages images{ pixels, pixels, mask };
  MeasureMeans(grid, images, parallelFor, withItself);
  MeasureSpread(grid, images, parallelFor, withItself);
  return withItself.isDefined;
}

double
CorrelationWeight(const Correlation & correlation)
{
  if (!correlation.isDefined)
  {
    return 0.0;
  }
  const double factor = PredictionFactor(correlation) / correlation.predictedNorm;
  return static_cast<double>(correlation.pixels) * factor * factor;
}

void
DifferentiateCorrelation(const PixelGrid &              grid,
                         const CorrelationImages &      images,
                         const Correlation &            correlation,
                         const CorrelationDerivatives & outputs,
                         const ParallelFor &            parallelFor)
{
  const auto   pixels = static_cast<double>(correlation.pixels);
  const double weight = CorrelationWeight(correlation);
  const double constant = correlation.isDefined ? std::sqrt(weight / pixels) : 0.0;
  const double slope = correlation.isDefined ? std::sqrt(weight) : 0.0;
  const double score =
    correlation.isDefined ? -pixels * PredictionFactor(correlation) / correlation.predictedNorm : 0.0;

  ForEachRowPiece(grid, parallelFor, [&](const RowPiece & piece) {
    const Row      row(images, piece);
    double * const scores = outputs.score.At(piece);
    double * const constants = outputs.constant.At(piece);
    double * const slopes = outputs.slope.At(piece);
    for (std::int64_t i = 0; i < piece.length; ++i)
    {
      const bool   counts = correlation.isDefined && row.IsCompared(i);
      const double p = counts ? (row.predicted[i] - correlation.predictedMean) / correlation.predictedNorm : 0.0;
      const double o = counts ? (row.observed[i] - correlation.observedMean) / correlation.observedNorm : 0.0;
      if (scores)
      {
        scores[i] = score * (o - correlation.coefficient * p);
      }
      if (constants)
      {
        constants[i] = counts ? constant : 0.0;
      }
      if (slopes)
      {
        slopes[i] = slope * p;
      }
    }
  });
}

} // namespace radiography::compute
