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
#include "kernel/CellGauss.h"
#include "kernel/Joseph.h"
#include "kernel/Ray.h"
#include "kernel/Siddon.h"
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
EvaluateLaw(const double * depths, double openBeamCounts, double * values)
{
  const double transmission = kernel::Transmission(depths[threadIdx.x]);
  values[0] = kernel::ExpectedCounts(openBeamCounts, transmission);
  values[1] = kernel::LogTransmission(depths[threadIdx.x]);
  values[2] = kernel::RemovedFraction(depths[threadIdx.x]);
  values[3] = kernel::EffectiveDepth(
    4, [&](int i) { return depths[i]; }, [](int) { return 0.25; });
}
