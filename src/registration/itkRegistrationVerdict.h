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
#ifndef itkRegistrationVerdict_h
#define itkRegistrationVerdict_h

#include "compute/InternalExport.h"
#include "itkRadiographRegistrationResult.h"

#include <string>
#include <vector>

namespace itk
{

/** From where on a result is doubtful. */
struct RegistrationBounds
{
  double stationarity{ 0.1 };
  double relativeResidual{ 0.08 };
  double correlation{ 0.9 };
  /** The largest factor on mu, or 1 over the smallest. */
  double attenuation{ 2.0 };
  /** The largest factor on n0, or 1 over the smallest. */
  double exposure{ 1000.0 };
  /** The largest part of the pixels that may be outliers. */
  double outliers{ 0.25 };
};

/** What speaks against trusting a result that is not a failure, a sentence each. Looks at stationarity, halves,
 * relative residual, correlations, singular direction and nuisances, and never at the deviance alone: every real image
 * departs from every model by more than its noise. */
RADIOGRAPHY_INTERNAL_EXPORT std::vector<std::string>
FindDoubts(const RadiographRegistrationResult::Content & content, const RegistrationBounds & bounds);

} // namespace itk

#endif
