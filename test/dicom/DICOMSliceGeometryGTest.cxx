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
#include "DICOMPhantomSeries.h"
#include "dicom/DICOMTagReader.h"

#include <cmath>

using namespace phantom;

TEST(DICOMSliceGeometry, PlacesVoxelsInThePatient)
{
  const TemporaryFolder folder;
  WriteSeries(folder);
  const auto reader = MakeReader(folder);
  reader->Update();
  const auto & image = *reader->GetOutput();
  ExpectVoxels(image, PhantomHU);
  EXPECT_EQ(image.GetOrigin().GetVectorFromOrigin(), XYZ(-10.0, 20.0, 0.0));
  EXPECT_EQ(image.GetSpacing(), XYZ(0.5, 0.7, 2.5));
  EXPECT_TRUE(image.GetDirection().GetVnlMatrix().is_identity());
  EXPECT_TRUE(reader->GetWarnings().empty());
}

TEST(DICOMSliceGeometry, OrdersByPositionAndNothingElse)
{
  const std::vector<Change> changes = {
    [](Dataset & d, unsigned k) { Put(d, DCM_InstanceNumber, std::to_string(100 - k)); },
    [](Dataset & d, unsigned k) { Put(d, DCM_InstanceNumber, std::to_string(k * 5 % 7)); },
    [](Dataset & d, unsigned) { d.findAndDeleteElement(DCM_InstanceNumber); },
    [](Dataset & d, unsigned k) { Put(d, DCM_SliceLocation, std::to_string(-1.0 * k)); },
    [](Dataset & d, unsigned) { Put(d, DCM_SpacingBetweenSlices, "-2.5"); },
    [](Dataset & d, unsigned) { Put(d, DCM_SpacingBetweenSlices, "10"); },
    [](Dataset & d, unsigned) { Put(d, DCM_GantryDetectorTilt, "18.5"); },
    [](Dataset & d, unsigned) { Put(d, DCM_PatientPosition, "FFP"); },
    [](Dataset & d, unsigned k) { Put(d, DCM_Exposure, std::to_string(k)); },
  };
  for (std::size_t i = 0; i < changes.size(); ++i)
  {
    SCOPED_TRACE(i);
    const TemporaryFolder folder;
    WriteSeries(folder, changes[i]);
    ExpectPhantom(folder);
  }
}

TEST(DICOMSliceGeometry, IgnoresFileNames)
{
  const TemporaryFolder folder;
  for (unsigned k = 0; k < Slices; ++k)
  {
    Save(*MakeSlice(k), folder / std::to_string(100 - k * 7 % 11));
  }
  ExpectPhantom(folder);
}

namespace
{

struct Orientation
{
  const char *           name;
  const char *           cosines;
  itk::Vector<double, 3> normal;
  std::array<double, 9>  direction; // row by row
};

std::string
Position(const itk::Vector<double, 3> & p)
{
  char text[80];
  std::snprintf(text, sizeof(text), "%.9g\\%.9g\\%.9g", p[0], p[1], p[2]);
  return text;
}

} // namespace

TEST(DICOMSliceGeometry, KnowsEveryOrientation)
{
  const std::vector<Orientation> orientations = {
    { "coronal", "1\\0\\0\\0\\0\\-1", XYZ(0.0, 1.0, 0.0), { 1, 0, 0, 0, 0, 1, 0, -1, 0 } },
    { "sagittal", "0\\1\\0\\0\\0\\-1", XYZ(-1.0, 0.0, 0.0), { 0, 0, -1, 1, 0, 0, 0, -1, 0 } },
    { "oblique", "0.8\\0.6\\0\\-0.6\\0.8\\0", XYZ(0.0, 0.0, 1.0), { 0.8, -0.6, 0, 0.6, 0.8, 0, 0, 0, 1 } },
    { "oblique 2", "0.8\\0\\0.6\\0\\1\\0", XYZ(-0.6, 0.0, 0.8), { 0.8, 0, -0.6, 0, 1, 0, 0.6, 0, 0.8 } },
    { "prone", "-1\\0\\0\\0\\-1\\0", XYZ(0.0, 0.0, 1.0), { -1, 0, 0, 0, -1, 0, 0, 0, 1 } },
  };
  for (const auto & o : orientations)
  {
    SCOPED_TRACE(o.name);
    const TemporaryFolder        folder;
    const itk::Vector<double, 3> first = XYZ(5.0, -6.0, 7.0);
    WriteSeries(folder, [&](Dataset & d, unsigned k) {
      Put(d, DCM_ImageOrientationPatient, o.cosines);
      Put(d, DCM_ImagePositionPatient, Position(first + o.normal * (2.5 * k)));
    });
    const auto reader = MakeReader(folder);
    ASSERT_NO_THROW(reader->Update());
    const auto & image = *reader->GetOutput();
    ExpectVoxels(image, PhantomHU);
    EXPECT_NEAR(image.GetSpacing()[2], 2.5, 1e-9);
    for (unsigned i = 0; i < 9; ++i)
    {
      EXPECT_NEAR(image.GetDirection()(i / 3, i % 3), o.direction[i], 1e-12) << i;
    }
    for (unsigned i = 0; i < 3; ++i)
    {
      EXPECT_EQ(image.GetOrigin()[i], first[i]);
    }
  }
}

TEST(DICOMSliceGeometry, NormalisesRoundedCosines)
{
  const TemporaryFolder folder;
  WriteSeries(folder,
              [](Dataset & d, unsigned) { Put(d, DCM_ImageOrientationPatient, "0.99999\\0\\0\\0.00002\\1\\0"); });
  ExpectPhantom(folder);
}

TEST(DICOMSliceGeometry, RefusesGaps)
{
  const TemporaryFolder folder;
  WriteSeries(folder);
  std::filesystem::remove(folder / "s2");
  ExpectRefusal(folder, "gap", { "s1", "s3", "5 mm", "2.5 mm" });
}

TEST(DICOMSliceGeometry, NamesTheEmptyFileWhereAGapIs)
{
  const TemporaryFolder folder;
  WriteSeries(folder);
  std::ofstream(folder / "s2", std::ios::trunc).flush();
  ExpectRefusal(folder, "gap", { "s2", "empty" });
}

TEST(DICOMSliceGeometry, RefusesUnevenSteps)
{
  const TemporaryFolder folder;
  WriteSeries(folder, [](Dataset & d, unsigned k) {
    Put(d, DCM_ImagePositionPatient, Position(XYZ(-10.0, 20.0, k < 4 ? 2.5 * k : 2.5 * k + 0.7)));
  });
  ExpectRefusal(folder, "uneven-steps", { "s3", "s4", "3.2 mm" });
}

TEST(DICOMSliceGeometry, ToleratesAHundredthOfAMillimetre)
{
  const auto writeWithSlice3At = [](const TemporaryFolder & folder, double z) {
    WriteSeries(folder, [z](Dataset & d, unsigned k) {
      Put(d, DCM_ImagePositionPatient, Position(XYZ(-10.0, 20.0, k == 3 ? z : 2.5 * k)));
    });
  };
  const TemporaryFolder within;
  writeWithSlice3At(within, 7.509);
  ExpectPhantom(within);
  const TemporaryFolder beyond;
  writeWithSlice3At(beyond, 7.52);
  ExpectRefusal(beyond, "uneven-steps", { "2.52 mm" });
}

TEST(DICOMSliceGeometry, RefusesTilt)
{
  for (const double degrees : { 18.5, -18.5, 0.06 })
  {
    SCOPED_TRACE(degrees);
    const TemporaryFolder folder;
    const double          shift = std::tan(degrees * std::acos(-1.0) / 180.0);
    WriteSeries(folder, [shift](Dataset & d, unsigned k) {
      Put(d, DCM_ImagePositionPatient, Position(XYZ(-10.0, 20.0 + 2.5 * k * shift, 2.5 * k)));
    });
    ExpectRefusal(folder, "tilt", { "s0", "s5", "degrees" });
  }
  const TemporaryFolder folder;
  WriteSeries(folder, [](Dataset & d, unsigned k) {
    Put(d, DCM_ImagePositionPatient, Position(XYZ(-10.0, 20.0 + 2.5 * k * 0.0007, 2.5 * k))); // 0.04 degrees
  });
  ExpectPhantom(folder);
}

TEST(DICOMSliceGeometry, RefusesSlicesShiftedSideways)
{
  const TemporaryFolder folder;
  WriteSeries(folder, [](Dataset & d, unsigned k) {
    Put(d, DCM_ImagePositionPatient, Position(XYZ(k == 2 ? -9.0 : -10.0, 20.0, 2.5 * k)));
  });
  ExpectRefusal(folder, "uneven-steps", { "s2", "1 mm" });
}

TEST(DICOMSliceGeometry, DropsIdenticalDuplicates)
{
  const TemporaryFolder folder;
  WriteSeries(folder);
  Save(*MakeSlice(3), folder / "z");
  ExpectPhantom(folder);
  const auto reader = MakeReader(folder);
  reader->ScanInventory();
  ASSERT_EQ(reader->GetWarnings().size(), 1u);
  EXPECT_NE(reader->GetWarnings()[0].find("duplicate"), std::string::npos);
  EXPECT_NE(reader->GetInventory().files.back().reason.find("s3"), std::string::npos);
}

TEST(DICOMSliceGeometry, RefusesDifferentSlicesAtOnePosition)
{
  const TemporaryFolder folder;
  WriteSeries(folder);
  const auto other = MakeSlice(3);
  PutPixels(*other->getDataset(), Cells(4));
  Save(*other, folder / "z");
  ExpectRefusal(folder, "duplicate-position", { "s3", "z" });
}

TEST(DICOMSliceGeometry, RefusesImpossibleNumbers)
{
  struct Case
  {
    DcmTagKey    tag;
    const char * value;
    const char * code;
  };
  const std::vector<Case> cases = {
    { DCM_PixelSpacing, "0,7\\0,5", "bad-number" },
    { DCM_PixelSpacing, "0.7", "wrong-number-of-values" },
    { DCM_PixelSpacing, "0\\0.5", "spacing" },
    { DCM_PixelSpacing, "0.7\\-0.5", "spacing" },
    { DCM_PixelSpacing, "0.7mm\\0.5", "bad-number" },
    { DCM_PixelSpacing, "nan\\0.5", "bad-number" },
    { DCM_PixelSpacing, "", "missing-tag" },
    { DCM_ImagePositionPatient, "0\\0\\inf", "bad-number" },
    { DCM_ImageOrientationPatient, "1\\0\\0\\0.1\\1\\0", "orientation" },
    { DCM_ImageOrientationPatient, "0.9\\0\\0\\0\\1\\0", "orientation" },
    { DCM_RescaleSlope, "1,0", "bad-number" },
    { DCM_RescaleSlope, "-1e+308", "bad-number" },
    { DCM_RescaleIntercept, "4e+38", "bad-number" },
    { DCM_RescaleType, "US", "rescale-type" },
    { DCM_RescaleIntercept, "", "missing-rescale" },
  };
  for (const auto & c : cases)
  {
    SCOPED_TRACE(std::string(c.tag.toString().c_str()) + " = " + c.value);
    const TemporaryFolder folder;
    WriteSeries(folder, [&c](Dataset & d, unsigned k) {
      if (k == 2)
      {
        Put(d, c.tag, c.value);
      }
    });
    ExpectRefusal(folder, c.code, { "s2", c.tag.toString().c_str(), c.value });
  }
}

TEST(DICOMSliceGeometry, ParsesDecimalStringsStrictly)
{
  using radiography::dicom::ParseDecimalString;
  EXPECT_EQ(ParseDecimalString(" +1.5e1 "), 15.0);
  EXPECT_EQ(ParseDecimalString("-1024"), -1024.0);
  for (const char * bad : { "", " ", "1,5", "1.5x", "+-1", "--1", "0x10", "inf", "nan", "1e999", "1 2" })
  {
    EXPECT_FALSE(ParseDecimalString(bad).has_value()) << bad;
  }
}
