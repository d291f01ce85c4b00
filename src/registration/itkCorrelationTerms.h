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
#ifndef itkCorrelationTerms_h
#define itkCorrelationTerms_h

#include "compute/CorrelationOfDepths.h"
#include "itkCorrelationRadiographToVolumeMetricv4.h"

/** What the metrics of correlation say at the stairs. */
namespace itk
{

radiography::compute::PixelGrid
GridOfPixels(std::int64_t columns, std::int64_t rows);

radiography::compute::ComparedQuantity
ToCompute(CorrelationRadiographToVolumeMetricv4Enums::Compared compared);

radiography::compute::CorrelationSign
ToCompute(CorrelationRadiographToVolumeMetricv4Enums::Relation relation);

/** Order of a metric of radiographs; the same names in the same order. */
template <typename TOrder>
radiography::compute::SimilarityOrder
ToSimilarityOrder(TOrder order)
{
  return static_cast<radiography::compute::SimilarityOrder>(order);
}

inline radiography::compute::DepthImages
ImagesOf(std::int64_t          columns,
         std::int64_t          rows,
         const double *        depths,
         const float *         image,
         const unsigned char * mask)
{
  const std::int64_t count = columns * rows;
  return { { depths, columns, count }, { image, columns, count }, { mask, columns, count } };
}

} // namespace itk

#endif
