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
#ifndef itkVolumeView_h
#define itkVolumeView_h

#include "kernel/VolumeView.h"

#include "itkImage.h"

namespace itk
{

/** The plain view of an image's memory that goes downstairs; the image must outlive it. */
inline radiography::kernel::VolumeView
MakeVolumeView(const Image<float, 3> & image)
{
  const auto size = image.GetBufferedRegion().GetSize();
  return radiography::kernel::MakeVolumeView(image.GetBufferPointer(),
                                             static_cast<std::int64_t>(size[0]),
                                             static_cast<std::int64_t>(size[1]),
                                             static_cast<std::int64_t>(size[2]));
}

} // namespace itk

#endif
