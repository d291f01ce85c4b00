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

using namespace phantom;

namespace
{

/** Signed values on both sides of 0, when signed. */
void
ShiftValues(Dataset & d, unsigned k, bool isSigned)
{
  if (isSigned)
  {
    PutWord(d, DCM_PixelRepresentation, 1);
    PutPixels(d, Cells(k, [](int v) { return static_cast<Uint16>(v - 2000); }));
  }
}

void
ExpectShiftedPhantom(const TemporaryFolder & folder, bool isSigned)
{
  const auto reader = MakeReader(folder);
  ASSERT_NO_THROW(reader->Update());
  EXPECT_TRUE(reader->GetWarnings().empty());
  ExpectVoxels(*reader->GetOutput(),
               [isSigned](unsigned c, unsigned r, unsigned k) { return PhantomHU(c, r, k) - (isSigned ? 2000 : 0); });
}

void
ExpectLossless(E_TransferSyntax syntax, const DcmRepresentationParameter * parameter = nullptr)
{
  RegisterEncoders();
  for (const bool isSigned : { false, true })
  {
    SCOPED_TRACE(std::string(DcmXfer(syntax).getXferName()) + (isSigned ? ", signed" : ", unsigned"));
    const TemporaryFolder folder;
    for (unsigned k = 0; k < Slices; ++k)
    {
      const auto file = MakeSlice(k);
      ShiftValues(*file->getDataset(), k, isSigned);
      ASSERT_TRUE(file->getDataset()->chooseRepresentation(syntax, parameter).good());
      Save(*file, folder / std::to_string(k), syntax);
    }
    ExpectShiftedPhantom(folder, isSigned);
  }
}

/** Where the codestream says another sign than PixelRepresentation, it holds the same 16 bits. */
void
WriteJPEG2000(const TemporaryFolder & folder, bool isSigned, bool codestreamIsSigned, bool isLossy)
{
  const auto syntax = isLossy ? EXS_JPEG2000 : EXS_JPEG2000LosslessOnly;
  for (unsigned k = 0; k < Slices; ++k)
  {
    const auto file = MakeSlice(k);
    ShiftValues(*file->getDataset(), k, isSigned);
    std::vector<OPJ_INT32> values;
    for (const Uint16 cell : Cells(k, [&](int v) { return static_cast<Uint16>(isSigned ? v - 2000 : v); }))
    {
      values.push_back(codestreamIsSigned ? static_cast<Sint16>(cell) : static_cast<OPJ_INT32>(cell));
    }
    PutFrame(*file->getDataset(), syntax, EncodeJPEG2000(values, codestreamIsSigned, isLossy));
    Save(*file, folder / ("j" + std::to_string(k)), syntax);
  }
}

} // namespace

TEST(DICOMTransferSyntax, ReadsNativeEncodings)
{
  for (const auto syntax :
       { EXS_LittleEndianImplicit, EXS_LittleEndianExplicit, EXS_BigEndianExplicit, EXS_DeflatedLittleEndianExplicit })
  {
    ExpectLossless(syntax);
  }
}

TEST(DICOMTransferSyntax, ReadsFilesWithoutPreambleOrMetaHeader)
{
  const TemporaryFolder folder;
  for (unsigned k = 0; k < Slices; ++k)
  {
    const auto path = (folder / std::to_string(k)).string();
    ASSERT_TRUE(MakeSlice(k)->getDataset()->saveFile(path.c_str(), EXS_LittleEndianImplicit).good());
  }
  ExpectPhantom(folder);
}

TEST(DICOMTransferSyntax, ReadsLosslessCompression)
{
  ExpectLossless(EXS_RLELossless);
  const DJ_RPLossless jpeg;
  ExpectLossless(EXS_JPEGProcess14, &jpeg);
  ExpectLossless(EXS_JPEGProcess14SV1, &jpeg);
  const DJLSRepresentationParameter jpegLS(0, OFTrue);
  ExpectLossless(EXS_JPEGLSLossless, &jpegLS);
}

TEST(DICOMTransferSyntax, ReadsJPEG2000WhateverTheSignOfItsCodestream)
{
  for (const bool isSigned : { false, true })
  {
    for (const bool codestreamIsSigned : { false, true })
    {
      SCOPED_TRACE(::testing::Message() << "signed " << isSigned << ", codestream " << codestreamIsSigned);
      const TemporaryFolder folder;
      WriteJPEG2000(folder, isSigned, codestreamIsSigned, false);
      ExpectShiftedPhantom(folder, isSigned);
    }
  }
}

TEST(DICOMTransferSyntax, SaysThatJPEG2000WasLossy)
{
  const TemporaryFolder folder;
  WriteJPEG2000(folder, true, true, true);
  const auto reader = MakeReader(folder);
  ASSERT_NO_THROW(reader->Update());
  ASSERT_EQ(reader->GetWarnings().size(), 1u);
  EXPECT_NE(reader->GetWarnings()[0].find("lossy"), std::string::npos);
  EXPECT_NEAR(reader->GetOutput()->GetPixel({ { 3, 4, 5 } }), PhantomHU(3, 4, 5) - 2000, 3.0);
}

TEST(DICOMTransferSyntax, RefusesLossyJPEG2000OfAnotherSign)
{
  const TemporaryFolder folder;
  WriteJPEG2000(folder, true, false, true);
  const std::string error = UpdateError(folder.String());
  EXPECT_NE(error.find("j0"), std::string::npos) << error;
  EXPECT_NE(error.find("codestream is unsigned"), std::string::npos) << error;
}

TEST(DICOMTransferSyntax, RefusesDamagedJPEG2000)
{
  const TemporaryFolder folder;
  WriteJPEG2000(folder, false, false, false);
  const auto file = MakeSlice(2);
  auto       bytes = EncodeJPEG2000(std::vector<OPJ_INT32>(Columns * Rows, 17), false, false);
  bytes.resize(bytes.size() / 2);
  PutFrame(*file->getDataset(), EXS_JPEG2000LosslessOnly, bytes);
  Save(*file, folder / "j2", EXS_JPEG2000LosslessOnly);
  EXPECT_NE(UpdateError(folder.String()).find("j2"), std::string::npos) << UpdateError(folder.String());
}

TEST(DICOMTransferSyntax, RefusesLossyJPEGLSWhereItCanTurnTheSign)
{
  RegisterEncoders();
  const DJLSRepresentationParameter nearLossless(2, OFFalse);
  for (const bool atTheEnd : { false, true })
  {
    const TemporaryFolder folder;
    const auto            file = MakeSlice(0);
    auto                  cells = Cells(0, [](int v) { return static_cast<Uint16>(v - 1100); });
    // Between values far away, so that the encoder's errors of -2 to 2 all come up next to the largest value, 0x7fff.
    for (unsigned i = 0; i < 40; i += 2)
    {
      cells[17 + i] = atTheEnd ? 0x7fff : 0x7ff0;
      cells[18 + i] = static_cast<Uint16>(0x6000 + 3 * i);
    }
    PutPixels(*file->getDataset(), cells);
    const OFCondition encoded = file->getDataset()->chooseRepresentation(EXS_JPEGLSLossy, &nearLossless);
    ASSERT_TRUE(encoded.good()) << encoded.text();
    // DCMTK writes no such thing, others do: the bits are encoded as unsigned ones and then called signed.
    PutWord(*file->getDataset(), DCM_PixelRepresentation, 1);
    Save(*file, folder / "near", EXS_JPEGLSLossy);
    const std::string error = UpdateError(folder.String());
    EXPECT_EQ(error.empty(), !atTheEnd) << error;
    EXPECT_EQ(error.find("can change the sign") != std::string::npos, atTheEnd) << error;
  }
}

TEST(DICOMTransferSyntax, RefusesLossyJPEGOfSignedValues)
{
  RegisterEncoders();
  const DJ_RPLossy      quality(90);
  const TemporaryFolder folder;
  const auto            file = MakeSlice(0);
  PutWord(*file->getDataset(), DCM_BitsStored, 12);
  PutWord(*file->getDataset(), DCM_HighBit, 11);
  const OFCondition encoded = file->getDataset()->chooseRepresentation(EXS_JPEGProcess2_4, &quality);
  ASSERT_TRUE(encoded.good()) << encoded.text();
  PutWord(*file->getDataset(), DCM_PixelRepresentation, 1);
  Save(*file, folder / "dct", EXS_JPEGProcess2_4);
  const std::string error = UpdateError(folder.String());
  EXPECT_NE(error.find("lossy JPEG encoding of signed values"), std::string::npos) << error;
}

TEST(DICOMTransferSyntax, RefusesNativePixelsThatAreDeclaredCompressed)
{
  const TemporaryFolder folder;
  WriteSeries(folder);
  // The transfer syntax UID in the meta header is overwritten by a longer one of the same length with padding.
  std::fstream      file(folder / "s2", std::ios::in | std::ios::out | std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::string native = std::string("1.2.840.10008.1.2.1") + '\0';
  const auto        at = bytes.find(native);
  ASSERT_NE(at, std::string::npos);
  file.seekp(static_cast<std::streamoff>(at));
  file << "1.2.840.10008.1.2.5";
  file.close();
  ExpectRefusal(folder, "damaged-file", { "s2" });
}

TEST(DICOMTransferSyntax, RefusesFragmentsThatAreTooShort)
{
  for (const auto syntax : { EXS_RLELossless, EXS_JPEGProcess14SV1, EXS_JPEGLSLossless })
  {
    for (const unsigned length : { 0u, 2u, 62u })
    {
      const TemporaryFolder folder;
      const auto            file = MakeSlice(0);
      auto * const          sequence = new DcmPixelSequence(DCM_PixelSequenceTag);
      sequence->insert(new DcmPixelItem(DCM_PixelItemTag));
      auto * const             fragment = new DcmPixelItem(DCM_PixelItemTag);
      const std::vector<Uint8> bytes(length + 1);
      ASSERT_TRUE(fragment->putUint8Array(bytes.data(), length).good());
      sequence->insert(fragment);
      auto * const pixels = new DcmPixelData(DCM_PixelData);
      pixels->putOriginalRepresentation(syntax, nullptr, sequence);
      ASSERT_TRUE(file->getDataset()->insert(pixels, OFTrue).good());
      Save(*file, folder / "short", syntax);
      EXPECT_NE(UpdateError(folder.String()).find("short"), std::string::npos)
        << DcmXfer(syntax).getXferName() << length;
    }
  }
}

TEST(DICOMTransferSyntax, RefusesDamagedRLE)
{
  RegisterEncoders();
  // Of the fragment: number of segments, the second one's offset, the first code, and the end, which is cut.
  for (const unsigned at : { 0u, 9u, 64u, 1000u })
  {
    const TemporaryFolder folder;
    const auto            file = MakeSlice(0);
    Dataset &             d = *file->getDataset();
    ASSERT_TRUE(d.chooseRepresentation(EXS_RLELossless, nullptr).good());
    DcmElement *       element = nullptr;
    DcmPixelSequence * sequence = nullptr;
    DcmPixelItem *     fragment = nullptr;
    Uint8 *            data = nullptr;
    ASSERT_TRUE(d.findAndGetElement(DCM_PixelData, element).good());
    ASSERT_TRUE(
      dynamic_cast<DcmPixelData &>(*element).getEncapsulatedRepresentation(EXS_RLELossless, nullptr, sequence).good());
    ASSERT_TRUE(sequence->getItem(fragment, 1).good() && fragment->getUint8Array(data).good());
    std::vector<Uint8> bytes(data, data + fragment->getLength());
    if (at < bytes.size())
    {
      bytes[at] = static_cast<Uint8>(bytes[at] + 3);
    }
    else
    {
      bytes.resize(bytes.size() - 6);
    }
    ASSERT_TRUE(fragment->putUint8Array(bytes.data(), bytes.size()).good());
    Save(*file, folder / "rle", EXS_RLELossless);
    const auto error = UpdateError(folder.String());
    EXPECT_NE(error.find("rle"), std::string::npos) << at;
    EXPECT_NE(error.find("RLE encoding"), std::string::npos) << at << ": " << error;
  }
}
