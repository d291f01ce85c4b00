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
#ifndef itkViewBuilders_h
#define itkViewBuilders_h

#include "itkRadiographGeometry.h"

namespace itk
{

/** What every builder of a cone-beam view arrives at. World, mm. */
struct ConeBeamView
{
  RadiographGeometry::PointType                  source;
  RadiographGeometry::DetectorImageType::Pointer detector;
};

/** \name One builder per way to describe a view; see RadiographGeometry's methods of like names. */
///@{
ConeBeamView
BuildCArmView(const RadiographGeometry::CArm & arm, const RadiographGeometry::DetectorGrid & grid);

ConeBeamView
BuildGantryView(const RadiographGeometry::Gantry & gantry, const RadiographGeometry::DetectorGrid & grid);

ConeBeamView
BuildProjectionMatrixView(const RadiographGeometry::ProjectionMatrixType & pixelFromWorld,
                          const RadiographGeometry::DetectorGrid &         grid);
///@}

/** A detector image whose pixel (0, 0) lies at `origin`. `columnDirection` and `rowDirection` are unit vectors. */
RadiographGeometry::DetectorImageType::Pointer
BuildDetectorImage(const RadiographGeometry::PointType &    origin,
                   const RadiographGeometry::VectorType &   columnDirection,
                   const RadiographGeometry::VectorType &   rowDirection,
                   const RadiographGeometry::DetectorGrid & grid);

} // namespace itk

#endif
