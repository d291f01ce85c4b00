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
#include "RegistrationScenes.h"
#include "Refusal.h"
#include "registration/itkPoseUncertainty.h"

#include "itkRadiographMask.h"

#include "itkCompositeTransform.h"
#include "itkMetaDataObject.h"
#include "itkRegionOfInterestImageFilter.h"
#include "itkTranslationTransform.h"

#include "vnl/vnl_inverse.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>

namespace
{

using namespace radiography::test;
using testimages::Refusal;
using MethodType = itk::RadiographRegistrationMethod;
using ResultType = itk::RadiographRegistrationResult;
using VerdictEnum = itk::RadiographRegistrationEnums::Verdict;
using MetricEnum = itk::RadiographRegistrationEnums::Metric;
using KindEnum = itk::RadiographRegistrationEnums::TransformKind;

constexpr double Degree = itk::Math::pi / 180.0;

/** A trunk, where it really was, and views of it. */
class RadiographRegistrationMethod : public ::testing::Test
{
protected:
  RadiographRegistrationMethod()
  {
    m_Truth = MakePose(0.06, -0.08, 0.05, 7, -4, 9);
    m_Views = { MakeCArmView(0, 0, 64, 5.0), MakeCArmView(90, 5, 64, 5.0) };
  }

  static const ImageType *
  Trunk()
  {
    static const ImageType::Pointer trunk = MakePhantom(radiography::test::Trunk(), 5.0);
    return trunk;
  }

  /** A method with images of `mu` at the truth; n0 is given where the imaging does not depart from it. */
  MethodType::Pointer
  MakeMethod(unsigned int views, const Imaging & imaging = {}, const ImageType * mu = Trunk()) const
  {
    const auto method = MethodType::New();
    method->SetInput(Trunk());
    for (unsigned int view = 0; view < views; ++view)
    {
      Imaging own = imaging;
      own.noiseSeed += imaging.noiseSeed == 0 ? 0 : 1000 * view;
      method->AddView(Simulate(mu, m_Views[view], m_Truth, own), m_Views[view]);
      method->SetOpenBeamCounts(view, imaging.counts);
    }
    method->SetInitialTransform(MoveAway(*m_Truth, 15.0, 1));
    return method;
  }

  double
  ErrorOf(const MethodType & method) const
  {
    return MeanTargetError(*method.GetTransform(), *m_Truth);
  }

  static std::string
  Describe(const MethodType & method)
  {
    std::ostringstream text;
    const ResultType & result = *method.GetOutput();
    text << result.GetVerdict();
    for (const std::string & reason : result.GetReasons())
    {
      text << "\n  " << reason;
    }
    for (const auto & level : result.GetLevels())
    {
      text << "\n  " << level.imageSizes.front() << ", volume " << level.volumeSize << ": " << level.iterations
           << " steps, " << level.evaluations << " evaluations, objective " << level.objective << ", stationarity "
           << level.stationarity << ", " << level.seconds << " s; " << level.stopCondition;
    }
    text << "\n  deviance per pixel " << result.GetDeviancePerPixel() << ", relative residual "
         << result.GetRelativeResidual() << ", halves " << result.GetHalvesDistance() << " of "
         << result.GetHalvesBound() << ", " << result.GetSeconds() << " s\n";
    return text.str();
  }

  static bool
  Says(const MethodType & method, const std::string & words)
  {
    const auto & reasons = method.GetOutput()->GetReasons();
    return std::any_of(reasons.begin(), reasons.end(), [&](const std::string & reason) {
      return reason.find(words) != std::string::npos;
    });
  }

  EulerType::Pointer                 m_Truth;
  std::vector<GeometryType::Pointer> m_Views;
};

} // namespace

TEST_F(RadiographRegistrationMethod, TwoViewsFindThePoseFromNearAndFar)
{
  const auto method = this->MakeMethod(2);
  for (const double distance : { 5.0, 15.0, 30.0, 50.0 })
  {
    method->SetInitialTransform(MoveAway(*m_Truth, distance, static_cast<unsigned int>(distance)));
    method->Update();
    EXPECT_LT(this->ErrorOf(*method), 0.002) << distance << " mm: " << Describe(*method);
    EXPECT_EQ(method->GetOutput()->GetVerdict(), VerdictEnum::Converged) << distance << " mm: " << Describe(*method);
    EXPECT_LE(method->GetOutput()->GetStationarity(), 1e-3);
  }
}

TEST_F(RadiographRegistrationMethod, OneViewFindsThePoseWithinItsRays)
{
  const auto method = this->MakeMethod(1);
  for (const double distance : { 5.0, 15.0, 30.0 })
  {
    method->SetInitialTransform(MoveAway(*m_Truth, distance, 3));
    method->Update();
    const TransformType & found = *method->GetTransform();
    EXPECT_LT(MeanReprojectionDistance(found, *m_Truth, *m_Views[0]), 0.005)
      << distance << " mm: " << Describe(*method);
  }
}

TEST_F(RadiographRegistrationMethod, StartingAtTheTruthStays)
{
  const auto method = this->MakeMethod(2);
  method->SetInitialTransform(m_Truth);
  method->Update();
  EXPECT_LT(this->ErrorOf(*method), 1e-3) << Describe(*method);
  EXPECT_EQ(method->GetOutput()->GetVerdict(), VerdictEnum::Converged) << Describe(*method);
  // The initial transform is the user's.
  EXPECT_NE(method->GetTransform(), m_Truth.GetPointer());
}

TEST_F(RadiographRegistrationMethod, OutOfViewFailsAndSaysSo)
{
  const auto method = this->MakeMethod(2);
  method->SetInitialTransform(MakePose(0, 0, 0, 5000, 0, 0));
  method->Update();
  EXPECT_EQ(method->GetOutput()->GetVerdict(), VerdictEnum::Failed);
  EXPECT_EQ(method->GetTransform(), nullptr);
  EXPECT_TRUE(Says(*method, "No view sees the CT")) << Describe(*method);
  EXPECT_TRUE(method->GetOutput()->GetTrace().empty());
}

TEST_F(RadiographRegistrationMethod, OtherAnatomyIsDoubtful)
{
  const auto other = MakePhantom(OtherTrunk(), 5.0);
  const auto method = this->MakeMethod(2, {}, other);
  method->Update();
  EXPECT_EQ(method->GetOutput()->GetVerdict(), VerdictEnum::Doubtful) << Describe(*method);
  EXPECT_TRUE(Says(*method, "The prediction is off by")) << Describe(*method);
}

TEST_F(RadiographRegistrationMethod, NuisancesTakeTheBiasAway)
{
  Imaging imaging;
  imaging.exposure = 1.5;
  imaging.attenuation = 1.1;
  imaging.scatter = 0.3;
  const auto method = this->MakeMethod(2, imaging);
  method->Update();
  const double biased = this->ErrorOf(*method);
  EXPECT_EQ(method->GetOutput()->GetVerdict(), VerdictEnum::Doubtful) << Describe(*method);
  method->EstimateExposureOn();
  method->EstimateAttenuationOn();
  method->EstimateScatterOn();
  method->Update();
  EXPECT_LT(this->ErrorOf(*method), 0.2 * biased) << biased << ": " << Describe(*method);
  EXPECT_LT(this->ErrorOf(*method), 0.3) << biased << ": " << Describe(*method);
  const auto & nuisances = method->GetOutput()->GetNuisances();
  ASSERT_EQ(nuisances.size(), 2U);
  EXPECT_NEAR(nuisances[0].exposure, 1.5, 0.1);
  EXPECT_NEAR(nuisances[1].attenuation, 1.1, 0.03);
  EXPECT_EQ(nuisances[1].scatter.size(), 16U);
  EXPECT_GT(nuisances[1].attenuationStandardError, 0.0);
}

TEST_F(RadiographRegistrationMethod, ToolInTheImageMovesLittle)
{
  Imaging imaging;
  imaging.tool = true;
  const auto method = this->MakeMethod(2, imaging);
  method->Update();
  EXPECT_LT(this->ErrorOf(*method), 2.0) << Describe(*method);
  EXPECT_EQ(method->GetOutput()->GetVerdict(), VerdictEnum::Doubtful) << Describe(*method);
}

TEST_F(RadiographRegistrationMethod, OutliersAreLeftOutAndCountedBitsForAnyNumberOfThreads)
{
  Imaging imaging;
  imaging.tool = true;
  imaging.noiseSeed = 3;
  const auto run = [&](itk::ThreadIdType workUnits, bool maskOutliers) {
    const auto method = this->MakeMethod(2, imaging);
    method->SetNumberOfWorkUnits(workUnits);
    method->SetMaskOutliers(maskOutliers);
    method->Update();
    return method;
  };
  const auto         method = run(1, true);
  const auto         without = run(1, false);
  const ResultType & result = *method->GetOutput();
  EXPECT_LT(this->ErrorOf(*method), 0.2 * this->ErrorOf(*without)) << Describe(*method) << Describe(*without);
  EXPECT_EQ(result.GetVerdict(), VerdictEnum::Converged) << Describe(*method);
  EXPECT_EQ(without->GetOutput()->GetNumberOfOutliers(), 0U);
  EXPECT_EQ(without->GetOutput()->GetOutlierMask(0), nullptr);
  itk::SizeValueType leftOut = 0;
  for (unsigned int view = 0; view < 2; ++view)
  {
    ASSERT_NE(result.GetOutlierMask(view), nullptr);
    leftOut += 64 * 64 - itk::RadiographMask::CountPixels(result.GetOutlierMask(view));
  }
  EXPECT_EQ(result.GetNumberOfOutliers(), leftOut);
  EXPECT_EQ(result.GetNumberOfPixels(), 2 * 64 * 64 - leftOut);
  EXPECT_EQ(method->GetTransform()->GetParameters(), run(3, true)->GetTransform()->GetParameters());
}

TEST_F(RadiographRegistrationMethod, NothingIsLeftOutOfImagesThatTheCTExplains)
{
  Imaging imaging;
  imaging.noiseSeed = 3;
  const auto method = this->MakeMethod(2, imaging);
  method->Update();
  const auto parameters = method->GetTransform()->GetParameters();
  method->MaskOutliersOn();
  method->Update();
  EXPECT_EQ(method->GetOutput()->GetNumberOfOutliers(), 0U);
  EXPECT_EQ(method->GetTransform()->GetParameters(), parameters);
}

// The images show what the CT has cut off; a mask made at this start would be the wrong one.
TEST_F(RadiographRegistrationMethod, TruncationIsMaskedAnewAsThePoseMoves)
{
  const auto cut = itk::RegionOfInterestImageFilter<ImageType, ImageType>::New();
  auto       region = Trunk()->GetLargestPossibleRegion();
  region.SetIndex(2, region.GetIndex(2) + 10);
  region.SetSize(2, region.GetSize(2) - 20);
  cut->SetInput(Trunk());
  cut->SetRegionOfInterest(region);
  cut->Update();
  const auto method = this->MakeMethod(2);
  method->SetInput(cut->GetOutput());
  method->SetInitialTransform(MoveAway(*m_Truth, 25.0, 1));
  method->Update();
  EXPECT_EQ(method->GetOutput()->GetVerdict(), VerdictEnum::Doubtful) << Describe(*method);
  method->MaskTruncationOn();
  method->Update();
  EXPECT_LT(this->ErrorOf(*method), 0.05) << Describe(*method);
  EXPECT_EQ(method->GetOutput()->GetVerdict(), VerdictEnum::Converged) << Describe(*method);
}

// The tool lies in some blocks and not in others.
TEST_F(RadiographRegistrationMethod, HalvesOfOneViewWithAToolDisagree)
{
  Imaging imaging;
  imaging.tool = true;
  imaging.noiseSeed = 3;
  const auto method = this->MakeMethod(1, imaging);
  method->SetRelativeResidualBound(1e9);
  method->Update();
  const ResultType & result = *method->GetOutput();
  EXPECT_TRUE(result.GetHalvesWereCompared());
  EXPECT_GT(result.GetHalvesDistance(), result.GetHalvesBound());
  EXPECT_EQ(result.GetVerdict(), VerdictEnum::Doubtful) << Describe(*method);
  EXPECT_TRUE(Says(*method, "Two interleaved halves")) << Describe(*method);
  EXPECT_NE(result.GetHalvesParameters(0), result.GetHalvesParameters(1));
  EXPECT_GT(result.GetHalvesDisplacement(), result.GetHalvesTolerance());
  method->SetHalvesTolerance(1.01 * result.GetHalvesDisplacement());
  method->Update();
  EXPECT_GT(result.GetHalvesDistance(), result.GetHalvesBound());
  EXPECT_EQ(result.GetVerdict(), VerdictEnum::Converged) << Describe(*method);
  method->SetHalvesTolerance(0.0);
  method->CompareHalvesOff();
  method->Update();
  EXPECT_FALSE(result.GetHalvesWereCompared());
  EXPECT_EQ(result.GetVerdict(), VerdictEnum::Converged) << Describe(*method);
}

// Normalised errors at the target are chi-square with three degrees of freedom.
TEST_F(RadiographRegistrationMethod, CovarianceIsThatOfNoise)
{
  constexpr unsigned int count = 24;
  double                 sum = 0.0;
  double                 inflatedSum = 0.0;
  m_Views = { MakeCArmView(0, 0, 32, 10.0), MakeCArmView(90, 5, 32, 10.0) };
  for (unsigned int seed = 1; seed <= count; ++seed)
  {
    Imaging imaging;
    imaging.counts = 1000.0;
    imaging.noiseSeed = seed;
    const auto method = this->MakeMethod(2, imaging);
    method->SetInitialTransform(m_Truth);
    method->SetTransformKind(KindEnum::Euler);
    method->CompareHalvesOff();
    method->SetBlockSize(4);
    itk::RadiographRegistrationLevel level;
    level.projector = Projector::CellGauss;
    method->SetLevels({ level });
    method->Update();
    const ResultType & result = *method->GetOutput();
    ASSERT_FALSE(result.GetCovariance().empty());
    const VectorType error = result.GetTargetInWorld() - InWorld(*m_Truth, result.GetTarget());
    const auto       distance = [&error](const vnl_matrix<double> & covariance) {
      const vnl_matrix_fixed<double, 3, 3> inverse = vnl_matrix_fixed<double, 3, 3>(covariance);
      const vnl_vector_fixed<double, 3>    e = error.GetVnlVector();
      return dot_product(e, vnl_inverse(inverse) * e);
    };
    sum += distance(result.GetTargetCovariance());
    inflatedSum += distance(result.GetInflatedTargetCovariance());
  }
  EXPECT_NEAR(sum / count, 3.0, 4.0 * std::sqrt(6.0 / count));
  EXPECT_LT(inflatedSum, sum);
}

// Squares of normalised errors are chi-square with six degrees of freedom: mean 6, variance 12. RegistrationCoverage in
// benchmark/registration does the same with a chest and 400 realisations.
TEST_F(RadiographRegistrationMethod, CovariancesCoverTheTruthInManyRealisationsOfNoise)
{
  constexpr unsigned int count = 60;
  m_Views = { MakeCArmView(0, 0, 32, 10.0), MakeCArmView(90, 5, 32, 10.0) };
  Imaging imaging;
  imaging.counts = 1000.0;
  for (const bool estimated : { false, true })
  {
    imaging.exposure = estimated ? 1.3 : 1.0;
    imaging.attenuation = estimated ? 1.1 : 1.0;
    const float        scatter = estimated ? 80.0f : 0.0f;
    double             squares[2] = {};
    unsigned int       covered[2] = {};
    const auto         method = MethodType::New();
    ImageType::Pointer means[2];
    ImageType::Pointer images[2];
    method->SetInput(Trunk());
    for (unsigned int view = 0; view < 2; ++view)
    {
      means[view] = Simulate(Trunk(), m_Views[view], m_Truth, imaging);
      images[view] = Simulate(Trunk(), m_Views[view], m_Truth, imaging);
      method->SetOpenBeamCounts(method->AddView(images[view], m_Views[view]), imaging.counts);
    }
    method->SetInitialTransform(m_Truth);
    method->SetTransformKind(KindEnum::Euler);
    method->SetEstimateExposure(estimated);
    method->SetEstimateAttenuation(estimated);
    method->SetEstimateScatter(estimated);
    method->CompareHalvesOff();
    method->SetBlockSize(4);
    itk::RadiographRegistrationLevel level;
    level.projector = Projector::CellGauss;
    method->SetLevels({ level });
    std::mt19937 engine(20);
    for (unsigned int k = 0; k < count; ++k)
    {
      for (unsigned int view = 0; view < 2; ++view)
      {
        for (unsigned int i = 0; i < 32 * 32; ++i)
        {
          std::poisson_distribution<int> photons(means[view]->GetBufferPointer()[i] + scatter);
          images[view]->GetBufferPointer()[i] = static_cast<float>(photons(engine));
        }
        images[view]->Modified();
      }
      method->Update();
      const ResultType & result = *method->GetOutput();
      ASSERT_FALSE(result.GetCovariance().empty());
      const vnl_vector<double> error =
        result.GetTransform()->GetParameters() - result.GetInitialTransform()->GetParameters();
      for (unsigned int kind = 0; kind < 2; ++kind)
      {
        const double distance =
          itk::ComputeStandardDistance(error, kind == 0 ? result.GetCovariance() : result.GetInflatedCovariance());
        squares[kind] += distance * distance / count;
        // 95 % of chi-square with six degrees of freedom.
        covered[kind] += distance * distance <= 12.5916 ? 1 : 0;
      }
    }
    // Four standard errors of the mean, and of the count.
    EXPECT_NEAR(squares[0], 6.0, 4.0 * std::sqrt(12.0 / count)) << estimated;
    EXPECT_GE(covered[0], 50U) << estimated;
    EXPECT_LE(squares[1], squares[0]) << estimated;
    EXPECT_GT(squares[1], 6.0 - 4.0 * std::sqrt(12.0 / count) - 1.0) << estimated;
    EXPECT_GE(covered[1], covered[0]) << estimated;
  }
}

TEST_F(RadiographRegistrationMethod, SameBitsForAnyNumberOfThreads)
{
  const auto run = [this](itk::ThreadIdType workUnits) {
    const auto method = this->MakeMethod(2);
    method->SetNumberOfWorkUnits(workUnits);
    method->SetNumberOfStarts(20);
    method->EstimateScatterOn();
    method->Update();
    return method;
  };
  const auto one = run(1);
  const auto three = run(3);
  EXPECT_EQ(one->GetTransform()->GetParameters(), three->GetTransform()->GetParameters());
  EXPECT_EQ(one->GetOutput()->GetObjective(), three->GetOutput()->GetObjective());
  EXPECT_EQ(one->GetOutput()->GetHalvesDistance(), three->GetOutput()->GetHalvesDistance());
  EXPECT_EQ(one->GetOutput()->GetInflatedCovariance(), three->GetOutput()->GetInflatedCovariance());
  EXPECT_EQ(one->GetOutput()->GetTrace().size(), three->GetOutput()->GetTrace().size());
}

TEST_F(RadiographRegistrationMethod, AbortEndsTheRunAfterTheStep)
{
  const auto   method = this->MakeMethod(2);
  unsigned int steps = 0;
  method->AddObserver(itk::IterationEvent(), [&](const itk::EventObject &) {
    if (++steps == 2)
    {
      method->AbortGenerateDataOn();
    }
  });
  EXPECT_THROW(method->Update(), itk::ProcessAborted);
  EXPECT_EQ(steps, 2U);
}

TEST_F(RadiographRegistrationMethod, ProgressGrowsAndStepsAreEvents)
{
  const auto         method = this->MakeMethod(2);
  std::vector<float> progress;
  std::size_t        events = 0;
  method->AddObserver(itk::ProgressEvent(),
                      [&](const itk::EventObject &) { progress.push_back(method->GetProgress()); });
  method->AddObserver(itk::IterationEvent(), [&](const itk::EventObject &) {
    ++events;
    ASSERT_FALSE(method->GetTrace().empty());
    EXPECT_GT(method->GetTrace().back().iteration, 0U);
  });
  method->Update();
  EXPECT_TRUE(std::is_sorted(progress.begin(), progress.end()));
  ASSERT_FALSE(progress.empty());
  EXPECT_EQ(progress.back(), 1.0f);
  const auto & result = *method->GetOutput();
  std::size_t  steps = 0;
  for (const auto & level : result.GetLevels())
  {
    steps += level.iterations;
    EXPECT_EQ(level.renders, 2 * level.evaluations);
  }
  EXPECT_EQ(events, steps);
  EXPECT_EQ(result.GetTrace().size(), steps + result.GetLevels().size());
}

TEST_F(RadiographRegistrationMethod, SimilarityAndAffineTransformsAreSearched)
{
  const auto method = this->MakeMethod(2);
  method->SetTransformKind(KindEnum::Similarity);
  method->Update();
  EXPECT_STREQ(method->GetTransform()->GetNameOfClass(), "Similarity3DTransform");
  EXPECT_LT(this->ErrorOf(*method), 0.01) << Describe(*method);
  method->SetTransformKind(KindEnum::Affine);
  method->Update();
  EXPECT_STREQ(method->GetTransform()->GetNameOfClass(), "AffineTransform");
  EXPECT_LT(this->ErrorOf(*method), 0.02) << Describe(*method);
  EXPECT_EQ(method->GetOutput()->GetCovariance().rows(), 12U);
}

TEST_F(RadiographRegistrationMethod, CompositeTransformsAndTranslationsAreSearched)
{
  const auto method = this->MakeMethod(2);
  const auto first = MakePose(0.02, 0.03, -0.04, 10, -20, 5);
  const auto composite = itk::CompositeTransform<double, 3>::New();
  const auto second = EulerType::New();
  composite->AddTransform(second);
  composite->AddTransform(first);
  composite->SetOnlyMostRecentTransformToOptimizeOn();
  method->SetInitialTransform(composite);
  method->Update();
  EXPECT_STREQ(method->GetTransform()->GetNameOfClass(), "CompositeTransform");
  EXPECT_LT(this->ErrorOf(*method), 0.002) << Describe(*method);
  EXPECT_EQ(method->GetOutput()->GetCovariance().rows(), 6U);

  m_Truth = MakePose(0, 0, 0, 7, -4, 9);
  const auto shifted = this->MakeMethod(2);
  shifted->SetInitialTransform(itk::TranslationTransform<double, 3>::New());
  shifted->Update();
  EXPECT_LT(this->ErrorOf(*shifted), 0.002) << Describe(*shifted);
  EXPECT_EQ(shifted->GetOutput()->GetTargetStandardErrors().size(), 3U);
  shifted->SetNumberOfStarts(10);
  EXPECT_NE(Refusal([&] { shifted->Update(); }).find("TranslationTransform"), std::string::npos);
}

TEST_F(RadiographRegistrationMethod, StartsFindWhatOneStartMisses)
{
  const auto method = this->MakeMethod(2);
  method->SetInitialTransform(MakePose(0.3, -0.2, 1.6, 40, -30, 50));
  method->Update();
  const double alone = method->GetTransform() ? this->ErrorOf(*method) : 1000.0;
  EXPECT_GT(alone, 5.0) << Describe(*method);
  method->SetNumberOfStarts(1000);
  method->SetStartTranslationSpread(60.0);
  method->SetStartRotationSpread(1.6);
  method->Update();
  EXPECT_LT(this->ErrorOf(*method), 0.01) << Describe(*method);
  const ResultType & result = *method->GetOutput();
  EXPECT_EQ(result.GetStartsScored(), 1000U);
  EXPECT_EQ(result.GetStartsOptimized(), 64U);
  EXPECT_EQ(result.GetStartsAbandoned(), 63U);
}

// mu c in a CT that is 1 / c as large gives the same depths: the scale of a similarity and the attenuation are one.
TEST_F(RadiographRegistrationMethod, ScaleWithAttenuationIsSingularAndNamed)
{
  const auto method = this->MakeMethod(1);
  method->SetTransformKind(KindEnum::Similarity);
  method->EstimateAttenuationOn();
  method->Update();
  EXPECT_EQ(method->GetOutput()->GetVerdict(), VerdictEnum::Doubtful) << Describe(*method);
  EXPECT_FALSE(method->GetOutput()->GetSingularDirection().empty()) << Describe(*method);
}

TEST_F(RadiographRegistrationMethod, ReadingsOfUnknownGainHaveADispersion)
{
  Imaging imaging;
  imaging.counts = 2000.0;
  imaging.noiseSeed = 5;
  const auto method = this->MakeMethod(2, imaging);
  method->Update();
  const auto quasi = MethodType::New();
  quasi->SetInput(Trunk());
  constexpr double gain = 0.01;
  for (unsigned int view = 0; view < 2; ++view)
  {
    Imaging own = imaging;
    own.noiseSeed += 1000 * view;
    const auto image = Simulate(Trunk(), m_Views[view], m_Truth, own);
    for (itk::ImageRegionIterator<ImageType> it(image, image->GetLargestPossibleRegion()); !it.IsAtEnd(); ++it)
    {
      it.Set(static_cast<float>(gain * it.Get()));
    }
    quasi->AddView(image, m_Views[view]);
    quasi->SetOpenBeamCounts(view, gain * imaging.counts);
  }
  quasi->SetInitialTransform(method->GetInitialTransform());
  quasi->EstimateDispersionOn();
  quasi->Update();
  EXPECT_NEAR(quasi->GetOutput()->GetDispersion(), gain, 0.2 * gain) << Describe(*quasi);
  EXPECT_LT(MeanTargetError(*quasi->GetTransform(), *method->GetTransform()), 0.01) << Describe(*quasi);
  const double ratio = quasi->GetOutput()->GetCovariance()(0, 0) / method->GetOutput()->GetCovariance()(0, 0);
  EXPECT_NEAR(ratio, 1.0, 0.2);
}

TEST_F(RadiographRegistrationMethod, CorrelationsTakeImagesThatAreNotCounts)
{
  for (const MetricEnum metric : { MetricEnum::NormalizedCorrelation, MetricEnum::GradientCorrelation })
  {
    const auto                       method = MethodType::New();
    std::mt19937                     engine(4);
    std::normal_distribution<double> noise(0.0, 0.02);
    method->SetInput(Trunk());
    method->SetMetric(metric);
    for (const auto & view : m_Views)
    {
      // Log-converted, bone dark, below 0.
      const auto image = Project(Trunk(), view, Projector::CellGauss, m_Truth);
      for (itk::ImageRegionIterator<ImageType> it(image, image->GetLargestPossibleRegion()); !it.IsAtEnd(); ++it)
      {
        it.Set(static_cast<float>(100.0 - 70.0 * (it.Get() + noise(engine))));
      }
      method->AddView(image, view);
    }
    method->SetInitialTransform(MoveAway(*m_Truth, 8.0, 2));
    method->Update();
    const ResultType & result = *method->GetOutput();
    EXPECT_LT(this->ErrorOf(*method), 0.3) << metric << ": " << Describe(*method);
    EXPECT_EQ(result.GetVerdict(), VerdictEnum::Converged) << metric << ": " << Describe(*method);
    ASSERT_EQ(result.GetCorrelations().size(), 2U);
    EXPECT_GT(result.GetCorrelations()[0], 0.8);
    EXPECT_GT(result.GetStandardErrors().front(), 0.0);
    // Noise without correlation: the sandwich says about the same. Gradients correlate it.
    const double inflation = result.GetInflatedTargetCovariance()(0, 0) / result.GetTargetCovariance()(0, 0);
    EXPECT_GE(inflation, 1.0 - 1e-9) << metric;
    EXPECT_LT(inflation, 5.0) << metric;
    EXPECT_TRUE(result.GetNuisances().empty());
    method->SetInput(MakePhantom(OtherTrunk(), 5.0));
    method->Update();
    EXPECT_EQ(result.GetVerdict(), VerdictEnum::Doubtful)
      << metric << ": " << result.GetCorrelations()[0] << ", " << result.GetCorrelations()[1] << Describe(*method);
  }
}

TEST_F(RadiographRegistrationMethod, PicturesAreOnTheLastLevel)
{
  const auto method = this->MakeMethod(2);
  method->Update();
  const ResultType & result = *method->GetOutput();
  ASSERT_EQ(result.GetNumberOfViews(), 2U);
  const auto sumOfSquares = [](const ImageType & image) {
    double sum = 0.0;
    for (itk::ImageRegionConstIterator<ImageType> it(&image, image.GetLargestPossibleRegion()); !it.IsAtEnd(); ++it)
    {
      sum += it.Get() * it.Get();
    }
    return sum;
  };
  for (unsigned int view = 0; view < 2; ++view)
  {
    EXPECT_EQ(result.GetPrediction(view)->GetLargestPossibleRegion(),
              result.GetImage(view)->GetLargestPossibleRegion());
    EXPECT_LT(sumOfSquares(*result.GetResidual(view)), 1e-3 * sumOfSquares(*result.GetInitialResidual(view)));
    EXPECT_NE(sumOfSquares(*result.GetPrediction(view)), sumOfSquares(*result.GetInitialPrediction(view)));
  }
  EXPECT_FALSE(result.GetComputeReport().projector.empty());
}

TEST_F(RadiographRegistrationMethod, RefusesBeforeAnyWork)
{
  const auto empty = MethodType::New();
  Refusal([&] { empty->Update(); });
  empty->SetInput(Trunk());
  EXPECT_NE(Refusal([&] { empty->Update(); }).find("no view"), std::string::npos);
  EXPECT_NE(Refusal([&] { empty->SetGain(2, 1.0); }).find("no view 2"), std::string::npos);

  const auto method = this->MakeMethod(2);
  method->SetDispersion(-1.0);
  EXPECT_NE(Refusal([&] { method->Update(); }).find("Dispersion is -1"), std::string::npos);
  method->SetDispersion(1.0);
  method->SetMetric(MetricEnum::NormalizedCorrelation);
  method->MaskOutliersOn();
  EXPECT_NE(Refusal([&] { method->Update(); }).find("Set MaskOutliers off"), std::string::npos);
  method->MaskOutliersOff();
  method->SetMetric(MetricEnum::Poisson);
  method->SetAttenuationBound(0.5);
  EXPECT_NE(Refusal([&] { method->Update(); }).find("AttenuationBound is 0.5"), std::string::npos);
  method->SetAttenuationBound(2.0);
  method->SetHalvesTolerance(-0.1);
  EXPECT_NE(Refusal([&] { method->Update(); }).find("HalvesTolerance is -0.1"), std::string::npos);
  method->SetHalvesTolerance(0.0);

  itk::RadiographRegistrationLevel level;
  level.imageBlocks = { 65 };
  method->SetLevels({ level });
  EXPECT_NE(Refusal([&] { method->Update(); }).find("leaves no pixel"), std::string::npos);
  level.imageBlocks = { 1, 1, 1 };
  method->SetLevels({ level });
  EXPECT_NE(Refusal([&] { method->Update(); }).find("3 image blocks for 2 views"), std::string::npos);
  method->SetLevels({});

  const auto small = MakeCArmView(0, 0, 20, 8.0);
  method->AddView(method->GetViewImage(0), small);
  EXPECT_NE(Refusal([&] { method->Update(); }).find("view 2 is of size"), std::string::npos);
}

TEST_F(RadiographRegistrationMethod, RefusesImagesThatAreNotCountsBeforeAnyStep)
{
  const auto refusal = [](MethodType & method) {
    const std::string text = Refusal([&] { method.Update(); });
    EXPECT_TRUE(method.GetTrace().empty()) << text;
    return text;
  };
  const auto declared = this->MakeMethod(1);
  auto &     dictionary = const_cast<ImageType *>(declared->GetViewImage(0))->GetMetaDataDictionary();
  itk::EncapsulateMetaData<std::string>(dictionary, "radiography_quantity", "optical-depth");
  EXPECT_NE(refusal(*declared).find("optical-depth"), std::string::npos);
  declared->SetMetric(MetricEnum::NormalizedCorrelation);
  declared->SetCompared(MethodType::ComparedEnum::Transmission);
  declared->Update();
  EXPECT_NE(declared->GetTransform(), nullptr);

  // A sum over blocks would hide it.
  const auto negative = this->MakeMethod(1);
  const_cast<ImageType *>(negative->GetViewImage(0))->SetPixel({ { 3, 2, 0 } }, -1.0f);
  EXPECT_NE(refusal(*negative).find("-1"), std::string::npos);

  const auto hounsfield = this->MakeMethod(1);
  const auto ct = MakePhantom({ { { 0, 0, 0 }, { 50, 50, 50 }, -900.0 } }, 20.0);
  hounsfield->SetInput(ct);
  EXPECT_NE(refusal(*hounsfield).find("Hounsfield"), std::string::npos);
}

TEST_F(RadiographRegistrationMethod, ExposureThatIsNotGivenIsEstimated)
{
  Imaging imaging;
  imaging.counts = 12345.0;
  const auto method = MethodType::New();
  method->SetInput(Trunk());
  for (unsigned int view = 0; view < 2; ++view)
  {
    method->AddView(Simulate(Trunk(), m_Views[view], m_Truth, imaging), m_Views[view]);
  }
  method->SetInitialTransform(MoveAway(*m_Truth, 15.0, 1));
  method->Update();
  EXPECT_LT(this->ErrorOf(*method), 0.005) << Describe(*method);
  for (const auto & nuisances : method->GetOutput()->GetNuisances())
  {
    EXPECT_TRUE(nuisances.openBeamIsAssumed);
    EXPECT_NEAR(nuisances.openBeamCounts * nuisances.exposure, 12345.0, 10.0);
  }
}

// Coarse voxels leave residuals far above the noise of so many counts, and move the pose by little.
TEST_F(RadiographRegistrationMethod, FinerVoxelsInTheImageAreNoReasonForDoubt)
{
  Imaging imaging;
  imaging.counts = 1e6;
  imaging.noiseSeed = 3;
  const auto method = this->MakeMethod(2, imaging, MakePhantom(radiography::test::Trunk(), 2.5));
  method->Update();
  const ResultType & result = *method->GetOutput();
  EXPECT_GT(result.GetDeviancePerDegreeOfFreedom(), 50.0) << Describe(*method);
  EXPECT_LT(this->ErrorOf(*method), 0.3) << Describe(*method);
  EXPECT_EQ(result.GetVerdict(), VerdictEnum::Converged) << Describe(*method);
  EXPECT_LE(result.GetInflatedStationarity(), result.GetStationarity());
  // A twentieth of 5 mm.
  EXPECT_DOUBLE_EQ(result.GetHalvesTolerance(), 0.25);
}
