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
#ifndef itkRadiographMaskTruncationImageFilter_h
#define itkRadiographMaskTruncationImageFilter_h

#include "RadiographyExport.h"
#include "itkRadiographGeometry.h"
#include "itkRadiographyMacros.h"

#include "itkDataObjectDecorator.h"
#include "itkImageToImageFilter.h"
#include "itkTransform.h"

#include <ostream>

namespace radiography::compute
{
struct CutFace;
} // namespace radiography::compute

namespace itk
{

/** \class RadiographMaskTruncationImageFilterEnums
 * \brief Where RadiographMaskTruncationImageFilter thinks that a CT cuts the anatomy.
 * \ingroup Radiography */
class RadiographMaskTruncationImageFilterEnums
{
public:
  /** Faces of the CT's grid. */
  enum class CutFaces : uint8_t
  {
    /** The two along the slice direction (the grid's third axis), whole. */
    SliceFaces = 0,
    /** These two, where their outer voxel layer is not air. */
    SliceFacesWhereNotAir = 1,
    /** All six, where their outer voxel layer is not air: for a field of view that cuts arms or flanks as well. */
    AllFacesWhereNotAir = 2
  };
};

extern Radiography_EXPORT std::ostream &
                          operator<<(std::ostream & out, RadiographMaskTruncationImageFilterEnums::CutFaces value);

/** \class RadiographMaskTruncationImageFilter
 * \brief A mask of a view without the rays that pass through anatomy which the CT has cut off.
 *
 * Input is the CT as mu in 1/mm; output, on the detector of the view, 1 for pixels to compare and 0 for those not to:
 * the mask that a RadiographToVolumeMetricv4 takes. Beyond its slices, a CT knows nothing; a ray that meets the patient
 * there is darker than any prediction, and draws the pose towards it.
 *
 * What is cut at a face is thought to go on beyond it without end: the outer voxels (as boxes) that count as cut are
 * drawn out along the grid's axis. A pixel is 0 if its ray, up to the pixel, meets any of that, whether it
 * passes through the CT as well or not. In which voxels a face is cut is said by CutFaces: everywhere, or where mu of
 * the outer layer is above AirThreshold. All six faces as a whole would leave no ray that meets the CT.
 *
 * The pose is the Transform (world points to CT points) as it is thought to be: Margin widens what is left out by a
 * square of as many pixels, to allow for its error. A view without any pixel left is for the caller to refuse;
 * GetNumberOfKeptPixels() says how many there are.
 *
 * \throws ExceptionObject from Update(): no CT, no view, a detector without pixels, a transform that is not linear or
 * cannot be inverted, an AirThreshold that is not finite or negative.
 *
 * \sa RadiographMask, RadiographMaskLabelImageFilter
 * \ingroup Radiography */
class Radiography_EXPORT RadiographMaskTruncationImageFilter
  : public ImageToImageFilter<Image<float, 3>, Image<unsigned char, 3>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(RadiographMaskTruncationImageFilter);

  using Self = RadiographMaskTruncationImageFilter;
  using Superclass = ImageToImageFilter<Image<float, 3>, Image<unsigned char, 3>>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(RadiographMaskTruncationImageFilter);

  using ImageType = Image<float, 3>;
  using MaskImageType = Image<unsigned char, 3>;
  using TransformType = Transform<double, 3, 3>;
  using CutFacesEnum = RadiographMaskTruncationImageFilterEnums::CutFaces;

  itkSetInputMacro(Geometry, RadiographGeometry);
  itkGetInputMacro(Geometry, RadiographGeometry);

  /** World points to CT points; identity by default. */
  itkSetGetDecoratedObjectInputMacro(Transform, TransformType);

  /** SliceFaces by default. */
  itkSetEnumMacro(CutFaces, CutFacesEnum);
  itkGetEnumMacro(CutFaces, CutFacesEnum);

  /** Up to this mu, 1/mm, a voxel is air; 0.002 by default, a tenth of water's at 60 keV: air, with its noise, is
   * below, lung above. */
  itkSetMacro(AirThreshold, double);
  itkGetConstMacro(AirThreshold, double);

  /** Pixels; 0 by default. */
  itkSetMacro(Margin, unsigned int);
  itkGetConstMacro(Margin, unsigned int);

  /** Of the last Update(). */
  itkGetConstMacro(NumberOfKeptPixels, SizeValueType);

protected:
  RadiographMaskTruncationImageFilter();
  ~RadiographMaskTruncationImageFilter() override;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;
  void
  VerifyPreconditions() ITKv5_CONST override;
  void
  GenerateOutputInformation() override;
  void
  GenerateInputRequestedRegion() override;
  void
  EnlargeOutputRequestedRegion(DataObject * output) override;
  void
  GenerateData() override;

private:
  radiography::compute::CutFace
  MakeFace(unsigned int axis, bool isUpper) const;

  CutFacesEnum  m_CutFaces{ CutFacesEnum::SliceFaces };
  double        m_AirThreshold{ 0.002 };
  unsigned int  m_Margin{ 0 };
  SizeValueType m_NumberOfKeptPixels{ 0 };
};

} // namespace itk

#endif
