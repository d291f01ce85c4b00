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
#include "dicom/DICOMSliceHeader.h"

#include "dicom/DICOMCodecs.h"
#include "dicom/DICOMTagReader.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace radiography::dicom
{
namespace
{

bool
IsOneOf(const std::string & text, std::initializer_list<const char *> choices)
{
  return std::any_of(choices.begin(), choices.end(), [&text](const char * choice) { return text == choice; });
}

/** One of the values of a multi-valued text equals `wanted`. */
bool
HasValue(const std::string & values, const std::string & wanted)
{
  for (std::size_t begin = 0; begin <= values.size();)
  {
    const std::size_t end = std::min(values.find('\\', begin), values.size());
    if (Trimmed(std::string_view(values).substr(begin, end - begin)) == wanted)
    {
      return true;
    }
    begin = end + 1;
  }
  return false;
}

ImageKind
KindOf(const ImageIdentity & identity, const std::string & imageType)
{
  const std::string & sop = identity.sopClassUID;
  if (IsOneOf(sop, { UID_EnhancedCTImageStorage, UID_LegacyConvertedEnhancedCTImageStorage }))
  {
    return ImageKind::EnhancedCT;
  }
  if (sop == UID_CTImageStorage || (sop.empty() && identity.modality == "CT"))
  {
    return HasValue(imageType, "LOCALIZER") ? ImageKind::Localizer : ImageKind::CTSlice;
  }
  if (IsOneOf(identity.modality, { "XA", "XRF", "RF", "DX", "CR", "RTIMAGE" }) &&
      sop != UID_SecondaryCaptureImageStorage)
  {
    return ImageKind::Radiograph;
  }
  return ImageKind::Other;
}

std::string
SOPClassName(const std::string & uid)
{
  const char * name = uid.empty() ? nullptr : dcmFindNameOfUID(uid.c_str());
  return name != nullptr ? std::string(name) : uid;
}

/** 1 if the tag is absent, 0 if it makes no sense. */
long
NumberOfFrames(DcmItem & dataset)
{
  const std::string text = TextOf(dataset, DCM_NumberOfFrames);
  const double      frames = text.empty() ? 1.0 : ParseDecimalString(text).value_or(0.0);
  return frames >= 1.0 && frames <= 1e9 ? static_cast<long>(frames) : 0;
}

void
ReadRescale(DcmItem & dataset, SliceHeader & header)
{
  for (const auto & tag : { DCM_RescaleSlope, DCM_RescaleIntercept })
  {
    if (TextOf(dataset, tag).empty())
    {
      throw FileError("missing-rescale",
                      TagName(tag) + " is absent or empty: stored values cannot be turned into Hounsfield units");
    }
  }
  header.slope = RequiredDecimals(dataset, DCM_RescaleSlope, 1)[0];
  header.intercept = RequiredDecimals(dataset, DCM_RescaleIntercept, 1)[0];
  if (header.slope == 0.0)
  {
    throw FileError("bad-number", TagName(DCM_RescaleSlope) + " is 0: every voxel would have the same value");
  }
  // Absent means HU in a CT image (PS3.3 C.8.2.1.1.2).
  const std::string type = TextOf(dataset, DCM_RescaleType);
  if (!type.empty() && type != "HU")
  {
    throw FileError("rescale-type", TagName(DCM_RescaleType) + " is \"" + type + "\" instead of HU");
  }
}

/** What rounding in files of few digits may leave; below the smallest tilt that is looked for (0.05 degrees). */
constexpr double OrthonormalTolerance = 5e-4;

void
ReadOrientation(DcmItem & dataset, SliceHeader & header)
{
  const auto values = RequiredDecimals(dataset, DCM_ImageOrientationPatient, 6);
  Vector3    row;
  Vector3    column;
  std::copy_n(values.begin(), 3, row.Begin());
  std::copy_n(values.begin() + 3, 3, column.Begin());
  if (std::abs(row.GetNorm() - 1.0) > OrthonormalTolerance || std::abs(column.GetNorm() - 1.0) > OrthonormalTolerance ||
      std::abs(row * column) > OrthonormalTolerance)
  {
    throw FileError("orientation",
                    TagName(DCM_ImageOrientationPatient) + " is \"" + TextOf(dataset, DCM_ImageOrientationPatient) +
                      "\": not two perpendicular unit vectors");
  }
  row.Normalize();
  column -= row * (row * column);
  column.Normalize();
  header.rowCosines = row;
  header.columnCosines = column;
  header.normal = itk::CrossProduct(row, column);
}

void
ReadGeometry(DcmItem & dataset, SliceHeader & header)
{
  const auto spacing = RequiredDecimals(dataset, DCM_PixelSpacing, 2);
  if (spacing[0] <= 0.0 || spacing[1] <= 0.0)
  {
    throw FileError("spacing",
                    TagName(DCM_PixelSpacing) + " is \"" + TextOf(dataset, DCM_PixelSpacing) +
                      "\": spacings must be greater than 0");
  }
  header.spacingBetweenRows = spacing[0];
  header.spacingBetweenColumns = spacing[1];
  const auto position = RequiredDecimals(dataset, DCM_ImagePositionPatient, 3);
  std::copy_n(position.begin(), 3, header.position.Begin());
  ReadOrientation(dataset, header);
}

/** Not geometry: a bad value is no reason to refuse a slice. */
std::optional<double>
ReadThickness(DcmItem & dataset)
{
  const auto thickness = ParseDecimalString(TextOf(dataset, DCM_SliceThickness));
  return thickness && *thickness > 0.0 ? thickness : std::nullopt;
}

} // namespace

ImageIdentity
ReadImageIdentity(DcmFileFormat & file)
{
  DcmDataset &  dataset = *file.getDataset();
  ImageIdentity identity;
  identity.seriesInstanceUID = TextOf(dataset, DCM_SeriesInstanceUID);
  identity.studyInstanceUID = TextOf(dataset, DCM_StudyInstanceUID);
  identity.frameOfReferenceUID = TextOf(dataset, DCM_FrameOfReferenceUID);
  identity.modality = TextOf(dataset, DCM_Modality);
  identity.description = TextInUTF8(dataset, DCM_SeriesDescription);
  identity.sopClassUID = TextOf(dataset, DCM_SOPClassUID);
  if (identity.sopClassUID.empty())
  {
    identity.sopClassUID = TextOf(*file.getMetaInfo(), DCM_MediaStorageSOPClassUID);
  }
  identity.sopClassName = SOPClassName(identity.sopClassUID);
  identity.transferSyntaxUID = DcmXfer(dataset.getOriginalXfer()).getXferID();
  identity.columns = WordOf(dataset, DCM_Columns).value_or(0);
  identity.rows = WordOf(dataset, DCM_Rows).value_or(0);
  identity.frames = NumberOfFrames(dataset);
  identity.kind = KindOf(identity, TextOf(dataset, DCM_ImageType));
  return identity;
}

SliceHeader
ReadSliceHeader(DcmItem & dataset, const ImageIdentity & identity, const std::string & file)
{
  if (identity.frames != 1)
  {
    throw FileError("multi-frame",
                    TagName(DCM_NumberOfFrames) + " is " + std::to_string(identity.frames) +
                      ": a CT image of this class has one frame");
  }
  SliceHeader header;
  header.file = file;
  header.transferSyntaxUID = identity.transferSyntaxUID;
  header.saysLossy = TextOf(dataset, DCM_LossyImageCompression) == "01";
  header.format = ReadPixelFormat(dataset);
  header.padding = ReadPadding(dataset, header.format);
  ReadRescale(dataset, header);
  ReadGeometry(dataset, header);
  header.thickness = ReadThickness(dataset);
  return header;
}

} // namespace radiography::dicom
