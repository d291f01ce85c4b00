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
#include "itkRadiographGeometry.h"

#include "geometry/itkViewBuilders.h"

#include "itkMath.h"

#include <cmath>

namespace itk
{

std::ostream &
operator<<(std::ostream & out, const RadiographGeometryEnums::Beam value)
{
  return out << (value == RadiographGeometryEnums::Beam::Cone ? "itk::RadiographGeometryEnums::Beam::Cone"
                                                              : "itk::RadiographGeometryEnums::Beam::Parallel");
}

std::ostream &
operator<<(std::ostream & out, const RadiographGeometryEnums::PatientPosition value)
{
  static const char * const names[] = { "HFS", "HFP", "FFS", "FFP" };
  return out << "itk::RadiographGeometryEnums::PatientPosition::" << names[static_cast<unsigned int>(value)];
}

RadiographGeometry::RadiographGeometry()
{
  m_DetectorSpacing.Fill(1.0);
  m_DetectorDirection.SetIdentity();
}

RadiographGeometry::~RadiographGeometry() = default;

namespace
{

using VectorType = RadiographGeometry::VectorType;

VectorType
GetColumn(const RadiographGeometry::DirectionType & matrix, unsigned int column)
{
  VectorType result;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    result[axis] = matrix[axis][column];
  }
  return result;
}

void
RequireFinite(const char * what, const double * values)
{
  if (!std::isfinite(values[0]) || !std::isfinite(values[1]) || !std::isfinite(values[2]))
  {
    itkGenericExceptionMacro("The " << what << " of a view must be finite; it is (" << values[0] << ", " << values[1]
                                    << ", " << values[2] << ").");
  }
}

/** A grid that cannot be a detector is refused here, once for all builders. */
void
RequireDetector(const RadiographGeometry::DetectorImageType * detector)
{
  if (detector == nullptr)
  {
    itkGenericExceptionMacro("A view needs a detector image: a 3-D image of one slice, of which the grid is read.");
  }
  const auto size = detector->GetLargestPossibleRegion().GetSize();
  if (size[0] == 0 || size[1] == 0 || size[2] != 1)
  {
    itkGenericExceptionMacro("A detector is a 3-D image of one slice; this one has size "
                             << size << ". Give it at least one column and one row, and exactly one slice.");
  }
  RequireFinite("detector origin", detector->GetOrigin().GetDataPointer());
}

} // namespace

void
RadiographGeometry::SetDetector(const DetectorImageType * detector)
{
  const auto                   region = detector->GetLargestPossibleRegion();
  DetectorImageType::IndexType first = region.GetIndex();
  DetectorImageType::PointType origin;
  detector->TransformIndexToPhysicalPoint(first, origin);
  m_DetectorOrigin = origin;
  m_DetectorSpacing = detector->GetSpacing();
  m_DetectorDirection = detector->GetDirection();
  m_DetectorSize = region.GetSize();
}

VectorType
RadiographGeometry::GetPlaneNormal() const
{
  VectorType normal = CrossProduct(this->GetColumnDirection(), this->GetRowDirection());
  normal.Normalize();
  return normal;
}

void
RadiographGeometry::SetConeBeam(const PointType & worldSource, const DetectorImageType * detector)
{
  RequireDetector(detector);
  RequireFinite("source", worldSource.GetDataPointer());
  const auto view = Self::New();
  view->SetDetector(detector);
  view->m_Source = worldSource;
  const double distance = view->GetSourceDetectorDistance();
  if (!(distance > 1e-9 * (1.0 + worldSource.EuclideanDistanceTo(view->m_DetectorOrigin))))
  {
    itkExceptionMacro("The source " << worldSource << " lies in the plane of the detector (origin "
                                    << view->m_DetectorOrigin << "): no ray reaches a pixel. Move one of them.");
  }
  this->Graft(view);
}

void
RadiographGeometry::SetParallelBeam(const VectorType & worldDirection, const DetectorImageType * detector)
{
  RequireDetector(detector);
  RequireFinite("beam direction", worldDirection.GetDataPointer());
  const double length = worldDirection.GetNorm();
  if (!(length > 0.0))
  {
    itkExceptionMacro("The direction of a parallel beam must not be zero.");
  }
  const auto view = Self::New();
  view->SetDetector(detector);
  view->m_Beam = Beam::Parallel;
  // A vector that is a unit vector already keeps its bits: a view that was written reads back the same.
  view->m_BeamDirection = std::abs(length - 1.0) < 1e-15 ? worldDirection : worldDirection / length;
  if (!(std::abs(view->m_BeamDirection * view->GetPlaneNormal()) > 1e-9))
  {
    itkExceptionMacro("The direction " << worldDirection << " of the parallel beam runs within the detector's plane "
                                       << "(normal " << view->GetPlaneNormal() << "): no ray reaches a pixel.");
  }
  this->Graft(view);
}

void
RadiographGeometry::SetCArm(const CArm & arm, const DetectorGrid & grid)
{
  const auto view = BuildCArmView(arm, grid);
  this->SetConeBeam(view.source, view.detector);
}

void
RadiographGeometry::SetGantry(const Gantry & gantry, const DetectorGrid & grid)
{
  const auto view = BuildGantryView(gantry, grid);
  this->SetConeBeam(view.source, view.detector);
}

void
RadiographGeometry::SetProjectionMatrix(const ProjectionMatrixType & pixelFromWorld, const DetectorGrid & grid)
{
  const auto view = BuildProjectionMatrixView(pixelFromWorld, grid);
  this->SetConeBeam(view.source, view.detector);
}

RadiographGeometry::PointType
RadiographGeometry::GetSource() const
{
  if (m_Beam != Beam::Cone)
  {
    itkExceptionMacro("A parallel beam has no source point; ask for GetBeamDirection().");
  }
  return m_Source;
}

RadiographGeometry::VectorType
RadiographGeometry::GetBeamDirection() const
{
  if (m_Beam != Beam::Parallel)
  {
    itkExceptionMacro("A cone beam has no single direction; ask for GetSource().");
  }
  return m_BeamDirection;
}

RadiographGeometry::VectorType
RadiographGeometry::GetColumnDirection() const
{
  return GetColumn(m_DetectorDirection, 0);
}

RadiographGeometry::VectorType
RadiographGeometry::GetRowDirection() const
{
  return GetColumn(m_DetectorDirection, 1);
}

RadiographGeometry::PointType
RadiographGeometry::GetPixelCenter(double column, double row) const
{
  return m_DetectorOrigin + this->GetColumnDirection() * (column * m_DetectorSpacing[0]) +
         this->GetRowDirection() * (row * m_DetectorSpacing[1]);
}

RadiographGeometry::PointType
RadiographGeometry::GetRayStart(double column, double row, double parallelLength) const
{
  return m_Beam == Beam::Cone ? m_Source : this->GetPixelCenter(column, row) - m_BeamDirection * parallelLength;
}

bool
RadiographGeometry::ProjectPoint(const PointType & world, PixelType & pixel) const
{
  const ProjectionMatrixType matrix = this->GetProjectionMatrix();
  VectorType                 image;
  for (unsigned int i = 0; i < 3; ++i)
  {
    image[i] = matrix[i][0] * world[0] + matrix[i][1] * world[1] + matrix[i][2] * world[2] + matrix[i][3];
  }
  if (!(image[2] > 0.0))
  {
    return false;
  }
  pixel[0] = image[0] / image[2];
  pixel[1] = image[1] / image[2];
  return true;
}

double
RadiographGeometry::GetSourceDetectorDistance() const
{
  return std::abs((m_DetectorOrigin - this->GetSource()) * this->GetPlaneNormal());
}

RadiographGeometry::PixelType
RadiographGeometry::GetPrincipalPoint() const
{
  const VectorType normal = this->GetPlaneNormal();
  const VectorType toOrigin = m_DetectorOrigin - this->GetSource();
  PixelType        pixel;
  this->ProjectPoint(this->GetSource() + normal * (toOrigin * normal), pixel);
  return pixel;
}

RadiographGeometry::ProjectionMatrixType
RadiographGeometry::GetProjectionMatrix() const
{
  // In-plane coordinates by the dual basis of the pixel steps U, V, so that a sheared grid is served as well:
  // the ray through x meets the plane where det[U V (x - source)] measures depth and the two cofactors column and row.
  const VectorType u = this->GetColumnDirection() * m_DetectorSpacing[0];
  const VectorType v = this->GetRowDirection() * m_DetectorSpacing[1];
  const bool       cone = m_Beam == Beam::Cone;
  const PointType  anchor = cone ? m_Source : m_DetectorOrigin;
  const VectorType ray = cone ? m_DetectorOrigin - m_Source : m_BeamDirection;
  const double     volume = CrossProduct(u, v) * ray;
  // Cone: x - s = w (O - s + c U + r V). Parallel: x = O + c U + r V + w ray.
  const VectorType dual[3] = { CrossProduct(v, ray) / volume,
                               CrossProduct(ray, u) / volume,
                               CrossProduct(u, v) / volume };
  const double     scale = cone ? this->GetSourceDetectorDistance() : 1.0;

  ProjectionMatrixType matrix;
  for (unsigned int i = 0; i < 3; ++i)
  {
    const bool constantOne = !cone && i == 2;
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      matrix[i][axis] = constantOne ? 0.0 : scale * dual[i][axis];
    }
    matrix[i][3] = constantOne ? 1.0 : -scale * (dual[i] * anchor.GetVectorFromOrigin());
  }
  return matrix;
}

bool
RadiographGeometry::IsSeenFromSource() const
{
  const VectorType ray = m_Beam == Beam::Cone ? m_DetectorOrigin - m_Source : m_BeamDirection;
  return CrossProduct(this->GetColumnDirection(), this->GetRowDirection()) * ray > 0.0;
}

RadiographGeometry::DetectorImageType::Pointer
RadiographGeometry::MakeDetectorImage() const
{
  const auto image = DetectorImageType::New();
  image->SetOrigin(m_DetectorOrigin);
  image->SetSpacing(m_DetectorSpacing);
  image->SetDirection(m_DetectorDirection);
  image->SetRegions(m_DetectorSize);
  return image;
}

void
RadiographGeometry::Graft(const DataObject * data)
{
  const auto * const other = dynamic_cast<const Self *>(data);
  if (other == nullptr)
  {
    itkExceptionMacro("A RadiographGeometry can only take over another RadiographGeometry.");
  }
  Superclass::Graft(data);
  m_Beam = other->m_Beam;
  m_Source = other->m_Source;
  m_BeamDirection = other->m_BeamDirection;
  m_DetectorOrigin = other->m_DetectorOrigin;
  m_DetectorSpacing = other->m_DetectorSpacing;
  m_DetectorDirection = other->m_DetectorDirection;
  m_DetectorSize = other->m_DetectorSize;
  this->Modified();
}

void
RadiographGeometry::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "Beam: " << m_Beam << std::endl;
  os << indent << "Source: " << m_Source << std::endl;
  os << indent << "BeamDirection: " << m_BeamDirection << std::endl;
  os << indent << "DetectorOrigin: " << m_DetectorOrigin << std::endl;
  os << indent << "DetectorSpacing: " << m_DetectorSpacing << std::endl;
  os << indent << "DetectorDirection: " << std::endl << m_DetectorDirection << std::endl;
  os << indent << "DetectorSize: " << m_DetectorSize << std::endl;
}

} // namespace itk
