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
#include "itkSubrayRadiographImageFilter.h"

#include "stairs/itkHandDownThreads.h"
#include "transmission/itkSubrayBlocks.h"
#include "transmission/itkSubrayViews.h"

#include <ostream>

namespace itk
{
namespace
{

// The shares of the progress bar.
constexpr float ProjectionWeight = 0.9f;
constexpr float AverageWeight = 0.09f;
constexpr float FinishWeight = 0.01f;

} // namespace

SubrayRadiographImageFilter::SubrayRadiographImageFilter()
{
  m_FocalSpotSize.Fill(0.0);
}

SubrayRadiographImageFilter::~SubrayRadiographImageFilter() = default;

SubrayRadiographImageFilter::ImageType::Pointer
SubrayRadiographImageFilter::ProjectSubrays(const RadiographGeometry &    view,
                                            const ProjectionVolume &      volume,
                                            const OutputImageRegionType & subrays,
                                            float                         progressWeight)
{
  const auto projection = Superclass::New();
  projection->SetProjectionVolume(&volume);
  projection->SetGeometry(&view);
  projection->SetTransform(this->GetTransform());
  projection->SetProjector(this->GetProjector());
  projection->SetPolicy(this->GetPolicy());
  projection->SetNumberOfWorkUnits(this->GetNumberOfWorkUnits());

  // Progress goes up, an abort goes down.
  const float before = this->GetProgress();
  projection->AddObserver(ProgressEvent(), [this, before, progressWeight, &projection](const EventObject &) {
    this->UpdateProgress(before + progressWeight * projection->GetProgress());
    if (this->GetAbortGenerateData())
    {
      projection->AbortGenerateDataOn();
    }
  });
  projection->UpdateOutputInformation();
  projection->GetOutput()->SetRequestedRegion(subrays);
  projection->Update();
  this->AddToReport(projection->GetComputeReport());
  return projection->GetOutput();
}

void
SubrayRadiographImageFilter::AddToReport(const ComputeReport & view)
{
  if (m_ComputeReport.kernel.empty())
  {
    m_ComputeReport = view;
    return;
  }
  m_ComputeReport.raysWithEndInside += view.raysWithEndInside;
  m_ComputeReport.notUsed.insert(view.notUsed.begin(), view.notUsed.end());
}

void
SubrayRadiographImageFilter::GenerateData()
{
  const FocalSpot spot{ m_FocalSpotSize[0], m_FocalSpotSize[1], m_FocalSpotSamples };
  const auto      views = MakeSubrayViews(*this->GetGeometry(), m_SubraysPerSide, spot);
  const auto &    volume = *this->PrepareVolume();

  const auto pixels = this->GetOutput()->GetRequestedRegion();
  const auto start = this->GetOutput()->GetLargestPossibleRegion().GetIndex();
  const auto subrays = SubrayRegion(pixels, start, m_SubraysPerSide);
  const auto viewPart = 1.0f / static_cast<float>(views.size());

  m_ComputeReport = ComputeReport();
  radiography::compute::ViewAverages averages;
  for (const auto & view : views)
  {
    const auto depths = this->ProjectSubrays(*view.view, volume, subrays, ProjectionWeight * viewPart);
    radiography::compute::AddViewOfSubrays(GridOf(pixels),
                                           SubrayBlocksOf(m_SubraysPerSide, {}, ConstViewOf(*depths, subrays)),
                                           view.weight,
                                           averages,
                                           HandDownThreads(*this, AverageWeight * viewPart));
  }
  this->AllocateOutputs();
  radiography::compute::FinishViews(
    GridOf(pixels), averages, ViewOf(*this->GetOutput(), pixels), HandDownThreads(*this, FinishWeight));
}

void
SubrayRadiographImageFilter::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "SubraysPerSide: " << m_SubraysPerSide << std::endl;
  os << indent << "FocalSpotSize: " << m_FocalSpotSize << std::endl;
  os << indent << "FocalSpotSamples: " << m_FocalSpotSamples << std::endl;
}

} // namespace itk
