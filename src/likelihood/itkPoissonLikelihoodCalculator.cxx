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
#include "itkPoissonLikelihoodCalculator.h"

#include "compute/PoissonLikelihoodLauncher.h"
#include "likelihood/itkCountsDeclaration.h"
#include "stairs/itkHandDownThreads.h"
#include "stairs/itkSamePlace.h"
#include "transmission/itkPixelViews.h"

#include "itkMultiThreaderBase.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <ostream>
#include <utility>

namespace itk
{
namespace
{

using radiography::compute::PixelView;
using radiography::compute::PoissonImages;
using radiography::compute::PoissonModel;

// As ImageToImageFilter's defaults: a fraction of a pixel, and of a direction cosine.
constexpr double GridTolerance = 1e-6;

const char *
OnOrOff(bool flag)
{
  return flag ? "On" : "Off";
}

/** The pixels of the whole image; a null view for no image. */
template <typename TPixel>
PixelView<const TPixel>
WholeView(const Image<TPixel, 3> * image)
{
  if (!image)
  {
    return {};
  }
  const OffsetValueType * const strides = image->GetOffsetTable();
  return { image->GetBufferPointer(), strides[1], strides[2] };
}

PoissonLikelihoodCalculator::DoubleImageType::Pointer
MakeLike(const ImageBase<3> & grid)
{
  auto image = PoissonLikelihoodCalculator::DoubleImageType::New();
  image->CopyInformation(&grid);
  image->SetRegions(grid.GetLargestPossibleRegion());
  image->Allocate();
  return image;
}

PixelView<double>
WritableView(Image<double, 3> * image)
{
  if (!image)
  {
    return {};
  }
  const OffsetValueType * const strides = image->GetOffsetTable();
  return { image->GetBufferPointer(), strides[1], strides[2] };
}

} // namespace

PoissonLikelihoodCalculator::PoissonLikelihoodCalculator()
  : m_OpenBeamCounts(std::nan(""))
{
  m_NuisanceScore.Fill(0.0);
  m_NuisanceInformation.Fill(0.0);
}

PoissonLikelihoodCalculator::~PoissonLikelihoodCalculator() = default;

void
PoissonLikelihoodCalculator::SetDepth(const ImageType * image)
{
  if (m_Depth != image || m_DoubleDepth)
  {
    m_Depth = image;
    m_DoubleDepth = nullptr;
    this->Modified();
  }
}

void
PoissonLikelihoodCalculator::SetDepth(const DoubleImageType * image)
{
  if (m_DoubleDepth != image || m_Depth)
  {
    m_DoubleDepth = image;
    m_Depth = nullptr;
    this->Modified();
  }
}

const ImageBase<3> &
PoissonLikelihoodCalculator::GetAnyDepth() const
{
  return m_Depth ? static_cast<const ImageBase<3> &>(*m_Depth) : *m_DoubleDepth;
}

ModifiedTimeType
PoissonLikelihoodCalculator::GetMTime() const
{
  ModifiedTimeType latest = Superclass::GetMTime();
  for (const DataObject * image : std::initializer_list<const DataObject *>{
         m_Depth, m_DoubleDepth, m_ObservedCounts, m_OpenBeamCountsImage, m_ScatterCountsImage, m_Mask })
  {
    latest = image ? std::max(latest, image->GetMTime()) : latest;
  }
  return latest;
}

void
PoissonLikelihoodCalculator::RefuseParameters() const
{
  const auto refuse = [this](bool isRight, double value, const char * name, const char * remedy) {
    if (!isRight)
    {
      itkExceptionMacro("" << name << " is " << TextOf(value) << "; " << remedy << '.');
    }
  };
  const auto isCount = [](double value) { return std::isfinite(value) && value >= 0.0; };
  const auto isFactor = [](double value) { return std::isfinite(value) && value > 0.0; };
  refuse(m_OpenBeamCountsImage || isCount(m_OpenBeamCounts),
         m_OpenBeamCounts,
         "OpenBeamCounts",
         "give a finite number that is not negative, or an image of them");
  refuse(isCount(m_ScatterCounts), m_ScatterCounts, "ScatterCounts", "give a finite number that is not negative");
  refuse(isFactor(m_Exposure), m_Exposure, "Exposure", "give a finite factor above 0");
  refuse(std::isfinite(m_AttenuationScaleFactor),
         m_AttenuationScaleFactor,
         "AttenuationScaleFactor",
         "give a finite factor");
  refuse(isFactor(m_DispersionFactor), m_DispersionFactor, "DispersionFactor", "give a finite number above 0");
  refuse(isCount(m_ElectronicVariance),
         m_ElectronicVariance,
         "ElectronicVariance",
         "give a finite number of squared counts that is not negative");
}

void
PoissonLikelihoodCalculator::RefuseGrid(const ImageBase<3> * image, const char * name) const
{
  if (!image)
  {
    return;
  }
  const ImageBase<3> & depth = this->GetAnyDepth();
  const auto           region = image->GetLargestPossibleRegion();
  if (region != depth.GetLargestPossibleRegion())
  {
    itkExceptionMacro("The image of " << name << " has the index and size " << region.GetIndex() << ' '
                                      << region.GetSize() << ", that of depths "
                                      << depth.GetLargestPossibleRegion().GetIndex() << ' '
                                      << depth.GetLargestPossibleRegion().GetSize() << "; they must be the same.");
  }
  if (image->GetBufferedRegion() != region)
  {
    itkExceptionMacro("The image of " << name << " is not wholly in memory. Call UpdateLargestPossibleRegion() on the "
                                      << "filter that makes it before Compute().");
  }
  if (!IsSamePlace(depth, *image, GridTolerance, GridTolerance))
  {
    itkExceptionMacro("The image of " << name << " has another origin, spacing or direction than that of depths: "
                                      << image->GetOrigin() << ", " << image->GetSpacing() << " against "
                                      << depth.GetOrigin() << ", " << depth.GetSpacing()
                                      << ". Give images of one detector.");
  }
}

void
PoissonLikelihoodCalculator::RefuseDeclarations() const
{
  std::string why = WhyNotDepths(this->GetAnyDepth(), "The image of depths") +
                    WhyNotCounts(*m_ObservedCounts, "The image of observed counts");
  why += m_OpenBeamCountsImage ? WhyNotCounts(*m_OpenBeamCountsImage, "The image of open-beam counts") : "";
  why += m_ScatterCountsImage ? WhyNotCounts(*m_ScatterCountsImage, "The image of scatter") : "";
  if (!m_AllowNonCounts && !why.empty())
  {
    itkExceptionMacro("" << why);
  }
}

void
PoissonLikelihoodCalculator::RefuseImages() const
{
  if (!m_Depth && !m_DoubleDepth)
  {
    itkExceptionMacro("There are no depths. Call SetDepth().");
  }
  if (!m_ObservedCounts)
  {
    itkExceptionMacro("There are no observed counts. Call SetObservedCounts().");
  }
  this->RefuseGrid(&this->GetAnyDepth(), "depths");
  this->RefuseGrid(m_ObservedCounts, "observed counts");
  this->RefuseGrid(m_OpenBeamCountsImage, "open-beam counts");
  this->RefuseGrid(m_ScatterCountsImage, "scatter");
  this->RefuseGrid(m_Mask, "the mask");
  this->RefuseDeclarations();
}

void
PoissonLikelihoodCalculator::Compute()
{
  this->RefuseParameters();
  this->RefuseImages();
  if (m_Depth)
  {
    this->ComputeFrom(*m_Depth);
  }
  else
  {
    this->ComputeFrom(*m_DoubleDepth);
  }
}

template <typename TDepthImage>
void
PoissonLikelihoodCalculator::ComputeFrom(const TDepthImage & depth)
{
  const auto multiThreader = MultiThreaderBase::New();
  if (m_NumberOfWorkUnits > 0)
  {
    multiThreader->SetNumberOfWorkUnits(m_NumberOfWorkUnits);
  }
  const auto threads = HandDownThreads(*multiThreader);
  const auto region = depth.GetLargestPossibleRegion();
  const auto grid = GridOf(region);

  const PoissonImages<typename TDepthImage::PixelType> images{
    WholeView(&depth),
    { m_OpenBeamCounts, WholeView(m_OpenBeamCountsImage.GetPointer()) },
    { m_ScatterCounts, WholeView(m_ScatterCountsImage.GetPointer()) },
    WholeView(m_ObservedCounts.GetPointer()),
    WholeView(m_Mask.GetPointer())
  };
  const PoissonModel model{ m_Exposure, m_AttenuationScaleFactor, m_ElectronicVariance };
  if (m_CheckInputs)
  {
    if (const auto bad = FindFirstPoissonFault(grid, images, model, threads))
    {
      itkExceptionMacro("" << DescribeFault(region, *bad));
    }
  }

  const auto   score = m_ComputeScoreImage ? MakeLike(depth) : nullptr;
  const auto   information = m_ComputeInformationImage ? MakeLike(depth) : nullptr;
  const auto   sums = EvaluatePoisson(grid, images, model, { WritableView(score), WritableView(information) }, threads);
  const auto & nuisance = sums.nuisance;
  m_TinyMean.clear();
  if (!std::isfinite(sums.pearsonChiSquare) || !std::isfinite(nuisance.information[5]))
  {
    const auto tiny = FindFirstTinyMean(grid, images, model, threads);
    m_TinyMean = tiny ? " The mean of " + DescribePlace(region, tiny->column, tiny->row, tiny->slice) + " is " +
                          TextOf(tiny->value) + ": mask it, or give its scatter."
                      : "";
  }
  for (DoubleImageType * image : { score.GetPointer(), information.GetPointer() })
  {
    if (image && m_DispersionFactor != 1.0)
    {
      const auto count = image->GetLargestPossibleRegion().GetNumberOfPixels();
      std::transform(image->GetBufferPointer(),
                     image->GetBufferPointer() + count,
                     image->GetBufferPointer(),
                     [this](double value) { return value / m_DispersionFactor; });
    }
  }

  m_NumberOfPixels = static_cast<SizeValueType>(sums.pixels);
  m_HalfDeviance = sums.halfDeviance;
  m_PearsonChiSquare = sums.pearsonChiSquare;
  m_SumOfCounts = sums.observed;
  m_SumOfPrimary = sums.primary;
  const double * upperTriangle = nuisance.information;
  for (unsigned int row = 0; row < 3; ++row)
  {
    m_NuisanceScore[row] = nuisance.score[row];
    for (unsigned int column = row; column < 3; ++column)
    {
      m_NuisanceInformation(row, column) = m_NuisanceInformation(column, row) = *upperTriangle++;
    }
  }
  m_ScoreImage = score;
  m_InformationImage = information;
  m_ComputeTime.Modified();
}

void
PoissonLikelihoodCalculator::RequireComputed() const
{
  if (m_ComputeTime.GetMTime() == 0)
  {
    itkExceptionMacro("There is no result yet. Call Compute().");
  }
  if (this->GetMTime() > m_ComputeTime.GetMTime())
  {
    itkExceptionMacro("A setting or an image changed since the last Compute(). Call it again.");
  }
}

double
PoissonLikelihoodCalculator::RequireFinite(double value, const char * name) const
{
  if (!std::isfinite(value))
  {
    itkExceptionMacro("" << name << " is " << TextOf(value) << ": binary64 cannot hold it." << m_TinyMean);
  }
  return value;
}

double
PoissonLikelihoodCalculator::GetDegreesOfFreedom() const
{
  if (m_NumberOfPixels <= m_NumberOfParameters)
  {
    itkExceptionMacro("There are no degrees of freedom: " << m_NumberOfPixels << " pixels were compared and "
                                                          << m_NumberOfParameters << " parameters fitted.");
  }
  return static_cast<double>(m_NumberOfPixels - m_NumberOfParameters);
}

double
PoissonLikelihoodCalculator::GetValue() const
{
  this->RequireComputed();
  return this->RequireFinite(m_HalfDeviance / m_DispersionFactor, "The half-deviance");
}

double
PoissonLikelihoodCalculator::GetDeviance() const
{
  this->RequireComputed();
  return this->RequireFinite(2.0 * m_HalfDeviance, "The deviance");
}

double
PoissonLikelihoodCalculator::GetDeviancePerDegreeOfFreedom() const
{
  return this->GetDeviance() / this->GetDegreesOfFreedom();
}

double
PoissonLikelihoodCalculator::GetPearsonChiSquare() const
{
  this->RequireComputed();
  return this->RequireFinite(m_PearsonChiSquare, "Pearson's chi-square");
}

double
PoissonLikelihoodCalculator::GetEstimatedDispersionFactor() const
{
  return this->GetPearsonChiSquare() / this->GetDegreesOfFreedom();
}

SizeValueType
PoissonLikelihoodCalculator::GetNumberOfPixels() const
{
  this->RequireComputed();
  return m_NumberOfPixels;
}

double
PoissonLikelihoodCalculator::GetMostLikelyExposure() const
{
  this->RequireComputed();
  if (m_ScatterCountsImage || m_ScatterCounts > 0.0 || m_ElectronicVariance > 0.0)
  {
    itkExceptionMacro("The most likely exposure has no closed form with scatter or electronic variance. Use the "
                      "nuisance score and information for Newton steps instead.");
  }
  return this->RequireFinite(m_Exposure * (m_SumOfCounts / m_SumOfPrimary), "The most likely exposure");
}

double
PoissonLikelihoodCalculator::GetNuisanceScore(NuisanceIndex parameter) const
{
  this->RequireComputed();
  return this->RequireFinite(m_NuisanceScore[parameter] / m_DispersionFactor, "The nuisance score");
}

double
PoissonLikelihoodCalculator::GetNuisanceInformation(NuisanceIndex row, NuisanceIndex column) const
{
  this->RequireComputed();
  if (row == Scatter || column == Scatter)
  {
    // Where the mean underflows the mixed entries are finite, but belong to a matrix that does not exist.
    this->RequireFinite(m_NuisanceInformation(Scatter, Scatter), "The Fisher information on the scatter");
  }
  return this->RequireFinite(m_NuisanceInformation(row, column) / m_DispersionFactor, "The nuisance information");
}

void
PoissonLikelihoodCalculator::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  const auto print = [&os, indent](const char * name, const auto & value) {
    os << indent << name << ": " << value << std::endl;
  };
  print("Depth", static_cast<const void *>(m_Depth.GetPointer()));
  print("DoubleDepth", static_cast<const void *>(m_DoubleDepth.GetPointer()));
  print("ObservedCounts", static_cast<const void *>(m_ObservedCounts.GetPointer()));
  print("OpenBeamCountsImage", static_cast<const void *>(m_OpenBeamCountsImage.GetPointer()));
  print("ScatterCountsImage", static_cast<const void *>(m_ScatterCountsImage.GetPointer()));
  print("Mask", static_cast<const void *>(m_Mask.GetPointer()));
  print("OpenBeamCounts", m_OpenBeamCounts);
  print("ScatterCounts", m_ScatterCounts);
  print("Exposure", m_Exposure);
  print("AttenuationScaleFactor", m_AttenuationScaleFactor);
  print("DispersionFactor", m_DispersionFactor);
  print("ElectronicVariance", m_ElectronicVariance);
  print("NumberOfParameters", m_NumberOfParameters);
  print("ComputeScoreImage", OnOrOff(m_ComputeScoreImage));
  print("ComputeInformationImage", OnOrOff(m_ComputeInformationImage));
  print("CheckInputs", OnOrOff(m_CheckInputs));
  print("AllowNonCounts", OnOrOff(m_AllowNonCounts));
  print("NumberOfWorkUnits", m_NumberOfWorkUnits);
  print("ComputeTime", m_ComputeTime.GetMTime());
  print("NumberOfPixels", m_NumberOfPixels);
  print("HalfDeviance", m_HalfDeviance);
  print("PearsonChiSquare", m_PearsonChiSquare);
  print("SumOfCounts", m_SumOfCounts);
  print("SumOfPrimary", m_SumOfPrimary);
  print("NuisanceScore", m_NuisanceScore);
  print("NuisanceInformation", m_NuisanceInformation);
  print("ScoreImage", static_cast<const void *>(m_ScoreImage.GetPointer()));
  print("InformationImage", static_cast<const void *>(m_InformationImage.GetPointer()));
  print("TinyMean", m_TinyMean);
}

} // namespace itk
