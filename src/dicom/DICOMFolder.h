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
#ifndef radiography_dicom_DICOMFolder_h
#define radiography_dicom_DICOMFolder_h

#include "dicom/DICOMSliceHeader.h"

#include <optional>
#include <string>
#include <vector>

namespace radiography::dicom
{

/** One file below a folder, and what its header says. */
struct ScannedFile
{
  /** Relative to the folder, with '/'. */
  std::string path;
  /** For opening it. */
  std::string absolutePath;

  /** Why it was not opened or is not DICOM; empty if it is. */
  std::string notDICOM;
  /** It should be worth a warning: it is empty, or cannot be read. */
  bool unreadable{ false };

  ImageIdentity identity;
  /** Only of a CT image without problem: one for each frame that is a slice, in the order of the file. */
  std::vector<SliceHeader> slices;
  /** What is wrong with a CT image, and a short word for it. */
  std::string problem;
  std::string problemCode;
};

/** Every entry below the folder that is no folder, sorted by path; not opened yet. Hidden entries and what is not a
 * regular file come with the reason why they will not be. Symbolic links are followed, but each file and each folder
 * is taken once. `path` may also be one file. \throws std::runtime_error if it does not exist or cannot be listed. */
std::vector<ScannedFile>
ListFiles(const std::string & path);

/** Looks at the first bytes. \return why it is not handed to a parser; empty if it looks like DICOM. */
std::string
ReasonNotToParse(ScannedFile & file);

/** Opens the file and reads its header; pixel data stay in the file. `byHand` wins over its rescale tags. Never throws
 * for what the file is. */
void
ScanFile(ScannedFile & file, const std::optional<Rescale> & byHand);

} // namespace radiography::dicom

#endif
