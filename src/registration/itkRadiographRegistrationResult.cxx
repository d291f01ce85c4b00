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
#include "itkRadiographRegistrationResult.h"

#include <cmath>

namespace itk
{
namespace
{

std::vector<double>
RootsOfDiagonal(const vnl_matrix<double> & covariance)
{
  std::vector<double> roots;
  for (unsigned int i = 0; i < covariance.rows(); ++i)
  {
    roots.push_back(std::sqrt(covariance(i, i)));
  }
  return roots;
}

double
Share(double whole, SizeValueType parts)
{
  return parts == 0 ? 0.0 : whole / static_cast<double>(parts);
}

const char *
NameOf(RadiographRegistrationEnums::Metric value)
{
  switch (value)
  {
    case RadiographRegistrationEnums::Metric::Poisson:
      return "poisson";
    case RadiographRegistrationEnums::Metric::NormalizedCorrelation:
      return "normalized-correlation";
    case RadiographRegistrationEnums::Metric::GradientCorrelation:
      return "gradient-correlation";
  }
  return "INVALID VALUE FOR itk::RadiographRegistrationEnums::Metric";
}

const char *
NameOf(RadiographRegistrationEnums::TransformKind value)
{
  switch (value)
  {
    case RadiographRegistrationEnums::TransformKind::AsInitial:
      return "as-initial";
    case RadiographRegistrationEnums::TransformKind::Euler:
      return "euler";
    case RadiographRegistrationEnums::TransformKind::Similarity:
      return "similarity";
    case RadiographRegistrationEnums::TransformKind::Affine:
      return "affine";
  }
  return "INVALID VALUE FOR itk::RadiographRegistrationEnums::TransformKind";
}

const char *
NameOf(RadiographRegistrationEnums::Verdict value)
{
  switch (value)
  {
    case RadiographRegistrationEnums::Verdict::Converged:
      return "converged";
    case RadiographRegistrationEnums::Verdict::Doubtful:
      return "doubtful";
    case RadiographRegistrationEnums::Verdict::Failed:
      return "failed";
  }
  return "INVALID VALUE FOR itk::RadiographRegistrationEnums::Verdict";
}

} // namespace

std::ostream &
operator<<(std::ostream & out, RadiographRegistrationEnums::Metric value)
{
  return out << NameOf(value);
}

std::ostream &
operator<<(std::ostream & out, RadiographRegistrationEnums::TransformKind value)
{
  return out << NameOf(value);
}

std::ostream &
operator<<(std::ostream & out, RadiographRegistrationEnums::Verdict value)
{
  return out << NameOf(value);
}

RadiographRegistrationResult::RadiographRegistrationResult() = default;

RadiographRegistrationResult::~RadiographRegistrationResult() = default;

std::vector<double>
RadiographRegistrationResult::GetStandardErrors() const
{
  return RootsOfDiagonal(m_Content.inflatedCovariance);
}

std::vector<double>
RadiographRegistrationResult::GetTargetStandardErrors() const
{
  return RootsOfDiagonal(m_Content.inflatedTargetCovariance);
}

double
RadiographRegistrationResult::GetDeviancePerPixel() const
{
  return Share(m_Content.deviance, m_Content.pixels);
}

double
RadiographRegistrationResult::GetDeviancePerDegreeOfFreedom() const
{
  return Share(m_Content.deviance, m_Content.degreesOfFreedom);
}

void
RadiographRegistrationResult::SetContent(const Content & content)
{
  m_Content = content;
  this->Modified();
}

void
RadiographRegistrationResult::Graft(const DataObject * data)
{
  Superclass::Graft(data);
  const auto * const other = dynamic_cast<const Self *>(data);
  if (!other)
  {
    itkExceptionMacro("A result of a registration can be grafted from another one only; this is "
                      << (data ? data->GetNameOfClass() : "null") << '.');
  }
  m_Content = other->m_Content;
}

void
RadiographRegistrationResult::Initialize()
{
  Superclass::Initialize();
  m_Content = Content{};
}

void
RadiographRegistrationResult::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  const Content & c = m_Content;
  os << indent << "Verdict: " << c.verdict << '\n';
  for (const std::string & reason : c.reasons)
  {
    os << indent.GetNextIndent() << reason << '\n';
  }
  os << indent << "Metric: " << c.metric << '\n';
  os << indent << "InitialTransform: " << c.initialTransform.GetPointer() << '\n';
  os << indent << "Transform: " << c.transform.GetPointer() << '\n';
  os << indent << "Information:\n" << c.information;
  os << indent << "Covariance:\n" << c.covariance;
  os << indent << "InflatedCovariance:\n" << c.inflatedCovariance;
  os << indent << "Target: " << c.target << ", in the world " << c.targetInWorld << '\n';
  os << indent << "TargetCovariance:\n" << c.targetCovariance;
  os << indent << "InflatedTargetCovariance:\n" << c.inflatedTargetCovariance;
  os << indent << "SingularDirection: " << c.singularDirection << '\n';
  os << indent << "Objective: " << c.objective << '\n';
  os << indent << "Stationarity: " << c.stationarity << '\n';
  os << indent << "InflatedStationarity: " << c.inflatedStationarity << '\n';
  os << indent << "Deviance: " << c.deviance << '\n';
  os << indent << "NumberOfPixels: " << c.pixels << '\n';
  os << indent << "DegreesOfFreedom: " << c.degreesOfFreedom << '\n';
  os << indent << "Dispersion: " << c.dispersion << '\n';
  os << indent << "RelativeResidual: " << c.relativeResidual << '\n';
  os << indent << "Correlations:";
  for (const double correlation : c.correlations)
  {
    os << ' ' << correlation;
  }
  os << '\n';
  os << indent << "Nuisances: of " << c.nuisances.size() << " views\n";
  os << indent << "HalvesWereCompared: " << c.halvesWereCompared << '\n';
  os << indent << "HalvesDistance: " << c.halvesDistance << ", bound " << c.halvesBound << '\n';
  os << indent << "HalvesDisplacement: " << c.halvesDisplacement << " mm, tolerance " << c.halvesTolerance << " mm\n";
  os << indent << "HalvesParameters: " << c.halvesParameters[0] << ", " << c.halvesParameters[1] << '\n';
  os << indent << "Outliers: " << c.outliers << '\n';
  os << indent << "NumberOfViews: " << c.images.size() << '\n';
  os << indent << "Starts: " << c.startsScored << " scored, " << c.startsOptimized << " optimized, "
     << c.startsAbandoned << " abandoned\n";
  os << indent << "Levels: " << c.levels.size() << '\n';
  os << indent << "Trace: " << c.trace.size() << " steps\n";
  os << indent << "ComputeReport: " << c.computeReport.projector << ", " << c.computeReport.kernel << '\n';
  os << indent << "Seconds: " << c.seconds << '\n';
}

} // namespace itk
