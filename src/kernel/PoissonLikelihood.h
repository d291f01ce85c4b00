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
#ifndef radiography_kernel_PoissonLikelihood_h
#define radiography_kernel_PoissonLikelihood_h

#include "kernel/HostDevice.h"

#include <cmath>

/** Poisson counts in one pixel: N observed, mean lambda = y + s, primary y = n0 exp(-L), scatter s.
 *
 * l is the negative log-likelihood up to terms free of lambda. Nothing is checked here: arguments are finite and none
 * of N, n0, s and lambda is negative. A result that does not exist comes out infinite. */
namespace radiography::kernel
{

constexpr double SmallestNormal = 2.2250738585072014e-308;
constexpr double LargestFinite = 1.7976931348623157e308;

RADIOGRAPHY_HD inline bool
IsNormalPositive(double value)
{
  return value >= SmallestNormal && value <= LargestFinite;
}

/** ln(a / b), also where the quotient leaves the normal numbers. */
RADIOGRAPHY_HD inline double
LogRatio(double a, double b)
{
  const double ratio = a / b;
  return IsNormalPositive(ratio) ? std::log(ratio) : std::log(a) - std::log(b);
}

/** y = n0 exp(-L). Where exp(-L) alone would lose digits or overflow it is taken in two halves. */
RADIOGRAPHY_HD inline double
PrimaryMean(double depth, double openBeam)
{
  const double transmission = std::exp(-depth);
  if (IsNormalPositive(transmission))
  {
    return openBeam * transmission;
  }
  const double half = std::exp(-0.5 * depth);
  return openBeam * half * half;
}

/** (atanh(v) - v) / v from w = v^2 <= 1/9: the sum of w^j / (2 j + 1). The first term left out is below 1e-17 v^2. */
RADIOGRAPHY_HD inline double
AtanhRemainder(double w)
{
  double sum = 0.0;
  for (int j = 17; j >= 1; --j)
  {
    sum = (sum + 1.0 / (2 * j + 1)) * w;
  }
  return sum;
}

/** N ln(N / lambda) + lambda - N without cancellation, from N - lambda and v = (N - lambda) / (N + lambda), |v| <= 1/3.
 *
 * C. Loader, Fast and accurate computation of binomial probabilities, 2000, the function bd0. He leaves the series at
 * |v| = 0.1, where the logarithm still loses a decimal; at 1/3 it loses nothing to speak of. */
RADIOGRAPHY_HD inline double
LoaderHalfDeviance(double observed, double difference, double v)
{
  return difference * v + 2.0 * observed * v * AtanhRemainder(v * v);
}

/** Half the deviance, l minus its least value over lambda: N ln(N / lambda) + lambda - N. */
RADIOGRAPHY_HD inline double
PoissonHalfDeviance(double observed, double mean)
{
  if (observed == 0.0)
  {
    return mean;
  }
  if (observed <= 2.0 * mean && mean <= 2.0 * observed)
  {
    const double difference = observed - mean; // exact
    const double relative = difference / mean;
    return LoaderHalfDeviance(observed, difference, relative / (2.0 + relative));
  }
  return observed * LogRatio(observed, mean) + (mean - observed);
}

/** Half the deviance from delta = ln(N / lambda), for N > 0: N (delta + expm1(-delta)). */
RADIOGRAPHY_HD inline double
PoissonHalfDevianceOfLogRatio(double observed, double delta)
{
  const double change = std::expm1(-delta); // (lambda - N) / N
  if (change >= -0.5 && change <= 1.0)
  {
    return LoaderHalfDeviance(observed, -observed * change, -change / (2.0 + change));
  }
  return observed * (delta + change);
}

/** What is known of one pixel. */
struct PoissonPixel
{
  double observed;
  double depth;
  double openBeam;
  double scatter;
};

/** Whether the mean is one that binary64 cannot hold, so that only its logarithm ln n0 - L is of use. */
RADIOGRAPHY_HD inline bool
MeanUnderflows(const PoissonPixel & pixel, double primary)
{
  return pixel.scatter == 0.0 && pixel.observed > 0.0 && primary < SmallestNormal;
}

/** Half the deviance of a pixel whose primary is already known.
 *
 * Through the mean where that is a normal number: exp takes L as it is, so the mean is good to 2 u and the deviance to
 * 4 u / |delta|, while delta = L - ln(n0 / N) would inherit |L| u from its two terms. */
RADIOGRAPHY_HD inline double
PoissonHalfDeviance(const PoissonPixel & pixel, double primary)
{
  if (MeanUnderflows(pixel, primary))
  {
    return PoissonHalfDevianceOfLogRatio(pixel.observed, pixel.depth - LogRatio(pixel.openBeam, pixel.observed));
  }
  return PoissonHalfDeviance(pixel.observed, primary + pixel.scatter);
}

/** lambda - N ln lambda. */
RADIOGRAPHY_HD inline double
PoissonNegativeLogLikelihood(double observed, double mean)
{
  return observed == 0.0 ? mean : mean - observed * std::log(mean);
}

/** lambda - N ln lambda, where without scatter ln lambda = ln n0 - L needs no exponential. */
RADIOGRAPHY_HD inline double
PoissonNegativeLogLikelihood(const PoissonPixel & pixel, double primary)
{
  if (pixel.scatter == 0.0 && pixel.observed > 0.0)
  {
    return primary - pixel.observed * (std::log(pixel.openBeam) - pixel.depth);
  }
  return PoissonNegativeLogLikelihood(pixel.observed, primary + pixel.scatter);
}

/** The terms of -ln P(N; lambda) that the half-deviance lacks: ln N! - N ln N + N = -ln P(N; N).
 *
 * From N = 16 on Stirling's series (Loader 2000, stirlerr), where the difference of large numbers would cancel. */
RADIOGRAPHY_HD inline double
PoissonSaturatedTerm(double observed)
{
  if (observed == 0.0)
  {
    return 0.0;
  }
  if (observed < 16.0)
  {
    return std::lgamma(observed + 1.0) - observed * std::log(observed) + observed;
  }
  const double inverse = 1.0 / observed;
  const double w = inverse * inverse;
  const double stirling =
    inverse * (1.0 / 12.0 - w * (1.0 / 360.0 - w * (1.0 / 1260.0 - w * (1.0 / 1680.0 - w / 1188.0))));
  const double logTwoPi = 1.8378770664093454836;
  return 0.5 * (logTwoPi + std::log(observed)) + stirling;
}

/** dl/dL = y (N / lambda - 1). */
RADIOGRAPHY_HD inline double
PoissonScore(double observed, double primary, double scatter)
{
  if (scatter == 0.0)
  {
    return observed - primary;
  }
  const double mean = primary + scatter;
  return (primary / mean) * (observed - mean);
}

/** d2l/dL2 = y (1 - N s / lambda^2). */
RADIOGRAPHY_HD inline double
PoissonCurvature(double observed, double primary, double scatter)
{
  if (scatter == 0.0)
  {
    return primary;
  }
  const double mean = primary + scatter;
  return primary * (1.0 - (observed / mean) * (scatter / mean));
}

/** The Fisher information on L, y^2 / lambda: the mean of the curvature and the variance of the score. */
RADIOGRAPHY_HD inline double
PoissonInformation(double primary, double scatter)
{
  return scatter == 0.0 ? primary : primary * (primary / (primary + scatter));
}

/** (N - lambda) / sqrt(lambda). 0 where both are 0. */
RADIOGRAPHY_HD inline double
PearsonResidual(double observed, double mean)
{
  return observed == mean ? 0.0 : (observed - mean) / std::sqrt(mean);
}

/** sign(N - lambda) sqrt(deviance). */
RADIOGRAPHY_HD inline double
DevianceResidual(double observed, double mean)
{
  const double size = std::sqrt(2.0 * PoissonHalfDeviance(observed, mean));
  return observed < mean ? -size : size;
}

/** First derivatives of l, and their Fisher information, for the parameters log exposure (a factor exp(e) on n0),
 * attenuation scale (a factor a on L) and scatter s, in this order. */
struct PoissonNuisance
{
  double score[3];
  /** Rows of the upper triangle: ee, ea, es, aa, as, ss. */
  double information[6];
};

/** With d lambda = y de - L y da + ds. `depth` is L before the factor a, `primary` is y after it. The scatter's terms
 * are infinite where lambda is 0. */
RADIOGRAPHY_HD inline PoissonNuisance
PoissonNuisanceTerms(double observed, double depth, double primary, double scatter)
{
  const double mean = primary + scatter;
  const double score = PoissonScore(observed, primary, scatter);
  const double information = PoissonInformation(primary, scatter);
  const double share = scatter == 0.0 ? 1.0 : primary / mean;
  const double scatterScore = observed == 0.0 ? 1.0 : (mean - observed) / mean;
  return { { -score, depth * score, scatterScore },
           { information, -depth * information, share, depth * (depth * information), -depth * share, 1.0 / mean } };
}

} // namespace radiography::kernel

#endif
