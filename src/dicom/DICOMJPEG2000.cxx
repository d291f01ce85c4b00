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
#include "dicom/DICOMJPEG2000.h"

#include "dicom/DICOMTagReader.h"

#include <openjpeg.h>

#include <algorithm>
#include <cstring>
#include <memory>

namespace radiography::dicom
{
namespace
{

/** What OpenJPEG reads from. */
struct MemoryReader
{
  const std::vector<std::uint8_t> & bytes;
  std::size_t                       offset{ 0 };

  static MemoryReader &
  From(void * user)
  {
    return *static_cast<MemoryReader *>(user);
  }
};

OPJ_SIZE_T
Read(void * buffer, OPJ_SIZE_T count, void * user)
{
  auto &     reader = MemoryReader::From(user);
  const auto taken = std::min<std::size_t>(count, reader.bytes.size() - reader.offset);
  if (taken == 0)
  {
    return static_cast<OPJ_SIZE_T>(-1); // OpenJPEG's sign of the end
  }
  std::memcpy(buffer, reader.bytes.data() + reader.offset, taken);
  reader.offset += taken;
  return taken;
}

OPJ_OFF_T
Skip(OPJ_OFF_T count, void * user)
{
  auto & reader = MemoryReader::From(user);
  if (count < 0 || static_cast<std::size_t>(count) > reader.bytes.size() - reader.offset)
  {
    return -1;
  }
  reader.offset += static_cast<std::size_t>(count);
  return count;
}

OPJ_BOOL
Seek(OPJ_OFF_T position, void * user)
{
  auto & reader = MemoryReader::From(user);
  if (position < 0 || static_cast<std::size_t>(position) > reader.bytes.size())
  {
    return OPJ_FALSE;
  }
  reader.offset = static_cast<std::size_t>(position);
  return OPJ_TRUE;
}

/** OpenJPEG decodes what it can of a truncated codestream and only warns: that is an error here. */
void
Complain(const char * message, void * user)
{
  *static_cast<std::string *>(user) += Trimmed(message) + "; ";
}

struct StreamDeleter
{
  void
  operator()(opj_stream_t * stream) const
  {
    opj_stream_destroy(stream);
  }
};
struct CodecDeleter
{
  void
  operator()(opj_codec_t * codec) const
  {
    opj_destroy_codec(codec);
  }
};
struct ImageDeleter
{
  void
  operator()(opj_image_t * image) const
  {
    opj_image_destroy(image);
  }
};

std::unique_ptr<opj_stream_t, StreamDeleter>
OpenStream(MemoryReader & reader)
{
  std::unique_ptr<opj_stream_t, StreamDeleter> stream(opj_stream_create(1 << 16, OPJ_TRUE));
  if (stream)
  {
    opj_stream_set_user_data(stream.get(), &reader, nullptr);
    opj_stream_set_user_data_length(stream.get(), reader.bytes.size());
    opj_stream_set_read_function(stream.get(), Read);
    opj_stream_set_skip_function(stream.get(), Skip);
    opj_stream_set_seek_function(stream.get(), Seek);
  }
  return stream;
}

[[noreturn]] void
Refuse(const std::string & why)
{
  throw FileError("pixel-data", "its JPEG 2000 codestream cannot be decoded: " + why);
}

void
CheckImage(const opj_image_t & image, unsigned columns, unsigned rows)
{
  if (image.numcomps != 1)
  {
    Refuse(std::to_string(image.numcomps) + " components instead of 1");
  }
  const auto & component = image.comps[0];
  if (component.w != columns || component.h != rows)
  {
    Refuse("it has " + std::to_string(component.w) + " x " + std::to_string(component.h) + " pixels instead of " +
           std::to_string(columns) + " x " + std::to_string(rows));
  }
  if (component.prec == 0 || component.prec > 16)
  {
    Refuse("precision of " + std::to_string(component.prec) + " bits");
  }
}

} // namespace

JPEG2000Image
DecodeJPEG2000(const std::vector<std::uint8_t> & codestream, unsigned columns, unsigned rows)
{
  // Some writers wrap the codestream into the JP2 file format, which starts with this box.
  constexpr std::uint8_t jp2Start[] = { 0, 0, 0, 12, 'j', 'P', ' ', ' ' };
  const bool             isFile =
    codestream.size() > sizeof(jp2Start) && std::equal(std::begin(jp2Start), std::end(jp2Start), codestream.begin());
  std::string                                complaints;
  MemoryReader                               reader{ codestream };
  const auto                                 stream = OpenStream(reader);
  std::unique_ptr<opj_codec_t, CodecDeleter> codec(opj_create_decompress(isFile ? OPJ_CODEC_JP2 : OPJ_CODEC_J2K));
  opj_dparameters_t                          parameters;
  opj_set_default_decoder_parameters(&parameters);
  opj_image_t * rawImage = nullptr;
  if (!stream || !codec)
  {
    Refuse("not enough memory");
  }
  opj_set_warning_handler(codec.get(), Complain, &complaints);
  opj_set_error_handler(codec.get(), Complain, &complaints);
  const bool headerRead =
    opj_setup_decoder(codec.get(), &parameters) && opj_read_header(stream.get(), codec.get(), &rawImage);
  const std::unique_ptr<opj_image_t, ImageDeleter> image(rawImage);
  if (!headerRead || !image)
  {
    Refuse("bad header; " + complaints);
  }
  CheckImage(*image, columns, rows);
  const bool decoded =
    opj_decode(codec.get(), stream.get(), image.get()) && opj_end_decompress(codec.get(), stream.get());
  if (!decoded || !complaints.empty() || image->comps[0].data == nullptr)
  {
    Refuse("damaged or incomplete; " + complaints);
  }
  const auto & component = image->comps[0];
  const auto   count = std::size_t{ columns } * rows;
  return { columns, rows, component.prec, component.sgnd != 0, { component.data, component.data + count } };
}

} // namespace radiography::dicom
