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
#include "itkRadiographMask.h"

#include "projection/itkProjectionCall.h"
#include "stairs/itkSamePlace.h"

#include "itkImageFileReader.h"

#include <algorithm>
#include <cmath>

namespace itk
{

namespace
{

using MaskImageType = RadiographMask::MaskImageType;
using FileImageType = Image<double, 3>;

FileImageType::Pointer
ReadImage(const std::string & path)
{
  const auto io = ImageIOFactory::CreateImageIO(path.c_str(), ImageIOFactory::IOFileModeEnum::ReadMode);
  if (!io)
  {
    itkGenericExceptionMacro("The mask \"" << path
                                           << "\" cannot be read: there is no such file, or no reader knows its "
                                           << "format.");
  }
  io->SetFileName(path);
  io->ReadImageInformation();
  if (io->GetNumberOfComponents() != 1)
  {
    itkGenericExceptionMacro("The mask \"" << path << "\" has " << io->GetNumberOfComponents()
                                           << " values per pixel (colours?); it must have one.");
  }
  const auto reader = ImageFileReader<FileImageType>::New();
  reader->SetImageIO(io);
  reader->SetFileName(path);
  reader->Update();
  return reader->GetOutput();
}

MaskImageType::Pointer
MakeEmpty(const ImageBase<3> & grid)
{
  const auto mask = MaskImageType::New();
  mask->CopyInformation(&grid);
  mask->SetRegions(grid.GetLargestPossibleRegion());
  mask->Allocate(true);
  return mask;
}

void
RefuseAbsent(const MaskImageType * mask)
{
  if (mask == nullptr || mask->GetBufferPointer() == nullptr ||
      mask->GetBufferedRegion() != mask->GetLargestPossibleRegion())
  {
    itkGenericExceptionMacro("A mask is null or not wholly in memory: update the filter that makes it.");
  }
}

} // namespace

MaskImageType::Pointer
RadiographMask::Read(const std::string & path, const RadiographGeometry * geometry)
{
  if (geometry == nullptr)
  {
    itkGenericExceptionMacro("The mask \"" << path << "\" needs a view; the geometry is null.");
  }
  RefuseEmptyDetector(*geometry);
  const auto image = ReadImage(path);
  const auto size = image->GetLargestPossibleRegion().GetSize();
  if (size != geometry->GetDetectorSize())
  {
    itkGenericExceptionMacro("The mask \"" << path << "\" has " << size[0] << " x " << size[1] << " x " << size[2]
                                           << " pixels, the view's detector " << geometry->GetDetectorSize()[0] << " x "
                                           << geometry->GetDetectorSize()[1] << " x 1.");
  }
  const double * const values = image->GetBufferPointer();
  const auto           count = image->GetBufferedRegion().GetNumberOfPixels();
  const auto           bad = std::find_if(values, values + count, [](double value) { return std::isnan(value); });
  if (bad != values + count)
  {
    const auto place = static_cast<SizeValueType>(bad - values);
    itkGenericExceptionMacro("The mask \"" << path << "\" must be numbers; pixel [" << place % size[0] << ", "
                                           << place / size[0] << "] is NaN.");
  }
  const auto mask = MakeEmpty(*geometry->MakeDetectorImage());
  std::transform(values, values + count, mask->GetBufferPointer(), [](double value) {
    return static_cast<unsigned char>(value != 0.0);
  });
  return mask;
}

MaskImageType::Pointer
RadiographMask::Intersect(const MaskImageType * one, const MaskImageType * other)
{
  RefuseAbsent(one);
  RefuseAbsent(other);
  if (one->GetLargestPossibleRegion() != other->GetLargestPossibleRegion() || !IsSamePlace(*one, *other, 1e-6, 1e-6))
  {
    itkGenericExceptionMacro("Two masks do not lie in one place: sizes "
                             << one->GetLargestPossibleRegion().GetSize() << " and "
                             << other->GetLargestPossibleRegion().GetSize() << ", origins " << one->GetOrigin()
                             << " and " << other->GetOrigin() << '.');
  }
  const auto both = MakeEmpty(*one);
  const auto count = one->GetBufferedRegion().GetNumberOfPixels();
  std::transform(one->GetBufferPointer(),
                 one->GetBufferPointer() + count,
                 other->GetBufferPointer(),
                 both->GetBufferPointer(),
                 [](unsigned char a, unsigned char b) { return static_cast<unsigned char>(a != 0 && b != 0); });
  return both;
}

SizeValueType
RadiographMask::CountPixels(const MaskImageType * mask)
{
  RefuseAbsent(mask);
  const unsigned char * const first = mask->GetBufferPointer();
  const auto                  count = mask->GetBufferedRegion().GetNumberOfPixels();
  return static_cast<SizeValueType>(
    std::count_if(first, first + count, [](unsigned char pixel) { return pixel != 0; }));
}

} // namespace itk
