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
// What taking the logarithm of counts does: log_projection_bias OUT.csv OUT.svg
// The bias and variance of -ln(N / n0) as sums over the Poisson distribution, for ways of handling N = 0.

#include "LinePlot.h"
#include "itkPoissonLikelihood.h"

#include <fstream>
#include <functional>
#include <iostream>

namespace
{

using Poisson = itk::PoissonLikelihood;

constexpr double OpenBeam = 1e4;

/** A way to make a depth of a count. */
struct Estimator
{
  std::string                   name, title, color, dashes;
  bool                          usesZeros;
  std::function<double(double)> depthOf;
};

double
LogDepth(double count)
{
  return -std::log(count / OpenBeam);
}

const std::vector<Estimator> Estimators{
  { "zeros_left_out", "zeros left out", "#1f6fb2", "none", false, LogDepth },
  { "floor_half", "0 becomes 0.5", "#b3372b", "none", true, [](double n) { return LogDepth(std::fmax(n, 0.5)); } },
  { "floor_one", "0 becomes 1", "#d98324", "none", true, [](double n) { return LogDepth(std::fmax(n, 1.0)); } },
  { "pseudocount", "N + 0.5", "#2f8f4e", "none", true, [](double n) { return LogDepth(n + 0.5); } },
  // At N = 0 it is infinite: no depth of a single pixel explains an empty pixel best.
  { "non_negative",
    "best L &#8805; 0, N &gt; 0",
    "#7a4fa3",
    "7 7",
    false,
    [](double n) { return Poisson::OptimalNonNegativeDepth(n, OpenBeam); } }
};

/** Exact up to the tails beyond 12 standard deviations. */
std::pair<double, double>
BiasAndVariance(const Estimator & estimator, double mean)
{
  const double truth = LogDepth(mean);
  const double spread = 12.0 * std::sqrt(mean) + 30.0;
  double       weight = 0.0;
  double       sum = 0.0;
  double       squares = 0.0;
  for (double n = std::fmax(estimator.usesZeros ? 0.0 : 1.0, std::floor(mean - spread)); n <= mean + spread; ++n)
  {
    const double probability = std::exp(-Poisson::NegativeLogProbability(n, mean));
    const double error = estimator.depthOf(n) - truth;
    weight += probability;
    sum += probability * error;
    squares += probability * error * error;
  }
  return { sum / weight, squares / weight - (sum / weight) * (sum / weight) };
}

/** The half-deviance of one pixel over its depth, for n0 = 10, and its best depth where there is one. */
LinePlot
PlotObjective()
{
  LinePlot plot(
    2, "One pixel, n0 = 10", { "L", 0, 6, { 0, 1, 2, 3, 4, 5, 6 } }, { "half-deviance", 0, 16, { 0, 4, 8, 12, 16 } });
  const auto add = [&plot](double count, const std::string & color, const std::string & name) {
    LinePlot::Points curve;
    for (double depth = 0.0; depth <= 6.0; depth += 0.05)
    {
      curve.emplace_back(depth, Poisson::HalfDeviance(count, { depth, 10.0 }));
    }
    plot.Curve(curve, color, "none", name);
    const double best = Poisson::OptimalNonNegativeDepth(count, 10.0);
    if (std::isfinite(best))
    {
      plot.Dot(best, Poisson::HalfDeviance(count, { best, 10.0 }), color);
    }
  };
  add(0.0, "#1f6fb2", "N = 0");
  add(3.0, "#2f8f4e", "N = 3");
  add(14.0, "#b3372b", "N = 14");
  return plot;
}

bool
WriteStudy(const char * csvPath, const char * svgPath)
{
  const LinePlot::Axis means{ "&#955; = n0 exp(-L)", 1, 1e4, { 1, 10, 100, 1e3, 1e4 }, true };
  LinePlot             bias(0, "Bias / (1 / 2&#955;)", means, { "bias x 2&#955;", -1, 2.5, { -1, 0, 1, 2 } });
  LinePlot             variance(1, "Variance / (1 / &#955;)", means, { "variance x &#955;", 0, 2.5, { 0, 1, 2 } });
  std::ofstream        csv(csvPath);
  csv.imbue(std::locale::classic());
  csv.precision(12);
  csv << "mean,estimator,bias,variance\n";
  for (const auto & estimator : Estimators)
  {
    LinePlot::Points biases;
    LinePlot::Points variances;
    for (int i = 0; i <= 80; ++i)
    {
      const double mean = std::pow(10.0, i / 20.0);
      const auto [shift, spread] = BiasAndVariance(estimator, mean);
      csv << mean << ',' << estimator.name << ',' << shift << ',' << spread << '\n';
      biases.emplace_back(mean, shift * 2.0 * mean);
      variances.emplace_back(mean, spread * mean);
    }
    bias.Curve(biases, estimator.color, estimator.dashes, estimator.title);
    variance.Curve(variances, estimator.color, estimator.dashes, estimator.title);
  }
  std::ofstream svg(svgPath);
  svg << LinePlot::Drawing({ bias.Text(), variance.Text(), PlotObjective().Text() });
  return csv.flush() && svg.flush();
}

} // namespace

int
main(int argc, char * argv[])
{
  if (argc != 3)
  {
    std::cerr << "usage: log_projection_bias OUT.csv OUT.svg" << std::endl;
    return 2;
  }
  return WriteStudy(argv[1], argv[2]) ? 0 : 1;
}
