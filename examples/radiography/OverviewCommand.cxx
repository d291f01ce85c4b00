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
#include "Commands.h"

#include "CTInput.h"
#include "Display.h"
#include "Errors.h"
#include "Numbers.h"
#include "OutputFile.h"
#include "OverviewPage.h"
#include "Projection.h"

#include "itkEuler3DTransform.h"
#include "itkMath.h"
#include "itkRadiographGeometryJSON.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>

namespace fs = std::filesystem;

namespace radiography::program
{
namespace
{

struct OverviewOptions
{
  CommonOptions common;
  CTOptions     ct;
  std::string   folder;
  double        photons{ 10000.0 };
  std::uint64_t noiseSeed{ 1 };
};

using Geometry = itk::RadiographGeometry;

/** Half the CT box's diagonal, mm. */
double
BoxRadius(const itk::ImageBase<3> & ct)
{
  double squared = 0.0;
  for (unsigned int i = 0; i < 3; ++i)
  {
    const double edge = static_cast<double>(ct.GetLargestPossibleRegion().GetSize(i)) * ct.GetSpacing()[i];
    squared += edge * edge;
  }
  return 0.5 * std::sqrt(squared);
}

/** Half of what the shadow of the CT box measures on the detector about the principal ray, mm: columns, rows. */
std::pair<double, double>
HalfShadow(const itk::ImageBase<3> & ct, const Geometry::CArm & arm)
{
  auto view = Geometry::New();
  view->SetCArm(arm, { 1, 1, 1.0, 1.0 }); // one pixel of 1 mm: indices are mm
  const auto &              region = ct.GetLargestPossibleRegion();
  std::pair<double, double> half{ 0.0, 0.0 };
  for (unsigned int corner = 0; corner < 8; ++corner)
  {
    itk::ContinuousIndex<double, 3> index;
    for (unsigned int i = 0; i < 3; ++i)
    {
      const double end = ((corner >> i) & 1u) != 0 ? static_cast<double>(region.GetSize(i)) - 0.5 : -0.5;
      index[i] = static_cast<double>(region.GetIndex(i)) + end;
    }
    Geometry::PointType world;
    ct.TransformContinuousIndexToPhysicalPoint(index, world);
    Geometry::PixelType pixel;
    if (view->ProjectPoint(world, pixel))
    {
      half.first = std::max(half.first, std::abs(pixel[0]));
      half.second = std::max(half.second, std::abs(pixel[1]));
    }
  }
  return half;
}

/** A C-arm that sees the whole CT box: 1000 mm from the source to the CT's centre, further where the box is large, and
 * half of that again to the detector, whose longer side has 640 pixels. */
Geometry::Pointer
ViewThatFits(const itk::ImageBase<3> & ct, double primaryAngleDegrees)
{
  constexpr double longerSide = 640.0;
  constexpr double margin = 1.02;
  Geometry::CArm   arm;
  arm.primaryAngle = primaryAngleDegrees * itk::Math::pi / 180.0;
  arm.sourceIsocenterDistance = std::max(1000.0, 2.5 * BoxRadius(ct));
  arm.sourceDetectorDistance = 1.5 * arm.sourceIsocenterDistance;
  arm.isocenter = GridCenter(ct);

  const auto [halfWidth, halfHeight] = HalfShadow(ct, arm);
  const double           pitch = margin * 2.0 * std::max(halfWidth, halfHeight) / longerSide;
  Geometry::DetectorGrid grid;
  grid.columns = static_cast<itk::SizeValueType>(std::ceil(margin * 2.0 * halfWidth / pitch));
  grid.rows = static_cast<itk::SizeValueType>(std::ceil(margin * 2.0 * halfHeight / pitch));
  grid.columnSpacing = pitch;
  grid.rowSpacing = pitch;
  auto view = Geometry::New();
  view->SetCArm(arm, grid);
  return view;
}

OverviewView
MakeOverviewView(const std::string &           title,
                 const std::string &           name,
                 double                        primaryAngleDegrees,
                 const itk::ProjectionVolume & volume,
                 const OverviewOptions &       options,
                 const Console &               console)
{
  OverviewView view;
  view.title = title;
  view.name = name;
  view.geometry = ViewThatFits(*volume.GetImage(), primaryAngleDegrees);
  Stopwatch  watch;
  const auto identity = itk::Euler3DTransform<double>::New();
  const auto projection = Project(volume, *view.geometry, *identity, {}, console);
  view.projectSeconds = watch.Lap();
  view.depth = projection.depth;
  view.report = projection.report;
  view.window = ChooseWindow(*view.depth);
  view.transmission = ToTransmission(*view.depth);
  Exposure exposure;
  exposure.photons = options.photons;
  exposure.noiseSeed = options.noiseSeed;
  view.counts = ExposeCounts(*view.depth, exposure);
  return view;
}

void
WritePictures(const OverviewView & view, double photons, const fs::path & folder)
{
  constexpr double squareRoot = 0.5;
  const auto       write = [&folder](const RadiographImage & grey, const std::string & name) {
    WriteWhole(folder / name, [&grey](const std::string & path) { WritePNG(grey, path); });
  };
  write(*ToFilm(*view.depth, view.window), FilmName(view));
  write(*ToGrey(*view.transmission, { 0.0, 1.0 }, squareRoot), TransmissionName(view));
  write(*ToGrey(*view.counts, { 0.0, photons }, squareRoot), CountsName(view));
}

JSON
Describe(const OverviewView & view)
{
  const auto range = [](const RadiographImage & image) -> JSON {
    const auto summary = Summarize(image);
    return { { "min", summary.min }, { "mean", summary.mean }, { "max", summary.max } };
  };
  return { { "title", view.title },
           { "view", JSON::parse(itk::RadiographGeometryJSON::Serialize(view.geometry)) },
           { "optical_depth", range(*view.depth) },
           { "transmission", range(*view.transmission) },
           { "counts", range(*view.counts) },
           { "seconds", { { "project", view.projectSeconds } } },
           { "compute", DescribeCompute(view.report) } };
}

void
SayRange(Console & console, const std::string & quantity, const RadiographImage & image)
{
  const auto range = Summarize(image);
  console.Say("  " + quantity + ": min " + ToRoundedText(range.min, 4) + ", mean " + ToRoundedText(range.mean, 4) +
              ", max " + ToRoundedText(range.max, 4));
}

void
RunOverview(const OverviewOptions & options)
{
  Console        console(options.common);
  Stopwatch      watch;
  const fs::path folder = options.folder;
  if (fs::exists(folder) && !fs::is_directory(folder))
  {
    throw Failure(options.folder + " is a file, not a folder");
  }
  auto       hounsfield = ReadCT(options.ct, console);
  const auto load = watch.Lap();
  const auto attenuation = ConvertToAttenuation(std::move(hounsfield), options.ct, console);
  const auto volume = itk::ProjectionVolume::New();
  volume->SetImage(attenuation.image);
  const auto prepare = watch.Lap();

  // Standing before the detector, as in XA at 0/0: the beam comes from behind.
  const std::vector<OverviewView> views{ MakeOverviewView(
                                           "Posterior-anterior (PA)", "pa", 0.0, *volume, options, console),
                                         MakeOverviewView("Left lateral", "lateral", 90.0, *volume, options, console) };
  const OverviewFacts             facts{ options.ct.path,
                             attenuation.image.GetPointer(),
                             attenuation.model,
                             attenuation.flooredVoxels,
                             options.ct.ctEnergy,
                             options.photons,
                             options.noiseSeed,
                             load,
                             prepare,
                             console.Warnings() };
  const auto                      page = MakeOverviewPage(views, facts);

  fs::create_directories(folder);
  for (const auto & view : views)
  {
    WritePictures(view, options.photons, folder);
  }
  WriteTextFile(page, folder / "index.html");

  const auto index = (folder / "index.html").string();
  if (console.WantsJSON())
  {
    console.Print({ { "page", index },
                    { "views", { Describe(views[0]), Describe(views[1]) } },
                    { "seconds", { { "load", load }, { "prepare", prepare }, { "total", watch.Total() } } },
                    { "warnings", console.Warnings() } });
  }
  for (const auto & view : views)
  {
    console.Say(view.title + ": " + view.report.kernel + ", " + std::to_string(view.report.threads) +
                " threads, projected in " + ToRoundedText(view.projectSeconds, 3) + " s");
    SayRange(console, "optical depth", *view.depth);
    SayRange(console, "transmission", *view.transmission);
    SayRange(console, "photon counts", *view.counts);
  }
  console.Say("page: " + index);
}

} // namespace

void
AddOverviewCommand(CLI::App & program, Action & chosen)
{
  const auto options = std::make_shared<OverviewOptions>();
  auto &     command =
    *program.add_subcommand("overview", "a page with pictures of a CT from behind and from the side, in photons");
  AddCTOptions(command, options->ct);
  command.add_option("OUT_DIR", options->folder, "folder of the page, index.html")->required();
  AddNumber(command, "--photons", options->photons, PositiveNumber, "open-beam photons per pixel");
  AddInteger(command,
             "--noise-seed",
             options->noiseSeed,
             0,
             std::numeric_limits<std::uint64_t>::max(),
             "seed of the counts' Poisson noise");
  AddCommonOptions(command, options->common);
  command.callback([options, &chosen] { chosen = [options] { RunOverview(*options); }; });
}

} // namespace radiography::program
