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
#include "compute/AttenuationScan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

using namespace radiography::compute;

TEST(AttenuationScan, GoodValuesFromZeroToTheLimit)
{
  std::vector<float> values(700000, 0.02F);
  values.front() = 0.0F;
  values.back() = 10.0F;
  EXPECT_EQ(ScanAttenuation(values.data(), 700000, 10.0, SerialFor).firstBad, -1);
  EXPECT_EQ(ScanAttenuation(values.data(), 0, 10.0, SerialFor).firstBad, -1);
}

TEST(AttenuationScan, FirstBadValueInAnyBlock)
{
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const float bad : { -1e-20F, 10.5F, nan, infinity, -infinity })
  {
    for (const std::int64_t place : { 0, 262143, 262144, 600000, 699999 })
    {
      std::vector<float> values(700000, 0.02F);
      values[static_cast<size_t>(place)] = bad;
      values.back() = -1000.0F;
      const AttenuationScan scan = ScanAttenuation(values.data(), 700000, 10.0, SerialFor);
      EXPECT_EQ(scan.firstBad, place) << bad;
      EXPECT_EQ(scan.hasNonFinite, !std::isfinite(bad) && place != 699999) << bad << " at " << place;
      EXPECT_EQ(scan.smallest, -1000.0F);
    }
  }
}
