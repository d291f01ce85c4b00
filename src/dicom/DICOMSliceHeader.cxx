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
#include <limits>

namespace radiography::dicom
{
namespace
{

bool
IsOneOf(const std::string & text, std::initializer_list<const char *> choices)
{
  return std::any_of(choices.begin(), choices.end(), [&text](const char * choice) { return text == choice; });
}

ImageKind
KindOf(const ImageIdentity & identity, const std::string & imageType)
{
  const std::string & sop = identity.sopClassUID;
  if (IsOneOf(sop, { UID_EnhancedCTImageStorage, UID_LegacyConvertedEnhancedCTImageStorage }))
  {
    return HasValue(imageType, "LOCALIZER") ? ImageKind::Localizer : ImageKind::EnhancedCT;
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

/** The part of the data set that a tag would be in may be missing as well. */
Rescale
RescaleOfFile(const SliceItems & items)
{
  for (const auto & tag : { DCM_RescaleSlope, DCM_RescaleIntercept })
  {
    if (items.rescale == nullptr || TextOf(*items.rescale, tag).empty())
    {
      throw FileError("missing-rescale",
                      TagName(tag) + " is absent or empty: stored values cannot be turned into Hounsfield units");
    }
  }
  const Rescale rescale{ RequiredDecimals(*items.rescale, DCM_RescaleSlope, 1)[0],
                         RequiredDecimals(*items.rescale, DCM_RescaleIntercept, 1)[0] };
  if (rescale.slope == 0.0)
  {
    throw FileError("bad-number", TagName(DCM_RescaleSlope) + " is 0: every voxel would have the same value");
  }
  // Absent means HU in a CT image (PS3.3 C.8.2.1.1.2).
  const std::string type = TextOf(*items.rescale, DCM_RescaleType);
  if (type.empty() ? items.needsRescaleType : type != "HU")
  {
    throw FileError("rescale-type", TagName(DCM_RescaleType) + " is \"" + type + "\" instead of HU");
  }
  return rescale;
}

/** Voxels are of type float; 16 bits are stored. */
void
CheckRange(const Rescale & rescale)
{
  constexpr double largest = std::numeric_limits<float>::max();
  if (!(std::abs(rescale.slope) * 65536.0 + std::abs(rescale.intercept) < largest))
  {
    throw FileError("bad-number",
                    TagName(DCM_RescaleSlope) + " is " + NumberText(rescale.slope) + ", " +
                      TagName(DCM_RescaleIntercept) + " is " + NumberText(rescale.intercept) +
                      ": voxels would overflow");
  }
}

void
ReadRescale(const SliceItems & items, const std::optional<Rescale> & byHand, SliceHeader & header)
{
  if (!byHand)
  {
    header.rescale = RescaleOfFile(items);
    CheckRange(header.rescale);
    return;
  }
  CheckRange(*byHand);
  header.rescale = *byHand;
  try
  {
    header.overridesFile = !(RescaleOfFile(items) == *byHand);
  }
  catch (const FileError &)
  {
    header.overridesFile = false; // what the file says would be refused
  }
}

/** What rounding in files of few digits may leave; below the smallest tilt that is looked for (0.05 degrees). */
constexpr double OrthonormalTolerance = 5e-4;

void
ReadOrientation(DcmItem & item, SliceHeader & header)
{
  const auto values = RequiredDecimals(item, DCM_ImageOrientationPatient, 6);
  Vector3    row;
  Vector3    column;
  std::copy_n(values.begin(), 3, row.Begin());
  std::copy_n(values.begin() + 3, 3, column.Begin());
  if (std::abs(row.GetNorm() - 1.0) > OrthonormalTolerance || std::abs(column.GetNorm() - 1.0) > OrthonormalTolerance ||
      std::abs(row * column) > OrthonormalTolerance)
  {
    throw FileError("orientation",
                    TagName(DCM_ImageOrientationPatient) + " is \"" + TextOf(item, DCM_ImageOrientationPatient) +
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
ReadGeometry(const SliceItems & items, SliceHeader & header)
{
  const auto spacing = RequiredDecimals(items.measures, DCM_PixelSpacing, 2);
  if (spacing[0] <= 0.0 || spacing[1] <= 0.0)
  {
    throw FileError("spacing",
                    TagName(DCM_PixelSpacing) + " is \"" + TextOf(items.measures, DCM_PixelSpacing) +
                      "\": spacings must be greater than 0");
  }
  header.spacingBetweenRows = spacing[0];
  header.spacingBetweenColumns = spacing[1];
  const auto position = RequiredDecimals(items.position, DCM_ImagePositionPatient, 3);
  std::copy_n(position.begin(), 3, header.position.Begin());
  ReadOrientation(items.orientation, header);
}

/** Not geometry: a bad value is no reason to refuse a slice. */
std::optional<double>
ReadThickness(DcmItem & item)
{
  const auto thickness = ParseDecimalString(TextOf(item, DCM_SliceThickness));
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
  // Not by the standard, but some files have one frame after the other in a CT Image and say where each lies.
  if (identity.kind == ImageKind::CTSlice && dataset.tagExists(DCM_PerFrameFunctionalGroupsSequence))
  {
    identity.kind = ImageKind::EnhancedCT;
  }
  DcmItem * organization = nullptr;
  if (dataset.findAndGetSequenceItem(DCM_DimensionOrganizationSequence, organization).good() && organization != nullptr)
  {
    identity.dimensionOrganizationUID = TextOf(*organization, DCM_DimensionOrganizationUID);
  }
  return identity;
}

SliceHeader
ReadCommonHeader(DcmItem & dataset, const ImageIdentity & identity, const std::string & file)
{
  SliceHeader header;
  header.file = file;
  header.transferSyntaxUID = identity.transferSyntaxUID;
  header.saysLossy = TextOf(dataset, DCM_LossyImageCompression) == "01";
  header.frames = static_cast<std::size_t>(identity.frames);
  header.format = ReadPixelFormat(dataset);
  header.padding = ReadPadding(dataset, header.format);
  return header;
}

void
ReadSliceItems(const SliceItems & items, const std::optional<Rescale> & byHand, SliceHeader & header)
{
  ReadRescale(items, byHand, header);
  ReadGeometry(items, header);
  header.thickness = ReadThickness(items.measures);
}

SliceHeader
ReadSliceHeader(DcmItem &                      dataset,
                const ImageIdentity &          identity,
                const std::string &            file,
                const std::optional<Rescale> & byHand)
{
  if (identity.frames != 1)
  {
    throw FileError("multi-frame",
                    TagName(DCM_NumberOfFrames) + " is \"" + TextOf(dataset, DCM_NumberOfFrames) +
                      "\": a CT image of this class has one frame");
  }
  SliceHeader header = ReadCommonHeader(dataset, identity, file);
  ReadSliceItems({ dataset, dataset, dataset, &dataset }, byHand, header);
  return header;
}

} // namespace radiography::dicom
