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
#ifndef radiography_compute_LandmarkPose_h
#define radiography_compute_LandmarkPose_h

#include "compute/InternalExport.h"

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace radiography::compute
{

/** A 3 x 4 matrix that maps (x, y, z, 1), a point of the world in mm, to (u, v, 1) times a factor that is positive in
 * front of the source; u and v are coordinates on the detector in mm. `isCone`: rays meet in a source. */
struct LandmarkView
{
  std::array<std::array<double, 4>, 3> projection{};
  bool                                 isCone{ true };
};

/** Where one view shows one landmark. */
struct LandmarkObservation
{
  std::size_t           view{ 0 };
  std::size_t           landmark{ 0 };
  std::array<double, 2> place{};
};

/** What is known. */
struct LandmarkProblem
{
  std::vector<LandmarkView>          views{};
  std::vector<std::array<double, 3>> landmarks{};
  std::vector<LandmarkObservation>   observations{};
};

/** A rigid motion from the landmarks' own frame to the world, x -> rotation x + translation. */
struct LandmarkMotion
{
  std::array<std::array<double, 3>, 3> rotation{};
  std::array<double, 3>                translation{};
  /** Sum of the squared distances on the detectors, mm^2. */
  double squares{ 0.0 };
};

/** Why there is no pose. */
enum class LandmarkFault
{
  None,
  /** neither four landmarks in one view of a cone beam nor three that are seen in two views */
  TooFew,
  /** all landmarks lie on a line, within CollinearWithin: a turn about it changes nothing */
  Collinear,
  /** no pose with all landmarks in front of the sources explains the observations */
  BehindSource,
  /** some motion of the landmarks changes no place in an image */
  Undetermined
};

/** Landmarks whose second (third) principal extent is at most this fraction of the first count as collinear (coplanar).
 */
constexpr double CollinearWithin = 0.02;

/** What was found. */
struct LandmarkPose
{
  LandmarkFault  fault{ LandmarkFault::None };
  LandmarkMotion motion{};
  bool           isCoplanar{ false };
  /** The second best minimum that is another pose. */
  std::optional<LandmarkMotion> alternative{};
  /** The middle of the landmarks in the world: small motions turn about it. */
  std::array<double, 3> centre{};
  /** J^T J for the small motion x -> centre + exp([omega]) (x - centre) + tau of the world, (omega, tau): mm^2 per
   * radian^2 and so on. */
  std::array<std::array<double, 6>, 6> information{};
};

/** The motion with the least sum of squared distances between where landmarks are projected to and where they are seen.
 *
 * Starts come from closed forms: for a view of a cone beam, the poses of triples of its landmarks (J. Grunert's quartic
 * as in R. Haralick et al., Int. J. Comput. Vis. 13, 1994); for landmarks that two views see, the rigid motion onto
 * their triangulated places (B. Horn, J. Opt. Soc. Am. A 4, 1987; here by singular values). The best of them run
 * through Levenberg and Marquardt's iteration on all observations. Poses with a landmark behind a source are never
 * taken. */
RADIOGRAPHY_INTERNAL_EXPORT LandmarkPose
EstimateLandmarkPose(const LandmarkProblem & problem);

/** Levenberg and Marquardt's iteration from a given motion; nothing if a landmark lies behind a source there. */
RADIOGRAPHY_INTERNAL_EXPORT std::optional<LandmarkMotion>
                            RefineLandmarkMotion(const LandmarkProblem & problem, const LandmarkMotion & start);

} // namespace radiography::compute

#endif
