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
#include "itkDigitallyReconstructedRadiographImageFilter.h"
#include "itkTransmissionImageFilter.h"

#include <iostream>

// A block of 8 mm with mu = 0.05 / mm, seen from the front: T = exp(-0.4) in the middle.
int
main()
{
  using FilterType = itk::DigitallyReconstructedRadiographImageFilter;
  const auto ct = FilterType::ImageType::New();
  ct->SetRegions(itk::Size<3>{ { 8, 8, 8 } });
  ct->Allocate();
  ct->FillBuffer(0.05F);

  itk::RadiographGeometry::CArm arm;
  arm.sourceIsocenterDistance = 700.0;
  arm.sourceDetectorDistance = 1100.0;
  arm.isocenter.Fill(3.5);
  const auto view = itk::RadiographGeometry::New();
  view->SetCArm(arm, { 5, 5, 0.1, 0.1 });

  const auto drr = FilterType::New();
  drr->SetInput(ct);
  drr->SetGeometry(view);
  const auto law = itk::TransmissionImageFilter::New();
  law->SetInput(drr->GetOutput());
  law->Update();
  const float transmission = law->GetOutput()->GetPixel({ { 2, 2, 0 } });
  std::cout << transmission << std::endl;
  return std::abs(transmission - 0.67032F) < 1e-5F ? 0 : 1;
}
