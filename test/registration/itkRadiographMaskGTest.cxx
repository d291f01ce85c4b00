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
#include "ProjectionFixtures.h"
#include "Refusal.h"

#include "itkRadiographMask.h"
#include "itkRadiographMaskLabelImageFilter.h"
#include "itkRadiographMaskTruncationImageFilter.h"

#include "itkImageFileWriter.h"
#include "itkImageRegionIteratorWithIndex.h"
#include "itkNrrdImageIOFactory.h"
#include "itkPNGImageIOFactory.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <sstream>

using namespace radiography::test;
using testimages::Refusal;
using MaskType = itk::RadiographMask::MaskImageType;
using TruncationType = itk::RadiographMaskTruncationImageFilter;
using CutFaces = TruncationType::CutFacesEnum;
using LabelFilterType = itk::RadiographMaskLabelImageFilter;
using LabelImageType = LabelFilterType::LabelImageType;

namespace
{

TruncationType::Pointer
MakeTruncation(const ImageType * ct, const GeometryType * view, CutFaces faces)
{
  const auto filter = TruncationType::New();
  filter->SetInput(ct);
  filter->SetGeometry(view);
  filter->SetCutFaces(faces);
  return filter;
}

int
PixelOf(const MaskType & mask, itk::IndexValueType column, itk::IndexValueType row)
{
  return mask.GetPixel({ { column, row, 0 } });
}

/** Whether a point in index space (from the first voxel) lies in a cut voxel that is drawn out. */
bool
IsDrawnOut(const ImageType & ct, const double (&index)[3], CutFaces faces, double threshold)
{
  const auto    region = ct.GetLargestPossibleRegion();
  int           outside = 0;
  unsigned      axisOutside = 0;
  itk::Index<3> voxel;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    const auto size = static_cast<itk::IndexValueType>(region.GetSize(axis));
    auto       place = static_cast<itk::IndexValueType>(std::floor(index[axis] + 0.5));
    if (place < 0 || place >= size)
    {
      ++outside;
      axisOutside = axis;
      place = place < 0 ? 0 : size - 1;
    }
    voxel[axis] = region.GetIndex(axis) + place;
  }
  if (outside != 1 || (axisOutside != 2 && faces != CutFaces::AllFacesWhereNotAir))
  {
    return false;
  }
  return faces == CutFaces::SliceFaces || ct.GetPixel(voxel) > threshold;
}

/** The share of a ray's sample points that are drawn out. */
double
SampleRay(const ImageType &                    ct,
          const GeometryType &                 view,
          const itk::Transform<double, 3, 3> & pose,
          double                               column,
          double                               row,
          CutFaces                             faces,
          double                               threshold)
{
  constexpr int count = 600;
  const auto    start = view.GetRayStart(column, row, 1200.0);
  const auto    end = view.GetPixelCenter(column, row);
  int           hits = 0;
  for (int i = 0; i < count; ++i)
  {
    const auto                      point = pose.TransformPoint(start + (end - start) * ((i + 0.5) / count));
    itk::ContinuousIndex<double, 3> index;
    ct.TransformPhysicalPointToContinuousIndex(point, index);
    double fromFirst[3];
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      fromFirst[axis] = index[axis] - static_cast<double>(ct.GetLargestPossibleRegion().GetIndex(axis));
    }
    hits += IsDrawnOut(ct, fromFirst, faces, threshold);
  }
  return static_cast<double>(hits) / count;
}

MaskType::Pointer
MakeMask(const GeometryType & view, unsigned char value)
{
  const auto mask = MaskType::New();
  mask->CopyInformation(view.MakeDetectorImage());
  mask->SetRegions(mask->GetLargestPossibleRegion());
  mask->Allocate();
  mask->FillBuffer(value);
  return mask;
}

/** A file that goes away at the end of its test. */
struct TemporaryFile
{
  std::string path;

  explicit TemporaryFile(const std::string & ending)
    : path(testing::TempDir() + "RadiographMask" + ending)
  {}
  ~TemporaryFile()
  {
    std::remove(path.c_str());
  }
};

template <typename TImage>
void
WriteFile(const TImage & image, const std::string & path)
{
  const auto writer = itk::ImageFileWriter<TImage>::New();
  writer->SetInput(&image);
  writer->SetFileName(path);
  writer->Update();
}

} // namespace

TEST(RadiographMask, RaysThatPassBeyondTheSlicesAreLeftOut)
{
  // 40 x 40 x 20 mm; a parallel beam along y, detector columns along x or z.
  const auto ct = MakeCenteredImage({ { 20, 20, 10 } }, 2.0, 2.0, 2.0, 0.02F);
  const auto view = MakeParallelView(MakePoint(0, 1, 0) - MakePoint(0, 0, 0), 31, 1.9);
  const auto filter = MakeTruncation(ct, view, CutFaces::SliceFaces);
  filter->Update();
  std::size_t kept = 0;
  for (int column = 0; column < 31; ++column)
  {
    for (int row = 0; row < 31; ++row)
    {
      const auto pixel = view->GetPixelCenter(column, row);
      const bool isBeyond = std::abs(pixel[2]) > 10.0 && std::abs(pixel[0]) < 20.0;
      EXPECT_EQ(PixelOf(*filter->GetOutput(), column, row), isBeyond ? 0 : 1) << pixel;
      kept += static_cast<std::size_t>(PixelOf(*filter->GetOutput(), column, row));
    }
  }
  EXPECT_EQ(filter->GetNumberOfKeptPixels(), kept);
  EXPECT_GT(kept, 100U);
}

TEST(RadiographMask, OnlyWhatIsNotAirIsDrawnOut)
{
  const auto ct = MakeCenteredImage({ { 20, 20, 10 } }, 2.0, 2.0, 2.0, 0.0005F);
  // A rod along z that touches the last slice only, in the middle of x and y; and one that leaves through +x.
  for (itk::ImageRegionIteratorWithIndex<ImageType> it(ct, ct->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    const auto i = it.GetIndex();
    const bool rod = i[0] > 7 && i[0] < 12 && i[1] > 7 && i[1] < 12 && i[2] > 3;
    const bool arm = i[0] > 10 && i[1] > 7 && i[1] < 12 && i[2] == 4;
    it.Set(rod || arm ? 0.02F : 0.0005F);
  }
  const auto view = MakeParallelView(MakePoint(0, 1, 0) - MakePoint(0, 0, 0), 31, 1.9);
  const auto slices = MakeTruncation(ct, view, CutFaces::SliceFacesWhereNotAir);
  const auto all = MakeTruncation(ct, view, CutFaces::AllFacesWhereNotAir);
  slices->Update();
  all->Update();
  for (int column = 0; column < 31; ++column)
  {
    for (int row = 0; row < 31; ++row)
    {
      const auto pixel = view->GetPixelCenter(column, row);
      const bool aboveRod = pixel[2] > 10.1 && std::abs(pixel[0]) < 3.9;
      const bool besideArm = pixel[0] > 20.1 && pixel[2] > -1.9 && pixel[2] < -0.1;
      const bool isClear = pixel[2] < 9.9 || std::abs(pixel[0]) > 4.1;
      const bool isFree = isClear && (pixel[0] < 19.9 || pixel[2] < -2.1 || pixel[2] > 0.1);
      EXPECT_EQ(PixelOf(*slices->GetOutput(), column, row), aboveRod ? 0 : 1) << pixel;
      if (aboveRod || besideArm)
      {
        EXPECT_EQ(PixelOf(*all->GetOutput(), column, row), 0) << pixel;
      }
      else if (isFree)
      {
        EXPECT_EQ(PixelOf(*all->GetOutput(), column, row), 1) << pixel;
      }
    }
  }
  slices->SetAirThreshold(0.03);
  slices->Update();
  EXPECT_EQ(slices->GetNumberOfKeptPixels(), 31U * 31U);
}

TEST(RadiographMask, RandomViewsAgreeWithSamplesOfTheRays)
{
  for (unsigned int seed = 1; seed <= 3; ++seed)
  {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937                           engine(seed);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    const auto                             ct = MakeObliqueImage(engine, { { 9, 7, 5 } }, 9.0, 11.0, 13.0);
    FillAtRandom(*ct, engine, 0.0F, 0.004F);
    const bool isCone = seed % 2 == 0;
    const auto view =
      isCone
        ? MakeCArmView(180.0 * number(engine), 60.0 * number(engine), 12, 20.0)
        : MakeParallelView(MakePoint(number(engine), number(engine), number(engine)) - MakePoint(0, 0, 0), 12, 14.0);
    const auto pose = itk::Euler3DTransform<double>::New();
    pose->SetRotation(number(engine), number(engine), number(engine));
    for (const CutFaces faces :
         { CutFaces::SliceFaces, CutFaces::SliceFacesWhereNotAir, CutFaces::AllFacesWhereNotAir })
    {
      const auto filter = MakeTruncation(ct, view, faces);
      filter->SetTransform(pose);
      filter->Update();
      int disagreements = 0;
      for (int column = 0; column < 12; ++column)
      {
        for (int row = 0; row < 12; ++row)
        {
          const double share = SampleRay(*ct, *view, *pose, column, row, faces, filter->GetAirThreshold());
          const int    pixel = PixelOf(*filter->GetOutput(), column, row);
          if (share > 0.0)
          {
            EXPECT_EQ(pixel, 0) << "pixel " << column << ", " << row << " of " << faces;
          }
          else
          {
            disagreements += pixel == 0; // shorter than the samples are apart
          }
        }
      }
      EXPECT_LE(disagreements, 6) << faces;
    }
  }
}

TEST(RadiographMask, MarginIsASquareOfPixels)
{
  std::mt19937 engine(4);
  const auto   ct = MakeObliqueImage(engine, { { 9, 7, 5 } }, 9.0, 11.0, 13.0);
  FillAtRandom(*ct, engine, 0.0F, 0.0022F);
  const auto view = MakeCArmView(30.0, 20.0, 24, 10.0);
  const auto narrow = MakeTruncation(ct, view, CutFaces::SliceFacesWhereNotAir);
  const auto wide = MakeTruncation(ct, view, CutFaces::SliceFacesWhereNotAir);
  wide->SetMargin(2);
  narrow->Update();
  wide->Update();
  EXPECT_LT(wide->GetNumberOfKeptPixels(), narrow->GetNumberOfKeptPixels());
  EXPECT_GT(wide->GetNumberOfKeptPixels(), 0U);
  for (int column = 0; column < 24; ++column)
  {
    for (int row = 0; row < 24; ++row)
    {
      int least = 1;
      for (int c = std::max(0, column - 2); c <= std::min(23, column + 2); ++c)
      {
        for (int r = std::max(0, row - 2); r <= std::min(23, row + 2); ++r)
        {
          least = std::min(least, PixelOf(*narrow->GetOutput(), c, r));
        }
      }
      EXPECT_EQ(PixelOf(*wide->GetOutput(), column, row), least);
    }
  }
}

TEST(RadiographMask, TruncationHasTheSameBitsForAnyThreadsAndPrints)
{
  std::mt19937 engine(8);
  const auto   ct = MakeObliqueImage(engine, { { 9, 7, 5 } }, 9.0, 11.0, 13.0);
  FillAtRandom(*ct, engine, 0.0F, 0.004F);
  const auto view = MakeCArmView(30.0, 20.0, 24, 10.0);
  const auto one = MakeTruncation(ct, view, CutFaces::AllFacesWhereNotAir);
  const auto more = MakeTruncation(ct, view, CutFaces::AllFacesWhereNotAir);
  one->SetNumberOfWorkUnits(1);
  more->SetNumberOfWorkUnits(5);
  one->Update();
  more->Update();
  for (itk::SizeValueType i = 0; i < 24 * 24; ++i)
  {
    ASSERT_EQ(one->GetOutput()->GetBufferPointer()[i], more->GetOutput()->GetBufferPointer()[i]);
  }
  std::ostringstream text;
  one->Print(text);
  for (const char * const name : { "CutFaces: ", "AirThreshold: ", "Margin: ", "NumberOfKeptPixels: " })
  {
    EXPECT_NE(text.str().find(name), std::string::npos) << name;
  }
  one->SetAirThreshold(-1.0);
  EXPECT_NE(Refusal([&]() { one->Update(); }).find("AirThreshold"), std::string::npos);
}

TEST(RadiographMask, FilesAreReadPixelByPixel)
{
  itk::PNGImageIOFactory::RegisterOneFactory();
  itk::NrrdImageIOFactory::RegisterOneFactory();
  const auto view = MakeCArmView(30.0, 20.0, 6, 10.0);
  // 256 and 0.5 are not 0, whatever becomes of them in a byte.
  const auto wide = itk::Image<unsigned short, 2>::New();
  wide->SetRegions(itk::Size<2>{ { 6, 6 } });
  wide->Allocate(true);
  wide->SetPixel({ { 2, 3 } }, 256);
  wide->SetPixel({ { 5, 0 } }, 1);
  const TemporaryFile png(".png");
  WriteFile(*wide, png.path);
  const auto fromPNG = itk::RadiographMask::Read(png.path, view);
  EXPECT_EQ(itk::RadiographMask::CountPixels(fromPNG), 2U);
  EXPECT_EQ(PixelOf(*fromPNG, 2, 3), 1);
  EXPECT_EQ(PixelOf(*fromPNG, 5, 0), 1);
  EXPECT_EQ(fromPNG->GetOrigin(), view->GetDetectorOrigin());

  const auto real = MakeDetectorPixels(*view);
  real->SetPixel({ { 1, 4, 0 } }, 0.5F);
  real->SetPixel({ { 0, 4, 0 } }, -3.0F);
  const TemporaryFile nrrd(".nrrd");
  WriteFile(*real, nrrd.path);
  const auto fromNRRD = itk::RadiographMask::Read(nrrd.path, view);
  EXPECT_EQ(itk::RadiographMask::CountPixels(fromNRRD), 2U);
  EXPECT_EQ(PixelOf(*fromNRRD, 1, 4), 1);

  EXPECT_NE(Refusal([&]() { itk::RadiographMask::Read(nrrd.path, MakeCArmView(0, 0, 7, 10.0)); }).find("6 x 6"),
            std::string::npos);
  EXPECT_NE(Refusal([&]() { itk::RadiographMask::Read(nrrd.path, nullptr); }).find("geometry"), std::string::npos);
  EXPECT_NE(Refusal([&]() { itk::RadiographMask::Read("no such mask.png", view); }).find("no such mask.png"),
            std::string::npos);
  real->SetPixel({ { 4, 5, 0 } }, std::numeric_limits<float>::quiet_NaN());
  WriteFile(*real, nrrd.path);
  EXPECT_NE(Refusal([&]() { itk::RadiographMask::Read(nrrd.path, view); }).find("[4, 5]"), std::string::npos);
}

TEST(RadiographMask, IntersectionIsThatOfBoth)
{
  const auto view = MakeCArmView(30.0, 20.0, 6, 10.0);
  const auto one = MakeMask(*view, 7);
  const auto other = MakeMask(*view, 255);
  one->SetPixel({ { 1, 2, 0 } }, 0);
  other->SetPixel({ { 3, 4, 0 } }, 0);
  const auto both = itk::RadiographMask::Intersect(one, other);
  EXPECT_EQ(itk::RadiographMask::CountPixels(both), 34U);
  EXPECT_EQ(PixelOf(*both, 1, 2), 0);
  EXPECT_EQ(PixelOf(*both, 3, 4), 0);
  EXPECT_EQ(PixelOf(*both, 0, 0), 1);
  const auto elsewhere = MakeMask(*MakeCArmView(31.0, 20.0, 6, 10.0), 1);
  EXPECT_NE(Refusal([&]() { itk::RadiographMask::Intersect(one, elsewhere); }).find("one place"), std::string::npos);
  EXPECT_NE(Refusal([&]() { itk::RadiographMask::Intersect(one, nullptr); }).find("null"), std::string::npos);
}

TEST(RadiographMask, LabelsKeepWhatTheyName)
{
  const auto ct = MakeCenteredImage({ { 4, 3, 2 } }, 2.0, 2.0, 2.0, 0.02F);
  const auto labels = LabelImageType::New();
  labels->CopyInformation(ct);
  labels->SetRegions(ct->GetLargestPossibleRegion());
  labels->Allocate(true);
  labels->SetPixel({ { 1, 1, 1 } }, 3);
  labels->SetPixel({ { 2, 1, 0 } }, 300);
  labels->SetPixel({ { 3, 2, 1 } }, -1);
  const auto filter = LabelFilterType::New();
  filter->SetInput(ct);
  filter->SetLabelImage(labels);
  filter->Update();
  EXPECT_EQ(filter->GetNumberOfKeptVoxels(), 3U);
  EXPECT_EQ(filter->GetOutput()->GetPixel({ { 1, 1, 1 } }), 0.02F);
  EXPECT_EQ(filter->GetOutput()->GetPixel({ { 0, 0, 0 } }), 0.0F);
  EXPECT_EQ(ct->GetPixel({ { 0, 0, 0 } }), 0.02F);

  filter->SetLabels({ 300, 3 });
  filter->Update();
  EXPECT_EQ(filter->GetNumberOfKeptVoxels(), 2U);
  EXPECT_EQ(filter->GetOutput()->GetPixel({ { 3, 2, 1 } }), 0.0F);
  EXPECT_EQ(filter->GetOutput()->GetPixel({ { 2, 1, 0 } }), 0.02F);

  filter->SetLabels({ 44 });
  EXPECT_NE(Refusal([&]() { filter->Update(); }).find("44"), std::string::npos);

  const auto shifted = LabelImageType::New();
  shifted->Graft(labels);
  auto origin = labels->GetOrigin();
  origin[1] += 1.0;
  shifted->SetOrigin(origin);
  filter->SetLabels({});
  filter->SetLabelImage(shifted);
  EXPECT_NE(Refusal([&]() { filter->Update(); }).find("same physical space"), std::string::npos);
  const auto smaller = LabelImageType::New();
  smaller->SetRegions(itk::Size<3>{ { 4, 3, 1 } });
  smaller->Allocate(true);
  filter->SetLabelImage(smaller);
  EXPECT_NE(Refusal([&]() { filter->Update(); }).find("Resample"), std::string::npos);
}

TEST(RadiographMask, LabelsRunInPlaceWhenAsked)
{
  const auto ct = MakeCenteredImage({ { 4, 3, 2 } }, 2.0, 2.0, 2.0, 0.02F);
  const auto labels = LabelImageType::New();
  labels->CopyInformation(ct);
  labels->SetRegions(ct->GetLargestPossibleRegion());
  labels->Allocate(true);
  labels->SetPixel({ { 1, 1, 1 } }, 3);
  const float * const buffer = ct->GetBufferPointer();
  const auto          filter = LabelFilterType::New();
  filter->SetInput(ct);
  filter->SetLabelImage(labels);
  filter->InPlaceOn();
  filter->Update();
  EXPECT_EQ(filter->GetOutput()->GetBufferPointer(), buffer);
  EXPECT_EQ(buffer[0], 0.0F);
  std::ostringstream text;
  filter->Print(text);
  EXPECT_NE(text.str().find("NumberOfKeptVoxels: 1"), std::string::npos);
}
