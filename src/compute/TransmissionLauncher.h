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
#ifndef radiography_compute_TransmissionLauncher_h
#define radiography_compute_TransmissionLauncher_h

#include "compute/InternalExport.h"
#include "compute/PixelGrid.h"
#include "compute/ProjectionPolicy.h"

#include <string>

namespace radiography::compute
{

/** The open-beam mean n0 in counts: of each pixel where `pixels` is not null, else `number` for all. */
struct OpenBeam
{
  double                 number{ 0.0 };
  PixelView<const float> pixels{};
};

/** Where results go; what is null is not computed. Only `counts` needs an open beam. */
struct TransmissionOutputs
{
  PixelView<float> transmission{};
  PixelView<float> counts{};
  PixelView<float> logTransmission{};
  PixelView<float> removed{};
};

/** The first pixel, in raster order, that is NaN, infinite or negative: what no optical depth or count may be. -0 may.
 */
RADIOGRAPHY_INTERNAL_EXPORT std::optional<BadPixel>
FindFirstInvalid(const PixelGrid & grid, const PixelView<const float> & pixels, const ParallelFor & parallelFor);

/** Evaluates the outputs that are not null, each in binary64 from the exact depth and rounded once: in packets, or by
 * the scalar reference where SIMD is disabled. Values are taken as they are: call FindFirstInvalid() for depths and n0
 * before; TransmissionPackets.h says what comes of others. Outputs must not share memory with inputs. */
RADIOGRAPHY_INTERNAL_EXPORT void
EvaluateTransmission(const PixelGrid &              grid,
                     const PixelView<const float> & depths,
                     const OpenBeam &               openBeam,
                     const TransmissionOutputs &    outputs,
                     const ParallelFor &            parallelFor,
                     const ProjectionPolicy &       policy = {});

/** What FindFirstInvalid() and EvaluateTransmission() run here and now: "transmission, AVX3 packets, binary64" or
 * "transmission, scalar binary64". */
RADIOGRAPHY_INTERNAL_EXPORT std::string
                            TransmissionKernelName();

} // namespace radiography::compute

#endif
