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
#include "dicom/DICOMFunctionalGroups.h"

#include "dicom/DICOMTagReader.h"

namespace radiography::dicom
{
namespace
{

DcmSequenceOfItems *
SequenceOf(DcmItem & item, const DcmTagKey & tag)
{
  DcmElement * element = nullptr;
  return item.findAndGetElement(tag, element).good() ? dynamic_cast<DcmSequenceOfItems *>(element) : nullptr;
}

/** From one item to the next: to ask for each by its number takes time that grows with the square of their number. */
std::vector<DcmItem *>
ItemsOf(DcmItem & item, const DcmTagKey & tag)
{
  std::vector<DcmItem *>     items;
  DcmSequenceOfItems * const sequence = SequenceOf(item, tag);
  if (sequence == nullptr)
  {
    return items;
  }
  for (DcmObject * one = sequence->nextInContainer(nullptr); one != nullptr; one = sequence->nextInContainer(one))
  {
    items.push_back(dynamic_cast<DcmItem *>(one));
  }
  return items;
}

} // namespace

DcmItem *
OnlyItemOf(DcmItem & item, const DcmTagKey & tag)
{
  DcmSequenceOfItems * const sequence = SequenceOf(item, tag);
  if (sequence == nullptr || sequence->card() == 0)
  {
    return nullptr;
  }
  if (sequence->card() > 1)
  {
    throw FileError("wrong-number-of-items",
                    TagName(tag) + " has " + std::to_string(sequence->card()) + " items instead of 1");
  }
  return sequence->getItem(0);
}

FunctionalGroups::FunctionalGroups(DcmItem & dataset, std::size_t frames)
  : m_Shared(OnlyItemOf(dataset, DCM_SharedFunctionalGroupsSequence))
  , m_OfFrames(ItemsOf(dataset, DCM_PerFrameFunctionalGroupsSequence))
{
  if (m_OfFrames.size() != frames)
  {
    throw FileError("functional-groups",
                    TagName(DCM_PerFrameFunctionalGroupsSequence) + " has " + std::to_string(m_OfFrames.size()) +
                      " items, " + TagName(DCM_NumberOfFrames) + " is " + std::to_string(frames));
  }
}

DcmItem *
FunctionalGroups::Find(std::size_t frame, const DcmTagKey & sequence) const
{
  DcmItem * const own = OnlyItemOf(*m_OfFrames.at(frame), sequence);
  return own == nullptr && m_Shared != nullptr ? OnlyItemOf(*m_Shared, sequence) : own;
}

DcmItem *
FunctionalGroups::FindHolder(std::size_t frame, const DcmTagKey & sequence) const
{
  for (DcmItem * const group : { m_OfFrames.at(frame), m_Shared })
  {
    DcmSequenceOfItems * const found = group != nullptr ? SequenceOf(*group, sequence) : nullptr;
    if (found != nullptr && found->card() > 0)
    {
      return group;
    }
  }
  return nullptr;
}

DcmItem &
FunctionalGroups::Require(std::size_t frame, const DcmTagKey & sequence) const
{
  DcmItem * const item = this->Find(frame, sequence);
  if (item == nullptr)
  {
    throw FileError("missing-tag", TagName(sequence) + " is in no functional group of the frame");
  }
  return *item;
}

} // namespace radiography::dicom
