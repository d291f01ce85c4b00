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
#ifndef itkInformationSpectrum_h
#define itkInformationSpectrum_h

#include "vnl/vnl_matrix.h"
#include "vnl/vnl_vector.h"

#include <vector>

namespace itk
{

/** The eigen-decomposition of an information matrix H after scaling its diagonal to 1: what is determined, what is not.
 *
 * With S = diag(H)^-1/2 (1 where H_ii = 0), S H S = V Lambda V^T. Directions with an eigenvalue of at most
 * `singularity` are undetermined; all results are those of the determined ones. Scaling first makes the verdict
 * independent of the units of the parameters, and gives nearly the smallest condition number that a diagonal scaling
 * can (A. van der Sluis, Numer. Math. 14 (1969) 14). */
class InformationSpectrum
{
public:
  /** `information` is symmetric and positive semidefinite but for rounding. */
  InformationSpectrum(const vnl_matrix<double> & information, double singularity);

  /** (H + damping diag(H))^-1 `gradient`. */
  vnl_vector<double>
  Solve(const vnl_vector<double> & gradient, double damping) const;

  /** sqrt(g^T H^-1 g). */
  double
  ComputeLength(const vnl_vector<double> & gradient) const;

  /** H^-1. */
  vnl_matrix<double>
  ComputeInverse() const;

  /** Of length 1 in the parameters; the least determined first. */
  std::vector<vnl_vector<double>>
  GetUndeterminedDirections() const;

  /** Whether there is a determined direction at all. */
  bool
  IsDetermined() const
  {
    return m_Undetermined < m_Eigenvalues.size();
  }

private:
  /** In increasing order. */
  vnl_vector<double> m_Eigenvalues;
  /** S V, one direction a column. */
  vnl_matrix<double> m_Directions;
  /** How many of the first ones are not determined. */
  unsigned int m_Undetermined{ 0 };
};

} // namespace itk

#endif
