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

#include "itkDICOMRadiographWriter.h"

#include <random>

using namespace xray;

namespace
{

using Geometry = itk::RadiographGeometry;
using Writer = itk::DICOMRadiographWriter;

/** Values from 0.5 to 2.5 in no order that a mix-up would keep. */
Writer::ImageType::Pointer
MakeImageOf(const Geometry & view, double scale = 1.0, double offset = 0.5)
{
  const auto image = Writer::ImageType::New();
  image->CopyInformation(view.MakeDetectorImage());
  image->SetRegions(view.GetDetectorSize());
  image->Allocate();
  const auto size = view.GetDetectorSize();
  const auto count = size[0] * size[1];
  float *    values = image->GetBufferPointer();
  for (std::size_t i = 0; i < count; ++i)
  {
    values[i] =
      static_cast<float>(offset + scale * 2.0 * static_cast<double>((i * 37) % count) / static_cast<double>(count - 1));
  }
  return image;
}

Writer::Pointer
WriterOf(const Geometry & view, const std::string & path, Writer::ImageType * image = nullptr)
{
  const auto writer = Writer::New();
  writer->SetInput(image != nullptr ? image : MakeImageOf(view).GetPointer());
  writer->SetGeometry(&view);
  writer->SetFileName(path);
  return writer;
}

Reader::Pointer
ReadBack(const std::string & path)
{
  const auto reader = Reader::New();
  reader->SetFileName(path);
  reader->Update();
  return reader;
}

void
ExpectRoundTrip(const Geometry & view, double sourceIsocenterDistance = 0.0)
{
  const TemporaryFolder folder;
  const auto            path = (folder / "drr.dcm").string();
  const auto            writer = WriterOf(view, path);
  writer->SetSourceIsocenterDistance(sourceIsocenterDistance);
  writer->SetPixelMeaning(Reader::PixelMeaning::Linear);
  writer->Write();
  ExpectSameView(*ReadBack(path)->GetGeometry(), view, 1e-6);
}

/** A detector in any pose around a source in any place. */
Geometry::Pointer
RandomView(std::mt19937 & random)
{
  std::uniform_real_distribution<double> unit(-1.0, 1.0);
  const auto                             vector = [&] { return XYZ(unit(random), unit(random), unit(random)); };
  auto                                   u = vector();
  u.Normalize();
  auto v = itk::CrossProduct(vector(), u);
  v.Normalize();
  const auto                       image = itk::ImageBase<3>::New();
  itk::ImageBase<3>::DirectionType direction;
  const auto                       w = itk::CrossProduct(u, v);
  for (unsigned int i = 0; i < 3; ++i)
  {
    direction[i][0] = u[i];
    direction[i][1] = v[i];
    direction[i][2] = w[i];
  }
  image->SetRegions(itk::Size<3>{ { 9, 7, 1 } });
  image->SetDirection(direction);
  image->SetSpacing(XYZ(0.3, 0.45, 1.0));
  const Geometry::PointType origin(XYZ(700 * unit(random), 700 * unit(random), 700 * unit(random)).GetDataPointer());
  image->SetOrigin(origin);
  const auto view = Geometry::New();
  view->SetConeBeam(origin + w * (unit(random) < 0 ? -900.0 : 1200.0) + u * 40.0 * unit(random), image);
  return view;
}

} // namespace

TEST(DICOMRadiographWriter, AnyPointSourceViewComesBack)
{
  const unsigned seed = 4711;
  std::mt19937   random(seed);
  for (int round = 0; round < 60; ++round)
  {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", round " + std::to_string(round));
    ExpectRoundTrip(*RandomView(random), round % 2 == 0 ? 0.0 : 650.0);
  }
}

TEST(DICOMRadiographWriter, ViewsAlongTheAxesComeBack)
{
  for (const double primary : { 0.0, 90.0, 180.0, -90.0, 30.0 })
  {
    for (const double secondary : { 0.0, 90.0, -90.0, 20.0 })
    {
      SCOPED_TRACE(primary);
      ExpectRoundTrip(*CArmView(primary, secondary));
    }
  }
  for (const auto position : { Reader::PatientPosition::HFS, Reader::PatientPosition::FFP })
  {
    for (const double angle : { 0.0, 90.0, 180.0, 270.0 })
    {
      Geometry::Gantry gantry;
      gantry.gantryAngle = angle * Degree;
      gantry.couchAngle = 0.3;
      gantry.patientPosition = position;
      gantry.sourceIsocenterDistance = 1000.0;
      gantry.sourceDetectorDistance = 1500.0;
      const auto view = Geometry::New();
      view->SetGantry(gantry, { 8, 6, 0.4, 0.4 });
      ExpectRoundTrip(*view, 1000.0);
    }
  }
}

TEST(DICOMRadiographWriter, AGantrysAnglesAreItsOwn)
{
  Geometry::Gantry gantry;
  gantry.gantryAngle = 270.0 * Degree;
  gantry.couchAngle = 20.0 * Degree;
  gantry.sourceIsocenterDistance = 1000.0;
  gantry.sourceDetectorDistance = 1500.0;
  gantry.isocenter = Geometry::PointType{ { 1.0, 2.0, 3.0 } };
  const auto view = Geometry::New();
  view->SetGantry(gantry, { 8, 6, 0.4, 0.4 });
  const TemporaryFolder folder;
  const auto            path = (folder / "drr.dcm").string();
  const auto            writer = WriterOf(*view, path);
  writer->SetSourceIsocenterDistance(1000.0);
  writer->Write();
  DcmFileFormat file;
  ASSERT_TRUE(file.loadFile(path.c_str()).good());
  const auto number = [&file](const DcmTagKey & tag, unsigned long place = 0) {
    Float64 value = -1e9;
    EXPECT_TRUE(file.getDataset()->findAndGetFloat64(tag, value, place).good());
    return value;
  };
  EXPECT_NEAR(number(DCM_GantryAngle), 270.0, 1e-9);
  EXPECT_NEAR(number(DCM_PatientSupportAngle), 20.0, 1e-9);
  EXPECT_NEAR(std::remainder(number(DCM_XRayImageReceptorAngle), 360.0), 0.0, 1e-9);
  EXPECT_NEAR(number(DCM_IsocenterPosition, 1), 2.0, 1e-9);
  EXPECT_NEAR(number(DCM_RTImagePosition, 0), -1.4, 1e-9);
  EXPECT_NEAR(number(DCM_RTImagePosition, 1), 1.0, 1e-9);
}

TEST(DICOMRadiographWriter, ValuesComeBackToHalfAStep)
{
  const auto view = CArmView(10.0, 5.0);
  for (const auto meaning : { Reader::PixelMeaning::Linear,
                              Reader::PixelMeaning::Inverted,
                              Reader::PixelMeaning::Log,
                              Reader::PixelMeaning::Display,
                              Reader::PixelMeaning::Unknown })
  {
    for (const auto & [scale, offset] : { std::pair(1.0, 0.5), std::pair(1e-6, 0.0), std::pair(1e20, 0.0) })
    {
      SCOPED_TRACE(itk::DICOMPixelMeaningName(meaning));
      const TemporaryFolder folder;
      const auto            path = (folder / "drr.dcm").string();
      const auto            image = MakeImageOf(*view, scale, offset);
      const auto            writer = WriterOf(*view, path, image);
      writer->SetPixelMeaning(meaning);
      writer->Write();
      const auto    reader = ReadBack(path);
      const double  range = meaning == Reader::PixelMeaning::Linear ? 2.0 * scale + offset : 2.0 * scale;
      const double  step = range / 65535.0;
      const float * a = image->GetBufferPointer();
      const float * b = reader->GetOutput()->GetBufferPointer();
      for (std::size_t i = 0; i < Columns * Rows; ++i)
      {
        // Half a step, and the rounding of the result to float.
        ASSERT_NEAR(a[i], b[i], 0.5001 * step + 6e-8 * std::abs(a[i])) << i;
      }
      EXPECT_EQ(reader->GetPixelMeaning(), meaning);
    }
  }
}

TEST(DICOMRadiographWriter, ConstantImages)
{
  const auto view = CArmView(0.0, 0.0);
  for (const double value : { 0.0, 3.25 })
  {
    for (const auto meaning : { Reader::PixelMeaning::Linear, Reader::PixelMeaning::Log })
    {
      const TemporaryFolder folder;
      const auto            path = (folder / "drr.dcm").string();
      const auto            image = MakeImageOf(*view, 0.0, value);
      const auto            writer = WriterOf(*view, path, image);
      writer->SetPixelMeaning(meaning);
      writer->Write();
      EXPECT_NEAR(ReadBack(path)->GetOutput()->GetPixel({ { 3, 3, 0 } }), value, 1e-4);
    }
  }
}

TEST(DICOMRadiographWriter, WhatCannotBeWrittenIsRefusedByName)
{
  const TemporaryFolder folder;
  const auto            path = (folder / "drr.dcm").string();
  const auto            refusal = [](Writer & writer) { return testimages::Refusal([&writer] { writer.Write(); }); };
  const auto            cone = CArmView(0.0, 0.0);

  const auto parallel = Geometry::New();
  parallel->SetParallelBeam(XYZ(0.0, -1.0, 0.0), cone->MakeDetectorImage());
  EXPECT_NE(refusal(*WriterOf(*parallel, path)).find("parallel beam"), std::string::npos);

  const auto grid = cone->MakeDetectorImage();
  auto       direction = grid->GetDirection();
  for (unsigned int i = 0; i < 3; ++i)
  {
    direction[i][0] = -direction[i][0];
  }
  grid->SetDirection(direction);
  const auto mirrored = Geometry::New();
  mirrored->SetConeBeam(cone->GetSource(), grid);
  EXPECT_NE(refusal(*WriterOf(*mirrored, path)).find("mirrored"), std::string::npos);

  const auto bad = MakeImageOf(*cone);
  bad->SetPixel({ { 4, 4, 0 } }, std::nanf(""));
  EXPECT_NE(refusal(*WriterOf(*cone, path, bad)).find("finite"), std::string::npos);

  const auto negative = WriterOf(*cone, path, MakeImageOf(*cone, 1.0, -0.1));
  negative->SetPixelMeaning(Reader::PixelMeaning::Linear);
  EXPECT_NE(refusal(*negative).find("negative"), std::string::npos);

  EXPECT_NE(refusal(*WriterOf(*cone, path, MakeImageOf(*CArmView(1.0, 0.0)))).find("another view"), std::string::npos);
  EXPECT_NE(refusal(*WriterOf(*cone, (folder / "no" / "drr.dcm").string())).find("cannot be written"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_THROW(Writer::New()->Write(), itk::ExceptionObject);
}

TEST(DICOMRadiographWriter, RefersToTheCT)
{
  const TemporaryFolder    folder;
  std::vector<std::string> files;
  phantom::WriteSeries(folder, [](Dataset & d, unsigned) {
    Put(d, DCM_PatientName, "Made^Up");
    Put(d, DCM_PatientID, "42");
  });
  for (unsigned k = 0; k < phantom::Slices; ++k)
  {
    files.push_back((folder / ("s" + std::to_string(k))).string());
  }
  const auto  view = CArmView(0.0, 0.0);
  const auto  path = (folder / "drr.dcm").string();
  std::string lastInstance;
  for (const bool keep : { false, true })
  {
    const auto writer = WriterOf(*view, path);
    writer->SetReferenceFiles(files);
    writer->SetKeepPatient(keep);
    writer->SetDerivationDescription("projected");
    writer->Write();
    DcmFileFormat file;
    ASSERT_TRUE(file.loadFile(path.c_str()).good());
    DcmDataset & d = *file.getDataset();
    const auto   text = [&d](const DcmTagKey & tag) {
      OFString value;
      d.findAndGetOFString(tag, value);
      return std::string(value.c_str());
    };
    EXPECT_EQ(text(DCM_StudyInstanceUID), "1.2.3.4.5.1");
    EXPECT_EQ(text(DCM_FrameOfReferenceUID), "1.2.3.4.5.3");
    EXPECT_NE(text(DCM_SeriesInstanceUID), "1.2.3.4.5.2");
    EXPECT_NE(text(DCM_SOPInstanceUID), lastInstance);
    lastInstance = text(DCM_SOPInstanceUID);
    EXPECT_EQ(text(DCM_PatientName), keep ? "Made^Up" : "");
    EXPECT_EQ(text(DCM_PatientID), keep ? "42" : "");
    EXPECT_EQ(text(DCM_DerivationDescription), "projected");
    DcmItem * item = nullptr;
    ASSERT_TRUE(d.findAndGetSequenceItem(DCM_SourceImageSequence, item, 5).good());
    OFString uid;
    ASSERT_TRUE(item->findAndGetOFString(DCM_ReferencedSOPInstanceUID, uid).good());
    EXPECT_EQ(std::string(uid.c_str()), "1.2.3.4.5.9.6");
    EXPECT_FALSE(d.findAndGetSequenceItem(DCM_SourceImageSequence, item, 6).good());
  }
}
