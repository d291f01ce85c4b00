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

// DICOMRadiographReader over one file: what libFuzzer gives. Each input must end in an image of finite pixels on a
// proper grid with a view that fits it, or in an exception that names the file.

#include "ElementMutator.h"
#include "FuzzTools.h"

#include "itkDICOMRadiographReader.h"

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
  const auto                       path = folder.Write("x", { reinterpret_cast<const char *>(data), size });
  const auto                       reader = itk::DICOMRadiographReader::New();
  reader->SetFileName(path);
  reader->SetFrame(1);
  reader->SetMaximumNumberOfPixels(1 << 16);
  if (size % 2 == 1) // as for a file that lacks these, so that pixels and shutters are reached more often
  {
    reader->SetPatientPosition(itk::RadiographGeometry::PatientPosition::HFS);
    reader->SetPrimaryAngle(0.5);
    reader->SetSecondaryAngle(0.25);
    reader->SetSourceIsocenterDistance(1000.0);
    reader->SetSourceDetectorDistance(1500.0);
    reader->SetPitch(0.4, 0.5);
  }
  try
  {
    reader->Update();
  }
  catch (const itk::ExceptionObject & error)
  {
    const std::string_view text(error.GetDescription());
    fuzz::Require(text.find(path) != std::string_view::npos ||
                    text.find("MaximumNumberOfPixels") != std::string_view::npos,
                  "an error that names the file:",
                  error.GetDescription());
    return 0;
  }
  fuzz::RequireUsableImage(*reader->GetOutput());
  fuzz::Require(reader->GetGeometry() != nullptr &&
                  reader->GetGeometry()->GetDetectorSize() == reader->GetOutput()->GetLargestPossibleRegion().GetSize(),
                "a view of the image's size");
  const auto & mask = *reader->GetMaskOutput();
  for (itk::SizeValueType i = 0; i < mask.GetBufferedRegion().GetNumberOfPixels(); ++i)
  {
    fuzz::Require(mask.GetBufferPointer()[i] < 2, "a mask of 0 and 1");
  }
  return 0;
}
