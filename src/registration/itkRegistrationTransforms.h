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
#ifndef itkRegistrationTransforms_h
#define itkRegistrationTransforms_h

#include "compute/InternalExport.h"
#include "itkRadiographRegistrationResult.h"

#include "itkImageBase.h"
#include "itkPoint.h"
#include "itkTransform.h"

#include "vnl/vnl_matrix.h"

#include <cstdint>
#include <vector>

/** What a registration does with the transform that it searches, whatever its type. */
namespace itk
{

/** The transform that a search begins with: a new one of the kind that maps points as `initial` does.
 * \param initial null for the identity.
 * \param center of the kinds that have one, unless AsInitial.
 * \throws ExceptionObject if `initial` is not linear, cannot be inverted, or is not of the kind (not rigid for Euler).
 */
RADIOGRAPHY_INTERNAL_EXPORT Transform<double, 3, 3>::Pointer
                            MakeSearchTransform(RadiographRegistrationEnums::TransformKind kind,
                                                const Transform<double, 3, 3> *            initial,
                                                const Point<double, 3> &                   center);

/** Whether transforms of this type stay of the type when the world is moved rigidly. */
RADIOGRAPHY_INTERNAL_EXPORT bool
IsClosedUnderRigidMotions(const Transform<double, 3, 3> & transform);

/** The box that starts are drawn from. */
struct StartSpread
{
  /** mm */
  double translation{ 0.0 };
  /** rad */
  double   rotation{ 0.0 };
  uint64_t seed{ 0 };
};

/** Start number `start` around a transform: the world is moved rigidly before it, about `worldCenter`. Number 0 is the
 * transform itself. */
RADIOGRAPHY_INTERNAL_EXPORT Transform<double, 3, 3>::Pointer
                            MakeStart(const Transform<double, 3, 3> & initial,
                                      const Point<double, 3> &        worldCenter,
                                      const StartSpread &             spread,
                                      SizeValueType                   start);

/** The point that a transform maps to `mapped`. */
RADIOGRAPHY_INTERNAL_EXPORT Point<double, 3>
                            FindOrigin(const Transform<double, 3, 3> & transform, const Point<double, 3> & mapped);

/** The mean distance between where two transforms put points of the CT in the world, mm. */
RADIOGRAPHY_INTERNAL_EXPORT double
ComputeMeanDisplacement(const Transform<double, 3, 3> &       one,
                        const Transform<double, 3, 3> &       other,
                        const std::vector<Point<double, 3>> & ctPoints);

/** The corners of a box half as long as a voxel grid along each of its axes, about its centre: where targets are. */
RADIOGRAPHY_INTERNAL_EXPORT std::vector<Point<double, 3>>
                            FindInnerCorners(const ImageBase<3> & grid);

/** How a point of the CT moves in the world when the transform's parameters change, 3 x N, mm: with T(x) = q fixed,
 * dx = -A^-1 (dT/dp) dp. */
RADIOGRAPHY_INTERNAL_EXPORT vnl_matrix<double>
ComputeTargetJacobian(const Transform<double, 3, 3> & transform, const Point<double, 3> & ctPoint);

} // namespace itk

#endif
