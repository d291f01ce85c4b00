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
#ifndef itkPhotonNoiseImageFilter_h
#define itkPhotonNoiseImageFilter_h

#include "RadiographyExport.h"
#include "itkRadiographyMacros.h"

#include "itkImageToImageFilter.h"

namespace itk
{

/** \class PhotonNoiseImageFilter
 * \brief Draws a Poisson count for each pixel's expected count.
 *
 * Counter-based random numbers (Philox4x32-10 of Random123; Salmon et al. 2011): the seed is the key and a pixel's
 * linear index in the largest possible region the counter. A pixel's draw therefore depends on the seed, its place and
 * its mean alone: the same bits for any number of threads and any requested region. The distribution is
 * std::poisson_distribution, whose algorithm belongs to the C++ standard library: another library draws other counts
 * of the same distribution. A mean of 0 gives 0. Above 2^24 counts the result is rounded to binary32.
 *
 * \throws ExceptionObject before anything is written: a mean that is NaN, infinite, negative or above 1e15, named by
 * index and value.
 *
 * \ingroup Radiography */
class Radiography_EXPORT PhotonNoiseImageFilter : public ImageToImageFilter<Image<float, 3>, Image<float, 3>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(PhotonNoiseImageFilter);

  using Self = PhotonNoiseImageFilter;
  using Superclass = ImageToImageFilter<Image<float, 3>, Image<float, 3>>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(PhotonNoiseImageFilter);

  using ImageType = Image<float, 3>;

  /** Means above this are refused, in counts. */
  static constexpr double MaximumMean = 1e15;

  /** 0 by default. */
  itkSetMacro(Seed, uint64_t);
  itkGetConstMacro(Seed, uint64_t);

protected:
  PhotonNoiseImageFilter();
  ~PhotonNoiseImageFilter() override;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;
  void
  GenerateData() override;

private:
  uint64_t m_Seed{ 0 };
};

} // namespace itk

#endif
