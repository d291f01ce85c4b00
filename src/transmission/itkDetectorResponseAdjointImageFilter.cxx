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
#include "itkDetectorResponseAdjointImageFilter.h"

#include "compute/DetectorAdjointLauncher.h"
#include "compute/TransmissionLauncher.h"
#include "stairs/itkHandDownThreads.h"
#include "transmission/itkDetectorParameters.h"
#include "transmission/itkGradientMessages.h"

#include <ostream>

namespace itk
{
namespace
{

const char * const CountsInput = "Primary";
const char * const ReadingWeights = "ReadingCotangent";
const char * const AccumulatedCounts = "AccumulatedCountsCotangent";

} // namespace

DetectorResponseAdjointImageFilter::DetectorResponseAdjointImageFilter()
{
  this->AddPrimal(CountsInput, "The counts image");
  this->AddCotangent(ReadingWeights);
  this->AddAccumulator(0, AccumulatedCounts);
}

DetectorResponseAdjointImageFilter::~DetectorResponseAdjointImageFilter() = default;

void
DetectorResponseAdjointImageFilter::SetReadingCotangent(const ImageType * image)
{
  this->SetImage(ReadingWeights, image);
}

const DetectorResponseAdjointImageFilter::ImageType *
DetectorResponseAdjointImageFilter::GetReadingCotangent() const
{
  return this->GetImage(ReadingWeights);
}

void
DetectorResponseAdjointImageFilter::SetAccumulatedCountsCotangent(const ImageType * image)
{
  this->SetImage(AccumulatedCounts, image);
}

const DetectorResponseAdjointImageFilter::ImageType *
DetectorResponseAdjointImageFilter::GetAccumulatedCountsCotangent() const
{
  return this->GetImage(AccumulatedCounts);
}

DetectorResponseAdjointImageFilter::ImageType *
DetectorResponseAdjointImageFilter::GetCountsCotangent()
{
  return this->GetOutput();
}

bool
DetectorResponseAdjointImageFilter::NeedsWholeImage() const
{
  return true;
}

void
DetectorResponseAdjointImageFilter::VerifyPreconditions() ITKv5_CONST
{
  Superclass::VerifyPreconditions();
  for (const std::string & fault : { FaultOfGain(m_Gain), FaultOfScatter(m_Scatter) })
  {
    if (!fault.empty())
    {
      itkExceptionMacro("" << fault);
    }
  }
}

void
DetectorResponseAdjointImageFilter::RefuseBadPrimals(const RegionType & region)
{
  const auto counts = ConstViewOf(*this->GetInput(), region);
  const auto bad = FindFirstInvalid(GridOf(region), counts, HandDownThreads(*this, 0.1f));
  if (bad)
  {
    itkExceptionMacro("Counts are finite and not negative; " << DescribePixel(region, *bad) << '.');
  }
}

void
DetectorResponseAdjointImageFilter::RefuseGradientsOutOfRange(const RegionType & region)
{
  const auto grid = GridOf(region);
  const auto weights = ConstViewOf(*this->GetReadingCotangent(), region);
  const auto accumulated = ViewOrNone(this->GetAccumulatedCountsCotangent(), region);
  const auto bad = FindCountsCotangentOutOfRange(grid, m_Gain, weights, accumulated, HandDownThreads(*this, 0.2f));
  if (bad)
  {
    itkExceptionMacro("" << DescribeGradient("counts cotangent", region, *bad));
  }
  const auto sums =
    SumDetectorAdjoint(grid, ConstViewOf(*this->GetInput(), region), weights, m_Scatter, HandDownThreads(*this, 0.3f));
  const auto refuse = [this](const char * what, double value) {
    if (!std::isfinite(value))
    {
      itkExceptionMacro("The " << what << " cotangent, summed over all pixels, is " << TextOf(value)
                               << GradientRangeRemedy);
    }
  };
  refuse("gain", sums.weightedCounts);
  refuse("scatter", m_Gain * sums.weights);
  refuse("offset", sums.weights);
  m_GainCotangent = sums.weightedCounts;
  m_ScatterCotangent = m_Gain * sums.weights;
  m_OffsetCotangent = sums.weights;
}

void
DetectorResponseAdjointImageFilter::WriteGradients(const RegionType & region)
{
  EvaluateCountsCotangent(
    GridOf(region),
    m_Gain,
    ConstViewOf(*this->GetReadingCotangent(), region),
    { ViewOrNone(this->GetAccumulatedCountsCotangent(), region), ViewOf(*this->GetCountsCotangent(), region) },
    HandDownThreads(*this, 0.3f));
}

void
DetectorResponseAdjointImageFilter::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "Gain: " << m_Gain << std::endl;
  os << indent << "Scatter: " << m_Scatter << std::endl;
  os << indent << "GainCotangent: " << m_GainCotangent << std::endl;
  os << indent << "ScatterCotangent: " << m_ScatterCotangent << std::endl;
  os << indent << "OffsetCotangent: " << m_OffsetCotangent << std::endl;
}

} // namespace itk
