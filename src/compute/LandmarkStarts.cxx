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
#include "compute/LandmarkStarts.h"
#include "compute/LinearAlgebra.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace radiography::compute::landmark
{
namespace
{

using Eigen::Matrix3d;
using Eigen::Matrix3Xd;
using Eigen::Vector3d;

constexpr std::size_t FewestInOneView = 4;
constexpr std::size_t FewestInTwoViews = 3;

/** Observations by what they have in common. */
using Groups = std::map<std::size_t, std::vector<LandmarkObservation>>;

Groups
GroupByView(const LandmarkProblem & problem)
{
  Groups groups;
  for (const auto & observation : problem.observations)
  {
    groups[observation.view].push_back(observation);
  }
  return groups;
}

/** Landmarks that at least two views see. */
Groups
GroupByLandmark(const LandmarkProblem & problem)
{
  Groups groups;
  for (const auto & observation : problem.observations)
  {
    groups[observation.landmark].push_back(observation);
  }
  for (auto it = groups.begin(); it != groups.end();)
  {
    it = it->second.size() < 2 ? groups.erase(it) : std::next(it);
  }
  return groups;
}

/** The point of the world whose images are nearest to those observed, in the sense of the linear equations that each
 * image coordinate gives (R. Hartley and A. Zisserman, Multiple View Geometry, 2nd edition, section 12.2). */
Vector3d
Triangulate(const LandmarkProblem & problem, const std::vector<LandmarkObservation> & observations)
{
  Eigen::MatrixX4d equations(2 * static_cast<Eigen::Index>(observations.size()), 4);
  Eigen::Index     row = 0;
  for (const auto & observation : observations)
  {
    const ProjectionMatrix projection = MatrixOf(problem.views[observation.view]);
    for (const std::size_t i : { 0U, 1U })
    {
      equations.row(row++) = projection.row(static_cast<Eigen::Index>(i)) - observation.place[i] * projection.row(2);
    }
  }
  return equations.leftCols<3>().colPivHouseholderQr().solve(-equations.col(3));
}

/** The real parts of the roots of c[4] x^4 + ... + c[0], as eigenvalues of the companion matrix. */
std::vector<double>
RealPartsOfRoots(const double (&c)[5])
{
  double largest = 0.0;
  for (const double coefficient : c)
  {
    largest = std::max(largest, std::abs(coefficient));
  }
  if (!(std::abs(c[4]) > 1e-14 * largest))
  {
    return {};
  }
  Eigen::Matrix4d companion = Eigen::Matrix4d::Zero();
  companion.bottomLeftCorner<3, 3>().setIdentity();
  for (int i = 0; i < 4; ++i)
  {
    companion(i, 3) = -c[i] / c[4];
  }
  const Eigen::EigenSolver<Eigen::Matrix4d> solver(companion, false);
  std::vector<double>                       roots;
  for (int i = 0; i < 4; ++i)
  {
    roots.push_back(solver.eigenvalues()[i].real());
  }
  return roots;
}

/** Grunert's quartic for v = (distance of point 3) / (distance of point 1); R. Haralick et al. 1994, equation 9.
 * Squared sides a2, b2, c2 opposite to points 1, 2, 3; cosines of the angles between the rays to points 2 and 3, 1 and
 * 3, 1 and 2. */
std::vector<double>
SolveGrunert(double a2, double b2, double c2, double cosAlpha, double cosBeta, double cosGamma)
{
  const double difference = (a2 - c2) / b2;
  const double sum = (a2 + c2) / b2;
  const double alpha2 = cosAlpha * cosAlpha;
  const double beta2 = cosBeta * cosBeta;
  const double gamma2 = cosGamma * cosGamma;
  const double c[5] = {
    (1.0 + difference) * (1.0 + difference) - 4.0 * a2 / b2 * gamma2,
    4.0 * (-difference * (1.0 + difference) * cosBeta + 2.0 * a2 / b2 * gamma2 * cosBeta -
           (1.0 - sum) * cosAlpha * cosGamma),
    2.0 * (difference * difference - 1.0 + 2.0 * difference * difference * beta2 + 2.0 * (b2 - c2) / b2 * alpha2 -
           4.0 * sum * cosAlpha * cosBeta * cosGamma + 2.0 * (b2 - a2) / b2 * gamma2),
    4.0 * (difference * (1.0 - difference) * cosBeta - (1.0 - sum) * cosAlpha * cosGamma +
           2.0 * c2 / b2 * alpha2 * cosBeta),
    (difference - 1.0) * (difference - 1.0) - 4.0 * c2 / b2 * alpha2,
  };
  return RealPartsOfRoots(c);
}

/** As many landmarks of a view as triples are made of, the far apart ones: each next one is the farthest from those
 * that were chosen. */
std::vector<LandmarkObservation>
ChooseSpread(const LandmarkProblem & problem, const std::vector<LandmarkObservation> & observations)
{
  constexpr std::size_t            most = 6;
  std::vector<LandmarkObservation> chosen{ observations.front() };
  std::vector<double>              distance(observations.size(), HUGE_VAL);
  while (chosen.size() < std::min(most, observations.size()))
  {
    const Vector3d last = PointOf(problem, chosen.back());
    for (std::size_t i = 0; i < observations.size(); ++i)
    {
      distance[i] = std::min(distance[i], (PointOf(problem, observations[i]) - last).norm());
    }
    const auto farthest = std::max_element(distance.begin(), distance.end()) - distance.begin();
    chosen.push_back(observations[static_cast<std::size_t>(farthest)]);
  }
  return chosen;
}

/** The poses of all triples of the landmarks of one view. */
void
AddStartsOfView(const LandmarkProblem &                  problem,
                const LandmarkView &                     view,
                const std::vector<LandmarkObservation> & observations,
                std::vector<Motion> &                    starts)
{
  const ProjectionMatrix projection = MatrixOf(view);
  const Matrix3d         toRay = projection.leftCols<3>().inverse();
  const Vector3d         source = -(toRay * projection.col(3));
  const auto             chosen = ChooseSpread(problem, observations);
  const auto             count = static_cast<Eigen::Index>(chosen.size());
  Matrix3Xd              points(3, count);
  Matrix3Xd              directions(3, count);
  for (Eigen::Index i = 0; i < count; ++i)
  {
    const auto & observation = chosen[static_cast<std::size_t>(i)];
    points.col(i) = PointOf(problem, observation);
    directions.col(i) = (toRay * Vector3d(observation.place[0], observation.place[1], 1.0)).normalized();
  }
  for (Eigen::Index i = 0; i < count; ++i)
  {
    for (Eigen::Index j = i + 1; j < count; ++j)
    {
      for (Eigen::Index k = j + 1; k < count; ++k)
      {
        Matrix3d triple;
        Matrix3d rays;
        triple << points.col(i), points.col(j), points.col(k);
        rays << directions.col(i), directions.col(j), directions.col(k);
        const auto motions = SolveThreePoints(triple, source, rays);
        starts.insert(starts.end(), motions.begin(), motions.end());
      }
    }
  }
}

} // namespace

ProjectionMatrix
MatrixOf(const LandmarkView & view)
{
  ProjectionMatrix matrix;
  for (std::size_t i = 0; i < 3; ++i)
  {
    for (std::size_t j = 0; j < 4; ++j)
    {
      matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = view.projection[i][j];
    }
  }
  return matrix;
}

Vector3d
PointOf(const LandmarkProblem & problem, const LandmarkObservation & observation)
{
  const auto & point = problem.landmarks[observation.landmark];
  return { point[0], point[1], point[2] };
}

bool
AreEnough(const LandmarkProblem & problem)
{
  const Groups views = GroupByView(problem);
  const bool   inOneView = std::any_of(views.begin(), views.end(), [&](const auto & group) {
    return problem.views[group.first].isCone && group.second.size() >= FewestInOneView;
  });
  return inOneView || GroupByLandmark(problem).size() >= FewestInTwoViews;
}

Motion
AlignRigidly(const Matrix3Xd & from, const Matrix3Xd & to)
{
  const Vector3d                   fromMiddle = from.rowwise().mean();
  const Vector3d                   toMiddle = to.rowwise().mean();
  const Matrix3d                   covariance = (to.colwise() - toMiddle) * (from.colwise() - fromMiddle).transpose();
  const Eigen::JacobiSVD<Matrix3d> svd(covariance, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Matrix3d                         mirror = Matrix3d::Identity();
  mirror(2, 2) = (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0.0 ? -1.0 : 1.0;
  const Matrix3d rotation = svd.matrixU() * mirror * svd.matrixV().transpose();
  return { rotation, toMiddle - rotation * fromMiddle };
}

std::vector<Motion>
SolveThreePoints(const Matrix3d & points, const Vector3d & source, const Matrix3d & directions)
{
  const double a2 = (points.col(1) - points.col(2)).squaredNorm();
  const double b2 = (points.col(0) - points.col(2)).squaredNorm();
  const double c2 = (points.col(0) - points.col(1)).squaredNorm();
  if (!(std::min({ a2, b2, c2 }) > 0.0))
  {
    return {};
  }
  const double cosAlpha = directions.col(1).dot(directions.col(2));
  const double cosBeta = directions.col(0).dot(directions.col(2));
  const double cosGamma = directions.col(0).dot(directions.col(1));

  std::vector<Motion> motions;
  for (const double v : SolveGrunert(a2, b2, c2, cosAlpha, cosBeta, cosGamma))
  {
    const double first = std::sqrt(b2 / (1.0 + v * v - 2.0 * v * cosBeta));
    // The triangle of points 1 and 2 leaves two distances for point 2; the wrong one makes a poor start and is found
    // out by its residuals.
    const double half = std::sqrt(std::max(0.0, cosGamma * cosGamma - 1.0 + c2 / (first * first)));
    for (const double u : { cosGamma + half, cosGamma - half })
    {
      if (v > 0.0 && u > 0.0 && std::isfinite(first))
      {
        Matrix3d places;
        places << first * directions.col(0), u * first * directions.col(1), v * first * directions.col(2);
        places.colwise() += source;
        motions.push_back(AlignRigidly(points, places));
      }
    }
  }
  return motions;
}

std::optional<Motion>
MakeTriangulatedStart(const LandmarkProblem & problem)
{
  const Groups groups = GroupByLandmark(problem);
  if (groups.size() < FewestInTwoViews)
  {
    return std::nullopt;
  }
  Matrix3Xd    from(3, static_cast<Eigen::Index>(groups.size()));
  Matrix3Xd    to(3, from.cols());
  Eigen::Index column = 0;
  for (const auto & group : groups)
  {
    from.col(column) = PointOf(problem, group.second.front());
    to.col(column++) = Triangulate(problem, group.second);
  }
  return AlignRigidly(from, to);
}

std::vector<Motion>
MakeStarts(const LandmarkProblem & problem)
{
  std::vector<Motion> starts;
  if (const auto start = MakeTriangulatedStart(problem))
  {
    starts.push_back(*start);
  }
  for (const auto & group : GroupByView(problem))
  {
    const LandmarkView & view = problem.views[group.first];
    if (view.isCone && group.second.size() >= 3)
    {
      AddStartsOfView(problem, view, group.second, starts);
    }
  }
  return starts;
}

} // namespace radiography::compute::landmark
