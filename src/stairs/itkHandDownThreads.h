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
#ifndef itkHandDownThreads_h
#define itkHandDownThreads_h

#include "compute/InternalExport.h"
#include "compute/ParallelFor.h"

#include "itkProcessObject.h"

namespace itk
{

/** The threads of a filter, as the callable that launchers downstairs take.
 *
 * Each finished item moves the filter's progress on, by its part of `progressWeight` (the fraction of the filter's
 * whole work that this run is), and looks at its abort flag: an abort throws itk::ProcessAborted out of the launcher.
 * The filter must outlive the callable. */
RADIOGRAPHY_INTERNAL_EXPORT radiography::compute::ParallelFor
                            HandDownThreads(ProcessObject & filter, float progressWeight = 1.0f);

/** A multithreader's threads without progress or abort, for work outside a filter. */
RADIOGRAPHY_INTERNAL_EXPORT radiography::compute::ParallelFor
                            HandDownThreads(MultiThreaderBase & multiThreader);

} // namespace itk

#endif
