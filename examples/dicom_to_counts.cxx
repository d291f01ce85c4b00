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
// From a DICOM folder to photon counts on the detector of a C-arm: dicom_to_counts FOLDER OUT.nrrd

#include "itkDICOMCTVolumeReader.h"
#include "itkDigitallyReconstructedRadiographImageFilter.h"
#include "itkHounsfieldToAttenuationImageFilter.h"
#include "itkTransmissionImageFilter.h"

#include "itkImageFileWriter.h"

#include <iostream>

int
main(int argc, char * argv[])
{
  if (argc != 3)
  {
    std::cerr << "usage: dicom_to_counts FOLDER OUT.nrrd" << std::endl;
    return 2;
  }
  try
  {
    auto reader = itk::DICOMCTVolumeReader::New(); // Hounsfield units
    reader->SetPath(argv[1]);

    auto mu = itk::HounsfieldToAttenuationImageFilter<itk::Image<float, 3>>::New(); // 1/mm at 60 keV
    mu->SetInput(reader->GetOutput());

    itk::RadiographGeometry::CArm arm; // radians, mm; at 0/0 the detector is in front of the patient
    arm.sourceIsocenterDistance = 700;
    arm.sourceDetectorDistance = 1100;
    auto view = itk::RadiographGeometry::New();
    view->SetCArm(arm, { 512, 512, 1.0, 1.0 });

    auto drr = itk::DigitallyReconstructedRadiographImageFilter::New(); // optical depth
    drr->SetInput(mu->GetOutput());
    drr->SetGeometry(view);

    auto law = itk::TransmissionImageFilter::New(); // photons
    law->SetInput(drr->GetOutput());
    law->SetOpenBeamCounts(10000);
    law->ComputeTransmissionOff();
    law->ComputeCountsOn();
    law->Update();

    itk::WriteImage(law->GetCounts(), argv[2]);
  }
  catch (const itk::ExceptionObject & error)
  {
    std::cerr << error.GetDescription() << std::endl;
    return 1;
  }
  return 0;
}
