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
#include "Errors.h"
#include "Numbers.h"
#include "OutputFile.h"
#include "Pose.h"
#include "RegisterImages.h"
#include "RegisterReport.h"
#include "RegisterTruth.h"

#include "itkEuler3DTransform.h"
#include "itkMath.h"
#include "itkRadiographLandmarkJSON.h"
#include "itkRadiographLandmarkPoseEstimator.h"
#include "itkRadiographMask.h"
#include "itkRadiographRegistrationMethod.h"
#include "itkTransformFileWriter.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

namespace fs = std::filesystem;

namespace radiography::program
{
namespace
{

using Method = itk::RadiographRegistrationMethod;
using Enums = itk::RadiographRegistrationEnums;

struct RegisterOptions
{
  CommonOptions            common;
  CTOptions                ct;
  RegisterImageOptions     images;
  std::string              initial;
  std::string              output;
  std::string              metric{ "auto" };
  std::optional<double>    photons;
  std::vector<std::string> estimate;
  bool                     maskTruncated{ false };
  std::uint64_t            maskMargin{ 2 };
  bool                     maskOutliers{ false };
  std::string              landmarks3D;
  std::string              landmarks2D;
  std::string              transform{ "euler" };
  std::uint64_t            starts{ 1 };
  double                   startSpread{ 40.0 };
  double                   startSpreadDegrees{ 11.0 };
  std::uint64_t            seed{ 0 };
  std::string              report;
  std::string              truth;
  std::string              targets;
};

/** "poisson" and so on, of what is asked for and what the images are. */
std::string
ChooseMetric(const RegisterOptions & options, const std::vector<RegisterImage> & images)
{
  const auto other = std::find_if(images.begin(), images.end(), [](const auto & image) { return !IsCountLike(image); });
  if (options.metric == "auto")
  {
    return other == images.end() ? "poisson" : "gradient-correlation";
  }
  if (options.metric == "poisson" && other != images.end())
  {
    throw Failure(
      "--metric poisson needs counts or values linear in them; " + other->path + " holds " + other->quantity,
      "--metric gradient-correlation takes any image; --pixels-are linear says that the file is wrong or silent");
  }
  return options.metric;
}

/** The nuisances that the metric estimates. */
std::set<std::string>
ChooseEstimated(const RegisterOptions & options, const std::string & metric, const std::vector<RegisterImage> & images)
{
  if (metric != "poisson")
  {
    if (!options.estimate.empty() || options.photons || options.maskOutliers)
    {
      throw UsageError(std::string(options.photons        ? "--photons"
                                   : options.maskOutliers ? "--mask-outliers"
                                                          : "--estimate") +
                         " concerns the Poisson metric, and " + metric + " is used",
                       "add --metric poisson, or leave it away");
    }
    return {};
  }
  if (options.estimate.empty())
  {
    return options.photons ? std::set<std::string>() : std::set<std::string>{ "exposure" };
  }
  if (options.estimate == std::vector<std::string>{ "none" })
  {
    const auto unknown =
      std::find_if(images.begin(), images.end(), [](const auto & image) { return !image.openBeamCounts; });
    if (!options.photons && unknown != images.end())
    {
      throw UsageError("--estimate none, but the exposure of " + unknown->path + " is not known", "give --photons N");
    }
    return {};
  }
  std::set<std::string> estimated(options.estimate.begin(), options.estimate.end());
  if (!options.photons)
  {
    estimated.insert("exposure");
  }
  return estimated;
}

std::string
ListOf(const std::set<std::string> & names)
{
  std::string list;
  for (const auto & name : names)
  {
    list += (list.empty() ? "" : ", ") + name;
  }
  return list.empty() ? "none" : list;
}

Enums::TransformKind
KindOf(const std::string & name)
{
  return name == "affine"       ? Enums::TransformKind::Affine
         : name == "similarity" ? Enums::TransformKind::Similarity
                                : Enums::TransformKind::Euler;
}

/** The start that landmarks give. */
std::pair<PoseTransform::Pointer, LandmarkStart>
StartFromLandmarks(const RegisterOptions &            options,
                   const std::vector<RegisterImage> & images,
                   const itk::Point<double, 3> &      center)
{
  const auto points = itk::RadiographLandmarkJSON::ReadMarkups(options.landmarks3D);
  const auto pixels = itk::RadiographLandmarkJSON::ReadPixels(options.landmarks2D);
  if (pixels.size() != images.size())
  {
    throw Failure(options.landmarks2D + " has landmarks of " + std::to_string(pixels.size()) + " images; there are " +
                    std::to_string(images.size()),
                  "give one list for each image, in the images' order; it may be empty");
  }
  const auto estimator = itk::RadiographLandmarkPoseEstimator::New();
  estimator->SetCenter(center);
  for (const auto & point : points)
  {
    estimator->AddLandmark(point.label, point.point);
  }
  for (std::size_t i = 0; i < images.size(); ++i)
  {
    const auto view = estimator->AddView(images[i].geometry);
    for (const auto & landmark : pixels[i])
    {
      estimator->AddObservation(view, landmark.label, landmark.pixel);
    }
  }
  estimator->Compute();
  auto pose = itk::Euler3DTransform<double>::New();
  pose->SetFixedParameters(estimator->GetTransform()->GetFixedParameters());
  pose->SetParameters(estimator->GetTransform()->GetParameters());
  return { pose.GetPointer(),
           { estimator->GetRMSError(),
             estimator->GetRMSPixelError(),
             estimator->GetObservations().size(),
             estimator->GetWarnings() } };
}

Method::Pointer
MakeMethod(const RegisterOptions &            options,
           const std::vector<RegisterImage> & images,
           const VolumeImage &                attenuation,
           const PoseTransform &              start,
           const std::string &                metric,
           const std::set<std::string> &      estimated)
{
  const auto method = Method::New();
  method->SetInput(&attenuation);
  for (const auto & image : images)
  {
    const auto view = method->AddView(image.image, image.geometry, image.mask);
    if (options.photons)
    {
      method->SetOpenBeamCounts(view, *options.photons);
    }
    else if (image.openBeamCounts)
    {
      method->SetOpenBeamCounts(view, *image.openBeamCounts);
    }
  }
  method->SetMetric(metric == "poisson" ? Enums::Metric::Poisson
                    : metric == "ncc"   ? Enums::Metric::NormalizedCorrelation
                                        : Enums::Metric::GradientCorrelation);
  const bool allTransmission = std::all_of(images.begin(), images.end(), IsTransmissionLike);
  method->SetCompared(allTransmission ? Method::ComparedEnum::Transmission : Method::ComparedEnum::OpticalDepth);
  method->SetEstimateExposure(estimated.count("exposure") != 0);
  method->SetEstimateAttenuation(estimated.count("attenuation") != 0);
  method->SetEstimateScatter(estimated.count("scatter") != 0);
  // Readings whose gain is not known: their noise is found from what is left over.
  const bool unknownGain =
    metric == "poisson" && !options.photons &&
    std::any_of(images.begin(), images.end(), [](const auto & i) { return i.quantity != "counts"; });
  method->SetEstimateDispersion(unknownGain);
  method->SetMaskTruncation(options.maskTruncated);
  method->SetCutFaces(Method::CutFacesEnum::SliceFacesWhereNotAir);
  method->SetTruncationMargin(static_cast<unsigned int>(options.maskMargin));
  method->SetMaskOutliers(options.maskOutliers);
  method->SetTransformKind(KindOf(options.transform));
  method->SetInitialTransform(&start);
  method->SetNumberOfStarts(options.starts);
  method->SetStartTranslationSpread(options.startSpread);
  method->SetStartRotationSpread(options.startSpreadDegrees * itk::Math::pi / 180.0);
  method->SetSeed(options.seed);
  return method;
}

void
WriteTransform(const PoseTransform & transform, OutputFile & file)
{
  const auto writer = itk::TransformFileWriterTemplate<double>::New();
  writer->SetInput(&transform);
  writer->SetFileName(file.TemporaryPath());
  writer->Update();
  // ITK does not notice a full disc.
  const auto back = ReadPose(file.TemporaryPath());
  if (back->GetParameters() != transform.GetParameters())
  {
    throw Failure("the transform could not be written completely", "is the disc full?");
  }
  file.Commit();
}

std::string
MM(double value)
{
  return ToRoundedText(value, 3) + " mm";
}

void
SayRegistration(const Registration & registration, const Console & console)
{
  const auto & result = *registration.result;
  console.Say("metric: " + registration.metric + "; estimated besides the pose: " + registration.estimated);
  if (registration.landmarks)
  {
    console.Say("start from landmarks: reprojection error " + ToRoundedText(registration.landmarks->rmsErrorPixels, 3) +
                " pixels, " + MM(registration.landmarks->rmsErrorMM) + " on the detector (root mean square)");
  }
  console.Say("verdict: " + VerdictText(result));
  for (const auto & reason : result.GetReasons())
  {
    console.Say("  " + reason);
  }
  const auto errors = result.GetTargetStandardErrors();
  if (errors.size() == 3)
  {
    console.Say("standard error of the CT's centre: " + MM(errors[0]) + ", " + MM(errors[1]) + ", " + MM(errors[2]) +
                " along x, y, z of the world");
  }
  if (registration.truth)
  {
    const auto & truth = *registration.truth;
    console.Say("target registration error: mean " + MM(truth.before.mean) + " before, " + MM(truth.after.mean) +
                " after (largest " + MM(truth.after.largest) + "; " + truth.targets.source + ")");
  }
  itk::SizeValueType renders = 0;
  for (const auto & level : result.GetLevels())
  {
    renders += level.renders;
  }
  console.Say(std::to_string(renders) + " renders in " + ToRoundedText(registration.registerSeconds, 3) + " s; " +
              result.GetComputeReport().kernel + ", " + std::to_string(result.GetComputeReport().threads) + " threads");
}

/** All that can be wrong with the command line, found before a file is read. */
void
CheckRegisterOptions(const RegisterOptions & options)
{
  CheckRegisterImageOptions(options.images);
  if (options.landmarks3D.empty() != options.landmarks2D.empty())
  {
    throw UsageError("--landmarks-3d and --landmarks-2d go together");
  }
  if (!options.landmarks3D.empty() && !options.initial.empty())
  {
    throw UsageError("--initial and landmarks both give a start", "give one of them");
  }
  const bool none = std::count(options.estimate.begin(), options.estimate.end(), "none") != 0;
  if (none && options.estimate.size() > 1)
  {
    throw UsageError("--estimate none does not go with other names");
  }
  if (!options.targets.empty() && options.truth.empty())
  {
    throw UsageError("--targets concerns --truth");
  }
  if (!options.report.empty() && fs::exists(options.report) && !fs::is_directory(options.report))
  {
    throw Failure("--report " + options.report + " is a file, not a folder");
  }
}

std::string
JoinReasons(const itk::RadiographRegistrationResult & result)
{
  std::string text;
  for (const auto & reason : result.GetReasons())
  {
    text += (text.empty() ? "" : " ") + reason;
  }
  return text;
}

void
RunRegister(const RegisterOptions & options)
{
  CheckRegisterOptions(options);
  OutputFile file(options.output, { ".tfm", ".txt", ".h5" });

  Console      console(options.common);
  Stopwatch    watch;
  Registration registration;
  registration.ct = options.ct.path;
  registration.output = options.output;
  PoseTransform::Pointer start = options.initial.empty() ? itk::Euler3DTransform<double>::New().GetPointer()
                                                         : ReadPose(options.initial).GetPointer();
  const auto             truth = options.truth.empty() ? nullptr : ReadPose(options.truth);
  auto                   hounsfield = ReadCT(options.ct, console);
  const auto             center = GridCenter(*hounsfield);
  registration.images = ReadRegisterImages(options.images, center, console);
  registration.metric = ChooseMetric(options, registration.images);
  const auto estimated = ChooseEstimated(options, registration.metric, registration.images);
  registration.estimated = ListOf(estimated);
  if (!options.landmarks3D.empty())
  {
    auto [pose, landmarks] = StartFromLandmarks(options, registration.images, center);
    start = pose;
    registration.landmarks = landmarks;
    for (const auto & warning : landmarks.warnings)
    {
      console.Warn(warning);
    }
  }
  registration.loadSeconds = watch.Lap();

  const auto attenuation = ConvertToAttenuation(std::move(hounsfield), options.ct, console);
  registration.grid = attenuation.image.GetPointer();
  registration.prepareSeconds = watch.Lap();

  const auto method =
    MakeMethod(options, registration.images, *attenuation.image, *start, registration.metric, estimated);
  console.Watch(*method, "registering");
  method->Update();
  registration.result = method->GetOutput();
  registration.registerSeconds = watch.Lap();

  const auto & result = *registration.result;
  const bool   failed = result.GetVerdict() == Enums::Verdict::Failed || result.GetTransform() == nullptr;
  if (truth && !failed)
  {
    auto targets = MakeTargets(options.targets, *attenuation.image);
    registration.truth = TruthComparison{ targets,
                                          MeasureTargetError(targets, *start, *truth),
                                          MeasureTargetError(targets, *result.GetTransform(), *truth) };
  }
  if (result.GetVerdict() == Enums::Verdict::Doubtful)
  {
    console.Warn("the result is doubtful: " + JoinReasons(result));
  }
  const auto report = DescribeRegistration(registration, console.Warnings());
  if (failed)
  {
    if (console.WantsJSON())
    {
      console.Print(report);
    }
    throw Failure("the registration failed: " + JoinReasons(result),
                  "give a better start with --initial or landmarks, or search with --starts N");
  }
  if (!options.report.empty())
  {
    WriteRegistrationReport(registration, report, options.report);
  }
  WriteTransform(*result.GetTransform(), file);
  if (console.WantsJSON())
  {
    console.Print(report);
  }
  SayRegistration(registration, console);
  console.Say("transform: " + options.output);
  if (!options.report.empty())
  {
    console.Say("report: " + (fs::path(options.report) / "index.html").string());
  }
}

void
AddStartOptions(CLI::App & command, RegisterOptions & options)
{
  const char * const group = "Start";
  command.add_option("--initial", options.initial, "transform that maps world points to CT points (default: identity)")
    ->type_name("T.tfm")
    ->group(group);
  command.add_option("--landmarks-3d", options.landmarks3D, "points of the CT: Slicer markups")
    ->type_name("F.mrk.json")
    ->group(group);
  command.add_option("--landmarks-2d", options.landmarks2D, "where each image shows them, pixel index")
    ->type_name("F.json")
    ->group(group);
  AddInteger(command, "--starts", options.starts, 1, 1000000, "poses tried on the coarsest level, the start among them")
    ->group(group);
  AddNumber(
    command, "--start-spread-mm", options.startSpread, NonNegativeNumber, "how far starts are moved along each axis")
    ->group(group);
  AddNumber(command,
            "--start-spread-deg",
            options.startSpreadDegrees,
            NonNegativeNumber,
            "how far starts are turned about each axis")
    ->group(group);
  AddInteger(command, "--seed", options.seed, 0, std::numeric_limits<std::uint64_t>::max(), "of the starts")
    ->group(group);
}

void
AddModelOptions(CLI::App & command, RegisterOptions & options)
{
  const char * const group = "Image model";
  command
    .add_option(
      "--metric", options.metric, "how images are compared (default: auto: poisson for counts and linear images)")
    ->check(CLI::IsMember({ "auto", "poisson", "ncc", "gradient-correlation" }))
    ->type_name("NAME")
    ->group(group);
  AddNumber(command, "--photons", options.photons, PositiveNumber, "open-beam counts per pixel (default: estimated)")
    ->group(group);
  command
    .add_option("--estimate",
                options.estimate,
                "besides the pose: exposure,attenuation,scatter, or none (default: exposure unless --photons is given)")
    ->delimiter(',')
    ->check(CLI::IsMember({ "exposure", "attenuation", "scatter", "none" }))
    ->type_name("LIST")
    ->group(group);
  command.add_option("--mask", options.images.masks, "once for each image: pixels that are 0 are not compared; none")
    ->type_name("M")
    ->allow_extra_args(false)
    ->group(group);
  const auto truncated =
    command.add_flag("--mask-truncated", options.maskTruncated, "leave out rays that meet what the CT has cut off");
  truncated->group(group);
  AddInteger(command, "--mask-margin", options.maskMargin, 0, 1000, "pixels of each level around those")
    ->needs(truncated)
    ->group(group);
  command
    .add_flag(
      "--mask-outliers", options.maskOutliers, "leave out what is in the images and not in the CT (poisson): a tool")
    ->group(group);
}

} // namespace

void
AddRegisterCommand(CLI::App & program, Action & chosen)
{
  const auto options = std::make_shared<RegisterOptions>();
  auto &     command = *program.add_subcommand("register", "find the pose of a CT from X-ray images of it");
  AddCTOptions(command, options->ct);
  command.add_option("IMAGE", options->images.paths, "X-ray images: DICOM, or image files as drr writes them")
    ->required()
    ->type_name("IMAGE...");
  command.add_option("--output", options->output, "the pose found: maps world points to CT points")
    ->required()
    ->type_name("T.tfm");
  command.add_option("--view", options->images.views, "once for each image: its view file; none: as the image says")
    ->type_name("V.json")
    ->allow_extra_args(false)
    ->group("View");
  AddXrayViewOptions(command, options->images.completions);
  AddModelOptions(command, *options);
  AddStartOptions(command, *options);
  command.add_option("--transform", options->transform, "euler, similarity or affine [euler]")
    ->check(CLI::IsMember({ "euler", "affine", "similarity" }))
    ->type_name("NAME");
  command.add_option("--report", options->report, "folder of a page about the registration, index.html")
    ->type_name("DIR");
  command.add_option("--truth", options->truth, "the right pose, if it is known: tells the error in mm")
    ->type_name("T.tfm");
  command.add_option("--targets", options->targets, "points for that error, as the phantom's truth.json has them")
    ->type_name("F.json");
  AddCommonOptions(command, options->common);
  command.callback([options, &chosen] { chosen = [options] { RunRegister(*options); }; });
}

} // namespace radiography::program
