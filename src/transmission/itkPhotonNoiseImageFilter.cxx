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
#include "itkPhotonNoiseImageFilter.h"

#include "compute/PhotonNoiseLauncher.h"
#include "stairs/itkHandDownThreads.h"
#include "transmission/itkPixelViews.h"

#include <ostream>

namespace itk
{
namespace
{

// The scan is a small part of the work.
constexpr float CheckWeight = 0.05f;
constexpr float DrawWeight = 0.95f;

radiography::compute::GridPlacement
PlacementOf(const ImageRegion<3> & region, const ImageRegion<3> & whole)
{
  const auto offset = region.GetIndex() - whole.GetIndex();
  return { static_cast<std::int64_t>(whole.GetSize(0)),
           static_cast<std::int64_t>(whole.GetSize(1)),
           offset[0],
           offset[1],
           offset[2] };
}

} // namespace

PhotonNoiseImageFilter::PhotonNoiseImageFilter() = default;

PhotonNoiseImageFilter::~PhotonNoiseImageFilter() = default;

void
PhotonNoiseImageFilter::GenerateData()
{
  const auto region = this->GetOutput()->GetRequestedRegion();
  const auto grid = GridOf(region);
  const auto means = ConstViewOf(*this->GetInput(), region);

  const auto isBad = [](float mean) { return !(mean >= 0.0f && static_cast<double>(mean) <= MaximumMean); };
  const auto bad = FindFirstBadPixel(grid, means, HandDownThreads(*this, CheckWeight), isBad);
  if (bad)
  {
    itkExceptionMacro("Expected counts lie between 0 and " << TextOf(MaximumMean) << "; " << DescribePixel(region, *bad)
                                                           << '.');
  }
  this->AllocateOutputs();
  radiography::compute::DrawPoissonCounts(grid,
                                          PlacementOf(region, this->GetOutput()->GetLargestPossibleRegion()),
                                          means,
                                          m_Seed,
                                          ViewOf(*this->GetOutput(), region),
                                          HandDownThreads(*this, DrawWeight));
}

void
PhotonNoiseImageFilter::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "Seed: " << m_Seed << std::endl;
}

} // namespace itk
