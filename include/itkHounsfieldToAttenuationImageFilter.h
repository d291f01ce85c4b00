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
#ifndef itkHounsfieldToAttenuationImageFilter_h
#define itkHounsfieldToAttenuationImageFilter_h

#include "itkHounsfieldAttenuationModel.h"
#include "itkRadiographyMacros.h"

#include "itkInPlaceImageFilter.h"

namespace itk
{

/** \class HounsfieldToAttenuationImageFilter
 * \brief A CT in Hounsfield units becomes mu in 1/mm, at a stated photon energy.
 *
 * The curve is HounsfieldAttenuationModel's; its parameters are set here and its derivative is asked there
 * (GetModel().EvaluateDerivative()). mu is computed in binary64 and rounded once to the output's pixel type, which must
 * be a floating-point one.
 *
 * Voxels below -1000 HU are raised to the declared floor (0 /mm) and counted: GetNumberOfFlooredVoxels(), over the
 * region of the last run, the same for any number of threads.
 *
 * Runs in place where pixel types match and InPlaceOn() was called. Serves requested regions, so it streams.
 *
 * \throws ExceptionObject before anything is written: a voxel that is NaN or infinite (named by index and value), or
 * what HounsfieldAttenuationModel refuses.
 *
 * \ingroup Radiography */
template <typename TInputImage, typename TOutputImage = Image<float, TInputImage::ImageDimension>>
class ITK_TEMPLATE_EXPORT HounsfieldToAttenuationImageFilter : public InPlaceImageFilter<TInputImage, TOutputImage>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(HounsfieldToAttenuationImageFilter);

  using Self = HounsfieldToAttenuationImageFilter;
  using Superclass = InPlaceImageFilter<TInputImage, TOutputImage>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(HounsfieldToAttenuationImageFilter);

  using InputImageType = TInputImage;
  using OutputImageType = TOutputImage;
  using InputPixelType = typename TInputImage::PixelType;
  using OutputPixelType = typename TOutputImage::PixelType;
  using OutputImageRegionType = typename TOutputImage::RegionType;
  using ModelParametersType = HounsfieldAttenuationParameters;

  static_assert(std::is_floating_point<OutputPixelType>::value, "mu in 1/mm needs a floating-point pixel type");

  /** Everything at once. */
  void
  SetModelParameters(const ModelParametersType & parameters);
  const ModelParametersType &
  GetModelParameters() const
  {
    return m_ModelParameters;
  }

  /** Photon energy of the radiograph in keV; 60 by default. */
  void
  SetEnergy(double energy);
  double
  GetEnergy() const
  {
    return m_ModelParameters.energy;
  }

  /** The CT's effective energy in keV; 75 by default. */
  void
  SetCTEffectiveEnergy(double energy);
  double
  GetCTEffectiveEnergy() const
  {
    return m_ModelParameters.ctEffectiveEnergy;
  }

  /** Coefficients in 1/mm at the photon energy, and bone's HU, that win over xraylib's. */
  void
  SetWaterAttenuation(double attenuation);
  void
  SetBoneAttenuation(double attenuation);
  void
  SetBoneHounsfield(double hounsfield);

  /** Forgets stated coefficients and bone's HU: all from xraylib again. */
  void
  UseTabulatedCoefficients();

  /** The curve of the present parameters. \throws ExceptionObject what HounsfieldAttenuationModel refuses. */
  HounsfieldAttenuationModel
  GetModel() const
  {
    return HounsfieldAttenuationModel(m_ModelParameters);
  }

  /** How many voxels the last run raised to the floor. */
  itkGetConstMacro(NumberOfFlooredVoxels, SizeValueType);

protected:
  HounsfieldToAttenuationImageFilter();
  ~HounsfieldToAttenuationImageFilter() override = default;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;
  void
  VerifyPreconditions() ITKv5_CONST override;
  void
  GenerateData() override;

private:
  void
  RefuseNonFiniteVoxels(const OutputImageRegionType & region);

  ModelParametersType m_ModelParameters{};
  SizeValueType       m_NumberOfFlooredVoxels{ 0 };
};

} // namespace itk

#ifndef ITK_MANUAL_INSTANTIATION
#  include "itkHounsfieldToAttenuationImageFilter.hxx"
#endif

#endif
