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
#ifndef radiography_kernel_HostDevice_h
#define radiography_kernel_HostDevice_h

/** Marks a numerical body that is compiled for the CPU and, by nvcc, for a device as well. */
#if defined(__CUDACC__)
#  define RADIOGRAPHY_HD __host__ __device__
#else
#  define RADIOGRAPHY_HD
#endif

#endif
