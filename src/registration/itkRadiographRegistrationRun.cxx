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
#include "registration/itkRadiographRegistrationRun.h"

#include "registration/itkInformationSpectrum.h"
#include "registration/itkPoseUncertainty.h"
#include "registration/itkRegistrationLevels.h"
#include "registration/itkRegistrationMasks.h"
#include "registration/itkRegistrationReduction.h"
#include "registration/itkRegistrationTransforms.h"
#include "registration/itkRegistrationVerdict.h"

#include <algorithm>
#include <cmath>

namespace itk
{
namespace
{

using Clock = std::chrono::steady_clock;
using MatrixType = vnl_matrix<double>;

// Steps of a round of the contest of starts, after which the worse half is given up.
constexpr SizeValueType IterationsOfRound = 5;
// A half of the pixels starts where all of them ended.
constexpr SizeValueType IterationsOfHalf = 20;
constexpr double        StationarityOfHalf = 0.01;
// By how much of the coarsest sampling halves may differ.
constexpr double TolerableShareOfSampling = 0.05;
// How often a level runs again, with a mask made anew, at most.
constexpr unsigned int  RoundsOfTruncation = 20;
constexpr SizeValueType StepsBetweenMasks = 5;
constexpr unsigned int  RoundsOfOutliers = 3;
// A coarse level is left when a step lowers the objective by less than this part of it, or so many in a row do not.
constexpr double       CoarseDecrease = 1e-4;
constexpr unsigned int CoarseRejections = 6;
// A step a millionth as long that lowers nothing is lost in rounding.
constexpr double LargestDamping = 1e6;
// How often a search for starts looks at the abort flag.
constexpr SizeValueType StartsBetweenLooks = 256;
// That of FisherScoringOptimizerv4.
constexpr double Singularity = 1e-9;

double
SecondsSince(const Clock::time_point & start)
{
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/** Why an evaluation at the metric's present transform means nothing. */
std::string
DescribeMeaningless(const RadiographToVolumeMetricv4 & metric)
{
  return metric.GetNumberOfValidPoints() == 0
           ? "No view sees the CT"
           : "Nothing can be compared, or exposure, attenuation and scatter cannot be estimated,";
}

/** Whether more steps are better made on the next level. Blocks depart from voxels by far more than noise, and kinks of
 * Joseph's rule keep an optimizer busy with the last digits. */
bool
IsCoarseLevelDone(const FisherScoringOptimizerv4::TraceType & trace)
{
  double       best = trace.front().value;
  double       decrease = best;
  unsigned int rejected = 0;
  for (std::size_t step = 1; step < trace.size(); ++step)
  {
    rejected = trace[step].accepted ? 0 : rejected + 1;
    if (trace[step].accepted)
    {
      decrease = best - trace[step].value;
      best = trace[step].value;
    }
  }
  return decrease < CoarseDecrease * best || rejected >= CoarseRejections;
}

} // namespace

RadiographRegistrationRun::RadiographRegistrationRun(Method & method)
  : m_Method(method)
  , m_Dispersion(method.GetDispersion())
{}

RadiographRegistrationRun::Content
RadiographRegistrationRun::Execute()
{
  const auto start = Clock::now();
  m_Content.metric = m_Method.GetMetric();
  this->GatherScene();
  this->RefuseScene();
  if (this->RunLevels())
  {
    const Evaluation end = EvaluateAt(*m_Metric);
    if (end.isMeaningful)
    {
      m_Content.transform = m_Transform->Clone().GetPointer();
      DescribeFit(*m_Metric, this->MakeModel(), m_Scene, m_Levels.back(), m_Content);
      this->DescribeUncertainty(end);
      this->CompareHalves();
      this->MakePictures();
      m_Content.reasons = FindDoubts(m_Content,
                                     { m_Method.GetStationarityBound(),
                                       m_Method.GetRelativeResidualBound(),
                                       m_Method.GetCorrelationBound(),
                                       m_Method.GetAttenuationBound(),
                                       m_Method.GetExposureBound() });
      m_Content.verdict = m_Content.reasons.empty() ? RadiographRegistrationEnums::Verdict::Converged
                                                    : RadiographRegistrationEnums::Verdict::Doubtful;
    }
    else
    {
      this->Fail(DescribeMeaningless(*m_Metric) + " at the transform where the optimizer ended.");
    }
  }
  m_Content.trace = m_Method.m_Trace;
  m_Content.seconds = SecondsSince(start);
  return m_Content;
}

void
RadiographRegistrationRun::Fail(const std::string & reason)
{
  m_Content.verdict = RadiographRegistrationEnums::Verdict::Failed;
  m_Content.reasons.push_back(reason);
}

void
RadiographRegistrationRun::GatherScene()
{
  const auto volume = ProjectionVolume::New();
  volume->SetImage(m_Method.GetInput());
  m_Full.volume = volume;
  for (unsigned int view = 0; view < m_Method.GetNumberOfViews(); ++view)
  {
    m_Full.views.push_back({ m_Method.GetViewImage(view),
                             m_Method.GetViewGeometry(view),
                             m_Method.GetViewMask(view),
                             m_Method.GetOpenBeamCounts(view),
                             m_Method.GetOpenBeamCountsImage(view),
                             m_Method.GetGain(view),
                             m_Method.GetOffset(view),
                             m_Method.GetScatterImage(view) });
  }
  m_Content.target = m_Method.GetTarget();
  const Point<double, 3> center = m_Method.GetCenterOfCT();
  m_Transform = MakeSearchTransform(m_Method.GetTransformKind(), m_Method.GetInitialTransform(), center);
  m_Content.initialTransform = m_Transform->Clone().GetPointer();
  m_WorldCenter = FindOrigin(*m_Transform, center);
  m_MovesRigidly = IsClosedUnderRigidMotions(*m_Transform);
  m_Levels = m_Method.GetLevels().empty() ? m_Method.MakeDefaultLevels() : m_Method.GetLevels();
}

// On images as they were given: sums over blocks hide a pixel that is not a count, and what an image declares.
void
RadiographRegistrationRun::RefuseScene() const
{
  LevelType full;
  full.stride = m_Levels.back().stride;
  MakeRegistrationMetric(this->MakeModel(), m_Full, full, m_Transform);
}

RegistrationModel
RadiographRegistrationRun::MakeModel() const
{
  RegistrationModel model;
  model.metric = m_Method.GetMetric();
  model.compared = m_Method.GetCompared();
  model.relation = m_Method.GetRelation();
  model.estimateExposure = m_Method.GetEstimateExposure();
  model.estimateAttenuation = m_Method.GetEstimateAttenuation();
  model.estimateScatter = m_Method.GetEstimateScatter();
  model.scatterNodes = m_Method.GetScatterNodes();
  model.dispersion = m_Dispersion;
  model.estimateDispersion = m_Method.GetEstimateDispersion();
  model.policy = m_Method.GetPolicy();
  model.workUnits = m_Method.GetNumberOfWorkUnits();
  return model;
}

RegistrationScene
RadiographRegistrationRun::Reduce(const LevelType & level) const
{
  return ReduceScene(m_Full, level, this->IsPoisson(), m_Method.GetNumberOfWorkUnits());
}

RadiographRegistrationRun::Evaluation
RadiographRegistrationRun::EvaluateAt(const MetricType & metric)
{
  Evaluation evaluation;
  evaluation.derivative.SetSize(metric.GetNumberOfParameters());
  evaluation.isMeaningful =
    metric.GetValueDerivativeAndInformation(evaluation.value, evaluation.derivative, evaluation.information);
  return evaluation;
}

RadiographRegistrationRun::OptimizerType::Pointer
RadiographRegistrationRun::MakeOptimizer(MetricType & metric, double tolerance, SizeValueType iterations) const
{
  const auto optimizer = OptimizerType::New();
  optimizer->SetMetric(&metric);
  optimizer->SetUpdate(m_MovesRigidly ? OptimizerType::UpdateEnum::RigidMotion : OptimizerType::UpdateEnum::Parameters);
  optimizer->SetRotationCenter(m_WorldCenter);
  optimizer->SetStationarityTolerance(tolerance * std::sqrt(this->GetDispersionLeft()));
  optimizer->SetNumberOfIterations(iterations);
  optimizer->SetLargestDamping(LargestDamping);
  return optimizer;
}

void
RadiographRegistrationRun::StopIfAborted() const
{
  if (m_Method.GetAbortGenerateData())
  {
    throw ProcessAborted(__FILE__, __LINE__);
  }
}

// How many steps a level takes is not known before: each halves what is left of it.
void
RadiographRegistrationRun::ShowProgress(double part) const
{
  const double levels = static_cast<double>(m_Levels.size());
  const double done = static_cast<double>(m_Content.levels.size());
  m_Method.UpdateProgress(static_cast<float>(std::min(1.0, (done + part) / (levels + 1.0))));
}

bool
RadiographRegistrationRun::RunLevels()
{
  for (unsigned int index = 0; index < m_Levels.size() && m_Content.reasons.empty(); ++index)
  {
    this->RunLevel(index);
    this->ShowProgress(0.0);
    this->StopIfAborted();
  }
  return m_Content.reasons.empty();
}

RadiographRegistrationRun::ReportType
RadiographRegistrationRun::DescribeLevel(const LevelType & level, const RegistrationScene & scene) const
{
  ReportType report;
  for (std::size_t view = 0; view < scene.views.size(); ++view)
  {
    report.imageBlocks.push_back(BlockOf(level, view));
    report.imageSizes.push_back(scene.views[view].geometry->GetDetectorSize());
  }
  report.volumeBlock = level.volumeBlock;
  report.volumeSize = scene.volume->GetImage()->GetLargestPossibleRegion().GetSize();
  report.projector = level.projector;
  report.stride = level.stride;
  return report;
}

void
RadiographRegistrationRun::RunLevel(unsigned int index)
{
  const auto        start = Clock::now();
  const LevelType & level = m_Levels[index];
  m_Scene = this->Reduce(level);
  m_GivenMasks = MasksOf(m_Scene);
  ReportType                   report = this->DescribeLevel(level, m_Scene);
  const TransformType::Pointer masked = m_Transform->Clone();
  this->MaskTruncatedRays();
  this->PrepareMetric(index);
  const bool isFirst = index == 0;
  const bool mayRun = !isFirst || this->ChooseStart(report);
  if (mayRun)
  {
    if (isFirst && this->EstimatesDispersion())
    {
      // Otherwise the unit of the readings would decide what a standard error is.
      this->RefineDispersion();
      this->PrepareMetric(index);
    }
    this->Optimize(index, report);
    this->FollowTruncation(index, masked, report);
    this->LeaveOutOutliers(index, report);
    if (m_Content.reasons.empty())
    {
      this->RefineDispersion();
    }
  }
  report.renders = report.evaluations * m_Scene.views.size();
  report.seconds = SecondsSince(start);
  m_Content.levels.push_back(report);
}

void
RadiographRegistrationRun::PrepareMetric(unsigned int index)
{
  RegistrationModel model = this->MakeModel();
  if (index == 0 && m_Levels.size() > 1)
  {
    // Far from the pose, scatter and attenuation would explain what is out of place.
    model.estimateAttenuation = false;
    model.estimateScatter = false;
  }
  m_Metric = MakeRegistrationMetric(model, m_Scene, m_Levels[index], m_Transform);
}

void
RadiographRegistrationRun::MaskTruncatedRays()
{
  for (std::size_t view = 0; view < m_Scene.views.size() && m_Method.GetMaskTruncation(); ++view)
  {
    m_Scene.views[view].mask = LeaveOutTruncation(m_Scene.views[view],
                                                  m_GivenMasks[view],
                                                  *m_Scene.volume->GetImage(),
                                                  *m_Transform,
                                                  m_Method.GetCutFaces(),
                                                  m_Method.GetTruncationMargin());
  }
}

// What is cut off is seen elsewhere when the pose has moved.
void
RadiographRegistrationRun::FollowTruncation(unsigned int index, TransformType::Pointer masked, ReportType & report)
{
  if (!m_Method.GetMaskTruncation())
  {
    return;
  }
  const auto              corners = FindInnerCorners(*m_Full.volume->GetImage());
  double                  pitch = NumericTraits<double>::max();
  const RegistrationSizes sizes = m_Method.MeasureSizes();
  for (std::size_t view = 0; view < sizes.views.size(); ++view)
  {
    pitch = std::min(pitch, BlockOf(m_Levels[index], view) * sizes.views[view].pitchAtCT);
  }
  const double tolerance = pitch * std::max(0.5, static_cast<double>(m_Method.GetTruncationMargin()));
  for (unsigned int round = 0; round < RoundsOfTruncation && m_Content.reasons.empty() &&
                               ComputeMeanDisplacement(*masked, *m_Transform, corners) > tolerance;
       ++round)
  {
    masked = m_Transform->Clone();
    this->MaskTruncatedRays();
    this->PrepareMetric(index);
    this->Optimize(index, report);
  }
}

// Those of the last level, whose prediction is the best.
void
RadiographRegistrationRun::LeaveOutOutliers(unsigned int index, ReportType & report)
{
  if (!m_Method.GetMaskOutliers() || index + 1 < m_Levels.size())
  {
    return;
  }
  const Masks given = MasksOf(m_Scene);
  for (unsigned int round = 0; round < RoundsOfOutliers && m_Content.reasons.empty() && this->MaskOutliers(given);
       ++round)
  {
    this->PrepareMetric(index);
    this->Optimize(index, report);
  }
}

bool
RadiographRegistrationRun::MaskOutliers(const Masks & given)
{
  const auto before = m_Content.outlierMasks;
  m_Content.outlierMasks.clear();
  m_Content.outliers = 0;
  SizeValueType changed = 0;
  for (unsigned int view = 0; view < m_Scene.views.size(); ++view)
  {
    RegistrationView & seen = m_Scene.views[view];
    // Outliers of the round before are looked at again.
    const auto kept = FindOutliers(seen,
                                   *m_Metric->MakePrediction(view),
                                   *ProjectDepths(seen, m_Scene, *m_Transform),
                                   given[view],
                                   m_Method.GetOutlierBound());
    seen.mask = JoinMasks(given[view], *kept);
    for (SizeValueType i = 0; i < kept->GetLargestPossibleRegion().GetNumberOfPixels(); ++i)
    {
      const bool isGiven = !given[view] || given[view]->GetBufferPointer()[i] != 0;
      const bool isKept = kept->GetBufferPointer()[i] != 0;
      const bool wasKept = before.empty() || before[view]->GetBufferPointer()[i] != 0;
      m_Content.outliers += isGiven && !isKept ? 1 : 0;
      changed += isGiven && isKept != wasKept ? 1 : 0;
    }
    m_Content.outlierMasks.emplace_back(kept.GetPointer());
  }
  return changed > 0;
}

bool
RadiographRegistrationRun::IsPoisson() const
{
  return m_Method.GetMetric() == RadiographRegistrationEnums::Metric::Poisson;
}

// Nobody knows the noise of an image that is not counts.
bool
RadiographRegistrationRun::EstimatesDispersion() const
{
  return m_Method.GetEstimateDispersion() || !this->IsPoisson();
}

// What the metric does not divide by itself.
double
RadiographRegistrationRun::GetDispersionLeft() const
{
  return this->IsPoisson() ? 1.0 : m_Dispersion;
}

void
RadiographRegistrationRun::RefineDispersion()
{
  if (this->EstimatesDispersion())
  {
    m_Dispersion = EstimateRegistrationDispersion(*m_Metric);
  }
}

// The mask of a far start is wrong: where it leads to is no place to converge to.
SizeValueType
RadiographRegistrationRun::GetStepsAtMost(unsigned int index) const
{
  const bool masksMove = m_Method.GetMaskTruncation() && index + 1 < m_Levels.size();
  return masksMove ? std::min(StepsBetweenMasks, m_Method.GetMaximumNumberOfIterations())
                   : m_Method.GetMaximumNumberOfIterations();
}

void
RadiographRegistrationRun::Optimize(unsigned int index, ReportType & report)
{
  const bool isLast = index + 1 == m_Levels.size();
  const auto optimizer =
    this->MakeOptimizer(*m_Metric,
                        isLast ? m_Method.GetStationarityTolerance() : m_Method.GetCoarseStationarityTolerance(),
                        this->GetStepsAtMost(index));
  report.dispersion = m_Dispersion;
  const double standardError = std::sqrt(this->GetDispersionLeft());
  m_StepsTaken = 0;
  optimizer->AddObserver(IterationEvent(), [&](const EventObject &) {
    this->TakeSteps(*optimizer, index);
    m_Method.InvokeEvent(IterationEvent());
    this->ShowProgress(1.0 - std::exp2(-0.2 * static_cast<double>(m_StepsTaken)));
    if (m_Method.GetAbortGenerateData() || (!isLast && IsCoarseLevelDone(optimizer->GetTrace())))
    {
      optimizer->StopOptimization();
    }
  });
  optimizer->StartOptimization();
  this->TakeSteps(*optimizer, index);
  this->StopIfAborted();
  report.evaluations += m_StepsTaken;
  report.iterations += m_StepsTaken - 1;
  report.objective = optimizer->GetCurrentMetricValue();
  report.stationarity = optimizer->GetStationarity() / standardError;
  report.stopCondition = optimizer->GetStopConditionDescription();
  if (optimizer->GetStopCondition() == FisherScoringOptimizerv4Enums::StopCondition::Stopped)
  {
    report.stopCondition = "Steps on this level hardly lower the objective any more; the next one goes on.";
  }
  if (optimizer->GetStopCondition() == FisherScoringOptimizerv4Enums::StopCondition::InvalidStart)
  {
    this->Fail(DescribeMeaningless(*m_Metric) + " where level " + std::to_string(index) + " begins.");
  }
}

void
RadiographRegistrationRun::TakeSteps(const OptimizerType & optimizer, unsigned int level)
{
  const OptimizerType::TraceType & trace = optimizer.GetTrace();
  const double                     standardError = std::sqrt(this->GetDispersionLeft());
  for (; m_StepsTaken < trace.size(); ++m_StepsTaken)
  {
    const OptimizerType::TraceEntry & step = trace[m_StepsTaken];
    m_Method.m_Trace.push_back({ level,
                                 m_StepsTaken,
                                 step.value,
                                 step.stationarity / standardError,
                                 step.damping,
                                 step.accepted,
                                 step.parameters });
  }
}

bool
RadiographRegistrationRun::ChooseStart(ReportType & report)
{
  m_Content.startsScored = 1;
  m_Content.startsOptimized = 1;
  if (m_Method.GetNumberOfStarts() > 1)
  {
    const std::vector<Candidate> candidates = this->ScoreStarts(report);
    if (candidates.empty())
    {
      this->Fail("No view sees the CT at any of the " + std::to_string(m_Method.GetNumberOfStarts()) +
                 " starts. Check the views and the initial transform, which maps world points to CT points.");
      return false;
    }
    this->Contest(candidates, report);
    return true;
  }
  ++report.evaluations;
  if (!EvaluateAt(*m_Metric).isMeaningful)
  {
    this->Fail(DescribeMeaningless(*m_Metric) +
               " at the initial transform. Check the views and the initial transform, which maps world points to CT "
               "points; or give landmarks, or more starts.");
    return false;
  }
  return true;
}

// Small images and few voxels: thousands of poses a second. What is left are the best, the initial one always among
// them if a view sees the CT there.
std::vector<RadiographRegistrationRun::Candidate>
RadiographRegistrationRun::ScoreStarts(ReportType & report)
{
  const LevelType         level = MakeCoarseLevel(m_Method.MeasureSizes(), m_Method.GetStartImageSize());
  const RegistrationScene scene = this->Reduce(level);
  RegistrationModel       model = this->MakeModel();
  // Handing out threads takes longer than so few rays.
  model.workUnits = 1;
  const TransformType::Pointer moving = m_Transform->Clone();
  const auto                   metric = MakeRegistrationMetric(model, scene, level, moving);
  const StartSpread            spread{ m_Method.GetStartTranslationSpread(),
                            m_Method.GetStartRotationSpread(),
                            m_Method.GetSeed() };
  std::vector<Candidate>       seen;
  const SizeValueType          count = m_Method.GetNumberOfStarts();
  for (SizeValueType start = 0; start < count; ++start)
  {
    const TransformType::Pointer pose = MakeStart(*m_Transform, m_WorldCenter, spread, start);
    moving->SetParameters(pose->GetParameters());
    const double value = metric->GetValue();
    if (metric->GetNumberOfValidPoints() > 0)
    {
      seen.push_back({ pose, value, start });
    }
    if (start % StartsBetweenLooks == 0)
    {
      this->StopIfAborted();
      this->ShowProgress(0.5 * static_cast<double>(start) / static_cast<double>(count));
    }
  }
  m_Content.startsScored = count;
  report.evaluations += count;
  // The initial transform first, then by score.
  const bool isInitialSeen = !seen.empty() && seen.front().start == 0;
  std::stable_sort(seen.begin() + (isInitialSeen ? 1 : 0),
                   seen.end(),
                   [](const Candidate & one, const Candidate & other) { return one.value < other.value; });
  seen.resize(std::min<std::size_t>(seen.size(), m_Method.GetNumberOfStartsToOptimize()));
  return seen;
}

// Successive halving: every run gets some steps, the worse half is given up, and so on.
void
RadiographRegistrationRun::Contest(std::vector<Candidate> candidates, ReportType & report)
{
  m_Content.startsOptimized = candidates.size();
  while (candidates.size() > 1)
  {
    for (Candidate & candidate : candidates)
    {
      m_Transform->SetParameters(candidate.transform->GetParameters());
      const auto optimizer =
        this->MakeOptimizer(*m_Metric, m_Method.GetCoarseStationarityTolerance(), IterationsOfRound);
      optimizer->StartOptimization();
      candidate.value = optimizer->GetCurrentMetricValue();
      candidate.transform->SetParameters(m_Transform->GetParameters());
      report.evaluations += optimizer->GetTrace().size();
      this->StopIfAborted();
    }
    std::stable_sort(candidates.begin(), candidates.end(), [](const Candidate & one, const Candidate & other) {
      return one.value < other.value;
    });
    const std::size_t kept = (candidates.size() + 1) / 2;
    m_Content.startsAbandoned += candidates.size() - kept;
    candidates.resize(kept);
  }
  m_Transform->SetParameters(candidates.front().transform->GetParameters());
}

// Without a sandwich, by the dispersion that residuals show.
RadiographRegistrationRun::MatrixType
RadiographRegistrationRun::Inflate(const MetricType & metric, const MatrixType & covariance) const
{
  const MatrixType sandwich = ComputeRegistrationSandwich(metric, m_Method.GetBlockSize());
  if (sandwich.empty())
  {
    return covariance * std::max(1.0, EstimateRegistrationDispersion(metric) / m_Dispersion);
  }
  return InflateCovariance(covariance, sandwich);
}

void
RadiographRegistrationRun::DescribeUncertainty(const Evaluation & end)
{
  m_Content.objective = end.value;
  // By the dispersion at the end; the last level worked with the one that was known before.
  const double known = this->IsPoisson() ? m_Content.levels.back().dispersion : 1.0;
  m_Content.dispersion = m_Dispersion;
  m_Content.information = end.information * (known / m_Dispersion);
  m_Content.stationarity =
    InformationSpectrum(end.information, Singularity).ComputeLength(end.derivative) * std::sqrt(known / m_Dispersion);
  m_Content.inflatedStationarity = m_Content.stationarity;
  m_Content.computeReport = m_Metric->GetComputeReport();
  m_Content.targetInWorld = FindOrigin(*m_Transform, m_Content.target);
  for (const std::string & direction : m_Metric->FindSingularDirections())
  {
    m_Content.singularDirection += (m_Content.singularDirection.empty() ? "" : " ") + direction;
  }
  if (m_Content.singularDirection.empty())
  {
    m_Content.covariance = InvertInformation(m_Content.information);
  }
  if (m_Content.covariance.empty())
  {
    return;
  }
  m_Content.inflatedCovariance = this->Inflate(*m_Metric, m_Content.covariance);
  // Noise alone would make a step stand out that the error of the model hides.
  m_Content.inflatedStationarity = ComputeStandardDistance(
    InformationSpectrum(end.information, Singularity).Solve(end.derivative, 0.0), m_Content.inflatedCovariance);
  const MatrixType jacobian = ComputeTargetJacobian(*m_Transform, m_Content.target);
  m_Content.targetCovariance = jacobian * m_Content.covariance * jacobian.transpose();
  m_Content.inflatedTargetCovariance = jacobian * m_Content.inflatedCovariance * jacobian.transpose();
}

void
RadiographRegistrationRun::CompareHalves()
{
  if (!m_Method.GetCompareHalves() || m_Content.covariance.empty())
  {
    return;
  }
  MatrixType covariances[2];
  for (unsigned int half = 0; half < 2; ++half)
  {
    if (!this->RegisterHalf(half, covariances[half]))
    {
      return;
    }
  }
  const auto & one = m_Content.halvesParameters[0];
  const auto & other = m_Content.halvesParameters[1];
  m_Content.halvesWereCompared = true;
  m_Content.halvesDistance = ComputeStandardDistance(one - other, covariances[0] + covariances[1]);
  m_Content.halvesBound = ComputeStandardDistanceBound(one.size());
  m_Content.halvesDisplacement = this->MeasureHalvesDisplacement();
  m_Content.halvesTolerance = this->FindHalvesTolerance();
}

double
RadiographRegistrationRun::MeasureHalvesDisplacement() const
{
  const TransformType::Pointer halves[2] = { m_Transform->Clone(), m_Transform->Clone() };
  for (unsigned int half = 0; half < 2; ++half)
  {
    halves[half]->SetParameters(m_Content.halvesParameters[half]);
  }
  return ComputeMeanDisplacement(*halves[0], *halves[1], FindInnerCorners(*m_Full.volume->GetImage()));
}

// What sampling does to a pose shrinks with the samples' distance, and not with noise.
double
RadiographRegistrationRun::FindHalvesTolerance() const
{
  if (!std::isnan(m_Method.GetHalvesTolerance()))
  {
    return m_Method.GetHalvesTolerance();
  }
  const LevelType &       level = m_Levels.back();
  const RegistrationSizes sizes = m_Method.MeasureSizes();
  double                  coarsest = 0.0;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    coarsest = std::max(coarsest, static_cast<double>(level.volumeBlock[axis]) * sizes.volumeSpacing[axis]);
  }
  for (std::size_t view = 0; view < sizes.views.size(); ++view)
  {
    coarsest = std::max(coarsest, BlockOf(level, view) * level.stride * sizes.views[view].pitchAtCT);
  }
  return TolerableShareOfSampling * coarsest;
}

// Leaves the transform where it was.
bool
RadiographRegistrationRun::RegisterHalf(unsigned int half, MatrixType & covariance)
{
  const LevelType & level = m_Levels.back();
  const auto        moving = m_Transform->Clone();
  const auto        metric = MakeRegistrationMetric(
    this->MakeModel(), KeepHalf(m_Scene, m_Method.GetBlockSize() * level.stride, half), level, moving);
  const auto optimizer = this->MakeOptimizer(*metric, StationarityOfHalf, IterationsOfHalf);
  optimizer->StartOptimization();
  this->StopIfAborted();
  m_Content.halvesParameters[half] = moving->GetParameters();
  const Evaluation end = EvaluateAt(*metric);
  covariance = InvertInformation(end.information / this->GetDispersionLeft());
  if (!end.isMeaningful || covariance.empty())
  {
    return false;
  }
  covariance = this->Inflate(*metric, covariance);
  return true;
}

void
RadiographRegistrationRun::MakePictures()
{
  const auto picture = [this](auto & predictions, auto & residuals) {
    for (unsigned int view = 0; view < m_Scene.views.size(); ++view)
    {
      predictions.emplace_back(m_Metric->MakePrediction(view).GetPointer());
      residuals.emplace_back(m_Metric->MakeResidual(view).GetPointer());
    }
  };
  for (const RegistrationView & view : m_Scene.views)
  {
    m_Content.images.push_back(view.image);
  }
  picture(m_Content.predictions, m_Content.residuals);
  m_Transform->SetParameters(m_Content.initialTransform->GetParameters());
  picture(m_Content.initialPredictions, m_Content.initialResiduals);
  m_Transform->SetParameters(m_Content.transform->GetParameters());
}

} // namespace itk
