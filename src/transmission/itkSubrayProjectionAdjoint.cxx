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
#include "transmission/itkSubrayProjectionAdjoint.h"

#include "compute/PixelGradient.h"
#include "stairs/itkHandDownThreads.h"
#include "transmission/itkGradientMessages.h"
#include "transmission/itkInnerFilter.h"
#include "transmission/itkSubrayBlocks.h"

#include "itkRadiographBackProjectionImageFilter.h"

#include <algorithm>

namespace itk
{
namespace
{

namespace compute = radiography::compute;

// Of the work of one view: spreading over voxels takes longer than integrating.
constexpr float BackProjectionPart = 0.7f;

const double *
RowOf(const std::vector<double> & sums, const compute::PixelGrid & grid, const compute::RowPiece & piece)
{
  return sums.data() + piece.column + grid.columns * (piece.row + grid.rows * piece.slice);
}

} // namespace

SubrayProjectionAdjoint::SubrayProjectionAdjoint(ProcessObject & outer, const RadiographForwardModel & forward)
  : m_Outer(outer)
  , m_Forward(forward)
  , m_Mu(WithoutPipeline(*forward.GetInput()))
  , m_Views(
      MakeSubrayViews(*forward.GetGeometry(),
                      forward.GetSubraysPerSide(),
                      { forward.GetFocalSpotSize()[0], forward.GetFocalSpotSize()[1], forward.GetFocalSpotSamples() }))
  , m_IsPlain(m_Views.size() == 1 && forward.GetSubraysPerSide() == 1)
{
  const float part = (1.0f - outer.GetProgress()) / static_cast<float>(m_Views.size());
  m_BackProjectionProgress = m_IsPlain ? part : BackProjectionPart * part;
  m_ProjectionProgress = 0.5f * (part - m_BackProjectionProgress);
}

SubrayProjectionAdjoint::ImageType::Pointer
SubrayProjectionAdjoint::Project(const RadiographGeometry & view)
{
  if (&view == m_ProjectedView)
  {
    return m_ProjectedDepths;
  }
  if (!m_Volume)
  {
    m_Volume = ProjectionVolume::New();
    m_Volume->SetImage(m_Mu);
  }
  const auto projection = DigitallyReconstructedRadiographImageFilter::New();
  projection->SetProjectionVolume(m_Volume);
  projection->SetGeometry(&view);
  projection->SetTransform(m_Forward.GetTransform());
  projection->SetProjector(m_Forward.GetProjector());
  projection->SetPolicy(m_Forward.GetPolicy());
  UpdateInside(m_Outer, *projection, m_ProjectionProgress);
  m_ProjectedView = &view;
  m_ProjectedDepths = projection->GetOutput();
  return m_ProjectedDepths;
}

SubrayProjectionAdjoint::ImageType::Pointer
SubrayProjectionAdjoint::BackProject(const RadiographGeometry & view, const ImageType & pixels)
{
  const auto back = RadiographBackProjectionImageFilter::New();
  back->SetInput(&pixels);
  back->SetReferenceImage(m_Mu);
  back->SetGeometry(&view);
  back->SetTransform(m_Forward.GetTransform());
  back->SetProjector(m_Forward.GetProjector());
  back->SetPolicy(m_Forward.GetPolicy());
  UpdateInside(m_Outer, *back, m_BackProjectionProgress);
  return WithoutPipeline(*back->GetOutput());
}

void
SubrayProjectionAdjoint::AverageViews()
{
  const auto grid = GridOf(m_Forward.GetDepth()->GetLargestPossibleRegion());
  for (const SubrayView & view : m_Views)
  {
    const auto depths = this->Project(*view.view);
    const auto blocks =
      SubrayBlocksOf(m_Forward.GetSubraysPerSide(), {}, ConstViewOf(*depths, depths->GetLargestPossibleRegion()));
    compute::AddViewOfSubrays(grid, blocks, view.weight, m_Averages, HandDownThreads(m_Outer, 0.0f));
  }
}

SubrayProjectionAdjoint::ImageType::Pointer
SubrayProjectionAdjoint::ShareOut(const SubrayView & view, const ImageType & depthCotangent)
{
  const auto depths = this->Project(*view.view);
  const auto subrays = depths->GetLargestPossibleRegion();
  const auto cotangents = ImageType::New();
  cotangents->CopyInformation(depths);
  cotangents->SetRegions(subrays);
  cotangents->Allocate();
  const auto pixels = depthCotangent.GetLargestPossibleRegion();
  compute::ViewOfSubraysAdjoint(GridOf(pixels),
                                SubrayBlocksOf(m_Forward.GetSubraysPerSide(), {}, ConstViewOf(*depths, subrays)),
                                view.weight,
                                m_Averages,
                                ConstViewOf(depthCotangent, pixels),
                                ViewOf(*cotangents, subrays),
                                HandDownThreads(m_Outer, 0.0f));
  return cotangents;
}

void
SubrayProjectionAdjoint::AddTo(std::vector<double> & sums, const ImageType & part)
{
  const auto region = part.GetLargestPossibleRegion();
  const auto grid = GridOf(region);
  const auto view = ConstViewOf(part, region);
  sums.resize(static_cast<std::size_t>(grid.Count()));
  compute::ForEachRowPiece(grid, HandDownThreads(m_Outer, 0.0f), [&](const compute::RowPiece & piece) {
    const float * const terms = view.At(piece);
    auto                sum = sums.begin() + (RowOf(sums, grid, piece) - sums.data());
    std::transform(terms, terms + piece.length, sum, sum, [](float term, double before) { return before + term; });
  });
}

SubrayProjectionAdjoint::ImageType::Pointer
SubrayProjectionAdjoint::RoundOnce(const std::vector<double> & sums, const ImageType * accumulated)
{
  const auto region = m_Mu->GetLargestPossibleRegion();
  const auto grid = GridOf(region);
  const auto before = ViewOrNone(accumulated, region);
  const auto fill = [&](const compute::RowPiece & chunk, compute::GradientChunk & gradient) {
    std::copy_n(RowOf(sums, grid, chunk), chunk.length, gradient.begin());
  };
  const auto bad =
    compute::FindGradientOutOfRange(grid, before, HandDownThreads(m_Outer, 0.0f), compute::NotKnownToBeInRange, fill);
  if (bad)
  {
    itkGenericExceptionMacro("" << DescribeGradient("mu cotangent", region, *bad));
  }
  const auto result = ImageType::New();
  result->CopyInformation(m_Mu);
  result->SetRegions(region);
  result->Allocate();
  compute::AccumulateGradient(grid, { before, ViewOf(*result, region) }, HandDownThreads(m_Outer, 0.0f), fill);
  return result;
}

SubrayProjectionAdjoint::ImageType::Pointer
SubrayProjectionAdjoint::Run(const ImageType & depthCotangent, const ImageType * accumulated)
{
  if (m_IsPlain && !accumulated)
  {
    return this->BackProject(*m_Views.front().view, depthCotangent);
  }
  if (!m_IsPlain)
  {
    this->AverageViews();
  }
  std::vector<double> sums;
  // Backwards, because the depths of the last view are still at hand.
  std::for_each(m_Views.rbegin(), m_Views.rend(), [&](const SubrayView & view) {
    const auto part = m_IsPlain ? this->BackProject(*view.view, depthCotangent)
                                : this->BackProject(*view.view, *this->ShareOut(view, depthCotangent));
    this->AddTo(sums, *part);
  });
  return this->RoundOnce(sums, accumulated);
}

} // namespace itk
