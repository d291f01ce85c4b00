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
#include "Figures.h"

#include "HTMLPage.h"
#include "Numbers.h"

#include "itkImageRegionConstIterator.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace radiography::program
{
namespace
{

using Point2 = std::array<double, 2>;
using PointType = itk::Point<double, 3>;

const char * const Grey = "#8493a1";
const char * const Dark = "#1d2733";
const char * const Blue = "#1f6fb2";
const char * const Red = "#b3372b";

std::string
N(double value)
{
  return ToFixedText(value, 1);
}

/** SVG text, element by element. */
class Drawing
{
public:
  Drawing(double width, double height, const std::string & description)
    : m_Text("<svg viewBox=\"0 0 " + N(width) + " " + N(height) + "\" role=\"img\" aria-label=\"" +
             Escape(description) + "\">\n")
  {}

  void
  Line(const Point2 & from, const Point2 & to, const std::string & color, double width, const std::string & dashes = {})
  {
    m_Text += "<line x1=\"" + N(from[0]) + "\" y1=\"" + N(from[1]) + "\" x2=\"" + N(to[0]) + "\" y2=\"" + N(to[1]) +
              "\" stroke=\"" + color + "\" stroke-width=\"" + N(width) + "\"" +
              (dashes.empty() ? "" : " stroke-dasharray=\"" + dashes + "\"") + "/>\n";
  }

  void
  Polygon(const std::vector<Point2> & points, const std::string & fill, const std::string & stroke)
  {
    m_Text += "<polygon points=\"" + List(points) + "\" fill=\"" + fill + "\" stroke=\"" + stroke +
              "\" stroke-linejoin=\"round\"/>\n";
  }

  void
  Curve(const std::vector<Point2> & points, const std::string & color)
  {
    m_Text += "<polyline points=\"" + List(points) + "\" fill=\"none\" stroke=\"" + color +
              "\" stroke-width=\"1.4\" stroke-linejoin=\"round\"/>\n";
  }

  void
  Dot(const Point2 & center, double radius, const std::string & color)
  {
    m_Text += "<circle cx=\"" + N(center[0]) + "\" cy=\"" + N(center[1]) + "\" r=\"" + N(radius) + "\" fill=\"" +
              color + "\"/>\n";
  }

  void
  Bar(const Point2 & corner, double width, double height, const std::string & color)
  {
    m_Text += "<rect x=\"" + N(corner[0]) + "\" y=\"" + N(corner[1]) + "\" width=\"" + N(width) + "\" height=\"" +
              N(height) + "\" fill=\"" + color + "\"/>\n";
  }

  void
  Write(const Point2 &      at,
        const std::string & text,
        const std::string & anchor,
        const std::string & color,
        const std::string & transform = {})
  {
    // A white rim keeps text readable over lines.
    m_Text += "<text x=\"" + N(at[0]) + "\" y=\"" + N(at[1]) + "\" text-anchor=\"" + anchor + "\" fill=\"" + color +
              "\" stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\"" +
              (transform.empty() ? "" : " transform=\"" + transform + "\"") + ">" + Escape(text) + "</text>\n";
  }

  std::string
  Finish() const
  {
    return m_Text + "</svg>\n";
  }

private:
  static std::string
  List(const std::vector<Point2> & points)
  {
    std::string list;
    for (const auto & point : points)
    {
      list += N(point[0]) + "," + N(point[1]) + " ";
    }
    return list;
  }

  std::string m_Text;
};

double
Cross(const Point2 & o, const Point2 & a, const Point2 & b)
{
  return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
}

/** The convex hull (Andrew's monotone chain). */
std::vector<Point2>
Hull(std::vector<Point2> points)
{
  std::sort(points.begin(), points.end());
  std::vector<Point2> hull;
  for (int pass = 0; pass < 2; ++pass)
  {
    const auto start = hull.size();
    for (const auto & point : points)
    {
      while (hull.size() >= start + 2 && Cross(hull[hull.size() - 2], hull.back(), point) <= 0.0)
      {
        hull.pop_back();
      }
      hull.push_back(point);
    }
    hull.pop_back();
    std::reverse(points.begin(), points.end());
  }
  return hull;
}

/** The outer corners of a grid: of its cells, not of its centres. */
std::vector<PointType>
Corners(const itk::ImageBase<3> & grid, bool oneSlice)
{
  const auto &           region = grid.GetLargestPossibleRegion();
  std::vector<PointType> corners;
  for (int corner = 0; corner < (oneSlice ? 4 : 8); ++corner)
  {
    itk::ContinuousIndex<double, 3> index;
    for (unsigned int i = 0; i < 3; ++i)
    {
      const bool   far = ((corner >> i) & 1) != 0;
      const double half = oneSlice && i == 2 ? 0.0 : 0.5;
      const auto   first = static_cast<double>(region.GetIndex(i));
      index[i] = far ? first + static_cast<double>(region.GetSize(i)) - half : first - half;
    }
    PointType point;
    grid.TransformContinuousIndexToPhysicalPoint(index, point);
    corners.push_back(point);
  }
  return corners;
}

/** One of the two projections of the sketch: which world axes go right and down on the paper. */
struct Aspect
{
  std::string  title;
  unsigned int rightAxis;
  unsigned int downAxis;
  double       downSign;
  std::string  left;
  std::string  right;
  std::string  top;
  std::string  bottom;
};

/** World mm to a frame on the paper. */
class Paper
{
public:
  Paper(const Aspect & aspect, const std::vector<PointType> & content, const Point2 & corner, double edge)
    : m_Aspect(aspect)
  {
    Point2 low = Flatten(content.front());
    Point2 high = low;
    for (const auto & point : content)
    {
      const auto flat = Flatten(point);
      for (std::size_t i = 0; i < 2; ++i)
      {
        low[i] = std::min(low[i], flat[i]);
        high[i] = std::max(high[i], flat[i]);
      }
    }
    m_Scale = edge / std::max({ high[0] - low[0], high[1] - low[1], 1.0 });
    for (std::size_t i = 0; i < 2; ++i)
    {
      m_Shift[i] = corner[i] + 0.5 * edge - 0.5 * m_Scale * (low[i] + high[i]);
    }
  }

  Point2
  operator()(const PointType & world) const
  {
    const auto flat = Flatten(world);
    return { m_Shift[0] + m_Scale * flat[0], m_Shift[1] + m_Scale * flat[1] };
  }

  std::vector<Point2>
  operator()(const std::vector<PointType> & points) const
  {
    std::vector<Point2> flat;
    for (const auto & point : points)
    {
      flat.push_back((*this)(point));
    }
    return flat;
  }

private:
  Point2
  Flatten(const PointType & world) const
  {
    return { world[m_Aspect.rightAxis], m_Aspect.downSign * world[m_Aspect.downAxis] };
  }

  Aspect m_Aspect;
  double m_Scale{ 1.0 };
  Point2 m_Shift{};
};

void
DrawAspect(Drawing &                       drawing,
           const Aspect &                  aspect,
           const itk::RadiographGeometry & view,
           const itk::ImageBase<3> &       ct,
           const Point2 &                  corner)
{
  constexpr double edge = 300.0;
  constexpr double margin = 40.0;
  const auto       box = Corners(ct, false);
  const auto       detector = Corners(*view.MakeDetectorImage(), true);
  const auto       source = view.GetSource();
  const auto       center = GridCenter(ct);
  auto             content = box;
  content.insert(content.end(), detector.begin(), detector.end());
  content.push_back(source);
  const Paper paper(aspect, content, { corner[0] + margin, corner[1] + margin }, edge);

  drawing.Polygon(Hull(paper(box)), "#e8eef4", Grey);
  for (const auto & end : paper(detector))
  {
    drawing.Line(paper(source), end, "#d9a441", 0.8);
  }
  const auto principal = view.GetPrincipalPoint();
  drawing.Line(paper(source), paper(view.GetPixelCenter(principal[0], principal[1])), "#d9a441", 1.0, "5 4");
  drawing.Polygon(Hull(paper(detector)), "#c9dcee", Blue);
  drawing.Dot(paper(source), 5.0, Red);
  const auto middle = paper(center);
  drawing.Line({ middle[0] - 6, middle[1] }, { middle[0] + 6, middle[1] }, Dark, 1.2);
  drawing.Line({ middle[0], middle[1] - 6 }, { middle[0], middle[1] + 6 }, Dark, 1.2);

  const auto labelBeside = [&](const PointType & world, const std::string & text, const std::string & color) {
    const auto at = paper(world);
    const bool leftHalf = at[0] < corner[0] + margin + edge / 2;
    drawing.Write({ at[0] + (leftHalf ? 10.0 : -10.0), at[1] - 8.0 }, text, leftHalf ? "start" : "end", color);
  };
  labelBeside(source, "source", Red);
  labelBeside(view.GetPixelCenter(principal[0], principal[1]), "detector", Blue);
  drawing.Write({ middle[0] + 9, middle[1] - 7 }, "centre", "start", Dark);

  const double far = 2 * margin + edge;
  drawing.Write({ corner[0] + far / 2, corner[1] + far + 14 }, aspect.title, "middle", Dark);
  drawing.Write({ corner[0] + 14, corner[1] + far / 2 + 4 }, aspect.left, "middle", Grey);
  drawing.Write({ corner[0] + far - 14, corner[1] + far / 2 + 4 }, aspect.right, "middle", Grey);
  drawing.Write({ corner[0] + far / 2, corner[1] + 18 }, aspect.top, "middle", Grey);
  drawing.Write({ corner[0] + far / 2, corner[1] + far - 8 }, aspect.bottom, "middle", Grey);
}

/** A step of 1, 2 or 5 times a power of ten that divides a range into few parts. */
double
NiceStep(double range)
{
  const double rough = std::max(range, 1e-12) / 5.0;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double lead = rough / power;
  return power * (lead <= 1.0 ? 1.0 : lead <= 2.0 ? 2.0 : lead <= 5.0 ? 5.0 : 10.0);
}

/** Whole numbers without an exponent. */
std::string
TickText(double value)
{
  const bool whole = std::abs(value - std::round(value)) < 1e-9 * std::max(1.0, std::abs(value));
  return whole && std::abs(value) < 1e9 ? ToFixedText(std::round(value), 0) : ToRoundedText(value, 4);
}

/** A frame with axes that start at zero (x may start elsewhere). */
class Chart
{
public:
  Chart(const std::string & description, double xLow, double xHigh, double yHigh)
    : m_Drawing(Width, Height, description)
    , m_XLow(xLow)
    , m_XHigh(xHigh > xLow ? xHigh : xLow + 1.0)
    , m_YHigh(yHigh > 0.0 ? yHigh : 1.0)
  {}

  Point2
  At(double x, double y) const
  {
    return { Left + (x - m_XLow) / (m_XHigh - m_XLow) * (Width - Left - Right),
             Height - Bottom - y / m_YHigh * (Height - Top - Bottom) };
  }

  void
  DrawAxes(const std::string & xTitle, const std::string & yTitle)
  {
    const double yStep = NiceStep(m_YHigh);
    for (double y = 0.0; y <= m_YHigh * 1.0001; y += yStep)
    {
      m_Drawing.Line(At(m_XLow, y), At(m_XHigh, y), "#e6eaee", 1.0);
      m_Drawing.Write({ Left - 8, At(0, y)[1] + 4 }, TickText(y), "end", Grey);
    }
    const double xStep = NiceStep(m_XHigh - m_XLow);
    for (double x = std::ceil(m_XLow / xStep) * xStep; x <= m_XHigh + 1e-9 * xStep; x += xStep)
    {
      m_Drawing.Line(At(x, 0), { At(x, 0)[0], At(x, 0)[1] + 5 }, Grey, 1.0);
      m_Drawing.Write({ At(x, 0)[0], At(x, 0)[1] + 18 }, TickText(x), "middle", Grey);
    }
    m_Drawing.Line(At(m_XLow, 0), At(m_XHigh, 0), Grey, 1.0);
    m_Drawing.Write({ (Left + Width - Right) / 2, Height - 6 }, xTitle, "middle", Dark);
    const double middle = (Height - Bottom + Top) / 2;
    m_Drawing.Write({ 14, middle }, yTitle, "middle", Dark, "rotate(-90 14 " + N(middle) + ")");
  }

  Drawing &
  Draw()
  {
    return m_Drawing;
  }

private:
  static constexpr double Width = 480.0;
  static constexpr double Height = 260.0;
  static constexpr double Left = 62.0;
  static constexpr double Right = 14.0;
  static constexpr double Top = 14.0;
  static constexpr double Bottom = 46.0;

  Drawing m_Drawing;
  double  m_XLow;
  double  m_XHigh;
  double  m_YHigh;
};

} // namespace

std::string
DrawGeometry(const itk::RadiographGeometry & view, const itk::ImageBase<3> & ct)
{
  Drawing drawing(800, 410, "Geometry of the view: source, rays, CT box and detector, from above and from the side");
  const Aspect fromFeet{ "axial: seen from the feet", 0, 1, 1.0, "R", "L", "A", "P" };
  const Aspect fromLeft{ "sagittal: seen from the patient's left", 1, 2, -1.0, "A", "P", "H", "F" };
  const Aspect fromFront{ "coronal: seen from the front", 0, 2, -1.0, "R", "L", "H", "F" };
  // From the side, but not along the beam.
  const auto principal = view.GetPrincipalPoint();
  const auto beam = view.GetPixelCenter(principal[0], principal[1]) - view.GetSource();
  DrawAspect(drawing, fromFeet, view, ct, { 5, 0 });
  DrawAspect(drawing, std::abs(beam[0]) > std::abs(beam[1]) ? fromFront : fromLeft, view, ct, { 410, 0 });
  return drawing.Finish();
}

std::string
DrawHistogram(const RadiographImage & image, double least, const std::string & axisTitle)
{
  constexpr std::size_t    bins = 80;
  const auto               summary = Summarize(image);
  const double             width = std::max(summary.max, 1e-6) / bins;
  std::array<double, bins> counts{};
  for (itk::ImageRegionConstIterator<RadiographImage> pixel(&image, image.GetLargestPossibleRegion()); !pixel.IsAtEnd();
       ++pixel)
  {
    if (pixel.Get() >= least)
    {
      const auto bin = static_cast<std::size_t>(pixel.Get() / width);
      counts[std::min(bin, bins - 1)] += 1.0;
    }
  }
  const double highest = *std::max_element(counts.begin(), counts.end());
  Chart        chart("Histogram of " + axisTitle, 0.0, width * bins, highest);
  chart.DrawAxes(axisTitle, "pixels");
  for (std::size_t bin = 0; bin < bins; ++bin)
  {
    const auto low = chart.At(width * static_cast<double>(bin), counts[bin]);
    const auto high = chart.At(width * static_cast<double>(bin + 1), 0.0);
    chart.Draw().Bar(low, std::max(0.5, high[0] - low[0] - 0.5), high[1] - low[1], Blue);
  }
  return chart.Draw().Finish();
}

std::string
DrawRowProfile(const RadiographImage & image, const std::string & axisTitle)
{
  auto       index = image.GetLargestPossibleRegion().GetIndex();
  const auto size = image.GetLargestPossibleRegion().GetSize();
  const auto firstColumn = index[0];
  index[1] += static_cast<itk::IndexValueType>(size[1] / 2);
  std::vector<double> values;
  for (itk::SizeValueType column = 0; column < size[0]; ++column)
  {
    index[0] = firstColumn + static_cast<itk::IndexValueType>(column);
    values.push_back(image.GetPixel(index));
  }
  const double highest = *std::max_element(values.begin(), values.end());
  const auto   last = static_cast<double>(size[0]) - 1.0;
  Chart        chart("Profile of " + axisTitle + " along the middle row", 0.0, last, highest);
  chart.DrawAxes("column, in row " + std::to_string(size[1] / 2), axisTitle);
  std::vector<Point2> curve;
  for (std::size_t column = 0; column < values.size(); ++column)
  {
    curve.push_back(chart.At(static_cast<double>(column), values[column]));
  }
  chart.Draw().Curve(curve, Blue);
  return chart.Draw().Finish();
}

} // namespace radiography::program
