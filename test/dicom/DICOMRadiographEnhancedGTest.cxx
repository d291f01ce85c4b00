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
#include "DICOMEnhancedXrayFiles.h"

using namespace xray;

namespace
{

/** With the second frame chosen. */
class WriteSecond : public Written
{
public:
  explicit WriteSecond(const Change & change = {}, const char * sopClass = UID_EnhancedXAImageStorage)
    : Written(MakeEnhancedXA(sopClass), change)
  {
    reader->SetFrame(2);
  }
};

Change
WithoutShared(const DcmTagKey & tag)
{
  return [tag](Dataset & d) { SharedGroups(d).findAndDeleteElement(tag); };
}

/** Elements of 0.2 mm; the field of view begins at element (10, 20), rows before columns, its pixels are 2.5 x 2
 * elements, and the isocenter is projected to the middle of pixel (row, column). */
void
PutDetector(Dataset & d, double row, double column, const char * rotation, const char * flip)
{
  Put(d, DCM_DetectorElementSpacing, "0.2\\0.2");
  const std::string turned = rotation;
  const bool        isSideways = turned == "90" || turned == "270";
  const double      rowStep = isSideways ? 2.0 : 2.5;
  const double      columnStep = isSideways ? 2.5 : 2.0;
  PutSingles(d,
             DCM_PositionOfIsocenterProjection,
             { static_cast<Float32>(10.0 + (row + 0.5) * rowStep - 0.5),
               static_cast<Float32>(20.0 + (column + 0.5) * columnStep - 0.5) });
  DcmItem & field = SequenceItem(SharedGroups(d), DCM_FieldOfViewSequence);
  PutIn(field, DCM_FieldOfViewOrigin, "10\\20");
  PutIn(field, DCM_FieldOfViewRotation, rotation);
  PutIn(field, DCM_FieldOfViewHorizontalFlip, flip);
}

} // namespace

TEST(DICOMRadiographEnhanced, ReadsTheChosenFrame)
{
  for (unsigned k = 0; k < FrameCount; ++k)
  {
    const Written file(MakeEnhancedXA());
    file.reader->SetFrame(k + 1);
    file.Update();
    ExpectSameView(*file.reader->GetGeometry(), *CArmView(30.0 + 2.0 * k, 10.0));
    const auto & image = *file.reader->GetOutput();
    for (unsigned r = 0; r < Rows; ++r)
    {
      for (unsigned c = 0; c < Columns; ++c)
      {
        ASSERT_EQ(image.GetPixel({ { c, r, 0 } }), static_cast<float>(phantom::StoredValue(c, r, k)));
      }
    }
    EXPECT_TRUE(file.reader->IsProportionalToIntensity());
  }
}

TEST(DICOMRadiographEnhanced, AFrameMustBeChosen)
{
  ExpectRefusal(Written(MakeEnhancedXA()), "missing-frame", "NumberOfFrames (0028,0008) is 3", "Frame");
  const Written file(MakeEnhancedXA());
  file.reader->SetFrame(4);
  ExpectRefusal(file, "missing-frame", "no frame 4", "Frame");
}

TEST(DICOMRadiographEnhanced, EveryNumberHasItsSource)
{
  const WriteSecond file;
  const auto &      information = file.Information();
  EXPECT_EQ(SourceOf(information, "source-isocenter distance"), "DistanceSourceToIsocenter (0018,9402)");
  EXPECT_EQ(SourceOf(information, "source-detector distance"), "DistanceSourceToDetector (0018,1110)");
  EXPECT_EQ(SourceOf(information, "primary angle"), "PositionerPrimaryAngle (0018,1510)");
  EXPECT_EQ(SourceOf(information, "detector pitch (between columns, between rows)"), "ImagerPixelSpacing (0018,1164)");
  EXPECT_EQ(SourceOf(information, "principal point").rfind("assumption", 0), 0u);
  EXPECT_EQ(SourceOf(information, "frame"), "option Frame");
}

TEST(DICOMRadiographEnhanced, MissingGeometryIsRefusedByName)
{
  ExpectRefusal(WriteSecond(WithoutShared(DCM_XRayGeometrySequence)),
                "missing-tag",
                "DistanceSourceToIsocenter (0018,9402)",
                "SourceIsocenterDistance");
  ExpectRefusal(WriteSecond(WithoutShared(DCM_FramePixelDataPropertiesSequence)),
                "missing-pitch",
                "ImagerPixelSpacing (0018,1164)",
                "Pitch");
  ExpectRefusal(WriteSecond([](Dataset & d) { GroupsOf(d, 1).findAndDeleteElement(DCM_PositionerPositionSequence); }),
                "missing-tag",
                "PositionerPrimaryAngle (0018,1510)",
                "PrimaryAngle");
  // Another frame's angles do not matter.
  const WriteSecond file([](Dataset & d) { GroupsOf(d, 0).findAndDeleteElement(DCM_PositionerPositionSequence); });
  file.Update();
}

TEST(DICOMRadiographEnhanced, SettersHelpWhereGeometryIsMissing)
{
  const WriteSecond file([](Dataset & d) {
    WithoutShared(DCM_XRayGeometrySequence)(d);
    WithoutShared(DCM_FramePixelDataPropertiesSequence)(d);
    GroupsOf(d, 1).findAndDeleteElement(DCM_PositionerPositionSequence);
  });
  file.reader->SetPrimaryAngle(32.0 * Degree);
  file.reader->SetSecondaryAngle(10.0 * Degree);
  file.reader->SetSourceIsocenterDistance(700.0);
  file.reader->SetSourceDetectorDistance(1000.0);
  file.reader->SetPitch(0.4, 0.5);
  file.Update();
  ExpectSameView(*file.reader->GetGeometry(), *CArmView(32.0, 10.0));
}

TEST(DICOMRadiographEnhanced, FluoroscopyWithAColumnNeedsAngles)
{
  const auto column = [](Dataset & d) {
    Put(d, DCM_Modality, "RF");
    Put(d, DCM_PositionerType, "COLUMN");
    for (unsigned k = 0; k < FrameCount; ++k)
    {
      GroupsOf(d, k).findAndDeleteElement(DCM_PositionerPositionSequence);
      PutSingles(SequenceItem(GroupsOf(d, k), DCM_PositionerPositionSequence), DCM_ColumnAngulationPatient, { 15.0f });
    }
  };
  const WriteSecond file(column, UID_EnhancedXRFImageStorage);
  ExpectRefusal(file, "missing-angle", "PositionerType (0018,1508) is COLUMN", "PrimaryAngle");
  ASSERT_NE(FindProblem(file.Information(), "column-angulation"), nullptr);
  file.reader->SetPrimaryAngle(32.0 * Degree);
  file.reader->SetSecondaryAngle(10.0 * Degree);
  file.Update();
  ExpectSameView(*file.reader->GetGeometry(), *CArmView(32.0, 10.0));
}

TEST(DICOMRadiographEnhanced, TheIsocenterIsWhereTheDetectorSays)
{
  // Where pixel (row 3, column 7) of the field of view comes to lie in an image of 12 columns and 10 rows.
  const struct
  {
    const char * rotation;
    const char * flip;
    double       column;
    double       row;
  } cases[] = { { "0", "NO", 7.0, 3.0 },   { "180", "NO", 4.0, 6.0 }, { "90", "NO", 8.0, 7.0 },
                { "270", "NO", 3.0, 2.0 }, { "0", "YES", 4.0, 3.0 },  { "90", "YES", 3.0, 7.0 } };
  for (const auto & c : cases)
  {
    SCOPED_TRACE(std::string(c.rotation) + " " + c.flip);
    const WriteSecond file([&c](Dataset & d) { PutDetector(d, 3.0, 7.0, c.rotation, c.flip); });
    const auto &      information = file.Information();
    ASSERT_NE(file.reader->GetGeometry(), nullptr) << Written::RefusalsOf(information);
    EXPECT_NEAR(file.reader->GetGeometry()->GetPrincipalPoint()[0], c.column, 1e-5);
    EXPECT_NEAR(file.reader->GetGeometry()->GetPrincipalPoint()[1], c.row, 1e-5);
    EXPECT_EQ(SourceOf(information, "principal point").rfind("PositionOfIsocenterProjection (0018,9430)", 0), 0u);
    ExpectNear(file.reader->GetGeometry()->GetSource(), CArmView(32.0, 10.0)->GetSource(), 1e-9, "source");
  }
}

TEST(DICOMRadiographEnhanced, PartOfTheFieldOfViewIsShifted)
{
  const auto part = [](const char * rotation) {
    return [rotation](Dataset & d) {
      PutDetector(d, 3.0, 7.0, rotation, "NO");
      PutSingles(SequenceItem(SharedGroups(d), DCM_FramePixelDataPropertiesSequence),
                 DCM_PixelDataAreaOriginRelativeToFOV,
                 { 1.0f, 2.0f });
    };
  };
  const WriteSecond shifted(part("0"));
  shifted.Update();
  EXPECT_NEAR(shifted.reader->GetGeometry()->GetPrincipalPoint()[0], 5.0, 1e-5);
  EXPECT_NEAR(shifted.reader->GetGeometry()->GetPrincipalPoint()[1], 2.0, 1e-5);
  // Turned as well: the size of the field of view would be needed.
  const WriteSecond turned(part("90"));
  ExpectWarning(turned, "principal-point-assumed", "turned part");
  EXPECT_NEAR(turned.reader->GetGeometry()->GetPrincipalPoint()[0], 5.5, 1e-9);
}

TEST(DICOMRadiographEnhanced, ADetectorThatIsNotDescribedIsAWarning)
{
  ExpectWarning(WriteSecond([](Dataset & d) {
                  PutDetector(d, 3.0, 7.0, "0", "NO");
                  d.findAndDeleteElement(DCM_DetectorElementSpacing);
                }),
                "principal-point-assumed",
                "DetectorElementSpacing (0018,7022)");
}

TEST(DICOMRadiographEnhanced, ATurnedDetectorNeedsItsRoll)
{
  const WriteSecond file([](Dataset & d) {
    PutSingles(SequenceItem(GroupsOf(d, 1), DCM_IsocenterReferenceSystemSequence),
               DCM_PositionerIsocenterDetectorRotationAngle,
               { 12.0f });
  });
  ExpectRefusal(file, "turned-detector", "PositionerIsocenterDetectorRotationAngle (0018,9465) is 12", "Roll");
  file.reader->SetRoll(12.0 * Degree);
  file.Update();
}

TEST(DICOMRadiographEnhanced, PixelMeaningIsThatOfTheFrame)
{
  using Meaning = itk::DICOMRadiographEnums::PixelMeaning;
  const auto with = [](const char * relationship, int sign) {
    const WriteSecond file([=](Dataset & d) {
      DcmItem & pixels = SequenceItem(SharedGroups(d), DCM_FramePixelDataPropertiesSequence);
      PutIn(pixels, DCM_PixelIntensityRelationship, relationship);
      ASSERT_TRUE(pixels.putAndInsertSint16(DCM_PixelIntensityRelationshipSign, static_cast<Sint16>(sign)).good());
    });
    return file.Information().pixelMeaning;
  };
  EXPECT_EQ(with("LIN", 1), Meaning::Linear);
  EXPECT_EQ(with("LIN", -1), Meaning::Inverted);
  EXPECT_EQ(with("LIN", 0), Meaning::Unknown);
  EXPECT_EQ(with("LOG", 1), Meaning::Log);
}

TEST(DICOMRadiographEnhanced, ATableLeadsBackToTheIntensity)
{
  const WriteSecond file([](Dataset & d) {
    PutIn(SequenceItem(SharedGroups(d), DCM_FramePixelDataPropertiesSequence), DCM_PixelIntensityRelationship, "LOG");
    const char * const functions[] = { "TO_LOG", "TO_LINEAR" };
    for (signed long i = 0; i < 2; ++i)
    {
      DcmItem & table = SequenceItem(SharedGroups(d), DCM_PixelIntensityRelationshipLUTSequence, i);
      PutIn(table, DCM_LUTFunction, functions[i]);
      const Uint16        descriptor[] = { 1024, 1000, 16 };
      std::vector<Uint16> entries;
      for (unsigned v = 0; v < 1024; ++v)
      {
        entries.push_back(static_cast<Uint16>(i == 0 ? 7 : 3 * v));
      }
      ASSERT_TRUE(table.putAndInsertUint16Array(DCM_LUTDescriptor, descriptor, 3).good());
      ASSERT_TRUE(table.putAndInsertUint16Array(DCM_LUTData, entries.data(), entries.size()).good());
    }
  });
  file.Update();
  EXPECT_TRUE(file.reader->IsProportionalToIntensity());
  const auto stored = phantom::StoredValue(3, 7, 1);
  EXPECT_EQ(file.reader->GetOutput()->GetPixel({ { 3, 7, 0 } }), static_cast<float>(3 * (stored - 1000)));
}

TEST(DICOMRadiographEnhanced, ShuttersOfTheFrameAreInTheMask)
{
  const auto rectangle = [](DcmItem & item) {
    PutIn(item, DCM_ShutterShape, "RECTANGULAR");
    PutIn(item, DCM_ShutterLeftVerticalEdge, "3");
    PutIn(item, DCM_ShutterRightVerticalEdge, "8");
    PutIn(item, DCM_ShutterUpperHorizontalEdge, "2");
    PutIn(item, DCM_ShutterLowerHorizontalEdge, "9");
  };
  const WriteSecond file([&rectangle](Dataset & d) {
    rectangle(SequenceItem(GroupsOf(d, 1), DCM_FrameDisplayShutterSequence));
    DcmItem & collimator = SequenceItem(GroupsOf(d, 1), DCM_CollimatorShapeSequence);
    PutIn(collimator, DCM_CollimatorShape, "CIRCULAR");
    PutIn(collimator, DCM_CenterOfCircularCollimator, "5\\6");
    PutIn(collimator, DCM_RadiusOfCircularCollimator, "1.5");
  });
  file.Update();
  const auto & mask = *file.reader->GetMaskOutput();
  EXPECT_EQ(mask.GetPixel({ { 5, 4, 0 } }), 1); // row 5, column 6
  EXPECT_EQ(mask.GetPixel({ { 3, 4, 0 } }), 0); // within the shutter, outside of the collimator
  EXPECT_EQ(mask.GetPixel({ { 2, 4, 0 } }), 0);
  file.reader->SetFrame(1);
  file.Update();
  EXPECT_EQ(file.reader->GetMaskOutput()->GetPixel({ { 2, 4, 0 } }), 1);
}

TEST(DICOMRadiographEnhanced, DamagedGroupsAreRefused)
{
  const auto refusal = [](const Change & change) {
    const WriteSecond file(change);
    return testimages::Refusal([&file] { file.reader->Update(); });
  };
  EXPECT_NE(refusal([](Dataset & d) {
              d.findAndDeleteElement(DCM_PerFrameFunctionalGroupsSequence);
            }).find("PerFrameFunctionalGroupsSequence (5200,9230) has 0 items"),
            std::string::npos);
  EXPECT_NE(refusal([](Dataset & d) {
              SequenceItem(GroupsOf(d, 1), DCM_PositionerPositionSequence, 1);
            }).find("PositionerPositionSequence (0018,9405) has 2 items"),
            std::string::npos);
}
