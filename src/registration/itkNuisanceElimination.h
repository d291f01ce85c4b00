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
#ifndef itkNuisanceElimination_h
#define itkNuisanceElimination_h

#include "vnl/vnl_matrix.h"
#include "vnl/vnl_vector.h"

namespace itk
{

/** What scales a symmetric form to a unit diagonal from both sides: 1 / sqrt of the diagonal, 0 where that is 0. */
vnl_vector<double>
FindUnitScales(const vnl_matrix<double> & form);

/** scales_i form_ij scales_j. */
vnl_matrix<double>
ScaleForm(const vnl_matrix<double> & form, const vnl_vector<double> & scales);

/** S^-1 C, directions of S without information left out: those whose share of S, scaled to a unit diagonal, is below
 * 1e-12.
 * \param information S, K x K
 * \param coupling C, K x N */
vnl_matrix<double>
SolveNuisances(const vnl_matrix<double> & information, const vnl_matrix<double> & coupling);

/** H - C^T S^-1 C, symmetric to the last bit. */
vnl_matrix<double>
EliminateNuisances(const vnl_matrix<double> & information,
                   const vnl_matrix<double> & nuisanceInformation,
                   const vnl_matrix<double> & coupling);

} // namespace itk

#endif
