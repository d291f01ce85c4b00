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
#ifndef itkRadiographBackProjectionImageFilter_h
#define itkRadiographBackProjectionImageFilter_h

#include "RadiographyExport.h"
#include "itkDigitallyReconstructedRadiographImageFilter.h"
#include "itkRadiographGeometry.h"
#include "itkRadiographyMacros.h"

#include "itkDataObjectDecorator.h"
#include "itkImageToImageFilter.h"
#include "itkTransform.h"

#include <string>

namespace itk
{

/** \class RadiographBackProjectionImageFilter
 * \brief The transpose of DigitallyReconstructedRadiographImageFilter: pixels of a view are spread over the volume.
 *
 * The radiograph of a volume x is A x: one row of A for each ray, one column for each voxel. This filter gives the
 * volume A^T y, or, with WeightPower 2, the sum over rays of a^2 y, with the very weights a (in mm) that the forward
 * filter applies for the same view, transform, projector and policy: Joseph, CellGauss or Siddon, and CellGauss for
 * whole images or single rays by the same rules. If y is the derivative of some objective with respect to the optical
 * depths, A^T y is its derivative with respect to mu (objective x mm); if y is the second derivative of a sum over
 * pixels, power 2 gives the diagonal of its Hessian.
 *
 * Inputs:
 * - pixels y on the view's detector, any finite values (SetInput);
 * - the view (SetGeometry) and the transform (SetTransform, identity by default), as the forward filter takes them;
 * - the grid of the volume: an image of which only the grid is read (SetReferenceImage), or Size, OutputSpacing,
 *   OutputOrigin, OutputDirection and OutputStartIndex. A reference image wins.
 *
 * Output: the volume, on that grid. Joseph's rule runs for packets of rays in binary32, as it does forward; a voxel's
 * sum then has one order too, that of the lines that packets are cut of. Otherwise it runs over the rays in raster
 * order in binary64 and is rounded once. Both give the same bits for any number of threads, any requested region and
 * any WorkUnits. Regions can be requested one after the other; each goes through all rays. GetComputeReport() says what
 * ran; "simd=0" (SetPolicy) or RADIOGRAPHY_DISABLE_SIMD=1 asks for the scalar reference.
 *
 * The operation is linear, so that it has no primal input: A x is its own adjoint's forward.
 *
 * \throws ExceptionObject before anything is computed: no pixels, no view, no grid, a grid of no voxels, pixels that do
 * not lie on the view's detector, a pixel that is not finite (it is named), a transform that is not linear or not
 * invertible, a WeightPower that is neither 1 nor 2; and, after it, for a sum that binary32 cannot hold (the voxel is
 * named, the output emptied).
 *
 * \ingroup Radiography */
class Radiography_EXPORT RadiographBackProjectionImageFilter
  : public ImageToImageFilter<Image<float, 3>, Image<float, 3>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(RadiographBackProjectionImageFilter);

  using Self = RadiographBackProjectionImageFilter;
  using Superclass = ImageToImageFilter<Image<float, 3>, Image<float, 3>>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(RadiographBackProjectionImageFilter);

  using ImageType = Image<float, 3>;
  using ReferenceImageType = ImageBase<3>;
  using TransformType = Transform<double, 3, 3>;
  using ProjectorEnum = DigitallyReconstructedRadiographImageFilterEnums::Projector;
  using ComputeReport = DigitallyReconstructedRadiographImageFilter::ComputeReport;

  itkSetInputMacro(Geometry, RadiographGeometry);
  itkGetInputMacro(Geometry, RadiographGeometry);

  /** World points to points of the volume. */
  itkSetGetDecoratedObjectInputMacro(Transform, TransformType);

  /** An image on whose grid the volume is wanted, for instance the CT. */
  itkSetInputMacro(ReferenceImage, ReferenceImageType);
  itkGetInputMacro(ReferenceImage, ReferenceImageType);

  /** \name The grid of the volume where there is no reference image. */
  ///@{
  /** Voxels along each axis; none by default. */
  itkSetMacro(Size, ImageType::SizeType);
  itkGetConstReferenceMacro(Size, ImageType::SizeType);
  /** mm; 1 by default. */
  itkSetMacro(OutputSpacing, ImageType::SpacingType);
  itkGetConstReferenceMacro(OutputSpacing, ImageType::SpacingType);
  /** Centre of the voxel at index 0, mm; 0 by default. */
  itkSetMacro(OutputOrigin, ImageType::PointType);
  itkGetConstReferenceMacro(OutputOrigin, ImageType::PointType);
  /** Identity by default. */
  itkSetMacro(OutputDirection, ImageType::DirectionType);
  itkGetConstReferenceMacro(OutputDirection, ImageType::DirectionType);
  /** 0 by default. */
  itkSetMacro(OutputStartIndex, ImageType::IndexType);
  itkGetConstReferenceMacro(OutputStartIndex, ImageType::IndexType);
  ///@}

  itkSetEnumMacro(Projector, ProjectorEnum);
  itkGetEnumMacro(Projector, ProjectorEnum);

  /** The power to which weights are taken, 1 (default) or 2. */
  itkSetMacro(WeightPower, unsigned int);
  itkGetConstMacro(WeightPower, unsigned int);

  /** Overrides of the projection policy, "key=value,key=value"; see
   * DigitallyReconstructedRadiographImageFilter::SetPolicy.
   * \throws ExceptionObject for a key that is not known or a value out of range. */
  void
  SetPolicy(const std::string & overrides);
  itkGetConstReferenceMacro(Policy, std::string);

  /** Into how many bands of slices the volume must be cut so that one is made within `memoryBudget` bytes: what a
   * streaming consumer asks for one after the other, for instance an ImageFileWriter of a MetaImage file with
   * SetNumberOfStreamDivisions(). The voxels are the same as those of the whole volume, to the bit; every band goes
   * through all rays. Counted are the band (4 bytes a voxel), the binary64 sums of the slices that threads work on at
   * the same time (8 bytes a voxel; packets need less, unless the volume is but a few voxels wide) and the pixels (8
   * bytes each: packets take a copy). \throws ExceptionObject if the budget is too small
   * for a single slice (it says how much is needed). */
  unsigned int
  ComputeNumberOfBands(SizeValueType memoryBudget);

  /** What ran in the last Update(). Rays that carry 0 are left out, and not counted in raysWithEndInside. */
  const ComputeReport &
  GetComputeReport() const
  {
    return m_ComputeReport;
  }

protected:
  RadiographBackProjectionImageFilter();
  ~RadiographBackProjectionImageFilter() override;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;
  void
  VerifyPreconditions() ITKv5_CONST override;
  void
  VerifyInputInformation() ITKv5_CONST override;
  void
  GenerateOutputInformation() override;
  void
  GenerateInputRequestedRegion() override;
  void
  GenerateData() override;

private:
  void
  RefuseBadPixels(const ImageType & pixels);

  ImageType::SizeType      m_Size;
  ImageType::SpacingType   m_OutputSpacing;
  ImageType::PointType     m_OutputOrigin;
  ImageType::DirectionType m_OutputDirection;
  ImageType::IndexType     m_OutputStartIndex;
  ProjectorEnum            m_Projector{ ProjectorEnum::Joseph };
  unsigned int             m_WeightPower{ 1 };
  std::string              m_Policy;
  ComputeReport            m_ComputeReport;
};

} // namespace itk

#endif
