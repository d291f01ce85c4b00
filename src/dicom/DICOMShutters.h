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
#ifndef radiography_dicom_DICOMShutters_h
#define radiography_dicom_DICOMShutters_h

#include "dicom/DICOMFindings.h"

#include <array>
#include <vector>

namespace radiography::dicom
{

/** Where the image is open, in rows and columns counted from 1 as in the tags (PS3.3 C.7.6.11 and C.8.7.3). */
struct ShutterRectangle
{
  double left{ 0.0 };
  double right{ 0.0 };
  double upper{ 0.0 };
  double lower{ 0.0 };
};
struct ShutterCircle
{
  double row{ 0.0 };
  double column{ 0.0 };
  /** In steps between columns. */
  double radius{ 0.0 };
};
struct ShutterPolygon
{
  /** Row, column. */
  std::vector<std::array<double, 2>> vertices;
};

/** The openings of all shutters and collimators of an image: a pixel is open if it lies within each. */
struct Shutters
{
  std::vector<ShutterRectangle> rectangles;
  std::vector<ShutterCircle>    circles;
  std::vector<ShutterPolygon>   polygons;
};

/** Shutter and collimator tags. One that cannot be understood is left out, with a warning. */
Shutters
ReadShutters(Findings & findings);

/** Sets to 0 the pixels of a row (counted from 0) whose centre lies on the edge of an opening or outside. `aspect` is
 * the step between rows by the step between columns. */
void
CloseRow(const Shutters & shutters, std::size_t row, std::size_t columns, double aspect, unsigned char * open);

} // namespace radiography::dicom

#endif
