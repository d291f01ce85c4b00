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
#ifndef ImageOutput_h
#define ImageOutput_h

#include "Console.h"
#include "Errors.h"

#include "itkImageFileReader.h"
#include "itkImageFileWriter.h"

#include <cstring>
#include <fstream>
#include <string>

namespace radiography::program
{

/** Whether a file is no PNG, or one that ends as a PNG does, with its IEND chunk (PNG specification, 11.2.5). ITK 5.2's
 * reader ends the whole program on a PNG that breaks off within its header. */
inline bool
IsWholeIfPNG(const std::string & path)
{
  constexpr char signature[] = "\x89PNG";
  constexpr char end[] = "IEND\xae\x42\x60\x82";
  const auto     holds = [](std::ifstream & file, const std::string & expected) {
    std::string bytes(expected.size(), '\0');
    file.read(&bytes[0], static_cast<std::streamsize>(bytes.size()));
    return file && bytes == expected;
  };
  std::ifstream     file(path, std::ios::binary);
  const std::string last(end, sizeof(end) - 1);
  if (!holds(file, signature))
  {
    return true;
  }
  file.seekg(-static_cast<std::streamoff>(last.size()), std::ios::end);
  return holds(file, last);
}

/** Writes an image, and makes sure that it is there: some of ITK's formats do not notice a full disc, so the file is
 * read back and compared, pixel by pixel.
 * \throws Failure if the file is not complete. */
template <typename TImage>
void
WriteWholeImage(const TImage & image, const std::string & path, bool compress, const Console * console = nullptr)
{
  const auto writer = itk::ImageFileWriter<TImage>::New();
  writer->SetInput(&image);
  writer->SetFileName(path);
  writer->SetUseCompression(compress);
  if (console)
  {
    console->Watch(*writer, "writing");
  }
  writer->Update();

  const Failure incomplete("the output could not be written completely", "is the disc full?");
  if (!IsWholeIfPNG(path))
  {
    throw incomplete;
  }
  const auto reader = itk::ImageFileReader<TImage>::New();
  reader->SetFileName(path);
  try
  {
    reader->Update();
  }
  catch (const itk::ExceptionObject &)
  {
    throw incomplete;
  }
  const TImage & back = *reader->GetOutput();
  const auto     pixels = image.GetBufferedRegion().GetNumberOfPixels();
  const bool     same =
    back.GetBufferedRegion().GetNumberOfPixels() == pixels &&
    std::memcmp(back.GetBufferPointer(), image.GetBufferPointer(), pixels * sizeof(typename TImage::PixelType)) == 0;
  if (!same)
  {
    throw incomplete;
  }
}

} // namespace radiography::program

#endif
