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
#include "compute/PhotonNoiseLauncher.h"

#include <Random123/philox.h>

// After the generator: it does not include what it needs itself.
#include <Random123/MicroURNG.hpp>

#include <random>

namespace radiography::compute
{
namespace
{

using Generator = r123::MicroURNG<r123::Philox4x32>;

std::uint32_t
LowWord(std::uint64_t value)
{
  return static_cast<std::uint32_t>(value & 0xffffffffu);
}

std::uint32_t
HighWord(std::uint64_t value)
{
  return static_cast<std::uint32_t>(value >> 32);
}

// The pixel's own stream. The counter's last word stays zero: MicroURNG counts its draws there.
Generator
GeneratorOf(std::uint64_t seed, std::uint64_t pixel)
{
  const Generator::ctr_type  counter{ { LowWord(pixel), HighWord(pixel), 0, 0 } };
  const Generator::ukey_type key{ { LowWord(seed), HighWord(seed) } };
  return Generator(counter, key);
}

// std::poisson_distribution requires a positive mean, and keeps state between draws: a fresh one per pixel.
float
DrawPoisson(double mean, std::uint64_t seed, std::uint64_t pixel)
{
  if (mean == 0.0)
  {
    return 0.0f;
  }
  Generator                               generator = GeneratorOf(seed, pixel);
  std::poisson_distribution<std::int64_t> distribution(mean);
  return static_cast<float>(distribution(generator));
}

} // namespace

void
DrawPoissonCounts(const PixelGrid &              grid,
                  const GridPlacement &          placement,
                  const PixelView<const float> & means,
                  std::uint64_t                  seed,
                  const PixelView<float> &       counts,
                  const ParallelFor &            parallelFor)
{
  ForEachRowPiece(grid, parallelFor, [&](const RowPiece & piece) {
    const std::int64_t row = (placement.slice + piece.slice) * placement.wholeRows + placement.row + piece.row;
    const std::int64_t first = row * placement.wholeColumns + placement.column + piece.column;
    const float *      in = means.At(piece);
    float *            out = counts.At(piece);
    for (std::int64_t i = 0; i < piece.length; ++i)
    {
      out[i] = DrawPoisson(in[i], seed, static_cast<std::uint64_t>(first + i));
    }
  });
}

} // namespace radiography::compute
