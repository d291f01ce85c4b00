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
#include "dicom/DICOMResampling.h"

#include "dicom/DICOMTagReader.h"

#include <algorithm>
#include <cmath>

namespace radiography::dicom
{
namespace
{

/** Rounding of positions, in steps or pixels: what is nearer than this to a slice or a pixel is there. */
constexpr double OnGrid = 1e-6;

double
Snapped(double value)
{
  const double whole = std::round(value);
  return std::abs(value - whole) < OnGrid ? whole : value;
}

void
MeasureSlices(const SliceStack & stack, ResampledGrid & grid)
{
  const SliceHeader & lowest = stack.slices.front().Header();
  for (const Slice & slice : stack.slices)
  {
    const Vector3 way = slice.Header().position - lowest.position;
    grid.heights.push_back(lowest.normal * way);
    grid.columnShifts.push_back(Snapped(lowest.rowCosines * way / lowest.spacingBetweenColumns));
    grid.rowShifts.push_back(Snapped(lowest.columnCosines * way / lowest.spacingBetweenRows));
  }
}

/** First pixel and number of pixels along one axis, so that slices shifted by `shifts` fit in. */
std::array<double, 2>
ExtentOf(const std::vector<double> & shifts, unsigned pixels)
{
  const auto [least, most] = std::minmax_element(shifts.begin(), shifts.end());
  const double first = std::floor(*least);
  return { first, std::ceil(*most) - first + pixels };
}

/** Where a height lies between two slices. */
struct Between
{
  std::size_t lower;
  std::size_t upper;
  double      fraction;
};

Between
FindSlices(const std::vector<double> & heights, double height, double step)
{
  const auto above = std::upper_bound(heights.begin(), heights.end(), height + OnGrid * step);
  const auto lower = static_cast<std::size_t>(std::max<std::ptrdiff_t>(above - heights.begin() - 1, 0));
  const bool isOnSlice = lower + 1 == heights.size() || std::abs(height - heights[lower]) <= OnGrid * step;
  if (isOnSlice)
  {
    return { lower, lower, 0.0 };
  }
  return { lower, lower + 1, (height - heights[lower]) / (heights[lower + 1] - heights[lower]) };
}

double
Bilinear(const float * slice, std::size_t columns, std::size_t rows, double column, double row)
{
  const auto   c = std::min(static_cast<std::size_t>(column), columns - 1);
  const auto   r = std::min(static_cast<std::size_t>(row), rows - 1);
  const auto   nextColumn = std::min(c + 1, columns - 1);
  const auto   nextRow = std::min(r + 1, rows - 1);
  const double x = column - static_cast<double>(c);
  const double y = row - static_cast<double>(r);
  const double upper = (1.0 - x) * slice[r * columns + c] + x * slice[r * columns + nextColumn];
  const double lower = (1.0 - x) * slice[nextRow * columns + c] + x * slice[nextRow * columns + nextColumn];
  return (1.0 - y) * upper + y * lower;
}

} // namespace

bool
IsCuredByResampling(const std::vector<itk::DICOMProblem> & problems)
{
  return std::all_of(problems.begin(), problems.end(), [](const auto & problem) {
    return problem.code == "tilt" || problem.code == "gap" || problem.code == "uneven-steps";
  });
}

ResampledGrid
PlanResampling(const SliceStack & stack, double mostVoxels)
{
  const SliceHeader & lowest = stack.slices.front().Header();
  ResampledGrid       grid;
  MeasureSlices(stack, grid);
  const auto   columns = ExtentOf(grid.columnShifts, lowest.format.columns);
  const auto   rows = ExtentOf(grid.rowShifts, lowest.format.rows);
  const double step = stack.medianStep;
  const double slices = std::floor(grid.heights.back() / step + OnGrid) + 1.0;
  if (!(columns[1] * rows[1] * slices <= mostVoxels))
  {
    throw FileError("size",
                    "resampled to steps of " + NumberText(step) + " mm the volume would have " +
                      NumberText(columns[1]) + " x " + NumberText(rows[1]) + " x " + NumberText(slices) +
                      " voxels, more than MaximumNumberOfVoxels: one slice may be far off");
  }
  grid.size = { static_cast<std::size_t>(columns[1]),
                static_cast<std::size_t>(rows[1]),
                static_cast<std::size_t>(slices) };
  grid.firstPixel = { columns[0], rows[0] };
  grid.spacing[0] = lowest.spacingBetweenColumns;
  grid.spacing[1] = lowest.spacingBetweenRows;
  grid.spacing[2] = step;
  grid.origin = lowest.position + lowest.rowCosines * (columns[0] * grid.spacing[0]) +
                lowest.columnCosines * (rows[0] * grid.spacing[1]);
  return grid;
}

std::size_t
ResampleSlice(const ResampledGrid &              grid,
              const std::vector<const float *> & slices,
              std::size_t                        columns,
              std::size_t                        rows,
              std::size_t                        k,
              float                              outside,
              float *                            output)
{
  const auto   between = FindSlices(grid.heights, static_cast<double>(k) * grid.spacing[2], grid.spacing[2]);
  const double t = between.fraction;
  const auto   mixed = [&](const std::vector<double> & shifts) {
    return Snapped((1.0 - t) * shifts[between.lower] + t * shifts[between.upper]);
  };
  const double columnShift = mixed(grid.columnShifts);
  const double rowShift = mixed(grid.rowShifts);
  const auto   lastColumn = static_cast<double>(columns - 1);
  const auto   lastRow = static_cast<double>(rows - 1);
  std::size_t  empty = 0;
  for (std::size_t r = 0; r < grid.size[1]; ++r)
  {
    const double row = static_cast<double>(r) + grid.firstPixel[1] - rowShift;
    for (std::size_t c = 0; c < grid.size[0]; ++c, ++output)
    {
      const double column = static_cast<double>(c) + grid.firstPixel[0] - columnShift;
      if (column < 0.0 || column > lastColumn || row < 0.0 || row > lastRow)
      {
        *output = outside;
        ++empty;
        continue;
      }
      const double lower = Bilinear(slices[between.lower], columns, rows, column, row);
      const double upper = t > 0.0 ? Bilinear(slices[between.upper], columns, rows, column, row) : lower;
      *output = static_cast<float>((1.0 - t) * lower + t * upper);
    }
  }
  return empty;
}

} // namespace radiography::dicom
