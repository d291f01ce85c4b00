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
#include "registration/itkRegistrationReduction.h"

#include "itkRadiographPyramid.h"

#include "itkImageRegionIteratorWithIndex.h"

namespace itk
{
namespace
{

using MaskType = Image<unsigned char, 3>;

RegistrationView
ReduceView(const RegistrationView & full, const RadiographPyramid & pyramid, bool areCounts)
{
  RegistrationView view = full;
  const double     pixels = static_cast<double>(pyramid.GetImageBlock()) * pyramid.GetImageBlock();
  view.image = areCounts ? pyramid.SumCounts(full.image) : pyramid.AverageImage(full.image);
  view.geometry = pyramid.ReduceGeometry(full.geometry);
  view.openBeamCounts *= pixels;
  view.offset *= pixels;
  if (full.mask)
  {
    view.mask = pyramid.ReduceMask(full.mask);
  }
  if (full.openBeamImage)
  {
    view.openBeamImage = pyramid.SumCounts(full.openBeamImage);
  }
  if (full.scatter)
  {
    view.scatter = pyramid.SumCounts(full.scatter);
  }
  return view;
}

} // namespace

unsigned int
BlockOf(const RadiographRegistrationLevel & level, std::size_t view)
{
  return level.imageBlocks.size() == 1 ? level.imageBlocks.front() : level.imageBlocks[view];
}

RegistrationScene
ReduceScene(const RegistrationScene &           full,
            const RadiographRegistrationLevel & level,
            bool                                areCounts,
            ThreadIdType                        workUnits)
{
  RegistrationScene scene = full;
  const auto        pyramid = RadiographPyramid::New();
  pyramid->GetMultiThreader()->SetNumberOfWorkUnits(workUnits);
  pyramid->SetVolumeBlock(level.volumeBlock);
  for (std::size_t i = 0; i < full.views.size(); ++i)
  {
    pyramid->SetImageBlock(BlockOf(level, i));
    if (pyramid->GetImageBlock() > 1)
    {
      scene.views[i] = ReduceView(full.views[i], *pyramid, areCounts);
    }
  }
  if (level.volumeBlock != Size<3>{ { 1, 1, 1 } })
  {
    const auto volume = ProjectionVolume::New();
    volume->SetImage(pyramid->AverageVolume(full.volume->GetImage()));
    scene.volume = volume;
  }
  return scene;
}

RegistrationScene
KeepHalf(const RegistrationScene & scene, unsigned int blockSize, unsigned int half)
{
  RegistrationScene kept = scene;
  for (RegistrationView & view : kept.views)
  {
    const auto mask = MaskType::New();
    mask->CopyInformation(view.image);
    mask->SetRegions(view.image->GetLargestPossibleRegion());
    mask->Allocate();
    const Index<3> first = mask->GetLargestPossibleRegion().GetIndex();
    for (ImageRegionIteratorWithIndex<MaskType> it(mask, mask->GetLargestPossibleRegion()); !it.IsAtEnd(); ++it)
    {
      const auto column = static_cast<SizeValueType>(it.GetIndex()[0] - first[0]) / blockSize;
      const auto row = static_cast<SizeValueType>(it.GetIndex()[1] - first[1]) / blockSize;
      const bool isInHalf = (column + row) % 2 == half;
      it.Set(isInHalf && (!view.mask || view.mask->GetPixel(it.GetIndex()) != 0) ? 1 : 0);
    }
    view.mask = mask;
  }
  return kept;
}

} // namespace itk
