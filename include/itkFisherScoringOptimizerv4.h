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
#ifndef itkFisherScoringOptimizerv4_h
#define itkFisherScoringOptimizerv4_h

#include "RadiographyExport.h"
#include "itkFisherInformationProvider.h"
#include "itkRadiographyMacros.h"

#include "itkObjectToObjectOptimizerBase.h"
#include "itkPoint.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace itk
{

class RigidMotionUpdate;

/** \class FisherScoringOptimizerv4Enums
 * \brief How FisherScoringOptimizerv4 moves, and why it stopped.
 * \ingroup Radiography */
class FisherScoringOptimizerv4Enums
{
public:
  /** What a step does to the transform. */
  enum class Update : uint8_t
  {
    /** p + dp, set through the metric's SetParameters(). */
    Parameters = 0,
    /** T(x) becomes T(exp(xi) x): a rigid motion of the world goes before the transform. */
    RigidMotion = 1
  };

  /** Why an optimization ended. */
  enum class StopCondition : uint8_t
  {
    /** It has not. */
    None = 0,
    /** As near to the optimum as StationarityTolerance asks for. */
    Stationary = 1,
    /** NumberOfIterations steps were tried. */
    NumberOfIterations = 2,
    /** No step that short lowers the value: the derivative does not belong to the value, or the value has a kink. */
    LargestDamping = 3,
    /** The metric said that its value means nothing at the start. */
    InvalidStart = 4,
    /** The information is 0: no parameter is determined. */
    NoInformation = 5,
    /** The function given to SetAbandonment() said so. */
    Abandoned = 6,
    /** StopOptimization() was called. */
    Stopped = 7,
    /** The metric threw an exception. */
    MetricError = 8
  };
};

extern Radiography_EXPORT std::ostream &
                          operator<<(std::ostream & out, FisherScoringOptimizerv4Enums::Update value);
extern Radiography_EXPORT std::ostream &
                          operator<<(std::ostream & out, FisherScoringOptimizerv4Enums::StopCondition value);

/** \class FisherScoringOptimizerv4
 * \brief Fisher scoring with Levenberg-Marquardt damping, for metrics that know their information matrix.
 *
 * The metric must also be a FisherInformationProvider. With gradient g (of the value, which is minimised) and
 * information H, a step solves (H + mu diag(H)) dp = -g. The damping mu follows the gain ratio, the decrease of the
 * value over that of the quadratic model: H. B. Nielsen, Damping parameter in Marquardt's method, IMM-REP-1999-05,
 * Technical University of Denmark. diag(H) makes steps independent of the parameters' units: the scales of ITK's
 * optimizers, and a scales estimator, have no influence on the result. Weights may be 0 (the parameter is held) or 1.
 *
 * A step is accepted if it lowers the value; never to a place where the metric says that its value means nothing or
 * where value or derivative is not finite. So near to the optimum that less than 1e-10 of the value is left to be
 * gained, rounding decides over differences of values; the decrease is then taken from the two gradients, (g0 + g1) dp
 * / 2 (compare W. W. Hager and H. Zhang, SIAM J. Optim. 16 (2005) 170, "approximate Wolfe conditions").
 *
 * Stationarity: GetStationarity() is sqrt(g^T H^-1 g). Where the value is half a deviance, it is how far away the
 * optimum is in standard errors: no parameter, nor any linear combination of them, has its standard error times more
 * than this to go. Half its square is what the quadratic model still promises to take off the value. The optimization
 * ends when it is at most StationarityTolerance; a short step alone does not end it.
 *
 * Singular information: H is decomposed after scaling its diagonal to 1. Directions with an eigenvalue of at most
 * SingularityTolerance are left alone (steps are orthogonal to them in the scaled parameters): steps, stationarity and
 * covariance are those of the others, and GetUndeterminedDirections() and the stop condition's description name them.
 *
 * Update::RigidMotion moves along SE(3): the step is solved for a twist about RotationCenter and applied as its
 * exponential, so that neither the order of angles nor the transform's own centre has a say in the path. Parameters
 * beyond a rigid motion (the scale of a similarity, for one) move by addition in the same step. It asks for a transform
 * (the last one, if composite) derived from MatrixOffsetTransformBase whose space is closed under rigid motions of the
 * world.
 *
 * Events: StartEvent, one IterationEvent for every step tried, accepted or not (the metric then has the parameters of
 * the best place so far), EndEvent. GetTrace() has them all.
 *
 * \throws ExceptionObject from StartOptimization(): a metric that offers no information, weights other than 0 or 1, a
 * transform that RigidMotion cannot serve. And what the metric throws, after the last accepted parameters have been
 * restored.
 *
 * \ingroup Radiography */
class Radiography_EXPORT FisherScoringOptimizerv4 : public ObjectToObjectOptimizerBaseTemplate<double>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(FisherScoringOptimizerv4);

  using Self = FisherScoringOptimizerv4;
  using Superclass = ObjectToObjectOptimizerBaseTemplate<double>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(FisherScoringOptimizerv4);

  using UpdateEnum = FisherScoringOptimizerv4Enums::Update;
  using StopConditionEnum = FisherScoringOptimizerv4Enums::StopCondition;
  using MatrixType = FisherInformationProvider::InformationType;
  using DirectionsType = std::vector<Array<double>>;
  using PointType = Point<double, 3>;

  /** One evaluation: the first is the start, the others are steps tried. */
  struct TraceEntry
  {
    /** The metric's value there. */
    double value{ 0.0 };
    /** sqrt(g^T H^-1 g) there; infinite where the value means nothing. */
    double stationarity{ std::numeric_limits<double>::infinity() };
    /** mu of the step that led there; 0 for the start. */
    double damping{ 0.0 };
    /** Whether the optimizer stayed there. */
    bool accepted{ false };
    /** Where it is. */
    ParametersType parameters;
  };
  using TraceType = std::vector<TraceEntry>;

  /** Looked at after each accepted step; true ends the optimization. */
  using AbandonmentType = std::function<bool(const Self &)>;

  /** Parameters by default. */
  itkSetEnumMacro(Update, UpdateEnum);
  itkGetEnumMacro(Update, UpdateEnum);

  /** Where twists have their centre, world, mm. By default the centre of the metric's virtual domain at the start. */
  void
  SetRotationCenter(const PointType & center);
  itkGetConstReferenceMacro(RotationCenter, PointType);

  /** How near to the optimum is near enough, in standard errors; 1e-3 by default. */
  itkSetMacro(StationarityTolerance, double);
  itkGetConstMacro(StationarityTolerance, double);

  /** The first step's mu; 1e-3 by default. */
  itkSetMacro(InitialDamping, double);
  itkGetConstMacro(InitialDamping, double);

  /** The optimization ends when mu would have to be larger; 1e12 by default. */
  itkSetMacro(LargestDamping, double);
  itkGetConstMacro(LargestDamping, double);

  /** Eigenvalues of the information scaled to a diagonal of 1, up to which a direction counts as undetermined; 1e-9 by
   * default. */
  itkSetMacro(SingularityTolerance, double);
  itkGetConstMacro(SingularityTolerance, double);

  /** A function that may end a hopeless run early; nullptr takes it away. */
  void
  SetAbandonment(AbandonmentType abandonment);

  void
  StartOptimization(bool doOnlyInitialization = false) override;

  /** Goes on from the metric's present parameters with the damping, trace and count of iterations that are there. */
  void
  ResumeOptimization();

  /** Ends the optimization after the evaluation that is under way; from an observer or another thread. */
  void
  StopOptimization();

  /** In words, with the distance that is left and the directions that are undetermined. */
  const StopConditionReturnStringType
  GetStopConditionDescription() const override;
  /** Why the last optimization ended; None while one is running. */
  itkGetEnumMacro(StopCondition, StopConditionEnum);

  /** mu of the next step. */
  itkGetConstMacro(Damping, double);
  /** sqrt(g^T H^-1 g) at the present parameters. */
  itkGetConstMacro(Stationarity, double);
  /** The start and all steps tried. */
  itkGetConstReferenceMacro(Trace, TraceType);

  /** H at the present parameters, N x N. */
  itkGetConstReferenceMacro(Information, MatrixType);
  /** Minus the gradient of the value at the present parameters, N. */
  itkGetConstReferenceMacro(Derivative, DerivativeType);

  /** The inverse of GetInformation() over the determined directions, N x N; 0 for parameters that are held. Where the
   * value is half a deviance: the Cramer-Rao bound. */
  MatrixType
  GetCovariance() const;

  /** Changes of the parameters, of length 1, that the value does not see to second order. */
  DirectionsType
  GetUndeterminedDirections() const;

protected:
  FisherScoringOptimizerv4();
  ~FisherScoringOptimizerv4() override;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;

private:
  struct Determination;
  struct Evaluation;
  struct Step;

  void
  RefuseBadSettings() const;
  void
  RefuseBadWeights() const;
  void
  PrepareRigidMotion();
  /** Null if there is no free parameter. */
  std::unique_ptr<Determination>
  Decompose(const MatrixType & information) const;
  Evaluation
  Evaluate() const;
  void
  Accept(const Evaluation & evaluation);
  bool
  EvaluateStart();
  Step
  SolveStep() const;
  void
  MoveBy(const Step & step);
  double
  ComputeGain(const Step & step, const Evaluation & trial) const;
  void
  TryStep();
  bool
  EndIfDone();
  void
  End(StopConditionEnum condition, const std::string & why);

  UpdateEnum        m_Update{ UpdateEnum::Parameters };
  PointType         m_RotationCenter{};
  bool              m_RotationCenterIsGiven{ false };
  double            m_StationarityTolerance{ 1e-3 };
  double            m_InitialDamping{ 1e-3 };
  double            m_LargestDamping{ 1e12 };
  double            m_SingularityTolerance{ 1e-9 };
  AbandonmentType   m_Abandonment;
  std::atomic<bool> m_Stop{ false };
  StopConditionEnum m_StopCondition{ StopConditionEnum::None };
  std::string       m_StopConditionDescription;
  double            m_Damping{ 1e-3 };
  double            m_DampingGrowth{ 2.0 };
  double            m_Stationarity{ std::numeric_limits<double>::infinity() };
  bool              m_IsDetermined{ false };
  TraceType         m_Trace;
  ParametersType    m_Position;
  MatrixType        m_Information;
  DerivativeType    m_Derivative;

  std::unique_ptr<RigidMotionUpdate> m_RigidMotion;
};

} // namespace itk

#endif
