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
#ifndef RegistrationScenes_h
#define RegistrationScenes_h

#include "ProjectionFixtures.h"
#include "itkRadiographRegistrationMethod.h"

#include "itkEuler3DTransform.h"
#include "itkImageRegionIteratorWithIndex.h"

#include <cmath>
#include <random>
#include <vector>

namespace radiography::test
{

using TransformType = itk::Transform<double, 3, 3>;
using EulerType = itk::Euler3DTransform<double>;
using PointType = itk::Point<double, 3>;
using VectorType = itk::Vector<double, 3>;

/** An ellipsoid of a phantom, mm and 1/mm; later ones replace earlier ones. */
struct Ellipsoid
{
  double center[3];
  double radii[3];
  double mu;
};

/** A trunk: soft tissue, two lungs, a spine with processes, and a liver that makes it lopsided. */
inline std::vector<Ellipsoid>
Trunk()
{
  return { { { 0, 0, 0 }, { 72, 50, 90 }, 0.02 },      { { -32, -5, 15 }, { 24, 32, 50 }, 0.006 },
           { { 32, -8, 20 }, { 22, 30, 45 }, 0.005 },  { { 0, 32, 0 }, { 10, 10, 85 }, 0.042 },
           { { -20, 30, 45 }, { 18, 5, 5 }, 0.04 },    { { 22, 28, -5 }, { 20, 5, 5 }, 0.04 },
           { { -25, 5, -50 }, { 30, 25, 18 }, 0.026 }, { { 30, -20, -45 }, { 9, 8, 12 }, 0.035 } };
}

/** The same stuff in other places. */
inline std::vector<Ellipsoid>
OtherTrunk()
{
  return { { { 0, 0, 0 }, { 60, 58, 85 }, 0.02 },
           { { 25, 20, -30 }, { 30, 20, 30 }, 0.005 },
           { { -30, -25, 30 }, { 14, 14, 40 }, 0.042 },
           { { 20, -25, 40 }, { 25, 8, 8 }, 0.04 } };
}

inline double
MuAt(const std::vector<Ellipsoid> & ellipsoids, const PointType & point)
{
  double mu = 0.0;
  for (const Ellipsoid & e : ellipsoids)
  {
    double radius = 0.0;
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      const double part = (point[axis] - e.center[axis]) / e.radii[axis];
      radius += part * part;
    }
    mu = radius < 1.0 ? e.mu : mu;
  }
  return mu;
}

/** mu at the middle of each voxel, averaged over its eight corners' neighbourhoods. */
inline ImageType::Pointer
MakePhantom(const std::vector<Ellipsoid> & ellipsoids, double spacing)
{
  const auto         voxels = [spacing](double extent) { return static_cast<itk::SizeValueType>(extent / spacing); };
  const itk::Size<3> size{ { voxels(160.0), voxels(120.0), voxels(200.0) } };
  const auto         image = MakeCenteredImage(size, spacing, spacing, spacing);
  using IteratorType = itk::ImageRegionIteratorWithIndex<ImageType>;
  for (IteratorType it(image, image->GetLargestPossibleRegion()); !it.IsAtEnd(); ++it)
  {
    PointType center;
    image->TransformIndexToPhysicalPoint(it.GetIndex(), center);
    double sum = 0.0;
    for (unsigned int corner = 0; corner < 8; ++corner)
    {
      PointType point = center;
      for (unsigned int axis = 0; axis < 3; ++axis)
      {
        point[axis] += ((corner >> axis) % 2 == 0 ? -0.25 : 0.25) * spacing;
      }
      sum += MuAt(ellipsoids, point);
    }
    it.Set(static_cast<float>(sum / 8.0));
  }
  return image;
}

/** World to CT: rotations about the world's axes (rad) and a translation (mm), about the origin. */
inline EulerType::Pointer
MakePose(double rx, double ry, double rz, double tx, double ty, double tz)
{
  const auto pose = EulerType::New();
  pose->SetRotation(rx, ry, rz);
  VectorType translation;
  translation[0] = tx;
  translation[1] = ty;
  translation[2] = tz;
  pose->SetTranslation(translation);
  return pose;
}

/** Points of the CT that errors are measured at. */
inline std::vector<PointType>
Targets()
{
  std::vector<PointType> targets;
  for (unsigned int corner = 0; corner < 8; ++corner)
  {
    targets.push_back(
      MakePoint((corner & 1U) != 0 ? 50 : -50, (corner & 2U) != 0 ? 40 : -40, (corner & 4U) != 0 ? 60 : -60));
  }
  return targets;
}

inline PointType
InWorld(const TransformType & pose, const PointType & ctPoint)
{
  return pose.GetInverseTransform()->TransformPoint(ctPoint);
}

/** Mean target registration error, mm. */
inline double
MeanTargetError(const TransformType & found, const TransformType & truth)
{
  double sum = 0.0;
  for (const PointType & target : Targets())
  {
    sum += InWorld(found, target).EuclideanDistanceTo(InWorld(truth, target));
  }
  return sum / 8.0;
}

/** Mean reprojection distance, mm: how far targets are from the rays on which they should be. */
inline double
MeanReprojectionDistance(const TransformType & found, const TransformType & truth, const GeometryType & view)
{
  double sum = 0.0;
  for (const PointType & target : Targets())
  {
    VectorType ray = InWorld(truth, target) - view.GetSource();
    ray.Normalize();
    const VectorType reached = InWorld(found, target) - view.GetSource();
    sum += (reached - ray * (reached * ray)).GetNorm();
  }
  return sum / 8.0;
}

/** The pose with the world moved before it, in a random direction, so that the mean target error is `error`. */
inline EulerType::Pointer
MoveAway(const EulerType & truth, double error, unsigned int seed)
{
  std::mt19937                     engine(seed);
  std::normal_distribution<double> normal;
  double                           direction[6];
  for (double & number : direction)
  {
    number = normal(engine);
  }
  const auto moved = [&](double size) {
    const auto motion = MakePose(size * direction[0] / 60.0,
                                 size * direction[1] / 60.0,
                                 size * direction[2] / 60.0,
                                 size * direction[3],
                                 size * direction[4],
                                 size * direction[5]);
    const auto pose = EulerType::New();
    pose->SetMatrix(truth.GetMatrix());
    pose->SetOffset(truth.GetOffset());
    pose->Compose(motion, true);
    return pose;
  };
  double size = 1.0;
  for (unsigned int i = 0; i < 30; ++i)
  {
    size *= error / MeanTargetError(*moved(size), truth);
  }
  return moved(size);
}

/** How images depart from the plain law n0 exp(-L). */
struct Imaging
{
  double counts{ 10000.0 };
  /** A factor on n0 that the registration is not told. */
  double exposure{ 1.0 };
  /** A factor on mu. */
  double attenuation{ 1.0 };
  /** Of the mean primary, smooth. */
  double scatter{ 0.0 };
  /** A rod of metal across the image. */
  bool tool{ false };
  /** Poisson noise; 0: none. */
  unsigned int noiseSeed{ 0 };
};

/** Readings of one view. */
inline ImageType::Pointer
Simulate(const ImageType * mu, const GeometryType * view, const TransformType * pose, const Imaging & imaging)
{
  const auto   image = Project(mu, view, Projector::CellGauss, pose);
  const auto   size = image->GetLargestPossibleRegion().GetSize();
  std::mt19937 engine(imaging.noiseSeed);
  double       primary = 0.0;
  using IteratorType = itk::ImageRegionIteratorWithIndex<ImageType>;
  for (IteratorType it(image, image->GetLargestPossibleRegion()); !it.IsAtEnd(); ++it)
  {
    const double x = (it.GetIndex()[0] + 0.5) / static_cast<double>(size[0]);
    const double y = (it.GetIndex()[1] + 0.5) / static_cast<double>(size[1]);
    double       depth = imaging.attenuation * it.Get();
    if (imaging.tool && std::abs(x + 0.4 * y - 0.6) < 0.03 && y < 0.7)
    {
      depth += 3.0;
    }
    it.Set(static_cast<float>(imaging.counts * imaging.exposure * std::exp(-depth)));
    primary += it.Get();
  }
  const double mean = primary / static_cast<double>(size[0] * size[1]);
  for (IteratorType it(image, image->GetLargestPossibleRegion()); !it.IsAtEnd(); ++it)
  {
    const double x = (it.GetIndex()[0] + 0.5) / static_cast<double>(size[0]) - 0.45;
    const double y = (it.GetIndex()[1] + 0.5) / static_cast<double>(size[1]) - 0.55;
    const double expected = it.Get() + imaging.scatter * mean * 1.6 * std::exp(-2.0 * (x * x + y * y));
    it.Set(static_cast<float>(
      imaging.noiseSeed == 0 ? expected : static_cast<double>(std::poisson_distribution<int>(expected)(engine))));
  }
  return image;
}

} // namespace radiography::test

#endif
