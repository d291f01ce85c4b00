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

#include <dcmtk/dcmdata/dcpixel.h>
#include <dcmtk/dcmdata/dcpixseq.h>
#include <dcmtk/dcmdata/dcpxitem.h>
#include <dcmtk/dcmdata/dcrleerg.h>
#include <dcmtk/dcmjpeg/djencode.h>
#include <dcmtk/dcmjpeg/djrploss.h>
#include <dcmtk/dcmjpeg/djrplol.h>
#include <dcmtk/dcmjpls/djencode.h>
#include <dcmtk/dcmjpls/djrparam.h>

#include <openjpeg.h>

using namespace phantom;

namespace
{

void
RegisterEncoders()
{
  static const bool once = [] {
    DcmRLEEncoderRegistration::registerCodecs();
    DJEncoderRegistration::registerCodecs();
    DJLSEncoderRegistration::registerCodecs();
    return true;
  }();
  ASSERT_TRUE(once);
}

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

// --- JPEG 2000, which DCMTK does not encode ------------------------------------------------------

struct Output
{
  std::vector<Uint8> bytes;
  std::size_t        offset{ 0 };
};

OPJ_SIZE_T
Write(void * data, OPJ_SIZE_T count, void * user)
{
  auto &       output = *static_cast<Output *>(user);
  const auto * begin = static_cast<const Uint8 *>(data);
  output.bytes.resize(std::max<std::size_t>(output.bytes.size(), output.offset + count));
  std::copy(begin, begin + count, output.bytes.begin() + static_cast<std::ptrdiff_t>(output.offset));
  output.offset += count;
  return count;
}

OPJ_BOOL
Seek(OPJ_OFF_T position, void * user)
{
  static_cast<Output *>(user)->offset = static_cast<std::size_t>(position);
  return OPJ_TRUE;
}

std::vector<Uint8>
EncodeJPEG2000(const std::vector<OPJ_INT32> & values, bool isSigned, bool isLossy)
{
  opj_image_cmptparm_t component{};
  component.dx = component.dy = 1;
  component.w = Columns;
  component.h = Rows;
  component.prec = 16;
  component.sgnd = isSigned ? 1 : 0;
  opj_image_t * image = opj_image_create(1, &component, OPJ_CLRSPC_GRAY);
  image->x1 = Columns;
  image->y1 = Rows;
  std::copy(values.begin(), values.end(), image->comps[0].data);
  opj_cparameters_t parameters;
  opj_set_default_encoder_parameters(&parameters);
  parameters.numresolution = 2;
  parameters.tcp_numlayers = 1;
  parameters.cp_disto_alloc = 1;
  parameters.irreversible = isLossy ? 1 : 0;
  opj_codec_t *  codec = opj_create_compress(OPJ_CODEC_J2K);
  Output         output;
  opj_stream_t * stream = opj_stream_create(1 << 16, OPJ_FALSE);
  opj_stream_set_user_data(stream, &output, nullptr);
  opj_stream_set_write_function(stream, Write);
  opj_stream_set_seek_function(stream, Seek);
  EXPECT_TRUE(opj_setup_encoder(codec, &parameters, image) && opj_start_compress(codec, image, stream) &&
              opj_encode(codec, stream) && opj_end_compress(codec, stream));
  opj_stream_destroy(stream);
  opj_destroy_codec(codec);
  opj_image_destroy(image);
  return output.bytes;
}

void
PutFrame(Dataset & dataset, E_TransferSyntax syntax, std::vector<Uint8> bytes)
{
  auto * const sequence = new DcmPixelSequence(DCM_PixelSequenceTag);
  auto * const offsets = new DcmPixelItem(DCM_PixelItemTag);
  sequence->insert(offsets);
  DcmOffsetList list;
  ASSERT_TRUE(sequence->storeCompressedFrame(list, bytes.data(), static_cast<Uint32>(bytes.size()), 0).good());
  auto * const pixels = new DcmPixelData(DCM_PixelData);
  pixels->putOriginalRepresentation(syntax, nullptr, sequence);
  ASSERT_TRUE(dataset.insert(pixels, OFTrue).good());
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
