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
#include "itkNormalizedCorrelationRadiographToVolumeMetricv4.h"

#include "registration/itkCorrelationTerms.h"

namespace itk
{

NormalizedCorrelationRadiographToVolumeMetricv4::NormalizedCorrelationRadiographToVolumeMetricv4() = default;

NormalizedCorrelationRadiographToVolumeMetricv4::~NormalizedCorrelationRadiographToVolumeMetricv4() = default;

void
NormalizedCorrelationRadiographToVolumeMetricv4::CorrelateView(unsigned int,
                                                               const ViewPixels &                      pixels,
                                                               Order                                   order,
                                                               radiography::compute::SimilarityTerms & terms) const
{
  terms = radiography::compute::EvaluateDepthCorrelation(
    GridOfPixels(pixels.columns, pixels.rows),
    ImagesOf(pixels.columns, pixels.rows, pixels.depths, pixels.image, pixels.mask),
    ToCompute(this->GetCompared()),
    ToCompute(this->GetRelation()),
    ToSimilarityOrder(order),
    this->GetParallelFor());
}

} // namespace itk
