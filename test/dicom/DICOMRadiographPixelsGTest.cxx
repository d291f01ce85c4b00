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

#include "itkMetaDataObject.h"

#include <dcmtk/dcmdata/dcrleerg.h>
#include <dcmtk/dcmjpeg/djencode.h>
#include <dcmtk/dcmjpeg/djrplol.h>
#include <dcmtk/dcmjpls/djencode.h>
#include <dcmtk/dcmjpls/djrparam.h>

using namespace xray;

namespace
{

using Meaning = Reader::PixelMeaning;

void
PutSign(Dataset & d, int sign)
{
  EXPECT_TRUE(d.putAndInsertSint16(DCM_PixelIntensityRelationshipSign, static_cast<Sint16>(sign)).good());
}

Meaning
MeaningOf(const Written & file)
{
  return file.Information().pixelMeaning;
}

Meaning
MeaningOf(File file, const Change & change)
{
  const Written written(std::move(file), change);
  const auto    meaning = MeaningOf(written);
  EXPECT_EQ(written.reader->IsProportionalToIntensity(), meaning == Meaning::Linear);
  return meaning;
}

/** 256 entries of 16 bits for stored values from 1000: entry i is 3 i + 7. */
void
PutTable(Dataset & d)
{
  DcmItem * item = nullptr;
  ASSERT_TRUE(d.findOrCreateSequenceItem(DCM_ModalityLUTSequence, item, 0).good());
  const Uint16 descriptor[] = { 256, 1000, 16 };
  ASSERT_TRUE(item->putAndInsertUint16Array(DcmTag(DCM_LUTDescriptor, EVR_US), descriptor, 3).good());
  std::vector<Uint16> entries;
  for (Uint16 i = 0; i < 256; ++i)
  {
    entries.push_back(static_cast<Uint16>(3 * i + 7));
  }
  ASSERT_TRUE(item->putAndInsertUint16Array(DcmTag(DCM_LUTData, EVR_US), entries.data(), entries.size()).good());
}

} // namespace

TEST(DICOMRadiographPixels, RelationshipSaysTheMeaning)
{
  const auto relationship = [](const char * text) {
    return [text](Dataset & d) { Put(d, DCM_PixelIntensityRelationship, text); };
  };
  EXPECT_EQ(MeaningOf(MakeXA(), relationship("LIN")), Meaning::Linear);
  EXPECT_EQ(MeaningOf(MakeXA(), relationship("LOG")), Meaning::Log);
  EXPECT_EQ(MeaningOf(MakeXA(), relationship("DISP")), Meaning::Display);
  EXPECT_EQ(MeaningOf(MakeXA(), relationship("DRM")), Meaning::Display);
  EXPECT_EQ(MeaningOf(MakeXA(), relationship("OTHER")), Meaning::Unknown);
  EXPECT_EQ(MeaningOf(MakeXA(), relationship("")), Meaning::Unknown);
  ExpectWarning(Written(MakeXA(), relationship("")), "pixel-meaning-unknown", "PixelIntensityRelationship (0028,1040)");
}

TEST(DICOMRadiographPixels, SignOfALinearImage)
{
  EXPECT_EQ(MeaningOf(MakeRTImage(), {}), Meaning::Linear);
  EXPECT_EQ(MeaningOf(MakeRTImage(), [](Dataset & d) { PutSign(d, -1); }), Meaning::Inverted);
  const Written none(MakeRTImage(), [](Dataset & d) { d.findAndDeleteElement(DCM_PixelIntensityRelationshipSign); });
  EXPECT_EQ(MeaningOf(none), Meaning::Unknown);
  ExpectWarning(none, "missing-sign", "PixelIntensityRelationshipSign (0028,1041)");
  EXPECT_EQ(MeaningOf(MakeRTImage(), [](Dataset & d) { PutSign(d, 3); }), Meaning::Unknown);
}

TEST(DICOMRadiographPixels, RescalingOfALinearImage)
{
  const auto rescale = [](const char * slope, const char * intercept) {
    return [slope, intercept](Dataset & d) {
      Put(d, DCM_RescaleSlope, slope);
      Put(d, DCM_RescaleIntercept, intercept);
    };
  };
  const Written scaled(MakeRTImage(), rescale("0.25", "0"));
  EXPECT_EQ(MeaningOf(scaled), Meaning::Linear);
  scaled.Update();
  EXPECT_EQ(scaled.reader->GetOutput()->GetPixel({ { 3, 7, 0 } }), 0.25f * (1000 + 3 + 140));
  // Proportional before or after an offset is added, not both.
  const Written shifted(MakeRTImage(), rescale("1", "-100"));
  EXPECT_EQ(MeaningOf(shifted), Meaning::Unknown);
  ExpectWarning(shifted, "linear-with-intercept", "RescaleIntercept (0028,1052)");
  // A falling line turns the sign.
  EXPECT_EQ(MeaningOf(MakeRTImage(), rescale("-1", "5000")), Meaning::Inverted);
  for (const auto & bad : { std::pair("0", "0"), std::pair("1e300", "0"), std::pair("1", ""), std::pair("1,5", "0") })
  {
    const Written file(MakeRTImage(), rescale(bad.first, bad.second));
    EXPECT_NE(testimages::Refusal([&file] { file.reader->ReadInformation(); }).find("Rescale"), std::string::npos);
  }
}

TEST(DICOMRadiographPixels, TheUserMayKnowBetter)
{
  for (const auto meaning : { Meaning::Linear, Meaning::Inverted, Meaning::Log, Meaning::Display })
  {
    const Written file(MakeXA(), [](Dataset & d) { Put(d, DCM_PixelIntensityRelationship, "DISP"); });
    file.reader->SetPixelMeaning(meaning);
    EXPECT_EQ(MeaningOf(file), meaning);
    EXPECT_EQ(SourceOf(file.Information(), "pixel meaning"), "option PixelMeaning");
  }
}

TEST(DICOMRadiographPixels, ModalityLUTLeadsBackToIntensity)
{
  const Written file(MakeXA(), [](Dataset & d) {
    Put(d, DCM_PixelIntensityRelationship, "LOG");
    PutTable(d);
  });
  file.Update();
  EXPECT_TRUE(file.reader->IsProportionalToIntensity());
  // Stored 1000 + 3 + 140: entry 143.
  EXPECT_EQ(file.reader->GetOutput()->GetPixel({ { 3, 7, 0 } }), 3.0f * 143 + 7);
  EXPECT_EQ(SourceOf(file.Information(), "pixel values"), "ModalityLUTSequence (0028,3000)");
}

TEST(DICOMRadiographPixels, ValuesBeyondTheTableTakeItsEnds)
{
  const Written file(MakeXA(), [](Dataset & d) {
    Put(d, DCM_PixelIntensityRelationship, "LOG");
    PutTable(d);
    auto cells = phantom::Cells(0);
    cells[0] = 3;
    cells[1] = 60000;
    phantom::PutPixels(d, cells);
  });
  file.Update();
  EXPECT_EQ(file.reader->GetOutput()->GetPixel({ { 0, 0, 0 } }), 7.0f);
  EXPECT_EQ(file.reader->GetOutput()->GetPixel({ { 1, 0, 0 } }), 3.0f * 255 + 7);
}

TEST(DICOMRadiographPixels, ModalityLUTIsNotAppliedWhereItMeansSomethingElse)
{
  // DX forbids it, RT Images leave open what it leads to.
  for (const bool isDX : { true, false })
  {
    const Written file(isDX ? MakeDX() : MakeRTImage(), PutTable);
    EXPECT_EQ(MeaningOf(file), Meaning::Linear);
    EXPECT_NE(FindProblem(file.Information(), "modality-lut-not-applied"), nullptr);
  }
  const Written contradicting(MakeXA(), PutTable);
  EXPECT_EQ(MeaningOf(contradicting), Meaning::Unknown);
  ExpectWarning(contradicting, "modality-lut-not-applied", "LIN");
  contradicting.reader->SetPixelMeaning(Meaning::Linear);
  contradicting.Update();
  EXPECT_EQ(contradicting.reader->GetOutput()->GetPixel({ { 3, 7, 0 } }), 1143.0f);
}

namespace
{

DcmItem &
TableOf(Dataset & d)
{
  DcmItem * item = nullptr;
  EXPECT_TRUE(d.findAndGetSequenceItem(DCM_ModalityLUTSequence, item, 0).good());
  return *item;
}

void
PutDescriptor(Dataset & d, const std::vector<Uint16> & values)
{
  const DcmTag tag(DCM_LUTDescriptor, EVR_US);
  ASSERT_TRUE(TableOf(d).putAndInsertUint16Array(tag, values.data(), values.size()).good());
}

} // namespace

TEST(DICOMRadiographPixels, DamagedTablesAreRefused)
{
  const Change damages[] = { [](Dataset & d) { TableOf(d).findAndDeleteElement(DCM_LUTData); },
                             [](Dataset & d) { TableOf(d).findAndDeleteElement(DCM_LUTDescriptor); },
                             [](Dataset & d) {
                               PutDescriptor(d, { 257, 0, 16 });
                             },
                             [](Dataset & d) {
                               PutDescriptor(d, { 256, 0 });
                             } };
  for (const auto & damage : damages)
  {
    const Written file(MakeXA(), [&damage](Dataset & d) {
      Put(d, DCM_PixelIntensityRelationship, "LOG");
      PutTable(d);
      damage(d);
    });
    EXPECT_NE(testimages::Refusal([&file] { file.reader->Update(); }).find("ModalityLUTSequence"), std::string::npos);
  }
}

TEST(DICOMRadiographPixels, MonochromeOneAndWindowsChangeNothing)
{
  const Written file(MakeXA(), [](Dataset & d) {
    Put(d, DCM_PhotometricInterpretation, "MONOCHROME1");
    Put(d, DCM_WindowCenter, "40");
    Put(d, DCM_WindowWidth, "10");
  });
  file.Update();
  EXPECT_EQ(file.reader->GetOutput()->GetPixel({ { 3, 7, 0 } }), 1143.0f);
  EXPECT_EQ(file.Information().photometricInterpretation, "MONOCHROME1");
}

TEST(DICOMRadiographPixels, MetaDataAreThoseOfTheProgram)
{
  const Written file(MakeXA());
  file.Update();
  const auto & data = file.reader->GetOutput()->GetMetaDataDictionary();
  std::string  text;
  ASSERT_TRUE(itk::ExposeMetaData<std::string>(data, "radiography_quantity", text));
  EXPECT_EQ(text, "linear");
  ASSERT_TRUE(itk::ExposeMetaData<std::string>(data, "radiography_source_mm", text));
  EXPECT_EQ(std::count(text.begin(), text.end(), ' '), 2);
  ASSERT_TRUE(itk::ExposeMetaData<std::string>(data, "radiography_photometric_interpretation", text));
  EXPECT_EQ(text, "MONOCHROME2");
}

TEST(DICOMRadiographPixels, SignedTwelveBitsAndEightBits)
{
  const Written twelve(MakeXA(), [](Dataset & d) {
    PutWord(d, DCM_BitsStored, 12);
    PutWord(d, DCM_HighBit, 11);
    PutWord(d, DCM_PixelRepresentation, 1);
    phantom::PutPixels(d, phantom::Cells(0, [](int v) { return static_cast<Uint16>(((v - 2000) & 0xfff) | 0x5000); }));
  });
  twelve.Update();
  EXPECT_EQ(twelve.reader->GetOutput()->GetPixel({ { 3, 7, 0 } }), 1143.0f - 2000.0f);
  const Written eight(MakeXA(), [](Dataset & d) {
    PutWord(d, DCM_BitsAllocated, 8);
    PutWord(d, DCM_BitsStored, 8);
    PutWord(d, DCM_HighBit, 7);
    Put(d, DCM_NumberOfFrames, "2");
    std::vector<Uint8> bytes(2 * Columns * Rows);
    for (std::size_t i = 0; i < bytes.size(); ++i)
    {
      bytes[i] = static_cast<Uint8>(i);
    }
    ASSERT_TRUE(d.putAndInsertUint8Array(DCM_PixelData, bytes.data(), bytes.size()).good());
  });
  eight.reader->SetFrame(2);
  eight.Update();
  EXPECT_EQ(eight.reader->GetOutput()->GetPixel({ { 3, 7, 0 } }), 120.0f + 3 + 84);
}

TEST(DICOMRadiographPixels, EveryLosslessEncodingOfSeveralFrames)
{
  DcmRLEEncoderRegistration::registerCodecs();
  DJEncoderRegistration::registerCodecs();
  DJLSEncoderRegistration::registerCodecs();
  const DJ_RPLossless               jpeg;
  const DJLSRepresentationParameter jpegLS;
  const struct
  {
    E_TransferSyntax                   syntax;
    const DcmRepresentationParameter * parameter;
  } encodings[] = { { EXS_LittleEndianImplicit, nullptr },
                    { EXS_BigEndianExplicit, nullptr },
                    { EXS_DeflatedLittleEndianExplicit, nullptr },
                    { EXS_RLELossless, nullptr },
                    { EXS_JPEGProcess14SV1, &jpeg },
                    { EXS_JPEGProcess14, &jpeg },
                    { EXS_JPEGLSLossless, &jpegLS } };
  for (const auto & encoding : encodings)
  {
    SCOPED_TRACE(DcmXfer(encoding.syntax).getXferName());
    auto      image = MakeXA();
    Dataset & d = *image->getDataset();
    Put(d, DCM_NumberOfFrames, "3");
    phantom::PutPixels(d, Frames(3));
    ASSERT_TRUE(d.chooseRepresentation(encoding.syntax, encoding.parameter).good());
    const Written file(std::move(image), {}, encoding.syntax);
    for (unsigned k = 0; k < 3; ++k)
    {
      file.reader->SetFrame(k + 1);
      file.Update();
      for (unsigned r = 0; r < Rows; ++r)
      {
        for (unsigned c = 0; c < Columns; ++c)
        {
          ASSERT_EQ(file.reader->GetOutput()->GetPixel({ { c, r, 0 } }), phantom::StoredValue(c, r, k))
            << "column " << c << ", row " << r << ", frame " << k;
        }
      }
    }
  }
  DJLSEncoderRegistration::cleanup();
  DJEncoderRegistration::cleanup();
  DcmRLEEncoderRegistration::cleanup();
}

TEST(DICOMRadiographPixels, RectanglesAreMasked)
{
  const Written file(MakeXA(), [](Dataset & d) {
    Put(d, DCM_ShutterShape, "RECTANGULAR");
    Put(d, DCM_ShutterLeftVerticalEdge, "2");
    Put(d, DCM_ShutterRightVerticalEdge, "10");
    Put(d, DCM_ShutterUpperHorizontalEdge, "3");
    Put(d, DCM_ShutterLowerHorizontalEdge, "9");
    Put(d, DCM_CollimatorShape, "RECTANGULAR");
    Put(d, DCM_CollimatorLeftVerticalEdge, "4");
    Put(d, DCM_CollimatorRightVerticalEdge, "13");
    Put(d, DCM_CollimatorUpperHorizontalEdge, "0");
    Put(d, DCM_CollimatorLowerHorizontalEdge, "11");
  });
  file.Update();
  const auto & mask = *file.reader->GetMaskOutput();
  for (int r = 0; r < 10; ++r)
  {
    for (int c = 0; c < 12; ++c)
    {
      // Columns and rows of the tags count from 1; edges are closed.
      const bool open = c + 1 > 4 && c + 1 < 10 && r + 1 > 3 && r + 1 < 9;
      EXPECT_EQ(mask.GetPixel({ { c, r, 0 } }), open ? 1 : 0) << c << ", " << r;
    }
  }
  EXPECT_EQ(mask.GetOrigin(), file.reader->GetOutput()->GetOrigin());
}

TEST(DICOMRadiographPixels, CirclesAndPolygonsAreMasked)
{
  const Written circle(MakeXA(), [](Dataset & d) {
    Put(d, DCM_ShutterShape, "CIRCULAR");
    Put(d, DCM_CenterOfCircularShutter, "5\\6");
    Put(d, DCM_RadiusOfCircularShutter, "3");
  });
  const Written polygon(MakeXA(), [](Dataset & d) {
    Put(d, DCM_ShutterShape, "POLYGONAL");
    Put(d, DCM_VerticesOfThePolygonalShutter, "1\\1\\1\\12\\10\\1");
  });
  circle.Update();
  polygon.Update();
  for (int r = 0; r < 10; ++r)
  {
    for (int c = 0; c < 12; ++c)
    {
      const double across = (r + 1 - 5) * 0.5 / 0.4;
      const double along = c + 1 - 6;
      EXPECT_EQ(circle.reader->GetMaskOutput()->GetPixel({ { c, r, 0 } }) == 1, across * across + along * along < 9.0);
      // The corner that is left of the line from (row 1, column 12) to (row 10, column 1).
      const double slanted = r + 9.0 / 11.0 * c;
      if (r > 0 && c > 0 && std::abs(slanted - 9.0) > 1e-9)
      {
        EXPECT_EQ(polygon.reader->GetMaskOutput()->GetPixel({ { c, r, 0 } }) == 1, slanted < 9.0) << c << ", " << r;
      }
    }
  }
}

TEST(DICOMRadiographPixels, ShuttersThatAreNotUnderstoodAreTold)
{
  const Change cases[] = { [](Dataset & d) { Put(d, DCM_ShutterShape, "STAR"); },
                           [](Dataset & d) { Put(d, DCM_ShutterShape, "RECTANGULAR"); },
                           [](Dataset & d) {
                             Put(d, DCM_ShutterShape, "POLYGONAL");
                             Put(d, DCM_VerticesOfThePolygonalShutter, "1\\1\\1\\12\\10");
                           } };
  for (const auto & change : cases)
  {
    ExpectWarning(Written(MakeXA(), change), "shutter-not-read", "mask");
  }
}

TEST(DICOMRadiographPixels, PaddingIsMaskedAndKept)
{
  const Written file(MakeXA(), [](Dataset & d) { PutWord(d, DCM_PixelPaddingValue, 1143); });
  file.Update();
  EXPECT_EQ(file.reader->GetMaskOutput()->GetPixel({ { 3, 7, 0 } }), 0);
  EXPECT_EQ(file.reader->GetMaskOutput()->GetPixel({ { 4, 7, 0 } }), 1);
  EXPECT_EQ(file.reader->GetOutput()->GetPixel({ { 3, 7, 0 } }), 1143.0f);
}

TEST(DICOMRadiographPixels, OtherClassesAreRefusedByName)
{
  for (const char * uid : { UID_RETIRED_XRayAngiographicBiPlaneImageStorage,
                            UID_DigitalMammographyXRayImageStorageForProcessing,
                            UID_CTImageStorage })
  {
    const Written file(MakeXA(), [uid](Dataset & d) { Put(d, DCM_SOPClassUID, uid); });
    const auto    text = testimages::Refusal([&file] { file.reader->Update(); });
    EXPECT_NE(text.find(dcmFindNameOfUID(uid)), std::string::npos) << text;
  }
}

TEST(DICOMRadiographPixels, WhatIsNoFileIsRefused)
{
  const TemporaryFolder folder;
  std::ofstream(folder / "text") << "radiograph";
  std::ofstream(folder / "empty").flush();
  for (const auto & path :
       { folder.String(), (folder / "text").string(), (folder / "empty").string(), std::string("/no") })
  {
    const auto reader = Reader::New();
    reader->SetFileName(path);
    EXPECT_NE(testimages::Refusal([&reader] { reader->Update(); }).find(path), std::string::npos);
  }
}

TEST(DICOMRadiographPixels, SizesAreHeldAgainstTheDataAndTheLimit)
{
  const Written claims(MakeXA(), [](Dataset & d) { PutWord(d, DCM_Rows, 65535); });
  EXPECT_NE(testimages::Refusal([&claims] { claims.reader->Update(); }).find("rows"), std::string::npos);
  const Written frames(MakeXA(), [](Dataset & d) { Put(d, DCM_NumberOfFrames, "999999999"); });
  frames.reader->SetFrame(5);
  EXPECT_NE(testimages::Refusal([&frames] { frames.reader->Update(); }).find("frames"), std::string::npos);
  const Written file(MakeXA());
  file.reader->SetMaximumNumberOfPixels(119);
  EXPECT_NE(testimages::Refusal([&file] { file.reader->Update(); }).find("MaximumNumberOfPixels"), std::string::npos);
}
