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
#ifndef itkOpticalDepthImageFilter_h
#define itkOpticalDepthImageFilter_h

#include "RadiographyExport.h"
#include "itkRadiographyMacros.h"

#include "itkImageToImageFilter.h"

namespace itk
{

/** \class OpticalDepthImageFilter
 * \brief The inverse of the transmission law: optical depth L = -log1p(-delta) from a decrement delta = 1 - T.
 *
 * The input is the removed primary fraction, 0 <= delta < 1, dimensionless. Evaluated in binary64 and rounded once,
 * within 1 ULP of the correctly rounded result; no decrement gives +0. Near delta = 1 the spacing of binary32
 * decrements limits what depth can be told: the largest is 24 ln 2 = 16.6. Nothing is clipped: delta = 1 has no finite
 * depth and is refused.
 *
 * \throws ExceptionObject before anything is written: a pixel that is NaN, negative, 1 or more, named by index and
 * value.
 *
 * \sa TransmissionImageFilter, OpticalDepthAdjointImageFilter
 * \ingroup Radiography */
class Radiography_EXPORT OpticalDepthImageFilter : public ImageToImageFilter<Image<float, 3>, Image<float, 3>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(OpticalDepthImageFilter);

  using Self = OpticalDepthImageFilter;
  using Superclass = ImageToImageFilter<Image<float, 3>, Image<float, 3>>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(OpticalDepthImageFilter);

  using ImageType = Image<float, 3>;

protected:
  OpticalDepthImageFilter();
  ~OpticalDepthImageFilter() override;

  void
  GenerateData() override;
};

} // namespace itk

#endif
