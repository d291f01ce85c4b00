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
#include "itkCorrelationRadiographToVolumeMetricv4.h"

#include "compute/CorrelationOfDepths.h"
#include "compute/PixelGrid.h"
#include "registration/itkCorrelationTerms.h"
#include "registration/itkNuisanceElimination.h"

#include "itkNumberToString.h"

#include <cmath>
#include <utility>

namespace itk
{

namespace compute = radiography::compute;

namespace
{

template <typename TPixel>
compute::PixelView<const TPixel>
ViewOf(const Image<TPixel, 3> & image)
{
  const OffsetValueType * const strides = image.GetOffsetTable();
  return { image.GetBufferPointer(), strides[1], strides[2] };
}

compute::PixelGrid
GridOf(const ImageBase<3> & image)
{
  const auto size = image.GetBufferedRegion().GetSize();
  return { static_cast<std::int64_t>(size[0]), static_cast<std::int64_t>(size[1]), 1 };
}

compute::PixelView<const unsigned char>
MaskViewOf(const Image<unsigned char, 3> * mask)
{
  return mask != nullptr ? ViewOf(*mask) : compute::PixelView<const unsigned char>{};
}

} // namespace

compute::PixelGrid
GridOfPixels(std::int64_t columns, std::int64_t rows)
{
  return { columns, rows, 1 };
}

compute::ComparedQuantity
ToCompute(CorrelationRadiographToVolumeMetricv4Enums::Compared compared)
{
  return compared == CorrelationRadiographToVolumeMetricv4Enums::Compared::OpticalDepth
           ? compute::ComparedQuantity::OpticalDepth
           : compute::ComparedQuantity::Transmission;
}

compute::CorrelationSign
ToCompute(CorrelationRadiographToVolumeMetricv4Enums::Relation relation)
{
  using Relation = CorrelationRadiographToVolumeMetricv4Enums::Relation;
  if (relation == Relation::Automatic)
  {
    return compute::CorrelationSign::Any;
  }
  return relation == Relation::Growing ? compute::CorrelationSign::Positive : compute::CorrelationSign::Negative;
}

std::ostream &
operator<<(std::ostream & out, CorrelationRadiographToVolumeMetricv4Enums::Compared value)
{
  static const char * const names[] = { "OpticalDepth", "Transmission" };
  return out << "itk::CorrelationRadiographToVolumeMetricv4Enums::Compared::"
             << names[static_cast<unsigned int>(value)];
}

std::ostream &
operator<<(std::ostream & out, CorrelationRadiographToVolumeMetricv4Enums::Relation value)
{
  static const char * const names[] = { "Automatic", "Growing", "Falling" };
  return out << "itk::CorrelationRadiographToVolumeMetricv4Enums::Relation::"
             << names[static_cast<unsigned int>(value)];
}

CorrelationRadiographToVolumeMetricv4::CorrelationRadiographToVolumeMetricv4() = default;

CorrelationRadiographToVolumeMetricv4::~CorrelationRadiographToVolumeMetricv4() = default;

void
CorrelationRadiographToVolumeMetricv4::RefuseView(unsigned int view) const
{
  const ImageType &          image = *this->GetViewImage(view);
  const auto                 grid = GridOf(image);
  const auto                 mask = MaskViewOf(this->GetViewMask(view));
  const auto                 pixels = ViewOf(image);
  const auto                 threads = this->GetParallelFor();
  const compute::DepthImages images{ {}, pixels, mask };
  const auto                 observed = compute::MakeObservedImage(grid, images, threads);
  for (std::size_t i = 0; i < observed.size(); ++i)
  {
    if (!std::isfinite(observed[i]))
    {
      const auto columns = static_cast<std::size_t>(grid.columns);
      itkExceptionMacro("Pixels that are compared must be finite; in the image of view "
                        << view << " pixel [" << i % columns << ", " << i / columns << "] is "
                        << NumberToString<double>()(observed[i]) << ". Mask it.");
    }
  }
  if (!compute::HasContrast(grid, { observed.data(), grid.columns, grid.Count() }, mask, threads))
  {
    itkExceptionMacro("There is nothing to correlate in the image of view "
                      << view << ": fewer than three pixels are not masked, or all of them have the same value.");
  }
}

void
CorrelationRadiographToVolumeMetricv4::VerifySimilarity() const
{
  for (unsigned int view = 0; view < this->GetNumberOfViews(); ++view)
  {
    this->RefuseView(view);
  }
}

void
CorrelationRadiographToVolumeMetricv4::EvaluateSimilarity(const std::vector<ViewPixels> & views,
                                                          Order                           order,
                                                          Similarity &                    similarity) const
{
  similarity = Similarity();
  similarity.isMeaningful = false;
  similarity.views.resize(views.size());
  m_NumberOfCorrelated = 0;
  for (std::size_t view = 0; view < views.size(); ++view)
  {
    compute::SimilarityTerms terms;
    this->CorrelateView(static_cast<unsigned int>(view), views[view], order, terms);
    similarity.value += terms.value;
    similarity.isMeaningful = similarity.isMeaningful || terms.isDefined;
    m_NumberOfCorrelated += static_cast<SizeValueType>(terms.pixels);
    PixelTerms & pixels = similarity.views[view];
    pixels.scores = std::move(terms.scores);
    pixels.weights = std::move(terms.weights);
    pixels.slopes = std::move(terms.slopes);
    for (auto & difference : terms.differences)
    {
      pixels.differences.push_back({ {}, std::move(difference.weights) });
      for (const compute::DifferencePixel & pixel : difference.pixels)
      {
        pixels.differences.back().pixels.push_back({ pixel.column, pixel.row, pixel.factor });
      }
    }
    pixels.amplitudes = std::move(terms.couplings);
    for (std::size_t column = 0; column < pixels.amplitudes.size(); ++column)
    {
      similarity.couplings.push_back({ similarity.nuisanceNames.size(), view, column, {}, {} });
      similarity.nuisanceNames.push_back((column % 2 == 0 ? "the offset of view " : "the slope of view ") +
                                         std::to_string(view));
    }
  }
  const auto nuisances = static_cast<unsigned int>(similarity.nuisanceNames.size());
  similarity.nuisanceInformation.set_size(nuisances, nuisances);
  similarity.nuisanceInformation.set_identity();
}

double
CorrelationRadiographToVolumeMetricv4::GetDispersion() const
{
  const double value = this->EvaluateTerms(Order::Value).value;
  return 2.0 * value / static_cast<double>(m_NumberOfCorrelated);
}

vnl_matrix<double>
CorrelationRadiographToVolumeMetricv4::ComputeSandwichCovariance(unsigned int blockSize) const
{
  if (blockSize == 0)
  {
    itkExceptionMacro("Blocks of 0 pixels hold no residuals; give a blockSize of 1 or more.");
  }
  const auto directions = this->FindSingularDirections();
  if (!directions.empty())
  {
    itkExceptionMacro("There is no covariance: " << directions.front());
  }
  const unsigned int parameters = this->GetNumberOfParameters();
  MeasureType        value = 0.0;
  DerivativeType     derivative(parameters);
  InformationType    information;
  this->GetValueDerivativeAndInformation(value, derivative, information);
  this->EvaluateTerms(Order::Information);
  vnl_matrix<double> middle(parameters, parameters, 0.0);
  double             blocks = 0.0;
  for (unsigned int view = 0; view < this->GetNumberOfViews(); ++view)
  {
    for (const std::vector<double> & sums : this->ContractBlocks(view, blockSize))
    {
      const vnl_vector<double> score(sums.data(), parameters);
      middle += outer_product(score, score);
      blocks += score.is_zero() ? 0.0 : 1.0;
    }
  }
  if (!(blocks > parameters))
  {
    itkExceptionMacro("There are " << blocks << " blocks of " << blockSize << " x " << blockSize << " pixels for "
                                   << parameters << " parameters: give a smaller blockSize.");
  }
  const vnl_matrix<double> half = SolveNuisances(information, middle);
  return SolveNuisances(information, half.transpose()) * (blocks / (blocks - parameters));
}

/** image = offset + slope x quantity, and the spread of the image. */
struct CorrelationRadiographToVolumeMetricv4::Line
{
  double offset;
  double slope;
  double standardDeviation;
};

CorrelationRadiographToVolumeMetricv4::Line
CorrelationRadiographToVolumeMetricv4::FitLine(unsigned int view, const ImageType & depths) const
{
  const ViewPixels &  pixels = this->GetViewPixels().at(view);
  const auto          grid = GridOfPixels(pixels.columns, pixels.rows);
  const auto          threads = this->GetParallelFor();
  std::vector<double> sampled;
  for (const float depth : this->SamplePixels(view, depths))
  {
    sampled.push_back(depth);
  }
  const compute::DepthImages images = ImagesOf(pixels.columns, pixels.rows, sampled.data(), pixels.image, pixels.mask);
  const auto                 predicted = compute::MakeComparedImage(grid, images, ToCompute(m_Compared), threads);
  const auto                 observed = compute::MakeObservedImage(grid, images, threads);
  const auto                 line = compute::MeasureCorrelation(
    grid,
    { { predicted.data(), grid.columns, grid.Count() }, { observed.data(), grid.columns, grid.Count() }, images.mask },
    compute::CorrelationSign::Any,
    threads);
  const double slope = line.isDefined ? line.coefficient * line.observedNorm / line.predictedNorm : 0.0;
  return { line.observedMean - slope * line.predictedMean,
           slope,
           line.observedNorm / std::sqrt(static_cast<double>(line.pixels)) };
}

void
CorrelationRadiographToVolumeMetricv4::ConvertToPrediction(unsigned int view, ImageType & depths) const
{
  const Line    line = this->FitLine(view, depths);
  float * const values = depths.GetBufferPointer();
  for (SizeValueType i = 0; i < depths.GetBufferedRegion().GetNumberOfPixels(); ++i)
  {
    const double depth = values[i];
    const double quantity = m_Compared == ComparedEnum::OpticalDepth ? depth : std::exp(-depth);
    values[i] = static_cast<float>(line.offset + line.slope * quantity);
  }
}

void
CorrelationRadiographToVolumeMetricv4::ConvertToResidual(unsigned int view, ImageType & depths) const
{
  const double standardDeviation = this->FitLine(view, depths).standardDeviation;
  Superclass::ConvertToResidual(view, depths);
  float * const values = depths.GetBufferPointer();
  for (SizeValueType i = 0; i < depths.GetBufferedRegion().GetNumberOfPixels(); ++i)
  {
    values[i] = static_cast<float>(values[i] / standardDeviation);
  }
}

void
CorrelationRadiographToVolumeMetricv4::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "Compared: " << m_Compared << std::endl;
  os << indent << "Relation: " << m_Relation << std::endl;
  os << indent << "NumberOfCorrelated: " << m_NumberOfCorrelated << std::endl;
}

} // namespace itk
