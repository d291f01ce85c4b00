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
#include "compute/AttenuationScan.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace radiography::compute
{

namespace
{

constexpr std::int64_t BlockLength = 1 << 18;

/** A block without bad values, which is the usual one, is read by a loop that the compiler can vectorise. */
bool
IsGood(const float * begin, const float * end, float largestAllowed)
{
  bool good = true;
  for (const float * value = begin; value != end; ++value)
  {
    good &= *value >= 0.0F && *value <= largestAllowed;
  }
  return good;
}

AttenuationScan
ScanBlock(const float * values, std::int64_t begin, std::int64_t end, float largestAllowed)
{
  AttenuationScan scan;
  scan.smallest = std::numeric_limits<float>::infinity();
  scan.largest = -std::numeric_limits<float>::infinity();
  for (std::int64_t i = begin; i < end; ++i)
  {
    const float value = values[i];
    if (scan.firstBad < 0 && !(value >= 0.0F && value <= largestAllowed))
    {
      scan.firstBad = i;
      scan.firstBadValue = value;
    }
    if (!std::isfinite(value))
    {
      scan.hasNonFinite = true;
      continue;
    }
    scan.smallest = std::min(scan.smallest, value);
    scan.largest = std::max(scan.largest, value);
  }
  return scan;
}

void
Merge(AttenuationScan & whole, const AttenuationScan & block)
{
  if (whole.firstBad < 0)
  {
    whole.firstBad = block.firstBad;
    whole.firstBadValue = block.firstBadValue;
  }
  whole.smallest = std::min(whole.smallest, block.smallest);
  whole.largest = std::max(whole.largest, block.largest);
  whole.hasNonFinite = whole.hasNonFinite || block.hasNonFinite;
}

} // namespace

AttenuationScan
ScanAttenuation(const float * values, std::int64_t count, double largestAllowed, const ParallelFor & parallelFor)
{
  const auto         limit = static_cast<float>(largestAllowed);
  const std::int64_t blocks = (count + BlockLength - 1) / BlockLength;
  std::vector<char>  isGood(static_cast<size_t>(blocks));
  parallelFor(blocks, [&](std::int64_t block) {
    const std::int64_t begin = block * BlockLength;
    isGood[static_cast<size_t>(block)] =
      IsGood(values + begin, values + std::min(begin + BlockLength, count), limit) ? 1 : 0;
  });
  if (std::all_of(isGood.begin(), isGood.end(), [](char good) { return good != 0; }))
  {
    return {};
  }

  // Only an image that is about to be refused is looked at again, for the message.
  std::vector<AttenuationScan> scans(static_cast<size_t>(blocks));
  parallelFor(blocks, [&](std::int64_t block) {
    const std::int64_t begin = block * BlockLength;
    scans[static_cast<size_t>(block)] = ScanBlock(values, begin, std::min(begin + BlockLength, count), limit);
  });
  AttenuationScan whole = scans.front();
  for (const AttenuationScan & scan : scans)
  {
    Merge(whole, scan);
  }
  return whole;
}

} // namespace radiography::compute
