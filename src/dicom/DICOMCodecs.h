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
#ifndef radiography_dicom_DICOMCodecs_h
#define radiography_dicom_DICOMCodecs_h

#include "compute/InternalExport.h"

#include <string>

namespace radiography::dicom
{

/** Makes DCMTK ready, once per process and from any thread: its decoders are registered, its own log, which would go
 * to stderr, is silent (what it has to say comes back as a status), its data dictionary is there.
 * \throws std::runtime_error if the data dictionary was not found. */
RADIOGRAPHY_INTERNAL_EXPORT void
PrepareDCMTK();

/** JPEG by discrete cosine transform: PS3.5 A.4.1, processes 1, 2/4, 6/8 and 10/12. */
bool
IsCosineTransformJPEG(const std::string & transferSyntaxUID);

/** The transfer syntax allows loss: cosine transform, JPEG-LS near-lossless, JPEG 2000. */
bool
MayBeLossy(const std::string & transferSyntaxUID);

bool
IsJPEG2000(const std::string & transferSyntaxUID);

} // namespace radiography::dicom

#endif
