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
#include "Orientation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace radiography::program
{

std::string
PatientLetters(const itk::Vector<double, 3> & direction)
{
  static const char * const positive = "LPH";
  static const char * const negative = "RAF";
  std::array<unsigned, 3>   axes{ 0, 1, 2 };
  std::sort(axes.begin(), axes.end(), [&direction](unsigned a, unsigned b) {
    return std::abs(direction[a]) > std::abs(direction[b]);
  });
  std::string letters;
  for (const auto axis : axes)
  {
    // A quarter of a right angle: less is the same side to a reader.
    const bool matters = std::abs(direction[axis]) > std::sin(0.3927) * direction.GetNorm();
    if (letters.empty() || matters)
    {
      letters += direction[axis] > 0.0 ? positive[axis] : negative[axis];
    }
  }
  return letters;
}

HTMLPage::EdgeLetters
EdgeLettersOf(const itk::RadiographGeometry & view)
{
  const auto right = view.GetColumnDirection();
  const auto down = view.GetRowDirection();
  return { PatientLetters(-right), PatientLetters(right), PatientLetters(-down), PatientLetters(down) };
}

} // namespace radiography::program
