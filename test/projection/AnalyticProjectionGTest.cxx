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
#include "ProjectionFixtures.h"

#include "itkImageRegionConstIterator.h"
#include "itkImageRegionIteratorWithIndex.h"

#include <gtest/gtest.h>

using namespace radiography::test;

namespace
{

double
SumPixels(const ImageType * image)
{
  double sum = 0.0;
  for (itk::ImageRegionConstIterator<ImageType> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    sum += it.Get();
  }
  return sum;
}

double
GetCenter(const ImageType * image)
{
  const auto           size = image->GetLargestPossibleRegion().GetSize();
  ImageType::IndexType middle{
    { static_cast<itk::IndexValueType>(size[0] / 2), static_cast<itk::IndexValueType>(size[1] / 2), 0 }
  };
  return image->GetPixel(middle);
}

itk::Vector<double, 3>
MakeVector(double x, double y, double z)
{
  return MakePoint(x, y, z).GetVectorFromOrigin();
}

/** An ellipsoid of mu = 0.02, semi-axes 40, 30, 25 mm, in n^3 voxels of a 100 mm cube; partial volumes by sampling. */
ImageType::Pointer
MakeEllipsoid(itk::SizeValueType n)
{
  const double  h = 100.0 / static_cast<double>(n);
  const auto    image = MakeCenteredImage({ { n, n, n } }, h, h, h);
  constexpr int fine = 5;
  for (itk::ImageRegionIteratorWithIndex<ImageType> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    ImageType::PointType center;
    image->TransformIndexToPhysicalPoint(it.GetIndex(), center);
    int inside = 0;
    for (int s = 0; s < fine * fine * fine; ++s)
    {
      const double x = (center[0] + h * ((s % fine + 0.5) / fine - 0.5)) / 40.0;
      const double y = (center[1] + h * ((s / fine % fine + 0.5) / fine - 0.5)) / 30.0;
      const double z = (center[2] + h * ((s / fine / fine + 0.5) / fine - 0.5)) / 25.0;
      inside += x * x + y * y + z * z < 1.0 ? 1 : 0;
    }
    it.Set(0.02F * static_cast<float>(inside) / (fine * fine * fine));
  }
  return image;
}

/** Chord of the ellipsoid on the ray from source to pixel, times mu. */
double
GetEllipsoidDepth(const itk::Point<double, 3> & source, const itk::Point<double, 3> & pixel)
{
  const double axes[3] = { 40.0, 30.0, 25.0 };
  double       a = 0.0;
  double       b = 0.0;
  double       c = -1.0;
  double       length = 0.0;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    const double d = pixel[axis] - source[axis];
    length += d * d;
    a += d * d / (axes[axis] * axes[axis]);
    b += d * source[axis] / (axes[axis] * axes[axis]);
    c += source[axis] * source[axis] / (axes[axis] * axes[axis]);
  }
  const double discriminant = b * b - a * c;
  return discriminant > 0.0 ? 0.02 * 2.0 * std::sqrt(discriminant) / a * std::sqrt(length) : 0.0;
}

struct MeanError
{
  double wholeImage;
  double thickParts;
};

/** Mean absolute errors relative to the mean depth: of all rays, and of those with more than half the longest chord. */
MeanError
GetEllipsoidError(itk::SizeValueType n, Projector projector)
{
  const auto image = MakeEllipsoid(n);
  const auto view = MakeCArmView(25, 15, 96, 2.0, 10.0);
  const auto depths = Project(image, view, projector);
  double     error[2] = { 0.0, 0.0 };
  double     sum[2] = { 0.0, 0.0 };
  for (itk::ImageRegionIteratorWithIndex<ImageType> it(depths, depths->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    const auto   index = it.GetIndex();
    const double exact = GetEllipsoidDepth(view->GetSource(), view->GetPixelCenter(double(index[0]), double(index[1])));
    for (const int part : { 0, 1 })
    {
      if (part == 0 || exact > 0.02 * 40.0)
      {
        error[part] += std::abs(it.Get() - exact);
        sum[part] += exact;
      }
    }
  }
  return { error[0] / sum[0], error[1] / sum[1] };
}

} // namespace

TEST(AnalyticProjection, CubeOfEightMillimetresFromEverySide)
{
  const auto cube = MakeCenteredImage({ { 8, 8, 8 } }, 1.0, 1.0, 1.0, 1.0F);
  for (const Projector projector : { Projector::Joseph, Projector::CellGauss, Projector::Siddon })
  {
    for (int axis = 0; axis < 3; ++axis)
    {
      for (const double sign : { -1.0, 1.0 })
      {
        auto direction = MakeVector(0, 0, 0);
        direction[axis] = sign;
        // 5 x 5 rays within the inner part of the face.
        const auto depths = Project(cube, MakeParallelView(direction, 5, 1.3), projector);
        for (itk::ImageRegionConstIterator<ImageType> it(depths, depths->GetBufferedRegion()); !it.IsAtEnd(); ++it)
        {
          EXPECT_FLOAT_EQ(it.Get(), 8.0F)
            << projector << " axis " << axis << " from " << sign << " at " << it.GetIndex();
        }
      }
    }
  }
}

TEST(AnalyticProjection, ObliqueParallelBeamSeesTheExactMass)
{
  // Sum over a fine detector x pixel area = integral of mu over the volume = 8^3 mm^3, whatever the direction.
  const auto cube = MakeCenteredImage({ { 8, 8, 8 } }, 1.0, 1.0, 1.0, 1.0F);
  for (const auto & direction : { MakeVector(1, 0.31, 0.17), MakeVector(0.4, -1, 0.33), MakeVector(-0.2, 0.5, 0.9) })
  {
    constexpr double pitch = 0.05;
    const auto       view = MakeParallelView(direction, 380, pitch);
    for (const Projector projector : { Projector::Joseph, Projector::CellGauss, Projector::Siddon })
    {
      EXPECT_NEAR(SumPixels(Project(cube, view, projector)) * pitch * pitch, 512.0, 0.02) << projector << direction;
    }
  }
}

TEST(AnalyticProjection, AnisotropicSheetObliquely)
{
  // A sheet of 9 mm, wide against the beam: depth = mu x thickness / cos, for any direction of the CT.
  const auto sheet = MakeCenteredImage({ { 300, 300, 6 } }, 1.0, 1.0, 1.5, 0.03F);
  // Up to where the beam changes its main axis: 1.5 tan(tilt) < 1.
  for (const double tilt : { 0.0, 20.0, 33.0 })
  {
    const double angle = tilt * itk::Math::pi / 180.0;
    const auto   view = MakeParallelView(MakeVector(std::sin(angle), 0.0, std::cos(angle)), 9, 3.0);
    for (const Projector projector : { Projector::Joseph, Projector::CellGauss, Projector::Siddon })
    {
      EXPECT_NEAR(GetCenter(Project(sheet, view, projector)), 0.03 * 9.0 / std::cos(angle), 1e-6) << projector << tilt;
    }
  }
}

TEST(AnalyticProjection, EllipsoidConvergesAtTheExpectedOrder)
{
  // Mean errors with 4 times the voxels along each axis fall by 4^order. At the rim a chord errs by sqrt(h) over an
  // area that shrinks with h: order 1.5 at most. Away from it the jump of mu at the surface, cut into voxels, leaves
  // order 1 for boxes and near 1.5 for tents.
  for (const Projector projector : { Projector::Joseph, Projector::CellGauss, Projector::Siddon })
  {
    const MeanError coarse = GetEllipsoidError(20, projector);
    const MeanError fine = GetEllipsoidError(80, projector);
    const double    order = std::log(coarse.wholeImage / fine.wholeImage) / std::log(4.0);
    const double    thickOrder = std::log(coarse.thickParts / fine.thickParts) / std::log(4.0);
    std::cout << projector << ": whole image " << coarse.wholeImage << " -> " << fine.wholeImage << " (order " << order
              << "), thick parts " << coarse.thickParts << " -> " << fine.thickParts << " (order " << thickOrder << ')'
              << std::endl;
    const bool boxes = projector == Projector::Siddon;
    EXPECT_GT(order, boxes ? 1.1 : 1.3) << projector;
    EXPECT_GT(thickOrder, boxes ? 1.0 : 1.4) << projector;
    EXPECT_LT(fine.thickParts, boxes ? 0.005 : 0.002) << projector;
  }
}

TEST(AnalyticProjection, SmoothObjectConvergesAtSecondOrder)
{
  // mu = 0.02 exp(-r^2 / (2 s^2)), s = 12 mm, sampled at voxel centres: along a ray that passes the middle at distance
  // q, L = 0.02 s sqrt(2 pi) exp(-q^2 / (2 s^2)). Trilinear interpolation of a smooth field errs by O(h^2).
  constexpr double s = 12.0;
  const auto       view = MakeCArmView(25, 15, 48, 4.0, 10.0);
  for (const Projector projector : { Projector::Joseph, Projector::CellGauss })
  {
    double errors[2] = { 0.0, 0.0 };
    for (const int level : { 0, 1 })
    {
      const itk::SizeValueType n = level == 0 ? 30 : 60;
      const double             h = 120.0 / static_cast<double>(n);
      const auto               image = MakeCenteredImage({ { n, n, n } }, h, h, h);
      for (itk::ImageRegionIteratorWithIndex<ImageType> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
      {
        ImageType::PointType center;
        image->TransformIndexToPhysicalPoint(it.GetIndex(), center);
        const double squared = center.GetVectorFromOrigin().GetSquaredNorm();
        it.Set(static_cast<float>(0.02 * std::exp(-0.5 * squared / (s * s))));
      }
      const auto depths = Project(image, view, projector);
      for (itk::ImageRegionIteratorWithIndex<ImageType> it(depths, depths->GetBufferedRegion()); !it.IsAtEnd(); ++it)
      {
        const auto             index = it.GetIndex();
        itk::Vector<double, 3> ray = view->GetPixelCenter(double(index[0]), double(index[1])) - view->GetSource();
        ray.Normalize();
        const double distance = itk::CrossProduct(ray, view->GetSource().GetVectorFromOrigin()).GetNorm();
        const double exact = 0.02 * s * std::sqrt(2.0 * itk::Math::pi) * std::exp(-0.5 * distance * distance / (s * s));
        errors[level] += std::abs(it.Get() - exact);
      }
    }
    const double order = std::log2(errors[0] / errors[1]);
    std::cout << projector << ": order " << order << std::endl;
    EXPECT_NEAR(order, 2.0, 0.1) << projector;
  }
}

TEST(AnalyticProjection, LayersInBothOrders)
{
  for (const bool thinFirst : { false, true })
  {
    const auto layers = MakeCenteredImage({ { 60, 60, 50 } }, 1.0, 1.0, 1.0, 0.02F);
    for (itk::ImageRegionIteratorWithIndex<ImageType> it(layers, layers->GetBufferedRegion()); !it.IsAtEnd(); ++it)
    {
      const bool dense = thinFirst ? it.GetIndex()[2] < 10 : it.GetIndex()[2] >= 40;
      it.Set(dense ? 0.05F : 0.02F);
    }
    for (const Projector projector : { Projector::Joseph, Projector::CellGauss, Projector::Siddon })
    {
      const double depth = GetCenter(Project(layers, MakeParallelView(MakeVector(0, 0, 1), 3, 1.0), projector));
      EXPECT_NEAR(depth, 1.3, 2e-7) << projector;
      EXPECT_NEAR(std::exp(-depth), 0.2725, 5e-5) << projector;
    }
  }
}

TEST(AnalyticProjection, PoseScaleDoesNotChangeTheRulerOfTheWorld)
{
  // The transform maps world to CT: with scale 2 the CT looks half as large, and the depth is measured in the world.
  const auto cube = MakeCenteredImage({ { 20, 20, 20 } }, 1.0, 1.0, 1.0, 0.05F);
  const auto scale = itk::Euler3DTransform<double>::New();
  const auto view = MakeParallelView(MakeVector(0, 1, 0), 3, 1.0);
  EXPECT_NEAR(GetCenter(Project(cube, view, Projector::CellGauss, scale)), 1.0, 1e-6);
  const auto                affine = itk::MatrixOffsetTransformBase<double, 3, 3>::New();
  itk::Matrix<double, 3, 3> matrix;
  matrix.SetIdentity();
  affine->SetMatrix(matrix * 2.0);
  for (const Projector projector : { Projector::Joseph, Projector::CellGauss, Projector::Siddon })
  {
    EXPECT_NEAR(GetCenter(Project(cube, view, projector, affine)), 0.5, 1e-6) << projector;
  }
}

TEST(AnalyticProjection, SourceAndDetectorInside)
{
  const auto cube = MakeCenteredImage({ { 200, 200, 200 } }, 1.0, 1.0, 1.0, 0.01F);
  const auto detector = ImageType::New();
  detector->SetRegions(itk::Size<3>{ { 3, 3, 1 } });
  detector->SetOrigin(MakePoint(-1, -1, 300));
  const auto view = GeometryType::New();
  view->SetConeBeam(MakePoint(0, 0, 20), detector); // 80 mm of the cube lie ahead
  for (const Projector projector : { Projector::Joseph, Projector::CellGauss, Projector::Siddon })
  {
    const auto filter = MakeFilter(cube, view, projector);
    filter->Update();
    EXPECT_NEAR(GetCenter(filter->GetOutput()), 0.8, 1e-5) << projector;
    EXPECT_EQ(filter->GetComputeReport().raysWithEndInside, 9u) << projector;
  }
  // The whole CT behind the source: nothing.
  view->SetConeBeam(MakePoint(0, 0, 200), detector);
  EXPECT_EQ(GetCenter(Project(cube, view, Projector::Joseph)), 0.0);
  // A parallel beam starts before the volume and ends at the detector.
  const auto parallel = GeometryType::New();
  detector->SetOrigin(MakePoint(-1, -1, 50));
  parallel->SetParallelBeam(MakeVector(0, 0, 1), detector);
  EXPECT_NEAR(GetCenter(Project(cube, parallel, Projector::Joseph)), 1.5, 1e-5);
}
