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
#include "itkDetectorResponseImageFilter.h"

#include "compute/PixelGrid.h"
#include "stairs/itkHandDownThreads.h"
#include "transmission/itkDetectorParameters.h"

#include <cmath>
#include <ostream>

namespace itk
{

DetectorResponseImageFilter::DetectorResponseImageFilter() = default;

DetectorResponseImageFilter::~DetectorResponseImageFilter() = default;

void
DetectorResponseImageFilter::VerifyPreconditions() ITKv5_CONST
{
  Superclass::VerifyPreconditions();
  for (const std::string & fault : { FaultOfGain(m_Gain), FaultOfScatter(m_Scatter), FaultOfOffset(m_Offset) })
  {
    if (!fault.empty())
    {
      itkExceptionMacro("" << fault);
    }
  }
}

void
DetectorResponseImageFilter::GenerateData()
{
  const auto region = this->GetOutput()->GetRequestedRegion();
  const auto grid = GridOf(region);
  const auto counts = ConstViewOf(*this->GetInput(), region);
  const auto readOut = [this](float count) {
    return static_cast<float>(m_Gain * (static_cast<double>(count) + m_Scatter) + m_Offset);
  };
  const auto isBad = [&readOut](float count) { return !(count >= 0.0f) || !std::isfinite(readOut(count)); };

  const auto bad = FindFirstBadPixel(grid, counts, HandDownThreads(*this, 0.5f), isBad);
  if (bad)
  {
    itkExceptionMacro("Counts are finite and not negative, and their reading must fit binary32; "
                      << DescribePixel(region, *bad) << " (gain " << TextOf(m_Gain) << ", scatter " << TextOf(m_Scatter)
                      << ", offset " << TextOf(m_Offset) << ").");
  }
  this->AllocateOutputs();
  const auto readings = ViewOf(*this->GetOutput(), region);
  ForEachRowPiece(grid, HandDownThreads(*this, 0.5f), [&](const radiography::compute::RowPiece & piece) {
    const float * const first = counts.At(piece);
    std::transform(first, first + piece.length, readings.At(piece), readOut);
  });
}

void
DetectorResponseImageFilter::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "Gain: " << m_Gain << std::endl;
  os << indent << "Scatter: " << m_Scatter << std::endl;
  os << indent << "Offset: " << m_Offset << std::endl;
}

} // namespace itk
