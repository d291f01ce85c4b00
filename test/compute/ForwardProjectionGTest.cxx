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
#include "compute/ForwardProjection.h"
#include "compute/PixelTiles.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

using namespace radiography;

namespace
{

/** Index space = world: source at z = -100, detector of columns x rows at z = 200 with pitch 1, about the z axis. */
kernel::ViewRays
MakeView(std::int64_t columns, std::int64_t rows)
{
  kernel::ViewRays view{};
  view.columns = columns;
  view.rows = rows;
  view.start = { { 2, 2, -100 }, {}, {} };
  view.end = { { 2 - 0.5 * double(columns - 1), 2 - 0.5 * double(rows - 1), 200 }, { 1, 0, 0 }, { 0, 1, 0 } };
  view.span = { { -0.5 * double(columns - 1), -0.5 * double(rows - 1), 300 }, { 1, 0, 0 }, { 0, 1, 0 } };
  return view;
}

} // namespace

TEST(ForwardProjection, TilesCoverEveryPixelOnce)
{
  compute::ProjectionPolicy policy;
  policy.tileColumns = 7;
  policy.tileRows = 3;
  for (const std::int64_t first : { 0, 1, 6, 7, 20 })
  {
    for (const std::int64_t columns : { 0, 1, 6, 7, 8, 30 })
    {
      std::vector<int>          hits(static_cast<size_t>(columns * 10), 0);
      const compute::PixelTiles tiles(first, 2, columns, 10, policy);
      for (std::int64_t item = 0; item < tiles.GetCount(); ++item)
      {
        const auto tile = tiles.GetTile(item);
        EXPECT_LT(tile.columnBegin, tile.columnEnd);
        EXPECT_EQ(tile.columnBegin / 7, (tile.columnEnd - 1) / 7) << "anchored at column 0";
        for (std::int64_t row = tile.rowBegin; row < tile.rowEnd; ++row)
        {
          for (std::int64_t column = tile.columnBegin; column < tile.columnEnd; ++column)
          {
            ++hits.at(static_cast<size_t>((column - first) + (row - 2) * columns));
          }
        }
      }
      for (const int hit : hits)
      {
        EXPECT_EQ(hit, 1);
      }
    }
  }
}

TEST(ForwardProjection, MainAxisAndSteepestSlope)
{
  const kernel::ViewRays view = MakeView(101, 51);
  EXPECT_EQ(compute::SelectMainAxis(view), 2);
  EXPECT_NEAR(compute::FindSteepestSlope(view, 2), 50.0 / 300.0, 1e-12);
  EXPECT_TRUE(std::isinf(compute::FindSteepestSlope(view, 0))) << "some rays go left, some right";
}

TEST(ForwardProjection, MiddleRayAndReport)
{
  const std::vector<float> values(5 * 5 * 5, 0.1F);
  std::vector<float>       depths(9, -1.0F);
  const auto               report = compute::ForwardProject(kernel::MakeVolumeView(values.data(), 5, 5, 5),
                                              MakeView(3, 3),
                                              compute::Projector::Joseph,
                                              {},
                                              compute::SerialFor,
                                              { depths.data(), 0, 0, 3, 3 });
  EXPECT_FLOAT_EQ(depths[4], 0.5F);
  EXPECT_EQ(report.projector, "joseph");
  EXPECT_EQ(report.kernel.rfind("joseph, ", 0), 0U) << report.kernel;
  EXPECT_EQ(report.raysWithEndInside, 0);
  EXPECT_EQ(report.notUsed.count("cuda"), 1U);
}

TEST(ForwardProjection, PolicyText)
{
  compute::ProjectionPolicy policy;
  policy.tileRows = 5;
  policy.josephSlopeLimit = 2.25;
  const auto again = compute::ParseProjectionPolicy(policy.ToString());
  EXPECT_EQ(again.ToString(), policy.ToString());
  EXPECT_EQ(again.tileRows, 5);
  EXPECT_EQ(again.josephSlopeLimit, 2.25);
  for (const char * const bad :
       { "tileRows", "tileRows=", "tileRows=-1", "tileRows=1.5", "slope=1", "josephSlopeLimit=nan" })
  {
    EXPECT_THROW(compute::ParseProjectionPolicy(bad), std::invalid_argument) << bad;
  }
}
