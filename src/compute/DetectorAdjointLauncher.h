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
#ifndef radiography_compute_DetectorAdjointLauncher_h
#define radiography_compute_DetectorAdjointLauncher_h

#include "compute/InternalExport.h"
#include "compute/PixelGradient.h"

namespace radiography::compute
{

/** Sums over all pixels that the derivatives of g (lambda + s) + b are made of. */
struct DetectorAdjointSums
{
  /** Of c (lambda + s). */
  double weightedCounts{ 0.0 };
  /** Of c. */
  double weights{ 0.0 };

  DetectorAdjointSums &
  operator+=(const DetectorAdjointSums & other)
  {
    weightedCounts += other.weightedCounts;
    weights += other.weights;
    return *this;
  }
};

/** Both sums by SumOverPixels(); `weights` are the cotangents c of the readings. */
RADIOGRAPHY_INTERNAL_EXPORT DetectorAdjointSums
SumDetectorAdjoint(const PixelGrid &              grid,
                   const PixelView<const float> & counts,
                   const PixelView<const float> & weights,
                   double                         scatter,
                   const ParallelFor &            parallelFor);

/** The first pixel whose counts cotangent g c, added to what is accumulated, binary32 cannot hold. */
RADIOGRAPHY_INTERNAL_EXPORT std::optional<GradientOutOfRange>
                            FindCountsCotangentOutOfRange(const PixelGrid &              grid,
                                                          double                         gain,
                                                          const PixelView<const float> & weights,
                                                          const PixelView<const float> & accumulated,
                                                          const ParallelFor &            parallelFor);

/** Writes the counts cotangents. Nothing is checked. */
RADIOGRAPHY_INTERNAL_EXPORT void
EvaluateCountsCotangent(const PixelGrid &              grid,
                        double                         gain,
                        const PixelView<const float> & weights,
                        const GradientViews &          gradient,
                        const ParallelFor &            parallelFor);

} // namespace radiography::compute

#endif
