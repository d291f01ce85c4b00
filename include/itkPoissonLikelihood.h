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
#ifndef itkPoissonLikelihood_h
#define itkPoissonLikelihood_h

#include "RadiographyExport.h"

#include "itkMatrix.h"
#include "itkVector.h"

namespace itk
{

/** What the model expects of one pixel: the mean lambda = n0 exp(-L) + s, in counts.
 * \ingroup Radiography */
struct PoissonExpectation
{
  /** L, the optical depth; any finite number. */
  double depth{ 0.0 };
  /** n0, the open-beam mean in counts; finite and not negative. */
  double openBeamCounts{ 0.0 };
  /** s, scatter or other background in counts; finite and not negative. */
  double scatter{ 0.0 };
};

/** How the variance departs from Poisson's.
 * \ingroup Radiography */
struct PoissonDispersion
{
  /** phi, finite and above 0: the variance is phi times the mean (quasi-Poisson; an energy-integrating detector has
   * phi = g E[e^2] / E[e]). It divides likelihoods, scores and information; estimates stay where they are. */
  double factor{ 1.0 };
  /** sigma^2 of electronic noise in squared counts, finite and not negative: N + sigma^2 is compared with
   * lambda + sigma^2 (shifted Poisson), so N may go down to -sigma^2. */
  double electronicVariance{ 0.0 };
};

/** First derivatives of the half-deviance for the parameters log exposure (a factor exp(e) on n0), attenuation scale (a
 * factor a on L) and scatter s, in this order, and their Fisher information.
 * \ingroup Radiography */
struct PoissonNuisanceDerivatives
{
  Vector<double, 3>    score;
  Matrix<double, 3, 3> information;
};

/** \class PoissonLikelihood
 * \brief The likelihood of a photon count in one pixel, as plain functions in binary64.
 *
 * N is the observed count, any finite number that is not negative, whole or not; lambda = y + s its mean, with the
 * primary y = n0 exp(-L) and the scatter s. There are two ways in: from N and lambda, where one number says all, and
 * from N and a PoissonExpectation, which also serves where lambda underflows: without scatter ln lambda = ln n0 - L is
 * formed without an exponential, so L = 800 with N = 1 has a finite likelihood. The logarithm of an observed count of
 * zero is never taken, and nothing is floored or clipped. doc/likelihood.md explains the quantities.
 *
 * Accuracy: Deviance() and HalfDeviance() within 1e-14 relative as functions of binary64 N and lambda; of (N, L, n0)
 * within 4 eps max(1, max(1, |L|) / |L - ln(n0 / N)|), as long as the result is a normal number.
 *
 * \throws ExceptionObject naming the argument and its value: an N, lambda, n0 or s that is NaN, infinite or negative;
 * an L that is not finite; N > 0 where lambda is exactly 0 (n0 = s = 0); a result that binary64 cannot hold.
 *
 * \ingroup Radiography */
class Radiography_EXPORT PoissonLikelihood
{
public:
  PoissonLikelihood() = delete;

  /** \name Values of the likelihood */
  ///@{
  /** lambda = n0 exp(-L) + s. It may underflow to 0. */
  static double
  Mean(const PoissonExpectation & expectation);

  /** lambda - N ln lambda: the negative log-likelihood up to a term free of lambda. */
  static double
  NegativeLogLikelihood(double observed, double mean);
  static double
  NegativeLogLikelihood(double observed, const PoissonExpectation & expectation);

  /** -ln P(N; lambda), the term ln N! included; Gamma(N + 1) stands for N! where N is not whole. Formed as half the
   * deviance plus the saturated term (Loader 2000), which does not cancel at high counts. */
  static double
  NegativeLogProbability(double observed, double mean);
  static double
  NegativeLogProbability(double observed, const PoissonExpectation & expectation);

  /** N ln(N / lambda) + lambda - N: the negative log-likelihood minus its least value over all lambda, with the same
   * derivatives and without its cancellation. Divided by the dispersion factor. Never negative; 0 at N = lambda. */
  static double
  HalfDeviance(double observed, double mean, const PoissonDispersion & dispersion = {});
  static double
  HalfDeviance(double observed, const PoissonExpectation & expectation, const PoissonDispersion & dispersion = {});

  /** Twice HalfDeviance(). Its mean under the model is near 1 per degree of freedom at high counts. */
  static double
  Deviance(double observed, double mean, const PoissonDispersion & dispersion = {});
  static double
  Deviance(double observed, const PoissonExpectation & expectation, const PoissonDispersion & dispersion = {});
  ///@}

  /** \name Derivatives for the optical depth L */
  ///@{
  /** dl/dL = y (N / lambda - 1), the derivative of NegativeLogLikelihood() and HalfDeviance(). Its mean under the model
   * is 0 and its variance FisherInformation(). */
  static double
  Score(double observed, const PoissonExpectation & expectation, const PoissonDispersion & dispersion = {});

  /** d2l/dL2 = y (1 - N s / lambda^2). With scatter it may be negative. */
  static double
  Curvature(double observed, const PoissonExpectation & expectation, const PoissonDispersion & dispersion = {});

  /** y^2 / lambda, the mean of Curvature(). */
  static double
  FisherInformation(const PoissonExpectation & expectation, const PoissonDispersion & dispersion = {});
  ///@}

  /** \name Nuisance parameters */
  ///@{
  /** The derivatives for log exposure, attenuation scale and scatter. L is that before the scale a: the mean is
   * n0 exp(-a L) + s. Refused where lambda underflows, as the derivative for the scatter has no finite value there. */
  static PoissonNuisanceDerivatives
  NuisanceDerivatives(double                     observed,
                      const PoissonExpectation & expectation,
                      double                     attenuationScale = 1.0,
                      const PoissonDispersion &  dispersion = {});

  /** The most likely n0 that several pixels share without scatter: sum of N / sum of exp(-L).
   * \throws ExceptionObject a negative or non-finite sum, or a sum of transmissions that is 0. */
  static double
  Exposure(double sumOfCounts, double sumOfTransmissions);

  /** phi = Pearson chi-square / (pixels - parameters), the usual estimate of the dispersion factor.
   * \throws ExceptionObject a negative or non-finite chi-square, or no more pixels than parameters. */
  static double
  DispersionFactor(double pearsonChiSquare, double pixels, double parameters);
  ///@}

  /** \name The best optical depth of a single pixel without scatter */
  ///@{
  /** -ln(N / n0); negative where N > n0, +infinity where N = 0: there the likelihood approaches its best value only as
   * L grows without bound.
   * \throws ExceptionObject n0 that is not above 0. */
  static double
  OptimalDepth(double observed, double openBeamCounts);

  /** The same with L >= 0 as a constraint: 0 where N > n0. */
  static double
  OptimalNonNegativeDepth(double observed, double openBeamCounts);
  ///@}

  /** \name Residuals in standard deviations, positive where more is seen than expected */
  ///@{
  /** sign(N - lambda) sqrt(deviance): near a normal distribution also at low counts. */
  static double
  DevianceResidual(double observed, double mean, const PoissonDispersion & dispersion = {});
  static double
  DevianceResidual(double observed, const PoissonExpectation & expectation, const PoissonDispersion & dispersion = {});

  /** (N - lambda) / sqrt(lambda): exactly of mean 0 and variance 1 under the model. 0 where N = lambda = 0. */
  static double
  PearsonResidual(double observed, double mean, const PoissonDispersion & dispersion = {});
  static double
  PearsonResidual(double observed, const PoissonExpectation & expectation, const PoissonDispersion & dispersion = {});
  ///@}
};

} // namespace itk

#endif
