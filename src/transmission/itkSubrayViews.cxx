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
#include "transmission/itkSubrayViews.h"

#include "transmission/itkSubrayBlocks.h"

#include <cmath>

namespace itk
{
namespace
{

bool
IsExtent(double value)
{
  return std::isfinite(value) && value >= 0.0;
}

void
RefuseBadFocalSpot(const FocalSpot & spot)
{
  if (!IsExtent(spot.width) || !IsExtent(spot.height))
  {
    itkGenericExceptionMacro("The focal spot is " << TextOf(spot.width) << " x " << TextOf(spot.height)
                                                  << " mm; give finite sizes that are not negative.");
  }
  // Keeps the number of views, samples^2, within reason.
  constexpr unsigned int most = 1024;
  if (spot.samples < 1 || spot.samples > most)
  {
    itkGenericExceptionMacro("FocalSpotSamples is " << spot.samples << "; give a number from 1 to " << most << '.');
  }
}

// Distances from the source of the middles of equal parts of a side.
std::vector<double>
MidpointOffsets(double extent, unsigned int samples)
{
  if (extent == 0.0)
  {
    return { 0.0 };
  }
  std::vector<double> offsets;
  for (unsigned int i = 0; i < samples; ++i)
  {
    offsets.push_back(((i + 0.5) / samples - 0.5) * extent);
  }
  return offsets;
}

} // namespace

RadiographGeometry::ConstPointer
RefineDetector(const RadiographGeometry & view, unsigned int subraysPerSide)
{
  const auto fault = FaultOfSubrays(subraysPerSide, {});
  if (!fault.empty())
  {
    itkGenericExceptionMacro("" << fault);
  }
  if (subraysPerSide == 1)
  {
    return &view;
  }
  const unsigned int n = subraysPerSide;
  const auto         fine = ImageBase<3>::New();
  auto               size = view.GetDetectorSize();
  auto               spacing = view.GetDetectorSpacing();
  const auto         firstSubray = 0.5 / n - 0.5; // of the pixel's width, from its centre
  for (unsigned int i = 0; i < 2; ++i)
  {
    size[i] *= n;
    spacing[i] /= n;
  }
  fine->SetRegions(size);
  fine->SetSpacing(spacing);
  fine->SetDirection(view.GetDetectorDirection());
  fine->SetOrigin(view.GetPixelCenter(firstSubray, firstSubray));

  const auto refined = RadiographGeometry::New();
  if (view.GetBeam() == RadiographGeometry::Beam::Cone)
  {
    refined->SetConeBeam(view.GetSource(), fine);
  }
  else
  {
    refined->SetParallelBeam(view.GetBeamDirection(), fine);
  }
  return refined.GetPointer();
}

std::vector<SubrayView>
MakeSubrayViews(const RadiographGeometry & view, unsigned int subraysPerSide, const FocalSpot & spot)
{
  RefuseBadFocalSpot(spot);
  const auto fine = RefineDetector(view, subraysPerSide);
  if (spot.width == 0.0 && spot.height == 0.0)
  {
    return { { fine, 1.0 } };
  }
  if (view.GetBeam() == RadiographGeometry::Beam::Parallel)
  {
    itkGenericExceptionMacro("A focal spot of " << TextOf(spot.width) << " x " << TextOf(spot.height)
                                                << " mm is given with a parallel beam, which has no source. Set its "
                                                   "size to 0, or give a cone beam.");
  }
  const auto alongWidth = MidpointOffsets(spot.width, spot.samples);
  const auto alongHeight = MidpointOffsets(spot.height, spot.samples);
  const auto detector = fine->MakeDetectorImage();
  const auto weight = 1.0 / static_cast<double>(alongWidth.size() * alongHeight.size());

  std::vector<SubrayView> views;
  for (const double height : alongHeight)
  {
    for (const double width : alongWidth)
    {
      const auto shifted = RadiographGeometry::New();
      shifted->SetConeBeam(view.GetSource() + view.GetColumnDirection() * width + view.GetRowDirection() * height,
                           detector);
      views.push_back({ shifted.GetPointer(), weight });
    }
  }
  return views;
}

} // namespace itk
