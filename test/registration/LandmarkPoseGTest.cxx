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

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

using namespace radiography;
using compute::LandmarkFault;
using compute::LandmarkMotion;
using compute::LandmarkProblem;
using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace
{

constexpr double SourceIsocenter = 700.0;
constexpr double SourceDetector = 1100.0;

class Engine
{
public:
  explicit Engine(unsigned int seed)
    : m_Engine(seed)
  {}

  double
  Normal()
  {
    return m_Normal(m_Engine);
  }

  Vector3d
  NormalVector()
  {
    const double x = this->Normal();
    const double y = this->Normal();
    return { x, y, this->Normal() };
  }

  Matrix3d
  AnyRotation()
  {
    const double   w = this->Normal();
    const Vector3d v = this->NormalVector();
    return Eigen::Quaterniond(w, v[0], v[1], v[2]).normalized().toRotationMatrix();
  }

private:
  std::mt19937                     m_Engine;
  std::normal_distribution<double> m_Normal;
};

/** A cone beam whose principal ray passes the world's origin along the third row of `axes`, or a parallel beam. */
compute::LandmarkView
MakeView(const Matrix3d & axes, bool isCone = true)
{
  Eigen::Matrix<double, 3, 4> camera;
  camera.leftCols<3>() = axes;
  camera.col(3) = Vector3d(0.0, 0.0, SourceIsocenter);
  const Eigen::DiagonalMatrix<double, 3> lens(SourceDetector, SourceDetector, 1.0);
  Eigen::Matrix<double, 3, 4>            projection = lens * camera;
  if (!isCone)
  {
    projection = camera;
    projection.row(2) << 0.0, 0.0, 0.0, 1.0;
  }
  compute::LandmarkView view;
  view.isCone = isCone;
  for (int i = 0; i < 3; ++i)
  {
    for (int j = 0; j < 4; ++j)
    {
      view.projection[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = projection(i, j);
    }
  }
  return view;
}

Matrix3d
Lateral()
{
  Matrix3d axes;
  axes << 0, 1, 0, 0, 0, -1, -1, 0, 0;
  return axes;
}

LandmarkMotion
MakeMotion(const Matrix3d & rotation, const Vector3d & translation)
{
  LandmarkMotion motion;
  for (int i = 0; i < 3; ++i)
  {
    motion.translation[static_cast<std::size_t>(i)] = translation[i];
    for (int j = 0; j < 3; ++j)
    {
      motion.rotation[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = rotation(i, j);
    }
  }
  return motion;
}

Vector3d
Apply(const LandmarkMotion & motion, const std::array<double, 3> & point)
{
  Vector3d image;
  for (std::size_t i = 0; i < 3; ++i)
  {
    image[static_cast<Eigen::Index>(i)] = motion.rotation[i][0] * point[0] + motion.rotation[i][1] * point[1] +
                                          motion.rotation[i][2] * point[2] + motion.translation[i];
  }
  return image;
}

/** Every view sees every landmark, with noise of `sigma` mm. */
void
Observe(LandmarkProblem & problem, const LandmarkMotion & truth, double sigma, Engine & engine)
{
  for (std::size_t view = 0; view < problem.views.size(); ++view)
  {
    for (std::size_t i = 0; i < problem.landmarks.size(); ++i)
    {
      const Vector3d image =
        compute::landmark::MatrixOf(problem.views[view]) * Apply(truth, problem.landmarks[i]).homogeneous();
      const double noise[2] = { sigma * engine.Normal(), sigma * engine.Normal() };
      problem.observations.push_back({ view, i, { image[0] / image[2] + noise[0], image[1] / image[2] + noise[1] } });
    }
  }
}

double
Distance(const LandmarkProblem & problem, const LandmarkMotion & one, const LandmarkMotion & other)
{
  double greatest = 0.0;
  for (const auto & point : problem.landmarks)
  {
    greatest = std::max(greatest, (Apply(one, point) - Apply(other, point)).norm());
  }
  return greatest;
}

struct Shares
{
  int         global{ 0 };
  int         count{ 0 };
  std::string misses{};
};

/** How often the estimate is at least as good as what an iteration from the truth finds. */
Shares
CountGlobalMinima(unsigned int seed, int trials, std::size_t landmarks, std::size_t views, double sigma, double depth)
{
  Engine engine(seed);
  Shares shares;
  for (int trial = 0; trial < trials; ++trial)
  {
    LandmarkProblem problem;
    problem.views.push_back(MakeView(engine.AnyRotation()));
    if (views == 2)
    {
      problem.views.push_back(MakeView(Lateral()));
    }
    const Matrix3d axes = engine.AnyRotation();
    for (std::size_t i = 0; i < landmarks; ++i)
    {
      const Vector3d spread = engine.NormalVector();
      const Vector3d point =
        axes * Vector3d(60.0 * spread[0], 60.0 * spread[1], depth * spread[2]) + Vector3d(500, -40, 9);
      problem.landmarks.push_back({ point[0], point[1], point[2] });
    }
    const Matrix3d rotation = engine.AnyRotation();
    const Vector3d shift = 30.0 * engine.NormalVector();
    const auto     truth = MakeMotion(rotation, shift - rotation * Vector3d(500, -40, 9));
    Observe(problem, truth, sigma, engine);
    const auto pose = compute::EstimateLandmarkPose(problem);
    const auto best = compute::RefineLandmarkMotion(problem, truth);
    if (pose.fault == LandmarkFault::Collinear)
    {
      continue;
    }
    ++shares.count;
    EXPECT_TRUE(best.has_value());
    const bool found =
      pose.fault == LandmarkFault::None && best && pose.motion.squares <= best->squares * (1.0 + 1e-6) + 1e-12;
    shares.global += found;
    if (!found)
    {
      shares.misses += "\ntrial " + std::to_string(trial) + " of seed " + std::to_string(seed) + ": " +
                       std::to_string(pose.motion.squares) + " mm^2, fault " +
                       std::to_string(static_cast<int>(pose.fault));
    }
  }
  return shares;
}

LandmarkProblem
MakeScene(Engine & engine, std::size_t landmarks, const LandmarkMotion & truth)
{
  LandmarkProblem problem;
  problem.views.push_back(MakeView(Matrix3d::Identity()));
  for (std::size_t i = 0; i < landmarks; ++i)
  {
    const Vector3d point = 50.0 * engine.NormalVector();
    problem.landmarks.push_back({ point[0], point[1], point[2] });
  }
  Observe(problem, truth, 0.0, engine);
  return problem;
}

const LandmarkMotion Identity = MakeMotion(Matrix3d::Identity(), Vector3d::Zero());

} // namespace

TEST(LandmarkPose, ThreePointsHaveTheTruthAmongTheirPoses)
{
  Engine engine(3);
  for (int trial = 0; trial < 200; ++trial)
  {
    SCOPED_TRACE("trial " + std::to_string(trial) + " of seed 3");
    Matrix3d points;
    points << 60.0 * engine.NormalVector(), 60.0 * engine.NormalVector(), 60.0 * engine.NormalVector();
    const Vector3d source(0.0, 0.0, -SourceIsocenter);
    const Matrix3d rotation = engine.AnyRotation();
    const Matrix3d world = rotation * points;
    Matrix3d       directions = world.colwise() - source;
    directions.colwise().normalize();
    double nearest = HUGE_VAL;
    for (const auto & motion : compute::landmark::SolveThreePoints(points, source, directions))
    {
      const Matrix3d placed = (motion.rotation * points).colwise() + motion.translation;
      nearest = std::min(nearest, (placed - world).norm());
    }
    // Poses are ill-conditioned near double roots: 1e-3 mm of 700 mm.
    EXPECT_LT(nearest, 1e-3);
  }
}

TEST(LandmarkPose, FourInOneViewFindTheGlobalMinimum)
{
  for (const double sigma : { 0.0, 0.3, 2.0 })
  {
    const auto shares = CountGlobalMinima(11, 40, 4, 1, sigma, 60.0);
    EXPECT_GE(shares.global, 0.99 * shares.count) << "sigma " << sigma << shares.misses;
    EXPECT_GE(shares.count, 35);
  }
}

TEST(LandmarkPose, MoreInOneViewFindTheGlobalMinimum)
{
  for (const std::size_t landmarks : { std::size_t{ 5 }, std::size_t{ 6 }, std::size_t{ 12 } })
  {
    const auto shares = CountGlobalMinima(12, 15, landmarks, 1, 0.5, 60.0);
    EXPECT_GE(shares.global, 0.99 * shares.count) << landmarks << " landmarks" << shares.misses;
  }
}

TEST(LandmarkPose, NearlyCoplanarInOneViewFindTheGlobalMinimum)
{
  const auto shares = CountGlobalMinima(13, 25, 6, 1, 0.5, 1.0);
  EXPECT_GE(shares.global, 0.99 * shares.count) << shares.misses;
}

TEST(LandmarkPose, ThreeSeenInTwoViewsFindTheGlobalMinimum)
{
  for (const double sigma : { 0.0, 0.5, 2.0 })
  {
    const auto shares = CountGlobalMinima(14, 60, 3, 2, sigma, 60.0);
    EXPECT_GE(shares.global, 0.99 * shares.count) << "sigma " << sigma << shares.misses;
  }
}

TEST(LandmarkPose, ExactImagesGiveTheExactPose)
{
  Engine     engine(21);
  const auto truth = MakeMotion(engine.AnyRotation(), Vector3d(12.0, -7.0, 3.0));
  const auto problem = MakeScene(engine, 5, truth);
  const auto pose = compute::EstimateLandmarkPose(problem);
  ASSERT_EQ(pose.fault, LandmarkFault::None);
  EXPECT_FALSE(pose.isCoplanar);
  EXPECT_LT(Distance(problem, pose.motion, truth), 1e-7);
  EXPECT_LT(pose.motion.squares, 1e-18);
}

TEST(LandmarkPose, ThreeSeenByTwoParallelBeamsAreEnough)
{
  Engine          engine(22);
  const auto      truth = MakeMotion(engine.AnyRotation(), Vector3d(12.0, -7.0, 3.0));
  LandmarkProblem problem;
  problem.views = { MakeView(Matrix3d::Identity(), false), MakeView(Lateral(), false) };
  problem.landmarks = { { 10, 20, 30 }, { -40, 5, 60 }, { 0, -50, 5 } };
  Observe(problem, truth, 0.0, engine);
  const auto pose = compute::EstimateLandmarkPose(problem);
  ASSERT_EQ(pose.fault, LandmarkFault::None);
  EXPECT_LT(Distance(problem, pose.motion, truth), 1e-8);
}

TEST(LandmarkPose, TooFewAreRefused)
{
  Engine engine(23);
  EXPECT_EQ(compute::EstimateLandmarkPose(MakeScene(engine, 3, Identity)).fault, LandmarkFault::TooFew);
  EXPECT_EQ(compute::EstimateLandmarkPose({}).fault, LandmarkFault::TooFew);
  auto parallel = MakeScene(engine, 8, Identity);
  parallel.views[0] = MakeView(Matrix3d::Identity(), false);
  EXPECT_EQ(compute::EstimateLandmarkPose(parallel).fault, LandmarkFault::TooFew);
}

TEST(LandmarkPose, CollinearIsRefusedAndCoplanarSaid)
{
  Engine          engine(24);
  LandmarkProblem line;
  line.views.push_back(MakeView(Matrix3d::Identity()));
  for (int i = 0; i < 6; ++i)
  {
    line.landmarks.push_back({ 10.0 * i, -20.0 * i, 5.0 * i });
  }
  LandmarkProblem plane = line;
  Observe(line, Identity, 0.0, engine);
  EXPECT_EQ(compute::EstimateLandmarkPose(line).fault, LandmarkFault::Collinear);

  plane.landmarks[2] = { 40.0, 20.0, 5.0 };
  plane.landmarks[4] = { -30.0, 25.0, 5.0 };
  for (auto & point : plane.landmarks)
  {
    point[2] = 0.3 * point[0] - 0.2 * point[1];
  }
  Observe(plane, Identity, 0.0, engine);
  const auto pose = compute::EstimateLandmarkPose(plane);
  EXPECT_EQ(pose.fault, LandmarkFault::None);
  EXPECT_TRUE(pose.isCoplanar);
  EXPECT_LT(Distance(plane, pose.motion, Identity), 1e-6);
}

TEST(LandmarkPose, APlaneSeenFromAfarHasASecondPose)
{
  Engine          engine(25);
  LandmarkProblem problem;
  problem.views.push_back(MakeView(Matrix3d::Identity()));
  problem.landmarks = { { 20, 20, 0 }, { -20, 20, 0 }, { -20, -20, 0 }, { 20, -20, 0 }, { 5, 12, 0 } };
  const Matrix3d tilt = Eigen::AngleAxisd(0.4, Vector3d::UnitX()).toRotationMatrix();
  const auto     truth = MakeMotion(tilt, Vector3d::Zero());
  Observe(problem, truth, 0.1, engine);
  const auto pose = compute::EstimateLandmarkPose(problem);
  ASSERT_EQ(pose.fault, LandmarkFault::None);
  EXPECT_TRUE(pose.isCoplanar);
  ASSERT_TRUE(pose.alternative.has_value());
  const auto mirrored = MakeMotion(tilt.transpose(), Vector3d::Zero());
  EXPECT_LT(std::min(Distance(problem, pose.motion, truth), Distance(problem, *pose.alternative, truth)), 10.0);
  EXPECT_LT(std::min(Distance(problem, pose.motion, mirrored), Distance(problem, *pose.alternative, mirrored)), 10.0);
  EXPECT_LE(pose.motion.squares, pose.alternative->squares);
}

TEST(LandmarkPose, LandmarksBehindTheSourceAreRefused)
{
  // A pinhole maps them, too, but no ray goes there: both views place them behind their sources.
  Engine          engine(26);
  LandmarkProblem problem;
  problem.views = { MakeView(Matrix3d::Identity()), MakeView(Lateral()) };
  problem.landmarks = { { 10, 20, 30 }, { -40, 5, 60 }, { 0, -50, 5 } };
  const auto behind = MakeMotion(Matrix3d::Identity(), Vector3d(1500.0, 0.0, -1500.0));
  Observe(problem, behind, 0.0, engine);
  EXPECT_FALSE(compute::RefineLandmarkMotion(problem, behind).has_value());
  EXPECT_EQ(compute::EstimateLandmarkPose(problem).fault, LandmarkFault::BehindSource);
}

TEST(LandmarkPose, InformationIsThatOfCentralDifferences)
{
  Engine     engine(27);
  const auto truth = MakeMotion(engine.AnyRotation(), Vector3d(12.0, -7.0, 3.0));
  const auto problem = MakeScene(engine, 5, truth);
  const auto pose = compute::EstimateLandmarkPose(problem);
  ASSERT_EQ(pose.fault, LandmarkFault::None);
  const Vector3d  centre(pose.centre[0], pose.centre[1], pose.centre[2]);
  const double    step = 1e-4;
  Eigen::MatrixXd jacobian(2 * static_cast<Eigen::Index>(problem.observations.size()), 6);
  const auto      residuals = [&](int parameter, double by) {
    Eigen::Matrix<double, 6, 1> motion = Eigen::Matrix<double, 6, 1>::Zero();
    motion[parameter] = by;
    const Matrix3d  turn = Eigen::AngleAxisd(motion.head<3>().norm(), motion.head<3>().normalized()).toRotationMatrix();
    Eigen::VectorXd result(jacobian.rows());
    for (std::size_t i = 0; i < problem.observations.size(); ++i)
    {
      const Vector3d world = Apply(pose.motion, problem.landmarks[problem.observations[i].landmark]);
      const Vector3d moved = turn * (world - centre) + centre + Vector3d(motion.tail<3>());
      const Vector3d image = compute::landmark::MatrixOf(problem.views[0]) * moved.homogeneous();
      result.segment<2>(2 * static_cast<Eigen::Index>(i)) << image[0] / image[2], image[1] / image[2];
    }
    return result;
  };
  for (int parameter = 0; parameter < 6; ++parameter)
  {
    jacobian.col(parameter) = (residuals(parameter, step) - residuals(parameter, -step)) / (2.0 * step);
  }
  const Eigen::MatrixXd expected = jacobian.transpose() * jacobian;
  for (std::size_t i = 0; i < 6; ++i)
  {
    for (std::size_t j = 0; j < 6; ++j)
    {
      EXPECT_NEAR(pose.information[i][j],
                  expected(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)),
                  1e-6 * expected.norm());
    }
  }
}
