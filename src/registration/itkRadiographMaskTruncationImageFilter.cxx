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
#include "itkRadiographMaskTruncationImageFilter.h"

#include "compute/TruncatedRays.h"
#include "projection/itkProjectionCall.h"
#include "projection/itkViewRays.h"
#include "stairs/itkHandDownThreads.h"

#include "itkIdentityTransform.h"
#include "itkImageRegionConstIterator.h"
#include "itkNumberToString.h"

#include <algorithm>
#include <cmath>

namespace itk
{

namespace compute = radiography::compute;

std::ostream &
operator<<(std::ostream & out, RadiographMaskTruncationImageFilterEnums::CutFaces value)
{
  static const char * const names[] = { "SliceFaces", "SliceFacesWhereNotAir", "AllFacesWhereNotAir" };
  return out << "itk::RadiographMaskTruncationImageFilterEnums::CutFaces::" << names[static_cast<unsigned int>(value)];
}

RadiographMaskTruncationImageFilter::RadiographMaskTruncationImageFilter()
{
  this->AddRequiredInputName("Geometry");
  this->SetTransform(IdentityTransform<double, 3>::New());
}

RadiographMaskTruncationImageFilter::~RadiographMaskTruncationImageFilter() = default;

void
RadiographMaskTruncationImageFilter::VerifyPreconditions() ITKv5_CONST
{
  Superclass::VerifyPreconditions();
  if (!(std::isfinite(m_AirThreshold) && m_AirThreshold >= 0.0))
  {
    itkExceptionMacro("AirThreshold is " << NumberToString<double>()(m_AirThreshold)
                                         << "; give a finite mu in 1/mm that is not negative.");
  }
  ToAffineMap(*this->GetTransform());
}

void
RadiographMaskTruncationImageFilter::GenerateOutputInformation()
{
  const RadiographGeometry * const geometry = this->GetGeometry();
  RefuseEmptyDetector(*geometry);
  this->GetOutput()->CopyInformation(geometry->MakeDetectorImage());
}

void
RadiographMaskTruncationImageFilter::GenerateInputRequestedRegion()
{
  const_cast<ImageType *>(this->GetInput())->SetRequestedRegionToLargestPossibleRegion();
}

void
RadiographMaskTruncationImageFilter::EnlargeOutputRequestedRegion(DataObject * output)
{
  output->SetRequestedRegionToLargestPossibleRegion();
}

compute::CutFace
RadiographMaskTruncationImageFilter::MakeFace(unsigned int axis, bool isUpper) const
{
  const ImageType &     ct = *this->GetInput();
  ImageType::RegionType layer = ct.GetLargestPossibleRegion();
  if (isUpper)
  {
    layer.SetIndex(axis, layer.GetIndex(axis) + static_cast<IndexValueType>(layer.GetSize(axis)) - 1);
  }
  layer.SetSize(axis, 1);
  compute::CutFace face{ static_cast<int>(axis), isUpper, {} };
  face.isCut.reserve(layer.GetNumberOfPixels());
  const bool isWhole = m_CutFaces == CutFacesEnum::SliceFaces;
  for (ImageRegionConstIterator<ImageType> it(&ct, layer); !it.IsAtEnd(); ++it)
  {
    face.isCut.push_back(isWhole || static_cast<double>(it.Get()) > m_AirThreshold);
  }
  return face;
}

void
RadiographMaskTruncationImageFilter::GenerateData()
{
  const ImageType &             ct = *this->GetInput();
  std::array<std::int64_t, 3>   size{};
  std::vector<compute::CutFace> faces;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    size[axis] = static_cast<std::int64_t>(ct.GetLargestPossibleRegion().GetSize(axis));
    if (axis == 2 || m_CutFaces == CutFacesEnum::AllFacesWhereNotAir)
    {
      faces.push_back(this->MakeFace(axis, false));
      faces.push_back(this->MakeFace(axis, true));
    }
  }
  const auto rays = MakeViewRays(*this->GetGeometry(), ToAffineMap(*this->GetTransform()), ct);

  this->AllocateOutputs();
  unsigned char * const mask = this->GetOutput()->GetBufferPointer();
  const bool            isParallel = this->GetGeometry()->GetBeam() == RadiographGeometryEnums::Beam::Parallel;
  compute::MarkTruncatedRays(size, faces, rays, isParallel, HandDownThreads(*this), mask);
  compute::WidenMask(rays.columns, rays.rows, m_Margin, mask);
  m_NumberOfKeptPixels = static_cast<SizeValueType>(std::count(mask, mask + rays.columns * rays.rows, 1));
}

void
RadiographMaskTruncationImageFilter::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "CutFaces: " << m_CutFaces << std::endl;
  os << indent << "AirThreshold: " << m_AirThreshold << std::endl;
  os << indent << "Margin: " << m_Margin << std::endl;
  os << indent << "NumberOfKeptPixels: " << m_NumberOfKeptPixels << std::endl;
}

} // namespace itk
