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
#ifndef itkRadiographGeometryJSON_h
#define itkRadiographGeometryJSON_h

#include "itkRadiographGeometry.h"

#include <string>

namespace itk
{

/** \class RadiographGeometryJSON
 * \brief Reads and writes a view as the JSON text of a view file.
 *
 * Lengths are in mm, angles in degrees (the one place where they are: a person writes these files). A view is given by
 * source (or direction) and detector frame, by a `c_arm`, or by a `projection_matrix`; written is always the first
 * form, with numbers that read back to the same bits. Keys that are not known are errors. The format is described in
 * doc/geometry.md. The keys `provenance` and `problems`, which the program's `view` writes beside a view, are passed
 * over.
 *
 * All functions throw itk::ExceptionObject naming the key, its value and what was expected.
 *
 * \ingroup Radiography */
class Radiography_EXPORT RadiographGeometryJSON
{
public:
  static RadiographGeometry::Pointer
  Parse(const std::string & text);

  static RadiographGeometry::Pointer
  ReadFile(const std::string & path);

  static std::string
  Serialize(const RadiographGeometry * geometry);

  /** Written under a temporary name beside, then renamed. */
  static void
  WriteFile(const RadiographGeometry * geometry, const std::string & path);
};

} // namespace itk

#endif
