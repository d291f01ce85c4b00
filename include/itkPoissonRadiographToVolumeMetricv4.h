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
#ifndef itkPoissonRadiographToVolumeMetricv4_h
#define itkPoissonRadiographToVolumeMetricv4_h

#include "itkRadiographToVolumeMetricv4.h"

#include "itkSize.h"

#include "vnl/vnl_matrix.h"
#include "vnl/vnl_vector.h"

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace radiography::compute
{
struct PoissonProfileView;
} // namespace radiography::compute

namespace itk
{

class PoissonCounts;

/** What was found out about one view besides the pose. Standard errors hold while the transform is as uncertain as its
 * information says; they are 0 where nothing was estimated, and infinite where the images say nothing.
 * \ingroup Radiography */
struct PoissonRadiographNuisances
{
  bool exposureIsEstimated{ false };
  /** n0 that the exposure is a factor of; NaN where it was given as an image. */
  double openBeamCounts{ 0.0 };
  /** Whether n0 was not given: openBeamCounts is the largest count then, and only openBeamCounts x exposure means
   * something. */
  bool openBeamCountsAreAssumed{ false };
  /** exp(e). */
  double exposure{ 1.0 };
  double logExposureStandardError{ 0.0 };
  bool   attenuationIsEstimated{ false };
  /** a, the same for all views. */
  double attenuationScale{ 1.0 };
  double attenuationStandardError{ 0.0 };
  bool   scatterIsEstimated{ false };
  /** Nodes along columns and rows, the outermost on the detector's edges. */
  Size<2> scatterGrid{ { 0, 0 } };
  /** Photons per pixel at the nodes, columns fastest. */
  std::vector<double> scatter;
  /** 0 for nodes that are held at 0. */
  std::vector<double> scatterStandardErrors;
};

/** \class PoissonRadiographToVolumeMetricv4
 * \brief Half the Poisson deviance between photon counts and those that the CT in its pose lets through.
 *
 * The mean reading of pixel p in view v is
 *
 * lambda_p = g_v (n0_p exp(e_v) exp(-a L_p) + s_p + sum of c_vk B_k(p)) + b_v,
 *
 * | symbol | meaning                                                                | default       | estimated by |
 * |--------|------------------------------------------------------------------------|---------------|------------------------|
 * | n0     | photons without a patient: a number, or an image                       | unknown       | EstimateExposure
 * | | e      | log exposure, one for each view                                        | 0             |
 * EstimateExposure       | | a      | attenuation scale, a factor on mu, one for all views                   | 1 |
 * EstimateAttenuationScale | | s      | scatter that is known: photons, a number or an image                   | 0 |
 * never                  | | c      | scatter at coarse nodes, bilinear in between, never below 0            | none |
 * EstimateScatter        | | g, b   | gain and offset of the detector                                        | 1, 0 |
 * never                  |
 *
 * Gain and offset cannot be told from exposure and scatter by the image, so they are given. Readings N become photons
 * (N - b) / g, whose distribution is Poisson with the mean (lambda - b) / g. An electronic variance sigma^2, in squared
 * photons, shifts counts and means as in PoissonLikelihoodCalculator. An image that is linear in photons with a gain
 * that nobody knows holds quasi-counts: their variance is phi times their mean. phi is the DispersionFactor, by which
 * value, derivative and information are divided: give it, or take it from EstimateDispersionFactor() and hold it while
 * an optimizer runs.
 *
 * Where n0 is unknown it is taken as the largest count of the view, which only sets the unit of the exposure:
 * EstimateExposure must be on then.
 *
 * Nuisances (e, a, c) are found to convergence inside every evaluation, from a start that depends on the images and the
 * pose only: the value is the profile of the likelihood, a pure function of the transform's parameters. Its derivative
 * is that with nuisances held (envelope theorem); its information is the Schur complement of theirs, nodes held at 0
 * left out.
 *
 * The value is summed over views and pixels; it is 0 where the CT explains every count. A pose that puts the CT out of
 * all views predicts the open beam.
 *
 * \throws ExceptionObject from Initialize(), besides RadiographToVolumeMetricv4: a reading among the pixels compared
 * that is not finite or means photons below 0 (beyond the electronic variance), a view without any photons, an image
 * that declares by its metadata key radiography_quantity (as DICOMRadiographReader and the program write it) that it
 * does not hold counts or a linear reading, n0 that is neither given nor estimated, an n0 or scatter that is negative
 * or does not lie on the view's detector, photons where none can be, an option out of range, settings for a view that
 * does not exist.
 *
 * \ingroup Radiography */
class Radiography_EXPORT PoissonRadiographToVolumeMetricv4 : public RadiographToVolumeMetricv4
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(PoissonRadiographToVolumeMetricv4);

  using Self = PoissonRadiographToVolumeMetricv4;
  using Superclass = RadiographToVolumeMetricv4;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(PoissonRadiographToVolumeMetricv4);

  using NuisancesType = PoissonRadiographNuisances;
  using CovarianceType = vnl_matrix<double>;

  /** \name The image model; "of a view" wins over "of all views" */
  ///@{
  /** n0 of all views; NaN, the default: unknown. */
  itkSetMacro(OpenBeamCounts, double);
  itkGetConstMacro(OpenBeamCounts, double);
  void
  SetViewOpenBeamCounts(unsigned int view, double counts);
  /** n0 of every pixel of a view; null for a number. */
  void
  SetViewOpenBeamCountsImage(unsigned int view, const ImageType * counts);
  /** Scatter that is known, photons per pixel; 0 by default. */
  void
  SetViewScatterCounts(unsigned int view, double counts);
  void
  SetViewScatterCountsImage(unsigned int view, const ImageType * counts);
  /** Readings per photon, above 0; 1 by default. */
  void
  SetViewGain(unsigned int view, double gain);
  /** The reading without photons; 0 by default. */
  void
  SetViewOffset(unsigned int view, double offset);
  /** e where it is not estimated; 0 by default. */
  void
  SetViewLogExposure(unsigned int view, double logExposure);
  /** a, where it is not estimated; where it is, the solver starts there. Above 0; 1 by default. */
  itkSetMacro(AttenuationScale, double);
  itkGetConstMacro(AttenuationScale, double);
  /** sigma^2 of the electronics, squared photons; 0 by default. */
  itkSetMacro(ElectronicVariance, double);
  itkGetConstMacro(ElectronicVariance, double);
  /** phi; 1 by default. */
  itkSetMacro(DispersionFactor, double);
  itkGetConstMacro(DispersionFactor, double);
  /** Whether an image is taken for counts although it declares something else. */
  itkSetMacro(AllowNonCounts, bool);
  itkGetConstMacro(AllowNonCounts, bool);
  itkBooleanMacro(AllowNonCounts);
  ///@}

  /** \name What is estimated; all off by default */
  ///@{
  itkSetMacro(EstimateExposure, bool);
  itkGetConstMacro(EstimateExposure, bool);
  itkBooleanMacro(EstimateExposure);
  itkSetMacro(EstimateAttenuationScale, bool);
  itkGetConstMacro(EstimateAttenuationScale, bool);
  itkBooleanMacro(EstimateAttenuationScale);
  itkSetMacro(EstimateScatter, bool);
  itkGetConstMacro(EstimateScatter, bool);
  itkBooleanMacro(EstimateScatter);
  /** Nodes along columns and rows of each detector, at least 1; 4 x 4 by default. */
  itkSetMacro(ScatterGrid, Size<2>);
  itkGetConstMacro(ScatterGrid, Size<2>);
  ///@}

  /** \name At the present transform, each an evaluation of its own */
  ///@{
  /** One for each view. */
  std::vector<NuisancesType>
  GetNuisances() const;

  /** How far the nuisances are from making the value least, in standard errors: 1e-9 or less, or what rounding leaves.
   * Where it is above 1e-3 they have not converged, and GetValueDerivativeAndInformation() returns false. */
  double
  GetNuisanceStationarity() const;

  /** Twice the sum of half-deviances, not divided by the dispersion factor. */
  double
  GetDeviance() const;

  /** How many pixels are compared, all views together. */
  SizeValueType
  GetNumberOfPixels() const;

  /** Pixels less the parameters of the transform and the nuisances that are not held at 0.
   * \throws ExceptionObject if there are not more pixels than these. */
  SizeValueType
  GetDegreesOfFreedom() const;

  /** phi from Pearson's chi-square per degree of freedom; the present DispersionFactor has no part in it. */
  double
  EstimateDispersionFactor() const;

  /** The root mean square of (N - lambda) / lambda, photons, over informative pixels: those whose ray passes matter and
   * whose information on L is at least a tenth of the mean one of such pixels of the view. 0 if there are none. */
  double
  GetRelativeResidual() const;

  /** The covariance of the transform's parameters that holds also where residuals of a wrong model belong together over
   * blocks of pixels: I^-1 (sum over blocks of s s^T) I^-1, s the block's score after nuisances were projected out, I
   * the profiled information (Liang and Zeger 1986, with image blocks for clusters). Times n / (n - N), n the number of
   * blocks that have pixels.
   * \param blockSize pixels along a side, at least 1
   * \throws ExceptionObject if the information is singular (it names the direction), or there are not more blocks than
   * parameters. */
  CovarianceType
  ComputeSandwichCovariance(unsigned int blockSize = 8) const;
  ///@}

protected:
  PoissonRadiographToVolumeMetricv4();
  ~PoissonRadiographToVolumeMetricv4() override;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;
  void
  EvaluateSimilarity(const std::vector<ViewPixels> & views, Order order, Similarity & similarity) const override;
  void
  VerifySimilarity() const override;
  void
  PrepareSimilarity() override;
  /** Expected readings. */
  void
  ConvertToPrediction(unsigned int view, ImageType & depths) const override;
  /** Signed roots of the deviance over the root of the dispersion factor: standard deviations. */
  void
  ConvertToResidual(unsigned int view, ImageType & depths) const override;

private:
  struct ViewModel
  {
    double                  openBeamCounts{ std::numeric_limits<double>::quiet_NaN() };
    ImageType::ConstPointer openBeamCountsImage;
    double                  scatterCounts{ 0.0 };
    ImageType::ConstPointer scatterCountsImage;
    double                  gain{ 1.0 };
    double                  offset{ 0.0 };
    double                  logExposure{ 0.0 };
  };
  struct PreparedModel;
  /** Means, and what of them came through the CT, of the pixels compared; photons. */
  struct PixelModel
  {
    std::vector<double> mean;
    std::vector<double> primary;
  };
  /** From observed and expected photons to a pixel of an image. */
  using PixelValue = std::function<double(double observed, double mean)>;

  PoissonCounts
  MakeCounts(unsigned int view, const ViewPixels & pixels) const;
  /** The counts of a view's whole detector at the nuisances of the last evaluation, all pixels inside. */
  PoissonCounts
  MakeWholeCounts(unsigned int view) const;
  void
  ConvertWith(unsigned int view, ImageType & depths, const PixelValue & valueOf) const;
  void
  StorePixelTerms(const radiography::compute::PoissonProfileView & model,
                  std::size_t                                      view,
                  Order                                            order,
                  PixelTerms &                                     terms) const;
  void
  StoreCouplings(Similarity & similarity) const;
  /** Standard errors of the unknowns of the profile at the present transform. */
  std::vector<double>
  FindNuisanceErrors() const;
  PixelModel
  EvaluatePixelModel(unsigned int view) const;
  /** Derivatives of the value with respect to the unknowns, summed over blocks of pixels. */
  std::vector<vnl_vector<double>>
  SumNuisanceScores(unsigned int view, unsigned int blockSize) const;
  ViewModel &
  ModifyModel(unsigned int view);
  ViewModel
  GetModel(unsigned int view) const;
  void
  RefuseOptions() const;
  void
  RefuseModel(unsigned int view) const;
  void
  RefuseImage(unsigned int view, const ImageType * image, const char * name) const;
  void
  RefusePixels(unsigned int view) const;

  double                 m_OpenBeamCounts{ std::numeric_limits<double>::quiet_NaN() };
  double                 m_AttenuationScale{ 1.0 };
  double                 m_ElectronicVariance{ 0.0 };
  double                 m_DispersionFactor{ 1.0 };
  bool                   m_AllowNonCounts{ false };
  bool                   m_EstimateExposure{ false };
  bool                   m_EstimateAttenuationScale{ false };
  bool                   m_EstimateScatter{ false };
  Size<2>                m_ScatterGrid{ { 4, 4 } };
  std::vector<ViewModel> m_ViewModels;
  // Counts and basis functions, and the nuisances of the last evaluation.
  std::unique_ptr<PreparedModel> m_Prepared;
};

} // namespace itk

#endif
