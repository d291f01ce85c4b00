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
#include "Pose.h"

#include "Errors.h"

#include "itkTransformFileReader.h"

#include <filesystem>

namespace radiography::program
{
namespace
{

JSON
ToJSON(const itk::OptimizerParameters<double> & parameters)
{
  JSON list = JSON::array();
  for (const double parameter : parameters)
  {
    list.push_back(parameter);
  }
  return list;
}

/** A x + b from the images of the origin and of the three axes' ends. */
JSON
DescribeMatrix(const PoseTransform & transform)
{
  const PoseTransform::InputPointType zero{};
  const auto                          offset = transform.TransformPoint(zero);
  double                              matrix[4][4]{};
  for (unsigned int column = 0; column < 3; ++column)
  {
    auto end = zero;
    end[column] = 1.0;
    const auto image = transform.TransformPoint(end);
    for (unsigned int row = 0; row < 3; ++row)
    {
      matrix[row][column] = image[row] - offset[row];
      matrix[row][3] = offset[row];
    }
  }
  matrix[3][3] = 1.0;
  return matrix;
}

} // namespace

PoseTransform::Pointer
ReadPose(const std::string & path)
{
  if (!std::filesystem::is_regular_file(path))
  {
    throw Failure("there is no transform file " + path);
  }
  const auto reader = itk::TransformFileReader::New();
  reader->SetFileName(path);
  reader->Update();
  const auto & transforms = *reader->GetTransformList();
  if (transforms.size() != 1)
  {
    throw Failure(path + " holds " + std::to_string(transforms.size()) + " transforms; one is expected",
                  "write several as one CompositeTransform");
  }
  auto * const transform = dynamic_cast<PoseTransform *>(transforms.front().GetPointer());
  if (!transform)
  {
    throw Failure("the transform of " + path + " is " + transforms.front()->GetTransformTypeAsString() +
                  "; one from three to three dimensions is expected");
  }
  return transform;
}

JSON
DescribePose(const PoseTransform & transform)
{
  return { { "type", transform.GetTransformTypeAsString() },
           { "parameters", ToJSON(transform.GetParameters()) },
           { "fixed_parameters", ToJSON(transform.GetFixedParameters()) },
           { "matrix_world_to_ct", DescribeMatrix(transform) } };
}

} // namespace radiography::program
