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
#include "registration/itkRegistrationTransforms.h"

#include "compute/StartPoses.h"
#include "itkRadiographSensitivityCalculator.h"
#include "projection/itkViewRays.h"
#include "registration/itkRigidMotionUpdate.h"

#include "itkAffineTransform.h"
#include "itkEuler3DTransform.h"
#include "itkIdentityTransform.h"
#include "itkNumberToString.h"
#include "itkSimilarity3DTransform.h"

#include "vnl/vnl_det.h"
#include "vnl/vnl_inverse.h"

#include <cmath>
#include <sstream>

namespace itk
{
namespace
{

using TransformType = Transform<double, 3, 3>;
using KindEnum = RadiographRegistrationEnums::TransformKind;

// Transform files hold matrices with some six digits and more.
constexpr double OrthogonalityTolerance = 1e-5;

using MatrixType = vnl_matrix_fixed<double, 3, 3>;

/** The orthogonal factor of the polar decomposition, the nearest orthogonal matrix, by Newton's iteration, which keeps
 * the determinant's sign and converges quadratically (N. J. Higham, SIAM J. Sci. Stat. Comput. 7 (1986) 1160). */
MatrixType
NearestOrthogonal(MatrixType matrix)
{
  constexpr unsigned int largestNumberOfSteps = 100;
  for (unsigned int step = 0; step < largestNumberOfSteps; ++step)
  {
    const MatrixType next = 0.5 * (matrix + vnl_inverse(matrix).transpose());
    const double     change = (next - matrix).absolute_value_max();
    matrix = next;
    if (!(change > 1e-15))
    {
      break;
    }
  }
  return matrix;
}

/** The nearest rotation, which must be near. */
MatrixType
ToRotation(const MatrixType & matrix, const TransformType & initial, const char * kind, const char * remedy)
{
  const MatrixType rotation = NearestOrthogonal(matrix);
  const double     distance = (rotation - matrix).absolute_value_max();
  const bool       mirrors = vnl_det(rotation) < 0.0;
  if (mirrors || !(distance <= OrthogonalityTolerance))
  {
    std::ostringstream why;
    if (mirrors)
    {
      why << "mirrors";
    }
    else
    {
      why << "differs by " << NumberToString<double>()(distance) << " from that of a rotation";
    }
    itkGenericExceptionMacro("The initial transform is no " << kind << " one: the matrix of this "
                                                            << initial.GetNameOfClass() << ' ' << why.str() << ". "
                                                            << remedy);
  }
  return rotation;
}

template <typename TTransform>
typename TTransform::Pointer
MakeCentered(const Point<double, 3> & center, const MatrixType & matrix, const AffineMap & map)
{
  const auto transform = TTransform::New();
  transform->SetCenter(center);
  transform->SetMatrix(Matrix<double, 3, 3>(matrix));
  typename TTransform::OutputVectorType offset;
  offset.SetVnlVector(map.offset.as_ref());
  transform->SetOffset(offset);
  return transform;
}

} // namespace

TransformType::Pointer
MakeSearchTransform(KindEnum kind, const TransformType * initial, const Point<double, 3> & center)
{
  const auto             identity = IdentityTransform<double, 3>::New();
  const TransformType &  start = initial ? *initial : *identity;
  const AffineMap        map = ToAffineMap(start);
  const MatrixType       matrix = map.matrix;
  const double           scale = std::cbrt(std::abs(vnl_det(matrix)));
  constexpr const char * rigidRemedy = "Search similarity or affine transforms, or give a rigid one.";
  constexpr const char * similarityRemedy = "Search affine transforms, or give a similarity.";
  switch (kind)
  {
    case KindEnum::AsInitial:
      if (initial)
      {
        return initial->Clone();
      }
      [[fallthrough]];
    case KindEnum::Euler:
      return MakeCentered<Euler3DTransform<double>>(center, ToRotation(matrix, start, "rigid", rigidRemedy), map)
        .GetPointer();
    case KindEnum::Similarity:
      return MakeCentered<Similarity3DTransform<double>>(
               center, scale * ToRotation(matrix / scale, start, "similarity", similarityRemedy), map)
        .GetPointer();
    case KindEnum::Affine:
      return MakeCentered<AffineTransform<double, 3>>(center, matrix, map).GetPointer();
  }
  itkGenericExceptionMacro("There is no kind of transform of the number " << static_cast<int>(kind) << '.');
}

bool
IsClosedUnderRigidMotions(const TransformType & transform)
{
  try
  {
    const RigidMotionUpdate update(*transform.Clone(), Point<double, 3>(0.0));
    return true;
  }
  catch (const ExceptionObject &)
  {
    return false;
  }
}

TransformType::Pointer
MakeStart(const TransformType &    initial,
          const Point<double, 3> & worldCenter,
          const StartSpread &      spread,
          SizeValueType            start)
{
  const TransformType::Pointer transform = initial.Clone();
  if (start == 0)
  {
    return transform;
  }
  const std::array<double, 6> place = radiography::compute::DrawStart(spread.seed, start);
  const RigidMotionUpdate     update(*transform, worldCenter);
  const vnl_matrix<double>    basis = update.ComputeBasis();
  vnl_vector<double>          coordinates(basis.columns(), 0.0);
  for (unsigned int i = 0; i < 3; ++i)
  {
    coordinates[i] = spread.translation * place[i];
    coordinates[i + 3] = spread.rotation * place[i + 3];
  }
  update.Move(basis, coordinates);
  return transform;
}

Point<double, 3>
FindOrigin(const TransformType & transform, const Point<double, 3> & mapped)
{
  const AffineMap                   map = ToAffineMap(transform);
  const vnl_vector_fixed<double, 3> difference = mapped.GetVnlVector() - map.offset;
  const vnl_vector_fixed<double, 3> origin = vnl_inverse(map.matrix) * difference;
  Point<double, 3>                  point;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    point[axis] = origin[axis];
  }
  return point;
}

double
ComputeMeanDisplacement(const TransformType &                 one,
                        const TransformType &                 other,
                        const std::vector<Point<double, 3>> & ctPoints)
{
  double sum = 0.0;
  for (const Point<double, 3> & point : ctPoints)
  {
    sum += FindOrigin(one, point).EuclideanDistanceTo(FindOrigin(other, point));
  }
  return sum / static_cast<double>(ctPoints.size());
}

std::vector<Point<double, 3>>
FindInnerCorners(const ImageBase<3> & grid)
{
  constexpr unsigned int        corners = 8;
  const ImageRegion<3>          region = grid.GetLargestPossibleRegion();
  std::vector<Point<double, 3>> points(corners);
  for (unsigned int corner = 0; corner < corners; ++corner)
  {
    ContinuousIndex<double, 3> index;
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      // A quarter of the voxels on either side.
      const double fraction = (corner >> axis) % 2 == 0 ? 0.25 : 0.75;
      index[axis] =
        static_cast<double>(region.GetIndex(axis)) - 0.5 + fraction * static_cast<double>(region.GetSize(axis));
    }
    grid.TransformContinuousIndexToPhysicalPoint(index, points[corner]);
  }
  return points;
}

vnl_matrix<double>
ComputeTargetJacobian(const TransformType & transform, const Point<double, 3> & ctPoint)
{
  const AffineMap             map = ToAffineMap(transform);
  TransformType::JacobianType jacobian;
  transform.ComputeJacobianWithRespectToParameters(FindOrigin(transform, ctPoint), jacobian);
  const MatrixType   inverse = vnl_inverse(map.matrix);
  vnl_matrix<double> result(3, jacobian.cols(), 0.0);
  for (unsigned int row = 0; row < 3; ++row)
  {
    for (unsigned int column = 0; column < jacobian.cols(); ++column)
    {
      for (unsigned int k = 0; k < 3; ++k)
      {
        result(row, column) -= inverse(row, k) * jacobian(k, column);
      }
    }
  }
  return result;
}

} // namespace itk
