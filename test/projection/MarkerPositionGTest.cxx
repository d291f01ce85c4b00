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

#include "itkAffineTransform.h"
#include "itkImageRegionConstIterator.h"
#include "itkSimilarity3DTransform.h"

#include <gtest/gtest.h>

using namespace radiography::test;

namespace
{

/** A dense marker at a CT point: the eight voxels around it, weighted so that their centre of mass is the point. */
void
PlaceMarker(ImageType * image, const ImageType::PointType & point)
{
  itk::ContinuousIndex<double, 3> index;
  ASSERT_TRUE(image->TransformPhysicalPointToContinuousIndex(point, index));
  for (unsigned int corner = 0; corner < 8; ++corner)
  {
    ImageType::IndexType voxel;
    double               weight = 1.0;
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      const double low = std::floor(index[axis]);
      const bool   upper = (corner >> axis & 1U) != 0U;
      voxel[axis] = static_cast<itk::IndexValueType>(low) + (upper ? 1 : 0);
      weight *= upper ? index[axis] - low : 1.0 - (index[axis] - low);
    }
    image->SetPixel(voxel, image->GetPixel(voxel) + static_cast<float>(weight));
  }
}

/** Column and row of the image's centre of mass. */
GeometryType::PixelType
FindCenterOfMass(const ImageType * image)
{
  double mass = 0.0;
  double moments[2] = { 0.0, 0.0 };
  for (itk::ImageRegionConstIterator<ImageType> it(image, image->GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    const auto index = it.GetIndex();
    mass += it.Get();
    moments[0] += it.Get() * static_cast<double>(index[0]);
    moments[1] += it.Get() * static_cast<double>(index[1]);
  }
  GeometryType::PixelType center;
  center[0] = moments[0] / mass;
  center[1] = moments[1] / mass;
  return center;
}

/** Where markers at named LPS points are seen, in columns and rows, for a view of an axis-aligned CT. */
GeometryType::PixelType
FindMarker(const GeometryType * view, const ImageType::PointType & point, Projector projector)
{
  const auto image = MakeCenteredImage({ { 60, 60, 60 } }, 2.0, 2.0, 2.0);
  PlaceMarker(image, point);
  return FindCenterOfMass(Project(image, view, projector));
}

itk::Transform<double, 3, 3>::Pointer
RandomPose(std::mt19937 & engine, int kind)
{
  std::uniform_real_distribution<double> angle(-0.6, 0.6);
  std::uniform_real_distribution<double> shift(-15.0, 15.0);
  itk::Vector<double, 3>                 translation;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    translation[axis] = shift(engine);
  }
  if (kind == 0)
  {
    const auto pose = itk::Euler3DTransform<double>::New();
    pose->SetRotation(angle(engine), angle(engine), angle(engine));
    pose->SetTranslation(translation);
    return pose.GetPointer();
  }
  if (kind == 1)
  {
    const auto             pose = itk::Similarity3DTransform<double>::New();
    itk::Vector<double, 3> axis = translation;
    pose->SetRotation(axis, angle(engine));
    pose->SetScale(1.1);
    pose->SetTranslation(translation);
    return pose.GetPointer();
  }
  const auto                pose = itk::AffineTransform<double, 3>::New();
  itk::Matrix<double, 3, 3> matrix = RandomDirection(engine, true); // reflections are legal
  matrix[0][1] += 0.1;
  pose->SetMatrix(matrix);
  pose->SetTranslation(translation);
  return pose.GetPointer();
}

} // namespace

TEST(MarkerPosition, LeftAnteriorSuperiorWhereARadiologistSeesThem)
{
  for (const Projector projector : { Projector::Joseph, Projector::CellGauss })
  {
    // Facing the patient: the patient's left is at the reader's right, the head is up.
    const auto frontal = MakeCArmView(0, 0, 101, 2.0);
    EXPECT_GT(FindMarker(frontal, MakePoint(30, 0, 0), projector)[0], 60.0);
    EXPECT_LT(FindMarker(frontal, MakePoint(0, 0, 30), projector)[1], 40.0);
    // Nearer to the detector (anterior) is magnified less.
    const auto anterior = FindMarker(frontal, MakePoint(30, -30, 0), projector);
    const auto posterior = FindMarker(frontal, MakePoint(30, 30, 0), projector);
    EXPECT_NEAR(anterior[0], 50.0 + 30.0 * 1100.0 / 730.0 / 2.0, 0.05);
    EXPECT_NEAR(posterior[0], 50.0 + 30.0 * 1100.0 / 670.0 / 2.0, 0.05);
    // Left lateral: the patient looks to the reader's left.
    const auto lateral = MakeCArmView(90, 0, 101, 2.0);
    EXPECT_LT(FindMarker(lateral, MakePoint(0, -30, 0), projector)[0], 40.0);
    EXPECT_LT(FindMarker(lateral, MakePoint(0, 0, 30), projector)[1], 40.0);
  }
}

TEST(MarkerPosition, WhereTheFormulaSaysForRandomPosesDirectionsAndDetectors)
{
  constexpr unsigned int                 seed = 21;
  std::mt19937                           engine(seed);
  std::uniform_real_distribution<double> angle(-180.0, 180.0);
  std::uniform_real_distribution<double> place(-22.0, 22.0);
  std::uniform_real_distribution<double> step(0.7, 2.5);
  double                                 largestError = 0.0;
  for (int trial = 0; trial < 240; ++trial)
  {
    const auto image = ImageType::New();
    image->SetRegions(itk::ImageRegion<3>({ { trial % 7 - 3, trial % 5, -2 } }, { { 51, 44, 47 } }));
    ImageType::SpacingType spacing;
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      spacing[axis] = step(engine);
    }
    image->SetSpacing(spacing);
    image->SetDirection(RandomDirection(engine, true));
    image->SetOrigin(MakePoint(0, 0, 0));
    image->Allocate(true);
    // The image's middle to a random place near the world's origin.
    itk::ContinuousIndex<double, 3> middle;
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      middle[axis] = double(image->GetLargestPossibleRegion().GetIndex(axis)) +
                     0.5 * double(image->GetLargestPossibleRegion().GetSize(axis));
    }
    ImageType::PointType center;
    image->TransformContinuousIndexToPhysicalPoint(middle, center);
    image->SetOrigin(MakePoint(0, 0, 0) - center.GetVectorFromOrigin());

    const auto pose = RandomPose(engine, trial % 3);
    const auto view = MakeCArmView(angle(engine), angle(engine), 240, 1.0, angle(engine));
    // A marker somewhere in the CT; where the world has it is the inverse of the transform.
    itk::ContinuousIndex<double, 3> markerIndex;
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      markerIndex[axis] = middle[axis] + 0.7 * place(engine);
    }
    ImageType::PointType marker;
    image->TransformContinuousIndexToPhysicalPoint(markerIndex, marker);
    PlaceMarker(image, marker);

    GeometryType::PixelType expected;
    ASSERT_TRUE(view->ProjectPoint(pose->GetInverseTransform()->TransformPoint(marker), expected));
    for (const Projector projector : { Projector::Joseph, Projector::CellGauss })
    {
      const auto found = FindCenterOfMass(Project(image, view, projector, pose));
      // Weighting by 1/cos and by depth moves a centre of mass by less than a tenth of a pixel.
      EXPECT_NEAR(found[0], expected[0], 0.1) << "seed " << seed << " trial " << trial << ' ' << projector;
      EXPECT_NEAR(found[1], expected[1], 0.1) << "seed " << seed << " trial " << trial << ' ' << projector;
      largestError = std::max({ largestError, std::abs(found[0] - expected[0]), std::abs(found[1] - expected[1]) });
    }
  }
  RecordProperty("largestErrorInPixels", std::to_string(largestError));
  std::cout << "largest error: " << largestError << " pixels" << std::endl;
}
