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
#ifndef radiography_compute_ComputeReport_h
#define radiography_compute_ComputeReport_h

#include <cstdint>
#include <map>
#include <string>

namespace radiography::compute
{

/** What ran in a call, and what did not and why: nobody should have to guess which kernel made a number. */
struct ComputeReport
{
  /** The projector that integrated the rays. */
  std::string projector;
  /** The implementation, for instance "joseph, scalar binary64". */
  std::string kernel;
  /** ProjectionPolicy::ToString(). */
  std::string policy;
  /** Rays with source or detector pixel inside the volume, integrated between their ends by CellGauss. */
  std::int64_t raysWithEndInside{ 0 };
  /** Path not taken -> reason. */
  std::map<std::string, std::string> notUsed;
};

} // namespace radiography::compute

#endif
