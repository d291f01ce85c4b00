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
#ifndef radiography_dicom_DICOMPatientOrientation_h
#define radiography_dicom_DICOMPatientOrientation_h

#include "dicom/DICOMFindings.h"

#include "itkVector.h"

#include <optional>
#include <string>

namespace radiography::dicom
{

using Vector3 = itk::Vector<double, 3>;

/** The directions of increasing column and row index, as far as letters can say them. */
struct OrientationLetters
{
  Vector3     columns;
  Vector3     rows;
  std::string text;
  std::string source;
};

/** Patient Orientation (0020,0020), or the option. Of each value the first letter counts, which names the nearest axis
 * (PS3.3 C.7.6.1.1.1). Nothing if it is absent, empty or says something else, with a warning. */
std::optional<OrientationLetters>
ReadPatientOrientation(Findings & findings, const std::optional<std::string> & option);

/** Where columns and rows of the stored image run to. */
struct ImageAxes
{
  Vector3 columns;
  Vector3 rows;
};

/** Whether letters that name the nearest axis fit these directions. */
bool
Agree(const OrientationLetters & letters, const ImageAxes & axes);

/** Of the eight ways to store an image (four turns, mirrored or not) with these axes, the one that fits the letters
 * best; nothing if none fits. */
std::optional<ImageAxes>
ChooseStoredAxes(const OrientationLetters & letters, const ImageAxes & axes);

} // namespace radiography::dicom

#endif
