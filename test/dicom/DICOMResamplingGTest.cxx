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
#include "DICOMPhantomSeries.h"
#include "Refusal.h"

#include <cmath>

using namespace phantom;

namespace
{

std::string
Position(double x, double y, double z)
{
  return std::to_string(x) + "\\" + std::to_string(y) + "\\" + std::to_string(z);
}

itk::DICOMCTVolumeReader::Pointer
ResamplingReader(const TemporaryFolder & folder)
{
  auto reader = MakeReader(folder);
  reader->ResampleOn();
  return reader;
}

/** The phantom's values are linear in column, row and slice. */
double
LinearHU(double c, double r, double k)
{
  return 1000.0 + c + 20.0 * r + 300.0 * k - 1024.0;
}

void
WriteTilted(const TemporaryFolder & folder, double shift)
{
  WriteSeries(folder, [shift](Dataset & d, unsigned k) {
    Put(d, DCM_ImagePositionPatient, Position(-10.0, 20.0 + 2.5 * k * shift, 2.5 * k));
  });
}

} // namespace

TEST(DICOMResampling, TiltedStacksKeepALinearFieldExactly)
{
  for (const double degrees : { 18.5, -18.5, 0.06 })
  {
    SCOPED_TRACE(degrees);
    const TemporaryFolder folder;
    const double          shift = std::tan(degrees * std::acos(-1.0) / 180.0);
    WriteTilted(folder, shift);
    const auto reader = ResamplingReader(folder);
    ASSERT_NO_THROW(reader->Update());
    const auto & image = *reader->GetOutput();
    const auto   size = image.GetLargestPossibleRegion().GetSize();
    EXPECT_EQ(size[0], Columns);
    EXPECT_EQ(size[1], Rows + static_cast<unsigned>(std::ceil(12.5 * std::abs(shift) / 0.7)));
    EXPECT_EQ(size[2], Slices);
    EXPECT_TRUE(image.GetDirection().GetVnlMatrix().is_identity(1e-12));
    std::size_t outside = 0;
    for (itk::IndexValueType k = 0; k < 6; ++k)
    {
      for (itk::IndexValueType r = 0; r < static_cast<itk::IndexValueType>(size[1]); ++r)
      {
        for (itk::IndexValueType c = 0; c < 12; ++c)
        {
          itk::Image<float, 3>::PointType place;
          image.TransformIndexToPhysicalPoint(itk::Index<3>{ { c, r, k } }, place);
          const double row = (place[1] - 20.0 - place[2] * shift) / 0.7;
          const bool   isInside = row > -1e-4 && row < Rows - 1 + 1e-4;
          outside += isInside ? 0 : 1;
          ASSERT_NEAR(image.GetPixel({ { c, r, k } }),
                      isInside ? LinearHU(c, row, place[2] / 2.5) : -1000.0,
                      isInside ? 2e-3 : 0.0)
            << c << ", " << r << ", " << k;
        }
      }
    }
    EXPECT_EQ(reader->GetNumberOfPaddedVoxels(), outside);
  }
}

TEST(DICOMResampling, GapsAreFilledLinearly)
{
  const TemporaryFolder folder;
  WriteSeries(folder);
  std::filesystem::remove(folder / "s2");
  const auto reader = ResamplingReader(folder);
  reader->Update();
  // Linear values: what was missing comes out as it was, the others stay to the bit.
  ExpectVoxels(*reader->GetOutput(), PhantomHU);
  bool said = false;
  for (const auto & warning : reader->GetWarnings())
  {
    said = said || (warning.find("resampled") != std::string::npos && warning.find("gap") != std::string::npos);
  }
  EXPECT_TRUE(said);
}

TEST(DICOMResampling, UnevenStepsComeOutInMedianSteps)
{
  const TemporaryFolder folder;
  const double          heights[] = { 0.0, 2.5, 5.0, 8.0, 10.5, 13.0 };
  WriteSeries(folder,
              [&](Dataset & d, unsigned k) { Put(d, DCM_ImagePositionPatient, Position(-10.0, 20.0, heights[k])); });
  const auto reader = ResamplingReader(folder);
  reader->Update();
  const auto & image = *reader->GetOutput();
  ASSERT_EQ(image.GetLargestPossibleRegion().GetSize(), (itk::Size<3>{ { Columns, Rows, 6 } }));
  EXPECT_NEAR(image.GetSpacing()[2], 2.5, 1e-9);
  const double slices[] = { 0.0, 1.0, 2.0, 2.0 + 2.5 / 3.0, 3.8, 4.8 };
  for (unsigned k = 0; k < 6; ++k)
  {
    EXPECT_NEAR(image.GetPixel({ { 4, 3, k } }), LinearHU(4, 3, slices[k]), 1e-3) << k;
  }
}

TEST(DICOMResampling, TiltAndGapTogether)
{
  const TemporaryFolder folder;
  const double          shift = 0.7 * 2.0 / 2.5; // two rows a slice
  WriteTilted(folder, shift);
  std::filesystem::remove(folder / "s3");
  const auto reader = ResamplingReader(folder);
  reader->Update();
  const auto & image = *reader->GetOutput();
  ASSERT_EQ(image.GetLargestPossibleRegion().GetSize(), (itk::Size<3>{ { Columns, Rows + 10, 6 } }));
  for (unsigned k = 0; k < 6; ++k)
  {
    EXPECT_NEAR(image.GetPixel({ { 5, 2 * k + 4, k } }), LinearHU(5, 4, k), 1e-3) << k;
  }
}

TEST(DICOMResampling, ARegularVolumeIsLeftAlone)
{
  const TemporaryFolder folder;
  WriteSeries(folder);
  const auto reader = ResamplingReader(folder);
  reader->Update();
  ExpectVoxels(*reader->GetOutput(), PhantomHU);
  EXPECT_TRUE(reader->GetWarnings().empty());
}

TEST(DICOMResampling, OnlyWhenAskedFor)
{
  const TemporaryFolder folder;
  WriteSeries(folder);
  std::filesystem::remove(folder / "s2");
  const auto reader = ResamplingReader(folder);
  reader->Update();
  reader->ResampleOff();
  const auto text = testimages::Refusal([&reader] { reader->Update(); });
  EXPECT_NE(text.find("Resampling it would help"), std::string::npos) << text;
}

TEST(DICOMResampling, WhatItDoesNotCureStaysRefused)
{
  const TemporaryFolder folder;
  WriteSeries(folder, [](Dataset & d, unsigned k) {
    if (k == 4)
    {
      d.findAndDeleteElement(DCM_RescaleSlope);
    }
  });
  std::filesystem::remove(folder / "s2");
  const auto reader = ResamplingReader(folder);
  EXPECT_NE(testimages::Refusal([&reader] { reader->Update(); }).find("RescaleSlope"), std::string::npos);
}

TEST(DICOMResampling, AFarSliceDoesNotMakeAHugeVolume)
{
  const TemporaryFolder folder;
  WriteSeries(folder, [](Dataset & d, unsigned k) {
    if (k == 5)
    {
      Put(d, DCM_ImagePositionPatient, "-10\\20\\1e9");
    }
  });
  const auto reader = ResamplingReader(folder);
  EXPECT_NE(testimages::Refusal([&reader] { reader->Update(); }).find("MaximumNumberOfVoxels"), std::string::npos);
}

TEST(DICOMResampling, SameBitsForAnyNumberOfThreads)
{
  const TemporaryFolder folder;
  WriteTilted(folder, 0.3);
  std::vector<float> first;
  for (const unsigned threads : { 1u, 4u })
  {
    const auto reader = ResamplingReader(folder);
    reader->SetNumberOfWorkUnits(threads);
    reader->Update();
    const auto &             image = *reader->GetOutput();
    const float * const      voxels = image.GetBufferPointer();
    const std::vector<float> all(voxels, voxels + image.GetBufferedRegion().GetNumberOfPixels());
    if (first.empty())
    {
      first = all;
    }
    EXPECT_EQ(first, all);
  }
}
