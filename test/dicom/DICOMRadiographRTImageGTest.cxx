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

namespace
{

struct RTPlace
{
  double                gantry{ 40.0 };
  double                couch{ 20.0 };
  double                receptor{ 5.0 };
  std::array<double, 3> translation{ 3.0, -4.0, -500.0 };
  double                pitch{ 0.0 };
  double                roll{ 0.0 };
};

/** PS3.3 C.8.8.2.7 and IEC 61217 written down step by step: from the receptor to the patient lying HFS. */
itk::Vector<double, 3>
PatientOf(const RTPlace & at, double x, double y, double z = 0.0)
{
  const double r = at.receptor * Degree;
  const double g = at.gantry * Degree;
  const double t = at.couch * Degree;
  const double xg = at.translation[0] + x * std::cos(r) - y * std::sin(r);
  const double yg = at.translation[1] + x * std::sin(r) + y * std::cos(r);
  const double zg = at.translation[2] + z;
  const double xf = xg * std::cos(g) + zg * std::sin(g);
  const double zf = -xg * std::sin(g) + zg * std::cos(g);
  const double xs = xf * std::cos(t) + yg * std::sin(t);
  const double ys = -xf * std::sin(t) + yg * std::cos(t);
  // Table top: its axes are pitched about x, and then rolled about their own y.
  const double p = at.pitch * Degree;
  const double q = at.roll * Degree;
  const double yp = ys * std::cos(p) + zf * std::sin(p);
  const double zp = -ys * std::sin(p) + zf * std::cos(p);
  const double xt = xs * std::cos(q) - zp * std::sin(q);
  const double zt = xs * std::sin(q) + zp * std::cos(q);
  return XYZ(7.0 + xt, 8.0 - zt, 9.0 + yp);
}

void
ExpectPlace(const itk::RadiographGeometry & view, const RTPlace & at)
{
  RTPlace source = at;
  source.receptor = 0.0;
  source.translation = { 0.0, 0.0, 1000.0 };
  ExpectNear(view.GetSource(), PatientOf(source, 0.0, 0.0), 1e-9, "source");
  for (const unsigned c : { 0u, 11u })
  {
    for (const unsigned r : { 0u, 9u })
    {
      ExpectNear(view.GetPixelCenter(c, r), PatientOf(at, -2.2 + 0.4 * c, 2.25 - 0.5 * r), 1e-9, "corner");
    }
  }
}

} // namespace

TEST(DICOMRadiographRTImage, GantryCouchReceptorAngleAndShift)
{
  const Written file(MakeRTImage());
  file.Update();
  ExpectPlace(*file.reader->GetGeometry(), {});
  EXPECT_NEAR(file.reader->GetGeometry()->GetSourceDetectorDistance(), 1500.0, 1e-9);
  EXPECT_TRUE(file.reader->GetGeometry()->IsSeenFromSource());
  EXPECT_FALSE(file.Information().isocenterIsAssumed);
}

TEST(DICOMRadiographRTImage, UnturnedIsTheGantryOfTheBuilder)
{
  for (const auto & [name, position] : { std::pair("HFS", Reader::PatientPosition::HFS),
                                         std::pair("HFP", Reader::PatientPosition::HFP),
                                         std::pair("FFS", Reader::PatientPosition::FFS),
                                         std::pair("FFP", Reader::PatientPosition::FFP) })
  {
    SCOPED_TRACE(name);
    const Written file(MakeRTImage(), [name = name](Dataset & d) {
      Put(d, DCM_PatientPosition, name);
      Put(d, DCM_XRayImageReceptorAngle, "0");
      d.findAndDeleteElement(DCM_XRayImageReceptorTranslation);
    });
    file.Update();
    itk::RadiographGeometry::Gantry gantry;
    gantry.gantryAngle = 40.0 * Degree;
    gantry.couchAngle = 20.0 * Degree;
    gantry.patientPosition = position;
    gantry.sourceIsocenterDistance = 1000.0;
    gantry.sourceDetectorDistance = 1500.0;
    gantry.isocenter = Reader::PointType{ { 7.0, 8.0, 9.0 } };
    const auto view = itk::RadiographGeometry::New();
    view->SetGantry(gantry, { Columns, Rows, 0.4, 0.5 });
    ExpectSameView(*file.reader->GetGeometry(), *view);
  }
}

TEST(DICOMRadiographRTImage, OrientationOverridesTheAxes)
{
  const Written file(MakeRTImage(), [](Dataset & d) { Put(d, DCM_RTImageOrientation, "0\\1\\0\\1\\0\\0"); });
  file.Update();
  const auto & view = *file.reader->GetGeometry();
  ExpectNear(view.GetPixelCenter(11, 9), PatientOf({}, -2.2 + 0.5 * 9, 2.25 + 0.4 * 11), 1e-9, "corner");
  for (const char * bad : { "1\\0\\0\\1\\0\\0", "2\\0\\0\\0\\-1\\0", "0\\0\\1\\0\\-1\\0" })
  {
    ExpectRefusal(Written(MakeRTImage(), [bad](Dataset & d) { Put(d, DCM_RTImageOrientation, bad); }),
                  "image-orientation",
                  "RTImageOrientation (3002,0010)",
                  "Geometry");
  }
}

TEST(DICOMRadiographRTImage, MissingTagsAreAskedForNeverAssumed)
{
  const struct
  {
    DcmTagKey    tag;
    const char * code;
    const char * name;
    const char * remedy;
  } cases[] = {
    { DCM_PatientPosition, "missing-patient-position", "PatientPosition (0018,5100)", "PatientPosition" },
    { DCM_IsocenterPosition, "missing-tag", "IsocenterPosition (300a,012c)", "Isocenter" },
    { DCM_GantryAngle, "missing-tag", "GantryAngle (300a,011e)", "GantryAngle" },
    { DCM_PatientSupportAngle, "missing-tag", "PatientSupportAngle (300a,0122)", "CouchAngle" },
    { DCM_XRayImageReceptorAngle, "missing-tag", "XRayImageReceptorAngle (3002,000e)", "ReceptorAngle" },
    { DCM_RadiationMachineSAD, "missing-tag", "RadiationMachineSAD (3002,0022)", "SourceIsocenterDistance" },
    { DCM_RTImageSID, "missing-tag", "RTImageSID (3002,0026)", "SourceDetectorDistance" },
    { DCM_RTImagePosition, "missing-tag", "RTImagePosition (3002,0012)", "Geometry" },
    { DCM_ImagePlanePixelSpacing, "missing-tag", "ImagePlanePixelSpacing (3002,0011)", "Pitch" },
    { DCM_RTImagePlane, "missing-tag", "RTImagePlane (3002,000c)", "Geometry" },
  };
  for (const auto & c : cases)
  {
    SCOPED_TRACE(c.name);
    ExpectRefusal(
      Written(MakeRTImage(), [&c](Dataset & d) { d.findAndDeleteElement(c.tag); }), c.code, c.name, c.remedy);
    ExpectRefusal(Written(MakeRTImage(), [&c](Dataset & d) { Put(d, c.tag, ""); }), c.code, c.name, c.remedy);
  }
}

TEST(DICOMRadiographRTImage, SettersFillWhatIsMissing)
{
  const Written file(MakeRTImage(), [](Dataset & d) {
    for (const auto & tag : { DCM_PatientPosition,
                              DCM_IsocenterPosition,
                              DCM_GantryAngle,
                              DCM_PatientSupportAngle,
                              DCM_XRayImageReceptorAngle,
                              DCM_RadiationMachineSAD,
                              DCM_RTImageSID,
                              DCM_ImagePlanePixelSpacing })
    {
      d.findAndDeleteElement(tag);
    }
  });
  auto &        reader = *file.reader;
  reader.SetPatientPosition(Reader::PatientPosition::HFS);
  reader.SetIsocenter(Reader::PointType{ { 7.0, 8.0, 9.0 } });
  reader.SetGantryAngle(40.0 * Degree);
  reader.SetCouchAngle(20.0 * Degree);
  reader.SetReceptorAngle(5.0 * Degree);
  reader.SetSourceIsocenterDistance(1000.0);
  reader.SetSourceDetectorDistance(1500.0);
  reader.SetPitch(0.4, 0.5);
  file.Update();
  ExpectPlace(*reader.GetGeometry(), {});
  EXPECT_EQ(SourceOf(file.Information(), "patient position"), "option PatientPosition");
}

TEST(DICOMRadiographRTImage, WhatCannotBeExpressedIsRefused)
{
  ExpectRefusal(Written(MakeRTImage(), [](Dataset & d) { Put(d, DCM_RTImagePlane, "CURVED"); }),
                "missing-tag",
                "RTImagePlane (3002,000c) is \"CURVED\"",
                "Geometry");
  ExpectRefusal(Written(MakeRTImage(), [](Dataset & d) { Put(d, DCM_PatientPosition, "HFDL"); }),
                "missing-patient-position",
                "HFDL",
                "PatientPosition");
  const auto tilt = [](Dataset & d) { ASSERT_TRUE(d.putAndInsertFloat32(DCM_GantryPitchAngle, 1.5f).good()); };
  ExpectRefusal(Written(MakeRTImage(), tilt), "tilted-gantry", "GantryPitchAngle (300a,014a) is 1.5", "Geometry");
}

TEST(DICOMRadiographRTImage, TheTableTopTurnsPitchesAndRolls)
{
  RTPlace at;
  at.couch = 20.0 + 8.0;
  at.pitch = 1.5;
  at.roll = -2.5;
  const auto tilt = [](DcmItem & item) {
    ASSERT_TRUE(item.putAndInsertString(DCM_TableTopEccentricAngle, "8").good());
    ASSERT_TRUE(item.putAndInsertFloat32(DCM_TableTopPitchAngle, 1.5f).good());
    ASSERT_TRUE(item.putAndInsertFloat32(DCM_TableTopRollAngle, -2.5f).good());
  };
  const Written common(MakeRTImage(), tilt);
  common.Update();
  ExpectPlace(*common.reader->GetGeometry(), at);
  EXPECT_EQ(SourceOf(common.Information(), "pitch of the table top"), "TableTopPitchAngle (300a,0140)");
  const Written inExposure(MakeRTImage(), [&tilt](Dataset & d) {
    DcmItem * item = nullptr;
    ASSERT_TRUE(d.findOrCreateSequenceItem(DCM_ExposureSequence, item, 0).good());
    tilt(*item);
  });
  inExposure.Update();
  ExpectPlace(*inExposure.reader->GetGeometry(), at);
}

TEST(DICOMRadiographRTImage, APlaneThatIsNotNormalIsTurnedAboutTheReceptorsOrigin)
{
  // Leaning by 30 degrees about the receptor's x axis: rows run along (0, -cos, sin).
  const auto lean = [](Dataset & d) {
    Put(d, DCM_RTImagePlane, "NON_NORMAL");
    Put(d, DCM_RTImageOrientation, "1\\0\\0\\0\\-0.8660254037844386\\0.5");
  };
  const Written file(MakeRTImage(), lean);
  file.Update();
  const double c30 = std::cos(30.0 * Degree);
  for (const unsigned c : { 0u, 11u })
  {
    for (const unsigned r : { 0u, 9u })
    {
      const double y = 2.25 - 0.5 * r;
      ExpectNear(file.reader->GetGeometry()->GetPixelCenter(c, r),
                 PatientOf({}, -2.2 + 0.4 * c, c30 * y, -0.5 * y),
                 1e-9,
                 "corner");
    }
  }
  ExpectRefusal(Written(MakeRTImage(), [](Dataset & d) { Put(d, DCM_RTImagePlane, "NON_NORMAL"); }),
                "missing-tag",
                "RTImageOrientation (3002,0010)",
                "Geometry");
}

namespace
{

DcmItem &
AddDevice(Dataset & d, signed long number, const char * type, const char * positions, const char * boundaries = "")
{
  DcmItem * exposure = nullptr;
  DcmItem * device = nullptr;
  EXPECT_TRUE(d.findOrCreateSequenceItem(DCM_ExposureSequence, exposure, 0).good());
  EXPECT_TRUE(exposure->findOrCreateSequenceItem(DCM_BeamLimitingDeviceSequence, device, number).good());
  EXPECT_TRUE(device->putAndInsertString(DCM_RTBeamLimitingDeviceType, type).good());
  EXPECT_TRUE(device->putAndInsertString(DCM_LeafJawPositions, positions).good());
  EXPECT_TRUE(device->putAndInsertString(DCM_LeafPositionBoundaries, boundaries).good());
  return *exposure;
}

/** Receptor unturned and centred 1.5 x as far as the isocenter; pixel (c, r) is at x = 0.4 c - 2.2, y = 2.25 - 0.5 r.
 */
void
Straighten(Dataset & d, const char * collimatorAngle)
{
  Put(d, DCM_XRayImageReceptorAngle, "0");
  d.findAndDeleteElement(DCM_XRayImageReceptorTranslation);
  Put(d, DCM_BeamLimitingDeviceAngle, collimatorAngle);
}

void
ExpectOpen(const Written & file, const std::function<bool(double x, double y)> & isOpen)
{
  file.Update();
  for (unsigned r = 0; r < Rows; ++r)
  {
    for (unsigned c = 0; c < Columns; ++c)
    {
      const double x = (0.4 * c - 2.2) / 1.5;
      const double y = (2.25 - 0.5 * r) / 1.5;
      ASSERT_EQ(file.reader->GetMaskOutput()->GetPixel({ { c, r, 0 } }), isOpen(x, y) ? 1 : 0)
        << "column " << c << ", row " << r;
    }
  }
}

} // namespace

TEST(DICOMRadiographRTImage, JawsCoverTheMask)
{
  const Written file(MakeRTImage(), [](Dataset & d) {
    Straighten(d, "0");
    AddDevice(d, 0, "ASYMX", "-0.9\\0.5");
    AddDevice(d, 1, "Y", "-1.1\\1.1");
  });
  ExpectOpen(file, [](double x, double y) { return x > -0.9 && x < 0.5 && y > -1.1 && y < 1.1; });
  EXPECT_EQ(SourceOf(file.Information(), "opening"), "BeamLimitingDeviceSequence (300a,00b6)");
}

TEST(DICOMRadiographRTImage, TheCollimatorTurnsWithItsAngle)
{
  const Written file(MakeRTImage(), [](Dataset & d) {
    Straighten(d, "30");
    AddDevice(d, 0, "ASYMX", "-0.9\\0.5");
  });
  ExpectOpen(file, [](double x, double y) {
    const double along = x * std::cos(30.0 * Degree) + y * std::sin(30.0 * Degree);
    return along > -0.9 && along < 0.5;
  });
}

TEST(DICOMRadiographRTImage, LeavesCoverTheMask)
{
  const Written file(MakeRTImage(), [](Dataset & d) {
    Straighten(d, "0");
    AddDevice(d, 0, "MLCX", "-0.9\\-0.2\\-1.3\\0.5\\0.7\\-1.3", "-1.2\\-0.4\\0.3\\1.1");
  });
  ExpectOpen(file, [](double x, double y) {
    return (y > -1.2 && y < -0.4 && x > -0.9 && x < 0.5) || (y > -0.4 && y < 0.3 && x > -0.2 && x < 0.7);
  });
}

TEST(DICOMRadiographRTImage, CollimatorsThatCannotBeUnderstoodAreLeftOutAndSaid)
{
  const auto with = [](const char * type, const char * positions, const char * boundaries) {
    return [=](Dataset & d) {
      Straighten(d, "0");
      AddDevice(d, 0, type, positions, boundaries);
    };
  };
  for (const auto & change : { with("ASYMX", "1", ""),
                               with("ASYMX", "0.5\\-0.9", ""),
                               with("CONE", "-1\\1", ""),
                               with("MLCX", "-1\\1", ""),
                               with("MLCY", "-1\\1", "1\\0"),
                               with("MLCY", "-1\\1\\2", "0\\1") })
  {
    const Written file(MakeRTImage(), change);
    ExpectWarning(file, "beam-limits-not-read", "collimator");
    ExpectOpen(file, [](double, double) { return true; });
  }
  ExpectWarning(Written(MakeRTImage(), [](Dataset & d) { AddDevice(d, 0, "X", "-1\\1"); }),
                "beam-limits-not-read",
                "BeamLimitingDeviceAngle (300a,0120) is absent");
}

TEST(DICOMRadiographRTImage, ContradictingDistancesAreRefused)
{
  const Written file(MakeRTImage(), [](Dataset & d) { Put(d, DCM_RTImageSID, "1500.1"); });
  ExpectRefusal(file, "contradiction", "XRayImageReceptorTranslation (3002,000d)", "SourceDetectorDistance");
  file.reader->SetSourceDetectorDistance(1500.0);
  file.Update();
  ExpectPlace(*file.reader->GetGeometry(), {});
  // What rounding leaves is no contradiction.
  const Written rounded(MakeRTImage(), [](Dataset & d) { Put(d, DCM_RTImageSID, "1500.004"); });
  rounded.Update();
  ExpectPlace(*rounded.reader->GetGeometry(), {});
}

TEST(DICOMRadiographRTImage, LettersThatContradictAreRefused)
{
  const auto straight = [](const char * letters) {
    return [letters](Dataset & d) {
      Put(d, DCM_GantryAngle, "0");
      Put(d, DCM_PatientSupportAngle, "0");
      Put(d, DCM_XRayImageReceptorAngle, "0");
      Put(d, DCM_PatientOrientation, letters);
    };
  };
  Written(MakeRTImage(), straight("L\\F")).Update();
  ExpectRefusal(
    Written(MakeRTImage(), straight("R\\F")), "orientation-contradicts", "R\\F", "PatientOrientation PatientPosition");
}

namespace
{

/** Two frames, each with an exposure of its own; the second at gantry angle 90. */
void
AddExposures(Dataset & d)
{
  for (long i = 0; i < 2; ++i)
  {
    DcmItem * item = nullptr;
    ASSERT_TRUE(d.findOrCreateSequenceItem(DCM_ExposureSequence, item, i).good());
    ASSERT_TRUE(item->putAndInsertString(DCM_ReferencedFrameNumber, i == 0 ? "1" : "2").good());
    ASSERT_TRUE(item->putAndInsertString(DCM_GantryAngle, i == 0 ? "40" : "90").good());
  }
}

} // namespace

TEST(DICOMRadiographRTImage, FramesHaveTheirExposures)
{
  const Written file(MakeRTImage(), [](Dataset & d) {
    Put(d, DCM_NumberOfFrames, "2");
    phantom::PutPixels(d, Frames(2));
    AddExposures(d);
  });
  ExpectRefusal(file, "missing-frame", "NumberOfFrames", "Frame");
  for (const unsigned frame : { 1u, 2u })
  {
    file.reader->SetFrame(frame);
    file.Update();
    RTPlace at;
    at.gantry = frame == 1 ? 40.0 : 90.0;
    ExpectPlace(*file.reader->GetGeometry(), at);
    EXPECT_EQ(file.reader->GetOutput()->GetPixel({ { 0, 0, 0 } }), 1000.0f + 300.0f * (frame - 1));
  }
}

TEST(DICOMRadiographRTImage, OneFrameWithTwoAnglesIsAContradiction)
{
  const Written file(MakeRTImage(), [](Dataset & d) {
    DcmItem * item = nullptr;
    ASSERT_TRUE(d.findOrCreateSequenceItem(DCM_ExposureSequence, item, 0).good());
    ASSERT_TRUE(item->putAndInsertString(DCM_ReferencedFrameNumber, "1").good());
    ASSERT_TRUE(item->putAndInsertString(DCM_GantryAngle, "41").good());
  });
  ExpectRefusal(file, "contradiction", "GantryAngle (300a,011e)", "GantryAngle");
}
