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
#include "itkRadiographLandmarkPoseEstimator.h"

#include "compute/LandmarkPose.h"

#include "itkNumberToString.h"

#include "vnl/algo/vnl_matrix_inverse.h"
#include "vnl/algo/vnl_svd.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace itk
{

namespace compute = radiography::compute;

namespace
{

using TransformType = RadiographLandmarkPoseEstimator::TransformType;
using PointType = RadiographLandmarkPoseEstimator::PointType;

/** An ambiguity is judged with no smaller standard deviation than this, in pixels. */
constexpr double LeastStandardDeviation = 0.5;

/** Squares of standard deviations by which the sums of two minima must differ. */
constexpr double AmbiguousWithin = 9.0;

compute::LandmarkView
ToPlain(const RadiographGeometry & geometry)
{
  const auto            matrix = geometry.GetProjectionMatrix();
  const auto            spacing = geometry.GetDetectorSpacing();
  compute::LandmarkView view;
  for (unsigned int i = 0; i < 3; ++i)
  {
    for (unsigned int j = 0; j < 4; ++j)
    {
      view.projection[i][j] = matrix[i][j] * (i < 2 ? spacing[i] : 1.0);
    }
  }
  view.isCone = geometry.GetBeam() == RadiographGeometryEnums::Beam::Cone;
  return view;
}

std::array<double, 3>
ToPlain(const PointType & point)
{
  return { point[0], point[1], point[2] };
}

/** The inverse of a motion from the CT to the world. */
TransformType::Pointer
MakeTransform(const compute::LandmarkMotion & motion, const PointType & center)
{
  TransformType::MatrixType       matrix;
  TransformType::OutputVectorType translation;
  for (unsigned int i = 0; i < 3; ++i)
  {
    for (unsigned int j = 0; j < 3; ++j)
    {
      matrix[i][j] = motion.rotation[j][i];
    }
  }
  for (unsigned int i = 0; i < 3; ++i)
  {
    translation[i] = -center[i];
    for (unsigned int j = 0; j < 3; ++j)
    {
      translation[i] += matrix[i][j] * (center[j] - motion.translation[j]);
    }
  }
  const auto transform = TransformType::New();
  transform->SetCenter(center);
  transform->SetMatrix(matrix);
  transform->SetTranslation(translation);
  return transform;
}

/** d(omega, tau) / d(parameters) of the small motion of the landmarks in the world that a change of the transform's
 * parameters makes: points of the CT stay, so that a point of the world moves by - A^-1 dT. */
vnl_matrix<double>
MotionByParameters(const TransformType & transform, const std::array<double, 3> & centre)
{
  const auto worldFromCT = transform.GetMatrix().GetVnlMatrix().transpose();
  PointType  middle;
  std::copy(centre.begin(), centre.end(), middle.Begin());
  const auto motionOf = [&](const PointType & point) {
    TransformType::JacobianType jacobian(3, 6);
    transform.ComputeJacobianWithRespectToParameters(point, jacobian);
    return vnl_matrix<double>(-1.0 * (worldFromCT * vnl_matrix<double>(jacobian)));
  };
  const vnl_matrix<double> shift = motionOf(middle);
  vnl_matrix<double>       motion(6, 6);
  motion.update(shift, 3, 0);
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    // omega x e = change of the motion from the middle to one unit along e: omega_k = component k + 2 for e = k + 1.
    const unsigned int along = (axis + 1) % 3;
    PointType          aside = middle;
    aside[along] += 1.0;
    motion.set_row(axis, (motionOf(aside) - shift).get_row((axis + 2) % 3));
  }
  return motion;
}

std::string
Text(double value)
{
  return NumberToString<double>()(value);
}

} // namespace

RadiographLandmarkPoseEstimator::RadiographLandmarkPoseEstimator() = default;

RadiographLandmarkPoseEstimator::~RadiographLandmarkPoseEstimator() = default;

unsigned int
RadiographLandmarkPoseEstimator::AddView(const RadiographGeometry * geometry)
{
  if (geometry == nullptr)
  {
    itkExceptionMacro("A view needs a geometry; it is null.");
  }
  m_Views.emplace_back(geometry);
  this->Modified();
  return static_cast<unsigned int>(m_Views.size() - 1);
}

void
RadiographLandmarkPoseEstimator::AddLandmark(const std::string & name, const PointType & point)
{
  for (const Landmark & landmark : m_Landmarks)
  {
    if (landmark.name == name)
    {
      itkExceptionMacro("There are two landmarks \"" << name << "\": give each its own name.");
    }
  }
  if (!std::isfinite(point[0] + point[1] + point[2]))
  {
    itkExceptionMacro("The place of landmark \"" << name << "\" is not finite: " << point << '.');
  }
  m_Landmarks.push_back({ name, point });
  this->Modified();
}

std::size_t
RadiographLandmarkPoseEstimator::FindLandmark(const std::string & name) const
{
  const auto found = std::find_if(
    m_Landmarks.begin(), m_Landmarks.end(), [&name](const Landmark & landmark) { return landmark.name == name; });
  if (found == m_Landmarks.end())
  {
    itkExceptionMacro("There is no landmark \"" << name << "\" in the CT: add it with AddLandmark() first.");
  }
  return static_cast<std::size_t>(found - m_Landmarks.begin());
}

void
RadiographLandmarkPoseEstimator::AddObservation(unsigned int        view,
                                                const std::string & landmark,
                                                const PixelType &   pixel)
{
  if (view >= m_Views.size())
  {
    itkExceptionMacro("There is no view " << view << ": " << m_Views.size() << " were added, counted from 0.");
  }
  this->FindLandmark(landmark);
  for (const Observation & earlier : m_Observations)
  {
    if (earlier.view == view && earlier.landmark == landmark)
    {
      itkExceptionMacro("View " << view << " shows landmark \"" << landmark << "\" twice.");
    }
  }
  if (!std::isfinite(pixel[0] + pixel[1]))
  {
    itkExceptionMacro("The pixel of landmark \"" << landmark << "\" in view " << view << " is not finite: " << pixel
                                                 << '.');
  }
  Observation observation;
  observation.view = view;
  observation.landmark = landmark;
  observation.pixel = pixel;
  m_Observations.push_back(observation);
  this->Modified();
}

void
RadiographLandmarkPoseEstimator::Clear()
{
  m_Views.clear();
  m_Landmarks.clear();
  m_Observations.clear();
  this->Modified();
}

void
RadiographLandmarkPoseEstimator::SetCenter(const PointType & center)
{
  m_HasCenter = true;
  m_Center = center;
  this->Modified();
}

void
RadiographLandmarkPoseEstimator::UseDefaultCenter()
{
  m_HasCenter = false;
  this->Modified();
}

compute::LandmarkProblem
RadiographLandmarkPoseEstimator::MakeProblem() const
{
  compute::LandmarkProblem problem;
  for (const auto & view : m_Views)
  {
    problem.views.push_back(ToPlain(*view));
  }
  for (const Landmark & landmark : m_Landmarks)
  {
    problem.landmarks.push_back(ToPlain(landmark.point));
  }
  for (const Observation & observation : m_Observations)
  {
    const auto spacing = m_Views[observation.view]->GetDetectorSpacing();
    problem.observations.push_back({ observation.view,
                                     this->FindLandmark(observation.landmark),
                                     { observation.pixel[0] * spacing[0], observation.pixel[1] * spacing[1] } });
  }
  return problem;
}

void
RadiographLandmarkPoseEstimator::RefuseFault(const compute::LandmarkPose & pose) const
{
  switch (pose.fault)
  {
    case compute::LandmarkFault::TooFew:
      itkExceptionMacro("There are too few landmarks ("
                        << m_Observations.size() << " places in " << m_Views.size()
                        << " views): give at least four in one view of a cone beam, or three that two views show.");
    case compute::LandmarkFault::Collinear:
      itkExceptionMacro("The landmarks lie on a line, about which the CT can turn without moving them in any image: "
                        "give one that is well away from it.");
    case compute::LandmarkFault::BehindSource:
      itkExceptionMacro("No pose explains the landmarks with all of them in front of the source: some would lie behind "
                        "it. Are the names in the images those of the CT, and the views right?");
    case compute::LandmarkFault::Undetermined:
      itkExceptionMacro("Some motion of the CT moves no landmark in any image, so that they determine no pose: give "
                        "landmarks that are farther apart, or a view from another direction.");
    default:
      return;
  }
}

PointType
RadiographLandmarkPoseEstimator::ChooseCenter() const
{
  if (m_HasCenter)
  {
    return m_Center;
  }
  std::set<std::size_t> seen;
  for (const Observation & observation : m_Observations)
  {
    seen.insert(this->FindLandmark(observation.landmark));
  }
  PointType center;
  center.Fill(0.0);
  for (const std::size_t number : seen)
  {
    center += m_Landmarks[number].point.GetVectorFromOrigin() / static_cast<double>(seen.size());
  }
  return center;
}

double
RadiographLandmarkPoseEstimator::SmallestPixel() const
{
  double smallest = std::numeric_limits<double>::max();
  for (const Observation & observation : m_Observations)
  {
    const auto spacing = m_Views[observation.view]->GetDetectorSpacing();
    smallest = std::min({ smallest, spacing[0], spacing[1] });
  }
  return smallest;
}

void
RadiographLandmarkPoseEstimator::StoreErrors()
{
  const auto worldFromCT = m_Transform->GetInverseTransform();
  double     squares = 0.0;
  double     pixelSquares = 0.0;
  for (Observation & observation : m_Observations)
  {
    const RadiographGeometry & view = *m_Views[observation.view];
    const auto                 spacing = view.GetDetectorSpacing();
    view.ProjectPoint(worldFromCT->TransformPoint(m_Landmarks[this->FindLandmark(observation.landmark)].point),
                      observation.projected);
    const auto difference = observation.projected - observation.pixel;
    observation.pixelError = std::hypot(difference[0], difference[1]);
    observation.error = std::hypot(difference[0] * spacing[0], difference[1] * spacing[1]);
    squares += observation.error * observation.error;
    pixelSquares += observation.pixelError * observation.pixelError;
  }
  m_RMSError = std::sqrt(squares / static_cast<double>(m_Observations.size()));
  m_RMSPixelError = std::sqrt(pixelSquares / static_cast<double>(m_Observations.size()));
}

void
RadiographLandmarkPoseEstimator::StoreCovariance(const compute::LandmarkPose & pose)
{
  const double freedom = 2.0 * static_cast<double>(m_Observations.size()) - 6.0;
  const double variance = m_LandmarkStandardDeviation > 0.0 ? m_LandmarkStandardDeviation * m_LandmarkStandardDeviation
                                                            : pose.motion.squares / freedom;
  vnl_matrix<double> information(6, 6);
  for (unsigned int i = 0; i < 6; ++i)
  {
    for (unsigned int j = 0; j < 6; ++j)
    {
      information(i, j) = pose.information[i][j];
    }
  }
  const auto            motion = MotionByParameters(*m_Transform, pose.centre);
  constexpr double      locked = 1e-8;
  const vnl_svd<double> decomposition(motion.extract(3, 3));
  if (decomposition.sigma_min() < locked * decomposition.sigma_max())
  {
    m_Covariance.set_size(6, 6);
    m_Covariance.fill(0.0);
    m_Covariance.fill_diagonal(std::numeric_limits<double>::infinity());
    return;
  }
  const auto parametersByMotion = vnl_matrix_inverse<double>(motion).as_matrix();
  m_Covariance = variance * (parametersByMotion * vnl_matrix_inverse<double>(information).as_matrix() *
                             parametersByMotion.transpose());
}

void
RadiographLandmarkPoseEstimator::StoreAlternative(const compute::LandmarkPose & pose, const PointType & center)
{
  m_AlternativeTransform = nullptr;
  m_AlternativeRMSError = 0.0;
  m_IsAmbiguous = false;
  if (!pose.alternative)
  {
    return;
  }
  const double count = static_cast<double>(m_Observations.size());
  const double least = LeastStandardDeviation * this->SmallestPixel();
  const double given = m_LandmarkStandardDeviation * m_LandmarkStandardDeviation;
  const double variance = std::max(least * least, given > 0.0 ? given : pose.motion.squares / (2.0 * count - 6.0));
  m_AlternativeTransform = MakeTransform(*pose.alternative, center);
  m_AlternativeRMSError = std::sqrt(pose.alternative->squares / count);
  m_IsAmbiguous = pose.alternative->squares - pose.motion.squares <= AmbiguousWithin * variance;
}

void
RadiographLandmarkPoseEstimator::Compute()
{
  if (!(std::isfinite(m_LandmarkStandardDeviation) && m_LandmarkStandardDeviation >= 0.0))
  {
    itkExceptionMacro("LandmarkStandardDeviation is " << Text(m_LandmarkStandardDeviation)
                                                      << "; give a finite number that is not negative (0: unknown).");
  }
  const compute::LandmarkPose pose = compute::EstimateLandmarkPose(this->MakeProblem());
  this->RefuseFault(pose);
  const PointType center = this->ChooseCenter();
  m_Transform = MakeTransform(pose.motion, center);
  m_IsCoplanar = pose.isCoplanar;
  this->StoreErrors();
  this->StoreCovariance(pose);
  this->StoreAlternative(pose, center);
  m_Warnings.clear();
  if (m_IsCoplanar)
  {
    m_Warnings.push_back("The landmarks lie in a plane: a second pose may explain them nearly as well. One that is "
                         "well away from the plane would tell.");
  }
  if (m_IsAmbiguous)
  {
    m_Warnings.push_back("Two poses explain the landmarks, with residuals of " + Text(m_RMSError) + " mm and " +
                         Text(m_AlternativeRMSError) + " mm: the second may be the right one.");
  }
}

void
RadiographLandmarkPoseEstimator::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  os << indent << "Views: " << m_Views.size() << std::endl;
  os << indent << "Landmarks: " << m_Landmarks.size() << std::endl;
  os << indent << "Observations: " << m_Observations.size() << std::endl;
  for (const Observation & observation : m_Observations)
  {
    os << indent.GetNextIndent() << "view " << observation.view << ", " << observation.landmark << " at "
       << observation.pixel << ", projected to " << observation.projected << ", error " << observation.error << " mm, "
       << observation.pixelError << " pixels" << std::endl;
  }
  os << indent << "HasCenter: " << (m_HasCenter ? "On" : "Off") << std::endl;
  os << indent << "Center: " << m_Center << std::endl;
  os << indent << "LandmarkStandardDeviation: " << m_LandmarkStandardDeviation << std::endl;
  itkPrintSelfObjectMacro(Transform);
  itkPrintSelfObjectMacro(AlternativeTransform);
  os << indent << "RMSError: " << m_RMSError << std::endl;
  os << indent << "RMSPixelError: " << m_RMSPixelError << std::endl;
  os << indent << "AlternativeRMSError: " << m_AlternativeRMSError << std::endl;
  os << indent << "Covariance: " << m_Covariance << std::endl;
  os << indent << "IsCoplanar: " << (m_IsCoplanar ? "On" : "Off") << std::endl;
  os << indent << "IsAmbiguous: " << (m_IsAmbiguous ? "On" : "Off") << std::endl;
  os << indent << "Warnings: " << m_Warnings.size() << std::endl;
  for (const std::string & warning : m_Warnings)
  {
    os << indent.GetNextIndent() << warning << std::endl;
  }
}

} // namespace itk
