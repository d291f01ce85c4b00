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
#ifndef PhantomSeriesWriter_h
#define PhantomSeriesWriter_h

#include "PhantomModel.h"

#include <filesystem>
#include <functional>

namespace radiography::program
{

struct PhantomSeries
{
  std::size_t   size{ 128 };
  std::uint64_t seed{ 0 };

  /** Edge of the cubic voxels, mm. */
  double
  Voxel() const
  {
    return PhantomModel::FieldOfView / static_cast<double>(size);
  }
  /** Centre of the first voxel along each axis, LPS mm. */
  double
  FirstCenter() const
  {
    return -0.5 * static_cast<double>(size - 1) * Voxel();
  }
};

/** Writes the model as CT Image Storage, one file per slice (slice-0001.dcm is the lowest), into an existing folder.
 * \throws Failure naming the file that could not be written. */
void
WritePhantomSeries(const PhantomModel & model, const PhantomSeries & series, const std::filesystem::path & folder);

/** The name of a slice's file, counted from 1. */
std::string
PhantomSliceName(std::size_t number);

} // namespace radiography::program

#endif
