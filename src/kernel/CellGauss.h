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
#ifndef radiography_kernel_CellGauss_h
#define radiography_kernel_CellGauss_h

#include "kernel/CellTraversal.h"
#include "kernel/HostDevice.h"
#include "kernel/IndexBox.h"
#include "kernel/Ray.h"
#include "kernel/VolumeView.h"

#include <cstdint>

namespace radiography::kernel
{

/** The eight values at the corners of a cell of voxel centres, zeros outside, and the trilinear field between them. */
struct TrilinearCell
{
  double corner[2][2][2];

  RADIOGRAPHY_HD
  TrilinearCell(const VolumeView & volume, const std::int64_t (&cell)[3])
  {
    bool within = true;
    for (int axis = 0; axis < 3; ++axis)
    {
      within = within && cell[axis] >= 0 && cell[axis] + 1 < volume.size[axis];
    }
    if (within)
    {
      this->Read(volume, cell);
    }
    else
    {
      this->ReadPadded(volume, cell);
    }
  }

  RADIOGRAPHY_HD static double
  Mix(double a, double b, double weight)
  {
    return a + weight * (b - a);
  }

  /** \param local position in the cell, 0 to 1 along each axis. */
  RADIOGRAPHY_HD double
  Sample(const double (&local)[3]) const
  {
    double plane[2];
    for (int c = 0; c < 2; ++c)
    {
      plane[c] =
        Mix(Mix(corner[c][0][0], corner[c][0][1], local[0]), Mix(corner[c][1][0], corner[c][1][1], local[0]), local[1]);
    }
    return Mix(plane[0], plane[1], local[2]);
  }

private:
  /** All eight are voxels: which is looked at once, not for each of them. */
  RADIOGRAPHY_HD void
  Read(const VolumeView & volume, const std::int64_t (&cell)[3])
  {
    const float * const first =
      volume.values + cell[0] * volume.stride[0] + cell[1] * volume.stride[1] + cell[2] * volume.stride[2];
    for (int c = 0; c < 2; ++c)
    {
      for (int b = 0; b < 2; ++b)
      {
        const float * const line = first + b * volume.stride[1] + c * volume.stride[2];
        corner[c][b][0] = line[0];
        corner[c][b][1] = line[volume.stride[0]];
      }
    }
  }

  RADIOGRAPHY_HD void
  ReadPadded(const VolumeView & volume, const std::int64_t (&cell)[3])
  {
    for (int c = 0; c < 2; ++c)
    {
      for (int b = 0; b < 2; ++b)
      {
        for (int a = 0; a < 2; ++a)
        {
          corner[c][b][a] = PaddedValue(volume, { cell[0] + a, cell[1] + b, cell[2] + c });
        }
      }
    }
  }
};

/** Calls visit(cell, t, local, weight) for each piece of a ray in a cell, with the two Gauss-Legendre nodes of the
 * piece (Abramowitz and Stegun 25.4.30): t their places on the ray, local their positions in the cell, 0 to 1, weight
 * the part of the integral over t that each stands for. \param part where on the ray; whole cells, or up to the ray's
 * ends. */
template <typename TVisit>
RADIOGRAPHY_HD inline void
VisitGaussNodes(const VolumeView & volume, const Ray & ray, const Interval & part, TVisit && visit)
{
  const double       nodes[2] = { -0.28867513459481288, 0.28867513459481288 }; // -+ 1 / (2 sqrt(3))
  const std::int64_t cellCount[3] = { volume.size[0] + 1, volume.size[1] + 1, volume.size[2] + 1 };
  TraverseCells(ray, part, 0.0, -1, cellCount, [&](const std::int64_t(&cell)[3], double begin, double end) {
    const double length = end - begin;
    const double middle = 0.5 * (begin + end);
    double       t[2];
    double       local[2][3];
    for (int node = 0; node < 2; ++node)
    {
      t[node] = middle + nodes[node] * length;
      for (int axis = 0; axis < 3; ++axis)
      {
        local[node][axis] =
          ray.start[axis] + t[node] * (ray.end[axis] - ray.start[axis]) - static_cast<double>(cell[axis]);
      }
    }
    visit(cell, t, local, 0.5 * length);
  });
}

/** The trilinear, tent-padded field integrated exactly along the ray between its two ends.
 *
 * Along a straight line a trilinear function is a cubic in t, which two-point Gauss-Legendre integrates without error:
 * what is left is rounding. Any ray: through edges, from inside, missing. The oracle of all other projectors of this
 * field. */
RADIOGRAPHY_HD inline double
IntegrateCellGauss(const VolumeView & volume, const Ray & ray)
{
  double sum = 0.0;
  VisitGaussNodes(volume,
                  ray,
                  ClipToEnds(ClipLine(ray, volume, 1.0)),
                  [&](const std::int64_t(&cell)[3], const double(&)[2], const double(&local)[2][3], double weight) {
                    const TrilinearCell field(volume, cell);
                    sum += weight * (field.Sample(local[0]) + field.Sample(local[1]));
                  });
  return sum * ray.worldLength;
}

/** The weights of the eight corners of the cell that a ray is in. A voxel is a corner of several cells on the way; its
 * parts are added up while the ray moves on, and handed over when it is a corner no longer. */
struct CornerWeights
{
  std::int64_t cell[3]{ 0, 0, 0 };
  double       weight[2][2][2]{};

  /** Moves to another cell: corners it shares keep what they have, the others go to handOver(voxel, weight). */
  template <typename THandOver>
  RADIOGRAPHY_HD void
  MoveTo(const std::int64_t (&next)[3], THandOver && handOver)
  {
    double kept[2][2][2]{};
    for (int corner = 0; corner < 8; ++corner)
    {
      const int          offset[3] = { corner & 1, (corner >> 1) & 1, corner >> 2 };
      const std::int64_t voxel[3] = { cell[0] + offset[0], cell[1] + offset[1], cell[2] + offset[2] };
      const std::int64_t place[3] = { voxel[0] - next[0], voxel[1] - next[1], voxel[2] - next[2] };
      const double       value = weight[offset[2]][offset[1]][offset[0]];
      const bool         shared =
        (place[0] == 0 || place[0] == 1) && (place[1] == 0 || place[1] == 1) && (place[2] == 0 || place[2] == 1);
      if (shared)
      {
        kept[place[2]][place[1]][place[0]] = value;
      }
      else if (value != 0.0)
      {
        handOver(voxel, value);
      }
    }
    for (int corner = 0; corner < 8; ++corner)
    {
      weight[corner >> 2][(corner >> 1) & 1][corner & 1] = kept[corner >> 2][(corner >> 1) & 1][corner & 1];
    }
    for (int axis = 0; axis < 3; ++axis)
    {
      cell[axis] = next[axis];
    }
  }

  /** Adds the trilinear weights of a position in the cell. */
  RADIOGRAPHY_HD void
  Add(const double (&local)[3], double factor)
  {
    for (int c = 0; c < 2; ++c)
    {
      const double weightC = factor * (c == 0 ? 1.0 - local[2] : local[2]);
      for (int b = 0; b < 2; ++b)
      {
        const double weightB = weightC * (b == 0 ? 1.0 - local[1] : local[1]);
        weight[c][b][0] += weightB * (1.0 - local[0]);
        weight[c][b][1] += weightB * local[0];
      }
    }
  }
};

/** The row of the matrix that IntegrateCellGauss applies: visit(voxel, weight) once for every voxel of `box` that the
 * ray meets, its parts in several cells added up.
 * \param grid only its size is looked at. */
template <typename TVisit>
RADIOGRAPHY_HD inline void
VisitCellGaussWeights(const VolumeView & grid, const Ray & ray, const IndexBox & box, TVisit && visit)
{
  const auto handOver = [&](const std::int64_t(&voxel)[3], double weight) {
    if (box.Holds(voxel))
    {
      visit(voxel, weight * ray.worldLength);
    }
  };
  CornerWeights corners;
  VisitGaussNodes(grid,
                  ray,
                  ClipToBox(ClipToEnds(ClipLine(ray, grid, 1.0)), ray, box, 1.0),
                  [&](const std::int64_t(&cell)[3], const double(&)[2], const double(&local)[2][3], double weight) {
                    corners.MoveTo(cell, handOver);
                    corners.Add(local[0], weight);
                    corners.Add(local[1], weight);
                  });
  const std::int64_t nowhere[3] = { -3, -3, -3 };
  corners.MoveTo(nowhere, handOver);
}

} // namespace radiography::kernel

#endif
