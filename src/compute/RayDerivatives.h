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
#ifndef radiography_compute_RayDerivatives_h
#define radiography_compute_RayDerivatives_h

#include "compute/ComputeReport.h"
#include "compute/ForwardProjection.h"
#include "compute/InternalExport.h"
#include "compute/ParallelFor.h"
#include "compute/ProjectionPolicy.h"
#include "compute/ViewPlan.h"
#include "kernel/Ray.h"
#include "kernel/RaySensitivity.h"
#include "kernel/VolumeView.h"

#include <cstdint>

namespace radiography::compute
{

/** Where the derivatives of a whole view go: those of pixel (column, row) to values[column + row * columns]. */
struct RayDerivativeImage
{
  kernel::RaySensitivity * values;
  std::int64_t             columns;
  std::int64_t             rows;
  /** In the same order: a pixel with 0 is not computed and gets zeros. nullptr: all pixels are. */
  const unsigned char * mask;
};

/** Where the derivatives of a rectangle of pixels go: those of pixel (column, row) to
 * values[(column - firstColumn) + (row - firstRow) * columns]. */
struct RayDerivativeRegion
{
  kernel::RaySensitivity * values;
  std::int64_t             firstColumn;
  std::int64_t             firstRow;
  std::int64_t             columns;
  std::int64_t             rows;
  /** Of the rectangle, as in RayDerivativeImage. */
  const unsigned char * mask;
};

/** Depth and gradients of one ray by the scalar body that ChooseRayKernel() names. `endsInside` is counted up when the
 * ray has an end inside the volume. */
RADIOGRAPHY_INTERNAL_EXPORT kernel::RaySensitivity
                            DifferentiateRay(const kernel::VolumeView & volume,
                                             const kernel::Ray &        ray,
                                             const ViewPlan &           plan,
                                             std::int64_t &             endsInside);

/** The optical depths of all pixels of a view with their gradients with respect to the two ends of each ray in index
 * space.
 *
 * A depth, rounded to binary32, is bit for bit what ForwardProject() gives for the same plan and policy: an objective
 * may take values from there and derivatives from here. A pixel has the same bits for any number of threads and any
 * mask. */
RADIOGRAPHY_INTERNAL_EXPORT ComputeReport
DifferentiateRays(const VolumeLayouts &      layouts,
                  const kernel::ViewRays &   view,
                  const ViewPlan &           plan,
                  const ProjectionPolicy &   policy,
                  const ParallelFor &        parallelFor,
                  const RayDerivativeImage & output);

/** The same for a rectangle of pixels: a pixel has the same bits whatever rectangle it is asked in. */
RADIOGRAPHY_INTERNAL_EXPORT ComputeReport
DifferentiateRays(const VolumeLayouts &       layouts,
                  const kernel::ViewRays &    view,
                  const ViewPlan &            plan,
                  const ProjectionPolicy &    policy,
                  const ParallelFor &         parallelFor,
                  const RayDerivativeRegion & output);

} // namespace radiography::compute

#endif
