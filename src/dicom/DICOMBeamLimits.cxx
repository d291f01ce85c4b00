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
#include "dicom/DICOMBeamLimits.h"

#include "dicom/DICOMTagReader.h"

#include <algorithm>
#include <cmath>

namespace radiography::dicom
{
namespace
{

/** More is no collimator, and would cost time. */
constexpr std::size_t MostPairs = 1024;

[[noreturn]] void
RefuseDevice(const DcmTagKey & tag, const std::string & why)
{
  throw FileError("beam-limits-not-read", TagName(tag) + " " + why);
}

/** All lower sides come first, then all upper ones. */
void
ReadPositions(DcmItem & item, JawsOrLeaves & device)
{
  const auto        positions = DecimalsOf(item, DCM_LeafJawPositions);
  const std::size_t pairs = device.boundaries.empty() ? 1 : device.boundaries.size() - 1;
  if (positions.size() != 2 * pairs)
  {
    RefuseDevice(DCM_LeafJawPositions,
                 "has " + std::to_string(positions.size()) + " values for " + std::to_string(pairs) + " pair(s)");
  }
  const auto middle = positions.begin() + static_cast<std::ptrdiff_t>(pairs);
  device.lower.assign(positions.begin(), middle);
  device.upper.assign(middle, positions.end());
  for (std::size_t i = 0; i < pairs; ++i)
  {
    if (device.lower[i] > device.upper[i])
    {
      RefuseDevice(DCM_LeafJawPositions, "has a pair whose sides have passed each other");
    }
  }
}

JawsOrLeaves
ReadDevice(DcmItem & item)
{
  const auto   type = TextOf(item, DCM_RTBeamLimitingDeviceType);
  const bool   isJaw = type == "X" || type == "Y" || type == "ASYMX" || type == "ASYMY";
  const bool   isLeaves = type == "MLCX" || type == "MLCY";
  JawsOrLeaves device;
  if (!isJaw && !isLeaves)
  {
    RefuseDevice(DCM_RTBeamLimitingDeviceType, "is \"" + type + "\"");
  }
  device.movesAlongX = type.back() == 'X';
  if (isLeaves)
  {
    device.boundaries = DecimalsOf(item, DCM_LeafPositionBoundaries);
    const bool isSorted = std::is_sorted(device.boundaries.begin(), device.boundaries.end());
    if (device.boundaries.size() < 2 || device.boundaries.size() > MostPairs + 1 || !isSorted)
    {
      RefuseDevice(DCM_LeafPositionBoundaries,
                   "has " + std::to_string(device.boundaries.size()) + " values" + (isSorted ? "" : ", not in order"));
    }
  }
  ReadPositions(item, device);
  return device;
}

} // namespace

bool
JawsOrLeaves::IsOpen(double along, double across) const
{
  std::size_t pair = 0;
  if (!boundaries.empty())
  {
    const auto above = std::upper_bound(boundaries.begin(), boundaries.end(), across);
    if (above == boundaries.begin() || above == boundaries.end())
    {
      return false;
    }
    pair = static_cast<std::size_t>(above - boundaries.begin()) - 1;
  }
  return along > lower[pair] && along < upper[pair];
}

bool
BeamLimits::IsOpen(const itk::RadiographGeometry::PointType & point) const
{
  const auto   way = point - source;
  const double depth = -(way * z);
  // Where the ray meets the plane through the isocenter.
  const double scale = sourceAxisDistance / depth;
  const double atX = way * x * scale;
  const double atY = way * y * scale;
  return std::all_of(devices.begin(), devices.end(), [atX, atY](const JawsOrLeaves & device) {
    return device.movesAlongX ? device.IsOpen(atX, atY) : device.IsOpen(atY, atX);
  });
}

BeamLimits
ReadBeamLimits(DcmItem &          exposure,
               const GantryAxes & axes,
               double             sourceAxisDistance,
               double             angle,
               Findings &         findings)
{
  BeamLimits limits;
  limits.source = axes.source;
  limits.x = axes.x * std::cos(angle) + axes.y * std::sin(angle);
  limits.y = axes.y * std::cos(angle) - axes.x * std::sin(angle);
  limits.z = axes.z;
  limits.sourceAxisDistance = sourceAxisDistance;
  DcmItem * item = nullptr;
  for (long i = 0; exposure.findAndGetSequenceItem(DCM_BeamLimitingDeviceSequence, item, i).good() && item != nullptr;
       ++i)
  {
    try
    {
      limits.devices.push_back(ReadDevice(*item));
      findings.Know("opening", TextOf(*item, DCM_RTBeamLimitingDeviceType), TagName(DCM_BeamLimitingDeviceSequence));
    }
    catch (const FileError & error)
    {
      findings.Warn(error.GetCode(), std::string(error.what()) + ": the mask leaves this collimator out");
    }
  }
  return limits;
}

} // namespace radiography::dicom
