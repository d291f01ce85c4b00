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
#include "ImageInput.h"

#include "Errors.h"
#include "ImageOutput.h"

#include "itkImageIOFactory.h"

#include <filesystem>

namespace radiography::program
{

itk::ImageIOBase::Pointer
OpenImageFile(const std::string & path, const std::string & what, const std::string & hint)
{
  if (!std::filesystem::exists(path))
  {
    throw Failure("there is no " + path);
  }
  if (!IsWholeIfPNG(path))
  {
    throw Failure(path + " is a PNG that breaks off");
  }
  auto io = itk::ImageIOFactory::CreateImageIO(path.c_str(), itk::ImageIOFactory::IOFileModeEnum::ReadMode);
  if (!io)
  {
    throw Failure("cannot read " + path + " as " + what + ": no reader knows its format", hint);
  }
  io->SetFileName(path);
  io->ReadImageInformation();
  if (io->GetNumberOfComponents() != 1)
  {
    throw Failure(path + " has " + std::to_string(io->GetNumberOfComponents()) + " values per pixel; " + what +
                  " has one");
  }
  return io;
}

} // namespace radiography::program
