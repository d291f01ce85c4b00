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

/** A frame of a file. */
struct Slice
{
  const ScannedFile * file;
  /** In ScannedFile::slices. */
  std::size_t number;

  const SliceHeader &
  Header() const
  {
    return file->slices[number];
  }

  /** The file, and the frame (counted from 1) if the file has several. */
  std::string
  Name() const;
};

/** A slice that was left out of a stack, since another one has the same position and the same voxels. */
struct DroppedSlice
{
  Slice slice;
  Slice kept;
};

/** Slices of equal orientation, matrix and pixel spacing, ordered along their normal. */
struct SliceStack
{
  std::vector<Slice>        slices;
  std::vector<DroppedSlice> dropped;
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

/** The same volume: study, series, frame of reference, orientation, matrix, pixel spacing; of enhanced images also
 * stack and temporal position. */
bool
BelongTogether(const Slice & a, const Slice & b);

/** Orders the slices by the position along the normal and looks for what is wrong with the
 * steps between them. Slices at one position are decoded to see whether they are the same. */
SliceStack
BuildSliceStack(std::vector<Slice> slices);

} // namespace radiography::dicom

#endif
