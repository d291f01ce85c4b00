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

#include <algorithm>
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

/** Whether an exposure is about the chosen frame. Of a single frame it need not say so. */
bool
IsAboutFrame(DcmItem & exposure, const itk::DICOMRadiographInformation & information)
{
  const auto text = TextOf(exposure, DCM_ReferencedFrameNumber);
  const auto number = ParseDecimalString(text);
  return (text.empty() && information.frames == 1) || (number && *number == static_cast<double>(information.frame));
}

/** The items of the Exposure Sequence that are about the chosen frame. */
std::vector<DcmItem *>
ExposuresOf(const itk::DICOMRadiographInformation & information, DcmItem & dataset)
{
  std::vector<DcmItem *> exposures;
  DcmItem *              item = nullptr;
  for (long i = 0; dataset.findAndGetSequenceItem(DCM_ExposureSequence, item, i).good() && item != nullptr; ++i)
  {
    if (IsAboutFrame(*item, information))
    {
      exposures.push_back(item);
    }
  }
  return exposures;
}

/** An angle that may stand in the frame's exposure as well as for all frames: the frame's own wins, and if there is one
 * frame they must agree. Empty if it is absent; nothing with a refusal. */
std::optional<std::vector<double>>
FindOptionalAngle(const Wanted & wanted, itk::DICOMRadiographInformation & information, Findings & findings)
{
  const auto exposures = ExposuresOf(information, findings.Item());
  auto       common = findings.Numbers(wanted.tag, 1, wanted.option);
  auto       own = exposures.empty() ? std::optional<std::vector<double>>(std::vector<double>())
                                     : Findings(*exposures.front(), information).Numbers(wanted.tag, 1, wanted.option);
  if (!common || !own || own->empty())
  {
    return own ? common : std::nullopt;
  }
  if (information.frames == 1 && !common->empty() && std::abs(common->front() - own->front()) > 1e-6)
  {
    findings.Refuse("contradiction",
                    TagName(wanted.tag) + " is " + NumberText(common->front()) + ", but " + NumberText(own->front()) +
                      " in " + TagName(DCM_ExposureSequence),
                    wanted.option);
    return std::nullopt;
  }
  return own;
}

std::optional<double>
FindAngle(const Wanted &                    wanted,
          const std::optional<double> &     option,
          itk::DICOMRadiographInformation & information,
          Findings &                        findings)
{
  if (option)
  {
    return findings.Require(wanted, option);
  }
  const auto angle = FindOptionalAngle(wanted, information, findings);
  if (!angle)
  {
    return std::nullopt;
  }
  if (angle->empty())
  {
    return findings.Require(wanted, option); // which says that it is missing
  }
  findings.KnowNumber(wanted, angle->front(), TagName(wanted.tag));
  return angle->front();
}

/** The same of an angle whose absence means 0. */
std::optional<double>
FindAngleOrZero(const Wanted & wanted, itk::DICOMRadiographInformation & information, Findings & findings)
{
  const auto angle = FindOptionalAngle(wanted, information, findings);
  if (angle && !angle->empty() && angle->front() != 0.0)
  {
    findings.KnowNumber(wanted, angle->front(), TagName(wanted.tag));
  }
  return angle ? std::optional<double>(angle->empty() ? 0.0 : angle->front()) : std::nullopt;
}

/** The couch angle, and what the table top does on it. */
std::optional<TableTop>
FindTableTop(const RadiographOptions & options, itk::DICOMRadiographInformation & information, Findings & findings)
{
  const auto couch = FindAngle(
    { "couch angle", DCM_PatientSupportAngle, "degrees", "CouchAngle" }, options.couchAngle, information, findings);
  const auto eccentric = FindAngleOrZero(
    { "eccentric angle of the table top", DCM_TableTopEccentricAngle, "degrees", "Geometry" }, information, findings);
  const auto pitch =
    FindAngleOrZero({ "pitch of the table top", DCM_TableTopPitchAngle, "degrees", "Geometry" }, information, findings);
  const auto roll =
    FindAngleOrZero({ "roll of the table top", DCM_TableTopRollAngle, "degrees", "Geometry" }, information, findings);
  if (!couch || !eccentric || !pitch || !roll)
  {
    return std::nullopt;
  }
  return TableTop{ (*couch + *eccentric) * RadiansPerDegree, *pitch * RadiansPerDegree, *roll * RadiansPerDegree };
}

/** The gantry's pitch has no order among the other rotations that the standard would name. */
void
RefuseGantryPitch(itk::DICOMRadiographInformation & information, Findings & findings)
{
  const auto pitch =
    FindAngleOrZero({ "gantry pitch", DCM_GantryPitchAngle, "degrees", "Geometry" }, information, findings);
  if (pitch && *pitch != 0.0)
  {
    findings.Refuse("tilted-gantry",
                    TagName(DCM_GantryPitchAngle) + " is " + NumberText(*pitch) + ": a tilted gantry is not read",
                    "Geometry");
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

/** Whether the image lies in the receptor's plane; nothing with a refusal. */
std::optional<bool>
FindWhetherNormal(Findings & findings)
{
  const auto plane = TextOf(findings.Item(), DCM_RTImagePlane);
  if (plane == "NORMAL" || plane == "NON_NORMAL")
  {
    findings.Know("image plane", plane, TagName(DCM_RTImagePlane));
    return plane == "NORMAL";
  }
  findings.Refuse("missing-tag",
                  TagName(DCM_RTImagePlane) + (plane.empty() ? " is absent or empty" : " is \"" + plane + "\"") +
                    ": NORMAL and NON_NORMAL are read",
                  "Geometry");
  return std::nullopt;
}

/** Columns' and rows' direction in the receptor's system (IEC 61217): RT Image Orientation, else as PS3.3 C.8.8.2.7. */
std::optional<ImageAxes>
FindReceptorAxes(bool isNormal, Findings & findings)
{
  const auto values = isNormal ? findings.Numbers(DCM_RTImageOrientation, 6, "Geometry")
                               : findings.RequireNumbers(DCM_RTImageOrientation, 6, "Geometry");
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
  if (!isOrthonormal || (isNormal && !isInPlane))
  {
    findings.Refuse("image-orientation",
                    TagName(DCM_RTImageOrientation) + " is \"" + TextOf(findings.Item(), DCM_RTImageOrientation) +
                      "\": two perpendicular unit vectors" + (isNormal ? " within the receptor's plane" : "") +
                      " are expected",
                    "Geometry");
    return std::nullopt;
  }
  if (isNormal)
  {
    axes.columns[2] = axes.rows[2] = 0.0;
  }
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
  /** Centre of pixel (0, 0) in the IEC X-RAY IMAGE RECEPTOR system. */
  Vector3   firstPixel;
  ImageAxes axes;
  Vector3   translation;
  double    angle;
};

/** RT Image Position. If the image does not lie in the receptor's plane, it is what it was before the plane was turned
 * about the receptor's origin (PS3.3 C.8.8.2.7), with columns along x and rows against y. */
Vector3
PlaceOfFirstPixel(const std::vector<double> & position, bool isNormal, const ImageAxes & axes)
{
  if (!isNormal)
  {
    return axes.columns * position[0] - axes.rows * position[1];
  }
  Vector3 place(0.0);
  place[0] = position[0];
  place[1] = position[1];
  return place;
}

/** From the receptor's to the gantry's system (IEC 61217): a turn about z. */
Vector3
ReceptorToGantry(const ReceptorPlace & receptor, const Vector3 & v)
{
  Vector3 gantry(0.0);
  gantry[0] = v[0] * std::cos(receptor.angle) - v[1] * std::sin(receptor.angle);
  gantry[1] = v[0] * std::sin(receptor.angle) + v[1] * std::cos(receptor.angle);
  gantry[2] = v[2];
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
BuildView(const GantryAxes &             patient,
          const PointType &              isocenter,
          const ReceptorPlace &          receptor,
          const Geometry::DetectorGrid & grid,
          const RadiographOptions &      options,
          Findings &                     findings)
{
  const ImageAxes axes{ patient.ToPatient(ReceptorToGantry(receptor, receptor.axes.columns)),
                        patient.ToPatient(ReceptorToGantry(receptor, receptor.axes.rows)) };
  CheckLetters(axes, options, findings);
  if (findings.HasRefusals())
  {
    return nullptr;
  }
  const Vector3   first = ReceptorToGantry(receptor, receptor.firstPixel) + receptor.translation;
  const PointType origin = isocenter + patient.ToPatient(first);
  const auto      geometry = Geometry::New();
  geometry->SetConeBeam(patient.source, itk::BuildDetectorImage(origin, axes.columns, axes.rows, grid));
  return geometry;
}

/** Jaws and leaves. Without the device's angle they cannot be drawn, nor if several exposures make up one frame. */
BeamLimits
FindBeamLimits(const GantryAxes &                axes,
               double                            sourceAxisDistance,
               itk::DICOMRadiographInformation & information,
               Findings &                        findings)
{
  const auto exposures = ExposuresOf(information, findings.Item());
  const auto hasLimits = [](DcmItem * exposure) { return exposure->tagExists(DCM_BeamLimitingDeviceSequence); };
  const auto first = std::find_if(exposures.begin(), exposures.end(), hasLimits);
  if (first == exposures.end())
  {
    return {};
  }
  std::string why = exposures.size() > 1 ? std::to_string(exposures.size()) + " exposures make up the frame" : "";
  const auto  angle = FindOptionalAngle(
    { "angle of the collimator", DCM_BeamLimitingDeviceAngle, "degrees", "Geometry" }, information, findings);
  if (!angle)
  {
    return {};
  }
  why = angle->empty() ? TagName(DCM_BeamLimitingDeviceAngle) + " is absent or empty" : why;
  if (!why.empty())
  {
    findings.Warn("beam-limits-not-read", why + ": the mask leaves jaws and leaves out");
    return {};
  }
  findings.KnowNumber({ "angle of the collimator", DCM_BeamLimitingDeviceAngle, "degrees", nullptr },
                      angle->front(),
                      TagName(DCM_BeamLimitingDeviceAngle));
  return ReadBeamLimits(**first, axes, sourceAxisDistance, angle->front() * RadiansPerDegree, findings);
}

} // namespace

// PS3.3 C.8.8.2.7 and IEC 61217: pixel -> receptor -> gantry -> fixed -> patient.
Geometry::Pointer
UnderstandRTImage(const RadiographOptions &         options,
                  itk::DICOMRadiographInformation & information,
                  Findings &                        findings,
                  BeamLimits &                      limits)
{
  const auto sourceAxis =
    findings.RequirePositive({ "source-isocenter distance", DCM_RadiationMachineSAD, "mm", "SourceIsocenterDistance" },
                             options.sourceIsocenterDistance);
  const auto sourceImage = findings.RequirePositive(
    { "source-detector distance", DCM_RTImageSID, "mm", "SourceDetectorDistance" }, options.sourceDetectorDistance);
  const auto gantryAngle = FindAngle(
    { "gantry angle", DCM_GantryAngle, "degrees", "GantryAngle" }, options.gantryAngle, information, findings);
  const auto table = FindTableTop(options, information, findings);
  const auto receptorAngle = findings.Require(
    { "receptor angle", DCM_XRayImageReceptorAngle, "degrees", "ReceptorAngle" }, options.receptorAngle);
  RefuseGantryPitch(information, findings);
  const auto position = FindPatientPosition(options, findings);
  const auto isocenter = FindIsocenter(options, findings);
  const auto isNormal = FindWhetherNormal(findings);
  const auto axes = isNormal ? FindReceptorAxes(*isNormal, findings) : std::nullopt;
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
    *gantryAngle * RadiansPerDegree, table->turn, *position, *sourceAxis, *sourceImage, *isocenter
  };
  const GantryAxes    patient(gantry, *table);
  const ReceptorPlace receptor{
    PlaceOfFirstPixel(*first, *isNormal, *axes), *axes, *translation, *receptorAngle * RadiansPerDegree
  };
  limits = FindBeamLimits(patient, *sourceAxis, information, findings);
  return BuildView(patient,
                   *isocenter,
                   receptor,
                   { information.columns, information.rows, (*pitch)[0], (*pitch)[1] },
                   options,
                   findings);
}

} // namespace radiography::dicom
