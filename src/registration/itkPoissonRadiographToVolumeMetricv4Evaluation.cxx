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
#include "itkPoissonRadiographToVolumeMetricv4.h"

#include "kernel/PoissonLikelihood.h"
#include "registration/itkNuisanceElimination.h"
#include "registration/itkPoissonCounts.h"

#include "vnl/algo/vnl_symmetric_eigensystem.h"

#include <algorithm>
#include <cmath>

namespace itk
{

namespace compute = radiography::compute;
namespace kernel = radiography::kernel;

namespace
{

using Kind = compute::PoissonProfile::Kind;
using Unknown = compute::PoissonProfile::Unknown;

/** Which of a view's amplitude images is which. */
enum Amplitude : std::size_t
{
  ExposureAmplitude = 0,
  AttenuationAmplitude = 1,
  ScatterAmplitude = 2,
  AmplitudeCount = 3
};

/** Nuisances farther than this from making the value least, in standard errors, have not converged. */
constexpr double LargestDecrement = 1e-3;

void
Divide(std::vector<double> & values, double divisor)
{
  if (divisor != 1.0)
  {
    std::transform(values.begin(), values.end(), values.begin(), [divisor](double value) { return value / divisor; });
  }
}

std::string
NameOf(const Unknown & unknown, const Size<2> & grid)
{
  switch (unknown.kind)
  {
    case Kind::Exposure:
      return "the exposure of view " + std::to_string(unknown.view);
    case Kind::Attenuation:
      return "the attenuation scale";
    case Kind::Scatter:
      return "the scatter at node [" + std::to_string(unknown.node % grid[0]) + ", " +
             std::to_string(unknown.node / grid[0]) + "] of view " + std::to_string(unknown.view);
  }
  return {};
}

/** The square roots of the diagonal of a form's inverse; infinite where a direction without information takes part. */
std::vector<double>
FindStandardErrors(const vnl_matrix<double> & form)
{
  constexpr double                        smallestShare = 1e-14;
  constexpr double                        noticeable = 1e-6;
  const vnl_vector<double>                scales = FindUnitScales(form);
  const vnl_symmetric_eigensystem<double> system(ScaleForm(form, scales));
  std::vector<double>                     errors;
  for (unsigned int i = 0; i < form.rows(); ++i)
  {
    double variance = scales[i] > 0.0 ? 0.0 : HUGE_VAL;
    for (unsigned int k = 0; k < form.rows() && scales[i] > 0.0; ++k)
    {
      const double part = system.V(i, k);
      const bool   isKnown = system.D(k, k) > smallestShare;
      variance += isKnown ? part * part / system.D(k, k) : std::abs(part) > noticeable ? HUGE_VAL : 0.0;
    }
    errors.push_back(scales[i] * std::sqrt(variance));
  }
  return errors;
}

} // namespace

void
PoissonRadiographToVolumeMetricv4::EvaluateSimilarity(const std::vector<ViewPixels> & views,
                                                      Order                           order,
                                                      Similarity &                    similarity) const
{
  std::vector<compute::PoissonProfileView> models;
  for (std::size_t view = 0; view < views.size(); ++view)
  {
    models.push_back(m_Prepared->views[view].MakeView(views[view].depths));
  }
  const auto threads = this->GetParallelFor();
  m_Prepared->profile =
    compute::ProfilePoisson(models,
                            { m_EstimateExposure, m_EstimateAttenuationScale, m_EstimateScatter, m_AttenuationScale },
                            order == Order::Information,
                            threads);
  similarity.value = m_Prepared->profile.value / m_DispersionFactor;
  similarity.isMeaningful = m_Prepared->pixels > 0 && m_Prepared->profile.decrement <= LargestDecrement;
  similarity.views.resize(views.size());
  for (std::size_t view = 0; view < views.size() && order != Order::Value; ++view)
  {
    this->StorePixelTerms(models[view], view, order, similarity.views[view]);
  }
  if (order == Order::Information)
  {
    this->StoreCouplings(similarity);
  }
}

void
PoissonRadiographToVolumeMetricv4::StorePixelTerms(const compute::PoissonProfileView & model,
                                                   std::size_t                         view,
                                                   Order                               order,
                                                   PixelTerms &                        terms) const
{
  const auto                 count = static_cast<std::size_t>(model.columns * model.rows);
  compute::PoissonPixelTerms outputs;
  const auto                 ask = [count](std::vector<double> & values, bool isWanted) -> double * {
    values.resize(isWanted ? count : 0);
    return isWanted ? values.data() : nullptr;
  };
  const bool withInformation = order == Order::Information;
  terms.amplitudes.resize(AmplitudeCount);
  outputs.scores = ask(terms.scores, true);
  outputs.weights = ask(terms.weights, withInformation);
  outputs.exposure = ask(terms.amplitudes[ExposureAmplitude], withInformation && m_EstimateExposure);
  outputs.attenuation = ask(terms.amplitudes[AttenuationAmplitude], withInformation && m_EstimateAttenuationScale);
  outputs.scatter = ask(terms.amplitudes[ScatterAmplitude], withInformation && m_EstimateScatter);
  compute::EvaluatePoissonPixels(model, m_Prepared->profile, view, outputs, this->GetParallelFor());
  Divide(terms.scores, m_DispersionFactor);
  Divide(terms.weights, m_DispersionFactor);
  for (auto & amplitudes : terms.amplitudes)
  {
    Divide(amplitudes, m_DispersionFactor);
  }
}

void
PoissonRadiographToVolumeMetricv4::StoreCouplings(Similarity & similarity) const
{
  const auto & profile = m_Prepared->profile;
  const auto   count = static_cast<unsigned int>(profile.unknowns.size());
  similarity.couplings.clear();
  similarity.nuisanceNames.clear();
  similarity.nuisanceInformation = vnl_matrix<double>(profile.information.data(), count, count);
  similarity.nuisanceInformation /= m_DispersionFactor;
  for (unsigned int k = 0; k < count; ++k)
  {
    const Unknown & unknown = profile.unknowns[k];
    similarity.nuisanceNames.push_back(NameOf(unknown, m_ScatterGrid));
    switch (unknown.kind)
    {
      case Kind::Exposure:
        similarity.couplings.push_back({ k, unknown.view, ExposureAmplitude, {}, {} });
        break;
      case Kind::Attenuation:
        for (std::size_t view = 0; view < m_Prepared->views.size(); ++view)
        {
          similarity.couplings.push_back({ k, view, AttenuationAmplitude, {}, {} });
        }
        break;
      case Kind::Scatter: {
        const PoissonCounts & counts = m_Prepared->views[unknown.view];
        const auto            node = static_cast<std::int64_t>(unknown.node);
        const auto            columns = static_cast<std::int64_t>(m_ScatterGrid[0]);
        similarity.couplings.push_back({ k,
                                         unknown.view,
                                         ScatterAmplitude,
                                         counts.columnHats.GetFunction(node % columns),
                                         counts.rowHats.GetFunction(node / columns) });
        break;
      }
    }
  }
}

std::vector<PoissonRadiographNuisances>
PoissonRadiographToVolumeMetricv4::GetNuisances() const
{
  const auto                              errors = this->FindNuisanceErrors();
  const auto &                            profile = m_Prepared->profile;
  std::vector<PoissonRadiographNuisances> result;
  for (std::size_t view = 0; view < m_Prepared->views.size(); ++view)
  {
    const PoissonCounts &      counts = m_Prepared->views[view];
    PoissonRadiographNuisances nuisances;
    nuisances.exposureIsEstimated = m_EstimateExposure;
    nuisances.openBeamCounts = counts.openBeamCounts;
    nuisances.openBeamCountsAreAssumed = counts.openBeamIsAssumed;
    nuisances.exposure = std::exp(profile.views[view].logExposure);
    nuisances.attenuationIsEstimated = m_EstimateAttenuationScale;
    nuisances.attenuationScale = profile.attenuationScale;
    nuisances.scatterIsEstimated = m_EstimateScatter;
    nuisances.scatter = profile.views[view].scatter;
    nuisances.scatterStandardErrors.assign(nuisances.scatter.size(), 0.0);
    if (m_EstimateScatter)
    {
      nuisances.scatterGrid = m_ScatterGrid;
    }
    // What is estimated and not among the unknowns is held at 0, or nothing is known of it.
    nuisances.logExposureStandardError = m_EstimateExposure ? HUGE_VAL : 0.0;
    nuisances.attenuationStandardError = m_EstimateAttenuationScale ? HUGE_VAL : 0.0;
    for (std::size_t k = 0; k < profile.unknowns.size(); ++k)
    {
      const Unknown & unknown = profile.unknowns[k];
      if (unknown.kind == Kind::Attenuation)
      {
        nuisances.attenuationStandardError = errors[k];
      }
      else if (unknown.view == view && unknown.kind == Kind::Exposure)
      {
        nuisances.logExposureStandardError = errors[k];
      }
      else if (unknown.view == view)
      {
        nuisances.scatterStandardErrors[unknown.node] = errors[k];
      }
    }
    result.push_back(nuisances);
  }
  return result;
}

std::vector<double>
PoissonRadiographToVolumeMetricv4::FindNuisanceErrors() const
{
  const Similarity &         similarity = this->EvaluateTerms(Order::Information);
  const vnl_matrix<double> & nuisances = similarity.nuisanceInformation;
  const vnl_matrix<double> & coupling = this->GetCouplingMatrix();
  const unsigned int         count = nuisances.rows();
  const unsigned int         parameters = coupling.columns();
  if (count == 0)
  {
    return {};
  }
  vnl_matrix<double> joint(count + parameters, count + parameters, 0.0);
  joint.update(nuisances, 0, 0);
  joint.update(coupling, 0, count);
  joint.update(coupling.transpose(), count, 0);
  joint.update(this->GetInformationWithNuisancesHeld(), count, count);
  return FindStandardErrors(joint);
}

double
PoissonRadiographToVolumeMetricv4::GetNuisanceStationarity() const
{
  this->EvaluateTerms(Order::Value);
  return m_Prepared->profile.decrement;
}

double
PoissonRadiographToVolumeMetricv4::GetDeviance() const
{
  this->EvaluateTerms(Order::Value);
  return 2.0 * m_Prepared->profile.value;
}

SizeValueType
PoissonRadiographToVolumeMetricv4::GetNumberOfPixels() const
{
  this->RequirePrepared();
  return m_Prepared->pixels;
}

SizeValueType
PoissonRadiographToVolumeMetricv4::GetDegreesOfFreedom() const
{
  this->EvaluateTerms(Order::Information);
  const SizeValueType fitted = this->GetNumberOfParameters() + m_Prepared->profile.unknowns.size();
  if (m_Prepared->pixels <= fitted)
  {
    itkExceptionMacro("There are no degrees of freedom: " << m_Prepared->pixels << " pixels are compared and " << fitted
                                                          << " parameters fitted.");
  }
  return m_Prepared->pixels - fitted;
}

PoissonRadiographToVolumeMetricv4::PixelModel
PoissonRadiographToVolumeMetricv4::EvaluatePixelModel(unsigned int view) const
{
  const PoissonCounts &      counts = m_Prepared->views[view];
  const auto                 model = counts.MakeView(this->GetViewPixels()[view].depths);
  PixelModel                 pixels;
  compute::PoissonPixelTerms outputs;
  pixels.mean.resize(counts.inside.size());
  pixels.primary.resize(counts.inside.size());
  outputs.mean = pixels.mean.data();
  outputs.primary = pixels.primary.data();
  compute::EvaluatePoissonPixels(model, m_Prepared->profile, view, outputs, this->GetParallelFor());
  return pixels;
}

double
PoissonRadiographToVolumeMetricv4::EstimateDispersionFactor() const
{
  const auto freedom = static_cast<double>(this->GetDegreesOfFreedom());
  double     chiSquare = 0.0;
  for (unsigned int view = 0; view < m_Prepared->views.size(); ++view)
  {
    const PoissonCounts & counts = m_Prepared->views[view];
    const PixelModel      pixels = this->EvaluatePixelModel(view);
    for (std::size_t i = 0; i < pixels.mean.size(); ++i)
    {
      const double residual = kernel::PearsonResidual(counts.observed[i], pixels.mean[i]);
      chiSquare += counts.inside[i] != 0.0 ? residual * residual : 0.0;
    }
  }
  return chiSquare / freedom;
}

double
PoissonRadiographToVolumeMetricv4::GetRelativeResidual() const
{
  constexpr double leastShare = 0.1;
  this->EvaluateTerms(Order::Value);
  double sum = 0.0;
  double count = 0.0;
  for (unsigned int view = 0; view < m_Prepared->views.size(); ++view)
  {
    const PoissonCounts & counts = m_Prepared->views[view];
    const PixelModel      pixels = this->EvaluatePixelModel(view);
    const double * const  depths = this->GetViewPixels()[view].depths;
    std::vector<double>   information(counts.inside.size(), 0.0);
    double                total = 0.0;
    double                crossed = 0.0;
    for (std::size_t i = 0; i < information.size(); ++i)
    {
      if (counts.inside[i] != 0.0 && depths[i] != 0.0 && pixels.mean[i] > 0.0)
      {
        information[i] = pixels.primary[i] * (pixels.primary[i] / pixels.mean[i]);
        total += information[i];
        crossed += 1.0;
      }
    }
    for (std::size_t i = 0; i < information.size(); ++i)
    {
      if (information[i] > 0.0 && information[i] * crossed >= leastShare * total)
      {
        const double relative = (counts.observed[i] - pixels.mean[i]) / pixels.mean[i];
        sum += relative * relative;
        count += 1.0;
      }
    }
  }
  return count > 0.0 ? std::sqrt(sum / count) : 0.0;
}

std::vector<vnl_vector<double>>
PoissonRadiographToVolumeMetricv4::SumNuisanceScores(unsigned int view, unsigned int blockSize) const
{
  const PoissonCounts &           counts = m_Prepared->views[view];
  const auto &                    profile = m_Prepared->profile;
  const PixelModel                pixels = this->EvaluatePixelModel(view);
  const double * const            depths = this->GetViewPixels()[view].depths;
  const auto                      blockColumns = (counts.columns + blockSize - 1) / blockSize;
  const auto                      blockRows = (counts.rows + blockSize - 1) / blockSize;
  const auto                      unknowns = static_cast<unsigned int>(profile.unknowns.size());
  const auto                      gridColumns = static_cast<std::int64_t>(m_ScatterGrid[0]);
  std::vector<vnl_vector<double>> sums(static_cast<std::size_t>(blockColumns * blockRows),
                                       vnl_vector<double>(unknowns, 0.0));
  const auto                      hat = [](const compute::HatBasis & basis, std::int64_t node, std::int64_t pixel) {
    const double right = basis.GetRightWeight(pixel);
    return basis.GetLeft(pixel) == node ? 1.0 - right : basis.GetLeft(pixel) + 1 == node ? right : 0.0;
  };
  for (std::int64_t row = 0; row < counts.rows; ++row)
  {
    for (std::int64_t column = 0; column < counts.columns; ++column)
    {
      const auto pixel = static_cast<std::size_t>(column + row * counts.columns);
      if (counts.inside[pixel] == 0.0)
      {
        continue;
      }
      auto &       sum = sums[static_cast<std::size_t>(column / blockSize + (row / blockSize) * blockColumns)];
      const double mean = pixels.mean[pixel];
      const double observed = counts.observed[pixel];
      const double primary = -kernel::PoissonScore(observed, pixels.primary[pixel], mean - pixels.primary[pixel]);
      const double photons = observed == 0.0 ? 1.0 : (mean - observed) / mean;
      for (unsigned int k = 0; k < unknowns; ++k)
      {
        const Unknown & unknown = profile.unknowns[k];
        const auto      node = static_cast<std::int64_t>(unknown.node);
        if (unknown.kind == Kind::Attenuation)
        {
          sum[k] -= depths[pixel] * primary;
        }
        else if (unknown.view == view && unknown.kind == Kind::Exposure)
        {
          sum[k] += primary;
        }
        else if (unknown.view == view)
        {
          sum[k] +=
            hat(counts.columnHats, node % gridColumns, column) * hat(counts.rowHats, node / gridColumns, row) * photons;
        }
      }
    }
  }
  for (auto & sum : sums)
  {
    sum /= m_DispersionFactor;
  }
  return sums;
}

PoissonRadiographToVolumeMetricv4::CovarianceType
PoissonRadiographToVolumeMetricv4::ComputeSandwichCovariance(unsigned int blockSize) const
{
  if (blockSize == 0)
  {
    itkExceptionMacro("Blocks of 0 pixels hold no residuals; give a blockSize of 1 or more.");
  }
  const auto directions = this->FindSingularDirections();
  if (!directions.empty())
  {
    itkExceptionMacro("There is no covariance: " << directions.front());
  }
  const Similarity &       similarity = this->EvaluateTerms(Order::Information);
  const unsigned int       parameters = this->GetNumberOfParameters();
  const vnl_matrix<double> projection = SolveNuisances(similarity.nuisanceInformation, this->GetCouplingMatrix());
  vnl_matrix<double>       middle(parameters, parameters, 0.0);
  double                   blocks = 0.0;
  for (unsigned int view = 0; view < m_Prepared->views.size(); ++view)
  {
    const auto scores = this->ContractBlocks(view, blockSize);
    const auto nuisances = this->SumNuisanceScores(view, blockSize);
    for (std::size_t block = 0; block < scores.size(); ++block)
    {
      vnl_vector<double> score(scores[block].data(), parameters);
      if (projection.rows() > 0)
      {
        score -= projection.transpose() * nuisances[block];
      }
      middle += outer_product(score, score);
      blocks += score.is_zero() ? 0.0 : 1.0;
    }
  }
  if (!(blocks > parameters))
  {
    itkExceptionMacro("There are " << blocks << " blocks of " << blockSize << " x " << blockSize << " pixels for "
                                   << parameters << " parameters: give a smaller blockSize.");
  }
  const auto information = EliminateNuisances(
    this->GetInformationWithNuisancesHeld(), similarity.nuisanceInformation, this->GetCouplingMatrix());
  const auto half = SolveNuisances(information, middle);
  return SolveNuisances(information, half.transpose()) * (blocks / (blocks - parameters));
}

PoissonCounts
PoissonRadiographToVolumeMetricv4::MakeWholeCounts(unsigned int view) const
{
  ViewPixels pixels;
  pixels.columns = pixels.detectorColumns = this->GetViewPixels()[view].detectorColumns;
  pixels.rows = pixels.detectorRows = this->GetViewPixels()[view].detectorRows;
  const std::vector<unsigned char> all(static_cast<std::size_t>(pixels.columns * pixels.rows), 1);
  pixels.mask = all.data();
  PoissonCounts counts = this->MakeCounts(view, pixels);
  // A largest count of other pixels is not what the exposure refers to.
  if (counts.openBeamIsAssumed)
  {
    std::fill(counts.openBeam.begin(), counts.openBeam.end(), m_Prepared->views[view].openBeamCounts);
  }
  return counts;
}

void
PoissonRadiographToVolumeMetricv4::ConvertWith(unsigned int view, ImageType & depths, const PixelValue & valueOf) const
{
  const PoissonCounts        counts = this->MakeWholeCounts(view);
  float * const              values = depths.GetBufferPointer();
  const auto                 count = counts.inside.size();
  const std::vector<double>  deep(values, values + count);
  std::vector<double>        mean(count);
  compute::PoissonPixelTerms outputs;
  outputs.mean = mean.data();
  compute::EvaluatePoissonPixels(
    counts.MakeView(deep.data()), m_Prepared->profile, view, outputs, this->GetParallelFor());
  for (std::size_t i = 0; i < count; ++i)
  {
    values[i] = static_cast<float>(valueOf(counts.observed[i], mean[i]));
  }
}

void
PoissonRadiographToVolumeMetricv4::ConvertToPrediction(unsigned int view, ImageType & depths) const
{
  const ViewModel model = this->GetModel(view);
  this->ConvertWith(
    view, depths, [&](double, double mean) { return model.gain * (mean - m_ElectronicVariance) + model.offset; });
}

void
PoissonRadiographToVolumeMetricv4::ConvertToResidual(unsigned int view, ImageType & depths) const
{
  const double unit = std::sqrt(m_DispersionFactor);
  this->ConvertWith(
    view, depths, [unit](double observed, double mean) { return kernel::DevianceResidual(observed, mean) / unit; });
}

} // namespace itk
