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
#ifndef itkRadiographRegistrationMethod_h
#define itkRadiographRegistrationMethod_h

#include "RadiographyExport.h"
#include "itkCorrelationRadiographToVolumeMetricv4.h"
#include "itkRadiographGeometry.h"
#include "itkRadiographMaskTruncationImageFilter.h"
#include "itkRadiographRegistrationResult.h"
#include "itkRadiographyMacros.h"

#include "itkImage.h"
#include "itkProcessObject.h"
#include "itkTransform.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace itk
{

struct RegistrationSizes;

/** One level of the pyramid, as it is asked for.
 * \ingroup Radiography */
struct RadiographRegistrationLevel
{
  /** Pixels that are summed (images that are not counts: averaged) into one along each side: a number for each view, or
   * one for all. */
  std::vector<unsigned int> imageBlocks{ 1 };
  /** Voxels that are averaged into one along each axis. */
  Size<3> volumeBlock{ { 1, 1, 1 } };
  /** How the volume is integrated. */
  DigitallyReconstructedRadiographImageFilterEnums::Projector projector{
    DigitallyReconstructedRadiographImageFilterEnums::Projector::Joseph
  };
  /** Every how many pixels, along columns and rows, a ray is looked at. */
  unsigned int stride{ 1 };
};

/** \class RadiographRegistrationMethod
 * \brief Finds where the CT was when one or more X-ray images of it were taken, and says how sure that is.
 *
 * The result is the transform that maps world points, in which the views are given, to CT points; the pose of the CT in
 * the world is its inverse. Everything else that was found out is in the RadiographRegistrationResult.
 *
 *     auto method = RadiographRegistrationMethod::New();
 *     method->SetInput(mu);                      // 1/mm
 *     method->AddView(anterior, anteriorView);   // counts
 *     method->AddView(lateral, lateralView);
 *     method->SetOpenBeamCounts(0, 10000.0);     // else the exposure is estimated
 *     method->SetOpenBeamCounts(1, 10000.0);
 *     method->Update();
 *     method->GetOutput()->GetVerdict();
 *
 * What happens, level after level from the coarsest on: images and volume are reduced (RadiographPyramid), the metric
 * is minimised over the transform's parameters by FisherScoringOptimizerv4, nuisances are eliminated inside each
 * evaluation (on the coarsest of several levels only the exposure, since scatter and attenuation would explain what is
 * out of place), and the dispersion of the counts is estimated for the next level where that is asked for. With several
 * starts, poses drawn around the initial one are scored on very small images first, the optimizer runs from the best of
 * these, and runs that fall behind are given up. At the end covariances are computed, two interleaved halves of the
 * pixels are registered each on its own, and the verdict is passed:
 *
 * | verdict   | when                                                                              |
 * |-----------|-----------------------------------------------------------------------------------|
 * | failed    | no view sees the CT at any start, or at the pose where the optimizer ended        |
 * | doubtful  | the two halves disagree by more than three inflated standard errors, and by more  |
 * |           | than a tolerance in mm                                                            |
 * |           | the relative residual (Poisson) or a correlation (the others) is out of its bound |
 * |           | a combination of parameters is next to undetermined                               |
 * |           | the optimizer stopped before it was stationary                                    |
 * |           | the factor on mu or on n0 was estimated beyond all reason                         |
 * |           | more than a quarter of the pixels were left out as outliers                       |
 * | converged | none of these                                                                     |
 *
 * An error that both halves share is not seen by comparing them.
 *
 * Events: ProgressEvent, and an IterationEvent after each step, when GetTrace() ends with that step.
 * AbortGenerateDataOn() from an observer ends the run after the step with itk::ProcessAborted, as in any filter.
 * Results have the same bits for any number of threads; only members called seconds differ.
 *
 * \throws ExceptionObject before any work: no CT, no view, a view without geometry, images and geometry of different
 * size, what the metric refuses (negative or non-finite counts, images that say they are not counts, HU volumes, n0
 * that is missing and not estimated, gain together with scatter and exposure to be estimated), a transform that is not
 * linear or not invertible, levels that leave no pixel.
 *
 * \sa RadiographToVolumeMetricv4, FisherScoringOptimizerv4, RadiographPyramid
 * \ingroup Radiography */
class Radiography_EXPORT RadiographRegistrationMethod : public ProcessObject
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(RadiographRegistrationMethod);

  using Self = RadiographRegistrationMethod;
  using Superclass = ProcessObject;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(RadiographRegistrationMethod);

  using ImageType = Image<float, 3>;
  using MaskType = Image<unsigned char, 3>;
  using TransformType = Transform<double, 3, 3>;
  using PointType = Point<double, 3>;
  using ResultType = RadiographRegistrationResult;
  using LevelType = RadiographRegistrationLevel;
  using TraceEntryType = RadiographRegistrationTraceEntry;
  using MetricEnum = RadiographRegistrationEnums::Metric;
  using TransformKindEnum = RadiographRegistrationEnums::TransformKind;
  using ComparedEnum = CorrelationRadiographToVolumeMetricv4Enums::Compared;
  using RelationEnum = CorrelationRadiographToVolumeMetricv4Enums::Relation;
  using CutFacesEnum = RadiographMaskTruncationImageFilterEnums::CutFaces;
  using ProjectorEnum = DigitallyReconstructedRadiographImageFilterEnums::Projector;

  /** \name The CT and the views. Views are numbered from 0 in the order in which they were added. */
  ///@{
  /** The CT as mu in 1/mm. */
  using Superclass::SetInput;
  void
  SetInput(const ImageType * mu);
  const ImageType *
  GetInput() const;

  /** \param image one slice, of the size of the geometry's detector, whose grid it is taken to have.
   * \param geometry source and detector in the world.
   * \param mask 0 where pixels must not be looked at; null: none.
   * \return the view's number. */
  unsigned int
  AddView(const ImageType * image, const RadiographGeometry * geometry, const MaskType * mask = nullptr);
  void
  ClearViews();
  itkGetConstMacro(NumberOfViews, unsigned int);
  const ImageType *
  GetViewImage(unsigned int view) const;
  const RadiographGeometry *
  GetViewGeometry(unsigned int view) const;
  const MaskType *
  GetViewMask(unsigned int view) const;
  ///@}

  /** \name What the Poisson metric knows of a view: the mean reading is g (n0 exp(-L) + s) + b. Ignored by the others.
   */
  ///@{
  /** n0, the same for all pixels, in counts per pixel. Without it the exposures of all views are estimated. */
  void
  SetOpenBeamCounts(unsigned int view, double counts);
  /** 0 if no number was given. */
  double
  GetOpenBeamCounts(unsigned int view) const;
  /** n0 of each pixel. */
  void
  SetOpenBeamCountsImage(unsigned int view, const ImageType * counts);
  const ImageType *
  GetOpenBeamCountsImage(unsigned int view) const;
  /** g, detector units per count; 1 by default. */
  void
  SetGain(unsigned int view, double gain);
  double
  GetGain(unsigned int view) const;
  /** b, detector units; 0 by default. */
  void
  SetOffset(unsigned int view, double offset);
  double
  GetOffset(unsigned int view) const;
  /** s that is known, counts per pixel. */
  void
  SetScatterImage(unsigned int view, const ImageType * scatter);
  const ImageType *
  GetScatterImage(unsigned int view) const;
  ///@}

  /** \name What is compared, and what is estimated besides the pose */
  ///@{
  itkSetEnumMacro(Metric, MetricEnum);
  itkGetEnumMacro(Metric, MetricEnum);
  /** What correlations compare the image with; OpticalDepth by default. */
  itkSetEnumMacro(Compared, ComparedEnum);
  itkGetEnumMacro(Compared, ComparedEnum);
  /** How pixel values go with that in correlations; Automatic by default. */
  itkSetEnumMacro(Relation, RelationEnum);
  itkGetEnumMacro(Relation, RelationEnum);
  /** A factor exp(e) on n0 of each view. Off by default, and on whatever this says where the n0 of a view is not given.
   */
  itkSetMacro(EstimateExposure, bool);
  itkGetConstMacro(EstimateExposure, bool);
  itkBooleanMacro(EstimateExposure);
  /** One factor on mu for all views. Off by default. */
  itkSetMacro(EstimateAttenuation, bool);
  itkGetConstMacro(EstimateAttenuation, bool);
  itkBooleanMacro(EstimateAttenuation);
  /** A smooth field of scatter, 0 and more, for each view. Off by default. */
  itkSetMacro(EstimateScatter, bool);
  itkGetConstMacro(EstimateScatter, bool);
  itkBooleanMacro(EstimateScatter);
  /** Nodes of that field along columns and rows; 4 x 4 by default. */
  itkSetMacro(ScatterNodes, Size<2>);
  itkGetConstReferenceMacro(ScatterNodes, Size<2>);
  /** phi, where the variance is phi times the mean; 1 by default. With EstimateDispersion it is that of the first
   * level. */
  itkSetMacro(Dispersion, double);
  itkGetConstMacro(Dispersion, double);
  /** For readings whose gain is not known: phi from the residuals at the end of each level, for the next one and, at
   * the end of the last, for the covariances. Off by default. */
  itkSetMacro(EstimateDispersion, bool);
  itkGetConstMacro(EstimateDispersion, bool);
  itkBooleanMacro(EstimateDispersion);
  ///@}

  /** \name Which transforms are searched, and from where */
  ///@{
  itkSetEnumMacro(TransformKind, TransformKindEnum);
  itkGetEnumMacro(TransformKind, TransformKindEnum);
  /** World points to CT points; any linear one. Null by default: the identity. Where the kind is not AsInitial, the
   * search begins at the transform of that kind, with the CT's centre as centre, that maps points as this one does. It
   * is not changed. */
  itkSetConstObjectMacro(InitialTransform, TransformType);
  itkGetConstObjectMacro(InitialTransform, TransformType);

  /** Poses that are scored on the smallest images: the initial one and, above 1, others drawn around it. 1 by default.
   */
  itkSetClampMacro(NumberOfStarts, SizeValueType, 1, NumericTraits<SizeValueType>::max());
  itkGetConstMacro(NumberOfStarts, SizeValueType);
  /** Along each axis of the world the CT is moved by up to this, mm; 40 by default. */
  itkSetMacro(StartTranslationSpread, double);
  itkGetConstMacro(StartTranslationSpread, double);
  /** The CT is turned about its centre by a rotation vector with components up to this, rad; 0.2 by default. */
  itkSetMacro(StartRotationSpread, double);
  itkGetConstMacro(StartRotationSpread, double);
  /** From how many of the starts the optimizer runs on the coarsest level, best score first; 64 by default. */
  itkSetClampMacro(NumberOfStartsToOptimize, SizeValueType, 1, NumericTraits<SizeValueType>::max());
  itkGetConstMacro(NumberOfStartsToOptimize, SizeValueType);
  /** Pixels along the longer side of the images that starts are scored on, at most; 24 by default. */
  itkSetClampMacro(StartImageSize, unsigned int, 4, NumericTraits<unsigned int>::max());
  itkGetConstMacro(StartImageSize, unsigned int);
  /** Start k depends on this and k alone. */
  itkSetMacro(Seed, uint64_t);
  itkGetConstMacro(Seed, uint64_t);
  ///@}

  /** \name What is left out */
  ///@{
  /** Rays that meet what the CT has cut off, by RadiographMaskTruncationImageFilter: made anew on each level, and
   * whenever the pose has moved as far as the margin is wide, so that the start need not be near. Off by default. */
  itkSetMacro(MaskTruncation, bool);
  itkGetConstMacro(MaskTruncation, bool);
  itkBooleanMacro(MaskTruncation);
  /** Which faces; SliceFaces by default. */
  itkSetEnumMacro(CutFaces, CutFacesEnum);
  itkGetEnumMacro(CutFaces, CutFacesEnum);
  /** Pixels of the level by which that mask is wider; 2 by default. */
  itkSetMacro(TruncationMargin, unsigned int);
  itkGetConstMacro(TruncationMargin, unsigned int);
  /** Poisson: pixels that show what is not in the CT, such as a tool or a catheter. After the last level those whose
   * readings depart from the prediction by more than OutlierBound are left out together with their neighbours, and the
   * level is run again, up to three times. Off by default. */
  itkSetMacro(MaskOutliers, bool);
  itkGetConstMacro(MaskOutliers, bool);
  itkBooleanMacro(MaskOutliers);
  /** In units of sqrt(lambda + tau^2 lambda^2), where tau is the error of the prediction that most pixels behind the CT
   * have, 1.4826 times the median of |N - lambda| / lambda; 6 by default. */
  itkSetMacro(OutlierBound, double);
  itkGetConstMacro(OutlierBound, double);
  ///@}

  /** \name Levels */
  ///@{
  /** Coarsest first; empty by default: those of MakeDefaultLevels(). */
  void
  SetLevels(const std::vector<LevelType> & levels);
  const std::vector<LevelType> &
  GetLevels() const
  {
    return m_Levels;
  }
  /** Images of about 32, 64 and 128 pixels along the longer side with a volume whose voxels are about as large as their
   * pixels are at the CT, by Joseph; then, with FullResolution, images and volume as they are, by CellGauss, looking at
   * every s-th pixel with the smallest s for which rays times voxels along the three axes stay within
   * FullResolutionBudget. Levels that would repeat the one before are left out. */
  std::vector<LevelType>
  MakeDefaultLevels() const;
  /** On by default. */
  itkSetMacro(FullResolution, bool);
  itkGetConstMacro(FullResolution, bool);
  itkBooleanMacro(FullResolution);
  /** 2e8 by default: about a second for each evaluation on two cores. */
  itkSetMacro(FullResolutionBudget, double);
  itkGetConstMacro(FullResolutionBudget, double);
  /** Overrides of the projection policy, for experiments; see DigitallyReconstructedRadiographImageFilter. */
  itkSetMacro(Policy, std::string);
  itkGetConstReferenceMacro(Policy, std::string);
  ///@}

  /** \name The optimizer */
  ///@{
  /** On each level; 100 by default. */
  itkSetMacro(MaximumNumberOfIterations, SizeValueType);
  itkGetConstMacro(MaximumNumberOfIterations, SizeValueType);
  /** The last level is done when sqrt(g^T H^-1 g) is at most this: standard errors from stationary; 1e-3 by default. */
  itkSetMacro(StationarityTolerance, double);
  itkGetConstMacro(StationarityTolerance, double);
  /** The same for the levels before; 0.1 by default. They also end when a step lowers the objective by less than 1e-4
   * of it, or six in a row do not. */
  itkSetMacro(CoarseStationarityTolerance, double);
  itkGetConstMacro(CoarseStationarityTolerance, double);
  ///@}

  /** \name Uncertainty and verdict */
  ///@{
  /** A point of the CT, mm, for covariances in mm; the centre of the voxel grid by default. */
  void
  SetTarget(const PointType & ctPoint);
  /** Back to the centre of the voxel grid. */
  void
  UnsetTarget();
  /** The target given, or the centre of the CT's voxel grid. */
  PointType
  GetTarget() const;
  /** Pixels along the sides of blocks whose residuals may belong together; 8 by default. The halves are made of the
   * same. */
  itkSetClampMacro(BlockSize, unsigned int, 1, NumericTraits<unsigned int>::max());
  itkGetConstMacro(BlockSize, unsigned int);
  /** On by default. */
  itkSetMacro(CompareHalves, bool);
  itkGetConstMacro(CompareHalves, bool);
  itkBooleanMacro(CompareHalves);
  /** How far apart two halves may put points of the CT without doubt, mm: 0 and more. NaN, the default, for a twentieth
   * of the last level's coarsest sampling, which is the largest of the voxels' sides and the pixels' pitch at the CT:
   * voxels and pixels that large move halves by as much, which noise of many counts does not hide. */
  itkSetMacro(HalvesTolerance, double);
  itkGetConstMacro(HalvesTolerance, double);
  /** How many inflated standard errors from stationary the optimizer may have stopped without doubt; 0.1 by default.
   * The kinks of the rule of Joseph stop it at some hundredths of these, which may be several standard errors of the
   * noise alone. */
  itkSetMacro(StationarityBound, double);
  itkGetConstMacro(StationarityBound, double);
  /** Poisson: the largest relative residual that is not doubtful; 0.08 by default. */
  itkSetMacro(RelativeResidualBound, double);
  itkGetConstMacro(RelativeResidualBound, double);
  /** The others: the smallest correlation of a view that is not doubtful; 0.9 by default. Two bodies of about the
   * same outline correlate to 0.8 and more whatever is in them; choose it for the kind of image. */
  itkSetMacro(CorrelationBound, double);
  itkGetConstMacro(CorrelationBound, double);
  /** By which factor mu may be estimated to be off without doubt; 2 by default. */
  itkSetMacro(AttenuationBound, double);
  itkGetConstMacro(AttenuationBound, double);
  /** The same for n0, or where that is not given for the largest count; 1000 by default. */
  itkSetMacro(ExposureBound, double);
  itkGetConstMacro(ExposureBound, double);
  ///@}

  /** The result; complete after Update(). */
  ResultType *
  GetOutput();
  const ResultType *
  GetOutput() const;
  /** The transform found, for use as in ImageRegistrationMethodv4; null if the registration failed. */
  const TransformType *
  GetTransform() const;
  /** All steps so far, for observers of the IterationEvent. */
  const std::vector<TraceEntryType> &
  GetTrace() const
  {
    return m_Trace;
  }

  /** The initial transform's changes count. */
  ModifiedTimeType
  GetMTime() const override;

  using Superclass::MakeOutput;
  DataObjectPointer
  MakeOutput(DataObjectPointerArraySizeType index) override;

protected:
  RadiographRegistrationMethod();
  ~RadiographRegistrationMethod() override;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;
  void
  VerifyPreconditions() ITKv5_CONST override;
  /** Unlike a filter's, images and CT need not lie in one place. */
  void
  VerifyInputInformation() ITKv5_CONST override;
  void
  GenerateData() override;

private:
  friend class RadiographRegistrationRun;

  /** What was said of a view in numbers; its images are inputs of the pipeline. */
  struct ViewNumbers
  {
    double openBeamCounts{ 0.0 };
    double gain{ 1.0 };
    double offset{ 0.0 };
  };

  const ViewNumbers &
  NumbersOf(unsigned int view) const;
  void
  SetViewInput(unsigned int view, const char * what, const DataObject * input);
  const DataObject *
  GetViewInput(unsigned int view, const char * what) const;
  RegistrationSizes
  MeasureSizes() const;
  PointType
  GetCenterOfCT() const;
  void
  RefuseView(unsigned int view) const;
  void
  RefuseGrid(unsigned int view, const ImageBase<3> * image, const char * what) const;
  void
  RefuseLevels(const std::vector<LevelType> & levels) const;
  void
  RefuseNumbers() const;

  unsigned int             m_NumberOfViews{ 0 };
  std::vector<ViewNumbers> m_ViewNumbers;

  MetricEnum   m_Metric{ MetricEnum::Poisson };
  ComparedEnum m_Compared{ ComparedEnum::OpticalDepth };
  RelationEnum m_Relation{ RelationEnum::Automatic };
  bool         m_EstimateExposure{ false };
  bool         m_EstimateAttenuation{ false };
  bool         m_EstimateScatter{ false };
  Size<2>      m_ScatterNodes{ { 4, 4 } };
  double       m_Dispersion{ 1.0 };
  bool         m_EstimateDispersion{ false };

  TransformKindEnum           m_TransformKind{ TransformKindEnum::AsInitial };
  TransformType::ConstPointer m_InitialTransform;
  SizeValueType               m_NumberOfStarts{ 1 };
  double                      m_StartTranslationSpread{ 40.0 };
  double                      m_StartRotationSpread{ 0.2 };
  SizeValueType               m_NumberOfStartsToOptimize{ 64 };
  unsigned int                m_StartImageSize{ 24 };
  uint64_t                    m_Seed{ 0 };

  std::vector<LevelType> m_Levels;
  bool                   m_FullResolution{ true };
  double                 m_FullResolutionBudget{ 2e8 };
  std::string            m_Policy;

  SizeValueType m_MaximumNumberOfIterations{ 100 };
  double        m_StationarityTolerance{ 1e-3 };
  double        m_CoarseStationarityTolerance{ 0.1 };

  bool         m_TargetIsGiven{ false };
  PointType    m_Target{};
  unsigned int m_BlockSize{ 8 };
  bool         m_CompareHalves{ true };
  bool         m_MaskTruncation{ false };
  CutFacesEnum m_CutFaces{ CutFacesEnum::SliceFaces };
  unsigned int m_TruncationMargin{ 2 };
  bool         m_MaskOutliers{ false };
  double       m_OutlierBound{ 6.0 };
  double       m_HalvesTolerance{ std::numeric_limits<double>::quiet_NaN() };
  double       m_StationarityBound{ 0.1 };
  double       m_RelativeResidualBound{ 0.08 };
  double       m_CorrelationBound{ 0.9 };
  double       m_AttenuationBound{ 2.0 };
  double       m_ExposureBound{ 1000.0 };

  std::vector<TraceEntryType> m_Trace;
};

} // namespace itk

#endif
