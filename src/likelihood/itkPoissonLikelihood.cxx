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
#include "itkPoissonLikelihood.h"

#include "kernel/PoissonLikelihood.h"

#include "itkMacro.h"
#include "itkNumberToString.h"

#include <cmath>
#include <string>

namespace itk
{
namespace
{

using radiography::kernel::PoissonPixel;

std::string
TextOf(double value)
{
  return NumberToString<double>()(value);
}

void
RequireNotNegative(double value, const char * name)
{
  if (!(std::isfinite(value) && value >= 0.0))
  {
    itkGenericExceptionMacro("" << name << " is " << TextOf(value) << "; it must be finite and not negative.");
  }
}

void
RequirePositive(double value, const char * name)
{
  if (!(std::isfinite(value) && value > 0.0))
  {
    itkGenericExceptionMacro("" << name << " is " << TextOf(value) << "; it must be finite and above 0.");
  }
}

void
RequireFinite(double value, const char * name)
{
  if (!std::isfinite(value))
  {
    itkGenericExceptionMacro("" << name << " is " << TextOf(value) << "; it must be finite.");
  }
}

double
InRange(double result, const char * name)
{
  if (!std::isfinite(result))
  {
    itkGenericExceptionMacro("" << name << " is " << TextOf(result)
                                << " for these arguments: binary64 cannot hold it.");
  }
  return result;
}

/** N, or N + sigma^2: what is compared with a mean that is shifted alike. */
double
ShiftedCount(double observed, const PoissonDispersion & dispersion)
{
  RequirePositive(dispersion.factor, "The dispersion factor");
  RequireNotNegative(dispersion.electronicVariance, "The electronic variance");
  if (dispersion.electronicVariance == 0.0)
  {
    RequireNotNegative(observed, "The observed count");
    return observed;
  }
  RequireNotNegative(observed + dispersion.electronicVariance, "The observed count plus the electronic variance");
  return observed + dispersion.electronicVariance;
}

void
RequirePossible(double observed, bool meanIsZero, const char * what)
{
  if (observed > 0.0 && meanIsZero)
  {
    itkGenericExceptionMacro("" << what << " while the observed count is " << TextOf(observed)
                                << ": nothing can be seen where nothing is expected. Correct the open beam, or give "
                                   "the scatter that explains the count.");
  }
}

struct CountAndMean
{
  double observed;
  double mean;
};

CountAndMean
Checked(double observed, double mean, const PoissonDispersion & dispersion = {})
{
  const double shifted = ShiftedCount(observed, dispersion);
  RequireNotNegative(mean, "The expected count");
  const double shiftedMean = mean + dispersion.electronicVariance;
  RequirePossible(shifted, shiftedMean == 0.0, "The expected count is 0");
  return { shifted, shiftedMean };
}

void
RequireExpectation(const PoissonExpectation & expectation)
{
  RequireFinite(expectation.depth, "The optical depth");
  RequireNotNegative(expectation.openBeamCounts, "The open-beam count");
  RequireNotNegative(expectation.scatter, "The scatter");
}

struct PixelAndPrimary
{
  PoissonPixel pixel;
  double       primary;

  double
  Mean() const
  {
    return primary + pixel.scatter;
  }
};

PixelAndPrimary
Checked(double observed, const PoissonExpectation & expectation, const PoissonDispersion & dispersion = {})
{
  const double shifted = ShiftedCount(observed, dispersion);
  RequireExpectation(expectation);
  const double scatter = expectation.scatter + dispersion.electronicVariance;
  RequirePossible(
    shifted, expectation.openBeamCounts == 0.0 && scatter == 0.0, "The open-beam count and the scatter are 0");
  const double primary = radiography::kernel::PrimaryMean(expectation.depth, expectation.openBeamCounts);
  InRange(primary + scatter, "The expected count");
  return { { shifted, expectation.depth, expectation.openBeamCounts, scatter }, primary };
}

} // namespace

double
PoissonLikelihood::Mean(const PoissonExpectation & expectation)
{
  return Checked(0.0, expectation).Mean();
}

double
PoissonLikelihood::NegativeLogLikelihood(double observed, double mean)
{
  const auto checked = Checked(observed, mean);
  return InRange(radiography::kernel::PoissonNegativeLogLikelihood(checked.observed, checked.mean),
                 "The negative log-likelihood");
}

double
PoissonLikelihood::NegativeLogLikelihood(double observed, const PoissonExpectation & expectation)
{
  const auto checked = Checked(observed, expectation);
  return InRange(radiography::kernel::PoissonNegativeLogLikelihood(checked.pixel, checked.primary),
                 "The negative log-likelihood");
}

double
PoissonLikelihood::NegativeLogProbability(double observed, double mean)
{
  return HalfDeviance(observed, mean) + radiography::kernel::PoissonSaturatedTerm(observed);
}

double
PoissonLikelihood::NegativeLogProbability(double observed, const PoissonExpectation & expectation)
{
  return HalfDeviance(observed, expectation) + radiography::kernel::PoissonSaturatedTerm(observed);
}

double
PoissonLikelihood::HalfDeviance(double observed, double mean, const PoissonDispersion & dispersion)
{
  const auto checked = Checked(observed, mean, dispersion);
  return InRange(radiography::kernel::PoissonHalfDeviance(checked.observed, checked.mean) / dispersion.factor,
                 "The half-deviance");
}

double
PoissonLikelihood::HalfDeviance(double                     observed,
                                const PoissonExpectation & expectation,
                                const PoissonDispersion &  dispersion)
{
  const auto checked = Checked(observed, expectation, dispersion);
  return InRange(radiography::kernel::PoissonHalfDeviance(checked.pixel, checked.primary) / dispersion.factor,
                 "The half-deviance");
}

double
PoissonLikelihood::Deviance(double observed, double mean, const PoissonDispersion & dispersion)
{
  return InRange(2.0 * HalfDeviance(observed, mean, dispersion), "The deviance");
}

double
PoissonLikelihood::Deviance(double                     observed,
                            const PoissonExpectation & expectation,
                            const PoissonDispersion &  dispersion)
{
  return InRange(2.0 * HalfDeviance(observed, expectation, dispersion), "The deviance");
}

double
PoissonLikelihood::Score(double observed, const PoissonExpectation & expectation, const PoissonDispersion & dispersion)
{
  const auto checked = Checked(observed, expectation, dispersion);
  return InRange(radiography::kernel::PoissonScore(checked.pixel.observed, checked.primary, checked.pixel.scatter) /
                   dispersion.factor,
                 "The score");
}

double
PoissonLikelihood::Curvature(double                     observed,
                             const PoissonExpectation & expectation,
                             const PoissonDispersion &  dispersion)
{
  const auto checked = Checked(observed, expectation, dispersion);
  return InRange(radiography::kernel::PoissonCurvature(checked.pixel.observed, checked.primary, checked.pixel.scatter) /
                   dispersion.factor,
                 "The curvature");
}

double
PoissonLikelihood::FisherInformation(const PoissonExpectation & expectation, const PoissonDispersion & dispersion)
{
  const auto checked = Checked(0.0, expectation, dispersion);
  return InRange(radiography::kernel::PoissonInformation(checked.primary, checked.pixel.scatter) / dispersion.factor,
                 "The Fisher information");
}

PoissonNuisanceDerivatives
PoissonLikelihood::NuisanceDerivatives(double                     observed,
                                       const PoissonExpectation & expectation,
                                       double                     attenuationScale,
                                       const PoissonDispersion &  dispersion)
{
  RequireFinite(attenuationScale, "The attenuation scale");
  PoissonExpectation scaled = expectation;
  scaled.depth *= attenuationScale;
  const auto checked = Checked(observed, scaled, dispersion);
  const auto terms = radiography::kernel::PoissonNuisanceTerms(
    checked.pixel.observed, expectation.depth, checked.primary, checked.pixel.scatter);

  PoissonNuisanceDerivatives derivatives;
  const double *             upperTriangle = terms.information;
  for (unsigned int row = 0; row < 3; ++row)
  {
    derivatives.score[row] = InRange(terms.score[row] / dispersion.factor, "A score of the nuisance parameters");
    for (unsigned int column = row; column < 3; ++column)
    {
      derivatives.information(row, column) = derivatives.information(column, row) =
        InRange(*upperTriangle++ / dispersion.factor, "A Fisher information of the nuisance parameters");
    }
  }
  return derivatives;
}

double
PoissonLikelihood::Exposure(double sumOfCounts, double sumOfTransmissions)
{
  RequireNotNegative(sumOfCounts, "The sum of counts");
  RequirePositive(sumOfTransmissions, "The sum of transmissions");
  return InRange(sumOfCounts / sumOfTransmissions, "The exposure");
}

double
PoissonLikelihood::DispersionFactor(double pearsonChiSquare, double pixels, double parameters)
{
  RequireNotNegative(pearsonChiSquare, "Pearson's chi-square");
  RequireNotNegative(pixels, "The number of pixels");
  RequireNotNegative(parameters, "The number of parameters");
  RequirePositive(pixels - parameters, "The number of pixels minus that of parameters");
  return pearsonChiSquare / (pixels - parameters);
}

double
PoissonLikelihood::OptimalDepth(double observed, double openBeamCounts)
{
  RequireNotNegative(observed, "The observed count");
  RequirePositive(openBeamCounts, "The open-beam count");
  return observed == 0.0 ? HUGE_VAL : radiography::kernel::LogRatio(openBeamCounts, observed);
}

double
PoissonLikelihood::OptimalNonNegativeDepth(double observed, double openBeamCounts)
{
  return std::fmax(0.0, OptimalDepth(observed, openBeamCounts));
}

double
PoissonLikelihood::DevianceResidual(double observed, double mean, const PoissonDispersion & dispersion)
{
  const auto checked = Checked(observed, mean, dispersion);
  return InRange(radiography::kernel::DevianceResidual(checked.observed, checked.mean) / std::sqrt(dispersion.factor),
                 "The deviance residual");
}

double
PoissonLikelihood::DevianceResidual(double                     observed,
                                    const PoissonExpectation & expectation,
                                    const PoissonDispersion &  dispersion)
{
  const auto   checked = Checked(observed, expectation, dispersion);
  const double halfDeviance = radiography::kernel::PoissonHalfDeviance(checked.pixel, checked.primary);
  return InRange(
    std::copysign(std::sqrt(2.0 * halfDeviance / dispersion.factor), checked.pixel.observed - checked.Mean()),
    "The deviance residual");
}

double
PoissonLikelihood::PearsonResidual(double observed, double mean, const PoissonDispersion & dispersion)
{
  const auto checked = Checked(observed, mean, dispersion);
  return InRange(radiography::kernel::PearsonResidual(checked.observed, checked.mean) / std::sqrt(dispersion.factor),
                 "The Pearson residual");
}

double
PoissonLikelihood::PearsonResidual(double                     observed,
                                   const PoissonExpectation & expectation,
                                   const PoissonDispersion &  dispersion)
{
  const auto checked = Checked(observed, expectation, dispersion);
  return InRange(radiography::kernel::PearsonResidual(checked.pixel.observed, checked.Mean()) /
                   std::sqrt(dispersion.factor),
                 "The Pearson residual");
}

} // namespace itk
