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
#include "compute/TransmissionAdjointLauncher.h"

#include "compute/InstructionSet.h"
#include "compute/PixelSum.h"
#include "compute/SurvivalPackets.h"
#include "kernel/TransmissionAdjoint.h"
#include "kernel/TransmissionLaw.h"

#include <limits>
#include <numeric>

namespace radiography::compute
{
namespace
{

static_assert(PixelsPerSum <= PixelsPerChunk, "the pieces of a sum are chunks");

constexpr std::array<float, PixelsPerChunk> Zeros{};

/** The inputs at the pixels of a chunk. What is not given reads as zeros, a number as an image of it, so that loops
 * need not ask. */
class Chunk
{
public:
  Chunk(const TransmissionAdjointInputs & inputs, const RowPiece & piece)
    : m_Length(piece.length)
    , m_Depths(inputs.depths.At(piece))
    , m_OpenBeams(inputs.openBeam.pixels.At(piece))
    , m_Transmission(OrZeros(inputs.weights.transmission, piece))
    , m_Counts(OrZeros(inputs.weights.counts, piece))
    , m_LogTransmission(OrZeros(inputs.weights.logTransmission, piece))
    , m_Removed(OrZeros(inputs.weights.removed, piece))
    , m_NeedsTransmission(inputs.weights.transmission || inputs.weights.counts || inputs.weights.removed)
  {
    if (!m_OpenBeams)
    {
      // A number has been rounded to binary32 already.
      std::fill_n(m_OpenBeamNumber.begin(), m_Length, static_cast<float>(inputs.openBeam.number));
      m_OpenBeams = m_OpenBeamNumber.data();
    }
  }
  Chunk(const Chunk &) = delete;
  Chunk &
  operator=(const Chunk &) = delete;

  /** exp(-L), which a weight of log T alone does not need. */
  void
  EvaluateTransmission(bool scalar, GradientChunk & transmission) const
  {
    if (!m_NeedsTransmission)
    {
      std::fill_n(transmission.begin(), m_Length, 0.0);
    }
    else if (scalar)
    {
      std::transform(m_Depths, m_Depths + m_Length, transmission.begin(), kernel::Transmission);
    }
    else
    {
      EvaluateSurvivalPackets(m_Depths, transmission.data(), m_Length);
    }
  }

  void
  EvaluateDepthCotangent(const GradientChunk & transmission, GradientChunk & gradient) const
  {
    for (std::int64_t i = 0; i < m_Length; ++i)
    {
      const auto at = static_cast<std::size_t>(i);
      gradient[at] = kernel::DepthCotangent(transmission[at], m_OpenBeams[i], this->WeightsAt(i));
    }
  }

  void
  EvaluateOpenBeamCotangent(const GradientChunk & transmission, GradientChunk & gradient) const
  {
    for (std::int64_t i = 0; i < m_Length; ++i)
    {
      const auto at = static_cast<std::size_t>(i);
      gradient[at] = kernel::OpenBeamCotangent(transmission[at], m_Counts[i]);
    }
  }

  /** Whether magnitudes tell, without any exponential, that binary32 holds the depth cotangents: exp(-L) <= 1. Not so
   * for the depths that are no depths which unchecked callers may pass. */
  bool
  IsDepthCotangentInRange(const PixelView<const float> & accumulated, const RowPiece & piece) const
  {
    const float * const before = OrZeros(accumulated, piece);
    std::int64_t        open = 0;
    for (std::int64_t i = 0; i < m_Length; ++i)
    {
      const double bound = kernel::DepthCotangentBound(m_OpenBeams[i], this->WeightsAt(i));
      open += this->IsOpen(i, std::abs(static_cast<double>(before[i])) + bound);
    }
    return open == 0;
  }

  /** The same for the open-beam cotangents. */
  bool
  IsOpenBeamCotangentInRange(const PixelView<const float> & accumulated, const RowPiece & piece) const
  {
    const float * const before = OrZeros(accumulated, piece);
    std::int64_t        open = 0;
    for (std::int64_t i = 0; i < m_Length; ++i)
    {
      const double bound = std::abs(static_cast<double>(m_Counts[i]));
      open += this->IsOpen(i, std::abs(static_cast<double>(before[i])) + bound);
    }
    return open == 0;
  }

private:
  static const float *
  OrZeros(const PixelView<const float> & view, const RowPiece & piece)
  {
    return view ? view.At(piece) : Zeros.data();
  }

  kernel::TransmissionCotangents
  WeightsAt(std::int64_t i) const
  {
    return { m_Transmission[i], m_Counts[i], m_LogTransmission[i], m_Removed[i] };
  }

  /** A NaN is open. */
  std::int64_t
  IsOpen(std::int64_t i, double bound) const
  {
    // Not &&: no branch.
    const bool closed = static_cast<int>(bound <= std::numeric_limits<float>::max()) &
                        static_cast<int>(static_cast<double>(m_Depths[i]) >= 0.0);
    return closed ? 0 : 1;
  }

  std::int64_t                      m_Length;
  const float *                     m_Depths;
  const float *                     m_OpenBeams;
  const float *                     m_Transmission;
  const float *                     m_Counts;
  const float *                     m_LogTransmission;
  const float *                     m_Removed;
  bool                              m_NeedsTransmission;
  std::array<float, PixelsPerChunk> m_OpenBeamNumber;
};

/** The first pixel where binary32 cannot hold one of the two cotangents: those that isInRange() does not vouch for are
 * evaluated. */
template <typename TIsInRange, typename TEvaluate>
std::optional<GradientOutOfRange>
FindOutOfRange(const PixelGrid &                 grid,
               const TransmissionAdjointInputs & inputs,
               const PixelView<const float> &    accumulated,
               const ParallelFor &               parallelFor,
               const TIsInRange &                isInRange,
               const TEvaluate &                 evaluate)
{
  const bool scalar = IsSimdDisabled();
  return FindGradientOutOfRange(
    grid,
    accumulated,
    parallelFor,
    [&](const RowPiece & piece) { return (Chunk(inputs, piece).*isInRange)(accumulated, piece); },
    [&](const RowPiece & piece, GradientChunk & gradient) {
      const Chunk   chunk(inputs, piece);
      GradientChunk transmission;
      chunk.EvaluateTransmission(scalar, transmission);
      (chunk.*evaluate)(transmission, gradient);
    });
}

} // namespace

std::optional<GradientOutOfRange>
FindDepthCotangentOutOfRange(const PixelGrid &                 grid,
                             const TransmissionAdjointInputs & inputs,
                             const PixelView<const float> &    accumulated,
                             const ParallelFor &               parallelFor)
{
  return FindOutOfRange(
    grid, inputs, accumulated, parallelFor, &Chunk::IsDepthCotangentInRange, &Chunk::EvaluateDepthCotangent);
}

std::optional<GradientOutOfRange>
FindOpenBeamCotangentOutOfRange(const PixelGrid &                 grid,
                                const TransmissionAdjointInputs & inputs,
                                const PixelView<const float> &    accumulated,
                                const ParallelFor &               parallelFor)
{
  return FindOutOfRange(
    grid, inputs, accumulated, parallelFor, &Chunk::IsOpenBeamCotangentInRange, &Chunk::EvaluateOpenBeamCotangent);
}

double
SumOpenBeamCotangent(const PixelGrid & grid, const TransmissionAdjointInputs & inputs, const ParallelFor & parallelFor)
{
  if (!inputs.weights.counts)
  {
    return 0.0;
  }
  const bool scalar = IsSimdDisabled();
  return SumOverPixels<double>(grid, parallelFor, [&](const RowPiece & piece, double & sum) {
    const Chunk   chunk(inputs, piece);
    GradientChunk transmission;
    GradientChunk terms;
    chunk.EvaluateTransmission(scalar, transmission);
    chunk.EvaluateOpenBeamCotangent(transmission, terms);
    sum = std::accumulate(terms.begin(), terms.begin() + piece.length, sum);
  });
}

void
EvaluateTransmissionAdjoint(const PixelGrid &                 grid,
                            const TransmissionAdjointInputs & inputs,
                            const GradientViews &             depth,
                            const GradientViews &             openBeam,
                            const ParallelFor &               parallelFor)
{
  const bool scalar = IsSimdDisabled();
  ForEachRowPiece(grid, parallelFor, [&](const RowPiece & row) {
    VisitChunks(row, [&](const RowPiece & piece) {
      const Chunk   chunk(inputs, piece);
      GradientChunk transmission;
      GradientChunk gradient;
      chunk.EvaluateTransmission(scalar, transmission);
      chunk.EvaluateDepthCotangent(transmission, gradient);
      StoreGradient(depth, piece, gradient);
      if (openBeam.sum)
      {
        chunk.EvaluateOpenBeamCotangent(transmission, gradient);
        StoreGradient(openBeam, piece, gradient);
      }
      return true;
    });
  });
}

} // namespace radiography::compute
