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
#ifndef itkRigidMotionUpdate_h
#define itkRigidMotionUpdate_h

#include "itkMatrixOffsetTransformBase.h"
#include "itkPoint.h"
#include "itkTransform.h"

#include "vnl/vnl_matrix.h"
#include "vnl/vnl_vector.h"

namespace itk
{

/** Moves a linear transform T along rigid motions of the world: T(x) becomes T(exp(xi) x).
 *
 * A twist xi = (v, w) about a centre c stands for the velocity v + w x (x - c). A change dp of the transform's N
 * parameters is written as dp = B q: the first six coordinates q are the twist, the others what a rigid motion leaves
 * alone (none for a rigid transform, the scale of a similarity, six for an affine one). B comes from the transform's
 * own Jacobian, so that no type is asked for beyond MatrixOffsetTransformBase, which can be given a matrix. */
class RigidMotionUpdate
{
public:
  using TransformType = Transform<double, 3, 3>;
  using MatrixOffsetType = MatrixOffsetTransformBase<double, 3, 3>;
  using PointType = Point<double, 3>;

  /** \param moving the metric's moving transform; of a composite one the last transform, which must be the only one to
   * be optimised, is moved.
   * \throws ExceptionObject, with the transform's name, if it has no matrix that could be set, or if no change of its
   * parameters is a rigid motion of the world (a translation cannot turn). */
  RigidMotionUpdate(TransformType & moving, const PointType & center);

  /** B at the present parameters, N x N. */
  vnl_matrix<double>
  ComputeBasis() const;

  /** Moves the transform by coordinates q: adds the part beyond a rigid motion to the parameters, then puts the
   * exponential of the twist before the transform. `basis` is ComputeBasis() of the present parameters. */
  void
  Move(const vnl_matrix<double> & basis, const vnl_vector<double> & coordinates) const;

private:
  MatrixOffsetType::Pointer m_Transform;
  PointType                 m_Center;
};

} // namespace itk

#endif
