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
#include "TransmissionTestImages.h"
#include "itkTransmissionImageFilter.h"

#include <cmath>

using namespace testimages;

namespace
{

// NIST's mass attenuation coefficient of liquid water at 60 keV, 0.2059 cm^2/g, at 1.0 g/cm^3, in 1/mm.
constexpr double Water = 0.02059;
constexpr double OpenBeam = 10000.0;

struct Expected
{
  std::vector<float> transmission;
  std::vector<float> counts;
  std::vector<float> removed;
};

Expected
Evaluate(const std::vector<double> & depths, double openBeam = OpenBeam)
{
  const auto filter = itk::TransmissionImageFilter::New();
  filter->SetInput(Make({ { depths.size(), 1, 1 } }, [&](std::size_t i) { return depths[i]; }));
  filter->SetOpenBeamCounts(openBeam);
  filter->ComputeCountsOn();
  filter->ComputeRemovedOn();
  filter->Update();
  return { Pixels(*filter->GetTransmission()), Pixels(*filter->GetCounts()), Pixels(*filter->GetRemoved()) };
}

} // namespace

TEST(WaterTable, CountsOfTenThousandPhotonsAt60keV)
{
  const std::vector<double> millimetres{ 1.0, 10.0, 33.664, 100.0, 200.0 };
  const std::vector<double> counts{ 9796.2, 8139.1, 5000.0, 1275.8, 162.77 };
  std::vector<double>       depths;
  for (const double d : millimetres)
  {
    depths.push_back(Water * d);
  }
  const auto table = Evaluate(depths);
  for (std::size_t i = 0; i < depths.size(); ++i)
  {
    SCOPED_TRACE(testing::Message() << millimetres[i] << " mm");
    EXPECT_NEAR(table.counts[i], counts[i], 5e-5 * counts[i]);
    EXPECT_NEAR(table.transmission[i], std::exp(-depths[i]), 1e-7);
    EXPECT_NEAR(table.removed[i], -std::expm1(-depths[i]), 1e-7);
  }
}

TEST(WaterTable, AnExtraMillimetreMultipliesTheCount)
{
  for (const double d : { 0.0, 1.0, 10.0, 33.664, 100.0, 200.0 })
  {
    const auto counts = Evaluate({ Water * d, Water * (d + 1.0) }).counts;
    EXPECT_NEAR(counts[1] / counts[0], 0.979621, 7e-7) << d << " mm";
  }
}

// The second half-value layer is as thick as the first: what it lets through is half of what comes in.
TEST(WaterTable, TheSameSlabTwiceHalvesTwice)
{
  const auto counts = Evaluate({ Water * 33.664, 2.0 * Water * 33.664 }).counts;
  EXPECT_NEAR(counts[0], 5000.0, 0.05);
  EXPECT_NEAR(counts[1], 2500.0, 0.05);
  EXPECT_NEAR(Evaluate({ Water * 33.664 }, counts[0]).counts[0], counts[1], 1e-3);
}

TEST(WaterTable, TwoLayersInEitherOrder)
{
  const double first = 40.0 * 0.02;
  const double second = 10.0 * 0.05;
  const auto   table = Evaluate({ first + second, second + first });
  for (const float transmission : table.transmission)
  {
    EXPECT_NEAR(transmission, 0.272532, 5e-7); // exp(-1.3)
  }
  // Layer by layer: what leaves the first enters the second.
  const auto through = [](double one, double other) {
    return Evaluate({ other }, Evaluate({ one }).counts[0]).counts[0];
  };
  EXPECT_NEAR(through(first, second), 2725.32, 0.01);
  EXPECT_NEAR(through(second, first), 2725.32, 0.01);
}
