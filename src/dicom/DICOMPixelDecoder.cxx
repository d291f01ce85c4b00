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
#include "dicom/DICOMPixelDecoder.h"

#include "dicom/DICOMCodecs.h"
#include "dicom/DICOMJPEG2000.h"
#include "dicom/DICOMTagReader.h"

#include <dcmtk/dcmdata/dcpixel.h>
#include <dcmtk/dcmdata/dcpixseq.h>
#include <dcmtk/dcmdata/dcpxitem.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace radiography::dicom
{
namespace
{

[[noreturn]] void
RefusePixels(const std::string & why)
{
  throw FileError("pixel-data", why);
}

/** The status must be looked at: of a truncated file DCMTK delivers full-length pixel data all the same. */
void
LoadFile(DcmFileFormat & file, const std::string & path)
{
  const OFCondition status = file.loadFile(path.c_str());
  if (status.bad())
  {
    RefusePixels(std::string("the file is damaged or truncated (") + status.text() + ")");
  }
}

DcmPixelData &
PixelDataOf(DcmDataset & dataset)
{
  DcmElement * element = nullptr;
  if (dataset.findAndGetElement(DCM_PixelData, element).bad() || element == nullptr)
  {
    RefusePixels(TagName(DCM_PixelData) + " is absent (a private compression is not read)");
  }
  auto * const pixelData = dynamic_cast<DcmPixelData *>(element);
  if (pixelData == nullptr)
  {
    RefusePixels(TagName(DCM_PixelData) + " has an impossible type");
  }
  return *pixelData;
}

/** Nothing if the pixel data are native. */
DcmPixelSequence *
EncapsulatedFrames(DcmDataset & dataset, DcmPixelData & pixelData)
{
  const DcmXfer syntax(dataset.getOriginalXfer());
  if (!syntax.isEncapsulated())
  {
    return nullptr;
  }
  DcmPixelSequence * sequence = nullptr;
  if (pixelData.getEncapsulatedRepresentation(syntax.getXfer(), nullptr, sequence).bad() || sequence == nullptr)
  {
    RefusePixels(std::string("it declares ") + syntax.getXferName() + ", but its pixel data are not encapsulated");
  }
  return sequence;
}

/** All fragments of the only frame, without the offset table, which is item 0. */
std::vector<std::uint8_t>
JoinedFragments(DcmPixelSequence & sequence)
{
  std::vector<std::uint8_t> bytes;
  for (unsigned long i = 1; i < sequence.card(); ++i)
  {
    DcmPixelItem * item = nullptr;
    Uint8 *        data = nullptr;
    if (sequence.getItem(item, i).bad() || item->getUint8Array(data).bad() || data == nullptr)
    {
      RefusePixels("fragment " + std::to_string(i) + " of the pixel data cannot be read");
    }
    bytes.insert(bytes.end(), data, data + item->getLength());
  }
  return bytes;
}

PixelCells
ReadNativeCells(DcmPixelData & pixelData, const PixelFormat & format)
{
  OFCondition status;
  PixelCells  cells;
  if (format.bitsAllocated == 8)
  {
    Uint8 * data = nullptr;
    status = pixelData.getUint8Array(data);
    if (status.good() && data != nullptr)
    {
      cells.assign(data, data + format.NumberOfPixels());
    }
  }
  else
  {
    Uint16 * data = nullptr;
    status = pixelData.getUint16Array(data);
    if (status.good() && data != nullptr)
    {
      cells.assign(data, data + format.NumberOfPixels());
    }
  }
  if (status.bad() || cells.empty())
  {
    RefusePixels(std::string("the pixel data cannot be read (") + status.text() + ")");
  }
  return cells;
}

/** RLE, JPEG and JPEG-LS through DCMTK's decoders. */
PixelCells
DecodeWithDCMTK(DcmDataset & dataset, DcmPixelData & pixelData, const PixelFormat & format)
{
  Uint32 frameSize = 0;
  if (pixelData.getUncompressedFrameSize(&dataset, frameSize).bad())
  {
    RefusePixels("the size of the decoded image is not known");
  }
  const std::size_t bytesPerCell = format.bitsAllocated / 8;
  const std::size_t needed = format.NumberOfPixels() * bytesPerCell;
  if (frameSize < needed)
  {
    RefusePixels("the decoded image has " + std::to_string(frameSize) + " bytes instead of " + std::to_string(needed));
  }
  // An even number of bytes, as DCMTK's decoders want it.
  std::vector<std::uint16_t> buffer((std::size_t{ frameSize } + 1) / 2);
  Uint32                     fragment = 0;
  OFString                   colorModel;
  const OFCondition          status = pixelData.getUncompressedFrame(
    &dataset, 0, fragment, buffer.data(), static_cast<Uint32>(buffer.size() * 2), colorModel);
  if (status.bad())
  {
    const std::string name = DcmXfer(dataset.getOriginalXfer()).getXferName();
    RefusePixels("its pixel data (" + name + ") cannot be decoded: " + status.text());
  }
  if (bytesPerCell == 2)
  {
    buffer.resize(format.NumberOfPixels());
    return buffer;
  }
  const auto * const bytes = reinterpret_cast<const std::uint8_t *>(buffer.data());
  return { bytes, bytes + format.NumberOfPixels() };
}

std::int32_t
SignExtended(std::uint32_t bits, unsigned precision)
{
  const std::uint32_t mask = (std::uint32_t{ 1 } << precision) - 1;
  const std::uint32_t signBit = std::uint32_t{ 1 } << (precision - 1);
  return static_cast<std::int32_t>((bits & mask) ^ signBit) - static_cast<std::int32_t>(signBit);
}

/** Precision and the largest error of a JPEG-LS codestream (ISO 14495-1, C.2.2 and C.2.3). */
struct NearLossless
{
  unsigned precision{ 0 };
  unsigned near{ 0 };
};

NearLossless
ReadNearLossless(const std::vector<std::uint8_t> & codestream)
{
  NearLossless result;
  for (std::size_t i = 2; i + 4 < codestream.size() && codestream[i] == 0xff;)
  {
    const unsigned    marker = codestream[i + 1];
    const std::size_t length = codestream[i + 2] * 256u + codestream[i + 3];
    if (marker == 0xf7) // SOF55
    {
      result.precision = codestream[i + 4];
    }
    if (marker == 0xda && i + 2 + length < codestream.size() && length >= 6) // SOS: NEAR stands 3rd from its end
    {
      result.near = codestream[i + 2 + length - 3];
      return result;
    }
    i += 2 + length;
  }
  RefusePixels("its JPEG-LS codestream has no scan header");
}

/** JPEG-LS knows no sign. An error of NEAR in the bits of a signed number is harmless, except where the numbers wrap:
 * next to the largest and the smallest one it turns one into the other. There nobody can tell which was meant. */
void
RestoreSigns(PixelCells & cells, const NearLossless & coding)
{
  if (coding.precision < 2 || coding.precision > 16)
  {
    RefusePixels("its JPEG-LS codestream has a precision of " + std::to_string(coding.precision) + " bits");
  }
  const std::int32_t largest = (std::int32_t{ 1 } << (coding.precision - 1)) - 1;
  const auto         margin = static_cast<std::int32_t>(coding.near);
  for (auto & cell : cells)
  {
    const std::int32_t value = SignExtended(cell, coding.precision);
    if (margin > 0 && (value > largest - margin || value < -largest - 1 + margin))
    {
      throw FileError("lossy-signed",
                      "it is a lossy JPEG-LS encoding (error up to " + std::to_string(coding.near) +
                        ") of signed values with a pixel at the end of the value range (" + std::to_string(value) +
                        "), where the error can change the sign; get the lossless original");
    }
    cell = static_cast<std::uint16_t>(value);
  }
}

/** The sign of the codestream need not be the one of the image: without loss the bits are right in any case, with loss
 * only where both agree. */
PixelCells
CellsOfJPEG2000(const JPEG2000Image & image, const SliceHeader & header)
{
  const bool isLossy = MayBeLossy(header.transferSyntaxUID);
  if (isLossy && image.isSigned != header.format.isSigned)
  {
    throw FileError("lossy-signed",
                    std::string("it is a possibly lossy JPEG 2000 encoding whose codestream is ") +
                      (image.isSigned ? "signed" : "unsigned") +
                      " while PixelRepresentation says the opposite: values " +
                      "next to the sign change cannot be trusted; get the lossless original");
  }
  if (!isLossy && image.precision < header.format.bitsStored)
  {
    RefusePixels("its JPEG 2000 codestream has " + std::to_string(image.precision) + " bits, BitsStored is " +
                 std::to_string(header.format.bitsStored));
  }
  PixelCells cells(image.values.size());
  std::transform(image.values.begin(), image.values.end(), cells.begin(), [](std::int32_t value) {
    return static_cast<std::uint16_t>(value);
  });
  return cells;
}

PixelCells
DecodeEncapsulated(const SliceHeader & header, DcmDataset & dataset, DcmPixelData & data, DcmPixelSequence & frames)
{
  const std::string & syntax = header.transferSyntaxUID;
  if (IsCosineTransformJPEG(syntax) && header.format.isSigned)
  {
    throw FileError("lossy-signed",
                    "it is a lossy JPEG encoding of signed values: JPEG knows no sign, so that values around 0 HU come "
                    "out wrong by the whole value range; get the lossless original");
  }
  if (MayBeLossy(syntax) && header.format.highBit + 1 != header.format.bitsStored)
  {
    RefusePixels("it is a lossy encoding with HighBit " + std::to_string(header.format.highBit) + " and BitsStored " +
                 std::to_string(header.format.bitsStored));
  }
  if (IsJPEG2000(syntax))
  {
    return CellsOfJPEG2000(DecodeJPEG2000(JoinedFragments(frames), header.format.columns, header.format.rows), header);
  }
  PixelCells cells = DecodeWithDCMTK(dataset, data, header.format);
  if (syntax == UID_JPEGLSLossyTransferSyntax && header.format.isSigned)
  {
    RestoreSigns(cells, ReadNearLossless(JoinedFragments(frames)));
  }
  return cells;
}

/** Which stored values are padding, with the case of no padding made an empty range. */
PaddingRange
EffectivePadding(const SliceHeader & header)
{
  return header.padding.value_or(PaddingRange{ 1, 0, false });
}

} // namespace

void
CheckPixelDataLength(DcmDataset & dataset, const PixelFormat & format)
{
  DcmPixelData &    pixelData = PixelDataOf(dataset);
  const std::size_t needed = format.NumberOfPixels() * (format.bitsAllocated / 8);
  const std::size_t length = pixelData.getLength();
  if (EncapsulatedFrames(dataset, pixelData) == nullptr && length < needed)
  {
    RefusePixels("the pixel data have " + std::to_string(length) + " bytes; " + std::to_string(format.rows) +
                 " rows x " + std::to_string(format.columns) + " columns need " + std::to_string(needed));
  }
}

PixelCells
ReadPixelCells(const SliceHeader & header)
{
  PrepareDCMTK();
  DcmFileFormat file;
  LoadFile(file, header.file);
  DcmDataset & dataset = *file.getDataset();
  CheckPixelDataLength(dataset, header.format);
  DcmPixelData & pixelData = PixelDataOf(dataset);
  if (DcmPixelSequence * const frames = EncapsulatedFrames(dataset, pixelData))
  {
    return DecodeEncapsulated(header, dataset, pixelData, *frames);
  }
  return ReadNativeCells(pixelData, header.format);
}

std::int32_t
StoredValue(std::uint16_t cell, const PixelFormat & format, bool isLossy)
{
  if (isLossy)
  {
    const std::int32_t value = format.isSigned ? SignExtended(cell, format.bitsAllocated) : std::int32_t{ cell };
    return std::clamp(value, format.Smallest(), format.Largest());
  }
  const std::uint32_t bits = std::uint32_t{ cell } >> (format.highBit + 1 - format.bitsStored);
  const std::uint32_t mask = (std::uint32_t{ 1 } << format.bitsStored) - 1;
  return format.isSigned ? SignExtended(bits, format.bitsStored) : static_cast<std::int32_t>(bits & mask);
}

std::size_t
DecodeSlice(const SliceHeader & header, float paddingHU, float * output)
{
  const PixelCells   cells = ReadPixelCells(header);
  const PaddingRange padding = EffectivePadding(header);
  const bool         isLossy = MayBeLossy(header.transferSyntaxUID);
  std::size_t        padded = 0;
  for (std::size_t i = 0; i < cells.size(); ++i)
  {
    const std::int32_t value = StoredValue(cells[i], header.format, isLossy);
    const std::int32_t compared = padding.ofWholeCell ? std::int32_t{ cells[i] } : value;
    const bool         isPadding = compared >= padding.low && compared <= padding.high;
    padded += isPadding ? 1 : 0;
    output[i] = isPadding ? paddingHU : static_cast<float>(value * header.slope + header.intercept);
  }
  return padded;
}

} // namespace radiography::dicom
