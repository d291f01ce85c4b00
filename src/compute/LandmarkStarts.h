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
#ifndef radiography_compute_LandmarkStarts_h
#define radiography_compute_LandmarkStarts_h

#include "compute/LandmarkPose.h"
#include "compute/LinearAlgebra.h"

#include <optional>
#include <vector>

namespace radiography::compute::landmark
{

/** x -> rotation x + translation, from landmarks to the world. */
struct Motion
{
  Eigen::Matrix3d rotation{ Eigen::Matrix3d::Identity() };
  Eigen::Vector3d translation{ Eigen::Vector3d::Zero() };

  Eigen::Vector3d
  operator()(const Eigen::Vector3d & point) const
  {
    return rotation * point + translation;
  }
};

using ProjectionMatrix = Eigen::Matrix<double, 3, 4>;

ProjectionMatrix
MatrixOf(const LandmarkView & view);

/** In the landmarks' own frame. */
Eigen::Vector3d
PointOf(const LandmarkProblem & problem, const LandmarkObservation & observation);

/** Whether there are four landmarks in one view of a cone beam, or three that are seen in two views. */
bool
AreEnough(const LandmarkProblem & problem);

/** The rigid motion with the least sum of squared distances from `from` to `to`, column by column. */
Motion
AlignRigidly(const Eigen::Matrix3Xd & from, const Eigen::Matrix3Xd & to);

/** The motions that take three points to places on three rays from `source`, as many as four; near-solutions too, where
 * noise makes roots complex. Directions are unit vectors, columns are points. */
std::vector<Motion>
SolveThreePoints(const Eigen::Matrix3d & points, const Eigen::Vector3d & source, const Eigen::Matrix3d & directions);

/** The motion onto the triangulated places of landmarks that at least two views see, if there are three; they may lie
 * behind a source. */
std::optional<Motion>
MakeTriangulatedStart(const LandmarkProblem & problem);

/** Motions to start an iteration from, by closed forms. */
std::vector<Motion>
MakeStarts(const LandmarkProblem & problem);

} // namespace radiography::compute::landmark

#endif
