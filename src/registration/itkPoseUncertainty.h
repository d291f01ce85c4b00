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
#ifndef itkPoseUncertainty_h
#define itkPoseUncertainty_h

#include "compute/InternalExport.h"

#include "vnl/vnl_matrix.h"
#include "vnl/vnl_vector.h"

namespace itk
{

/** The inverse of an information matrix, or an empty one where a combination of parameters is undetermined. */
RADIOGRAPHY_INTERNAL_EXPORT vnl_matrix<double>
                            InvertInformation(const vnl_matrix<double> & information);

/** A covariance that is at least `model` and at least `sandwich` in every direction: with model = W W^T and the
 * eigenvalues e of W^-1 sandwich W^-T, W V max(e, 1) V^T W^T. It does not depend on the units of the parameters.
 * `model` is positive definite, `sandwich` positive semidefinite, both symmetric but for rounding. */
RADIOGRAPHY_INTERNAL_EXPORT vnl_matrix<double>
                            InflateCovariance(const vnl_matrix<double> & model, const vnl_matrix<double> & sandwich);

/** sqrt(d^T C^-1 d): how long a difference is in units of its standard errors (Mahalanobis). */
RADIOGRAPHY_INTERNAL_EXPORT double
ComputeStandardDistance(const vnl_vector<double> & difference, const vnl_matrix<double> & covariance);

/** What ComputeStandardDistance() of a normal vector of this many dimensions exceeds with the probability 0.0027 with
 * which a normal number exceeds three standard errors, within 1 %; by E. B. Wilson and M. M. Hilferty, The distribution
 * of chi-square, Proc. Natl. Acad. Sci. 17 (1931) 684. */
RADIOGRAPHY_INTERNAL_EXPORT double
ComputeStandardDistanceBound(unsigned int dimensions);

} // namespace itk

#endif
