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
#include <limits>

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

/** What the sketch shows, world mm. */
struct Scene
{
  std::vector<PointType> box;
  std::vector<PointType> detector;
  PointType              source;
  PointType              principalHit;
  PointType              center;

  std::vector<PointType>
  All() const
  {
    auto all = box;
    all.insert(all.end(), detector.begin(), detector.end());
    all.push_back(source);
    return all;
  }
};

Scene
MakeScene(const itk::RadiographGeometry & view, const itk::ImageBase<3> & ct)
{
  const auto principal = view.GetPrincipalPoint();
  return { Corners(ct, false),
           Corners(*view.MakeDetectorImage(), true),
           view.GetSource(),
           view.GetPixelCenter(principal[0], principal[1]),
           GridCenter(ct) };
}

Point2
Flatten(const Aspect & aspect, const PointType & world)
{
  return { world[aspect.rightAxis], aspect.downSign * world[aspect.downAxis] };
}

std::pair<Point2, Point2>
FlatBounds(const Aspect & aspect, const std::vector<PointType> & content)
{
  Point2 low = Flatten(aspect, content.front());
  Point2 high = low;
  for (const auto & point : content)
  {
    const auto flat = Flatten(aspect, point);
    for (std::size_t i = 0; i < 2; ++i)
    {
      low[i] = std::min(low[i], flat[i]);
      high[i] = std::max(high[i], flat[i]);
    }
  }
  return { low, high };
}

/** A place on the paper: the upper left corner, width and height, labels not counted. */
struct Frame
{
  Point2 corner;
  Point2 size;
};

/** World mm to a place on the paper. */
class Paper
{
public:
  Paper(const Aspect & aspect, const std::vector<PointType> & content, const Frame & frame)
    : m_Aspect(aspect)
  {
    const auto [low, high] = FlatBounds(aspect, content);
    m_Scale =
      std::min(frame.size[0] / std::max(high[0] - low[0], 1.0), frame.size[1] / std::max(high[1] - low[1], 1.0));
    for (std::size_t i = 0; i < 2; ++i)
    {
      m_Shift[i] = frame.corner[i] + 0.5 * frame.size[i] - 0.5 * m_Scale * (low[i] + high[i]);
    }
  }

  Point2
  operator()(const PointType & world) const
  {
    const auto flat = Flatten(m_Aspect, world);
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
  Aspect m_Aspect;
  double m_Scale{ 1.0 };
  Point2 m_Shift{};
};

constexpr double SketchEdge = 300.0;
constexpr double SketchMargin = 40.0;

/** The height that an aspect needs if neither side is longer than SketchEdge. */
double
SketchHeight(const Aspect & aspect, const Scene & scene)
{
  const auto [low, high] = FlatBounds(aspect, scene.All());
  const double width = high[0] - low[0];
  const double height = high[1] - low[1];
  return std::max(100.0, SketchEdge * height / std::max({ width, height, 1.0 }));
}

void
DrawScene(Drawing & drawing, const Scene & scene, const Paper & paper)
{
  drawing.Polygon(Hull(paper(scene.box)), "#e8eef4", Grey);
  for (const auto & end : paper(scene.detector))
  {
    drawing.Line(paper(scene.source), end, "#d9a441", 0.8);
  }
  drawing.Line(paper(scene.source), paper(scene.principalHit), "#d9a441", 1.0, "5 4");
  drawing.Polygon(Hull(paper(scene.detector)), "#c9dcee", Blue);
  drawing.Dot(paper(scene.source), 5.0, Red);
  const auto middle = paper(scene.center);
  drawing.Line({ middle[0] - 6, middle[1] }, { middle[0] + 6, middle[1] }, Dark, 1.2);
  drawing.Line({ middle[0], middle[1] - 6 }, { middle[0], middle[1] + 6 }, Dark, 1.2);
}

void
LabelScene(Drawing & drawing, const Scene & scene, const Paper & paper, double middleOfFrame)
{
  const auto labelBeside = [&](const PointType & world, const std::string & text, const std::string & color) {
    const auto at = paper(world);
    const bool leftHalf = at[0] < middleOfFrame;
    drawing.Write({ at[0] + (leftHalf ? 10.0 : -10.0), at[1] - 9.0 }, text, leftHalf ? "start" : "end", color);
  };
  labelBeside(scene.source, "source", Red);
  labelBeside(scene.principalHit, "detector", Blue);
  const auto middle = paper(scene.center);
  drawing.Write({ middle[0], middle[1] + 20 }, "CT centre", "middle", Dark);
}

/** One aspect with the letters of the patient's sides around it and its title below. */
void
DrawAspect(Drawing & drawing, const Aspect & aspect, const Scene & scene, const Frame & frame)
{
  const double left = frame.corner[0];
  const double top = frame.corner[1];
  const double right = left + frame.size[0];
  const double bottom = top + frame.size[1];
  const double middleX = (left + right) / 2;
  const double middleY = (top + bottom) / 2;
  const Paper  paper(aspect, scene.All(), frame);
  DrawScene(drawing, scene, paper);
  LabelScene(drawing, scene, paper, middleX);

  drawing.Write({ left - 26, middleY + 4 }, aspect.left, "middle", Grey);
  drawing.Write({ right + 26, middleY + 4 }, aspect.right, "middle", Grey);
  drawing.Write({ middleX, top - 22 }, aspect.top, "middle", Grey);
  drawing.Write({ middleX, bottom + 30 }, aspect.bottom, "middle", Grey);
  drawing.Write({ middleX, bottom + 54 }, aspect.title, "middle", Dark);
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

/** A frame with axes; y starts at zero unless said otherwise. */
class Chart
{
public:
  Chart(const std::string & description, double xLow, double xHigh, double yHigh, double yLow = 0.0)
    : m_Drawing(Width, Height, description)
    , m_XLow(xLow)
    , m_XHigh(xHigh > xLow ? xHigh : xLow + 1.0)
    , m_YLow(yLow)
    , m_YHigh(yHigh > yLow ? yHigh : yLow + 1.0)
  {}

  Point2
  At(double x, double y) const
  {
    return { Left + (x - m_XLow) / (m_XHigh - m_XLow) * (Width - Left - Right),
             Height - Bottom - (y - m_YLow) / (m_YHigh - m_YLow) * (Height - Top - Bottom) };
  }

  void
  DrawAxes(const std::string & xTitle, const std::string & yTitle)
  {
    const double yStep = NiceStep(m_YHigh - m_YLow);
    for (double y = std::ceil(m_YLow / yStep) * yStep; y <= m_YHigh + 1e-4 * yStep; y += yStep)
    {
      m_Drawing.Line(At(m_XLow, y), At(m_XHigh, y), "#e6eaee", 1.0);
      m_Drawing.Write({ Left - 8, At(0, y)[1] + 4 }, TickText(y), "end", Grey);
    }
    const double xStep = NiceStep(m_XHigh - m_XLow);
    for (double x = std::ceil(m_XLow / xStep) * xStep; x <= m_XHigh + 1e-9 * xStep; x += xStep)
    {
      const auto foot = At(x, m_YLow);
      m_Drawing.Line(foot, { foot[0], foot[1] + 5 }, Grey, 1.0);
      m_Drawing.Write({ foot[0], foot[1] + 18 }, TickText(x), "middle", Grey);
    }
    m_Drawing.Line(At(m_XLow, m_YLow), At(m_XHigh, m_YLow), Grey, 1.0);
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
  double  m_YLow;
  double  m_YHigh;
};

} // namespace

std::string
DrawGeometry(const itk::RadiographGeometry & view, const itk::ImageBase<3> & ct)
{
  const Aspect fromFeet{ "axial: seen from the feet", 0, 1, 1.0, "R", "L", "A", "P" };
  const Aspect fromLeft{ "sagittal: seen from the patient's left", 1, 2, -1.0, "A", "P", "H", "F" };
  const Aspect fromFront{ "coronal: seen from the front", 0, 2, -1.0, "R", "L", "H", "F" };
  const auto   scene = MakeScene(view, ct);
  // From the side, but not along the beam.
  const auto   beam = scene.principalHit - scene.source;
  const auto & fromSide = std::abs(beam[0]) > std::abs(beam[1]) ? fromFront : fromLeft;

  const Point2 size{ SketchEdge, std::max(SketchHeight(fromFeet, scene), SketchHeight(fromSide, scene)) };
  Drawing      drawing(800,
                  size[1] + 2 * SketchMargin + 24,
                  "Geometry of the view: source, rays, CT box and detector, seen from the feet and from the side");
  DrawAspect(drawing, fromFeet, scene, { { 50, SketchMargin }, size });
  DrawAspect(drawing, fromSide, scene, { { 450, SketchMargin }, size });
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

std::string
DrawIterations(const std::vector<std::vector<double>> & parts, const std::string & axisTitle)
{
  // Decades below the smallest positive value say nothing.
  double      low = std::numeric_limits<double>::max();
  double      high = std::numeric_limits<double>::lowest();
  std::size_t steps = 0;
  for (const auto & part : parts)
  {
    steps += part.size();
    for (const double value : part)
    {
      if (value > 0.0 && std::isfinite(value))
      {
        low = std::min(low, std::log10(value));
        high = std::max(high, std::log10(value));
      }
    }
  }
  if (low > high)
  {
    low = high = 0.0;
  }
  Chart chart(axisTitle + " over the optimizer's steps",
              0.0,
              static_cast<double>(std::max<std::size_t>(steps, 2)) - 1.0,
              std::ceil(high + 0.05),
              std::floor(low - 0.05));
  chart.DrawAxes("step, all levels", "log10 of " + axisTitle);
  const char * const colors[] = { Blue, Red, "#2f8f4e", "#d98324" };
  double             step = 0.0;
  for (std::size_t part = 0; part < parts.size(); ++part)
  {
    std::vector<Point2> curve;
    for (const double value : parts[part])
    {
      const bool drawn = value > 0.0 && std::isfinite(value);
      curve.push_back(chart.At(step, drawn ? std::log10(value) : std::floor(low - 0.05)));
      chart.Draw().Dot(curve.back(), 2.2, colors[part % 4]);
      step += 1.0;
    }
    chart.Draw().Curve(curve, colors[part % 4]);
  }
  return chart.Draw().Finish();
}

} // namespace radiography::program
