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
#include "compute/BackProjection.h"

#include "compute/ViewPlan.h"
#include "kernel/CellGauss.h"
#include "kernel/Joseph.h"
#include "kernel/Siddon.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace radiography::compute
{

namespace
{

/** The binary64 sums of one worker's voxels. */
class BoxSums
{
public:
  explicit BoxSums(const kernel::IndexBox & box)
    : m_Box(box)
    , m_Columns(box.end[0] - box.begin[0])
    , m_Rows(box.end[1] - box.begin[1])
    , m_Sums(static_cast<std::size_t>(m_Columns * m_Rows * (box.end[2] - box.begin[2])), 0.0)
  {}

  void
  Add(const std::int64_t (&voxel)[3], double value)
  {
    const std::int64_t line = voxel[1] - m_Box.begin[1] + m_Rows * (voxel[2] - m_Box.begin[2]);
    m_Sums[static_cast<std::size_t>(voxel[0] - m_Box.begin[0] + m_Columns * line)] += value;
  }

  /** Rounds to binary32. */
  std::optional<VoxelOutOfRange>
  Store(float * values) const
  {
    std::optional<VoxelOutOfRange> first;
    for (std::size_t i = 0; i < m_Sums.size(); ++i)
    {
      values[i] = static_cast<float>(m_Sums[i]);
      if (!first && !std::isfinite(values[i]))
      {
        first = VoxelOutOfRange{ {}, m_Sums[i] };
        this->Locate(static_cast<std::int64_t>(i), first->index);
      }
    }
    return first;
  }

private:
  void
  Locate(std::int64_t offset, std::int64_t (&index)[3]) const
  {
    index[0] = m_Box.begin[0] + offset % m_Columns;
    index[1] = m_Box.begin[1] + offset / m_Columns % m_Rows;
    index[2] = m_Box.begin[2] + offset / m_Columns / m_Rows;
  }

  kernel::IndexBox    m_Box;
  std::int64_t        m_Columns;
  std::int64_t        m_Rows;
  std::vector<double> m_Sums;
};

template <typename TVisit>
void
VisitWeights(RayKernel                  rayKernel,
             const kernel::VolumeView & grid,
             const kernel::Ray &        ray,
             int                        mainAxis,
             const kernel::IndexBox &   box,
             TVisit &&                  visit)
{
  switch (rayKernel)
  {
    case RayKernel::None:
      return;
    case RayKernel::Joseph:
      return kernel::VisitJosephWeights(ray, mainAxis, box, visit);
    case RayKernel::CellGauss:
      return kernel::VisitCellGaussWeights(grid, ray, box, visit);
    case RayKernel::Siddon:
      return kernel::VisitSiddonWeights(grid, ray, box, visit);
  }
}

/** Slices [begin, end) of the block, with borders at multiples of the policy's number counted from slice 0. */
kernel::IndexBox
GetSlices(const kernel::IndexBox & block, std::int64_t slices, std::int64_t piece)
{
  kernel::IndexBox   box = block;
  const std::int64_t first = (block.begin[2] / slices + piece) * slices;
  box.begin[2] = std::max(first, block.begin[2]);
  box.end[2] = std::min(first + slices, block.end[2]);
  return box;
}

std::int64_t
CountSlices(const kernel::IndexBox & block, std::int64_t slices)
{
  for (int axis = 0; axis < 3; ++axis)
  {
    if (block.end[axis] <= block.begin[axis])
    {
      return 0;
    }
  }
  return (block.end[2] - 1) / slices - block.begin[2] / slices + 1;
}

ComputeReport
MakeReport(const ViewPlan & plan, const ProjectionPolicy & policy, WeightPower power)
{
  ComputeReport report;
  report.projector = ToString(plan.projector);
  report.kernel = report.projector + " transposed, weights to the power " + (power == WeightPower::One ? "1" : "2") +
                  ", scalar binary64";
  report.policy = policy.ToString();
  report.notUsed["simd"] = "not built: the back projection has scalar kernels only";
  report.notUsed["cuda"] = "not built: this version runs on the CPU only";
  if (!plan.reasonAgainstJoseph.empty())
  {
    report.notUsed["joseph"] = plan.reasonAgainstJoseph;
  }
  return report;
}

/** Adds up what all rays leave in one worker's box; returns the number of rays that have an end inside the volume. */
std::int64_t
AddRays(const kernel::VolumeView & grid,
        const kernel::ViewRays &   view,
        const ViewPlan &           plan,
        const float *              pixels,
        WeightPower                power,
        const kernel::IndexBox &   box,
        BoxSums &                  sums)
{
  std::int64_t endsInside = 0;
  for (std::int64_t row = 0; row < view.rows; ++row)
  {
    for (std::int64_t column = 0; column < view.columns; ++column)
    {
      const double value = pixels[column + row * view.columns];
      if (value == 0.0)
      {
        continue;
      }
      const kernel::Ray ray = kernel::MakeRay(view, static_cast<double>(column), static_cast<double>(row));
      const RayChoice   choice = ChooseRayKernel(grid, ray, plan);
      endsInside += choice.endsInside ? 1 : 0;
      VisitWeights(choice.kernel, grid, ray, plan.mainAxis, box, [&](const std::int64_t(&voxel)[3], double weight) {
        sums.Add(voxel, (power == WeightPower::One ? weight : weight * weight) * value);
      });
    }
  }
  return endsInside;
}

} // namespace

BackProjectionResult
BackProject(const kernel::VolumeView & grid,
            const kernel::ViewRays &   view,
            Projector                  projector,
            const ProjectionPolicy &   policy,
            const ParallelFor &        parallelFor,
            const float *              pixels,
            WeightPower                power,
            const VoxelBlock &         output)
{
  const ViewPlan     plan = MakeViewPlan(view, projector, policy);
  const std::int64_t slices = policy.backProjectionSlices;
  const std::int64_t count = CountSlices(output.box, slices);
  const std::int64_t voxelsOfSlice =
    (output.box.end[0] - output.box.begin[0]) * (output.box.end[1] - output.box.begin[1]);

  std::vector<std::optional<VoxelOutOfRange>> outOfRange(static_cast<std::size_t>(count));
  BackProjectionResult                        result;
  result.report = MakeReport(plan, policy, power);

  parallelFor(count, [&](std::int64_t item) {
    const kernel::IndexBox box = GetSlices(output.box, slices, item);
    BoxSums                sums(box);
    const std::int64_t     endsInside = AddRays(grid, view, plan, pixels, power, box, sums);
    outOfRange[static_cast<std::size_t>(item)] =
      sums.Store(output.values + voxelsOfSlice * (box.begin[2] - output.box.begin[2]));
    if (item == 0) // every item sees every ray
    {
      result.report.raysWithEndInside = endsInside;
    }
  });

  const auto first =
    std::find_if(outOfRange.begin(), outOfRange.end(), [](const auto & bad) { return bad.has_value(); });
  if (first != outOfRange.end())
  {
    result.outOfRange = *first;
  }
  return result;
}

} // namespace radiography::compute
