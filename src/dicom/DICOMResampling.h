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
#ifndef radiography_dicom_DICOMResampling_h
#define radiography_dicom_DICOMResampling_h

#include "dicom/DICOMSliceStack.h"

#include <array>
#include <vector>

namespace radiography::dicom
{

/** Whether resampling cures all that is wrong with a volume: tilt, gaps, uneven steps. */
bool
IsCuredByResampling(const std::vector<itk::DICOMProblem> & problems);

/** A regular, upright grid around a stack of slices in any places along their normal.
 *
 * Steps are the stack's median one, columns and rows those of the lowest slice, extended so that every slice lies
 * within. Each slice's place is measured from the lowest one: its height along the normal, and how far it is shifted
 * along columns and rows, in pixels. */
struct ResampledGrid
{
  std::array<std::size_t, 3> size{};
  Vector3                    spacing{ 0.0 };
  Vector3                    origin{ 0.0 };
  /** Pixels that the grid begins before the lowest slice's first one; not positive. */
  std::array<double, 2> firstPixel{};
  std::vector<double>   heights;
  std::vector<double>   columnShifts;
  std::vector<double>   rowShifts;
};

/** \throws FileError if the grid would have more than `mostVoxels`. */
ResampledGrid
PlanResampling(const SliceStack & stack, double mostVoxels);

/** Makes slice `k` of the grid: trilinear in the cells of the stack as it stands, sheared ones where it is tilted, so a
 * field that is linear in space comes out exactly, and so does a slice that lies on the grid. `outside` where there is
 * no cell. \return how many voxels that are. */
std::size_t
ResampleSlice(const ResampledGrid &              grid,
              const std::vector<const float *> & slices,
              std::size_t                        columns,
              std::size_t                        rows,
              std::size_t                        k,
              float                              outside,
              float *                            output);

} // namespace radiography::dicom

#endif
