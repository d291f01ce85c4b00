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
#ifndef radiography_compute_Correlation_h
#define radiography_compute_Correlation_h

#include "compute/InternalExport.h"
#include "compute/PixelGrid.h"

#include <cstdint>

namespace radiography::compute
{

/** How the observed image may go with the predicted one: either way, growing with it, or falling with it. */
enum class CorrelationSign
{
  Any,
  Positive,
  Negative
};

/** Two images of one grid. Pixels whose mask is 0 are not looked at; without a mask all are compared. */
struct CorrelationImages
{
  PixelView<const double>        predicted{};
  PixelView<const double>        observed{};
  PixelView<const unsigned char> mask{};
  /** The magnitudes that rounding errors of the two are relative to, where these are larger than the pixels themselves:
   * differences of pixels keep the rounding of the pixels. */
  double predictedMagnitude{ 0.0 };
  double observedMagnitude{ 0.0 };
};

/** The normalised correlation rho of M pixels, and the value made of it, which is to be minimised:
 *
 * | sign     | value                | least    | greatest |
 * |----------|----------------------|----------|----------|
 * | Any      | M (1 - rho^2) / 2    | 0        | M / 2    |
 * | Positive | M (1 - rho)          | 0        | 2 M      |
 * | Negative | M (1 + rho)          | 0        | 2 M      |
 *
 * All three agree to first order in 1 - |rho|. The first is half the sum of the squared residuals of the straight line
 * observed = offset + slope x predicted, fitted by least squares, in units of the observed image's variance: half a
 * deviance whose offset and slope are profiled out. The others are half the sum of squared differences of the two
 * standardised images. */
struct Correlation
{
  /** M. */
  std::int64_t pixels{ 0 };
  /** Fewer than three pixels, or an image that is constant: there is no correlation; value is that of rho = 0. */
  bool            isDefined{ false };
  CorrelationSign sign{ CorrelationSign::Any };
  /** rho. */
  double coefficient{ 0.0 };
  double value{ 0.0 };
  double predictedMean{ 0.0 };
  double observedMean{ 0.0 };
  /** Norms of the images after their means were taken away. */
  double predictedNorm{ 0.0 };
  double observedNorm{ 0.0 };
};

/** A spread within this fraction of the largest magnitude is rounding of binary32 pixels: the image is constant. */
constexpr double ConstantWithin = 0x1p-22;

/** Sums in three passes (means, norms and product, residuals), so that nothing cancels: the value is accurate relative
 * to itself down to rho = 1. The same bits for any number of threads. */
RADIOGRAPHY_INTERNAL_EXPORT Correlation
MeasureCorrelation(const PixelGrid &         grid,
                   const CorrelationImages & images,
                   CorrelationSign           sign,
                   const ParallelFor &       parallelFor);

/** Whether at least three pixels are compared and their spread is above ConstantWithin. */
RADIOGRAPHY_INTERNAL_EXPORT bool
HasContrast(const PixelGrid &                      grid,
            const PixelView<const double> &        pixels,
            const PixelView<const unsigned char> & mask,
            const ParallelFor &                    parallelFor);

/** Per pixel, 0 where masked and everywhere when the correlation is not defined. */
struct CorrelationDerivatives
{
  /** d(value) / d(predicted). */
  PixelView<double> score{};
  /** The two columns c1, c2 (constant and along the prediction) of the Gauss-Newton matrix, below. */
  PixelView<double> constant{};
  PixelView<double> slope{};
};

/** The weight w of every compared pixel in the Gauss-Newton matrix
 *
 *     w (sum of j j^T) - C1 C1^T - C2 C2^T,  C1 = sum of c1 j, C2 = sum of c2 j,
 *
 * where j is the gradient of the predicted pixel with respect to any parameters. It is the information of least squares
 * with offset and slope eliminated (variable projection: G. Golub and V. Pereyra, SIAM J. Numer. Anal. 10, 1973, with
 * Kaufman's approximation), w = M k^2 / predictedNorm^2 with k = rho for sign Any, else 1; c1 = sqrt(w / M), c2 =
 * sqrt(w) (predicted - mean) / norm. Positive semidefinite. */
RADIOGRAPHY_INTERNAL_EXPORT double
CorrelationWeight(const Correlation & correlation);

/** Fills what is not null. */
RADIOGRAPHY_INTERNAL_EXPORT void
DifferentiateCorrelation(const PixelGrid &              grid,
                         const CorrelationImages &      images,
                         const Correlation &            correlation,
                         const CorrelationDerivatives & outputs,
                         const ParallelFor &            parallelFor);

} // namespace radiography::compute

#endif
