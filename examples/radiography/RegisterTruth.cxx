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
#include "RegisterTruth.h"

#include "CTInput.h"
#include "Errors.h"

#include <algorithm>
#include <fstream>

namespace radiography::program
{
namespace
{

Targets
ReadTargets(const std::string & path)
{
  std::ifstream file(path, std::ios::binary);
  if (!file)
  {
    throw Failure("there is no file of targets " + path);
  }
  Targets targets;
  targets.source = path;
  try
  {
    const auto truth = JSON::parse(file);
    for (const auto & target : truth.at("targets"))
    {
      const auto & center = target.at("center_mm");
      targets.points.emplace_back();
      for (unsigned int axis = 0; axis < 3; ++axis)
      {
        targets.points.back()[axis] = center.at(axis).get<double>();
      }
    }
  }
  catch (const JSON::exception & error)
  {
    throw Failure(path + " is no file of targets: " + error.what(),
                  R"(expected: {"targets": [{"center_mm": [x, y, z]}, ...]})");
  }
  if (targets.points.empty())
  {
    throw Failure(path + " holds no targets");
  }
  return targets;
}

Targets
SpreadTargets(const itk::ImageBase<3> & ct)
{
  Targets      targets;
  const auto & region = ct.GetLargestPossibleRegion();
  for (int k = 0; k < 27; ++k)
  {
    const int                       steps[3] = { k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1 };
    itk::ContinuousIndex<double, 3> index;
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      const auto size = static_cast<double>(region.GetSize(axis));
      index[axis] = static_cast<double>(region.GetIndex(axis)) + 0.5 * (size - 1.0) + steps[axis] * size / 3.0;
    }
    targets.points.emplace_back();
    ct.TransformContinuousIndexToPhysicalPoint(index, targets.points.back());
  }
  targets.source = "27 points a third of the CT's size apart";
  return targets;
}

/** The pose of the CT in the world: the transform goes the other way. */
PoseTransform::InverseTransformBasePointer
WorldFromCT(const PoseTransform & pose)
{
  auto inverse = pose.GetInverseTransform();
  if (!inverse)
  {
    throw Failure("the transform " + pose.GetTransformTypeAsString() + " has no inverse, so its error has no mm");
  }
  return inverse;
}

} // namespace

Targets
MakeTargets(const std::string & path, const itk::ImageBase<3> & ct)
{
  return path.empty() ? SpreadTargets(ct) : ReadTargets(path);
}

TargetError
MeasureTargetError(const Targets & targets, const PoseTransform & pose, const PoseTransform & truth)
{
  const auto  found = WorldFromCT(pose);
  const auto  right = WorldFromCT(truth);
  TargetError error{ 0.0, 0.0 };
  for (const auto & point : targets.points)
  {
    const double distance = found->TransformPoint(point).EuclideanDistanceTo(right->TransformPoint(point));
    error.mean += distance / static_cast<double>(targets.points.size());
    error.largest = std::max(error.largest, distance);
  }
  return error;
}

} // namespace radiography::program
