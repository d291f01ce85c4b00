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
#include "itkRadiographPyramid.h"

#include "compute/BlockReduction.h"
#include "stairs/itkHandDownThreads.h"

#include "itkContinuousIndex.h"

namespace itk
{

namespace compute = radiography::compute;

namespace
{

compute::PixelGrid
ToGrid(const Size<3> & size)
{
  return { static_cast<std::int64_t>(size[0]), static_cast<std::int64_t>(size[1]), static_cast<std::int64_t>(size[2]) };
}

compute::BlockSize
ToBlockSize(const Size<3> & block)
{
  const compute::PixelGrid grid = ToGrid(block);
  return { grid.columns, grid.rows, grid.slices };
}

template <typename TPixel, typename TImage>
compute::PixelView<TPixel>
ToView(TImage & image)
{
  const OffsetValueType * const strides = image.GetOffsetTable();
  return { image.GetBufferPointer(), strides[1], strides[2] };
}

/** Whole blocks. */
Size<3>
CountWholeBlocks(const Size<3> & size, const Size<3> & block)
{
  return { { size[0] / block[0], size[1] / block[1], size[2] / block[2] } };
}

/** Blocks that cover everything. */
Size<3>
CountAllBlocks(const Size<3> & size, const Size<3> & block)
{
  Size<3> count;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    count[axis] = (size[axis] + block[axis] - 1) / block[axis];
  }
  return count;
}

/** An image of blocks: each pixel's centre is the middle of its block. */
template <typename TOutput>
typename TOutput::Pointer
MakeBlockImage(const ImageBase<3> & image, const Size<3> & block, const Size<3> & count)
{
  ContinuousIndex<double, 3> middle;
  auto                       spacing = image.GetSpacing();
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    const auto first = static_cast<double>(image.GetLargestPossibleRegion().GetIndex(axis));
    const auto size = static_cast<double>(block[axis]);
    middle[axis] = first + (size - 1.0) / 2.0;
    spacing[axis] *= size;
  }
  typename TOutput::PointType origin;
  image.TransformContinuousIndexToPhysicalPoint(middle, origin);
  const auto output = TOutput::New();
  output->SetOrigin(origin);
  output->SetSpacing(spacing);
  output->SetDirection(image.GetDirection());
  output->SetRegions(count);
  return output;
}

Image<float, 3>::Pointer
Reduce(const Image<float, 3> & image,
       const Size<3> &         block,
       const Size<3> &         count,
       compute::BlockRule      rule,
       MultiThreaderBase &     threads)
{
  const auto output = MakeBlockImage<Image<float, 3>>(image, block, count);
  output->Allocate();
  compute::ReduceBlocks(ToGrid(image.GetBufferedRegion().GetSize()),
                        ToView<const float>(image),
                        ToBlockSize(block),
                        rule,
                        ToGrid(count),
                        ToView<float>(*output),
                        HandDownThreads(threads));
  return output;
}

} // namespace

RadiographPyramid::RadiographPyramid()
  : m_MultiThreader(MultiThreaderBase::New())
{}

RadiographPyramid::~RadiographPyramid() = default;

Size<3>
RadiographPyramid::GetImageBlockSize() const
{
  return { { m_ImageBlock, m_ImageBlock, 1 } };
}

void
RadiographPyramid::RefuseBlocks(const Size<3> & size, const Size<3> & block, const char * name) const
{
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    if (block[axis] == 0 || block[axis] > size[axis])
    {
      itkExceptionMacro("" << name << " has " << size[axis] << " pixels along axis " << axis << ": blocks of "
                           << block[axis] << " leave nothing of it. Their size must be 1 to " << size[axis] << '.');
    }
  }
}

void
RadiographPyramid::RefuseRadiograph(const ImageBase<3> * image, const char * name) const
{
  this->RefuseNotInMemory(image, name);
  const Size<3> size = image->GetLargestPossibleRegion().GetSize();
  if (size[2] != 1)
  {
    itkExceptionMacro("" << name << " has " << size[2] << " slices; a radiograph has one.");
  }
  this->RefuseBlocks(size, this->GetImageBlockSize(), name);
}

void
RadiographPyramid::RefuseNotInMemory(const ImageBase<3> * image, const char * name) const
{
  if (image == nullptr)
  {
    itkExceptionMacro("" << name << " is missing.");
  }
  if (image->GetBufferedRegion() != image->GetLargestPossibleRegion())
  {
    itkExceptionMacro("" << name << " is not wholly in memory: update it first.");
  }
}

RadiographPyramid::ImageType::Pointer
RadiographPyramid::SumCounts(const ImageType * counts) const
{
  this->RefuseRadiograph(counts, "The image of counts");
  const Size<3> block = this->GetImageBlockSize();
  const Size<3> count = CountWholeBlocks(counts->GetLargestPossibleRegion().GetSize(), block);
  return Reduce(*counts, block, count, compute::BlockRule::Sum, *m_MultiThreader);
}

RadiographPyramid::ImageType::Pointer
RadiographPyramid::AverageImage(const ImageType * image) const
{
  this->RefuseRadiograph(image, "The image");
  const Size<3> block = this->GetImageBlockSize();
  const Size<3> count = CountWholeBlocks(image->GetLargestPossibleRegion().GetSize(), block);
  return Reduce(*image, block, count, compute::BlockRule::Mean, *m_MultiThreader);
}

RadiographPyramid::MaskImageType::Pointer
RadiographPyramid::ReduceMask(const MaskImageType * mask) const
{
  this->RefuseRadiograph(mask, "The mask");
  const Size<3> block = this->GetImageBlockSize();
  const Size<3> size = mask->GetLargestPossibleRegion().GetSize();
  const Size<3> count = CountWholeBlocks(size, block);
  const auto    output = MakeBlockImage<MaskImageType>(*mask, block, count);
  output->Allocate();
  compute::ReduceMaskBlocks(ToGrid(size),
                            ToView<const unsigned char>(*mask),
                            ToBlockSize(block),
                            ToGrid(count),
                            ToView<unsigned char>(*output),
                            HandDownThreads(*m_MultiThreader));
  return output;
}

RadiographGeometry::Pointer
RadiographPyramid::ReduceGeometry(const RadiographGeometry * geometry) const
{
  if (geometry == nullptr)
  {
    itkExceptionMacro("The geometry is missing.");
  }
  const Size<3> block = this->GetImageBlockSize();
  const Size<3> size = geometry->GetDetectorSize();
  this->RefuseBlocks(size, block, "The detector");
  const auto detector =
    MakeBlockImage<ImageBase<3>>(*geometry->MakeDetectorImage(), block, CountWholeBlocks(size, block));
  const auto reduced = RadiographGeometry::New();
  if (geometry->GetBeam() == RadiographGeometryEnums::Beam::Cone)
  {
    reduced->SetConeBeam(geometry->GetSource(), detector);
  }
  else
  {
    reduced->SetParallelBeam(geometry->GetBeamDirection(), detector);
  }
  return reduced;
}

RadiographPyramid::ImageType::Pointer
RadiographPyramid::AverageVolume(const ImageType * volume) const
{
  this->RefuseNotInMemory(volume, "The volume");
  const Size<3> size = volume->GetLargestPossibleRegion().GetSize();
  this->RefuseBlocks(size, m_VolumeBlock, "The volume");
  return Reduce(
    *volume, m_VolumeBlock, CountAllBlocks(size, m_VolumeBlock), compute::BlockRule::Mean, *m_MultiThreader);
}

Size<2>
RadiographPyramid::CountDroppedPixels(const Size<3> & imageSize) const
{
  this->RefuseBlocks(imageSize, this->GetImageBlockSize(), "The image");
  return { { imageSize[0] % m_ImageBlock, imageSize[1] % m_ImageBlock } };
}

void
RadiographPyramid::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "ImageBlock: " << m_ImageBlock << std::endl;
  os << indent << "VolumeBlock: " << m_VolumeBlock << std::endl;
  itkPrintSelfObjectMacro(MultiThreader);
}

} // namespace itk
