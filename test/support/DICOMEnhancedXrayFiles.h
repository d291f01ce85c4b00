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
#ifndef DICOMEnhancedXrayFiles_h
#define DICOMEnhancedXrayFiles_h

#include "DICOMEnhancedFiles.h"
#include "DICOMXrayFiles.h"

/** The X-ray images of DICOMXrayFiles.h as enhanced multi-frame ones. */
namespace xray
{

using phantom::PutIn;
using phantom::SequenceItem;

constexpr unsigned FrameCount = 3;

inline DcmItem &
GroupsOf(Dataset & d, signed long frame)
{
  return SequenceItem(d, DCM_PerFrameFunctionalGroupsSequence, frame);
}

inline DcmItem &
SharedGroups(Dataset & d)
{
  return SequenceItem(d, DCM_SharedFunctionalGroupsSequence);
}

inline void
PutSingles(DcmItem & item, const DcmTagKey & tag, const std::vector<Float32> & values)
{
  ASSERT_TRUE(item.putAndInsertFloat32Array(tag, values.data(), values.size()).good());
}

inline void
PutPositioner(DcmItem & groups, const std::string & primary, const std::string & secondary)
{
  DcmItem & positioner = SequenceItem(groups, DCM_PositionerPositionSequence);
  PutIn(positioner, DCM_PositionerPrimaryAngle, primary);
  PutIn(positioner, DCM_PositionerSecondaryAngle, secondary);
}

/** The XA image of the other tests with three frames, at primary angles of 30, 32 and 34 degrees. */
inline File
MakeEnhancedXA(const char * sopClass = UID_EnhancedXAImageStorage)
{
  auto      file = MakeImage(sopClass, "XA");
  Dataset & d = *file->getDataset();
  Put(d, DCM_NumberOfFrames, std::to_string(FrameCount));
  Put(d, DCM_PositionerType, "CARM");
  phantom::PutPixels(d, Frames(FrameCount));
  for (unsigned k = 0; k < FrameCount; ++k)
  {
    PutPositioner(GroupsOf(d, k), std::to_string(30 + 2 * k), "10");
  }
  DcmItem & shared = SharedGroups(d);
  DcmItem & geometry = SequenceItem(shared, DCM_XRayGeometrySequence);
  PutSingles(geometry, DCM_DistanceSourceToIsocenter, { 700.0f });
  PutIn(geometry, DCM_DistanceSourceToDetector, "1000");
  DcmItem & pixels = SequenceItem(shared, DCM_FramePixelDataPropertiesSequence);
  PutIn(pixels, DCM_ImagerPixelSpacing, "0.5\\0.4");
  PutIn(pixels, DCM_PixelIntensityRelationship, "LIN");
  EXPECT_TRUE(pixels.putAndInsertSint16(DCM_PixelIntensityRelationshipSign, 1).good());
  PutIn(SequenceItem(shared, DCM_PatientOrientationInFrameSequence), DCM_PatientOrientation, "L\\F");
  return file;
}

} // namespace xray

#endif
