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
#ifndef itkRadiographMaskLabelImageFilter_h
#define itkRadiographMaskLabelImageFilter_h

#include "RadiographyExport.h"
#include "itkRadiographyMacros.h"

#include "itkInPlaceImageFilter.h"

#include <cstdint>
#include <vector>

namespace itk
{

/** \class RadiographMaskLabelImageFilter
 * \brief Sets mu = 0 outside of the labels of a CT: one bone alone, or a patient without the couch.
 *
 * Inputs are the CT as mu in 1/mm and a label image on the same grid. Kept are the voxels of the Labels; if none are
 * given, all whose label is not 0. Runs in place if InPlaceOn() was called and nothing else uses the CT.
 *
 * \throws ExceptionObject from Update(), before anything is written: no label image, one of another region, or that
 * does not lie in the same place (within the tolerances of an ImageToImageFilter); labels of which no voxel is kept.
 *
 * \sa RadiographMaskTruncationImageFilter for masks of a view
 * \ingroup Radiography */
class Radiography_EXPORT RadiographMaskLabelImageFilter : public InPlaceImageFilter<Image<float, 3>, Image<float, 3>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(RadiographMaskLabelImageFilter);

  using Self = RadiographMaskLabelImageFilter;
  using Superclass = InPlaceImageFilter<Image<float, 3>, Image<float, 3>>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(RadiographMaskLabelImageFilter);

  using ImageType = Image<float, 3>;
  using LabelType = std::int64_t;
  using LabelImageType = Image<LabelType, 3>;
  using LabelsType = std::vector<LabelType>;

  itkSetInputMacro(LabelImage, LabelImageType);
  itkGetInputMacro(LabelImage, LabelImageType);

  /** Those to keep; empty, the default: all but 0. */
  void
  SetLabels(const LabelsType & labels);
  const LabelsType &
  GetLabels() const
  {
    return m_Labels;
  }

  /** Voxels that were kept in the last Update(). */
  itkGetConstMacro(NumberOfKeptVoxels, SizeValueType);

protected:
  RadiographMaskLabelImageFilter();
  ~RadiographMaskLabelImageFilter() override;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;
  void
  VerifyInputInformation() ITKv5_CONST override;
  void
  GenerateInputRequestedRegion() override;
  void
  EnlargeOutputRequestedRegion(DataObject * output) override;
  void
  GenerateData() override;

private:
  bool
  IsKept(LabelType label) const;
  SizeValueType
  CountKept() const;

  LabelsType    m_Labels;
  SizeValueType m_NumberOfKeptVoxels{ 0 };
};

} // namespace itk

#endif
