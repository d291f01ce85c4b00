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
#ifndef UlpHistogram_h
#define UlpHistogram_h

#include "MpfrOracle.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ostream>

namespace oracle
{

/** How far results are from the correctly rounded ones, in units in the last place; subnormal results apart. */
class UlpHistogram
{
public:
  void
  Add(float result, float expected)
  {
    const std::int64_t distance = std::isnan(result) ? Furthest : std::min(UlpDistance(result, expected), Furthest);
    ++m_Counts[static_cast<std::size_t>(distance)];
    auto & largest = IsSubnormal(expected) ? m_LargestOfSubnormals : m_LargestOfOthers;
    largest = std::max(largest, distance);
  }

  UlpHistogram &
  operator+=(const UlpHistogram & other)
  {
    for (std::size_t i = 0; i < m_Counts.size(); ++i)
    {
      m_Counts[i] += other.m_Counts[i];
    }
    m_LargestOfSubnormals = std::max(m_LargestOfSubnormals, other.m_LargestOfSubnormals);
    m_LargestOfOthers = std::max(m_LargestOfOthers, other.m_LargestOfOthers);
    return *this;
  }

  std::int64_t
  Largest() const
  {
    return m_LargestOfOthers;
  }

  std::int64_t
  LargestOfSubnormals() const
  {
    return m_LargestOfSubnormals;
  }

  std::int64_t
  Count() const
  {
    std::int64_t count = 0;
    for (const std::int64_t part : m_Counts)
    {
      count += part;
    }
    return count;
  }

  std::int64_t
  CountNotExact() const
  {
    return this->Count() - m_Counts[0];
  }

  /** The distance that 99.9 % of the results do not exceed. */
  std::int64_t
  Quantile999() const
  {
    const std::int64_t count = this->Count();
    std::int64_t       distance = 0;
    std::int64_t       within = m_Counts[0];
    while (within * 1000 < count * 999)
    {
      within += m_Counts[static_cast<std::size_t>(++distance)];
    }
    return distance;
  }

  friend std::ostream &
  operator<<(std::ostream & out, const UlpHistogram & histogram)
  {
    return out << histogram.Count() << " results, ulp: max " << histogram.Largest() << ", of subnormal ones "
               << histogram.LargestOfSubnormals() << ", 99.9 % " << histogram.Quantile999()
               << "; not correctly rounded: " << histogram.CountNotExact();
  }

private:
  // Anything worse counts as this.
  static constexpr std::int64_t Furthest = 63;

  std::array<std::int64_t, Furthest + 1> m_Counts{};
  std::int64_t                           m_LargestOfOthers{ 0 };
  std::int64_t                           m_LargestOfSubnormals{ 0 };
};

} // namespace oracle

#endif
