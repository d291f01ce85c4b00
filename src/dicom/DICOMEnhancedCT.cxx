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
#include "dicom/DICOMEnhancedCT.h"

#include "dicom/DICOMFunctionalGroups.h"
#include "dicom/DICOMTagReader.h"

namespace radiography::dicom
{
namespace
{

bool
IsLocalizer(const FunctionalGroups & groups, std::size_t frame)
{
  DcmItem * const type = groups.Find(frame, DCM_CTImageFrameTypeSequence);
  return type != nullptr && HasValue(TextOf(*type, DCM_FrameType), "LOCALIZER");
}

/** Temporal Position Index is a number; as text it is only compared and shown. */
void
ReadFrameContent(const FunctionalGroups & groups, std::size_t frame, SliceHeader & header)
{
  if (DcmItem * const content = groups.Find(frame, DCM_FrameContentSequence))
  {
    header.stackID = TextOf(*content, DCM_StackID);
    header.temporalPosition = TextOf(*content, DCM_TemporalPositionIndex);
  }
}

void
ReadFrame(const FunctionalGroups & groups, const std::optional<Rescale> & byHand, SliceHeader & header)
{
  ReadSliceItems({ groups.Require(header.frame, DCM_PlanePositionSequence),
                   groups.Require(header.frame, DCM_PlaneOrientationSequence),
                   groups.Require(header.frame, DCM_PixelMeasuresSequence),
                   groups.Find(header.frame, DCM_PixelValueTransformationSequence),
                   true },
                 byHand,
                 header);
  ReadFrameContent(groups, header.frame, header);
}

} // namespace

std::vector<SliceHeader>
ReadEnhancedSlices(DcmItem &                      dataset,
                   const ImageIdentity &          identity,
                   const std::string &            file,
                   const std::optional<Rescale> & byHand)
{
  if (identity.frames < 1)
  {
    throw FileError("multi-frame",
                    TagName(DCM_NumberOfFrames) + " is \"" + TextOf(dataset, DCM_NumberOfFrames) +
                      "\", which is no number of frames");
  }
  const SliceHeader        common = ReadCommonHeader(dataset, identity, file);
  const FunctionalGroups   groups(dataset, common.frames);
  std::vector<SliceHeader> slices;
  for (std::size_t frame = 0; frame < common.frames; ++frame)
  {
    try
    {
      if (!IsLocalizer(groups, frame))
      {
        slices.push_back(common);
        slices.back().frame = frame;
        ReadFrame(groups, byHand, slices.back());
      }
    }
    catch (const FileError & error)
    {
      throw FileError(error.GetCode(), "frame " + std::to_string(frame + 1) + ": " + error.what());
    }
  }
  if (slices.empty())
  {
    throw FileError("localizer", "all of its frames are localizers (" + TagName(DCM_FrameType) + " says so)");
  }
  return slices;
}

} // namespace radiography::dicom
