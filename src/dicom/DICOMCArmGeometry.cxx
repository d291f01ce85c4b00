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
using Pitch = std::array<double, 2>;

constexpr double RadiansPerDegree = itk::Math::pi / 180.0;

constexpr const char * PitchQuantity = "detector pitch (between columns, between rows)";

/** Two positive numbers as the tag has them, between rows first; nothing if absent, or with a refusal. */
std::optional<Pitch>
ReadSpacing(const DcmTagKey & tag, Findings & findings)
{
  const auto values = findings.Numbers(tag, 2, "Pitch");
  if (!values || values->empty())
  {
    return std::nullopt;
  }
  if (!((*values)[0] > 0.0) || !((*values)[1] > 0.0))
  {
    findings.Refuse("impossible-value",
                    TagName(tag) + " is \"" + TextOf(findings.Item(), tag) + "\": spacings are greater than 0",
                    "Pitch");
    return std::nullopt;
  }
  return Pitch{ (*values)[1], (*values)[0] };
}

std::string
PitchText(const Pitch & pitch)
{
  return NumberText(pitch[0]) + ", " + NumberText(pitch[1]) + " mm";
}

bool
IsAbsent(const DcmTagKey & tag, Findings & findings)
{
  return TextOf(findings.Item(), tag).empty();
}

/** Pixel Spacing alone: PS3.3 10.7.1.2 and 10.7.1.3 let it be the one at the detector, unless it was calibrated. */
std::optional<Pitch>
PitchFromPixelSpacing(Findings & findings)
{
  const auto spacing = ReadSpacing(DCM_PixelSpacing, findings);
  if (!spacing)
  {
    return std::nullopt;
  }
  const auto calibration = TextOf(findings.Item(), DCM_PixelSpacingCalibrationType);
  if (!calibration.empty())
  {
    findings.Refuse("calibrated-pixel-spacing",
                    TagName(DCM_ImagerPixelSpacing) + " is absent, and " + TagName(DCM_PixelSpacing) +
                      " is calibrated (" + TagName(DCM_PixelSpacingCalibrationType) + " is " + calibration +
                      "): it holds in the patient, not at the detector",
                    "Pitch");
    return std::nullopt;
  }
  findings.Warn("pitch-from-pixel-spacing",
                TagName(DCM_ImagerPixelSpacing) + " is absent; " + TagName(DCM_PixelSpacing) +
                  " is taken for the pitch at the detector, although it may belong to a plane in the patient",
                "Pitch");
  findings.Know(PitchQuantity, PitchText(*spacing), TagName(DCM_PixelSpacing));
  return spacing;
}

std::optional<Pitch>
ReadImagerPitch(Findings & findings)
{
  const auto imager = ReadSpacing(DCM_ImagerPixelSpacing, findings);
  if (!imager)
  {
    return std::nullopt;
  }
  findings.Know(PitchQuantity, PitchText(*imager), TagName(DCM_ImagerPixelSpacing));
  const auto text = TextOf(findings.Item(), DCM_PixelSpacing);
  if (!text.empty() && text != TextOf(findings.Item(), DCM_ImagerPixelSpacing))
  {
    findings.Warn("pixel-spacing-differs",
                  TagName(DCM_PixelSpacing) + " is \"" + text + "\", " + TagName(DCM_ImagerPixelSpacing) +
                    " is the one at the detector and is used");
  }
  return imager;
}

std::optional<Pitch>
FindPitch(RadiographKind kind, const RadiographOptions & options, Findings & findings)
{
  if (options.pitch)
  {
    findings.Know(PitchQuantity, PitchText(*options.pitch), OptionSource("Pitch"));
    return options.pitch;
  }
  const bool isFree = kind == RadiographKind::SecondaryCapture;
  if (!isFree && !IsAbsent(DCM_ImagerPixelSpacing, findings))
  {
    return ReadImagerPitch(findings);
  }
  if (!isFree && !IsAbsent(DCM_PixelSpacing, findings))
  {
    return PitchFromPixelSpacing(findings);
  }
  findings.Refuse("missing-pitch",
                  isFree
                    ? "a secondary capture does not know the pitch of a detector"
                    : TagName(DCM_ImagerPixelSpacing) + " and " + TagName(DCM_PixelSpacing) + " are absent or empty",
                  "Pitch");
  return std::nullopt;
}

/** Whether the positioner's angles are those of a C-arm about the patient. */
bool
HasCArmAngles(RadiographKind kind, Findings & findings)
{
  switch (kind)
  {
    case RadiographKind::Angiography:
    case RadiographKind::EnhancedAngiography:
      return true;
    case RadiographKind::Fluoroscopy:
    case RadiographKind::EnhancedFluoroscopy:
      return !IsAbsent(DCM_PositionerPrimaryAngle, findings);
    case RadiographKind::ComputedRadiography:
    case RadiographKind::DigitalRadiography:
      // PS3.3 C.8.11.5: the angles mean what they mean in XA if, and only if, the positioner is a C-arm.
      return TextOf(findings.Item(), DCM_PositionerType) == "CARM";
    default:
      return false;
  }
}

/** An angle of the positioner, degrees: when the first frame was taken, which PatientOrientation is about, and when the
 * chosen one was. */
struct PositionerAngle
{
  double ofFirstFrame{ 0.0 };
  double ofFrame{ 0.0 };
};

PositionerAngle
AtRest(double angle)
{
  return { angle, angle };
}

/** The increments of the first and of the chosen frame; 0 for a positioner that stands still. Nothing with a refusal.
 */
std::optional<PositionerAngle>
FindIncrements(const Wanted & wanted, const itk::DICOMRadiographInformation & information, Findings & findings)
{
  const auto increments = findings.Numbers(wanted.tag, 0, wanted.option);
  if (!increments)
  {
    return std::nullopt;
  }
  const bool moves = TextOf(findings.Item(), DCM_PositionerMotion) == "DYNAMIC";
  if (increments->empty() && (!moves || information.frames == 1))
  {
    return AtRest(0.0);
  }
  if (increments->size() != information.frames)
  {
    findings.Refuse("angle-increments",
                    TagName(wanted.tag) + " has " + std::to_string(increments->size()) + " values for " +
                      std::to_string(information.frames) + " frame(s)" + (moves ? " of a positioner in motion" : ""),
                    wanted.option);
    return std::nullopt;
  }
  const std::size_t frame = std::max<std::size_t>(information.frame, 1) - 1;
  findings.KnowNumber(wanted, (*increments)[frame], TagName(wanted.tag));
  return PositionerAngle{ increments->front(), (*increments)[frame] };
}

std::optional<PositionerAngle>
FindAngle(const Wanted &                          wanted,
          const Wanted &                          increment,
          double                                  largest,
          const std::optional<double> &           option,
          const itk::DICOMRadiographInformation & information,
          Findings &                              findings)
{
  const auto angle = findings.Require(wanted, option);
  if (!angle || option)
  {
    return angle ? std::optional<PositionerAngle>(AtRest(*angle)) : std::nullopt;
  }
  if (std::abs(*angle) > largest)
  {
    findings.Refuse("impossible-value",
                    TagName(wanted.tag) + " is " + NumberText(*angle) + ": at most " + NumberText(largest) +
                      " degrees either way",
                    wanted.option);
    return std::nullopt;
  }
  const auto more = FindIncrements(increment, information, findings);
  return more ? std::optional<PositionerAngle>({ *angle + more->ofFirstFrame, *angle + more->ofFrame }) : std::nullopt;
}

std::optional<PositionerAngle>
AngleByHand(const Wanted & wanted, const std::optional<double> & option, Findings & findings)
{
  if (option)
  {
    findings.Require(wanted, option);
    return AtRest(*option);
  }
  const auto type = TextOf(findings.Item(), DCM_PositionerType);
  findings.Refuse("missing-angle",
                  std::string("the file does not say the ") + wanted.quantity + " of a C-arm" +
                    (type.empty() ? "" : " (" + TagName(DCM_PositionerType) + " is " + type + ")"),
                  wanted.option);
  return std::nullopt;
}

std::optional<double>
FindSourceIsocenterDistance(RadiographKind kind, const RadiographOptions & options, Findings & findings)
{
  const Wanted wanted{ "source-isocenter distance",
                       IsEnhanced(kind) ? DCM_DistanceSourceToIsocenter : DCM_DistanceSourceToPatient,
                       "mm",
                       "SourceIsocenterDistance" };
  const bool   isKnownByFile = kind != RadiographKind::DigitalRadiography && kind != RadiographKind::SecondaryCapture;
  if (options.sourceIsocenterDistance || isKnownByFile)
  {
    return findings.RequirePositive(wanted, options.sourceIsocenterDistance);
  }
  findings.Refuse("missing-source-isocenter-distance",
                  kind == RadiographKind::DigitalRadiography
                    ? TagName(wanted.tag) +
                        " of a DX image is the distance to the table or bucky (PS3.3 C.8.11.5), not to "
                        "an isocenter: the file does not know that one"
                    : "a secondary capture does not know the distance from source to isocenter",
                  wanted.option);
  return std::nullopt;
}

std::optional<double>
FindSourceDetectorDistance(RadiographKind kind, const RadiographOptions & options, Findings & findings)
{
  const Wanted wanted{ "source-detector distance", DCM_DistanceSourceToDetector, "mm", "SourceDetectorDistance" };
  if (options.sourceDetectorDistance || kind != RadiographKind::SecondaryCapture)
  {
    return findings.RequirePositive(wanted, options.sourceDetectorDistance);
  }
  findings.Refuse("missing-source-detector-distance",
                  "a secondary capture does not know the distance from source to detector",
                  wanted.option);
  return std::nullopt;
}

/** Estimated Radiographic Magnification Factor is source-detector by source-patient distance. */
void
CheckMagnification(double sourceIsocenter, double sourceDetector, Findings & findings)
{
  const auto   factor = ParseDecimalString(TextOf(findings.Item(), DCM_EstimatedRadiographicMagnificationFactor));
  const double ratio = sourceDetector / sourceIsocenter;
  if (factor && std::abs(*factor - ratio) > 0.01 * ratio)
  {
    findings.Warn("magnification-differs",
                  TagName(DCM_EstimatedRadiographicMagnificationFactor) + " is " + NumberText(*factor) +
                    ", the distances give " + NumberText(ratio));
  }
}

/** Source-isocentre and source-detector distance, if both are there and possible. */
std::optional<std::array<double, 2>>
FindDistances(RadiographKind kind, const RadiographOptions & options, Findings & findings)
{
  const auto isocenter = FindSourceIsocenterDistance(kind, options, findings);
  const auto detector = FindSourceDetectorDistance(kind, options, findings);
  if (!isocenter || !detector)
  {
    return std::nullopt;
  }
  if (*detector < *isocenter)
  {
    findings.Refuse("distances-contradict",
                    "the source-detector distance of " + NumberText(*detector) +
                      " mm is less than the source-isocenter distance of " + NumberText(*isocenter) +
                      " mm: the detector would stand between source and isocenter",
                    "SourceDetectorDistance SourceIsocenterDistance");
    return std::nullopt;
  }
  if (!options.sourceIsocenterDistance && !options.sourceDetectorDistance)
  {
    CheckMagnification(*isocenter, *detector, findings);
  }
  return std::array<double, 2>{ *isocenter, *detector };
}

Geometry::PointType
FindIsocenter(const RadiographOptions & options, itk::DICOMRadiographInformation & information, Findings & findings)
{
  if (options.isocenter)
  {
    const auto & point = *options.isocenter;
    findings.Know("isocenter",
                  NumberText(point[0]) + ", " + NumberText(point[1]) + ", " + NumberText(point[2]) + " mm",
                  OptionSource("Isocenter"));
    return point;
  }
  information.isocenterIsAssumed = true;
  findings.Know("isocenter", "0, 0, 0 mm", "assumption: the world's origin");
  findings.Warn(
    "isocenter-assumed",
    "the file does not say where the isocenter is in the patient: the world's origin is taken, so the view is "
    "a start value for a registration",
    "Isocenter");
  return {};
}

/** Where the isocenter is projected to, as the detector of an enhanced image says (PS3.3 C.8.19.5, C.8.19.6.2,
 * C.8.19.6.4): column and row of the stored image. Throws FileError, or says why it is not known. */
std::string
ProjectIsocenter(const Pitch &                           pitch,
                 const itk::DICOMRadiographInformation & information,
                 DcmItem &                               item,
                 Pitch &                                 center)
{
  // Rows before columns in each of these; the isocenter is counted from the centre of the first element, the field of
  // view from its corner.
  const auto isocenter = RequiredDecimals(item, DCM_PositionOfIsocenterProjection, 2);
  const auto element = RequiredDecimals(item, DCM_DetectorElementSpacing, 2);
  const auto field = RequiredDecimals(item, DCM_FieldOfViewOrigin, 2);
  const auto rotation = RequiredDecimals(item, DCM_FieldOfViewRotation, 1)[0];
  const bool flip = TextOf(item, DCM_FieldOfViewHorizontalFlip) == "YES";
  auto       area = DecimalsOf(item, DCM_PixelDataAreaOriginRelativeToFOV);
  area.resize(2, 0.0);
  const auto areaRotation = DecimalsOf(item, DCM_PixelDataAreaRotationAngleRelativeToFOV);
  const bool isWhole = area[0] == 0.0 && area[1] == 0.0;
  if (!(element[0] > 0.0 && element[1] > 0.0))
  {
    return TagName(DCM_DetectorElementSpacing) + " is not greater than 0";
  }
  if ((!areaRotation.empty() && areaRotation[0] != 0.0) || (!isWhole && (flip || rotation != 0.0)))
  {
    return "the image is a turned part of the field of view";
  }
  const bool isSideways = rotation == 90.0 || rotation == 270.0;
  if (!isSideways && rotation != 0.0 && rotation != 180.0)
  {
    return TagName(DCM_FieldOfViewRotation) + " is " + NumberText(rotation);
  }
  // In pixels of the field of view before it was turned.
  const double rowPitch = isSideways ? pitch[0] : pitch[1];
  const double columnPitch = isSideways ? pitch[1] : pitch[0];
  const double row = (isocenter[0] + 0.5 - field[0]) * element[0] / rowPitch - 0.5;
  const double column = (isocenter[1] + 0.5 - field[1]) * element[1] / columnPitch - 0.5;
  const auto   lastColumn = static_cast<double>(information.columns) - 1.0;
  const auto   lastRow = static_cast<double>(information.rows) - 1.0;
  // Clockwise, then mirrored left to right.
  center = rotation == 90.0    ? Pitch{ lastColumn - row, column }
           : rotation == 180.0 ? Pitch{ lastColumn - column, lastRow - row }
           : rotation == 270.0 ? Pitch{ row, lastRow - column }
                               : Pitch{ column - area[1], row - area[0] };
  center[0] = flip ? lastColumn - center[0] : center[0];
  return {};
}

/** Column and row where the ray through the isocenter hits. */
std::array<double, 2>
FindPrincipalPoint(const std::optional<Pitch> &            pitch,
                   const itk::DICOMRadiographInformation & information,
                   Findings &                              findings)
{
  Pitch       center{ 0.5 * (static_cast<double>(information.columns) - 1.0),
                0.5 * (static_cast<double>(information.rows) - 1.0) };
  std::string source = "assumption: the middle of the matrix";
  if (pitch && !IsAbsent(DCM_PositionOfIsocenterProjection, findings))
  {
    std::string why;
    try
    {
      why = ProjectIsocenter(*pitch, information, findings.Item(), center);
    }
    catch (const FileError & error)
    {
      why = error.what();
    }
    source = why.empty() ? TagName(DCM_PositionOfIsocenterProjection) + " in the field of view" : source;
    if (!why.empty())
    {
      findings.Warn("principal-point-assumed",
                    TagName(DCM_PositionOfIsocenterProjection) + " is not used: " + why +
                      "; the ray through the isocenter is taken to hit the middle of the matrix",
                    "Geometry");
    }
  }
  findings.Know("principal point", NumberText(center[0]) + ", " + NumberText(center[1]) + " (column, row)", source);
  return center;
}

/** An image intensifier bends the image. */
void
WarnOfDistortion(Findings & findings)
{
  if (TextOf(findings.Item(), DCM_GeometricalProperties) == "NON_UNIFORM")
  {
    findings.Warn("non-uniform-pixels",
                  TagName(DCM_GeometricalProperties) +
                    " is NON_UNIFORM: the pitch differs from pixel to pixel, the view has the one of the middle",
                  "Geometry");
  }
}

/** What the angles of a C-arm do not tell. */
void
RefuseUnusualDetector(RadiographKind kind, const RadiographOptions & options, Findings & findings)
{
  const bool byHand = options.primaryAngle && options.secondaryAngle;
  if (!options.roll)
  {
    findings.RequireZero(DCM_PositionerIsocenterDetectorRotationAngle,
                         "turned-detector",
                         "the detector is turned in its plane, and the file does not say how that is in the patient",
                         "Roll");
  }
  if ((kind == RadiographKind::Fluoroscopy || kind == RadiographKind::EnhancedFluoroscopy) && !byHand)
  {
    findings.RequireZero(
      IsEnhanced(kind) ? DCM_ColumnAngulationPatient : DCM_ColumnAngulation,
      "column-angulation",
      "the beam is not perpendicular to the table, and the file does not say how it runs through the "
      "patient",
      "PrimaryAngle SecondaryAngle");
  }
}

/** Field of View Rotation and Horizontal Flip say how the stored image was turned against the detector, but not how the
 * detector stands in the C-arm: only Patient Orientation tells what came of it. */
void
CheckFieldOfView(bool haveLetters, Findings & findings)
{
  const auto rotation = findings.Numbers(DCM_FieldOfViewRotation, 1, nullptr);
  const auto flip = TextOf(findings.Item(), DCM_FieldOfViewHorizontalFlip);
  const bool turned = rotation && !rotation->empty() && rotation->front() != 0.0;
  if (!turned && flip != "YES")
  {
    return;
  }
  const std::string what = TagName(DCM_FieldOfViewRotation) + " is " + (turned ? NumberText(rotation->front()) : "0") +
                           ", " + TagName(DCM_FieldOfViewHorizontalFlip) + " is " + (flip.empty() ? "absent" : flip);
  if (!haveLetters)
  {
    findings.Refuse("field-of-view",
                    what + ": the stored image is turned or mirrored, and no patient orientation tells how it lies now",
                    "PatientOrientation");
    return;
  }
  findings.Warn("field-of-view", what + ": the patient orientation decides how the stored image lies");
}

std::optional<ImageAxes>
FindStoredAxes(const ImageAxes & axes, const RadiographOptions & options, Findings & findings)
{
  const auto letters = ReadPatientOrientation(findings, options.patientOrientation);
  CheckFieldOfView(letters.has_value(), findings);
  if (!letters)
  {
    return axes;
  }
  const auto stored = ChooseStoredAxes(*letters, axes);
  if (!stored)
  {
    findings.Refuse("orientation-contradicts",
                    letters->source + " is \"" + letters->text +
                      "\", which fits no way to store an image taken from these positioner angles",
                    "PatientOrientation PrimaryAngle SecondaryAngle Roll");
  }
  else if (stored->columns != axes.columns || stored->rows != axes.rows)
  {
    const bool mirrored =
      itk::CrossProduct(stored->columns, stored->rows) * itk::CrossProduct(axes.columns, axes.rows) < 0.0;
    findings.Warn(mirrored ? "mirrored" : "turned",
                  letters->source + " is \"" + letters->text + "\": the image is stored " +
                    (mirrored ? "mirrored" : "turned") + ", and the view follows it");
  }
  return stored;
}

/** A detector of one pixel, whose centre is where the principal ray hits. */
Geometry::Pointer
ViewOfMiddle(const Geometry::CArm & arm)
{
  const auto view = Geometry::New();
  view->SetCArm(arm, { 1, 1, 1.0, 1.0 });
  return view;
}

ImageAxes
AxesOf(const Geometry & view)
{
  return { view.GetColumnDirection(), view.GetRowDirection() };
}

/** The same turns and mirrors that lead from `upright` to `stored`, of other axes. */
ImageAxes
StoredLike(const ImageAxes & stored, const ImageAxes & upright, const ImageAxes & axes)
{
  const auto follow = [&](const Vector3 & way) {
    return axes.columns * std::round(way * upright.columns) + axes.rows * std::round(way * upright.rows);
  };
  return { follow(stored.columns), follow(stored.rows) };
}

/** How a detector leans against the beam. */
struct DetectorTilt
{
  /** Radians; positive where the beam leans towards higher columns. */
  double alongRow{ 0.0 };
  /** Radians; positive where the beam leans towards lower rows. */
  double alongColumn{ 0.0 };
};

/** Detector Primary and Secondary Angle (PS3.3 C.8.7.5.1.4). Two at once have no order that the standard would name. */
std::optional<DetectorTilt>
FindDetectorTilt(Findings & findings)
{
  const auto first = findings.Numbers(DCM_DetectorPrimaryAngle, 1, "Geometry");
  const auto second = findings.Numbers(DCM_DetectorSecondaryAngle, 1, "Geometry");
  if (!first || !second)
  {
    return std::nullopt;
  }
  const Wanted row{ "detector primary angle", DCM_DetectorPrimaryAngle, "degrees", nullptr };
  const Wanted column{ "detector secondary angle", DCM_DetectorSecondaryAngle, "degrees", nullptr };
  const double alongRow = first->empty() ? 0.0 : first->front();
  const double alongColumn = second->empty() ? 0.0 : second->front();
  if ((alongRow != 0.0 && alongColumn != 0.0) || std::abs(alongRow) >= 90.0 || std::abs(alongColumn) >= 90.0)
  {
    findings.Refuse("tilted-detector",
                    TagName(row.tag) + " is " + NumberText(alongRow) + " and " + TagName(column.tag) + " is " +
                      NumberText(alongColumn) + ": one angle below 90 degrees is read, of two the order is not known",
                    "Geometry");
    return std::nullopt;
  }
  if (alongRow != 0.0)
  {
    findings.KnowNumber(row, alongRow, TagName(row.tag));
  }
  if (alongColumn != 0.0)
  {
    findings.KnowNumber(column, alongColumn, TagName(column.tag));
  }
  return DetectorTilt{ alongRow * RadiansPerDegree, alongColumn * RadiansPerDegree };
}

/** Turns the detector about its middle, so that the beam leans as the angles say. */
ImageAxes
Tilted(const ImageAxes & axes, const DetectorTilt & tilt, const Vector3 & beam)
{
  return { axes.columns * std::cos(tilt.alongRow) + beam * std::sin(tilt.alongRow),
           axes.rows * std::cos(tilt.alongColumn) - beam * std::sin(tilt.alongColumn) };
}

/** The view of the stored image: same source, the given point of the matrix (column, row) where the ray through the
 * isocenter hits. */
Geometry::Pointer
BuildStoredView(const Geometry::CArm &         arm,
                const Geometry::CArm &         armOfFirstFrame,
                const Geometry::DetectorGrid & grid,
                const std::array<double, 2> &  center,
                const RadiographOptions &      options,
                Findings &                     findings)
{
  const auto tilt = FindDetectorTilt(findings);
  const auto upright = AxesOf(*ViewOfMiddle(armOfFirstFrame));
  const auto storedFirst = FindStoredAxes(upright, options, findings);
  if (!tilt || !storedFirst || findings.HasRefusals())
  {
    return nullptr;
  }
  const auto middle = ViewOfMiddle(arm);
  Vector3    beam = middle->GetDetectorOrigin() - middle->GetSource();
  beam.Normalize();
  const auto stored = Tilted(StoredLike(*storedFirst, upright, AxesOf(*middle)), *tilt, beam);
  const auto origin = middle->GetDetectorOrigin() - stored.columns * (center[0] * grid.columnSpacing) -
                      stored.rows * (center[1] * grid.rowSpacing);
  const auto geometry = Geometry::New();
  geometry->SetConeBeam(middle->GetSource(), itk::BuildDetectorImage(origin, stored.columns, stored.rows, grid));
  return geometry;
}

} // namespace

Geometry::Pointer
UnderstandCArm(RadiographKind                    kind,
               const RadiographOptions &         options,
               itk::DICOMRadiographInformation & information,
               Findings &                        findings)
{
  const Wanted primary{ "primary angle", DCM_PositionerPrimaryAngle, "degrees", "PrimaryAngle" };
  const Wanted secondary{ "secondary angle", DCM_PositionerSecondaryAngle, "degrees", "SecondaryAngle" };
  const Wanted primaryStep{ "primary angle increment", DCM_PositionerPrimaryAngleIncrement, "degrees", "PrimaryAngle" };
  const Wanted secondaryStep{
    "secondary angle increment", DCM_PositionerSecondaryAngleIncrement, "degrees", "SecondaryAngle"
  };
  const bool fromFile = HasCArmAngles(kind, findings);
  const auto alpha = fromFile ? FindAngle(primary, primaryStep, 180.0, options.primaryAngle, information, findings)
                              : AngleByHand(primary, options.primaryAngle, findings);
  const auto beta = fromFile ? FindAngle(secondary, secondaryStep, 90.0, options.secondaryAngle, information, findings)
                             : AngleByHand(secondary, options.secondaryAngle, findings);
  const auto distances = FindDistances(kind, options, findings);
  const auto pitch = FindPitch(kind, options, findings);
  const auto isocenter = FindIsocenter(options, information, findings);
  findings.Know("roll",
                NumberText(options.roll.value_or(0.0)) + " degrees",
                options.roll ? OptionSource("Roll") : "assumption: the detector's rows lie across the patient");
  RefuseUnusualDetector(kind, options, findings);
  WarnOfDistortion(findings);
  const auto center = FindPrincipalPoint(pitch, information, findings);
  if (!alpha || !beta || !distances || !pitch)
  {
    return nullptr;
  }
  Geometry::CArm arm;
  arm.primaryAngle = alpha->ofFrame * RadiansPerDegree;
  arm.secondaryAngle = beta->ofFrame * RadiansPerDegree;
  arm.roll = options.roll.value_or(0.0) * RadiansPerDegree;
  arm.sourceIsocenterDistance = (*distances)[0];
  arm.sourceDetectorDistance = (*distances)[1];
  arm.isocenter = isocenter;
  Geometry::CArm armOfFirstFrame = arm;
  armOfFirstFrame.primaryAngle = alpha->ofFirstFrame * RadiansPerDegree;
  armOfFirstFrame.secondaryAngle = beta->ofFirstFrame * RadiansPerDegree;
  return BuildStoredView(arm,
                         armOfFirstFrame,
                         { information.columns, information.rows, (*pitch)[0], (*pitch)[1] },
                         center,
                         options,
                         findings);
}

} // namespace radiography::dicom
