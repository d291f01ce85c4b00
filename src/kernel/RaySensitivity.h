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
#ifndef radiography_kernel_RaySensitivity_h
#define radiography_kernel_RaySensitivity_h

#include "kernel/HostDevice.h"

namespace radiography::kernel
{

/** The optical depth L of a ray, with its gradients with respect to the ray's two ends in index space, the ray's length
 * in the world held:
 *
 * dL = start . d(ray.start) + end . d(ray.end) + L d(ray.worldLength) / ray.worldLength.
 *
 * Every parameter of pose, source and detector acts through these. For a field that is 0 at both ends, with D = end -
 * start of the ray: D . start = L and D . end = -L, because an end that slides along the ray changes nothing but the
 * length. */
struct RaySensitivity
{
  double depth{ 0.0 };
  double start[3]{ 0.0, 0.0, 0.0 };
  double end[3]{ 0.0, 0.0, 0.0 };
};

} // namespace radiography::kernel

#endif
