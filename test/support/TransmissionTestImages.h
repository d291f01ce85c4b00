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
#ifndef TransmissionTestImages_h
#define TransmissionTestImages_h

#include "Refusal.h"
#include "itkImage.h"
#include "itkImageRegionConstIterator.h"
#include "itkImageRegionIterator.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <vector>

/** Small images and questions about them that the tests of the transmission room share. */
namespace testimages
{

using ImageType = itk::Image<float, 3>;

/** An image whose index begins away from 0 and whose pixels are valueOf(raster offset). */
template <typename TValueOf>
ImageType::Pointer
Make(const ImageType::SizeType & size, const TValueOf & valueOf, const ImageType::IndexType & start = { { 5, -3, 2 } })
{
  auto image = ImageType::New();
  image->SetRegions(ImageType::RegionType(start, size));
  const double spacing[3] = { 0.5, 0.25, 2.0 };
  const double origin[3] = { 10.0, -20.0, 30.0 };
  image->SetSpacing(spacing);
  image->SetOrigin(origin);
  image->Allocate();
  std::size_t offset = 0;
  for (itk::ImageRegionIterator<ImageType> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    it.Set(static_cast<float>(valueOf(offset++)));
  }
  return image;
}

inline ImageType::Pointer
MakeConstant(const ImageType::SizeType & size, float value)
{
  return Make(size, [value](std::size_t) { return value; });
}

inline std::vector<float>
Pixels(const ImageType & image, const ImageType::RegionType & region)
{
  std::vector<float> values;
  for (itk::ImageRegionConstIterator<ImageType> it(&image, region); !it.IsAtEnd(); ++it)
  {
    values.push_back(it.Get());
  }
  return values;
}

inline std::vector<float>
Pixels(const ImageType & image)
{
  return Pixels(image, image.GetBufferedRegion());
}

inline void
ExpectMentions(const std::string & text, const std::vector<std::string> & words)
{
  for (const auto & word : words)
  {
    EXPECT_NE(text.find(word), std::string::npos) << "\"" << word << "\" is not in: " << text;
  }
}

template <typename TObject>
std::string
Printed(const TObject & object)
{
  std::ostringstream text;
  object.Print(text);
  return text.str();
}

} // namespace testimages

#endif
