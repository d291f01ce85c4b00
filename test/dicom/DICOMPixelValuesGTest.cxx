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

#include <limits>

using namespace phantom;

TEST(DICOMPixelValues, AppliesSlopeAndInterceptOfEachSlice)
{
  const TemporaryFolder folder;
  const char * const    slopes[] = { "1", "0.5", "0.01", "1.5", "2", "-1" };
  const char * const    intercepts[] = { "-1024", "-1024.25", "0", "-1024.25", "12", "3000" };
  WriteSeries(folder, [&](Dataset & d, unsigned k) {
    Put(d, DCM_RescaleSlope, slopes[k]);
    Put(d, DCM_RescaleIntercept, intercepts[k]);
  });
  const auto reader = MakeReader(folder);
  reader->Update();
  ExpectVoxels(*reader->GetOutput(), [&](unsigned c, unsigned r, unsigned k) {
    const double slope[] = { 1, 0.5, 0.01, 1.5, 2, -1 };
    const double intercept[] = { -1024, -1024.25, 0, -1024.25, 12, 3000 };
    return StoredValue(c, r, k) * slope[k] + intercept[k];
  });
}

TEST(DICOMPixelValues, MasksBitsAboveTheStoredOnes)
{
  const TemporaryFolder folder;
  WriteSeries(folder, [](Dataset & d, unsigned k) {
    PutWord(d, DCM_BitsStored, 12);
    PutWord(d, DCM_HighBit, 11);
    PutPixels(d, Cells(k, [](int v) { return static_cast<Uint16>(v | 0xa000); }));
  });
  ExpectPhantom(folder);
}

TEST(DICOMPixelValues, ExtendsTheSignOfTwelveBits)
{
  const TemporaryFolder folder;
  WriteSeries(folder, [](Dataset & d, unsigned k) {
    PutWord(d, DCM_BitsStored, 12);
    PutWord(d, DCM_HighBit, 11);
    PutWord(d, DCM_PixelRepresentation, 1);
    PutPixels(d, Cells(k, [](int v) { return static_cast<Uint16>(((v - 2000) & 0xfff) | 0x5000); }));
  });
  const auto reader = MakeReader(folder);
  reader->Update();
  ExpectVoxels(*reader->GetOutput(),
               [](unsigned c, unsigned r, unsigned k) { return StoredValue(c, r, k) - 2000 - 1024.0; });
}

TEST(DICOMPixelValues, FindsTheStoredBitsBelowHighBit)
{
  const TemporaryFolder folder;
  WriteSeries(folder, [](Dataset & d, unsigned k) {
    PutWord(d, DCM_BitsStored, 12);
    PutWord(d, DCM_HighBit, 15);
    PutPixels(d, Cells(k, [](int v) { return static_cast<Uint16>((v << 4) | 0x9); }));
  });
  ExpectPhantom(folder);
}

TEST(DICOMPixelValues, MonochromeOneAndWindowsChangeNothing)
{
  const TemporaryFolder folder;
  WriteSeries(folder, [](Dataset & d, unsigned) {
    Put(d, DCM_PhotometricInterpretation, "MONOCHROME1");
    Put(d, DCM_WindowCenter, "40");
    Put(d, DCM_WindowWidth, "10");
  });
  ExpectPhantom(folder);
}

namespace
{

/** Reads a series with one more value, `cell`, at column 4, row 3 of slice 2, and returns what it became. */
std::pair<float, std::size_t>
ReadPaddedCell(const Change & change, Uint16 cell)
{
  const TemporaryFolder folder;
  WriteSeries(folder, [&](Dataset & d, unsigned k) {
    auto cells = Cells(k);
    if (k == 2)
    {
      cells[3 * Columns + 4] = cell;
    }
    PutPixels(d, cells);
    change(d, k);
  });
  const auto reader = MakeReader(folder);
  reader->Update();
  return { reader->GetOutput()->GetPixel({ { 4, 3, 2 } }), reader->GetNumberOfPaddedVoxels() };
}

} // namespace

TEST(DICOMPixelValues, PaddingIsAir)
{
  const auto result = ReadPaddedCell([](Dataset & d, unsigned) { PutWord(d, DCM_PixelPaddingValue, 7); }, 7);
  EXPECT_EQ(result.first, -1000.0f);
  EXPECT_EQ(result.second, 1u);
}

TEST(DICOMPixelValues, PaddingOfASignedImageMayBeWrittenUnsigned)
{
  const auto padding = [](Dataset & d, unsigned) {
    PutWord(d, DCM_PixelRepresentation, 1);
    DcmElement * const element = new DcmUnsignedShort(DcmTag(DCM_PixelPaddingValue, EVR_US));
    ASSERT_TRUE(element->putUint16(63536, 0).good());
    ASSERT_TRUE(d.insert(element, OFTrue).good());
  };
  const auto result = ReadPaddedCell(padding, 63536);
  EXPECT_EQ(result.first, -1000.0f);
  EXPECT_EQ(result.second, 1u);
  // Next to it is no padding.
  EXPECT_EQ(ReadPaddedCell(padding, 63537).first, -1999.0f - 1024.0f);
}

TEST(DICOMPixelValues, PaddingMayBeARange)
{
  const auto padding = [](Dataset & d, unsigned) {
    PutWord(d, DCM_PixelPaddingValue, 3);
    PutWord(d, DCM_PixelPaddingRangeLimit, 9);
  };
  EXPECT_EQ(ReadPaddedCell(padding, 9).first, -1000.0f);
  EXPECT_EQ(ReadPaddedCell(padding, 3).first, -1000.0f);
  EXPECT_EQ(ReadPaddedCell(padding, 10).first, 10.0f - 1024.0f);
  EXPECT_EQ(ReadPaddedCell(padding, 2).second, 0u);
}

TEST(DICOMPixelValues, RefusesWhatIsNoCTPixel)
{
  const std::vector<std::pair<DcmTagKey, unsigned>> cases = {
    { DCM_BitsAllocated, 32 }, { DCM_BitsStored, 17 },         { DCM_HighBit, 3 },
    { DCM_Rows, 0 },           { DCM_PixelRepresentation, 2 }, { DCM_SamplesPerPixel, 3 },
  };
  for (const auto & c : cases)
  {
    SCOPED_TRACE(c.first.toString().c_str());
    const TemporaryFolder folder;
    WriteSeries(folder, [&c](Dataset & d, unsigned k) {
      if (k == 1)
      {
        PutWord(d, c.first, c.second);
        if (c.first == DCM_HighBit)
        {
          PutWord(d, DCM_BitsStored, 12);
        }
      }
    });
    ExpectRefusal(folder, "pixel-format", { "s1" });
  }
}

TEST(DICOMPixelValues, RescaleByHandReplacesWhatIsMissingOrBroken)
{
  const std::vector<Change> damages = {
    [](Dataset & d, unsigned) { d.findAndDeleteElement(DCM_RescaleSlope); },
    [](Dataset & d, unsigned) { Put(d, DCM_RescaleIntercept, ""); },
    [](Dataset & d, unsigned) { Put(d, DCM_RescaleSlope, "0"); },
    [](Dataset & d, unsigned) { Put(d, DCM_RescaleIntercept, "-1024,5"); },
    [](Dataset & d, unsigned) { Put(d, DCM_RescaleType, "US"); },
  };
  for (const auto & damage : damages)
  {
    const TemporaryFolder folder;
    WriteSeries(folder, damage);
    const auto reader = MakeReader(folder);
    EXPECT_THROW(reader->Update(), itk::ExceptionObject);
    reader->SetRescale(0.5, -1000.25);
    ASSERT_NO_THROW(reader->Update());
    ExpectVoxels(*reader->GetOutput(),
                 [](unsigned c, unsigned r, unsigned k) { return 0.5 * StoredValue(c, r, k) - 1000.25; });
    EXPECT_TRUE(reader->GetWarnings().empty());
    reader->ClearRescale();
    EXPECT_THROW(reader->Update(), itk::ExceptionObject);
  }
}

TEST(DICOMPixelValues, RescaleByHandWinsOverTheFilesAndSaysSo)
{
  const TemporaryFolder folder;
  WriteSeries(folder);
  const auto reader = MakeReader(folder);
  reader->Update();
  EXPECT_FALSE(reader->HasRescale());
  reader->SetRescale(2.0, 3.0);
  reader->Update();
  ExpectVoxels(*reader->GetOutput(),
               [](unsigned c, unsigned r, unsigned k) { return 2.0 * StoredValue(c, r, k) + 3.0; });
  ASSERT_EQ(reader->GetWarnings().size(), 1u);
  EXPECT_NE(reader->GetWarnings()[0].find("6 slice(s)"), std::string::npos) << reader->GetWarnings()[0];
  // The same as in the files: nothing to say.
  reader->SetRescale(1.0, -1024.0);
  reader->Update();
  ExpectVoxels(*reader->GetOutput(), PhantomHU);
  EXPECT_TRUE(reader->GetWarnings().empty());
  for (const double bad : { 0.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN() })
  {
    EXPECT_THROW(reader->SetRescale(bad, 0.0), itk::ExceptionObject) << bad;
  }
}

TEST(DICOMPixelValues, MissingRescaleNamesTheWayOut)
{
  const TemporaryFolder folder;
  WriteSeries(folder, [](Dataset & d, unsigned) { d.findAndDeleteElement(DCM_RescaleSlope); });
  ExpectRefusal(folder, "missing-rescale", { "RescaleSlope (0028,1053)", "SetRescale, --rescale" });
}
