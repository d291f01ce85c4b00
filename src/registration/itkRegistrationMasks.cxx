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
#include "registration/itkRegistrationMasks.h"

#include <algorithm>
#include <cmath>

namespace itk
{
namespace
{

using ImageType = Image<float, 3>;
using MaskType = Image<unsigned char, 3>;

// A median of absolute values times this is the standard deviation of normal numbers.
constexpr double MedianToDeviation = 1.4826;
// Of a pixel's eight neighbours.
constexpr int LeastNeighbours = 2;

MaskType::Pointer
MakeMask(const ImageBase<3> & like, unsigned char value)
{
  const auto mask = MaskType::New();
  mask->CopyInformation(&like);
  mask->SetRegions(like.GetLargestPossibleRegion());
  mask->Allocate();
  mask->FillBuffer(value);
  return mask;
}

/** Photons of the pixels of a view, seen and expected. */
struct Photons
{
  std::vector<double> seen;
  std::vector<double> expected;
};

Photons
ToPhotons(const RegistrationView & view, const ImageType & prediction)
{
  const SizeValueType count = prediction.GetLargestPossibleRegion().GetNumberOfPixels();
  Photons             photons;
  for (SizeValueType i = 0; i < count; ++i)
  {
    photons.seen.push_back((view.image->GetBufferPointer()[i] - view.offset) / view.gain);
    photons.expected.push_back((prediction.GetBufferPointer()[i] - view.offset) / view.gain);
  }
  return photons;
}

/** tau. */
double
FindTypicalError(const Photons & photons, const ImageType & depths, const MaskType * mask)
{
  std::vector<double> errors;
  for (std::size_t i = 0; i < photons.seen.size(); ++i)
  {
    const bool isCompared = !mask || mask->GetBufferPointer()[i] != 0;
    if (isCompared && depths.GetBufferPointer()[i] > 0.0f && photons.expected[i] > 0.0)
    {
      errors.push_back(std::abs(photons.seen[i] - photons.expected[i]) / photons.expected[i]);
    }
  }
  if (errors.empty())
  {
    return 0.0;
  }
  const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
  std::nth_element(errors.begin(), middle, errors.end());
  return MedianToDeviation * *middle;
}

template <typename TVisit>
void
VisitNeighbours(const Size<3> & size, std::int64_t pixel, const TVisit & visit)
{
  const auto columns = static_cast<std::int64_t>(size[0]);
  const auto rows = static_cast<std::int64_t>(size[1]);
  for (std::int64_t row = pixel / columns - 1; row <= pixel / columns + 1; ++row)
  {
    for (std::int64_t column = pixel % columns - 1; column <= pixel % columns + 1; ++column)
    {
      const bool isInside = row >= 0 && row < rows && column >= 0 && column < columns;
      if (isInside && row * columns + column != pixel)
      {
        visit(row * columns + column);
      }
    }
  }
}

} // namespace

std::vector<MaskType::ConstPointer>
MasksOf(const RegistrationScene & scene)
{
  std::vector<MaskType::ConstPointer> masks;
  for (const RegistrationView & view : scene.views)
  {
    masks.push_back(view.mask);
  }
  return masks;
}

MaskType::Pointer
JoinMasks(const MaskType * given, const MaskType & other)
{
  const MaskType::Pointer joined = MakeMask(other, 0);
  for (SizeValueType i = 0; i < other.GetLargestPossibleRegion().GetNumberOfPixels(); ++i)
  {
    const bool isGiven = !given || given->GetBufferPointer()[i] != 0;
    joined->GetBufferPointer()[i] = isGiven && other.GetBufferPointer()[i] != 0 ? 1 : 0;
  }
  return joined;
}

MaskType::Pointer
LeaveOutTruncation(const RegistrationView &                           view,
                   const MaskType *                                   mask,
                   const ImageType &                                  mu,
                   const Transform<double, 3, 3> &                    transform,
                   RadiographMaskTruncationImageFilterEnums::CutFaces faces,
                   unsigned int                                       margin)
{
  const auto filter = RadiographMaskTruncationImageFilter::New();
  filter->SetInput(&mu);
  filter->SetGeometry(view.geometry);
  filter->SetTransform(&transform);
  filter->SetCutFaces(faces);
  filter->SetMargin(margin);
  filter->Update();
  return JoinMasks(mask, *filter->GetOutput());
}

ImageType::Pointer
ProjectDepths(const RegistrationView & view, const RegistrationScene & scene, const Transform<double, 3, 3> & transform)
{
  const auto drr = DigitallyReconstructedRadiographImageFilter::New();
  drr->SetProjectionVolume(scene.volume);
  drr->SetGeometry(view.geometry);
  drr->SetTransform(&transform);
  drr->SetProjector(DigitallyReconstructedRadiographImageFilterEnums::Projector::Joseph);
  drr->Update();
  const ImageType::Pointer depths = drr->GetOutput();
  depths->DisconnectPipeline();
  return depths;
}

MaskType::Pointer
FindOutliers(const RegistrationView & view,
             const ImageType &        prediction,
             const ImageType &        depths,
             const MaskType *         mask,
             double                   bound)
{
  const Photons     photons = ToPhotons(view, prediction);
  const double      tau = FindTypicalError(photons, depths, mask);
  const auto        count = static_cast<std::int64_t>(photons.seen.size());
  const Size<3>     size = prediction.GetLargestPossibleRegion().GetSize();
  std::vector<char> departs(photons.seen.size(), 0);
  for (std::size_t i = 0; i < departs.size(); ++i)
  {
    const double lambda = photons.expected[i];
    departs[i] = std::abs(photons.seen[i] - lambda) > bound * std::sqrt(lambda + tau * tau * lambda * lambda) ? 1 : 0;
  }
  const MaskType::Pointer kept = MakeMask(*view.image, 1);
  for (std::int64_t pixel = 0; pixel < count; ++pixel)
  {
    int neighbours = 0;
    VisitNeighbours(size, pixel, [&](std::int64_t other) { neighbours += departs[static_cast<std::size_t>(other)]; });
    if (departs[static_cast<std::size_t>(pixel)] != 0 && neighbours >= LeastNeighbours)
    {
      kept->GetBufferPointer()[pixel] = 0;
      VisitNeighbours(size, pixel, [&](std::int64_t other) { kept->GetBufferPointer()[other] = 0; });
    }
  }
  return kept;
}

} // namespace itk
