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
#include "compute/JosephBackJob.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace radiography::compute::josephback
{

namespace
{

AffineInPixel
MakeAffine(const BackJob & job, const kernel::ViewRays::AffinePoint & point, int axis)
{
  const double along = job.layout.alongRows ? point.row[axis] : point.column[axis];
  const double across = job.layout.alongRows ? point.column[axis] : point.row[axis];
  const auto   last = static_cast<double>(job.layout.countAlong - 1);
  return job.reversed ? AffineInPixel{ point.origin[axis] + along * last, -along, across }
                      : AffineInPixel{ point.origin[axis], along, across };
}

void
SetRays(BackJob & job)
{
  const int axes[3] = { job.m, job.p, job.q };
  for (int i = 0; i < 3; ++i)
  {
    const AffineInPixel start = MakeAffine(job, job.view.start, axes[i]);
    const AffineInPixel end = MakeAffine(job, job.view.end, axes[i]);
    job.start[i] = start;
    job.step[i] = { end.origin - start.origin, end.along - start.along, end.across - start.across };
    job.span[i] = MakeAffine(job, job.view.span, i);
  }
}

/** Where a ray meets the middle of the volume, along p. */
double
GetMiddleP(const BackJob & job, double place, double across)
{
  const double middle = 0.5 * static_cast<double>(job.grid.size[job.m] - 1);
  const double slope = job.step[1].At(place, across) / job.step[0].At(place, across);
  return job.start[1].At(place, across) + (middle - job.start[0].At(place, across)) * slope;
}

/** Directs lines so that rays go up along p, and finds how large the steps of slanted lines are: both in the middle of
 * the detector. */
void
SetDirection(BackJob & job)
{
  SetRays(job);
  const double slant = job.layout.slant;
  const double place = 0.5 * static_cast<double>(job.layout.countAlong - 1);
  const double across = 0.5 * static_cast<double>(job.layout.countAcross - 1);
  const double next = GetMiddleP(job, place + 0.5, across + 0.5 * slant);
  const double previous = GetMiddleP(job, place - 0.5, across - 0.5 * slant);
  const double apart = GetMiddleP(job, place, across + 0.5) - GetMiddleP(job, place, across - 0.5);
  job.stairs = slant == std::floor(slant) ? 0.0 : std::abs(apart);
  job.reversed = next < previous;
  SetRays(job);
}

/** Places [begin, end) of a line that are on the detector: shifts are monotone, so that these are in one piece. */
std::pair<std::int64_t, std::int64_t>
FindPlaces(const BackJob & job, std::int64_t line)
{
  const auto first = job.shifts.begin();
  const auto last = first + job.layout.countAlong;
  const auto least = static_cast<double>(-line);
  const auto most = static_cast<double>(job.layout.countAcross - line);
  const bool up = *first < *(last - 1);
  const auto below = [&](double bound) {
    // Where shifts go up, those below the bound come first; where they go down, last.
    return std::partition_point(first, last, [&](double shift) { return (shift < bound) == up; }) - first;
  };
  return up ? std::make_pair(below(least), below(most)) : std::make_pair(below(most), below(least));
}

void
SetStrips(std::int64_t length, BackJob & job)
{
  const std::int64_t count = job.layout.countAlong;
  for (std::int64_t place = 0; place < count; ++place)
  {
    job.shifts.push_back(static_cast<double>(job.layout.GetShift(job.reversed ? count - 1 - place : place)));
  }
  const double least = std::min(job.shifts.front(), job.shifts.back());
  job.shifts.resize(job.shifts.size() + MostLanes, 0.0);
  const std::int64_t lines = job.layout.countAcross - static_cast<std::int64_t>(least);
  std::int64_t       values = 0;
  for (std::int64_t part = 0; part < count; part += length)
  {
    for (std::int64_t line = 0; line < lines; ++line)
    {
      const auto         places = FindPlaces(job, line);
      const std::int64_t begin = std::max(places.first, part);
      const std::int64_t end = std::min({ places.second, part + length, count });
      if (begin < end)
      {
        job.strips.push_back({ line, begin, end, values, {}, 0.0 });
        values += end - begin;
      }
    }
  }
  job.values.assign(static_cast<size_t>(values + MostLanes), 0.0F);
}

} // namespace

BackJob
MakeBackJob(const kernel::VolumeView & grid,
            const kernel::ViewRays &   view,
            const ViewPlan &           plan,
            const ProjectionPolicy &   policy,
            WeightPower                power,
            int                        lanes)
{
  const int m = plan.mainAxis;
  const int p = m == 0 ? 1 : 0;
  BackJob   job{ grid,
               view,
               plan,
               power,
               lanes,
               m,
               p,
               3 - m - p,
               policy.backProjectionSlabs,
               MakeJosephPacketLayout(grid, view, m, p, lanes, policy),
               false,
               {},
               {},
               {},
               0.0,
               {},
               {},
               {} };
  SetDirection(job);
  SetStrips(std::min(policy.backProjectionStrip, job.layout.countAlong), job);
  return job;
}

Bands::Bands(const BackJob & job, const ProjectionPolicy & policy, const VoxelBlock & output)
  : m_Job(job)
  , m_Output(output)
  , m_Rows(std::min(policy.backProjectionRows, std::max<std::int64_t>(this->GetExtent(job.q), 1)))
{
  const std::int64_t voxels = this->GetExtent(0) * this->GetExtent(1) * this->GetExtent(2);
  m_PastCaches = voxels * static_cast<std::int64_t>(sizeof(float)) >= policy.streamingStoreBytes;
  const kernel::IndexBox & box = output.box;
  if (this->GetExtent(0) > 0 && this->GetExtent(1) > 0 && this->GetExtent(2) > 0)
  {
    m_Blocks = (box.end[job.m] - 1) / job.slabs - box.begin[job.m] / job.slabs + 1;
    m_Pieces = (this->GetExtent(job.q) + m_Rows - 1) / m_Rows;
  }
}

Band
Bands::GetBand(std::int64_t item) const
{
  const kernel::IndexBox & box = m_Output.box;
  Band                     band;
  band.blockBegin = (box.begin[m_Job.m] / m_Job.slabs + item / m_Pieces) * m_Job.slabs;
  band.blockEnd = std::min(band.blockBegin + m_Job.slabs, m_Job.grid.size[m_Job.m]);
  band.slabBegin = std::max(band.blockBegin, box.begin[m_Job.m]);
  band.slabEnd = std::min(band.blockEnd, box.end[m_Job.m]);
  band.rowBegin = box.begin[m_Job.q] + item % m_Pieces * m_Rows;
  band.rows = std::min(m_Rows, box.end[m_Job.q] - band.rowBegin);
  band.columnBegin = box.begin[m_Job.p];
  band.columns = this->GetExtent(m_Job.p);
  band.rowStride = band.columns + 2 * m_Job.lanes;
  // A line of the cache more: slabs a multiple of 4096 bytes apart would drive each other from the nearest cache.
  band.slabStride = band.rowStride * band.rows + MostLanes;
  return band;
}

kernel::IndexBox
Bands::GetBox(const Band & band) const
{
  kernel::IndexBox box = m_Output.box;
  box.begin[m_Job.m] = band.slabBegin;
  box.end[m_Job.m] = band.slabEnd;
  box.begin[m_Job.q] = band.rowBegin;
  box.end[m_Job.q] = band.rowBegin + band.rows;
  return box;
}

BandOutput
Bands::GetOutput(const Band & band) const
{
  const std::int64_t strides[3] = { 1, this->GetExtent(0), this->GetExtent(0) * this->GetExtent(1) };
  const std::int64_t first = (band.slabBegin - m_Output.box.begin[m_Job.m]) * strides[m_Job.m] +
                             (band.rowBegin - m_Output.box.begin[m_Job.q]) * strides[m_Job.q];
  return { m_Output.values + first, strides[m_Job.p], strides[m_Job.q], strides[m_Job.m], m_PastCaches };
}

std::int64_t
Bands::GetBufferSize() const
{
  const std::int64_t slabs = std::min(m_Job.slabs, this->GetExtent(m_Job.m));
  const std::int64_t rows = std::min(m_Rows, this->GetExtent(m_Job.q));
  return slabs * (rows * (this->GetExtent(m_Job.p) + 2 * m_Job.lanes) + MostLanes);
}

std::unique_ptr<float[]>
Buffers::Take()
{
  const std::lock_guard<std::mutex> lock(m_Mutex);
  if (m_Free.empty())
  {
    return std::unique_ptr<float[]>(new float[m_Size]);
  }
  std::unique_ptr<float[]> buffer = std::move(m_Free.back());
  m_Free.pop_back();
  return buffer;
}

void
Buffers::GiveBack(std::unique_ptr<float[]> buffer)
{
  const std::lock_guard<std::mutex> lock(m_Mutex);
  m_Free.push_back(std::move(buffer));
}

} // namespace radiography::compute::josephback
