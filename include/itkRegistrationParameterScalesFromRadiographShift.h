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
#ifndef itkRegistrationParameterScalesFromRadiographShift_h
#define itkRegistrationParameterScalesFromRadiographShift_h

#include "RadiographyExport.h"
#include "itkRadiographyMacros.h"

#include "itkImage.h"
#include "itkImageToImageMetricv4.h"
#include "itkRegistrationParameterScalesFromShiftBase.h"

namespace itk
{

/** \class RegistrationParameterScalesFromRadiographShift
 * \brief Scales of parameters, and steps, from how far they move the CT in the radiographs, in detector pixels.
 *
 * ITK's own estimators look at shifts in the volume. What a radiograph sees of a shift depends on its direction: along
 * a ray it is next to nothing, across it is magnified. Here the corners of the metric's virtual domain (a box around
 * the CT) move with the CT when the moving transform changes, from x to T_new^-1(T(x)), and are projected into every
 * view. The shift of a corner is the largest of its distances, in pixels (the root of the sum of squares of columns and
 * rows); a view that it is not in front of has no say.
 *
 * Everything else is that of RegistrationParameterScalesFromShiftBase: a parameter's scale is the square of the largest
 * shift for a unit change, a step's scale the largest shift that it makes.
 *
 * \throws ExceptionObject if the metric is no RadiographToVolumeMetricv4, or the moving transform is not linear or not
 * invertible.
 *
 * \ingroup Radiography */
class Radiography_EXPORT RegistrationParameterScalesFromRadiographShift
  : public RegistrationParameterScalesFromShiftBase<
      ImageToImageMetricv4<Image<float, 3>, Image<float, 3>, Image<float, 3>, double>>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(RegistrationParameterScalesFromRadiographShift);

  using Self = RegistrationParameterScalesFromRadiographShift;
  using Superclass = RegistrationParameterScalesFromShiftBase<
    ImageToImageMetricv4<Image<float, 3>, Image<float, 3>, Image<float, 3>, double>>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(RegistrationParameterScalesFromRadiographShift);

  using FloatType = Superclass::FloatType;
  using ScalesType = Superclass::ScalesType;
  using ParametersType = Superclass::ParametersType;

  /** How far a step of an optimizer may go, detector pixels; 1 by default. */
  itkSetMacro(MaximumShift, double);
  itkGetConstMacro(MaximumShift, double);

  /** MaximumShift. */
  FloatType
  EstimateMaximumStepSize() override;

protected:
  RegistrationParameterScalesFromRadiographShift();
  ~RegistrationParameterScalesFromRadiographShift() override;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;
  void
  ComputeSampleShifts(const ParametersType & deltaParameters, ScalesType & localShifts) override;

private:
  double m_MaximumShift{ 1.0 };
};

} // namespace itk

#endif
