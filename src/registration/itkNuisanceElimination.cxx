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
#include "registration/itkNuisanceElimination.h"

#include "vnl/algo/vnl_symmetric_eigensystem.h"

#include <cmath>

namespace itk
{

namespace
{

constexpr double SmallestShare = 1e-12;

} // namespace

vnl_vector<double>
FindUnitScales(const vnl_matrix<double> & form)
{
  vnl_vector<double> scales(form.rows(), 0.0);
  for (unsigned int i = 0; i < form.rows(); ++i)
  {
    scales[i] = form(i, i) > 0.0 ? 1.0 / std::sqrt(form(i, i)) : 0.0;
  }
  return scales;
}

vnl_matrix<double>
ScaleForm(const vnl_matrix<double> & form, const vnl_vector<double> & scales)
{
  vnl_matrix<double> scaled(form);
  for (unsigned int i = 0; i < form.rows(); ++i)
  {
    for (unsigned int j = 0; j < form.columns(); ++j)
    {
      scaled(i, j) *= scales[i] * scales[j];
    }
  }
  return scaled;
}

vnl_matrix<double>
SolveNuisances(const vnl_matrix<double> & information, const vnl_matrix<double> & coupling)
{
  const unsigned int count = information.rows();
  if (count == 0)
  {
    return coupling;
  }
  const vnl_vector<double> scales = FindUnitScales(information);
  vnl_matrix<double>       right(coupling);
  for (unsigned int i = 0; i < count; ++i)
  {
    right.scale_row(i, scales[i]);
  }
  const vnl_symmetric_eigensystem<double> system(ScaleForm(information, scales));
  vnl_matrix<double>                      projected = system.V.transpose() * right;
  for (unsigned int i = 0; i < count; ++i)
  {
    const double share = system.D(i, i);
    projected.scale_row(i, share > SmallestShare ? 1.0 / share : 0.0);
  }
  vnl_matrix<double> solution = system.V * projected;
  for (unsigned int i = 0; i < count; ++i)
  {
    solution.scale_row(i, scales[i]);
  }
  return solution;
}

vnl_matrix<double>
EliminateNuisances(const vnl_matrix<double> & information,
                   const vnl_matrix<double> & nuisanceInformation,
                   const vnl_matrix<double> & coupling)
{
  vnl_matrix<double> profiled(information);
  if (coupling.rows() > 0)
  {
    profiled -= coupling.transpose() * SolveNuisances(nuisanceInformation, coupling);
  }
  for (unsigned int i = 0; i < profiled.rows(); ++i)
  {
    for (unsigned int j = 0; j < i; ++j)
    {
      profiled(i, j) = profiled(j, i) = 0.5 * (profiled(i, j) + profiled(j, i));
    }
  }
  return profiled;
}

} // namespace itk
