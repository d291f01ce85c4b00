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
#ifndef radiography_dicom_DICOMEnhancedCT_h
#define radiography_dicom_DICOMEnhancedCT_h

#include "dicom/DICOMSliceHeader.h"

#include <vector>

namespace radiography::dicom
{

/** The slices of an Enhanced CT or Legacy Converted Enhanced CT image: its frames in the order of the file, without
 * localizers (Frame Type, PS3.3 C.8.16.1). \throws FileError naming the frame, the tag and what is wrong with it: one
 * bad frame spoils the image. */
std::vector<SliceHeader>
ReadEnhancedSlices(DcmItem &                      dataset,
                   const ImageIdentity &          identity,
                   const std::string &            file,
                   const std::optional<Rescale> & byHand);

} // namespace radiography::dicom

#endif
