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
#ifndef radiography_dicom_DICOMEnhancedXray_h
#define radiography_dicom_DICOMEnhancedXray_h

#include <cstddef>
#include <memory>

class DcmDataset;
class DcmItem;

namespace radiography::dicom
{

/** What an Enhanced XA or Enhanced XRF image says of one frame (counted from 0), gathered from its functional groups
 * (PS3.3 A.47, A.48 and C.8.19.6) into one data set, so that it can be read as that of an XA or XRF image.
 * \throws FileError if the groups do not match the number of frames. */
std::unique_ptr<DcmDataset>
GatherFrameAttributes(DcmItem & dataset, std::size_t frames, std::size_t frame);

} // namespace radiography::dicom

#endif
