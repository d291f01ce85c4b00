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
#ifndef radiography_compute_HighwayTargets_h
#define radiography_compute_HighwayTargets_h

/** To be included before any header of Highway: which instruction sets packets are compiled for. Of those that Highway
 * knows for x86, one per generation that is about: SSE4, AVX2 and AVX-512, beside the one lane that runs everywhere;
 * each more would cost build time. On 64-bit ARM that is NEON. The sets whose vectors have no size at compile time
 * (SVE, RVV) are left out: packets keep vectors in structures, which these cannot be in. */
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#endif
