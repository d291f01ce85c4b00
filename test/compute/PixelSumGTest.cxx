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
#include "BackwardThreads.h"

#include "compute/PixelSum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace radiography;

namespace
{

double
SumOf(const std::vector<double> & values, const compute::PixelGrid & grid, const compute::ParallelFor & parallelFor)
{
  return compute::SumOverPixels<double>(grid, parallelFor, [&](const compute::RowPiece & piece, double & sum) {
    const double * const first = values.data() + piece.column + grid.columns * (piece.row + grid.rows * piece.slice);
    for (std::int64_t i = 0; i < piece.length; ++i)
    {
      sum += first[i];
    }
  });
}

std::vector<double>
RandomValues(std::size_t count)
{
  std::mt19937_64                  engine(7);
  std::normal_distribution<double> value(0.0, 1e6);
  std::vector<double>              values(count);
  for (double & v : values)
  {
    v = value(engine);
  }
  return values;
}

} // namespace

TEST(PixelSum, EmptyOneAndAroundTheEdgesOfSumsAndTiles)
{
  EXPECT_EQ(SumOf({}, { 0, 1, 1 }, compute::SerialFor), 0.0);
  for (const std::int64_t count : { 1, 2, 255, 256, 257, 511, 512, 513, 4095, 4096, 4097, 3 * 4096 + 5 })
  {
    std::vector<double> values(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i)
    {
      values[static_cast<std::size_t>(i)] = static_cast<double>(i + 1);
    }
    EXPECT_EQ(SumOf(values, { count, 1, 1 }, compute::SerialFor), 0.5 * static_cast<double>(count * (count + 1)));
  }
}

TEST(PixelSum, SeveralLevelsHaveTheSameBitsForAnyThreadsAndAnyRowLength)
{
  const auto   values = RandomValues(300000);
  const double serial = SumOf(values, { 300000, 1, 1 }, compute::SerialFor);
  for (const std::int64_t threads : { 1, 2, 7 })
  {
    EXPECT_EQ(SumOf(values, { 300000, 1, 1 }, testthreads::Backward(threads)), serial);
    EXPECT_EQ(SumOf(values, { 100, 30, 100 }, testthreads::Backward(threads)), serial);
  }
}

TEST(PixelSum, IsWithinItsErrorBound)
{
  const auto  values = RandomValues(300000);
  long double exact = 0.0L;
  long double magnitudes = 0.0L;
  for (const double v : values)
  {
    exact += v;
    magnitudes += std::abs(v);
  }
  const double unit = std::ldexp(1.0, -53);
  const double bound = (256.0 + std::log2(300000.0 / 256.0) + 1.0) * unit * static_cast<double>(magnitudes);
  EXPECT_NEAR(SumOf(values, { 300000, 1, 1 }, compute::SerialFor), static_cast<double>(exact), bound);
}
