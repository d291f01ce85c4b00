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
#include "registration/itkRigidMotionUpdate.h"

#include "itkRadiographSensitivityCalculator.h"

#include "itkCompositeTransform.h"

#include "vnl/algo/vnl_svd.h"
#include "vnl/vnl_diag_matrix.h"
#include "vnl/vnl_inverse.h"
#include "vnl/vnl_matrix_fixed.h"
#include "vnl/vnl_vector_fixed.h"

#include <cmath>
#include <string>

namespace itk
{

namespace
{

using TransformType = RigidMotionUpdate::TransformType;
using MatrixOffsetType = RigidMotionUpdate::MatrixOffsetType;
using PointType = RigidMotionUpdate::PointType;
using Vector3 = vnl_vector_fixed<double, 3>;
using Matrix3 = vnl_matrix_fixed<double, 3, 3>;

/** Makes millimetres of angles, so that rotations and translations can be compared. */
constexpr double Reach = 100.0;

/** x -> matrix x + offset. */
struct Motion
{
  Matrix3 matrix;
  Vector3 offset;
};

/** v + w x (x - center) */
struct Twist
{
  Vector3 velocity;
  Vector3 rotation;
};

/** The matrix of w x . */
Matrix3
CrossProduct(const Vector3 & w)
{
  const double elements[] = { 0.0, -w[2], w[1], w[2], 0.0, -w[0], -w[1], w[0], 0.0 };
  return Matrix3(elements);
}

/** Rodrigues' formula, and the translation that goes with it: R. M. Murray, Z. Li and S. S. Sastry, A Mathematical
 * Introduction to Robotic Manipulation (1994), equations 2.14 and 2.36. */
Motion
Exponential(const Twist & twist, const PointType & center)
{
  Motion motion;
  motion.matrix.set_identity();
  Vector3      translation = twist.velocity;
  const double angle = twist.rotation.magnitude();
  if (angle > 0.0)
  {
    const Vector3 axis = twist.rotation / angle;
    const Matrix3 cross = CrossProduct(axis);
    const double  sine = std::sin(angle);
    const double  halfSine = std::sin(angle / 2.0);
    const double  versine = 2.0 * halfSine * halfSine;
    motion.matrix += cross * sine + cross * cross * versine;
    translation = twist.velocity * (sine / angle) + cross * twist.velocity * (versine / angle) +
                  axis * (dot_product(axis, twist.velocity) * (1.0 - sine / angle));
  }
  const Vector3 c = center.GetVnlVector();
  motion.offset = c - motion.matrix * c + translation;
  return motion;
}

/** `before` first, then the transform. */
Motion
Compose(const MatrixOffsetType & transform, const Motion & before)
{
  const Matrix3 matrix = transform.GetMatrix().GetVnlMatrix();
  const Vector3 offset = transform.GetOffset().GetVnlVector();
  return { matrix * before.matrix, matrix * before.offset + offset };
}

/** Velocities of T(x), seen from the world (multiplied by A^-1), for a unit change of each parameter: the matrix row by
 * row times Reach, then that at the centre. 12 x N, in mm. */
vnl_matrix<double>
ComputeVelocities(const MatrixOffsetType & transform, const PointType & center)
{
  const auto         jacobian = RadiographSensitivityCalculator::ComputeAffineJacobian(transform);
  const Matrix3      inverse = vnl_inverse(Matrix3(transform.GetMatrix().GetVnlMatrix()));
  const Vector3      c = center.GetVnlVector();
  vnl_matrix<double> velocities(12, jacobian.columns());
  for (unsigned int parameter = 0; parameter < jacobian.columns(); ++parameter)
  {
    const vnl_vector<double> column = jacobian.get_column(parameter);
    const Matrix3            matrix(column.data_block());
    const Vector3            offset(column.data_block() + 9);
    const Matrix3            turning = inverse * matrix * Reach;
    const Vector3            velocity = inverse * (matrix * c + offset);
    for (unsigned int i = 0; i < 12; ++i)
    {
      velocities(i, parameter) = i < 9 ? turning.data_block()[i] : velocity[i - 9];
    }
  }
  return velocities;
}

/** The same for the six twists: v, then w times Reach. 12 x 6. */
vnl_matrix<double>
ComputeTwistVelocities()
{
  vnl_matrix<double> velocities(12, 6, 0.0);
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    Vector3 unit(0.0);
    unit[axis] = 1.0;
    velocities(9 + axis, axis) = 1.0;
    const Matrix3 turning = CrossProduct(unit);
    for (unsigned int i = 0; i < 9; ++i)
    {
      velocities(i, 3 + axis) = turning.data_block()[i];
    }
  }
  return velocities;
}

/** Columns of length 1, and 1 / what they were, so that ranks do not depend on the units of the parameters. */
struct ScaledVelocities
{
  vnl_matrix<double>      matrix;
  vnl_diag_matrix<double> scale;
};

ScaledVelocities
ScaleColumns(const vnl_matrix<double> & velocities)
{
  ScaledVelocities scaled{ velocities, vnl_diag_matrix<double>(velocities.columns()) };
  for (unsigned int column = 0; column < velocities.columns(); ++column)
  {
    const double length = velocities.get_column(column).magnitude();
    scaled.scale[column] = length > 0.0 ? 1.0 / length : 1.0;
    scaled.matrix.scale_column(column, scaled.scale[column]);
  }
  return scaled;
}

/** Changes of the (scaled) parameters whose velocities come nearest to the twists'. N x 6. */
vnl_matrix<double>
SolveForTwists(const ScaledVelocities & velocities)
{
  constexpr double relativeTolerance = -1e-10; // negative: relative to the largest singular value
  return vnl_svd<double>(velocities.matrix, relativeTolerance).solve(ComputeTwistVelocities());
}

/** Changes of the (scaled) parameters without any rigid motion: no velocity at the centre, no turning. N x (N - 6). */
vnl_matrix<double>
ComputeOtherChanges(const ScaledVelocities & velocities)
{
  const vnl_matrix<double> rigidPart = ComputeTwistVelocities().transpose() * velocities.matrix;
  return vnl_svd<double>(rigidPart).nullspace(static_cast<int>(rigidPart.columns()) - 6);
}

void
Set(MatrixOffsetType & transform, const Motion & map)
{
  MatrixOffsetType::MatrixType matrix;
  MatrixOffsetType::OffsetType offset;
  matrix.GetVnlMatrix() = map.matrix;
  offset.SetVnlVector(map.offset.as_vector());
  transform.SetMatrix(matrix);
  transform.SetOffset(offset);
  // From here on the transform is a function of its parameters alone, without the rounding of matrix products.
  const TransformType::ParametersType parameters = transform.GetParameters();
  transform.SetParameters(parameters);
}

/** The transform that points of the world meet first: the one that a rigid motion is merged into. */
TransformType *
FindFirstApplied(TransformType & moving)
{
  TransformType * transform = &moving;
  while (auto * const composite = dynamic_cast<CompositeTransform<double, 3> *>(transform))
  {
    const SizeValueType count = composite->GetNumberOfTransforms();
    for (SizeValueType i = 0; i < count; ++i)
    {
      const bool isLast = i + 1 == count;
      if (composite->GetNthTransformToOptimize(i) != isLast)
      {
        itkGenericExceptionMacro(
          "A rigid motion moves the last transform of a composite one and no other: transform "
          << i << " of " << count << ", " << composite->GetNthTransformConstPointer(i)->GetNameOfClass() << ", is "
          << (isLast ? "not " : "") << "to be optimised. Set the flags accordingly, or use Update::Parameters.");
      }
    }
    transform = composite->GetNthTransformModifiablePointer(count - 1);
  }
  return transform;
}

[[noreturn]] void
Refuse(const TransformType & transform, const std::string & why)
{
  itkGenericExceptionMacro("" << transform.GetNameOfClass() << " cannot be moved by rigid motions of the world: " << why
                              << ". Use Update::Parameters.");
}

void
RefuseIfNotClosed(const MatrixOffsetType & transform, const PointType & center)
{
  const ScaledVelocities   velocities = ScaleColumns(ComputeVelocities(transform, center));
  const vnl_matrix<double> rest = velocities.matrix * SolveForTwists(velocities) - ComputeTwistVelocities();
  // Rounding leaves some 1e-15 of a twist that there is; one that there is not leaves a good part of itself.
  constexpr double tolerance = 1e-3;
  if (rest.absolute_value_max() > tolerance)
  {
    Refuse(transform, "no change of its parameters, where they are now, rotates and translates in every way");
  }
}

/** Tries a motion on a copy: some transforms take no matrix, some take of it only what their parameters can say. */
void
RefuseIfMatrixCannotBeSet(const MatrixOffsetType & transform, const PointType & center)
{
  const Twist  twist{ Vector3(1.0, -2.0, 3.0), Vector3(0.01, 0.02, -0.015) };
  const Motion wanted = Compose(transform, Exponential(twist, center));
  const auto   copy = transform.Clone();
  auto &       moved = dynamic_cast<MatrixOffsetType &>(*copy);
  try
  {
    Set(moved, wanted);
  }
  catch (const ExceptionObject & error)
  {
    Refuse(transform, std::string("it takes no matrix (") + error.GetDescription() + ")");
  }
  const Vector3    offset = moved.GetOffset().GetVnlVector();
  const Matrix3    matrix = moved.GetMatrix().GetVnlMatrix();
  constexpr double tolerance = 1e-9;
  if ((matrix - wanted.matrix).absolute_value_max() > tolerance ||
      (offset - wanted.offset).magnitude() > tolerance * (1.0 + wanted.offset.magnitude()))
  {
    Refuse(transform, "the matrix that it was given is not the one that it has");
  }
}

} // namespace

RigidMotionUpdate::RigidMotionUpdate(TransformType & moving, const PointType & center)
  : m_Center(center)
{
  TransformType * const transform = FindFirstApplied(moving);
  m_Transform = dynamic_cast<MatrixOffsetType *>(transform);
  if (m_Transform.IsNull())
  {
    Refuse(*transform, "it is not derived from MatrixOffsetTransformBase");
  }
  RefuseIfNotClosed(*m_Transform, m_Center);
  RefuseIfMatrixCannotBeSet(*m_Transform, m_Center);
}

vnl_matrix<double>
RigidMotionUpdate::ComputeBasis() const
{
  const ScaledVelocities velocities = ScaleColumns(ComputeVelocities(*m_Transform, m_Center));
  const unsigned int     count = velocities.matrix.columns();
  vnl_matrix<double>     basis(count, count);
  basis.update(SolveForTwists(velocities));
  if (count > 6)
  {
    basis.update(ComputeOtherChanges(velocities), 0, 6);
  }
  return velocities.scale * basis;
}

void
RigidMotionUpdate::Move(const vnl_matrix<double> & basis, const vnl_vector<double> & coordinates) const
{
  const unsigned int others = coordinates.size() - 6;
  if (others > 0)
  {
    const auto                    changes = basis.extract(basis.rows(), others, 0, 6) * coordinates.extract(others, 6);
    TransformType::ParametersType parameters = m_Transform->GetParameters();
    parameters += changes;
    m_Transform->SetParameters(parameters);
  }
  const Vector3 velocity(coordinates.data_block());
  const Vector3 rotation(coordinates.data_block() + 3);
  Set(*m_Transform, Compose(*m_Transform, Exponential({ velocity, rotation / Reach }, m_Center)));
}

} // namespace itk
