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
#include <map>
#include <mutex>

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

void
AppendFragment(std::vector<std::uint8_t> & bytes, DcmPixelSequence & sequence, unsigned long number)
{
  DcmPixelItem * item = nullptr;
  Uint8 *        data = nullptr;
  if (sequence.getItem(item, number).bad() || item->getUint8Array(data).bad() || data == nullptr)
  {
    RefusePixels("fragment " + std::to_string(number) + " of the pixel data cannot be read");
  }
  bytes.insert(bytes.end(), data, data + item->getLength());
}

/** The codestream of a frame. Item 0 is the offset table; an image of one frame may be cut into any number of
 * fragments, one of several frames is read where each has one fragment, as encoders write it. */
std::vector<std::uint8_t>
CodestreamOf(const FrameLocation & location, DcmPixelSequence & sequence)
{
  std::vector<std::uint8_t> bytes;
  const unsigned long       items = sequence.card();
  if (location.frames == 1)
  {
    for (unsigned long i = 1; i < items; ++i)
    {
      AppendFragment(bytes, sequence, i);
    }
    return bytes;
  }
  if (items != location.frames + 1)
  {
    RefusePixels("its " + std::to_string(location.frames) + " frames lie in " +
                 std::to_string(items == 0 ? 0 : items - 1) + " fragments: one fragment a frame is read");
  }
  AppendFragment(bytes, sequence, static_cast<unsigned long>(location.frame) + 1);
  return bytes;
}

/** Only the frame's part of the file is read. */
PixelCells
ReadNativeCells(DcmPixelData & pixelData, const FrameLocation & location)
{
  const std::size_t count = location.format.NumberOfPixels();
  const std::size_t bytes = count * (location.format.bitsAllocated / 8);
  PixelCells        cells(count);
  if (location.format.bitsAllocated == 16 && pixelData.getTag().getEVR() == EVR_OB)
  {
    RefusePixels(TagName(DCM_PixelData) + " is a string of bytes (OB) while BitsAllocated is 16");
  }
  const OFCondition status =
    pixelData.getPartialValue(cells.data(), static_cast<Uint32>(location.frame * bytes), static_cast<Uint32>(bytes));
  if (status.bad())
  {
    RefusePixels(std::string("the pixel data cannot be read (") + status.text() + ")");
  }
  if (location.format.bitsAllocated == 8)
  {
    // From the last one to the first: each is moved behind all that are still to be moved.
    const auto * const packed = reinterpret_cast<const std::uint8_t *>(cells.data());
    for (std::size_t i = count; i-- > 0;)
    {
      cells[i] = packed[i];
    }
  }
  return cells;
}

/** How many bytes a segment of RLE gives: literal runs and repeated bytes (PS3.5 G.3.1), a last one may be cut. */
std::size_t
DecodedLength(const std::uint8_t * segment, std::size_t length)
{
  std::size_t count = 0;
  for (std::size_t i = 0; i < length;)
  {
    const unsigned code = segment[i];
    const bool     isLiteral = code < 128;
    const unsigned run = isLiteral ? code + 1 : code == 128 ? 0 : 257 - code;
    i += 1 + (isLiteral ? run : code == 128 ? 0 : 1);
    count += i <= length ? run : 0;
  }
  return count;
}

/** DCMTK's decoder reads a header of RLE that is not there, follows offsets out of the fragment, and fills pixels that
 * a segment does not give. The header, PS3.5 G.5: the number of segments, then 15 offsets, each of 32 bits. */
void
CheckRLE(const std::vector<std::uint8_t> & fragment, const PixelFormat & format)
{
  constexpr std::size_t headerLength = 64;
  const std::size_t     segments = format.bitsAllocated / 8;
  const auto            word = [&fragment](std::size_t i) {
    const std::uint8_t * const at = fragment.data() + 4 * i;
    return std::size_t{ at[0] } + (std::size_t{ at[1] } << 8) + (std::size_t{ at[2] } << 16) +
           (std::size_t{ at[3] } << 24);
  };
  if (fragment.size() < headerLength || word(0) != segments)
  {
    RefusePixels("its RLE encoding has no header of " + std::to_string(segments) + " segment(s)");
  }
  for (std::size_t i = 1; i <= segments; ++i)
  {
    const std::size_t begin = word(i);
    const std::size_t end = i < segments ? word(i + 1) : fragment.size();
    if (begin < headerLength || begin > end || end > fragment.size() ||
        DecodedLength(fragment.data() + begin, end - begin) < format.NumberOfPixels())
    {
      RefusePixels("segment " + std::to_string(i) + " of its RLE encoding is damaged or too short");
    }
  }
}

/** DCMTK's decoders do not all ask whether a fragment has any bytes. */
void
CheckFragments(DcmPixelSequence & sequence, const FrameLocation & location)
{
  const bool          isRLE = location.transferSyntaxUID == UID_RLELosslessTransferSyntax;
  const unsigned long items = sequence.card();
  const bool          isOneAFrame = items == location.frames + 1;
  const unsigned long first = isOneAFrame ? static_cast<unsigned long>(location.frame) + 1 : 1;
  const unsigned long last = isOneAFrame ? first + 1 : items;
  if (items < 2)
  {
    RefusePixels("its pixel data have no fragment");
  }
  if (isRLE && !isOneAFrame)
  {
    RefusePixels("its " + std::to_string(location.frames) + " frame(s) lie in " + std::to_string(items - 1) +
                 " fragments: RLE has one a frame");
  }
  for (unsigned long i = first; i < last; ++i)
  {
    std::vector<std::uint8_t> bytes;
    AppendFragment(bytes, sequence, i);
    if (bytes.empty())
    {
      RefusePixels("fragment " + std::to_string(i) + " of the pixel data is empty");
    }
    if (isRLE)
    {
      CheckRLE(bytes, location.format);
    }
  }
}

/** RLE, JPEG and JPEG-LS through DCMTK's decoders. */
PixelCells
DecodeWithDCMTK(DcmDataset & dataset, DcmPixelData & pixelData, const FrameLocation & location)
{
  const PixelFormat & format = location.format;
  Uint32              frameSize = 0;
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
  const OFCondition          status = pixelData.getUncompressedFrame(&dataset,
                                                            static_cast<Uint32>(location.frame),
                                                            fragment,
                                                            buffer.data(),
                                                            static_cast<Uint32>(buffer.size() * 2),
                                                            colorModel);
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
CellsOfJPEG2000(const JPEG2000Image & image, const FrameLocation & location)
{
  const bool isLossy = MayBeLossy(location.transferSyntaxUID);
  if (isLossy && image.isSigned != location.format.isSigned)
  {
    throw FileError("lossy-signed",
                    std::string("it is a possibly lossy JPEG 2000 encoding whose codestream is ") +
                      (image.isSigned ? "signed" : "unsigned") +
                      " while PixelRepresentation says the opposite: values " +
                      "next to the sign change cannot be trusted; get the lossless original");
  }
  if (!isLossy && image.precision < location.format.bitsStored)
  {
    RefusePixels("its JPEG 2000 codestream has " + std::to_string(image.precision) + " bits, BitsStored is " +
                 std::to_string(location.format.bitsStored));
  }
  PixelCells cells(image.values.size());
  std::transform(image.values.begin(), image.values.end(), cells.begin(), [](std::int32_t value) {
    return static_cast<std::uint16_t>(value);
  });
  return cells;
}

PixelCells
DecodeEncapsulated(const FrameLocation & location, DcmDataset & dataset, DcmPixelData & data, DcmPixelSequence & frames)
{
  const std::string & syntax = location.transferSyntaxUID;
  if (IsCosineTransformJPEG(syntax) && location.format.isSigned)
  {
    throw FileError("lossy-signed",
                    "it is a lossy JPEG encoding of signed values: JPEG knows no sign, so that values around 0 come "
                    "out wrong by the whole value range; get the lossless original");
  }
  if (MayBeLossy(syntax) && location.format.highBit + 1 != location.format.bitsStored)
  {
    RefusePixels("it is a lossy encoding with HighBit " + std::to_string(location.format.highBit) + " and BitsStored " +
                 std::to_string(location.format.bitsStored));
  }
  if (IsJPEG2000(syntax))
  {
    return CellsOfJPEG2000(
      DecodeJPEG2000(CodestreamOf(location, frames), location.format.columns, location.format.rows), location);
  }
  CheckFragments(frames, location);
  PixelCells cells = DecodeWithDCMTK(dataset, data, location);
  if (syntax == UID_JPEGLSLossyTransferSyntax && location.format.isSigned)
  {
    RestoreSigns(cells, ReadNearLossless(CodestreamOf(location, frames)));
  }
  return cells;
}

/** An image file that is open. Not for two threads at once. */
class ImageFile
{
public:
  explicit ImageFile(const FrameLocation & location)
  {
    PrepareDCMTK();
    LoadFile(m_File, location.file);
    CheckPixelDataLength(*m_File.getDataset(), location.format, location.frames);
  }

  PixelCells
  ReadFrame(const FrameLocation & location)
  {
    DcmDataset &   dataset = *m_File.getDataset();
    DcmPixelData & pixelData = PixelDataOf(dataset);
    if (DcmPixelSequence * const frames = EncapsulatedFrames(dataset, pixelData))
    {
      return DecodeEncapsulated(location, dataset, pixelData, *frames);
    }
    return ReadNativeCells(pixelData, location);
  }

private:
  DcmFileFormat m_File;
};

/** Which stored values are padding, with the case of no padding made an empty range. */
PaddingRange
EffectivePadding(const SliceHeader & header)
{
  return header.padding.value_or(PaddingRange{ 1, 0, false });
}

} // namespace

void
CheckPixelDataLength(DcmDataset & dataset, const PixelFormat & format, std::size_t frames)
{
  DcmPixelData &    pixelData = PixelDataOf(dataset);
  const std::size_t needed = format.NumberOfPixels() * (format.bitsAllocated / 8) * frames;
  const std::size_t length = pixelData.getLength();
  if (DcmPixelSequence * const sequence = EncapsulatedFrames(dataset, pixelData))
  {
    // Item 0 is the offset table.
    if (sequence->card() < frames + 1)
    {
      RefusePixels("the pixel data have " + std::to_string(sequence->card() - std::min(sequence->card(), 1ul)) +
                   " fragment(s) for " + std::to_string(frames) + " frame(s)");
    }
  }
  else if (length < needed)
  {
    RefusePixels("the pixel data have " + std::to_string(length) + " bytes; " + std::to_string(format.rows) +
                 " rows x " + std::to_string(format.columns) + " columns" +
                 (frames > 1 ? " x " + std::to_string(frames) + " frames" : "") + " need " + std::to_string(needed));
  }
}

PixelCells
ReadPixelCells(const FrameLocation & location)
{
  return ImageFile(location).ReadFrame(location);
}

struct ImageFilePool::Implementation
{
  std::mutex                                                     mutex;
  std::map<std::string, std::vector<std::unique_ptr<ImageFile>>> idle;

  std::unique_ptr<ImageFile>
  Take(const std::string & path)
  {
    const std::lock_guard<std::mutex> lock(mutex);
    auto &                            files = idle[path];
    if (files.empty())
    {
      return nullptr;
    }
    auto file = std::move(files.back());
    files.pop_back();
    return file;
  }

  void
  GiveBack(const std::string & path, std::unique_ptr<ImageFile> file)
  {
    const std::lock_guard<std::mutex> lock(mutex);
    idle[path].push_back(std::move(file));
  }
};

ImageFilePool::ImageFilePool()
  : m_Implementation(std::make_unique<Implementation>())
{}

ImageFilePool::~ImageFilePool() = default;

PixelCells
ImageFilePool::ReadPixelCells(const FrameLocation & location)
{
  if (location.frames == 1)
  {
    return dicom::ReadPixelCells(location);
  }
  auto file = m_Implementation->Take(location.file);
  if (file == nullptr)
  {
    file = std::make_unique<ImageFile>(location);
  }
  auto cells = file->ReadFrame(location);
  m_Implementation->GiveBack(location.file, std::move(file));
  return cells;
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
DecodeSlice(const SliceHeader & header, float paddingHU, float * output, ImageFilePool & files)
{
  const PixelCells cells =
    files.ReadPixelCells({ header.file, header.transferSyntaxUID, header.format, header.frames, header.frame });
  const PaddingRange padding = EffectivePadding(header);
  const bool         isLossy = MayBeLossy(header.transferSyntaxUID);
  std::size_t        padded = 0;
  for (std::size_t i = 0; i < cells.size(); ++i)
  {
    const std::int32_t value = StoredValue(cells[i], header.format, isLossy);
    const std::int32_t compared = padding.ofWholeCell ? std::int32_t{ cells[i] } : value;
    const bool         isPadding = compared >= padding.low && compared <= padding.high;
    padded += isPadding ? 1 : 0;
    output[i] = isPadding ? paddingHU : static_cast<float>(value * header.rescale.slope + header.rescale.intercept);
  }
  return padded;
}

} // namespace radiography::dicom
