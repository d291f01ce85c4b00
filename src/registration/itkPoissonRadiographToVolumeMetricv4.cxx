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
#include "itkPoissonRadiographToVolumeMetricv4.h"

#include "compute/PixelGrid.h"
#include "likelihood/itkCountsDeclaration.h"
#include "registration/itkPoissonCounts.h"
#include "transmission/itkPixelViews.h"

#include <algorithm>
#include <cmath>

namespace itk
{

namespace compute = radiography::compute;

namespace
{

bool
IsCount(double value)
{
  return std::isfinite(value) && value >= 0.0;
}

bool
IsFactor(double value)
{
  return std::isfinite(value) && value > 0.0;
}

} // namespace

PoissonRadiographToVolumeMetricv4::PoissonRadiographToVolumeMetricv4()
  : m_Prepared(std::make_unique<PreparedModel>())
{}

PoissonRadiographToVolumeMetricv4::~PoissonRadiographToVolumeMetricv4() = default;

PoissonRadiographToVolumeMetricv4::ViewModel &
PoissonRadiographToVolumeMetricv4::ModifyModel(unsigned int view)
{
  if (view >= m_ViewModels.size())
  {
    m_ViewModels.resize(view + 1);
  }
  this->Modified();
  return m_ViewModels[view];
}

PoissonRadiographToVolumeMetricv4::ViewModel
PoissonRadiographToVolumeMetricv4::GetModel(unsigned int view) const
{
  ViewModel model = view < m_ViewModels.size() ? m_ViewModels[view] : ViewModel();
  if (std::isnan(model.openBeamCounts))
  {
    model.openBeamCounts = m_OpenBeamCounts;
  }
  return model;
}

void
PoissonRadiographToVolumeMetricv4::SetViewOpenBeamCounts(unsigned int view, double counts)
{
  this->ModifyModel(view).openBeamCounts = counts;
}

void
PoissonRadiographToVolumeMetricv4::SetViewOpenBeamCountsImage(unsigned int view, const ImageType * counts)
{
  this->ModifyModel(view).openBeamCountsImage = counts;
}

void
PoissonRadiographToVolumeMetricv4::SetViewScatterCounts(unsigned int view, double counts)
{
  this->ModifyModel(view).scatterCounts = counts;
}

void
PoissonRadiographToVolumeMetricv4::SetViewScatterCountsImage(unsigned int view, const ImageType * counts)
{
  this->ModifyModel(view).scatterCountsImage = counts;
}

void
PoissonRadiographToVolumeMetricv4::SetViewGain(unsigned int view, double gain)
{
  this->ModifyModel(view).gain = gain;
}

void
PoissonRadiographToVolumeMetricv4::SetViewOffset(unsigned int view, double offset)
{
  this->ModifyModel(view).offset = offset;
}

void
PoissonRadiographToVolumeMetricv4::SetViewLogExposure(unsigned int view, double logExposure)
{
  this->ModifyModel(view).logExposure = logExposure;
}

void
PoissonRadiographToVolumeMetricv4::RefuseOptions() const
{
  const auto refuse = [this](bool isRight, double value, const char * name, const char * remedy) {
    if (!isRight)
    {
      itkExceptionMacro("" << name << " is " << TextOf(value) << "; " << remedy << '.');
    }
  };
  refuse(IsFactor(m_AttenuationScale), m_AttenuationScale, "AttenuationScale", "give a finite factor above 0");
  refuse(IsCount(m_ElectronicVariance),
         m_ElectronicVariance,
         "ElectronicVariance",
         "give a finite number of squared photons that is not negative");
  refuse(IsFactor(m_DispersionFactor), m_DispersionFactor, "DispersionFactor", "give a finite number above 0");
  const auto nodes = std::min(m_ScatterGrid[0], m_ScatterGrid[1]);
  refuse(nodes > 0, static_cast<double>(nodes), "The smaller side of ScatterGrid", "give at least 1 x 1 nodes");
  if (m_ViewModels.size() > this->GetNumberOfViews())
  {
    itkExceptionMacro("There are settings for view " << m_ViewModels.size() - 1 << ", but only "
                                                     << this->GetNumberOfViews() << " views: views are counted from "
                                                     << "0.");
  }
}

void
PoissonRadiographToVolumeMetricv4::RefuseImage(unsigned int view, const ImageType * image, const char * name) const
{
  if (image == nullptr)
  {
    return;
  }
  const std::string text = std::string(name) + " of view " + std::to_string(view);
  this->RefuseOtherDetector(view, *image, text.c_str());
  const std::string why = WhyNotCounts(*image, text);
  if (!m_AllowNonCounts && !why.empty())
  {
    itkExceptionMacro("" << why);
  }
}

void
PoissonRadiographToVolumeMetricv4::RefuseModel(unsigned int view) const
{
  const ViewModel model = this->GetModel(view);
  const auto      refuse = [this, view](bool isRight, double value, const char * name, const char * remedy) {
    if (!isRight)
    {
      itkExceptionMacro("" << name << " of view " << view << " is " << TextOf(value) << "; " << remedy << '.');
    }
  };
  this->RefuseImage(view, this->GetViewImage(view), "The image");
  this->RefuseImage(view, model.openBeamCountsImage, "The image of open-beam counts");
  this->RefuseImage(view, model.scatterCountsImage, "The image of scatter");
  const bool isGiven = model.openBeamCountsImage || !std::isnan(model.openBeamCounts);
  if (!isGiven && !m_EstimateExposure)
  {
    itkExceptionMacro("The open-beam counts of view " << view << " are not known: give them (SetOpenBeamCounts, "
                                                      << "SetViewOpenBeamCounts, SetViewOpenBeamCountsImage), or "
                                                      << "switch EstimateExposure on.");
  }
  refuse(!isGiven || model.openBeamCountsImage || IsFactor(model.openBeamCounts),
         model.openBeamCounts,
         "OpenBeamCounts",
         "give a finite number above 0");
  refuse(
    IsCount(model.scatterCounts), model.scatterCounts, "ScatterCounts", "give a finite number that is not negative");
  refuse(IsFactor(model.gain), model.gain, "The gain", "give a finite number of readings per photon above 0");
  refuse(std::isfinite(model.offset), model.offset, "The offset", "give a finite reading");
  refuse(std::isfinite(model.logExposure), model.logExposure, "The log exposure", "give a finite number");
}

void
PoissonRadiographToVolumeMetricv4::RefusePixels(unsigned int view) const
{
  const ViewModel          model = this->GetModel(view);
  const ImageType &        image = *this->GetViewImage(view);
  const auto               region = image.GetLargestPossibleRegion();
  const compute::PixelGrid grid = GridOf(region);
  const auto * const       mask = this->GetViewMask(view);
  const auto               at = [](const ImageType * values, SizeValueType pixel, double number) {
    return values != nullptr ? static_cast<double>(values->GetBufferPointer()[pixel]) : number;
  };
  const auto refuse = [&](SizeValueType pixel, double value, const std::string & what, const std::string & remedy) {
    const auto index = static_cast<std::int64_t>(pixel);
    itkExceptionMacro("" << what << " of view " << view << " at "
                         << DescribePlace(region, index % grid.columns, index / grid.columns, 0) << " is "
                         << TextOf(value) << "; " << remedy << '.');
  };
  double sum = 0.0;
  for (SizeValueType pixel = 0; pixel < region.GetNumberOfPixels(); ++pixel)
  {
    if (mask != nullptr && mask->GetBufferPointer()[pixel] == 0)
    {
      continue;
    }
    const double reading = at(&image, pixel, 0.0);
    const double photons = (reading - model.offset) / model.gain + m_ElectronicVariance;
    const double openBeam = at(model.openBeamCountsImage, pixel, model.openBeamCounts);
    const double scatter = at(model.scatterCountsImage, pixel, model.scatterCounts);
    if (!IsCount(photons))
    {
      refuse(pixel,
             reading,
             "The reading",
             "it must be finite and, less the offset, not negative: mask the pixel, or give the offset or the "
             "electronic variance that explain it. Images that are not counts belong to a correlation metric");
    }
    if (model.openBeamCountsImage && !IsCount(openBeam))
    {
      refuse(pixel, openBeam, "The open-beam count", "it must be finite and not negative");
    }
    if (!IsCount(scatter))
    {
      refuse(pixel, scatter, "The scatter", "it must be finite and not negative");
    }
    if (openBeam == 0.0 && scatter + m_ElectronicVariance == 0.0 && photons > 0.0 && !m_EstimateScatter)
    {
      refuse(pixel, reading, "The reading", "nothing can be seen where no photons come from: mask the pixel");
    }
    sum += photons;
  }
  if (sum == 0.0 && m_EstimateExposure)
  {
    itkExceptionMacro("There is no photon in view " << view << " from which its exposure could be estimated.");
  }
}

void
PoissonRadiographToVolumeMetricv4::VerifySimilarity() const
{
  this->RefuseOptions();
  for (unsigned int view = 0; view < this->GetNumberOfViews(); ++view)
  {
    this->RefuseModel(view);
  }
  for (unsigned int view = 0; view < this->GetNumberOfViews(); ++view)
  {
    this->RefusePixels(view);
  }
}

void
PoissonRadiographToVolumeMetricv4::PrepareSimilarity()
{
  m_Prepared->views.clear();
  m_Prepared->pixels = 0;
  for (unsigned int view = 0; view < this->GetNumberOfViews(); ++view)
  {
    const ViewPixels & pixels = this->GetViewPixels()[view];
    m_Prepared->views.push_back(this->MakeCounts(view, pixels));
    m_Prepared->pixels += static_cast<SizeValueType>(std::count_if(
      pixels.mask, pixels.mask + pixels.columns * pixels.rows, [](unsigned char inside) { return inside != 0; }));
  }
}

PoissonCounts
PoissonRadiographToVolumeMetricv4::MakeCounts(unsigned int view, const ViewPixels & pixels) const
{
  const ViewModel model = this->GetModel(view);
  PoissonCounts   counts;
  counts.columns = pixels.columns;
  counts.rows = pixels.rows;
  counts.logExposure = model.logExposure;
  counts.inside.reserve(static_cast<std::size_t>(pixels.columns * pixels.rows));
  for (std::int64_t i = 0; i < pixels.columns * pixels.rows; ++i)
  {
    counts.inside.push_back(pixels.mask[i] != 0 ? 1.0 : 0.0);
  }
  counts.columnHats = compute::HatBasis(
    static_cast<std::int64_t>(m_ScatterGrid[0]), pixels.columns, pixels.first, pixels.stride, pixels.detectorColumns);
  counts.rowHats = compute::HatBasis(
    static_cast<std::int64_t>(m_ScatterGrid[1]), pixels.rows, pixels.first, pixels.stride, pixels.detectorRows);

  const auto sample = [&pixels](const ImageType * image, double number) {
    return image != nullptr ? SampleAsDouble(*image, pixels.columns, pixels.rows, pixels.first, pixels.stride)
                            : std::vector<double>(static_cast<std::size_t>(pixels.columns * pixels.rows), number);
  };
  counts.observed = sample(this->GetViewImage(view), 0.0);
  counts.background = sample(model.scatterCountsImage, model.scatterCounts);
  for (std::size_t i = 0; i < counts.observed.size(); ++i)
  {
    counts.observed[i] = (counts.observed[i] - model.offset) / model.gain + m_ElectronicVariance;
    counts.background[i] += m_ElectronicVariance;
  }
  counts.openBeamIsAssumed = !model.openBeamCountsImage && std::isnan(model.openBeamCounts);
  counts.openBeamCounts = model.openBeamCountsImage  ? std::numeric_limits<double>::quiet_NaN()
                          : counts.openBeamIsAssumed ? counts.FindLargestCount()
                                                     : model.openBeamCounts;
  counts.openBeam = sample(model.openBeamCountsImage, counts.openBeamCounts);
  return counts;
}

void
PoissonRadiographToVolumeMetricv4::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  const auto print = [&os, indent](const char * name, const auto & value) {
    os << indent << name << ": " << value << std::endl;
  };
  const auto onOrOff = [](bool flag) { return flag ? "On" : "Off"; };
  print("OpenBeamCounts", m_OpenBeamCounts);
  print("AttenuationScale", m_AttenuationScale);
  print("ElectronicVariance", m_ElectronicVariance);
  print("DispersionFactor", m_DispersionFactor);
  print("AllowNonCounts", onOrOff(m_AllowNonCounts));
  print("EstimateExposure", onOrOff(m_EstimateExposure));
  print("EstimateAttenuationScale", onOrOff(m_EstimateAttenuationScale));
  print("EstimateScatter", onOrOff(m_EstimateScatter));
  print("ScatterGrid", m_ScatterGrid);
  print("ViewModels", m_ViewModels.size());
  for (const ViewModel & model : m_ViewModels)
  {
    os << indent.GetNextIndent() << "open beam " << model.openBeamCounts << " or image "
       << static_cast<const void *>(model.openBeamCountsImage.GetPointer()) << ", scatter " << model.scatterCounts
       << " or image " << static_cast<const void *>(model.scatterCountsImage.GetPointer()) << ", gain " << model.gain
       << ", offset " << model.offset << ", log exposure " << model.logExposure << std::endl;
  }
  print("Prepared pixels", m_Prepared->pixels);
}

} // namespace itk
