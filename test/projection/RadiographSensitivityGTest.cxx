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
#include "Refusal.h"
#include "itkRadiographPoseJacobianImageFilter.h"
#include "itkRadiographSensitivityCalculator.h"

#include "itkAffineTransform.h"
#include "itkBSplineTransform.h"
#include "itkCommand.h"
#include "itkCompositeTransform.h"
#include "itkImageRegionIterator.h"
#include "itkImageRegionIteratorWithIndex.h"
#include "itkSimilarity3DTransform.h"
#include "itkTranslationTransform.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <sstream>

using namespace radiography::test;
using CalculatorType = itk::RadiographSensitivityCalculator;
using JacobianFilterType = itk::RadiographPoseJacobianImageFilter;
using TransformType = itk::Transform<double, 3, 3>;
using testimages::Refusal;

namespace
{

const Projector Projectors[] = { Projector::Joseph, Projector::CellGauss, Projector::Siddon };

itk::Vector<double, 3>
Vector(double x, double y, double z)
{
  return MakePoint(x, y, z).GetVectorFromOrigin();
}

ImageType::Pointer
MakeVolume(std::mt19937 & engine)
{
  const auto image = MakeObliqueImage(engine, { { 11, 9, 7 } }, 1.5, 1.2, 2.0);
  FillAtRandom(*image, engine, 0.01F, 0.05F);
  return image;
}

ImageType::Pointer
MakePixels(const GeometryType & view, std::mt19937 & engine)
{
  const auto image = MakeDetectorPixels(view);
  FillAtRandom(*image, engine, 0.01F, 0.05F);
  return image;
}

/** Not linear in the depth, and different from pixel to pixel. */
CalculatorType::PixelObjective
EvaluateObjective(itk::IndexValueType column, itk::IndexValueType row, double depth)
{
  const double                   a = 0.3 + 0.1 * static_cast<double>(column % 3);
  const double                   b = 0.2 + 0.07 * static_cast<double>(row);
  CalculatorType::PixelObjective result;
  result.value = a * depth + 0.5 * b * depth * depth;
  result.score = a + b * depth;
  result.fisher = 0.5 + 0.01 * static_cast<double>(row);
  return result;
}

CalculatorType::Pointer
MakeCalculator(const ImageType * ct, const GeometryType * view, const TransformType * pose, Projector projector)
{
  const auto calculator = CalculatorType::New();
  calculator->SetImage(ct);
  calculator->SetGeometry(view);
  calculator->SetTransform(pose);
  calculator->SetProjector(projector);
  calculator->SetObjective(EvaluateObjective);
  return calculator;
}

/** By the scalar reference in binary64: differences at steps as small as here's are worth nothing in binary32. */
CalculatorType::Pointer
MakeScalarCalculator(const ImageType * ct, const GeometryType * view, const TransformType * pose, Projector projector)
{
  const auto calculator = MakeCalculator(ct, view, pose, projector);
  calculator->SetPolicy("simd=0");
  return calculator;
}

/** Expects that d(value) / dx is `found`, where the calculator is at x after move(x); x is about 0. */
template <typename TMove>
void
ExpectDerivative(CalculatorType & calculator, double found, double step, TMove && move)
{
  const auto difference = [&](double h) {
    move(h);
    calculator.Compute();
    const double up = calculator.GetValue();
    move(-h);
    calculator.Compute();
    return (up - calculator.GetValue()) / (2.0 * h);
  };
  const double coarse = difference(step);
  const double fine = difference(0.5 * step);
  move(0.0);
  EXPECT_NEAR(found, fine, 3.0 * std::abs(coarse - fine) + 1e-13 * (1.0 + calculator.GetValue()) / step);
}

std::vector<TransformType::Pointer>
MakeTransforms()
{
  const auto euler = itk::Euler3DTransform<double>::New();
  euler->SetCenter(MakePoint(2, -1, 3));
  euler->SetRotation(0.1, -0.2, 0.3);
  euler->SetTranslation(Vector(0.5, 1.0, -0.7));
  const auto          similarity = itk::Similarity3DTransform<double>::New();
  itk::Versor<double> turn;
  turn.Set(Vector(0.3, 0.5, -0.2), 0.4);
  similarity->SetRotation(turn);
  similarity->SetScale(1.1);
  similarity->SetTranslation(Vector(-0.5, 0.3, 0.2));
  const auto affine = itk::AffineTransform<double, 3>::New();
  affine->Scale(0.9);
  affine->Shear(0, 1, 0.1);
  affine->Rotate3D(Vector(1, 2, 3), 0.3);
  const auto move = itk::TranslationTransform<double, 3>::New();
  move->SetOffset(Vector(0.7, 0.1, -0.4));
  const auto composite = itk::CompositeTransform<double, 3>::New();
  const auto other = itk::Euler3DTransform<double>::New();
  other->SetRotation(-0.2, 0.1, 0.1);
  composite->AddTransform(other);
  composite->AddTransform(move);
  return { euler.GetPointer(), similarity.GetPointer(), affine.GetPointer(), composite.GetPointer() };
}

bool
Contains(const std::string & text, const std::string & part)
{
  return text.find(part) != std::string::npos;
}

} // namespace

TEST(RadiographSensitivity, ParametersOfAnyLinearTransformAgreeWithCentralDifferences)
{
  std::mt19937 engine(1);
  const auto   ct = MakeVolume(engine);
  for (const auto & view : { MakeCArmView(25, 15, 12, 2.5, 10), MakeParallelView(Vector(0.3, 1.0, -0.2), 12, 1.5) })
  {
    for (const Projector projector : Projectors)
    {
      for (const auto & pose : MakeTransforms())
      {
        const auto calculator = MakeScalarCalculator(ct, view, pose, projector);
        calculator->Compute();
        const auto gradient = calculator->GetParameterGradient();
        const auto parameters = pose->GetParameters();
        ASSERT_EQ(gradient.size(), parameters.size());
        for (unsigned int i = 0; i < parameters.size(); ++i)
        {
          SCOPED_TRACE(testing::Message() << projector << ' ' << pose->GetNameOfClass() << " parameter " << i);
          ExpectDerivative(*calculator, gradient[i], 1e-6, [&](double x) {
            auto moved = parameters;
            moved[i] += x;
            pose->SetParameters(moved);
          });
        }
      }
    }
  }
}

TEST(RadiographSensitivity, SourceAndDetectorOfAConeBeamAgreeWithCentralDifferences)
{
  std::mt19937 engine(2);
  const auto   ct = MakeVolume(engine);
  const auto   start = MakeCArmView(25, 15, 12, 2.5, 10);
  const auto   pose = MakeTransforms()[1];
  for (const Projector projector : Projectors)
  {
    const auto view = GeometryType::New();
    view->Graft(start);
    const auto calculator = MakeScalarCalculator(ct, view, pose, projector);
    calculator->Compute();
    EXPECT_THROW(calculator->GetBeamDirectionGradient(), itk::ExceptionObject);
    const auto sourceGradient = calculator->GetSourceGradient();
    const auto originGradient = calculator->GetDetectorOriginGradient();
    const auto columnGradient = calculator->GetColumnStepGradient();
    const auto rowGradient = calculator->GetRowStepGradient();
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      SCOPED_TRACE(testing::Message() << projector << " axis " << axis);
      ExpectDerivative(*calculator, sourceGradient[axis], 1e-4, [&](double x) {
        auto source = start->GetSource();
        source[axis] += x;
        view->SetConeBeam(source, start->MakeDetectorImage());
      });
      ExpectDerivative(*calculator, originGradient[axis], 1e-4, [&](double x) {
        const auto detector = start->MakeDetectorImage();
        auto       origin = detector->GetOrigin();
        origin[axis] += x;
        detector->SetOrigin(origin);
        view->SetConeBeam(start->GetSource(), detector);
      });
    }
    // The steps along themselves: the spacing.
    for (unsigned int axis = 0; axis < 2; ++axis)
    {
      const double found =
        axis == 0 ? columnGradient * start->GetColumnDirection() : rowGradient * start->GetRowDirection();
      ExpectDerivative(*calculator, found, 1e-5, [&](double x) {
        const auto detector = start->MakeDetectorImage();
        auto       spacing = detector->GetSpacing();
        spacing[axis] += x;
        detector->SetSpacing(spacing);
        view->SetConeBeam(start->GetSource(), detector);
      });
    }
  }
}

TEST(RadiographSensitivity, DirectionAndDetectorOfAParallelBeamAgreeWithCentralDifferences)
{
  std::mt19937 engine(3);
  const auto   ct = MakeVolume(engine);
  const auto   start = MakeParallelView(Vector(0.3, 1.0, -0.2), 12, 1.5);
  const auto   pose = MakeTransforms()[0];
  for (const Projector projector : Projectors)
  {
    const auto view = GeometryType::New();
    view->Graft(start);
    const auto calculator = MakeScalarCalculator(ct, view, pose, projector);
    calculator->Compute();
    EXPECT_THROW(calculator->GetSourceGradient(), itk::ExceptionObject);
    const auto directionGradient = calculator->GetBeamDirectionGradient();
    const auto originGradient = calculator->GetDetectorOriginGradient();
    for (const auto & tangent : { start->GetColumnDirection(), start->GetRowDirection() })
    {
      SCOPED_TRACE(testing::Message() << projector << " towards " << tangent);
      ExpectDerivative(*calculator, directionGradient * tangent, 1e-6, [&](double x) {
        view->SetParallelBeam(start->GetBeamDirection() + tangent * x, start->MakeDetectorImage());
      });
      ExpectDerivative(*calculator, originGradient * tangent, 1e-5, [&](double x) {
        const auto detector = start->MakeDetectorImage();
        detector->SetOrigin(detector->GetOrigin() + tangent * x);
        view->SetParallelBeam(start->GetBeamDirection(), detector);
      });
    }
    EXPECT_NEAR(originGradient * start->GetBeamDirection(), 0.0, 1e-10) << "a detector moved along the beam";
  }
}

TEST(RadiographSensitivity, TheGradientIsTheSumOfThePoseJacobian)
{
  // The Euler transform at no rotation turns about its centre as the Jacobian's omega does about the same point.
  std::mt19937 engine(4);
  const auto   ct = MakeVolume(engine);
  const auto   view = MakeCArmView(25, 15, 31, 1.0, 10);
  const auto   scores = MakePixels(*view, engine);
  const auto   weights = MakePixels(*view, engine);
  const auto   pose = itk::Euler3DTransform<double>::New();
  pose->SetCenter(MakePoint(2, -1, 3));
  for (const Projector projector : Projectors)
  {
    const auto calculator = MakeCalculator(ct, view, pose, projector);
    calculator->SetObjective(nullptr);
    calculator->SetScore(scores);
    calculator->SetFisherWeights(weights);
    calculator->Compute();

    const auto filter = JacobianFilterType::New();
    filter->SetInput(ct);
    filter->SetGeometry(view);
    filter->SetTransform(pose);
    filter->SetProjector(projector);
    filter->SetCenter(MakePoint(2, -1, 3));
    filter->Update();
    double gradient[6] = {};
    double magnitude[6] = {};
    double fisher[6][6] = {};
    using IteratorType = itk::ImageRegionIteratorWithIndex<JacobianFilterType::JacobianImageType>;
    for (IteratorType it(filter->GetOutput(), filter->GetOutput()->GetBufferedRegion()); !it.IsAtEnd(); ++it)
    {
      for (unsigned int i = 0; i < 6; ++i)
      {
        gradient[i] += static_cast<double>(scores->GetPixel(it.GetIndex())) * it.Get()[i];
        magnitude[i] += std::abs(static_cast<double>(scores->GetPixel(it.GetIndex())) * it.Get()[i]);
        for (unsigned int j = 0; j < 6; ++j)
        {
          fisher[i][j] += static_cast<double>(weights->GetPixel(it.GetIndex())) * it.Get()[i] * it.Get()[j];
        }
      }
    }
    for (unsigned int i = 0; i < 6; ++i)
    {
      EXPECT_NEAR(calculator->GetParameterGradient()[i], gradient[i], 1e-6 * magnitude[i]) << projector << ' ' << i;
      for (unsigned int j = 0; j < 6; ++j)
      {
        EXPECT_NEAR(calculator->GetParameterFisher()(i, j), fisher[i][j], 1e-6 * std::sqrt(fisher[i][i] * fisher[j][j]))
          << projector << ' ' << i << ' ' << j;
      }
    }
  }
}

TEST(RadiographSensitivity, PacketsRunAlongEachAxisAtAnyRollAndAgreeWithTheReference)
{
  std::mt19937 engine(8);
  const auto   ct = MakeRandomImage(8, { { 31, 29, 17 } });
  const auto   volume = itk::ProjectionVolume::New();
  volume->SetImage(ct);
  const auto pose = itk::Euler3DTransform<double>::New();
  pose->SetRotation(0.03, -0.02, 0.01);
  // Unmoved, the ray through the isocentre met a voxel's centre, where slopes jump.
  pose->SetTranslation(Vector(0.31, -0.43, 0.27));
  for (const double primaryDegrees : { 0.0, 90.0 })
  {
    for (const double rollDegrees : { 0.0, 45.0, 80.0 })
    {
      const auto view = MakeCArmView(primaryDegrees, 5, 33, 1.9, rollDegrees);
      const auto scores = MakePixels(*view, engine);
      const auto calculate = [&](const char * policy) {
        const auto calculator = MakeCalculator(nullptr, view, pose, Projector::Joseph);
        calculator->SetProjectionVolume(volume);
        calculator->SetObjective(nullptr);
        calculator->SetScore(scores);
        calculator->SetFisherWeights(scores);
        calculator->SetPolicy(policy);
        calculator->Compute();
        return calculator;
      };
      const auto packets = calculate("");
      const auto reference = calculate("simd=0");
      EXPECT_TRUE(Contains(packets->GetComputeReport().kernel, "joseph with gradients, ")) << primaryDegrees;
      EXPECT_TRUE(Contains(packets->GetComputeReport().kernel, " packets, binary32")) << primaryDegrees;
      EXPECT_EQ(reference->GetComputeReport().kernel, "joseph with gradients, scalar binary64");
      EXPECT_NEAR(packets->GetValue(), reference->GetValue(), 1e-6 * reference->GetValue());
      const double pixels = 33.0 * 33.0;
      for (unsigned int i = 0; i < 6; ++i)
      {
        // Scores are at most 0.05: by Cauchy and Schwarz this is more than what the terms of the sum could add up to.
        const double scale = std::sqrt(0.05 * pixels * reference->GetParameterFisher()(i, i));
        EXPECT_NEAR(packets->GetParameterGradient()[i], reference->GetParameterGradient()[i], 1e-5 * scale)
          << primaryDegrees << ' ' << rollDegrees << ' ' << i;
        EXPECT_NEAR(packets->GetParameterFisher()(i, i),
                    reference->GetParameterFisher()(i, i),
                    1e-5 * reference->GetParameterFisher()(i, i));
      }
    }
  }
  EXPECT_GT(volume->GetTransposedCopyBytes(), 0U) << "none of these views is along x";
}

TEST(RadiographSensitivity, TheCenterIsTheMiddleOfTheVolumeUnlessGiven)
{
  std::mt19937 engine(5);
  const auto   pose = itk::Euler3DTransform<double>::New();
  pose->SetRotation(0.1, 0.2, 0.3);
  pose->SetTranslation(Vector(5, 6, 7));
  const auto filter = JacobianFilterType::New();
  filter->SetInput(MakeVolume(engine)); // its middle is the CT's point 0
  filter->SetGeometry(MakeCArmView(0, 0, 5, 2.0));
  filter->SetTransform(pose);
  filter->Update();
  EXPECT_LT(pose->TransformPoint(filter->GetCenter()).GetVectorFromOrigin().GetNorm(), 1e-12);
  filter->SetCenter(MakePoint(1, 2, 3));
  EXPECT_FALSE(filter->GetUseVolumeCenter());
  filter->Update();
  EXPECT_EQ(filter->GetCenter(), MakePoint(1, 2, 3));
}

TEST(RadiographSensitivity, TheObjectiveOfCellGaussIsOnceContinuouslyDifferentiable)
{
  // Along a pose path through planes of voxel centres, second differences of CellGauss's objective stay bounded as the
  // step shrinks a hundredfold; Siddon's, whose slope jumps at every edge, grow.
  std::mt19937 engine(6);
  const auto   ct = MakeVolume(engine);
  const auto   view = MakeCArmView(25, 15, 8, 2.5, 10);
  const auto   pose = itk::Euler3DTransform<double>::New();
  double       worst[2][2] = {};
  for (const Projector projector : { Projector::CellGauss, Projector::Siddon })
  {
    const auto calculator = MakeScalarCalculator(ct, view, pose, projector);
    const auto value = [&](double x) {
      pose->SetRotation(0.01 * x, -0.02 * x, 0.01 * x);
      pose->SetTranslation(Vector(x, 0.6 * x, -0.8 * x));
      calculator->Compute();
      return calculator->GetValue();
    };
    for (int i = 0; i < 100; ++i)
    {
      const double x = 0.05 * i;
      for (const bool isFine : { false, true })
      {
        const double h = isFine ? 1e-4 : 1e-2;
        const double second = std::abs(value(x + h) - 2.0 * value(x) + value(x - h)) / (h * h);
        double &     record = worst[projector == Projector::CellGauss ? 0 : 1][isFine ? 1 : 0];
        record = std::max(record, second);
      }
    }
  }
  EXPECT_LT(worst[0][1], 2.0 * worst[0][0]);
  EXPECT_GT(worst[1][1], 4.0 * worst[1][0]) << "the comparison shows nothing";
}

TEST(RadiographSensitivity, SameBitsForAnyNumberOfThreadsAndRegion)
{
  std::mt19937 engine(7);
  const auto   ct = MakeVolume(engine);
  const auto   view = MakeCArmView(25, 15, 75, 0.6);
  const auto   pose = MakeTransforms()[0];
  for (const Projector projector : Projectors)
  {
    const auto run = [&](unsigned int threads) {
      const auto calculator = MakeCalculator(ct, view, pose, projector);
      calculator->GetMultiThreader()->SetMaximumNumberOfThreads(threads);
      calculator->SetNumberOfWorkUnits(threads);
      calculator->Compute();
      return calculator;
    };
    const auto filter = JacobianFilterType::New();
    filter->SetInput(ct);
    filter->SetGeometry(view);
    filter->SetTransform(pose);
    filter->SetProjector(projector);
    filter->Update();
    const auto reference = run(1);
    for (const unsigned int threads : { 2U, 7U })
    {
      const auto result = run(threads);
      EXPECT_EQ(result->GetValue(), reference->GetValue());
      EXPECT_EQ(result->GetAffineGradient(), reference->GetAffineGradient());
      EXPECT_EQ(result->GetAffineFisher(), reference->GetAffineFisher());
      EXPECT_EQ(result->GetSourceGradient(), reference->GetSourceGradient());
    }
    const itk::ImageRegion<3> region({ { 31, 15, 0 } }, { { 14, 20, 1 } });
    const auto                part = JacobianFilterType::New();
    part->SetInput(ct);
    part->SetGeometry(view);
    part->SetTransform(pose);
    part->SetProjector(projector);
    part->SetNumberOfWorkUnits(7);
    part->UpdateOutputInformation();
    part->GetOutput()->SetRequestedRegion(region);
    part->Update();
    ASSERT_EQ(part->GetOutput()->GetBufferedRegion(), region);
    using IteratorType = itk::ImageRegionIteratorWithIndex<JacobianFilterType::JacobianImageType>;
    for (IteratorType it(part->GetOutput(), region); !it.IsAtEnd(); ++it)
    {
      ASSERT_EQ(it.Get(), filter->GetOutput()->GetPixel(it.GetIndex())) << it.GetIndex();
    }
  }
}

TEST(RadiographSensitivity, RefusesWhatDoesNotFit)
{
  std::mt19937 engine(8);
  const auto   ct = MakeVolume(engine);
  const auto   view = MakeCArmView(25, 15, 9, 1.0);
  const auto   pose = MakeTransforms()[0];
  const auto   refused = [](CalculatorType & calculator) { return Refusal([&]() { calculator.Compute(); }); };
  const auto   make = [&]() { return MakeCalculator(ct, view, pose, Projector::Joseph); };

  auto calculator = make();
  calculator->SetImage(nullptr);
  EXPECT_TRUE(Contains(refused(*calculator), "no CT"));
  calculator = make();
  calculator->SetGeometry(nullptr);
  EXPECT_TRUE(Contains(refused(*calculator), "no view"));
  calculator = make();
  calculator->SetObjective(nullptr);
  EXPECT_TRUE(Contains(refused(*calculator), "no objective"));
  calculator = make();
  calculator->SetScore(MakePixels(*view, engine));
  EXPECT_TRUE(Contains(refused(*calculator), "two objectives"));
  calculator->SetObjective(nullptr);
  const auto scores = MakePixels(*view, engine);
  scores->SetPixel({ { 4, 2, 0 } }, std::numeric_limits<float>::infinity());
  calculator->SetScore(scores);
  EXPECT_TRUE(Contains(refused(*calculator), "[4, 2]"));
  calculator->SetScore(MakePixels(*MakeCArmView(25, 15, 8, 1.0), engine));
  EXPECT_TRUE(Contains(refused(*calculator), "one pixel for every ray"));
  calculator = make();
  calculator->SetObjective([](itk::IndexValueType, itk::IndexValueType, double) {
    return CalculatorType::PixelObjective{ std::numeric_limits<double>::quiet_NaN(), 1.0, 1.0 };
  });
  EXPECT_TRUE(Contains(refused(*calculator), "not finite"));
  EXPECT_EQ(calculator->GetValue(), 0.0) << "nothing is kept";
  const auto bend = itk::BSplineTransform<double, 3, 3>::New();
  calculator = make();
  calculator->SetTransform(bend);
  EXPECT_TRUE(Contains(refused(*calculator), "not linear"));
  EXPECT_THROW(CalculatorType::ComputeAffineJacobian(*bend), itk::ExceptionObject);
  EXPECT_THROW(calculator->SetPolicy("nonsense=1"), itk::ExceptionObject);

  const auto filter = JacobianFilterType::New();
  filter->SetGeometry(view);
  EXPECT_TRUE(Contains(Refusal([&]() { filter->Update(); }), "no CT"));
  ct->FillBuffer(-1000.0F);
  ct->Modified();
  filter->SetInput(ct);
  EXPECT_TRUE(Contains(Refusal([&]() { filter->Update(); }), "Hounsfield"));
  EXPECT_TRUE(Contains(refused(*make()), "Hounsfield"));
}

TEST(RadiographSensitivity, ReportsProgressAndStopsWhenAsked)
{
  std::mt19937 engine(9);
  const auto   calculator =
    MakeCalculator(MakeVolume(engine), MakeCArmView(25, 15, 128, 0.4), MakeTransforms()[0], Projector::Joseph);
  calculator->SetNumberOfWorkUnits(1);
  std::vector<float> progress;
  const auto         tag = calculator->AddObserver(
    itk::ProgressEvent(), [&](const itk::EventObject &) { progress.push_back(calculator->GetProgress()); });
  calculator->Compute();
  EXPECT_GT(progress.size(), 3U);
  EXPECT_TRUE(std::is_sorted(progress.begin(), progress.end()));
  EXPECT_FLOAT_EQ(progress.back(), 1.0F);
  calculator->RemoveObserver(tag);
  const auto stop =
    calculator->AddObserver(itk::ProgressEvent(), [&](const itk::EventObject &) { calculator->AbortGenerateDataOn(); });
  EXPECT_THROW(calculator->Compute(), itk::ProcessAborted);
  calculator->RemoveObserver(stop);
  EXPECT_NO_THROW(calculator->Compute());
}

TEST(RadiographSensitivity, PrintsItself)
{
  std::mt19937 engine(10);
  const auto   ct = MakeVolume(engine);
  const auto   view = MakeCArmView(25, 15, 5, 1.0);
  const auto   calculator = MakeCalculator(ct, view, MakeTransforms()[0], Projector::Siddon);
  calculator->Compute();
  std::ostringstream text;
  calculator->Print(text);
  for (const char * const part : { "Image",
                                   "ProjectionVolume",
                                   "Geometry",
                                   "Transform",
                                   "Score",
                                   "FisherWeights",
                                   "OwnVolume",
                                   "Objective: given as a function",
                                   "Projector: ",
                                   "Policy: ",
                                   "Value: ",
                                   "AffineGradient: ",
                                   "AffineFisher:",
                                   "ParameterGradient: ",
                                   "ParameterFisher:",
                                   "SourceGradient: ",
                                   "BeamDirectionGradient: ",
                                   "DetectorOriginGradient: ",
                                   "ColumnStepGradient: ",
                                   "RowStepGradient: ",
                                   "kernel: siddon with gradients" })
  {
    EXPECT_TRUE(Contains(text.str(), part)) << part;
  }
  const auto filter = JacobianFilterType::New();
  filter->SetInput(ct);
  filter->SetGeometry(view);
  filter->Update();
  text.str("");
  filter->Print(text);
  for (const char * const part :
       { "Projector: ", "Center: ", "UseVolumeCenter: On", "Policy: ", "OwnVolume", "kernel: joseph with gradients" })
  {
    EXPECT_TRUE(Contains(text.str(), part)) << part;
  }
}
