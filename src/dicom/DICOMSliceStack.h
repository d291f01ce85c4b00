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
#ifndef radiography_dicom_DICOMSliceStack_h
#define radiography_dicom_DICOMSliceStack_h

#include "dicom/DICOMFolder.h"

#include "itkDICOMInventory.h"

#include <string>
#include <vector>

namespace radiography::dicom
{

/** A slice that was left out of a stack, since another one has the same position and the same voxels. */
struct DroppedSlice
{
  const ScannedFile * file;
  const ScannedFile * keptFile;
};

/** Slices of equal orientation, matrix and pixel spacing, ordered along their normal. */
struct SliceStack
{
  std::vector<const ScannedFile *> slices;
  std::vector<DroppedSlice>        dropped;
  /** mm; 0 if there is none. */
  double spacingBetweenSlices{ 0.0 };
  /** mm; the same, where steps are equal. */
  double                         medianStep{ 0.0 };
  std::vector<itk::DICOMProblem> problems;
  std::vector<std::string>       warnings;
};

/** How far a slice may be from the regular grid, mm. */
constexpr double PositionTolerance = 0.01;

/** The angle between the step from slice to slice and the slice normal that is called a tilt, degrees. */
constexpr double TiltToleranceDegrees = 0.05;

/** The same volume: study, series, frame of reference, orientation, matrix, pixel spacing. */
bool
BelongTogether(const ScannedFile & a, const ScannedFile & b);

/** Orders the files, which must have headers, by the position along the normal and looks for what is wrong with the
 * steps between them. Slices at one position are decoded to see whether they are the same. */
SliceStack
BuildSliceStack(std::vector<const ScannedFile *> files);

} // namespace radiography::dicom

#endif
