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
#ifndef XrayView_h
#define XrayView_h

#include "Console.h"
#include "ViewOptions.h"

#include "itkImage.h"

namespace radiography::program
{

/** The view of an X-ray image, and how it was understood. */
struct XrayView
{
  itk::RadiographGeometry::Pointer geometry;
  /** [{"quantity", "value", "source"}] */
  JSON provenance;
  /** [{"code", "message"}] */
  JSON problems;
  /** One line on the image for people. */
  std::string title;
};

/** Reads the header of `options.like`. An isocentre that the file does not know is `defaultIsocenter`, if there is one.
 * \throws Failure naming all that is missing or contradictory; the hint names the options that help. */
XrayView
ReadXrayView(const ViewOptions & options, const std::optional<itk::Point<double, 3>> & defaultIsocenter);

/** What a folder's list says of an X-ray image. */
struct XraySummary
{
  /** {"path", "sop_class", "columns", "rows", "frames", "pixels_are", "view_is_known", "needs": [options],
   * "problems": [{"code", "message"}]}, or {"path", "error"}. */
  JSON report;
  /** The same for people. */
  std::string line;
};

/** `path` is shown instead of `file`. Never throws for what the file is. */
XraySummary
SummarizeXray(const std::string & file, const std::string & path);

/** An X-ray image with its pixels. */
struct XrayImage
{
  XrayView                              view;
  itk::Image<float, 3>::Pointer         image;
  itk::Image<unsigned char, 3>::Pointer mask;
};

/** Reads all of `options.like`. With `geometry` (a view file) the file's own view is not asked for. */
XrayImage
ReadXrayImage(const ViewOptions &                          options,
              const std::optional<itk::Point<double, 3>> & defaultIsocenter,
              const itk::RadiographGeometry *              geometry);

} // namespace radiography::program

#endif
