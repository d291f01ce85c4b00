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
#include "DICOMEncoders.h"
#include "DICOMEnhancedFiles.h"

using namespace phantom;
namespace fs = std::filesystem;

namespace
{

const std::vector<unsigned> Shuffled{ 4, 0, 5, 2, 1, 3 };

/** The frames are refused when read as a folder and as a file. */
void
ExpectRefusedFrames(std::vector<Frame> frames, const std::string & code, const std::vector<std::string> & words)
{
  const TemporaryFolder folder;
  Save(*MakeEnhanced(frames), folder / "enhanced");
  ExpectRefusal(folder, code, words);
}

void
ExpectRefusedChange(const Change & change, const std::string & code, const std::vector<std::string> & words)
{
  const TemporaryFolder folder;
  const auto            file = MakeEnhanced(MakeFrames(Shuffled));
  change(*file->getDataset(), 0);
  Save(*file, folder / "enhanced");
  ExpectRefusal(folder, code, words);
}

DcmItem &
GroupsOfFrame(Dataset & d, signed long frame)
{
  return SequenceItem(d, DCM_PerFrameFunctionalGroupsSequence, frame);
}

} // namespace

TEST(DICOMEnhancedCT, ReadsFramesInAnyOrder)
{
  for (const auto & order : { std::vector<unsigned>{ 0, 1, 2, 3, 4, 5 }, { 5, 4, 3, 2, 1, 0 }, Shuffled })
  {
    const TemporaryFolder folder;
    Save(*MakeEnhanced(MakeFrames(order)), folder / "enhanced");
    ExpectPhantom(folder);
  }
}

TEST(DICOMEnhancedCT, PlacesTheVolumeByItsFrames)
{
  const TemporaryFolder folder;
  Save(*MakeEnhanced(MakeFrames(Shuffled)), folder / "enhanced");
  const auto reader = MakeReader(folder);
  reader->Update();
  const auto & image = *reader->GetOutput();
  EXPECT_EQ(image.GetOrigin()[0], -10.0);
  EXPECT_EQ(image.GetOrigin()[1], 20.0);
  EXPECT_EQ(image.GetOrigin()[2], 0.0);
  EXPECT_EQ(image.GetSpacing()[0], 0.5);
  EXPECT_EQ(image.GetSpacing()[1], 0.7);
  EXPECT_EQ(image.GetSpacing()[2], 2.5);
  EXPECT_TRUE(reader->GetWarnings().empty());
}

TEST(DICOMEnhancedCT, TakesSharedAndPerFrameGroups)
{
  const TemporaryFolder shared;
  Save(*MakeEnhanced(MakeFrames(Shuffled), Groups::SharedWherePossible), shared / "enhanced");
  ExpectPhantom(shared);
  // What a frame says itself wins over what is said for all.
  const TemporaryFolder both;
  const auto            file = MakeEnhanced(MakeFrames(Shuffled), Groups::SharedWherePossible);
  PutTransformation(GroupsOfFrame(*file->getDataset(), 3), [] {
    Frame frame;
    frame.slope = "0.5";
    frame.intercept = "7";
    return frame;
  }());
  Save(*file, both / "enhanced");
  const auto reader = MakeReader(both);
  ASSERT_NO_THROW(reader->Update());
  ExpectVoxels(*reader->GetOutput(), [](unsigned c, unsigned r, unsigned k) {
    return k == Shuffled[3] ? 0.5 * StoredValue(c, r, k) + 7.0 : PhantomHU(c, r, k);
  });
}

TEST(DICOMEnhancedCT, AppliesSlopeAndInterceptOfEachFrame)
{
  const TemporaryFolder folder;
  auto                  frames = MakeFrames(Shuffled);
  for (auto & frame : frames)
  {
    frame.slope = frame.k == 0 ? "1" : "0." + std::to_string(frame.k);
    frame.intercept = "-" + std::to_string(1000 + frame.k);
  }
  Save(*MakeEnhanced(frames), folder / "enhanced");
  const auto reader = MakeReader(folder);
  ASSERT_NO_THROW(reader->Update());
  ExpectVoxels(*reader->GetOutput(), [](unsigned c, unsigned r, unsigned k) {
    return StoredValue(c, r, k) * (k == 0 ? 1.0 : 0.1 * k) - (1000.0 + k);
  });
}

TEST(DICOMEnhancedCT, ReadsTheFileGivenAsThePath)
{
  const TemporaryFolder folder;
  Save(*MakeEnhanced(MakeFrames(Shuffled)), folder / "enhanced");
  Save(*MakeSlice(0), folder / "another");
  const auto reader = itk::DICOMCTVolumeReader::New();
  reader->SetPath((folder / "enhanced").string());
  ASSERT_NO_THROW(reader->Update());
  ExpectVoxels(*reader->GetOutput(), PhantomHU);
  EXPECT_EQ(reader->GetInventory().files.size(), 1u);
}

TEST(DICOMEnhancedCT, ReadsLegacyConvertedImagesAndPlainOnesWithFunctionalGroups)
{
  for (const char * sopClass : { UID_LegacyConvertedEnhancedCTImageStorage, UID_CTImageStorage })
  {
    SCOPED_TRACE(sopClass);
    const TemporaryFolder folder;
    const auto            file = MakeEnhanced(MakeFrames(Shuffled));
    Put(*file->getDataset(), DCM_SOPClassUID, sopClass);
    Save(*file, folder / "enhanced");
    ExpectPhantom(folder);
  }
}

TEST(DICOMEnhancedCT, JoinsAVolumeThatLiesInSeveralFiles)
{
  const TemporaryFolder folder;
  for (const auto & part : { std::vector<unsigned>{ 3, 0 }, { 5, 1, 2 }, { 4 } })
  {
    const auto file = MakeEnhanced(MakeFrames(part));
    Put(*file->getDataset(), DCM_SOPInstanceUID, "1.2.3.4.5.8." + std::to_string(part[0]));
    Save(*file, folder / ("part" + std::to_string(part[0])));
  }
  ExpectPhantom(folder);
  const auto reader = MakeReader(folder);
  reader->ScanInventory();
  const auto & inventory = reader->GetInventory();
  ASSERT_EQ(inventory.series.size(), 1u);
  EXPECT_EQ(inventory.series[0].numberOfFiles, 3u);
  EXPECT_EQ(inventory.series[0].size[2], Slices);
  for (const auto & file : inventory.files)
  {
    EXPECT_TRUE(file.used) << file.path;
  }
}

TEST(DICOMEnhancedCT, KeepsStacksApart)
{
  const TemporaryFolder folder;
  auto                  frames = MakeFrames({ 4, 0, 5, 2, 1, 3, 2, 0, 1 });
  for (std::size_t i = 6; i < frames.size(); ++i)
  {
    frames[i].stack = "b";
    frames[i].offset = 5000;
  }
  std::swap(frames[2], frames[7]);
  Save(*MakeEnhanced(frames), folder / "enhanced");
  const auto reader = MakeReader(folder);
  ASSERT_NO_THROW(reader->Update());
  ExpectVoxels(*reader->GetOutput(), PhantomHU);
  const auto & inventory = reader->GetInventory();
  ASSERT_EQ(inventory.series.size(), 2u);
  EXPECT_EQ(inventory.series[0].stackID, "1");
  EXPECT_EQ(inventory.series[1].stackID, "b");
  EXPECT_TRUE(inventory.series[0].chosen);
  EXPECT_EQ(inventory.series[0].size[2], 6u);
  EXPECT_EQ(inventory.series[1].size[2], 3u);
  ASSERT_EQ(inventory.files.size(), 1u);
  EXPECT_TRUE(inventory.files[0].used);
  EXPECT_NE(inventory.files[0].reason.find("6 frame(s) are slices of series 1, the chosen one"), std::string::npos)
    << inventory.files[0].reason;
  EXPECT_NE(inventory.files[0].reason.find("3 frame(s) are slices of series 2"), std::string::npos)
    << inventory.files[0].reason;

  reader->SetSeries("2");
  ASSERT_NO_THROW(reader->Update());
  EXPECT_EQ(reader->GetOutput()->GetLargestPossibleRegion().GetSize(2), 3u);
  EXPECT_EQ(reader->GetOutput()->GetPixel({ { 3, 4, 2 } }), static_cast<float>(PhantomHU(3, 4, 2) + 5000.0));
  reader->SetSeries("1.2.3.4.5.2");
  ASSERT_NO_THROW(reader->Update());
  EXPECT_EQ(reader->GetOutput()->GetLargestPossibleRegion().GetSize(2), 6u);
}

TEST(DICOMEnhancedCT, StackIDsHoldWithinOneDimensionOrganization)
{
  const TemporaryFolder folder;
  for (const char * organization : { "1.2.3.1", "1.2.3.2" })
  {
    const auto file = MakeEnhanced(MakeFrames(Shuffled));
    Dataset &  d = *file->getDataset();
    PutIn(SequenceItem(d, DCM_DimensionOrganizationSequence), DCM_DimensionOrganizationUID, organization);
    Save(*file, folder / organization);
  }
  const auto reader = MakeReader(folder);
  ASSERT_NO_THROW(reader->Update());
  EXPECT_EQ(reader->GetInventory().series.size(), 2u);
  ExpectVoxels(*reader->GetOutput(), PhantomHU);
}

TEST(DICOMEnhancedCT, KeepsPointsInTimeApart)
{
  const TemporaryFolder folder;
  auto                  frames = MakeFrames({ 0, 1, 2, 3, 4, 5, 5, 4, 3, 2, 1, 0 });
  for (std::size_t i = 0; i < frames.size(); ++i)
  {
    frames[i].time = i < 6 ? "1" : "2";
    frames[i].offset = i < 6 ? 0 : 5000;
  }
  Save(*MakeEnhanced(frames), folder / "enhanced");
  const auto reader = MakeReader(folder);
  reader->SetSeries("2");
  ASSERT_NO_THROW(reader->Update());
  ASSERT_EQ(reader->GetInventory().series.size(), 2u);
  EXPECT_EQ(reader->GetInventory().series[1].temporalPosition, "2");
  ExpectVoxels(*reader->GetOutput(), [](unsigned c, unsigned r, unsigned k) { return PhantomHU(c, r, k) + 5000.0; });
}

TEST(DICOMEnhancedCT, LeavesLocalizerFramesOut)
{
  const TemporaryFolder folder;
  auto                  frames = MakeFrames({ 4, 0, 5, 2, 1, 3, 0 });
  frames[6].frameType = "ORIGINAL\\PRIMARY\\LOCALIZER\\NONE";
  frames[6].position = "1\\2\\3";
  Save(*MakeEnhanced(frames), folder / "enhanced");
  ExpectPhantom(folder);
  const auto reader = MakeReader(folder);
  reader->ScanInventory();
  const auto & reason = reader->GetInventory().files.at(0).reason;
  EXPECT_NE(reason.find("1 frame(s) are localizers"), std::string::npos) << reason;

  for (auto & frame : frames)
  {
    frame.frameType = "ORIGINAL\\PRIMARY\\LOCALIZER\\NONE";
  }
  ExpectRefusedFrames(frames, "localizer", { "FrameType (0008,9007)" });
}

TEST(DICOMEnhancedCT, GapsStepsAndTiltAreThoseOfSlices)
{
  ExpectRefusedFrames(MakeFrames({ 5, 4, 0, 1, 2 }), "gap", { "(frame 5)", "(frame 2)", "5 mm" });
  auto uneven = MakeFrames(Shuffled);
  uneven[3].position = "-10\\20\\5.5";
  ExpectRefusedFrames(uneven, "uneven-steps", { "(frame 4)" });
  auto tilted = MakeFrames(Shuffled);
  for (auto & frame : tilted)
  {
    frame.position = "-10\\" + std::to_string(20 + frame.k) + "\\" + std::to_string(3 * frame.k);
  }
  ExpectRefusedFrames(tilted, "tilt", { "18.43", "(frame 2)", "(frame 3)" });

  const TemporaryFolder folder;
  Save(*MakeEnhanced(MakeFrames({ 5, 4, 0, 1, 2 })), folder / "enhanced");
  const auto reader = MakeReader(folder);
  reader->ResampleOn();
  ASSERT_NO_THROW(reader->Update());
  ExpectVoxels(*reader->GetOutput(), PhantomHU); // linear in k, so what is missing comes out exactly
}

TEST(DICOMEnhancedCT, DropsIdenticalFramesAndRefusesDifferentOnes)
{
  const TemporaryFolder folder;
  auto                  frames = MakeFrames({ 4, 0, 5, 2, 1, 3, 2 });
  Save(*MakeEnhanced(frames), folder / "enhanced");
  const auto reader = MakeReader(folder);
  ASSERT_NO_THROW(reader->Update());
  ExpectVoxels(*reader->GetOutput(), PhantomHU);
  ASSERT_EQ(reader->GetWarnings().size(), 1u);
  EXPECT_NE(reader->GetWarnings()[0].find("(frame 7)"), std::string::npos) << reader->GetWarnings()[0];
  const auto & reason = reader->GetInventory().files.at(0).reason;
  EXPECT_NE(reason.find("frame 7 is a duplicate"), std::string::npos) << reason;

  frames[6].offset = 1;
  ExpectRefusedFrames(frames, "duplicate-position", { "(frame 4)", "(frame 7)" });
}

TEST(DICOMEnhancedCT, RefusesByTag)
{
  const auto without = [](const DcmTagKey & tag) {
    return [tag](Dataset & d, unsigned) { GroupsOfFrame(d, 2).findAndDeleteElement(tag); };
  };
  ExpectRefusedChange(
    without(DCM_PlanePositionSequence), "missing-tag", { "frame 3", "PlanePositionSequence (0020,9113)" });
  ExpectRefusedChange(
    without(DCM_PlaneOrientationSequence), "missing-tag", { "frame 3", "PlaneOrientationSequence (0020,9116)" });
  ExpectRefusedChange(
    without(DCM_PixelMeasuresSequence), "missing-tag", { "frame 3", "PixelMeasuresSequence (0028,9110)" });
  ExpectRefusedChange(
    without(DCM_PixelValueTransformationSequence), "missing-rescale", { "frame 3", "RescaleSlope", "SetRescale" });
  const struct
  {
    std::string Frame::*member;
    const char *        value;
    const char *        code;
    const char *        word;
  } cases[] = { { &Frame::position, "1\\2", "wrong-number-of-values", "ImagePositionPatient (0020,0032)" },
                { &Frame::position, "1,5\\2\\3", "bad-number", "ImagePositionPatient (0020,0032)" },
                { &Frame::orientation, "1\\0\\0\\1\\0\\0", "orientation", "ImageOrientationPatient (0020,0037)" },
                { &Frame::spacing, "0.5", "wrong-number-of-values", "PixelSpacing (0028,0030)" },
                { &Frame::spacing, "0\\0.5", "spacing", "PixelSpacing (0028,0030)" },
                { &Frame::slope, "0", "bad-number", "RescaleSlope (0028,1053)" },
                { &Frame::intercept, "", "missing-rescale", "RescaleIntercept (0028,1052)" },
                { &Frame::rescaleType, "US", "rescale-type", "RescaleType (0028,1054)" },
                { &Frame::rescaleType, "", "rescale-type", "RescaleType (0028,1054)" } };
  for (const auto & c : cases)
  {
    SCOPED_TRACE(c.word);
    auto frames = MakeFrames(Shuffled);
    frames[2].*c.member = c.value;
    ExpectRefusedFrames(frames, c.code, { "frame 3", c.word });
  }
}

TEST(DICOMEnhancedCT, HoldsTheNumberOfFramesAgainstGroupsAndPixels)
{
  for (const char * count : { "5", "7", "999999999" })
  {
    ExpectRefusedChange([count](Dataset & d, unsigned) { Put(d, DCM_NumberOfFrames, count); },
                        "functional-groups",
                        { "has 6 items", count });
  }
  for (const char * count : { "0", "-1", "many" })
  {
    ExpectRefusedChange([count](Dataset & d, unsigned) { Put(d, DCM_NumberOfFrames, count); },
                        "multi-frame",
                        { "NumberOfFrames", count });
  }
  ExpectRefusedChange([](Dataset & d, unsigned) { d.findAndDeleteElement(DCM_PerFrameFunctionalGroupsSequence); },
                      "functional-groups",
                      { "PerFrameFunctionalGroupsSequence (5200,9230)", "0 items" });
  ExpectRefusedChange([](Dataset & d, unsigned) { SequenceItem(GroupsOfFrame(d, 0), DCM_PlanePositionSequence, 1); },
                      "wrong-number-of-items",
                      { "frame 1", "PlanePositionSequence", "2 items" });
  ExpectRefusedChange([](Dataset & d, unsigned) { PutPixels(d, Cells(0)); }, "pixel-data", { "6 frames", "1440" });
}

TEST(DICOMEnhancedCT, HoldsTheDeclaredSizeAgainstTheLimit)
{
  const TemporaryFolder folder;
  Save(*MakeEnhanced(MakeFrames(Shuffled)), folder / "enhanced");
  const auto reader = MakeReader(folder);
  reader->SetMaximumNumberOfVoxels(Columns * Rows * Slices - 1);
  EXPECT_THROW(reader->Update(), itk::ExceptionObject);
  reader->SetMaximumNumberOfVoxels(Columns * Rows * Slices);
  EXPECT_NO_THROW(reader->Update());
}

TEST(DICOMEnhancedCT, PlainMultiFrameImagesAreRefused)
{
  const TemporaryFolder folder;
  const auto            file = MakeSlice(0);
  Put(*file->getDataset(), DCM_NumberOfFrames, "6");
  std::vector<Uint16> cells;
  for (unsigned k = 0; k < Slices; ++k)
  {
    const auto frame = Cells(k);
    cells.insert(cells.end(), frame.begin(), frame.end());
  }
  PutPixels(*file->getDataset(), cells);
  Save(*file, folder / "plain");
  ExpectRefusal(folder, "multi-frame", { "NumberOfFrames (0028,0008)", "\"6\"" });
}

TEST(DICOMEnhancedCT, ReadsNativeEncodings)
{
  for (const auto syntax :
       { EXS_LittleEndianImplicit, EXS_LittleEndianExplicit, EXS_BigEndianExplicit, EXS_DeflatedLittleEndianExplicit })
  {
    SCOPED_TRACE(DcmXfer(syntax).getXferName());
    const TemporaryFolder folder;
    Save(*MakeEnhanced(MakeFrames(Shuffled)), folder / "enhanced", syntax);
    ExpectPhantom(folder);
  }
}

TEST(DICOMEnhancedCT, ReadsLosslessCompression)
{
  RegisterEncoders();
  const DJ_RPLossless                                                                lossless;
  const std::vector<std::pair<E_TransferSyntax, const DcmRepresentationParameter *>> encodings = {
    { EXS_RLELossless, nullptr }, { EXS_JPEGProcess14SV1, &lossless }, { EXS_JPEGLSLossless, nullptr }
  };
  for (const auto & [syntax, parameter] : encodings)
  {
    SCOPED_TRACE(DcmXfer(syntax).getXferName());
    const TemporaryFolder folder;
    const auto            file = MakeEnhanced(MakeFrames(Shuffled));
    ASSERT_TRUE(file->getDataset()->chooseRepresentation(syntax, parameter).good());
    Save(*file, folder / "enhanced", syntax);
    ExpectPhantom(folder);
  }
}

TEST(DICOMEnhancedCT, ReadsJPEG2000FrameByFrame)
{
  const auto write = [](const TemporaryFolder & folder, std::size_t fragments) {
    const auto   file = MakeEnhanced(MakeFrames(Shuffled));
    auto * const sequence = new DcmPixelSequence(DCM_PixelSequenceTag);
    sequence->insert(new DcmPixelItem(DCM_PixelItemTag));
    DcmOffsetList offsets;
    for (std::size_t i = 0; i < fragments; ++i)
    {
      const auto             cells = Cells(Shuffled[i]);
      std::vector<OPJ_INT32> values(cells.begin(), cells.end());
      auto                   bytes = EncodeJPEG2000(values, false, false);
      ASSERT_TRUE(sequence->storeCompressedFrame(offsets, bytes.data(), static_cast<Uint32>(bytes.size()), 0).good());
    }
    auto * const pixels = new DcmPixelData(DCM_PixelData);
    pixels->putOriginalRepresentation(EXS_JPEG2000LosslessOnly, nullptr, sequence);
    ASSERT_TRUE(file->getDataset()->insert(pixels, OFTrue).good());
    Save(*file, folder / "enhanced", EXS_JPEG2000LosslessOnly);
  };
  const TemporaryFolder folder;
  write(folder, Shuffled.size());
  ExpectPhantom(folder);
  const TemporaryFolder tooFew;
  write(tooFew, Shuffled.size() - 1);
  ExpectRefusal(tooFew, "pixel-data", { "5 fragment(s) for 6 frame(s)" });
}

TEST(DICOMEnhancedCT, ThreadsShareAFile)
{
  const TemporaryFolder folder;
  std::vector<unsigned> order;
  auto                  frames = MakeFrames({});
  for (unsigned i = 0; i < 120; ++i)
  {
    Frame frame;
    frame.k = (i * 77) % 120;
    frame.position = "0\\0\\" + std::to_string(frame.k);
    frames.push_back(frame);
  }
  Save(*MakeEnhanced(frames), folder / "enhanced");
  for (const unsigned threads : { 1u, 8u })
  {
    const auto reader = MakeReader(folder);
    reader->GetMultiThreader()->SetMaximumNumberOfThreads(threads);
    reader->GetMultiThreader()->SetNumberOfWorkUnits(threads);
    ASSERT_NO_THROW(reader->Update());
    for (unsigned k = 0; k < 120; ++k)
    {
      ASSERT_EQ(reader->GetOutput()->GetPixel({ { 7, 3, k } }), static_cast<float>(PhantomHU(7, 3, k))) << k;
    }
  }
}
