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
#ifndef radiography_compute_InternalExport_h
#define radiography_compute_InternalExport_h

/** Visible outside the library for this module's own tests and benchmarks; not installed, not a public interface. */
#if defined(_WIN32)
#  if defined(Radiography_EXPORTS)
#    define RADIOGRAPHY_INTERNAL_EXPORT __declspec(dllexport)
#  else
#    define RADIOGRAPHY_INTERNAL_EXPORT
#  endif
#else
#  define RADIOGRAPHY_INTERNAL_EXPORT __attribute__((visibility("default")))
#endif

#endif
