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
#ifndef itkRadiographSensitivityCalculator_h
#define itkRadiographSensitivityCalculator_h

#include "RadiographyExport.h"
#include "itkDigitallyReconstructedRadiographImageFilter.h"
#include "itkFirstDerivativeOnly.h"
#include "itkProjectionVolume.h"
#include "itkRadiographGeometry.h"
#include "itkRadiographyMacros.h"

#include "itkArray.h"
#include "itkImage.h"
#include "itkProcessObject.h"
#include "itkTransform.h"

#include "vnl/vnl_matrix.h"
#include "vnl/vnl_matrix_fixed.h"
#include "vnl/vnl_vector_fixed.h"

#include <functional>
#include <string>

namespace radiography::compute
{
struct SensitivityView;
struct ViewSensitivity;
} // namespace radiography::compute

namespace itk
{

/** \class RadiographSensitivityCalculator
 * \brief Derivatives of an objective of the optical depths of a view with respect to pose, source and detector.
 *
 * The objective is a sum over the pixels of a view of functions of their optical depth L. Its derivatives are
 * contracted ray by ray in one pass, in binary64, without an image of Jacobians; sums over pixels have one order, so
 * that results are the same bits for any number of threads. Derivatives are those of the very sums that
 * DigitallyReconstructedRadiographImageFilter makes (in binary64) for the same projector and policy.
 *
 * The objective comes in one of two forms:
 * - SetObjective(): a function of pixel and depth, evaluated in the same pass, which returns value, score (dv/dL) and
 *   Fisher weight;
 * - SetScore() and, if the Fisher matrix is wanted, SetFisherWeights(): images on the detector's grid; the value is
 * then the sum of score x L.
 *
 * After Compute():
 *
 * | result                                  | derivative with respect to                                            |
 * |-----------------------------------------|-----------------------------------------------------------------------|
 * | GetAffineGradient(), 12                 | the transform as point of the CT = A x + b: A row by row, then b (mm) |
 * | GetAffineFisher(), 12 x 12              | the same; sum of Fisher weight x J J^T, J = dL / d(A, b) of a pixel   |
 * | GetParameterGradient(), N               | the transform's own N parameters                                      |
 * | GetParameterFisher(), N x N             | the same                                                              |
 * | GetSourceGradient(), 3                  | the source point, world, per mm (cone)                                |
 * | GetBeamDirectionGradient(), 3           | the beam's unit direction (parallel)                                  |
 * | GetDetectorOriginGradient(), 3          | the centre of pixel (0, 0), world, per mm                             |
 * | GetColumnStepGradient(), 3              | the vector from a pixel to the next column's, world, per mm           |
 * | GetRowStepGradient(), 3                 | the vector from a pixel to the next row's, world, per mm              |
 *
 * The length of a ray in L is that in the world, from source to pixel: the transform's scale does not enter it, source
 * and detector do.
 *
 * \throws ExceptionObject before anything is computed: no CT or one that is not mu in 1/mm, no view, no objective or
 * two of them, an image that does not lie on the detector or holds a value that is not finite, a transform that is not
 * linear or not invertible, a CT that was computed from a derivative (FirstDerivativeOnly). And after it, if a sum is
 * not finite.
 *
 * \ingroup Radiography */
class Radiography_EXPORT RadiographSensitivityCalculator
  : public ProcessObject
  , public FirstDerivativeOnly
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(RadiographSensitivityCalculator);

  using Self = RadiographSensitivityCalculator;
  using Superclass = ProcessObject;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(RadiographSensitivityCalculator);

  using ImageType = Image<float, 3>;
  using TransformType = Transform<double, 3, 3>;
  using ProjectorEnum = DigitallyReconstructedRadiographImageFilterEnums::Projector;
  using ComputeReport = DigitallyReconstructedRadiographImageFilter::ComputeReport;
  using VectorType = Vector<double, 3>;
  using AffineGradientType = vnl_vector_fixed<double, 12>;
  using AffineFisherType = vnl_matrix_fixed<double, 12, 12>;
  using ParameterGradientType = Array<double>;
  using MatrixType = vnl_matrix<double>;

  /** What a pixel adds to the objective. */
  struct PixelObjective
  {
    /** Added up over the pixels. */
    double value{ 0.0 };
    /** d(value) / dL. */
    double score{ 0.0 };
    /** The pixel's weight in the Fisher matrix. */
    double fisher{ 0.0 };
  };

  /** Called once for every pixel, from any thread, with its column, row and optical depth in binary64. */
  using ObjectiveType = std::function<PixelObjective(IndexValueType column, IndexValueType row, double depth)>;

  /** The CT: mu in 1/mm. */
  itkSetConstObjectMacro(Image, ImageType);
  itkGetConstObjectMacro(Image, ImageType);

  /** A CT that is already prepared; wins over SetImage. */
  itkSetConstObjectMacro(ProjectionVolume, ProjectionVolume);
  itkGetConstObjectMacro(ProjectionVolume, ProjectionVolume);

  itkSetConstObjectMacro(Geometry, RadiographGeometry);
  itkGetConstObjectMacro(Geometry, RadiographGeometry);

  /** World points to CT points; identity by default. */
  itkSetConstObjectMacro(Transform, TransformType);
  itkGetConstObjectMacro(Transform, TransformType);

  /** d(objective) / dL of every pixel. */
  itkSetConstObjectMacro(Score, ImageType);
  itkGetConstObjectMacro(Score, ImageType);

  /** Fisher weights of the pixels; without them the Fisher matrix is 0. */
  itkSetConstObjectMacro(FisherWeights, ImageType);
  itkGetConstObjectMacro(FisherWeights, ImageType);

  /** The other form of an objective; nullptr takes it away. */
  void
  SetObjective(ObjectiveType objective);

  itkSetEnumMacro(Projector, ProjectorEnum);
  itkGetEnumMacro(Projector, ProjectorEnum);

  /** See DigitallyReconstructedRadiographImageFilter::SetPolicy. */
  void
  SetPolicy(const std::string & overrides);
  itkGetConstReferenceMacro(Policy, std::string);

  /** Brings the images up to date and computes all results. Progress events, an abort by AbortGenerateDataOn(). */
  void
  Compute();

  /** \name Results of the last Compute(); 0 before. */
  ///@{
  itkGetConstMacro(Value, double);
  itkGetConstReferenceMacro(AffineGradient, AffineGradientType);
  itkGetConstReferenceMacro(AffineFisher, AffineFisherType);
  itkGetConstReferenceMacro(ParameterGradient, ParameterGradientType);
  itkGetConstReferenceMacro(ParameterFisher, MatrixType);
  /** \throws ExceptionObject for a parallel beam, which has no source. */
  VectorType
  GetSourceGradient() const;
  /** \throws ExceptionObject for a cone beam. */
  VectorType
  GetBeamDirectionGradient() const;
  itkGetConstReferenceMacro(DetectorOriginGradient, VectorType);
  itkGetConstReferenceMacro(ColumnStepGradient, VectorType);
  itkGetConstReferenceMacro(RowStepGradient, VectorType);
  const ComputeReport &
  GetComputeReport() const
  {
    return m_ComputeReport;
  }
  ///@}

  /** d(A, b) / d(parameters), 12 x N, of any linear transform at its present parameters, by its own
   * ComputeJacobianWithRespectToParameters at four points. A gradient g with respect to (A, b) becomes J^T g, a Fisher
   * matrix F becomes J^T F J.
   * \throws ExceptionObject if the transform is not linear. */
  static MatrixType
  ComputeAffineJacobian(const TransformType & transform);

protected:
  RadiographSensitivityCalculator();
  ~RadiographSensitivityCalculator() override;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;
  void
  GenerateData() override;

private:
  void
  RefuseBadInputs() const;
  void
  RefuseBadPixels(const ImageType * image, const char * name) const;
  ObjectiveType
  MakeObjective() const;
  void
  StorePoseDerivatives(const radiography::compute::ViewSensitivity & result);
  void
  StoreViewDerivatives(const radiography::compute::ViewSensitivity & result,
                       const radiography::compute::SensitivityView & view);

  ImageType::ConstPointer          m_Image;
  ProjectionVolume::ConstPointer   m_ProjectionVolume;
  RadiographGeometry::ConstPointer m_Geometry;
  TransformType::ConstPointer      m_Transform;
  ImageType::ConstPointer          m_Score;
  ImageType::ConstPointer          m_FisherWeights;
  ObjectiveType                    m_Objective;
  ProjectorEnum                    m_Projector{ ProjectorEnum::Joseph };
  std::string                      m_Policy;
  ProjectionVolume::Pointer        m_OwnVolume;

  double                m_Value{ 0.0 };
  AffineGradientType    m_AffineGradient{ 0.0 };
  AffineFisherType      m_AffineFisher{ 0.0 };
  ParameterGradientType m_ParameterGradient;
  MatrixType            m_ParameterFisher;
  VectorType            m_SourceGradient{ 0.0 };
  VectorType            m_BeamDirectionGradient{ 0.0 };
  VectorType            m_DetectorOriginGradient{ 0.0 };
  VectorType            m_ColumnStepGradient{ 0.0 };
  VectorType            m_RowStepGradient{ 0.0 };
  ComputeReport         m_ComputeReport;
};

} // namespace itk

#endif
