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
#ifndef itkSubrayBlocks_h
#define itkSubrayBlocks_h

#include "compute/SubrayAverage.h"
#include "transmission/itkPixelViews.h"

#include <string>
#include <vector>

/** What the filters of sub-rays share: which of them belong to a pixel, and words for weights that are none. */
namespace itk
{

/** Columns and rows are averaged, slices are not. */
constexpr unsigned int SubrayAxes = 2;

/** Keeps the number of sub-rays of a pixel within int. */
constexpr unsigned int MostSubraysPerSide = 1024;

/** The sub-rays of the pixels of a region. `start` is the index that both grids begin with. */
inline ImageRegion<3>
SubrayRegion(const ImageRegion<3> & pixels, const Index<3> & start, unsigned int subraysPerSide)
{
  ImageRegion<3> subrays = pixels;
  for (unsigned int axis = 0; axis < SubrayAxes; ++axis)
  {
    const auto offset = (pixels.GetIndex(axis) - start[axis]) * static_cast<IndexValueType>(subraysPerSide);
    subrays.SetIndex(axis, start[axis] + offset);
    subrays.SetSize(axis, pixels.GetSize(axis) * subraysPerSide);
  }
  return subrays;
}

/** The pixels that have sub-rays in a region. */
inline ImageRegion<3>
PixelRegion(const ImageRegion<3> & subrays, const Index<3> & start, unsigned int subraysPerSide)
{
  const auto     side = static_cast<IndexValueType>(subraysPerSide);
  ImageRegion<3> pixels = subrays;
  for (unsigned int axis = 0; axis < SubrayAxes; ++axis)
  {
    const auto begin = subrays.GetIndex(axis) - start[axis];
    const auto end = begin + static_cast<IndexValueType>(subrays.GetSize(axis));
    pixels.SetIndex(axis, start[axis] + begin / side);
    pixels.SetSize(axis, static_cast<SizeValueType>((end + side - 1) / side - begin / side));
  }
  return pixels;
}

/** What is wrong with SubraysPerSide and the weights, and the remedy; empty if nothing is. No weights are equal ones.
 */
inline std::string
FaultOfSubrays(unsigned int subraysPerSide, const std::vector<double> & weights)
{
  const std::string side = std::to_string(subraysPerSide);
  if (subraysPerSide < 1 || subraysPerSide > MostSubraysPerSide)
  {
    return "SubraysPerSide is " + side + "; give a number from 1 to " + std::to_string(MostSubraysPerSide) + '.';
  }
  if (weights.empty())
  {
    return {};
  }
  const std::size_t needed = static_cast<std::size_t>(subraysPerSide) * subraysPerSide;
  if (weights.size() != needed)
  {
    return "There are " + std::to_string(weights.size()) + " weights; " + side + " x " + side + " sub-rays need " +
           std::to_string(needed) + ", or none for equal weights.";
  }
  const auto fault = radiography::compute::FindWeightFault(weights);
  if (!fault)
  {
    return {};
  }
  return fault->subray ? "Weight " + std::to_string(*fault->subray) + " is " + TextOf(fault->value) +
                           "; weights are finite and not negative."
                       : "The weights sum to " + TextOf(fault->value) + "; divide each by that, so that they sum to 1.";
}

/** The sub-rays of a checked filter. */
inline radiography::compute::SubrayBlocks
SubrayBlocksOf(unsigned int                                         subraysPerSide,
               const std::vector<double> &                          weights,
               const radiography::compute::PixelView<const float> & depths)
{
  const auto side = static_cast<int>(subraysPerSide);
  return { side, weights.empty() ? radiography::compute::EqualSubrayWeights(side) : weights, depths };
}

/** Weights for PrintSelf(). */
inline std::string
TextOf(const std::vector<double> & weights)
{
  std::string text;
  for (const double weight : weights)
  {
    text += (text.empty() ? "" : ", ") + TextOf(weight);
  }
  return text.empty() ? "(equal)" : text;
}

} // namespace itk

#endif
