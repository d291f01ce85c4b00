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
#ifndef radiography_dicom_DICOMPixelFormat_h
#define radiography_dicom_DICOMPixelFormat_h

#include <cstddef>
#include <cstdint>
#include <optional>

class DcmItem;

namespace radiography::dicom
{

/** How a pixel lies in its cell (PS3.5 8.1.1). */
struct PixelFormat
{
  unsigned columns{ 0 };
  unsigned rows{ 0 };
  unsigned bitsAllocated{ 16 };
  unsigned bitsStored{ 16 };
  unsigned highBit{ 15 };
  bool     isSigned{ false };

  std::size_t
  NumberOfPixels() const
  {
    return std::size_t{ columns } * rows;
  }

  std::int32_t
  Smallest() const
  {
    return isSigned ? -(std::int32_t{ 1 } << (bitsStored - 1)) : 0;
  }

  std::int32_t
  Largest() const
  {
    return (std::int32_t{ 1 } << (isSigned ? bitsStored - 1 : bitsStored)) - 1;
  }
};

/** Stored values from `low` to `high` are padding (PS3.3 C.7.5.1.1.2). */
struct PaddingRange
{
  std::int32_t low{ 0 };
  std::int32_t high{ 0 };
  /** The value does not fit into BitsStored: it is compared with the whole cell. */
  bool ofWholeCell{ false };
};

/** \throws FileError unless the image has one grey value per pixel, in cells of 8 or 16 bits. */
PixelFormat
ReadPixelFormat(DcmItem & dataset);

/** Pixel Padding Value and Range Limit; nothing if there is none. \throws FileError */
std::optional<PaddingRange>
ReadPadding(DcmItem & dataset, const PixelFormat & format);

} // namespace radiography::dicom

#endif
