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
#ifndef PhantomModel_h
#define PhantomModel_h

#include "PhantomShapes.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace radiography::program
{

/** A small calcified nodule: a point that a registration can be judged by. */
struct Target
{
  std::string name;
  Point3      center;
  double      radius;
  std::string material;
};

/** A chest-like model: no patient's, but with what makes a chest picture: lungs, heart to the left, liver to the right,
 * stomach bubble to the left, spine, ribs, clavicles, shoulder blades, vessels, nodules. Nothing about it is symmetric
 * between left and right that could hide a mirrored picture.
 *
 * LPS mm about the centre of the field of view; later solids replace earlier ones where they overlap. */
class PhantomModel
{
public:
  /** The same seed gives the same model; it moves nodules, vessels and, a little, heart and diaphragm. */
  explicit PhantomModel(std::uint64_t seed);

  /** Edge of the cubic field of view, mm. */
  static constexpr double FieldOfView = 384.0;
  static constexpr double AirHounsfield = -1000.0;

  const std::vector<Solid> &
  Solids() const
  {
    return m_Solids;
  }
  const std::vector<Target> &
  Targets() const
  {
    return m_Targets;
  }
  const std::map<std::string, double> &
  Materials() const
  {
    return m_Materials;
  }

  /** HU of the `size` x `size` voxels of edge `voxel` in the slice at height z, rows from anterior to posterior,
   * columns from the patient's right to the left. A voxel that a surface cuts gets its share of both sides. */
  std::vector<float>
  RenderSlice(double z, std::size_t size, double voxel) const;

private:
  class Builder;

  std::vector<Solid>            m_Solids;
  std::vector<Target>           m_Targets;
  std::map<std::string, double> m_Materials;
};

} // namespace radiography::program

#endif
