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
#ifndef radiography_compute_DifferencePixel_h
#define radiography_compute_DifferencePixel_h

#include <cstdint>

namespace radiography::compute
{

/** A pixel that enters a difference of pixels: how far it is from the pixel that the difference belongs to, and its
 * factor. */
struct DifferencePixel
{
  std::int64_t column{ 0 };
  std::int64_t row{ 0 };
  double       factor{ 0.0 };
};

} // namespace radiography::compute

#endif
