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
#include "itkRegistrationParameterScalesFromRadiographShift.h"

#include "itkRadiographToVolumeMetricv4.h"
#include "projection/itkViewRays.h"

#include "vnl/vnl_inverse.h"

#include <algorithm>
#include <cmath>

namespace itk
{

namespace
{

using PointType = RadiographGeometry::PointType;

/** The map that a change of the transform, from `before` to `after`, moves points of the world by if they stay with the
 * CT: x to after^-1(before(x)). */
class WorldMotion
{
public:
  WorldMotion(const AffineMap & before, const AffineMap & after)
    : m_Before(before)
    , m_After(after)
    , m_Inverse(vnl_inverse(after.matrix))
  {}

  PointType
  operator()(const PointType & world) const
  {
    const vnl_vector_fixed<double, 3> ct = m_Before(world.GetVnlVector());
    const vnl_vector_fixed<double, 3> moved = m_Inverse * (ct - m_After.offset);
    PointType                         point;
    std::copy(moved.begin(), moved.end(), point.Begin());
    return point;
  }

private:
  AffineMap                      m_Before;
  AffineMap                      m_After;
  vnl_matrix_fixed<double, 3, 3> m_Inverse;
};

double
LargestDistance(const RadiographToVolumeMetricv4 & metric, const PointType & from, const PointType & to)
{
  double largest = 0.0;
  for (unsigned int view = 0; view < metric.GetNumberOfViews(); ++view)
  {
    RadiographGeometry::PixelType first;
    RadiographGeometry::PixelType second;
    const RadiographGeometry &    geometry = *metric.GetViewGeometry(view);
    if (geometry.ProjectPoint(from, first) && geometry.ProjectPoint(to, second))
    {
      largest = std::max(largest, std::hypot(second[0] - first[0], second[1] - first[1]));
    }
  }
  return largest;
}

} // namespace

RegistrationParameterScalesFromRadiographShift::RegistrationParameterScalesFromRadiographShift() = default;

RegistrationParameterScalesFromRadiographShift::~RegistrationParameterScalesFromRadiographShift() = default;

RegistrationParameterScalesFromRadiographShift::FloatType
RegistrationParameterScalesFromRadiographShift::EstimateMaximumStepSize()
{
  return m_MaximumShift;
}

void
RegistrationParameterScalesFromRadiographShift::ComputeSampleShifts(const ParametersType & deltaParameters,
                                                                    ScalesType &           localShifts)
{
  const auto * const metric = dynamic_cast<const RadiographToVolumeMetricv4 *>(this->m_Metric.GetPointer());
  if (metric == nullptr)
  {
    itkExceptionMacro("" << this->m_Metric->GetNameOfClass()
                         << " has no radiographs to look at: give a RadiographToVolumeMetricv4, or take another "
                            "estimator of scales.");
  }
  if (!this->GetTransformForward())
  {
    itkExceptionMacro("The fixed transform has no part in a registration of radiographs: leave TransformForward on.");
  }
  auto &               transform = *this->m_Metric->GetModifiableMovingTransform();
  const ParametersType parameters = transform.GetParameters();
  const AffineMap      before = ToAffineMap(transform);
  AffineMap            after;
  this->UpdateTransformParameters(deltaParameters);
  try
  {
    after = ToAffineMap(transform);
  }
  catch (...)
  {
    transform.SetParameters(parameters);
    throw;
  }
  transform.SetParameters(parameters);

  const WorldMotion motion(before, after);
  localShifts.SetSize(this->m_SamplePoints.size());
  std::transform(this->m_SamplePoints.begin(),
                 this->m_SamplePoints.end(),
                 localShifts.begin(),
                 [&](const PointType & point) { return LargestDistance(*metric, point, motion(point)); });
}

void
RegistrationParameterScalesFromRadiographShift::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "MaximumShift: " << m_MaximumShift << std::endl;
}

} // namespace itk
