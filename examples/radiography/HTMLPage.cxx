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
#include "HTMLPage.h"

namespace radiography::program
{
namespace
{

const char * const Head = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>)";

const char * const Style = R"(</title>
<style>
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, "Segoe UI", "Liberation Sans", Arial, sans-serif; color: #1d2733; background: #f6f7f9; margin: 0; }
main { max-width: 1160px; margin: 0 auto; padding: 28px 24px 48px; }
h1 { font-size: 30px; line-height: 1.2; margin: 0 0 4px; }
h2 { font-size: 21px; margin: 36px 0 12px; padding-top: 16px; border-top: 1px solid #d7dce2; }
p { max-width: 80ch; margin: 8px 0; }
.subtitle { color: #536271; margin: 0 0 8px; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 440px), 1fr)); gap: 20px; align-items: start; }
figure { margin: 0; background: #fff; border: 1px solid #d7dce2; border-radius: 8px; padding: 12px; }
figure.wide { grid-column: 1 / -1; }
table { margin-top: 16px; }
figcaption { color: #536271; font-size: 14px; margin-top: 8px; }
.picture { position: relative; text-align: center; line-height: 0; }
.picture img { max-width: 100%; height: auto; }
.picture span { position: absolute; color: #ffe08a; background: rgba(0, 0, 0, 0.6); border-radius: 4px; padding: 4px 6px; font: 600 15px/1 "Liberation Sans", Arial, sans-serif; }
.left { left: 8px; top: 50%; transform: translateY(-50%); }
.right { right: 8px; top: 50%; transform: translateY(-50%); }
.top { top: 8px; left: 50%; transform: translateX(-50%); }
.bottom { bottom: 8px; left: 50%; transform: translateX(-50%); }
svg { width: 100%; height: auto; display: block; font: 12px "Liberation Sans", Arial, sans-serif; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; background: #fff; border: 1px solid #d7dce2; font-size: 15px; }
th, td { padding: 6px 14px; text-align: left; border-bottom: 1px solid #e6eaee; vertical-align: top; }
th { font-weight: 600; }
thead th { background: #eef1f4; }
td { font-variant-numeric: tabular-nums; overflow-wrap: break-word; }
</style>
</head>
<body>
<main>
)";

std::string
Span(const std::string & place, const std::string & letters)
{
  return letters.empty() ? "" : "<span class=\"" + place + "\" aria-hidden=\"true\">" + Escape(letters) + "</span>";
}

std::string
RowHeader(const std::string & text)
{
  return "<th scope=\"row\">" + Escape(text) + "</th>";
}

} // namespace

std::string
Escape(const std::string & text)
{
  std::string escaped;
  for (const char c : text)
  {
    switch (c)
    {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

HTMLPage::HTMLPage(const std::string & title, const std::string & subtitle)
  : m_Body(Head + Escape(title) + Style + "<h1>" + Escape(title) + "</h1>\n<p class=\"subtitle\">" + Escape(subtitle) +
           "</p>\n")
{}

void
HTMLPage::AddHeading(const std::string & text)
{
  m_Body += "<h2>" + Escape(text) + "</h2>\n";
}

void
HTMLPage::AddParagraph(const std::string & text)
{
  m_Body += "<p>" + Escape(text) + "</p>\n";
}

void
HTMLPage::AddTable(const std::vector<std::pair<std::string, std::string>> & rows)
{
  m_Body += "<div class=\"scroll\"><table>\n";
  for (const auto & [name, value] : rows)
  {
    m_Body += "<tr>" + RowHeader(name) + "<td>" + Escape(value) + "</td></tr>\n";
  }
  m_Body += "</table></div>\n";
}

void
HTMLPage::AddTable(const std::vector<std::string> & header, const std::vector<std::vector<std::string>> & rows)
{
  m_Body += "<div class=\"scroll\"><table>\n<thead><tr>";
  for (const auto & cell : header)
  {
    m_Body += "<th scope=\"col\">" + Escape(cell) + "</th>";
  }
  m_Body += "</tr></thead>\n";
  for (const auto & row : rows)
  {
    m_Body += "<tr>" + RowHeader(row.front());
    for (std::size_t i = 1; i < row.size(); ++i)
    {
      m_Body += "<td>" + Escape(row[i]) + "</td>";
    }
    m_Body += "</tr>\n";
  }
  m_Body += "</table></div>\n";
}

void
HTMLPage::BeginFigures()
{
  m_Body += "<div class=\"figures\">\n";
}

void
HTMLPage::EndFigures()
{
  m_Body += "</div>\n";
}

void
HTMLPage::AddPicture(const std::string & file,
                     const std::string & description,
                     const std::string & caption,
                     const EdgeLetters & letters)
{
  m_Body += "<figure><div class=\"picture\"><img src=\"" + Escape(file) + "\" alt=\"" + Escape(description) + "\">" +
            Span("left", letters.left) + Span("right", letters.right) + Span("top", letters.top) +
            Span("bottom", letters.bottom) + "</div><figcaption>" + Escape(caption) + "</figcaption></figure>\n";
}

void
HTMLPage::AddDrawing(const std::string & svg, const std::string & caption)
{
  m_Body += "<figure>" + svg + "<figcaption>" + Escape(caption) + "</figcaption></figure>\n";
}

void
HTMLPage::AddWideDrawing(const std::string & svg, const std::string & caption)
{
  m_Body += "<figure class=\"wide\">" + svg + "<figcaption>" + Escape(caption) + "</figcaption></figure>\n";
}

std::string
HTMLPage::Finish() const
{
  return m_Body + "</main>\n</body>\n</html>\n";
}

} // namespace radiography::program
