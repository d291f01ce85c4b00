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
#ifndef itkFisherInformationProvider_h
#define itkFisherInformationProvider_h

#include "RadiographyExport.h"
#include "itkRadiographyMacros.h"

#include "itkArray.h"

#include "vnl/vnl_matrix.h"

namespace itk
{

/** \class FisherInformationProvider
 * \brief What a metric offers to FisherScoringOptimizerv4 and to scales estimators besides value and derivative.
 *
 * The information matrix is the expected (or Gauss-Newton) second derivative of the value with respect to the
 * parameters of the metric's moving transform: symmetric, positive semidefinite, N x N. Parameters that are estimated
 * and eliminated inside an evaluation (nuisances) have been taken out by a Schur complement, so that the inverse is the
 * covariance of the transform's parameters where the value is half a deviance.
 *
 * \ingroup Radiography */
class Radiography_EXPORT FisherInformationProvider
{
public:
  using ValueType = double;
  using DerivativeType = Array<double>;
  using InformationType = vnl_matrix<double>;

  virtual ~FisherInformationProvider();

  /** One evaluation at the present parameters of the moving transform: a pure function of them.
   *
   * \param value is to be minimised; finite also where nothing can be compared.
   * \param derivative minus the gradient of the value, as everywhere in ITK's v4 framework; N numbers.
   * \param information N x N.
   * \return whether the value means something: false where the object is out of every view or the transform cannot be
   * inverted. An optimizer must not accept such a step. */
  virtual bool
  GetValueDerivativeAndInformation(ValueType &       value,
                                   DerivativeType &  derivative,
                                   InformationType & information) const = 0;

protected:
  FisherInformationProvider();
};

} // namespace itk

#endif
