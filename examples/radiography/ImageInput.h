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
#ifndef ImageInput_h
#define ImageInput_h

#include "Console.h"

#include "itkImageFileReader.h"

#include <string>

namespace radiography::program
{

/** Looks into an image file without reading its pixels.
 * \throws Failure, with the hint, if no reader knows the format; if there is more than one value per pixel. */
itk::ImageIOBase::Pointer
OpenImageFile(const std::string & path, const std::string & what, const std::string & hint);

/** Reads what was opened. */
template <typename TImage>
typename TImage::Pointer
ReadImageFile(itk::ImageIOBase & io, const Console & console)
{
  const auto reader = itk::ImageFileReader<TImage>::New();
  reader->SetFileName(io.GetFileName());
  reader->SetImageIO(&io);
  console.Watch(*reader, "reading");
  reader->Update();
  typename TImage::Pointer image = reader->GetOutput();
  image->DisconnectPipeline();
  return image;
}

} // namespace radiography::program

#endif
