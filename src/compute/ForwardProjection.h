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
#ifndef radiography_compute_ForwardProjection_h
#define radiography_compute_ForwardProjection_h

#include "compute/ComputeReport.h"
#include "compute/InternalExport.h"
#include "compute/ParallelFor.h"
#include "compute/ProjectionPolicy.h"
#include "kernel/Ray.h"
#include "kernel/VolumeView.h"

#include <cstdint>

namespace radiography::compute
{

/** A rectangle of pixels to be computed, and where they go: pixel (column, row) to
 * values[(column - firstColumn) + (row - firstRow) * columns]. */
struct DepthImage
{
  float *      values;
  std::int64_t firstColumn;
  std::int64_t firstRow;
  std::int64_t columns;
  std::int64_t rows;
};

struct ViewPlan;

/** A volume in memory, perhaps twice. */
struct VolumeLayouts
{
  /** \param volume any strides. */
  VolumeLayouts(const kernel::VolumeView & volume) // NOLINT: a volume alone is the usual case
    : natural(volume)
  {}
  VolumeLayouts(const kernel::VolumeView & volume, const kernel::VolumeView & transposedVolume)
    : natural(volume)
    , transposed(transposedVolume)
  {}

  kernel::VolumeView natural;
  /** The same voxels with another axis contiguous (MakeTransposedView), for views along the contiguous axis of
   * `natural`; values = nullptr if there is none. */
  kernel::VolumeView transposed{};
};

/** The axis along which projectors take their slabs: the largest component, in index space, of the ray through the
 * middle of the detector. One for the whole image, so that it has no seams. */
RADIOGRAPHY_INTERNAL_EXPORT int
SelectMainAxis(const kernel::ViewRays & view);

/** The steepest ray of the image against a main axis: the largest |d_p / d_m|, reached in a corner of the detector;
 * infinite if some ray turns against the others. */
RADIOGRAPHY_INTERNAL_EXPORT double
FindSteepestSlope(const kernel::ViewRays & view, int mainAxis);

/** Whether ForwardProject would be faster with a transposed copy of the volume: packets do not run along the axis that
 * is contiguous in memory. \param natural only size and strides are looked at. */
RADIOGRAPHY_INTERNAL_EXPORT bool
WantsTransposedVolume(const kernel::VolumeView & natural,
                      const kernel::ViewRays &   view,
                      Projector                  projector,
                      const ProjectionPolicy &   policy);

/** Optical depths of a rectangle of pixels of a view.
 *
 * Tiles are anchored at pixel (0, 0) of the whole detector and all choices are made for the whole view, so that a pixel
 * has the same bits whatever rectangle it is asked in, by any number of threads. */
RADIOGRAPHY_INTERNAL_EXPORT ComputeReport
ForwardProject(const VolumeLayouts &    layouts,
               const kernel::ViewRays & view,
               Projector                projector,
               const ProjectionPolicy & policy,
               const ParallelFor &      parallelFor,
               const DepthImage &       output);

/** \name The same for a plan that was made elsewhere: for a part of a volume, of which the choices must be those of the
 * whole. */
///@{
RADIOGRAPHY_INTERNAL_EXPORT bool
WantsTransposedVolume(const kernel::VolumeView & natural, const ViewPlan & plan, const ProjectionPolicy & policy);

RADIOGRAPHY_INTERNAL_EXPORT ComputeReport
ForwardProject(const VolumeLayouts &    layouts,
               const kernel::ViewRays & view,
               const ViewPlan &         plan,
               const ProjectionPolicy & policy,
               const ParallelFor &      parallelFor,
               const DepthImage &       output);
///@}

} // namespace radiography::compute

#endif
