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
#ifndef itkRadiographGeometryRTK_h
#define itkRadiographGeometryRTK_h

#include "itkRadiographGeometry.h"

#include <limits>
#include <string>
#include <vector>

namespace itk
{

/** \class RadiographGeometryRTK
 * \brief Reads the geometry files of the Reconstruction Toolkit (RTK) into views.
 *
 * An RTKThreeDCircularGeometry file, version 2 or 3, says where source and flat detector are for each projection of a
 * stack; the pixels of the detector are in the stack itself (an image file), so that they are stated here. What the
 * parameters mean is in RTK's documentation, page "3D Circular Projection Geometry"; lengths are taken as mm.
 *
 * The world of the views is RTK's fixed coordinate system, that of IEC 61217 with the isocentre at the origin: x to the
 * right of who faces the gantry, y towards the gantry, z up. It is *not* the patient's. For a patient who lies on the
 * back head first, with couch angle 0, the point (x, y, z) is at LPS (x, -z, y) plus the isocentre: give that as the
 * projection filter's transform (doc/geometry.md). For a volume that was reconstructed by RTK the two are the same.
 *
 * A file without SourceToDetectorDistance, or with 0, is of a parallel beam; SourceOffsetX and Y then mean nothing.
 * Fields are given once for all projections or in every projection; all but SourceToIsocenterDistance and Matrix may be
 * left out where RTK has a default.
 *
 * The 3 x 4 matrices in the file are not used but checked: the views must give the same ones, to the 0.001 that RTK
 * itself allows.
 *
 * Errors, which name the field, its place and its value: text that is no whole XML document, another root element or
 * version, a cylindrical detector, elements that are not known, fields that are missing, given twice, given in some
 * projections only, or not finite numbers, matrices that contradict the parameters, and what
 * RadiographGeometry::SetConeBeam refuses.
 *
 * \ingroup Radiography */
class Radiography_EXPORT RadiographGeometryRTK
{
public:
  /** The pixels of a stack of projections. */
  struct Detector
  {
    RadiographGeometry::DetectorGrid grid;
    /** RTK's projection coordinates of pixel (0, 0), mm: the stack's origin, first two components. */
    double originU{ 0.0 };
    double originV{ 0.0 };
  };

  /** Where the jaws are: a ray is free if, in the plane through the isocentre parallel to the detector, it is at
   * -uInf < u < uSup and -vInf < v < vSup; mm. Infinite where the file has no jaw. */
  struct Collimation
  {
    double uInf{ std::numeric_limits<double>::infinity() };
    double uSup{ std::numeric_limits<double>::infinity() };
    double vInf{ std::numeric_limits<double>::infinity() };
    double vSup{ std::numeric_limits<double>::infinity() };
  };

  /** One projection of the stack. */
  struct Projection
  {
    RadiographGeometry::Pointer view;
    /** The projectors know nothing of jaws: pixels behind them are the caller's to leave out. */
    Collimation collimation;
  };

  /** The projections in the order of the text. \throws ExceptionObject as described above. */
  static std::vector<Projection>
  Parse(const std::string & text, const Detector & detector);

  /** The same for a file, which errors name as well. */
  static std::vector<Projection>
  ReadFile(const std::string & path, const Detector & detector);
};

} // namespace itk

#endif
