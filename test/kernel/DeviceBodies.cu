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
// Each numerical body of src/kernel in a trivial kernel: that they compile as device code is the test.
#include "kernel/CellGaussSensitivity.h"
#include "kernel/FlatField.h"
#include "kernel/JosephSensitivity.h"
#include "kernel/PoissonLikelihood.h"
#include "kernel/Ray.h"
#include "kernel/SiddonSensitivity.h"
#include "kernel/SubrayAverage.h"
#include "kernel/TransmissionAdjoint.h"
#include "kernel/TransmissionLaw.h"
#include "kernel/VolumeView.h"

using namespace radiography;

__global__ void
IntegrateRays(kernel::VolumeView volume, kernel::ViewRays view, int mainAxis, double * depths)
{
  const kernel::Ray ray = kernel::MakeRay(view, double(threadIdx.x), double(blockIdx.x));
  if (kernel::Classify(kernel::ClipLine(ray, volume, 1.0)) == kernel::RayCase::Crosses)
  {
    depths[0] = kernel::IntegrateJoseph(volume, ray, mainAxis);
  }
  depths[1] = kernel::IntegrateCellGauss(volume, ray);
  depths[2] = kernel::IntegrateSiddon(volume, ray);
}

__global__ void
SpreadRays(kernel::VolumeView grid, kernel::ViewRays view, int mainAxis, double * voxels)
{
  const kernel::Ray      ray = kernel::MakeRay(view, double(threadIdx.x), double(blockIdx.x));
  const kernel::IndexBox box = kernel::WholeVolume(grid);
  const auto             add = [&](const std::int64_t(&voxel)[3], double weight) {
    voxels[voxel[0] + grid.size[0] * (voxel[1] + grid.size[1] * voxel[2])] += weight;
  };
  kernel::VisitJosephWeights(ray, mainAxis, box, add);
  kernel::VisitCellGaussWeights(grid, ray, box, add);
  kernel::VisitSiddonWeights(grid, ray, box, add);
}

__global__ void
DifferentiateRays(kernel::VolumeView volume, kernel::ViewRays view, int mainAxis, kernel::RaySensitivity * results)
{
  const kernel::Ray ray = kernel::MakeRay(view, double(threadIdx.x), double(blockIdx.x));
  results[0] = kernel::DifferentiateJoseph(volume, ray, mainAxis);
  results[1] = kernel::DifferentiateCellGauss(volume, ray);
  results[2] = kernel::DifferentiateSiddon(volume, ray);
}

__global__ void
EvaluateLaw(const double * depths, double openBeamCounts, double * values)
{
  const double transmission = kernel::Transmission(depths[threadIdx.x]);
  values[0] = kernel::ExpectedCounts(openBeamCounts, transmission);
  values[1] = kernel::LogTransmission(depths[threadIdx.x]);
  values[2] = kernel::RemovedFraction(depths[threadIdx.x]);
  values[3] = kernel::EffectiveDepth(
    4, [&](int i) { return depths[i]; }, [](int) { return 0.25; });
}

__global__ void
AverageSubrays(const double * depths, double * cotangents)
{
  kernel::DepthAverage average;
  kernel::AddDepth(average, depths[0], 0.5);
  kernel::AddDepth(average, depths[1], 0.5);
  cotangents[4] = kernel::EffectiveDepth(average) + kernel::ShareOfPhotons(average, depths[0], 0.5);
  cotangents[5] = kernel::MeanTransmissionAdjoint(depths[0], 0.5, 1.0);
  kernel::EffectiveDepthAdjoint(
    4,
    [&](int i) { return depths[i]; },
    [](int) { return 0.25; },
    1.0,
    [&](int i, double value) { cotangents[i] = value; });
}

__global__ void
EvaluateLawAdjoint(const double *                 depths,
                   double                         openBeamCounts,
                   kernel::TransmissionCotangents weights,
                   double *                       values)
{
  const double transmission = kernel::Transmission(depths[threadIdx.x]);
  values[0] = kernel::DepthCotangent(transmission, openBeamCounts, weights);
  values[1] = kernel::DepthCotangentBound(openBeamCounts, weights);
  values[2] = kernel::OpenBeamCotangent(transmission, weights.counts);
  values[3] = kernel::OpticalDepth(values[2]);
  values[4] = kernel::DecrementCotangent(values[2], weights.logTransmission);
}

__global__ void
EvaluatePoisson(const double * counts, kernel::PoissonPixel pixel, double * values, kernel::PoissonNuisance * nuisance)
{
  const double observed = counts[threadIdx.x];
  const double primary = kernel::PrimaryMean(pixel.depth, pixel.openBeam);
  values[0] = kernel::PoissonHalfDeviance(pixel, primary);
  values[1] = kernel::PoissonNegativeLogLikelihood(pixel, primary) + kernel::PoissonSaturatedTerm(observed);
  values[2] = kernel::PoissonScore(observed, primary, pixel.scatter);
  values[3] = kernel::PoissonCurvature(observed, primary, pixel.scatter);
  values[4] = kernel::PoissonInformation(primary, pixel.scatter);
  values[5] = kernel::PearsonResidual(observed, primary);
  values[6] = kernel::DevianceResidual(observed, primary);
  nuisance[0] = kernel::PoissonNuisanceTerms(observed, pixel.depth, primary, pixel.scatter);
}

__global__ void
CorrectFlatField(const float * readings, double * values)
{
  const kernel::PixelReadings pixel{ readings[0], readings[1], readings[2] };
  values[0] = kernel::CorrectedTransmission(pixel);
  values[1] = kernel::ApparentDepth(pixel);
  values[2] = kernel::TransmissionVariance(pixel, kernel::ReadingNoise{});
}
