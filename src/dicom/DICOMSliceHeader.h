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
#ifndef radiography_dicom_DICOMSliceHeader_h
#define radiography_dicom_DICOMSliceHeader_h

#include "compute/InternalExport.h"
#include "dicom/DICOMPixelFormat.h"

#include "itkVector.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

class DcmFileFormat;
class DcmItem;

namespace radiography::dicom
{

using Vector3 = itk::Vector<double, 3>;

/** What an image file is, by its SOP class, modality and image type. */
enum class ImageKind
{
  CTSlice,
  EnhancedCT,
  Localizer,
  Radiograph,
  Other
};

/** To whom an image belongs; read from every DICOM file. */
struct ImageIdentity
{
  std::string seriesInstanceUID;
  std::string studyInstanceUID;
  std::string frameOfReferenceUID;
  std::string modality;
  std::string description;
  std::string sopClassUID;
  std::string sopClassName;
  std::string transferSyntaxUID;
  ImageKind   kind{ ImageKind::Other };
  /** Stack IDs hold within one of these (PS3.3 C.7.6.17). */
  std::string dimensionOrganizationUID;
  unsigned    columns{ 0 };
  unsigned    rows{ 0 };
  /** 0 if Number of Frames makes no sense. */
  long frames{ 1 };
};

/** Hounsfield units = stored value x slope + intercept. */
struct Rescale
{
  double slope{ 1.0 };
  double intercept{ 0.0 };

  bool
  operator==(const Rescale & other) const
  {
    return slope == other.slope && intercept == other.intercept;
  }
};

/** All that is needed to place a CT slice and to turn its stored values into Hounsfield units. */
struct SliceHeader
{
  std::string file;
  std::string transferSyntaxUID;
  bool        saysLossy{ false };
  /** The file's number of frames, and which of them this is, counted from 0. */
  std::size_t frames{ 1 };
  std::size_t frame{ 0 };

  PixelFormat                 format;
  std::optional<PaddingRange> padding;
  Rescale                     rescale;
  /** The rescale was given by hand although the file has another one. */
  bool overridesFile{ false };

  /** Centre of the first pixel; directions of increasing column and row index, orthonormal; their cross product. */
  Vector3 position{ 0.0 };
  Vector3 rowCosines{ 0.0 };
  Vector3 columnCosines{ 0.0 };
  Vector3 normal{ 0.0 };
  double  spacingBetweenColumns{ 0.0 };
  double  spacingBetweenRows{ 0.0 };
  /** SliceThickness; nothing if absent or not a positive number. No geometry, unless a slice is alone. */
  std::optional<double> thickness;

  /** Of a frame of an enhanced image: which stack it belongs to, and when it was taken. Empty if it does not say. */
  std::string stackID;
  std::string temporalPosition;
};

/** Where a slice's attributes are: of an image of one frame all in its data set, of a frame of an enhanced one in
 * functional groups (PS3.3 C.7.6.16). */
struct SliceItems
{
  DcmItem & position;
  DcmItem & orientation;
  DcmItem & measures;
  /** Null if there is none. */
  DcmItem * rescale{ nullptr };
  /** Rescale Type must be there: it is type 1 in functional groups. In a CT Image its absence means HU. */
  bool needsRescaleType{ false };
};

/** Never throws: what is absent stays empty. */
ImageIdentity
ReadImageIdentity(DcmFileFormat & file);

/** What all frames of a file have in common. \throws FileError naming the tag, its value and what is wrong with it. */
SliceHeader
ReadCommonHeader(DcmItem & dataset, const ImageIdentity & identity, const std::string & file);

/** Adds place and rescale. `byHand` wins over the file. \throws FileError */
void
ReadSliceItems(const SliceItems & items, const std::optional<Rescale> & byHand, SliceHeader & header);

/** Of an image with one frame. \throws FileError */
SliceHeader
ReadSliceHeader(DcmItem &                      dataset,
                const ImageIdentity &          identity,
                const std::string &            file,
                const std::optional<Rescale> & byHand);

} // namespace radiography::dicom

#endif
