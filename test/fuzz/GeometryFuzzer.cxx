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

// The text readers of views: JSON, and RTK's XML. An input that starts with "<" is XML. What JSON gives must be written
// and read back to the same text.

#include "FuzzTools.h"

#include "itkRadiographGeometryJSON.h"
#include "itkRadiographGeometryRTK.h"

namespace
{

void
ParseXML(const std::string & text)
{
  const itk::RadiographGeometryRTK::Detector detector{ { 12, 10, 0.4, 0.5 }, -2.0, -2.0 };
  for (const auto & projection : itk::RadiographGeometryRTK::Parse(text, detector))
  {
    fuzz::Require(projection.view != nullptr, "a view");
  }
}

void
ParseJSON(const std::string & text)
{
  const auto view = itk::RadiographGeometryJSON::Parse(text);
  const auto written = itk::RadiographGeometryJSON::Serialize(view);
  const auto again = itk::RadiographGeometryJSON::Serialize(itk::RadiographGeometryJSON::Parse(written));
  fuzz::Require(written == again, "the same view from the text written of it", written);
}

} // namespace

extern "C" int
LLVMFuzzerTestOneInput(const std::uint8_t * data, std::size_t size)
{
  const std::string text(reinterpret_cast<const char *>(data), size);
  try
  {
    text.rfind('<', 0) == 0 ? ParseXML(text) : ParseJSON(text);
  }
  catch (const itk::ExceptionObject & error)
  {
    fuzz::Require(std::string_view(error.GetDescription()).size() > 10, "an error that says something");
  }
  return 0;
}
