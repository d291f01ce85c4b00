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
// Two X-ray images of one pose: register_two_views CT_FOLDER A.nrrd A.json B.nrrd B.json OUT.tfm
// Images hold photon counts; exposures are estimated. Says how sure the pose is.

#include "ExampleTools.h"
#include "itkRadiographGeometryJSON.h"
#include "itkRadiographRegistrationMethod.h"

#include "itkImageFileReader.h"

namespace
{

/** \return whether there is a pose. */
bool
Run(char ** argv)
{
  const auto method = itk::RadiographRegistrationMethod::New();
  method->SetInput(example::ReadAttenuation(argv[1]));
  for (int view = 0; view < 2; ++view)
  {
    const auto image = itk::ReadImage<example::Image>(argv[2 + 2 * view]);
    method->AddView(image, itk::RadiographGeometryJSON::ReadFile(argv[3 + 2 * view]));
  }
  method->Update();

  const auto * result = method->GetOutput();
  std::cout << result->GetVerdict() << std::endl;
  for (const auto & reason : result->GetReasons())
  {
    std::cout << "  " << reason << std::endl;
  }
  if (result->GetTransform() == nullptr)
  {
    return false;
  }
  std::cout << "standard errors of the CT's centre in the world, mm:";
  for (const double error : result->GetTargetStandardErrors())
  {
    std::cout << ' ' << error;
  }
  std::cout << std::endl;
  example::WriteTransform(result->GetTransform(), argv[6]); // world points to CT points
  return true;
}

} // namespace

int
main(int argc, char * argv[])
{
  return example::Main(argc, argv, 7, "register_two_views CT_FOLDER A.nrrd A.json B.nrrd B.json OUT.tfm", Run);
}
