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
#include "Projection.h"

#include "itkDetectorResponseImageFilter.h"
#include "itkImageRegionConstIterator.h"
#include "itkPhotonNoiseImageFilter.h"
#include "itkSubrayRadiographImageFilter.h"
#include "itkTransmissionImageFilter.h"

#include <algorithm>
#include <limits>

namespace radiography::program
{
namespace
{

using Filter = itk::TransmissionImageFilter;

/** The one output that `ask` turned on. */
RadiographImage::Pointer
Transmit(RadiographImage & depth, Filter & filter, RadiographImage * output)
{
  filter.SetInput(&depth);
  filter.Update();
  RadiographImage::Pointer result = output;
  result->DisconnectPipeline();
  return result;
}

Filter::Pointer
NewTransmission()
{
  auto filter = Filter::New();
  filter->ComputeTransmissionOff();
  return filter;
}

RadiographImage::Pointer
ExpectedCounts(RadiographImage & depth, double photons)
{
  const auto filter = NewTransmission();
  filter->ComputeCountsOn();
  filter->SetOpenBeamCounts(photons);
  return Transmit(depth, *filter, filter->GetCounts());
}

RadiographImage::Pointer
Respond(RadiographImage & counts, double gain, double scatter, double offset)
{
  const auto response = itk::DetectorResponseImageFilter::New();
  response->SetInput(&counts);
  response->SetGain(gain);
  response->SetScatter(scatter);
  response->SetOffset(offset);
  response->Update();
  RadiographImage::Pointer result = response->GetOutput();
  result->DisconnectPipeline();
  return result;
}

RadiographImage::Pointer
DrawPhotons(RadiographImage & expected, std::uint64_t seed)
{
  const auto noise = itk::PhotonNoiseImageFilter::New();
  noise->SetInput(&expected);
  noise->SetSeed(seed);
  noise->Update();
  RadiographImage::Pointer result = noise->GetOutput();
  result->DisconnectPipeline();
  return result;
}

} // namespace

Projection
Project(const itk::ProjectionVolume &   volume,
        const itk::RadiographGeometry & view,
        const PoseTransform &           pose,
        const ProjectionOptions &       options,
        const Console &                 console)
{
  const auto filter = itk::SubrayRadiographImageFilter::New();
  filter->SetProjectionVolume(&volume);
  filter->SetGeometry(&view);
  filter->SetTransform(&pose);
  filter->SetProjector(options.projector);
  filter->SetSubraysPerSide(options.subrays);
  filter->SetFocalSpotSize(options.focalSpotSize);
  filter->SetFocalSpotSamples(options.focalSpotSamples);
  console.Watch(*filter, "projecting");
  filter->Update();
  RadiographImage::Pointer depth = filter->GetOutput();
  depth->DisconnectPipeline();
  return { depth, filter->GetComputeReport() };
}

RadiographImage::Pointer
ExposeCounts(RadiographImage & depth, const Exposure & exposure)
{
  auto counts = ExpectedCounts(depth, exposure.photons);
  if (exposure.noiseSeed)
  {
    // Scattered photons are counted, and fluctuate, like the others; gain and offset come after.
    counts = exposure.scatter > 0.0 ? Respond(*counts, 1.0, exposure.scatter, 0.0) : counts;
    counts = DrawPhotons(*counts, *exposure.noiseSeed);
    return exposure.gain == 1.0 && exposure.offset == 0.0 ? counts
                                                          : Respond(*counts, exposure.gain, 0.0, exposure.offset);
  }
  const bool ideal = exposure.gain == 1.0 && exposure.offset == 0.0 && exposure.scatter == 0.0;
  return ideal ? counts : Respond(*counts, exposure.gain, exposure.scatter, exposure.offset);
}

RadiographImage::Pointer
ToTransmission(RadiographImage & depth)
{
  const auto filter = NewTransmission();
  filter->ComputeTransmissionOn();
  return Transmit(depth, *filter, filter->GetTransmission());
}

RadiographImage::Pointer
ToLogTransmission(RadiographImage & depth)
{
  const auto filter = NewTransmission();
  filter->ComputeLogTransmissionOn();
  return Transmit(depth, *filter, filter->GetLogTransmission());
}

RadiographImage::Pointer
ToRemoved(RadiographImage & depth)
{
  const auto filter = NewTransmission();
  filter->ComputeRemovedOn();
  return Transmit(depth, *filter, filter->GetRemoved());
}

JSON
DescribeCompute(const DRRFilter::ComputeReport & report)
{
  JSON notUsed = JSON::object();
  for (const auto & [kernel, reason] : report.notUsed)
  {
    notUsed[kernel] = reason;
  }
  return { { "projector", report.projector },
           { "kernel", report.kernel },
           { "threads", report.threads },
           { "policy", report.policy },
           { "not_used", notUsed } };
}

Statistics
Summarize(const VolumeImage & image)
{
  Statistics result{ std::numeric_limits<double>::max(), std::numeric_limits<double>::lowest(), 0.0, 0.0 };
  const auto region = image.GetLargestPossibleRegion();
  double     rowSum = 0.0;
  auto       left = region.GetSize(0);
  for (itk::ImageRegionConstIterator<VolumeImage> pixel(&image, region); !pixel.IsAtEnd(); ++pixel)
  {
    const double value = pixel.Get();
    result.min = std::min(result.min, value);
    result.max = std::max(result.max, value);
    rowSum += value;
    if (--left == 0)
    {
      result.sum += rowSum;
      rowSum = 0.0;
      left = region.GetSize(0);
    }
  }
  result.mean = result.sum / static_cast<double>(region.GetNumberOfPixels());
  return result;
}

} // namespace radiography::program
