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
#ifndef itkDigitallyReconstructedRadiographImageFilter_h
#define itkDigitallyReconstructedRadiographImageFilter_h

#include "RadiographyExport.h"
#include "itkProjectionVolume.h"
#include "itkRadiographGeometry.h"
#include "itkRadiographyMacros.h"

#include "itkDataObjectDecorator.h"
#include "itkImageToImageFilter.h"
#include "itkTransform.h"

#include <map>
#include <string>

namespace itk
{

/** \class DigitallyReconstructedRadiographImageFilterEnums
 * \brief The choices of DigitallyReconstructedRadiographImageFilter.
 * \ingroup Radiography */
class DigitallyReconstructedRadiographImageFilterEnums
{
public:
  /** How the volume is integrated along a ray; see doc/architecture.md. */
  enum class Projector : uint8_t
  {
    /** One bilinear sample per slab of the main axis. The fast default. */
    Joseph = 0,
    /** The trilinear field integrated exactly, cell by cell, with two-point Gauss-Legendre. */
    CellGauss = 1,
    /** Voxels as boxes of constant value, exact lengths (Siddon 1985). */
    Siddon = 2
  };
};

extern Radiography_EXPORT std::ostream &
operator<<(std::ostream & out, DigitallyReconstructedRadiographImageFilterEnums::Projector value);

/** \class DigitallyReconstructedRadiographImageFilter
 * \brief Optical depth L = integral of mu along each ray of a view: a DRR, before the transmission law.
 *
 * Inputs:
 * - the CT as mu in 1/mm, either an image (SetInput) or a ProjectionVolume shared by several filters;
 * - the view (SetGeometry);
 * - a transform (SetTransform, identity by default) which maps world points, in which the view is given, to CT points,
 *   as ITK's registration does (fixed to moving). The pose of the CT in the world is its inverse.
 *
 * Output: one-slice 3-D image on the detector's grid; pixel = L, dimensionless, with physical length in the world along
 * the ray whatever the transform's scale.
 *
 * Only linear transforms are served; a reflecting one is, one that cannot be inverted is not.
 *
 * A ray that has an end (source or detector pixel) inside the volume is integrated between its ends only, by CellGauss;
 * Joseph falls back to CellGauss as well for a whole image some ray of which is steeper against the main axis than the
 * policy's limit. GetComputeReport() says both.
 *
 * Joseph runs in binary32 for packets of rays where the machine has the instructions (GetComputeReport() says what ran,
 * doc/performance.md how fast). A view along the CT's first axis makes the ProjectionVolume keep the voxels a second
 * time, 4 bytes each; several filters with the same CT should share one ProjectionVolume.
 *
 * \throws ExceptionObject before anything is computed: no CT, no view, a CT that is not mu in 1/mm, a transform that is
 * not linear or not invertible.
 *
 * \ingroup Radiography */
class Radiography_EXPORT DigitallyReconstructedRadiographImageFilter
  : public ImageToImageFilter<Image<float, 3>, Image<float, 3>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(DigitallyReconstructedRadiographImageFilter);

  using Self = DigitallyReconstructedRadiographImageFilter;
  using Superclass = ImageToImageFilter<Image<float, 3>, Image<float, 3>>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(DigitallyReconstructedRadiographImageFilter);

  using ImageType = Image<float, 3>;
  using TransformType = Transform<double, 3, 3>;
  using ProjectorEnum = DigitallyReconstructedRadiographImageFilterEnums::Projector;

  /** What ran in the last Update(), and what did not and why. */
  struct ComputeReport
  {
    std::string                        projector;
    std::string                        kernel;
    std::string                        policy;
    unsigned int                       threads{ 0 };
    SizeValueType                      raysWithEndInside{ 0 };
    std::map<std::string, std::string> notUsed;
  };

  /** A CT that is already prepared; wins over SetInput. */
  itkSetInputMacro(ProjectionVolume, ProjectionVolume);
  itkGetInputMacro(ProjectionVolume, ProjectionVolume);

  itkSetInputMacro(Geometry, RadiographGeometry);
  itkGetInputMacro(Geometry, RadiographGeometry);

  /** World points to CT points. */
  itkSetGetDecoratedObjectInputMacro(Transform, TransformType);

  itkSetEnumMacro(Projector, ProjectorEnum);
  itkGetEnumMacro(Projector, ProjectorEnum);

  /** Overrides of the projection policy, "key=value,key=value", for experiments; see doc/performance.md. They win over
   * the environment variable RADIOGRAPHY_POLICY.
   * \throws ExceptionObject for a key that is not known or a value out of range. */
  void
  SetPolicy(const std::string & overrides);
  itkGetConstReferenceMacro(Policy, std::string);

  const ComputeReport &
  GetComputeReport() const
  {
    return m_ComputeReport;
  }

protected:
  DigitallyReconstructedRadiographImageFilter();
  ~DigitallyReconstructedRadiographImageFilter() override;

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

  /** The CT given, or one made of the input image and kept for the next time. */
  const ProjectionVolume *
  PrepareVolume();

  /** For filters that project several views. */
  ComputeReport m_ComputeReport;

private:
  ProjectorEnum             m_Projector{ ProjectorEnum::Joseph };
  std::string               m_Policy;
  ProjectionVolume::Pointer m_OwnVolume;
};

} // namespace itk

#endif
