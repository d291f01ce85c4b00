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
#ifndef DICOMEncoders_h
#define DICOMEncoders_h

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

/** Compressed pixel data for the phantom's files. A source that includes this finds the library's own openjpeg.h
 * through its property INCLUDE_DIRECTORIES, see test/dicom/tests.cmake. */
namespace phantom
{

inline void
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

/** What OpenJPEG writes to: DCMTK does not encode JPEG 2000. */
struct CodestreamOutput
{
  std::vector<Uint8> bytes;
  std::size_t        offset{ 0 };
};

inline OPJ_SIZE_T
WriteCodestream(void * data, OPJ_SIZE_T count, void * user)
{
  auto &       output = *static_cast<CodestreamOutput *>(user);
  const auto * begin = static_cast<const Uint8 *>(data);
  output.bytes.resize(std::max<std::size_t>(output.bytes.size(), output.offset + count));
  std::copy(begin, begin + count, output.bytes.begin() + static_cast<std::ptrdiff_t>(output.offset));
  output.offset += count;
  return count;
}

inline OPJ_BOOL
SeekInCodestream(OPJ_OFF_T position, void * user)
{
  static_cast<CodestreamOutput *>(user)->offset = static_cast<std::size_t>(position);
  return OPJ_TRUE;
}

/** 16 bits a pixel, of the phantom's size. */
inline std::vector<Uint8>
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
  opj_codec_t *    codec = opj_create_compress(OPJ_CODEC_J2K);
  CodestreamOutput output;
  opj_stream_t *   stream = opj_stream_create(1 << 16, OPJ_FALSE);
  opj_stream_set_user_data(stream, &output, nullptr);
  opj_stream_set_write_function(stream, WriteCodestream);
  opj_stream_set_seek_function(stream, SeekInCodestream);
  EXPECT_TRUE(opj_setup_encoder(codec, &parameters, image) && opj_start_compress(codec, image, stream) &&
              opj_encode(codec, stream) && opj_end_compress(codec, stream));
  opj_stream_destroy(stream);
  opj_destroy_codec(codec);
  opj_image_destroy(image);
  return output.bytes;
}

/** One frame in one fragment. */
inline void
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

} // namespace phantom

#endif
