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
#ifndef radiography_dicom_DICOMJPEG2000_h
#define radiography_dicom_DICOMJPEG2000_h

#include "compute/InternalExport.h"

#include <cstdint>
#include <vector>

namespace radiography::dicom
{

/** A decoded JPEG 2000 codestream of one component. */
struct JPEG2000Image
{
  unsigned                  columns{ 0 };
  unsigned                  rows{ 0 };
  unsigned                  precision{ 0 };
  bool                      isSigned{ false };
  std::vector<std::int32_t> values;
};

/** Decodes with OpenJPEG, which DCMTK does not do. The declared size is held against `columns` and `rows` before
 * memory is allocated. \throws FileError if it is damaged, incomplete, of another size or has several components. */
RADIOGRAPHY_INTERNAL_EXPORT JPEG2000Image
DecodeJPEG2000(const std::vector<std::uint8_t> & codestream, unsigned columns, unsigned rows);

} // namespace radiography::dicom

#endif
