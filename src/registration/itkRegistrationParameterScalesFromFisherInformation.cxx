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
#include "itkRegistrationParameterScalesFromFisherInformation.h"

#include "registration/itkInformationSpectrum.h"

#include <algorithm>
#include <cmath>

namespace itk
{

struct RegistrationParameterScalesFromFisherInformation::Evaluation
{
  FisherInformationProvider::DerivativeType  derivative;
  FisherInformationProvider::InformationType information;
};

RegistrationParameterScalesFromFisherInformation::RegistrationParameterScalesFromFisherInformation() = default;

RegistrationParameterScalesFromFisherInformation::~RegistrationParameterScalesFromFisherInformation() = default;

RegistrationParameterScalesFromFisherInformation::Evaluation
RegistrationParameterScalesFromFisherInformation::Evaluate() const
{
  if (m_Metric.IsNull())
  {
    itkExceptionMacro("There is no metric: give one with SetMetric().");
  }
  const auto * const provider = dynamic_cast<const FisherInformationProvider *>(m_Metric.GetPointer());
  if (provider == nullptr)
  {
    itkExceptionMacro("" << m_Metric->GetNameOfClass()
                         << " offers no information matrix: give a metric that is a FisherInformationProvider, or take "
                            "another estimator of scales.");
  }
  double     value = 0.0;
  Evaluation evaluation;
  if (!provider->GetValueDerivativeAndInformation(value, evaluation.derivative, evaluation.information))
  {
    itkExceptionMacro("The metric's value means nothing at the present parameters (the object is out of every view, or "
                      "the transform has no inverse): begin nearer.");
  }
  return evaluation;
}

void
RegistrationParameterScalesFromFisherInformation::EstimateScales(ScalesType & scales)
{
  const Evaluation evaluation = this->Evaluate();
  const auto       diagonal = evaluation.information.get_diagonal();
  const auto       nothing = std::find_if(diagonal.begin(), diagonal.end(), [](double h) { return !(h > 0.0); });
  if (nothing != diagonal.end())
  {
    itkExceptionMacro("The information on parameter " << nothing - diagonal.begin()
                                                      << " is 0: the images do not depend on it. Take a transform "
                                                         "without it, or give scales by hand.");
  }
  scales.SetSize(diagonal.size());
  std::copy(diagonal.begin(), diagonal.end(), scales.begin());
}

RegistrationParameterScalesFromFisherInformation::FloatType
RegistrationParameterScalesFromFisherInformation::EstimateStepScale(const ParametersType & step)
{
  return std::sqrt(dot_product(step, this->Evaluate().information * step));
}

void
RegistrationParameterScalesFromFisherInformation::EstimateLocalStepScales(const ParametersType &, ScalesType &)
{
  itkExceptionMacro("There are no local steps: the information is that of all pixels.");
}

RegistrationParameterScalesFromFisherInformation::FloatType
RegistrationParameterScalesFromFisherInformation::EstimateMaximumStepSize()
{
  constexpr double singularity = 1e-9; // as FisherScoringOptimizerv4
  const Evaluation evaluation = this->Evaluate();
  return std::max(1.0, InformationSpectrum(evaluation.information, singularity).ComputeLength(evaluation.derivative));
}

void
RegistrationParameterScalesFromFisherInformation::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  itkPrintSelfObjectMacro(Metric);
}

} // namespace itk
