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
#ifndef radiography_compute_JosephPacket_h
#define radiography_compute_JosephPacket_h

#include "compute/JosephPacketLayout.h"
#include "compute/PixelTiles.h"
#include "compute/ProjectionPolicy.h"
#include "compute/ViewPlan.h"
#include "kernel/Ray.h"
#include "kernel/RaySensitivity.h"
#include "kernel/VolumeView.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

/** What forward projection, derivatives and back projection in packets have in common, whatever the instruction set. */
namespace radiography::compute::joseph
{

/** Lanes of the longest register, and the most slabs of a block. */
constexpr int MostLanes = 16;
constexpr int MostSlabs = 64;
/** Packets of a tile whose state is held at the same time. */
constexpr int MostPackets = 64;
/** With more rows than this in a slab, reading lane by lane is faster. */
constexpr double MostRows = 32.0;
/** Voxels by which the bounds of a packet are wider than its rays: much more than what rounding can move a ray that is
 * at most a register away. It decides only which rows are read, some with weight 0. */
constexpr double Slack = 1.0 / 4096.0;

/** first + k * step in slab k. */
struct AffineInSlab
{
  double first;
  double step;

  double
  At(double slab) const
  {
    return first + slab * step;
  }
};

/** A rectangle of the detector. */
struct PixelRegion
{
  std::int64_t firstColumn;
  std::int64_t firstRow;
  std::int64_t columns;
  std::int64_t rows;
  /** Of each of its pixels, in raster order, whether it is asked for; nullptr: all are. */
  const unsigned char * mask{ nullptr };
};

/** All that the packets of a view have in common. */
struct PacketJob
{
  kernel::VolumeView       volume;
  const kernel::ViewRays & view;
  const ViewPlan &         plan;
  JosephPacketLayout       layout;
  /** What is asked for. */
  PixelRegion region;
  /** The volume's axes: main one, contiguous one, third one. */
  int          m;
  int          p;
  int          q;
  std::int64_t slabBlock;
  /** Every ray passes through all slabs between its two ends: none ends inside, or before the volume. */
  bool                      crossesAllSlabs;
  std::vector<std::int64_t> shifts;
  /** Rays are integrated exactly (CellGauss), not sampled once per slab (Joseph). */
  bool exact;
};

/** \param volume must have a contiguous axis that is not the plan's main axis. \param view and `plan` must outlive the
 * result. \param lanes of a packet. */
PacketJob
MakePacketJob(const kernel::VolumeView & volume,
              const kernel::ViewRays &   view,
              const ViewPlan &           plan,
              const ProjectionPolicy &   policy,
              const PixelRegion &        region,
              int                        lanes);

/** The tiles that hold the job's region. */
PixelTiles
MakeTiles(const PacketJob & job, const ProjectionPolicy & policy);

/** "AVX3 8x2 packets, binary32" and so on. */
std::string
DescribePackets(const PacketJob & job);

/** Some rays side by side. Arrays have one element per lane. */
struct Packet
{
  /** Place along p and q relative to the packet's corner, in slab k: offset + k * slope. */
  alignas(64) float offsetP[MostLanes];
  alignas(64) float slopeP[MostLanes];
  alignas(64) float offsetQ[MostLanes];
  alignas(64) float slopeQ[MostLanes];
  /** Its rays lie in [lowP, highP) x [lowQ, highQ) in each slab; (lowP, lowQ) is its corner. */
  AffineInSlab lowP;
  AffineInSlab highP;
  AffineInSlab lowQ;
  AffineInSlab highQ;
  /** Slabs in which it can meet the tent-padded volume, and those in which all its rays have four voxels around. */
  std::int64_t begin;
  std::int64_t end;
  std::int64_t innerBegin;
  std::int64_t innerEnd;
  /** Registers that hold what the rays need of a row of voxels, 1 or 2; 0: they are farther apart. */
  int registers;
  /** Each ray goes to a body of its own, in `kernels`: some end inside the volume or before it. */
  bool mixed;

  /** World length per slab. */
  alignas(64) double weight[MostLanes];
  /** The ray's pixel. */
  std::int64_t column[MostLanes];
  std::int64_t row[MostLanes];
  /** Its place in the region, in raster order; -1 if it is not asked for. */
  std::int64_t target[MostLanes];
  /** Joseph stands for the packet itself, whatever its rule. */
  RayKernel kernels[MostLanes];
};

/** A packet with its samples, or integrals over slabs, added up. */
struct DepthPacket : Packet
{
  alignas(64) double sum[MostLanes];
};

/** With the slopes of the samples as well, and these times their slab. */
struct SlopePacket : DepthPacket
{
  alignas(64) double slopeSumP[MostLanes];
  alignas(64) double slopeSumQ[MostLanes];
  alignas(64) double momentP[MostLanes];
  alignas(64) double momentQ[MostLanes];
};

/** How many registers of `lanes` voxels hold what the rays need of a row. A ray's left neighbour is at most
 * floor(spread) + 1 voxels from the first one that is loaded, its right one is the next. */
int
CountRegisters(const Packet & packet, int lanes, double lastSlab);

/** The slabs that matter to a packet whose bounds are known. \param loaded voxels of a row that are loaded. */
void
FindSlabs(const PacketJob & job, int loaded, Packet & packet);

/** Fills in the rays' pixels; a ray beyond the detector is replaced by the packet's first ray on it.
 * \param along,across where the packet begins. \return whether any of its rays is asked for. */
bool
SetPixels(const PacketJob &        job,
          const PixelTiles::Tile & tile,
          std::int64_t             along,
          std::int64_t             across,
          Packet &                 packet);

/** Decides ray by ray which body integrates it, for views in which that is not the packet for all.
 * \return rays asked for that have an end inside the volume. */
std::int64_t
SortRays(const PacketJob & job, Packet & packet);

/** The body that integrates a ray of a packet. */
inline RayKernel
GetKernel(const Packet & packet, int lane)
{
  return packet.mixed ? packet.kernels[lane] : RayKernel::Joseph;
}

inline kernel::Ray
MakeRay(const PacketJob & job, const Packet & packet, int lane)
{
  return kernel::MakeRay(job.view, static_cast<double>(packet.column[lane]), static_cast<double>(packet.row[lane]));
}

/** Depth of a ray of a finished packet. */
double
GetDepth(const PacketJob & job, const DepthPacket & packet, int lane);

/** \param values those of the job's region. */
void
StoreDepths(const PacketJob & job, const DepthPacket & packet, float * values);

/** Whether a ray keeps to a plane of voxel centres along p or q, to within what its places in binary32 can tell. There
 * the slope across the plane jumps. */
bool
KeepsToPlane(const PacketJob & job, const kernel::Ray & ray);

/** Derivatives of a ray that a packet's moments are not good for. */
kernel::RaySensitivity
DifferentiateAlone(const PacketJob & job, const DepthPacket & packet, int lane);

/** How many values farther on the packet is in the next block of slabs, as nearly as its corner tells: what is fetched
 * into the caches early. */
inline std::int64_t
FindNextBlock(const PacketJob & job, const Packet & packet)
{
  const auto block = static_cast<double>(job.slabBlock);
  return job.slabBlock * job.volume.stride[job.m] +
         static_cast<std::int64_t>(std::floor(block * packet.lowQ.step + 0.5)) * job.volume.stride[job.q] +
         static_cast<std::int64_t>(std::floor(block * packet.lowP.step + 0.5));
}

} // namespace radiography::compute::joseph

#endif
