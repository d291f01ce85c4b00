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
#ifndef RegisterTruth_h
#define RegisterTruth_h

#include "Pose.h"

#include "itkImageBase.h"
#include "itkPoint.h"

#include <string>
#include <vector>

namespace radiography::program
{

/** Points of the CT whose places in the world tell how wrong a pose is, mm. */
struct Targets
{
  std::vector<itk::Point<double, 3>> points;
  /** Where they are from, in words. */
  std::string source;
};

/** The targets of the phantom's truth.json; without a path 27 points, a third of the CT's size apart. */
Targets
MakeTargets(const std::string & path, const itk::ImageBase<3> & ct);

/** Distances between where two poses put the targets in the world, mm (van de Kraats et al., IEEE Trans. Med. Imaging
 * 24, 2005: mTRE). */
struct TargetError
{
  double mean;
  double largest;
};

TargetError
MeasureTargetError(const Targets & targets, const PoseTransform & pose, const PoseTransform & truth);

} // namespace radiography::program

#endif
