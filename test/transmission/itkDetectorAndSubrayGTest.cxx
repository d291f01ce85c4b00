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
#include "TransmissionTestImages.h"
#include "itkDetectorResponseImageFilter.h"
#include "itkSubrayAverageImageFilter.h"

#include <cmath>
#include <limits>

using namespace testimages;

namespace
{

constexpr float NaN = std::numeric_limits<float>::quiet_NaN();

using Response = itk::DetectorResponseImageFilter;
using Average = itk::SubrayAverageImageFilter;

} // namespace

TEST(DetectorResponseImageFilter, IsLinearInCountsPlusScatter)
{
  const auto filter = Response::New();
  filter->SetInput(Make({ { 4, 2, 1 } }, [](std::size_t i) { return static_cast<double>(i); }));
  filter->SetGain(2.5);
  filter->SetScatter(3.0);
  filter->SetOffset(-7.0);
  filter->Update();
  const auto readings = Pixels(*filter->GetOutput());
  for (std::size_t i = 0; i < readings.size(); ++i)
  {
    EXPECT_EQ(readings[i], static_cast<float>(2.5 * (static_cast<double>(i) + 3.0) - 7.0));
  }
}

TEST(DetectorResponseImageFilter, RefusesParametersByName)
{
  const auto refusal = [](const auto & set) {
    const auto filter = Response::New();
    filter->SetInput(MakeConstant({ { 2, 2, 1 } }, 1.0f));
    set(*filter);
    return Refusal([&]() { filter->Update(); });
  };
  ExpectMentions(refusal([](Response & filter) { filter.SetGain(0.0); }), { "Gain is 0" });
  ExpectMentions(refusal([](Response & filter) { filter.SetGain(HUGE_VAL); }), { "Gain is" });
  ExpectMentions(refusal([](Response & filter) { filter.SetScatter(-1.0); }), { "Scatter is -1" });
  ExpectMentions(refusal([](Response & filter) { filter.SetOffset(std::nan("")); }), { "Offset is" });
}

TEST(DetectorResponseImageFilter, RefusesPixelsByIndexBeforeWriting)
{
  const auto counts = MakeConstant({ { 3, 2, 1 } }, 4.0f);
  const auto filter = Response::New();
  filter->SetInput(counts);
  filter->Update();
  for (const float bad : { NaN, -1.0f, std::numeric_limits<float>::infinity() })
  {
    counts->SetPixel({ { 6, -2, 2 } }, bad);
    counts->Modified();
    ExpectMentions(Refusal([&]() { filter->Update(); }), { "[6, -2, 2]" });
    EXPECT_EQ(Pixels(*filter->GetOutput()), std::vector<float>(6, 4.0f));
  }
  counts->SetPixel({ { 6, -2, 2 } }, 3e38f);
  filter->SetGain(10.0);
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "[6, -2, 2]", "gain 10" });
}

TEST(DetectorResponseImageFilter, PrintsItsState)
{
  ExpectMentions(Printed(*Response::New()), { "Gain: 1", "Scatter: 0", "Offset: 0" });
}

TEST(SubrayAverageImageFilter, AveragesTransmissionsPerBlock)
{
  // Blocks of 2 x 2; depths 0 and 2 in equal numbers in each block of the left column.
  const auto filter = Average::New();
  filter->SetInput(Make({ { 4, 4, 2 } }, [](std::size_t i) { return i % 4 < 2 ? 2.0 * (i % 2) : 500.0; }));
  filter->SetSubraysPerSide(2);
  filter->Update();
  const auto depths = Pixels(*filter->GetOutput());
  ASSERT_EQ(depths.size(), 8u);
  for (std::size_t i = 0; i < depths.size(); i += 2)
  {
    EXPECT_NEAR(std::exp(-depths[i]), 0.567668, 5e-7);
    EXPECT_EQ(depths[i + 1], 500.0f) << "no underflow";
  }
}

TEST(SubrayAverageImageFilter, PixelsLieInTheMiddleOfTheirBlocks)
{
  const auto input = MakeConstant({ { 6, 9, 2 } }, 1.0f);
  auto       direction = input->GetDirection();
  direction.Fill(0.0);
  direction(0, 1) = direction(1, 0) = direction(2, 2) = 1.0;
  input->SetDirection(direction);
  const auto filter = Average::New();
  filter->SetInput(input);
  filter->SetSubraysPerSide(3);
  filter->Update();
  const ImageType & output = *filter->GetOutput();
  EXPECT_EQ(output.GetBufferedRegion(), ImageType::RegionType({ { 5, -3, 2 } }, { { 2, 3, 2 } }));
  EXPECT_EQ(output.GetSpacing()[0], 1.5);
  EXPECT_EQ(output.GetSpacing()[1], 0.75);
  EXPECT_EQ(output.GetSpacing()[2], 2.0);
  for (itk::IndexValueType slice = 0; slice < 2; ++slice)
  {
    for (itk::IndexValueType block = 0; block < 2; ++block)
    {
      ImageType::PointType pixel, middle;
      output.TransformIndexToPhysicalPoint({ { 5 + block, -3 + block, 2 + slice } }, pixel);
      input->TransformIndexToPhysicalPoint({ { 5 + 3 * block + 1, -3 + 3 * block + 1, 2 + slice } }, middle);
      EXPECT_LT(pixel.EuclideanDistanceTo(middle), 1e-12);
    }
  }
}

TEST(SubrayAverageImageFilter, OneSubrayIsTheIdentityAndRegionsAgree)
{
  const auto input = Make({ { 12, 12, 1 } }, [](std::size_t i) { return 0.1 * static_cast<double>(i); });
  const auto identity = Average::New();
  identity->SetInput(input);
  identity->Update();
  EXPECT_EQ(Pixels(*identity->GetOutput()), Pixels(*input));
  EXPECT_EQ(identity->GetOutput()->GetOrigin(), input->GetOrigin());

  const auto whole = Average::New();
  whole->SetInput(input);
  whole->SetSubraysPerSide(4);
  whole->SetNumberOfWorkUnits(1);
  whole->Update();
  const auto part = Average::New();
  part->SetInput(input);
  part->SetSubraysPerSide(4);
  const ImageType::RegionType region({ { 6, -2, 2 } }, { { 2, 2, 1 } });
  part->GetOutput()->UpdateOutputInformation();
  part->GetOutput()->SetRequestedRegion(region);
  part->Update();
  EXPECT_EQ(Pixels(*part->GetOutput()), Pixels(*whole->GetOutput(), region));
}

TEST(SubrayAverageImageFilter, RefusesWhatItCannotAverage)
{
  const auto filter = Average::New();
  const auto input = MakeConstant({ { 6, 4, 1 } }, 1.0f);
  filter->SetInput(input);
  filter->SetSubraysPerSide(0);
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "SubraysPerSide is 0" });
  filter->SetSubraysPerSide(3);
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "[6, 4, 1]", "SubraysPerSide, 3" });
  filter->SetSubraysPerSide(2);
  input->SetPixel({ { 10, 0, 2 } }, -1.0f);
  ExpectMentions(Refusal([&]() { filter->Update(); }), { "[10, 0, 2]", "-1" });
}

TEST(SubrayAverageImageFilter, PrintsItsState)
{
  ExpectMentions(Printed(*Average::New()), { "SubraysPerSide: 1" });
}
