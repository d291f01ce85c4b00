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
#include "itkRadiographGeometryRTK.h"

#include "geometry/itkViewBuilders.h"
#include "geometry/itkXMLElement.h"

#include "itkMath.h"
#include "itkNumberToString.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <sstream>

namespace itk
{

namespace
{

using Detector = RadiographGeometryRTK::Detector;
using MatrixType = RadiographGeometry::ProjectionMatrixType;
using RotationType = Matrix<double, 3, 3>;

constexpr double RadiansPerDegree = Math::pi / 180.0;

/** The fields that may be given once for all projections, and in each. */
const char * const Parameters[] = {
  "GantryAngle",     "OutOfPlaneAngle", "InPlaneAngle",      "SourceToIsocenterDistance", "SourceToDetectorDistance",
  "SourceOffsetX",   "SourceOffsetY",   "ProjectionOffsetX", "ProjectionOffsetY",         "CollimationUInf",
  "CollimationUSup", "CollimationVInf", "CollimationVSup"
};

bool
IsParameter(const std::string & name)
{
  return std::find(std::begin(Parameters), std::end(Parameters), name) != std::end(Parameters);
}

/** All numbers of an element's text, whatever the locale. */
std::vector<double>
ReadNumbers(const XMLElement & element)
{
  std::istringstream  words(element.text);
  std::vector<double> numbers;
  for (std::string word; words >> word;)
  {
    double     number = 0.0;
    const auto result = std::from_chars(word.data(), word.data() + word.size(), number);
    if (result.ec != std::errc() || result.ptr != word.data() + word.size() || !std::isfinite(number))
    {
      itkGenericExceptionMacro("The field " << element.name << " in line " << element.line
                                            << " must hold finite numbers; it holds \"" << word << "\".");
    }
    numbers.push_back(number);
  }
  return numbers;
}

/** RTK writes the largest double for a jaw that is not there, rounded up to 15 digits, which no double can hold. */
bool
IsNoJaw(const XMLElement & element)
{
  return element.name.rfind("Collimation", 0) == 0 && element.text == "1.79769313486232e+308";
}

double
ReadNumber(const XMLElement & element)
{
  if (IsNoJaw(element))
  {
    return std::numeric_limits<double>::infinity();
  }
  const std::vector<double> numbers = ReadNumbers(element);
  if (numbers.size() != 1 || !element.children.empty())
  {
    itkGenericExceptionMacro("The field " << element.name << " in line " << element.line
                                          << " must hold one number; it holds \"" << element.text << "\".");
  }
  return numbers[0];
}

MatrixType
ReadMatrix(const XMLElement & element)
{
  const std::vector<double> numbers = ReadNumbers(element);
  if (numbers.size() != 12)
  {
    itkGenericExceptionMacro("The field Matrix in line "
                             << element.line << " must hold three rows of four numbers; it holds " << numbers.size()
                             << " numbers.");
  }
  MatrixType matrix;
  for (unsigned int row = 0; row < 3; ++row)
  {
    std::copy_n(numbers.begin() + 4 * row, 4, matrix[row]);
  }
  return matrix;
}

[[noreturn]] void
RefuseElement(const XMLElement & element, const char * known)
{
  itkGenericExceptionMacro("The element " << element.name << " in line " << element.line
                                          << " is not known here: " << known << '.');
}

/** The parameters of a file or of one projection, by name. */
using ParameterMap = std::map<std::string, double>;

void
Insert(ParameterMap & parameters, const XMLElement & element)
{
  if (!parameters.emplace(element.name, ReadNumber(element)).second)
  {
    itkGenericExceptionMacro("The field " << element.name << " is given a second time in line " << element.line << '.');
  }
}

/** A projection as it stands in the file. */
struct ProjectionText
{
  ParameterMap  parameters;
  MatrixType    matrix;
  unsigned long line{ 0 };
};

ProjectionText
ReadProjection(const XMLElement & element)
{
  ProjectionText projection;
  projection.line = element.line;
  bool hasMatrix = false;
  for (const XMLElement & child : element.children)
  {
    if (child.name == "Matrix" && !hasMatrix)
    {
      projection.matrix = ReadMatrix(child);
      hasMatrix = true;
    }
    else if (IsParameter(child.name))
    {
      Insert(projection.parameters, child);
    }
    else
    {
      RefuseElement(child, "a Projection has one Matrix and the parameters of RTK's geometry");
    }
  }
  if (!hasMatrix)
  {
    itkGenericExceptionMacro("The field Matrix is missing in the Projection of line " << element.line << '.');
  }
  return projection;
}

/** A file as it stands. */
struct GeometryText
{
  ParameterMap                common;
  std::vector<ProjectionText> projections;
};

void
RefuseCylinder(const XMLElement & element)
{
  if (const double radius = ReadNumber(element); radius != 0.0)
  {
    itkGenericExceptionMacro("The field RadiusCylindricalDetector in line "
                             << element.line << " is " << radius
                             << ": a view has a flat detector. Resample the projections onto a flat one.");
  }
}

void
RequireRoot(const XMLElement & root)
{
  if (root.name != "RTKThreeDCircularGeometry")
  {
    itkGenericExceptionMacro("The root element must be RTKThreeDCircularGeometry; it is " << root.name << '.');
  }
  const auto version = root.attributes.find("version");
  if (version == root.attributes.end() || (version->second != "2" && version->second != "3"))
  {
    itkGenericExceptionMacro("The attribute version of RTKThreeDCircularGeometry must be 2 or 3; it is "
                             << (version == root.attributes.end() ? "missing" : "\"" + version->second + "\"")
                             << ". Write the file anew with a present RTK.");
  }
}

GeometryText
ReadGeometry(const XMLElement & root)
{
  RequireRoot(root);
  GeometryText geometry;
  for (const XMLElement & child : root.children)
  {
    if (child.name == "Projection")
    {
      geometry.projections.push_back(ReadProjection(child));
    }
    else if (child.name == "RadiusCylindricalDetector")
    {
      RefuseCylinder(child);
    }
    else if (IsParameter(child.name))
    {
      Insert(geometry.common, child);
    }
    else
    {
      RefuseElement(child, "a geometry has Projections and the parameters of RTK's geometry");
    }
  }
  if (geometry.projections.empty())
  {
    itkGenericExceptionMacro("The element Projection is missing: the geometry describes no projection.");
  }
  return geometry;
}

/** Whether a parameter is in the file; it must then be given once for all or in each projection, so that no projection
 * takes over a value that was meant for another. */
bool
IsGiven(const GeometryText & geometry, const std::string & name)
{
  const bool common = geometry.common.count(name) == 1;
  const auto missing =
    std::find_if(geometry.projections.begin(), geometry.projections.end(), [&](const ProjectionText & projection) {
      return projection.parameters.count(name) == 0;
    });
  const auto given =
    std::find_if(geometry.projections.begin(), geometry.projections.end(), [&](const ProjectionText & projection) {
      return projection.parameters.count(name) == 1;
    });
  const bool some = given != geometry.projections.end();
  if (common && some)
  {
    itkGenericExceptionMacro("The field " << name
                                          << " is given for all projections and again in the Projection of line "
                                          << given->line << '.');
  }
  if (some && missing != geometry.projections.end())
  {
    itkGenericExceptionMacro("The field " << name << " is missing in the Projection of line " << missing->line
                                          << ", while others have it.");
  }
  return common || some;
}

void
RequireConsistentFields(const GeometryText & geometry)
{
  for (const char * const name : Parameters)
  {
    if (!IsGiven(geometry, name) && std::string(name) == "SourceToIsocenterDistance")
    {
      itkGenericExceptionMacro("The field SourceToIsocenterDistance is missing.");
    }
  }
}

/** The parameters of one projection, with RTK's defaults. */
class ProjectionParameters
{
public:
  ProjectionParameters(const GeometryText & geometry, const ProjectionText & projection)
    : m_Geometry(geometry)
    , m_Projection(projection)
  {}

  double
  Get(const char * name, double fallback = 0.0) const
  {
    for (const ParameterMap * const map : { &m_Projection.parameters, &m_Geometry.common })
    {
      if (const auto found = map->find(name); found != map->end())
      {
        return found->second;
      }
    }
    return fallback;
  }

  double
  GetRadians(const char * name) const
  {
    return RadiansPerDegree * this->Get(name);
  }

private:
  const GeometryText &   m_Geometry;
  const ProjectionText & m_Projection;
};

/** A rotation by `angle` of `first` towards `second`. */
RotationType
MakeRotation(unsigned int first, unsigned int second, double angle)
{
  RotationType rotation;
  rotation.SetIdentity();
  rotation[first][first] = rotation[second][second] = std::cos(angle);
  rotation[second][first] = std::sin(angle);
  rotation[first][second] = -std::sin(angle);
  return rotation;
}

/** From the fixed system to the detector's, whose axes are its rows (RTK, "Rotation Matrix"): the fixed axes turn
 * against the machine, about y, then x, then z. */
RotationType
MakeDetectorRotation(const ProjectionParameters & parameters)
{
  return MakeRotation(0, 1, -parameters.GetRadians("InPlaneAngle")) *
         MakeRotation(1, 2, -parameters.GetRadians("OutOfPlaneAngle")) *
         MakeRotation(2, 0, -parameters.GetRadians("GantryAngle"));
}

RadiographGeometry::VectorType
GetRow(const RotationType & rotation, unsigned int row)
{
  return RadiographGeometry::VectorType(rotation[row]);
}

/** A point of the detector's system in the fixed one. */
RadiographGeometry::PointType
ToFixed(const RotationType & rotation, double x, double y, double z)
{
  return RadiographGeometry::PointType{} + GetRow(rotation, 0) * x + GetRow(rotation, 1) * y + GetRow(rotation, 2) * z;
}

RadiographGeometry::Pointer
BuildView(const ProjectionParameters & parameters, const Detector & detector)
{
  const RotationType rotation = MakeDetectorRotation(parameters);
  const double       toIsocenter = parameters.Get("SourceToIsocenterDistance");
  const double       toDetector = parameters.Get("SourceToDetectorDistance");
  if (toDetector < 0.0)
  {
    itkGenericExceptionMacro("The field SourceToDetectorDistance must not be negative; it is "
                             << NumberToString<double>()(toDetector) << '.');
  }
  // RTK, "Detector Position" and "Parallel Geometry".
  const bool parallel = toDetector == 0.0;
  const auto origin = ToFixed(rotation,
                              parameters.Get("ProjectionOffsetX") + detector.originU,
                              parameters.Get("ProjectionOffsetY") + detector.originV,
                              parallel ? -toIsocenter : toIsocenter - toDetector);
  const auto image = BuildDetectorImage(origin, GetRow(rotation, 0), GetRow(rotation, 1), detector.grid);
  const auto view = RadiographGeometry::New();
  if (parallel)
  {
    view->SetParallelBeam(-GetRow(rotation, 2), image);
  }
  else
  {
    view->SetConeBeam(ToFixed(rotation, parameters.Get("SourceOffsetX"), parameters.Get("SourceOffsetY"), toIsocenter),
                      image);
  }
  return view;
}

/** RTK's matrix of a view: to mm on the detector, less the projection's offset, and with the third row against the
 * beam for a cone. */
MatrixType
MakeMatrix(const RadiographGeometry & view, const Detector & detector)
{
  const MatrixType pixelFromWorld = view.GetProjectionMatrix();
  const double     sign = view.GetBeam() == RadiographGeometryEnums::Beam::Cone ? -1.0 : 1.0;
  const double     scale[2] = { detector.grid.columnSpacing, detector.grid.rowSpacing };
  const double     origin[2] = { detector.originU, detector.originV };
  MatrixType       matrix;
  for (unsigned int column = 0; column < 4; ++column)
  {
    const double last = sign * pixelFromWorld[2][column];
    matrix[2][column] = last;
    for (unsigned int row = 0; row < 2; ++row)
    {
      matrix[row][column] = sign * scale[row] * pixelFromWorld[row][column] + origin[row] * last;
    }
  }
  return matrix;
}

void
RequireMatrix(const MatrixType & written, const MatrixType & expected)
{
  constexpr double tolerance = 0.001; // what RTK's reader allows
  for (unsigned int row = 0; row < 3; ++row)
  {
    for (unsigned int column = 0; column < 4; ++column)
    {
      if (!(std::abs(written[row][column] - expected[row][column]) <= tolerance))
      {
        itkGenericExceptionMacro("The field Matrix contradicts the parameters: row "
                                 << row + 1 << ", column " << column + 1 << " is "
                                 << NumberToString<double>()(written[row][column]) << ", the parameters give "
                                 << NumberToString<double>()(expected[row][column]) << '.');
      }
    }
  }
}

RadiographGeometryRTK::Projection
BuildProjection(const GeometryText & geometry, const ProjectionText & text, const Detector & detector)
{
  const ProjectionParameters           parameters(geometry, text);
  RadiographGeometryRTK::Projection    projection;
  RadiographGeometryRTK::Collimation & jaws = projection.collimation;
  projection.view = BuildView(parameters, detector);
  RequireMatrix(text.matrix, MakeMatrix(*projection.view, detector));
  jaws.uInf = parameters.Get("CollimationUInf", jaws.uInf);
  jaws.uSup = parameters.Get("CollimationUSup", jaws.uSup);
  jaws.vInf = parameters.Get("CollimationVInf", jaws.vInf);
  jaws.vSup = parameters.Get("CollimationVSup", jaws.vSup);
  return projection;
}

} // namespace

std::vector<RadiographGeometryRTK::Projection>
RadiographGeometryRTK::Parse(const std::string & text, const Detector & detector)
{
  const GeometryText geometry = ReadGeometry(ParseXML(text));
  RequireConsistentFields(geometry);
  std::vector<Projection> projections;
  projections.reserve(geometry.projections.size());
  for (const ProjectionText & projection : geometry.projections)
  {
    try
    {
      projections.push_back(BuildProjection(geometry, projection, detector));
    }
    catch (const ExceptionObject & error)
    {
      itkGenericExceptionMacro("Projection " << projections.size() << " (line " << projection.line
                                             << "): " << error.GetDescription());
    }
  }
  return projections;
}

std::vector<RadiographGeometryRTK::Projection>
RadiographGeometryRTK::ReadFile(const std::string & path, const Detector & detector)
{
  std::ifstream     file(path, std::ios::binary);
  std::stringstream text;
  if (!file || !(text << file.rdbuf()))
  {
    itkGenericExceptionMacro("The RTK geometry file \"" << path << "\" cannot be read, or is empty.");
  }
  try
  {
    return Parse(text.str(), detector);
  }
  catch (const ExceptionObject & error)
  {
    itkGenericExceptionMacro("In the RTK geometry file \"" << path << "\": " << error.GetDescription());
  }
}

} // namespace itk
