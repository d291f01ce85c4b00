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
#ifndef itkPoissonCounts_h
#define itkPoissonCounts_h

#include "compute/PoissonProfile.h"
#include "itkPoissonRadiographToVolumeMetricv4.h"

#include "itkImage.h"

#include <cstdint>
#include <vector>

namespace itk
{

/** Counts of one view as compute::ProfilePoisson takes them: photons, the electronic variance added to counts and
 * background. */
class PoissonCounts
{
public:
  std::int64_t        columns{ 0 };
  std::int64_t        rows{ 0 };
  std::vector<double> observed;
  std::vector<double> openBeam;
  std::vector<double> background;
  /** 1 inside the mask, else 0. */
  std::vector<double> inside;
  double              logExposure{ 0.0 };
  /** NaN if it was given as an image. */
  double openBeamCounts{ 0.0 };
  bool   openBeamIsAssumed{ false };

  radiography::compute::HatBasis columnHats;
  radiography::compute::HatBasis rowHats;

  /** What goes downstairs; this object and the depths must outlive it. */
  radiography::compute::PoissonProfileView
  MakeView(const double * depths) const;

  /** Of the pixels inside the mask. */
  double
  FindLargestCount() const;
};

struct PoissonRadiographToVolumeMetricv4::PreparedModel
{
  std::vector<PoissonCounts> views;
  /** Inside the masks. */
  SizeValueType pixels{ 0 };
  /** Of the last evaluation. */
  radiography::compute::PoissonProfile profile;
};

/** Every stride-th pixel of an image in both directions, beginning with number `first`. */
std::vector<double>
SampleAsDouble(const Image<float, 3> & image,
               std::int64_t            columns,
               std::int64_t            rows,
               std::int64_t            first,
               std::int64_t            stride);

} // namespace itk

#endif
