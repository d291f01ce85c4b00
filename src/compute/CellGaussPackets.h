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
#ifndef radiography_compute_CellGaussPackets_h
#define radiography_compute_CellGaussPackets_h

#include "compute/ForwardProjection.h"
#include "compute/InternalExport.h"
#include "compute/JosephPackets.h"
#include "compute/ViewPlan.h"

#include <string>

namespace radiography::compute
{

/** Why CellGauss does not run in packets for views as steep as this; empty if it can.
 * \param steepestSlope see FindSteepestSlope(). */
RADIOGRAPHY_INTERNAL_EXPORT std::string
                            FindReasonAgainstCellGaussPackets(double steepestSlope);

/** The exact integral of the trilinear field for packets of rays in binary32: what kernel::IntegrateCellGauss is the
 * reference of.
 *
 * The integral is taken plane by plane of voxel centres across the main axis instead of cell by cell: a plane's part of
 * the field is its bilinear interpolation times a tent along the main axis, which a ray is in for one slab on both
 * sides. Cut where the ray crosses a line of voxel centres of the plane, and where the tent has its top, the integrand
 * is a cubic in each piece, which two-point Gauss-Legendre integrates without error. Where no ray of the packet has a
 * slope of more than about 1/2, a ray meets at most three voxels along either axis, 3 x 3 that are read for the packet
 * as Joseph's packets read their rows; the tent of steeper rays is cut into as many equal parts (2, 4 or 8) as make
 * this true for each.
 *
 * Precision: that of Joseph's packets (JosephPackets.h), for the same reasons. Against IntegrateCellGauss, L errs by at
 * most 1e-7 L + (2e-7 + 5e-8 s) M, where s is the spread of a packet in voxels and M the largest attenuation times the
 * ray's length in the volume. Each node is a mean of voxels with weights of 0 and more, so that no voxels below 0 give
 * no depth below 0. L is once continuously differentiable in the pose but for rounding.
 *
 * Packets whose rays lie too far apart for a register, and those at the volume's border, read each ray's voxels on
 * their own. A ray with an end inside the volume goes to the reference. A ray's bits depend on the view, the volume and
 * the instruction set, and in the policy on packetWidth and slabBlock; not on tiles, threads and the rectangle asked
 * for.
 *
 * \param volume must have a contiguous axis that is not the plan's main axis. Needs HasJosephPackets() and no
 * FindReasonAgainstCellGaussPackets(). */
RADIOGRAPHY_INTERNAL_EXPORT JosephPacketResult
ProjectCellGaussPackets(const kernel::VolumeView & volume,
                        const kernel::ViewRays &   view,
                        const ViewPlan &           plan,
                        const ProjectionPolicy &   policy,
                        const ParallelFor &        parallelFor,
                        const DepthImage &         output);

/** The same with gradients: what kernel::DifferentiateCellGauss is the reference of. Depths are those of
 * ProjectCellGaussPackets(), bit for bit. What stands under the integrals of the gradients is a cubic in each piece as
 * well. Along a lateral axis, on which a ray moves by n voxels on its way through the volume, gradients err by at most
 * (4 + 4 / n) (2e-7 + 5e-8 s) M: the fewer lines of voxel centres a ray crosses, the farther does a rounded place move
 * the crossing. A ray that keeps to a plane of voxel centres, or one with an end inside the volume, goes to the
 * reference. */
RADIOGRAPHY_INTERNAL_EXPORT JosephPacketResult
DifferentiateCellGaussPackets(const kernel::VolumeView &  volume,
                              const kernel::ViewRays &    view,
                              const ViewPlan &            plan,
                              const ProjectionPolicy &    policy,
                              const ParallelFor &         parallelFor,
                              const RayDerivativeRegion & output);

} // namespace radiography::compute

#endif
