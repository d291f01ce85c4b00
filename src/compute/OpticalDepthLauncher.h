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
#ifndef radiography_compute_OpticalDepthLauncher_h
#define radiography_compute_OpticalDepthLauncher_h

#include "compute/InternalExport.h"
#include "compute/PixelGradient.h"

namespace radiography::compute
{

/** The first pixel that is no decrement: NaN, negative, 1 or more. -0 is one. */
RADIOGRAPHY_INTERNAL_EXPORT std::optional<BadPixel>
FindFirstNoDecrement(const PixelGrid & grid, const PixelView<const float> & pixels, const ParallelFor & parallelFor);

/** L = -log1p(-delta), in binary64 and rounded once. Values are taken as they are. */
RADIOGRAPHY_INTERNAL_EXPORT void
EvaluateOpticalDepth(const PixelGrid &              grid,
                     const PixelView<const float> & decrements,
                     const PixelView<float> &       depths,
                     const ParallelFor &            parallelFor);

/** The first pixel whose decrement cotangent L' / (1 - delta), added to what is accumulated, binary32 cannot hold. */
RADIOGRAPHY_INTERNAL_EXPORT std::optional<GradientOutOfRange>
                            FindDecrementCotangentOutOfRange(const PixelGrid &              grid,
                                                             const PixelView<const float> & decrements,
                                                             const PixelView<const float> & weights,
                                                             const PixelView<const float> & accumulated,
                                                             const ParallelFor &            parallelFor);

/** Writes the decrement cotangents. Nothing is checked. */
RADIOGRAPHY_INTERNAL_EXPORT void
EvaluateOpticalDepthAdjoint(const PixelGrid &              grid,
                            const PixelView<const float> & decrements,
                            const PixelView<const float> & weights,
                            const GradientViews &          gradient,
                            const ParallelFor &            parallelFor);

} // namespace radiography::compute

#endif
