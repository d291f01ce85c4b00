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
#include "itkDICOMCTVolumeReader.h"

#include "dicom/DICOMCodecs.h"
#include "dicom/DICOMPixelDecoder.h"
#include "dicom/DICOMResampling.h"
#include "dicom/DICOMTagReader.h"
#include "dicom/DICOMVolumes.h"
#include "stairs/itkHandDownThreads.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace itk
{

namespace dicom = radiography::dicom;

struct DICOMCTVolumeReader::Implementation
{
  dicom::FolderScan   scan;
  dicom::VolumeChoice choice;
  std::string         scannedPath;
  /** By hand; wins over what files say. */
  std::optional<dicom::Rescale> rescale;
  std::optional<dicom::Rescale> scannedRescale;
  std::vector<std::string>      warnings;
  /** Only of a volume that is resampled. */
  std::optional<dicom::ResampledGrid> grid;

  const dicom::SliceStack &
  ChosenStack() const
  {
    return scan.stacks[*choice.series];
  }

  const DICOMSeriesInfo &
  ChosenSeries() const
  {
    return scan.inventory.series[*choice.series];
  }

  /** One sentence if lossy slices are among the chosen ones. */
  void
  WarnOfLoss()
  {
    const auto & slices = ChosenStack().slices;
    const auto   isLossy = [](const dicom::Slice & slice) {
      return slice.Header().saysLossy || dicom::MayBeLossy(slice.Header().transferSyntaxUID);
    };
    const auto count = std::count_if(slices.begin(), slices.end(), isLossy);
    if (count > 0)
    {
      const auto first = std::find_if(slices.begin(), slices.end(), isLossy);
      warnings.push_back(std::to_string(count) + " slice(s) went through lossy compression, the first of them " +
                         first->Name() + " (transfer syntax " + first->Header().transferSyntaxUID +
                         "): Hounsfield units are approximate");
    }
  }

  /** One sentence if a rescale by hand replaces another one. */
  void
  WarnOfRescale()
  {
    const auto & slices = ChosenStack().slices;
    const auto   differs = [](const dicom::Slice & slice) { return slice.Header().overridesFile; };
    const auto   count = std::count_if(slices.begin(), slices.end(), differs);
    if (count > 0)
    {
      const auto first = std::find_if(slices.begin(), slices.end(), differs);
      warnings.push_back("slope " + dicom::NumberText(rescale->slope) + " and intercept " +
                         dicom::NumberText(rescale->intercept) + " were given and replace other ones that " +
                         std::to_string(count) + " slice(s) have, the first of them " + first->Name());
    }
  }

  bool
  IsUpToDate(const std::string & path) const
  {
    const bool sameRescale =
      rescale.has_value() == scannedRescale.has_value() && (!rescale || *rescale == *scannedRescale);
    return !path.empty() && scannedPath == path && sameRescale;
  }

  void
  PlanResampling(double mostVoxels)
  {
    grid.reset();
    if (!choice.series || ChosenSeries().problems.empty())
    {
      return;
    }
    grid = dicom::PlanResampling(ChosenStack(), mostVoxels);
    std::string codes;
    for (const auto & problem : ChosenSeries().problems)
    {
      codes += (codes.empty() ? "" : ", ") + problem.code;
    }
    warnings.push_back("the volume is resampled (" + codes + "): " + std::to_string(grid->size[0]) + " x " +
                       std::to_string(grid->size[1]) + " x " + std::to_string(grid->size[2]) +
                       " voxels, slices every " + dicom::NumberText(grid->spacing[2]) + " mm");
  }

  void
  Choose(const std::string & series, bool resample)
  {
    choice = dicom::ChooseVolume(scan, series, resample);
    warnings = scan.warnings;
    if (!choice.warning.empty())
    {
      warnings.push_back(choice.warning);
    }
    if (choice.series)
    {
      const auto & ofStack = ChosenStack().warnings;
      warnings.insert(warnings.end(), ofStack.begin(), ofStack.end());
      WarnOfLoss();
      WarnOfRescale();
    }
  }
};

DICOMCTVolumeReader::DICOMCTVolumeReader()
  : m_Implementation(std::make_unique<Implementation>())
{}

DICOMCTVolumeReader::~DICOMCTVolumeReader() = default;

void
DICOMCTVolumeReader::ScanInventory()
{
  if (m_Path.empty())
  {
    itkExceptionMacro("No path was given: call SetPath() with a folder or a file");
  }
  m_Implementation->scannedPath.clear();
  // An abort of an earlier run does not stop this one.
  this->SetAbortGenerateData(false);
  this->UpdateProgress(0.0f);
  try
  {
    m_Implementation->scan = dicom::ScanFolder(m_Path, m_Implementation->rescale, HandDownThreads(*this));
  }
  catch (const std::runtime_error & error)
  {
    itkExceptionMacro("" << error.what());
  }
  m_Implementation->scannedPath = m_Path;
  m_Implementation->scannedRescale = m_Implementation->rescale;
  m_Implementation->Choose(m_Series, m_Resample);
}

void
DICOMCTVolumeReader::SetRescale(double slope, double intercept)
{
  if (!std::isfinite(slope) || slope == 0.0 || !std::isfinite(intercept))
  {
    itkExceptionMacro("Slope and intercept must be finite, and the slope not 0; they are " << slope << " and "
                                                                                           << intercept);
  }
  const dicom::Rescale rescale{ slope, intercept };
  if (!m_Implementation->rescale || !(*m_Implementation->rescale == rescale))
  {
    m_Implementation->rescale = rescale;
    this->Modified();
  }
}

void
DICOMCTVolumeReader::ClearRescale()
{
  if (m_Implementation->rescale)
  {
    m_Implementation->rescale.reset();
    this->Modified();
  }
}

bool
DICOMCTVolumeReader::HasRescale() const
{
  return m_Implementation->rescale.has_value();
}

const DICOMInventory &
DICOMCTVolumeReader::GetInventory() const
{
  return m_Implementation->scan.inventory;
}

const std::vector<std::string> &
DICOMCTVolumeReader::GetWarnings() const
{
  return m_Implementation->warnings;
}

void
DICOMCTVolumeReader::GenerateOutputInformation()
{
  if (!m_Implementation->IsUpToDate(m_Path))
  {
    this->ScanInventory();
  }
  else
  {
    m_Implementation->Choose(m_Series, m_Resample);
  }
  if (!m_Implementation->choice.series)
  {
    itkExceptionMacro("" << m_Implementation->choice.error);
  }
  const auto mostVoxels = static_cast<double>(m_MaximumNumberOfVoxels);
  try
  {
    m_Implementation->PlanResampling(mostVoxels);
  }
  catch (const std::runtime_error & error)
  {
    itkExceptionMacro("" << error.what());
  }
  const auto & info = m_Implementation->ChosenSeries();
  // In double: three sizes of 65535 and more would overflow no integer, but let nobody rely on it.
  const double voxels = static_cast<double>(info.size[0]) * info.size[1] * info.size[2];
  if (voxels > mostVoxels)
  {
    itkExceptionMacro("The volume has " << info.size[0] << " x " << info.size[1] << " x " << info.size[2]
                                        << " voxels, more than the " << m_MaximumNumberOfVoxels
                                        << " of MaximumNumberOfVoxels: raise it if there is memory for them");
  }
  ImageType * const output = this->GetOutput();
  output->SetDirection(info.direction);
  if (const auto & grid = m_Implementation->grid)
  {
    output->SetLargestPossibleRegion(
      ImageType::RegionType(ImageType::SizeType{ { grid->size[0], grid->size[1], grid->size[2] } }));
    output->SetOrigin(ImageType::PointType(grid->origin.GetDataPointer()));
    output->SetSpacing(grid->spacing);
    return;
  }
  output->SetLargestPossibleRegion(ImageType::RegionType(info.size));
  output->SetOrigin(info.origin);
  output->SetSpacing(info.spacing);
}

void
DICOMCTVolumeReader::EnlargeOutputRequestedRegion(DataObject * output)
{
  output->SetRequestedRegionToLargestPossibleRegion();
}

SizeValueType
DICOMCTVolumeReader::DecodeSlices(float * voxels, float progressWeight)
{
  const auto &             slices = m_Implementation->ChosenStack().slices;
  const std::size_t        pixelsPerSlice = slices.front().Header().format.NumberOfPixels();
  std::vector<std::size_t> padded(slices.size(), 0);
  std::vector<std::string> errors(slices.size());
  dicom::ImageFilePool     files;
  HandDownThreads(*this, progressWeight)(static_cast<std::int64_t>(slices.size()), [&](std::int64_t item) {
    const auto k = static_cast<std::size_t>(item);
    try
    {
      padded[k] = dicom::DecodeSlice(slices[k].Header(), PaddingHU, voxels + k * pixelsPerSlice, files);
    }
    catch (const std::exception & error)
    {
      errors[k] = error.what(); // the lowest slice's is thrown below, whichever thread was first
    }
  });
  for (std::size_t k = 0; k < slices.size(); ++k)
  {
    if (!errors[k].empty())
    {
      itkExceptionMacro("The file \"" << slices[k].file->absolutePath << "\" cannot be decoded: " << errors[k]);
    }
  }
  return std::accumulate(padded.begin(), padded.end(), SizeValueType{ 0 });
}

void
DICOMCTVolumeReader::ResampleSlices()
{
  const auto &               grid = *m_Implementation->grid;
  const auto &               stack = m_Implementation->ChosenStack();
  const auto &               format = stack.slices.front().Header().format;
  std::vector<float>         decoded(format.NumberOfPixels() * stack.slices.size());
  std::vector<const float *> slices;
  this->DecodeSlices(decoded.data(), 0.5f);
  for (std::size_t k = 0; k < stack.slices.size(); ++k)
  {
    slices.push_back(decoded.data() + k * format.NumberOfPixels());
  }
  ImageType * const output = this->GetOutput();
  output->Allocate();
  std::vector<std::size_t> empty(grid.size[2], 0);
  HandDownThreads(*this, 0.5f)(static_cast<std::int64_t>(grid.size[2]), [&](std::int64_t item) {
    const auto k = static_cast<std::size_t>(item);
    empty[k] = dicom::ResampleSlice(grid,
                                    slices,
                                    format.columns,
                                    format.rows,
                                    k,
                                    PaddingHU,
                                    output->GetBufferPointer() + k * grid.size[0] * grid.size[1]);
  });
  m_NumberOfPaddedVoxels = std::accumulate(empty.begin(), empty.end(), SizeValueType{ 0 });
}

void
DICOMCTVolumeReader::GenerateData()
{
  ImageType * const output = this->GetOutput();
  output->SetBufferedRegion(output->GetLargestPossibleRegion());
  try
  {
    if (m_Implementation->grid)
    {
      this->ResampleSlices();
      return;
    }
    output->Allocate();
    m_NumberOfPaddedVoxels = this->DecodeSlices(output->GetBufferPointer(), 1.0f);
  }
  catch (...)
  {
    output->ReleaseData(); // no part of a volume is left
    throw;
  }
}

void
DICOMCTVolumeReader::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "Path: " << m_Path << std::endl;
  os << indent << "Series: " << m_Series << std::endl;
  os << indent << "MaximumNumberOfVoxels: " << m_MaximumNumberOfVoxels << std::endl;
  os << indent << "Resample: " << (m_Resample ? "On" : "Off") << std::endl;
  if (const auto & rescale = m_Implementation->rescale)
  {
    os << indent << "Rescale: " << rescale->slope << ", " << rescale->intercept << std::endl;
  }
  else
  {
    os << indent << "Rescale: as the files say" << std::endl;
  }
  os << indent << "NumberOfPaddedVoxels: " << m_NumberOfPaddedVoxels << std::endl;
  os << indent << "Inventory: " << m_Implementation->scan.inventory.series.size() << " series, "
     << m_Implementation->scan.inventory.files.size() << " files" << std::endl;
  os << indent << "Warnings: " << m_Implementation->warnings.size() << std::endl;
}

} // namespace itk
