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
#ifndef Display_h
#define Display_h

#include "Projection.h"

#include <string>

namespace radiography::program
{

/** The optical depths that are shown black and white. */
struct Window
{
  double black{ 0.0 };
  double white{ 1.0 };
};

/** From robust percentiles of the depths behind the object; air is not counted. */
Window
ChooseWindow(const RadiographImage & depth);

/** Optical depth as a film shows it: bone white, air black; 0 to 255. */
double
FilmGrey(double depth, const Window & window);

/** The film's grey level of each pixel, on the same grid. */
RadiographImage::Pointer
ToFilm(const RadiographImage & depth, const Window & window);

/** Optical depths that would leave these counts of `openBeam` ones; half a count where there is less. */
RadiographImage::Pointer
ToDepthOfCounts(const RadiographImage & counts, double openBeam);

/** Values from `black` to `white`, raised to `gamma`, as grey levels. */
RadiographImage::Pointer
ToGrey(const RadiographImage & image, const Window & window, double gamma);

/** Writes grey levels (0 to 255) as an 8-bit picture with square pixels: first row on top. */
void
WritePNG(const RadiographImage & grey, const std::string & path);

/** Residuals in standard deviations: blue where negative, white at 0, red where positive, full colour at `limit`. */
void
WriteResidualPNG(const RadiographImage & residual, double limit, const std::string & path);

/** The window from the fraction `low` of the sorted values to the fraction `high`. */
Window
WindowOfPercentiles(const RadiographImage & image, double low, double high);

/** Fields of a chessboard, `fields` along the longer side, from two grey images of one grid. */
RadiographImage::Pointer
Chessboard(const RadiographImage & one, const RadiographImage & other, unsigned int fields);

} // namespace radiography::program

#endif
