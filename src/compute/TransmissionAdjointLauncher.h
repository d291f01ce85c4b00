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
#ifndef radiography_compute_TransmissionAdjointLauncher_h
#define radiography_compute_TransmissionAdjointLauncher_h

#include "compute/InternalExport.h"
#include "compute/PixelGradient.h"
#include "compute/TransmissionLauncher.h"

namespace radiography::compute
{

/** Weights of the four outputs; what is null counts as zero. */
struct TransmissionCotangentViews
{
  PixelView<const float> transmission{};
  PixelView<const float> counts{};
  PixelView<const float> logTransmission{};
  PixelView<const float> removed{};
};

/** What the forward evaluation read, and the weights of what it wrote. */
struct TransmissionAdjointInputs
{
  PixelView<const float>     depths{};
  OpenBeam                   openBeam{};
  TransmissionCotangentViews weights{};
};

/** The first pixel whose depth cotangent, added to what is accumulated, binary32 cannot hold. Exponentials are
 * evaluated only where the magnitudes of the terms leave it open. */
RADIOGRAPHY_INTERNAL_EXPORT std::optional<GradientOutOfRange>
                            FindDepthCotangentOutOfRange(const PixelGrid &                 grid,
                                                         const TransmissionAdjointInputs & inputs,
                                                         const PixelView<const float> &    accumulated,
                                                         const ParallelFor &               parallelFor);

/** The same for the open-beam cotangent of each pixel. */
RADIOGRAPHY_INTERNAL_EXPORT std::optional<GradientOutOfRange>
                            FindOpenBeamCotangentOutOfRange(const PixelGrid &                 grid,
                                                            const TransmissionAdjointInputs & inputs,
                                                            const PixelView<const float> &    accumulated,
                                                            const ParallelFor &               parallelFor);

/** The cotangent of one open beam for all pixels: SumOverPixels() of lambda' exp(-L), in a pass of its own that reads
 * depths and weights again instead of keeping the terms. */
RADIOGRAPHY_INTERNAL_EXPORT double
SumOpenBeamCotangent(const PixelGrid & grid, const TransmissionAdjointInputs & inputs, const ParallelFor & parallelFor);

/** Writes the depth cotangent and, where `openBeam.sum` is not null, the open-beam cotangent of each pixel. Nothing is
 * checked. Neither may share memory with the inputs. */
RADIOGRAPHY_INTERNAL_EXPORT void
EvaluateTransmissionAdjoint(const PixelGrid &                 grid,
                            const TransmissionAdjointInputs & inputs,
                            const GradientViews &             depth,
                            const GradientViews &             openBeam,
                            const ParallelFor &               parallelFor);

} // namespace radiography::compute

#endif
