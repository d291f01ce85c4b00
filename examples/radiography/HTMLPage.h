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
#ifndef HTMLPage_h
#define HTMLPage_h

#include <string>
#include <utility>
#include <vector>

namespace radiography::program
{

/** Text that means itself in HTML and SVG. */
std::string
Escape(const std::string & text);

/** A page that needs nothing but the picture files beside it. */
class HTMLPage
{
public:
  HTMLPage(const std::string & title, const std::string & subtitle);

  void
  AddHeading(const std::string & text);
  void
  AddParagraph(const std::string & text);

  /** A table of names and values. */
  void
  AddTable(const std::vector<std::pair<std::string, std::string>> & rows);

  /** A table with a header row; the first cell of each row names it. */
  void
  AddTable(const std::vector<std::string> & header, const std::vector<std::vector<std::string>> & rows);

  /** Figures that follow each other stand side by side where there is room. */
  void
  BeginFigures();
  void
  EndFigures();

  /** Letters that stand at the edges of a picture. */
  struct EdgeLetters
  {
    std::string left;
    std::string right;
    std::string top;
    std::string bottom;
  };
  void
  AddPicture(const std::string & file,
             const std::string & description,
             const std::string & caption,
             const EdgeLetters & letters);
  void
  AddDrawing(const std::string & svg, const std::string & caption);
  /** As wide as the page. */
  void
  AddWideDrawing(const std::string & svg, const std::string & caption);

  std::string
  Finish() const;

private:
  std::string m_Body;
};

} // namespace radiography::program

#endif
