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
#ifndef itkDetectorResponseImageFilter_h
#define itkDetectorResponseImageFilter_h

#include "RadiographyExport.h"
#include "itkRadiographyMacros.h"

#include "itkImageToImageFilter.h"

namespace itk
{

/** \class DetectorResponseImageFilter
 * \brief What a linear detector reads out: g (lambda + s) + b.
 *
 * lambda is the input, expected or noisy counts per pixel; g > 0 the gain in detector units per count; s >= 0 an
 * additive scatter in counts; b the electronic offset in detector units. Evaluated in binary64 and rounded once.
 *
 * \throws ExceptionObject before anything is written: a gain that is not finite and positive, a scatter that is not
 * finite and non-negative, an offset that is not finite; a pixel that is NaN, infinite or negative, or whose reading
 * binary32 cannot hold, named by index and value.
 *
 * \ingroup Radiography */
class Radiography_EXPORT DetectorResponseImageFilter : public ImageToImageFilter<Image<float, 3>, Image<float, 3>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(DetectorResponseImageFilter);

  using Self = DetectorResponseImageFilter;
  using Superclass = ImageToImageFilter<Image<float, 3>, Image<float, 3>>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(DetectorResponseImageFilter);

  using ImageType = Image<float, 3>;

  /** g, detector units per count; 1 by default. */
  itkSetMacro(Gain, double);
  itkGetConstMacro(Gain, double);

  /** s, counts; 0 by default. */
  itkSetMacro(Scatter, double);
  itkGetConstMacro(Scatter, double);

  /** b, detector units; 0 by default. */
  itkSetMacro(Offset, double);
  itkGetConstMacro(Offset, double);

protected:
  DetectorResponseImageFilter();
  ~DetectorResponseImageFilter() override;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;
  void
  VerifyPreconditions() ITKv5_CONST override;
  void
  GenerateData() override;

private:
  double m_Gain{ 1.0 };
  double m_Scatter{ 0.0 };
  double m_Offset{ 0.0 };
};

} // namespace itk

#endif
