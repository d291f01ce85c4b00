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
#include "registration/itkRegistrationTransforms.h"

#include "ProjectionFixtures.h"
#include "Refusal.h"
#include "compute/StartPoses.h"

#include "itkAffineTransform.h"
#include "itkCompositeTransform.h"
#include "itkEuler3DTransform.h"
#include "itkSimilarity3DTransform.h"
#include "itkTranslationTransform.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace
{

using radiography::test::MakePoint;
using testimages::Refusal;
using KindEnum = itk::RadiographRegistrationEnums::TransformKind;
using TransformType = itk::Transform<double, 3, 3>;
using PointType = itk::Point<double, 3>;

itk::Similarity3DTransform<double>::Pointer
MakeSimilarity(double scale)
{
  const auto similarity = itk::Similarity3DTransform<double>::New();
  similarity->SetCenter(MakePoint(5, -3, 8));
  itk::Vector<double, 3> axis;
  axis[0] = 0.3;
  axis[1] = -0.5;
  axis[2] = 0.7;
  similarity->SetRotation(axis, 0.4);
  similarity->SetScale(scale);
  axis *= 20.0;
  similarity->SetTranslation(axis);
  return similarity;
}

void
ExpectSameMap(const TransformType & one, const TransformType & other, double tolerance)
{
  for (const PointType & point :
       { MakePoint(0, 0, 0), MakePoint(100, 0, 0), MakePoint(0, 100, 0), MakePoint(0, 0, 100) })
  {
    EXPECT_LT(one.TransformPoint(point).EuclideanDistanceTo(other.TransformPoint(point)), tolerance);
  }
}

} // namespace

TEST(RegistrationTransforms, EachKindMapsPointsAsTheInitialOneDoes)
{
  const PointType center = MakePoint(10, 20, 30);
  const auto      rigid = MakeSimilarity(1.0);
  for (const KindEnum kind : { KindEnum::AsInitial, KindEnum::Euler, KindEnum::Similarity, KindEnum::Affine })
  {
    ExpectSameMap(*itk::MakeSearchTransform(kind, rigid, center), *rigid, 1e-9);
  }
  const auto scaled = MakeSimilarity(1.1);
  ExpectSameMap(*itk::MakeSearchTransform(KindEnum::Similarity, scaled, center), *scaled, 1e-9);
  ExpectSameMap(*itk::MakeSearchTransform(KindEnum::Affine, scaled, center), *scaled, 1e-9);
  const auto euler = itk::MakeSearchTransform(KindEnum::AsInitial, nullptr, center);
  EXPECT_STREQ(euler->GetNameOfClass(), "Euler3DTransform");
  EXPECT_EQ(euler->GetFixedParameters()[1], 20.0);
}

TEST(RegistrationTransforms, TheInitialTransformIsNotTheOneThatIsSearched)
{
  const auto rigid = MakeSimilarity(1.0);
  const auto search = itk::MakeSearchTransform(KindEnum::AsInitial, rigid, MakePoint(0, 0, 0));
  EXPECT_NE(search.GetPointer(), rigid.GetPointer());
  EXPECT_EQ(search->GetParameters(), rigid->GetParameters());
  EXPECT_STREQ(search->GetNameOfClass(), "Similarity3DTransform");
}

TEST(RegistrationTransforms, KindsThatDoNotFitAreRefusedByName)
{
  const PointType   center = MakePoint(0, 0, 0);
  const std::string scaled = Refusal([&] { itk::MakeSearchTransform(KindEnum::Euler, MakeSimilarity(1.1), center); });
  EXPECT_NE(scaled.find("no rigid one"), std::string::npos) << scaled;
  const auto mirror = itk::AffineTransform<double, 3>::New();
  mirror->Scale(-1.0);
  const std::string mirrored = Refusal([&] { itk::MakeSearchTransform(KindEnum::Similarity, mirror, center); });
  EXPECT_NE(mirrored.find("mirrors"), std::string::npos) << mirrored;
  const auto flat = itk::AffineTransform<double, 3>::New();
  flat->Scale(0.0);
  Refusal([&] { itk::MakeSearchTransform(KindEnum::Affine, flat, center); });
}

TEST(RegistrationTransforms, OnlySpacesThatTurnAreClosedUnderRigidMotions)
{
  EXPECT_TRUE(itk::IsClosedUnderRigidMotions(*MakeSimilarity(1.2)));
  EXPECT_TRUE(itk::IsClosedUnderRigidMotions(*itk::Euler3DTransform<double>::New()));
  EXPECT_TRUE(itk::IsClosedUnderRigidMotions(*itk::AffineTransform<double, 3>::New()));
  EXPECT_FALSE(itk::IsClosedUnderRigidMotions(*itk::TranslationTransform<double, 3>::New()));
}

TEST(RegistrationTransforms, StartsFillTheirBoxAndStayInIt)
{
  const auto             initial = itk::MakeSearchTransform(KindEnum::Euler, MakeSimilarity(1.0), MakePoint(1, 2, 3));
  const PointType        center = MakePoint(40, -10, 5);
  const itk::StartSpread spread{ 30.0, 0.2, 11 };
  ExpectSameMap(*itk::MakeStart(*initial, center, spread, 0), *initial, 1e-12);
  double largest[3] = {};
  double smallest[3] = {};
  for (itk::SizeValueType start = 1; start < 200; ++start)
  {
    const auto      pose = itk::MakeStart(*initial, center, spread, start);
    const PointType moved = itk::FindOrigin(*initial, pose->TransformPoint(center));
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      largest[axis] = std::max(largest[axis], moved[axis] - center[axis]);
      smallest[axis] = std::min(smallest[axis], moved[axis] - center[axis]);
    }
  }
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    // A screw turns its translation by up to half its angle.
    EXPECT_LT(largest[axis], 30.0 * 1.5);
    EXPECT_GT(largest[axis], 25.0);
    EXPECT_LT(smallest[axis], -25.0);
  }
}

TEST(RegistrationTransforms, StartsDependOnSeedAndNumberAlone)
{
  const auto initial = itk::Euler3DTransform<double>::New();
  const auto parameters = [&](uint64_t seed, itk::SizeValueType start) {
    return itk::MakeStart(*initial, MakePoint(0, 0, 0), { 10.0, 0.1, seed }, start)->GetParameters();
  };
  EXPECT_EQ(parameters(3, 5), parameters(3, 5));
  EXPECT_NE(parameters(3, 5), parameters(4, 5));
  EXPECT_NE(parameters(3, 5), parameters(3, 6));
  std::set<double> numbers;
  for (std::uint64_t start = 0; start < 100; ++start)
  {
    for (const double number : radiography::compute::DrawStart(1, start))
    {
      EXPECT_LT(std::abs(number), 1.0);
      numbers.insert(number);
    }
  }
  EXPECT_EQ(numbers.size(), 600U);
}

TEST(RegistrationTransforms, OriginIsWhereAPointCameFrom)
{
  const auto      similarity = MakeSimilarity(1.3);
  const PointType point = MakePoint(12, -7, 33);
  EXPECT_LT(itk::FindOrigin(*similarity, similarity->TransformPoint(point)).EuclideanDistanceTo(point), 1e-10);
}

// Central differences of the place that is mapped to the target.
TEST(RegistrationTransforms, TargetJacobianIsHowTheTargetMovesInTheWorld)
{
  const PointType target = MakePoint(12, -7, 33);
  for (const KindEnum kind : { KindEnum::Euler, KindEnum::Similarity, KindEnum::Affine })
  {
    const auto transform = itk::MakeSearchTransform(kind, MakeSimilarity(1.0), MakePoint(4, 5, 6));
    const auto jacobian = itk::ComputeTargetJacobian(*transform, target);
    const TransformType::ParametersType at = transform->GetParameters();
    constexpr double                    step = 1e-5;
    for (unsigned int i = 0; i < at.size(); ++i)
    {
      const auto moved = [&](double change) {
        TransformType::ParametersType parameters = at;
        parameters[i] += change;
        transform->SetParameters(parameters);
        return itk::FindOrigin(*transform, target);
      };
      const itk::Vector<double, 3> difference = (moved(step) - moved(-step)) / (2.0 * step);
      for (unsigned int axis = 0; axis < 3; ++axis)
      {
        EXPECT_NEAR(jacobian(axis, i), difference[axis], 1e-5 * (1.0 + std::abs(difference[axis])))
          << kind << ", parameter " << i;
      }
    }
    transform->SetParameters(at);
  }
}

TEST(RegistrationTransforms, InnerCornersAreAQuarterOfTheVoxelsFromTheEdges)
{
  const auto image = itk::Image<float, 3>::New();
  image->SetRegions(itk::ImageRegion<3>({ { 10, 0, -4 } }, { { 8, 4, 2 } }));
  image->SetSpacing(itk::Vector<double, 3>(2.0));
  const auto corners = itk::FindInnerCorners(*image);
  ASSERT_EQ(corners.size(), 8U);
  EXPECT_EQ(corners.front(), MakePoint(23, 1, -8));
  EXPECT_EQ(corners.back(), MakePoint(31, 5, -6));
}

// A translation moves all points alike, and a turn by a small angle by its angle times their distance from the axis.
TEST(RegistrationTransforms, MeanDisplacementIsThatOfPointsInTheWorld)
{
  const auto one = itk::Euler3DTransform<double>::New();
  const auto other = itk::Euler3DTransform<double>::New();
  one->SetRotation(0.3, -0.2, 0.1);
  other->SetRotation(0.3, -0.2, 0.1);
  itk::Vector<double, 3> shift(0.0);
  shift[1] = 3.0;
  shift[2] = -4.0;
  other->SetTranslation(shift);
  EXPECT_NEAR(itk::ComputeMeanDisplacement(*one, *other, { MakePoint(1, 2, 3), MakePoint(50, 0, -80) }), 5.0, 1e-12);
  one->SetIdentity();
  other->SetIdentity();
  other->SetRotation(0, 0, 1e-4);
  EXPECT_NEAR(itk::ComputeMeanDisplacement(*one, *other, { MakePoint(100, 0, 7), MakePoint(0, -300, 9) }), 0.02, 1e-7);
}
