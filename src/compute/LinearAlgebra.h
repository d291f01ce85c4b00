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
#ifndef radiography_compute_LinearAlgebra_h
#define radiography_compute_LinearAlgebra_h

/** \file
 * Eigen under a name of this library's own. ITK brings a copy of Eigen of another version, whose functions have the
 * same names; the linker keeps one of each, and code of the one version would run into data of the other. To be
 * included instead of Eigen's headers, in sources that include nothing of ITK. */
#ifdef EIGEN_CORE_H
#  error "Eigen was included before: include compute/LinearAlgebra.h in its place"
#endif
#define Eigen RadiographyEigen // NOLINT

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Dense>
#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <Eigen/SVD>

#endif
