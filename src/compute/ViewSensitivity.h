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
#ifndef radiography_compute_ViewSensitivity_h
#define radiography_compute_ViewSensitivity_h

#include "compute/ComputeReport.h"
#include "compute/ForwardProjection.h"
#include "compute/InternalExport.h"
#include "compute/ParallelFor.h"
#include "compute/ProjectionPolicy.h"
#include "kernel/Ray.h"

#include <array>
#include <cstdint>
#include <functional>

namespace radiography::compute
{

/** A view with all that its rays come from: the end of a ray (detector pixel) in the world is worldEnd, its start
 * worldEnd - rays.span, and either is mapped to the index space of the volume by indexFromPoint (A x + b), where (A, b)
 * is the pose, world to points of the volume, and indexFromPoint belongs to the volume's grid. */
struct SensitivityView
{
  kernel::ViewRays              rays;
  kernel::ViewRays::AffinePoint worldEnd;
  /** A. */
  double pointFromWorld[3][3];
  /** The linear part of the map from points of the volume to index space. */
  double indexFromPoint[3][3];
};

/** What a pixel adds to an objective, as a function of its optical depth L. */
struct PixelObjective
{
  /** Added up. */
  double value;
  /** d(value) / dL. */
  double score;
  /** The weight of this pixel in the Fisher (or Gauss-Newton) matrix: the expected second derivative, for instance. */
  double fisher;
};

/** Called once for every pixel, on any thread, with L in binary64. */
using ObjectiveOfPixel = std::function<PixelObjective(std::int64_t column, std::int64_t row, double depth)>;

/** Sums over all pixels of a view. */
struct ViewSensitivity
{
  double value{ 0.0 };
  /** d(objective) / d(A, b): the nine of A row by row, then b. */
  std::array<double, 12> affine{};
  /** Sum of fisher x (dL / d(A, b)) (dL / d(A, b))^T. */
  std::array<std::array<double, 12>, 12> affineFisher{};
  /** d(objective) / d(origin, column, row) of the rays' starts in the world, start(column, row) = origin + column x
   * column step + row x row step, the ends and (A, b) held. Any motion of a source is a combination of these. */
  std::array<std::array<double, 3>, 3> worldStart{};
  /** The same of the rays' ends, the starts held. */
  std::array<std::array<double, 3>, 3> worldEnd{};

  ComputeReport report;
};

/** How often ContractSensitivities() and ComputePoseJacobian() call parallelFor for that many pixels, for whoever
 * reports progress: twice for each band. */
RADIOGRAPHY_INTERNAL_EXPORT std::int64_t
CountSensitivityRuns(std::int64_t columns, std::int64_t rows, const ProjectionPolicy & policy);

/** Depths, their gradients and the contraction of these with an objective, band by band of a view
 * (ProjectionPolicy::derivativePixels): of no more pixels are gradients ever stored.
 *
 * With G0, G1 the gradients of L with respect to the two ends of a ray in points of the volume, and S, P the two ends
 * in the world: dL / dA = G0 S^T + G1 P^T, dL / db = G0 + G1; the ray's length in the world depends on S and P alone,
 * not on (A, b), and enters their derivatives by L / length^2 (P - S). Sums over pixels are those of SumOverPixels: the
 * same bits for any number of threads. */
RADIOGRAPHY_INTERNAL_EXPORT ViewSensitivity
ContractSensitivities(const VolumeLayouts &    layouts,
                      const SensitivityView &  view,
                      Projector                projector,
                      const ProjectionPolicy & policy,
                      const ParallelFor &      parallelFor,
                      const ObjectiveOfPixel & objective);

/** A rectangle of pixels to be computed, six values each: those of pixel (column, row) begin at values[6 * ((column -
 * firstColumn) + (row - firstRow) * columns)]. */
struct PoseJacobianImage
{
  float *      values;
  std::int64_t firstColumn;
  std::int64_t firstRow;
  std::int64_t columns;
  std::int64_t rows;
};

/** dL / d(omega, tau) of a rectangle of pixels at omega = tau = 0, where the pose (A, b) is applied after the small
 * rigid motion x -> centre + exp([omega]) (x - centre) + tau of the world: omega in radians, tau in the world's unit.
 *
 * dL / dtau = g0 + g1, dL / domega = (S - centre) x g0 + (P - centre) x g1, with g0, g1 the gradients with respect to
 * the ends in the world. A pixel has the same bits whatever rectangle it is asked in. */
RADIOGRAPHY_INTERNAL_EXPORT ComputeReport
ComputePoseJacobian(const VolumeLayouts &         layouts,
                    const SensitivityView &       view,
                    const std::array<double, 3> & centre,
                    Projector                     projector,
                    const ProjectionPolicy &      policy,
                    const ParallelFor &           parallelFor,
                    const PoseJacobianImage &     output);

} // namespace radiography::compute

#endif
