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
#include "registration/itkPoseUncertainty.h"

#include "registration/itkInformationSpectrum.h"

#include "vnl/algo/vnl_symmetric_eigensystem.h"

#include <algorithm>
#include <cmath>

namespace itk
{
namespace
{

using MatrixType = vnl_matrix<double>;

// Eigenvalue of a matrix scaled to a diagonal of 1, up to which its inverse is not worth having.
constexpr double Singularity = 1e-12;

// W = D U sqrt(Lambda), where D is the root of the diagonal and U Lambda U^T what remains without it; and W^-1.
struct Root
{
  MatrixType root;
  MatrixType inverse;
};

Root
RootOf(const MatrixType & covariance)
{
  const unsigned int size = covariance.rows();
  MatrixType         correlation = covariance;
  for (unsigned int row = 0; row < size; ++row)
  {
    for (unsigned int column = 0; column < size; ++column)
    {
      correlation(row, column) /= std::sqrt(covariance(row, row) * covariance(column, column));
    }
  }
  const vnl_symmetric_eigensystem<double> system(correlation);
  Root                                    result{ system.V, system.V.transpose() };
  for (unsigned int row = 0; row < size; ++row)
  {
    const double scale = std::sqrt(covariance(row, row));
    for (unsigned int column = 0; column < size; ++column)
    {
      const double factor = scale * std::sqrt(system.get_eigenvalue(column));
      result.root(row, column) *= factor;
      result.inverse(column, row) /= factor;
    }
  }
  return result;
}

} // namespace

MatrixType
InvertInformation(const MatrixType & information)
{
  const InformationSpectrum spectrum(information, Singularity);
  return spectrum.GetUndeterminedDirections().empty() ? spectrum.ComputeInverse() : MatrixType();
}

MatrixType
InflateCovariance(const MatrixType & model, const MatrixType & sandwich)
{
  const Root                              root = RootOf(model);
  const MatrixType                        ratio = root.inverse * sandwich * root.inverse.transpose();
  const vnl_symmetric_eigensystem<double> system(0.5 * (ratio + ratio.transpose()));
  MatrixType                              inflated = root.root * system.V;
  for (unsigned int column = 0; column < inflated.columns(); ++column)
  {
    inflated.scale_column(column, std::sqrt(std::max(1.0, system.get_eigenvalue(column))));
  }
  return inflated * inflated.transpose();
}

double
ComputeStandardDistance(const vnl_vector<double> & difference, const MatrixType & covariance)
{
  return InformationSpectrum(covariance, Singularity).ComputeLength(difference);
}

double
ComputeStandardDistanceBound(unsigned int dimensions)
{
  // A normal number is above this with probability 0.0026998.
  constexpr double quantile = 2.7822;
  const double     n = dimensions;
  const double     cubeRoot = 1.0 - 2.0 / (9.0 * n) + quantile * std::sqrt(2.0 / (9.0 * n));
  return std::sqrt(n * cubeRoot * cubeRoot * cubeRoot);
}

} // namespace itk
