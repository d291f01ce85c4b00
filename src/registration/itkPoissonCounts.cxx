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
#include "registration/itkPoissonCounts.h"

#include <algorithm>

namespace itk
{

radiography::compute::PoissonProfileView
PoissonCounts::MakeView(const double * depths) const
{
  radiography::compute::PoissonProfileView view;
  view.columns = columns;
  view.rows = rows;
  view.depths = depths;
  view.observed = observed.data();
  view.openBeam = openBeam.data();
  view.background = background.data();
  view.inside = inside.data();
  view.logExposure = logExposure;
  view.columnHats = &columnHats;
  view.rowHats = &rowHats;
  return view;
}

double
PoissonCounts::FindLargestCount() const
{
  double largest = 0.0;
  for (std::size_t i = 0; i < observed.size(); ++i)
  {
    largest = inside[i] != 0.0 ? std::max(largest, observed[i]) : largest;
  }
  return largest;
}

std::vector<double>
SampleAsDouble(const Image<float, 3> & image,
               std::int64_t            columns,
               std::int64_t            rows,
               std::int64_t            first,
               std::int64_t            stride)
{
  std::vector<double> pixels;
  const float * const values = image.GetBufferPointer();
  const auto          length = static_cast<std::int64_t>(image.GetBufferedRegion().GetSize(0));
  pixels.reserve(static_cast<std::size_t>(columns * rows));
  for (std::int64_t row = 0; row < rows; ++row)
  {
    for (std::int64_t column = 0; column < columns; ++column)
    {
      pixels.push_back(static_cast<double>(values[first + column * stride + (first + row * stride) * length]));
    }
  }
  return pixels;
}

} // namespace itk
