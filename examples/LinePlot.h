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
#ifndef LinePlot_h
#define LinePlot_h

#include <cmath>
#include <locale>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

/** A small SVG plot: axes, curves clipped to them, and a legend. Several stand side by side in one drawing. */
class LinePlot
{
public:
  using Points = std::vector<std::pair<double, double>>;

  struct Axis
  {
    std::string         title;
    double              from;
    double              to;
    std::vector<double> ticks;
    bool                isLogarithmic{ false };
  };

  static constexpr double Width = 430.0;
  static constexpr double Height = 400.0;

  LinePlot(int place, const std::string & title, Axis x, Axis y)
    : m_Left(place * Width + 62.0)
    , m_Clip("plot" + std::to_string(place))
    , m_X(std::move(x))
    , m_Y(std::move(y))
  {
    m_Text.imbue(std::locale::classic());
    m_Text << "<clipPath id=\"" << m_Clip << "\">" << Box() << "/></clipPath>\n"
           << Box() << " fill=\"#fff\" stroke=\"#8493a1\"/>\n";
    Label(m_Left + Side / 2, Top - 14, "middle", title, 15);
    Label(m_Left + Side / 2, Top + Side + 38, "middle", m_X.title);
    m_Text << "<g transform=\"rotate(-90)\">";
    Label(-(Top + Side / 2), m_Left - 42, "middle", m_Y.title);
    m_Text << "</g>\n";
    for (const double tick : m_X.ticks)
    {
      Line(X(tick), Top + Side, X(tick), Top);
      Label(X(tick), Top + Side + 18, "middle", NumberText(tick));
    }
    for (const double tick : m_Y.ticks)
    {
      Line(m_Left, Y(tick), m_Left + Side, Y(tick));
      Label(m_Left - 8, Y(tick) + 4, "end", NumberText(tick));
    }
  }

  /** A curve with its line in the legend. `dashes` as in SVG; "none" for a full line. */
  void
  Curve(const Points & points, const std::string & color, const std::string & dashes, const std::string & name)
  {
    m_Text << "<polyline clip-path=\"url(#" << m_Clip << ")\" fill=\"none\" stroke=\"" << color
           << "\" stroke-width=\"2\" stroke-dasharray=\"" << dashes << "\" points=\"";
    for (const auto & [x, y] : points)
    {
      m_Text << X(x) << ',' << Y(y) << ' ';
    }
    const double height = Top + 18.0 + 18.0 * m_Curves++;
    m_Text << "\"/>\n<line x1=\"" << m_Left + Side - 186 << "\" x2=\"" << m_Left + Side - 160 << "\" y1=\""
           << height - 4 << "\" y2=\"" << height - 4 << "\" stroke=\"" << color
           << "\" stroke-width=\"2\" stroke-dasharray=\"" << dashes << "\"/>\n";
    Label(m_Left + Side - 154, height, "start", name);
  }

  void
  Dot(double x, double y, const std::string & color)
  {
    m_Text << "<circle cx=\"" << X(x) << "\" cy=\"" << Y(y) << "\" r=\"5\" fill=\"" << color << "\"/>\n";
  }

  std::string
  Text() const
  {
    return m_Text.str();
  }

  /** The drawing that holds the texts of plots side by side. */
  static std::string
  Drawing(const std::vector<std::string> & plots)
  {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    const double width = Width * static_cast<double>(plots.size());
    text << "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << width << ' ' << Height
         << "\" font-family=\"sans-serif\">\n<rect width=\"" << width << "\" height=\"" << Height
         << "\" fill=\"#fff\"/>\n";
    for (const std::string & plot : plots)
    {
      text << plot;
    }
    text << "</svg>\n";
    return text.str();
  }

private:
  static constexpr double Top = 36.0;
  static constexpr double Side = 314.0;

  static double
  Fraction(const Axis & axis, double value)
  {
    return axis.isLogarithmic ? std::log(value / axis.from) / std::log(axis.to / axis.from)
                              : (value - axis.from) / (axis.to - axis.from);
  }
  double
  X(double value) const
  {
    return m_Left + Side * Fraction(m_X, value);
  }
  double
  Y(double value) const
  {
    return Top + Side * (1.0 - Fraction(m_Y, value));
  }

  std::string
  Box() const
  {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text << "<rect x=\"" << m_Left << "\" y=\"" << Top << "\" width=\"" << Side << "\" height=\"" << Side << '"';
    return text.str();
  }
  static std::string
  NumberText(double value)
  {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text << value;
    return text.str();
  }
  void
  Label(double x, double y, const char * anchor, const std::string & label, int size = 12)
  {
    m_Text << "<text x=\"" << x << "\" y=\"" << y << "\" text-anchor=\"" << anchor << "\" font-size=\"" << size
           << "\" fill=\"#1d2733\">" << label << "</text>\n";
  }
  void
  Line(double x1, double y1, double x2, double y2)
  {
    m_Text << "<line x1=\"" << x1 << "\" y1=\"" << y1 << "\" x2=\"" << x2 << "\" y2=\"" << y2
           << "\" stroke=\"#d9dfe5\"/>\n";
  }

  double             m_Left;
  std::string        m_Clip;
  Axis               m_X;
  Axis               m_Y;
  std::ostringstream m_Text;
  int                m_Curves{ 0 };
};

#endif
