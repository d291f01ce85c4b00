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
#include "compute/SubrayAverage.h"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace radiography::compute
{
namespace
{

void
RefuseBadWeights(int count, const double * weights)
{
  if (count <= 0)
  {
    throw std::invalid_argument("there are no sub-rays to average");
  }
  const auto fault = FindWeightFault(std::vector<double>(weights, weights + count));
  if (fault)
  {
    throw std::invalid_argument(fault->subray ? "the weight of sub-ray " + std::to_string(*fault->subray) +
                                                  " is negative or not finite"
                                              : "the weights of the sub-rays do not sum to one");
  }
}

/** One pixel's sub-rays within the fine grid. */
struct Block
{
  const SubrayBlocks & subrays;
  const float *        first;

  int
  Count() const
  {
    return subrays.side * subrays.side;
  }
  std::int64_t
  Offset(int k, std::int64_t rowStride) const
  {
    return (k / subrays.side) * rowStride + k % subrays.side;
  }
  auto
  DepthOf() const
  {
    return [this](int k) { return static_cast<double>(first[Offset(k, subrays.depths.rowStride)]); };
  }
  auto
  WeightOf() const
  {
    return [this](int k) { return subrays.weights[static_cast<std::size_t>(k)]; };
  }
  double
  EffectiveDepth() const
  {
    return kernel::EffectiveDepth(Count(), DepthOf(), WeightOf());
  }
};

/** The place of a piece's first sub-ray. */
RowPiece
FirstSubrayOf(const RowPiece & piece, int side)
{
  return { piece.column * side, piece.row * side, piece.slice, 1 };
}

/** Calls body(i, block) for each pixel of a row piece. */
template <typename TBody>
void
ForEachBlock(const SubrayBlocks & subrays, const RowPiece & piece, const TBody & body)
{
  const float * first = subrays.depths.At(FirstSubrayOf(piece, subrays.side));
  for (std::int64_t i = 0; i < piece.length; ++i, first += subrays.side)
  {
    body(i, Block{ subrays, first });
  }
}

template <typename TAverages>
auto
ViewOfAverages(const PixelGrid & grid, TAverages & averages)
{
  using Average = std::remove_pointer_t<decltype(averages.data())>;
  return PixelView<Average>{ averages.data(), grid.columns, grid.columns * grid.rows };
}

/** The adjoint with cotangentOf(piece, i, block), the cotangent in binary64 of a block's own effective depth. */
template <typename TCotangentOf>
void
SpreadCotangents(const PixelGrid &        grid,
                 const SubrayBlocks &     subrays,
                 const PixelView<float> & depthCotangents,
                 const ParallelFor &      parallelFor,
                 const TCotangentOf &     cotangentOf)
{
  ForEachRowPiece(grid, parallelFor, [&](const RowPiece & piece) {
    float * const out = depthCotangents.At(FirstSubrayOf(piece, subrays.side));
    ForEachBlock(subrays, piece, [&](std::int64_t i, const Block & block) {
      const auto set = [&](int k, double cotangent) {
        out[i * subrays.side + block.Offset(k, depthCotangents.rowStride)] = static_cast<float>(cotangent);
      };
      kernel::EffectiveDepthAdjoint(
        block.Count(), block.DepthOf(), block.WeightOf(), cotangentOf(piece, i, block), set);
    });
  });
}

} // namespace

std::optional<WeightFault>
FindWeightFault(const std::vector<double> & weights)
{
  double sum = 0.0;
  for (std::size_t i = 0; i < weights.size(); ++i)
  {
    if (!(std::isfinite(weights[i]) && weights[i] >= 0.0))
    {
      return WeightFault{ static_cast<int>(i), weights[i] };
    }
    sum += weights[i];
  }
  // Each of the weights and of the additions rounds once.
  const double tolerance = 2.0 * static_cast<double>(weights.size()) * std::numeric_limits<double>::epsilon();
  return std::abs(sum - 1.0) > tolerance ? std::optional<WeightFault>({ std::nullopt, sum }) : std::nullopt;
}

std::vector<double>
EqualSubrayWeights(int side)
{
  return std::vector<double>(static_cast<std::size_t>(side) * side, 1.0 / (static_cast<double>(side) * side));
}

AveragedTransmission
AverageTransmission(int count, const float * depths, const double * weights)
{
  RefuseBadWeights(count, weights);
  const double depth = kernel::EffectiveDepth(
    count, [depths](int i) { return static_cast<double>(depths[i]); }, [weights](int i) { return weights[i]; });
  return { depth, kernel::Transmission(depth) };
}

void
AverageTransmissionAdjoint(int            count,
                           const float *  depths,
                           const double * weights,
                           double         transmissionCotangent,
                           float *        depthCotangents)
{
  RefuseBadWeights(count, weights);
  if (!std::isfinite(transmissionCotangent))
  {
    throw std::invalid_argument("the cotangent of the mean transmission is not finite");
  }
  const auto cotangentOf = [=](int i) {
    return static_cast<float>(kernel::MeanTransmissionAdjoint(depths[i], weights[i], transmissionCotangent));
  };
  for (int i = 0; i < count; ++i)
  {
    if (!std::isfinite(cotangentOf(i)))
    {
      throw std::range_error("binary32 cannot hold the cotangent of the depth of sub-ray " + std::to_string(i));
    }
  }
  for (int i = 0; i < count; ++i)
  {
    depthCotangents[i] = cotangentOf(i);
  }
}

void
AverageSubrays(const PixelGrid &        grid,
               const SubrayBlocks &     subrays,
               const PixelView<float> & effectiveDepths,
               const ParallelFor &      parallelFor)
{
  ForEachRowPiece(grid, parallelFor, [&](const RowPiece & piece) {
    float * const out = effectiveDepths.At(piece);
    ForEachBlock(subrays, piece, [out](std::int64_t i, const Block & block) {
      out[i] = static_cast<float>(block.EffectiveDepth());
    });
  });
}

void
AverageSubraysAdjoint(const PixelGrid &              grid,
                      const SubrayBlocks &           subrays,
                      const PixelView<const float> & effectiveCotangents,
                      const PixelView<float> &       depthCotangents,
                      const ParallelFor &            parallelFor)
{
  SpreadCotangents(
    grid, subrays, depthCotangents, parallelFor, [&](const RowPiece & piece, std::int64_t i, const Block &) {
      return static_cast<double>(effectiveCotangents.At(piece)[i]);
    });
}

void
AddViewOfSubrays(const PixelGrid &    grid,
                 const SubrayBlocks & subrays,
                 double               viewWeight,
                 ViewAverages &       averages,
                 const ParallelFor &  parallelFor)
{
  averages.resize(static_cast<std::size_t>(grid.Count()));
  const auto view = ViewOfAverages(grid, averages);
  ForEachRowPiece(grid, parallelFor, [&](const RowPiece & piece) {
    kernel::DepthAverage * const average = view.At(piece);
    ForEachBlock(subrays, piece, [=](std::int64_t i, const Block & block) {
      kernel::AddDepth(average[i], block.EffectiveDepth(), viewWeight);
    });
  });
}

void
FinishViews(const PixelGrid &        grid,
            const ViewAverages &     averages,
            const PixelView<float> & effectiveDepths,
            const ParallelFor &      parallelFor)
{
  const auto view = ViewOfAverages(grid, averages);
  ForEachRowPiece(grid, parallelFor, [&](const RowPiece & piece) {
    const kernel::DepthAverage * const average = view.At(piece);
    std::transform(average, average + piece.length, effectiveDepths.At(piece), [](const kernel::DepthAverage & one) {
      return static_cast<float>(kernel::EffectiveDepth(one));
    });
  });
}

void
ViewOfSubraysAdjoint(const PixelGrid &              grid,
                     const SubrayBlocks &           subrays,
                     double                         viewWeight,
                     const ViewAverages &           averages,
                     const PixelView<const float> & effectiveCotangents,
                     const PixelView<float> &       depthCotangents,
                     const ParallelFor &            parallelFor)
{
  const auto view = ViewOfAverages(grid, averages);
  SpreadCotangents(
    grid, subrays, depthCotangents, parallelFor, [&](const RowPiece & piece, std::int64_t i, const Block & block) {
      const double share = kernel::ShareOfPhotons(view.At(piece)[i], block.EffectiveDepth(), viewWeight);
      return effectiveCotangents.At(piece)[i] * share;
    });
}

} // namespace radiography::compute
