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
#include "itkBandedRadiographImageFilter.h"

#include "compute/BandProjection.h"
#include "compute/TransposedVolume.h"
#include "projection/itkProjectionCall.h"
#include "projection/itkViewRays.h"
#include "projection/itkVolumeView.h"
#include "stairs/itkHandDownThreads.h"

#include "itkMultiThreaderBase.h"

namespace itk
{

namespace compute = radiography::compute;
namespace kernel = radiography::kernel;

namespace
{

/** The size of the whole input, which is never in memory. */
kernel::VolumeView
MakeGrid(const Image<float, 3> & ct)
{
  const auto size = ct.GetLargestPossibleRegion().GetSize();
  return kernel::MakeVolumeGrid(
    static_cast<std::int64_t>(size[0]), static_cast<std::int64_t>(size[1]), static_cast<std::int64_t>(size[2]));
}

/** The slices of a band as an image of their own that looks into the memory of `ct`, which may hold more. */
Image<float, 3>::Pointer
MakeBandImage(Image<float, 3> & ct, const ImageRegion<3> & region)
{
  using ImageType = Image<float, 3>;
  const auto voxels = ImageType::PixelContainer::New();
  voxels->SetImportPointer(
    ct.GetBufferPointer() + ct.ComputeOffset(region.GetIndex()), region.GetNumberOfPixels(), false);
  const auto band = ImageType::New();
  band->CopyInformation(&ct);
  band->SetRegions(region);
  band->SetPixelContainer(voxels);
  return band;
}

} // namespace

BandedRadiographImageFilter::BandedRadiographImageFilter() = default;

BandedRadiographImageFilter::~BandedRadiographImageFilter() = default;

void
BandedRadiographImageFilter::VerifyPreconditions() ITKv5_CONST
{
  Superclass::VerifyPreconditions();
  if (this->GetProjectionVolume() != nullptr)
  {
    itkExceptionMacro("A ProjectionVolume is in memory as a whole, so that there is nothing to be cut into bands: use "
                      "DigitallyReconstructedRadiographImageFilter, or give the image with SetInput().");
  }
}

SizeValueType
BandedRadiographImageFilter::ComputeSlicesOfBand() const
{
  const ImageType &               ct = *this->GetInput();
  const compute::ProjectionPolicy policy = SelectPolicy(this->GetPolicy());
  const auto                      rays = MakeViewRays(*this->GetGeometry(), ToAffineMap(*this->GetTransform()), ct);
  const bool transposed = compute::WantsTransposedVolume(MakeGrid(ct), rays, ToCompute(this->GetProjector()), policy);

  const auto          size = ct.GetLargestPossibleRegion().GetSize();
  const SizeValueType sliceBytes = size[0] * size[1] * sizeof(float) * (transposed ? 2 : 1);
  const SizeValueType pixels = this->GetGeometry()->GetDetectorSize()[0] * this->GetGeometry()->GetDetectorSize()[1];
  const SizeValueType pixelBytes = pixels * compute::BandProjection::BytesPerPixel;
  if (m_MemoryBudget < pixelBytes + sliceBytes)
  {
    itkExceptionMacro("The memory budget of " << m_MemoryBudget << " bytes is too small: " << pixelBytes
                                              << " bytes are for the detector's pixels and " << sliceBytes
                                              << " for a single slice of the volume. Give at least "
                                              << pixelBytes + sliceBytes << " (SetMemoryBudget).");
  }
  return (m_MemoryBudget - pixelBytes) / sliceBytes;
}

SizeValueType
BandedRadiographImageFilter::ComputeNumberOfBands() const
{
  const auto slices = static_cast<std::int64_t>(this->GetInput()->GetLargestPossibleRegion().GetSize(2));
  const auto most = static_cast<std::int64_t>(this->ComputeSlicesOfBand());
  return static_cast<SizeValueType>(compute::SliceBands(slices, most).GetCount());
}

ImageRegion<3>
BandedRadiographImageFilter::GetBandRegion(SizeValueType band) const
{
  ImageRegion<3>            region = this->GetInput()->GetLargestPossibleRegion();
  const compute::SliceBands bands(static_cast<std::int64_t>(region.GetSize(2)),
                                  static_cast<std::int64_t>(this->ComputeSlicesOfBand()));
  const std::int64_t        begin = bands.GetBegin(static_cast<std::int64_t>(band));
  const std::int64_t        end = bands.GetEnd(static_cast<std::int64_t>(band));
  region.SetIndex(2, region.GetIndex(2) + static_cast<IndexValueType>(begin));
  region.SetSize(2, static_cast<SizeValueType>(end - begin));
  return region;
}

void
BandedRadiographImageFilter::GenerateInputRequestedRegion()
{
  // The pipeline fetches the first band as it fetches any input; GenerateData() asks for the others.
  const_cast<ImageType *>(this->GetInput())->SetRequestedRegion(this->GetBandRegion(0));
}

void
BandedRadiographImageFilter::FetchBand(SizeValueType band)
{
  auto * const ct = const_cast<ImageType *>(this->GetInput());
  ct->SetRequestedRegion(this->GetBandRegion(band));
  ct->PropagateRequestedRegion();
  ct->UpdateOutputData();
}

/** Adds what one band of the input contributes; its values are checked here. */
void
BandedRadiographImageFilter::AddBand(radiography::compute::BandProjection & projection, SizeValueType band)
{
  this->FetchBand(band);
  auto &               ct = const_cast<ImageType &>(*this->GetInput());
  const ImageRegion<3> slices = this->GetBandRegion(band);
  const auto           volume = ProjectionVolume::New();
  volume->SetImage(MakeBandImage(ct, slices));

  compute::VolumeLayouts       layouts(MakeVolumeView(*volume->GetImage()));
  std::shared_ptr<const float> transposed;
  if (projection.WantsTransposedBand(layouts.natural))
  {
    transposed = volume->GetTransposedCopy(*this->GetMultiThreader());
    layouts.transposed = compute::MakeTransposedView(layouts.natural, transposed.get());
  }
  const auto  first = slices.GetIndex(2) - ct.GetLargestPossibleRegion().GetIndex(2);
  const float weight = 1.0F / static_cast<float>(this->ComputeNumberOfBands());
  projection.Add(layouts, first, HandDownThreads(*this, weight), HandDownThreads(*this->GetMultiThreader()));
}

void
BandedRadiographImageFilter::GenerateData()
{
  const ImageType &       ct = *this->GetInput();
  const auto              region = this->GetOutput()->GetRequestedRegion();
  compute::BandProjection projection(MakeGrid(ct),
                                     MakeViewRays(*this->GetGeometry(), ToAffineMap(*this->GetTransform()), ct),
                                     ToCompute(this->GetProjector()),
                                     SelectPolicy(this->GetPolicy()),
                                     { nullptr,
                                       static_cast<std::int64_t>(region.GetIndex(0)),
                                       static_cast<std::int64_t>(region.GetIndex(1)),
                                       static_cast<std::int64_t>(region.GetSize(0)),
                                       static_cast<std::int64_t>(region.GetSize(1)) });
  const SizeValueType     count = this->ComputeNumberOfBands();
  for (SizeValueType band = 0; band < count; ++band)
  {
    this->AddBand(projection, band);
  }
  this->AllocateOutputs();
  projection.Store(this->GetOutput()->GetBufferPointer());
  m_ComputeReport = MakeComputeReport(projection.GetReport(), *this);
}

void
BandedRadiographImageFilter::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "MemoryBudget: " << m_MemoryBudget << std::endl;
}

} // namespace itk
