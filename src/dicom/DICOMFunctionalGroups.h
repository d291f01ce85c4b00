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
#ifndef radiography_dicom_DICOMFunctionalGroups_h
#define radiography_dicom_DICOMFunctionalGroups_h

#include <cstddef>
#include <vector>

class DcmItem;
class DcmTagKey;

namespace radiography::dicom
{

/** The functional groups of a multi-frame image (PS3.3 C.7.6.16): what holds for all frames, and what for one. */
class FunctionalGroups
{
public:
  /** \throws FileError unless there is an item for each of the frames. */
  FunctionalGroups(DcmItem & dataset, std::size_t frames);

  /** The item of a macro's sequence: the frame's own one, else the shared one; null if there is none.
   * \throws FileError if there are several. */
  DcmItem *
  Find(std::size_t frame, const DcmTagKey & sequence) const;

  /** \throws FileError if there is none. */
  DcmItem &
  Require(std::size_t frame, const DcmTagKey & sequence) const;

  /** The functional group that has a sequence with any number of items: the frame's own one, else the shared one; null
   * if there is none. */
  DcmItem *
  FindHolder(std::size_t frame, const DcmTagKey & sequence) const;

private:
  DcmItem *              m_Shared{ nullptr };
  std::vector<DcmItem *> m_OfFrames;
};

/** The only item of a sequence; null if it is absent or empty. \throws FileError if it has several. */
DcmItem *
OnlyItemOf(DcmItem & item, const DcmTagKey & sequence);

} // namespace radiography::dicom

#endif
