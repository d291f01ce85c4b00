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
#ifndef ProjectionFixtures_h
#define ProjectionFixtures_h

#include "itkDigitallyReconstructedRadiographImageFilter.h"

#include "itkEuler3DTransform.h"
#include "itkImageRegionIterator.h"
#include "itkMath.h"

#include <cmath>
#include <random>

namespace radiography::test
{

using ImageType = itk::Image<float, 3>;
using GeometryType = itk::RadiographGeometry;
using FilterType = itk::DigitallyReconstructedRadiographImageFilter;
using Projector = FilterType::ProjectorEnum;

inline itk::Point<double, 3>
MakePoint(double x, double y, double z)
{
  itk::Point<double, 3> point;
  point[0] = x;
  point[1] = y;
  point[2] = z;
  return point;
}

/** A uniform image whose middle lies at the world's origin. */
inline ImageType::Pointer
MakeCenteredImage(const itk::Size<3> & size, double sx, double sy, double sz, float fill = 0.0F)
{
  const auto image = ImageType::New();
  image->SetRegions(size);
  const double           steps[3] = { sx, sy, sz };
  ImageType::SpacingType spacing;
  ImageType::PointType   origin;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    spacing[axis] = steps[axis];
    origin[axis] = -0.5 * (static_cast<double>(size[axis]) - 1.0) * steps[axis];
  }
  image->SetSpacing(spacing);
  image->SetOrigin(origin);
  image->Allocate();
  image->FillBuffer(fill);
  return image;
}

/** Each pixel a number between `least` and `most`. */
inline void
FillAtRandom(ImageType & image, std::mt19937 & engine, float least, float most)
{
  std::uniform_real_distribution<float> value(least, most);
  for (itk::ImageRegionIterator<ImageType> it(&image, image.GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    it.Set(value(engine));
  }
}

/** mu of noise, from 0 to 0.05 /mm, its middle at the world's origin. */
inline ImageType::Pointer
MakeRandomImage(unsigned int seed, const itk::Size<3> & size)
{
  const auto   image = MakeCenteredImage(size, 1.5, 1.2, 2.0);
  std::mt19937 engine(seed);
  FillAtRandom(*image, engine, 0.0F, 0.05F);
  return image;
}

/** A rotation matrix from three random angles, or with `flips` any of its mirror images. */
inline itk::Matrix<double, 3, 3>
RandomDirection(std::mt19937 & engine, bool flips)
{
  std::uniform_real_distribution<double> angle(-itk::Math::pi, itk::Math::pi);
  const auto                             rotation = itk::Euler3DTransform<double>::New();
  rotation->SetRotation(angle(engine), angle(engine), angle(engine));
  itk::Matrix<double, 3, 3> direction = rotation->GetMatrix();
  for (unsigned int column = 0; flips && column < 3; ++column)
  {
    const double sign = std::bernoulli_distribution(0.5)(engine) ? 1.0 : -1.0;
    for (unsigned int row = 0; row < 3; ++row)
    {
      direction[row][column] *= sign;
    }
  }
  return direction;
}

/** An image of oblique or mirrored direction whose index does not begin at 0 and whose middle lies at the world's
 * origin; its pixels are 0. */
inline ImageType::Pointer
MakeObliqueImage(std::mt19937 & engine, const itk::Size<3> & size, double sx, double sy, double sz)
{
  const auto image = MakeCenteredImage(size, sx, sy, sz);
  image->SetRegions(itk::ImageRegion<3>({ { 3, -2, 5 } }, size));
  image->SetDirection(RandomDirection(engine, true));
  itk::ContinuousIndex<double, 3> middle;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    middle[axis] = static_cast<double>(image->GetLargestPossibleRegion().GetIndex(axis)) +
                   0.5 * (static_cast<double>(size[axis]) - 1.0);
  }
  ImageType::PointType point;
  image->TransformContinuousIndexToPhysicalPoint(middle, point);
  image->SetOrigin(image->GetOrigin() - point.GetVectorFromOrigin());
  return image;
}

/** Pixels on the detector of a view, 0. */
inline ImageType::Pointer
MakeDetectorPixels(const GeometryType & view)
{
  const auto image = ImageType::New();
  image->CopyInformation(view.MakeDetectorImage());
  image->SetRegions(image->GetLargestPossibleRegion());
  image->Allocate(true);
  return image;
}

inline GeometryType::Pointer
MakeCArmView(double primaryDeg, double secondaryDeg, itk::SizeValueType pixels, double pitch, double rollDeg = 0.0)
{
  constexpr double   degree = itk::Math::pi / 180.0;
  GeometryType::CArm arm;
  arm.primaryAngle = primaryDeg * degree;
  arm.secondaryAngle = secondaryDeg * degree;
  arm.roll = rollDeg * degree;
  arm.sourceIsocenterDistance = 700.0;
  arm.sourceDetectorDistance = 1100.0;
  arm.isocenter.Fill(0.0);
  const auto view = GeometryType::New();
  view->SetCArm(arm, { pixels, pixels, pitch, pitch });
  return view;
}

/** A parallel beam along `direction`, its detector perpendicular to it, beyond the world's origin by 300 mm. */
inline GeometryType::Pointer
MakeParallelView(const itk::Vector<double, 3> & direction, itk::SizeValueType pixels, double pitch)
{
  itk::Vector<double, 3> forward = direction;
  forward.Normalize();
  itk::Vector<double, 3> helper;
  helper.Fill(0.0);
  helper[std::abs(forward[0]) < 0.6 ? 0 : 1] = 1.0;
  itk::Vector<double, 3> columns = itk::CrossProduct(helper, forward);
  columns.Normalize();
  const itk::Vector<double, 3> rows = itk::CrossProduct(forward, columns);
  ImageType::DirectionType     matrix;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    matrix[axis][0] = columns[axis];
    matrix[axis][1] = rows[axis];
    matrix[axis][2] = forward[axis];
  }
  const auto detector = ImageType::New();
  detector->SetRegions(itk::Size<3>{ { pixels, pixels, 1 } });
  ImageType::SpacingType spacing;
  spacing.Fill(pitch);
  detector->SetSpacing(spacing);
  detector->SetDirection(matrix);
  const double half = 0.5 * (static_cast<double>(pixels) - 1.0) * pitch;
  detector->SetOrigin(MakePoint(0, 0, 0) + forward * 300.0 - columns * half - rows * half);
  const auto view = GeometryType::New();
  view->SetParallelBeam(direction, detector);
  return view;
}

inline FilterType::Pointer
MakeFilter(const ImageType * image, const GeometryType * view, Projector projector)
{
  const auto filter = FilterType::New();
  filter->SetInput(image);
  filter->SetGeometry(view);
  filter->SetProjector(projector);
  return filter;
}

inline ImageType::Pointer
Project(const ImageType *                    image,
        const GeometryType *                 view,
        Projector                            projector,
        const itk::Transform<double, 3, 3> * transform = nullptr)
{
  const auto filter = MakeFilter(image, view, projector);
  if (transform != nullptr)
  {
    filter->SetTransform(transform);
  }
  filter->Update();
  return filter->GetOutput();
}

} // namespace radiography::test

#endif
