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
#ifndef ExampleTools_h
#define ExampleTools_h

#include "itkDICOMCTVolumeReader.h"
#include "itkHounsfieldToAttenuationImageFilter.h"

#include "itkTransform.h"
#include "itkTransformFileWriter.h"

#include <functional>
#include <iostream>

/** What the examples of registration share: the CT in, the pose out, errors told. */
namespace example
{

using Image = itk::Image<float, 3>;

/** The linear attenuation coefficients of a DICOM CT at 60 keV, 1/mm. */
inline Image::Pointer
ReadAttenuation(const char * folder)
{
  auto reader = itk::DICOMCTVolumeReader::New(); // Hounsfield units
  reader->SetPath(folder);
  auto mu = itk::HounsfieldToAttenuationImageFilter<Image>::New();
  mu->SetInput(reader->GetOutput());
  mu->Update();
  return mu->GetOutput();
}

/** The middle of the voxel grid: turns about a point far away would move the CT out of the view. */
inline itk::Point<double, 3>
CenterOf(const Image * image)
{
  itk::ContinuousIndex<double, 3> middle;
  for (unsigned int axis = 0; axis < 3; ++axis)
  {
    middle[axis] = 0.5 * (static_cast<double>(image->GetLargestPossibleRegion().GetSize(axis)) - 1.0);
  }
  itk::Point<double, 3> center;
  image->TransformContinuousIndexToPhysicalPoint(middle, center);
  return center;
}

inline void
WriteTransform(const itk::Transform<double, 3, 3> * worldToCT, const char * path)
{
  auto writer = itk::TransformFileWriterTemplate<double>::New();
  writer->SetInput(worldToCT);
  writer->SetFileName(path);
  writer->Update();
}

/** Runs with the right number of arguments. \return the exit status. */
inline int
Main(int argc, char * argv[], int expected, const char * usage, const std::function<bool(char **)> & run)
{
  if (argc != expected)
  {
    std::cerr << "usage: " << usage << std::endl;
    return 2;
  }
  try
  {
    return run(argv) ? 0 : 1;
  }
  catch (const itk::ExceptionObject & error)
  {
    std::cerr << error.GetDescription() << std::endl;
    return 1;
  }
}

} // namespace example

#endif
