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
#ifndef itkRadiographRegistrationResult_h
#define itkRadiographRegistrationResult_h

#include "RadiographyExport.h"
#include "itkDigitallyReconstructedRadiographImageFilter.h"
#include "itkRadiographyMacros.h"

#include "itkDataObject.h"
#include "itkImage.h"
#include "itkObjectFactory.h"
#include "itkOptimizerParameters.h"
#include "itkPoint.h"
#include "itkTransform.h"
#include "itkVector.h"

#include "vnl/vnl_matrix.h"

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace itk
{

/** \class RadiographRegistrationEnums
 * \brief The choices of RadiographRegistrationMethod and the words of its result.
 * \ingroup Radiography */
class RadiographRegistrationEnums
{
public:
  /** How images are compared with the projected CT. */
  enum class Metric : uint8_t
  {
    /** Counts, or readings linear in them: half the Poisson deviance. */
    Poisson = 0,
    /** Images that are not counts: normalised correlation. */
    NormalizedCorrelation = 1,
    /** Images that are not counts: correlation of the gradients along columns and rows. */
    GradientCorrelation = 2
  };

  /** Which transforms are searched. */
  enum class TransformKind : uint8_t
  {
    /** The type of the initial transform; Euler if there is none. */
    AsInitial = 0,
    /** Euler3DTransform: rigid, 6 parameters. */
    Euler = 1,
    /** Similarity3DTransform: rigid and one scale, 7 parameters. */
    Similarity = 2,
    /** AffineTransform: 12 parameters. */
    Affine = 3
  };

  enum class Verdict : uint8_t
  {
    /** Every check passed. */
    Converged = 0,
    /** There is an answer, and at least one reason not to trust it. */
    Doubtful = 1,
    /** There is no answer. */
    Failed = 2
  };
};

/** "poisson", "normalized-correlation", "gradient-correlation". */
extern Radiography_EXPORT std::ostream &
                          operator<<(std::ostream & out, RadiographRegistrationEnums::Metric value);
/** "as-initial", "euler", "similarity", "affine". */
extern Radiography_EXPORT std::ostream &
                          operator<<(std::ostream & out, RadiographRegistrationEnums::TransformKind value);
/** "converged", "doubtful", "failed". */
extern Radiography_EXPORT std::ostream &
                          operator<<(std::ostream & out, RadiographRegistrationEnums::Verdict value);

/** What a level of the pyramid was and what it cost.
 * \ingroup Radiography */
struct RadiographRegistrationLevelReport
{
  /** Pixels that are summed into one along each side, a number for each view. */
  std::vector<unsigned int> imageBlocks;
  /** Voxels that are averaged into one along each axis. */
  Size<3> volumeBlock{ { 1, 1, 1 } };
  /** Columns, rows and 1, of each view's image on this level. */
  std::vector<Size<3>>                                        imageSizes;
  Size<3>                                                     volumeSize{ { 0, 0, 0 } };
  DigitallyReconstructedRadiographImageFilterEnums::Projector projector{
    DigitallyReconstructedRadiographImageFilterEnums::Projector::Joseph
  };
  unsigned int stride{ 1 };
  /** Steps of the optimizer, accepted or not. */
  SizeValueType iterations{ 0 };
  /** Evaluations of the objective, the search for starts included; each projects every view once. */
  SizeValueType evaluations{ 0 };
  /** Views that were projected. */
  SizeValueType renders{ 0 };
  /** The objective at the end of the level. */
  double objective{ 0.0 };
  /** How far from stationary, in standard errors, at the end. */
  double stationarity{ 0.0 };
  /** The dispersion factor that the level worked with. */
  double dispersion{ 1.0 };
  /** Wall-clock time; not reproducible. */
  double seconds{ 0.0 };
  /** Why the optimizer stopped, in words. */
  std::string stopCondition;
};

/** One step of the optimizer.
 * \ingroup Radiography */
struct RadiographRegistrationTraceEntry
{
  /** 0 is the coarsest. */
  unsigned int level{ 0 };
  /** Counted from 0 on each level. */
  SizeValueType iteration{ 0 };
  /** The objective of the pose tried. */
  double value{ 0.0 };
  /** In standard errors. */
  double stationarity{ 0.0 };
  double damping{ 0.0 };
  bool   accepted{ false };
  /** The transform's parameters that were tried. */
  OptimizerParameters<double> parameters;
};

/** What was found out about one view besides the pose. A value that was given and not estimated has the standard error
 * 0. \ingroup Radiography */
struct RadiographRegistrationNuisances
{
  bool exposureIsEstimated{ false };
  /** n0 per pixel of the full-resolution image, which the exposure is a factor on; NaN where it is an image. */
  double openBeamCounts{ 0.0 };
  /** Whether n0 was not given: only openBeamCounts x exposure means something then. */
  bool   openBeamIsAssumed{ false };
  double exposure{ 1.0 };
  /** Of the exposure's logarithm. */
  double logExposureStandardError{ 0.0 };
  bool   attenuationIsEstimated{ false };
  /** The factor on mu, the same for all views. */
  double attenuation{ 1.0 };
  double attenuationStandardError{ 0.0 };
  bool   scatterIsEstimated{ false };
  /** Nodes along columns and rows. */
  Size<2> scatterNodes{ { 0, 0 } };
  /** Counts per pixel of the full-resolution image at each node, columns fastest. */
  std::vector<double> scatter;
  /** 0 for nodes that are held at 0. */
  std::vector<double> scatterStandardErrors;
};

/** \class RadiographRegistrationResult
 * \brief Everything that RadiographRegistrationMethod found out.
 *
 * The transform maps world points to CT points; the pose of the CT in the world is its inverse.
 *
 * Two covariances of its parameters are given. The Cramer-Rao bound, times the dispersion factor, is right where the
 * model of the image is. The inflated one is at least that in every direction, and takes in that residuals of a model
 * that is not right belong together over blocks of 8 x 8 pixels. Neither knows of an error that all pixels share.
 *
 * \ingroup Radiography */
class Radiography_EXPORT RadiographRegistrationResult : public DataObject
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(RadiographRegistrationResult);

  using Self = RadiographRegistrationResult;
  using Superclass = DataObject;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(RadiographRegistrationResult);

  using ImageType = Image<float, 3>;
  using MaskType = Image<unsigned char, 3>;
  using TransformType = Transform<double, 3, 3>;
  using PointType = Point<double, 3>;
  using VectorType = Vector<double, 3>;
  using MatrixType = vnl_matrix<double>;
  using ParametersType = OptimizerParameters<double>;
  using VerdictEnum = RadiographRegistrationEnums::Verdict;
  using MetricEnum = RadiographRegistrationEnums::Metric;
  using LevelReportType = RadiographRegistrationLevelReport;
  using TraceEntryType = RadiographRegistrationTraceEntry;
  using NuisancesType = RadiographRegistrationNuisances;

  /** All that a result says. */
  struct Content
  {
    VerdictEnum              verdict{ VerdictEnum::Failed };
    std::vector<std::string> reasons;
    MetricEnum               metric{ MetricEnum::Poisson };

    TransformType::ConstPointer initialTransform;
    TransformType::ConstPointer transform;

    MatrixType information;
    MatrixType covariance;
    MatrixType inflatedCovariance;
    PointType  target{};
    PointType  targetInWorld{};
    MatrixType targetCovariance;
    MatrixType inflatedTargetCovariance;

    double                     objective{ 0.0 };
    double                     stationarity{ 0.0 };
    double                     inflatedStationarity{ 0.0 };
    double                     deviance{ 0.0 };
    SizeValueType              pixels{ 0 };
    SizeValueType              degreesOfFreedom{ 0 };
    double                     dispersion{ 1.0 };
    double                     relativeResidual{ 0.0 };
    std::vector<double>        correlations;
    std::string                singularDirection;
    std::vector<NuisancesType> nuisances;

    bool                                halvesWereCompared{ false };
    double                              halvesDistance{ 0.0 };
    double                              halvesBound{ 0.0 };
    double                              halvesDisplacement{ 0.0 };
    double                              halvesTolerance{ 0.0 };
    ParametersType                      halvesParameters[2];
    std::vector<MaskType::ConstPointer> outlierMasks;
    SizeValueType                       outliers{ 0 };


    std::vector<ImageType::ConstPointer> images;
    std::vector<ImageType::ConstPointer> initialPredictions;
    std::vector<ImageType::ConstPointer> predictions;
    std::vector<ImageType::ConstPointer> initialResiduals;
    std::vector<ImageType::ConstPointer> residuals;

    SizeValueType                startsScored{ 0 };
    SizeValueType                startsOptimized{ 0 };
    SizeValueType                startsAbandoned{ 0 };
    std::vector<LevelReportType> levels;
    std::vector<TraceEntryType>  trace;

    DigitallyReconstructedRadiographImageFilter::ComputeReport computeReport;
    double                                                     seconds{ 0.0 };
  };

  /** \name The answer */
  ///@{
  VerdictEnum
  GetVerdict() const
  {
    return m_Content.verdict;
  }
  /** Why the verdict is not Converged, a sentence each; empty if it is. */
  const std::vector<std::string> &
  GetReasons() const
  {
    return m_Content.reasons;
  }
  /** World points to CT points. Null if the verdict is Failed. */
  const TransformType *
  GetTransform() const
  {
    return m_Content.transform;
  }
  /** Where the search began: of the type that is searched. */
  const TransformType *
  GetInitialTransform() const
  {
    return m_Content.initialTransform;
  }
  ///@}

  /** \name How sure it is. Empty matrices if the verdict is Failed or the information is singular. */
  ///@{
  /** N x N: the expected second derivative of the objective, nuisances eliminated, the dispersion divided out. */
  const MatrixType &
  GetInformation() const
  {
    return m_Content.information;
  }
  /** Of the transform's parameters, N x N: the inverse of the information (Cramer-Rao). */
  const MatrixType &
  GetCovariance() const
  {
    return m_Content.covariance;
  }
  /** The same, inflated where the scores of blocks of pixels vary more than the model says; where there are not more
   * blocks than parameters, by the dispersion of the residuals. */
  const MatrixType &
  GetInflatedCovariance() const
  {
    return m_Content.inflatedCovariance;
  }
  /** Square roots of the inflated covariance's diagonal; empty as the covariance is. */
  std::vector<double>
  GetStandardErrors() const;
  /** A point of the CT, mm. */
  const PointType &
  GetTarget() const
  {
    return m_Content.target;
  }
  /** Where the target lies in the world. */
  const PointType &
  GetTargetInWorld() const
  {
    return m_Content.targetInWorld;
  }
  /** Of where the target lies in the world, 3 x 3, mm^2 (Cramer-Rao). */
  const MatrixType &
  GetTargetCovariance() const
  {
    return m_Content.targetCovariance;
  }
  const MatrixType &
  GetInflatedTargetCovariance() const
  {
    return m_Content.inflatedTargetCovariance;
  }
  /** Square roots of the diagonal of the inflated covariance at the target: mm along the world's axes. */
  std::vector<double>
  GetTargetStandardErrors() const;
  /** The combination of parameters that the images say next to nothing about; empty if there is none. */
  const std::string &
  GetSingularDirection() const
  {
    return m_Content.singularDirection;
  }
  ///@}

  /** \name How well the prediction fits */
  ///@{
  MetricEnum
  GetMetric() const
  {
    return m_Content.metric;
  }
  /** What was minimised, at the end. */
  double
  GetObjective() const
  {
    return m_Content.objective;
  }
  /** sqrt(g^T H^-1 g) at the end: how far from stationary, in standard errors of the noise alone. */
  double
  GetStationarity() const
  {
    return m_Content.stationarity;
  }
  /** sqrt(d^T C^-1 d), d = H^-1 g the step that is left and C the inflated covariance: the same in standard errors that
   * are given. It is the above where there is no covariance. */
  double
  GetInflatedStationarity() const
  {
    return m_Content.inflatedStationarity;
  }
  /** Pixels that were compared, of all views. */
  SizeValueType
  GetNumberOfPixels() const
  {
    return m_Content.pixels;
  }
  /** Pixels less parameters and nuisances. */
  SizeValueType
  GetDegreesOfFreedom() const
  {
    return m_Content.degreesOfFreedom;
  }
  /** Poisson only, else 0: near 1 where the model is right. The dispersion is not divided out. */
  double
  GetDeviancePerPixel() const;
  double
  GetDeviancePerDegreeOfFreedom() const;
  /** phi: the variance is phi times the mean. */
  double
  GetDispersion() const
  {
    return m_Content.dispersion;
  }
  /** Poisson only, else 0: the root mean square of (N - lambda) / lambda over informative pixels, without what noise
   * explains where the dispersion is not estimated. */
  double
  GetRelativeResidual() const
  {
    return m_Content.relativeResidual;
  }
  /** Correlation only, else empty: of each view, 1 where the images agree. */
  const std::vector<double> &
  GetCorrelations() const
  {
    return m_Content.correlations;
  }
  /** Poisson only, else empty: for each view. */
  const std::vector<NuisancesType> &
  GetNuisances() const
  {
    return m_Content.nuisances;
  }
  ///@}

  /** \name Two halves of the pixels, interleaved like a chessboard of blocks, registered each on its own */
  ///@{
  bool
  GetHalvesWereCompared() const
  {
    return m_Content.halvesWereCompared;
  }
  /** sqrt(d^T C^-1 d): d the difference of their parameters, C its covariance from the inflated one. */
  double
  GetHalvesDistance() const
  {
    return m_Content.halvesDistance;
  }
  /** What the distance exceeds as rarely as a normal variable exceeds three standard errors. */
  double
  GetHalvesBound() const
  {
    return m_Content.halvesBound;
  }
  /** The mean distance, mm, between where the two halves put points of the CT in the world: the corners of a box half
   * as long as the voxel grid along each of its axes, and about its centre. */
  double
  GetHalvesDisplacement() const
  {
    return m_Content.halvesDisplacement;
  }
  /** How far apart these may lie without doubt, mm, whatever the distance in standard errors. */
  double
  GetHalvesTolerance() const
  {
    return m_Content.halvesTolerance;
  }
  /** \param half 0 or 1. */
  const ParametersType &
  GetHalvesParameters(unsigned int half) const
  {
    return m_Content.halvesParameters[half];
  }
  ///@}

  /** \name Pixels that were left out as outliers, if that was asked for */
  ///@{
  /** Of all views, on the grid of the last level. */
  SizeValueType
  GetNumberOfOutliers() const
  {
    return m_Content.outliers;
  }
  /** 0 where a pixel was left out as an outlier, else 1; null if outliers were not looked for. */
  const MaskType *
  GetOutlierMask(unsigned int view) const
  {
    return view < m_Content.outlierMasks.size() ? m_Content.outlierMasks[view].GetPointer() : nullptr;
  }
  ///@}

  /** \name Pictures, one for each view, on the grid of the last level. Predictions and residuals as the metric makes
   * them; "initial" ones at the initial transform. */
  ///@{
  unsigned int
  GetNumberOfViews() const
  {
    return static_cast<unsigned int>(m_Content.images.size());
  }
  /** The image that was registered. */
  const ImageType *
  GetImage(unsigned int view) const
  {
    return m_Content.images.at(view);
  }
  const ImageType *
  GetInitialPrediction(unsigned int view) const
  {
    return m_Content.initialPredictions.at(view);
  }
  const ImageType *
  GetPrediction(unsigned int view) const
  {
    return m_Content.predictions.at(view);
  }
  const ImageType *
  GetInitialResidual(unsigned int view) const
  {
    return m_Content.initialResiduals.at(view);
  }
  const ImageType *
  GetResidual(unsigned int view) const
  {
    return m_Content.residuals.at(view);
  }
  ///@}

  /** \name What was done */
  ///@{
  /** Coarsest first. */
  const std::vector<LevelReportType> &
  GetLevels() const
  {
    return m_Content.levels;
  }
  /** Of all levels, coarsest first. */
  const std::vector<TraceEntryType> &
  GetTrace() const
  {
    return m_Content.trace;
  }
  /** Start poses whose objective was looked at on the coarsest level. */
  SizeValueType
  GetStartsScored() const
  {
    return m_Content.startsScored;
  }
  /** Of these, how many the optimizer ran from. */
  SizeValueType
  GetStartsOptimized() const
  {
    return m_Content.startsOptimized;
  }
  /** Of these, how many runs were given up early. */
  SizeValueType
  GetStartsAbandoned() const
  {
    return m_Content.startsAbandoned;
  }
  /** Of the last level. */
  const DigitallyReconstructedRadiographImageFilter::ComputeReport &
  GetComputeReport() const
  {
    return m_Content.computeReport;
  }
  /** Wall-clock time of the whole registration; not reproducible. */
  double
  GetSeconds() const
  {
    return m_Content.seconds;
  }
  ///@}

  /** For the method, and for who makes results of another. */
  void
  SetContent(const Content & content);
  const Content &
  GetContent() const
  {
    return m_Content;
  }

  void
  Graft(const DataObject * data) override;
  void
  Initialize() override;

protected:
  RadiographRegistrationResult();
  ~RadiographRegistrationResult() override;
  void
  PrintSelf(std::ostream & os, Indent indent) const override;

private:
  Content m_Content;
};

} // namespace itk

#endif
