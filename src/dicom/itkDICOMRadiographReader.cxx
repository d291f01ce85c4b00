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
#include "itkDICOMRadiographReader.h"

#include "dicom/DICOMCodecs.h"
#include "dicom/DICOMRadiographHeader.h"
#include "dicom/DICOMTagReader.h"

#include "itkMath.h"
#include "itkMetaDataObject.h"

#include <algorithm>
#include <cmath>

namespace itk
{

namespace dicom = radiography::dicom;

const char *
DICOMPixelMeaningName(DICOMRadiographEnums::PixelMeaning meaning)
{
  switch (meaning)
  {
    case DICOMRadiographEnums::PixelMeaning::Unknown:
      return "unknown";
    case DICOMRadiographEnums::PixelMeaning::Linear:
      return "linear";
    case DICOMRadiographEnums::PixelMeaning::Inverted:
      return "inverted";
    case DICOMRadiographEnums::PixelMeaning::Log:
      return "log";
    case DICOMRadiographEnums::PixelMeaning::Display:
      return "display";
  }
  return "INVALID VALUE FOR itk::DICOMRadiographEnums::PixelMeaning";
}

std::ostream &
operator<<(std::ostream & os, DICOMRadiographEnums::PixelMeaning meaning)
{
  return os << DICOMPixelMeaningName(meaning);
}

struct DICOMRadiographReader::Implementation
{
  dicom::RadiographOptions options;
  dicom::RadiographHeader  header;
  /** When the header was read; older than the reader's own time if something was set since. */
  TimeStamp headerTime;
};

namespace
{

double
Degrees(double radians)
{
  if (!std::isfinite(radians))
  {
    itkGenericExceptionMacro("An angle must be finite; it is " << radians);
  }
  return radians * 180.0 / Math::pi;
}

double
Length(const char * what, double length)
{
  if (!(length > 0.0) || !std::isfinite(length))
  {
    itkGenericExceptionMacro("The " << what << " must be a positive number of mm; it is " << length);
  }
  return length;
}

} // namespace

DICOMRadiographReader::DICOMRadiographReader()
  : m_Implementation(std::make_unique<Implementation>())
{
  this->SetNumberOfRequiredOutputs(2);
  this->SetNthOutput(1, this->MakeOutput(1));
}

DICOMRadiographReader::~DICOMRadiographReader() = default;

ProcessObject::DataObjectPointer
DICOMRadiographReader::MakeOutput(ProcessObject::DataObjectPointerArraySizeType index)
{
  return index == 1 ? MaskImageType::New().GetPointer() : Superclass::MakeOutput(index);
}

DICOMRadiographReader::MaskImageType *
DICOMRadiographReader::GetMaskOutput()
{
  return itkDynamicCastInDebugMode<MaskImageType *>(this->ProcessObject::GetOutput(1));
}

void
DICOMRadiographReader::SetFrame(SizeValueType frame)
{
  m_Implementation->options.frame = frame;
  this->Modified();
}

void
DICOMRadiographReader::SetPitch(double betweenColumns, double betweenRows)
{
  m_Implementation->options.pitch = { Length("pitch between columns", betweenColumns),
                                      Length("pitch between rows", betweenRows) };
  this->Modified();
}

void
DICOMRadiographReader::SetPatientPosition(PatientPosition position)
{
  m_Implementation->options.patientPosition = position;
  this->Modified();
}

void
DICOMRadiographReader::SetIsocenter(const PointType & isocenter)
{
  m_Implementation->options.isocenter = isocenter;
  this->Modified();
}

void
DICOMRadiographReader::SetPrimaryAngle(double radians)
{
  m_Implementation->options.primaryAngle = Degrees(radians);
  this->Modified();
}

void
DICOMRadiographReader::SetSecondaryAngle(double radians)
{
  m_Implementation->options.secondaryAngle = Degrees(radians);
  this->Modified();
}

void
DICOMRadiographReader::SetRoll(double radians)
{
  m_Implementation->options.roll = Degrees(radians);
  this->Modified();
}

void
DICOMRadiographReader::SetGantryAngle(double radians)
{
  m_Implementation->options.gantryAngle = Degrees(radians);
  this->Modified();
}

void
DICOMRadiographReader::SetCouchAngle(double radians)
{
  m_Implementation->options.couchAngle = Degrees(radians);
  this->Modified();
}

void
DICOMRadiographReader::SetReceptorAngle(double radians)
{
  m_Implementation->options.receptorAngle = Degrees(radians);
  this->Modified();
}

void
DICOMRadiographReader::SetSourceIsocenterDistance(double distance)
{
  m_Implementation->options.sourceIsocenterDistance = Length("source-isocenter distance", distance);
  this->Modified();
}

void
DICOMRadiographReader::SetSourceDetectorDistance(double distance)
{
  m_Implementation->options.sourceDetectorDistance = Length("source-detector distance", distance);
  this->Modified();
}

void
DICOMRadiographReader::SetPatientOrientation(const std::string & letters)
{
  m_Implementation->options.patientOrientation = letters;
  this->Modified();
}

void
DICOMRadiographReader::SetPixelMeaning(PixelMeaning meaning)
{
  m_Implementation->options.pixelMeaning = meaning;
  this->Modified();
}

void
DICOMRadiographReader::SetGeometry(const RadiographGeometry * geometry)
{
  m_Implementation->options.geometry = geometry;
  this->Modified();
}

void
DICOMRadiographReader::ClearOptions()
{
  m_Implementation->options = {};
  this->Modified();
}

void
DICOMRadiographReader::ReadInformation()
{
  m_Implementation->header = {};
  if (m_FileName.empty())
  {
    itkExceptionMacro("No file was given: call SetFileName()");
  }
  try
  {
    m_Implementation->header = dicom::ReadRadiographHeader(m_FileName, m_Implementation->options);
  }
  catch (const std::runtime_error & error)
  {
    itkExceptionMacro("The file \"" << m_FileName << "\" cannot be read as an X-ray image: " << error.what());
  }
  m_Implementation->headerTime.Modified();
}

const DICOMRadiographInformation &
DICOMRadiographReader::GetInformation() const
{
  return m_Implementation->header.information;
}

const RadiographGeometry *
DICOMRadiographReader::GetGeometry() const
{
  return m_Implementation->header.geometry;
}

DICOMRadiographReader::PixelMeaning
DICOMRadiographReader::GetPixelMeaning() const
{
  return this->GetInformation().pixelMeaning;
}

bool
DICOMRadiographReader::IsProportionalToIntensity() const
{
  return this->GetPixelMeaning() == PixelMeaning::Linear;
}

namespace
{

/** All refusals, and the setters that help, each once. */
std::string
RefusalText(const std::vector<DICOMRadiographProblem> & problems)
{
  std::string text;
  std::string setters;
  for (const auto & problem : problems)
  {
    if (!problem.refuses)
    {
      continue;
    }
    text += (text.empty() ? "" : "; ") + problem.message;
    if (!problem.remedy.empty() && setters.find(problem.remedy) == std::string::npos)
    {
      setters += (setters.empty() ? "" : " ") + problem.remedy;
    }
  }
  return text + (setters.empty() ? "" : ". What helps: the setters of " + setters);
}

/** Closes the pixels of a row that jaws and leaves cover. */
void
CloseRow(const dicom::BeamLimits &  limits,
         const RadiographGeometry & geometry,
         std::size_t                row,
         std::size_t                columns,
         unsigned char *            open)
{
  for (std::size_t c = 0; c < columns && !limits.devices.empty(); ++c)
  {
    if (!limits.IsOpen(geometry.GetPixelCenter(static_cast<double>(c), static_cast<double>(row))))
    {
      open[c] = 0;
    }
  }
}

template <typename TImage>
void
PlaceAs(TImage & image, const RadiographGeometry & geometry)
{
  image.SetLargestPossibleRegion(geometry.GetDetectorSize());
  image.SetOrigin(geometry.GetDetectorOrigin());
  image.SetSpacing(geometry.GetDetectorSpacing());
  image.SetDirection(geometry.GetDetectorDirection());
}

void
PutMetaData(MetaDataDictionary &               data,
            const RadiographGeometry &         geometry,
            const DICOMRadiographInformation & information)
{
  const auto put = [&data](const char * key, const std::string & value) {
    EncapsulateMetaData<std::string>(data, key, value);
  };
  if (geometry.GetBeam() == RadiographGeometry::Beam::Cone)
  {
    const auto source = geometry.GetSource();
    put("radiography_source_mm",
        dicom::NumberText(source[0]) + " " + dicom::NumberText(source[1]) + " " + dicom::NumberText(source[2]));
  }
  put("radiography_quantity", DICOMPixelMeaningName(information.pixelMeaning));
  put("radiography_photometric_interpretation", information.photometricInterpretation);
}

} // namespace

void
DICOMRadiographReader::GenerateOutputInformation()
{
  if (m_Implementation->headerTime.GetMTime() < this->GetMTime() || !m_Implementation->header.information.columns)
  {
    this->ReadInformation();
  }
  const auto & header = m_Implementation->header;
  if (!header.geometry)
  {
    itkExceptionMacro("The view of \"" << m_FileName
                                       << "\" is not known: " << RefusalText(header.information.problems));
  }
  const SizeValueType pixels = SizeValueType{ header.information.columns } * header.information.rows;
  if (pixels > m_MaximumNumberOfPixels)
  {
    itkExceptionMacro("The image has " << header.information.columns << " x " << header.information.rows
                                       << " pixels, more than the " << m_MaximumNumberOfPixels
                                       << " of MaximumNumberOfPixels: raise it if there is memory for them");
  }
  PlaceAs(*this->GetOutput(), *header.geometry);
  PlaceAs(*this->GetMaskOutput(), *header.geometry);
  PutMetaData(this->GetOutput()->GetMetaDataDictionary(), *header.geometry, header.information);
}

void
DICOMRadiographReader::EnlargeOutputRequestedRegion(DataObject *)
{
  this->GetOutput()->SetRequestedRegionToLargestPossibleRegion();
  this->GetMaskOutput()->SetRequestedRegionToLargestPossibleRegion();
}

void
DICOMRadiographReader::GenerateData()
{
  const auto &      header = m_Implementation->header;
  dicom::PixelCells cells;
  try
  {
    cells = dicom::ReadPixelCells(header.location);
  }
  catch (const std::runtime_error & error)
  {
    itkExceptionMacro("The file \"" << m_FileName << "\" cannot be decoded: " << error.what());
  }
  ImageType * const     image = this->GetOutput();
  MaskImageType * const mask = this->GetMaskOutput();
  image->SetBufferedRegion(image->GetLargestPossibleRegion());
  mask->SetBufferedRegion(mask->GetLargestPossibleRegion());
  image->Allocate();
  mask->Allocate();

  const auto & format = header.location.format;
  const bool   isLossy = dicom::MayBeLossy(header.location.transferSyntaxUID);
  const auto   padding = header.padding.value_or(dicom::PaddingRange{ 1, 0, false });
  for (std::size_t i = 0; i < cells.size(); ++i)
  {
    const std::int32_t stored = dicom::StoredValue(cells[i], format, isLossy);
    const std::int32_t compared = padding.ofWholeCell ? std::int32_t{ cells[i] } : stored;
    image->GetBufferPointer()[i] = static_cast<float>(header.values(stored));
    mask->GetBufferPointer()[i] = compared >= padding.low && compared <= padding.high ? 0 : 1;
  }
  const auto spacing = image->GetSpacing();
  for (std::size_t row = 0; row < format.rows; ++row)
  {
    unsigned char * const open = mask->GetBufferPointer() + row * format.columns;
    dicom::CloseRow(header.shutters, row, format.columns, spacing[1] / spacing[0], open);
    CloseRow(header.limits, *header.geometry, row, format.columns, open);
  }
}

void
DICOMRadiographReader::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "FileName: " << m_FileName << std::endl;
  os << indent << "MaximumNumberOfPixels: " << m_MaximumNumberOfPixels << std::endl;
  os << indent << "PixelMeaning: " << this->GetPixelMeaning() << std::endl;
  os << indent << "Provenance: " << this->GetInformation().provenance.size() << " numbers" << std::endl;
  os << indent << "Problems: " << this->GetInformation().problems.size() << std::endl;
  os << indent << "Geometry: " << this->GetGeometry() << std::endl;
}

} // namespace itk
