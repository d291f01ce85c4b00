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
#ifndef radiography_dicom_DICOMBeamLimits_h
#define radiography_dicom_DICOMBeamLimits_h

#include "dicom/DICOMFindings.h"
#include "dicom/DICOMGantryAxes.h"

#include <vector>

namespace radiography::dicom
{

/** A pair of jaws, or pairs of leaves side by side, in mm of the plane through the isocenter. */
struct JawsOrLeaves
{
  /** They move along x of the beam limiting device's system, otherwise along y. */
  bool movesAlongX{ true };
  /** Edges of the leaves across their motion, one more than there are pairs; empty for jaws. */
  std::vector<double> boundaries;
  /** Of each pair, the side with lower coordinates and the other one. */
  std::vector<double> lower;
  std::vector<double> upper;

  /** Along and across the motion. What lies on an edge is closed. */
  bool
  IsOpen(double along, double across) const;
};

/** The collimator of a treatment machine: what its jaws and leaves leave open (IEC 61217). */
struct BeamLimits
{
  std::vector<JawsOrLeaves>          devices;
  itk::RadiographGeometry::PointType source{};
  /** Axes of the beam limiting device's system in the patient's; z points to the source. */
  GantryAxes::Vector x;
  GantryAxes::Vector y;
  GantryAxes::Vector z;
  double             sourceAxisDistance{ 0.0 };

  /** Whether the ray to this point passes all devices. */
  bool
  IsOpen(const itk::RadiographGeometry::PointType & point) const;
};

/** Beam Limiting Device Sequence of an exposure (PS3.3 C.8.8.2), for a device turned by `angle` radians about the
 * beam. A device that cannot be understood is left out, with a warning. */
BeamLimits
ReadBeamLimits(DcmItem &          exposure,
               const GantryAxes & axes,
               double             sourceAxisDistance,
               double             angle,
               Findings &         findings);

} // namespace radiography::dicom

#endif
