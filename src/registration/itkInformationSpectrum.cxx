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
  const vnl_symmetric_eigensystem<double> system(scale * information * scale);
  m_Eigenvalues = system.D.diagonal();
  m_Directions = scale * system.V;
  while (m_Undetermined < count && !(m_Eigenvalues[m_Undetermined] > singularity))
  {
    ++m_Undetermined;
  }
}

vnl_vector<double>
InformationSpectrum::Solve(const vnl_vector<double> & gradient, double damping) const
{
  vnl_vector<double> coordinates = gradient * m_Directions;
  for (unsigned int i = 0; i < coordinates.size(); ++i)
  {
    coordinates[i] = i < m_Undetermined ? 0.0 : coordinates[i] / (m_Eigenvalues[i] + damping);
  }
  return m_Directions * coordinates;
}

double
InformationSpectrum::ComputeLength(const vnl_vector<double> & gradient) const
{
  const vnl_vector<double> coordinates = gradient * m_Directions;
  double                   sum = 0.0;
  for (unsigned int i = m_Undetermined; i < coordinates.size(); ++i)
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
    weighted.scale_column(i, i < m_Undetermined ? 0.0 : 1.0 / m_Eigenvalues[i]);
  }
  return weighted * m_Directions.transpose();
}

std::vector<vnl_vector<double>>
InformationSpectrum::GetUndeterminedDirections() const
{
  std::vector<vnl_vector<double>> directions;
  for (unsigned int i = 0; i < m_Undetermined; ++i)
  {
    vnl_vector<double> direction = m_Directions.get_column(i);
    directions.push_back(direction.normalize());
  }
  return directions;
}

} // namespace itk
