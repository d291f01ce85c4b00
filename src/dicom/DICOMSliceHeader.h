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
  unsigned    columns{ 0 };
  unsigned    rows{ 0 };
  long        frames{ 1 };
};

/** All that is needed to place a CT slice and to turn its stored values into Hounsfield units. */
struct SliceHeader
{
  std::string file;
  std::string transferSyntaxUID;
  bool        saysLossy{ false };

  PixelFormat                 format;
  std::optional<PaddingRange> padding;
  double                      slope{ 1.0 };
  double                      intercept{ 0.0 };

  /** Centre of the first pixel; directions of increasing column and row index, orthonormal; their cross product. */
  Vector3 position{ 0.0 };
  Vector3 rowCosines{ 0.0 };
  Vector3 columnCosines{ 0.0 };
  Vector3 normal{ 0.0 };
  double  spacingBetweenColumns{ 0.0 };
  double  spacingBetweenRows{ 0.0 };
  /** SliceThickness; nothing if absent or not a positive number. No geometry, unless a slice is alone. */
  std::optional<double> thickness;
};

/** Never throws: what is absent stays empty. */
ImageIdentity
ReadImageIdentity(DcmFileFormat & file);

/** \throws FileError naming the tag, its value and what is wrong with it. */
SliceHeader
ReadSliceHeader(DcmItem & dataset, const ImageIdentity & identity, const std::string & file);

} // namespace radiography::dicom

#endif
