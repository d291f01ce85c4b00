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
#include "compute/TruncatedRays.h"

#include <algorithm>
#include <cmath>

namespace radiography::compute
{
namespace
{

/** The way of a ray across the grid of a face, cell by cell: J. Amanatides and A. Woo, A fast voxel traversal algorithm
 * for ray tracing, Eurographics 1987. */
class FaceWalk
{
public:
  FaceWalk(const kernel::Ray & ray, const kernel::Interval & part, const int (&axes)[2], const std::int64_t (&size)[2])
    : m_End(part.end)
  {
    for (int i = 0; i < 2; ++i)
    {
      const double start = ray.start[axes[i]];
      const double step = ray.end[axes[i]] - start;
      const double place = step == 0.0 ? start : start + part.begin * step;
      const auto   cell = static_cast<std::int64_t>(std::floor(place + 0.5));
      m_Cell[i] = std::clamp<std::int64_t>(cell, 0, size[i] - 1);
      m_Sense[i] = step > 0.0 ? 1 : -1;
      const double border = static_cast<double>(m_Cell[i]) + 0.5 * static_cast<double>(m_Sense[i]);
      m_Next[i] = step == 0.0 ? HUGE_VAL : (border - start) / step;
      m_Width[i] = step == 0.0 ? HUGE_VAL : 1.0 / std::abs(step);
      m_Size[i] = size[i];
    }
  }

  std::size_t
  GetPlace() const
  {
    return static_cast<std::size_t>(m_Cell[0] + m_Cell[1] * m_Size[0]);
  }

  /** To the next cell; false if the part of the ray ends before it. */
  bool
  Advance()
  {
    const int i = m_Next[0] <= m_Next[1] ? 0 : 1;
    if (!(m_Next[i] < m_End))
    {
      return false;
    }
    m_Cell[i] += m_Sense[i];
    m_Next[i] += m_Width[i];
    return m_Cell[i] >= 0 && m_Cell[i] < m_Size[i];
  }

private:
  double       m_End;
  std::int64_t m_Cell[2]{};
  std::int64_t m_Sense[2]{};
  std::int64_t m_Size[2]{};
  double       m_Next[2]{};
  double       m_Width[2]{};
};

/** The part of a ray that lies beyond a face, straight above the volume. */
kernel::Interval
PartBeyond(const std::array<std::int64_t, 3> & size, const CutFace & face, const kernel::Ray & ray, bool comesFromAfar)
{
  double lower[3];
  double upper[3];
  for (int axis = 0; axis < 3; ++axis)
  {
    lower[axis] = -0.5;
    upper[axis] = static_cast<double>(size[static_cast<std::size_t>(axis)]) - 0.5;
  }
  if (face.isUpper)
  {
    lower[face.axis] = upper[face.axis];
    upper[face.axis] = HUGE_VAL;
  }
  else
  {
    upper[face.axis] = lower[face.axis];
    lower[face.axis] = -HUGE_VAL;
  }
  const kernel::Interval line = kernel::ClipLine(ray, lower, upper, false);
  return { comesFromAfar ? line.begin : std::fmax(line.begin, 0.0), std::fmin(line.end, 1.0) };
}

bool
MeetsCut(const std::array<std::int64_t, 3> & size, const CutFace & face, const kernel::Ray & ray, bool comesFromAfar)
{
  const kernel::Interval part = PartBeyond(size, face, ray, comesFromAfar);
  if (part.IsEmpty())
  {
    return false;
  }
  const int          axes[2] = { face.axis == 0 ? 1 : 0, face.axis == 2 ? 1 : 2 };
  const std::int64_t faceSize[2] = { size[static_cast<std::size_t>(axes[0])], size[static_cast<std::size_t>(axes[1])] };
  FaceWalk           walk(ray, part, axes, faceSize);
  do
  {
    if (face.isCut[walk.GetPlace()] != 0)
    {
      return true;
    }
  } while (walk.Advance());
  return false;
}

/** Widens the zeros of one line of pixels that lie `stride` apart. */
void
WidenLine(std::int64_t count, std::int64_t stride, std::int64_t margin, unsigned char * first)
{
  std::vector<unsigned char> line(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i)
  {
    line[static_cast<std::size_t>(i)] = first[i * stride];
  }
  for (std::int64_t i = 0; i < count; ++i)
  {
    if (line[static_cast<std::size_t>(i)] == 0)
    {
      for (std::int64_t j = std::max<std::int64_t>(i - margin, 0); j <= std::min(i + margin, count - 1); ++j)
      {
        first[j * stride] = 0;
      }
    }
  }
}

} // namespace

void
MarkTruncatedRays(const std::array<std::int64_t, 3> & size,
                  const std::vector<CutFace> &        faces,
                  const kernel::ViewRays &            rays,
                  bool                                comeFromAfar,
                  const ParallelFor &                 parallelFor,
                  unsigned char *                     mask)
{
  parallelFor(rays.rows, [&](std::int64_t row) {
    for (std::int64_t column = 0; column < rays.columns; ++column)
    {
      const kernel::Ray ray = kernel::MakeRay(rays, static_cast<double>(column), static_cast<double>(row));
      mask[column + row * rays.columns] = std::none_of(
        faces.begin(), faces.end(), [&](const CutFace & face) { return MeetsCut(size, face, ray, comeFromAfar); });
    }
  });
}

void
WidenMask(std::int64_t columns, std::int64_t rows, std::int64_t margin, unsigned char * mask)
{
  for (std::int64_t row = 0; row < rows; ++row)
  {
    WidenLine(columns, 1, margin, mask + row * columns);
  }
  for (std::int64_t column = 0; column < columns; ++column)
  {
    WidenLine(rows, columns, margin, mask + column);
  }
}

} // namespace radiography::compute
