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
#include "itkRadiographGeometryJSON.h"

#include "geometry/itkViewBuilders.h"

#include "itkMath.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <sstream>

namespace itk
{

namespace
{

using nlohmann::json;
using DetectorGrid = RadiographGeometry::DetectorGrid;

constexpr double RadiansPerDegree = Math::pi / 180.0;

/** One JSON object of a view file, and the path of keys that leads to it for messages. */
struct Section
{
  const json & object;
  std::string  name;

  bool
  Has(const char * key) const
  {
    return object.contains(key);
  }

  std::string
  NameOf(const char * key) const
  {
    return name.empty() ? key : name + "." + key;
  }

  const json &
  At(const char * key) const
  {
    if (!this->Has(key))
    {
      itkGenericExceptionMacro("A view needs the key \"" << this->NameOf(key) << "\", which is missing.");
    }
    return object.at(key);
  }

  Section
  Child(const char * key) const
  {
    const json & child = this->At(key);
    if (!child.is_object())
    {
      itkGenericExceptionMacro("The view's key \"" << this->NameOf(key) << "\" must be an object; it is "
                                                   << child.dump() << '.');
    }
    return { child, this->NameOf(key) };
  }

  double
  Number(const char * key) const
  {
    const json & value = this->At(key);
    if (!value.is_number())
    {
      itkGenericExceptionMacro("The view's key \"" << this->NameOf(key) << "\" must be a number; it is " << value.dump()
                                                   << '.');
    }
    return value.get<double>();
  }

  double
  NumberOr(const char * key, double fallback) const
  {
    return this->Has(key) ? this->Number(key) : fallback;
  }

  std::vector<double>
  Numbers(const char * key, size_t count) const
  {
    const json & value = this->At(key);
    bool         good = value.is_array() && value.size() == count;
    for (size_t i = 0; good && i < count; ++i)
    {
      good = value[i].is_number();
    }
    if (!good)
    {
      itkGenericExceptionMacro("The view's key \"" << this->NameOf(key) << "\" must be a list of " << count
                                                   << " numbers; it is " << value.dump() << '.');
    }
    return value.get<std::vector<double>>();
  }

  /** A key that nobody reads is a mistake of the writer, not a remark. */
  void
  AllowOnly(std::initializer_list<const char *> known) const
  {
    for (const auto & item : object.items())
    {
      if (std::none_of(known.begin(), known.end(), [&](const char * key) { return item.key() == key; }))
      {
        std::ostringstream list;
        for (const char * const key : known)
        {
          list << ' ' << key;
        }
        itkGenericExceptionMacro("The key \"" << this->NameOf(item.key().c_str())
                                              << "\" is not known in a view. Known here:" << list.str() << '.');
      }
    }
  }
};

RadiographGeometry::PointType
ReadPoint(const Section & section, const char * key)
{
  const std::vector<double>     values = section.Numbers(key, 3);
  RadiographGeometry::PointType point;
  std::copy(values.begin(), values.end(), point.Begin());
  return point;
}

RadiographGeometry::VectorType
ReadVector(const Section & section, const char * key)
{
  return ReadPoint(section, key).GetVectorFromOrigin();
}

DetectorGrid
ReadGrid(const Section & detector)
{
  const json & size = detector.At("size");
  if (!size.is_array() || size.size() != 2 || !size[0].is_number_integer() || !size[1].is_number_integer() ||
      size[0].get<std::int64_t>() < 1 || size[1].get<std::int64_t>() < 1)
  {
    itkGenericExceptionMacro("The view's key \""
                             << detector.NameOf("size")
                             << "\" must be [columns, rows], two whole numbers of at least 1; it is " << size.dump()
                             << '.');
  }
  const std::vector<double> spacing = detector.Numbers("spacing_mm", 2);
  DetectorGrid              grid;
  grid.columns = size[0].get<SizeValueType>();
  grid.rows = size[1].get<SizeValueType>();
  grid.columnSpacing = spacing[0];
  grid.rowSpacing = spacing[1];
  return grid;
}

/** Axes in a file are rounded decimals: near enough to perpendicular unit vectors is taken as they stand. */
void
RequireAxes(const RadiographGeometry::VectorType & columns, const RadiographGeometry::VectorType & rows)
{
  constexpr double tolerance = 1e-6;
  const bool       unit = std::abs(columns.GetNorm() - 1.0) < tolerance && std::abs(rows.GetNorm() - 1.0) < tolerance;
  if (!unit || !(std::abs(columns * rows) < tolerance))
  {
    itkGenericExceptionMacro("The detector's column_direction " << columns << " and row_direction " << rows
                                                                << " must be perpendicular unit vectors (to 1e-6).");
  }
}

RadiographGeometry::DetectorImageType::Pointer
ReadFramedDetector(const Section & detector)
{
  detector.AllowOnly({ "origin_mm", "column_direction", "row_direction", "spacing_mm", "size" });
  const auto columns = ReadVector(detector, "column_direction");
  const auto rows = ReadVector(detector, "row_direction");
  RequireAxes(columns, rows);
  return BuildDetectorImage(ReadPoint(detector, "origin_mm"), columns, rows, ReadGrid(detector));
}

DetectorGrid
ReadFreeGrid(const Section & view)
{
  const Section detector = view.Child("detector");
  detector.AllowOnly({ "spacing_mm", "size" });
  return ReadGrid(detector);
}

void
ReadCArm(const Section & view, RadiographGeometry * geometry)
{
  view.AllowOnly({ "radiography_view", "beam", "c_arm", "detector" });
  const Section section = view.Child("c_arm");
  section.AllowOnly({ "primary_angle_deg",
                      "secondary_angle_deg",
                      "roll_deg",
                      "source_isocenter_mm",
                      "source_detector_mm",
                      "isocenter_mm" });
  RadiographGeometry::CArm arm;
  arm.primaryAngle = RadiansPerDegree * section.Number("primary_angle_deg");
  arm.secondaryAngle = RadiansPerDegree * section.Number("secondary_angle_deg");
  arm.roll = RadiansPerDegree * section.NumberOr("roll_deg", 0.0);
  arm.sourceIsocenterDistance = section.Number("source_isocenter_mm");
  arm.sourceDetectorDistance = section.Number("source_detector_mm");
  arm.isocenter = ReadPoint(section, "isocenter_mm");
  geometry->SetCArm(arm, ReadFreeGrid(view));
}

void
ReadMatrix(const Section & view, RadiographGeometry * geometry)
{
  view.AllowOnly({ "radiography_view", "beam", "projection_matrix", "detector" });
  const json & rows = view.At("projection_matrix");
  if (!rows.is_array() || rows.size() != 3)
  {
    itkGenericExceptionMacro("The view's key \"projection_matrix\" must be three lists of four numbers; it is "
                             << rows.dump() << '.');
  }
  RadiographGeometry::ProjectionMatrixType matrix;
  const char * const                       names[] = { "row 1", "row 2", "row 3" };
  for (unsigned int i = 0; i < 3; ++i)
  {
    const json                row = { { names[i], rows[i] } };
    const std::vector<double> values = Section{ row, "projection_matrix" }.Numbers(names[i], 4);
    std::copy(values.begin(), values.end(), matrix[i]);
  }
  geometry->SetProjectionMatrix(matrix, ReadFreeGrid(view));
}

void
ReadFrames(const Section & view, bool cone, RadiographGeometry * geometry)
{
  view.AllowOnly({ "radiography_view", "beam", cone ? "source_mm" : "direction", "detector" });
  const auto detector = ReadFramedDetector(view.Child("detector"));
  if (cone)
  {
    geometry->SetConeBeam(ReadPoint(view, "source_mm"), detector);
  }
  else
  {
    geometry->SetParallelBeam(ReadVector(view, "direction"), detector);
  }
}

bool
ReadBeamIsCone(const Section & view)
{
  const json beam = view.object.value("beam", json("cone"));
  if (beam != "cone" && beam != "parallel")
  {
    itkGenericExceptionMacro("The view's key \"beam\" must be \"cone\" or \"parallel\"; it is " << beam.dump() << '.');
  }
  return beam == "cone";
}

json
ParseText(const std::string & text)
{
  json root;
  try
  {
    root = json::parse(text);
  }
  catch (const json::exception & error)
  {
    itkGenericExceptionMacro("A view must be JSON text: " << error.what());
  }
  if (!root.is_object())
  {
    itkGenericExceptionMacro("A view must be a JSON object.");
  }
  return root;
}

template <typename TVector>
json
ToList(const TVector & values)
{
  return { values[0], values[1], values[2] };
}

} // namespace

RadiographGeometry::Pointer
RadiographGeometryJSON::Parse(const std::string & text)
{
  json root = ParseText(text);
  // What `radiography view` tells beside the view, so that its output is a view file as it stands.
  root.erase("provenance");
  root.erase("problems");
  const Section view{ root, "" };
  if (view.At("radiography_view") != 1)
  {
    itkGenericExceptionMacro("The view's key \"radiography_view\" is the format's version and must be 1; it is "
                             << root["radiography_view"].dump() << '.');
  }
  const bool cone = ReadBeamIsCone(view);
  const auto geometry = RadiographGeometry::New();
  if (cone && view.Has("c_arm"))
  {
    ReadCArm(view, geometry);
  }
  else if (cone && view.Has("projection_matrix"))
  {
    ReadMatrix(view, geometry);
  }
  else
  {
    ReadFrames(view, cone, geometry);
  }
  return geometry;
}

RadiographGeometry::Pointer
RadiographGeometryJSON::ReadFile(const std::string & path)
{
  std::ifstream     file(path, std::ios::binary);
  std::stringstream text;
  if (!file || !(text << file.rdbuf()))
  {
    itkGenericExceptionMacro("The view file \"" << path << "\" cannot be read, or is empty.");
  }
  try
  {
    return Parse(text.str());
  }
  catch (const ExceptionObject & error)
  {
    itkGenericExceptionMacro("In the view file \"" << path << "\": " << error.GetDescription());
  }
}

std::string
RadiographGeometryJSON::Serialize(const RadiographGeometry * geometry)
{
  if (geometry == nullptr)
  {
    itkGenericExceptionMacro("There is no view to write: the geometry is null.");
  }
  const bool             cone = geometry->GetBeam() == RadiographGeometryEnums::Beam::Cone;
  const auto             spacing = geometry->GetDetectorSpacing();
  const auto             size = geometry->GetDetectorSize();
  nlohmann::ordered_json root;
  root["radiography_view"] = 1;
  root["beam"] = cone ? "cone" : "parallel";
  if (cone)
  {
    root["source_mm"] = ToList(geometry->GetSource());
  }
  else
  {
    root["direction"] = ToList(geometry->GetBeamDirection());
  }
  root["detector"]["origin_mm"] = ToList(geometry->GetDetectorOrigin());
  root["detector"]["column_direction"] = ToList(geometry->GetColumnDirection());
  root["detector"]["row_direction"] = ToList(geometry->GetRowDirection());
  root["detector"]["spacing_mm"] = { spacing[0], spacing[1] };
  root["detector"]["size"] = { size[0], size[1] };
  return root.dump(2) + "\n";
}

void
RadiographGeometryJSON::WriteFile(const RadiographGeometry * geometry, const std::string & path)
{
  const std::string text = Serialize(geometry);
  const std::string temporary = path + ".part";
  {
    std::ofstream file(temporary, std::ios::binary);
    file << text;
    file.close();
    if (!file)
    {
      std::remove(temporary.c_str());
      itkGenericExceptionMacro("The view file \"" << path << "\" cannot be written: does its folder exist, is it "
                                                  << "writable, is there room on the disk?");
    }
  }
  std::error_code failure;
  std::filesystem::rename(temporary, path, failure);
  if (failure)
  {
    std::remove(temporary.c_str());
    itkGenericExceptionMacro("The view file \"" << path << "\" cannot be put in place: " << failure.message() << '.');
  }
}

} // namespace itk
