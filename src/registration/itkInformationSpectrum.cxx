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
#include "registration/itkInformationSpectrum.h"

#include "vnl/algo/vnl_symmetric_eigensystem.h"
#include "vnl/vnl_diag_matrix.h"

#include <cmath>

namespace itk
{

InformationSpectrum::InformationSpectrum(const vnl_matrix<double> & information, double singularity)
{
  const unsigned int      count = information.rows();
  vnl_diag_matrix<double> scale(count);
  for (unsigned int i = 0; i < count; ++i)
  {
    scale[i] = information(i, i) > 0.0 ? 1.0 / std::sqrt(information(i, i)) : 1.0;
  }
  // Eigenvalues come in increasing order.
  const vnl_symmetric_eigensystem<double> system(scale * information * scale);
  const vnl_matrix<double>                directions = scale * system.V;
  unsigned int                            undetermined = 0;
  while (undetermined < count && !(system.D[undetermined] > singularity))
  {
    ++undetermined;
  }
  m_OtherDirections = directions.extract(count, undetermined, 0, 0);
  m_Directions = directions.extract(count, count - undetermined, 0, undetermined);
  m_Eigenvalues = system.D.diagonal().extract(count - undetermined, undetermined);
}

vnl_vector<double>
InformationSpectrum::Solve(const vnl_vector<double> & gradient, double damping) const
{
  vnl_vector<double> coordinates = gradient * m_Directions;
  for (unsigned int i = 0; i < coordinates.size(); ++i)
  {
    coordinates[i] /= m_Eigenvalues[i] + damping;
  }
  return m_Directions * coordinates;
}

double
InformationSpectrum::ComputeLength(const vnl_vector<double> & gradient) const
{
  const vnl_vector<double> coordinates = gradient * m_Directions;
  double                   sum = 0.0;
  for (unsigned int i = 0; i < coordinates.size(); ++i)
  {
    sum += coordinates[i] * coordinates[i] / m_Eigenvalues[i];
  }
  return std::sqrt(sum);
}

vnl_matrix<double>
InformationSpectrum::ComputeInverse() const
{
  vnl_matrix<double> weighted = m_Directions;
  for (unsigned int i = 0; i < m_Eigenvalues.size(); ++i)
  {
    weighted.scale_column(i, 1.0 / m_Eigenvalues[i]);
  }
  return weighted * m_Directions.transpose();
}

vnl_matrix<double>
InformationSpectrum::ComputeUndeterminedDirections() const
{
  vnl_matrix<double> directions = m_OtherDirections;
  return directions.normalize_columns();
}

} // namespace itk
