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
#include "dicom/DICOMPixelFormat.h"

#include "dicom/DICOMTagReader.h"

#include <algorithm>

namespace radiography::dicom
{
namespace
{

/** A padding value as a stored value. Its VR is often wrong (US for a signed image), its bits are what counts. */
std::optional<std::int32_t>
StoredValueOfWord(std::uint16_t word, const PixelFormat & format)
{
  const auto fits = [&format](std::int32_t value) { return value >= format.Smallest() && value <= format.Largest(); };
  const std::int32_t value = format.isSigned ? static_cast<std::int16_t>(word) : std::int32_t{ word };
  if (fits(value))
  {
    return value;
  }
  // Signed 12 bits written as 0x0830 instead of 0xf830.
  const std::int32_t lowered = std::int32_t{ word } - (std::int32_t{ 1 } << format.bitsStored);
  if (format.isSigned && lowered < 0 && fits(lowered))
  {
    return lowered;
  }
  return std::nullopt;
}

} // namespace

PixelFormat
ReadPixelFormat(DcmItem & dataset)
{
  const auto refuse = [](const DcmTagKey & tag, unsigned value, const std::string & why) {
    throw FileError("pixel-format", TagName(tag) + " is " + std::to_string(value) + ": " + why);
  };
  const auto samples = WordOf(dataset, DCM_SamplesPerPixel).value_or(1);
  if (samples != 1)
  {
    refuse(DCM_SamplesPerPixel, samples, "one grey value per pixel is read");
  }
  const auto photometric = TextOf(dataset, DCM_PhotometricInterpretation);
  if (photometric != "MONOCHROME1" && photometric != "MONOCHROME2")
  {
    throw FileError("pixel-format",
                    TagName(DCM_PhotometricInterpretation) + " is \"" + photometric +
                      "\": MONOCHROME1 and MONOCHROME2 are read");
  }
  PixelFormat format;
  format.rows = RequiredWord(dataset, DCM_Rows);
  format.columns = RequiredWord(dataset, DCM_Columns);
  format.bitsAllocated = RequiredWord(dataset, DCM_BitsAllocated);
  format.bitsStored = RequiredWord(dataset, DCM_BitsStored);
  format.highBit = RequiredWord(dataset, DCM_HighBit);
  const unsigned representation = RequiredWord(dataset, DCM_PixelRepresentation);
  if (format.rows == 0 || format.columns == 0)
  {
    throw FileError("pixel-format", "Rows or Columns is 0: the image has no pixels");
  }
  if (format.bitsAllocated != 8 && format.bitsAllocated != 16)
  {
    refuse(DCM_BitsAllocated, format.bitsAllocated, "cells of 8 or 16 bits are read");
  }
  if (format.bitsStored == 0 || format.bitsStored > format.bitsAllocated)
  {
    refuse(DCM_BitsStored, format.bitsStored, "it must be from 1 to BitsAllocated");
  }
  if (format.highBit + 1 < format.bitsStored || format.highBit >= format.bitsAllocated)
  {
    refuse(DCM_HighBit, format.highBit, "BitsStored bits below it do not fit into the cell");
  }
  if (representation > 1)
  {
    refuse(DCM_PixelRepresentation, representation, "it must be 0 (unsigned) or 1 (signed)");
  }
  format.isSigned = representation == 1;
  return format;
}

std::optional<PaddingRange>
ReadPadding(DcmItem & dataset, const PixelFormat & format)
{
  const auto word = WordOf(dataset, DCM_PixelPaddingValue);
  if (!word)
  {
    return std::nullopt;
  }
  const auto value = StoredValueOfWord(*word, format);
  if (!value)
  {
    return PaddingRange{ *word, *word, true };
  }
  const auto limitWord = WordOf(dataset, DCM_PixelPaddingRangeLimit);
  const auto limit = limitWord ? StoredValueOfWord(*limitWord, format) : value;
  if (!limit)
  {
    throw FileError("pixel-padding",
                    TagName(DCM_PixelPaddingRangeLimit) + " is " + std::to_string(*limitWord) +
                      ", which is no value that BitsStored allows");
  }
  return PaddingRange{ std::min(*value, *limit), std::max(*value, *limit), false };
}

} // namespace radiography::dicom
