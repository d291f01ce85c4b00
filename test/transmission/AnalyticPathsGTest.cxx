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
#include "MpfrOracle.h"
#include "TransmissionTestImages.h"
#include "itkTransmissionImageFilter.h"

#include <cmath>
#include <thread>

using namespace testimages;
using Filter = itk::TransmissionImageFilter;

namespace
{

/** A path whose optical depth has a closed form. Coefficients and lengths are dyadic, so the depth is exact. */
struct AnalyticPath
{
  const char * name;
  double       depth;
};

constexpr double Mu = 0.125;
constexpr double Length = 4.0;

const AnalyticPath AnalyticPaths[] = {
  { "empty path", 0.0 },
  { "mu = 0", 0.0 * Length },
  { "homogeneous, mu d", Mu * Length },
  { "split homogeneous, mu d1 + mu d2", Mu * 1.0 + Mu * 3.0 },
  { "layered, mu1 d1 + mu2 d2", 0.25 * 2.0 + 0.5 * 3.0 },
  { "in millimetres", 0.125 * 4.0 },
  { "in centimetres", 1.25 * 0.4 },
  { "with a segment added", Mu * Length + 0.25 },
  // The integral of a + b s from 0 to d.
  { "linear coefficient, a d + b d^2 / 2", 0.125 * 4.0 + 0.0625 * 4.0 * 4.0 / 2.0 },
};

Filter::Pointer
AllOutputsOf(const ImageType * depths, double openBeam)
{
  const auto filter = Filter::New();
  filter->SetInput(depths);
  filter->SetOpenBeamCounts(openBeam);
  filter->ComputeCountsOn();
  filter->ComputeLogTransmissionOn();
  filter->ComputeRemovedOn();
  filter->Update();
  return filter;
}

/** The images of a row of depths. */
ImageType::Pointer
RowOf(const std::vector<double> & depths)
{
  return Make({ { depths.size(), 1, 1 } }, [&](std::size_t i) { return depths[i]; });
}

/** Transmission of one depth, as the filter gives it. */
float
TransmissionOf(double depth)
{
  return Pixels(*AllOutputsOf(RowOf({ depth }), 1.0)->GetTransmission())[0];
}

} // namespace

TEST(AnalyticPaths, EveryOutputIsTheCorrectlyRoundedOne)
{
  for (const AnalyticPath & path : AnalyticPaths)
  {
    const auto  filter = AllOutputsOf(RowOf({ path.depth }), 10000.0);
    const float depth = static_cast<float>(path.depth);
    ASSERT_EQ(static_cast<double>(depth), path.depth) << path.name << ": the depth is exact";
    EXPECT_LE(oracle::UlpDistance(Pixels(*filter->GetTransmission())[0], oracle::Transmission(depth)), 1) << path.name;
    EXPECT_LE(oracle::UlpDistance(Pixels(*filter->GetCounts())[0], oracle::Counts(depth, 10000.0f)), 1) << path.name;
    EXPECT_LE(oracle::UlpDistance(Pixels(*filter->GetRemoved())[0], oracle::Removed(depth)), 1) << path.name;
    EXPECT_EQ(oracle::Bits(Pixels(*filter->GetLogTransmission())[0]), oracle::Bits(-depth)) << path.name;
  }
}

TEST(AnalyticPaths, SplittingAndUnitsDoNotChangeThePath)
{
  EXPECT_EQ(AnalyticPaths[2].depth, AnalyticPaths[3].depth);
  EXPECT_EQ(AnalyticPaths[5].depth, AnalyticPaths[6].depth);
}

TEST(AnalyticPaths, AnAddedSegmentMultipliesWhatIsLeft)
{
  for (const double before : { 0.0, 0.5, 3.0 })
  {
    const double ratio = TransmissionOf(before + 0.25) / static_cast<double>(TransmissionOf(before));
    EXPECT_NEAR(ratio, std::exp(-0.25), 2e-7) << "whatever attenuation preceded it: " << before;
  }
}

TEST(AnalyticPaths, OnlyTheProductOfCoefficientAndThicknessShows)
{
  for (const double factor : { 0.25, 2.0, 1024.0 })
  {
    EXPECT_EQ(TransmissionOf((factor * Mu) * (Length / factor)), TransmissionOf(Mu * Length)) << factor;
  }
  // A change with d dmu + mu dd = 0 leaves the prediction unchanged to first order: what is left is dmu dd.
  const double step = 1.0 / 1024.0;
  const double change = (Mu + step) * (Length - Length * step / Mu) - Mu * Length;
  EXPECT_NEAR(change, -step * step * Length / Mu, 1e-15);
  EXPECT_NEAR(TransmissionOf(Mu * Length + change) / TransmissionOf(Mu * Length) - 1.0, -change, 1e-7);
}

TEST(AnalyticPaths, ADepthErrorIsARelativeTransmissionError)
{
  for (const double error : { -0.5, -0.0078125, 0.0078125, 0.5 })
  {
    for (const double depth : { 1.0, 20.0, 80.0 })
    {
      const double relative = TransmissionOf(depth + error) / static_cast<double>(TransmissionOf(depth)) - 1.0;
      EXPECT_NEAR(relative, std::expm1(-error), 3e-7) << depth << " + " << error;
    }
  }
}

// Each of m photons survives with probability T; for m Poisson with mean n0 the survivors are Poisson with mean n0 T.
TEST(AnalyticPaths, SurvivorsOfAPoissonBeamArePoisson)
{
  const double openBeam = 20.0;
  const double transmission = TransmissionOf(Mu * Length);
  const auto   logPoisson = [](int count, double mean) {
    return count * std::log(mean) - mean - std::lgamma(count + 1.0);
  };
  for (int survivors = 0; survivors < 40; ++survivors)
  {
    double sum = 0.0;
    for (int photons = survivors; photons < 200; ++photons)
    {
      const double logChoose =
        std::lgamma(photons + 1.0) - std::lgamma(survivors + 1.0) - std::lgamma(photons - survivors + 1.0);
      sum += std::exp(logPoisson(photons, openBeam) + logChoose + survivors * std::log(transmission) +
                      (photons - survivors) * std::log1p(-transmission));
    }
    const double mean = Pixels(*AllOutputsOf(RowOf({ Mu * Length }), openBeam)->GetCounts())[0];
    EXPECT_NEAR(sum, std::exp(logPoisson(survivors, mean)), 1e-7) << survivors;
  }
}

// ITK's pipeline writes requested regions into the image objects; the pixels themselves may be shared.
TEST(AnalyticPaths, TwoFiltersOnOneBufferRunInTwoThreads)
{
  const auto depths = Make({ { 61, 47, 2 } }, [](std::size_t i) { return 1e-3 * static_cast<double>(i); });
  const auto alone = Pixels(*AllOutputsOf(depths, 100.0)->GetCounts());

  ImageType::Pointer inputs[2];
  Filter::Pointer    filters[2];
  std::thread        threads[2];
  for (int i = 0; i < 2; ++i)
  {
    inputs[i] = ImageType::New();
    inputs[i]->Graft(depths);
    threads[i] = std::thread([&filters, &inputs, i]() { filters[i] = AllOutputsOf(inputs[i], 100.0); });
  }
  for (auto & thread : threads)
  {
    thread.join();
  }
  for (const auto & filter : filters)
  {
    EXPECT_EQ(Pixels(*filter->GetCounts()), alone);
  }
}
