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
#ifndef radiography_compute_SurvivalPackets_h
#define radiography_compute_SurvivalPackets_h

#include <cstdint>

namespace radiography::compute
{

/** T = exp(-L) in binary64 of a piece of row, with the chosen instruction set: what is multiplied before it is rounded
 * to binary32. The relative error is below 2^-49.5 (ExponentialPacket-inl.h). A pixel's bits depend on its depth alone:
 * pixels too few for a packet go through the same packet code in a buffer. */
void
EvaluateSurvivalPackets(const float * depths, double * transmissions, std::int64_t length);

} // namespace radiography::compute

#endif
