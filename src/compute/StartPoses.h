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
#ifndef radiography_compute_StartPoses_h
#define radiography_compute_StartPoses_h

#include "compute/InternalExport.h"

#include <array>
#include <cstdint>

namespace radiography::compute
{

/** Where start number `start` of a search lies in a box: six numbers evenly distributed between -1 and 1, ends left
 * out. They depend on the seed and the start alone (counter-based: J. K. Salmon et al., Parallel random numbers: as
 * easy as 1, 2, 3, SC11), so that more starts add to those that were there. */
RADIOGRAPHY_INTERNAL_EXPORT std::array<double, 6>
                            DrawStart(std::uint64_t seed, std::uint64_t start);

} // namespace radiography::compute

#endif
