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
#include "dicom/DICOMShutters.h"

#include "dicom/DICOMTagReader.h"

#include <algorithm>
#include <cmath>

namespace radiography::dicom
{
namespace
{

/** The tags of a shutter and those of a collimator are alike. */
struct ShutterTags
{
  DcmTagKey shape;
  DcmTagKey left;
  DcmTagKey right;
  DcmTagKey upper;
  DcmTagKey lower;
  DcmTagKey center;
  DcmTagKey radius;
  DcmTagKey vertices;
};

/** More cannot come from a person's hand, and would cost time. */
constexpr std::size_t MostVertices = 4096;

/** \throws FileError */
void
ReadShape(const std::string & shape, const ShutterTags & tags, DcmItem & item, Shutters & shutters)
{
  if (shape == "RECTANGULAR")
  {
    shutters.rectangles.push_back({ RequiredDecimals(item, tags.left, 1)[0],
                                    RequiredDecimals(item, tags.right, 1)[0],
                                    RequiredDecimals(item, tags.upper, 1)[0],
                                    RequiredDecimals(item, tags.lower, 1)[0] });
  }
  else if (shape == "CIRCULAR")
  {
    const auto center = RequiredDecimals(item, tags.center, 2);
    shutters.circles.push_back({ center[0], center[1], RequiredDecimals(item, tags.radius, 1)[0] });
  }
  else if (shape == "POLYGONAL")
  {
    const auto values = DecimalsOf(item, tags.vertices);
    if (values.size() < 6 || values.size() % 2 != 0 || values.size() > 2 * MostVertices)
    {
      throw FileError("wrong-number-of-values",
                      TagName(tags.vertices) + " has " + std::to_string(values.size()) +
                        " values: pairs for three corners and more are expected");
    }
    ShutterPolygon polygon;
    for (std::size_t i = 0; i < values.size(); i += 2)
    {
      polygon.vertices.push_back({ values[i], values[i + 1] });
    }
    shutters.polygons.push_back(std::move(polygon));
  }
  else
  {
    throw FileError("shutter", TagName(tags.shape) + " is \"" + shape + "\"");
  }
}

void
ReadShapes(const ShutterTags & tags, Shutters & shutters, Findings & findings)
{
  const auto shapes = TextOf(findings.Item(), tags.shape);
  for (std::size_t begin = 0; begin < shapes.size();)
  {
    const std::size_t end = std::min(shapes.find('\\', begin), shapes.size());
    const auto        shape = Trimmed(std::string_view(shapes).substr(begin, end - begin));
    try
    {
      ReadShape(shape, tags, findings.Item(), shutters);
      findings.Know("opening", shape, TagName(tags.shape));
    }
    catch (const FileError & error)
    {
      findings.Warn("shutter-not-read", std::string(error.what()) + ": the mask leaves this shutter out");
    }
    begin = end + 1;
  }
}

/** Even-odd rule: the columns where the polygon's outline crosses this row, sorted. */
std::vector<double>
CrossingsOf(const ShutterPolygon & polygon, double row)
{
  std::vector<double> crossings;
  const auto &        corners = polygon.vertices;
  for (std::size_t i = 0; i < corners.size(); ++i)
  {
    const auto & a = corners[i];
    const auto & b = corners[(i + 1) % corners.size()];
    if ((a[0] <= row) != (b[0] <= row))
    {
      crossings.push_back(a[1] + (row - a[0]) / (b[0] - a[0]) * (b[1] - a[1]));
    }
  }
  std::sort(crossings.begin(), crossings.end());
  return crossings;
}

void
CloseOutside(const std::vector<double> & crossings, std::size_t columns, unsigned char * open)
{
  for (std::size_t c = 0; c < columns; ++c)
  {
    const auto column = static_cast<double>(c + 1);
    const auto passed = std::lower_bound(crossings.begin(), crossings.end(), column) - crossings.begin();
    const bool onEdge = std::binary_search(crossings.begin(), crossings.end(), column);
    if (passed % 2 == 0 || onEdge)
    {
      open[c] = 0;
    }
  }
}

void
CloseUnlessWithin(double left, double right, std::size_t columns, unsigned char * open)
{
  for (std::size_t c = 0; c < columns; ++c)
  {
    const auto column = static_cast<double>(c + 1);
    if (!(column > left) || !(column < right))
    {
      open[c] = 0;
    }
  }
}

} // namespace

Shutters
ReadShutters(Findings & findings)
{
  const ShutterTags shutter{ DCM_ShutterShape,
                             DCM_ShutterLeftVerticalEdge,
                             DCM_ShutterRightVerticalEdge,
                             DCM_ShutterUpperHorizontalEdge,
                             DCM_ShutterLowerHorizontalEdge,
                             DCM_CenterOfCircularShutter,
                             DCM_RadiusOfCircularShutter,
                             DCM_VerticesOfThePolygonalShutter };
  const ShutterTags collimator{ DCM_CollimatorShape,
                                DCM_CollimatorLeftVerticalEdge,
                                DCM_CollimatorRightVerticalEdge,
                                DCM_CollimatorUpperHorizontalEdge,
                                DCM_CollimatorLowerHorizontalEdge,
                                DCM_CenterOfCircularCollimator,
                                DCM_RadiusOfCircularCollimator,
                                DCM_VerticesOfThePolygonalCollimator };
  Shutters          shutters;
  ReadShapes(shutter, shutters, findings);
  ReadShapes(collimator, shutters, findings);
  return shutters;
}

void
CloseRow(const Shutters & shutters, std::size_t row, std::size_t columns, double aspect, unsigned char * open)
{
  const auto number = static_cast<double>(row + 1);
  for (const auto & rectangle : shutters.rectangles)
  {
    const bool isOpen = number > rectangle.upper && number < rectangle.lower;
    CloseUnlessWithin(isOpen ? rectangle.left : 0.0, isOpen ? rectangle.right : 0.0, columns, open);
  }
  for (const auto & circle : shutters.circles)
  {
    const double across = (number - circle.row) * aspect;
    const double half = std::sqrt(std::max(0.0, circle.radius * circle.radius - across * across));
    CloseUnlessWithin(circle.column - half, circle.column + half, columns, open);
  }
  for (const auto & polygon : shutters.polygons)
  {
    CloseOutside(CrossingsOf(polygon, number), columns, open);
  }
}

} // namespace radiography::dicom
