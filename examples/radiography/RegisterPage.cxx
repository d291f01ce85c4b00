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
#include "RegisterPage.h"

#include "Figures.h"
#include "HTMLPage.h"
#include "Numbers.h"
#include "Orientation.h"

#include "itkMath.h"

#include <cmath>

namespace radiography::program
{
namespace
{

using Result = itk::RadiographRegistrationResult;
using Rows = std::vector<std::pair<std::string, std::string>>;

bool
IsPoisson(const Result & result)
{
  return result.GetMetric() == itk::RadiographRegistrationEnums::Metric::Poisson;
}

std::string
Round(double value)
{
  return std::isfinite(value) ? ToRoundedText(value, 4) : "not known";
}

std::string
ViewTitle(const Registration & registration, unsigned int view)
{
  return "View " + std::to_string(view + 1) + " (" + registration.images[view].path + ")";
}

/** Names of a rigid transform's parameters as ITK orders them; numbers for the others. */
std::string
ParameterName(const std::string & type, std::size_t index)
{
  static const char * const euler[] = { "angle x, rad",      "angle y, rad",      "angle z, rad",
                                        "translation x, mm", "translation y, mm", "translation z, mm" };
  return type.rfind("Euler3DTransform", 0) == 0 && index < 6 ? euler[index] : "parameter " + std::to_string(index);
}

void
AddVerdict(HTMLPage & page, const Registration & registration)
{
  const Result & result = *registration.result;
  std::string    text = "Verdict: " + VerdictText(result) + ".";
  for (const auto & reason : result.GetReasons())
  {
    text += " " + reason;
  }
  page.AddParagraph(text);
  Rows       rows{ { "transform", registration.output + " (maps world points to CT points)" } };
  const auto errors = result.GetTargetStandardErrors();
  if (errors.size() == 3)
  {
    rows.emplace_back("standard error of the CT's centre, mm (x, y, z of the world)",
                      Round(errors[0]) + ", " + Round(errors[1]) + ", " + Round(errors[2]));
  }
  if (registration.truth)
  {
    const auto & truth = *registration.truth;
    rows.emplace_back("target registration error before, mm",
                      "mean " + Round(truth.before.mean) + ", largest " + Round(truth.before.largest));
    rows.emplace_back("target registration error after, mm",
                      "mean " + Round(truth.after.mean) + ", largest " + Round(truth.after.largest));
    rows.emplace_back("targets", truth.targets.source);
  }
  if (registration.landmarks)
  {
    rows.emplace_back("start from landmarks",
                      std::to_string(registration.landmarks->observations) + " observations, root mean square error " +
                        Round(registration.landmarks->rmsErrorPixels) + " pixels");
  }
  for (const auto & image : registration.images)
  {
    rows.emplace_back(image.path, image.quantity + (image.mask ? ", with a mask" : ""));
  }
  rows.emplace_back("metric", registration.metric);
  rows.emplace_back("estimated besides the pose", registration.estimated);
  page.AddTable(rows);
}

void
AddView(HTMLPage & page, const Registration & registration, unsigned int view)
{
  const auto letters = EdgeLettersOf(*registration.images[view].geometry);
  const bool poisson = IsPoisson(*registration.result);
  const auto add = [&](const char * what, const std::string & description, const std::string & caption) {
    page.AddPicture(RegisterPictureName(view, what), description, caption, letters);
  };
  page.AddHeading(ViewTitle(registration, view));
  page.BeginFigures();
  add("image", "X-ray image", "The X-ray image.");
  add("overlay",
      "chessboard of image and prediction",
      "Chessboard: fields of the image and of the prediction in turn. Edges that run on across fields fit.");
  add("before", "prediction at the start", "What the CT predicts at the start, same grey levels.");
  add("after", "prediction at the end", "What the CT predicts at the end, same grey levels.");
  const auto limit = ToRoundedText(ResidualLimit(registration), 2);
  add("residual",
      "residuals at the end",
      std::string("Image minus prediction at the end, in standard deviations of the ") +
        (poisson ? "counts" : "image's values") + ": blue -" + limit + ", white 0, red +" + limit + ".");
  page.EndFigures();
}

void
AddIterations(HTMLPage & page, const Result & result)
{
  std::vector<std::vector<double>> values(result.GetLevels().size());
  std::vector<std::vector<double>> distances(result.GetLevels().size());
  for (const auto & step : result.GetTrace())
  {
    if (step.level < values.size())
    {
      values[step.level].push_back(step.value);
      distances[step.level].push_back(step.stationarity);
    }
  }
  page.AddHeading("Optimizer");
  page.BeginFigures();
  page.AddDrawing(DrawIterations(values, "objective"), "The objective of every pose tried; a colour for each level.");
  page.AddDrawing(DrawIterations(distances, "standard errors from stationary"),
                  "How far each pose was from stationary, in standard errors.");
  page.EndFigures();
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < result.GetLevels().size(); ++i)
  {
    const auto & level = result.GetLevels()[i];
    std::string  sizes;
    for (const auto & size : level.imageSizes)
    {
      sizes += (sizes.empty() ? "" : ", ") + std::to_string(size[0]) + " x " + std::to_string(size[1]);
    }
    const auto & volume = level.volumeSize;
    rows.push_back({ std::to_string(i + 1),
                     sizes,
                     std::to_string(volume[0]) + " x " + std::to_string(volume[1]) + " x " + std::to_string(volume[2]),
                     std::to_string(level.iterations),
                     std::to_string(level.renders),
                     Round(level.objective),
                     Round(level.stationarity),
                     ToRoundedText(level.seconds, 3),
                     level.stopCondition });
  }
  page.AddTable({ "level",
                  "images",
                  "volume",
                  "steps",
                  "renders",
                  "objective",
                  "standard errors from stationary",
                  "seconds",
                  "stopped" },
                rows);
}

void
AddUncertainty(HTMLPage & page, const Result & result)
{
  const auto & covariance = result.GetInflatedCovariance();
  const auto   errors = result.GetStandardErrors();
  if (result.GetTransform() == nullptr || errors.empty())
  {
    return;
  }
  page.AddHeading("Parameters and their uncertainty");
  page.AddParagraph("Standard errors and correlations are from the inflated covariance: it takes in that residuals of "
                    "neighbouring pixels belong together. An error that all pixels share is not in it.");
  const auto               parameters = result.GetTransform()->GetParameters();
  const auto               type = result.GetTransform()->GetTransformTypeAsString();
  std::vector<std::string> header{ "", "value", "standard error" };
  for (std::size_t j = 0; j < errors.size(); ++j)
  {
    header.push_back("corr. " + std::to_string(j));
  }
  std::vector<std::vector<std::string>> rows;
  for (unsigned int i = 0; i < errors.size(); ++i)
  {
    rows.push_back({ std::to_string(i) + ": " + ParameterName(type, i), Round(parameters[i]), Round(errors[i]) });
    for (unsigned int j = 0; j < errors.size(); ++j)
    {
      rows.back().push_back(ToFixedText(covariance(i, j) / (errors[i] * errors[j]), 2));
    }
  }
  page.AddTable(header, rows);
}

void
AddFit(HTMLPage & page, const Registration & registration)
{
  const Result & result = *registration.result;
  page.AddHeading("How well the prediction fits");
  Rows rows;
  if (IsPoisson(result))
  {
    rows.emplace_back("deviance per pixel (near 1 where the model is right)", Round(result.GetDeviancePerPixel()));
    rows.emplace_back("relative residual", Round(result.GetRelativeResidual()));
    rows.emplace_back("dispersion", Round(result.GetDispersion()));
  }
  for (std::size_t view = 0; view < result.GetCorrelations().size(); ++view)
  {
    rows.emplace_back("correlation, view " + std::to_string(view + 1), Round(result.GetCorrelations()[view]));
  }
  rows.emplace_back("pixels compared", std::to_string(result.GetNumberOfPixels()));
  if (result.GetHalvesWereCompared())
  {
    rows.emplace_back("distance of the two halves' poses, standard errors",
                      Round(result.GetHalvesDistance()) + " (doubtful above " + Round(result.GetHalvesBound()) + ")");
  }
  for (std::size_t view = 0; view < result.GetNuisances().size(); ++view)
  {
    const auto &      nuisance = result.GetNuisances()[view];
    const std::string of = ", view " + std::to_string(view + 1);
    rows.emplace_back("exposure" + of,
                      Round(nuisance.openBeamCounts * nuisance.exposure) + " open-beam counts" +
                        (nuisance.exposureIsEstimated ? ", estimated" : ""));
    if (nuisance.attenuationIsEstimated)
    {
      rows.emplace_back("attenuation scale" + of,
                        Round(nuisance.attenuation) + " +- " + Round(nuisance.attenuationStandardError));
    }
    if (nuisance.scatterIsEstimated)
    {
      std::string nodes;
      for (const double counts : nuisance.scatter)
      {
        nodes += (nodes.empty() ? "" : ", ") + ToRoundedText(counts, 3);
      }
      rows.emplace_back("scatter at the nodes, counts" + of, nodes);
    }
  }
  page.AddTable(rows);
}

void
AddHowItWasMade(HTMLPage & page, const Registration & registration, const std::vector<std::string> & warnings)
{
  const auto & report = registration.result->GetComputeReport();
  const auto & size = registration.grid->GetLargestPossibleRegion().GetSize();
  Rows         rows{ { "CT",
                       registration.ct + ": " + std::to_string(size[0]) + " x " + std::to_string(size[1]) + " x " +
                         std::to_string(size[2]) + " voxels" },
             { "reading", ToRoundedText(registration.loadSeconds, 3) + " s" },
             { "registering", ToRoundedText(registration.registerSeconds, 3) + " s" },
             { "kernel of the last level", report.kernel + ", " + std::to_string(report.threads) + " threads" } };
  for (const auto & [kernel, reason] : report.notUsed)
  {
    rows.emplace_back("not used: " + kernel, reason);
  }
  for (const auto & warning : warnings)
  {
    rows.emplace_back("warning", warning);
  }
  rows.emplace_back("program", std::string("radiography ") + RADIOGRAPHY_VERSION);
  page.AddHeading("How it was made");
  page.AddTable(rows);
}

} // namespace

std::string
RegisterPictureName(unsigned int view, const std::string & what)
{
  return "view-" + std::to_string(view + 1) + "-" + what + ".png";
}

double
ResidualLimit(const Registration & registration)
{
  return IsPoisson(*registration.result) ? 5.0 : 2.0;
}

std::string
MakeRegisterPage(const Registration & registration, const std::vector<std::string> & warnings)
{
  HTMLPage page("Registration: " + VerdictText(*registration.result),
                registration.ct + " to " + std::to_string(registration.images.size()) +
                  (registration.images.size() == 1 ? " X-ray image" : " X-ray images"));
  AddVerdict(page, registration);
  for (unsigned int view = 0; view < registration.result->GetNumberOfViews(); ++view)
  {
    AddView(page, registration, view);
  }
  AddIterations(page, *registration.result);
  AddUncertainty(page, *registration.result);
  AddFit(page, registration);
  AddHowItWasMade(page, registration, warnings);
  return page.Finish();
}

} // namespace radiography::program
