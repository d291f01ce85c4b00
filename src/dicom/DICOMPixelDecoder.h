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
#ifndef radiography_dicom_DICOMPixelDecoder_h
#define radiography_dicom_DICOMPixelDecoder_h

#include "dicom/DICOMSliceHeader.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

class DcmDataset;

namespace radiography::dicom
{

/** Stored values as they come out of the file or its decoder, one cell per pixel, bits above BitsStored included.
 * Values of a lossy encoding are already signed 16 bit numbers if the format is signed. */
using PixelCells = std::vector<std::uint16_t>;

/** Where the pixels of one frame are, and how they lie there. */
struct FrameLocation
{
  std::string file;
  std::string transferSyntaxUID;
  PixelFormat format;
  std::size_t frames{ 1 };
  /** Counted from 0. */
  std::size_t frame{ 0 };
};

/** Looks at the pixel data without reading them. \throws FileError if they are absent, or native and shorter than rows,
 * columns and frames say, or encoded in less fragments than frames. More than needed is allowed. */
void
CheckPixelDataLength(DcmDataset & dataset, const PixelFormat & format, std::size_t frames = 1);

/** \throws FileError if the pixel data are damaged, too short, of another size than the header says, or encoded in a
 * way that no decoder gets right. */
RADIOGRAPHY_INTERNAL_EXPORT PixelCells
ReadPixelCells(const FrameLocation & location);

/** Image files that stay open while their frames are read one by one, by any number of threads. A file is opened as
 * often as threads read it at the same time. Files of one frame are closed at once. */
class RADIOGRAPHY_INTERNAL_EXPORT ImageFilePool
{
public:
  ImageFilePool();
  ~ImageFilePool();
  ImageFilePool(const ImageFilePool &) = delete;
  ImageFilePool &
  operator=(const ImageFilePool &) = delete;

  /** As the function of this name. */
  PixelCells
  ReadPixelCells(const FrameLocation & location);

private:
  struct Implementation;
  std::unique_ptr<Implementation> m_Implementation;
};

/** The stored value in a cell: BitsStored bits below and including HighBit, sign-extended if signed; a lossy encoding
 * can leave that range, it is clamped to it. */
RADIOGRAPHY_INTERNAL_EXPORT std::int32_t
                            StoredValue(std::uint16_t cell, const PixelFormat & format, bool isLossy);

/** Decodes a slice into Hounsfield units: stored value x slope + intercept in double, rounded once to float; padding
 * becomes `paddingHU`. \return the number of padding pixels. \throws FileError */
RADIOGRAPHY_INTERNAL_EXPORT std::size_t
DecodeSlice(const SliceHeader & header, float paddingHU, float * output, ImageFilePool & files);

} // namespace radiography::dicom

#endif
