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
#ifndef Projection_h
#define Projection_h

#include "CTInput.h"
#include "Pose.h"

#include "itkDigitallyReconstructedRadiographImageFilter.h"

#include <optional>

namespace radiography::program
{

using RadiographImage = itk::Image<float, 3>;
using DRRFilter = itk::DigitallyReconstructedRadiographImageFilter;

/** How rays become pixels. */
struct ProjectionOptions
{
  DRRFilter::ProjectorEnum projector{ DRRFilter::ProjectorEnum::Joseph };
  unsigned int             subrays{ 1 };
  /** mm along the detector's columns' direction and its rows'; 0, 0 is a point. */
  itk::FixedArray<double, 2> focalSpotSize{ 0.0 };
  unsigned int               focalSpotSamples{ 1 };
};

struct Projection
{
  RadiographImage::Pointer depth;
  DRRFilter::ComputeReport report;
};

/** Optical depth of each pixel, on the view's grid. With sub-rays or a focal spot: the depth whose transmission is the
 * mean of all rays. */
Projection
Project(const itk::ProjectionVolume &   volume,
        const itk::RadiographGeometry & view,
        const PoseTransform &           pose,
        const ProjectionOptions &       options,
        const Console &                 console);

/** What the detector sees of it. */
struct Exposure
{
  double                       photons{ 10000.0 };
  double                       scatter{ 0.0 };
  double                       gain{ 1.0 };
  double                       offset{ 0.0 };
  std::optional<std::uint64_t> noiseSeed;
};

/** gain (N + scatter) + offset, N expected photons, or drawn ones if there is a seed (scattered ones included). */
RadiographImage::Pointer
ExposeCounts(RadiographImage & depth, const Exposure & exposure);

RadiographImage::Pointer
ToTransmission(RadiographImage & depth);

RadiographImage::Pointer
ToLogTransmission(RadiographImage & depth);

RadiographImage::Pointer
ToRemoved(RadiographImage & depth);

/** {"projector", "kernel", "threads", "policy", "not_used"} */
JSON
DescribeCompute(const DRRFilter::ComputeReport & report);

/** Sums in binary64, row by row. */
struct Statistics
{
  double min;
  double max;
  double mean;
  double sum;
};
Statistics
Summarize(const VolumeImage & image);

} // namespace radiography::program

#endif
