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
#include "DICOMOutput.h"
#include "Display.h"
#include "Errors.h"
#include "ImageOutput.h"
#include "Numbers.h"
#include "OutputFile.h"
#include "Pose.h"
#include "Projection.h"
#include "ViewOptions.h"
#include "XrayView.h"

#include "itkEuler3DTransform.h"
#include "itkMetaDataObject.h"
#include "itkRadiographGeometryJSON.h"

#include <map>
#include <memory>
#include <set>

namespace radiography::program
{
namespace
{

struct DrrOptions
{
  CommonOptions                common;
  CTOptions                    ct;
  ViewOptions                  view;
  std::string                  output;
  std::string                  pose;
  std::string                  quantity;
  std::string                  projector{ "joseph" };
  std::uint64_t                subrays{ 1 };
  std::vector<double>          focalSpot;
  std::uint64_t                focalSpotSamples{ 4 };
  std::optional<double>        gain;
  std::optional<double>        offset;
  std::optional<double>        scatter;
  std::optional<std::uint64_t> noiseSeed;
  double                       photons{ 10000.0 };
  std::string                  saveView;
  bool                         keepPatient{ false };
};

/** What OUT may hold, and its unit. */
const std::map<std::string, std::string> Units{ { "optical-depth", "1" }, { "transmission", "1" },
                                                { "counts", "photons" },  { "log-transmission", "1" },
                                                { "removed", "1" },       { "display", "grey level" } };

const std::map<std::string, DRRFilter::ProjectorEnum> Projectors{ { "joseph", DRRFilter::ProjectorEnum::Joseph },
                                                                  { "cell-gauss", DRRFilter::ProjectorEnum::CellGauss },
                                                                  { "siddon", DRRFilter::ProjectorEnum::Siddon } };

template <typename TValue>
std::vector<std::string>
NamesOf(const std::map<std::string, TValue> & map)
{
  std::vector<std::string> names;
  for (const auto & entry : map)
  {
    names.push_back(entry.first);
  }
  return names;
}

std::string
ChooseQuantity(const DrrOptions & options, const std::string & ending)
{
  const bool picture = ending == ".png";
  if (picture && !options.quantity.empty() && options.quantity != "display")
  {
    throw UsageError("a .png shows only --output display, not " + options.quantity,
                     "write " + options.quantity + " to a .nrrd, .mha or .nii.gz file");
  }
  return !options.quantity.empty() ? options.quantity : picture ? "display" : "optical-depth";
}

/** Options of the detector make sense for counts only. */
void
RequireCountsFor(const DrrOptions & options, const std::string & quantity)
{
  const std::pair<const char *, bool> detector[]{ { "--noise-seed", options.noiseSeed.has_value() },
                                                  { "--gain", options.gain.has_value() },
                                                  { "--offset", options.offset.has_value() },
                                                  { "--scatter", options.scatter.has_value() } };
  for (const auto & [name, given] : detector)
  {
    if (given && quantity != "counts")
    {
      throw UsageError(std::string(name) + " concerns counts; this writes " + quantity, "add --output counts");
    }
  }
}

Exposure
MakeExposure(const DrrOptions & options)
{
  return { options.photons,
           options.scatter.value_or(0.0),
           options.gain.value_or(1.0),
           options.offset.value_or(0.0),
           options.noiseSeed };
}

ProjectionOptions
MakeProjectionOptions(const DrrOptions & options)
{
  ProjectionOptions how;
  how.projector = Projectors.at(options.projector);
  how.subrays = static_cast<unsigned int>(options.subrays);
  if (!options.focalSpot.empty())
  {
    how.focalSpotSize[0] = options.focalSpot.front();
    how.focalSpotSize[1] = options.focalSpot.back(); // one number for both
    how.focalSpotSamples = static_cast<unsigned int>(options.focalSpotSamples);
  }
  return how;
}

PoseTransform::Pointer
MakePose(const std::string & path)
{
  if (!path.empty())
  {
    return ReadPose(path);
  }
  return itk::Euler3DTransform<double>::New().GetPointer();
}

RadiographImage::Pointer
MakeQuantity(RadiographImage & depth, const std::string & quantity, const DrrOptions & options)
{
  if (quantity == "transmission")
  {
    return ToTransmission(depth);
  }
  if (quantity == "log-transmission")
  {
    return ToLogTransmission(depth);
  }
  if (quantity == "removed")
  {
    return ToRemoved(depth);
  }
  if (quantity == "counts")
  {
    return ExposeCounts(depth, MakeExposure(options));
  }
  if (quantity == "display")
  {
    return ToFilm(depth, ChooseWindow(depth));
  }
  return &depth;
}

void
PutMetaData(RadiographImage &               image,
            const itk::RadiographGeometry & view,
            const std::string &             quantity,
            const DrrOptions &              options)
{
  auto &     data = image.GetMetaDataDictionary();
  const auto put = [&data](const char * key, const std::string & value) {
    itk::EncapsulateMetaData<std::string>(data, key, value);
  };
  const auto text = [](const auto & triple) {
    return ToText(triple[0]) + " " + ToText(triple[1]) + " " + ToText(triple[2]);
  };
  if (view.GetBeam() == itk::RadiographGeometry::Beam::Cone)
  {
    put("radiography_source_mm", text(view.GetSource()));
  }
  else
  {
    put("radiography_direction", text(view.GetBeamDirection()));
  }
  put("radiography_quantity", quantity);
  put("radiography_open_beam_counts", ToText(options.photons));
  put("radiography_energy_kev", ToText(options.ct.energy));
}

void
WriteOutput(const RadiographImage & image, const OutputFile & file, const Console & console)
{
  if (file.Ending() == ".png")
  {
    WritePNG(image, file.TemporaryPath());
    return;
  }
  WriteWholeImage(image, file.TemporaryPath(), false, &console);
}

DICOMOutput
MakeDICOMOutput(const DrrOptions &               options,
                const std::string &              quantity,
                const std::vector<std::string> & references,
                const itk::Point<double, 3> &    isocenter)
{
  DICOMOutput output;
  output.quantity = quantity;
  output.derivation = quantity + " at " + ToText(options.ct.energy) + " keV by " + options.projector;
  output.references = references;
  output.keepPatient = options.keepPatient;
  output.hasOffset = options.offset.value_or(0.0) != 0.0;
  output.isocenter = isocenter;
  return output;
}

std::string
UnitOf(const std::string & quantity, const DrrOptions & options)
{
  const bool detectorUnits = quantity == "counts" && (options.gain || options.offset);
  return detectorUnits ? "detector units" : Units.at(quantity);
}

JSON
DescribeOutput(const RadiographImage & image, const std::string & quantity, const DrrOptions & options)
{
  const auto summary = Summarize(image);
  const auto size = image.GetLargestPossibleRegion().GetSize();
  return { { "path", options.output },       { "quantity", quantity }, { "unit", UnitOf(quantity, options) },
           { "size", { size[0], size[1] } }, { "min", summary.min },   { "max", summary.max },
           { "mean", summary.mean },         { "sum", summary.sum } };
}

void
SaySummary(const JSON & report, const Console & console)
{
  const auto & output = report["output"];
  const auto & compute = report["compute"];
  const auto   number = [&output](const char * key) { return ToRoundedText(output[key].get<double>(), 5); };
  console.Say(output["path"].get<std::string>() + ": " + output["quantity"].get<std::string>() + " of " +
              std::to_string(output["size"][0].get<std::uint64_t>()) + " x " +
              std::to_string(output["size"][1].get<std::uint64_t>()) + " pixels, min " + number("min") + ", mean " +
              number("mean") + ", max " + number("max"));
  console.Say(compute["projector"].get<std::string>() + ", kernel " + compute["kernel"].get<std::string>() + ", " +
              std::to_string(compute["threads"].get<unsigned>()) + " threads: projected in " +
              ToRoundedText(report["seconds"]["project"].get<double>(), 3) + " s of " +
              ToRoundedText(report["seconds"]["total"].get<double>(), 3) + " s");
}

/** Warnings about the view, not those about pixels, which are not used. */
bool
ConcernsView(const std::string & code)
{
  static const std::set<std::string> ofPixels{ "pixel-meaning-unknown",    "missing-sign", "linear-with-intercept",
                                               "modality-lut-not-applied", "lossy",        "shutter-not-read" };
  return ofPixels.count(code) == 0;
}

/** The view of --like; nothing without it. */
std::optional<XrayView>
ReadLike(const ViewOptions & options, const itk::Point<double, 3> & defaultIsocenter, Console & console)
{
  if (options.like.empty())
  {
    return std::nullopt;
  }
  auto view = ReadXrayView(options, defaultIsocenter);
  for (const auto & problem : view.problems)
  {
    if (ConcernsView(problem["code"]))
    {
      console.Warn(problem["message"].get<std::string>());
    }
  }
  return view;
}

void
RunDrr(const DrrOptions & options)
{
  // All that can be wrong with the command line is found before a file is read.
  CheckViewOptions(options.view);
  OutputFile file(options.output, { ".nrrd", ".mha", ".nii.gz", ".nii", ".png", ".dcm" });
  const auto quantity = ChooseQuantity(options, file.Ending());
  RequireCountsFor(options, quantity);
  if (options.keepPatient && file.Ending() != ".dcm")
  {
    throw UsageError("--keep-patient concerns a .dcm file; this writes a " + file.Ending() + " file");
  }
  std::optional<OutputFile> viewFile;
  if (!options.saveView.empty())
  {
    viewFile.emplace(options.saveView, std::vector<std::string>{ ".json" });
  }

  Console                  console(options.common);
  Stopwatch                watch;
  const auto               pose = MakePose(options.pose);
  std::vector<std::string> references;
  auto                     hounsfield = ReadCT(options.ct, console, &references);
  const auto               center = GridCenter(*hounsfield);
  const auto               like = ReadLike(options.view, center, console);
  const auto               view = like ? like->geometry : MakeView(options.view, center);
  const auto               load = watch.Lap();

  const auto attenuation = ConvertToAttenuation(std::move(hounsfield), options.ct, console);
  const auto volume = itk::ProjectionVolume::New();
  volume->SetImage(attenuation.image);
  const auto prepare = watch.Lap();

  const auto projection = Project(*volume, *view, *pose, MakeProjectionOptions(options), console);
  const auto project = watch.Lap();

  const auto image = MakeQuantity(*projection.depth, quantity, options);
  const auto transmit = watch.Lap();

  PutMetaData(*image, *view, quantity, options);
  if (file.Ending() == ".dcm")
  {
    WriteDICOM(*image, *view, MakeDICOMOutput(options, quantity, references, center), file.TemporaryPath());
  }
  else
  {
    WriteOutput(*image, file, console);
  }
  if (viewFile)
  {
    itk::RadiographGeometryJSON::WriteFile(view, viewFile->TemporaryPath());
    viewFile->Commit();
  }
  file.Commit();
  const auto write = watch.Lap();

  JSON report{ { "view", JSON::parse(itk::RadiographGeometryJSON::Serialize(view)) },
               { "pose", DescribePose(*pose) },
               { "output", DescribeOutput(*image, quantity, options) },
               { "seconds",
                 { { "load", load },
                   { "prepare", prepare },
                   { "project", project },
                   { "transmit", transmit },
                   { "write", write },
                   { "total", watch.Total() } } },
               { "compute", DescribeCompute(projection.report) },
               { "warnings", console.Warnings() } };
  if (like)
  {
    report["like"] = { { "path", options.view.like },
                       { "provenance", like->provenance },
                       { "problems", like->problems } };
  }
  if (console.WantsJSON())
  {
    console.Print(report);
    return;
  }
  SaySummary(report, console);
}

void
AddDetectorOptions(CLI::App & command, DrrOptions & options)
{
  const char * const group = "Detector";
  AddNumber(command, "--photons", options.photons, PositiveNumber, "open-beam photons per pixel")->group(group);
  AddInteger(command,
             "--noise-seed",
             options.noiseSeed,
             0,
             std::numeric_limits<std::uint64_t>::max(),
             "counts with Poisson noise of this seed (default: expected counts)")
    ->group(group);
  AddNumber(command, "--gain", options.gain, PositiveNumber, "detector units per count (default: 1)")->group(group);
  AddNumber(command, "--offset", options.offset, AnyNumber, "detector units of an empty pixel (default: 0)")
    ->group(group);
  AddNumber(command, "--scatter", options.scatter, NonNegativeNumber, "counts added to each pixel (default: 0)")
    ->group(group);
}

} // namespace

void
AddDrrCommand(CLI::App & program, Action & chosen)
{
  const auto options = std::make_shared<DrrOptions>();
  auto & command = *program.add_subcommand("drr", "project a CT onto a detector: a digitally reconstructed radiograph");
  AddCTOptions(command, options->ct);
  command
    .add_option("OUT", options->output, "image file: .nrrd .mha .nii.gz .nii, .dcm (RT Image), or .png for display")
    ->required();
  AddViewOptions(command, options->view);
  command.add_option("--pose", options->pose, "ITK transform that maps world points to CT points (default: identity)")
    ->type_name("T.tfm");
  command.add_option("--output", options->quantity, "what OUT holds (default: optical-depth; .png: display)")
    ->check(CLI::IsMember(NamesOf(Units)))
    ->type_name("QUANTITY");
  command.add_option("--projector", options->projector, "joseph, cell-gauss or siddon [joseph]")
    ->check(CLI::IsMember(NamesOf(Projectors)))
    ->type_name("NAME");
  AddInteger(command, "--subrays", options->subrays, 1, 32, "N x N sub-rays per pixel, averaged in transmission");
  const auto focalSpot =
    AddNumbers(command,
               "--focal-spot-mm",
               options->focalSpot,
               1,
               2,
               NonNegativeNumber,
               "focal spot W[,H]: along the detector's columns' direction, and its rows' (default: a "
               "point; H: as W), averaged in transmission");
  AddInteger(command,
             "--focal-spot-samples",
             options->focalSpotSamples,
             1,
             32,
             "M x M source points in the middles of equal parts of the focal spot")
    ->needs(focalSpot);
  command.add_option("--save-view", options->saveView, "write the view as a view file")->type_name("V.json");
  command.add_flag(
    "--keep-patient", options->keepPatient, "a .dcm file gets the CT's patient attributes (default: none)");
  AddDetectorOptions(command, *options);
  AddCommonOptions(command, options->common);
  command.callback([options, &chosen] { chosen = [options] { RunDrr(*options); }; });
}

} // namespace radiography::program
