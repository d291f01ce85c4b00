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
#ifndef itkSubrayAverageAdjointImageFilter_h
#define itkSubrayAverageAdjointImageFilter_h

#include "RadiographyExport.h"
#include "itkFirstDerivativeOnly.h"
#include "itkRadiographyMacros.h"

#include "itkImageToImageFilter.h"

#include <vector>

namespace itk
{

/** \class SubrayAverageAdjointImageFilter
 * \brief The adjoint of SubrayAverageImageFilter: from the cotangent of each effective depth to those of its sub-rays.
 *
 * Inputs: the optical depths of the sub-rays, as the forward filter read them (the primary input), and the cotangent L'
 * of the effective depths on the forward's output grid, whose columns and rows are N times fewer. Output, on the grid
 * of the sub-rays: L_i' = L' w_i exp(L - L_i), L the effective depth, computed again from the original depths.
 *
 * The factor is the sub-ray's share of the photons that reach the pixel: between 0 and 1, and the shares of a pixel sum
 * to one. So no finite cotangent leads out of binary32's range, whatever the depths; a share that underflows is zero.
 * Evaluated in binary64 and rounded once; the same bits for any number of threads and any requested region.
 *
 * The output is what this use of the depths contributes: an input that is used several times adds its contributions up.
 *
 * \throws ExceptionObject before anything is written: what SubrayAverageImageFilter refuses; no cotangent, or one of
 * another size or first index than the forward's output; a cotangent that is NaN or infinite, named by index and value;
 * an output that shares memory with the depths; depths that are themselves a derivative (see FirstDerivativeOnly).
 *
 * \ingroup Radiography */
class Radiography_EXPORT SubrayAverageAdjointImageFilter
  : public ImageToImageFilter<Image<float, 3>, Image<float, 3>>
  , public FirstDerivativeOnly
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(SubrayAverageAdjointImageFilter);

  using Self = SubrayAverageAdjointImageFilter;
  using Superclass = ImageToImageFilter<Image<float, 3>, Image<float, 3>>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(SubrayAverageAdjointImageFilter);

  using ImageType = Image<float, 3>;

  /** L', per effective depth. */
  itkSetInputMacro(EffectiveDepthCotangent, ImageType);
  itkGetInputMacro(EffectiveDepthCotangent, ImageType);

  /** N, as in the forward filter. */
  itkSetMacro(SubraysPerSide, unsigned int);
  itkGetConstMacro(SubraysPerSide, unsigned int);

  /** w_i, as in the forward filter. */
  void
  SetWeights(const std::vector<double> & weights);
  /** The weights given; empty for equal ones. */
  const std::vector<double> &
  GetWeights() const
  {
    return m_Weights;
  }

protected:
  SubrayAverageAdjointImageFilter();
  ~SubrayAverageAdjointImageFilter() override;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;
  void
  VerifyPreconditions() ITKv5_CONST override;
  void
  VerifyInputInformation() ITKv5_CONST override;
  void
  EnlargeOutputRequestedRegion(DataObject * output) override;
  void
  GenerateInputRequestedRegion() override;
  void
  GenerateData() override;

private:
  OutputImageRegionType
  PixelsOf(const OutputImageRegionType & subrays) const;
  void
  RefuseBadValues(const OutputImageRegionType & subrays);

  unsigned int        m_SubraysPerSide{ 1 };
  std::vector<double> m_Weights;
};

} // namespace itk

#endif
