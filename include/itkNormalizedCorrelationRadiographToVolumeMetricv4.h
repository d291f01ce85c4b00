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
#ifndef itkNormalizedCorrelationRadiographToVolumeMetricv4_h
#define itkNormalizedCorrelationRadiographToVolumeMetricv4_h

#include "itkCorrelationRadiographToVolumeMetricv4.h"

#include "itkObjectFactory.h"

namespace itk
{

/** \class NormalizedCorrelationRadiographToVolumeMetricv4
 * \brief Normalised correlation of a radiograph with the optical depths (or transmissions) of a CT.
 *
 * For images that are no counts: log-converted or display images, whose gain and offset do not matter. M is the number
 * of a view's compared pixels. What makes the relation of image and depth other than a straight line, or differ over
 * the image (scatter, beam hardening, a heel effect, local contrast enhancement), biases the pose; a
 * GradientCorrelationRadiographToVolumeMetricv4 sees less of what is smooth.
 *
 * The information matrix is that of least squares with the line eliminated (variable projection).
 *
 * \sa CorrelationRadiographToVolumeMetricv4 for values, relation and what is refused
 * \ingroup Radiography */
class Radiography_EXPORT NormalizedCorrelationRadiographToVolumeMetricv4 : public CorrelationRadiographToVolumeMetricv4
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(NormalizedCorrelationRadiographToVolumeMetricv4);

  using Self = NormalizedCorrelationRadiographToVolumeMetricv4;
  using Superclass = CorrelationRadiographToVolumeMetricv4;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(NormalizedCorrelationRadiographToVolumeMetricv4);

protected:
  NormalizedCorrelationRadiographToVolumeMetricv4();
  ~NormalizedCorrelationRadiographToVolumeMetricv4() override;

  void
  CorrelateView(unsigned int                            view,
                const ViewPixels &                      pixels,
                Order                                   order,
                radiography::compute::SimilarityTerms & terms) const override;
};

} // namespace itk

#endif
