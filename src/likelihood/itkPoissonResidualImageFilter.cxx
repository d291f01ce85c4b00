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
#include "itkPoissonResidualImageFilter.h"

#include "compute/PoissonLikelihoodResiduals.h"
#include "likelihood/itkCountsDeclaration.h"
#include "stairs/itkHandDownThreads.h"
#include "transmission/itkPixelViews.h"

#include <cmath>
#include <ostream>

namespace itk
{
namespace
{

const char * const ExpectedInput = "ExpectedCounts";

// The scan evaluates every residual too, to know that it fits.
constexpr float CheckWeight = 0.5f;

const char *
OnOrOff(bool flag)
{
  return flag ? "On" : "Off";
}

} // namespace

std::ostream &
operator<<(std::ostream & out, PoissonResidualImageFilterEnums::Residual value)
{
  using Residual = PoissonResidualImageFilterEnums::Residual;
  switch (value)
  {
    case Residual::Deviance:
      return out << "itk::PoissonResidualImageFilterEnums::Residual::Deviance";
    case Residual::Pearson:
      return out << "itk::PoissonResidualImageFilterEnums::Residual::Pearson";
  }
  return out << "INVALID VALUE FOR itk::PoissonResidualImageFilterEnums::Residual";
}

PoissonResidualImageFilter::PoissonResidualImageFilter()
{
  this->AddRequiredInputName(ExpectedInput);
}

PoissonResidualImageFilter::~PoissonResidualImageFilter() = default;

void
PoissonResidualImageFilter::SetObservedCounts(const ImageType * image)
{
  this->SetInput(image);
}

const PoissonResidualImageFilter::ImageType *
PoissonResidualImageFilter::GetObservedCounts() const
{
  return this->GetInput();
}

void
PoissonResidualImageFilter::SetExpectedCounts(const ImageType * image)
{
  this->ProcessObject::SetInput(ExpectedInput, const_cast<ImageType *>(image));
}

const PoissonResidualImageFilter::ImageType *
PoissonResidualImageFilter::GetExpectedCounts() const
{
  return static_cast<const ImageType *>(this->ProcessObject::GetInput(ExpectedInput));
}

void
PoissonResidualImageFilter::VerifyPreconditions() ITKv5_CONST
{
  Superclass::VerifyPreconditions();
  if (!std::isfinite(m_DispersionFactor) || m_DispersionFactor <= 0.0)
  {
    itkExceptionMacro("DispersionFactor is " << TextOf(m_DispersionFactor) << "; give a finite number above 0.");
  }
  if (!std::isfinite(m_ElectronicVariance) || m_ElectronicVariance < 0.0)
  {
    itkExceptionMacro("ElectronicVariance is " << TextOf(m_ElectronicVariance)
                                               << "; give a finite number of squared counts that is not negative.");
  }
}

void
PoissonResidualImageFilter::VerifyInputInformation() ITKv5_CONST
{
  const auto observed = this->GetObservedCounts()->GetLargestPossibleRegion();
  const auto expected = this->GetExpectedCounts()->GetLargestPossibleRegion();
  if (observed != expected)
  {
    itkExceptionMacro("The observed counts have the index and size "
                      << observed.GetIndex() << ' ' << observed.GetSize() << ", the expected counts "
                      << expected.GetIndex() << ' ' << expected.GetSize() << "; they must be the same.");
  }
  Superclass::VerifyInputInformation();
}

// After the inputs are up to date: a reader fills the dictionary no earlier than that.
void
PoissonResidualImageFilter::RefuseDeclaredNonCounts() const
{
  const std::string why = WhyNotCounts(*this->GetObservedCounts(), "The image of observed counts") +
                          WhyNotCounts(*this->GetExpectedCounts(), "The image of expected counts");
  if (!m_AllowNonCounts && !why.empty())
  {
    itkExceptionMacro("" << why);
  }
}

void
PoissonResidualImageFilter::GenerateData()
{
  this->RefuseDeclaredNonCounts();
  const auto region = this->GetOutput()->GetRequestedRegion();
  const auto grid = GridOf(region);
  const auto observed = ConstViewOf(*this->GetObservedCounts(), region);
  const auto expected = ConstViewOf(*this->GetExpectedCounts(), region);

  const radiography::compute::PoissonResidual residual{ m_Residual == ResidualEnum::Pearson,
                                                        m_DispersionFactor,
                                                        m_ElectronicVariance };
  if (m_CheckInputs)
  {
    const auto threads = HandDownThreads(*this, CheckWeight);
    const auto bad = radiography::compute::FindFirstWithoutResidual(grid, observed, expected, residual, threads);
    if (bad)
    {
      itkExceptionMacro("" << DescribeFault(region, *bad));
    }
  }
  this->AllocateOutputs();
  radiography::compute::EvaluateResiduals(
    grid, observed, expected, residual, ViewOf(*this->GetOutput(), region), HandDownThreads(*this, 1.0f - CheckWeight));
}

void
PoissonResidualImageFilter::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "Residual: " << m_Residual << std::endl;
  os << indent << "DispersionFactor: " << m_DispersionFactor << std::endl;
  os << indent << "ElectronicVariance: " << m_ElectronicVariance << std::endl;
  os << indent << "CheckInputs: " << OnOrOff(m_CheckInputs) << std::endl;
  os << indent << "AllowNonCounts: " << OnOrOff(m_AllowNonCounts) << std::endl;
}

} // namespace itk
