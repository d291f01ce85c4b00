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
#ifndef itkViewRays_h
#define itkViewRays_h

#include "compute/InternalExport.h"
#include "compute/ViewSensitivity.h"
#include "itkRadiographGeometry.h"
#include "kernel/Ray.h"

#include "itkTransform.h"

namespace itk
{

/** An affine map of points, x -> matrix x + offset. */
struct AffineMap
{
  vnl_matrix_fixed<double, 3, 3> matrix;
  vnl_vector_fixed<double, 3>    offset;

  vnl_vector_fixed<double, 3>
  operator()(const vnl_vector_fixed<double, 3> & point) const
  {
    return matrix * point + offset;
  }
};

/** The affine map of a linear transform, found from four of its points so that any linear ITK transform is served,
 * composites too, without knowing its type.
 * \throws ExceptionObject if the transform is not linear, not finite or not invertible. */
AffineMap
ToAffineMap(const Transform<double, 3, 3> & transform);

/** The centre of a voxel grid, mm, wherever its index starts. */
RADIOGRAPHY_INTERNAL_EXPORT Point<double, 3>
                            CenterOfGrid(const ImageBase<3> & image);

/** World (CT side), mm, to continuous index of an image's grid, counted from the first voxel of its largest region. */
AffineMap
MakeIndexFromPoint(const ImageBase<3> & image);

/** The rays of a view in the index space of a CT.
 * \param ctFromWorld the transform's map, world points to CT points. */
radiography::kernel::ViewRays
MakeViewRays(const RadiographGeometry & geometry, const AffineMap & ctFromWorld, const ImageBase<3> & ct);

/** The same with all that its rays come from, for derivatives. */
radiography::compute::SensitivityView
MakeSensitivityView(const RadiographGeometry & geometry, const AffineMap & ctFromWorld, const ImageBase<3> & ct);

} // namespace itk

#endif
