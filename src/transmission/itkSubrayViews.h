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
#ifndef itkSubrayViews_h
#define itkSubrayViews_h

#include "compute/InternalExport.h"
#include "itkRadiographGeometry.h"

#include <vector>

namespace itk
{

/** A uniform rectangular focal spot about a view's source, parallel to the detector.
 *
 * `width` lies along the detector's columns' direction, `height` along its rows', in mm; both 0: a point. `samples` is
 * the number of source points along each side. */
struct FocalSpot
{
  double       width{ 0.0 };
  double       height{ 0.0 };
  unsigned int samples{ 1 };
};

/** One source point before the detector of sub-rays, and its share of the photons. */
struct SubrayView
{
  RadiographGeometry::ConstPointer view;
  double                           weight{ 1.0 };
};

/** The same view with subraysPerSide x subraysPerSide pixels in the place of each: sub-rays end in the middles of equal
 * parts of a pixel. With 1 the view itself. */
RADIOGRAPHY_INTERNAL_EXPORT RadiographGeometry::ConstPointer
                            RefineDetector(const RadiographGeometry & view, unsigned int subraysPerSide);

/** The views whose transmissions, weighted and added up, are those of a pixel and a focal spot of finite size.
 *
 * The midpoint rule in both: along a side of extent w, M source points sit at ((i + 1/2) / M - 1/2) w from the source,
 * i = 0 ... M - 1, and all weigh the same. A side of extent 0 takes one point. Source points run along the width first.
 * The weights sum to one to rounding; within a view each of a pixel's sub-rays has an equal part of the view's weight.
 * A point source gives one view, which without sub-rays is `view` itself.
 *
 * Neglected: that open-beam counts differ between the source points, a matter of (extent / distance) squared.
 * \throws ExceptionObject for a focal spot with a parallel beam, which has no source, and for sizes and numbers out of
 * range. */
RADIOGRAPHY_INTERNAL_EXPORT std::vector<SubrayView>
MakeSubrayViews(const RadiographGeometry & view, unsigned int subraysPerSide, const FocalSpot & spot);

} // namespace itk

#endif
