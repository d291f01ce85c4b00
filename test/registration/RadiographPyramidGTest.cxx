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

#include "Refusal.h"

#include "itkImageRegionConstIteratorWithIndex.h"
#include "itkImageRegionIterator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace
{

using itk::RadiographGeometry;
using itk::RadiographPyramid;
using testimages::Refusal;
using ImageType = RadiographPyramid::ImageType;
using MaskType = RadiographPyramid::MaskImageType;

constexpr unsigned int Seed = 20261130;

/** A rotation with a mirrored axis, an index that does not start at 0, uneven spacing. */
template <typename TImage>
typename TImage::Pointer
MakeObliqueImage(const itk::Size<3> & size)
{
  const auto                 image = TImage::New();
  typename TImage::IndexType index{ { -3, 5, 2 } };
  image->SetRegions(itk::ImageRegion<3>(index, size));
  typename TImage::SpacingType spacing;
  spacing[0] = 0.7;
  spacing[1] = 1.3;
  spacing[2] = 2.1;
  image->SetSpacing(spacing);
  typename TImage::PointType origin;
  origin[0] = 11.0;
  origin[1] = -23.0;
  origin[2] = 5.5;
  image->SetOrigin(origin);
  typename TImage::DirectionType direction;
  direction.SetIdentity();
  direction(0, 0) = 0.6;
  direction(0, 1) = 0.8;
  direction(1, 0) = 0.8;
  direction(1, 1) = -0.6;
  image->SetDirection(direction);
  image->Allocate(true);
  return image;
}

ImageType::Pointer
MakeCounts(const itk::Size<3> & size)
{
  const auto                          image = MakeObliqueImage<ImageType>(size);
  std::mt19937                        random(Seed);
  std::uniform_int_distribution<int>  counts(0, 9999);
  itk::ImageRegionIterator<ImageType> pixel(image, image->GetLargestPossibleRegion());
  for (; !pixel.IsAtEnd(); ++pixel)
  {
    pixel.Set(static_cast<float>(counts(random)));
  }
  return image;
}

/** Where the middle of the block of pixel `index` is in the image, as a continuous index. */
itk::ContinuousIndex<double, 3>
MiddleOfBlock(const itk::ImageBase<3> & image, const itk::Index<3> & index, const itk::Size<3> & block)
{
  itk::ContinuousIndex<double, 3> middle;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    const auto size = static_cast<double>(block[axis]);
    middle[axis] = static_cast<double>(image.GetLargestPossibleRegion().GetIndex(axis)) +
                   static_cast<double>(index[axis]) * size + (size - 1.0) / 2.0;
  }
  return middle;
}

void
ExpectBlockGrid(const itk::ImageBase<3> & image, const itk::ImageBase<3> & blocks, const itk::Size<3> & block)
{
  EXPECT_EQ(blocks.GetDirection(), image.GetDirection());
  EXPECT_EQ(blocks.GetLargestPossibleRegion().GetIndex(), (itk::Index<3>{ { 0, 0, 0 } }));
  const auto size = blocks.GetLargestPossibleRegion().GetSize();
  for (const itk::Index<3> & index : { itk::Index<3>{ { 0, 0, 0 } },
                                       itk::Index<3>{ { static_cast<itk::IndexValueType>(size[0]) - 1,
                                                        static_cast<itk::IndexValueType>(size[1]) - 1,
                                                        static_cast<itk::IndexValueType>(size[2]) - 1 } } })
  {
    itk::Point<double, 3> point;
    itk::Point<double, 3> expected;
    blocks.TransformIndexToPhysicalPoint(index, point);
    image.TransformContinuousIndexToPhysicalPoint(MiddleOfBlock(image, index, block), expected);
    EXPECT_LT(point.EuclideanDistanceTo(expected), 1e-10);
  }
}

RadiographPyramid::Pointer
MakePyramid(unsigned int imageBlock)
{
  const auto pyramid = RadiographPyramid::New();
  pyramid->SetImageBlock(imageBlock);
  return pyramid;
}

/** The sum of a block by the definition, in binary64. */
template <typename TImage>
double
SumBlock(const TImage & image, const itk::Index<3> & index, const itk::Size<3> & block)
{
  double     sum = 0.0;
  const auto region = image.GetLargestPossibleRegion();
  for (unsigned int k = 0; k < block[2]; ++k)
  {
    for (unsigned int j = 0; j < block[1]; ++j)
    {
      for (unsigned int i = 0; i < block[0]; ++i)
      {
        itk::Index<3> pixel = region.GetIndex();
        pixel[0] += index[0] * static_cast<itk::IndexValueType>(block[0]) + i;
        pixel[1] += index[1] * static_cast<itk::IndexValueType>(block[1]) + j;
        pixel[2] += index[2] * static_cast<itk::IndexValueType>(block[2]) + k;
        sum += region.IsInside(pixel) ? image.GetPixel(pixel) : 0.0;
      }
    }
  }
  return sum;
}

double
SumAll(const ImageType & image)
{
  double                                   sum = 0.0;
  itk::ImageRegionConstIterator<ImageType> pixel(&image, image.GetLargestPossibleRegion());
  for (; !pixel.IsAtEnd(); ++pixel)
  {
    sum += pixel.Get();
  }
  return sum;
}

RadiographGeometry::Pointer
MakeView(bool isMirrored)
{
  const auto               image = MakeObliqueImage<ImageType>({ { 37, 22, 1 } });
  ImageType::DirectionType direction = image->GetDirection();
  ImageType::RegionType    region = image->GetLargestPossibleRegion();
  region.SetIndex({ { 0, 0, 0 } });
  image->SetRegions(region);
  direction(2, 2) = isMirrored ? -1.0 : 1.0;
  image->SetDirection(direction);
  const auto                    geometry = RadiographGeometry::New();
  RadiographGeometry::PointType source;
  source[0] = 30.0;
  source[1] = 10.0;
  source[2] = isMirrored ? 900.0 : -900.0;
  geometry->SetConeBeam(source, image);
  return geometry;
}

} // namespace

TEST(RadiographPyramid, SumsAreThoseOfWholeBlocks)
{
  for (const unsigned int side : { 1U, 2U, 3U, 5U })
  {
    const itk::Size<3> block{ { side, side, 1 } };
    const auto         counts = MakeCounts({ { 37, 22, 1 } });
    const auto         sums = MakePyramid(side)->SumCounts(counts);
    ASSERT_EQ(sums->GetLargestPossibleRegion().GetSize(), (itk::Size<3>{ { 37 / side, 22 / side, 1 } }));
    ExpectBlockGrid(*counts, *sums, block);
    itk::ImageRegionConstIteratorWithIndex<ImageType> pixel(sums, sums->GetLargestPossibleRegion());
    for (; !pixel.IsAtEnd(); ++pixel)
    {
      ASSERT_EQ(pixel.Get(), SumBlock(*counts, pixel.GetIndex(), block)) << pixel.GetIndex() << ", seed " << Seed;
    }
  }
}

TEST(RadiographPyramid, CountsAreConservedWhereBlocksFit)
{
  const auto counts = MakeCounts({ { 36, 24, 1 } });
  EXPECT_EQ(SumAll(*MakePyramid(4)->SumCounts(counts)), SumAll(*counts)) << "seed " << Seed;
  EXPECT_EQ(MakePyramid(4)->CountDroppedPixels({ { 36, 24, 1 } }), (itk::Size<2>{ { 0, 0 } }));
  EXPECT_EQ(MakePyramid(5)->CountDroppedPixels({ { 36, 24, 1 } }), (itk::Size<2>{ { 1, 4 } }));
}

TEST(RadiographPyramid, OtherImagesAreAveraged)
{
  const auto image = MakeCounts({ { 9, 10, 1 } });
  const auto means = MakePyramid(3)->AverageImage(image);
  const auto sums = MakePyramid(3)->SumCounts(image);
  ExpectBlockGrid(*image, *means, { { 3, 3, 1 } });
  itk::ImageRegionConstIteratorWithIndex<ImageType> pixel(means, means->GetLargestPossibleRegion());
  for (; !pixel.IsAtEnd(); ++pixel)
  {
    EXPECT_FLOAT_EQ(pixel.Get(), sums->GetPixel(pixel.GetIndex()) / 9.0f);
  }
}

// A block that has one pixel not to be looked at is not looked at; what makes it so may be any pixel of it.
TEST(RadiographPyramid, AMaskedPixelMasksItsBlock)
{
  for (int column = 0; column < 8; ++column)
  {
    const auto mask = MakeObliqueImage<MaskType>({ { 8, 6, 1 } });
    mask->FillBuffer(7);
    itk::Index<3> hole = mask->GetLargestPossibleRegion().GetIndex();
    hole[0] += column;
    hole[1] += 2;
    mask->SetPixel(hole, 0);
    const auto reduced = MakePyramid(2)->ReduceMask(mask);
    ExpectBlockGrid(*mask, *reduced, { { 2, 2, 1 } });
    itk::ImageRegionConstIteratorWithIndex<MaskType> pixel(reduced, reduced->GetLargestPossibleRegion());
    for (; !pixel.IsAtEnd(); ++pixel)
    {
      const bool isMasked = pixel.GetIndex()[0] == column / 2 && pixel.GetIndex()[1] == 1;
      EXPECT_EQ(pixel.Get(), isMasked ? 0 : 1) << pixel.GetIndex();
    }
  }
}

// A marker at the middle of a block is seen there on both levels: same world ray.
TEST(RadiographPyramid, GeometryOfALevelSeesMarkersWhereTheFineOneDoes)
{
  for (const bool isMirrored : { false, true })
  {
    const auto view = MakeView(isMirrored);
    const auto coarse = MakePyramid(4)->ReduceGeometry(view);
    EXPECT_EQ(coarse->GetDetectorSize(), (itk::Size<3>{ { 9, 5, 1 } }));
    EXPECT_EQ(coarse->GetSource(), view->GetSource());
    EXPECT_NEAR(coarse->GetSourceDetectorDistance(), view->GetSourceDetectorDistance(), 1e-9);
    for (const double depth : { 0.3, 0.9 })
    {
      const double                  column = 3.0;
      const double                  row = 2.0;
      const auto                    pixel = coarse->GetPixelCenter(column, row);
      const auto                    marker = view->GetSource() + (pixel - view->GetSource()) * depth;
      RadiographGeometry::PixelType fine;
      ASSERT_TRUE(view->ProjectPoint(marker, fine));
      EXPECT_NEAR(fine[0], column * 4.0 + 1.5, 1e-9);
      EXPECT_NEAR(fine[1], row * 4.0 + 1.5, 1e-9);
    }
  }
}

TEST(RadiographPyramid, GeometryOfAParallelBeamKeepsItsDirection)
{
  const auto                     view = MakeView(false);
  const auto                     parallel = RadiographGeometry::New();
  RadiographGeometry::VectorType direction(0.1);
  direction[2] = 1.0;
  parallel->SetParallelBeam(direction, view->MakeDetectorImage());
  const auto coarse = MakePyramid(3)->ReduceGeometry(parallel);
  EXPECT_EQ(coarse->GetBeam(), itk::RadiographGeometryEnums::Beam::Parallel);
  EXPECT_LT((coarse->GetBeamDirection() - parallel->GetBeamDirection()).GetNorm(), 1e-15);
  EXPECT_LT(coarse->GetPixelCenter(2.0, 1.0).EuclideanDistanceTo(parallel->GetPixelCenter(7.0, 4.0)), 1e-10);
}

// Images and geometry of a level belong together.
TEST(RadiographPyramid, ImagesOfALevelLieOnItsDetector)
{
  const auto view = MakeView(true);
  const auto image = ImageType::New();
  image->CopyInformation(view->MakeDetectorImage());
  image->SetRegions(view->GetDetectorSize());
  image->Allocate(true);
  const auto pyramid = MakePyramid(4);
  const auto sums = pyramid->SumCounts(image);
  const auto detector = pyramid->ReduceGeometry(view)->MakeDetectorImage();
  EXPECT_EQ(sums->GetLargestPossibleRegion(), detector->GetLargestPossibleRegion());
  EXPECT_LT(sums->GetOrigin().EuclideanDistanceTo(detector->GetOrigin()), 1e-10);
  // Along the third axis a detector has no extent.
  for (unsigned int axis = 0; axis < 2; ++axis)
  {
    EXPECT_NEAR(sums->GetSpacing()[axis], detector->GetSpacing()[axis], 1e-12);
  }
}

// Voxels at the end that fill no block stay: the mass is the same, whatever the size.
TEST(RadiographPyramid, TheMassOfAVolumeIsConserved)
{
  for (const itk::Size<3> & block : { itk::Size<3>{ { 2, 3, 4 } }, itk::Size<3>{ { 5, 1, 2 } } })
  {
    const auto volume = MakeCounts({ { 13, 9, 11 } });
    const auto pyramid = RadiographPyramid::New();
    pyramid->SetVolumeBlock(block);
    const auto means = pyramid->AverageVolume(volume);
    ExpectBlockGrid(*volume, *means, block);
    const double voxels = static_cast<double>(block[0] * block[1] * block[2]);
    EXPECT_NEAR(SumAll(*means) * voxels, SumAll(*volume), 1e-6 * SumAll(*volume)) << "seed " << Seed;
    itk::ImageRegionConstIteratorWithIndex<ImageType> pixel(means, means->GetLargestPossibleRegion());
    for (; !pixel.IsAtEnd(); ++pixel)
    {
      EXPECT_FLOAT_EQ(pixel.Get(), static_cast<float>(SumBlock(*volume, pixel.GetIndex(), block) / voxels));
    }
  }
}

TEST(RadiographPyramid, ThreadsDoNotChangeBits)
{
  const auto volume = MakeCounts({ { 61, 47, 23 } });
  const auto run = [&](itk::ThreadIdType threads) {
    const auto pyramid = RadiographPyramid::New();
    pyramid->SetVolumeBlock({ { 2, 2, 3 } });
    pyramid->GetMultiThreader()->SetMaximumNumberOfThreads(threads);
    pyramid->GetMultiThreader()->SetNumberOfWorkUnits(threads);
    return pyramid->AverageVolume(volume);
  };
  const auto                               one = run(1);
  const auto                               many = run(7);
  itk::ImageRegionConstIterator<ImageType> pixel(one, one->GetLargestPossibleRegion());
  itk::ImageRegionConstIterator<ImageType> other(many, many->GetLargestPossibleRegion());
  for (; !pixel.IsAtEnd(); ++pixel, ++other)
  {
    ASSERT_EQ(pixel.Get(), other.Get());
  }
}

TEST(RadiographPyramid, RefusesWhatHasNoBlocks)
{
  const auto counts = MakeCounts({ { 8, 6, 1 } });
  EXPECT_NE(Refusal([&] { MakePyramid(7)->SumCounts(counts); }).find("6 pixels along axis 1: blocks of 7"),
            std::string::npos);
  EXPECT_NE(Refusal([&] { MakePyramid(0)->AverageImage(counts); }).find("blocks of 0"), std::string::npos);
  EXPECT_NE(Refusal([&] { MakePyramid(23)->ReduceGeometry(MakeView(false)); }).find("The detector has 22"),
            std::string::npos);
  EXPECT_NE(Refusal([&] { MakePyramid(2)->SumCounts(nullptr); }).find("missing"), std::string::npos);
  EXPECT_NE(Refusal([&] {
              MakePyramid(2)->SumCounts(MakeCounts({ { 8, 8, 3 } }));
            }).find("3 slices"),
            std::string::npos);
  EXPECT_NE(Refusal([&] { MakePyramid(2)->ReduceGeometry(nullptr); }).find("geometry is missing"), std::string::npos);
  const auto part = ImageType::New();
  part->SetLargestPossibleRegion(counts->GetLargestPossibleRegion());
  EXPECT_NE(Refusal([&] { MakePyramid(2)->AverageVolume(part); }).find("not wholly in memory"), std::string::npos);
}
