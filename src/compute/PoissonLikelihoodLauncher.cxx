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
#include "compute/PoissonLikelihoodLauncher.h"

#include "compute/PixelSum.h"

#include <cmath>

namespace radiography::compute
{
namespace
{

/** A pixel as it enters the likelihood, and its depth before the attenuation scale. */
struct ModelPixel
{
  kernel::PoissonPixel pixel;
  double               givenDepth;
};

/** The pixels of one row piece. */
template <typename TDepth>
class Row
{
public:
  Row(const PoissonImages<TDepth> & images, const PoissonModel & model, const RowPiece & piece)
    : m_Depths(images.depths.At(piece))
    , m_OpenBeam(images.openBeam.pixels.At(piece))
    , m_Scatter(images.scatter.pixels.At(piece))
    , m_Observed(images.observed.At(piece))
    , m_Mask(images.mask.At(piece))
    , m_OpenBeamNumber(images.openBeam.number)
    , m_ScatterNumber(images.scatter.number)
    , m_Model(model)
  {}

  bool
  IsCompared(std::int64_t i) const
  {
    return !m_Mask || m_Mask[i] != 0;
  }

  double
  OpenBeam(std::int64_t i) const
  {
    return m_OpenBeam ? static_cast<double>(m_OpenBeam[i]) : m_OpenBeamNumber;
  }

  double
  Scatter(std::int64_t i) const
  {
    return m_Scatter ? static_cast<double>(m_Scatter[i]) : m_ScatterNumber;
  }

  double
  Observed(std::int64_t i) const
  {
    return m_Observed[i];
  }

  ModelPixel
  At(std::int64_t i) const
  {
    const double depth = m_Depths[i];
    return { { Observed(i) + m_Model.electronicVariance,
               m_Model.attenuationScale * depth,
               m_Model.exposure * OpenBeam(i),
               Scatter(i) + m_Model.electronicVariance },
             depth };
  }

private:
  const TDepth *        m_Depths;
  const float *         m_OpenBeam;
  const float *         m_Scatter;
  const float *         m_Observed;
  const unsigned char * m_Mask;
  double                m_OpenBeamNumber;
  double                m_ScatterNumber;
  const PoissonModel &  m_Model;
};

bool
IsCount(double value)
{
  return std::isfinite(value) && value >= 0.0;
}

struct Fault
{
  PoissonFault what;
  double       value;
};

template <typename TDepth>
std::optional<Fault>
FaultOf(const Row<TDepth> & row, std::int64_t i)
{
  const auto [pixel, depth] = row.At(i);
  if (!std::isfinite(depth))
  {
    return Fault{ PoissonFault::Depth, depth };
  }
  if (!IsCount(row.OpenBeam(i)))
  {
    return Fault{ PoissonFault::OpenBeam, row.OpenBeam(i) };
  }
  if (!IsCount(row.Scatter(i)))
  {
    return Fault{ PoissonFault::Scatter, row.Scatter(i) };
  }
  if (!IsCount(pixel.observed))
  {
    return Fault{ PoissonFault::Observed, row.Observed(i) };
  }
  if (pixel.observed > 0.0 && pixel.openBeam == 0.0 && pixel.scatter == 0.0)
  {
    return Fault{ PoissonFault::Impossible, row.Observed(i) };
  }
  if (!std::isfinite(kernel::PrimaryMean(pixel.depth, pixel.openBeam) + pixel.scatter))
  {
    return Fault{ PoissonFault::Range, depth };
  }
  return std::nullopt;
}

/** The first pixel, among those compared, for which faultOf(row, i) finds something. */
template <typename TDepth, typename TFaultOf>
std::optional<PoissonBadPixel>
FindFirstFault(const PixelGrid &             grid,
               const PoissonImages<TDepth> & images,
               const PoissonModel &          model,
               const ParallelFor &           parallelFor,
               const TFaultOf &              faultOf)
{
  return FindFirst<PoissonBadPixel>(grid, parallelFor, [&](const RowPiece & piece) -> std::optional<PoissonBadPixel> {
    const Row<TDepth> row(images, model, piece);
    for (std::int64_t i = 0; i < piece.length; ++i)
    {
      const std::optional<Fault> fault = row.IsCompared(i) ? faultOf(row, i) : std::nullopt;
      if (fault)
      {
        return PoissonBadPixel{ piece.column + i, piece.row, piece.slice, fault->what, fault->value };
      }
    }
    return std::nullopt;
  });
}

/** What one pixel adds to the sums. */
PoissonSums
TermsOf(const ModelPixel & given, double primary)
{
  const kernel::PoissonPixel & pixel = given.pixel;
  const double                 pearson = kernel::PearsonResidual(pixel.observed, primary + pixel.scatter);
  return { 1,
           kernel::PoissonHalfDeviance(pixel, primary),
           pearson * pearson,
           pixel.observed,
           primary,
           kernel::PoissonNuisanceTerms(pixel.observed, given.givenDepth, primary, pixel.scatter) };
}

} // namespace

PoissonSums &
PoissonSums::operator+=(const PoissonSums & other)
{
  pixels += other.pixels;
  halfDeviance += other.halfDeviance;
  pearsonChiSquare += other.pearsonChiSquare;
  observed += other.observed;
  primary += other.primary;
  for (int i = 0; i < 3; ++i)
  {
    nuisance.score[i] += other.nuisance.score[i];
  }
  for (int i = 0; i < 6; ++i)
  {
    nuisance.information[i] += other.nuisance.information[i];
  }
  return *this;
}

template <typename TDepth>
std::optional<PoissonBadPixel>
FindFirstPoissonFault(const PixelGrid &             grid,
                      const PoissonImages<TDepth> & images,
                      const PoissonModel &          model,
                      const ParallelFor &           parallelFor)
{
  return FindFirstFault(
    grid, images, model, parallelFor, [](const Row<TDepth> & row, std::int64_t i) { return FaultOf(row, i); });
}

template <typename TDepth>
std::optional<PoissonBadPixel>
FindFirstTinyMean(const PixelGrid &             grid,
                  const PoissonImages<TDepth> & images,
                  const PoissonModel &          model,
                  const ParallelFor &           parallelFor)
{
  const auto tinyMeanOf = [](const Row<TDepth> & row, std::int64_t i) -> std::optional<Fault> {
    const auto   given = row.At(i);
    const double primary = kernel::PrimaryMean(given.pixel.depth, given.pixel.openBeam);
    const auto   terms = TermsOf(given, primary);
    const bool   fits = std::isfinite(terms.pearsonChiSquare) && std::isfinite(terms.nuisance.information[5]);
    return fits ? std::nullopt : std::optional<Fault>({ PoissonFault::Range, primary + given.pixel.scatter });
  };
  return FindFirstFault(grid, images, model, parallelFor, tinyMeanOf);
}

template <typename TDepth>
PoissonSums
EvaluatePoisson(const PixelGrid &             grid,
                const PoissonImages<TDepth> & images,
                const PoissonModel &          model,
                const PoissonOutputs &        outputs,
                const ParallelFor &           parallelFor)
{
  return SumOverPixels<PoissonSums>(grid, parallelFor, [&](const RowPiece & piece, PoissonSums & sum) {
    const Row<TDepth> row(images, model, piece);
    double * const    scores = outputs.score.At(piece);
    double * const    informations = outputs.information.At(piece);
    for (std::int64_t i = 0; i < piece.length; ++i)
    {
      double score = 0.0;
      double information = 0.0;
      if (row.IsCompared(i))
      {
        const ModelPixel  given = row.At(i);
        const double      primary = kernel::PrimaryMean(given.pixel.depth, given.pixel.openBeam);
        const PoissonSums terms = TermsOf(given, primary);
        sum += terms;
        // Log exposure moves the mean as depth does, the other way round.
        score = -model.attenuationScale * terms.nuisance.score[0];
        information = model.attenuationScale * model.attenuationScale * terms.nuisance.information[0];
      }
      if (scores)
      {
        scores[i] = score;
      }
      if (informations)
      {
        informations[i] = information;
      }
    }
  });
}

#define RADIOGRAPHY_INSTANTIATE(TDepth)                                                                                \
  template RADIOGRAPHY_INTERNAL_EXPORT std::optional<PoissonBadPixel> FindFirstPoissonFault(                           \
    const PixelGrid &, const PoissonImages<TDepth> &, const PoissonModel &, const ParallelFor &);                      \
  template RADIOGRAPHY_INTERNAL_EXPORT std::optional<PoissonBadPixel> FindFirstTinyMean(                               \
    const PixelGrid &, const PoissonImages<TDepth> &, const PoissonModel &, const ParallelFor &);                      \
  template RADIOGRAPHY_INTERNAL_EXPORT PoissonSums EvaluatePoisson(const PixelGrid &,                                  \
                                                                   const PoissonImages<TDepth> &,                      \
                                                                   const PoissonModel &,                               \
                                                                   const PoissonOutputs &,                             \
                                                                   const ParallelFor &)

RADIOGRAPHY_INSTANTIATE(float);
RADIOGRAPHY_INSTANTIATE(double);

} // namespace radiography::compute
