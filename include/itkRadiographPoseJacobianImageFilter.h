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
#ifndef itkRadiographPoseJacobianImageFilter_h
#define itkRadiographPoseJacobianImageFilter_h

#include "RadiographyExport.h"
#include "itkDigitallyReconstructedRadiographImageFilter.h"
#include "itkFirstDerivativeOnly.h"
#include "itkProjectionVolume.h"
#include "itkRadiographGeometry.h"
#include "itkRadiographyMacros.h"

#include "itkDataObjectDecorator.h"
#include "itkImageToImageFilter.h"
#include "itkTransform.h"
#include "itkVector.h"

#include <string>

namespace itk
{

/** \class RadiographPoseJacobianImageFilter
 * \brief How the optical depth L of each pixel of a radiograph changes with the pose: its six derivatives.
 *
 * Inputs are those of DigitallyReconstructedRadiographImageFilter: the CT as mu in 1/mm (SetInput or a
 * ProjectionVolume), the view, and the transform T, world points to CT points, any linear one.
 *
 * A small rigid motion of the world is applied *before* the transform,
 *
 * T'(x) = T(c + exp([omega]) (x - c) + tau),
 *
 * with c the Center in the world: the transform as an element of a group is multiplied from the right. Output:
 * one-slice 3-D image on the detector's grid; a pixel is (dL/domega_x, dL/domega_y, dL/domega_z, dL/dtau_x, dL/dtau_y,
 * dL/dtau_z) at omega = tau = 0, per radian and per mm of the world. As T maps the world into the CT, the CT itself
 * appears to move the opposite way. [omega] is the matrix of the cross product with omega.
 *
 * By default c is the point of the world that T takes to the middle of the CT, about which rotations and translations
 * disturb each other least; SetCenter() gives another.
 *
 * Derivatives are those of the very sums of the projector, and of CellGauss where the forward filter takes CellGauss.
 * For the contraction with an image of scores see RadiographSensitivityCalculator, which stores no Jacobian.
 *
 * \throws ExceptionObject before anything is computed: what the forward filter refuses, and a CT that was computed from
 * a derivative (FirstDerivativeOnly); after it, for a derivative that binary32 cannot hold (the pixel is named, the
 * output emptied).
 *
 * \ingroup Radiography */
class Radiography_EXPORT RadiographPoseJacobianImageFilter
  : public ImageToImageFilter<Image<float, 3>, Image<Vector<float, 6>, 3>>
  , public FirstDerivativeOnly
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(RadiographPoseJacobianImageFilter);

  using Self = RadiographPoseJacobianImageFilter;
  using Superclass = ImageToImageFilter<Image<float, 3>, Image<Vector<float, 6>, 3>>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(RadiographPoseJacobianImageFilter);

  using ImageType = Image<float, 3>;
  using JacobianImageType = Image<Vector<float, 6>, 3>;
  using PointType = Point<double, 3>;
  using TransformType = Transform<double, 3, 3>;
  using ProjectorEnum = DigitallyReconstructedRadiographImageFilterEnums::Projector;
  using ComputeReport = DigitallyReconstructedRadiographImageFilter::ComputeReport;

  /** A CT that is already prepared; wins over SetInput. */
  itkSetInputMacro(ProjectionVolume, ProjectionVolume);
  itkGetInputMacro(ProjectionVolume, ProjectionVolume);

  itkSetInputMacro(Geometry, RadiographGeometry);
  itkGetInputMacro(Geometry, RadiographGeometry);

  /** World points to CT points; identity by default. */
  itkSetGetDecoratedObjectInputMacro(Transform, TransformType);

  itkSetEnumMacro(Projector, ProjectorEnum);
  itkGetEnumMacro(Projector, ProjectorEnum);

  /** The point of the world that omega turns about, mm; switches UseVolumeCenter off. */
  void
  SetCenter(const PointType & center);
  /** The point last used or set. */
  itkGetConstReferenceMacro(Center, PointType);

  /** Whether the centre is the point that the transform takes to the middle of the CT; on by default. */
  itkSetMacro(UseVolumeCenter, bool);
  itkGetConstMacro(UseVolumeCenter, bool);
  itkBooleanMacro(UseVolumeCenter);

  /** See DigitallyReconstructedRadiographImageFilter::SetPolicy. */
  void
  SetPolicy(const std::string & overrides);
  itkGetConstReferenceMacro(Policy, std::string);

  /** What ran in the last Update(). */
  const ComputeReport &
  GetComputeReport() const
  {
    return m_ComputeReport;
  }

protected:
  RadiographPoseJacobianImageFilter();
  ~RadiographPoseJacobianImageFilter() override;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;
  void
  VerifyPreconditions() ITKv5_CONST override;
  void
  GenerateOutputInformation() override;
  void
  GenerateInputRequestedRegion() override;
  void
  GenerateData() override;

private:
  void
  RefuseResultsOutOfRange();

  ProjectorEnum             m_Projector{ ProjectorEnum::Joseph };
  PointType                 m_Center;
  bool                      m_UseVolumeCenter{ true };
  std::string               m_Policy;
  ComputeReport             m_ComputeReport;
  ProjectionVolume::Pointer m_OwnVolume;
};

} // namespace itk

#endif
