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
#include "itkRadiographLandmarkJSON.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

namespace itk
{

namespace
{

using nlohmann::json;

/** Remembers labels and refuses the second of the same. */
class LabelSet
{
public:
  explicit LabelSet(std::string place)
    : m_Place(std::move(place))
  {}

  void
  Add(const std::string & label)
  {
    if (!m_Labels.insert(label).second)
    {
      itkGenericExceptionMacro("The label \"" << label << "\" occurs twice in " << m_Place
                                              << ": give each landmark its own.");
    }
  }

private:
  std::string           m_Place;
  std::set<std::string> m_Labels;
};

json
ParseObject(const std::string & text)
{
  json root;
  try
  {
    root = json::parse(text);
  }
  catch (const json::exception & error)
  {
    itkGenericExceptionMacro("Landmarks must be JSON text: " << error.what());
  }
  if (!root.is_object())
  {
    itkGenericExceptionMacro("A file of landmarks must be a JSON object.");
  }
  return root;
}

/** \param place what has the key, for the message */
const json &
At(const json & object, const char * key, const std::string & place)
{
  if (!object.is_object() || !object.contains(key))
  {
    itkGenericExceptionMacro("" << place << " needs the key \"" << key << "\", which is missing.");
  }
  return object.at(key);
}

const json &
ListAt(const json & object, const char * key, const std::string & place)
{
  const json & list = At(object, key, place);
  if (!list.is_array())
  {
    itkGenericExceptionMacro("The key \"" << key << "\" of " << place << " must be a list; it is " << list.dump()
                                          << '.');
  }
  return list;
}

std::string
TextAt(const json & object, const char * key, const std::string & place)
{
  const json & text = At(object, key, place);
  if (!text.is_string())
  {
    itkGenericExceptionMacro("The key \"" << key << "\" of " << place << " must be a text; it is " << text.dump()
                                          << '.');
  }
  return text.get<std::string>();
}

std::vector<double>
NumbersAt(const json & object, const char * key, std::size_t count, const std::string & place)
{
  const json & list = At(object, key, place);
  if (!list.is_array() || list.size() != count ||
      !std::all_of(list.begin(), list.end(), [](const json & number) { return number.is_number(); }))
  {
    itkGenericExceptionMacro("The key \"" << key << "\" of " << place << " must be a list of " << count
                                          << " numbers; it is " << list.dump() << '.');
  }
  return list.get<std::vector<double>>();
}

void
AllowOnly(const json & object, const std::set<std::string> & known, const std::string & place)
{
  for (const auto & item : object.items())
  {
    if (known.count(item.key()) == 0)
    {
      itkGenericExceptionMacro("The key \"" << item.key() << "\" is not known in " << place << '.');
    }
  }
}

/** The factor of x and y that makes LPS of a file's coordinates. */
double
ReadSense(const json & markup, const std::string & place)
{
  const std::string system = TextAt(markup, "coordinateSystem", place);
  if (system != "LPS" && system != "RAS")
  {
    itkGenericExceptionMacro("The coordinateSystem of " << place << " must be \"LPS\" or \"RAS\"; it is \"" << system
                                                        << "\".");
  }
  return system == "LPS" ? 1.0 : -1.0;
}

/** Slicer writes "mm", or a list with one unit for each axis, or nothing. */
void
RequireMillimetres(const json & markup, const std::string & place)
{
  const json units = markup.value("coordinateUnits", json("mm"));
  const bool good = units.is_array() ? std::all_of(units.begin(), units.end(), [](const json & u) { return u == "mm"; })
                                     : units == "mm";
  if (!good)
  {
    itkGenericExceptionMacro("The coordinateUnits of " << place << " must be mm; they are " << units.dump() << '.');
  }
}

void
ReadMarkup(const json &                          markup,
           const std::string &                   place,
           LabelSet &                            labels,
           RadiographLandmarkJSON::CTLandmarks & landmarks)
{
  const std::string type = TextAt(markup, "type", place);
  if (type != "Fiducial")
  {
    itkGenericExceptionMacro("The type of " << place << " must be \"Fiducial\" (a list of points); it is \"" << type
                                            << "\".");
  }
  const double sense = ReadSense(markup, place);
  RequireMillimetres(markup, place);
  std::size_t number = 0;
  for (const json & control : ListAt(markup, "controlPoints", place))
  {
    const std::string name = "control point " + std::to_string(number++) + " of " + place;
    if (!control.is_object() || control.value("positionStatus", json("defined")) != "defined")
    {
      continue;
    }
    const auto                         position = NumbersAt(control, "position", 3, name);
    RadiographLandmarkJSON::CTLandmark landmark;
    landmark.label = TextAt(control, "label", name);
    landmark.point[0] = sense * position[0];
    landmark.point[1] = sense * position[1];
    landmark.point[2] = position[2];
    labels.Add(landmark.label);
    landmarks.push_back(landmark);
  }
}

RadiographLandmarkJSON::ImageLandmarks
ReadImage(const json & image, const std::string & place)
{
  RadiographLandmarkJSON::ImageLandmarks landmarks;
  LabelSet                               labels(place);
  std::size_t                            number = 0;
  const json &                           list = ListAt(image, "landmarks", place);
  AllowOnly(image, { "landmarks" }, place);
  for (const json & entry : list)
  {
    const std::string                     name = "landmark " + std::to_string(number++) + " of " + place;
    const auto                            pixel = NumbersAt(entry, "pixel", 2, name);
    RadiographLandmarkJSON::ImageLandmark landmark;
    landmark.label = TextAt(entry, "label", name);
    AllowOnly(entry, { "label", "pixel" }, name);
    landmark.pixel[0] = pixel[0];
    landmark.pixel[1] = pixel[1];
    labels.Add(landmark.label);
    landmarks.push_back(landmark);
  }
  return landmarks;
}

/** parse(text of the file), with the file's name in its refusals. */
template <typename TParse>
auto
ReadFile(const std::string & path, const TParse & parse)
{
  std::ifstream     file(path, std::ios::binary);
  std::stringstream text;
  if (!file || !(text << file.rdbuf()))
  {
    itkGenericExceptionMacro("The file of landmarks \"" << path << "\" cannot be read, or is empty.");
  }
  try
  {
    return parse(text.str());
  }
  catch (const ExceptionObject & error)
  {
    itkGenericExceptionMacro("In the file of landmarks \"" << path << "\": " << error.GetDescription());
  }
}

} // namespace

RadiographLandmarkJSON::CTLandmarks
RadiographLandmarkJSON::ParseMarkups(const std::string & text)
{
  const json  root = ParseObject(text);
  CTLandmarks landmarks;
  LabelSet    labels("the markups");
  std::size_t number = 0;
  for (const json & markup : ListAt(root, "markups", "A file of markups"))
  {
    ReadMarkup(markup, "markup " + std::to_string(number++), labels, landmarks);
  }
  return landmarks;
}

RadiographLandmarkJSON::CTLandmarks
RadiographLandmarkJSON::ReadMarkups(const std::string & path)
{
  return ReadFile(path, ParseMarkups);
}

std::vector<RadiographLandmarkJSON::ImageLandmarks>
RadiographLandmarkJSON::ParsePixels(const std::string & text)
{
  const json        root = ParseObject(text);
  const std::string place = "a file of pixels";
  if (At(root, "radiography_landmarks_2d", place) != 1)
  {
    itkGenericExceptionMacro("The key \"radiography_landmarks_2d\" is the format's version and must be 1; it is "
                             << root["radiography_landmarks_2d"].dump() << '.');
  }
  AllowOnly(root, { "radiography_landmarks_2d", "images" }, place);
  std::vector<ImageLandmarks> images;
  for (const json & image : ListAt(root, "images", place))
  {
    images.push_back(ReadImage(image, "image " + std::to_string(images.size())));
  }
  return images;
}

std::vector<RadiographLandmarkJSON::ImageLandmarks>
RadiographLandmarkJSON::ReadPixels(const std::string & path)
{
  return ReadFile(path, ParsePixels);
}

} // namespace itk
