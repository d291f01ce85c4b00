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
#ifndef itkRegistrationParameterScalesFromFisherInformation_h
#define itkRegistrationParameterScalesFromFisherInformation_h

#include "RadiographyExport.h"
#include "itkFisherInformationProvider.h"
#include "itkRadiographyMacros.h"

#include "itkObjectToObjectMetricBase.h"
#include "itkOptimizerParameterScalesEstimator.h"

namespace itk
{

/** \class RegistrationParameterScalesFromFisherInformation
 * \brief Scales of parameters, and steps, in the standard errors of what is to be estimated.
 *
 * For metrics that are a FisherInformationProvider, with information H at the present parameters:
 *
 * | estimate                  | is                                                                                |
 * |---------------------------|-----------------------------------------------------------------------------------|
 * | EstimateScales()          | diag(H): a gradient divided by it is a step of the right length for each parameter |
 * |                           | as if there were no other                                                         |
 * | EstimateStepScale(step)   | sqrt(step^T H step), standard errors                                              |
 * | EstimateMaximumStepSize() | sqrt(g^T H^-1 g), standard errors: as far as the optimum seems to be, at least 1  |
 *
 * Each call evaluates the metric once.
 *
 * \throws ExceptionObject from each: no metric, one without information, an evaluation that means nothing (the object
 * is out of every view); from EstimateScales() also a parameter whose information is 0.
 *
 * \ingroup Radiography */
class Radiography_EXPORT RegistrationParameterScalesFromFisherInformation
  : public OptimizerParameterScalesEstimatorTemplate<double>
{
public:
  ITK_DISALLOW_COPY_AND_MOVE(RegistrationParameterScalesFromFisherInformation);

  using Self = RegistrationParameterScalesFromFisherInformation;
  using Superclass = OptimizerParameterScalesEstimatorTemplate<double>;
  using Pointer = SmartPointer<Self>;
  using ConstPointer = SmartPointer<const Self>;

  itkNewMacro(Self);
  itkOverrideGetNameOfClassMacro(RegistrationParameterScalesFromFisherInformation);

  using MetricType = ObjectToObjectMetricBaseTemplate<double>;
  using FloatType = Superclass::FloatType;
  using ScalesType = Superclass::ScalesType;
  using ParametersType = Superclass::ParametersType;

  /** A metric that is a FisherInformationProvider. */
  itkSetObjectMacro(Metric, MetricType);
  itkGetModifiableObjectMacro(Metric, MetricType);

  void
  EstimateScales(ScalesType & scales) override;
  FloatType
  EstimateStepScale(const ParametersType & step) override;
  /** \throws ExceptionObject always: information is that of all pixels, there are no local steps. */
  void
  EstimateLocalStepScales(const ParametersType & step, ScalesType & localStepScales) override;
  FloatType
  EstimateMaximumStepSize() override;

protected:
  RegistrationParameterScalesFromFisherInformation();
  ~RegistrationParameterScalesFromFisherInformation() override;

  void
  PrintSelf(std::ostream & os, Indent indent) const override;

private:
  struct Evaluation;

  Evaluation
  Evaluate() const;

  MetricType::Pointer m_Metric;
};

} // namespace itk

#endif
