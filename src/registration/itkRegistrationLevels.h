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
#ifndef itkRegistrationLevels_h
#define itkRegistrationLevels_h

#include "compute/InternalExport.h"
#include "itkRadiographRegistrationMethod.h"

#include <vector>

namespace itk
{

/** What the choice of levels depends on. */
struct RegistrationSizes
{
  struct View
  {
    Size<3> size{ { 0, 0, 1 } };
    /** How far apart the rays of neighbouring pixels are where the CT is, mm. */
    double pitchAtCT{ 1.0 };
  };
  std::vector<View> views;
  Size<3>           volumeSize{ { 0, 0, 0 } };
  Vector<double, 3> volumeSpacing{ 1.0 };
};

/** How far apart the rays of neighbouring pixels of a view are at a point of the world, mm; columns and rows averaged.
 * For a point that is level with the source or behind it, the pitch of the detector. */
RADIOGRAPHY_INTERNAL_EXPORT double
ComputePitchAt(const RadiographGeometry & geometry, const Point<double, 3> & world);

/** A level of Joseph's rule whose images have about `pixels` along their longer side. */
RADIOGRAPHY_INTERNAL_EXPORT RadiographRegistrationLevel
MakeCoarseLevel(const RegistrationSizes & sizes, unsigned int pixels);

/** Images and volume as they are, by CellGauss, with the smallest stride for which rays times voxels along the three
 * axes stay within the budget. */
RADIOGRAPHY_INTERNAL_EXPORT RadiographRegistrationLevel
MakeFullLevel(const RegistrationSizes & sizes, double budget);

/** See RadiographRegistrationMethod::MakeDefaultLevels(). */
RADIOGRAPHY_INTERNAL_EXPORT std::vector<RadiographRegistrationLevel>
                            MakeRegistrationLevels(const RegistrationSizes & sizes, bool fullResolution, double budget);

} // namespace itk

#endif
