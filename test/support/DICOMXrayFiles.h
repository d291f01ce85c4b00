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
#ifndef DICOMXrayFiles_h
#define DICOMXrayFiles_h

#include "DICOMPhantomSeries.h"
#include "Refusal.h"

#include "itkDICOMRadiographReader.h"

#include <algorithm>
#include <cmath>

/** Small X-ray images of each kind, 12 columns x 10 rows, in which any flip, turn or mix-up of frames changes a pixel:
 * stored value 1000 + c + 20 r + 300 k in frame k. No person's data: all of it is made up here. */
namespace xray
{

using phantom::Columns;
using phantom::Dataset;
using phantom::Put;
using phantom::PutWord;
using phantom::Rows;
using phantom::TemporaryFolder;
using phantom::XYZ;

using Reader = itk::DICOMRadiographReader;
using Change = std::function<void(Dataset & dataset)>;
using File = std::unique_ptr<DcmFileFormat>;

constexpr double Pi = 3.14159265358979323846;
constexpr double Degree = Pi / 180.0;

inline std::vector<Uint16>
Frames(unsigned count)
{
  std::vector<Uint16> cells;
  for (unsigned k = 0; k < count; ++k)
  {
    const auto frame = phantom::Cells(k);
    cells.insert(cells.end(), frame.begin(), frame.end());
  }
  return cells;
}

inline File
MakeImage(const char * sopClass, const char * modality)
{
  auto      file = std::make_unique<DcmFileFormat>();
  Dataset & d = *file->getDataset();
  Put(d, DCM_SOPClassUID, sopClass);
  Put(d, DCM_SOPInstanceUID, "1.2.3.4.5.9.1");
  Put(d, DCM_StudyInstanceUID, "1.2.3.4.5.1");
  Put(d, DCM_SeriesInstanceUID, "1.2.3.4.5.2");
  Put(d, DCM_Modality, modality);
  Put(d, DCM_PhotometricInterpretation, "MONOCHROME2");
  PutWord(d, DCM_SamplesPerPixel, 1);
  PutWord(d, DCM_Rows, Rows);
  PutWord(d, DCM_Columns, Columns);
  PutWord(d, DCM_BitsAllocated, 16);
  PutWord(d, DCM_BitsStored, 16);
  PutWord(d, DCM_HighBit, 15);
  PutWord(d, DCM_PixelRepresentation, 0);
  phantom::PutPixels(d, Frames(1));
  return file;
}

/** LAO 30, cranial 10, SOD 700, SID 1000, 0.4 mm between columns, 0.5 mm between rows, linear. */
inline File
MakeXA()
{
  auto      file = MakeImage(UID_XRayAngiographicImageStorage, "XA");
  Dataset & d = *file->getDataset();
  Put(d, DCM_PositionerPrimaryAngle, "30");
  Put(d, DCM_PositionerSecondaryAngle, "10");
  Put(d, DCM_DistanceSourceToPatient, "700");
  Put(d, DCM_DistanceSourceToDetector, "1000");
  Put(d, DCM_ImagerPixelSpacing, "0.5\\0.4");
  Put(d, DCM_PositionerMotion, "STATIC");
  Put(d, DCM_PixelIntensityRelationship, "LIN");
  Put(d, DCM_PatientOrientation, "L\\F");
  return file;
}

/** Gantry 40, couch 20, receptor turned by 5 and shifted, HFS; 0.4 mm between columns, 0.5 mm between rows, linear. */
inline File
MakeRTImage()
{
  auto      file = MakeImage(UID_RTImageStorage, "RTIMAGE");
  Dataset & d = *file->getDataset();
  Put(d, DCM_PatientPosition, "HFS");
  Put(d, DCM_RTImagePlane, "NORMAL");
  Put(d, DCM_XRayImageReceptorTranslation, "3\\-4\\-500");
  Put(d, DCM_XRayImageReceptorAngle, "5");
  Put(d, DCM_ImagePlanePixelSpacing, "0.5\\0.4");
  Put(d, DCM_RTImagePosition, "-2.2\\2.25");
  Put(d, DCM_RadiationMachineSAD, "1000");
  Put(d, DCM_RTImageSID, "1500");
  Put(d, DCM_GantryAngle, "40");
  Put(d, DCM_PatientSupportAngle, "20");
  Put(d, DCM_IsocenterPosition, "7\\8\\9");
  Put(d, DCM_PixelIntensityRelationship, "LIN");
  EXPECT_TRUE(d.putAndInsertSint16(DCM_PixelIntensityRelationshipSign, 1).good());
  return file;
}

/** A wall stand: no angles, distance to the bucky, For Processing. */
inline File
MakeDX()
{
  auto      file = MakeImage(UID_DigitalXRayImageStorageForProcessing, "DX");
  Dataset & d = *file->getDataset();
  Put(d, DCM_PositionerType, "COLUMN");
  Put(d, DCM_DistanceSourceToPatient, "1750");
  Put(d, DCM_DistanceSourceToDetector, "1800");
  Put(d, DCM_ImagerPixelSpacing, "0.5\\0.4");
  Put(d, DCM_PixelIntensityRelationship, "LIN");
  EXPECT_TRUE(d.putAndInsertSint16(DCM_PixelIntensityRelationshipSign, 1).good());
  Put(d, DCM_RescaleSlope, "1");
  Put(d, DCM_RescaleIntercept, "0");
  Put(d, DCM_PatientOrientation, "L\\F");
  return file;
}

/** A file in a folder of its own, and a reader for it. */
class Written
{
public:
  explicit Written(File file, const Change & change = {}, E_TransferSyntax syntax = EXS_LittleEndianExplicit)
    : reader(Reader::New())
  {
    if (change)
    {
      change(*file->getDataset());
    }
    phantom::Save(*file, m_Folder / "x.dcm", syntax);
    reader->SetFileName((m_Folder / "x.dcm").string());
  }

  std::string
  Path() const
  {
    return (m_Folder / "x.dcm").string();
  }

  /** Reads the header; it must be readable, whatever is wrong with the view. */
  const itk::DICOMRadiographInformation &
  Information() const
  {
    reader->ReadInformation();
    return reader->GetInformation();
  }

  /** Reads the image; fails the test if it is refused. */
  void
  Update() const
  {
    ASSERT_NO_THROW(reader->Update()) << RefusalsOf(Information());
  }

  static std::string
  RefusalsOf(const itk::DICOMRadiographInformation & information)
  {
    std::string text;
    for (const auto & problem : information.problems)
    {
      text += problem.refuses ? problem.code + ": " + problem.message + "\n" : "";
    }
    return text;
  }

  Reader::Pointer reader;

private:
  TemporaryFolder m_Folder;
};

inline const itk::DICOMRadiographProblem *
FindProblem(const itk::DICOMRadiographInformation & information, const std::string & code)
{
  const auto & problems = information.problems;
  const auto   found =
    std::find_if(problems.begin(), problems.end(), [&code](const auto & problem) { return problem.code == code; });
  return found == problems.end() ? nullptr : &*found;
}

inline std::string
SourceOf(const itk::DICOMRadiographInformation & information, const std::string & quantity)
{
  for (const auto & number : information.provenance)
  {
    if (number.quantity == quantity)
    {
      return number.source;
    }
  }
  return "nothing is known of " + quantity;
}

/** The view is refused with this code, the tag's name and this way out; Update() says so too. */
inline void
ExpectRefusal(const Written & file, const std::string & code, const std::string & word, const std::string & remedy)
{
  const auto & information = file.Information();
  const auto * problem = FindProblem(information, code);
  ASSERT_NE(problem, nullptr) << "no problem " << code << " in:\n" << Written::RefusalsOf(information);
  EXPECT_TRUE(problem->refuses);
  EXPECT_NE(problem->message.find(word), std::string::npos) << problem->message;
  EXPECT_EQ(problem->remedy, remedy);
  EXPECT_EQ(file.reader->GetGeometry(), nullptr);
  const auto text = testimages::Refusal([&file] { file.reader->Update(); });
  EXPECT_NE(text.find(word), std::string::npos) << text;
}

/** It is a warning: there is a view all the same. */
inline void
ExpectWarning(const Written & file, const std::string & code, const std::string & word)
{
  const auto & information = file.Information();
  const auto * problem = FindProblem(information, code);
  ASSERT_NE(problem, nullptr) << "no problem " << code;
  EXPECT_FALSE(problem->refuses);
  EXPECT_NE(problem->message.find(word), std::string::npos) << problem->message;
  EXPECT_NE(file.reader->GetGeometry(), nullptr) << Written::RefusalsOf(information);
}

template <typename TA, typename TB>
void
ExpectNear(const TA & a, const TB & b, double tolerance, const char * what)
{
  for (unsigned int i = 0; i < 3; ++i)
  {
    EXPECT_NEAR(a[i], b[i], tolerance) << what << ", axis " << i;
  }
}

/** Same source and same place of three corners. */
inline void
ExpectSameView(const itk::RadiographGeometry & a, const itk::RadiographGeometry & b, double tolerance = 1e-9)
{
  ASSERT_EQ(a.GetDetectorSize(), b.GetDetectorSize());
  ExpectNear(a.GetSource(), b.GetSource(), tolerance, "source");
  const auto size = a.GetDetectorSize();
  for (const auto & corner : { std::array<double, 2>{ 0.0, 0.0 },
                               { static_cast<double>(size[0] - 1), 0.0 },
                               { 0.0, static_cast<double>(size[1] - 1) } })
  {
    ExpectNear(a.GetPixelCenter(corner[0], corner[1]), b.GetPixelCenter(corner[0], corner[1]), tolerance, "corner");
  }
}

inline itk::RadiographGeometry::Pointer
CArmView(double primary, double secondary, double sod = 700.0, double sid = 1000.0)
{
  itk::RadiographGeometry::CArm arm;
  arm.primaryAngle = primary * Degree;
  arm.secondaryAngle = secondary * Degree;
  arm.sourceIsocenterDistance = sod;
  arm.sourceDetectorDistance = sid;
  const auto view = itk::RadiographGeometry::New();
  view->SetCArm(arm, { Columns, Rows, 0.4, 0.5 });
  return view;
}

} // namespace xray

#endif
