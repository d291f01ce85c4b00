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
#include "dicom/DICOMEnhancedXray.h"

#include "dicom/DICOMFunctionalGroups.h"
#include "dicom/DICOMTagReader.h"

namespace radiography::dicom
{
namespace
{

/** A macro's sequence, and what is taken out of its item. */
struct Macro
{
  DcmTagKey              sequence;
  std::vector<DcmTagKey> tags;
};

/** PS3.3 C.8.19.6.2, .4, .10, .13, .14, .15; C.7.6.16.2.15, C.7.6.16.2.16. */
const std::vector<Macro> &
Macros()
{
  static const std::vector<Macro> macros{
    { DCM_PositionerPositionSequence,
      { DCM_PositionerPrimaryAngle, DCM_PositionerSecondaryAngle, DCM_ColumnAngulationPatient } },
    { DCM_XRayGeometrySequence, { DCM_DistanceSourceToIsocenter, DCM_DistanceSourceToDetector } },
    { DCM_FramePixelDataPropertiesSequence,
      { DCM_PixelIntensityRelationship,
        DCM_PixelIntensityRelationshipSign,
        DCM_ImagerPixelSpacing,
        DCM_PixelDataAreaOriginRelativeToFOV,
        DCM_PixelDataAreaRotationAngleRelativeToFOV,
        DCM_GeometricalProperties } },
    { DCM_FieldOfViewSequence, { DCM_FieldOfViewOrigin, DCM_FieldOfViewRotation, DCM_FieldOfViewHorizontalFlip } },
    { DCM_PatientOrientationInFrameSequence, { DCM_PatientOrientation } },
    { DCM_IsocenterReferenceSystemSequence, { DCM_PositionerIsocenterDetectorRotationAngle } },
    { DCM_FrameDisplayShutterSequence,
      { DCM_ShutterShape,
        DCM_ShutterLeftVerticalEdge,
        DCM_ShutterRightVerticalEdge,
        DCM_ShutterUpperHorizontalEdge,
        DCM_ShutterLowerHorizontalEdge,
        DCM_CenterOfCircularShutter,
        DCM_RadiusOfCircularShutter,
        DCM_VerticesOfThePolygonalShutter } },
    { DCM_CollimatorShapeSequence,
      { DCM_CollimatorShape,
        DCM_CollimatorLeftVerticalEdge,
        DCM_CollimatorRightVerticalEdge,
        DCM_CollimatorUpperHorizontalEdge,
        DCM_CollimatorLowerHorizontalEdge,
        DCM_CenterOfCircularCollimator,
        DCM_RadiusOfCircularCollimator,
        DCM_VerticesOfThePolygonalCollimator } },
  };
  return macros;
}

/** What holds for the whole image: PS3.3 C.8.19.3, C.8.19.5, C.7.6.1. */
const std::vector<DcmTagKey> &
CommonTags()
{
  static const std::vector<DcmTagKey> tags{
    DCM_PositionerType, DCM_PositionOfIsocenterProjection, DCM_DetectorElementSpacing, DCM_LossyImageCompression
  };
  return tags;
}

/** Absent tags stay absent. */
void
Copy(DcmItem & from, const DcmTagKey & tag, DcmItem & to)
{
  if (from.tagExists(tag) && from.findAndInsertCopyOfElement(tag, &to).bad())
  {
    throw FileError("functional-groups", TagName(tag) + " cannot be read");
  }
}

} // namespace

std::unique_ptr<DcmDataset>
GatherFrameAttributes(DcmItem & dataset, std::size_t frames, std::size_t frame)
{
  const FunctionalGroups groups(dataset, frames);
  auto                   gathered = std::make_unique<DcmDataset>();
  for (const auto & tag : CommonTags())
  {
    Copy(dataset, tag, *gathered);
  }
  for (const auto & macro : Macros())
  {
    DcmItem * const item = groups.Find(frame, macro.sequence);
    for (const auto & tag : macro.tags)
    {
      if (item != nullptr)
      {
        Copy(*item, tag, *gathered);
      }
    }
  }
  if (DcmItem * const holder = groups.FindHolder(frame, DCM_PixelIntensityRelationshipLUTSequence))
  {
    Copy(*holder, DCM_PixelIntensityRelationshipLUTSequence, *gathered);
  }
  return gathered;
}

} // namespace radiography::dicom
