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
#ifndef itkFirstDerivativeOnly_h
#define itkFirstDerivativeOnly_h

#include "RadiographyExport.h"

#include "itkDataObject.h"

namespace itk
{

/** \class FirstDerivativeOnly
 * \brief Marks a filter whose outputs are first derivatives, and refuses the derivative of a derivative.
 *
 * An adjoint filter pulls cotangents back through a forward operation at its *primal* inputs, the values that the
 * operation was evaluated at. Were such a primal input itself computed from the output of an adjoint filter, the result
 * would lack the second derivative, silently. So every adjoint filter calls RefuseSecondDerivative() for its primal
 * inputs, which looks through the pipeline behind them. Cotangents may come from anywhere.
 *
 * An image that is meant as a constant (the step of a descent, say) is cut from its past with
 * DataObject::DisconnectPipeline().
 *
 * A caller can ask whether an object has this limit with a dynamic_cast to this class.
 *
 * \ingroup Radiography */
class Radiography_EXPORT FirstDerivativeOnly
{
public:
  /** The highest order of derivative that can be had. */
  static constexpr unsigned int HighestDerivativeOrder = 1;

  virtual ~FirstDerivativeOnly();

protected:
  FirstDerivativeOnly() = default;
  FirstDerivativeOnly(const FirstDerivativeOnly &) = default;
  FirstDerivativeOnly &
  operator=(const FirstDerivativeOnly &) = default;

  /** Throws if `primalInput` was computed, through whatever filters in between, by a filter of this kind.
   * \param primalInput may be null
   * \param name what it is, for the message
   * \param self this object's class, for the message */
  static void
  RefuseSecondDerivative(const DataObject * primalInput, const char * name, const char * self);
};

} // namespace itk

#endif
