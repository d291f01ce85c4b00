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
#include "compute/LandmarkPose.h"
#include "compute/LinearAlgebra.h"

#include "compute/LandmarkStarts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace radiography::compute
{
namespace
{

using Eigen::Vector2d;
using Eigen::Vector3d;
using landmark::Motion;
using landmark::ProjectionMatrix;
using Vector6d = Eigen::Matrix<double, 6, 1>;
using Matrix6d = Eigen::Matrix<double, 6, 6>;

/** The normal equations of least squares at a motion; turns are about `centre`. */
struct NormalEquations
{
  double   squares{ 0.0 };
  Vector6d gradient{ Vector6d::Zero() };
  Matrix6d information{ Matrix6d::Zero() };
};

Vector3d
MiddleOf(const LandmarkProblem & problem, const Motion & motion)
{
  Vector3d sum = Vector3d::Zero();
  for (const auto & observation : problem.observations)
  {
    sum += motion(landmark::PointOf(problem, observation));
  }
  return sum / static_cast<double>(problem.observations.size());
}

/** Adds one observation; false if its landmark is not in front of the source. */
bool
AddObservation(const LandmarkProblem &     problem,
               const LandmarkObservation & observation,
               const Motion &              motion,
               const Vector3d &            centre,
               NormalEquations &           equations)
{
  const Vector3d         world = motion(landmark::PointOf(problem, observation));
  const ProjectionMatrix projection = landmark::MatrixOf(problem.views[observation.view]);
  const Vector3d         image = projection * world.homogeneous();
  if (!(image[2] > 0.0))
  {
    return false;
  }
  const Vector2d                    place(image[0] / image[2], image[1] / image[2]);
  const Vector2d                    residual = place - Vector2d(observation.place[0], observation.place[1]);
  Eigen::Matrix<double, 2, 3> const byPoint =
    (projection.topLeftCorner<2, 3>() - place * projection.row(2).head<3>()) / image[2];
  const Vector3d              arm = world - centre;
  Eigen::Matrix<double, 2, 6> jacobian;
  for (int i = 0; i < 2; ++i)
  {
    // d / d omega of g . (omega x arm) is arm x g.
    jacobian.row(i).head<3>() = arm.cross(Vector3d(byPoint.row(i).transpose())).transpose();
    jacobian.row(i).tail<3>() = byPoint.row(i);
  }
  equations.squares += residual.squaredNorm();
  equations.gradient += jacobian.transpose() * residual;
  equations.information += jacobian.transpose() * jacobian;
  return true;
}

std::optional<NormalEquations>
MakeNormalEquations(const LandmarkProblem & problem, const Motion & motion, const Vector3d & centre)
{
  NormalEquations equations;
  for (const auto & observation : problem.observations)
  {
    if (!AddObservation(problem, observation, motion, centre, equations))
    {
      return std::nullopt;
    }
  }
  return std::isfinite(equations.squares) ? std::optional<NormalEquations>(equations) : std::nullopt;
}

/** The motion followed by a turn of the world about `centre` and a shift. */
Motion
Moved(const Motion & motion, const Vector3d & centre, const Vector6d & step)
{
  const Vector3d  turn = step.head<3>();
  const double    angle = turn.norm();
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
  if (angle > 0.0)
  {
    rotation = Eigen::AngleAxisd(angle, turn / angle).toRotationMatrix();
  }
  return { rotation * motion.rotation, rotation * (motion.translation - centre) + centre + Vector3d(step.tail<3>()) };
}

/** Levenberg and Marquardt with damping by the gain ratio (K. Madsen, H. B. Nielsen, O. Tingleff, Methods for
 * Non-linear Least Squares Problems, 2004). The damping is scaled by the diagonal. */
std::optional<Motion>
Refine(const LandmarkProblem & problem, Motion motion)
{
  constexpr int    mostIterations = 200;
  constexpr double negligible = 1e-14;
  Vector3d         centre = MiddleOf(problem, motion);
  auto             equations = MakeNormalEquations(problem, motion, centre);
  if (!equations)
  {
    return std::nullopt;
  }
  double damping = 1e-3;
  double growth = 2.0;
  for (int iteration = 0; iteration < mostIterations; ++iteration)
  {
    const Vector6d diagonal = equations->information.diagonal();
    Matrix6d       damped = equations->information;
    damped.diagonal() += damping * diagonal;
    const Vector6d step = -damped.ldlt().solve(equations->gradient);
    const double   promised = -step.dot(equations->gradient) + damping * step.dot(diagonal.cwiseProduct(step));
    if (!(promised > negligible * equations->squares + std::numeric_limits<double>::min()))
    {
      break;
    }
    const Motion   trial = Moved(motion, centre, step);
    const Vector3d trialCentre = MiddleOf(problem, trial);
    const auto     trialEquations = MakeNormalEquations(problem, trial, trialCentre);
    if (!trialEquations || !(trialEquations->squares < equations->squares))
    {
      damping *= growth;
      growth *= 2.0;
      if (!std::isfinite(damping))
      {
        break;
      }
      continue;
    }
    const double ratio = (equations->squares - trialEquations->squares) / promised;
    damping *= std::max(1.0 / 3.0, 1.0 - std::pow(2.0 * ratio - 1.0, 3));
    growth = 2.0;
    motion = trial;
    centre = trialCentre;
    equations = trialEquations;
  }
  return motion;
}

/** Infinite if a landmark is not in front of the source. */
double
SquaresOf(const LandmarkProblem & problem, const Motion & motion)
{
  double squares = 0.0;
  for (const auto & observation : problem.observations)
  {
    const Vector3d world = motion(landmark::PointOf(problem, observation));
    const Vector3d image = landmark::MatrixOf(problem.views[observation.view]) * world.homogeneous();
    if (!(image[2] > 0.0))
    {
      return std::numeric_limits<double>::infinity();
    }
    squares +=
      (Vector2d(image[0], image[1]) / image[2] - Vector2d(observation.place[0], observation.place[1])).squaredNorm();
  }
  return squares;
}

struct RatedMotion
{
  Motion motion;
  double squares;
};

/** Two motions that take all landmarks to nearly the same places, relative to their extent. */
bool
AreAlike(const LandmarkProblem & problem, const Motion & one, const Motion & other)
{
  constexpr double within = 1e-3;
  double           distance = 0.0;
  double           extent = 0.0;
  const Vector3d   middle = MiddleOf(problem, one);
  for (const auto & observation : problem.observations)
  {
    const Vector3d point = landmark::PointOf(problem, observation);
    distance = std::max(distance, (one(point) - other(point)).norm());
    extent = std::max(extent, (one(point) - middle).norm());
  }
  return distance <= within * extent;
}

/** Those in front of all sources, best first, without repetitions. */
std::vector<RatedMotion>
RateMotions(const LandmarkProblem & problem, const std::vector<Motion> & motions)
{
  std::vector<RatedMotion> rated;
  for (const Motion & motion : motions)
  {
    const double squares = SquaresOf(problem, motion);
    if (std::isfinite(squares))
    {
      rated.push_back({ motion, squares });
    }
  }
  std::stable_sort(
    rated.begin(), rated.end(), [](const RatedMotion & a, const RatedMotion & b) { return a.squares < b.squares; });
  std::vector<RatedMotion> distinct;
  for (const RatedMotion & candidate : rated)
  {
    if (std::none_of(distinct.begin(), distinct.end(), [&](const RatedMotion & earlier) {
          return AreAlike(problem, earlier.motion, candidate.motion);
        }))
    {
      distinct.push_back(candidate);
    }
  }
  return distinct;
}

/** Second and third principal extent of the landmarks that are seen, as fractions of the first. */
Vector2d
RelativeExtents(const LandmarkProblem & problem)
{
  std::set<std::size_t> seen;
  for (const auto & observation : problem.observations)
  {
    seen.insert(observation.landmark);
  }
  Eigen::Matrix3Xd points(3, static_cast<Eigen::Index>(seen.size()));
  Eigen::Index     column = 0;
  for (const std::size_t number : seen)
  {
    const auto & point = problem.landmarks[number];
    points.col(column++) = Vector3d(point[0], point[1], point[2]);
  }
  points.colwise() -= points.rowwise().mean().eval();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> spectrum(points * points.transpose(), Eigen::EigenvaluesOnly);
  const Vector3d                                       extents = spectrum.eigenvalues().cwiseMax(0.0).cwiseSqrt();
  return extents[2] > 0.0 ? Vector2d(extents[1] / extents[2], extents[0] / extents[2]) : Vector2d(0.0, 0.0);
}

/** Whether every small motion moves something: least eigenvalue of the matrix scaled to a unit diagonal. */
bool
IsDetermined(const Matrix6d & information)
{
  constexpr double least = 1e-10;
  const Vector6d   diagonal = information.diagonal();
  if (!(diagonal.minCoeff() > 0.0))
  {
    return false;
  }
  const Vector6d scale = diagonal.cwiseSqrt().cwiseInverse();
  const Matrix6d scaled = scale.asDiagonal() * information * scale.asDiagonal();
  return Eigen::SelfAdjointEigenSolver<Matrix6d>(scaled, Eigen::EigenvaluesOnly).eigenvalues()[0] > least;
}

LandmarkMotion
ToPlain(const RatedMotion & rated)
{
  LandmarkMotion plain;
  for (int i = 0; i < 3; ++i)
  {
    plain.translation[static_cast<std::size_t>(i)] = rated.motion.translation[i];
    for (int j = 0; j < 3; ++j)
    {
      plain.rotation[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = rated.motion.rotation(i, j);
    }
  }
  plain.squares = rated.squares;
  return plain;
}

Motion
FromPlain(const LandmarkMotion & plain)
{
  Motion motion;
  for (int i = 0; i < 3; ++i)
  {
    motion.translation[i] = plain.translation[static_cast<std::size_t>(i)];
    for (int j = 0; j < 3; ++j)
    {
      motion.rotation(i, j) = plain.rotation[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
    }
  }
  return motion;
}

/** The minima that the best starts lead to, best first. */
std::vector<RatedMotion>
FindMinima(const LandmarkProblem & problem, const std::vector<RatedMotion> & starts)
{
  constexpr std::size_t mostStarts = 24;
  std::vector<Motion>   minima;
  for (std::size_t i = 0; i < std::min(mostStarts, starts.size()); ++i)
  {
    if (const auto refined = Refine(problem, starts[i].motion))
    {
      minima.push_back(*refined);
    }
  }
  return RateMotions(problem, minima);
}

/** Stores the information at the pose; false if it leaves a motion undetermined. */
bool
StoreInformation(const LandmarkProblem & problem, const Motion & motion, LandmarkPose & pose)
{
  const Vector3d centre = MiddleOf(problem, motion);
  const auto     equations = MakeNormalEquations(problem, motion, centre);
  for (int i = 0; i < 6; ++i)
  {
    for (int j = 0; j < 6; ++j)
    {
      pose.information[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = equations->information(i, j);
    }
  }
  pose.centre = { centre[0], centre[1], centre[2] };
  return IsDetermined(equations->information);
}

} // namespace

std::optional<LandmarkMotion>
RefineLandmarkMotion(const LandmarkProblem & problem, const LandmarkMotion & start)
{
  const auto refined = Refine(problem, FromPlain(start));
  return refined ? std::optional<LandmarkMotion>(ToPlain({ *refined, SquaresOf(problem, *refined) })) : std::nullopt;
}

LandmarkPose
EstimateLandmarkPose(const LandmarkProblem & problem)
{
  LandmarkPose pose;
  if (!landmark::AreEnough(problem))
  {
    pose.fault = LandmarkFault::TooFew;
    return pose;
  }
  const Vector2d extents = RelativeExtents(problem);
  if (!(extents[0] > CollinearWithin))
  {
    pose.fault = LandmarkFault::Collinear;
    return pose;
  }
  pose.isCoplanar = !(extents[1] > CollinearWithin);
  const auto minima = FindMinima(problem, RateMotions(problem, landmark::MakeStarts(problem)));
  if (minima.empty())
  {
    pose.fault = LandmarkFault::BehindSource;
    return pose;
  }
  pose.motion = ToPlain(minima[0]);
  if (!StoreInformation(problem, minima[0].motion, pose))
  {
    // What puts landmarks behind a source can only be explained by poses that lose themselves in the distance.
    const auto triangulated = landmark::MakeTriangulatedStart(problem);
    const bool isBehind = triangulated && !std::isfinite(SquaresOf(problem, *triangulated));
    pose.fault = isBehind ? LandmarkFault::BehindSource : LandmarkFault::Undetermined;
  }
  if (minima.size() > 1)
  {
    pose.alternative = ToPlain(minima[1]);
  }
  return pose;
}

} // namespace radiography::compute
