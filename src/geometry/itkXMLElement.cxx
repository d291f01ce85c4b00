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
#include "geometry/itkXMLElement.h"

#include "itkMacro.h"

#include <expat.h>

#include <algorithm>
#include <memory>
#include <type_traits>

namespace itk
{

namespace
{

constexpr std::size_t DeepestNesting = 10;

/** What Expat's callbacks write to. */
struct Document
{
  XML_Parser parser;
  // The elements that are open, the document itself first; a finished one moves into its parent.
  std::vector<XMLElement> open{ 1 };
  const char *            refusal{ nullptr };

  void
  Refuse(const char * reason)
  {
    refusal = reason;
    XML_StopParser(parser, XML_FALSE);
  }
};

void XMLCALL
StartElement(void * data, const XML_Char * name, const XML_Char ** attributes)
{
  auto & document = *static_cast<Document *>(data);
  if (document.open.size() > DeepestNesting)
  {
    document.Refuse("elements are nested too deep");
    return;
  }
  XMLElement element;
  element.name = name;
  element.line = XML_GetCurrentLineNumber(document.parser);
  for (; *attributes != nullptr; attributes += 2)
  {
    element.attributes[attributes[0]] = attributes[1];
  }
  document.open.push_back(std::move(element));
}

void XMLCALL
EndElement(void * data, const XML_Char *)
{
  auto &     open = static_cast<Document *>(data)->open;
  XMLElement element = std::move(open.back());
  open.pop_back();
  open.back().children.push_back(std::move(element));
}

void XMLCALL
CharacterData(void * data, const XML_Char * text, int length)
{
  static_cast<Document *>(data)->open.back().text.append(text, static_cast<std::size_t>(length));
}

void XMLCALL
EntityDeclaration(void * data,
                  const XML_Char *,
                  int,
                  const XML_Char *,
                  int,
                  const XML_Char *,
                  const XML_Char *,
                  const XML_Char *,
                  const XML_Char *)
{
  static_cast<Document *>(data)->Refuse("it declares an entity");
}

} // namespace

XMLElement
ParseXML(const std::string & text)
{
  const std::unique_ptr<std::remove_pointer_t<XML_Parser>, decltype(&XML_ParserFree)> parser(XML_ParserCreate(nullptr),
                                                                                             &XML_ParserFree);
  Document                                                                            document;
  document.parser = parser.get();
  XML_SetUserData(parser.get(), &document);
  XML_SetElementHandler(parser.get(), &StartElement, &EndElement);
  XML_SetCharacterDataHandler(parser.get(), &CharacterData);
  XML_SetEntityDeclHandler(parser.get(), &EntityDeclaration);

  constexpr std::size_t piece = 1 << 20; // Expat counts in int
  std::size_t           begin = 0;
  bool                  last = false;
  while (!last)
  {
    const std::size_t length = std::min(piece, text.size() - begin);
    last = begin + length == text.size();
    if (XML_Parse(parser.get(), text.data() + begin, static_cast<int>(length), last ? 1 : 0) != XML_STATUS_OK)
    {
      const char * const reason =
        document.refusal != nullptr ? document.refusal : XML_ErrorString(XML_GetErrorCode(parser.get()));
      itkGenericExceptionMacro("It is not the XML that was expected: line " << XML_GetCurrentLineNumber(parser.get())
                                                                            << ": " << reason << '.');
    }
    begin += length;
  }
  return std::move(document.open.front().children.front());
}

} // namespace itk
