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
#ifndef itkXMLElement_h
#define itkXMLElement_h

#include <map>
#include <string>
#include <vector>

namespace itk
{

/** An element of an XML document: enough of a tree for the small files that describe geometries. */
struct XMLElement
{
  std::string                        name;
  std::map<std::string, std::string> attributes;
  /** The character data of this element alone, all pieces of it one after the other. */
  std::string             text;
  std::vector<XMLElement> children;
  /** Where it starts, counted from 1. */
  unsigned long line{ 0 };
};

/** The root of a whole, well-formed document. ITK's own readers take a file that ends too early for a whole one, which
 * here is an error; so are entities declared in the file (none of these formats has any, and nested ones can be made to
 * fill the memory) and elements nested more than ten deep.
 * \throws ExceptionObject with the line and what is wrong there. */
XMLElement
ParseXML(const std::string & text);

} // namespace itk

#endif
