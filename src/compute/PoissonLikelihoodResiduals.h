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
#ifndef radiography_compute_PoissonLikelihoodResiduals_h
#define radiography_compute_PoissonLikelihoodResiduals_h

#include "compute/PoissonLikelihoodLauncher.h"

namespace radiography::compute
{

/** Which residual, and the noise that its unit, one standard deviation, stands for. */
struct PoissonResidual
{
  /** Pearson's residual if true, else the deviance residual. */
  bool   pearson{ false };
  double dispersionFactor{ 1.0 };
  double electronicVariance{ 0.0 };
};

/** The first pixel in raster order that has no residual in binary32. */
RADIOGRAPHY_INTERNAL_EXPORT std::optional<PoissonBadPixel>
                            FindFirstWithoutResidual(const PixelGrid &              grid,
                                                     const PixelView<const float> & observed,
                                                     const PixelView<const float> & expected,
                                                     const PoissonResidual &        residual,
                                                     const ParallelFor &            parallelFor);

/** Residuals evaluated in binary64 and rounded once. Values are taken as they are: call FindFirstWithoutResidual()
 * before. */
RADIOGRAPHY_INTERNAL_EXPORT void
EvaluateResiduals(const PixelGrid &              grid,
                  const PixelView<const float> & observed,
                  const PixelView<const float> & expected,
                  const PoissonResidual &        residual,
                  const PixelView<float> &       residuals,
                  const ParallelFor &            parallelFor);

} // namespace radiography::compute

#endif
