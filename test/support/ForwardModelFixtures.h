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
#ifndef ForwardModelFixtures_h
#define ForwardModelFixtures_h

#include "ProjectionFixtures.h"
#include "itkRadiographForwardModel.h"

#include "itkAffineTransform.h"
#include "itkImageRegionIterator.h"

#include <random>
#include <string>
#include <vector>

/** A small scene for the forward model and its adjoint. */
namespace radiography::test
{

using ModelType = itk::RadiographForwardModel;

template <typename TImage, typename TValueOf>
void
FillWith(TImage & image, const TValueOf & valueOf)
{
  for (itk::ImageRegionIterator<TImage> it(&image, image.GetBufferedRegion()); !it.IsAtEnd(); ++it)
  {
    it.Set(static_cast<float>(valueOf()));
  }
}

inline std::vector<double>
ValuesOf(const ImageType & image)
{
  return std::vector<double>(image.GetBufferPointer(),
                             image.GetBufferPointer() + image.GetBufferedRegion().GetNumberOfPixels());
}

/** A few thick voxels of oblique or mirrored direction, whose index does not begin at 0 and whose middle lies at the
 * world's origin; mu from 0.01 to 0.06 /mm. */
inline ImageType::Pointer
MakeMu(std::mt19937 & engine)
{
  const auto                            image = MakeObliqueImage(engine, { { 3, 4, 3 } }, 10.0, 8.0, 9.0);
  std::uniform_real_distribution<float> value(0.01F, 0.06F);
  FillWith(*image, [&]() { return value(engine); });
  return image;
}

/** Looks at MakeMu() from an oblique angle; 6 x 6 pixels that see all of it. */
inline GeometryType::Pointer
MakeObliqueView()
{
  return MakeCArmView(35.0, 20.0, 6, 12.0);
}

/** An image on the detector of a view. */
template <typename TValueOf>
ImageType::Pointer
MakePixels(const GeometryType & view, const TValueOf & valueOf)
{
  const auto image = ImageType::New();
  image->CopyInformation(view.MakeDetectorImage());
  image->SetRegions(image->GetLargestPossibleRegion());
  image->Allocate();
  FillWith(*image, valueOf);
  return image;
}

inline ImageType::Pointer
MakeOnePixel(float value)
{
  const auto image = ImageType::New();
  image->SetRegions(itk::Size<3>{ { 1, 1, 1 } });
  image->Allocate();
  image->FillBuffer(value);
  return image;
}

/** How a pixel and the focal spot are sampled. */
struct Sampling
{
  unsigned int subraysPerSide;
  double       spot;
};

/** A point, sub-rays, a focal spot, and both. */
inline const Sampling Samplings[] = { { 1, 0.0 }, { 2, 0.0 }, { 1, 4.0 }, { 2, 4.0 } };

inline constexpr Projector Projectors[] = { Projector::Joseph, Projector::CellGauss, Projector::Siddon };

inline std::string
Describe(Projector projector, const Sampling & sampling)
{
  return "projector " + std::to_string(static_cast<int>(projector)) + ", " + std::to_string(sampling.subraysPerSide) +
         " sub-rays a side, focal spot of " + std::to_string(sampling.spot) + " mm";
}

/** From world to CT points, an affine one. */
inline itk::AffineTransform<double, 3>::Pointer
MakePose()
{
  const auto                                        pose = itk::AffineTransform<double, 3>::New();
  itk::AffineTransform<double, 3>::OutputVectorType axis;
  axis[0] = 1.0;
  axis[1] = -2.0;
  axis[2] = 0.5;
  pose->Rotate3D(axis, 0.4);
  pose->Scale(1.1);
  axis[1] = 3.0;
  pose->Translate(axis);
  return pose;
}

/** Pose, g, s and b are all at work; n0 is a number that can be changed. */
inline ModelType::Pointer
MakeModel(const ImageType * mu, const GeometryType * view, Projector projector, const Sampling & sampling)
{
  const auto model = ModelType::New();
  model->SetInput(mu);
  model->SetGeometry(view);
  model->SetTransform(MakePose());
  model->SetProjector(projector);
  model->SetSubraysPerSide(sampling.subraysPerSide);
  ModelType::FocalSpotSizeType spot;
  spot[0] = sampling.spot;
  spot[1] = 0.5 * sampling.spot;
  model->SetFocalSpotSize(spot);
  model->SetFocalSpotSamples(2);
  model->SetOpenBeamCounts(1000.0);
  model->SetGain(2.5);
  model->SetScatter(20.0);
  model->SetOffset(-30.0);
  return model;
}

} // namespace radiography::test

#endif
