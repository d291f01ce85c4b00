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
/** The evaluation protocol of 2D/3D registration after van de Kraats et al., IEEE Trans. Med. Imaging 24, 2005: start
 * poses in bins of initial error, images made by another projector on a finer grid, with and without what the model
 * does not know. Prints a table in Markdown; see README.md beside.
 *
 *     RegistrationProtocol CT_FOLDER [--starts N] [--cases a,b] [--methods a,b] [--views N] [--full] [--seed S]
 *                          [--json FILE]
 */
#include "ProtocolScene.h"

#include "itkFisherScoringOptimizerv4.h"
#include "itkNormalizedCorrelationRadiographToVolumeMetricv4.h"
#include "itkPoissonRadiographToVolumeMetricv4.h"
#include "itkRadiographPyramid.h"
#include "itkRadiographRegistrationMethod.h"
#include "itkRegistrationParameterScalesFromFisherInformation.h"

#include "itkAmoebaOptimizerv4.h"
#include "itkPowellOptimizerv4.h"
#include "itkRegularStepGradientDescentOptimizerv4.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <random>
#include <sstream>

namespace
{

using namespace protocol;

/** What a run came to. */
struct Outcome
{
  double        error;
  double        seconds;
  unsigned long renders;
  bool          converged;
  /** Of the project's own method, else null. */
  itk::RadiographRegistrationResult::Pointer result;
};

/** The project's own method. */
Outcome
RunMethod(const Scene &                                scene,
          const Case &                                 what,
          const PoseType &                             start,
          bool                                         full,
          std::string &                                kernel,
          itk::Transform<double, 3, 3>::ConstPointer & found)
{
  const auto method = itk::RadiographRegistrationMethod::New();
  method->SetInput(scene.mu);
  for (const View & view : scene.views)
  {
    const auto number = method->AddView(view.counts, view.geometry, view.mask);
    method->SetOpenBeamCounts(number, scene.openBeam);
  }
  method->SetEstimateExposure(!what.knowsExposure);
  method->SetEstimateAttenuation(what.estimatesAttenuation);
  method->SetEstimateScatter(what.estimatesScatter);
  method->SetMaskTruncation(what.truncated && what.masks);
  method->SetMaskOutliers(what.robust);
  method->SetInitialTransform(&start);
  method->SetFullResolution(full);
  const auto begin = std::chrono::steady_clock::now();
  method->Update();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  const auto &                        result = *method->GetOutput();
  Outcome                             outcome{
    1e3, elapsed.count(), 0, result.GetVerdict() == itk::RadiographRegistrationEnums::Verdict::Converged, nullptr
  };
  for (const auto & level : result.GetLevels())
  {
    outcome.renders += level.renders;
  }
  kernel = result.GetComputeReport().kernel;
  found = result.GetTransform();
  outcome.result = method->GetOutput();
  return outcome;
}

/** A metric on one level of the pyramid, for an optimizer of ITK. */
template <typename TMetric>
typename TMetric::Pointer
MakeMetric(const Scene & scene, unsigned int block, PoseType * pose)
{
  const auto pyramid = itk::RadiographPyramid::New();
  pyramid->SetImageBlock(block);
  pyramid->SetVolumeBlock({ { block, block, block } });
  const auto metric = TMetric::New();
  metric->SetMovingImage(pyramid->AverageVolume(scene.mu));
  metric->SetMovingTransform(pose);
  for (std::size_t v = 0; v < scene.views.size(); ++v)
  {
    const auto image = pyramid->SumCounts(scene.views[v].counts);
    const auto geometry = pyramid->ReduceGeometry(scene.views[v].geometry);
    if (v == 0)
    {
      metric->SetFixedImage(image);
      metric->SetGeometry(geometry);
    }
    else
    {
      metric->AddView(image, geometry);
    }
  }
  if constexpr (std::is_same<TMetric, itk::PoissonRadiographToVolumeMetricv4>::value)
  {
    metric->SetOpenBeamCounts(scene.openBeam * block * block);
  }
  else
  {
    metric->SetCompared(TMetric::ComparedEnum::Transmission);
  }
  metric->Initialize();
  return metric;
}

using OptimizerType = itk::ObjectToObjectOptimizerBaseTemplate<double>;

OptimizerType::Pointer
MakeITKOptimizer(const std::string & method, itk::ObjectToObjectMetricBase * metric)
{
  OptimizerType::ScalesType scales(6);
  scales.Fill(1.0);
  if (method == "gradient-descent")
  {
    const auto optimizer = itk::RegularStepGradientDescentOptimizerv4<double>::New();
    const auto estimator = itk::RegistrationParameterScalesFromFisherInformation::New();
    estimator->SetMetric(dynamic_cast<itk::RadiographToVolumeMetricv4 *>(metric));
    optimizer->SetMetric(metric);
    optimizer->SetScalesEstimator(estimator);
    optimizer->SetNumberOfIterations(200);
    return optimizer.GetPointer();
  }
  // Simplex and line searches step in units of parameter x scale: 0.01 rad is as far as 1 mm at 100 mm.
  for (unsigned int i = 0; i < 3; ++i)
  {
    scales[i] = 100.0;
  }
  if (method == "ncc-powell")
  {
    const auto optimizer = itk::PowellOptimizerv4<double>::New();
    optimizer->SetMetric(metric);
    optimizer->SetScales(scales);
    optimizer->SetStepLength(2.0);
    optimizer->SetStepTolerance(0.01);
    optimizer->SetValueTolerance(1e-6);
    optimizer->SetMaximumIteration(50);
    return optimizer.GetPointer();
  }
  const auto optimizer = itk::AmoebaOptimizerv4::New();
  optimizer->SetMetric(metric);
  optimizer->SetScales(scales);
  optimizer->SetAutomaticInitialSimplex(false);
  itk::Array<double> simplex(6);
  for (unsigned int i = 0; i < 6; ++i)
  {
    simplex[i] = i < 3 ? 0.05 : 5.0;
  }
  optimizer->SetInitialSimplexDelta(simplex);
  optimizer->SetParametersConvergenceTolerance(0.001);
  optimizer->SetFunctionConvergenceTolerance(1e-6);
  optimizer->SetNumberOfIterations(400);
  return optimizer.GetPointer();
}

/** An optimizer of ITK on three levels: the same metric under gradient descent, or what many people do today. */
Outcome
RunITK(const std::string & method, const Scene & scene, const PoseType & start, PoseType & pose)
{
  pose.SetFixedParameters(start.GetFixedParameters());
  pose.SetParameters(start.GetParameters());
  const auto begin = std::chrono::steady_clock::now();
  for (const unsigned int block : { 4U, 2U, 1U })
  {
    itk::ObjectToObjectMetricBase::Pointer metric;
    if (method == "gradient-descent")
    {
      metric = MakeMetric<itk::PoissonRadiographToVolumeMetricv4>(scene, block, &pose).GetPointer();
    }
    else
    {
      metric = MakeMetric<itk::NormalizedCorrelationRadiographToVolumeMetricv4>(scene, block, &pose).GetPointer();
    }
    MakeITKOptimizer(method, metric)->StartOptimization();
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  return { 1e3, elapsed.count(), 0, true, nullptr };
}

struct Options
{
  std::string              folder;
  unsigned int             starts{ 50 };
  unsigned int             views{ 2 };
  unsigned int             seed{ 1 };
  bool                     full{ false };
  bool                     verdicts{ false };
  std::string              json;
  std::vector<std::string> cases;
  std::vector<std::string> methods{ "fisher" };
};

std::vector<std::string>
Split(const std::string & text)
{
  std::vector<std::string> parts;
  std::istringstream       stream(text);
  for (std::string part; std::getline(stream, part, ',');)
  {
    parts.push_back(part);
  }
  return parts;
}

double
Quantile(std::vector<double> values, double fraction)
{
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(fraction * static_cast<double>(values.size() - 1) + 0.5)];
}

bool
Succeeded(const Outcome & run)
{
  return run.error < 1.0;
}

void
PrintRow(const Case & what, const std::string & method, std::size_t bin, const std::vector<Outcome> & runs)
{
  std::vector<double> errors;
  std::vector<double> good;
  std::vector<double> seconds;
  std::vector<double> renders;
  unsigned int        doubtful = 0;
  for (const Outcome & run : runs)
  {
    errors.push_back(run.error);
    seconds.push_back(run.seconds);
    renders.push_back(static_cast<double>(run.renders));
    doubtful += run.converged ? 0 : 1;
    if (Succeeded(run))
    {
      good.push_back(run.error);
    }
  }
  std::cout << "| " << what.name << " | " << method << " | " << BinEdges[bin] << "-" << BinEdges[bin + 1] << " | "
            << good.size() << "/" << runs.size() << " | " << std::setprecision(3)
            << (good.empty() ? 0.0 : Quantile(good, 0.5)) << " | " << Quantile(errors, 0.5) << " | "
            << Quantile(errors, 0.9) << " | " << doubtful << " | " << Quantile(renders, 0.5) << " | "
            << Quantile(seconds, 0.5) << " |" << std::endl;
}

/** One line of JSON for each run, as plot.py reads it. */
void
AppendRun(const Options &     options,
          const Case &        what,
          const std::string & method,
          double              startError,
          const Outcome &     run)
{
  if (options.json.empty())
  {
    return;
  }
  const nlohmann::json line{ { "case", what.name },         { "method", method },       { "views", options.views },
                             { "full", options.full },      { "seed", options.seed },   { "start-mm", startError },
                             { "error-mm", run.error },     { "seconds", run.seconds }, { "renders", run.renders },
                             { "converged", run.converged } };
  std::ofstream(options.json, std::ios::app) << line.dump() << std::endl;
}

/** The upper edge of the last bin up to which at least 95 % of the runs of every bin succeeded; 0 without one. */
double
CaptureRange(const std::vector<std::vector<Outcome>> & bins)
{
  double range = 0.0;
  for (std::size_t bin = 0; bin < bins.size(); ++bin)
  {
    const auto good = std::count_if(bins[bin].begin(), bins[bin].end(), Succeeded);
    if (static_cast<double>(good) < 0.95 * static_cast<double>(bins[bin].size()))
    {
      return range;
    }
    range = BinEdges[bin + 1];
  }
  return range;
}

/** What the verdict of a run rests on: errors and distances in mm, then in standard errors. */
void
PrintVerdict(const Case & what, std::size_t bin, const Outcome & run)
{
  const auto & result = *run.result;
  std::cout << "| verdict of " << what.name << " | " << BinEdges[bin] << "-" << BinEdges[bin + 1] << " | "
            << std::setprecision(3) << run.error << " | halves " << result.GetHalvesDisplacement() << " mm, "
            << result.GetHalvesDistance() << " | residual " << 100.0 * result.GetRelativeResidual() << " % | deviance "
            << result.GetDeviancePerDegreeOfFreedom() << " | stationary " << result.GetStationarity() << ", inflated "
            << result.GetInflatedStationarity() << " | " << result.GetVerdict() << " |";
  for (const std::string & reason : result.GetReasons())
  {
    std::cout << ' ' << reason.substr(0, reason.find_first_of(":;.0123456789"));
  }
  std::cout << " |" << std::endl;
}

void
RunCase(const ImageType & mu, const Case & what, const Options & options)
{
  const Scene     scene = MakeScene(mu, what, options.views, options.full);
  const PointType center = itk::CenterOfGrid(mu);
  const auto      targets = TargetsAround(center);
  const PointType source = scene.views.front().geometry->GetSource();
  // A single view hardly sees the depth along its beam: it is judged by distances from rays.
  const PointType * const judged = options.views == 1 ? &source : nullptr;
  std::string             kernel;
  for (const std::string & method : options.methods)
  {
    std::mt19937_64                   random(options.seed);
    std::vector<std::vector<Outcome>> bins;
    for (std::size_t bin = 0; bin + 1 < BinEdges.size(); ++bin)
    {
      std::vector<Outcome> runs;
      for (unsigned int k = 0; k < options.starts; ++k)
      {
        const double size = std::uniform_real_distribution<double>(BinEdges[bin], BinEdges[bin + 1])(random);
        const auto   start = DrawStart(random, std::max(size, 0.01), center, targets);
        itk::Transform<double, 3, 3>::ConstPointer found;
        if (method == "fisher")
        {
          runs.push_back(RunMethod(scene, what, *start, options.full, kernel, found));
        }
        else
        {
          const auto pose = PoseType::New();
          runs.push_back(RunITK(method, scene, *start, *pose));
          found = pose.GetPointer();
        }
        if (found)
        {
          runs.back().error = MeasureError(*found, targets, judged);
        }
        if (options.verdicts && runs.back().result)
        {
          PrintVerdict(what, bin, runs.back());
        }
        AppendRun(options, what, method, size, runs.back());
      }
      PrintRow(what, method, bin, runs);
      bins.push_back(std::move(runs));
    }
    std::cerr << what.name << ", " << method << ": capture range " << CaptureRange(bins) << " mm" << std::endl;
  }
  std::cerr << what.name << ": " << kernel << std::endl;
}

Options
ReadOptions(int argc, char * argv[])
{
  Options options;
  options.folder = argv[1];
  for (int i = 2; i < argc; ++i)
  {
    const std::string name = argv[i];
    if (name == "--full" || name == "--verdicts")
    {
      (name == "--full" ? options.full : options.verdicts) = true;
      continue;
    }
    if (i + 1 == argc)
    {
      itkGenericExceptionMacro("" << name << " needs a value, or is not known.");
    }
    const std::string value = argv[++i];
    const auto        number = static_cast<unsigned int>(std::atoi(value.c_str()));
    if (name == "--starts")
      options.starts = number;
    else if (name == "--views")
      options.views = number;
    else if (name == "--seed")
      options.seed = number;
    else if (name == "--json")
      options.json = value;
    else if (name == "--cases")
      options.cases = Split(value);
    else if (name == "--methods")
      options.methods = Split(value);
    else
      itkGenericExceptionMacro("There is no option " << name << '.');
  }
  return options;
}

} // namespace

int
main(int argc, char * argv[])
{
  if (argc < 2)
  {
    std::cerr << "usage: RegistrationProtocol CT_FOLDER [--starts N] [--cases a,b] [--methods fisher,gradient-descent,"
                 "ncc-powell,ncc-amoeba] [--views 1|2] [--full] [--seed S] [--json FILE]"
              << std::endl;
    return 2;
  }
  try
  {
    const Options options = ReadOptions(argc, argv);
    const auto    mu = ReadAttenuation(options.folder);
    std::cout
      << "| case | method | start, mm | success | median of these, mm | median, mm | 90 %, mm | doubtful | renders "
         "| s |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
      << std::endl;
    for (const Case & what : AllCases())
    {
      const auto & wanted = options.cases;
      if (wanted.empty() || std::find(wanted.begin(), wanted.end(), what.name) != wanted.end())
      {
        RunCase(*mu, what, options);
      }
    }
  }
  catch (const std::exception & error)
  {
    std::cerr << error.what() << std::endl;
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
