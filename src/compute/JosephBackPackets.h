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
#ifndef radiography_compute_JosephBackPackets_h
#define radiography_compute_JosephBackPackets_h

#include "compute/BackProjection.h"
#include "compute/InternalExport.h"
#include "compute/ParallelFor.h"
#include "compute/ProjectionPolicy.h"
#include "compute/ViewPlan.h"
#include "kernel/IndexBox.h"
#include "kernel/Ray.h"
#include "kernel/VolumeView.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace radiography::compute
{

/** A pixel whose ray packets do not take. */
struct PixelLeft
{
  std::int64_t column;
  std::int64_t row;
};

struct JosephBackPacketResult
{
  /** For ComputeReport, for instance "AVX3 packets of up to 16 rays, binary32". */
  std::string kernel;
  /** Why nothing was written; empty if it was. */
  std::string reasonAgainst;
  /** Rays with an end inside the volume. */
  std::int64_t raysWithEndInside;
};

/** Called on a thread for each part of the output that packets are done with: it adds the rays left, which are in
 * raster order. */
using AddRaysLeft = std::function<void(const std::vector<PixelLeft> & left, const kernel::IndexBox & box)>;

/** The transpose of Joseph's rule for packets of rays in binary32: what kernel::VisitJosephWeights is the reference of.
 *
 * A packet is a piece of a line of rays that follows the volume's contiguous axis (JosephPacketLayout), so that its
 * rays meet a slab one after the other, about evenly spaced, within a few rows of voxels. Spreading is turned into
 * picking: the rays that can be less than a voxel away from the voxel in a lane are a few neighbours, known from the
 * packet's mean spacing; the lane picks their places and values by permutations of the register and evaluates their
 * tents. So no two lanes write to one voxel, and a voxel's sum runs over the rays in one order, that of the layout's
 * lines.
 *
 * Threads own bands: a block of slabs of the main axis, in some rows. They are gathered in a buffer with a register's
 * room around the rows, so that no border is a special case. For views along the output's contiguous axis rows are
 * along y, and are transposed on their way from the buffer to the output.
 *
 * Precision: places are evaluated in binary64 in the middle slab of a block, and kept in binary32 relative to their
 * packet. A weight errs by at most 5e-7 + 1e-7 s of the ray's length in a slab, s how far the packet's rays lie apart
 * in voxels, and none is negative; sums are in binary32. A voxel's bits depend on the view, the pixels, the size of the
 * volume and the instruction set, and in the policy on backProjectionSlabs and backProjectionStrip; not on bands,
 * threads and the box asked for.
 *
 * All voxels of `output` are written, unless a pixel is so large that sums in binary32 might overflow. Needs
 * HasJosephPackets(). \param plan Joseph's. \param prepareFor runs what comes first, a few percent of the work. */
RADIOGRAPHY_INTERNAL_EXPORT JosephBackPacketResult
BackProjectJosephPackets(const kernel::VolumeView & grid,
                         const kernel::ViewRays &   view,
                         const ViewPlan &           plan,
                         const ProjectionPolicy &   policy,
                         const ParallelFor &        prepareFor,
                         const ParallelFor &        parallelFor,
                         const float *              pixels,
                         WeightPower                power,
                         const AddRaysLeft &        addRaysLeft,
                         const VoxelBlock &         output);

} // namespace radiography::compute

#endif
