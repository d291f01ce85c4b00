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
#ifndef itkRadiographMetricWorkspace_h
#define itkRadiographMetricWorkspace_h

#include "itkRadiographToVolumeMetricv4.h"

#include "compute/AffineContraction.h"
#include "compute/ProjectionPolicy.h"
#include "compute/ViewSensitivity.h"
#include "kernel/RaySensitivity.h"

#include <memory>
#include <vector>

namespace itk
{

/** What Initialize() prepares, and the memory and results of evaluations. */
struct RadiographToVolumeMetricv4::Workspace
{
  /** A view of which every stride-th pixel is left. */
  struct PreparedView
  {
    RadiographGeometry::ConstPointer geometry;
    std::vector<float>               image;
    std::vector<unsigned char>       mask;

    radiography::compute::SensitivityView            sensitivity{};
    std::vector<radiography::kernel::RaySensitivity> rays;
    std::vector<float>                               projected;
    std::vector<double>                              depths;
  };

  /** When Initialize() was done. */
  TimeStamp                              prepared;
  ProjectionVolume::ConstPointer         volume;
  std::shared_ptr<const float>           transposed;
  radiography::compute::ProjectionPolicy policy;
  std::vector<PreparedView>              views;
  std::vector<ViewPixels>                pixels;

  Similarity similarity;
  /** d(A, b) / d(parameters), 12 x N. */
  vnl_matrix<double> affineJacobian;
  vnl_vector<double> gradient;
  /** With nuisances held. */
  vnl_matrix<double> information;
  /** C, K x N. */
  vnl_matrix<double> coupling;
};

} // namespace itk

#endif
