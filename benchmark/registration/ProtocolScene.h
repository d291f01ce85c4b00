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
#ifndef ProtocolScene_h
#define ProtocolScene_h

#include "itkDICOMCTVolumeReader.h"
#include "itkHounsfieldToAttenuationImageFilter.h"
#include "itkPhotonNoiseImageFilter.h"
#include "itkRadiographPyramid.h"
#include "itkSubrayRadiographImageFilter.h"
#include "projection/itkViewRays.h"

#include "itkEuler3DTransform.h"
#include "itkImageDuplicator.h"
#include "itkImageRegionIterator.h"
#include "itkImageRegionIteratorWithIndex.h"
#include "itkMath.h"
#include "itkRegionOfInterestImageFilter.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

/** What is registered in the evaluation of registration: a CT, images of it and all that may be wrong with them. */
namespace protocol
{

using ImageType = itk::Image<float, 3>;
using MaskType = itk::Image<unsigned char, 3>;
using PoseType = itk::Euler3DTransform<double>;
using PointType = itk::Point<double, 3>;
using GeometryType = itk::RadiographGeometry;
using Size3 = itk::Size<3>;

constexpr double          PhotonsPerMM2 = 1e5;
constexpr unsigned int    Pixels = 128;
const std::vector<double> BinEdges{ 0, 5, 10, 20, 40, 60, 90 };

/** What a case does to the images, and which options it registers with. */
struct Case
{
  std::string name;
  double      pitch{ 3.2 };
  double      exposure{ 1.0 };
  /** Of the mean primary. */
  double scatter{ 0.0 };
  /** The CT that registers has mu times this. */
  double attenuation{ 1.0 };
  /** L seen is L - hardening x L^2. */
  double hardening{ 0.0 };
  bool   tool{ false };
  bool   arm{ false };
  /** The CT that registers has only the middle half of its slices. */
  bool truncated{ false };

  bool knowsExposure{ true };
  bool estimatesAttenuation{ false };
  bool estimatesScatter{ false };
  bool masks{ false };
  /** Outliers are left out. */
  bool robust{ false };
};

struct View
{
  GeometryType::Pointer geometry;
  ImageType::Pointer    counts;
  MaskType::Pointer     mask;
};

struct Scene
{
  ImageType::Pointer mu;
  std::vector<View>  views;
  double             openBeam;
};

/** Appends one that is as by default but for its name and a change. */
template <typename TCase, typename TChange>
void
AddCase(std::vector<TCase> & cases, const std::string & name, const TChange & change)
{
  cases.emplace_back();
  cases.back().name = name;
  change(cases.back());
}

inline std::vector<Case>
AllCases()
{
  std::vector<Case> cases;
  const auto        add = [&cases](const char * name, const auto & change) { AddCase(cases, name, change); };
  add("right", [](Case &) {});
  add("exposure-half", [](Case & c) { c.exposure = 0.5, c.knowsExposure = false; });
  add("exposure-double", [](Case & c) { c.exposure = 2.0, c.knowsExposure = false; });
  add("exposure-double-ignored", [](Case & c) { c.exposure = 2.0; });
  add("scatter30-ignored", [](Case & c) { c.scatter = 0.3; });
  add("scatter30", [](Case & c) { c.scatter = 0.3, c.estimatesScatter = true; });
  add("scatter100-ignored", [](Case & c) { c.scatter = 1.0; });
  add("scatter100", [](Case & c) { c.scatter = 1.0, c.estimatesScatter = true; });
  add("attenuation-ignored", [](Case & c) { c.attenuation = 0.9; });
  add("attenuation", [](Case & c) { c.attenuation = 0.9, c.estimatesAttenuation = true; });
  const auto all = [](Case & c) { c.exposure = 1.5, c.scatter = 0.3, c.attenuation = 0.9; };
  add("all-ignored", all);
  add("all", [&all](Case & c) {
    all(c);
    c.knowsExposure = false, c.estimatesAttenuation = c.estimatesScatter = true;
  });
  add("hardening-ignored", [](Case & c) { c.hardening = 0.01; });
  add("hardening", [](Case & c) {
    c.hardening = 0.01, c.knowsExposure = false, c.estimatesAttenuation = c.estimatesScatter = true;
  });
  add("small-detector", [](Case & c) { c.pitch = 1.2; });
  add("truncated-ignored", [](Case & c) { c.truncated = true; });
  add("truncated", [](Case & c) { c.truncated = c.masks = true; });
  add("tool", [](Case & c) { c.tool = true; });
  add("tool-masked", [](Case & c) { c.tool = c.masks = true; });
  add("tool-outliers", [](Case & c) { c.tool = c.robust = true; });
  add("right-outliers", [](Case & c) { c.robust = true; });
  add("arm-ignored", [](Case & c) { c.arm = true; });
  add("arm-outliers", [](Case & c) { c.arm = c.robust = true; });
  add("arm-masked", [](Case & c) { c.arm = c.masks = true; });
  return cases;
}

inline ImageType::Pointer
ReadAttenuation(const std::string & folder)
{
  const auto reader = itk::DICOMCTVolumeReader::New();
  reader->SetPath(folder);
  const auto filter = itk::HounsfieldToAttenuationImageFilter<ImageType>::New();
  filter->SetInput(reader->GetOutput());
  filter->Update();
  const ImageType::Pointer mu = filter->GetOutput();
  mu->DisconnectPipeline();
  return mu;
}

/** Pixels of a metal bar across the image; of an arm beside the body. */
inline bool
IsTool(itk::IndexValueType column, itk::IndexValueType row)
{
  return row > 20 && row < 90 && std::abs((column - 70) - 0.6 * (row - 64)) < 3.0;
}
inline double
ArmDepth(itk::IndexValueType column)
{
  const double offset = (static_cast<double>(column) - 116.0) / 10.0;
  return std::abs(offset) < 1.0 ? 2.0 * std::sqrt(1.0 - offset * offset) : 0.0;
}

/** Means over a window of 2 reach + 1 pixels, along columns and rows one after the other, of an image of pixels^2. */
inline void
Smooth(ImageType & image, unsigned int pixels, int reach)
{
  std::vector<float> line(pixels);
  for (unsigned int direction = 0; direction < 2; ++direction)
  {
    const unsigned int step = direction == 0 ? 1 : pixels;
    for (unsigned int other = 0; other < pixels; ++other)
    {
      float * const first = image.GetBufferPointer() + other * (direction == 0 ? pixels : 1);
      for (int i = 0; i < static_cast<int>(pixels); ++i)
      {
        double sum = 0.0;
        int    count = 0;
        for (int k = std::max(0, i - reach); k <= std::min<int>(pixels - 1, i + reach); ++k, ++count)
        {
          sum += first[k * step];
        }
        line[i] = static_cast<float>(sum / count);
      }
      for (unsigned int i = 0; i < pixels; ++i)
      {
        first[i * step] = line[i];
      }
    }
  }
}

inline ImageType::Pointer
Copy(const ImageType & image)
{
  const auto duplicator = itk::ImageDuplicator<ImageType>::New();
  duplicator->SetInputImage(&image);
  duplicator->Update();
  return duplicator->GetOutput();
}

inline ImageType::Pointer
Scaled(const ImageType & image, double factor)
{
  const auto scaled = Copy(image);
  for (itk::ImageRegionIterator<ImageType> p(scaled, scaled->GetLargestPossibleRegion()); !p.IsAtEnd(); ++p)
  {
    p.Set(static_cast<float>(factor * p.Get()));
  }
  return scaled;
}

/** A C-arm around the middle of the CT. */
inline GeometryType::Pointer
MakeGeometry(const ImageType & mu, double primaryAngle, unsigned int pixels, double pitch)
{
  GeometryType::CArm arm;
  arm.primaryAngle = primaryAngle;
  arm.sourceIsocenterDistance = 700;
  arm.sourceDetectorDistance = 1100;
  arm.isocenter = itk::CenterOfGrid(mu);
  const auto geometry = GeometryType::New();
  geometry->SetCArm(arm, { pixels, pixels, pitch, pitch });
  return geometry;
}

inline ImageType::Pointer
AddNoise(const ImageType & mean, unsigned int seed)
{
  const auto noise = itk::PhotonNoiseImageFilter::New();
  noise->SetInput(&mean);
  noise->SetSeed(seed);
  noise->Update();
  const ImageType::Pointer counts = noise->GetOutput();
  counts->DisconnectPipeline();
  return counts;
}

/** Depths by voxels' exact lengths (Siddon) at the CT's full resolution, 4 x 4 sub-rays a pixel. */
inline ImageType::Pointer
ProjectFinely(const ImageType & mu, const GeometryType & geometry)
{
  const auto drr = itk::SubrayRadiographImageFilter::New();
  drr->SetInput(&mu);
  drr->SetGeometry(&geometry);
  drr->SetProjector(itk::SubrayRadiographImageFilter::ProjectorEnum::Siddon);
  drr->SetSubraysPerSide(4);
  drr->Update();
  const ImageType::Pointer depths = drr->GetOutput();
  depths->DisconnectPipeline();
  return depths;
}

/** Counts with noise. */
inline View
MakeView(const ImageType & mu, double primaryAngle, const Case & what, unsigned int seed)
{
  View view;
  view.geometry = MakeGeometry(mu, primaryAngle, Pixels, what.pitch);
  const auto   mean = ProjectFinely(mu, *view.geometry);
  const double openBeam = PhotonsPerMM2 * what.pitch * what.pitch * what.exposure;
  for (itk::ImageRegionIteratorWithIndex<ImageType> p(mean, mean->GetLargestPossibleRegion()); !p.IsAtEnd(); ++p)
  {
    const double seen = p.Get() - what.hardening * p.Get() * p.Get();
    const double depth = seen + (what.tool && IsTool(p.GetIndex()[0], p.GetIndex()[1]) ? std::log(1000.0) : 0.0) +
                         (what.arm ? ArmDepth(p.GetIndex()[0]) : 0.0);
    p.Set(static_cast<float>(openBeam * std::exp(-depth)));
  }
  if (what.scatter > 0.0)
  {
    const auto smooth = Copy(*mean);
    Smooth(*smooth, Pixels, 24);
    for (unsigned int i = 0; i < Pixels * Pixels; ++i)
    {
      mean->GetBufferPointer()[i] += static_cast<float>(what.scatter) * smooth->GetBufferPointer()[i];
    }
  }
  view.counts = AddNoise(*mean, seed);
  return view;
}

/** What a user would draw by hand, two pixels wider than need be. */
inline void
MaskByHand(View & view, const Case & what)
{
  view.mask = MaskType::New();
  view.mask->CopyInformation(view.counts);
  view.mask->SetRegions(view.counts->GetLargestPossibleRegion());
  view.mask->Allocate();
  for (itk::ImageRegionIteratorWithIndex<MaskType> p(view.mask, view.mask->GetLargestPossibleRegion()); !p.IsAtEnd();
       ++p)
  {
    bool covered = false;
    for (int shift = -2; shift <= 2; ++shift)
    {
      covered |= what.tool && IsTool(p.GetIndex()[0] + shift, p.GetIndex()[1]);
      covered |= what.arm && ArmDepth(p.GetIndex()[0] + shift) > 0.0;
    }
    p.Set(covered ? 0 : 1);
  }
}

/** The slices of the middle half. */
inline ImageType::Pointer
CutSlices(const ImageType & mu)
{
  auto region = mu.GetLargestPossibleRegion();
  region.SetIndex(2, region.GetIndex(2) + static_cast<itk::IndexValueType>(region.GetSize(2) / 4));
  region.SetSize(2, region.GetSize(2) / 2);
  const auto cut = itk::RegionOfInterestImageFilter<ImageType, ImageType>::New();
  cut->SetInput(&mu);
  cut->SetRegionOfInterest(region);
  cut->Update();
  const ImageType::Pointer result = cut->GetOutput();
  result->DisconnectPipeline();
  return result;
}

inline Scene
MakeScene(const ImageType & mu, const Case & what, unsigned int numberOfViews, bool full)
{
  Scene scene;
  scene.openBeam = PhotonsPerMM2 * what.pitch * what.pitch;
  for (unsigned int v = 0; v < numberOfViews; ++v)
  {
    scene.views.push_back(MakeView(mu, v * 0.5 * itk::Math::pi, what, 7 + v));
    if (what.masks && !what.truncated)
    {
      MaskByHand(scene.views.back(), what);
    }
  }
  ImageType::ConstPointer volume = &mu;
  if (what.truncated)
  {
    volume = CutSlices(mu);
  }
  if (!full)
  {
    // About 2.8 mm: what the fastest registration works with, made once for each CT.
    const auto pyramid = itk::RadiographPyramid::New();
    Size3      block;
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      block[axis] = std::max<itk::SizeValueType>(1, std::lround(2.8 / volume->GetSpacing()[axis]));
    }
    pyramid->SetVolumeBlock(block);
    volume = pyramid->AverageVolume(volume);
  }
  scene.mu = Scaled(*volume, what.attenuation);
  return scene;
}

inline std::vector<PointType>
TargetsAround(const PointType & center)
{
  std::vector<PointType> targets;
  for (int k = 0; k < 27; ++k)
  {
    PointType target = center;
    target[0] += 80.0 * (k % 3 - 1);
    target[1] += 60.0 * (k / 3 % 3 - 1);
    target[2] += 80.0 * (k / 9 - 1);
    targets.push_back(target);
  }
  return targets;
}

/** mTRE in mm; with a source the distance from the ray through the target's true place instead (mRPD). The truth is the
 * identity. */
inline double
MeasureError(const itk::Transform<double, 3, 3> & pose,
             const std::vector<PointType> &       targets,
             const PointType *                    source)
{
  const auto inverse = pose.GetInverseTransform();
  double     sum = 0.0;
  for (const PointType & target : targets)
  {
    const PointType where = inverse->TransformPoint(target);
    if (source == nullptr)
    {
      sum += where.EuclideanDistanceTo(target);
      continue;
    }
    auto ray = where - *source;
    ray.Normalize();
    const auto toTarget = target - *source;
    sum += (toTarget - ray * (ray * toTarget)).GetNorm();
  }
  return sum / static_cast<double>(targets.size());
}

/** A random rigid motion about the centre whose mTRE is as given. */
inline PoseType::Pointer
DrawStart(std::mt19937_64 & random, double size, const PointType & center, const std::vector<PointType> & targets)
{
  std::normal_distribution<double> normal;
  double                           direction[6];
  for (double & number : direction)
  {
    number = normal(random);
  }
  const auto pose = PoseType::New();
  pose->SetCenter(center);
  double scale = 1.0;
  for (int i = 0; i < 60; ++i)
  {
    PoseType::OutputVectorType shift;
    for (unsigned int axis = 0; axis < 3; ++axis)
    {
      shift[axis] = scale * direction[3 + axis];
    }
    pose->SetRotation(0.012 * scale * direction[0], 0.012 * scale * direction[1], 0.012 * scale * direction[2]);
    pose->SetTranslation(shift);
    scale *= size / MeasureError(*pose, targets, nullptr);
  }
  return pose;
}

} // namespace protocol

#endif
