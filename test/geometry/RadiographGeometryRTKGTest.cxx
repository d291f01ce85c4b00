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
#include "itkRadiographGeometryRTK.h"

#include "Refusal.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <string>

namespace
{

using Geometry = itk::RadiographGeometry;
using Reader = itk::RadiographGeometryRTK;
using testimages::Refusal;

/** Written by RTK 2.7.0 from random parameters. */
const char * const Cone = R"(<?xml version="1.0"?>
<!DOCTYPE RTKGEOMETRY>
<RTKThreeDCircularGeometry version="3">
  <Projection>
    <GantryAngle>220.549</GantryAngle>
    <SourceToIsocenterDistance>862.586</SourceToIsocenterDistance>
    <SourceToDetectorDistance>1590.636</SourceToDetectorDistance>
    <SourceOffsetX>38.547</SourceOffsetX>
    <SourceOffsetY>35.648</SourceOffsetY>
    <ProjectionOffsetX>-82.438</ProjectionOffsetX>
    <ProjectionOffsetY>-59.95</ProjectionOffsetY>
    <InPlaneAngle>3.791</InPlaneAngle>
    <OutOfPlaneAngle>59.769</OutOfPlaneAngle>
    <CollimationUInf>1.79769313486232e+308</CollimationUInf>
    <CollimationUSup>1.79769313486232e+308</CollimationUSup>
    <CollimationVInf>1.79769313486232e+308</CollimationVInf>
    <CollimationVSup>1.79769313486232e+308</CollimationVSup>
    <Matrix>
         1225.47179054788   -157.482289617642   -1009.04830099909       -43045.721318
         780.280685711956   -881.709840208576    1073.78381031018         -25758.5043
        -0.32731627038609  -0.864002515481804  -0.382575106850479            -862.586
    </Matrix>
  </Projection>
  <Projection>
    <GantryAngle>182.74</GantryAngle>
    <SourceToIsocenterDistance>721.141</SourceToIsocenterDistance>
    <SourceToDetectorDistance>1033.264</SourceToDetectorDistance>
    <SourceOffsetX>59.46</SourceOffsetX>
    <SourceOffsetY>35.119</SourceOffsetY>
    <ProjectionOffsetX>-73.539</ProjectionOffsetX>
    <ProjectionOffsetY>-16.477</ProjectionOffsetY>
    <InPlaneAngle>38.518</InPlaneAngle>
    <OutOfPlaneAngle>0.728</OutOfPlaneAngle>
    <CollimationUInf>101</CollimationUInf>
    <CollimationUSup>102</CollimationUSup>
    <CollimationVInf>103</CollimationVInf>
    <CollimationVSup>104</CollimationVSup>
    <Matrix>
         801.547958619126   -645.113871754186   -163.316227610224       -34473.154419
        -644.715573898632   -809.029024271277   -10.5122581409951          -920.79262
      -0.0477999371338935 -0.0127056550762589  -0.998776117225016            -721.141
    </Matrix>
  </Projection>
</RTKThreeDCircularGeometry>)";

const char * const Parallel = R"(<?xml version="1.0"?>
<!DOCTYPE RTKGEOMETRY>
<RTKThreeDCircularGeometry version="3">
  <Projection>
    <GantryAngle>31.168</GantryAngle>
    <SourceToIsocenterDistance>859.961</SourceToIsocenterDistance>
    <SourceOffsetX>-55.718</SourceOffsetX>
    <SourceOffsetY>1.787</SourceOffsetY>
    <ProjectionOffsetX>-85.407</ProjectionOffsetX>
    <ProjectionOffsetY>-101.936</ProjectionOffsetY>
    <InPlaneAngle>31.6379999999999</InPlaneAngle>
    <OutOfPlaneAngle>18.006</OutOfPlaneAngle>
    <Matrix>
        0.812404783876312   0.498860362558404  -0.301888730831378              85.407
       -0.312627355923219   0.809682205718067   0.496667758236815             101.936
                        0                   0                   0                   1
    </Matrix>
  </Projection>
  <Projection>
    <GantryAngle>333.734</GantryAngle>
    <SourceToIsocenterDistance>719.585</SourceToIsocenterDistance>
    <SourceOffsetX>-58.585</SourceOffsetX>
    <SourceOffsetY>-36.912</SourceOffsetY>
    <ProjectionOffsetX>38.768</ProjectionOffsetX>
    <ProjectionOffsetY>4.235</ProjectionOffsetY>
    <InPlaneAngle>178.211</InPlaneAngle>
    <OutOfPlaneAngle>359.5</OutOfPlaneAngle>
    <Matrix>
       -0.896191533870643  0.0312176782975203   -0.44256772496455             -38.768
      -0.0318554449427718  -0.999474514002187 -0.00599387083526879              -4.235
                        0                   0                   0                   1
    </Matrix>
  </Projection>
</RTKThreeDCircularGeometry>)";

/** What RTK 2.7.0 says of a projection: GetSourcePosition(), and GetProjectionCoordinatesToFixedSystemMatrix() applied
 * to the first and the last pixel of Stack(). */
struct Expected
{
  double source[3];
  double first[3];
  double last[3];
};

const Expected ConeExpected[] = { { { -331.184073891, -726.084227614, -331.557026951 },
                                    { 432.14538909, 576.091532968, 232.260927999 },
                                    { 237.245177879, 615.035213491, 311.06002328 } },
                                  { { -59.133016847, 55.3391080342, -719.898636672 },
                                    { 120.872832658, -143.936731829, 308.55172781 },
                                    { 1.14667627646, 33.1665101758, 312.028673226 } } };

const Expected ParallelExpected[] = { { { 377.450109906, -292.176808926, 717.498945833 },
                                        { -532.855643941, 63.1300169001, -710.508174796 },
                                        { -387.13321881, 216.717192028, -740.306739358 } },
                                      { { -264.753163178, 41.3431996244, 671.411775758 },
                                        { 375.576565412, 20.7619215822, -617.325629146 },
                                        { 190.714744026, -36.8360409412, -707.993052772 } } };

Reader::Detector
Stack()
{
  Reader::Detector detector;
  detector.grid.columns = 256;
  detector.grid.rows = 129;
  detector.grid.columnSpacing = 0.8;
  detector.grid.rowSpacing = 0.5;
  detector.originU = -101.5;
  detector.originV = -33.25;
  return detector;
}

void
ExpectPoint(const Geometry::PointType & point, const double (&expected)[3], const char * what)
{
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    EXPECT_NEAR(point[axis], expected[axis], 1e-6) << what << ", axis " << axis;
  }
}

void
ExpectPixels(const Geometry & view, const Expected & expected)
{
  ExpectPoint(view.GetPixelCenter(0, 0), expected.first, "first pixel");
  ExpectPoint(view.GetPixelCenter(255, 128), expected.last, "last pixel");
}

/** `text` with the first `from` made `to`. */
std::string
Replace(std::string text, const std::string & from, const std::string & to)
{
  const auto place = text.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return text.replace(place, from.size(), to);
}

/** What is said about a damaged file. */
std::string
RefusalOf(const std::string & text)
{
  return Refusal([&] { Reader::Parse(text, Stack()); });
}

void
ExpectRefusal(const std::string & text, std::initializer_list<const char *> words)
{
  const std::string refusal = RefusalOf(text);
  for (const char * const word : words)
  {
    EXPECT_NE(refusal.find(word), std::string::npos) << "\"" << word << "\" is not in: " << refusal;
  }
}

const char * const Geometry3 = "<RTKThreeDCircularGeometry version=\"3\">";

} // namespace

TEST(RadiographGeometryRTK, ConeBeamIsWhereRTKHasIt)
{
  const auto projections = Reader::Parse(Cone, Stack());
  ASSERT_EQ(projections.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i)
  {
    ASSERT_EQ(projections[i].view->GetBeam(), Geometry::Beam::Cone);
    ExpectPoint(projections[i].view->GetSource(), ConeExpected[i].source, "source");
    ExpectPixels(*projections[i].view, ConeExpected[i]);
    EXPECT_EQ(projections[i].view->GetDetectorSize()[0], 256u);
    EXPECT_EQ(projections[i].view->GetDetectorSize()[1], 129u);
  }
}

TEST(RadiographGeometryRTK, ParallelBeamIsWhereRTKHasIt)
{
  const auto projections = Reader::Parse(Parallel, Stack());
  ASSERT_EQ(projections.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i)
  {
    const Geometry & view = *projections[i].view;
    ASSERT_EQ(view.GetBeam(), Geometry::Beam::Parallel);
    ExpectPixels(view, ParallelExpected[i]);
    // The rays are perpendicular to the detector, from the source's side.
    const auto direction = view.GetBeamDirection();
    EXPECT_NEAR(direction * view.GetColumnDirection(), 0.0, 1e-12);
    EXPECT_NEAR(direction * view.GetRowDirection(), 0.0, 1e-12);
    const Geometry::PointType source(ParallelExpected[i].source);
    EXPECT_GT(direction * (view.GetPixelCenter(0, 0) - source), 0.0);
  }
}

TEST(RadiographGeometryRTK, JawsAreReadAndAbsentOnesAreInfinite)
{
  const auto projections = Reader::Parse(Cone, Stack());
  EXPECT_EQ(projections[0].collimation.uInf, std::numeric_limits<double>::infinity());
  EXPECT_EQ(projections[0].collimation.vSup, std::numeric_limits<double>::infinity());
  EXPECT_EQ(projections[1].collimation.uInf, 101.0);
  EXPECT_EQ(projections[1].collimation.uSup, 102.0);
  EXPECT_EQ(projections[1].collimation.vInf, 103.0);
  EXPECT_EQ(projections[1].collimation.vSup, 104.0);
  EXPECT_EQ(Reader::Parse(Parallel, Stack())[0].collimation.uInf, std::numeric_limits<double>::infinity());
}

TEST(RadiographGeometryRTK, FieldsMayBeGivenOnceAndDefaultsLeftOut)
{
  const std::string text = std::string("<?xml version=\"1.0\"?><!DOCTYPE RTKGEOMETRY>") + Geometry3 +
                           "<SourceToIsocenterDistance>1000</SourceToIsocenterDistance>"
                           "<SourceToDetectorDistance>1500</SourceToDetectorDistance>"
                           "<Projection><Matrix>-1500 0 0 0 0 -1500 0 0 0 0 1 -1000</Matrix></Projection>"
                           "<Projection><Matrix>-1500 0 0 0 0 -1500 0 0 0 0 1 -1000</Matrix></Projection>"
                           "</RTKThreeDCircularGeometry>";
  const auto projections = Reader::Parse(text, Stack());
  ASSERT_EQ(projections.size(), 2u);
  ExpectPoint(projections[1].view->GetSource(), { 0.0, 0.0, 1000.0 }, "source");
  ExpectPoint(projections[1].view->GetPixelCenter(0, 0), { -101.5, -33.25, -500.0 }, "first pixel");
  EXPECT_EQ(Reader::Parse(Replace(text, "\"3\"", "\"2\""), Stack()).size(), 2u);
}

TEST(RadiographGeometryRTK, GantryTurnsAsInIEC61217)
{
  const std::string text = std::string(Geometry3) +
                           "<SourceToIsocenterDistance>1000</SourceToIsocenterDistance>"
                           "<SourceToDetectorDistance>1500</SourceToDetectorDistance><Projection>"
                           "<GantryAngle>90</GantryAngle><Matrix>0 0 1500 0 0 -1500 0 0 1 0 0 -1000</Matrix>"
                           "</Projection></RTKThreeDCircularGeometry>";
  const auto view = Reader::Parse(text, Stack())[0].view;
  ExpectPoint(view->GetSource(), { 1000.0, 0.0, 0.0 }, "source");
  ExpectPoint(view->GetPixelCenter(0, 0), { -500.0, -33.25, 101.5 }, "first pixel");
}

TEST(RadiographGeometryRTK, MatrixThatContradictsTheParametersIsRefused)
{
  // Each of the twelve entries counts; 0.0009 is within what RTK allows, 0.0011 is not.
  ASSERT_NO_THROW(Reader::Parse(Replace(Cone, "-25758.5043", "-25758.5052"), Stack()));
  ExpectRefusal(Replace(Cone, "-25758.5043", "-25758.5054"), { "Projection 0", "line 4", "row 2, column 4" });
  ExpectRefusal(Replace(Cone, "-34473.154419", "-34473.16"), { "Projection 1", "Matrix", "row 1, column 4" });
  ExpectRefusal(Replace(Cone, "0.864002515481804", "0.8651"), { "row 3, column 2", "-0.8651" });
  for (const char * const value : { "1225.47179054788",
                                    "157.482289617642",
                                    "1009.04830099909",
                                    "43045.721318",
                                    "780.280685711956",
                                    "881.709840208576",
                                    "1073.78381031018",
                                    "0.32731627038609",
                                    "0.382575106850479" })
  {
    ExpectRefusal(Replace(Cone, value, "1"), { "The field Matrix contradicts the parameters" });
  }
  ExpectRefusal(Replace(Cone, "            -862.586\n    </Matrix>", " -862.59\n</Matrix>"), { "row 3, column 4" });
  ExpectRefusal(Replace(Parallel, "85.407\n", "85.5\n"), { "row 1, column 4" });
  ExpectRefusal(Replace(Cone, "<GantryAngle>220.549", "<GantryAngle>220.6"), { "Matrix contradicts" });
}

TEST(RadiographGeometryRTK, CylindersAndOtherVersionsAreRefusedByName)
{
  const std::string cylinder = std::string(Geometry3) + "<RadiusCylindricalDetector>1536</RadiusCylindricalDetector>";
  ExpectRefusal(Replace(Cone, Geometry3, cylinder), { "RadiusCylindricalDetector", "1536", "flat" });
  ASSERT_NO_THROW(Reader::Parse(Replace(Replace(Cone, Geometry3, cylinder), ">1536<", ">0<"), Stack()));
  ExpectRefusal(Replace(Cone, "version=\"3\"", "version=\"4\""), { "version", "\"4\"" });
  ExpectRefusal(Replace(Cone, " version=\"3\"", ""), { "version", "missing" });
  ExpectRefusal("<RadiographGeometry/>", { "RTKThreeDCircularGeometry", "RadiographGeometry" });
}

TEST(RadiographGeometryRTK, MalformedTextIsRefusedWithItsLine)
{
  const std::string cone(Cone);
  ExpectRefusal("", { "line 1", "no element found" });
  ExpectRefusal("not XML", { "line 1" });
  ExpectRefusal(cone.substr(0, cone.size() / 2), { "XML", "line" });
  ExpectRefusal(cone.substr(0, cone.size() - 5), { "XML", "line 44" }); // the last tag is cut
  ExpectRefusal(Replace(cone, "</Matrix>", "</Matrics>"), { "mismatched tag" });
  ExpectRefusal(Replace(cone, "<!DOCTYPE RTKGEOMETRY>", "<!DOCTYPE r [<!ENTITY a \"1\">]>"), { "line 2", "entity" });
  std::string deep;
  for (int i = 0; i < 100000; ++i)
  {
    deep += "<a>";
  }
  ExpectRefusal(deep, { "nested too deep" });
}

TEST(RadiographGeometryRTK, FieldsThatAreMissingOrDoubledAreRefused)
{
  const std::string isocenter = "<SourceToIsocenterDistance>862.586</SourceToIsocenterDistance>";
  const std::string twice = isocenter + isocenter;
  ExpectRefusal(Replace(Cone, isocenter, ""), { "SourceToIsocenterDistance", "missing", "line 4" });
  ExpectRefusal(Replace(Cone, isocenter, twice), { "SourceToIsocenterDistance", "second time", "line 6" });
  ExpectRefusal(Replace(Cone, Geometry3, Geometry3 + isocenter), { "SourceToIsocenterDistance", "for all", "line 4" });
  ExpectRefusal(Replace(Cone, "<Matrix>", "<Matrix>1 2</Matrix><Matrix>"), { "Matrix", "2 numbers" });
  ExpectRefusal(std::string(Geometry3) + "</RTKThreeDCircularGeometry>", { "Projection is missing" });
  ExpectRefusal(std::string(Geometry3) + "<Projection/></RTKThreeDCircularGeometry>", { "Matrix is missing" });
  ExpectRefusal(std::string(Geometry3) + "<Projection><Matrix>1 0 0 0 0 1 0 0 0 0 0 1</Matrix></Projection>" +
                  "</RTKThreeDCircularGeometry>",
                { "SourceToIsocenterDistance is missing" });
  ExpectRefusal(Replace(Cone, "<GantryAngle>", "<Wobble>1</Wobble><GantryAngle>"), { "Wobble", "line 5" });
  ExpectRefusal(Replace(Cone, Geometry3, std::string(Geometry3) + "<Wobble/>"), { "Wobble", "line 3" });
}

TEST(RadiographGeometryRTK, NumbersMustBeFiniteAndWhole)
{
  for (const char * const text : { "nan", "inf", "1e999", "22O.549", "220,549", "", "1 2", "<b>1</b>" })
  {
    ExpectRefusal(Replace(Cone, "220.549", text), { "GantryAngle", "line 5" });
  }
  ExpectRefusal(Replace(Cone, "780.280685711956", "nan"), { "Matrix", "nan" });
  ExpectRefusal(Replace(Cone, ">101<", ">nan<"), { "CollimationUInf", "nan" });
  ExpectRefusal(Replace(Cone, ">1590.636<", ">-1590.636<"), { "SourceToDetectorDistance", "-1590.636" });
}

TEST(RadiographGeometryRTK, DetectorsThatAreNoneAreRefused)
{
  Reader::Detector detector = Stack();
  detector.grid.columns = 0;
  EXPECT_NE(Refusal([&] { Reader::Parse(Cone, detector); }).find("Projection 0"), std::string::npos);
  detector = Stack();
  detector.originV = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(Refusal([&] { Reader::Parse(Cone, detector); }).find("finite"), std::string::npos);
}

TEST(RadiographGeometryRTK, FilesAreReadAndNamedInErrors)
{
  const std::string path = testing::TempDir() + "RadiographGeometryRTKGTest.xml";
  std::ofstream(path) << Cone;
  EXPECT_EQ(Reader::ReadFile(path, Stack()).size(), 2u);
  std::ofstream(path) << Replace(Cone, "220.549", "nan");
  const std::string refusal = Refusal([&] { Reader::ReadFile(path, Stack()); });
  EXPECT_NE(refusal.find(path), std::string::npos) << refusal;
  EXPECT_NE(refusal.find("GantryAngle"), std::string::npos) << refusal;
  std::remove(path.c_str());
  EXPECT_NE(Refusal([&] { Reader::ReadFile(path, Stack()); }).find(path), std::string::npos);
}
