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
#include "DICOMXrayFiles.h"

using namespace xray;

TEST(DICOMRadiographCArm, IsTheCArmOfItsAngles)
{
  const Written file(MakeXA());
  file.Update();
  const auto & view = *file.reader->GetGeometry();
  ExpectSameView(view, *CArmView(30.0, 10.0));
  // Not by the builder: the source is opposite to d = (sin a cos b, -cos a cos b, sin b), PS3.3 C.8.7.5.1.2.
  const double a = 30.0 * Degree;
  const double b = 10.0 * Degree;
  ExpectNear(view.GetSource(),
             XYZ(-700.0 * std::sin(a) * std::cos(b), 700.0 * std::cos(a) * std::cos(b), -700.0 * std::sin(b)),
             1e-9,
             "source");
  EXPECT_FALSE(view.IsSeenFromSource());
  EXPECT_NEAR(view.GetSourceDetectorDistance(), 1000.0, 1e-9);
  EXPECT_NEAR(view.GetPrincipalPoint()[0], 5.5, 1e-9);
  EXPECT_NEAR(view.GetPrincipalPoint()[1], 4.5, 1e-9);
}

TEST(DICOMRadiographCArm, OutputIsPlacedAsTheDetector)
{
  const Written file(MakeXA());
  file.Update();
  const auto & image = *file.reader->GetOutput();
  const auto & view = *file.reader->GetGeometry();
  EXPECT_EQ(image.GetLargestPossibleRegion().GetSize(), view.GetDetectorSize());
  Reader::ImageType::PointType corner;
  image.TransformIndexToPhysicalPoint(Reader::ImageType::IndexType{ { 11, 9, 0 } }, corner);
  ExpectNear(corner, view.GetPixelCenter(11.0, 9.0), 1e-9, "last pixel");
  EXPECT_EQ(image.GetPixel({ { 3, 7, 0 } }), 1000.0f + 3 + 140);
}

TEST(DICOMRadiographCArm, EveryNumberHasItsSource)
{
  const Written file(MakeXA());
  const auto &  information = file.Information();
  EXPECT_EQ(SourceOf(information, "source-detector distance"), "DistanceSourceToDetector (0018,1110)");
  EXPECT_EQ(SourceOf(information, "source-isocenter distance"), "DistanceSourceToPatient (0018,1111)");
  EXPECT_EQ(SourceOf(information, "primary angle"), "PositionerPrimaryAngle (0018,1510)");
  EXPECT_EQ(SourceOf(information, "secondary angle"), "PositionerSecondaryAngle (0018,1511)");
  EXPECT_EQ(SourceOf(information, "detector pitch (between columns, between rows)"), "ImagerPixelSpacing (0018,1164)");
  EXPECT_EQ(SourceOf(information, "isocenter").rfind("assumption", 0), 0u);
  EXPECT_EQ(SourceOf(information, "principal point").rfind("assumption", 0), 0u);
  ExpectWarning(file, "isocenter-assumed", "isocenter");
  EXPECT_TRUE(information.isocenterIsAssumed);
}

TEST(DICOMRadiographCArm, SettersWinOverTheFile)
{
  const Written file(MakeXA());
  auto &        reader = *file.reader;
  reader.SetPrimaryAngle(-20.0 * Degree);
  reader.SetSecondaryAngle(5.0 * Degree);
  reader.SetSourceIsocenterDistance(800.0);
  reader.SetSourceDetectorDistance(1200.0);
  reader.SetPatientOrientation("L\\F");
  const Reader::PointType isocenter{ { 1.0, 2.0, 3.0 } };
  reader.SetIsocenter(isocenter);
  reader.SetPitch(0.8, 0.9);
  const auto & information = file.Information();
  ASSERT_NE(reader.GetGeometry(), nullptr);
  const auto & view = *reader.GetGeometry();
  EXPECT_NEAR((view.GetSource() - isocenter).GetNorm(), 800.0, 1e-9);
  EXPECT_NEAR(view.GetSourceDetectorDistance(), 1200.0, 1e-9);
  EXPECT_EQ(view.GetDetectorSpacing()[0], 0.8);
  EXPECT_EQ(view.GetDetectorSpacing()[1], 0.9);
  EXPECT_EQ(SourceOf(information, "primary angle"), "option PrimaryAngle");
  EXPECT_EQ(SourceOf(information, "isocenter"), "option Isocenter");
  EXPECT_FALSE(information.isocenterIsAssumed);
  reader.ClearOptions();
  file.Information();
  ExpectSameView(*reader.GetGeometry(), *CArmView(30.0, 10.0));
}

TEST(DICOMRadiographCArm, RollTurnsTheDetector)
{
  const Written file(MakeXA());
  file.reader->SetRoll(12.0 * Degree);
  file.Information();
  ASSERT_NE(file.reader->GetGeometry(), nullptr);
  const auto upright = CArmView(30.0, 10.0);
  EXPECT_NEAR(
    file.reader->GetGeometry()->GetColumnDirection() * upright->GetRowDirection(), std::sin(12.0 * Degree), 1e-9);
}

TEST(DICOMRadiographCArm, MissingNumbersAreRefusedByTag)
{
  const struct
  {
    DcmTagKey    tag;
    const char * name;
    const char * remedy;
  } cases[] = { { DCM_PositionerPrimaryAngle, "PositionerPrimaryAngle (0018,1510)", "PrimaryAngle" },
                { DCM_PositionerSecondaryAngle, "PositionerSecondaryAngle (0018,1511)", "SecondaryAngle" },
                { DCM_DistanceSourceToPatient, "DistanceSourceToPatient (0018,1111)", "SourceIsocenterDistance" },
                { DCM_DistanceSourceToDetector, "DistanceSourceToDetector (0018,1110)", "SourceDetectorDistance" } };
  for (const auto & c : cases)
  {
    SCOPED_TRACE(c.name);
    ExpectRefusal(
      Written(MakeXA(), [&c](Dataset & d) { d.findAndDeleteElement(c.tag); }), "missing-tag", c.name, c.remedy);
    ExpectRefusal(Written(MakeXA(), [&c](Dataset & d) { Put(d, c.tag, ""); }), "missing-tag", c.name, c.remedy);
    ExpectRefusal(Written(MakeXA(), [&c](Dataset & d) { Put(d, c.tag, "1,5"); }), "bad-number", c.name, c.remedy);
    ExpectRefusal(
      Written(MakeXA(), [&c](Dataset & d) { Put(d, c.tag, "1\\2"); }), "wrong-number-of-values", c.name, c.remedy);
  }
  for (const char * value : { "0", "-700" })
  {
    ExpectRefusal(Written(MakeXA(), [value](Dataset & d) { Put(d, DCM_DistanceSourceToPatient, value); }),
                  "impossible-value",
                  "DistanceSourceToPatient",
                  "SourceIsocenterDistance");
  }
  ExpectRefusal(Written(MakeXA(), [](Dataset & d) { Put(d, DCM_PositionerSecondaryAngle, "91"); }),
                "impossible-value",
                "PositionerSecondaryAngle",
                "SecondaryAngle");
}

TEST(DICOMRadiographCArm, AllRefusalsAreToldAtOnce)
{
  const Written file(MakeXA(), [](Dataset & d) {
    d.findAndDeleteElement(DCM_ImagerPixelSpacing);
    d.findAndDeleteElement(DCM_DistanceSourceToPatient);
  });
  const auto    text = testimages::Refusal([&file] { file.reader->Update(); });
  EXPECT_NE(text.find("ImagerPixelSpacing"), std::string::npos) << text;
  EXPECT_NE(text.find("DistanceSourceToPatient"), std::string::npos) << text;
  EXPECT_NE(text.find("Pitch"), std::string::npos) << text;
}

TEST(DICOMRadiographCArm, ContradictingDistancesAreRefused)
{
  ExpectRefusal(Written(MakeXA(), [](Dataset & d) { Put(d, DCM_DistanceSourceToDetector, "600"); }),
                "distances-contradict",
                "600",
                "SourceDetectorDistance SourceIsocenterDistance");
  ExpectWarning(Written(MakeXA(), [](Dataset & d) { Put(d, DCM_EstimatedRadiographicMagnificationFactor, "1.2"); }),
                "magnification-differs",
                "EstimatedRadiographicMagnificationFactor");
  const Written fits(MakeXA(), [](Dataset & d) { Put(d, DCM_EstimatedRadiographicMagnificationFactor, "1.42857"); });
  EXPECT_EQ(FindProblem(fits.Information(), "magnification-differs"), nullptr);
}

TEST(DICOMRadiographCArm, PitchRules)
{
  // Both, and different: the imager's goes with the source-detector distance.
  const Written both(MakeXA(), [](Dataset & d) { Put(d, DCM_PixelSpacing, "0.35\\0.28"); });
  ExpectWarning(both, "pixel-spacing-differs", "0.35");
  EXPECT_EQ(both.reader->GetGeometry()->GetDetectorSpacing()[0], 0.4);
  // Only the patient's: taken, with a warning.
  const Written onlyPatient(MakeXA(), [](Dataset & d) {
    d.findAndDeleteElement(DCM_ImagerPixelSpacing);
    Put(d, DCM_PixelSpacing, "0.35\\0.28");
  });
  ExpectWarning(onlyPatient, "pitch-from-pixel-spacing", "PixelSpacing (0028,0030)");
  EXPECT_EQ(onlyPatient.reader->GetGeometry()->GetDetectorSpacing()[0], 0.28);
  EXPECT_EQ(onlyPatient.reader->GetGeometry()->GetDetectorSpacing()[1], 0.35);
  // Calibrated to the patient: refused.
  ExpectRefusal(Written(MakeXA(),
                        [](Dataset & d) {
                          d.findAndDeleteElement(DCM_ImagerPixelSpacing);
                          Put(d, DCM_PixelSpacing, "0.35\\0.28");
                          Put(d, DCM_PixelSpacingCalibrationType, "FIDUCIAL");
                        }),
                "calibrated-pixel-spacing",
                "FIDUCIAL",
                "Pitch");
  const Written none(MakeXA(), [](Dataset & d) { d.findAndDeleteElement(DCM_ImagerPixelSpacing); });
  ExpectRefusal(none, "missing-pitch", "ImagerPixelSpacing (0018,1164)", "Pitch");
  none.reader->SetPitch(0.4, 0.5);
  none.Update();
  ExpectSameView(*none.reader->GetGeometry(), *CArmView(30.0, 10.0));
  for (const char * value : { "0\\0", "0.5\\0", "-0.5\\0.4" })
  {
    ExpectRefusal(Written(MakeXA(), [value](Dataset & d) { Put(d, DCM_ImagerPixelSpacing, value); }),
                  "impossible-value",
                  "ImagerPixelSpacing",
                  "Pitch");
  }
  ExpectRefusal(Written(MakeXA(), [](Dataset & d) { Put(d, DCM_ImagerPixelSpacing, "0.5"); }),
                "wrong-number-of-values",
                "ImagerPixelSpacing",
                "Pitch");
}

TEST(DICOMRadiographCArm, MirroredAndTurnedImagesFollowPatientOrientation)
{
  const auto upright = CArmView(0.0, 0.0);
  const auto u = upright->GetColumnDirection();
  const auto v = upright->GetRowDirection();
  const struct
  {
    const char *                        letters;
    itk::RadiographGeometry::VectorType columns;
    itk::RadiographGeometry::VectorType rows;
    const char *                        problem;
  } cases[] = { { "L\\F", u, v, "" },         { "R\\F", -u, v, "mirrored" }, { "L\\H", u, -v, "mirrored" },
                { "R\\H", -u, -v, "turned" }, { "F\\L", v, u, "mirrored" },  { "F\\R", v, -u, "turned" },
                { "H\\L", -v, u, "turned" },  { "H\\R", -v, -u, "mirrored" } };
  for (const auto & c : cases)
  {
    SCOPED_TRACE(c.letters);
    const Written file(MakeXA(), [&c](Dataset & d) {
      Put(d, DCM_PositionerPrimaryAngle, "0");
      Put(d, DCM_PositionerSecondaryAngle, "0");
      Put(d, DCM_PatientOrientation, c.letters);
    });
    const auto &  information = file.Information();
    ASSERT_NE(file.reader->GetGeometry(), nullptr) << Written::RefusalsOf(information);
    const auto & view = *file.reader->GetGeometry();
    ExpectNear(view.GetColumnDirection(), c.columns, 1e-12, "columns");
    ExpectNear(view.GetRowDirection(), c.rows, 1e-12, "rows");
    EXPECT_NEAR(view.GetPrincipalPoint()[0], 5.5, 1e-9);
    EXPECT_NEAR(view.GetPrincipalPoint()[1], 4.5, 1e-9);
    EXPECT_EQ(FindProblem(information, "mirrored") != nullptr, c.problem == std::string("mirrored"));
    EXPECT_EQ(FindProblem(information, "turned") != nullptr, c.problem == std::string("turned"));
  }
}

TEST(DICOMRadiographCArm, OrientationOfSideViews)
{
  for (const auto & [angle, letters] : { std::pair("90", "P\\F"), std::pair("-90", "A\\F") })
  {
    const Written file(MakeXA(), [angle = angle, letters = letters](Dataset & d) {
      Put(d, DCM_PositionerPrimaryAngle, angle);
      Put(d, DCM_PositionerSecondaryAngle, "0");
      Put(d, DCM_PatientOrientation, letters);
    });
    const auto &  information = file.Information();
    EXPECT_NE(file.reader->GetGeometry(), nullptr) << Written::RefusalsOf(information);
    EXPECT_EQ(FindProblem(information, "mirrored"), nullptr);
  }
  ExpectRefusal(Written(MakeXA(),
                        [](Dataset & d) {
                          Put(d, DCM_PositionerPrimaryAngle, "90");
                          Put(d, DCM_PositionerSecondaryAngle, "0");
                        }),
                "orientation-contradicts",
                "L\\F",
                "PatientOrientation PrimaryAngle SecondaryAngle Roll");
}

TEST(DICOMRadiographCArm, UnreadableOrientationIsAWarning)
{
  for (const char * letters : { "", "L", "L\\L", "LE\\D", "L\\R", "L\\F\\A" })
  {
    SCOPED_TRACE(letters);
    ExpectWarning(Written(MakeXA(), [letters](Dataset & d) { Put(d, DCM_PatientOrientation, letters); }),
                  "orientation-unverified",
                  "PatientOrientation (0020,0020)");
  }
  const Written file(MakeXA());
  file.reader->SetPatientOrientation("left");
  ExpectRefusal(file, "patient-orientation", "left", "PatientOrientation");
}

TEST(DICOMRadiographCArm, TurnedFieldOfViewNeedsAnOrientation)
{
  const auto turned = [](Dataset & d) {
    Put(d, DCM_FieldOfViewRotation, "180");
    Put(d, DCM_PatientOrientation, "");
  };
  const Written file(MakeXA(), turned);
  ExpectRefusal(file, "field-of-view", "FieldOfViewRotation (0018,7032) is 180", "PatientOrientation");
  file.reader->SetPatientOrientation("R\\H");
  file.Update();
  ExpectNear(
    file.reader->GetGeometry()->GetColumnDirection(), -CArmView(30.0, 10.0)->GetColumnDirection(), 1e-12, "columns");
  ExpectRefusal(Written(MakeXA(),
                        [](Dataset & d) {
                          Put(d, DCM_FieldOfViewHorizontalFlip, "YES");
                          Put(d, DCM_PatientOrientation, "");
                        }),
                "field-of-view",
                "FieldOfViewHorizontalFlip (0018,7034) is YES",
                "PatientOrientation");
  ExpectWarning(
    Written(MakeXA(), [](Dataset & d) { Put(d, DCM_FieldOfViewHorizontalFlip, "YES"); }), "field-of-view", "decides");
}

TEST(DICOMRadiographCArm, ATiltedDetectorLeansAgainstTheBeam)
{
  const auto upright = CArmView(30.0, 10.0);
  auto       beam = upright->GetPixelCenter(5.5, 4.5) - upright->GetSource();
  beam.Normalize();
  for (const bool isPrimary : { true, false })
  {
    for (const double angle : { 3.0, -20.0 })
    {
      const auto    tag = isPrimary ? DCM_DetectorPrimaryAngle : DCM_DetectorSecondaryAngle;
      const Written file(MakeXA(), [&](Dataset & d) { Put(d, tag, std::to_string(static_cast<int>(angle))); });
      file.Update();
      const auto & view = *file.reader->GetGeometry();
      // The middle stays where it is, and the beam leans towards higher columns, or towards lower rows.
      ExpectNear(view.GetPixelCenter(5.5, 4.5), upright->GetPixelCenter(5.5, 4.5), 1e-9, "middle");
      ExpectNear(view.GetSource(), upright->GetSource(), 1e-9, "source");
      EXPECT_NEAR(beam * view.GetColumnDirection(), isPrimary ? std::sin(angle * Degree) : 0.0, 1e-9);
      EXPECT_NEAR(beam * view.GetRowDirection(), isPrimary ? 0.0 : -std::sin(angle * Degree), 1e-9);
      const auto & kept = isPrimary ? view.GetRowDirection() : view.GetColumnDirection();
      ExpectNear(
        kept, isPrimary ? upright->GetRowDirection() : upright->GetColumnDirection(), 1e-9, "axis of the tilt");
      EXPECT_NE(SourceOf(file.Information(), isPrimary ? "detector primary angle" : "detector secondary angle")
                  .find(isPrimary ? "(0018,1530)" : "(0018,1531)"),
                std::string::npos);
    }
  }
}

TEST(DICOMRadiographCArm, ADetectorTiltedTwiceIsRefused)
{
  ExpectRefusal(Written(MakeXA(),
                        [](Dataset & d) {
                          Put(d, DCM_DetectorPrimaryAngle, "3");
                          Put(d, DCM_DetectorSecondaryAngle, "-3");
                        }),
                "tilted-detector",
                "DetectorSecondaryAngle (0018,1531) is -3",
                "Geometry");
  ExpectRefusal(Written(MakeXA(), [](Dataset & d) { Put(d, DCM_DetectorPrimaryAngle, "90"); }),
                "tilted-detector",
                "DetectorPrimaryAngle (0018,1530) is 90",
                "Geometry");
}

namespace
{

File
MakeRotation(unsigned frames)
{
  auto      file = MakeXA();
  Dataset & d = *file->getDataset();
  Put(d, DCM_NumberOfFrames, std::to_string(frames));
  phantom::PutPixels(d, Frames(frames));
  Put(d, DCM_PositionerMotion, "DYNAMIC");
  Put(d, DCM_PositionerPrimaryAngleIncrement, "0\\2\\5");
  Put(d, DCM_PositionerSecondaryAngleIncrement, "0\\-1\\-1.5");
  return file;
}

} // namespace

TEST(DICOMRadiographCArm, FramesHaveTheirIncrements)
{
  const Written file(MakeRotation(3));
  ExpectRefusal(file, "missing-frame", "NumberOfFrames (0028,0008) is 3", "Frame");
  const double primary[] = { 30.0, 32.0, 35.0 };
  const double secondary[] = { 10.0, 9.0, 8.5 };
  for (unsigned k = 0; k < 3; ++k)
  {
    SCOPED_TRACE(k);
    file.reader->SetFrame(k + 1);
    file.Update();
    ExpectSameView(*file.reader->GetGeometry(), *CArmView(primary[k], secondary[k]));
    EXPECT_EQ(file.reader->GetOutput()->GetPixel({ { 2, 4, 0 } }), 1000.0f + 2 + 80 + 300.0f * k);
  }
  for (const unsigned frame : { 0u, 4u })
  {
    file.reader->SetFrame(frame);
    ExpectRefusal(file, "missing-frame", "there is no frame", "Frame");
  }
}

TEST(DICOMRadiographCArm, OrientationIsThatOfTheFirstFrame)
{
  // Half a turn around the patient: the letters hold at its start only, how frames are stored holds for all.
  const auto rotate = [](const char * letters) {
    return [letters](Dataset & d) {
      Put(d, DCM_PositionerPrimaryAngle, "-90");
      Put(d, DCM_PositionerSecondaryAngle, "0");
      Put(d, DCM_PositionerPrimaryAngleIncrement, "0\\90\\180");
      Put(d, DCM_PositionerSecondaryAngleIncrement, "0\\0\\0");
      Put(d, DCM_PatientOrientation, letters);
    };
  };
  const Written upright(MakeRotation(3), rotate("A\\F"));
  const Written mirrored(MakeRotation(3), rotate("P\\F"));
  for (unsigned k = 0; k < 3; ++k)
  {
    SCOPED_TRACE(k);
    const auto expected = CArmView(-90.0 + 90.0 * k, 0.0);
    upright.reader->SetFrame(k + 1);
    upright.Update();
    ExpectSameView(*upright.reader->GetGeometry(), *expected);
    mirrored.reader->SetFrame(k + 1);
    mirrored.Update();
    ExpectNear(mirrored.reader->GetGeometry()->GetColumnDirection(), -expected->GetColumnDirection(), 1e-12, "columns");
    ExpectNear(mirrored.reader->GetGeometry()->GetRowDirection(), expected->GetRowDirection(), 1e-12, "rows");
  }
}

TEST(DICOMRadiographCArm, IncrementsMustBeOnePerFrame)
{
  for (const char * value : { "0\\2", "0\\2\\5\\7", "" })
  {
    const Written file(MakeRotation(3), [value](Dataset & d) { Put(d, DCM_PositionerPrimaryAngleIncrement, value); });
    file.reader->SetFrame(2);
    ExpectRefusal(file, "angle-increments", "PositionerPrimaryAngleIncrement (0018,1520)", "PrimaryAngle");
    file.reader->SetPrimaryAngle(31.0 * Degree);
    EXPECT_NO_THROW(file.reader->Update());
  }
}

TEST(DICOMRadiographCArm, RadiofluoroscopyWithAndWithoutPositioner)
{
  const auto makeRF = [] {
    auto file = MakeXA();
    Put(*file->getDataset(), DCM_SOPClassUID, UID_XRayRadiofluoroscopicImageStorage);
    Put(*file->getDataset(), DCM_Modality, "RF");
    return file;
  };
  const Written cArm(makeRF());
  cArm.Update();
  ExpectSameView(*cArm.reader->GetGeometry(), *CArmView(30.0, 10.0));
  const Written table(makeRF(), [](Dataset & d) {
    d.findAndDeleteElement(DCM_PositionerPrimaryAngle);
    d.findAndDeleteElement(DCM_PositionerSecondaryAngle);
    Put(d, DCM_ColumnAngulation, "15");
  });
  ExpectRefusal(table, "missing-angle", "primary angle", "PrimaryAngle");
  ExpectRefusal(table, "column-angulation", "ColumnAngulation (0018,1450)", "PrimaryAngle SecondaryAngle");
  table.reader->SetPrimaryAngle(30.0 * Degree);
  table.reader->SetSecondaryAngle(10.0 * Degree);
  table.Update();
  ExpectSameView(*table.reader->GetGeometry(), *CArmView(30.0, 10.0));
}

TEST(DICOMRadiographCArm, DXDistanceIsNotToAnIsocenter)
{
  const Written file(MakeDX());
  ExpectRefusal(
    file, "missing-source-isocenter-distance", "DistanceSourceToPatient (0018,1111)", "SourceIsocenterDistance");
  ExpectRefusal(file, "missing-angle", "COLUMN", "PrimaryAngle");
  file.reader->SetPrimaryAngle(0.0);
  file.reader->SetSecondaryAngle(0.0);
  file.reader->SetSourceIsocenterDistance(1600.0);
  file.Update();
  ExpectSameView(*file.reader->GetGeometry(), *CArmView(0.0, 0.0, 1600.0, 1800.0));

  const Written cArm(MakeDX(), [](Dataset & d) {
    Put(d, DCM_PositionerType, "CARM");
    Put(d, DCM_PositionerPrimaryAngle, "10");
    Put(d, DCM_PositionerSecondaryAngle, "0");
  });
  cArm.reader->SetSourceIsocenterDistance(1600.0);
  cArm.Update();
  ExpectSameView(*cArm.reader->GetGeometry(), *CArmView(10.0, 0.0, 1600.0, 1800.0));
}

TEST(DICOMRadiographCArm, CRNeedsAngles)
{
  auto file = MakeXA();
  Put(*file->getDataset(), DCM_SOPClassUID, UID_ComputedRadiographyImageStorage);
  Put(*file->getDataset(), DCM_Modality, "CR");
  const Written written(std::move(file));
  ExpectRefusal(written, "missing-angle", "primary angle", "PrimaryAngle");
  written.reader->SetPrimaryAngle(30.0 * Degree);
  written.reader->SetSecondaryAngle(10.0 * Degree);
  written.Update();
  ExpectSameView(*written.reader->GetGeometry(), *CArmView(30.0, 10.0));
}

TEST(DICOMRadiographCArm, SecondaryCaptureKnowsNothing)
{
  auto file = MakeXA();
  Put(*file->getDataset(), DCM_SOPClassUID, UID_SecondaryCaptureImageStorage);
  const Written written(std::move(file));
  ExpectRefusal(written, "missing-pitch", "secondary capture", "Pitch");
  ExpectRefusal(written, "missing-source-detector-distance", "secondary capture", "SourceDetectorDistance");
  ExpectRefusal(written, "missing-source-isocenter-distance", "secondary capture", "SourceIsocenterDistance");
  ExpectRefusal(written, "missing-angle", "primary angle", "PrimaryAngle");
  written.reader->SetPitch(0.4, 0.5);
  written.reader->SetPrimaryAngle(30.0 * Degree);
  written.reader->SetSecondaryAngle(10.0 * Degree);
  written.reader->SetSourceIsocenterDistance(700.0);
  written.reader->SetSourceDetectorDistance(1000.0);
  written.Update();
  ExpectSameView(*written.reader->GetGeometry(), *CArmView(30.0, 10.0));
}

TEST(DICOMRadiographCArm, AGivenViewReplacesAllTags)
{
  const Written file(MakeImage(UID_SecondaryCaptureImageStorage, "OT"));
  const auto    view = CArmView(70.0, -5.0);
  file.reader->SetGeometry(view);
  file.Update();
  ExpectSameView(*file.reader->GetGeometry(), *view);
  const auto other = itk::RadiographGeometry::New();
  other->SetCArm({ 0.0, 0.0, 0.0, 700.0, 1000.0, {} }, { 5, 5, 1.0, 1.0 });
  file.reader->SetGeometry(other);
  ExpectRefusal(file, "size-differs", "5 x 5", "Geometry");
}

TEST(DICOMRadiographCArm, ImpossibleSettersAreRefused)
{
  const auto reader = Reader::New();
  EXPECT_THROW(reader->SetPitch(0.0, 1.0), itk::ExceptionObject);
  EXPECT_THROW(reader->SetPitch(1.0, std::nan("")), itk::ExceptionObject);
  EXPECT_THROW(reader->SetSourceDetectorDistance(-1.0), itk::ExceptionObject);
  EXPECT_THROW(reader->SetPrimaryAngle(INFINITY), itk::ExceptionObject);
  EXPECT_THROW(reader->Update(), itk::ExceptionObject) << "no file name";
}
