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
#ifndef itkDICOMCTVolumeReader_h
#define itkDICOMCTVolumeReader_h

#include "RadiographyExport.h"
#include "itkDICOMInventory.h"
#include "itkRadiographyMacros.h"

#include "itkImage.h"
#include "itkImageSource.h"
#include "itkObjectFactory.h"

#include <memory>

namespace itk
{

/** \class DICOMCTVolumeReader
 * \brief Reads one CT volume from a folder of DICOM files (or one file), in Hounsfield units.
 *
 * Files are recognised by their content, below the folder at any depth (hidden files and folders are left out), and
 * grouped into volumes by study, series, frame of reference, orientation, matrix and pixel spacing. Frames of enhanced
 * multi-frame images (Enhanced CT, Legacy Converted Enhanced CT; PS3.3 C.7.6.16) are slices like others, placed by
 * their functional groups; each stack and each temporal position is a volume. Slices are ordered
 * by their position along the slice normal and by nothing else (PS3.3 C.7.6.2.1.1): instance numbers, slice locations,
 * thickness and tilt tags are not geometry. Only where a volume has a single slice, SliceThickness serves as the third
 * spacing, with a warning.
 *
 * Output: stored value x slope + intercept, per slice, computed in double and rounded once to float. Origin is
 * ImagePositionPatient of the lowest slice, direction has the columns (row cosines, column cosines, normal), spacing is
 * (between columns, between rows, between slices), in LPS and mm. Padding pixels (PixelPaddingValue,
 * PixelPaddingRangeLimit) become PaddingHU and are counted. Windows and MONOCHROME1 never change values.
 *
 * With Resample on, tilted stacks, gaps and uneven steps are resampled onto a regular grid: trilinear in the cells of
 * the stack as it stands (sheared cells where it is tilted), steps of the median one, air where no slice reaches.
 *
 * Nothing is guessed. Without it gaps, uneven steps, tilt, and always unequal slices at one position, missing rescale
 * tags (unless SetRescale() says them), another rescale type than HU, impossible numbers and damaged files are refused:
 * the volume is listed in the inventory with its problems, and Update() throws. Duplicate slices with identical voxels
 * are dropped with a warning. Lossy compression is said in a warning, and refused where it cannot have kept the sign of
 * the values.
 *
 * \code
 *   auto reader = itk::DICOMCTVolumeReader::New();
 *   reader->SetPath("/data/patient");
 *   reader->Update();
 * \endcode
 *
 * \ingroup Radiography */
class Radiography_EXPORT DICOMCTVolumeReader : public ImageSource<Image<float, 3>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(DICOMCTVolumeReader);

  using Self = DICOMCTVolumeReader;
  using Superclass = ImageSource<Image<float, 3>>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(DICOMCTVolumeReader);

  using ImageType = Image<float, 3>;

  /** What padding pixels become: air. */
  static constexpr float PaddingHU = -1000.0f;

  /** A folder, or one file. */
  itkSetStringMacro(Path);
  itkGetStringMacro(Path);

  /** Which volume: a SeriesInstanceUID (of several stacks in that series the largest loadable one), or its number in
   * the inventory, counted from 1. Empty, the default: the largest volume; it is an error if that one is not loadable.
   */
  itkSetStringMacro(Series);
  itkGetStringMacro(Series);

  /** The largest volume that is accepted, in voxels; a size declared by files is held against it before any memory is
   * allocated. Default 2^31 (8 GiB). */
  itkSetMacro(MaximumNumberOfVoxels, SizeValueType);
  itkGetConstMacro(MaximumNumberOfVoxels, SizeValueType);

  /** Whether tilt, gaps and uneven steps are resampled. Default: off, they are refused. */
  itkSetMacro(Resample, bool);
  itkGetConstMacro(Resample, bool);
  itkBooleanMacro(Resample);

  /** Slope and intercept that turn stored values into Hounsfield units, whatever the files say: for series that lack
   * them or say something wrong. Where a file says something else that could be right, that is warned of.
   * \throws ExceptionObject unless both are finite and the slope is not 0. */
  void
  SetRescale(double slope, double intercept);

  /** Files say it, or are refused. The default. */
  void
  ClearRescale();

  bool
  HasRescale() const;

  /** Looks through the folder anew: headers only. Volumes that cannot be loaded do not throw here, they are listed with
   * their problems. Update() does this by itself when the path or the rescale by hand has changed since the last time.
   * Progress runs from 0 to 1 here as well, and the abort flag is looked at.
   * \throws ExceptionObject if the path does not exist or cannot be listed.
   * \throws ProcessAborted */
  void
  ScanInventory();

  /** The result of the last scan: every series and every file. Empty before. */
  const DICOMInventory &
  GetInventory() const;

  /** What a user should know of the last scan and the last reading; one sentence each. */
  const std::vector<std::string> &
  GetWarnings() const;

  /** Voxels of the output that are padding, after Update(); of a resampled volume those that no slice reaches. */
  itkGetConstMacro(NumberOfPaddedVoxels, SizeValueType);

protected:
  DICOMCTVolumeReader();
  ~DICOMCTVolumeReader() override;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;

  /** Scans headers. \throws ExceptionObject if no volume can be loaded: it says why. */
  void
  GenerateOutputInformation() override;

  /** Always the whole volume. */
  void
  EnlargeOutputRequestedRegion(DataObject * output) override;

  /** Decodes the slices. \throws ExceptionObject naming the file that cannot be decoded. */
  void
  GenerateData() override;

private:
  struct Implementation;

  /** Into memory of the slices' own size, as this part of the whole work; returns the padding pixels. */
  SizeValueType
  DecodeSlices(float * voxels, float progressWeight);

  /** Decodes, and resamples into the output. */
  void
  ResampleSlices();

  std::string                     m_Path{};
  std::string                     m_Series{};
  SizeValueType                   m_MaximumNumberOfVoxels{ SizeValueType{ 1 } << 31 };
  bool                            m_Resample{ false };
  SizeValueType                   m_NumberOfPaddedVoxels{ 0 };
  std::unique_ptr<Implementation> m_Implementation;
};

} // namespace itk

#endif
