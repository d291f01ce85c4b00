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
#ifndef Pose_h
#define Pose_h

#include "Console.h"

#include "itkTransform.h"

#include <string>

namespace radiography::program
{

using PoseTransform = itk::Transform<double, 3, 3>;

/** The one transform of an ITK transform file; it maps world points to CT points.
 * \throws Failure if the file holds none, several, or one that is not three-dimensional. */
PoseTransform::Pointer
ReadPose(const std::string & path);

/** {"type", "parameters", "fixed_parameters", "matrix_world_to_ct"} of a linear transform. */
JSON
DescribePose(const PoseTransform & transform);

} // namespace radiography::program

#endif
