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
#include "compute/ProjectionPolicy.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <stdexcept>
#include <string_view>

namespace radiography::compute
{

namespace
{

template <typename T>
std::string
Format(T value)
{
  char       text[32];
  const auto result = std::to_chars(text, text + sizeof(text), value);
  return std::string(text, result.ptr);
}

template <typename T>
T
ParsePositive(std::string_view key, std::string_view text)
{
  T          value{};
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size() || !(value > T{}) ||
      !std::isfinite(static_cast<double>(value)))
  {
    throw std::invalid_argument("The projection policy's " + std::string(key) + " must be a positive number; it is \"" +
                                std::string(text) + "\".");
  }
  return value;
}

std::int64_t
ParseOneOf(std::string_view key, std::string_view text, std::initializer_list<std::int64_t> allowed)
{
  std::string list;
  for (const std::int64_t value : allowed)
  {
    if (text == Format(value))
    {
      return value;
    }
    list += (list.empty() ? "" : ", ") + Format(value);
  }
  throw std::invalid_argument("The projection policy's " + std::string(key) + " must be one of " + list + "; it is \"" +
                              std::string(text) + "\".");
}

void
Assign(ProjectionPolicy & policy, std::string_view key, std::string_view value)
{
  if (key == "tileColumns")
  {
    policy.tileColumns = ParsePositive<std::int64_t>(key, value);
  }
  else if (key == "tileRows")
  {
    policy.tileRows = ParsePositive<std::int64_t>(key, value);
  }
  else if (key == "backProjectionSlices")
  {
    policy.backProjectionSlices = ParsePositive<std::int64_t>(key, value);
  }
  else if (key == "backProjectionBoxes")
  {
    policy.backProjectionBoxes = ParsePositive<std::int64_t>(key, value);
  }
  else if (key == "backProjectionSlabs")
  {
    policy.backProjectionSlabs = ParseOneOf(key, value, { 1, 2, 4, 8, 16, 32, 64 });
  }
  else if (key == "backProjectionRows")
  {
    policy.backProjectionRows = ParsePositive<std::int64_t>(key, value);
  }
  else if (key == "backProjectionStrip")
  {
    policy.backProjectionStrip = ParsePositive<std::int64_t>(key, value);
  }
  else if (key == "simd")
  {
    policy.simd = ParseOneOf(key, value, { 0, 1 });
  }
  else if (key == "packetWidth")
  {
    policy.packetWidth = ParseOneOf(key, value, { 0, 1, 2, 4, 8, 16 });
  }
  else if (key == "transposedCopy")
  {
    policy.transposedCopy = ParseOneOf(key, value, { 0, 1 });
  }
  else if (key == "slabBlock")
  {
    policy.slabBlock = ParseOneOf(key, value, { 1, 2, 4, 8, 16, 32, 64 });
  }
  else if (key == "derivativePixels")
  {
    policy.derivativePixels = ParsePositive<std::int64_t>(key, value);
  }
  else if (key == "josephSlopeLimit")
  {
    policy.josephSlopeLimit = ParsePositive<double>(key, value);
  }
  else if (key == "transmissionTilePixels")
  {
    policy.transmissionTilePixels = ParsePositive<std::int64_t>(key, value);
  }
  else if (key == "streamingStoreBytes")
  {
    policy.streamingStoreBytes = ParsePositive<std::int64_t>(key, value);
  }
  else
  {
    throw std::invalid_argument("The projection policy has no \"" + std::string(key) +
                                "\"; it has: " + policy.ToString() + ".");
  }
}

} // namespace

const char *
ToString(Projector projector)
{
  switch (projector)
  {
    case Projector::Joseph:
      return "joseph";
    case Projector::CellGauss:
      return "cell-gauss";
    case Projector::Siddon:
      return "siddon";
  }
  return "unknown";
}

std::string
ProjectionPolicy::ToString() const
{
  return "tileColumns=" + Format(tileColumns) + ",tileRows=" + Format(tileRows) +
         ",backProjectionSlices=" + Format(backProjectionSlices) +
         ",backProjectionBoxes=" + Format(backProjectionBoxes) + ",backProjectionSlabs=" + Format(backProjectionSlabs) +
         ",backProjectionRows=" + Format(backProjectionRows) + ",backProjectionStrip=" + Format(backProjectionStrip) +
         ",simd=" + Format(simd) + ",packetWidth=" + Format(packetWidth) + ",transposedCopy=" + Format(transposedCopy) +
         ",slabBlock=" + Format(slabBlock) + ",derivativePixels=" + Format(derivativePixels) +
         ",josephSlopeLimit=" + Format(josephSlopeLimit) + ",transmissionTilePixels=" + Format(transmissionTilePixels) +
         ",streamingStoreBytes=" + Format(streamingStoreBytes);
}

ProjectionPolicy
ParseProjectionPolicy(const std::string & text, ProjectionPolicy policy)
{
  std::string_view rest(text);
  while (!rest.empty())
  {
    const std::string_view item = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    const size_t equals = item.find('=');
    if (equals == std::string_view::npos)
    {
      throw std::invalid_argument("The projection policy is a list of key=value; \"" + std::string(item) +
                                  "\" has no value.");
    }
    Assign(policy, item.substr(0, equals), item.substr(equals + 1));
  }
  return policy;
}

ProjectionPolicy
SelectProjectionPolicy()
{
  const char * const text = std::getenv("RADIOGRAPHY_POLICY");
  return text == nullptr ? ProjectionPolicy{} : ParseProjectionPolicy(text);
}

} // namespace radiography::compute
