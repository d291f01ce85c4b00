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
#ifndef radiography_compute_AttenuationScan_h
#define radiography_compute_AttenuationScan_h

#include "compute/InternalExport.h"
#include "compute/ParallelFor.h"

#include <cstdint>

namespace radiography::compute
{

/** Whether values can be attenuation coefficients, and what they look like if not. */
struct AttenuationScan
{
  /** Index of the first value that is not in [0, largest allowed]; -1 if there is none. */
  std::int64_t firstBad{ -1 };
  float        firstBadValue{ 0.0F };
  /** Range of the finite values. */
  float smallest{ 0.0F };
  float largest{ 0.0F };
  bool  hasNonFinite{ false };
};

RADIOGRAPHY_INTERNAL_EXPORT AttenuationScan
ScanAttenuation(const float * values, std::int64_t count, double largestAllowed, const ParallelFor & parallelFor);

} // namespace radiography::compute

#endif
