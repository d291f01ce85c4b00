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
#ifndef RegisterPage_h
#define RegisterPage_h

#include "RegisterReport.h"

#include <string>
#include <vector>

namespace radiography::program
{

/** "view-1-image.png": views are counted from 0 here and from 1 in the name. */
std::string
RegisterPictureName(unsigned int view, const std::string & what);

/** The residual that is shown in full colour: standard deviations of the counts (Poisson), or of the image. */
double
ResidualLimit(const Registration & registration);

/** The page of a registration, as HTML. */
std::string
MakeRegisterPage(const Registration & registration, const std::vector<std::string> & warnings);

} // namespace radiography::program

#endif
