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
#include "registration/itkRegistrationObjective.h"

#include "itkGradientCorrelationRadiographToVolumeMetricv4.h"
#include "itkNormalizedCorrelationRadiographToVolumeMetricv4.h"
#include "itkPoissonRadiographToVolumeMetricv4.h"

#include <algorithm>
#include <cmath>

namespace itk
{
namespace
{

using MetricType = RadiographToVolumeMetricv4;
using PoissonType = PoissonRadiographToVolumeMetricv4;
using CorrelationType = CorrelationRadiographToVolumeMetricv4;
using MetricEnum = RadiographRegistrationEnums::Metric;
using Content = RadiographRegistrationResult::Content;

bool
IsOpenBeamKnown(const RegistrationView & view)
{
  return view.openBeamImage || view.openBeamCounts > 0.0;
}

void
DescribeView(PoissonType & metric, unsigned int index, const RegistrationView & view)
{
  if (view.openBeamImage)
  {
    metric.SetViewOpenBeamCountsImage(index, view.openBeamImage);
  }
  else if (IsOpenBeamKnown(view))
  {
    metric.SetViewOpenBeamCounts(index, view.openBeamCounts);
  }
  if (view.scatter)
  {
    metric.SetViewScatterCountsImage(index, view.scatter);
  }
  metric.SetViewGain(index, view.gain);
  metric.SetViewOffset(index, view.offset);
}

MetricType::Pointer
MakePoisson(const RegistrationModel & model, const RegistrationScene & scene)
{
  const auto metric = PoissonType::New();
  metric->SetEstimateExposure(model.estimateExposure ||
                              !std::all_of(scene.views.begin(), scene.views.end(), IsOpenBeamKnown));
  metric->SetEstimateAttenuationScale(model.estimateAttenuation);
  metric->SetEstimateScatter(model.estimateScatter);
  metric->SetScatterGrid(model.scatterNodes);
  metric->SetDispersionFactor(model.dispersion);
  for (unsigned int view = 0; view < scene.views.size(); ++view)
  {
    DescribeView(*metric, view, scene.views[view]);
  }
  return metric.GetPointer();
}

template <typename TMetric>
MetricType::Pointer
MakeCorrelation(const RegistrationModel & model)
{
  const auto metric = TMetric::New();
  metric->SetCompared(model.compared);
  metric->SetRelation(model.relation);
  return metric.GetPointer();
}

MetricType::Pointer
MakeSimilarity(const RegistrationModel & model, const RegistrationScene & scene)
{
  switch (model.metric)
  {
    case MetricEnum::Poisson:
      return MakePoisson(model, scene);
    case MetricEnum::NormalizedCorrelation:
      return MakeCorrelation<NormalizedCorrelationRadiographToVolumeMetricv4>(model);
    case MetricEnum::GradientCorrelation:
      return MakeCorrelation<GradientCorrelationRadiographToVolumeMetricv4>(model);
  }
  itkGenericExceptionMacro("There is no metric of the number " << static_cast<int>(model.metric) << '.');
}

RadiographRegistrationNuisances
Translate(const PoissonRadiographNuisances & found, double pixelsOfBlock)
{
  RadiographRegistrationNuisances nuisances;
  nuisances.exposureIsEstimated = found.exposureIsEstimated;
  nuisances.openBeamIsAssumed = found.openBeamCountsAreAssumed;
  nuisances.openBeamCounts = found.openBeamCounts / pixelsOfBlock;
  nuisances.exposure = found.exposure;
  nuisances.logExposureStandardError = found.logExposureStandardError;
  nuisances.attenuationIsEstimated = found.attenuationIsEstimated;
  nuisances.attenuation = found.attenuationScale;
  nuisances.attenuationStandardError = found.attenuationStandardError;
  nuisances.scatterIsEstimated = found.scatterIsEstimated;
  nuisances.scatterNodes = found.scatterGrid;
  nuisances.scatter = found.scatter;
  nuisances.scatterStandardErrors = found.scatterStandardErrors;
  for (std::vector<double> * const counts : { &nuisances.scatter, &nuisances.scatterStandardErrors })
  {
    std::transform(
      counts->begin(), counts->end(), counts->begin(), [=](double count) { return count / pixelsOfBlock; });
  }
  return nuisances;
}

// The share of the variance that is left over is 1 - rho^2, or 2 (1 - |rho|) where the relation is given.
double
CorrelationOf(const CorrelationType & metric)
{
  const double left = metric.GetDispersion();
  return metric.GetRelation() == CorrelationType::RelationEnum::Automatic ? std::sqrt(std::max(0.0, 1.0 - left))
                                                                          : 1.0 - 0.5 * left;
}

// Of every stride-th column and row from number (stride - 1) / 2 on, as the metric takes them.
SizeValueType
CountPixels(const RegistrationView & view, unsigned int stride)
{
  const ImageRegion<3> region = view.image->GetLargestPossibleRegion();
  SizeValueType        count = 0;
  for (SizeValueType row = (stride - 1) / 2; row < region.GetSize(1); row += stride)
  {
    for (SizeValueType column = (stride - 1) / 2; column < region.GetSize(0); column += stride)
    {
      Index<3> pixel = region.GetIndex();
      pixel[0] += static_cast<IndexValueType>(column);
      pixel[1] += static_cast<IndexValueType>(row);
      count += !view.mask || view.mask->GetPixel(pixel) != 0 ? 1 : 0;
    }
  }
  return count;
}

SizeValueType
CountPixels(const RegistrationScene & scene, unsigned int stride)
{
  SizeValueType count = 0;
  for (const RegistrationView & view : scene.views)
  {
    count += CountPixels(view, stride);
  }
  return count;
}

/** Of the relative residual, what noise of the dispersion phi does not explain: shares of the variance as Pearson's
 * chi-square has them. */
double
WithoutNoise(double relativeResidual, double pearson, double phi)
{
  return pearson > phi ? relativeResidual * std::sqrt(1.0 - phi / pearson) : 0.0;
}

void
DescribePoisson(const PoissonType & metric, const RegistrationModel & model, Content & content)
{
  const RadiographRegistrationLevelReport & level = content.levels.back();
  content.deviance = metric.GetDeviance();
  content.pixels = metric.GetNumberOfPixels();
  content.degreesOfFreedom = metric.GetDegreesOfFreedom();
  content.relativeResidual = metric.GetRelativeResidual();
  if (!model.estimateDispersion)
  {
    content.relativeResidual =
      WithoutNoise(content.relativeResidual, metric.EstimateDispersionFactor(), metric.GetDispersionFactor());
  }
  const std::vector<PoissonRadiographNuisances> found = metric.GetNuisances();
  for (std::size_t view = 0; view < found.size(); ++view)
  {
    const double side = level.imageBlocks[view];
    content.nuisances.push_back(Translate(found[view], side * side));
  }
}

} // namespace

MetricType::Pointer
MakeRegistrationMetric(const RegistrationModel &           model,
                       const RegistrationScene &           scene,
                       const RadiographRegistrationLevel & level,
                       Transform<double, 3, 3> *           transform)
{
  const MetricType::Pointer metric = MakeSimilarity(model, scene);
  const RegistrationView &  first = scene.views.front();
  metric->SetFixedImage(first.image);
  metric->SetGeometry(first.geometry);
  metric->SetMask(first.mask);
  for (std::size_t view = 1; view < scene.views.size(); ++view)
  {
    metric->AddView(scene.views[view].image, scene.views[view].geometry, scene.views[view].mask);
  }
  metric->SetProjectionVolume(scene.volume);
  metric->SetMovingTransform(transform);
  metric->SetProjector(level.projector);
  metric->SetStride(level.stride);
  metric->SetPolicy(model.policy);
  metric->SetMaximumNumberOfWorkUnits(model.workUnits);
  metric->Initialize();
  return metric;
}

double
EstimateRegistrationDispersion(const MetricType & metric)
{
  if (const auto * const poisson = dynamic_cast<const PoissonType *>(&metric))
  {
    return poisson->EstimateDispersionFactor();
  }
  return dynamic_cast<const CorrelationType &>(metric).GetDispersion();
}

vnl_matrix<double>
ComputeRegistrationSandwich(const MetricType & metric, unsigned int blockSize)
{
  const auto * const poisson = dynamic_cast<const PoissonType *>(&metric);
  try
  {
    return poisson ? poisson->ComputeSandwichCovariance(blockSize)
                   : dynamic_cast<const CorrelationType &>(metric).ComputeSandwichCovariance(blockSize);
  }
  catch (const ExceptionObject &)
  {
    // There are not more blocks than parameters.
    return {};
  }
}

void
DescribeFit(const MetricType &                  metric,
            const RegistrationModel &           model,
            const RegistrationScene &           scene,
            const RadiographRegistrationLevel & level,
            Content &                           content)
{
  if (const auto * const poisson = dynamic_cast<const PoissonType *>(&metric))
  {
    DescribePoisson(*poisson, model, content);
    return;
  }
  content.pixels = CountPixels(scene, level.stride);
  // Offset and slope of each view are estimated.
  const SizeValueType estimated = metric.GetNumberOfParameters() + 2 * scene.views.size();
  content.degreesOfFreedom = content.pixels > estimated ? content.pixels - estimated : 0;
  for (const RegistrationView & view : scene.views)
  {
    const auto transform = metric.GetMovingTransform()->Clone();
    const auto own = MakeRegistrationMetric(model, { { view }, scene.volume }, level, transform);
    content.correlations.push_back(CorrelationOf(dynamic_cast<const CorrelationType &>(*own)));
  }
}

} // namespace itk
