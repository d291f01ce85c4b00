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
#ifndef itkPixelViews_h
#define itkPixelViews_h

#include "compute/PixelGrid.h"

#include "itkImage.h"
#include "itkNumberToString.h"

#include <string>

/** What this room's filters need at the stairs: images as plain views, and words for a bad pixel. */
namespace itk
{

using TransmissionImage = Image<float, 3>;

inline radiography::compute::PixelGrid
GridOf(const ImageRegion<3> & region)
{
  const auto size = [&region](unsigned int axis) { return static_cast<std::int64_t>(region.GetSize(axis)); };
  return { size(0), size(1), size(2) };
}

/** The pixels of a region that the image has in its buffer. */
inline radiography::compute::PixelView<const float>
ConstViewOf(const TransmissionImage & image, const ImageRegion<3> & region)
{
  const OffsetValueType * const strides = image.GetOffsetTable();
  return { image.GetBufferPointer() + image.ComputeOffset(region.GetIndex()), strides[1], strides[2] };
}

inline radiography::compute::PixelView<float>
ViewOf(TransmissionImage & image, const ImageRegion<3> & region)
{
  const OffsetValueType * const strides = image.GetOffsetTable();
  return { image.GetBufferPointer() + image.ComputeOffset(region.GetIndex()), strides[1], strides[2] };
}

/** "pixel [3, 4, 0]": for messages. */
inline std::string
DescribePlace(const ImageRegion<3> & region, std::int64_t column, std::int64_t row, std::int64_t slice)
{
  const std::int64_t offset[3] = { column, row, slice };
  std::string        text = "pixel [";
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    text += (axis == 0 ? "" : ", ") + std::to_string(region.GetIndex(axis) + offset[axis]);
  }
  return text + ']';
}

/** "pixel [3, 4, 0] is -1": for messages. */
inline std::string
DescribePixel(const ImageRegion<3> & region, const radiography::compute::BadPixel & bad)
{
  return DescribePlace(region, bad.column, bad.row, bad.slice) + " is " + NumberToString<float>()(bad.value);
}

/** A number for messages, the same in every locale. */
inline std::string
TextOf(double value)
{
  return NumberToString<double>()(value);
}

} // namespace itk

#endif
