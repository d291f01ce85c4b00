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
#ifndef radiography_compute_PoissonProfile_h
#define radiography_compute_PoissonProfile_h

#include "compute/InternalExport.h"
#include "compute/ParallelFor.h"
#include "compute/PoissonStretch.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace radiography::compute
{

/** Hat functions along one axis of a detector: the first node on its first edge, the last node on its last one, linear
 * between neighbours. One node: the constant 1. */
class HatBasis
{
public:
  HatBasis() = default;

  /** \param first, stride which pixels of the detector there are: number i is first + i stride
   * \param detectorPixels of the whole detector along this axis */
  RADIOGRAPHY_INTERNAL_EXPORT
  HatBasis(std::int64_t nodes,
           std::int64_t pixels,
           std::int64_t first,
           std::int64_t stride,
           std::int64_t detectorPixels);

  std::int64_t
  GetNodes() const
  {
    return m_Nodes;
  }

  /** Pixel i lies between the nodes GetLeft(i) and GetLeft(i) + 1. With one node there is no second. */
  std::int64_t
  GetLeft(std::int64_t pixel) const
  {
    return m_Left[static_cast<std::size_t>(pixel)];
  }

  /** The value of the right node's function, 1 minus which is that of the left one's. */
  double
  GetRightWeight(std::int64_t pixel) const
  {
    return m_RightWeight[static_cast<std::size_t>(pixel)];
  }

  const double *
  GetRightWeights() const
  {
    return m_RightWeight.data();
  }

  /** The first pixel from `pixel` on that lies between other nodes, or the number of pixels. */
  std::int64_t
  GetEndOfInterval(std::int64_t pixel) const
  {
    return m_End[static_cast<std::size_t>(pixel)];
  }

  /** A node's function in every pixel. */
  RADIOGRAPHY_INTERNAL_EXPORT std::vector<double>
                              GetFunction(std::int64_t node) const;

private:
  std::int64_t              m_Nodes{ 0 };
  std::vector<std::int64_t> m_Left;
  std::vector<std::int64_t> m_End;
  std::vector<double>       m_RightWeight;
};

/** What is known of the counts of one view. Pixels in raster order, columns fastest. */
struct PoissonProfileView
{
  std::int64_t columns{ 0 };
  std::int64_t rows{ 0 };
  /** L. */
  const double * depths{ nullptr };
  /** N, photons. */
  const double * observed{ nullptr };
  /** n0 of each pixel. */
  const double * openBeam{ nullptr };
  /** Counts of each pixel that come on top and are known. */
  const double * background{ nullptr };
  /** 1 for pixels that are compared, else 0. */
  const double * inside{ nullptr };
  /** Log exposure that is known, where it is not estimated. */
  double logExposure{ 0.0 };
  /** Where the scatter's nodes are. */
  const HatBasis * columnHats{ nullptr };
  const HatBasis * rowHats{ nullptr };
};

/** The mean of a pixel is n0 exp(e) exp(-a L) + background + sum of c_k B_k, c_k >= 0, with e and c for each view and
 * one a for all. */
struct PoissonProfileModel
{
  bool   estimateExposure{ false };
  bool   estimateAttenuation{ false };
  bool   estimateScatter{ false };
  double attenuationScale{ 1.0 };
};

struct PoissonProfileNuisances
{
  double logExposure{ 0.0 };
  /** c, columns of nodes fastest; empty if scatter is not estimated. */
  std::vector<double> scatter;
};

/** The nuisances that make the half-deviance least. */
struct PoissonProfile
{
  /** Half the deviance summed over views and pixels. */
  double                               value{ 0.0 };
  double                               attenuationScale{ 1.0 };
  std::vector<PoissonProfileNuisances> views;
  /** How far from the least value at the end, in standard errors of the nuisances. */
  double decrement{ 0.0 };
  int    iterations{ 0 };

  /** What an entry of `gradient` and `information` stands for. */
  enum class Kind
  {
    Exposure,
    Attenuation,
    Scatter
  };
  struct Unknown
  {
    Kind        kind;
    std::size_t view;
    std::size_t node;
  };
  /** Those estimated and not held at 0 nor without any information. */
  std::vector<Unknown> unknowns;
  /** Their Fisher matrix, row by row. Only if asked for. */
  std::vector<double> information;
};

/** Minimises over the nuisances from a start that depends on the arguments only, so that the result is a pure function
 * of them: the same bits for any number of threads.
 *
 * Newton's method on the exact second derivatives, damped (Levenberg and Marquardt, gain ratio after Nielsen 1999);
 * nodes at 0 whose derivative would take them below are held, the others are kept from going below by projection
 * (Bertsekas 1982). A first solution of every eighth row is the start of that of all rows. Ends when the Newton
 * decrement is below 1e-9 standard errors, or at the floor that rounding sets. */
RADIOGRAPHY_INTERNAL_EXPORT PoissonProfile
ProfilePoisson(const std::vector<PoissonProfileView> & views,
               const PoissonProfileModel &             model,
               bool                                    withInformation,
               const ParallelFor &                     parallelFor);

/** What a profile says of the pixels of a view. */
RADIOGRAPHY_INTERNAL_EXPORT void
EvaluatePoissonPixels(const PoissonProfileView & view,
                      const PoissonProfile &     profile,
                      std::size_t                number,
                      const PoissonPixelTerms &  terms,
                      const ParallelFor &        parallelFor);

} // namespace radiography::compute

#endif
