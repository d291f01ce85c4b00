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
#include "Refusal.h"
#include "MetricScenes.h"
#include "itkRadiographToVolumeMetricv4.h"

#include "itkBSplineTransform.h"

#include <cmath>
#include <limits>

using namespace radiography::test;
using testimages::Refusal;
using Metric = itk::RadiographToVolumeMetricv4;
using MaskType = Metric::MaskImageType;

namespace
{

/** The example of a similarity: half the squares of L + m_v - pixel, and of its differences between neighbours, with an
 * unknown m_v for each view that is eliminated. Quadratic in L, so that its Gauss-Newton matrix is easy to check. */
class LeastSquares : public Metric
{
public:
  using Self = LeastSquares;
  using Superclass = Metric;
  using Pointer = itk::SmartPointer<Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(LeastSquares);

  /** Weight of differences. */
  itkSetMacro(Smoothness, double);
  itkGetConstMacro(Smoothness, double);
  /** Whether m is there at all. */
  itkSetMacro(HasOffset, bool);
  itkGetConstMacro(HasOffset, bool);
  using Metric::ContractBlocks;
  using Metric::EvaluateTerms;
  using Metric::Order;

protected:
  void
  EvaluateSimilarity(const std::vector<ViewPixels> & views, Order order, Similarity & similarity) const override
  {
    similarity = Similarity();
    similarity.views.resize(views.size());
    for (std::size_t view = 0; view < views.size(); ++view)
    {
      this->CompareView(views[view], view, similarity);
    }
    if (m_HasOffset)
    {
      const auto count = static_cast<unsigned int>(views.size());
      similarity.nuisanceInformation.set_size(count, count);
      similarity.nuisanceInformation.fill(0.0);
      for (unsigned int view = 0; view < count; ++view)
      {
        double inside = 0.0;
        for (const double amplitude : similarity.views[view].amplitudes[0])
        {
          inside += amplitude;
        }
        similarity.nuisanceInformation(view, view) = inside;
        similarity.nuisanceNames.push_back("the offset of view " + std::to_string(view));
        similarity.couplings.push_back({ view, view, 0, {}, {} });
      }
    }
    static_cast<void>(order);
  }

private:
  void
  CompareView(const ViewPixels & pixels, std::size_t view, Similarity & similarity) const
  {
    const auto          count = static_cast<std::size_t>(pixels.columns * pixels.rows);
    const auto          columns = static_cast<std::size_t>(pixels.columns);
    PixelTerms &        terms = similarity.views[view];
    std::vector<double> residual(count, 0.0);
    double              sum = 0.0;
    double              inside = 0.0;
    terms.weights.assign(count, 0.0);
    for (std::size_t i = 0; i < count; ++i)
    {
      if (pixels.mask[i] != 0)
      {
        residual[i] = pixels.depths[i] - static_cast<double>(pixels.image[i]);
        sum += residual[i];
        inside += 1.0;
        terms.weights[i] = 1.0;
      }
    }
    terms.amplitudes.assign(1, terms.weights);
    terms.scores.assign(count, 0.0);
    for (std::size_t i = 0; i < count; ++i)
    {
      if (pixels.mask[i] != 0)
      {
        residual[i] -= m_HasOffset ? sum / inside : 0.0;
        terms.scores[i] = residual[i];
        similarity.value += 0.5 * residual[i] * residual[i];
      }
    }
    if (m_Smoothness > 0.0)
    {
      const std::vector<double> none(count, 0.0);
      terms.differences.clear();
      terms.differences.push_back({ { { 0, 0, -1.0 }, { 1, 0, 1.0 } }, none });
      terms.differences.push_back({ { { 0, 0, -1.0 }, { 0, 1, 1.0 } }, none });
      auto & columnWeights = terms.differences[0].weights;
      auto & rowWeights = terms.differences[1].weights;
      for (std::size_t i = 0; i < count; ++i)
      {
        this->AddDifference(pixels, residual, i, i + 1, (i + 1) % columns != 0, columnWeights, terms, similarity);
        this->AddDifference(pixels, residual, i, i + columns, i + columns < count, rowWeights, terms, similarity);
      }
    }
  }

  void
  AddDifference(const ViewPixels &          pixels,
                const std::vector<double> & residual,
                std::size_t                 one,
                std::size_t                 other,
                bool                        exists,
                std::vector<double> &       weights,
                PixelTerms &                terms,
                Similarity &                similarity) const
  {
    if (exists && pixels.mask[one] != 0 && pixels.mask[other] != 0)
    {
      const double difference = residual[other] - residual[one];
      weights[one] = m_Smoothness;
      similarity.value += 0.5 * m_Smoothness * difference * difference;
      terms.scores[other] += m_Smoothness * difference;
      terms.scores[one] -= m_Smoothness * difference;
    }
  }

  double m_Smoothness{ 0.0 };
  bool   m_HasOffset{ false };
};

/** Two views of a CT, whose images are its depths at the identity plus noise. */
struct Scene
{
  explicit Scene(unsigned int seed = 21)
    : ct(MakeObliqueCT(seed))
    , views{ MakeCArmView(-15, 10, 18, 11.0).GetPointer(), MakeCArmView(80, 5, 16, 12.0, 20.0).GetPointer() }
  {
    std::mt19937                          engine(seed);
    std::uniform_real_distribution<float> noise(-0.05F, 0.05F);
    for (unsigned int view = 0; view < 2; ++view)
    {
      images[view] = Project(ct, views[view], Projector::CellGauss);
      images[view]->DisconnectPipeline();
      for (itk::SizeValueType i = 0; i < images[view]->GetBufferedRegion().GetNumberOfPixels(); ++i)
      {
        images[view]->GetBufferPointer()[i] += noise(engine);
      }
    }
  }

  LeastSquares::Pointer
  MakeMetric(TransformType & transform, Projector projector = Projector::CellGauss, bool inPackets = false) const
  {
    const auto metric = LeastSquares::New();
    metric->SetPolicy(inPackets ? "" : "simd=0");
    metric->SetFixedImage(images[0]);
    metric->SetGeometry(views[0]);
    metric->AddView(images[1], views[1]);
    metric->SetMovingImage(ct);
    metric->SetMovingTransform(&transform);
    metric->SetProjector(projector);
    return metric;
  }

  MaskType::Pointer
  MakeMask(unsigned int view) const
  {
    const auto mask = MaskType::New();
    mask->CopyInformation(images[view]);
    mask->SetRegions(images[view]->GetLargestPossibleRegion());
    mask->Allocate();
    mask->FillBuffer(1);
    return mask;
  }

  ImageType::Pointer    ct;
  GeometryType::Pointer views[2];
  ImageType::Pointer    images[2];
};

struct Evaluation
{
  double                 value{ 0.0 };
  Metric::DerivativeType derivative;
  vnl_matrix<double>     information;
  bool                   isMeaningful{ false };

  explicit Evaluation(const Metric & metric)
  {
    isMeaningful = metric.GetValueDerivativeAndInformation(value, derivative, information);
  }

  bool
  operator==(const Evaluation & other) const
  {
    return value == other.value && derivative == other.derivative && information == other.information &&
           isMeaningful == other.isMeaningful;
  }
};

itk::Euler3DTransform<double>::Pointer
MakeEuler()
{
  const auto transform = itk::Euler3DTransform<double>::New();
  transform->SetRotation(0.04, 0.02, -0.03);
  transform->SetTranslation(MakePoint(2, 1, -2) - MakePoint(0, 0, 0));
  return transform;
}

} // namespace

TEST(RadiographToVolumeMetricv4, DerivativeIsThatOfTheValueForAnySimilarity)
{
  const Scene scene;
  for (const auto & transform : MakeTransforms())
  {
    const auto metric = scene.MakeMetric(*transform);
    metric->SetHasOffset(true);
    metric->Initialize();
    const Evaluation     here(*metric);
    const ParametersType parameters = transform->GetParameters();
    for (unsigned int i = 0; i < parameters.GetSize(); ++i)
    {
      const double   unit = std::sqrt(here.information(i, i));
      ParametersType moved = parameters;
      moved[i] += 1e-3 / unit;
      transform->SetParametersByValue(moved);
      const double above = metric->GetValue();
      moved[i] = parameters[i] - 1e-3 / unit;
      transform->SetParametersByValue(moved);
      const double below = metric->GetValue();
      EXPECT_NEAR(-here.derivative[i] / unit, (above - below) / 2e-3, 2e-5)
        << "parameter " << i << " of " << transform->GetNameOfClass();
    }
    transform->SetParametersByValue(parameters);
  }
}

TEST(RadiographToVolumeMetricv4, InformationHoldsWeightsDifferencesAndEliminatedNuisances)
{
  const Scene scene;
  for (const auto & transform : MakeTransforms())
  {
    for (const bool hasOffset : { false, true })
    {
      const double smoothness = hasOffset ? 0.0 : 0.7;
      const auto   metric = scene.MakeMetric(*transform);
      metric->SetSmoothness(smoothness);
      metric->SetHasOffset(hasOffset);
      metric->Initialize();
      const Evaluation    here(*metric);
      const unsigned int  count = here.information.rows();
      vnl_matrix<double>  expected(count, count, 0.0);
      std::vector<double> steps;
      for (unsigned int i = 0; i < count; ++i)
      {
        steps.push_back(1e-3 / std::sqrt(here.information(i, i)));
      }
      for (const auto & view : scene.views)
      {
        const auto jacobian = DifferenceDepths(*scene.ct, *view, *transform, Projector::CellGauss, steps);
        const auto columns = view->GetDetectorSize()[0];
        const auto pixels = jacobian[0].size();
        const auto gradientOf = [&](std::size_t pixel) {
          vnl_vector<double> gradient(count);
          for (unsigned int i = 0; i < count; ++i)
          {
            gradient[i] = jacobian[i][pixel];
          }
          return gradient;
        };
        vnl_vector<double> mean(count, 0.0);
        for (std::size_t pixel = 0; pixel < pixels; ++pixel)
        {
          const auto gradient = gradientOf(pixel);
          expected += outer_product(gradient, gradient);
          mean += gradient / static_cast<double>(pixels);
          if ((pixel + 1) % columns != 0)
          {
            const auto difference = gradientOf(pixel + 1) - gradient;
            expected += smoothness * outer_product(difference, difference);
          }
          if (pixel + columns < pixels)
          {
            const auto difference = gradientOf(pixel + columns) - gradient;
            expected += smoothness * outer_product(difference, difference);
          }
        }
        if (hasOffset)
        {
          expected -= static_cast<double>(pixels) * outer_product(mean, mean);
        }
      }
      for (unsigned int i = 0; i < count; ++i)
      {
        for (unsigned int j = 0; j < count; ++j)
        {
          const double unit = std::sqrt(expected(i, i) * expected(j, j));
          EXPECT_NEAR(here.information(i, j) / unit, expected(i, j) / unit, 1e-5)
            << i << ", " << j << " of " << transform->GetNameOfClass();
        }
      }
    }
  }
}

TEST(RadiographToVolumeMetricv4, BlocksAddUpToTheDerivative)
{
  const Scene scene;
  const auto  transform = MakeTransforms()[2];
  const auto  metric = scene.MakeMetric(*transform);
  metric->Initialize();
  const Evaluation here(*metric);
  metric->EvaluateTerms(LeastSquares::Order::Derivative);
  vnl_vector<double> sum(7, 0.0);
  std::size_t        blocks = 0;
  for (unsigned int view = 0; view < 2; ++view)
  {
    for (const auto & block : metric->ContractBlocks(view, 5))
    {
      sum += vnl_vector<double>(block.data(), 7);
      ++blocks;
    }
  }
  EXPECT_EQ(blocks, 4U * 4U + 4U * 4U);
  for (unsigned int i = 0; i < 7; ++i)
  {
    EXPECT_NEAR(-sum[i], here.derivative[i], 1e-10 * std::sqrt(here.information(i, i)));
  }
}

TEST(RadiographToVolumeMetricv4, SameBitsForAnyNumberOfThreadsAndFromEveryMethod)
{
  const Scene scene;
  for (const auto projector : { Projector::Joseph, Projector::CellGauss, Projector::Siddon })
  {
    const auto transform = MakeEuler();
    const auto metric = scene.MakeMetric(*transform, projector, true);
    metric->SetHasOffset(true);
    metric->SetSmoothness(0.3);
    metric->SetMaximumNumberOfWorkUnits(1);
    metric->Initialize();
    const Evaluation first(*metric);
    EXPECT_EQ(metric->GetNumberOfWorkUnitsUsed(), 1U);
    for (const unsigned int threads : { 2U, 5U })
    {
      metric->SetMaximumNumberOfWorkUnits(threads);
      EXPECT_EQ(metric->GetMaximumNumberOfWorkUnits(), threads);
      EXPECT_TRUE(Evaluation(*metric) == first);
      EXPECT_EQ(metric->GetValue(), first.value);
      double                 value = 0.0;
      Metric::DerivativeType derivative;
      metric->GetValueAndDerivative(value, derivative);
      EXPECT_EQ(value, first.value);
      EXPECT_TRUE(derivative == first.derivative);
      metric->GetDerivative(derivative);
      EXPECT_TRUE(derivative == first.derivative);
    }
  }
}

TEST(RadiographToVolumeMetricv4, DerivativeIsFilledInMemoryOfTheCaller)
{
  const Scene scene;
  const auto  transform = MakeEuler();
  const auto  metric = scene.MakeMetric(*transform);
  metric->Initialize();
  double                 memory[6] = {};
  Metric::DerivativeType derivative;
  derivative.SetData(memory, 6, false);
  double value = 0.0;
  metric->GetValueAndDerivative(value, derivative);
  EXPECT_EQ(derivative.data_block(), memory);
  EXPECT_NE(memory[5], 0.0);
}

TEST(RadiographToVolumeMetricv4, MaskedPixelsAreNotLookedAt)
{
  const Scene scene;
  Scene       damaged;
  const auto  mask = scene.MakeMask(1);
  const auto  transform = MakeEuler();
  for (const itk::SizeValueType pixel : { 3U, 40U, 41U, 200U })
  {
    mask->GetBufferPointer()[pixel] = 0;
    damaged.images[1]->GetBufferPointer()[pixel] = std::numeric_limits<float>::quiet_NaN();
  }
  const auto make = [&](const Scene & from) {
    const auto metric = from.MakeMetric(*transform);
    metric->ClearViews();
    metric->SetFixedImage(from.images[0]);
    metric->SetGeometry(from.views[0]);
    metric->AddView(from.images[1], from.views[1], mask);
    metric->SetHasOffset(true);
    metric->SetSmoothness(0.5);
    metric->Initialize();
    return metric;
  };
  const Evaluation expected(*make(scene));
  EXPECT_TRUE(std::isfinite(expected.value));
  EXPECT_TRUE(Evaluation(*make(damaged)) == expected);
  EXPECT_EQ(make(damaged)->MakeResidual(1)->GetBufferPointer()[40], 0.0F);
}

TEST(RadiographToVolumeMetricv4, StrideComparesEveryNthPixel)
{
  const Scene scene;
  const auto  transform = MakeEuler();
  const auto  metric = scene.MakeMetric(*transform);
  metric->SetStride(3);
  metric->Initialize();
  const Evaluation found(*metric);
  const auto       everywhere = scene.MakeMetric(*transform);
  everywhere->ClearViews();
  for (unsigned int view = 0; view < 2; ++view)
  {
    const auto mask = scene.MakeMask(view);
    const auto columns = scene.views[view]->GetDetectorSize()[0];
    for (itk::SizeValueType i = 0; i < mask->GetBufferedRegion().GetNumberOfPixels(); ++i)
    {
      mask->GetBufferPointer()[i] = i % columns % 3 == 1 && i / columns % 3 == 1 ? 1 : 0;
    }
    if (view == 0)
    {
      everywhere->SetFixedImage(scene.images[0]);
      everywhere->SetGeometry(scene.views[0]);
      everywhere->SetMask(mask);
    }
    else
    {
      everywhere->AddView(scene.images[1], scene.views[1], mask);
    }
  }
  everywhere->Initialize();
  const Evaluation expected(*everywhere);
  EXPECT_NEAR(found.value, expected.value, 1e-9 * expected.value);
  EXPECT_GT(metric->GetNumberOfValidPoints(), 20U);
  EXPECT_EQ(metric->GetNumberOfValidPoints(), everywhere->GetNumberOfValidPoints());
  for (unsigned int i = 0; i < 6; ++i)
  {
    EXPECT_NEAR(found.derivative[i], expected.derivative[i], 1e-8 * std::sqrt(expected.information(i, i)));
    EXPECT_NEAR(found.information(i, i), expected.information(i, i), 1e-8 * expected.information(i, i));
  }
}

TEST(RadiographToVolumeMetricv4, FarPosesAreFiniteAndSaidToBeMeaningless)
{
  const Scene scene;
  const auto  transform = itk::AffineTransform<double, 3>::New();
  const auto  metric = scene.MakeMetric(*transform);
  metric->Initialize();
  EXPECT_TRUE(Evaluation(*metric).isMeaningful);
  const ParametersType here = transform->GetParameters();
  const auto           with = [&](unsigned int i, double value) {
    ParametersType parameters = here;
    parameters[i] = value;
    transform->SetParametersByValue(parameters);
    const Evaluation far(*metric);
    EXPECT_FALSE(far.isMeaningful) << i << ": " << value;
    EXPECT_EQ(metric->GetNumberOfValidPoints(), 0U);
    EXPECT_TRUE(std::isfinite(far.value));
    EXPECT_TRUE(far.derivative.is_finite());
    EXPECT_EQ(far.derivative.size(), 12U);
    EXPECT_EQ(far.information.rows(), 12U);
    EXPECT_TRUE(far.information.is_finite());
    EXPECT_EQ(metric->GetValue(), far.value);
    return far.value;
  };
  EXPECT_LT(with(9, 5000.0), 1e6);
  EXPECT_LT(with(10, -1e9), 1e6);
  for (const double value : { 1e30, 1e150, 1e300, -1e308, HUGE_VAL, std::nan("") })
  {
    with(11, value);
    with(4, value);
  }
  ParametersType flat = here;
  flat[0] = 0.0;
  transform->SetParametersByValue(flat);
  EXPECT_EQ(metric->GetValue(), Metric::OutOfRangeValue);
  EXPECT_NE(Refusal([&] { metric->MakePrediction(0); }).find("cannot be inverted"), std::string::npos);
  transform->SetParametersByValue(here);
  EXPECT_TRUE(Evaluation(*metric).isMeaningful);
}

TEST(RadiographToVolumeMetricv4, EveryTransformGivesFiniteNumbers)
{
  const Scene                            scene;
  std::mt19937                           engine(17);
  std::uniform_real_distribution<double> entry(-1.0, 1.0);
  std::uniform_int_distribution<int>     exponent(-300, 300);
  const auto                             transform = itk::AffineTransform<double, 3>::New();
  for (const bool inPackets : { false, true })
  {
    const auto metric = scene.MakeMetric(*transform, inPackets ? Projector::Joseph : Projector::CellGauss, inPackets);
    transform->SetIdentity();
    metric->Initialize();
    for (int run = 0; run < 150; ++run)
    {
      const double   scale = run % 3 == 0 ? 1.0 : std::pow(10.0, exponent(engine));
      const double   shift = run % 3 == 1 ? 1.0 : std::pow(10.0, exponent(engine));
      ParametersType parameters(12);
      for (unsigned int i = 0; i < 12; ++i)
      {
        parameters[i] = (i < 9 ? scale : shift) * entry(engine);
      }
      transform->SetParametersByValue(parameters);
      const Evaluation found(*metric);
      SCOPED_TRACE(parameters);
      EXPECT_TRUE(std::isfinite(found.value));
      EXPECT_TRUE(found.derivative.is_finite());
      EXPECT_TRUE(found.information.is_finite());
      EXPECT_EQ(metric->GetValue(), found.value);
    }
  }
}

TEST(RadiographToVolumeMetricv4, VirtualDomainIsABoxOfCubesInTheWorldAroundTheCT)
{
  const Scene scene;
  const auto  transform = itk::Euler3DTransform<double>::New();
  transform->SetTranslation(MakePoint(300, -40, 7) - MakePoint(0, 0, 0));
  const auto metric = scene.MakeMetric(*transform);
  metric->Initialize();
  const auto region = metric->GetVirtualRegion();
  const auto spacing = metric->GetVirtualSpacing();
  EXPECT_EQ(std::max({ region.GetSize(0), region.GetSize(1), region.GetSize(2) }), 64U);
  EXPECT_EQ(spacing[0], spacing[1]);
  EXPECT_EQ(spacing[0], spacing[2]);
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    const double middle =
      metric->GetVirtualOrigin()[axis] + 0.5 * spacing[axis] * (static_cast<double>(region.GetSize(axis)) - 1.0);
    EXPECT_NEAR(middle, -transform->GetTranslation()[axis], 1e-6);
    EXPECT_GT(spacing[axis] * static_cast<double>(region.GetSize(axis)), 90.0);
    EXPECT_LT(spacing[axis] * static_cast<double>(region.GetSize(axis)), 180.0);
  }
}

TEST(RadiographToVolumeMetricv4, APreparedVolumeStandsInForTheMovingImage)
{
  const Scene scene;
  const auto  transform = MakeEuler();
  const auto  metric = scene.MakeMetric(*transform);
  metric->Initialize();
  const auto volume = itk::ProjectionVolume::New();
  volume->SetImage(scene.ct);
  const auto other = scene.MakeMetric(*transform);
  other->SetMovingImage(nullptr);
  other->SetProjectionVolume(volume);
  other->Initialize();
  EXPECT_TRUE(Evaluation(*metric) == Evaluation(*other));
  EXPECT_EQ(other->GetComputeReport().projector, metric->GetComputeReport().projector);
  EXPECT_FALSE(metric->GetComputeReport().kernel.empty());
}

TEST(RadiographToVolumeMetricv4, PredictionIsOfAllPixels)
{
  const Scene scene;
  const auto  transform = MakeEuler();
  const auto  metric = scene.MakeMetric(*transform, Projector::Joseph, true);
  metric->SetStride(4);
  metric->Initialize();
  const auto prediction = metric->MakePrediction(1);
  const auto residual = metric->MakeResidual(1);
  const auto expected = Project(scene.ct, scene.views[1], Projector::Joseph, transform);
  ASSERT_EQ(prediction->GetLargestPossibleRegion(), expected->GetLargestPossibleRegion());
  for (unsigned int i = 0; i < 256; ++i)
  {
    EXPECT_EQ(prediction->GetBufferPointer()[i], expected->GetBufferPointer()[i]);
    EXPECT_EQ(residual->GetBufferPointer()[i],
              scene.images[1]->GetBufferPointer()[i] - expected->GetBufferPointer()[i]);
  }
  EXPECT_NE(Refusal([&] { metric->MakePrediction(2); }).find("no view 2"), std::string::npos);
}

TEST(RadiographToVolumeMetricv4, NeedsInitializeAfterEveryChangeButThatOfThePose)
{
  const Scene scene;
  const auto  transform = MakeEuler();
  const auto  metric = scene.MakeMetric(*transform);
  const auto  refusal = [&] { return Refusal([&] { metric->GetValue(); }); };
  EXPECT_NE(refusal().find("Initialize()"), std::string::npos);
  metric->Initialize();
  const double value = metric->GetValue();
  metric->SetStride(2);
  EXPECT_NE(refusal().find("Initialize()"), std::string::npos);
  metric->SetStride(1);
  metric->Initialize();
  scene.images[1]->Modified();
  EXPECT_NE(refusal().find("Initialize()"), std::string::npos);
  metric->Initialize();
  const auto other = itk::Euler3DTransform<double>::New();
  metric->SetMovingTransform(other);
  EXPECT_NE(metric->GetValue(), value);
  other->SetParameters(transform->GetParameters());
  EXPECT_EQ(metric->GetValue(), value);
}

TEST(RadiographToVolumeMetricv4, RefusesBadInputsByName)
{
  const Scene scene;
  const auto  refusal = [&](const auto & change) {
    const auto transform = MakeEuler();
    const auto metric = scene.MakeMetric(*transform);
    change(*metric);
    return Refusal([&] { metric->Initialize(); });
  };
  const auto expect = [](const std::string & text, const char * word) {
    EXPECT_NE(text.find(word), std::string::npos) << text;
  };
  expect(refusal([](Metric & m) { m.SetFixedImage(nullptr); }), "no image of view 0");
  expect(refusal([](Metric & m) { m.SetGeometry(nullptr); }), "no geometry of view 0");
  expect(refusal([&](Metric & m) { m.AddView(scene.images[0], nullptr); }), "no geometry of view 2");
  expect(refusal([&](Metric & m) { m.AddView(nullptr, scene.views[0]); }), "no image of view 2");
  expect(refusal([&](Metric & m) { m.AddView(scene.images[0], scene.views[1]); }), "The image of view 2 has index");
  expect(refusal([&](Metric & m) { m.SetMask(scene.MakeMask(1)); }), "The mask of view 0 has index");
  expect(refusal([](Metric & m) { m.SetMovingImage(nullptr); }), "no CT");
  expect(refusal([](Metric & m) { m.SetMovingTransform(nullptr); }), "no moving transform");
  expect(refusal([](Metric & m) { m.SetStride(0); }), "Stride of 0");
  expect(refusal([](Metric & m) { m.SetStride(40); }), "Stride of 40");
  expect(refusal([](Metric & m) { m.SetUseSampledPointSet(true); }), "UseSampledPointSet");
  const auto moved = itk::Euler3DTransform<double>::New();
  moved->SetRotation(0.1, 0, 0);
  expect(refusal([&](Metric & m) { m.SetFixedTransform(moved); }), "must be the identity");
  const auto hounsfield = MakeObliqueCT(1);
  hounsfield->FillBuffer(-1000.0F);
  expect(refusal([&](Metric & m) { m.SetMovingImage(hounsfield); }), "Hounsfield");
  const auto     flat = itk::AffineTransform<double, 3>::New();
  ParametersType parameters = flat->GetParameters();
  parameters[4] = 0.0;
  flat->SetParameters(parameters);
  expect(refusal([&](Metric & m) { m.SetMovingTransform(flat); }), "cannot be inverted");
  const auto bent = itk::BSplineTransform<double, 3, 3>::New();
  expect(refusal([&](Metric & m) { m.SetMovingTransform(bent); }), "not linear");
  expect(Refusal([&] { scene.MakeMetric(*moved)->SetPolicy("nonsense=1"); }), "nonsense");
}
