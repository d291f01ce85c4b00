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
#include "compute/BandProjection.h"

#include "kernel/CellGauss.h"

#include <atomic>

namespace radiography::compute
{

namespace
{

/** A view in the index space of a band. */
kernel::ViewRays
ShiftToBand(kernel::ViewRays view, std::int64_t firstSlice)
{
  view.start.origin[2] -= static_cast<double>(firstSlice);
  view.end.origin[2] -= static_cast<double>(firstSlice);
  return view;
}

/** Whether every ray passes the whole padded volume along the main axis between its two ends, by so much that rounding
 * cannot change it: then no ray has an end inside the volume or any band. Ends are affine in the pixel, so that the
 * corners tell. */
bool
DoesEveryRayCross(const kernel::VolumeView & grid, const kernel::ViewRays & view, int axis)
{
  constexpr double slack = 1e-3;
  const double     high = static_cast<double>(grid.size[axis]) + slack;
  for (const double column : { 0.0, static_cast<double>(view.columns - 1) })
  {
    for (const double row : { 0.0, static_cast<double>(view.rows - 1) })
    {
      const double start = kernel::Evaluate(view.start, axis, column, row);
      const double end = kernel::Evaluate(view.end, axis, column, row);
      if (!(std::min(start, end) < -1.0 - slack && std::max(start, end) > high))
      {
        return false;
      }
    }
  }
  return true;
}

} // namespace

BandProjection::BandProjection(const kernel::VolumeView & grid,
                               const kernel::ViewRays &   view,
                               Projector                  projector,
                               const ProjectionPolicy &   policy,
                               const DepthImage &         rectangle)
  : m_Grid(grid)
  , m_View(view)
  , m_Policy(policy)
  , m_Plan(MakeViewPlan(view, projector, policy))
  , m_EveryRayCrosses(DoesEveryRayCross(grid, view, m_Plan.mainAxis))
  , m_Sums(static_cast<std::size_t>(rectangle.columns * rectangle.rows), 0.0)
  , m_BandDepths(m_Sums.size())
  , m_Band(rectangle)
{
  m_Band.values = m_BandDepths.data();
}

/** Integrates anew the rays of a row that end inside the whole volume but not inside the band, which was therefore left
 * to Joseph's rule. (Never the other way round: what crosses the volume crosses its bands, as subtracting a whole
 * number is monotonic in rounded arithmetic, too.) \return rays of the row that have an end inside the whole volume. */
std::int64_t
BandProjection::CorrectRow(const kernel::VolumeView & band, const kernel::ViewRays & bandView, std::int64_t row)
{
  std::int64_t endsInside = 0;
  float *      depth = m_Band.values + (row - m_Band.firstRow) * m_Band.columns;
  for (std::int64_t column = m_Band.firstColumn; column < m_Band.firstColumn + m_Band.columns; ++column, ++depth)
  {
    const double x = static_cast<double>(column);
    const double y = static_cast<double>(row);
    if (!ChooseRayKernel(m_Grid, kernel::MakeRay(m_View, x, y), m_Plan).endsInside)
    {
      continue;
    }
    ++endsInside;
    const kernel::Ray bandRay = kernel::MakeRay(bandView, x, y);
    if (ChooseRayKernel(band, bandRay, m_Plan).kernel == RayKernel::Joseph)
    {
      *depth = static_cast<float>(kernel::IntegrateCellGauss(band, bandRay));
    }
  }
  return endsInside;
}

void
BandProjection::Add(const VolumeLayouts & band,
                    std::int64_t          firstSlice,
                    const ParallelFor &   projectFor,
                    const ParallelFor &   checkFor)
{
  const kernel::ViewRays    bandView = ShiftToBand(m_View, firstSlice);
  ComputeReport             report = ForwardProject(band, bandView, m_Plan, m_Policy, projectFor, m_Band);
  std::atomic<std::int64_t> endsInside{ 0 };
  if (!m_EveryRayCrosses)
  {
    checkFor(m_Band.rows,
             [&](std::int64_t row) { endsInside += this->CorrectRow(band.natural, bandView, m_Band.firstRow + row); });
  }
  report.raysWithEndInside = endsInside;
  m_Report = report;
  for (std::size_t i = 0; i < m_Sums.size(); ++i)
  {
    m_Sums[i] += static_cast<double>(m_BandDepths[i]);
  }
}

void
BandProjection::Store(float * values) const
{
  std::transform(m_Sums.begin(), m_Sums.end(), values, [](double sum) { return static_cast<float>(sum); });
}

} // namespace radiography::compute
