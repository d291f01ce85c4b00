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
#include "RegisterReport.h"

#include "Display.h"
#include "Errors.h"
#include "OutputFile.h"
#include "RegisterPage.h"

#include "itkRadiographGeometryJSON.h"

#include <cmath>
#include <filesystem>
#include <functional>
#include <sstream>

namespace fs = std::filesystem;

namespace radiography::program
{
namespace
{

using Result = itk::RadiographRegistrationResult;

/** Numbers that JSON cannot hold become null. */
JSON
ToJSON(double value)
{
  return std::isfinite(value) ? JSON(value) : JSON();
}

template <typename TList>
JSON
ListToJSON(const TList & list)
{
  JSON json = JSON::array();
  for (const auto & value : list)
  {
    json.push_back(ToJSON(value));
  }
  return json;
}

JSON
ToJSON(const Result::MatrixType & matrix)
{
  JSON rows = JSON::array();
  for (unsigned int i = 0; i < matrix.rows(); ++i)
  {
    JSON row = JSON::array();
    for (unsigned int j = 0; j < matrix.cols(); ++j)
    {
      row.push_back(ToJSON(matrix(i, j)));
    }
    rows.push_back(row);
  }
  return rows;
}

JSON
Describe(const itk::RadiographRegistrationNuisances & view)
{
  return { { "exposure_estimated", view.exposureIsEstimated },
           { "open_beam_counts", ToJSON(view.openBeamCounts) },
           { "open_beam_counts_given", !view.openBeamIsAssumed },
           { "exposure", ToJSON(view.exposure) },
           { "log_exposure_standard_error", ToJSON(view.logExposureStandardError) },
           { "attenuation_estimated", view.attenuationIsEstimated },
           { "attenuation", ToJSON(view.attenuation) },
           { "attenuation_standard_error", ToJSON(view.attenuationStandardError) },
           { "scatter_estimated", view.scatterIsEstimated },
           { "scatter_nodes", { view.scatterNodes[0], view.scatterNodes[1] } },
           { "scatter", ListToJSON(view.scatter) },
           { "scatter_standard_errors", ListToJSON(view.scatterStandardErrors) } };
}

JSON
Describe(const itk::RadiographRegistrationLevelReport & level)
{
  JSON images = JSON::array();
  for (const auto & size : level.imageSizes)
  {
    images.push_back({ size[0], size[1] });
  }
  std::ostringstream projector;
  projector << level.projector;
  return { { "iterations", level.iterations },
           { "objective", ToJSON(level.objective) },
           { "seconds", level.seconds },
           { "evaluations", level.evaluations },
           { "renders", level.renders },
           { "stationarity", ToJSON(level.stationarity) },
           { "dispersion", ToJSON(level.dispersion) },
           { "image_blocks", level.imageBlocks },
           { "image_sizes", images },
           { "volume_block", { level.volumeBlock[0], level.volumeBlock[1], level.volumeBlock[2] } },
           { "volume_size", { level.volumeSize[0], level.volumeSize[1], level.volumeSize[2] } },
           { "projector", projector.str() },
           { "stride", level.stride },
           { "stopped", level.stopCondition } };
}

JSON
DescribeTrace(const std::vector<itk::RadiographRegistrationTraceEntry> & trace)
{
  JSON steps = JSON::array();
  for (const auto & step : trace)
  {
    steps.push_back({ { "level", step.level },
                      { "iteration", step.iteration },
                      { "objective", ToJSON(step.value) },
                      { "stationarity", ToJSON(step.stationarity) },
                      { "damping", ToJSON(step.damping) },
                      { "accepted", step.accepted },
                      { "parameters", ListToJSON(step.parameters) } });
  }
  return steps;
}

JSON
Describe(const std::vector<RegisterImage> & images)
{
  JSON list = JSON::array();
  for (const auto & image : images)
  {
    list.push_back({ { "path", image.path },
                     { "quantity", image.quantity },
                     { "view", JSON::parse(itk::RadiographGeometryJSON::Serialize(image.geometry)) },
                     { "provenance", image.provenance } });
  }
  return list;
}

JSON
Describe(const TargetError & error)
{
  return { { "mean", error.mean }, { "largest", error.largest } };
}

/** Grey levels for an image and for what should look like it: counts as a film shows them, so that dark places tell as
 * much as bright ones; values that are no counts as they are. */
std::function<RadiographImage::Pointer(const RadiographImage &)>
ChooseTone(const Result & result, unsigned int view)
{
  const auto spread = WindowOfPercentiles(*result.GetImage(view), 0.002, 0.998);
  if (result.GetMetric() != itk::RadiographRegistrationEnums::Metric::Poisson)
  {
    return [spread](const RadiographImage & image) { return ToGrey(image, spread, 1.0); };
  }
  const double openBeam = spread.white;
  const auto   window = ChooseWindow(*ToDepthOfCounts(*result.GetImage(view), openBeam));
  return
    [openBeam, window](const RadiographImage & image) { return ToFilm(*ToDepthOfCounts(image, openBeam), window); };
}

/** Image, predictions, residual and chessboard of a view. Image and predictions share one tone. */
void
WritePictures(const Registration & registration, unsigned int view, const fs::path & folder)
{
  const Result & result = *registration.result;
  const auto     grey = ChooseTone(result, view);
  const auto     write = [&](const char * what, const RadiographImage & picture) {
    WriteWhole(folder / RegisterPictureName(view, what), [&](const std::string & path) { WritePNG(picture, path); });
  };
  const auto image = grey(*result.GetImage(view));
  const auto after = grey(*result.GetPrediction(view));
  write("image", *image);
  write("before", *grey(*result.GetInitialPrediction(view)));
  write("after", *after);
  write("overlay", *Chessboard(*image, *after, 8));
  WriteWhole(folder / RegisterPictureName(view, "residual"), [&](const std::string & path) {
    WriteResidualPNG(*result.GetResidual(view), ResidualLimit(registration), path);
  });
}

} // namespace

std::string
VerdictText(const Result & result)
{
  std::ostringstream text;
  text << result.GetVerdict();
  return text.str();
}

JSON
DescribeRegistration(const Registration & registration, const std::vector<std::string> & warnings)
{
  const Result & result = *registration.result;
  JSON           nuisances = JSON::array();
  for (const auto & view : result.GetNuisances())
  {
    nuisances.push_back(Describe(view));
  }
  JSON levels = JSON::array();
  for (const auto & level : result.GetLevels())
  {
    levels.push_back(Describe(level));
  }
  const auto & target = result.GetTarget();
  JSON         report{
    { "verdict", VerdictText(result) },
    { "reasons", result.GetReasons() },
    { "transform", result.GetTransform() != nullptr ? DescribePose(*result.GetTransform()) : JSON() },
    { "covariance", ToJSON(result.GetInflatedCovariance()) },
    { "standard_errors", ListToJSON(result.GetStandardErrors()) },
    { "covariance_cramer_rao", ToJSON(result.GetCovariance()) },
    { "target_mm", { target[0], target[1], target[2] } },
    { "target_standard_error_mm", ListToJSON(result.GetTargetStandardErrors()) },
    { "singular_direction", result.GetSingularDirection() },
    { "metric", registration.metric },
    { "estimated", registration.estimated },
    { "objective", ToJSON(result.GetObjective()) },
    { "stationarity", ToJSON(result.GetStationarity()) },
    { "inflated_stationarity", ToJSON(result.GetInflatedStationarity()) },
    { "pixels", result.GetNumberOfPixels() },
    { "deviance_per_pixel", ToJSON(result.GetDeviancePerPixel()) },
    { "deviance_per_degree_of_freedom", ToJSON(result.GetDeviancePerDegreeOfFreedom()) },
    { "dispersion", ToJSON(result.GetDispersion()) },
    { "relative_residual", ToJSON(result.GetRelativeResidual()) },
    { "correlations", ListToJSON(result.GetCorrelations()) },
    { "halves",
              { { "compared", result.GetHalvesWereCompared() },
                { "distance", ToJSON(result.GetHalvesDistance()) },
                { "bound", ToJSON(result.GetHalvesBound()) },
                { "displacement_mm", ToJSON(result.GetHalvesDisplacement()) },
                { "tolerance_mm", ToJSON(result.GetHalvesTolerance()) } } },
    { "outliers", result.GetNumberOfOutliers() },
    { "nuisances", nuisances },
    { "initial_transform",
      result.GetInitialTransform() != nullptr ? DescribePose(*result.GetInitialTransform()) : JSON() },
    { "starts",
              { { "scored", result.GetStartsScored() },
                { "optimized", result.GetStartsOptimized() },
                { "abandoned", result.GetStartsAbandoned() } } },
    { "levels", levels },
    { "trace", DescribeTrace(result.GetTrace()) },
    { "images", Describe(registration.images) },
    { "seconds",
              { { "load", registration.loadSeconds },
                { "prepare", registration.prepareSeconds },
                { "register", registration.registerSeconds },
                { "total", registration.loadSeconds + registration.prepareSeconds + registration.registerSeconds } } },
    { "compute", DescribeCompute(result.GetComputeReport()) },
    { "warnings", warnings }
  };
  if (registration.landmarks)
  {
    report["landmarks"] = { { "rms_error_mm", registration.landmarks->rmsErrorMM },
                            { "rms_error_pixels", registration.landmarks->rmsErrorPixels },
                            { "observations", registration.landmarks->observations },
                            { "warnings", registration.landmarks->warnings } };
  }
  if (registration.truth)
  {
    report["target_registration_error_mm"] = { { "targets", registration.truth->targets.source },
                                               { "before", Describe(registration.truth->before) },
                                               { "after", Describe(registration.truth->after) } };
  }
  return report;
}

void
WriteRegistrationReport(const Registration & registration, const JSON & report, const std::string & folder)
{
  fs::create_directories(folder);
  for (unsigned int view = 0; view < registration.result->GetNumberOfViews(); ++view)
  {
    WritePictures(registration, view, folder);
  }
  WriteTextFile(report.dump(2, ' ', false, JSON::error_handler_t::replace) + "\n", fs::path(folder) / "report.json");
  WriteTextFile(MakeRegisterPage(registration, report["warnings"].get<std::vector<std::string>>()),
                fs::path(folder) / "index.html");
}

} // namespace radiography::program
