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
#ifndef FuzzTools_h
#define FuzzTools_h

#include "itkImage.h"
#include "itkMultiThreaderBase.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

/** What the fuzz targets share. */
namespace fuzz
{

/** Between two files of one input. */
constexpr std::string_view FileSeparator = "--NEXT-FILE--";

/** Ends the program, so that libFuzzer keeps the input: what was read is neither right nor refused. */
inline void
Require(bool isSo, const char * what, const std::string & detail = {})
{
  if (!isSo)
  {
    std::fprintf(stderr, "REQUIRED: %s %s\n", what, detail.c_str());
    std::abort();
  }
}

/** A folder in memory, where there is such a file system. Left behind if the target ends in a crash. */
class ScratchFolder
{
public:
  ScratchFolder()
  {
    std::string name = std::filesystem::is_directory("/dev/shm") ? "/dev/shm" : std::filesystem::temp_directory_path();
    name += "/radiography-fuzz-XXXXXX";
    Require(mkdtemp(name.data()) != nullptr, "a scratch folder");
    m_Path = name;
  }
  ~ScratchFolder()
  {
    std::error_code ignored;
    std::filesystem::remove_all(m_Path, ignored);
  }
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &
  operator=(const ScratchFolder &) = delete;

  std::string
  Write(const std::string & name, std::string_view bytes) const
  {
    const std::string path = m_Path + "/" + name;
    std::FILE * const file = std::fopen(path.c_str(), "wb");
    Require(file != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size(), "a scratch file");
    std::fclose(file);
    return path;
  }

  const std::string &
  Path() const
  {
    return m_Path;
  }

private:
  std::string m_Path;
};

/** One thread: a run is then the same whenever the input is. */
inline void
UseOneThread()
{
  itk::MultiThreaderBase::SetGlobalMaximumNumberOfThreads(1);
  itk::MultiThreaderBase::SetGlobalDefaultNumberOfThreads(1);
}

/** A grid that ITK's and this module's filters can work with, and finite pixels. */
template <typename TImage>
void
RequireUsableImage(const TImage & image)
{
  const auto region = image.GetBufferedRegion();
  Require(region.GetNumberOfPixels() > 0 && region == image.GetLargestPossibleRegion(), "a whole image");
  for (unsigned int i = 0; i < TImage::ImageDimension; ++i)
  {
    Require(std::isfinite(image.GetOrigin()[i]), "a finite origin");
    Require(std::isfinite(image.GetSpacing()[i]) && image.GetSpacing()[i] > 0.0, "a positive spacing");
    for (unsigned int j = 0; j < TImage::ImageDimension; ++j)
    {
      double product = 0.0;
      for (unsigned int k = 0; k < TImage::ImageDimension; ++k)
      {
        product += image.GetDirection()(k, i) * image.GetDirection()(k, j);
      }
      Require(std::abs(product - (i == j ? 1.0 : 0.0)) < 1e-6, "an orthonormal direction");
    }
  }
  for (itk::SizeValueType i = 0; i < region.GetNumberOfPixels(); ++i)
  {
    Require(std::isfinite(static_cast<double>(image.GetBufferPointer()[i])), "finite pixels");
  }
}

} // namespace fuzz

#endif
