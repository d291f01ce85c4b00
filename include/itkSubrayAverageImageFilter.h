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
#ifndef itkSubrayAverageImageFilter_h
#define itkSubrayAverageImageFilter_h

#include "RadiographyExport.h"
#include "itkRadiographyMacros.h"

#include "itkImageToImageFilter.h"

#include <vector>

namespace itk
{

/** \class SubrayAverageImageFilter
 * \brief N x N sub-rays per pixel become the pixel's effective optical depth, -ln(sum of w_i exp(-L_i)).
 *
 * A pixel of finite size, or a focal spot, averages *transmissions*, never depths: depths 0 and 2 with equal weights
 * give T = 0.567668, not exp(-1) = 0.367879. Weights are equal unless they are given. The input is a depth image whose
 * columns and rows are N times as many as the output's. It is evaluated by log-sum-exp in binary64 and rounded once, so
 * a block of large depths does not underflow. Feed the result to TransmissionImageFilter.
 *
 * An output pixel lies in the middle of its block of N x N sub-rays, so the spacing of columns and rows grows N times
 * and the corner of the image stays where it was; slices are unchanged. Output indices begin where the input's do.
 *
 * \throws ExceptionObject before anything is written: N of 0, columns or rows that N does not divide, weights that are
 * not N x N, not finite, negative or do not sum to one, a depth that is NaN, infinite or negative, named by index and
 * value. A depth is refused even where its weight is 0.
 *
 * \sa SubrayAverageAdjointImageFilter, SubrayRadiographImageFilter
 * \ingroup Radiography */
class Radiography_EXPORT SubrayAverageImageFilter : public ImageToImageFilter<Image<float, 3>, Image<float, 3>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(SubrayAverageImageFilter);

  using Self = SubrayAverageImageFilter;
  using Superclass = ImageToImageFilter<Image<float, 3>, Image<float, 3>>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(SubrayAverageImageFilter);

  using ImageType = Image<float, 3>;

  /** N, sub-rays along each side of a pixel; 1 by default. */
  itkSetMacro(SubraysPerSide, unsigned int);
  itkGetConstMacro(SubraysPerSide, unsigned int);

  /** w_i, one for each of the N x N sub-rays of a pixel, columns fastest; they sum to one. Empty, the default: equal.
   */
  void
  SetWeights(const std::vector<double> & weights);
  /** The weights given; empty for equal ones. */
  const std::vector<double> &
  GetWeights() const
  {
    return m_Weights;
  }

protected:
  SubrayAverageImageFilter();
  ~SubrayAverageImageFilter() override;

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
  unsigned int        m_SubraysPerSide{ 1 };
  std::vector<double> m_Weights;
};

} // namespace itk

#endif
