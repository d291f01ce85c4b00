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
#include "itkGradientCorrelationRadiographToVolumeMetricv4.h"

#include "compute/CorrelationOfGradients.h"
#include "registration/itkCorrelationTerms.h"

namespace itk
{

namespace compute = radiography::compute;

std::ostream &
operator<<(std::ostream & out, GradientCorrelationRadiographToVolumeMetricv4Enums::Difference value)
{
  static const char * const names[] = { "Central", "Sobel" };
  return out << "itk::GradientCorrelationRadiographToVolumeMetricv4Enums::Difference::"
             << names[static_cast<unsigned int>(value)];
}

GradientCorrelationRadiographToVolumeMetricv4::GradientCorrelationRadiographToVolumeMetricv4() = default;

GradientCorrelationRadiographToVolumeMetricv4::~GradientCorrelationRadiographToVolumeMetricv4() = default;

void
GradientCorrelationRadiographToVolumeMetricv4::CorrelateView(unsigned int               view,
                                                             const ViewPixels &         pixels,
                                                             Order                      order,
                                                             compute::SimilarityTerms & terms) const
{
  const auto   spacing = this->GetViewGeometry(view)->GetDetectorSpacing();
  const double stride = static_cast<double>(pixels.stride);
  const auto   kind =
    m_Difference == DifferenceEnum::Central ? compute::DifferenceKind::Central : compute::DifferenceKind::Sobel;
  terms = compute::EvaluateGradientCorrelation(
    GridOfPixels(pixels.columns, pixels.rows),
    ImagesOf(pixels.columns, pixels.rows, pixels.depths, pixels.image, pixels.mask),
    { stride * spacing[0], stride * spacing[1] },
    kind,
    ToCompute(this->GetCompared()),
    ToCompute(this->GetRelation()),
    ToSimilarityOrder(order),
    this->GetParallelFor());
}

void
GradientCorrelationRadiographToVolumeMetricv4::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "Difference: " << m_Difference << std::endl;
}

} // namespace itk
