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
#ifndef itkDICOMInventory_h
#define itkDICOMInventory_h

#include "RadiographyExport.h"

#include "itkMatrix.h"
#include "itkPoint.h"
#include "itkSize.h"
#include "itkVector.h"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace itk
{

/** \class DICOMInventoryEnums
 * \brief What a group of DICOM files is.
 * \ingroup Radiography */
class DICOMInventoryEnums
{
public:
  enum class SeriesKind : uint8_t
  {
    /** Cross-sectional CT: a volume, if nothing is wrong with it. */
    CTVolume,
    /** X-ray projection images: XA, RF, DX, CR, RT images. */
    Radiograph,
    /** Localizers, secondary captures, structures, anything else. */
    Other
  };
};

/** "ct-volume", "radiograph" or "other". */
Radiography_EXPORT const char *
DICOMSeriesKindName(DICOMInventoryEnums::SeriesKind kind);

Radiography_EXPORT std::ostream &
                   operator<<(std::ostream & os, DICOMInventoryEnums::SeriesKind kind);

/** \class DICOMProblem
 * \brief Why a group of files is not a volume, or not one that can be loaded.
 * \ingroup Radiography */
struct DICOMProblem
{
  /** A short word for programs: "gap", "uneven-steps", "tilt", "duplicate-position", "missing-rescale", ... */
  std::string code;
  /** For people: what is wrong, where, the value, and the remedy. */
  std::string message;
  /** The files concerned, as in DICOMFileInfo::path. */
  std::vector<std::string> files;
};

/** \class DICOMSeriesInfo
 * \brief Images of one series that share frame of reference, orientation, matrix and pixel spacing.
 *
 * A DICOM series that mixes several stacks gives several of these, with the same SeriesInstanceUID. Frames of enhanced
 * multi-frame images count as images.
 * \ingroup Radiography */
struct DICOMSeriesInfo
{
  std::string seriesInstanceUID;
  std::string studyInstanceUID;
  std::string frameOfReferenceUID;
  std::string modality;
  std::string description;
  /** Of a stack of an enhanced multi-frame image: Stack ID (0020,9056) and Temporal Position Index (0020,9128). Empty
   * where there is none. */
  std::string                     stackID;
  std::string                     temporalPosition;
  DICOMInventoryEnums::SeriesKind kind{ DICOMInventoryEnums::SeriesKind::Other };
  /** It is a CT volume and DICOMCTVolumeReader reads it. */
  bool loadable{ false };
  /** It is the one that DICOMCTVolumeReader::Update() reads, by its setting or its default. */
  bool chosen{ false };

  /** Columns, rows, slices (or images). */
  Size<3> size{ { 0, 0, 0 } };
  /** Between columns, rows and slices, mm; 0 where it is not known. */
  Vector<double, 3> spacing{ 0.0 };
  /** Centre of the first voxel, LPS mm. */
  Point<double, 3> origin{ { 0.0, 0.0, 0.0 } };
  /** Columns: direction of increasing column, row and slice index. All zero where it is not known. */
  Matrix<double, 3, 3> direction{};

  std::size_t numberOfFiles{ 0 };
  /** As in DICOMFileInfo::path, sorted. */
  std::vector<std::string> filePaths;
  /** UIDs, sorted, each once. */
  std::vector<std::string>  transferSyntaxes;
  std::vector<DICOMProblem> problems;
};

/** \class DICOMFileInfo
 * \brief What became of one file of the folder.
 * \ingroup Radiography */
struct DICOMFileInfo
{
  /** Relative to DICOMInventory::folder, parts separated by '/', bytes as the file system has them. */
  std::string path;
  /** Empty if the file is not DICOM or does not say. */
  std::string seriesInstanceUID;
  /** Its pixels, or some of its frames, become part of the chosen volume. */
  bool used{ false };
  /** Why it is used or not. Never empty. */
  std::string reason;
};

/** \class DICOMInventory
 * \brief All series and all files below a folder.
 *
 * Files are sorted by path, series by their first file's path; the number of a series is its place in this list,
 * counted from 1.
 * \ingroup Radiography */
struct DICOMInventory
{
  std::string                  folder;
  std::vector<DICOMSeriesInfo> series;
  std::vector<DICOMFileInfo>   files;
};

} // namespace itk

#endif
