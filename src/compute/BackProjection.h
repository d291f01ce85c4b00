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
#ifndef radiography_compute_BackProjection_h
#define radiography_compute_BackProjection_h

#include "compute/ComputeReport.h"
#include "compute/InternalExport.h"
#include "compute/ParallelFor.h"
#include "compute/ProjectionPolicy.h"
#include "kernel/IndexBox.h"
#include "kernel/Ray.h"
#include "kernel/VolumeView.h"

#include <cstdint>
#include <optional>

namespace radiography::compute
{

/** Voxels of a volume to be computed, and where they go: x fastest, without gaps. */
struct VoxelBlock
{
  float *          values;
  kernel::IndexBox box;
};

/** To which power the weights of the matrix A are taken. */
enum class WeightPower
{
  /** A^T y. */
  One,
  /** The sum over rays of a^2 y: with y the second derivatives of a sum over pixels, the diagonal of its Hessian. */
  Two
};

/** A voxel whose sum binary32 cannot hold. */
struct VoxelOutOfRange
{
  std::int64_t index[3];
  double       value;
};

struct BackProjectionResult
{
  ComputeReport report;
  /** The first one in memory order, if any; the output then holds an infinity there. */
  std::optional<VoxelOutOfRange> outOfRange;
};

/** The transpose of ForwardProject: every voxel of a block gets the sum over the rays of a view, weight x the ray's
 * value, with the weights of the very matrix that ForwardProject applies for this view, projector and policy.
 *
 * Joseph's rule runs in packets (JosephBackPackets.h) where it would forward, whatever the main axis; all other rays go
 * one by one: threads own boxes of the volume and take from each ray what falls in theirs, so that nothing is written
 * by two; a voxel's sum runs over the rays in raster order, in binary64, and is rounded once. Neither the number of
 * threads nor the boxes change a bit of it. A ray whose value is 0 is left out. \param grid the whole volume's; only
 * its size is looked at. \param pixels one finite value for every ray of the view, columns fastest. \param prepareFor
 * runs what packets are made of, a few percent of the work. */
RADIOGRAPHY_INTERNAL_EXPORT BackProjectionResult
BackProject(const kernel::VolumeView & grid,
            const kernel::ViewRays &   view,
            Projector                  projector,
            const ProjectionPolicy &   policy,
            const ParallelFor &        parallelFor,
            const float *              pixels,
            WeightPower                power,
            const VoxelBlock &         output,
            const ParallelFor &        prepareFor = SerialFor);

} // namespace radiography::compute

#endif
