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
#ifndef radiography_compute_ProjectionPolicy_h
#define radiography_compute_ProjectionPolicy_h

#include "compute/InternalExport.h"

#include <cstdint>
#include <string>

namespace radiography::compute
{

enum class Projector
{
  Joseph,
  CellGauss,
  Siddon
};

RADIOGRAPHY_INTERNAL_EXPORT const char *
ToString(Projector projector);

/** Every tunable of the kernels, in one value: chosen in one place (SelectProjectionPolicy), read at call time,
 * printed with what ran. No constant of this kind lives anywhere else. josephSlopeLimit, simd, packetWidth,
 * slabBlock and transposedCopy change a pixel's bits, simd, backProjectionSlabs and backProjectionStrip a voxel's in
 * back projection; the others do not. */
struct ProjectionPolicy
{
  /** Pixels of a tile, the unit of work that a thread takes. */
  std::int64_t tileColumns{ 64 };
  std::int64_t tileRows{ 16 };

  /** Slices of the volume that a thread takes at a time in back projection ray by ray. */
  std::int64_t backProjectionSlices{ 16 };

  /** Where that makes fewer boxes than this, slices are cut as well. */
  std::int64_t backProjectionBoxes{ 8 };

  /** Back projection in packets: slabs of a block along the main axis (a power of two up to 64) and rows of a band,
   * what a thread takes at a time. */
  std::int64_t backProjectionSlabs{ 32 };
  std::int64_t backProjectionRows{ 32 };

  /** Rays of a strip, the piece of a line of rays that is looked at at once and cut into packets. */
  std::int64_t backProjectionStrip{ 512 };

  /** Whether projectors run for packets of rays in SIMD registers (1) or ray by ray in binary64 (0). */
  std::int64_t simd{ 1 };

  /** Rays side by side in a packet, 1, 2, 4, 8 or 16; 0: chosen for each view. */
  std::int64_t packetWidth{ 0 };

  /** Whether a volume is kept in a second memory order for packets along its contiguous axis (1), or such views are
   * projected ray by ray (0). */
  std::int64_t transposedCopy{ 1 };

  /** Slabs that a packet goes through before the next one of its tile: a power of two up to 64. */
  std::int64_t slabBlock{ 8 };

  /** Pixels whose gradients are held at a time when those of a view are added up or turned into those of a pose: at
   * least 4096, in steps of that. */
  std::int64_t derivativePixels{ 131072 };

  /** A ray steeper than this against the main axis (in index space) is too coarse for one sample per slab: the image is
   * integrated by CellGauss. */
  double josephSlopeLimit{ 1.5 };

  /** Pixels that a thread takes at a time when transmission is evaluated. */
  std::int64_t transmissionTilePixels{ 16384 };

  /** Outputs of transmission of this size and more, all of a call together, are written past the caches: about the size
   * of a last-level cache, which they would not stay in. */
  std::int64_t streamingStoreBytes{ 32 * 1024 * 1024 };

  /** "tileColumns=32,tileRows=16" and so on, every member by its name: what ParseProjectionPolicy reads. */
  RADIOGRAPHY_INTERNAL_EXPORT std::string
                              ToString() const;
};

/** Overrides single values of a policy from text in the form of ProjectionPolicy::ToString(), for experiments.
 * \throws std::invalid_argument naming a key that is not known or a value that is out of range. */
RADIOGRAPHY_INTERNAL_EXPORT ProjectionPolicy
ParseProjectionPolicy(const std::string & text, ProjectionPolicy policy = {});

/** The policy for a call: the defaults, then what the environment variable RADIOGRAPHY_POLICY says. */
RADIOGRAPHY_INTERNAL_EXPORT ProjectionPolicy
SelectProjectionPolicy();

} // namespace radiography::compute

#endif
