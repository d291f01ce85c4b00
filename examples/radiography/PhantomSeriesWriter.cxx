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
#include "PhantomSeriesWriter.h"

#include "Errors.h"
#include "Numbers.h"

#include "itkMultiThreaderBase.h"

#include "dcmtk/config/osconfig.h"
#include "dcmtk/dcmdata/dctk.h"

#include <cmath>
#include <mutex>

namespace radiography::program
{
namespace
{

constexpr double RescaleIntercept = -1024.0;

/** A UID under 2.25 (PS3.5 B.2) that follows from what it names: the same phantom has the same UIDs. FNV-1a. */
std::string
MakeUID(const PhantomSeries & series, const std::string & what)
{
  const std::string name =
    "radiography phantom 1/" + std::to_string(series.size) + "/" + std::to_string(series.seed) + "/" + what;
  std::uint64_t hash = 14695981039346656037ULL;
  for (const unsigned char c : name)
  {
    hash = (hash ^ c) * 1099511628211ULL;
  }
  return "2.25." + std::to_string(hash);
}

void
Put(DcmDataset & data, const DcmTagKey & tag, const std::string & value)
{
  const auto status = data.putAndInsertString(tag, value.c_str());
  if (status.bad())
  {
    throw Failure(std::string("cannot fill a DICOM element: ") + status.text());
  }
}

void
Put(DcmDataset & data, const DcmTagKey & tag, Uint16 value)
{
  const auto status = data.putAndInsertUint16(tag, value);
  if (status.bad())
  {
    throw Failure(std::string("cannot fill a DICOM element: ") + status.text());
  }
}

/** DS: at most 16 characters. */
std::string
DecimalString(double value)
{
  return ToRoundedText(value, 10);
}

void
PutPatientAndStudy(DcmDataset & data, const PhantomSeries & series)
{
  Put(data, DCM_SpecificCharacterSet, "ISO_IR 100");
  Put(data, DCM_PatientName, "PHANTOM^CHEST");
  Put(data, DCM_PatientID, "PHANTOM-" + std::to_string(series.size) + "-" + std::to_string(series.seed));
  Put(data, DCM_PatientBirthDate, "");
  Put(data, DCM_PatientSex, "O");
  Put(data, DCM_StudyInstanceUID, MakeUID(series, "study"));
  Put(data, DCM_StudyDate, "20000101");
  Put(data, DCM_StudyTime, "000000");
  Put(data, DCM_ReferringPhysicianName, "");
  Put(data, DCM_StudyID, "1");
  Put(data, DCM_AccessionNumber, "");
  Put(data, DCM_StudyDescription, "computed phantom, no patient");
}

void
PutSeries(DcmDataset & data, const PhantomSeries & series)
{
  Put(data, DCM_Modality, "CT");
  Put(data, DCM_SeriesInstanceUID, MakeUID(series, "series"));
  Put(data, DCM_SeriesNumber, "1");
  Put(data, DCM_SeriesDescription, "chest phantom");
  Put(data, DCM_PatientPosition, "HFS");
  Put(data, DCM_FrameOfReferenceUID, MakeUID(series, "frame of reference"));
  Put(data, DCM_PositionReferenceIndicator, "");
  Put(data, DCM_Manufacturer, "Radiography");
  Put(data, DCM_ManufacturerModelName, "chest phantom");
  Put(data, DCM_SoftwareVersions, RADIOGRAPHY_VERSION);
  Put(data, DCM_KVP, "120");
  Put(data, DCM_AcquisitionNumber, "1");
}

void
PutGrid(DcmDataset & data, const PhantomSeries & series, std::size_t slice)
{
  const auto voxel = DecimalString(series.Voxel());
  const auto first = DecimalString(series.FirstCenter());
  const auto z = DecimalString(series.FirstCenter() + static_cast<double>(slice) * series.Voxel());
  Put(data, DCM_ImageOrientationPatient, "1\\0\\0\\0\\1\\0");
  Put(data, DCM_ImagePositionPatient, first + "\\" + first + "\\" + z);
  Put(data, DCM_SliceLocation, z);
  Put(data, DCM_SliceThickness, voxel);
  Put(data, DCM_PixelSpacing, voxel + "\\" + voxel);
  Put(data, DCM_Rows, static_cast<Uint16>(series.size));
  Put(data, DCM_Columns, static_cast<Uint16>(series.size));
}

void
PutPixels(DcmDataset & data, const std::vector<float> & hounsfield)
{
  Put(data, DCM_SamplesPerPixel, Uint16{ 1 });
  Put(data, DCM_PhotometricInterpretation, "MONOCHROME2");
  Put(data, DCM_BitsAllocated, Uint16{ 16 });
  Put(data, DCM_BitsStored, Uint16{ 16 });
  Put(data, DCM_HighBit, Uint16{ 15 });
  Put(data, DCM_PixelRepresentation, Uint16{ 0 });
  Put(data, DCM_RescaleIntercept, DecimalString(RescaleIntercept));
  Put(data, DCM_RescaleSlope, "1");
  Put(data, DCM_RescaleType, "HU");
  Put(data, DCM_WindowCenter, "40");
  Put(data, DCM_WindowWidth, "400");

  std::vector<Uint16> stored(hounsfield.size());
  for (std::size_t i = 0; i < stored.size(); ++i)
  {
    stored[i] = static_cast<Uint16>(std::lround(hounsfield[i] - RescaleIntercept));
  }
  const auto status =
    data.putAndInsertUint16Array(DCM_PixelData, stored.data(), static_cast<unsigned long>(stored.size()));
  if (status.bad())
  {
    throw Failure(std::string("cannot fill the DICOM pixel data: ") + status.text());
  }
}

void
WriteSlice(const PhantomModel &          model,
           const PhantomSeries &         series,
           std::size_t                   slice,
           const std::filesystem::path & path)
{
  const double z = series.FirstCenter() + static_cast<double>(slice) * series.Voxel();

  DcmFileFormat file;
  DcmDataset &  data = *file.getDataset();
  Put(data, DCM_ImageType, "DERIVED\\PRIMARY\\AXIAL");
  Put(data, DCM_SOPClassUID, UID_CTImageStorage);
  Put(data, DCM_SOPInstanceUID, MakeUID(series, "slice " + std::to_string(slice)));
  Put(data, DCM_InstanceNumber, std::to_string(slice + 1));
  PutPatientAndStudy(data, series);
  PutSeries(data, series);
  PutGrid(data, series, slice);
  PutPixels(data, model.RenderSlice(z, series.size, series.Voxel()));

  const auto status = file.saveFile(path.string().c_str(), EXS_LittleEndianExplicit);
  if (status.bad())
  {
    throw Failure("cannot write " + path.string() + ": " + status.text());
  }
}

} // namespace

std::string
PhantomSliceName(std::size_t number)
{
  auto digits = std::to_string(number);
  digits.insert(0, 4 - std::min<std::size_t>(4, digits.size()), '0');
  return "slice-" + digits + ".dcm";
}

void
WritePhantomSeries(const PhantomModel & model, const PhantomSeries & series, const std::filesystem::path & folder)
{
  std::mutex         failureMutex;
  std::exception_ptr failure;
  const auto         threads = itk::MultiThreaderBase::New();
  threads->ParallelizeArray(
    0,
    series.size,
    [&](itk::SizeValueType slice) {
      try
      {
        WriteSlice(model, series, slice, folder / PhantomSliceName(slice + 1));
      }
      catch (...)
      {
        const std::lock_guard<std::mutex> lock(failureMutex);
        failure = std::current_exception();
      }
    },
    nullptr);
  if (failure)
  {
    std::rethrow_exception(failure);
  }
}

} // namespace radiography::program
