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
#ifndef Orientation_h
#define Orientation_h

#include "HTMLPage.h"

#include "itkRadiographGeometry.h"
#include "itkVector.h"

#include <string>

namespace radiography::program
{

/** Where a direction points in the patient (LPS): L or R, P or A, H (head) or F (feet); a second letter if it points
 * there nearly as much. */
std::string
PatientLetters(const itk::Vector<double, 3> & direction);

/** The letters at the edges of a view's picture: where its sides point in the patient. */
HTMLPage::EdgeLetters
EdgeLettersOf(const itk::RadiographGeometry & view);

} // namespace radiography::program

#endif
