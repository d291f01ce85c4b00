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

#include "compute/JosephBackPackets.h"
#include "compute/PacketChoice.h"
#include "compute/ViewPlan.h"
#include "kernel/CellGauss.h"
#include "kernel/Joseph.h"
#include "kernel/Siddon.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <string>
#include <tuple>
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

  /** Rounds to binary32, on top of what the output holds if `onTop`. */
  std::optional<VoxelOutOfRange>
  Store(const VoxelBlock & output, bool onTop) const
  {
    std::optional<VoxelOutOfRange> first;
    const double *                 sum = m_Sums.data();
    for (std::int64_t z = m_Box.begin[2]; z < m_Box.end[2]; ++z)
    {
      for (std::int64_t y = m_Box.begin[1]; y < m_Box.end[1]; ++y)
      {
        float * const line = FindLine(output, y, z);
        for (std::int64_t x = m_Box.begin[0]; x < m_Box.end[0]; ++x, ++sum)
        {
          float &      value = line[x - output.box.begin[0]];
          const double total = onTop ? *sum + static_cast<double>(value) : *sum;
          value = static_cast<float>(total);
          if (!first && !std::isfinite(value))
          {
            first = VoxelOutOfRange{ { x, y, z }, total };
          }
        }
      }
    }
    return first;
  }

private:
  static float *
  FindLine(const VoxelBlock & output, std::int64_t y, std::int64_t z)
  {
    const kernel::IndexBox & box = output.box;
    const std::int64_t       line = y - box.begin[1] + (box.end[1] - box.begin[1]) * (z - box.begin[2]);
    return output.values + (box.end[0] - box.begin[0]) * line;
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

/** A block of voxels cut into boxes of slices, and where these are few, of rows. */
class Boxes
{
public:
  Boxes(const kernel::IndexBox & block, const ProjectionPolicy & policy)
    : m_Block(block)
    , m_Slices(std::min(policy.backProjectionSlices, std::max<std::int64_t>(block.end[2] - block.begin[2], 1)))
    , m_Rows(std::max<std::int64_t>(block.end[1] - block.begin[1], 1))
  {
    for (int axis = 0; axis < 3; ++axis)
    {
      if (block.end[axis] <= block.begin[axis])
      {
        return;
      }
    }
    m_SliceBoxes = DivideUp(block.end[2] - block.begin[2], m_Slices);
    // As many as the policy wants, but not of fewer rows than a box has slices: each box goes through all rays.
    const std::int64_t wanted = (policy.backProjectionBoxes - 1) / m_SliceBoxes + 1;
    m_Rows = std::max((m_Rows - 1) / wanted + 1, std::min(policy.backProjectionSlices, m_Rows));
    m_RowBoxes = DivideUp(block.end[1] - block.begin[1], m_Rows);
  }

  std::int64_t
  GetCount() const
  {
    return m_SliceBoxes * m_RowBoxes;
  }

  kernel::IndexBox
  GetBox(std::int64_t item) const
  {
    kernel::IndexBox box = m_Block;
    box.begin[1] = m_Block.begin[1] + item % m_RowBoxes * m_Rows;
    box.end[1] = std::min(box.begin[1] + m_Rows, m_Block.end[1]);
    box.begin[2] = m_Block.begin[2] + item / m_RowBoxes * m_Slices;
    box.end[2] = std::min(box.begin[2] + m_Slices, m_Block.end[2]);
    return box;
  }

private:
  static std::int64_t
  DivideUp(std::int64_t number, std::int64_t divisor)
  {
    return (number + divisor - 1) / divisor;
  }

  kernel::IndexBox m_Block;
  std::int64_t     m_Slices;
  std::int64_t     m_Rows;
  std::int64_t     m_SliceBoxes{ 0 };
  std::int64_t     m_RowBoxes{ 0 };
};

/** The first one in memory order, of those that threads report. */
class FirstOutOfRange
{
public:
  void
  Report(const std::optional<VoxelOutOfRange> & voxel)
  {
    if (voxel)
    {
      const std::lock_guard<std::mutex> lock(m_Mutex);
      if (!m_First || GetOrder(*voxel) < GetOrder(*m_First))
      {
        m_First = voxel;
      }
    }
  }

  std::optional<VoxelOutOfRange>
  Get() const
  {
    return m_First;
  }

private:
  static std::tuple<std::int64_t, std::int64_t, std::int64_t>
  GetOrder(const VoxelOutOfRange & voxel)
  {
    return { voxel.index[2], voxel.index[1], voxel.index[0] };
  }

  std::mutex                     m_Mutex;
  std::optional<VoxelOutOfRange> m_First;
};

/** What every ray has in common. */
struct Task
{
  const kernel::VolumeView & grid;
  const kernel::ViewRays &   view;
  const ViewPlan &           plan;
  const float *              pixels;
  WeightPower                power;
};

/** Adds up what a pixel's ray leaves in one box. \return whether the ray has an end inside the volume. */
bool
AddRay(const Task & task, std::int64_t column, std::int64_t row, const kernel::IndexBox & box, BoxSums & sums)
{
  const double value = task.pixels[column + row * task.view.columns];
  if (value == 0.0)
  {
    return false;
  }
  const kernel::Ray ray = kernel::MakeRay(task.view, static_cast<double>(column), static_cast<double>(row));
  const RayChoice   choice = ChooseRayKernel(task.grid, ray, task.plan);
  VisitWeights(
    choice.kernel, task.grid, ray, task.plan.mainAxis, box, [&](const std::int64_t(&voxel)[3], double weight) {
      sums.Add(voxel, (task.power == WeightPower::One ? weight : weight * weight) * value);
    });
  return choice.endsInside;
}

/** Adds up what all rays leave in one box. \return the number of rays that have an end inside the volume. */
std::int64_t
AddRays(const Task & task, const kernel::IndexBox & box, BoxSums & sums)
{
  std::int64_t endsInside = 0;
  for (std::int64_t row = 0; row < task.view.rows; ++row)
  {
    for (std::int64_t column = 0; column < task.view.columns; ++column)
    {
      endsInside += AddRay(task, column, row, box, sums) ? 1 : 0;
    }
  }
  return endsInside;
}

void
SpreadRayByRay(const Task &             task,
               const ProjectionPolicy & policy,
               const ParallelFor &      parallelFor,
               const VoxelBlock &       output,
               BackProjectionResult &   result)
{
  const Boxes     boxes(output.box, policy);
  FirstOutOfRange outOfRange;
  parallelFor(boxes.GetCount(), [&](std::int64_t item) {
    const kernel::IndexBox box = boxes.GetBox(item);
    BoxSums                sums(box);
    const std::int64_t     endsInside = AddRays(task, box, sums);
    outOfRange.Report(sums.Store(output, false));
    if (item == 0) // every item sees every ray
    {
      result.report.raysWithEndInside = endsInside;
    }
  });
  result.outOfRange = outOfRange.Get();
}

std::string
DescribeTranspose(WeightPower power, const std::string & how)
{
  return std::string(" transposed, weights to the power ") + (power == WeightPower::One ? "1" : "2") + ", " + how;
}

/** Why no packets run; empty if they can. */
std::string
FindReasonAgainstBackPackets(const ViewPlan & plan, const ProjectionPolicy & policy)
{
  if (plan.projector != Projector::Joseph)
  {
    return std::string("not built: the transpose of ") + ToString(plan.projector) + " has a scalar kernel only";
  }
  return FindReasonAgainstPackets(plan, policy);
}

/** Packets, and one by one the rays that they leave. \return why nothing was written; empty if it was. */
std::string
SpreadPackets(const Task &             task,
              const ProjectionPolicy & policy,
              const ParallelFor &      prepareFor,
              const ParallelFor &      parallelFor,
              const VoxelBlock &       output,
              BackProjectionResult &   result)
{
  FirstOutOfRange outOfRange;
  const auto      addRaysLeft = [&](const std::vector<PixelLeft> & left, const kernel::IndexBox & box) {
    BoxSums sums(box);
    for (const PixelLeft & pixel : left)
    {
      AddRay(task, pixel.column, pixel.row, box, sums);
    }
    outOfRange.Report(sums.Store(output, true));
  };
  const JosephBackPacketResult packets = BackProjectJosephPackets(
    task.grid, task.view, task.plan, policy, prepareFor, parallelFor, task.pixels, task.power, addRaysLeft, output);
  if (packets.reasonAgainst.empty())
  {
    result.report.kernel = result.report.projector + DescribeTranspose(task.power, packets.kernel);
    result.report.raysWithEndInside = packets.raysWithEndInside;
    result.outOfRange = outOfRange.Get();
  }
  return packets.reasonAgainst;
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
            const VoxelBlock &         output,
            const ParallelFor &        prepareFor)
{
  const ViewPlan       plan = MakeViewPlan(view, projector, policy);
  const Task           task{ grid, view, plan, pixels, power };
  BackProjectionResult result;
  result.report = MakeProjectionReport(plan, policy, DescribeTranspose(power, "scalar binary64"));
  std::string reason = FindReasonAgainstBackPackets(plan, policy);
  if (reason.empty())
  {
    reason = SpreadPackets(task, policy, prepareFor, parallelFor, output, result);
  }
  if (!reason.empty())
  {
    result.report.notUsed["simd"] = reason;
    SpreadRayByRay(task, policy, parallelFor, output, result);
  }
  return result;
}

} // namespace radiography::compute
