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
#include "Display.h"

#include "ImageOutput.h"

#include "itkImageRegionConstIterator.h"
#include "itkImageRegionIterator.h"
#include "itkImageRegionIteratorWithIndex.h"
#include "itkLinearInterpolateImageFunction.h"
#include "itkNearestNeighborExtrapolateImageFunction.h"
#include "itkRGBPixel.h"
#include "itkResampleImageFilter.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace radiography::program
{
namespace
{

/** Less than a few millimetres of water: air beside the object. */
constexpr double AirDepth = 0.05;

double
Percentile(std::vector<float> & values, double fraction)
{
  const auto position = values.begin() + static_cast<std::ptrdiff_t>(fraction * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), position, values.end());
  return *position;
}

RadiographImage::Pointer
Map(const RadiographImage & image, const std::function<double(double)> & tone)
{
  auto result = RadiographImage::New();
  result->CopyInformation(&image);
  result->SetRegions(image.GetLargestPossibleRegion());
  result->Allocate();
  itk::ImageRegionConstIterator<RadiographImage> from(&image, image.GetLargestPossibleRegion());
  itk::ImageRegionIterator<RadiographImage>      to(result, result->GetLargestPossibleRegion());
  for (; !to.IsAtEnd(); ++to, ++from)
  {
    to.Set(static_cast<float>(tone(from.Get())));
  }
  return result;
}

/** Pixels as wide as they are high, over the same area. */
RadiographImage::ConstPointer
WithSquarePixels(const RadiographImage & image)
{
  auto         spacing = image.GetSpacing();
  auto         size = image.GetLargestPossibleRegion().GetSize();
  const double edge = std::min(spacing[0], spacing[1]);
  if (std::abs(spacing[0] - spacing[1]) < 1e-6 * edge)
  {
    return &image;
  }
  itk::ContinuousIndex<double, 3> first;
  first.Fill(0.0);
  for (unsigned int i = 0; i < 2; ++i)
  {
    first[i] = static_cast<double>(image.GetLargestPossibleRegion().GetIndex(i)) - 0.5 + 0.5 * edge / spacing[i];
    size[i] = std::max<itk::SizeValueType>(1, std::lround(static_cast<double>(size[i]) * spacing[i] / edge));
    spacing[i] = edge;
  }
  RadiographImage::PointType origin;
  image.TransformContinuousIndexToPhysicalPoint(first, origin);

  const auto resample = itk::ResampleImageFilter<RadiographImage, RadiographImage>::New();
  resample->SetInput(&image);
  resample->SetSize(size);
  resample->SetOutputSpacing(spacing);
  resample->SetOutputOrigin(origin);
  resample->SetOutputDirection(image.GetDirection());
  resample->SetExtrapolator(itk::NearestNeighborExtrapolateImageFunction<RadiographImage, double>::New());
  resample->Update();
  RadiographImage::Pointer result = resample->GetOutput();
  result->DisconnectPipeline();
  return result.GetPointer();
}

} // namespace

Window
ChooseWindow(const RadiographImage & depth)
{
  std::vector<float> object;
  for (itk::ImageRegionConstIterator<RadiographImage> pixel(&depth, depth.GetLargestPossibleRegion()); !pixel.IsAtEnd();
       ++pixel)
  {
    if (pixel.Get() > AirDepth)
    {
      object.push_back(pixel.Get());
    }
  }
  if (object.empty())
  {
    return {};
  }
  // The thinnest part is the body's edge; couch and clothes are thinner still and may vanish.
  const double white = Percentile(object, 0.997);
  const double black = std::max(0.6 * Percentile(object, 0.03), 0.1 * white);
  return white > black ? Window{ black, white } : Window{ 0.0, white };
}

double
FilmGrey(double depth, const Window & window)
{
  // A film's characteristic curve is an S: flat toe and shoulder, steep between.
  const double t = std::clamp((depth - window.black) / (window.white - window.black), 0.0, 1.0);
  const double s = t * t * (3.0 - 2.0 * t);
  return 255.0 * (0.35 * t + 0.65 * s);
}

RadiographImage::Pointer
ToFilm(const RadiographImage & depth, const Window & window)
{
  return Map(depth, [&window](double value) { return FilmGrey(value, window); });
}

RadiographImage::Pointer
ToDepthOfCounts(const RadiographImage & counts, double openBeam)
{
  return Map(counts, [openBeam](double count) { return -std::log(std::max(count, 0.5) / openBeam); });
}

RadiographImage::Pointer
ToGrey(const RadiographImage & image, const Window & window, double gamma)
{
  return Map(image, [&window, gamma](double value) {
    const double t = std::clamp((value - window.black) / (window.white - window.black), 0.0, 1.0);
    return 255.0 * std::pow(t, gamma);
  });
}

namespace
{

/** Writes what `toneOf` makes of the values, with square pixels. */
template <typename TTone, typename TToneOf>
void
WriteTones(const RadiographImage & image, const TToneOf & toneOf, const std::string & path)
{
  const auto square = WithSquarePixels(image);
  const auto region = square->GetLargestPossibleRegion();
  using Picture = itk::Image<TTone, 2>;
  auto                       picture = Picture::New();
  typename Picture::SizeType size{ { region.GetSize(0), region.GetSize(1) } };
  picture->SetRegions(size);
  picture->Allocate();
  itk::ImageRegionConstIterator<RadiographImage> from(square, region);
  itk::ImageRegionIterator<Picture>              to(picture, picture->GetLargestPossibleRegion());
  for (; !to.IsAtEnd(); ++to, ++from)
  {
    to.Set(toneOf(static_cast<double>(from.Get())));
  }
  WriteWholeImage(*picture, path, true);
}

unsigned char
ToByte(double level)
{
  return static_cast<unsigned char>(std::lround(std::clamp(level, 0.0, 255.0)));
}

} // namespace

void
WritePNG(const RadiographImage & grey, const std::string & path)
{
  WriteTones<unsigned char>(grey, ToByte, path);
}

void
WriteResidualPNG(const RadiographImage & residual, double limit, const std::string & path)
{
  using Color = itk::RGBPixel<unsigned char>;
  const auto toColor = [limit](double value) {
    // A pixel that was not compared has no residual: grey.
    const double t = std::isfinite(value) ? std::clamp(value / limit, -1.0, 1.0) : 0.0;
    const double fade = 255.0 * (1.0 - std::abs(t));
    Color        color;
    color.Set(ToByte(t > 0.0 ? 255.0 - 60.0 * t : fade), ToByte(fade), ToByte(t < 0.0 ? 255.0 + 60.0 * t : fade));
    return color;
  };
  WriteTones<Color>(residual, toColor, path);
}

Window
WindowOfPercentiles(const RadiographImage & image, double low, double high)
{
  std::vector<float> values;
  for (itk::ImageRegionConstIterator<RadiographImage> pixel(&image, image.GetLargestPossibleRegion()); !pixel.IsAtEnd();
       ++pixel)
  {
    if (std::isfinite(pixel.Get()))
    {
      values.push_back(pixel.Get());
    }
  }
  if (values.empty())
  {
    return {};
  }
  const Window window{ Percentile(values, low), Percentile(values, high) };
  return window.white > window.black ? window : Window{ window.black, window.black + 1.0 };
}

RadiographImage::Pointer
Chessboard(const RadiographImage & one, const RadiographImage & other, unsigned int fields)
{
  auto       result = Map(one, [](double value) { return value; });
  const auto region = result->GetLargestPossibleRegion();
  const auto field = std::max<itk::IndexValueType>(
    1, static_cast<itk::IndexValueType>(std::max(region.GetSize(0), region.GetSize(1)) / fields));
  itk::ImageRegionIteratorWithIndex<RadiographImage> to(result, region);
  itk::ImageRegionConstIterator<RadiographImage>     from(&other, other.GetLargestPossibleRegion());
  for (; !to.IsAtEnd(); ++to, ++from)
  {
    const auto index = to.GetIndex() - region.GetIndex();
    if ((index[0] / field + index[1] / field) % 2 != 0)
    {
      to.Set(from.Get());
    }
  }
  return result;
}

} // namespace radiography::program
