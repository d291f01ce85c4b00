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
#include "itkDICOMRadiographWriter.h"

#include "dicom/DICOMCodecs.h"
#include "dicom/DICOMRTImageView.h"
#include "dicom/DICOMTagReader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>

namespace itk
{

namespace dicom = radiography::dicom;

DICOMRadiographWriter::DICOMRadiographWriter()
{
  this->SetNumberOfRequiredInputs(1);
}

DICOMRadiographWriter::~DICOMRadiographWriter() = default;

void
DICOMRadiographWriter::SetInput(const ImageType * image)
{
  this->ProcessObject::SetNthInput(0, const_cast<ImageType *>(image));
}

const DICOMRadiographWriter::ImageType *
DICOMRadiographWriter::GetInput()
{
  return static_cast<const ImageType *>(this->ProcessObject::GetInput(0));
}

void
DICOMRadiographWriter::SetReferenceFiles(const std::vector<std::string> & files)
{
  m_ReferenceFiles = files;
  this->Modified();
}

namespace
{

constexpr double LargestStored = 65535.0;

/** The most digits that fit into the 16 characters of a DS. */
std::string
DecimalString(double value)
{
  for (int digits = 17; digits > 0; --digits)
  {
    char       text[40];
    const auto end = std::to_chars(text, text + sizeof(text), value, std::chars_format::general, digits).ptr;
    if (end - text <= 16)
    {
      return { text, end };
    }
  }
  return "0"; // never: one digit takes at most 8 characters
}

std::string
DecimalStrings(std::initializer_list<double> values)
{
  std::string text;
  for (const double value : values)
  {
    text += (text.empty() ? "" : "\\") + DecimalString(value);
  }
  return text;
}

void
Put(DcmItem & item, const DcmTagKey & tag, const std::string & value)
{
  const OFCondition status = item.putAndInsertString(tag, value.c_str());
  if (status.bad())
  {
    itkGenericExceptionMacro("" << dicom::TagName(tag) << " cannot be set to \"" << value << "\": " << status.text());
  }
}

void
PutWord(DcmItem & item, const DcmTagKey & tag, Uint16 value)
{
  if (item.putAndInsertUint16(tag, value).bad())
  {
    itkGenericExceptionMacro("" << dicom::TagName(tag) << " cannot be set to " << value);
  }
}

std::string
FreshUID()
{
  char uid[100];
  return dcmGenerateUniqueIdentifier(uid);
}

/** How values become 16 bits. Slope and intercept are what their texts say. */
struct Quantisation
{
  std::string slopeText;
  std::string interceptText;
  double      slope;
  double      intercept;
};

Quantisation
MakeQuantisation(double slope, double intercept)
{
  Quantisation result;
  result.slopeText = DecimalString(slope);
  result.interceptText = DecimalString(intercept);
  result.slope = *dicom::ParseDecimalString(result.slopeText);
  result.intercept = *dicom::ParseDecimalString(result.interceptText);
  return result;
}

/** Proportional values keep their zero, others use all 16 bits. */
Quantisation
ChooseQuantisation(const float * values, std::size_t count, DICOMRadiographEnums::PixelMeaning meaning)
{
  double smallest = std::numeric_limits<double>::max();
  double largest = std::numeric_limits<double>::lowest();
  for (std::size_t i = 0; i < count; ++i)
  {
    if (!std::isfinite(values[i]))
    {
      itkGenericExceptionMacro("Pixel " << i << " is " << values[i] << ": only finite values can be written as DICOM");
    }
    smallest = std::min<double>(smallest, values[i]);
    largest = std::max<double>(largest, values[i]);
  }
  const bool isLinear = meaning == DICOMRadiographEnums::PixelMeaning::Linear;
  if (isLinear && smallest < 0.0)
  {
    itkGenericExceptionMacro("The smallest value is " << smallest
                                                      << ": values that are proportional to an intensity are not "
                                                         "negative. Write them with another pixel meaning");
  }
  const double intercept = isLinear ? 0.0 : smallest;
  const double range = largest - intercept;
  // A little more than the range, so that rounding of the texts never leaves the 16 bits.
  return MakeQuantisation(range > 0.0 ? range / LargestStored * (1.0 + 1e-9) : 1.0, intercept);
}

std::vector<Uint16>
Quantise(const float * values, std::size_t count, const Quantisation & quantisation)
{
  std::vector<Uint16> cells(count);
  std::transform(values, values + count, cells.begin(), [&quantisation](float value) {
    const double stored = std::round((value - quantisation.intercept) / quantisation.slope);
    if (!(stored >= 0.0) || stored > LargestStored)
    {
      itkGenericExceptionMacro("The value " << value << " does not fit into 16 bits with slope "
                                            << quantisation.slopeText << " and intercept " << quantisation.interceptText
                                            << ": the range of values is too narrow "
                                            << "for their size");
    }
    return static_cast<Uint16>(stored);
  });
  return cells;
}

void
PutView(DcmItem & item, const dicom::RTImageView & view, const RadiographGeometry & geometry)
{
  const auto spacing = geometry.GetDetectorSpacing();
  Put(item, DCM_PatientPosition, "HFS");
  Put(item, DCM_RTImagePlane, "NORMAL");
  Put(item,
      DCM_XRayImageReceptorTranslation,
      DecimalStrings({ 0.0, 0.0, view.sourceAxisDistance - view.sourceImageDistance }));
  Put(item, DCM_XRayImageReceptorAngle, DecimalString(view.receptorAngle));
  Put(item, DCM_RTImageOrientation, view.isSeenFromBehind ? "-1\\0\\0\\0\\-1\\0" : "1\\0\\0\\0\\-1\\0");
  Put(item, DCM_ImagePlanePixelSpacing, DecimalStrings({ spacing[1], spacing[0] }));
  Put(item, DCM_RTImagePosition, DecimalStrings({ view.firstPixel[0], view.firstPixel[1] }));
  Put(item, DCM_RadiationMachineName, "");
  Put(item, DCM_RadiationMachineSAD, DecimalString(view.sourceAxisDistance));
  Put(item, DCM_RTImageSID, DecimalString(view.sourceImageDistance));
  Put(item, DCM_PrimaryDosimeterUnit, "");
  Put(item, DCM_GantryAngle, DecimalString(view.gantryAngle));
  Put(item, DCM_BeamLimitingDeviceAngle, "0");
  Put(item, DCM_PatientSupportAngle, DecimalString(view.couchAngle));
  Put(item, DCM_TableTopEccentricAngle, "0");
  Put(item, DCM_IsocenterPosition, DecimalStrings({ view.isocenter[0], view.isocenter[1], view.isocenter[2] }));
}

void
PutMeaning(DcmItem & item, DICOMRadiographEnums::PixelMeaning meaning, bool logRises)
{
  using Meaning = DICOMRadiographEnums::PixelMeaning;
  if (meaning == Meaning::Unknown)
  {
    return;
  }
  const bool isLog = meaning == Meaning::Log;
  const bool isDisplay = meaning == Meaning::Display;
  Put(item, DCM_PixelIntensityRelationship, isLog ? "LOG" : isDisplay ? "DISP" : "LIN");
  const bool   rises = meaning == Meaning::Linear || isDisplay || (isLog && logRises);
  const Sint16 sign = rises ? 1 : -1;
  if (item.putAndInsertSint16(DCM_PixelIntensityRelationshipSign, sign).bad())
  {
    itkGenericExceptionMacro("" << dicom::TagName(DCM_PixelIntensityRelationshipSign) << " cannot be set");
  }
}

void
PutPixels(DcmItem & item, const DICOMRadiographWriter::ImageType & image, DICOMRadiographEnums::PixelMeaning meaning)
{
  const auto    size = image.GetLargestPossibleRegion().GetSize();
  const auto    count = std::size_t{ size[0] } * size[1];
  const float * values = image.GetBufferPointer();
  const auto    quantisation = ChooseQuantisation(values, count, meaning);
  const auto    cells = Quantise(values, count, quantisation);
  PutWord(item, DCM_SamplesPerPixel, 1);
  Put(item, DCM_PhotometricInterpretation, "MONOCHROME2");
  PutWord(item, DCM_Rows, static_cast<Uint16>(size[1]));
  PutWord(item, DCM_Columns, static_cast<Uint16>(size[0]));
  PutWord(item, DCM_BitsAllocated, 16);
  PutWord(item, DCM_BitsStored, 16);
  PutWord(item, DCM_HighBit, 15);
  PutWord(item, DCM_PixelRepresentation, 0);
  Put(item, DCM_RescaleIntercept, quantisation.interceptText);
  Put(item, DCM_RescaleSlope, quantisation.slopeText);
  Put(item, DCM_RescaleType, "US");
  if (item.putAndInsertUint16Array(DcmTag(DCM_PixelData, EVR_OW), cells.data(), cells.size()).bad())
  {
    itkGenericExceptionMacro("" << dicom::TagName(DCM_PixelData) << " cannot be set");
  }
}

void
PutNow(DcmItem & item)
{
  OFString date;
  OFString time;
  DcmDate::getCurrentDate(date);
  DcmTime::getCurrentTime(time);
  Put(item, DCM_InstanceCreationDate, date.c_str());
  Put(item, DCM_InstanceCreationTime, time.c_str());
  Put(item, DCM_ContentDate, date.c_str());
  Put(item, DCM_ContentTime, time.c_str());
}

/** Of the CT: what is taken over, and what is referred to. */
struct References
{
  DcmFileFormat first;
  std::string   seriesInstanceUID;
  /** SOP class and instance of each file. */
  std::vector<std::array<std::string, 2>> instances;
};

References
ReadReferences(const std::vector<std::string> & files)
{
  References references;
  for (const auto & path : files)
  {
    DcmFileFormat   file;
    DcmFileFormat & target = references.instances.empty() ? references.first : file;
    // Tags up to the pixel data are all that is wanted.
    const OFCondition status = target.loadFileUntilTag(
      path.c_str(), EXS_Unknown, EGL_noChange, DCM_MaxReadLength, ERM_autoDetect, DCM_PixelData);
    const auto sopInstance = dicom::TextOf(*target.getDataset(), DCM_SOPInstanceUID);
    if (status.bad() || sopInstance.empty())
    {
      itkGenericExceptionMacro("The reference file \"" << path << "\" cannot be read as DICOM (" << status.text()
                                                       << ")");
    }
    references.instances.push_back({ dicom::TextOf(*target.getDataset(), DCM_SOPClassUID), sopInstance });
  }
  if (!files.empty())
  {
    references.seriesInstanceUID = dicom::TextOf(*references.first.getDataset(), DCM_SeriesInstanceUID);
  }
  return references;
}

/** Common Instance Reference and General Image (PS3.3 C.12.2, C.7.6.1): which CT it was made from. */
void
PutReferences(DcmItem & item, const References & references)
{
  for (std::size_t i = 0; i < references.instances.size(); ++i)
  {
    const auto place = static_cast<long>(i);
    DcmItem *  series = nullptr;
    DcmItem *  instance = nullptr;
    DcmItem *  source = nullptr;
    if (item.findOrCreateSequenceItem(DCM_ReferencedSeriesSequence, series, 0).bad() ||
        series->findOrCreateSequenceItem(DCM_ReferencedInstanceSequence, instance, place).bad() ||
        item.findOrCreateSequenceItem(DCM_SourceImageSequence, source, place).bad())
    {
      itkGenericExceptionMacro("The references to the CT series cannot be written");
    }
    Put(*series, DCM_SeriesInstanceUID, references.seriesInstanceUID);
    for (DcmItem * const one : { instance, source })
    {
      Put(*one, DCM_ReferencedSOPClassUID, references.instances[i][0]);
      Put(*one, DCM_ReferencedSOPInstanceUID, references.instances[i][1]);
    }
  }
}

/** Tags of the patient and the study; empty unless they are taken over. Their text keeps its character set. */
void
PutPatientAndStudy(DcmItem & item, References & references, bool keepPatient)
{
  DcmItem &  from = *references.first.getDataset();
  const auto orFresh = [&from](const DcmTagKey & tag) {
    const auto uid = dicom::TextOf(from, tag);
    return uid.empty() ? FreshUID() : uid;
  };
  Put(item, DCM_StudyInstanceUID, orFresh(DCM_StudyInstanceUID));
  Put(item, DCM_FrameOfReferenceUID, orFresh(DCM_FrameOfReferenceUID));
  Put(item, DCM_PositionReferenceIndicator, "");
  for (const auto & tag : { DCM_PatientName,
                            DCM_PatientID,
                            DCM_PatientBirthDate,
                            DCM_PatientSex,
                            DCM_StudyDate,
                            DCM_StudyTime,
                            DCM_AccessionNumber,
                            DCM_ReferringPhysicianName,
                            DCM_StudyID })
  {
    Put(item, tag, keepPatient ? dicom::TextOf(from, tag) : "");
  }
  const auto characterSet = dicom::TextOf(from, DCM_SpecificCharacterSet);
  if (keepPatient && !characterSet.empty())
  {
    Put(item, DCM_SpecificCharacterSet, characterSet);
  }
}

void
PutIdentity(DcmItem & item, const std::string & label, const std::string & derivation)
{
  Put(item, DCM_SOPClassUID, UID_RTImageStorage);
  Put(item, DCM_SOPInstanceUID, FreshUID());
  Put(item, DCM_SeriesInstanceUID, FreshUID());
  Put(item, DCM_Modality, "RTIMAGE");
  Put(item, DCM_ImageType, "DERIVED\\SECONDARY\\DRR");
  Put(item, DCM_ConversionType, "WSD");
  Put(item, DCM_Manufacturer, "Radiography");
  Put(item, DCM_OperatorsName, "");
  Put(item, DCM_SeriesNumber, "");
  Put(item, DCM_InstanceNumber, "1");
  Put(item, DCM_PatientOrientation, "");
  Put(item, DCM_RTImageLabel, label);
  Put(item, DCM_ReportedValuesOrigin, "PLAN");
  Put(item, DCM_DerivationDescription, derivation);
}

/** Under a temporary name beside, then renamed. */
void
SaveWhole(DcmFileFormat & file, const std::string & path)
{
  const std::string temporary = path + ".part";
  const OFCondition status = file.saveFile(temporary.c_str(), EXS_LittleEndianExplicit);
  std::error_code   failure;
  if (status.good())
  {
    std::filesystem::rename(temporary, path, failure);
  }
  if (status.bad() || failure)
  {
    std::remove(temporary.c_str());
    itkGenericExceptionMacro("The file \"" << path << "\" cannot be written: "
                                           << (status.bad() ? std::string(status.text()) : failure.message())
                                           << ". Does its folder exist, is it writable, is there room on the disc?");
  }
}

} // namespace

void
DICOMRadiographWriter::CheckInput(const ImageType * image) const
{
  if (image == nullptr || m_Geometry == nullptr || m_FileName.empty())
  {
    itkExceptionMacro("An image, a view and a file name are needed: SetInput(), SetGeometry(), SetFileName()");
  }
  if (!std::isfinite(m_SourceIsocenterDistance) || m_SourceIsocenterDistance < 0.0)
  {
    itkExceptionMacro("SourceIsocenterDistance is " << m_SourceIsocenterDistance
                                                    << ": a distance in mm, or 0 for the detector's, is expected");
  }
  const auto size = image->GetLargestPossibleRegion().GetSize();
  if (size != m_Geometry->GetDetectorSize())
  {
    itkExceptionMacro("The image has size " << size << ", the view " << m_Geometry->GetDetectorSize());
  }
  if (size[0] > 65535 || size[1] > 65535)
  {
    itkExceptionMacro("The image has size " << size << ": DICOM holds at most 65535 columns and rows");
  }
  const double tolerance = 1e-6 * m_Geometry->GetDetectorSpacing()[0];
  for (const auto & corner : { std::array<SizeValueType, 2>{ 0, 0 }, { size[0] - 1, 0 }, { 0, size[1] - 1 } })
  {
    auto index = image->GetLargestPossibleRegion().GetIndex();
    index[0] += static_cast<IndexValueType>(corner[0]);
    index[1] += static_cast<IndexValueType>(corner[1]);
    ImageType::PointType place;
    image->TransformIndexToPhysicalPoint(index, place);
    const auto expected = m_Geometry->GetPixelCenter(static_cast<double>(corner[0]), static_cast<double>(corner[1]));
    if (place.EuclideanDistanceTo(expected) > tolerance * (1.0 + static_cast<double>(corner[0] + corner[1])))
    {
      itkExceptionMacro("Pixel " << index << " of the image lies at " << place << ", that of the view at " << expected
                                 << ": the image was made for another view");
    }
  }
}

void
DICOMRadiographWriter::Write()
{
  const ImageType * const image = this->GetInput();
  if (image != nullptr)
  {
    const_cast<ImageType *>(image)->Update();
  }
  this->CheckInput(image);
  dicom::PrepareDCMTK();
  const auto    view = dicom::MakeRTImageView(*m_Geometry, m_SourceIsocenterDistance);
  auto          references = ReadReferences(m_ReferenceFiles);
  DcmFileFormat file;
  DcmItem &     item = *file.getDataset();
  PutPatientAndStudy(item, references, m_KeepPatient);
  PutIdentity(item, m_Label, m_DerivationDescription);
  PutNow(item);
  PutReferences(item, references);
  PutView(item, view, *m_Geometry);
  PutMeaning(item, m_PixelMeaning, m_LogRises);
  PutPixels(item, *image, m_PixelMeaning);
  SaveWhole(file, m_FileName);
}

void
DICOMRadiographWriter::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "Geometry: " << m_Geometry.GetPointer() << std::endl;
  os << indent << "FileName: " << m_FileName << std::endl;
  os << indent << "PixelMeaning: " << m_PixelMeaning << std::endl;
  os << indent << "LogRises: " << (m_LogRises ? "On" : "Off") << std::endl;
  os << indent << "SourceIsocenterDistance: " << m_SourceIsocenterDistance << std::endl;
  os << indent << "ReferenceFiles: " << m_ReferenceFiles.size() << std::endl;
  os << indent << "KeepPatient: " << (m_KeepPatient ? "On" : "Off") << std::endl;
  os << indent << "Label: " << m_Label << std::endl;
  os << indent << "DerivationDescription: " << m_DerivationDescription << std::endl;
}

} // namespace itk
