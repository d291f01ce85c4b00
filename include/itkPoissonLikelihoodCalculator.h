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
#ifndef itkPoissonLikelihoodCalculator_h
#define itkPoissonLikelihoodCalculator_h

#include "RadiographyExport.h"
#include "itkRadiographyMacros.h"

#include "itkImage.h"
#include "itkMatrix.h"
#include "itkObject.h"
#include "itkVector.h"

#include <string>

namespace itk
{

/** \class PoissonLikelihoodCalculator
 * \brief The Poisson likelihood of an image of counts under an image of optical depths, with its derivatives.
 *
 * The mean of a pixel is lambda = y + s, y = c n0 exp(-a L), with the optical depth L, the open-beam mean n0 and the
 * scatter s (each a number or an image), the exposure c and the attenuation scale a. Images share one grid and hold
 * their whole region; call Update() on what makes them before Compute(). Pixels whose mask is 0 are left out and not
 * looked at; the score is 0 there.
 *
 * GetValue() is the half-deviance, the negative log-likelihood minus its least value: it has the same derivatives and
 * keeps the digits that the last steps of an optimization need. The score image is its derivative with respect to each
 * depth, in binary64, ready to be pulled back through a projector. See PoissonLikelihood for the formulas per pixel,
 * legal means that underflow, and the meaning of DispersionFactor (divides value, score and information) and
 * ElectronicVariance (added to count and mean).
 *
 * Sums run in binary64 over fixed blocks: the same bits for any number of threads.
 *
 * \throws ExceptionObject from Compute(), before any result changes: what is missing, grids that differ or are not
 * wholly in memory, parameters out of range; an image that declares by its metadata key radiography_quantity that its
 * counts are neither counts nor linear, or its depths no optical-depth; and, named by index and value, a depth that is
 * not finite, an n0, s or count that is NaN, infinite or negative (a count: below minus the electronic variance), a
 * count above 0 where n0 = s = 0, a mean that binary64 cannot hold. From a getter: results that are not there or out of
 * date, and numbers that binary64 cannot hold: Pearson's chi-square and all that has to do with the derivative for the
 * scatter do not exist where a mean underflows.
 *
 * \ingroup Radiography */
class Radiography_EXPORT PoissonLikelihoodCalculator : public Object
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(PoissonLikelihoodCalculator);

  using Self = PoissonLikelihoodCalculator;
  using Superclass = Object;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(PoissonLikelihoodCalculator);

  using ImageType = Image<float, 3>;
  /** Depths that were not rounded to binary32, and derivatives. */
  using DoubleImageType = Image<double, 3>;
  using MaskImageType = Image<unsigned char, 3>;

  /** The parameters that all pixels share, in the order of GetNuisanceScore(). */
  enum NuisanceIndex : unsigned int
  {
    /** e, a factor exp(e) on the mean primary */
    LogExposure = 0,
    /** a, a factor on L */
    AttenuationScale = 1,
    /** s, counts added to every pixel */
    Scatter = 2
  };

  /** L; the last one set holds. */
  void
  SetDepth(const ImageType * image);
  void
  SetDepth(const DoubleImageType * image);

  /** N. */
  itkSetConstObjectMacro(ObservedCounts, ImageType);
  itkGetConstObjectMacro(ObservedCounts, ImageType);

  /** n0 of all pixels, where no image of it is set. Must be given in one form or the other. */
  itkSetMacro(OpenBeamCounts, double);
  itkGetConstMacro(OpenBeamCounts, double);
  /** n0 per pixel; null for the number. */
  itkSetConstObjectMacro(OpenBeamCountsImage, ImageType);
  itkGetConstObjectMacro(OpenBeamCountsImage, ImageType);

  /** s of all pixels, where no image of it is set; 0 by default. */
  itkSetMacro(ScatterCounts, double);
  itkGetConstMacro(ScatterCounts, double);
  /** s per pixel; null for the number. */
  itkSetConstObjectMacro(ScatterCountsImage, ImageType);
  itkGetConstObjectMacro(ScatterCountsImage, ImageType);

  /** The pixels that count are those that are not 0; null, the default, for all. */
  itkSetConstObjectMacro(Mask, MaskImageType);
  itkGetConstObjectMacro(Mask, MaskImageType);

  /** c, a factor on n0; finite and above 0; 1 by default. */
  itkSetMacro(Exposure, double);
  itkGetConstMacro(Exposure, double);

  /** a, a factor on L; finite; 1 by default. Score and information images are for L as given. */
  itkSetMacro(AttenuationScaleFactor, double);
  itkGetConstMacro(AttenuationScaleFactor, double);

  /** phi; finite and above 0; 1 by default. */
  itkSetMacro(DispersionFactor, double);
  itkGetConstMacro(DispersionFactor, double);

  /** sigma^2; finite and not negative; 0 by default. */
  itkSetMacro(ElectronicVariance, double);
  itkGetConstMacro(ElectronicVariance, double);

  /** How many parameters were fitted to these counts, for the degrees of freedom; 0 by default. */
  itkSetMacro(NumberOfParameters, SizeValueType);
  itkGetConstMacro(NumberOfParameters, SizeValueType);

  /** Whether Compute() makes the image of scores, and that of y^2 / lambda. Off by default. */
  itkSetMacro(ComputeScoreImage, bool);
  itkGetConstMacro(ComputeScoreImage, bool);
  itkBooleanMacro(ComputeScoreImage);
  itkSetMacro(ComputeInformationImage, bool);
  itkGetConstMacro(ComputeInformationImage, bool);
  itkBooleanMacro(ComputeInformationImage);

  /** Whether pixels are scanned first. On by default; off the caller guarantees their values. */
  itkSetMacro(CheckInputs, bool);
  itkGetConstMacro(CheckInputs, bool);
  itkBooleanMacro(CheckInputs);

  /** Whether images are taken as counts and depths although they declare something else. Their values must still be
   * such that these can have. Off by default. */
  itkSetMacro(AllowNonCounts, bool);
  itkGetConstMacro(AllowNonCounts, bool);
  itkBooleanMacro(AllowNonCounts);

  /** The number of work units; 0, the default, leaves it to ITK. Results do not depend on it. */
  itkSetMacro(NumberOfWorkUnits, ThreadIdType);
  itkGetConstMacro(NumberOfWorkUnits, ThreadIdType);

  /** Evaluates all that the getters below return. */
  void
  Compute();

  /** \name Results, which have to do with the settings and images of the last Compute() */
  ///@{
  /** The half-deviance, divided by the dispersion factor. */
  double
  GetValue() const;
  /** The sum of deviances, not divided by the dispersion factor. */
  double
  GetDeviance() const;
  /** GetDeviance() / (pixels - NumberOfParameters). Near 1 for a right model at counts that are not low. */
  double
  GetDeviancePerDegreeOfFreedom() const;
  /** The sum of (N - lambda)^2 / lambda. */
  double
  GetPearsonChiSquare() const;
  /** GetPearsonChiSquare() / (pixels - NumberOfParameters), the estimate of the dispersion factor. */
  double
  GetEstimatedDispersionFactor() const;
  /** The pixels that were compared. */
  SizeValueType
  GetNumberOfPixels() const;
  /** The factor on n0, in place of Exposure, that makes these counts most likely: sum of N / sum of n0 exp(-a L). Exact
   * without scatter and electronic variance, else refused. */
  double
  GetMostLikelyExposure() const;
  /** The derivative of GetValue() for one shared parameter. */
  double
  GetNuisanceScore(NuisanceIndex parameter) const;
  /** Their Fisher information, an entry of a symmetric matrix. */
  double
  GetNuisanceInformation(NuisanceIndex row, NuisanceIndex column) const;
  /** dl/dL, or null if not asked for. Each Compute() makes a new image. */
  itkGetConstObjectMacro(ScoreImage, DoubleImageType);
  /** y^2 / lambda (times a^2), or null if not asked for. */
  itkGetConstObjectMacro(InformationImage, DoubleImageType);
  ///@}

  ModifiedTimeType
  GetMTime() const override;

protected:
  PoissonLikelihoodCalculator();
  ~PoissonLikelihoodCalculator() override;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;

private:
  const ImageBase<3> &
  GetAnyDepth() const;
  void
  RefuseParameters() const;
  void
  RefuseImages() const;
  void
  RefuseGrid(const ImageBase<3> * image, const char * name) const;
  void
  RefuseDeclarations() const;
  template <typename TDepthImage>
  void
  ComputeFrom(const TDepthImage & depth);
  double
  GetDegreesOfFreedom() const;
  double
  RequireFinite(double value, const char * name) const;
  void
  RequireComputed() const;

  ImageType::ConstPointer       m_Depth;
  DoubleImageType::ConstPointer m_DoubleDepth;
  ImageType::ConstPointer       m_ObservedCounts;
  ImageType::ConstPointer       m_OpenBeamCountsImage;
  ImageType::ConstPointer       m_ScatterCountsImage;
  MaskImageType::ConstPointer   m_Mask;
  double                        m_OpenBeamCounts;
  double                        m_ScatterCounts{ 0.0 };
  double                        m_Exposure{ 1.0 };
  double                        m_AttenuationScaleFactor{ 1.0 };
  double                        m_DispersionFactor{ 1.0 };
  double                        m_ElectronicVariance{ 0.0 };
  SizeValueType                 m_NumberOfParameters{ 0 };
  bool                          m_ComputeScoreImage{ false };
  bool                          m_ComputeInformationImage{ false };
  bool                          m_CheckInputs{ true };
  bool                          m_AllowNonCounts{ false };
  ThreadIdType                  m_NumberOfWorkUnits{ 0 };

  TimeStamp                m_ComputeTime;
  SizeValueType            m_NumberOfPixels{ 0 };
  double                   m_HalfDeviance{ 0.0 };
  double                   m_PearsonChiSquare{ 0.0 };
  double                   m_SumOfCounts{ 0.0 };
  double                   m_SumOfPrimary{ 0.0 };
  Vector<double, 3>        m_NuisanceScore{};
  Matrix<double, 3, 3>     m_NuisanceInformation;
  DoubleImageType::Pointer m_ScoreImage;
  DoubleImageType::Pointer m_InformationImage;
  /** Names the first mean that is too small, for the getters that refuse because of it. */
  std::string m_TinyMean;
};

} // namespace itk

#endif
