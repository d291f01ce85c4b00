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
#ifndef radiography_compute_TransmissionPackets_h
#define radiography_compute_TransmissionPackets_h

#include <cstdint>

namespace radiography::compute
{

/** Where a piece of row is read and written. What is null is not there. */
struct TransmissionRow
{
  const float * depth{ nullptr };
  const float * openBeam{ nullptr };
  float *       transmission{ nullptr };
  float *       counts{ nullptr };
  float *       logTransmission{ nullptr };
  float *       removed{ nullptr };
};

/** Evaluates a piece of row with the chosen instruction set. A pixel's bits depend on its depth and its n0 alone: the
 * pixels at the ends, too few for a packet, go through the same packet code in a buffer.
 *
 * `stream` writes past the caches, which is worth it for outputs larger than these; it takes outputs that are aligned
 * to each other, and is not done otherwise. Where openBeam is null, n0 is openBeamNumber.
 *
 * Values are not checked. NaN gives NaN; a depth below zero its exp(-L) > 1, -infinity infinity; a depth of +infinity
 * T = 0, whatever the finite n0 is. */
void
EvaluateTransmissionPackets(const TransmissionRow & row, double openBeamNumber, std::int64_t length, bool stream);

/** The number of values before the first that is NaN, infinite or negative (-0 is not); `length` if there is none.
 * Looks at bits only: a comparison with a NaN would trap where the caller has switched such traps on. */
std::int64_t
CountValidPackets(const float * values, std::int64_t length);

} // namespace radiography::compute

#endif
