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
#include "itkRadiographSensitivityCalculator.h"

#include "compute/PixelGrid.h"
#include "compute/ViewSensitivity.h"
#include "projection/itkProjectionCall.h"
#include "projection/itkViewRays.h"
#include "stairs/itkHandDownThreads.h"

#include "itkIdentityTransform.h"
#include "itkMultiThreaderBase.h"
#include "itkNumberToString.h"

#include <cmath>
#include <utility>

namespace itk
{

namespace compute = radiography::compute;

namespace
{

Vector<double, 3>
ToVector(const std::array<double, 3> & values)
{
  Vector<double, 3> vector;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    vector[axis] = values[axis];
  }
  return vector;
}

bool
IsFinite(const compute::ViewSensitivity & sums)
{
  double magnitude = std::abs(sums.value);
  for (std::size_t i = 0; i < sums.affine.size(); ++i)
  {
    magnitude += std::abs(sums.affine[i]) + std::abs(sums.affineFisher[i][i]);
  }
  return std::isfinite(magnitude);
}

void
BringUpToDate(const ImageBase<3> * image)
{
  if (image != nullptr)
  {
    auto & source = const_cast<ImageBase<3> &>(*image);
    source.UpdateOutputInformation();
    source.SetRequestedRegionToLargestPossibleRegion();
    source.PropagateRequestedRegion();
    source.UpdateOutputData();
  }
}

} // namespace

RadiographSensitivityCalculator::RadiographSensitivityCalculator()
{
  m_Transform = IdentityTransform<double, 3>::New();
}

RadiographSensitivityCalculator::~RadiographSensitivityCalculator() = default;

void
RadiographSensitivityCalculator::SetObjective(ObjectiveType objective)
{
  m_Objective = std::move(objective);
  this->Modified();
}

void
RadiographSensitivityCalculator::SetPolicy(const std::string & overrides)
{
  CheckPolicyText(overrides);
  if (overrides != m_Policy)
  {
    m_Policy = overrides;
    this->Modified();
  }
}

RadiographSensitivityCalculator::VectorType
RadiographSensitivityCalculator::GetSourceGradient() const
{
  if (m_Geometry && m_Geometry->GetBeam() == RadiographGeometryEnums::Beam::Parallel)
  {
    itkExceptionMacro("A parallel beam has no source: ask for GetBeamDirectionGradient().");
  }
  return m_SourceGradient;
}

RadiographSensitivityCalculator::VectorType
RadiographSensitivityCalculator::GetBeamDirectionGradient() const
{
  if (m_Geometry && m_Geometry->GetBeam() == RadiographGeometryEnums::Beam::Cone)
  {
    itkExceptionMacro("A cone beam has no direction: ask for GetSourceGradient().");
  }
  return m_BeamDirectionGradient;
}

RadiographSensitivityCalculator::MatrixType
RadiographSensitivityCalculator::ComputeAffineJacobian(const TransformType & transform)
{
  ToAffineMap(transform); // refuses what is not linear
  // A power of two, far enough apart that rounding stays small in the difference.
  constexpr double              reach = 1024.0;
  const unsigned int            count = transform.GetNumberOfParameters();
  TransformType::InputPointType probe;
  TransformType::JacobianType   origin(3, count);
  probe.Fill(0.0);
  transform.ComputeJacobianWithRespectToParameters(probe, origin);

  MatrixType jacobian(12, count);
  for (unsigned int j = 0; j < 3; ++j)
  {
    TransformType::JacobianType moved(3, count);
    probe.Fill(0.0);
    probe[j] = reach;
    transform.ComputeJacobianWithRespectToParameters(probe, moved);
    for (unsigned int i = 0; i < 3; ++i)
    {
      for (unsigned int parameter = 0; parameter < count; ++parameter)
      {
        jacobian(3 * i + j, parameter) = (moved(i, parameter) - origin(i, parameter)) / reach;
        jacobian(9 + i, parameter) = origin(i, parameter);
      }
    }
  }
  return jacobian;
}

void
RadiographSensitivityCalculator::RefuseBadPixels(const ImageType * image, const char * name) const
{
  if (image == nullptr)
  {
    return;
  }
  constexpr double tolerance = 1e-6; // ITK's default for images that must lie in one place
  RefuseOtherGrid(*image, *m_Geometry, tolerance, tolerance, name);
  const auto                            region = image->GetLargestPossibleRegion();
  const auto                            columns = static_cast<std::int64_t>(region.GetSize(0));
  const auto                            rows = static_cast<std::int64_t>(region.GetSize(1));
  const compute::PixelView<const float> view{ image->GetBufferPointer(), columns, columns * rows };
  const auto                            threads = MultiThreaderBase::New();
  const auto bad = compute::FindFirstNonFinite({ columns, rows, 1 }, view, HandDownThreads(*threads));
  if (bad)
  {
    itkExceptionMacro("" << name << " must be finite; pixel [" << bad->column << ", " << bad->row << "] is "
                         << NumberToString<float>()(bad->value) << '.');
  }
}

void
RadiographSensitivityCalculator::RefuseBadInputs() const
{
  if (m_Geometry == nullptr)
  {
    itkExceptionMacro("There is no view: give one with SetGeometry().");
  }
  RefuseEmptyDetector(*m_Geometry);
  if (m_Transform == nullptr)
  {
    itkExceptionMacro("There is no transform: give one with SetTransform().");
  }
  if ((m_Objective != nullptr) == (m_Score != nullptr || m_FisherWeights != nullptr))
  {
    itkExceptionMacro("There " << (m_Objective ? "are two objectives" : "is no objective")
                               << ": give either a function (SetObjective) or images (SetScore, SetFisherWeights).");
  }
  RefuseSecondDerivative(
    m_ProjectionVolume ? m_ProjectionVolume->GetImage() : m_Image.GetPointer(), "The CT", this->GetNameOfClass());
  this->RefuseBadPixels(m_Score, "The score");
  this->RefuseBadPixels(m_FisherWeights, "The image of Fisher weights");
}

RadiographSensitivityCalculator::ObjectiveType
RadiographSensitivityCalculator::MakeObjective() const
{
  if (m_Objective)
  {
    return m_Objective;
  }
  const float * const  scores = m_Score ? m_Score->GetBufferPointer() : nullptr;
  const float * const  weights = m_FisherWeights ? m_FisherWeights->GetBufferPointer() : nullptr;
  const IndexValueType columns = static_cast<IndexValueType>(m_Geometry->GetDetectorSize()[0]);
  return [=](IndexValueType column, IndexValueType row, double depth) {
    const IndexValueType place = column + row * columns;
    const double         score = scores ? scores[place] : 0.0;
    return PixelObjective{ score * depth, score, weights ? weights[place] : 0.0 };
  };
}

void
RadiographSensitivityCalculator::Compute()
{
  BringUpToDate(m_ProjectionVolume ? nullptr : m_Image.GetPointer());
  BringUpToDate(m_Score);
  BringUpToDate(m_FisherWeights);
  // Runs GenerateData() with the events, the progress and the abort of any process object. There is no output: results
  // are numbers.
  this->UpdateOutputData(nullptr);
}

void
RadiographSensitivityCalculator::GenerateData()
{
  this->RefuseBadInputs();
  const compute::ProjectionPolicy policy = SelectPolicy(m_Policy);
  const AffineMap                 pose = ToAffineMap(*m_Transform);
  const ProjectionVolume &        volume = *PrepareProjectionVolume(m_Image, m_ProjectionVolume, m_OwnVolume);
  const ObjectiveType             objective = this->MakeObjective();
  const auto                      view = MakeSensitivityView(*m_Geometry, pose, *volume.GetImage());
  const compute::Projector        projector = ToCompute(m_Projector);
  const auto held = HoldVolumeLayouts(volume, view.rays, projector, policy, *this->GetMultiThreader());

  const auto evaluate = [&](std::int64_t column, std::int64_t row, double depth) {
    const PixelObjective pixel = objective(column, row, depth);
    return compute::PixelObjective{ pixel.value, pixel.score, pixel.fisher };
  };
  const auto runs = compute::CountSensitivityRuns(view.rays.columns, view.rays.rows, policy);
  const auto result = compute::ContractSensitivities(
    held.layouts, view, projector, policy, HandDownThreads(*this, 1.0F / static_cast<float>(runs)), evaluate);
  if (!IsFinite(result))
  {
    itkExceptionMacro(
      "The derivatives are not finite: the value, score or Fisher weight of some pixel is not, or their "
      "sums are out of the range of binary64.");
  }
  m_ComputeReport = MakeComputeReport(result.report, *this);
  m_Value = result.value;
  this->StorePoseDerivatives(result);
  this->StoreViewDerivatives(result, view);
}

void
RadiographSensitivityCalculator::StorePoseDerivatives(const compute::ViewSensitivity & result)
{
  for (unsigned int i = 0; i < 12; ++i)
  {
    m_AffineGradient[i] = result.affine[i];
    for (unsigned int j = 0; j < 12; ++j)
    {
      m_AffineFisher(i, j) = result.affineFisher[i][j];
    }
  }
  const MatrixType jacobian = ComputeAffineJacobian(*m_Transform);
  m_ParameterGradient = ParameterGradientType(jacobian.transpose() * m_AffineGradient.as_vector());
  m_ParameterFisher = jacobian.transpose() * (m_AffineFisher.as_matrix() * jacobian);
}

void
RadiographSensitivityCalculator::StoreViewDerivatives(const compute::ViewSensitivity & result,
                                                      const compute::SensitivityView & view)
{
  m_DetectorOriginGradient = ToVector(result.worldEnd[0]);
  m_ColumnStepGradient = ToVector(result.worldEnd[1]);
  m_RowStepGradient = ToVector(result.worldEnd[2]);
  m_SourceGradient = ToVector(result.worldStart[0]);
  m_BeamDirectionGradient.Fill(0.0);
  if (m_Geometry->GetBeam() == RadiographGeometryEnums::Beam::Parallel)
  {
    // Starts move with their pixels; they lie `length` before them along the direction.
    const auto & span = view.rays.span.origin;
    const double length = std::sqrt(span[0] * span[0] + span[1] * span[1] + span[2] * span[2]);
    m_BeamDirectionGradient = m_SourceGradient * -length;
    m_SourceGradient.Fill(0.0);
    m_DetectorOriginGradient += ToVector(result.worldStart[0]);
    m_ColumnStepGradient += ToVector(result.worldStart[1]);
    m_RowStepGradient += ToVector(result.worldStart[2]);
  }
}

void
RadiographSensitivityCalculator::PrintSelf(std::ostream & os, Indent indent) const
{
  Superclass::PrintSelf(os, indent);
  itkPrintSelfObjectMacro(Image);
  itkPrintSelfObjectMacro(ProjectionVolume);
  itkPrintSelfObjectMacro(Geometry);
  itkPrintSelfObjectMacro(Transform);
  itkPrintSelfObjectMacro(Score);
  itkPrintSelfObjectMacro(FisherWeights);
  itkPrintSelfObjectMacro(OwnVolume);
  os << indent << "Objective: " << (m_Objective ? "given as a function" : "not given as a function") << std::endl;
  os << indent << "Projector: " << m_Projector << std::endl;
  os << indent << "Policy: " << (m_Policy.empty() ? "(defaults)" : m_Policy) << std::endl;
  os << indent << "Value: " << m_Value << std::endl;
  os << indent << "AffineGradient: " << m_AffineGradient << std::endl;
  os << indent << "AffineFisher:" << std::endl << m_AffineFisher;
  os << indent << "ParameterGradient: " << m_ParameterGradient << std::endl;
  os << indent << "ParameterFisher:" << std::endl << m_ParameterFisher;
  os << indent << "SourceGradient: " << m_SourceGradient << std::endl;
  os << indent << "BeamDirectionGradient: " << m_BeamDirectionGradient << std::endl;
  os << indent << "DetectorOriginGradient: " << m_DetectorOriginGradient << std::endl;
  os << indent << "ColumnStepGradient: " << m_ColumnStepGradient << std::endl;
  os << indent << "RowStepGradient: " << m_RowStepGradient << std::endl;
  PrintComputeReport(os, indent, m_ComputeReport);
}

} // namespace itk
