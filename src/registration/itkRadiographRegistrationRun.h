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
#ifndef itkRadiographRegistrationRun_h
#define itkRadiographRegistrationRun_h

#include "itkFisherScoringOptimizerv4.h"
#include "itkRadiographRegistrationMethod.h"
#include "registration/itkRegistrationObjective.h"

#include <chrono>

namespace itk
{

/** One execution of a RadiographRegistrationMethod: levels, starts, uncertainty, halves and verdict, in this order. */
class RadiographRegistrationRun
{
public:
  explicit RadiographRegistrationRun(RadiographRegistrationMethod & method);

  /** \throws ProcessAborted if the method's abort flag is set, ExceptionObject what a metric refuses. */
  RadiographRegistrationResult::Content
  Execute();

private:
  using Method = RadiographRegistrationMethod;
  using Content = RadiographRegistrationResult::Content;
  using LevelType = RadiographRegistrationLevel;
  using ReportType = RadiographRegistrationLevelReport;
  using TransformType = Transform<double, 3, 3>;
  using Masks = std::vector<Image<unsigned char, 3>::ConstPointer>;
  using MetricType = RadiographToVolumeMetricv4;
  using OptimizerType = FisherScoringOptimizerv4;
  using MatrixType = vnl_matrix<double>;

  /** What an evaluation at a transform says. */
  struct Evaluation
  {
    bool          isMeaningful{ false };
    double        value{ 0.0 };
    Array<double> derivative;
    MatrixType    information;
  };

  /** A start that the optimizer runs from. */
  struct Candidate
  {
    TransformType::Pointer transform;
    double                 value{ 0.0 };
    SizeValueType          start{ 0 };
  };

  void
  GatherScene();
  void
  RefuseScene() const;
  RegistrationModel
  MakeModel() const;
  RegistrationScene
  Reduce(const LevelType & level) const;
  static Evaluation
  EvaluateAt(const MetricType & metric);
  OptimizerType::Pointer
  MakeOptimizer(MetricType & metric, double tolerance, SizeValueType iterations) const;

  void
  StopIfAborted() const;
  void
  ShowProgress(double part) const;

  bool
  RunLevels();
  void
  RunLevel(unsigned int index);
  void
  PrepareMetric(unsigned int index);
  void
  MaskTruncatedRays();
  /** `masked` is where the CT was when the masks of the level were made. */
  void
  FollowTruncation(unsigned int index, TransformType::Pointer masked, ReportType & report);
  void
  LeaveOutOutliers(unsigned int index, ReportType & report);
  /** Whether the last round left out others. */
  bool
  MaskOutliers(const Masks & given);
  ReportType
  DescribeLevel(const LevelType & level, const RegistrationScene & scene) const;
  SizeValueType
  GetStepsAtMost(unsigned int index) const;
  void
  Optimize(unsigned int index, ReportType & report);
  void
  TakeSteps(const OptimizerType & optimizer, unsigned int level);
  bool
  IsPoisson() const;
  bool
  EstimatesDispersion() const;
  double
  GetDispersionLeft() const;
  void
  RefineDispersion();

  bool
  ChooseStart(ReportType & report);
  std::vector<Candidate>
  ScoreStarts(ReportType & report);
  void
  Contest(std::vector<Candidate> candidates, ReportType & report);

  void
  Fail(const std::string & reason);
  void
  DescribeUncertainty(const Evaluation & end);
  void
  CompareHalves();
  double
  MeasureHalvesDisplacement() const;
  double
  FindHalvesTolerance() const;
  bool
  RegisterHalf(unsigned int half, MatrixType & covariance);
  MatrixType
  Inflate(const MetricType & metric, const MatrixType & covariance) const;
  void
  MakePictures();

  Method &               m_Method;
  std::vector<LevelType> m_Levels;
  RegistrationScene      m_Full;
  TransformType::Pointer m_Transform;
  Point<double, 3>       m_WorldCenter;
  bool                   m_MovesRigidly{ false };
  double                 m_Dispersion{ 1.0 };
  // Of the optimizer that runs.
  SizeValueType m_StepsTaken{ 0 };
  // Of the level that runs, with what is cut off.
  Masks m_GivenMasks;
  // Of the last level.
  RegistrationScene   m_Scene;
  MetricType::Pointer m_Metric;
  Content             m_Content;
};

} // namespace itk

#endif
