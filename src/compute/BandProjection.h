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
#ifndef radiography_compute_BandProjection_h
#define radiography_compute_BandProjection_h

#include "compute/ComputeReport.h"
#include "compute/ForwardProjection.h"
#include "compute/InternalExport.h"
#include "compute/ParallelFor.h"
#include "compute/ProjectionPolicy.h"
#include "compute/ViewPlan.h"
#include "kernel/Ray.h"
#include "kernel/VolumeView.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace radiography::compute
{

/** The slices of a volume, cut into bands of the same thickness but for the last one, which may be thinner. */
class SliceBands
{
public:
  /** \param slices of the volume, 1 or more; \param most slices that a band may have, 1 or more. */
  SliceBands(std::int64_t slices, std::int64_t most)
    : m_Slices(slices)
    , m_Thickness(DivideUp(slices, DivideUp(slices, most)))
  {}

  std::int64_t
  GetCount() const
  {
    return DivideUp(m_Slices, m_Thickness);
  }

  std::int64_t
  GetBegin(std::int64_t band) const
  {
    return band * m_Thickness;
  }

  std::int64_t
  GetEnd(std::int64_t band) const
  {
    return std::min(m_Slices, (band + 1) * m_Thickness);
  }

private:
  static std::int64_t
  DivideUp(std::int64_t value, std::int64_t divisor)
  {
    return value / divisor + (value % divisor != 0 ? 1 : 0);
  }

  std::int64_t m_Slices;
  std::int64_t m_Thickness;
};

/** ForwardProject for a volume of which a band of slices at a time is in memory.
 *
 * The field is linear in the voxels: each voxel's tent (for Siddon, its box) belongs to one band, a band is a volume of
 * its own with zeros around it, and the depths of the bands add up to that of the volume, but for rounding. For this
 * every choice is made for the whole volume and not for a band: the view's projector and main axis, and whether a ray
 * has an end inside, which decides between Joseph and CellGauss.
 *
 * Depths are added in binary64 in the order of the calls and rounded once: a pixel has the same bits whatever rectangle
 * it is asked in, by any number of threads. */
class BandProjection
{
public:
  /** \param grid the whole volume's, of which only the size is looked at; \param view in the whole volume's index
   * space. \param rectangle pixels to be computed; its values are not looked at. */
  RADIOGRAPHY_INTERNAL_EXPORT
  BandProjection(const kernel::VolumeView & grid,
                 const kernel::ViewRays &   view,
                 Projector                  projector,
                 const ProjectionPolicy &   policy,
                 const DepthImage &         rectangle);

  /** What Add() and the output take for every pixel: its sum, its depth in a band, its depth. */
  static constexpr std::int64_t BytesPerPixel = sizeof(double) + 2 * sizeof(float);

  /** Whether Add() wants a band's transposed copy with it. */
  bool
  WantsTransposedBand(const kernel::VolumeView & band) const
  {
    return WantsTransposedVolume(band, m_Plan, m_Policy);
  }

  /** Adds the depths of one band. \param band all columns and rows of some slices of the volume, and the transposed
   * copy if WantsTransposedBand() says so; \param firstSlice which slice its first one is.
   * \param projectFor runs the projection, once; \param checkFor what little remains for some views. */
  RADIOGRAPHY_INTERNAL_EXPORT void
  Add(const VolumeLayouts & band,
      std::int64_t          firstSlice,
      const ParallelFor &   projectFor,
      const ParallelFor &   checkFor);

  /** Writes the sums, row by row. */
  RADIOGRAPHY_INTERNAL_EXPORT void
  Store(float * values) const;

  /** What ran in all bands so far. */
  const ComputeReport &
  GetReport() const
  {
    return m_Report;
  }

private:
  std::int64_t
  CorrectRow(const kernel::VolumeView & band, const kernel::ViewRays & bandView, std::int64_t row);

  kernel::VolumeView  m_Grid;
  kernel::ViewRays    m_View;
  ProjectionPolicy    m_Policy;
  ViewPlan            m_Plan;
  bool                m_EveryRayCrosses;
  std::vector<double> m_Sums;
  std::vector<float>  m_BandDepths;
  DepthImage          m_Band;
  ComputeReport       m_Report;
};

} // namespace radiography::compute

#endif
