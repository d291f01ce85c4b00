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

// DICOMCTVolumeReader over a folder of one to four files: what libFuzzer gives, cut where it says so. Each input must
// end in a volume of finite voxels on a proper grid, or in an exception that says something.

#include "ElementMutator.h"
#include "FuzzTools.h"

#include "itkDICOMCTVolumeReader.h"

namespace
{

/** Empties what the input before left there. */
void
WriteFiles(const fuzz::ScratchFolder & folder, std::string_view input)
{
  constexpr std::size_t most = 4;
  for (std::size_t i = 0; i < most; ++i)
  {
    const std::string name(1, static_cast<char>('a' + i));
    if (input.empty())
    {
      std::error_code ignored;
      std::filesystem::remove(folder.Path() + "/" + name, ignored);
      continue;
    }
    const auto end = i + 1 == most ? std::string_view::npos : input.find(fuzz::FileSeparator);
    folder.Write(name, input.substr(0, end));
    input.remove_prefix(end == std::string_view::npos ? input.size() : end + fuzz::FileSeparator.size());
  }
}

void
Read(const std::string & path, bool resample)
{
  const auto reader = itk::DICOMCTVolumeReader::New();
  reader->SetPath(path);
  reader->SetMaximumNumberOfVoxels(1 << 16);
  reader->SetResample(resample);
  try
  {
    reader->Update();
  }
  catch (const itk::ExceptionObject & error)
  {
    fuzz::Require(std::string_view(error.GetDescription()).size() > 20, "an error that says something");
    return;
  }
  fuzz::RequireUsableImage(*reader->GetOutput());
}

} // namespace

extern "C" int
LLVMFuzzerInitialize(int *, char ***)
{
  fuzz::UseOneThread();
  return 0;
}

extern "C" int
LLVMFuzzerTestOneInput(const std::uint8_t * data, std::size_t size)
{
  static const fuzz::ScratchFolder folder;
  WriteFiles(folder, { reinterpret_cast<const char *>(data), size });
  // Resampling asks for nothing that the strict way refuses for another reason than the stack's shape.
  Read(folder.Path(), size % 2 == 0);
  return 0;
}
