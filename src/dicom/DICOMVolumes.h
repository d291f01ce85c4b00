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
#ifndef radiography_dicom_DICOMVolumes_h
#define radiography_dicom_DICOMVolumes_h

#include "dicom/DICOMSliceStack.h"

#include "compute/ParallelFor.h"

namespace radiography::dicom
{

/** What is put into a series: a slice of a file, or a file without slices. */
struct Member
{
  std::size_t file;
  /** In ScannedFile::slices; 0 if there is none. */
  std::size_t slice;
};

/** A folder that has been looked through: its files, and the volumes that they make. */
struct FolderScan
{
  std::vector<ScannedFile> files;
  /** series[i] is described by inventory.series[i] and has stacks[i] (without slices if it is no CT volume). */
  std::vector<SliceStack>          stacks;
  std::vector<std::vector<Member>> members;
  itk::DICOMInventory              inventory;
  std::vector<std::string>         warnings;
};

/** What the choice of a volume came to: a place in the inventory, or the reason why there is none. */
struct VolumeChoice
{
  std::optional<std::size_t> series;
  std::string                error;
  std::string                warning;
};

/** Reads all headers below `path`. `byHand` wins over rescale tags. \throws std::runtime_error if the path does not
 * exist. */
FolderScan
ScanFolder(const std::string & path, const std::optional<Rescale> & byHand, const compute::ParallelFor & parallelFor);

/** `wanted`: empty, a SeriesInstanceUID, or a number from 1. Marks the chosen series and says for every file what
 * became of it. With `resample` a volume that only needs resampling is loadable. */
VolumeChoice
ChooseVolume(FolderScan & scan, const std::string & wanted, bool resample);

} // namespace radiography::dicom

#endif
