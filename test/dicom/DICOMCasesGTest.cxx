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

#include <sys/stat.h>

using namespace phantom;
namespace fs = std::filesystem;

/** Sub-cases of the table in doc/dicom.md that no other suite has, by the number of their row. */
namespace
{

std::string
At(double x, double y, double z)
{
  char text[80];
  std::snprintf(text, sizeof(text), "%.9g\\%.9g\\%.9g", x, y, z);
  return text;
}

std::string
ReasonFor(const itk::DICOMInventory & inventory, const std::string & path)
{
  for (const auto & file : inventory.files)
  {
    if (file.path == path)
    {
      return (file.used ? "used: " : "") + file.reason;
    }
  }
  return "(not listed)";
}

/** While this lives, files are opened as a user without rights, if the process may open everything otherwise. */
class WithoutRights
{
public:
  WithoutRights()
  {
    EXPECT_EQ(::seteuid(::getuid() == 0 ? 65534 : ::getuid()), 0);
  }
  ~WithoutRights()
  {
    EXPECT_EQ(::seteuid(::getuid()), 0);
  }
  WithoutRights(const WithoutRights &) = delete;
  WithoutRights &
  operator=(const WithoutRights &) = delete;
};

} // namespace

TEST(DICOMCases, No2PatientsOnEachSideComeOutWhereTheyLay)
{
  const struct
  {
    const char *          position;
    const char *          cosines;
    double                step;
    std::array<double, 3> columns;
    std::array<double, 3> rows;
  } cases[] = { { "HFS", "1\\0\\0\\0\\1\\0", 2.5, { 1, 0, 0 }, { 0, 1, 0 } },
                { "HFP", "-1\\0\\0\\0\\-1\\0", 2.5, { -1, 0, 0 }, { 0, -1, 0 } },
                { "FFS", "-1\\0\\0\\0\\1\\0", -2.5, { -1, 0, 0 }, { 0, 1, 0 } },
                { "FFP", "1\\0\\0\\0\\-1\\0", -2.5, { 1, 0, 0 }, { 0, -1, 0 } },
                { "HFDR", "0\\1\\0\\-1\\0\\0", 2.5, { 0, 1, 0 }, { -1, 0, 0 } },
                { "FFDL", "0\\1\\0\\1\\0\\0", -2.5, { 0, 1, 0 }, { 1, 0, 0 } } };
  for (const auto & c : cases)
  {
    SCOPED_TRACE(c.position);
    const TemporaryFolder folder;
    WriteSeries(folder, [&c](Dataset & d, unsigned k) {
      Put(d, DCM_PatientPosition, c.position);
      Put(d, DCM_ImageOrientationPatient, c.cosines);
      Put(d, DCM_ImagePositionPatient, At(3.0, -4.0, 7.0 + c.step * k));
    });
    const auto reader = MakeReader(folder);
    ASSERT_NO_THROW(reader->Update());
    const auto & image = *reader->GetOutput();
    ExpectVoxels(image, PhantomHU);
    itk::Image<float, 3>::PointType place;
    image.TransformIndexToPhysicalPoint(itk::Index<3>{ { 11, 9, 5 } }, place);
    const double expected[] = { 3.0 + 5.5 * c.columns[0] + 6.3 * c.rows[0],
                                -4.0 + 5.5 * c.columns[1] + 6.3 * c.rows[1],
                                7.0 + 5.0 * c.step };
    for (unsigned i = 0; i < 3; ++i)
    {
      EXPECT_NEAR(place[i], expected[i], 1e-9) << i;
    }
  }
}

TEST(DICOMCases, No3OverlappingSlicesKeepTheirSteps)
{
  for (const char * thickness : { "5", "0.1", "-4", "thick" })
  {
    SCOPED_TRACE(thickness);
    const TemporaryFolder folder;
    WriteSeries(folder, [thickness](Dataset & d, unsigned) {
      Put(d, DCM_SliceThickness, thickness);
      Put(d, DCM_SpacingBetweenSlices, thickness);
    });
    ExpectPhantom(folder);
  }
}

TEST(DICOMCases, No4ALargeGapIsNamedWithItsFiles)
{
  const TemporaryFolder folder;
  WriteSeries(folder);
  for (const char * gone : { "s2", "s3" })
  {
    fs::remove(folder / gone);
  }
  ExpectRefusal(folder, "gap", { "s1", "s4", "7.5 mm instead of 2.5 mm" });
  const TemporaryFolder far;
  WriteSeries(far);
  const auto stray = MakeSlice(5);
  Put(*stray->getDataset(), DCM_ImagePositionPatient, At(-10.0, 20.0, 400.0));
  Save(*stray, far / "s6");
  ExpectRefusal(far, "gap", { "s5", "s6", "387.5 mm" });
}

TEST(DICOMCases, No5TwoAcquisitionsOfOneSeriesAreRefused)
{
  const TemporaryFolder folder;
  for (const char * acquisition : { "2", "3" })
  {
    const bool isSecond = acquisition[0] == '3';
    WriteSeries(
      folder,
      [&](Dataset & d, unsigned k) {
        Put(d, DCM_AcquisitionNumber, acquisition);
        PutPixels(d, Cells(k, [isSecond](int v) { return static_cast<Uint16>(isSecond ? v + 1 : v); }));
      },
      acquisition);
  }
  ExpectRefusal(folder, "duplicate-position", { "20", "30", "a folder of its own" });
}

TEST(DICOMCases, No6TiltWithUnevenStepsIsBoth)
{
  const TemporaryFolder folder;
  WriteSeries(folder, [](Dataset & d, unsigned k) {
    const double z = k < 4 ? 2.5 * k : 2.5 * k + 0.7;
    Put(d, DCM_ImagePositionPatient, At(-10.0, 20.0 + 0.3 * z, z));
  });
  ExpectRefusal(folder, "tilt", { "16.69", "uneven" });
}

TEST(DICOMCases, No7OtherObjectsAreListedWithTheirReasons)
{
  const TemporaryFolder folder;
  WriteSeries(folder);
  const auto save = [&folder](const char * name, const Change & change) {
    const auto file = MakeSlice(0);
    change(*file->getDataset(), 0);
    Save(*file, folder / name);
  };
  save("structures", [](Dataset & d, unsigned) {
    Put(d, DCM_SOPClassUID, UID_RTStructureSetStorage);
    Put(d, DCM_Modality, "RTSTRUCT");
    Put(d, DCM_SeriesInstanceUID, "1.2.3.4.5.66");
  });
  save("other study", [](Dataset & d, unsigned) { Put(d, DCM_StudyInstanceUID, "1.2.3.4.5.99"); });
  save("other frame", [](Dataset & d, unsigned) { Put(d, DCM_FrameOfReferenceUID, "1.2.3.4.5.98"); });
  save("other series", [](Dataset & d, unsigned) { Put(d, DCM_SeriesInstanceUID, "1.2.3.4.5.97"); });
  save("DICOMDIR", [](Dataset & d, unsigned) {
    Put(d, DCM_SOPClassUID, UID_MediaStorageDirectoryStorage);
    Put(d, DCM_Modality, "");
    d.findAndDeleteElement(DCM_SeriesInstanceUID);
  });
  ExpectPhantom(folder);
  const auto reader = MakeReader(folder);
  reader->ScanInventory();
  const auto & inventory = reader->GetInventory();
  EXPECT_EQ(inventory.series.size(), 5u);
  EXPECT_NE(ReasonFor(inventory, "structures").find("RTStructureSetStorage"), std::string::npos);
  EXPECT_NE(ReasonFor(inventory, "DICOMDIR").find("MediaStorageDirectory"), std::string::npos)
    << ReasonFor(inventory, "DICOMDIR");
  for (const char * other : { "other study", "other frame", "other series" })
  {
    EXPECT_EQ(ReasonFor(inventory, other).rfind("a slice of series ", 0), 0u) << ReasonFor(inventory, other);
  }
}

TEST(DICOMCases, No7LinksNamesAndRights)
{
  const TemporaryFolder folder;
  const TemporaryFolder elsewhere;
  // Names in UTF-8 and in Latin-1, which is no UTF-8; half of the slices by links.
  WriteSeries(elsewhere, {}, "s");
  for (unsigned k = 0; k < Slices; ++k)
  {
    const auto name = (k % 2 == 0 ? "Sch\xc3\xa4"
                                    "del "
                                  : "Sch\xe4"
                                    "del ") +
                      std::to_string(k);
    const auto file = elsewhere / ("s" + std::to_string(k));
    if (k < 3)
    {
      fs::create_symlink(file, folder / name);
    }
    else
    {
      fs::copy_file(file, folder / name);
    }
  }
  ExpectPhantom(folder);

  Save(*MakeSlice(9), folder / "locked");
  ASSERT_EQ(::chmod((folder / "locked").c_str(), 0), 0);
  fs::create_directory(folder / "closed");
  ASSERT_EQ(::chmod((folder / "closed").c_str(), 0), 0);
  const auto reader = MakeReader(folder);
  {
    const WithoutRights rights;
    reader->ScanInventory();
  }
  const auto & inventory = reader->GetInventory();
  EXPECT_EQ(ReasonFor(inventory, "locked"), "cannot be opened (permission?)");
  EXPECT_EQ(ReasonFor(inventory, "closed").rfind("this folder cannot be listed", 0), 0u)
    << ReasonFor(inventory, "closed");
  ASSERT_EQ(reader->GetWarnings().size(), 1u);
  EXPECT_NE(reader->GetWarnings()[0].find("2 file(s) could not be read"), std::string::npos);
  ASSERT_EQ(::chmod((folder / "closed").c_str(), 0755), 0);
}

TEST(DICOMCases, No8SlopesOfAnySize)
{
  // The first slice's slope of 1 says nothing of the later ones.
  const TemporaryFolder mixed;
  WriteSeries(mixed, [](Dataset & d, unsigned k) { Put(d, DCM_RescaleSlope, k == 0 ? "1" : "0.5"); });
  const auto reader = MakeReader(mixed);
  ASSERT_NO_THROW(reader->Update());
  ExpectVoxels(*reader->GetOutput(),
               [](unsigned c, unsigned r, unsigned k) { return (k == 0 ? 1.0 : 0.5) * StoredValue(c, r, k) - 1024.0; });
  const TemporaryFolder fine;
  WriteSeries(fine, [](Dataset & d, unsigned) {
    Put(d, DCM_RescaleSlope, "0.01");
    Put(d, DCM_RescaleIntercept, "-10.24");
  });
  const auto fineReader = MakeReader(fine);
  ASSERT_NO_THROW(fineReader->Update());
  ExpectVoxels(*fineReader->GetOutput(),
               [](unsigned c, unsigned r, unsigned k) { return 0.01 * StoredValue(c, r, k) - 10.24; });
}

TEST(DICOMCases, No11CosinesThatAreNotPerpendicular)
{
  for (const char * cosines :
       { "1\\0\\0\\1\\0\\0", "0\\0\\0\\0\\0\\0", "1\\0\\0\\0\\2\\0", "1\\0\\0\\0\\1", "1\\0\\0\\0,1\\1\\0" })
  {
    SCOPED_TRACE(cosines);
    EXPECT_NE(
      [cosines] {
        const TemporaryFolder folder;
        WriteSeries(folder, [cosines](Dataset & d, unsigned k) {
          Put(d, DCM_ImageOrientationPatient, k == 3 ? cosines : "1\\0\\0\\0\\1\\0");
        });
        const auto error = UpdateError(folder.String());
        EXPECT_NE(error.find("s3"), std::string::npos) << error;
        return error;
      }()
        .find("ImageOrientationPatient (0020,0037)"),
      std::string::npos);
  }
}

TEST(DICOMCases, No13AMiddleSliceThatIsEmptyOrCut)
{
  for (const std::uintmax_t size : { 0u, 140u, 400u })
  {
    SCOPED_TRACE(size);
    const TemporaryFolder folder;
    WriteSeries(folder);
    fs::resize_file(folder / "s3", size);
    const auto error = UpdateError(folder.String());
    EXPECT_NE(error.find("s3"), std::string::npos) << error;
  }
}

TEST(DICOMCases, No16TagsThatDoNotMatterMayVary)
{
  const TemporaryFolder folder;
  WriteSeries(folder, [](Dataset & d, unsigned k) {
    const auto number = std::to_string(k + 1);
    for (const auto & tag : { DCM_Exposure, DCM_XRayTubeCurrent, DCM_KVP, DCM_ExposureTime, DCM_AcquisitionNumber })
    {
      Put(d, tag, number);
    }
    Put(d, DCM_ContentTime, "12000" + number);
    Put(d, DCM_ConvolutionKernel, "B" + number);
    Put(d, DCM_ImageType, k % 2 == 0 ? "ORIGINAL\\PRIMARY\\AXIAL" : "DERIVED\\SECONDARY\\AXIAL");
    Put(d, DCM_WindowCenter, number);
    Put(d, DCM_SeriesDescription, "part " + number);
  });
  ExpectPhantom(folder);
}
