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
#ifndef DICOMEnhancedFiles_h
#define DICOMEnhancedFiles_h

#include "DICOMPhantomSeries.h"

#include <numeric>

/** The phantom as an enhanced multi-frame CT image. */
namespace phantom
{

/** What a frame says; each may be changed before it is written. */
struct Frame
{
  unsigned    k{ 0 };
  std::string position{};
  std::string orientation{ "1\\0\\0\\0\\1\\0" };
  std::string spacing{ "0.7\\0.5" };
  std::string slope{ "1" };
  std::string intercept{ "-1024" };
  std::string rescaleType{ "HU" };
  std::string stack{ "1" };
  std::string time{};
  std::string frameType{ "ORIGINAL\\PRIMARY\\VOLUME\\NONE" };
  /** Added to the stored values. */
  int offset{ 0 };
};

/** Where slice k lies. */
inline std::string
PositionOf(unsigned k)
{
  return "-10\\20\\" + std::to_string(k * 5 / 2) + (k % 2 == 1 ? ".5" : ".0");
}

/** The phantom's slices in this order. */
inline std::vector<Frame>
MakeFrames(const std::vector<unsigned> & order)
{
  std::vector<Frame> frames;
  for (const unsigned k : order)
  {
    frames.emplace_back();
    frames.back().k = k;
    frames.back().position = PositionOf(k);
  }
  return frames;
}

inline DcmItem &
SequenceItem(DcmItem & item, const DcmTagKey & sequence, signed long number = 0)
{
  DcmItem * found = nullptr;
  EXPECT_TRUE(item.findOrCreateSequenceItem(sequence, found, number).good());
  return *found;
}

inline void
PutIn(DcmItem & item, const DcmTagKey & tag, const std::string & value)
{
  ASSERT_TRUE(item.putAndInsertString(tag, value.c_str()).good());
}

inline void
PutPosition(DcmItem & groups, const Frame & frame)
{
  PutIn(SequenceItem(groups, DCM_PlanePositionSequence), DCM_ImagePositionPatient, frame.position);
}

inline void
PutOrientation(DcmItem & groups, const Frame & frame)
{
  PutIn(SequenceItem(groups, DCM_PlaneOrientationSequence), DCM_ImageOrientationPatient, frame.orientation);
}

inline void
PutMeasures(DcmItem & groups, const Frame & frame)
{
  DcmItem & measures = SequenceItem(groups, DCM_PixelMeasuresSequence);
  PutIn(measures, DCM_PixelSpacing, frame.spacing);
  PutIn(measures, DCM_SliceThickness, "4");
}

inline void
PutTransformation(DcmItem & groups, const Frame & frame)
{
  DcmItem & transformation = SequenceItem(groups, DCM_PixelValueTransformationSequence);
  PutIn(transformation, DCM_RescaleSlope, frame.slope);
  PutIn(transformation, DCM_RescaleIntercept, frame.intercept);
  PutIn(transformation, DCM_RescaleType, frame.rescaleType);
}

/** In-stack positions run against the geometry: nobody may trust them. */
inline void
PutContent(DcmItem & groups, const Frame & frame)
{
  DcmItem & content = SequenceItem(groups, DCM_FrameContentSequence);
  PutIn(content, DCM_StackID, frame.stack);
  ASSERT_TRUE(content.putAndInsertUint32(DCM_InStackPositionNumber, 100 - frame.k).good());
  if (!frame.time.empty())
  {
    const auto time = static_cast<Uint32>(std::stoul(frame.time));
    ASSERT_TRUE(content.putAndInsertUint32(DCM_TemporalPositionIndex, time).good());
  }
  PutIn(SequenceItem(groups, DCM_CTImageFrameTypeSequence), DCM_FrameType, frame.frameType);
}

/** Which macros stand once for all frames. */
enum class Groups
{
  AllPerFrame,
  SharedWherePossible
};

inline std::unique_ptr<DcmFileFormat>
MakeEnhanced(const std::vector<Frame> & frames, Groups groups = Groups::AllPerFrame)
{
  auto      file = MakeSlice(0);
  Dataset & d = *file->getDataset();
  Put(d, DCM_SOPClassUID, UID_EnhancedCTImageStorage);
  Put(d, DCM_ImageType, "ORIGINAL\\PRIMARY\\VOLUME\\NONE");
  Put(d, DCM_NumberOfFrames, std::to_string(frames.size()));
  for (const auto & tag : { DCM_ImagePositionPatient,
                            DCM_ImageOrientationPatient,
                            DCM_PixelSpacing,
                            DCM_SliceThickness,
                            DCM_RescaleSlope,
                            DCM_RescaleIntercept })
  {
    d.findAndDeleteElement(tag);
  }
  const bool          isShared = groups == Groups::SharedWherePossible;
  std::vector<Uint16> cells;
  for (std::size_t i = 0; i < frames.size(); ++i)
  {
    const Frame & frame = frames[i];
    DcmItem &     own = SequenceItem(d, DCM_PerFrameFunctionalGroupsSequence, static_cast<signed long>(i));
    DcmItem &     common = isShared ? SequenceItem(d, DCM_SharedFunctionalGroupsSequence) : own;
    PutPosition(own, frame);
    PutContent(own, frame);
    PutOrientation(common, frame);
    PutMeasures(common, frame);
    PutTransformation(common, frame);
    const auto of = Cells(frame.k, [&frame](int v) { return static_cast<Uint16>(v + frame.offset); });
    cells.insert(cells.end(), of.begin(), of.end());
  }
  PutPixels(d, cells);
  return file;
}

} // namespace phantom

#endif
