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
#ifndef radiography_compute_JosephBackJob_h
#define radiography_compute_JosephBackJob_h

#include "compute/BackProjection.h"
#include "compute/JosephPacket.h"
#include "compute/JosephPacketLayout.h"
#include "compute/ProjectionPolicy.h"
#include "compute/ViewPlan.h"
#include "kernel/Ray.h"
#include "kernel/VolumeView.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

/** The transpose of Joseph's packets, whatever the instruction set: how a view is cut into strips of rays, and a volume
 * into bands that threads gather. */
namespace radiography::compute::josephback
{

using joseph::AffineInSlab;
using joseph::MostLanes;
using joseph::MostSlabs;
using joseph::Slack;

/** The affine function with two values given. */
inline AffineInSlab
MakeChord(double slabA, double valueA, double slabB, double valueB)
{
  const double step = slabB > slabA ? (valueB - valueA) / (slabB - slabA) : 0.0;
  return { valueA - step * slabA, step };
}

/** Bounds of rays along p and q between two slabs. Rays are affine in the slab: the least of them is concave, so that
 * the chord between its values in the two slabs bounds it. */
struct Bounds
{
  AffineInSlab lowP;
  AffineInSlab highP;
  AffineInSlab lowQ;
  AffineInSlab highQ;
};

/** Affine in the place along a line of rays, and in the coordinate across lines. */
struct AffineInPixel
{
  double origin;
  double along;
  double across;

  double
  At(double place, double coordinate) const
  {
    return origin + place * along + coordinate * across;
  }
};

/** Part of a line of rays, all of them on the detector. */
struct Strip
{
  std::int64_t line;
  /** Places [begin, end) on the line. */
  std::int64_t begin;
  std::int64_t end;
  /** Where the value of place `begin` is in BackJob::values. */
  std::int64_t firstValue;
  /** In all slabs of the volume. */
  Bounds bounds;
  /** Of its values, without signs; 0: there is nothing to be spread. */
  double largest;
};

/** All that the packets of a view have in common. */
struct BackJob
{
  kernel::VolumeView       grid;
  const kernel::ViewRays & view;
  const ViewPlan &         plan;
  WeightPower              power;
  int                      lanes;
  /** The volume's axes: main one, the one that rows are along in a band's buffer, third one. */
  int m;
  int p;
  int q;
  /** Slabs of a block. */
  std::int64_t slabs;
  /** Lines of rays are the layout's. */
  JosephPacketLayout layout;
  /** Places on a line are numbered so that rays go up along p: against the layout's `along`, if so. */
  bool reversed;
  /** Along m, p and q: where rays start, and the way to where they end. */
  AffineInPixel start[3];
  AffineInPixel step[3];
  /** The same way in the world, along x, y and z. */
  AffineInPixel span[3];
  /** By how many voxels along p the steps of a slanted line make rays jump. */
  double stairs;
  /** JosephPacketLayout::GetShift of each place, and a register more. */
  std::vector<double> shifts;
  /** Strips one behind the other along each line, those of all lines, and so on. */
  std::vector<Strip> strips;
  /** Strip by strip: pixel times the length in the world per slab, to the power of the weights; 0 for rays that packets
   * do not take. A register more. */
  std::vector<float> values;

  JosephPacketLayout::Pixel
  GetPixel(std::int64_t line, std::int64_t place) const
  {
    return layout.GetPixel(reversed ? layout.countAlong - 1 - place : place, line);
  }
};

/** The job without values, and without the bounds of its strips. \param view and `plan` must outlive the result. */
BackJob
MakeBackJob(const kernel::VolumeView & grid,
            const kernel::ViewRays &   view,
            const ViewPlan &           plan,
            const ProjectionPolicy &   policy,
            WeightPower                power,
            int                        lanes);

/** What a thread gathers at a time: slabs [slabBegin, slabEnd) of a block, some rows (axis q) and columns (axis p). */
struct Band
{
  /** The whole block, within the volume. */
  std::int64_t blockBegin;
  std::int64_t blockEnd;
  std::int64_t slabBegin;
  std::int64_t slabEnd;
  std::int64_t rowBegin;
  std::int64_t rows;
  std::int64_t columnBegin;
  std::int64_t columns;
  /** In the buffer, where rows have a register's room on both sides. */
  std::int64_t rowStride;
  std::int64_t slabStride;

  /** Where affine functions within a block count slabs from. */
  double
  GetMiddle() const
  {
    return static_cast<double>(blockBegin + (blockEnd - blockBegin) / 2);
  }
};

/** Where a band's voxels go: (column, row, slab), counted from the band's first. */
struct BandOutput
{
  float *      values;
  std::int64_t columnStride;
  std::int64_t rowStride;
  std::int64_t slabStride;
  /** The whole output is so large that it would not stay in the caches. */
  bool pastCaches;
};

/** A block of voxels, cut into bands. */
class Bands
{
public:
  /** \param job and `output` must outlive it. */
  Bands(const BackJob & job, const ProjectionPolicy & policy, const VoxelBlock & output);

  std::int64_t
  GetCount() const
  {
    return m_Blocks * m_Pieces;
  }

  Band
  GetBand(std::int64_t item) const;

  kernel::IndexBox
  GetBox(const Band & band) const;

  BandOutput
  GetOutput(const Band & band) const;

  /** Values of the largest band's buffer. */
  std::int64_t
  GetBufferSize() const;

private:
  std::int64_t
  GetExtent(int axis) const
  {
    return m_Output.box.end[axis] - m_Output.box.begin[axis];
  }

  const BackJob &    m_Job;
  const VoxelBlock & m_Output;
  std::int64_t       m_Rows;
  bool               m_PastCaches;
  std::int64_t       m_Blocks{ 0 };
  std::int64_t       m_Pieces{ 0 };
};

/** Buffers that threads take and give back: there are as many as threads at work. */
class Buffers
{
public:
  explicit Buffers(std::int64_t size)
    : m_Size(static_cast<size_t>(size))
  {}

  std::unique_ptr<float[]>
  Take();

  void
  GiveBack(std::unique_ptr<float[]> buffer);

private:
  size_t                                m_Size;
  std::mutex                            m_Mutex;
  std::vector<std::unique_ptr<float[]>> m_Free;
};

} // namespace radiography::compute::josephback

#endif
