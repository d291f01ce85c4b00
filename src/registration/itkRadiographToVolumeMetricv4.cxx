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
#include "projection/itkProjectionCall.h"
#include "projection/itkViewRays.h"
#include "projection/itkVolumeView.h"
#include "registration/itkRadiographMetricWorkspace.h"
#include "stairs/itkHandDownThreads.h"

#include "itkMultiThreaderBase.h"

#include "vnl/vnl_inverse.h"

#include <algorithm>
#include <cmath>

namespace itk
{

namespace compute = radiography::compute;

namespace
{

// As ImageToImageFilter's defaults: a fraction of a pixel, and of a direction cosine.
constexpr double GridTolerance = 1e-6;

/** The longest side of the virtual domain, in voxels. */
constexpr double VirtualDomainLength = 64.0;

void
BringUpToDate(const ImageBase<3> * image)
{
  if (image != nullptr)
  {
    auto & source = const_cast<ImageBase<3> &>(*image);
    source.UpdateOutputInformation();
    source.SetRequestedRegionToLargestPossibleRegion();
    source.Update();
  }
}

/** The view of every stride-th pixel. */
RadiographGeometry::ConstPointer
Thin(const RadiographGeometry & geometry, std::int64_t first, const Size<3> & size, unsigned int stride)
{
  if (stride == 1)
  {
    return &geometry;
  }
  const auto detector = ImageBase<3>::New();
  detector->SetRegions(ImageRegion<3>(size));
  detector->SetOrigin(geometry.GetPixelCenter(static_cast<double>(first), static_cast<double>(first)));
  auto spacing = geometry.GetDetectorSpacing();
  spacing[0] *= stride;
  spacing[1] *= stride;
  detector->SetSpacing(spacing);
  detector->SetDirection(geometry.GetDetectorDirection());
  const auto thinned = RadiographGeometry::New();
  if (geometry.GetBeam() == RadiographGeometryEnums::Beam::Cone)
  {
    thinned->SetConeBeam(geometry.GetSource(), detector);
  }
  else
  {
    thinned->SetParallelBeam(geometry.GetBeamDirection(), detector);
  }
  return thinned;
}

/** The pixels of an image that lies on a detector which ViewPixels stand for. */
template <typename TPixel>
std::vector<TPixel>
Sample(const Image<TPixel, 3> & image, std::int64_t columns, std::int64_t rows, std::int64_t first, std::int64_t stride)
{
  std::vector<TPixel>  pixels(static_cast<std::size_t>(columns * rows));
  const TPixel * const values = image.GetBufferPointer();
  const auto           length = static_cast<std::int64_t>(image.GetBufferedRegion().GetSize(0));
  auto                 pixel = pixels.begin();
  for (std::int64_t row = 0; row < rows; ++row)
  {
    for (std::int64_t column = 0; column < columns; ++column, ++pixel)
    {
      *pixel = values[first + column * stride + (first + row * stride) * length];
    }
  }
  return pixels;
}

/** How many of `size` pixels every stride-th is, beginning with `first`. */
std::int64_t
CountSamples(std::int64_t size, std::int64_t first, std::int64_t stride)
{
  return size > first ? (size - first + stride - 1) / stride : 0;
}

bool
IsIdentity(const Transform<double, 3, 3> & transform)
{
  const AffineMap map = ToAffineMap(transform);
  return map.matrix.is_identity() && map.offset.is_zero();
}

} // namespace

constexpr double RadiographToVolumeMetricv4::OutOfRangeValue;

RadiographToVolumeMetricv4::RadiographToVolumeMetricv4()
  : m_MultiThreader(MultiThreaderBase::New())
  , m_Workspace(std::make_unique<Workspace>())
{
  // Else the base would keep three numbers a voxel.
  this->m_UseFixedImageGradientFilter = false;
  this->m_UseMovingImageGradientFilter = false;
}

RadiographToVolumeMetricv4::~RadiographToVolumeMetricv4() = default;

void
RadiographToVolumeMetricv4::AddView(const ImageType *          image,
                                    const RadiographGeometry * geometry,
                                    const MaskImageType *      mask)
{
  m_FurtherViews.push_back({ image, geometry, mask });
  this->Modified();
}

unsigned int
RadiographToVolumeMetricv4::GetNumberOfViews() const
{
  return static_cast<unsigned int>(m_FurtherViews.size()) + (this->m_FixedImage ? 1 : 0);
}

void
RadiographToVolumeMetricv4::ClearViews()
{
  this->m_FixedImage = nullptr;
  m_Geometry = nullptr;
  m_Mask = nullptr;
  m_FurtherViews.clear();
  this->Modified();
}

RadiographToVolumeMetricv4::View
RadiographToVolumeMetricv4::GetView(unsigned int view) const
{
  if (view > m_FurtherViews.size())
  {
    itkExceptionMacro("There is no view " << view << ": views are counted from 0, and " << m_FurtherViews.size()
                                          << " were added to that of the fixed image.");
  }
  return view == 0 ? View{ this->m_FixedImage, m_Geometry, m_Mask } : m_FurtherViews[view - 1];
}

const RadiographToVolumeMetricv4::ImageType *
RadiographToVolumeMetricv4::GetViewImage(unsigned int view) const
{
  return this->GetView(view).image;
}

const RadiographGeometry *
RadiographToVolumeMetricv4::GetViewGeometry(unsigned int view) const
{
  return this->GetView(view).geometry;
}

const RadiographToVolumeMetricv4::MaskImageType *
RadiographToVolumeMetricv4::GetViewMask(unsigned int view) const
{
  return this->GetView(view).mask;
}

void
RadiographToVolumeMetricv4::SetPolicy(const std::string & overrides)
{
  CheckPolicyText(overrides);
  if (overrides != m_Policy)
  {
    m_Policy = overrides;
    this->Modified();
  }
}

void
RadiographToVolumeMetricv4::SetMovingTransform(MovingTransformType * transform)
{
  const bool wasPrepared = this->IsPrepared();
  Superclass::SetMovingTransform(transform);
  if (wasPrepared)
  {
    // Nothing that Initialize() prepares depends on the transform.
    m_Workspace->prepared.Modified();
  }
}

ThreadIdType
RadiographToVolumeMetricv4::GetNumberOfWorkUnitsUsed() const
{
  return std::min(m_MultiThreader->GetMaximumNumberOfThreads(), m_MultiThreader->GetNumberOfWorkUnits());
}

void
RadiographToVolumeMetricv4::SetMaximumNumberOfWorkUnits(const ThreadIdType number)
{
  m_MultiThreader->SetNumberOfWorkUnits(number);
}

ThreadIdType
RadiographToVolumeMetricv4::GetMaximumNumberOfWorkUnits() const
{
  return m_MultiThreader->GetNumberOfWorkUnits();
}

RadiographToVolumeMetricv4::ParallelForType
RadiographToVolumeMetricv4::GetParallelFor() const
{
  return HandDownThreads(*m_MultiThreader);
}

ModifiedTimeType
RadiographToVolumeMetricv4::GetMTime() const
{
  ModifiedTimeType latest = Superclass::GetMTime();
  const auto       look = [&latest](const Object * object) {
    latest = object != nullptr ? std::max(latest, object->GetMTime()) : latest;
  };
  look(m_ProjectionVolume);
  look(this->m_MovingImage);
  for (unsigned int view = 0; view <= m_FurtherViews.size(); ++view)
  {
    look(this->GetViewImage(view));
    look(this->GetViewGeometry(view));
    look(this->GetViewMask(view));
  }
  return latest;
}

bool
RadiographToVolumeMetricv4::IsPrepared() const
{
  return m_Workspace->prepared.GetMTime() > this->GetMTime();
}

void
RadiographToVolumeMetricv4::RequirePrepared() const
{
  if (!this->IsPrepared())
  {
    itkExceptionMacro("The metric is not ready: call Initialize() after the last change of an image, view, mask, CT or "
                      "option.");
  }
}

void
RadiographToVolumeMetricv4::RefuseFramework() const
{
  if (this->m_UseSampledPointSet)
  {
    itkExceptionMacro("A radiograph is not compared at points of the world, but pixel by pixel: switch "
                      "UseSampledPointSet off (sampling strategy NONE), and give a mask or a Stride.");
  }
  if (this->m_FixedImageMask || this->m_MovingImageMask)
  {
    itkExceptionMacro("A spatial object cannot mask a radiograph: give images of the pixels to be compared with "
                      "SetMask() and AddView().");
  }
  if (!this->m_MovingTransform)
  {
    itkExceptionMacro("There is no moving transform.");
  }
  if (!this->m_FixedTransform || !IsIdentity(*this->m_FixedTransform))
  {
    itkExceptionMacro("The fixed transform must be the identity: give the views in the world's coordinates.");
  }
  ToAffineMap(*this->m_MovingTransform); // refuses what is not linear, or cannot be inverted
}

void
RadiographToVolumeMetricv4::RefuseView(unsigned int number) const
{
  const View        view = this->GetView(number);
  const std::string name = "view " + std::to_string(number);
  if (!view.image)
  {
    itkExceptionMacro("There is no image of " << name
                                              << (number == 0 ? ": give it with SetFixedImage()." : " in AddView()."));
  }
  if (!view.geometry)
  {
    itkExceptionMacro("There is no geometry of " << name
                                                 << (number == 0 ? ": give it with SetGeometry()." : " in AddView()."));
  }
  RefuseEmptyDetector(*view.geometry);
  this->RefuseOtherDetector(number, *view.image, ("The image of " + name).c_str());
  if (view.mask)
  {
    this->RefuseOtherDetector(number, *view.mask, ("The mask of " + name).c_str());
  }
  const auto         size = view.geometry->GetDetectorSize();
  const std::int64_t first = (static_cast<std::int64_t>(m_Stride) - 1) / 2;
  const std::int64_t shorter = static_cast<std::int64_t>(std::min(size[0], size[1]));
  if (m_Stride == 0 || shorter <= first)
  {
    itkExceptionMacro("A Stride of " << m_Stride << " leaves no pixel of " << name << ", which has " << size[0] << " x "
                                     << size[1] << ": give a number from 1 to twice the shorter side.");
  }
}

void
RadiographToVolumeMetricv4::RefuseOtherDetector(unsigned int view, const ImageBase<3> & image, const char * name) const
{
  RefuseOtherGrid(image, *this->GetViewGeometry(view), GridTolerance, GridTolerance, name);
  if (image.GetBufferedRegion() != image.GetLargestPossibleRegion())
  {
    itkExceptionMacro("" << name << " is not wholly in memory: call UpdateLargestPossibleRegion() on the filter that "
                         << "makes it.");
  }
}

std::vector<float>
RadiographToVolumeMetricv4::SamplePixels(unsigned int view, const ImageType & image) const
{
  const ViewPixels & pixels = this->GetViewPixels().at(view);
  return Sample(image, pixels.columns, pixels.rows, pixels.first, pixels.stride);
}

const std::vector<RadiographToVolumeMetricv4::ViewPixels> &
RadiographToVolumeMetricv4::GetViewPixels() const
{
  return m_Workspace->pixels;
}

void
RadiographToVolumeMetricv4::Initialize()
{
  this->RefuseFramework();
  for (unsigned int view = 0; view <= m_FurtherViews.size(); ++view)
  {
    BringUpToDate(this->GetViewImage(view));
    BringUpToDate(this->GetViewMask(view));
    this->RefuseView(view);
  }
  BringUpToDate(m_ProjectionVolume ? nullptr : this->m_MovingImage.GetPointer());
  m_Workspace->policy = SelectPolicy(m_Policy);
  m_Workspace->volume = PrepareProjectionVolume(this->m_MovingImage, m_ProjectionVolume, m_OwnVolume);
  this->VerifySimilarity();

  if (!this->m_MovingImage)
  {
    this->m_MovingImage = m_Workspace->volume->GetImage();
  }
  this->SetVirtualDomainAroundVolume();
  Superclass::Initialize();
  this->PrepareViews();
  this->PrepareSimilarity();
  m_Workspace->prepared.Modified();
}

void
RadiographToVolumeMetricv4::PrepareViews()
{
  Workspace & work = *m_Workspace;
  work.transposed = nullptr;
  work.views.clear();
  work.pixels.clear();
  work.similarity = Similarity();
  const std::int64_t first = (static_cast<std::int64_t>(m_Stride) - 1) / 2;
  for (unsigned int number = 0; number <= m_FurtherViews.size(); ++number)
  {
    const View view = this->GetView(number);
    const auto size = view.geometry->GetDetectorSize();
    ViewPixels pixels;
    pixels.detectorColumns = static_cast<std::int64_t>(size[0]);
    pixels.detectorRows = static_cast<std::int64_t>(size[1]);
    pixels.first = first;
    pixels.stride = m_Stride;
    pixels.columns = CountSamples(pixels.detectorColumns, first, m_Stride);
    pixels.rows = CountSamples(pixels.detectorRows, first, m_Stride);

    Workspace::PreparedView prepared;
    const Size<3> thinned{ { static_cast<SizeValueType>(pixels.columns), static_cast<SizeValueType>(pixels.rows), 1 } };
    prepared.geometry = Thin(*view.geometry, first, thinned, m_Stride);
    prepared.image = Sample(*view.image, pixels.columns, pixels.rows, first, m_Stride);
    prepared.mask = view.mask ? Sample(*view.mask, pixels.columns, pixels.rows, first, m_Stride)
                              : std::vector<unsigned char>(prepared.image.size(), 1);
    work.views.push_back(std::move(prepared));
    work.pixels.push_back(pixels);
  }
  for (std::size_t view = 0; view < work.views.size(); ++view)
  {
    work.pixels[view].image = work.views[view].image.data();
    work.pixels[view].mask = work.views[view].mask.data();
  }
}

void
RadiographToVolumeMetricv4::SetVirtualDomainAroundVolume()
{
  const ImageType & ct = *m_Workspace->volume->GetImage();
  const AffineMap   ctFromWorld = ToAffineMap(*this->m_MovingTransform);
  const auto        worldFromCT = vnl_inverse(ctFromWorld.matrix);
  const auto        region = ct.GetLargestPossibleRegion();
  Point<double, 3>  lower;
  Point<double, 3>  upper;
  lower.Fill(HUGE_VAL);
  upper.Fill(-HUGE_VAL);
  for (unsigned int corner = 0; corner < 8; ++corner)
  {
    ContinuousIndex<double, 3> index;
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      const double size = (corner >> axis & 1U) != 0U ? static_cast<double>(region.GetSize(axis)) : 0.0;
      index[axis] = static_cast<double>(region.GetIndex(axis)) - 0.5 + size;
    }
    Point<double, 3> point;
    ct.TransformContinuousIndexToPhysicalPoint(index, point);
    const auto world = worldFromCT * (point.GetVnlVector() - ctFromWorld.offset);
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      lower[axis] = std::min(lower[axis], world[axis]);
      upper[axis] = std::max(upper[axis], world[axis]);
    }
  }
  const Vector<double, 3> extent = upper - lower;
  VirtualSpacingType      spacing;
  spacing.Fill(*std::max_element(extent.Begin(), extent.End()) / VirtualDomainLength);
  VirtualDirectionType direction;
  direction.SetIdentity();
  VirtualOriginType origin;
  VirtualSizeType   size;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    const double count = std::max(1.0, std::min(VirtualDomainLength, std::round(extent[axis] / spacing[axis])));
    size[axis] = static_cast<SizeValueType>(count);
    origin[axis] = 0.5 * (lower[axis] + upper[axis]) - 0.5 * (count - 1.0) * spacing[axis];
  }
  this->SetVirtualDomain(spacing, origin, direction, VirtualRegionType(size));
}

void
RadiographToVolumeMetricv4::VerifySimilarity() const
{}

void
RadiographToVolumeMetricv4::PrepareSimilarity()
{}

void
RadiographToVolumeMetricv4::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  itkPrintSelfObjectMacro(Geometry);
  itkPrintSelfObjectMacro(Mask);
  os << indent << "FurtherViews: " << m_FurtherViews.size() << std::endl;
  for (const View & view : m_FurtherViews)
  {
    os << indent.GetNextIndent() << "image " << static_cast<const void *>(view.image.GetPointer()) << ", geometry "
       << static_cast<const void *>(view.geometry.GetPointer()) << ", mask "
       << static_cast<const void *>(view.mask.GetPointer()) << std::endl;
  }
  itkPrintSelfObjectMacro(ProjectionVolume);
  itkPrintSelfObjectMacro(OwnVolume);
  os << indent << "Projector: " << m_Projector << std::endl;
  os << indent << "Policy: " << (m_Policy.empty() ? "(defaults)" : m_Policy) << std::endl;
  os << indent << "Stride: " << m_Stride << std::endl;
  itkPrintSelfObjectMacro(MultiThreader);
  os << indent << "Workspace: " << (this->IsPrepared() ? "prepared" : "not prepared") << std::endl;
  PrintComputeReport(os, indent, m_ComputeReport);
}

} // namespace itk
