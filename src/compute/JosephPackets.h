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
#ifndef radiography_compute_JosephPackets_h
#define radiography_compute_JosephPackets_h

#include "compute/ForwardProjection.h"
#include "compute/InternalExport.h"
#include "compute/RayDerivatives.h"
#include "compute/ViewPlan.h"

#include <cstdint>
#include <string>

namespace radiography::compute
{

/** Whether an instruction set in use has registers long enough for packets. */
RADIOGRAPHY_INTERNAL_EXPORT bool
HasJosephPackets();

/** Rays of a packet in the instruction set in use; 1: there are no packets. */
RADIOGRAPHY_INTERNAL_EXPORT int
GetJosephPacketLanes();

/** The axis other than the main one along which voxels are contiguous in memory, -1 if there is none. */
RADIOGRAPHY_INTERNAL_EXPORT int
FindLateralContiguousAxis(const kernel::VolumeView & volume, int mainAxis);

struct JosephPacketResult
{
  /** For ComputeReport, for instance "joseph, AVX3 8x2 packets, binary32". */
  std::string  kernel;
  std::int64_t raysWithEndInside;
};

/** Joseph's rule for packets of rays in binary32: what kernel::IntegrateJoseph is the reference of.
 *
 * In each slab the rays of a packet lie within a few rows of voxels, of which as much is loaded as fits in one
 * register; each ray picks its two neighbours there by a permutation of the register (no gathers), and rows are
 * weighted with their tents. Packets go through blocks of slabs together with the others of their tile, so that voxels
 * come from the caches. Samples at the volume's borders are taken with masks: no padded copy is needed.
 *
 * Precision: places are relative to the packet's corner, which is known in binary64, so that they do not get worse with
 * the distance from the volume's first voxel; the binary32 samples of a block of slabs are added up in binary32, blocks
 * in binary64. Against IntegrateJoseph, L errs by at most 1e-7 L + (2e-7 + 5e-8 s) M, where s is the spread of a packet
 * in voxels (about 10 where pixels are as large as voxels) and M the largest attenuation times the ray's length in the
 * volume. No weight is negative, so that no voxels below 0 give no depth below 0.
 *
 * A packet whose rays lie too far apart for a register, or in too many rows, is integrated lane by lane; a ray with an
 * end inside the volume by CellGauss, as ever. A ray's bits depend on the view, the volume and the instruction set, and
 * in the policy on packetWidth and slabBlock; not on tiles, threads and the rectangle asked for.
 *
 * \param volume must have a contiguous axis that is not the plan's main axis. Needs HasJosephPackets(). */
RADIOGRAPHY_INTERNAL_EXPORT JosephPacketResult
ProjectJosephPackets(const kernel::VolumeView & volume,
                     const kernel::ViewRays &   view,
                     const ViewPlan &           plan,
                     const ProjectionPolicy &   policy,
                     const ParallelFor &        parallelFor,
                     const DepthImage &         output);

/** The same with gradients: what kernel::DifferentiateJoseph is the reference of. Depths are those of
 * ProjectJosephPackets() bit for bit.
 *
 * Slopes of samples are added up as samples are. Against DifferentiateJoseph, with s and M as above, the components of
 * both gradients along the two axes of a slab err by at most (2e-7 + 5e-8 s) M and, for each sample that lies nearer to
 * a line of voxel centres than 1e-6 + 2.5e-7 s voxels, by what the sample's slope jumps there; those along the main
 * axis follow from these and L as there.
 *
 * A ray that keeps to a plane of voxel centres, where binary32 cannot tell one side from the other, has its gradients
 * from DifferentiateJoseph; a ray with an end inside the volume from DifferentiateCellGauss. */
RADIOGRAPHY_INTERNAL_EXPORT JosephPacketResult
DifferentiateJosephPackets(const kernel::VolumeView &  volume,
                           const kernel::ViewRays &    view,
                           const ViewPlan &            plan,
                           const ProjectionPolicy &    policy,
                           const ParallelFor &         parallelFor,
                           const RayDerivativeRegion & output);

} // namespace radiography::compute

#endif
