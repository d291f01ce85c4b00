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
#ifndef Figures_h
#define Figures_h

#include "Projection.h"

#include "itkRadiographGeometry.h"

#include <string>
#include <vector>

namespace radiography::program
{

/** \name Drawings as SVG text, ready to stand in a page */
///@{
/** Source, rays, CT box and detector, seen along two axes of the patient. */
std::string
DrawGeometry(const itk::RadiographGeometry & view, const itk::ImageBase<3> & ct);

/** A histogram of the values that are at least `least`. */
std::string
DrawHistogram(const RadiographImage & image, double least, const std::string & axisTitle);

/** The values along the middle row. */
std::string
DrawRowProfile(const RadiographImage & image, const std::string & axisTitle);

/** Curves over the steps of an optimizer, on a logarithmic scale: one for each part, from left to right. */
std::string
DrawIterations(const std::vector<std::vector<double>> & parts, const std::string & axisTitle);
///@}

} // namespace radiography::program

#endif
