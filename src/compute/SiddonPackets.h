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
#ifndef radiography_compute_SiddonPackets_h
#define radiography_compute_SiddonPackets_h

#include "compute/ForwardProjection.h"
#include "compute/InternalExport.h"
#include "compute/ViewPlan.h"

#include <cstdint>
#include <string>

namespace radiography::compute
{

struct SiddonPacketResult
{
  /** For ComputeReport, for instance "siddon, AVX3 4x4 packets, binary32". */
  std::string  kernel;
  std::int64_t raysWithEndInside;
  /** Rays that no packet is good for, integrated by kernel::IntegrateSiddon; those with an end inside are among them.
   */
  std::int64_t raysAlone;
};

/** Voxels as boxes with the ray's lengths in them, for packets of rays in binary32: what kernel::IntegrateSiddon is the
 * reference of.
 *
 * Between two planes of voxel faces across the main axis a ray whose slopes are at most 1 crosses at most one face of
 * each lateral axis, so that it meets at most three voxels: the first one, the one between the two crossings and the
 * last one. Their lengths follow without branches from the two places of crossing, clamped to the slab. A slab is cut
 * into 2 to 4 equal parts for a packet with a ray of slope up to 4. Voxels are read as Joseph's packets read them
 * (JosephPackets.h): rows in registers, from which each ray picks its own.
 *
 * Precision: where a ray enters a block of 8 slabs is known in binary64; in the block its place is a number of fixed
 * point that errs by at most d = 3e-8 voxels. A crossing of a face then errs by d / slope slabs along the ray, so that
 * against IntegrateSiddon L errs by at most 1e-7 L + 1e-7 M + m d (1 / |a| + 1 / |b|), where M is the largest
 * attenuation times the ray's length in the volume, m the largest attenuation times its length in a slab, and a and b
 * are the ray's slopes (a term counts only if the ray crosses a face of its axis). No length is negative, so that no
 * voxels below 0 give no depth below 0.
 *
 * Rays one by one in binary64: those with an end inside the volume; those that keep so close to a face all the way that
 * fixed point cannot tell the side (slope under 2^-15 and nearer than 2^-20 voxels), or lie within it, for which the
 * rule of IntegrateSiddon holds; those that are in the volume for less than 2 slabs, through its edges and corners; all
 * those of a packet with a ray steeper than 4, or of rays farther apart than two registers or 30 rows.
 *
 * A ray's bits depend on the view, the volume and the instruction set, and in the policy on packetWidth and slabBlock;
 * not on tiles, threads and the rectangle asked for.
 *
 * \param volume must have a contiguous axis that is not the plan's main axis. Needs HasJosephPackets(). */
RADIOGRAPHY_INTERNAL_EXPORT SiddonPacketResult
ProjectSiddonPackets(const kernel::VolumeView & volume,
                     const kernel::ViewRays &   view,
                     const ViewPlan &           plan,
                     const ProjectionPolicy &   policy,
                     const ParallelFor &        parallelFor,
                     const DepthImage &         output);

} // namespace radiography::compute

#endif
