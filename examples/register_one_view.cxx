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
// One X-ray image, with an optimizer of ITK: register_one_view CT_FOLDER COUNTS.nrrd VIEW.json OUT.tfm
// The image holds photon counts. From a single view the depth along the beam is the least certain.

#include "ExampleTools.h"
#include "itkPoissonRadiographToVolumeMetricv4.h"
#include "itkRadiographGeometryJSON.h"
#include "itkRegistrationParameterScalesFromFisherInformation.h"

#include "itkEuler3DTransform.h"
#include "itkImageFileReader.h"
#include "itkRegularStepGradientDescentOptimizerv4.h"

namespace
{

bool
Run(char ** argv)
{
  const auto mu = example::ReadAttenuation(argv[1]);
  const auto pose = itk::Euler3DTransform<double>::New(); // world points to CT points
  pose->SetCenter(example::CenterOf(mu));

  const auto metric = itk::PoissonRadiographToVolumeMetricv4::New();
  metric->SetFixedImage(itk::ReadImage<example::Image>(argv[2]));
  metric->SetGeometry(itk::RadiographGeometryJSON::ReadFile(argv[3]));
  metric->SetMovingImage(mu);
  metric->SetMovingTransform(pose);
  metric->EstimateExposureOn(); // the photons of the open beam are not known
  metric->Initialize();

  const auto scales = itk::RegistrationParameterScalesFromFisherInformation::New();
  scales->SetMetric(metric);
  const auto optimizer = itk::RegularStepGradientDescentOptimizerv4<double>::New();
  optimizer->SetMetric(metric);
  optimizer->SetScalesEstimator(scales);
  optimizer->SetNumberOfIterations(300);
  optimizer->StartOptimization();
  std::cout << optimizer->GetStopConditionDescription() << "\n" << pose << std::endl;

  example::WriteTransform(pose, argv[4]);
  return true;
}

} // namespace

int
main(int argc, char * argv[])
{
  return example::Main(argc, argv, 5, "register_one_view CT_FOLDER COUNTS.nrrd VIEW.json OUT.tfm", Run);
}
