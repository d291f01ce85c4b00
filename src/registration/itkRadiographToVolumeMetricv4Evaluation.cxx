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
#include "itkRadiographToVolumeMetricv4.h"

#include "compute/ForwardProjection.h"
#include "compute/PacketChoice.h"
#include "compute/RayDerivatives.h"
#include "compute/TransposedVolume.h"
#include "compute/ViewPlan.h"
#include "itkRadiographSensitivityCalculator.h"
#include "projection/itkProjectionCall.h"
#include "projection/itkViewRays.h"
#include "projection/itkVolumeView.h"
#include "registration/itkNuisanceElimination.h"
#include "registration/itkRadiographMetricWorkspace.h"
#include "stairs/itkHandDownThreads.h"

#include "itkMultiThreaderBase.h"

#include "vnl/algo/vnl_symmetric_eigensystem.h"

#include <algorithm>
#include <cmath>

namespace itk
{

namespace compute = radiography::compute;

namespace
{

const double *
DataOrNull(const std::vector<double> & values)
{
  return values.empty() ? nullptr : values.data();
}

vnl_vector<double>
ToVector(const compute::AffineVector & values)
{
  return vnl_vector<double>(values.data(), static_cast<unsigned int>(values.size()));
}

/** What the layouts of a volume are for a view: with the transposed copy if it is wanted. */
compute::VolumeLayouts
MakeLayouts(const ProjectionVolume &          volume,
            const compute::ViewPlan &         plan,
            const compute::ProjectionPolicy & policy,
            MultiThreaderBase &               multiThreader,
            std::shared_ptr<const float> &    transposed)
{
  compute::VolumeLayouts layouts(MakeVolumeView(*volume.GetImage()));
  if (compute::WantsTransposedVolume(layouts.natural, plan, policy))
  {
    transposed = volume.GetTransposedCopy(multiThreader);
    layouts.transposed = compute::MakeTransposedView(layouts.natural, transposed.get());
  }
  return layouts;
}

/** Names of those whose part of a unit vector is not small, "a, b and c". */
std::string
NameParts(const vnl_vector<double> & direction, const std::vector<std::string> & names)
{
  constexpr double         noticeable = 0.1;
  std::vector<std::string> parts;
  for (unsigned int i = 0; i < direction.size(); ++i)
  {
    if (std::abs(direction[i]) > noticeable)
    {
      parts.push_back(names[i]);
    }
  }
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
  {
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  }
  return text;
}

} // namespace

void
RadiographToVolumeMetricv4::ProjectView(std::size_t number, const AffineMap & pose, Order order) const
{
  Workspace::PreparedView & view = m_Workspace->views[number];
  const ImageType &         ct = *m_Workspace->volume->GetImage();
  const auto                count = view.image.size();
  view.sensitivity = MakeSensitivityView(*view.geometry, pose, ct);
  const auto & rays = view.sensitivity.rays;
  const auto   plan = compute::MakeViewPlan(rays, ToCompute(m_Projector), m_Workspace->policy);
  const auto   layouts =
    MakeLayouts(*m_Workspace->volume, plan, m_Workspace->policy, *m_MultiThreader, m_Workspace->transposed);
  const auto threads = HandDownThreads(*m_MultiThreader);

  // Packets make depths of binary32, the same with derivatives and without. Ray by ray they come in binary64, which an
  // image could not hold.
  const bool             inPackets = compute::ChoosePackets(layouts, plan, m_Workspace->policy).volume != nullptr;
  compute::ComputeReport report;
  if (order == Order::Value && inPackets)
  {
    view.projected.resize(count);
    report = compute::ForwardProject(
      layouts, rays, plan, m_Workspace->policy, threads, { view.projected.data(), 0, 0, rays.columns, rays.rows });
  }
  else
  {
    view.rays.resize(count);
    report = compute::DifferentiateRays(layouts,
                                        rays,
                                        plan,
                                        m_Workspace->policy,
                                        threads,
                                        { view.rays.data(), rays.columns, rays.rows, view.mask.data() });
  }
  view.depths.resize(count);
  for (std::size_t i = 0; i < count; ++i)
  {
    const double depth = order == Order::Value && inPackets ? static_cast<double>(view.projected[i])
                         : inPackets ? static_cast<double>(static_cast<float>(view.rays[i].depth))
                                     : view.rays[i].depth;
    view.depths[i] = view.mask[i] != 0 ? depth : 0.0;
    this->m_NumberOfValidPoints += view.depths[i] != 0.0 ? 1 : 0;
  }
  m_Workspace->pixels[number].depths = view.depths.data();
  this->AddReport(report);
}

void
RadiographToVolumeMetricv4::AddReport(const compute::ComputeReport & report) const
{
  m_ComputeReport.projector = report.projector;
  m_ComputeReport.kernel = report.kernel;
  m_ComputeReport.policy = report.policy;
  m_ComputeReport.threads = this->GetNumberOfWorkUnitsUsed();
  m_ComputeReport.raysWithEndInside += static_cast<SizeValueType>(report.raysWithEndInside);
  m_ComputeReport.notUsed = report.notUsed;
}

bool
RadiographToVolumeMetricv4::ProjectViews(Order order) const
{
  m_ComputeReport = ComputeReport();
  this->m_NumberOfValidPoints = 0;
  AffineMap pose;
  try
  {
    pose = ToAffineMap(*this->m_MovingTransform);
  }
  catch (const ExceptionObject &)
  {
    return false; // an optimizer may try such a transform; the value will tell it
  }
  for (std::size_t view = 0; view < m_Workspace->views.size(); ++view)
  {
    this->ProjectView(view, pose, order);
  }
  return true;
}

void
RadiographToVolumeMetricv4::Contract(Order order) const
{
  Workspace &        work = *m_Workspace;
  const auto         threads = HandDownThreads(*m_MultiThreader);
  const auto         nuisances = work.similarity.nuisanceInformation.rows();
  vnl_vector<double> score(12, 0.0);
  vnl_matrix<double> information(12, 12, 0.0);
  vnl_matrix<double> coupling(nuisances, 12, 0.0);
  for (std::size_t number = 0; number < work.views.size(); ++number)
  {
    const PixelTerms &                    terms = work.similarity.views[number];
    compute::ContractionWeights           weights{ terms.scores.data(), nullptr, {}, nullptr };
    std::vector<compute::CouplingWeights> couplings;
    std::vector<unsigned int>             places;
    if (order == Order::Information)
    {
      weights.weights = DataOrNull(terms.weights);
      weights.slopes = DataOrNull(terms.slopes);
      for (const Difference & difference : terms.differences)
      {
        weights.differences.push_back({ {}, difference.weights.data() });
        for (const DifferencePixel & pixel : difference.pixels)
        {
          weights.differences.back().pixels.push_back({ pixel.column, pixel.row, pixel.factor });
        }
      }
      for (const Coupling & part : work.similarity.couplings)
      {
        if (part.view == number)
        {
          couplings.push_back(
            { terms.amplitudes[part.amplitudes].data(), DataOrNull(part.columnFactors), DataOrNull(part.rowFactors) });
          places.push_back(static_cast<unsigned int>(part.nuisance));
        }
      }
    }
    const auto & view = work.views[number];
    const auto   sums = compute::ContractAffine(view.sensitivity, view.rays.data(), weights, couplings, threads);
    score += ToVector(sums.score);
    for (unsigned int i = 0; i < 12; ++i)
    {
      information.set_row(i, information.get_row(i) + ToVector(sums.information[i]));
    }
    for (std::size_t part = 0; part < places.size(); ++part)
    {
      coupling.set_row(places[part], coupling.get_row(places[part]) + ToVector(sums.couplings[part]));
    }
  }
  work.affineJacobian = RadiographSensitivityCalculator::ComputeAffineJacobian(*this->m_MovingTransform);
  work.gradient = work.affineJacobian.transpose() * score;
  if (order == Order::Information)
  {
    work.information = work.affineJacobian.transpose() * information * work.affineJacobian;
    work.coupling = coupling * work.affineJacobian;
  }
}

bool
RadiographToVolumeMetricv4::Evaluate(Order order) const
{
  this->RequirePrepared();
  Workspace & work = *m_Workspace;
  if (!this->ProjectViews(order))
  {
    this->m_Value = OutOfRangeValue;
    const auto count = this->GetNumberOfParameters();
    work.gradient = vnl_vector<double>(count, 0.0);
    work.information = vnl_matrix<double>(count, count, 0.0);
    work.coupling = vnl_matrix<double>(0, count);
    return false;
  }
  this->EvaluateSimilarity(work.pixels, order, work.similarity);
  this->m_Value = work.similarity.value;
  if (order != Order::Value)
  {
    this->Contract(order);
  }
  return work.similarity.isMeaningful && this->m_NumberOfValidPoints > 0;
}

RadiographToVolumeMetricv4::MeasureType
RadiographToVolumeMetricv4::GetValue() const
{
  this->Evaluate(Order::Value);
  return this->m_Value;
}

void
RadiographToVolumeMetricv4::GetDerivative(DerivativeType & derivative) const
{
  MeasureType value;
  this->GetValueAndDerivative(value, derivative);
}

void
RadiographToVolumeMetricv4::StoreDerivative(DerivativeType & derivative) const
{
  // Some optimizers hand over memory of their own, which must stay theirs.
  const vnl_vector<double> & gradient = m_Workspace->gradient;
  if (derivative.GetSize() != gradient.size())
  {
    derivative.SetSize(gradient.size());
  }
  for (unsigned int i = 0; i < gradient.size(); ++i)
  {
    derivative[i] = -gradient[i];
  }
}

void
RadiographToVolumeMetricv4::GetValueAndDerivative(MeasureType & value, DerivativeType & derivative) const
{
  this->Evaluate(Order::Derivative);
  value = this->m_Value;
  this->StoreDerivative(derivative);
}

bool
RadiographToVolumeMetricv4::GetValueDerivativeAndInformation(MeasureType &     value,
                                                             DerivativeType &  derivative,
                                                             InformationType & information) const
{
  const bool   isMeaningful = this->Evaluate(Order::Information);
  const auto & work = *m_Workspace;
  value = this->m_Value;
  this->StoreDerivative(derivative);
  information = EliminateNuisances(work.information, work.similarity.nuisanceInformation, work.coupling);
  return isMeaningful;
}

const RadiographToVolumeMetricv4::Similarity &
RadiographToVolumeMetricv4::EvaluateTerms(Order order) const
{
  this->RequirePrepared();
  ToAffineMap(*this->m_MovingTransform); // throws, where an optimizer's evaluation would not
  this->Evaluate(order);
  return m_Workspace->similarity;
}

const vnl_matrix<double> &
RadiographToVolumeMetricv4::GetCouplingMatrix() const
{
  return m_Workspace->coupling;
}

const vnl_matrix<double> &
RadiographToVolumeMetricv4::GetInformationWithNuisancesHeld() const
{
  return m_Workspace->information;
}

std::vector<std::vector<double>>
RadiographToVolumeMetricv4::ContractBlocks(unsigned int view, unsigned int blockSize) const
{
  const auto &                     prepared = m_Workspace->views.at(view);
  const auto                       blocks = compute::ContractAffineBlocks(prepared.sensitivity,
                                                    prepared.rays.data(),
                                                    m_Workspace->similarity.views[view].scores.data(),
                                                    blockSize,
                                                    HandDownThreads(*m_MultiThreader));
  std::vector<std::vector<double>> result;
  for (const auto & block : blocks)
  {
    const vnl_vector<double> gradient = m_Workspace->affineJacobian.transpose() * ToVector(block);
    result.emplace_back(gradient.begin(), gradient.end());
  }
  return result;
}

RadiographToVolumeMetricv4::ImageType::Pointer
RadiographToVolumeMetricv4::ProjectWholeView(unsigned int view) const
{
  const RadiographGeometry & geometry = *this->GetViewGeometry(view);
  const ImageType &          ct = *m_Workspace->volume->GetImage();
  const auto                 rays = MakeViewRays(geometry, ToAffineMap(*this->m_MovingTransform), ct);
  const auto                 plan = compute::MakeViewPlan(rays, ToCompute(m_Projector), m_Workspace->policy);
  const auto                 layouts =
    MakeLayouts(*m_Workspace->volume, plan, m_Workspace->policy, *m_MultiThreader, m_Workspace->transposed);
  const auto image = ImageType::New();
  image->CopyInformation(geometry.MakeDetectorImage());
  image->SetRegions(image->GetLargestPossibleRegion());
  image->Allocate();
  compute::ForwardProject(layouts,
                          rays,
                          plan,
                          m_Workspace->policy,
                          HandDownThreads(*m_MultiThreader),
                          { image->GetBufferPointer(), 0, 0, rays.columns, rays.rows });
  return image;
}

RadiographToVolumeMetricv4::ImageType::Pointer
RadiographToVolumeMetricv4::MakePrediction(unsigned int view) const
{
  this->GetView(view);
  this->EvaluateTerms(Order::Value);
  const auto image = this->ProjectWholeView(view);
  this->ConvertToPrediction(view, *image);
  return image;
}

RadiographToVolumeMetricv4::ImageType::Pointer
RadiographToVolumeMetricv4::MakeResidual(unsigned int view) const
{
  this->GetView(view);
  this->EvaluateTerms(Order::Value);
  const auto image = this->ProjectWholeView(view);
  this->ConvertToResidual(view, *image);
  if (const MaskImageType * const mask = this->GetViewMask(view))
  {
    const unsigned char * const inside = mask->GetBufferPointer();
    float * const               values = image->GetBufferPointer();
    for (SizeValueType i = 0; i < image->GetBufferedRegion().GetNumberOfPixels(); ++i)
    {
      values[i] = inside[i] != 0 ? values[i] : 0.0F;
    }
  }
  return image;
}

void
RadiographToVolumeMetricv4::ConvertToPrediction(unsigned int, ImageType &) const
{}

void
RadiographToVolumeMetricv4::ConvertToResidual(unsigned int view, ImageType & depths) const
{
  this->ConvertToPrediction(view, depths);
  const float * const measured = this->GetViewImage(view)->GetBufferPointer();
  float * const       values = depths.GetBufferPointer();
  std::transform(values,
                 values + depths.GetBufferedRegion().GetNumberOfPixels(),
                 measured,
                 values,
                 [](float predicted, float pixel) { return pixel - predicted; });
}

std::vector<std::string>
RadiographToVolumeMetricv4::FindSingularDirections(double bound) const
{
  const Similarity &       similarity = this->EvaluateTerms(Order::Information);
  std::vector<std::string> found;
  if (similarity.nuisanceInformation.rows() > 0)
  {
    const vnl_matrix<double> &              form = similarity.nuisanceInformation;
    const vnl_symmetric_eigensystem<double> system(ScaleForm(form, FindUnitScales(form)));
    for (unsigned int i = 0; i < form.rows() && system.D(i, i) < bound; ++i)
    {
      found.push_back("Whatever the transform, the images do not determine " +
                      NameParts(system.get_eigenvector(static_cast<int>(i)), similarity.nuisanceNames) + '.');
    }
  }

  const Workspace &        work = *m_Workspace;
  const vnl_vector<double> scales = FindUnitScales(work.information);
  const auto profiled = EliminateNuisances(work.information, similarity.nuisanceInformation, work.coupling);
  const vnl_symmetric_eigensystem<double> system(ScaleForm(profiled, scales));
  for (unsigned int i = 0; i < scales.size() && system.D(i, i) < bound; ++i)
  {
    found.push_back(this->DescribeSingularDirection(system.get_eigenvector(static_cast<int>(i)), scales, bound));
  }
  return found;
}

std::string
RadiographToVolumeMetricv4::DescribeSingularDirection(const vnl_vector<double> & direction,
                                                      const vnl_vector<double> & scales,
                                                      double                     bound) const
{
  std::vector<std::string> names;
  for (unsigned int i = 0; i < direction.size(); ++i)
  {
    names.push_back("parameter " + std::to_string(i));
  }
  std::string text = "The images say nothing about a change of " + NameParts(direction, names) + " of " +
                     this->m_MovingTransform->GetNameOfClass();

  const vnl_vector<double> change = element_product(direction, scales);
  const double             held = dot_product(change, m_Workspace->information * change);
  if (held < bound || m_Workspace->coupling.rows() == 0)
  {
    return text + '.';
  }
  // It is the nuisances that make up for it: each in its standard errors, as parts of the largest.
  const vnl_matrix<double> & form = m_Workspace->similarity.nuisanceInformation;
  vnl_vector<double>         following = SolveNuisances(form, m_Workspace->coupling) * change;
  for (unsigned int k = 0; k < following.size(); ++k)
  {
    following[k] *= std::sqrt(form(k, k));
  }
  following /= following.inf_norm();
  return text + " that goes with one of " + NameParts(following, m_Workspace->similarity.nuisanceNames) + '.';
}

} // namespace itk
