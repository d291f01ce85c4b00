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
#ifndef radiography_compute_PoissonPackets_h
#define radiography_compute_PoissonPackets_h

#include "compute/PoissonStretch.h"

namespace radiography::compute
{

/** \name SumPoissonStretch() and StorePoissonStretch() with the chosen instruction set */
///@{
PoissonStretchSums
SumPoissonPackets(const PoissonStretch & stretch, PoissonDerivatives derivatives);

void
StorePoissonPackets(const PoissonStretch & stretch, const PoissonPixelTerms & terms);
///@}

} // namespace radiography::compute

#endif
