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
#ifndef radiography_compute_CorrelationOfGradients_h
#define radiography_compute_CorrelationOfGradients_h

#include "compute/CorrelationOfDepths.h"

#include <array>
#include <vector>

namespace radiography::compute
{

/** How an image is differentiated along an axis: by its two neighbours, or by Sobel's operator, which averages that
 * over three lines with the weights 1, 2, 1. */
enum class DifferenceKind
{
  Central,
  Sobel
};

/** A difference operator along columns (axis 0) or rows (axis 1) of the pixels of a slice. */
struct DifferenceOperator
{
  DifferenceKind kind{ DifferenceKind::Central };
  int            axis{ 0 };
  /** From a pixel to the next along the axis, mm. */
  double spacing{ 1.0 };
};

/** The pixels that have a difference: all pixels that enter it, and those between them, lie in the image and are not
 * masked. 1 or 0. */
RADIOGRAPHY_INTERNAL_EXPORT std::vector<unsigned char>
                            MakeDifferenceMask(const PixelGrid &                      grid,
                                               const DifferenceOperator &             difference,
                                               const PixelView<const unsigned char> & mask,
                                               const ParallelFor &                    parallelFor);

/** The differences of pixels (raster order) where `mask` is not 0, 0 elsewhere. */
RADIOGRAPHY_INTERNAL_EXPORT std::vector<double>
                            Differentiate(const PixelGrid &                  grid,
                                          const DifferenceOperator &         difference,
                                          const std::vector<double> &        pixels,
                                          const std::vector<unsigned char> & mask,
                                          const ParallelFor &                parallelFor);

/** The transpose of Differentiate(): from d / d(difference), 0 where there is none, to d / d(pixel). Each pixel gathers
 * its terms in one order. */
RADIOGRAPHY_INTERNAL_EXPORT std::vector<double>
                            DifferentiateTransposed(const PixelGrid &           grid,
                                                    const DifferenceOperator &  difference,
                                                    const std::vector<double> & differences,
                                                    const ParallelFor &         parallelFor);

/** The correlation of two gradient images: one of differences along columns, one along rows (G. Penney et al., IEEE
 * Trans. Med. Imaging 17, 1998, gradient correlation). The value is the mean of the values of both.
 *
 * Its Gauss-Newton matrix is that of two least-squares problems, one for each axis, each with its offset and slope
 * eliminated.
 * \param spacing between columns and between rows, mm */
RADIOGRAPHY_INTERNAL_EXPORT SimilarityTerms
EvaluateGradientCorrelation(const PixelGrid &             grid,
                            const DepthImages &           images,
                            const std::array<double, 2> & spacing,
                            DifferenceKind                kind,
                            ComparedQuantity              compared,
                            CorrelationSign               sign,
                            SimilarityOrder               order,
                            const ParallelFor &           parallelFor);

} // namespace radiography::compute

#endif
