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
#include "itkRadiographGeometry.h"
#include "itkRadiographGeometryJSON.h"

#include "itkImage.h"
#include "itkMath.h"

#include <gtest/gtest.h>

#include <random>
#include <sstream>

namespace
{

using Geometry = itk::RadiographGeometry;

constexpr double Degree = itk::Math::pi / 180.0;

Geometry::PointType
P(double x, double y, double z)
{
  Geometry::PointType point;
  point[0] = x;
  point[1] = y;
  point[2] = z;
  return point;
}

template <typename TA, typename TB>
void
ExpectNear(const TA & a, const TB & b, double tolerance)
{
  for (unsigned int i = 0; i < 3; ++i)
  {
    EXPECT_NEAR(a[i], b[i], tolerance) << "component " << i;
  }
}

Geometry::DetectorGrid
Grid()
{
  Geometry::DetectorGrid grid;
  grid.columns = 201;
  grid.rows = 101;
  grid.columnSpacing = 0.8;
  grid.rowSpacing = 0.5;
  return grid;
}

Geometry::CArm
Arm(double primary, double secondary, double roll = 0.0)
{
  Geometry::CArm arm;
  arm.primaryAngle = primary;
  arm.secondaryAngle = secondary;
  arm.roll = roll;
  arm.sourceIsocenterDistance = 700.0;
  arm.sourceDetectorDistance = 1100.0;
  arm.isocenter = P(10, 20, 30);
  return arm;
}

Geometry::Pointer
RandomView(std::mt19937 & engine)
{
  std::uniform_real_distribution<double> angle(-itk::Math::pi, itk::Math::pi);
  const auto                             view = Geometry::New();
  view->SetCArm(Arm(angle(engine), angle(engine), angle(engine)), Grid());
  return view;
}

} // namespace

TEST(RadiographGeometry, CArmFacesThePatientAtZero)
{
  const auto view = Geometry::New();
  view->SetCArm(Arm(0.0, 0.0), Grid());
  ExpectNear(view->GetSource(), P(10, 720, 30), 1e-12);
  ExpectNear(view->GetPixelCenter(100, 50), P(10, -380, 30), 1e-12);
  ExpectNear(view->GetColumnDirection(), P(1, 0, 0), 0.0);
  ExpectNear(view->GetRowDirection(), P(0, 0, -1), 0.0);
  EXPECT_NEAR(view->GetSourceDetectorDistance(), 1100.0, 1e-12);
  EXPECT_NEAR(view->GetPrincipalPoint()[0], 100.0, 1e-12);
  EXPECT_NEAR(view->GetPrincipalPoint()[1], 50.0, 1e-12);
  EXPECT_FALSE(view->IsSeenFromSource());
}

TEST(RadiographGeometry, CArmAnglesAreThoseOfDICOM)
{
  const auto view = Geometry::New();
  view->SetCArm(Arm(90 * Degree, 0.0), Grid()); // LAO 90: detector at the patient's left, columns to posterior
  ExpectNear(view->GetPixelCenter(100, 50), P(410, 20, 30), 1e-9);
  ExpectNear(view->GetColumnDirection(), P(0, 1, 0), 1e-15);
  view->SetCArm(Arm(-90 * Degree, 0.0), Grid()); // RAO 90: columns to anterior
  ExpectNear(view->GetPixelCenter(100, 50), P(-390, 20, 30), 1e-9);
  ExpectNear(view->GetColumnDirection(), P(0, -1, 0), 1e-15);
  view->SetCArm(Arm(0.0, 30 * Degree), Grid()); // cranial: the detector moves up
  EXPECT_GT(view->GetPixelCenter(100, 50)[2], 200.0);
}

TEST(RadiographGeometry, RollTurnsColumnsTowardsRows)
{
  const auto view = Geometry::New();
  view->SetCArm(Arm(0.0, 0.0, 90 * Degree), Grid());
  ExpectNear(view->GetColumnDirection(), P(0, 0, -1), 1e-15);
  ExpectNear(view->GetRowDirection(), P(-1, 0, 0), 1e-15);
}

TEST(RadiographGeometry, GantryOfEveryPatientPosition)
{
  // IEC 61217, gantry 0: the source is above the couch. Whoever lies on the back is seen from anterior.
  const struct
  {
    Geometry::PatientPosition position;
    double                    source0[3];
    double                    source90[3];
    double                    columns0[3];
    double                    rows0[3];
  } cases[] = {
    { Geometry::PatientPosition::HFS, { 0, -1000, 0 }, { 1000, 0, 0 }, { 1, 0, 0 }, { 0, 0, -1 } },
    { Geometry::PatientPosition::HFP, { 0, 1000, 0 }, { -1000, 0, 0 }, { -1, 0, 0 }, { 0, 0, -1 } },
    { Geometry::PatientPosition::FFS, { 0, -1000, 0 }, { -1000, 0, 0 }, { -1, 0, 0 }, { 0, 0, 1 } },
    { Geometry::PatientPosition::FFP, { 0, 1000, 0 }, { 1000, 0, 0 }, { 1, 0, 0 }, { 0, 0, 1 } },
  };
  for (const auto & item : cases)
  {
    SCOPED_TRACE(item.position);
    Geometry::Gantry gantry;
    gantry.patientPosition = item.position;
    gantry.sourceIsocenterDistance = 1000.0;
    gantry.sourceDetectorDistance = 1500.0;
    const auto view = Geometry::New();
    view->SetGantry(gantry, Grid());
    ExpectNear(view->GetSource(), item.source0, 1e-9);
    ExpectNear(view->GetColumnDirection(), item.columns0, 1e-15);
    ExpectNear(view->GetRowDirection(), item.rows0, 1e-15);
    EXPECT_TRUE(view->IsSeenFromSource());
    gantry.gantryAngle = 90 * Degree;
    view->SetGantry(gantry, Grid());
    ExpectNear(view->GetSource(), item.source90, 1e-9);
    EXPECT_NEAR(view->GetSourceDetectorDistance(), 1500.0, 1e-9);
  }
}

TEST(RadiographGeometry, CouchTurnsThePatientAboutTheVertical)
{
  Geometry::Gantry gantry;
  gantry.sourceIsocenterDistance = 1000.0;
  gantry.sourceDetectorDistance = 1500.0;
  gantry.gantryAngle = 90 * Degree;
  gantry.couchAngle = 90 * Degree;
  const auto view = Geometry::New();
  view->SetGantry(gantry, Grid());
  // Fixed (1000, 0, 0) is couch (0, -1000, 0): feet-wards for HFS.
  ExpectNear(view->GetSource(), P(0, 0, -1000), 1e-9);
}

TEST(RadiographGeometry, ProjectPointInvertsTheRay)
{
  std::mt19937                           engine(11);
  std::uniform_real_distribution<double> place(-20.0, 220.0);
  std::uniform_real_distribution<double> depth(0.05, 1.5);
  for (int trial = 0; trial < 200; ++trial)
  {
    const auto          view = RandomView(engine);
    const double        column = place(engine);
    const double        row = place(engine);
    const auto          start = view->GetRayStart(column, row);
    const auto          along = (view->GetPixelCenter(column, row) - start) * depth(engine);
    Geometry::PixelType pixel;
    ASSERT_TRUE(view->ProjectPoint(start + along, pixel)) << "seed 11 trial " << trial;
    EXPECT_NEAR(pixel[0], column, 1e-8) << "seed 11 trial " << trial;
    EXPECT_NEAR(pixel[1], row, 1e-8) << "seed 11 trial " << trial;
    EXPECT_FALSE(view->ProjectPoint(start - along, pixel)) << "behind the source, seed 11 trial " << trial;
    EXPECT_NEAR(pixel[0], column, 1e-8) << "left as it was";
  }
}

TEST(RadiographGeometry, ProjectionMatrixThereAndBack)
{
  std::mt19937 engine(12);
  for (int trial = 0; trial < 200; ++trial)
  {
    SCOPED_TRACE(testing::Message() << "seed 12 trial " << trial);
    const auto view = RandomView(engine);
    auto       matrix = view->GetProjectionMatrix();
    const auto again = Geometry::New();
    again->SetProjectionMatrix(matrix * (trial % 2 == 0 ? 1.0 : 0.01), Grid());
    ExpectNear(again->GetSource(), view->GetSource(), 1e-6);
    ExpectNear(again->GetDetectorOrigin(), view->GetDetectorOrigin(), 1e-6);
    ExpectNear(again->GetColumnDirection(), view->GetColumnDirection(), 1e-9);
    ExpectNear(again->GetRowDirection(), view->GetRowDirection(), 1e-9);
  }
}

TEST(RadiographGeometry, MirroredDetectorFromMatrix)
{
  const auto view = Geometry::New();
  view->SetCArm(Arm(0.3, 0.2), Grid());
  auto matrix = view->GetProjectionMatrix();
  for (unsigned int axis = 0; axis < 4; ++axis)
  {
    matrix[0][axis] = 200.0 * matrix[2][axis] - matrix[0][axis]; // column -> 200 - column
  }
  const auto mirrored = Geometry::New();
  mirrored->SetProjectionMatrix(matrix, Grid());
  ExpectNear(mirrored->GetPixelCenter(200, 0), view->GetPixelCenter(0, 0), 1e-7);
  ExpectNear(mirrored->GetPixelCenter(3, 40), view->GetPixelCenter(197, 40), 1e-7);
  EXPECT_NE(mirrored->IsSeenFromSource(), view->IsSeenFromSource());
}

TEST(RadiographGeometry, RefusedMatrices)
{
  const auto view = Geometry::New();
  view->SetCArm(Arm(0.3, 0.2), Grid());
  const auto before = view->GetMTime();
  const auto matrix = view->GetProjectionMatrix();

  auto skewed = matrix;
  for (unsigned int axis = 0; axis < 4; ++axis)
  {
    skewed[0][axis] += 0.001 * matrix[1][axis];
  }
  EXPECT_THROW(view->SetProjectionMatrix(skewed, Grid()), itk::ExceptionObject);
  auto grid = Grid();
  grid.rowSpacing = 0.6;
  EXPECT_THROW(view->SetProjectionMatrix(matrix, grid), itk::ExceptionObject);
  EXPECT_THROW(view->SetProjectionMatrix(matrix * 0.0, Grid()), itk::ExceptionObject);
  EXPECT_EQ(view->GetMTime(), before) << "a refused view leaves the old one";
}

TEST(RadiographGeometry, RefusedViews)
{
  const auto view = Geometry::New();
  auto       arm = Arm(0, 0);
  arm.sourceDetectorDistance = 0.0;
  EXPECT_THROW(view->SetCArm(arm, Grid()), itk::ExceptionObject);
  arm = Arm(std::numeric_limits<double>::quiet_NaN(), 0);
  EXPECT_THROW(view->SetCArm(arm, Grid()), itk::ExceptionObject);
  auto grid = Grid();
  grid.columns = 0;
  EXPECT_THROW(view->SetCArm(Arm(0, 0), grid), itk::ExceptionObject);
  grid = Grid();
  grid.rowSpacing = -1.0;
  EXPECT_THROW(view->SetCArm(Arm(0, 0), grid), itk::ExceptionObject);

  const auto                     detector = itk::Image<float, 3>::New();
  itk::Image<float, 3>::SizeType size{ { 10, 10, 1 } };
  detector->SetRegions(size);
  EXPECT_THROW(view->SetConeBeam(P(3, 4, 0), detector), itk::ExceptionObject) << "source in the plane";
  Geometry::VectorType direction;
  direction.Fill(0.0);
  EXPECT_THROW(view->SetParallelBeam(direction, detector), itk::ExceptionObject);
  direction[0] = 1.0;
  EXPECT_THROW(view->SetParallelBeam(direction, detector), itk::ExceptionObject) << "within the plane";
  size[2] = 2;
  detector->SetRegions(size);
  EXPECT_THROW(view->SetConeBeam(P(3, 4, 100), detector), itk::ExceptionObject) << "two slices";
  EXPECT_THROW(view->SetConeBeam(P(3, 4, 100), nullptr), itk::ExceptionObject);
}

TEST(RadiographGeometry, DetectorImageWithIndexStart)
{
  const auto                            detector = itk::Image<float, 3>::New();
  const itk::Image<float, 3>::IndexType start{ { 5, -3, 2 } };
  detector->SetRegions(itk::ImageRegion<3>(start, { { 10, 10, 1 } }));
  const auto view = Geometry::New();
  view->SetConeBeam(P(0, 0, 100), detector);
  ExpectNear(view->GetPixelCenter(0, 0), P(5, -3, 2), 0.0);
}

TEST(RadiographGeometry, ParallelBeam)
{
  const auto detector = itk::Image<float, 3>::New();
  detector->SetRegions(itk::Image<float, 3>::SizeType{ { 10, 10, 1 } });
  Geometry::VectorType direction;
  direction[0] = 1.0;
  direction[1] = 0.0;
  direction[2] = 2.0;
  const auto view = Geometry::New();
  view->SetParallelBeam(direction, detector);
  EXPECT_THROW(view->GetSource(), itk::ExceptionObject);
  Geometry::PixelType pixel;
  ASSERT_TRUE(view->ProjectPoint(P(3, 4, -10), pixel));
  EXPECT_NEAR(pixel[0], 8.0, 1e-12);
  EXPECT_NEAR(pixel[1], 4.0, 1e-12);
}

TEST(RadiographGeometry, JSONKeepsEveryBit)
{
  std::mt19937 engine(13);
  for (int trial = 0; trial < 50; ++trial)
  {
    const auto view = RandomView(engine);
    const auto again = itk::RadiographGeometryJSON::Parse(itk::RadiographGeometryJSON::Serialize(view));
    EXPECT_EQ(again->GetSource(), view->GetSource());
    EXPECT_EQ(again->GetDetectorOrigin(), view->GetDetectorOrigin());
    EXPECT_EQ(again->GetColumnDirection(), view->GetColumnDirection());
    EXPECT_EQ(again->GetRowDirection(), view->GetRowDirection());
    EXPECT_EQ(again->GetDetectorSpacing(), view->GetDetectorSpacing());
    EXPECT_EQ(again->GetDetectorSize(), view->GetDetectorSize());
  }
}

TEST(RadiographGeometry, JSONForms)
{
  const auto framed = itk::RadiographGeometryJSON::Parse(R"({"radiography_view": 1, "source_mm": [0, 700, 0],
    "detector": {"origin_mm": [-100, -400, 100], "column_direction": [1, 0, 0], "row_direction": [0, 0, -1],
    "spacing_mm": [0.8, 0.8], "size": [251, 251]}})");
  EXPECT_NEAR(framed->GetSourceDetectorDistance(), 1100.0, 1e-12);

  const auto arm = itk::RadiographGeometryJSON::Parse(R"({"radiography_view": 1, "beam": "cone",
    "c_arm": {"primary_angle_deg": 0, "secondary_angle_deg": 0, "source_isocenter_mm": 700, "source_detector_mm": 1100,
    "isocenter_mm": [0, 0, 0]}, "detector": {"spacing_mm": [0.8, 0.8], "size": [251, 251]}})");
  ExpectNear(arm->GetDetectorOrigin(), framed->GetDetectorOrigin(), 1e-10);

  std::ostringstream matrixText;
  matrixText.precision(17);
  const auto matrix = arm->GetProjectionMatrix();
  for (unsigned int i = 0; i < 3; ++i)
  {
    matrixText << (i == 0 ? "[[" : ", [") << matrix[i][0] << ',' << matrix[i][1] << ',' << matrix[i][2] << ','
               << matrix[i][3] << ']';
  }
  const auto calibrated = itk::RadiographGeometryJSON::Parse(
    R"({"radiography_view": 1, "detector": {"spacing_mm": [0.8, 0.8], "size": [251, 251]}, "projection_matrix": )" +
    matrixText.str() + "]}");
  ExpectNear(calibrated->GetSource(), arm->GetSource(), 1e-8);

  const auto parallel = itk::RadiographGeometryJSON::Parse(R"({"radiography_view": 1, "beam": "parallel",
    "direction": [0, -1, 0], "detector": {"origin_mm": [-100, -400, 100], "column_direction": [1, 0, 0],
    "row_direction": [0, 0, -1], "spacing_mm": [0.8, 0.8], "size": [251, 251]}})");
  EXPECT_EQ(parallel->GetBeam(), Geometry::Beam::Parallel);
}

TEST(RadiographGeometry, JSONRefusals)
{
  const std::string detector = R"("detector": {"origin_mm": [-100, -400, 100], "column_direction": [1, 0, 0],
    "row_direction": [0, 0, -1], "spacing_mm": [0.8, 0.8], "size": [251, 251]})";
  const std::string good = R"({"radiography_view": 1, "source_mm": [0, 700, 0], )" + detector + "}";
  EXPECT_NO_THROW(itk::RadiographGeometryJSON::Parse(good));
  const auto replace = [&good](const std::string & what, const std::string & by) {
    std::string text = good;
    text.replace(text.find(what), what.size(), by);
    return text;
  };
  const std::pair<std::string, std::string> bad[] = {
    { "{", "JSON" },
    { "[]", "object" },
    { replace("\"radiography_view\": 1", "\"radiography_view\": 2"), "radiography_view" },
    { replace("\"radiography_view\": 1, ", ""), "radiography_view" },
    { replace("\"source_mm\"", "\"source\""), "source" },
    { replace("[0, 700, 0]", "[0, 700]"), "source_mm" },
    { replace("[0, 700, 0]", "[0, 700, \"x\"]"), "source_mm" },
    { replace("[251, 251]", "[251, 0]"), "detector.size" },
    { replace("[251, 251]", "[251.5, 3]"), "detector.size" },
    { replace("[0.8, 0.8]", "[0.8, -0.8]"), "spacing" },
    { replace("[1, 0, 0]", "[1, 0.1, 0]"), "column_direction" },
    { replace("\"size\"", "\"colour\": 1, \"size\""), "detector.colour" },
    { replace("\"source_mm\"", "\"beam\": \"fan\", \"source_mm\""), "beam" },
  };
  for (const auto & item : bad)
  {
    try
    {
      itk::RadiographGeometryJSON::Parse(item.first);
      FAIL() << "accepted: " << item.first;
    }
    catch (const itk::ExceptionObject & error)
    {
      EXPECT_NE(std::string(error.GetDescription()).find(item.second), std::string::npos)
        << "\"" << item.second << "\" is not named in: " << error.GetDescription();
    }
  }
}

TEST(RadiographGeometry, PrintsItselfAndGrafts)
{
  const auto view = Geometry::New();
  view->SetCArm(Arm(0.3, 0.2), Grid());
  std::ostringstream text;
  view->Print(text);
  for (const char * const name : { "Beam", "Source", "DetectorOrigin", "DetectorSpacing", "DetectorDirection" })
  {
    EXPECT_NE(text.str().find(name), std::string::npos) << name;
  }
  const auto copy = Geometry::New();
  copy->Graft(view);
  EXPECT_EQ(copy->GetSource(), view->GetSource());
}
