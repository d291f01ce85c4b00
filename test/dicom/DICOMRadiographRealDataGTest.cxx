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

#include <cstdlib>

using namespace xray;

namespace
{

/** Empty if there are no real data. */
std::string
DataFile(const std::string & name)
{
  const char * const root = std::getenv("RADIOGRAPHY_TEST_DATA");
  const auto         path = std::filesystem::path(root == nullptr ? "" : root) / name;
  return root == nullptr || !std::filesystem::exists(path) ? std::string() : path.string();
}

Reader::Pointer
ReaderOf(const std::string & path)
{
  const auto reader = Reader::New();
  reader->SetFileName(path);
  return reader;
}

const itk::DICOMRadiographProblem *
Find(Reader & reader, const std::string & code)
{
  reader.ReadInformation();
  return FindProblem(reader.GetInformation(), code);
}

} // namespace

#define NEED_DATA(path, name)                                                                                          \
  const std::string path = DataFile(name);                                                                             \
  if (path.empty())                                                                                                    \
  {                                                                                                                    \
    GTEST_SKIP() << "SKIPPED: the real file " << name << " is not below RADIOGRAPHY_TEST_DATA";                        \
  }

TEST(DICOMRadiographRealData, Angiograms)
{
  const struct
  {
    const char * name;
    double       distance;
    double       primary;
    double       secondary;
    unsigned     frames;
  } cases[] = { { "xa-angio-static-phantom/IM1", 860.0, 31.30, 0.1, 14 },
                { "xa-angio-static-phantom/IM5", 931.0, -26.5, -32.70, 16 },
                { "xa-angio-static-phantom/IM6", 939.0, 24.0, -18.80, 9 } };
  for (const auto & c : cases)
  {
    SCOPED_TRACE(c.name);
    NEED_DATA(path, c.name);
    const auto reader = ReaderOf(path);
    ASSERT_NE(Find(*reader, "missing-frame"), nullptr);
    EXPECT_EQ(reader->GetInformation().frames, c.frames);
    reader->SetFrame(c.frames);
    if (c.frames == 14)
    {
      // IM1 knows no pitch: no geometry until it is given.
      ASSERT_NE(Find(*reader, "missing-pitch"), nullptr);
      EXPECT_EQ(reader->GetGeometry(), nullptr);
      EXPECT_THROW(reader->Update(), itk::ExceptionObject);
      reader->SetPitch(0.390625, 0.390625);
    }
    ASSERT_NO_THROW(reader->Update());
    const auto & view = *reader->GetGeometry();
    EXPECT_NEAR(view.GetSourceDetectorDistance(), c.distance, 1e-9);
    EXPECT_EQ(view.GetDetectorSpacing()[0], 0.390625);
    const double a = c.primary * Degree;
    const double b = c.secondary * Degree;
    const auto   toDetector = XYZ(std::sin(a) * std::cos(b), -std::cos(a) * std::cos(b), std::sin(b));
    ExpectNear(view.GetSource(), toDetector * -720.0, 1e-9, "source");
    ExpectNear(view.GetPixelCenter(255.5, 255.5), toDetector * (c.distance - 720.0), 1e-9, "detector's middle");
    // All are refused as counts.
    EXPECT_EQ(reader->GetPixelMeaning(), Reader::PixelMeaning::Display);
    EXPECT_FALSE(reader->IsProportionalToIntensity());
    EXPECT_NE(Find(*reader, "orientation-unverified"), nullptr);
    EXPECT_NE(Find(*reader, "isocenter-assumed"), nullptr);
    // The shutter's tags are a frame of some pixels around the image.
    const auto & mask = *reader->GetMaskOutput();
    EXPECT_EQ(mask.GetPixel({ { 3, 250, 0 } }), 0);
    EXPECT_EQ(mask.GetPixel({ { 511, 250, 0 } }), 0);
    EXPECT_EQ(mask.GetPixel({ { 250, 2, 0 } }), 0);
    EXPECT_EQ(mask.GetPixel({ { 250, 250, 0 } }), 1);
  }
}

TEST(DICOMRadiographRealData, FramesOfAnAngiogramAreThoseOfDCMTK)
{
  NEED_DATA(path, "xa-angio-static-phantom/IM5");
  DcmFileFormat file;
  ASSERT_TRUE(file.loadFile(path.c_str()).good());
  for (const unsigned frame : { 1u, 7u, 16u })
  {
    const auto reader = ReaderOf(path);
    reader->SetFrame(frame);
    reader->Update();
    // All frames decoded at once, the other way through DCMTK.
    ASSERT_TRUE(file.getDataset()->chooseRepresentation(EXS_LittleEndianExplicit, nullptr).good());
    const Uint8 * bytes = nullptr;
    ASSERT_TRUE(file.getDataset()->findAndGetUint8Array(DCM_PixelData, bytes).good());
    const std::size_t count = 512u * 512u;
    std::size_t       different = 0;
    for (std::size_t i = 0; i < count; ++i)
    {
      different += reader->GetOutput()->GetBufferPointer()[i] != bytes[(frame - 1) * count + i] ? 1 : 0;
    }
    EXPECT_EQ(different, 0u) << "frame " << frame;
  }
}

TEST(DICOMRadiographRealData, PortalImageInPatientSpace)
{
  NEED_DATA(path, "rtimage/varian-6x-dosigap.dcm");
  const auto reader = ReaderOf(path);
  ASSERT_NO_THROW(reader->Update());
  const auto & view = *reader->GetGeometry();
  EXPECT_NEAR(view.GetSourceDetectorDistance(), 1500.03301807881, 1e-9);
  EXPECT_EQ(view.GetDetectorSize(), (itk::Size<3>{ { 1024, 768, 1 } }));
  // Computed apart from this program, from the tags and IEC 61217.
  ExpectNear(view.GetSource(), XYZ(0.2315696607, -999.9999731877, -0.0001736648), 1e-8, "source");
  ExpectNear(view.GetPixelCenter(0, 0), XYZ(-200.5113290893, 499.9865730129, 150.4695263725), 1e-8, "corner");
  ExpectNear(view.GetPixelCenter(1023, 0), XYZ(200.5045473890, 500.0794361780, 150.1687859983), 1e-8, "corner");
  ExpectNear(view.GetPixelCenter(0, 767), XYZ(-200.7368108813, 499.9865730129, -150.1943890779), 1e-8, "corner");
  ExpectNear(view.GetPixelCenter(1023, 767), XYZ(200.2790655970, 500.0794361780, -150.4951294521), 1e-8, "corner");
  EXPECT_TRUE(reader->IsProportionalToIntensity());
  EXPECT_EQ(SourceOf(reader->GetInformation(), "isocenter"), "IsocenterPosition (300a,012c)");
}

TEST(DICOMRadiographRealData, PlanningDRRNeedsPositionAndIsocenter)
{
  NEED_DATA(path, "rtimage/eclipse-prostate-phantom-drr.dcm");
  const auto reader = ReaderOf(path);
  EXPECT_NE(Find(*reader, "missing-patient-position"), nullptr);
  EXPECT_NE(Find(*reader, "missing-tag"), nullptr);
  EXPECT_THROW(reader->Update(), itk::ExceptionObject);
  reader->SetPatientPosition(Reader::PatientPosition::HFS);
  EXPECT_THROW(reader->Update(), itk::ExceptionObject) << "the isocenter is still missing";
  reader->SetIsocenter(Reader::PointType{ { 10.0, 20.0, 30.0 } });
  ASSERT_NO_THROW(reader->Update());
  const auto & view = *reader->GetGeometry();
  // The plane lies in the isocenter, 1000 mm from the source in front of the patient.
  ExpectNear(view.GetSource(), XYZ(10.0, -980.0, 30.0), 1e-9, "source");
  EXPECT_NEAR(view.GetSourceDetectorDistance(), 1000.0, 1e-9);
  ExpectNear(view.GetPixelCenter(0, 0), XYZ(10.0 - 249.51171875, 20.0, 30.0 + 249.51171875), 1e-9, "first pixel");
  ExpectNear(view.GetPixelCenter(511, 511), XYZ(10.0 + 249.51171875, 20.0, 30.0 - 249.51171875), 1e-9, "last pixel");
  EXPECT_EQ(reader->GetPixelMeaning(), Reader::PixelMeaning::Unknown);
  EXPECT_NE(Find(*reader, "pixel-meaning-unknown"), nullptr);
}
