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
#ifndef DICOMOutput_h
#define DICOMOutput_h

#include "Projection.h"

#include "itkRadiographGeometry.h"

#include <string>
#include <vector>

namespace radiography::program
{

/** A DRR on its way into a DICOM file. */
struct DICOMOutput
{
  std::string quantity;
  /** What was done, for the file's Derivation Description. */
  std::string derivation;
  /** The CT's files; none if it was no DICOM. */
  std::vector<std::string> references;
  bool                     keepPatient{ false };
  /** Counts that an offset was added to are not proportional to the intensity. */
  bool hasOffset{ false };
  /** Where the isocentre comes to lie: next to this point on the principal ray. */
  itk::Point<double, 3> isocenter;
};

/** \throws itk::ExceptionObject for a view or values that an RT Image cannot hold. */
void
WriteDICOM(const RadiographImage &         image,
           const itk::RadiographGeometry & view,
           const DICOMOutput &             output,
           const std::string &             path);

} // namespace radiography::program

#endif
