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
#ifndef itkPoissonResidualImageFilter_h
#define itkPoissonResidualImageFilter_h

#include "RadiographyExport.h"
#include "itkRadiographyMacros.h"

#include "itkImageToImageFilter.h"

namespace itk
{

/** \class PoissonResidualImageFilterEnums
 * \brief The residuals of PoissonResidualImageFilter.
 * \ingroup Radiography */
class PoissonResidualImageFilterEnums
{
public:
  enum class Residual : uint8_t
  {
    /** sign(N - lambda) sqrt(deviance) */
    Deviance = 0,
    /** (N - lambda) / sqrt(lambda) */
    Pearson = 1
  };
};

extern Radiography_EXPORT std::ostream &
                          operator<<(std::ostream & out, PoissonResidualImageFilterEnums::Residual value);

/** \class PoissonResidualImageFilter
 * \brief How many standard deviations the observed counts N lie above the expected ones, lambda.
 *
 * The first input holds the observed counts, SetExpectedCounts() the expected ones, both on one grid. The deviance
 * residual (default) is near a normal distribution also at low counts, Pearson's has exactly mean 0 and variance 1
 * under the model; see PoissonLikelihood for both and for the dispersion factor and the electronic variance. Evaluated
 * in binary64 and rounded once. A pixel of no expected and no observed counts has residual 0.
 *
 * Checked mode (the default) scans both images first. With CheckInputsOff() the caller guarantees the values.
 *
 * \throws ExceptionObject before any output is touched: a dispersion factor that is not finite and above 0, an
 * electronic variance that is not finite and not negative; images whose grids differ; an image that declares in its
 * metadata key radiography_quantity that it holds something else than counts or linear; and, named by index and value,
 * a count or mean that is NaN, infinite or negative (an observed count: below minus the electronic variance), a count
 * above 0 where the mean is 0, a residual that binary32 cannot hold.
 *
 * \ingroup Radiography */
class Radiography_EXPORT PoissonResidualImageFilter : public ImageToImageFilter<Image<float, 3>, Image<float, 3>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(PoissonResidualImageFilter);

  using Self = PoissonResidualImageFilter;
  using Superclass = ImageToImageFilter<Image<float, 3>, Image<float, 3>>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(PoissonResidualImageFilter);

  using ImageType = Image<float, 3>;
  using ResidualEnum = PoissonResidualImageFilterEnums::Residual;

  /** N; the same as SetInput(). */
  void
  SetObservedCounts(const ImageType * image);
  const ImageType *
  GetObservedCounts() const;

  /** lambda, scatter included. */
  void
  SetExpectedCounts(const ImageType * image);
  const ImageType *
  GetExpectedCounts() const;

  /** Deviance by default. */
  itkSetEnumMacro(Residual, ResidualEnum);
  itkGetEnumMacro(Residual, ResidualEnum);

  /** phi: the variance is phi times the mean; 1 by default. */
  itkSetMacro(DispersionFactor, double);
  itkGetConstMacro(DispersionFactor, double);

  /** sigma^2 of electronic noise in squared counts, added to count and mean; 0 by default. */
  itkSetMacro(ElectronicVariance, double);
  itkGetConstMacro(ElectronicVariance, double);

  /** Whether values are scanned before anything is computed. On by default. */
  itkSetMacro(CheckInputs, bool);
  itkGetConstMacro(CheckInputs, bool);
  itkBooleanMacro(CheckInputs);

  /** Whether images are taken as counts although they declare something else. Their values must still be such that
   * counts can have. Off by default. */
  itkSetMacro(AllowNonCounts, bool);
  itkGetConstMacro(AllowNonCounts, bool);
  itkBooleanMacro(AllowNonCounts);

protected:
  PoissonResidualImageFilter();
  ~PoissonResidualImageFilter() override;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;
  void
  VerifyPreconditions() ITKv5_CONST override;
  void
  VerifyInputInformation() ITKv5_CONST override;
  void
  GenerateData() override;

private:
  void
  RefuseDeclaredNonCounts() const;

  ResidualEnum m_Residual{ ResidualEnum::Deviance };
  double       m_DispersionFactor{ 1.0 };
  double       m_ElectronicVariance{ 0.0 };
  bool         m_CheckInputs{ true };
  bool         m_AllowNonCounts{ false };
};

} // namespace itk

#endif
