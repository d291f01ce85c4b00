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

#include "itkRadiographMask.h"

#include <gtest/gtest.h>

namespace
{

using ImageType = itk::Image<float, 3>;
using MaskType = itk::Image<unsigned char, 3>;

constexpr itk::SizeValueType Side = 16;
constexpr float              Lambda = 1000.0f;

ImageType::Pointer
MakeImage(float value)
{
  const auto image = ImageType::New();
  image->SetRegions(itk::Size<3>{ { Side, Side, 1 } });
  image->Allocate();
  image->FillBuffer(value);
  return image;
}

/** Readings with an error of the model of 2 % of alternating sign, seen through a detector. */
itk::RegistrationView
MakeView(const ImageType & photons, double gain, double offset)
{
  itk::RegistrationView view;
  const auto            image = MakeImage(0.0f);
  for (unsigned int i = 0; i < Side * Side; ++i)
  {
    const double error = (i + i / Side) % 2 == 0 ? 1.02 : 0.98;
    image->GetBufferPointer()[i] = static_cast<float>(gain * error * photons.GetBufferPointer()[i] + offset);
  }
  view.image = image;
  view.gain = gain;
  view.offset = offset;
  return view;
}

/** A bar of three columns, and far from it one pixel. */
ImageType::Pointer
MakePhotonsWithBar()
{
  const auto photons = MakeImage(Lambda);
  for (itk::IndexValueType row = 2; row < 12; ++row)
  {
    for (itk::IndexValueType column = 4; column < 7; ++column)
    {
      photons->SetPixel({ { column, row, 0 } }, 100.0f);
    }
  }
  photons->SetPixel({ { 13, 13, 0 } }, 5000.0f);
  return photons;
}

itk::SizeValueType
CountLeftOut(const MaskType & mask)
{
  return Side * Side - itk::RadiographMask::CountPixels(&mask);
}

} // namespace

TEST(RegistrationMasks, WhatDepartsTogetherIsLeftOutWithItsNeighbours)
{
  const auto depths = MakeImage(1.0f);
  for (const auto & detector : { std::make_pair(1.0, 0.0), std::make_pair(0.01, 30.0) })
  {
    const auto view = MakeView(*MakePhotonsWithBar(), detector.first, detector.second);
    const auto prediction = MakeImage(static_cast<float>(detector.first * Lambda + detector.second));
    const auto kept = itk::FindOutliers(view, *prediction, *depths, nullptr, 6.0);
    EXPECT_EQ(CountLeftOut(*kept), 5U * 12U) << "gain " << detector.first;
    EXPECT_EQ(kept->GetPixel({ { 5, 6, 0 } }), 0);
    EXPECT_EQ(kept->GetPixel({ { 3, 1, 0 } }), 0);
    EXPECT_EQ(kept->GetPixel({ { 8, 6, 0 } }), 1);
    // One pixel alone is a cosmic ray, or a dead pixel, and moves nothing.
    EXPECT_EQ(kept->GetPixel({ { 13, 13, 0 } }), 1);
  }
}

// An error that most pixels have is that of the model, however far above the noise.
TEST(RegistrationMasks, WhatIsTypicalIsKept)
{
  const auto view = MakeView(*MakeImage(1e8f), 1.0, 0.0);
  EXPECT_EQ(CountLeftOut(*itk::FindOutliers(view, *MakeImage(1e8f), *MakeImage(1.0f), nullptr, 6.0)), 0U);
  // Where no ray meets the CT, noise alone is expected.
  EXPECT_EQ(CountLeftOut(*itk::FindOutliers(view, *MakeImage(1e8f), *MakeImage(0.0f), nullptr, 6.0)), Side * Side);
}

TEST(RegistrationMasks, WhatIsTypicalIsFoundInTheMaskOnly)
{
  const auto photons = MakeImage(Lambda);
  const auto mask = MaskType::New();
  mask->SetRegions(itk::Size<3>{ { Side, Side, 1 } });
  mask->Allocate();
  mask->FillBuffer(1);
  // More than half of the image is wrong, and masked but for a strip.
  for (unsigned int i = 0; i < Side * Side * 5 / 8; ++i)
  {
    photons->GetBufferPointer()[i] = 100.0f;
    mask->GetBufferPointer()[i] = i / Side < 8 ? 0 : 1;
  }
  const auto view = MakeView(*photons, 1.0, 0.0);
  const auto depths = MakeImage(1.0f);
  const auto prediction = MakeImage(Lambda);
  EXPECT_EQ(CountLeftOut(*itk::FindOutliers(view, *prediction, *depths, nullptr, 6.0)), 0U);
  EXPECT_EQ(itk::FindOutliers(view, *prediction, *depths, mask, 6.0)->GetPixel({ { 5, 9, 0 } }), 0);
}
