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
#include "dicom/DICOMGantryAxes.h"
#include "dicom/DICOMPatientOrientation.h"
#include "dicom/DICOMRadiographGeometry.h"
#include "dicom/DICOMTagReader.h"

#include "geometry/itkViewBuilders.h"

#include "itkMath.h"

#include <cmath>

namespace radiography::dicom
{
namespace
{

using Geometry = itk::RadiographGeometry;
using PointType = Geometry::PointType;

constexpr double RadiansPerDegree = itk::Math::pi / 180.0;

/** What rounding of decimal texts may leave between two numbers that say the same length, mm. */
constexpr double LengthTolerance = 0.01;

/** The item of the Exposure Sequence that is about the chosen frame; the data set itself if there is none. */
DcmItem &
ExposureOf(std::size_t frame, DcmItem & dataset)
{
  DcmItem * item = nullptr;
  for (long i = 0; dataset.findAndGetSequenceItem(DCM_ExposureSequence, item, i).good() && item != nullptr; ++i)
  {
    const auto number = ParseDecimalString(TextOf(*item, DCM_ReferencedFrameNumber));
    if (number && *number == static_cast<double>(frame))
    {
      return *item;
    }
  }
  return dataset;
}

/** An angle that may stand in the frame's exposure as well as for all frames: the frame's own wins, and if there is one
 * frame they must agree. */
std::optional<double>
FindAngle(const Wanted &                          wanted,
          const std::optional<double> &           option,
          const itk::DICOMRadiographInformation & information,
          Findings &                              findings)
{
  DcmItem &  exposure = ExposureOf(information.frame, findings.Item());
  const auto own = &exposure != &findings.Item() ? ParseDecimalString(TextOf(exposure, wanted.tag)) : std::nullopt;
  if (option || !own)
  {
    return findings.Require(wanted, option);
  }
  const auto common = ParseDecimalString(TextOf(findings.Item(), wanted.tag));
  if (information.frames == 1 && common && std::abs(*common - *own) > 1e-6)
  {
    findings.Refuse("contradiction",
                    TagName(wanted.tag) + " is " + NumberText(*common) + ", but " + NumberText(*own) + " in " +
                      TagName(DCM_ExposureSequence),
                    wanted.option);
    return std::nullopt;
  }
  findings.KnowNumber(wanted, *own, TagName(wanted.tag) + " in " + TagName(DCM_ExposureSequence));
  return own;
}

/** What the couch and the gantry can do and SetGantry() cannot express. */
void
RefuseUnusualMotions(itk::DICOMRadiographInformation & information, Findings & findings)
{
  Findings   exposure(ExposureOf(information.frame, findings.Item()), information);
  const bool isApart = &exposure.Item() != &findings.Item();
  for (const auto & tag :
       { DCM_TableTopEccentricAngle, DCM_TableTopPitchAngle, DCM_TableTopRollAngle, DCM_GantryPitchAngle })
  {
    const char * const why = "a couch or gantry that is tilted or turned off its axis is not read";
    findings.RequireZero(tag, "tilted-couch", why, "Geometry");
    if (isApart)
    {
      exposure.RequireZero(tag, "tilted-couch", why, "Geometry");
    }
  }
}

std::optional<Geometry::PatientPosition>
FindPatientPosition(const RadiographOptions & options, Findings & findings)
{
  static const std::array<const char *, 4> names{ "HFS", "HFP", "FFS", "FFP" };
  if (options.patientPosition)
  {
    findings.Know("patient position",
                  names.at(static_cast<std::size_t>(*options.patientPosition)),
                  OptionSource("PatientPosition"));
    return options.patientPosition;
  }
  const auto text = TextOf(findings.Item(), DCM_PatientPosition);
  for (std::size_t i = 0; i < names.size(); ++i)
  {
    if (text == names[i])
    {
      findings.Know("patient position", text, TagName(DCM_PatientPosition));
      return static_cast<Geometry::PatientPosition>(i);
    }
  }
  findings.Refuse("missing-patient-position",
                  TagName(DCM_PatientPosition) +
                    (text.empty() ? " is absent or empty" : " is \"" + text + "\": HFS, HFP, FFS and FFP are read"),
                  "PatientPosition");
  return std::nullopt;
}

std::optional<PointType>
FindIsocenter(const RadiographOptions & options, Findings & findings)
{
  std::optional<PointType> point = options.isocenter;
  if (!point)
  {
    const auto values = findings.RequireNumbers(DCM_IsocenterPosition, 3, "Isocenter");
    if (!values)
    {
      return std::nullopt;
    }
    point.emplace();
    std::copy(values->begin(), values->end(), point->Begin());
  }
  findings.Know("isocenter",
                NumberText((*point)[0]) + ", " + NumberText((*point)[1]) + ", " + NumberText((*point)[2]) + " mm",
                options.isocenter ? OptionSource("Isocenter") : TagName(DCM_IsocenterPosition));
  return point;
}

void
RequireNormalPlane(Findings & findings)
{
  const auto plane = TextOf(findings.Item(), DCM_RTImagePlane);
  if (plane != "NORMAL")
  {
    findings.Refuse(plane == "NON_NORMAL" ? "non-normal-plane" : "missing-tag",
                    TagName(DCM_RTImagePlane) + (plane.empty() ? " is absent or empty" : " is \"" + plane + "\"") +
                      ": only an image plane perpendicular to the gantry's axis (NORMAL) is read",
                    "Geometry");
  }
}

/** Columns' and rows' direction in the receptor's system (IEC 61217): RT Image Orientation, else as PS3.3 C.8.8.2.7. */
std::optional<ImageAxes>
FindReceptorAxes(Findings & findings)
{
  const auto values = findings.Numbers(DCM_RTImageOrientation, 6, "Geometry");
  if (!values)
  {
    return std::nullopt;
  }
  ImageAxes axes{ Vector3(0.0), Vector3(0.0) };
  if (values->empty())
  {
    axes.columns[0] = 1.0;
    axes.rows[1] = -1.0;
    findings.Know("image axes in the receptor", "1, 0, 0 and 0, -1, 0", "convention: PS3.3 C.8.8.2.7");
    return axes;
  }
  std::copy_n(values->begin(), 3, axes.columns.Begin());
  std::copy_n(values->begin() + 3, 3, axes.rows.Begin());
  constexpr double tolerance = 1e-4;
  const bool       isOrthonormal = std::abs(axes.columns.GetNorm() - 1.0) < tolerance &&
                             std::abs(axes.rows.GetNorm() - 1.0) < tolerance &&
                             std::abs(axes.columns * axes.rows) < tolerance;
  const bool isInPlane = std::abs(axes.columns[2]) < tolerance && std::abs(axes.rows[2]) < tolerance;
  if (!isOrthonormal || !isInPlane)
  {
    findings.Refuse("image-orientation",
                    TagName(DCM_RTImageOrientation) + " is \"" + TextOf(findings.Item(), DCM_RTImageOrientation) +
                      "\": two perpendicular unit vectors within the receptor's plane are expected",
                    "Geometry");
    return std::nullopt;
  }
  axes.columns[2] = axes.rows[2] = 0.0;
  axes.columns.Normalize();
  axes.rows -= axes.columns * (axes.columns * axes.rows);
  axes.rows.Normalize();
  findings.Know(
    "image axes in the receptor", TextOf(findings.Item(), DCM_RTImageOrientation), TagName(DCM_RTImageOrientation));
  return axes;
}

std::optional<std::array<double, 2>>
FindPitch(const RadiographOptions & options, Findings & findings)
{
  constexpr const char * quantity = "detector pitch (between columns, between rows)";
  auto                   pitch = options.pitch;
  if (!pitch)
  {
    const auto values = findings.RequireNumbers(DCM_ImagePlanePixelSpacing, 2, "Pitch");
    if (!values)
    {
      return std::nullopt;
    }
    pitch = { (*values)[1], (*values)[0] };
  }
  if (!((*pitch)[0] > 0.0) || !((*pitch)[1] > 0.0))
  {
    findings.Refuse("impossible-value",
                    TagName(DCM_ImagePlanePixelSpacing) + " is \"" +
                      TextOf(findings.Item(), DCM_ImagePlanePixelSpacing) + "\": spacings are greater than 0",
                    "Pitch");
    return std::nullopt;
  }
  findings.Know(quantity,
                NumberText((*pitch)[0]) + ", " + NumberText((*pitch)[1]) + " mm",
                options.pitch ? OptionSource("Pitch") : TagName(DCM_ImagePlanePixelSpacing));
  return pitch;
}

/** Where the receptor's origin is in the gantry's system; its third component is minus how far it is below the
 * isocentre.
 */
std::optional<Vector3>
FindTranslation(double sourceAxis, double sourceImage, const RadiographOptions & options, Findings & findings)
{
  const auto values = findings.Numbers(DCM_XRayImageReceptorTranslation, 3, "Geometry");
  if (!values)
  {
    return std::nullopt;
  }
  Vector3 translation(0.0);
  translation[2] = sourceAxis - sourceImage;
  if (values->empty())
  {
    findings.Know("receptor translation",
                  "0, 0, " + NumberText(translation[2]) + " mm",
                  "convention: the receptor is centred where RTImageSID says");
    return translation;
  }
  const double byTranslation = sourceAxis - (*values)[2];
  if (!options.sourceDetectorDistance && !options.sourceIsocenterDistance &&
      std::abs(byTranslation - sourceImage) > LengthTolerance)
  {
    findings.Refuse("contradiction",
                    TagName(DCM_XRayImageReceptorTranslation) + " puts the receptor " + NumberText(byTranslation) +
                      " mm from the source, " + TagName(DCM_RTImageSID) + " says " + NumberText(sourceImage) + " mm",
                    "SourceDetectorDistance");
    return std::nullopt;
  }
  // An option for the distance moves the receptor along the axis only.
  const bool byOption = options.sourceDetectorDistance.has_value();
  translation[0] = (*values)[0];
  translation[1] = (*values)[1];
  translation[2] = byOption ? translation[2] : (*values)[2];
  findings.Know("receptor translation",
                NumberText(translation[0]) + ", " + NumberText(translation[1]) + ", " + NumberText(translation[2]) +
                  " mm",
                TagName(DCM_XRayImageReceptorTranslation) + (byOption ? " and option SourceDetectorDistance" : ""));
  return translation;
}

struct ReceptorPlace
{
  /** Centre of pixel (0, 0) on the receptor, IEC X-RAY IMAGE RECEPTOR system. */
  std::array<double, 2> firstPixel;
  ImageAxes             axes;
  Vector3               translation;
  double                angle;
};

/** From the receptor's to the gantry's system (IEC 61217): a turn about z. */
Vector3
ReceptorToGantry(const ReceptorPlace & receptor, double x, double y)
{
  Vector3 gantry(0.0);
  gantry[0] = x * std::cos(receptor.angle) - y * std::sin(receptor.angle);
  gantry[1] = x * std::sin(receptor.angle) + y * std::cos(receptor.angle);
  return gantry;
}

/** The tags fix how the image lies: letters that say something else are a contradiction. */
void
CheckLetters(const ImageAxes & axes, const RadiographOptions & options, Findings & findings)
{
  if (!options.patientOrientation && TextOf(findings.Item(), DCM_PatientOrientation).empty())
  {
    return;
  }
  const auto letters = ReadPatientOrientation(findings, options.patientOrientation);
  if (letters && !Agree(*letters, axes))
  {
    findings.Refuse("orientation-contradicts",
                    letters->source + " is \"" + letters->text +
                      "\", but gantry, couch and patient position put the image another way",
                    "PatientOrientation PatientPosition");
  }
}

Geometry::Pointer
BuildView(const Geometry::Gantry &       gantry,
          const ReceptorPlace &          receptor,
          const Geometry::DetectorGrid & grid,
          const RadiographOptions &      options,
          Findings &                     findings)
{
  const GantryAxes patient(gantry);
  const ImageAxes  axes{ patient.ToPatient(
                          ReceptorToGantry(receptor, receptor.axes.columns[0], receptor.axes.columns[1])),
                        patient.ToPatient(ReceptorToGantry(receptor, receptor.axes.rows[0], receptor.axes.rows[1])) };
  CheckLetters(axes, options, findings);
  if (findings.HasRefusals())
  {
    return nullptr;
  }
  const Vector3 first =
    ReceptorToGantry(receptor, receptor.firstPixel[0], receptor.firstPixel[1]) + receptor.translation;
  const PointType origin = gantry.isocenter + patient.ToPatient(first);
  const auto      geometry = Geometry::New();
  geometry->SetConeBeam(patient.source, itk::BuildDetectorImage(origin, axes.columns, axes.rows, grid));
  return geometry;
}

} // namespace

// PS3.3 C.8.8.2.7 and IEC 61217: pixel -> receptor -> gantry -> fixed -> patient.
Geometry::Pointer
UnderstandRTImage(const RadiographOptions & options, itk::DICOMRadiographInformation & information, Findings & findings)
{
  const auto sourceAxis =
    findings.RequirePositive({ "source-isocenter distance", DCM_RadiationMachineSAD, "mm", "SourceIsocenterDistance" },
                             options.sourceIsocenterDistance);
  const auto sourceImage = findings.RequirePositive(
    { "source-detector distance", DCM_RTImageSID, "mm", "SourceDetectorDistance" }, options.sourceDetectorDistance);
  const auto gantryAngle = FindAngle(
    { "gantry angle", DCM_GantryAngle, "degrees", "GantryAngle" }, options.gantryAngle, information, findings);
  const auto couchAngle = FindAngle(
    { "couch angle", DCM_PatientSupportAngle, "degrees", "CouchAngle" }, options.couchAngle, information, findings);
  const auto receptorAngle = findings.Require(
    { "receptor angle", DCM_XRayImageReceptorAngle, "degrees", "ReceptorAngle" }, options.receptorAngle);
  RefuseUnusualMotions(information, findings);
  const auto position = FindPatientPosition(options, findings);
  const auto isocenter = FindIsocenter(options, findings);
  RequireNormalPlane(findings);
  const auto axes = FindReceptorAxes(findings);
  const auto pitch = FindPitch(options, findings);
  const auto first = findings.RequireNumbers(DCM_RTImagePosition, 2, "Geometry");
  if (first)
  {
    findings.Know("first pixel on the receptor",
                  NumberText((*first)[0]) + ", " + NumberText((*first)[1]) + " mm",
                  TagName(DCM_RTImagePosition));
  }
  const auto translation =
    sourceAxis && sourceImage ? FindTranslation(*sourceAxis, *sourceImage, options, findings) : std::nullopt;
  if (findings.HasRefusals())
  {
    return nullptr;
  }
  const Geometry::Gantry gantry{
    *gantryAngle * RadiansPerDegree, *couchAngle * RadiansPerDegree, *position, *sourceAxis, *sourceImage, *isocenter
  };
  const ReceptorPlace receptor{ { (*first)[0], (*first)[1] }, *axes, *translation, *receptorAngle * RadiansPerDegree };
  return BuildView(
    gantry, receptor, { information.columns, information.rows, (*pitch)[0], (*pitch)[1] }, options, findings);
}

} // namespace radiography::dicom
