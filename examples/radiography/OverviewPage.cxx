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
#include "OverviewPage.h"

#include "Figures.h"
#include "HTMLPage.h"
#include "Numbers.h"
#include "Orientation.h"

#include <cmath>

namespace radiography::program
{
namespace
{

using Rows = std::vector<std::pair<std::string, std::string>>;

std::string
Round(double value)
{
  return ToRoundedText(value, 5);
}

template <typename TTriple>
std::string
Times(const TTriple & triple, int digits)
{
  return ToRoundedText(triple[0], digits) + " x " + ToRoundedText(triple[1], digits) + " x " +
         ToRoundedText(triple[2], digits);
}

/** A coordinate to a micrometre: what is left of rounding reads as 0. */
std::string
Coordinate(double value)
{
  const double rounded = std::round(value * 1000.0) / 1000.0;
  return ToText(rounded == 0.0 ? 0.0 : rounded);
}

template <typename TTriple>
std::string
Commas(const TTriple & triple)
{
  return Coordinate(triple[0]) + ", " + Coordinate(triple[1]) + ", " + Coordinate(triple[2]);
}

std::string
WindowText(const Window & window)
{
  return "optical depth " + ToFixedText(window.black, 2) + " (black) to " + ToFixedText(window.white, 2) + " (white)";
}

void
AddFilms(HTMLPage & page, const std::vector<OverviewView> & views)
{
  page.BeginFigures();
  for (const auto & view : views)
  {
    page.AddPicture(FilmName(view),
                    view.title + " radiograph computed from the CT, bone white and air black",
                    view.title + ": shown as a film, " + WindowText(view.window) + ".",
                    EdgeLettersOf(*view.geometry));
  }
  page.EndFigures();
}

void
AddPhotonPictures(HTMLPage & page, const std::vector<OverviewView> & views, const OverviewFacts & facts)
{
  page.AddHeading("What the detector gets");
  page.AddParagraph(
    "Unlike on a film, more light is more photons: air is white. Grey levels are the square root of the "
    "value, which gives the noise the same look in bright and dark places.");
  page.BeginFigures();
  for (const auto & view : views)
  {
    const auto letters = EdgeLettersOf(*view.geometry);
    page.AddPicture(TransmissionName(view),
                    view.title + ", transmission",
                    view.title + ", transmission exp(-L): 0 (black) to 1 (white).",
                    letters);
  }
  for (const auto & view : views)
  {
    const auto letters = EdgeLettersOf(*view.geometry);
    page.AddPicture(CountsName(view),
                    view.title + ", photon counts with noise",
                    view.title + ", photon counts with Poisson noise, " + Round(facts.photons) +
                      " open-beam photons per pixel, seed " + std::to_string(facts.noiseSeed) + ".",
                    letters);
  }
  page.EndFigures();
}

void
AddGeometry(HTMLPage & page, const std::vector<OverviewView> & views, const OverviewFacts & facts)
{
  page.AddHeading("Geometry");
  page.BeginFigures();
  for (const auto & view : views)
  {
    page.AddWideDrawing(DrawGeometry(*view.geometry, *facts.grid),
                        view.title +
                          ": source (red), rays to the detector's corners (yellow), CT box (grey), detector "
                          "(blue). R right, L left, A anterior, P posterior, H head, F feet of the patient.");
  }
  page.EndFigures();
  std::vector<std::vector<std::string>> rows{
    { "source, LPS mm" }, { "source to detector, mm" },         { "pixels (columns x rows)" },
    { "pitch, mm" },      { "centre of pixel (0, 0), LPS mm" }, { "columns run to, rows run to" }
  };
  std::vector<std::string> header{ "" };
  for (const auto & view : views)
  {
    const auto & geometry = *view.geometry;
    const auto & size = geometry.GetDetectorSize();
    const auto & spacing = geometry.GetDetectorSpacing();
    header.push_back(view.title);
    rows[0].push_back(Commas(geometry.GetSource()));
    rows[1].push_back(ToRoundedText(geometry.GetSourceDetectorDistance(), 7));
    rows[2].push_back(std::to_string(size[0]) + " x " + std::to_string(size[1]));
    rows[3].push_back(Round(spacing[0]) + " x " + Round(spacing[1]));
    rows[4].push_back(Commas(geometry.GetDetectorOrigin()));
    rows[5].push_back(PatientLetters(geometry.GetColumnDirection()) + ", " +
                      PatientLetters(geometry.GetRowDirection()));
  }
  page.AddTable(header, rows);
}

void
AddCharts(HTMLPage & page, const std::vector<OverviewView> & views)
{
  page.AddHeading("Optical depth");
  page.BeginFigures();
  for (const auto & view : views)
  {
    page.AddDrawing(DrawHistogram(*view.depth, 0.05, "optical depth L"),
                    view.title + ": how many pixels have which optical depth (those above 0.05).");
  }
  for (const auto & view : views)
  {
    page.AddDrawing(DrawRowProfile(*view.depth, "optical depth L"), view.title + ": along the middle row.");
  }
  page.EndFigures();
}

void
AddPixelFigures(HTMLPage & page, const std::vector<OverviewView> & views)
{
  page.AddHeading("Figures");
  std::vector<std::vector<std::string>> rows;
  const auto                            add = [&rows](const std::string & what, const RadiographImage & image) {
    const auto summary = Summarize(image);
    rows.push_back({ what, Round(summary.min), Round(summary.mean), Round(summary.max) });
  };
  for (const auto & view : views)
  {
    add(view.title + ": optical depth L", *view.depth);
    add(view.title + ": transmission T", *view.transmission);
    add(view.title + ": counts with noise", *view.counts);
  }
  page.AddTable({ "", "min", "mean", "max" }, rows);
}

void
AddHowItWasMade(HTMLPage & page, const std::vector<OverviewView> & views, const OverviewFacts & facts)
{
  page.AddHeading("How it was made");
  const auto & size = facts.grid->GetLargestPossibleRegion().GetSize();
  Rows         rows{ { "CT", facts.path },
             { "voxels",
                       std::to_string(size[0]) + " x " + std::to_string(size[1]) + " x " + std::to_string(size[2]) + " of " +
                         Times(facts.grid->GetSpacing(), 6) + " mm" },
             { "centre of the first voxel, LPS mm", Commas(facts.grid->GetOrigin()) },
             { "energy of the photons", Round(facts.model.GetEnergy()) + " keV" },
             { "effective energy of the CT", Round(facts.ctEnergy) + " keV" },
             { "mu of water", Round(facts.model.GetWaterAttenuation()) + " / mm" },
             { "mu of cortical bone",
                       Round(facts.model.GetBoneAttenuation()) + " / mm, at " + Round(facts.model.GetBoneHounsfield()) +
                         " HU" },
             { "voxels below -1000 HU, raised to mu = 0", std::to_string(facts.flooredVoxels) },
             { "reading the CT", ToRoundedText(facts.loadSeconds, 3) + " s" },
             { "HU to mu", ToRoundedText(facts.prepareSeconds, 3) + " s" } };
  for (const auto & view : views)
  {
    rows.emplace_back("projecting, " + view.title,
                      ToRoundedText(view.projectSeconds, 3) + " s: " + view.report.kernel + ", " +
                        std::to_string(view.report.threads) + " threads");
  }
  for (const auto & [kernel, reason] : views.front().report.notUsed)
  {
    rows.emplace_back("not used: " + kernel, reason);
  }
  for (const auto & warning : facts.warnings)
  {
    rows.emplace_back("warning", warning);
  }
  rows.emplace_back("program", std::string("radiography ") + RADIOGRAPHY_VERSION);
  page.AddTable(rows);
}

} // namespace

std::string
FilmName(const OverviewView & view)
{
  return view.name + "-film.png";
}

std::string
TransmissionName(const OverviewView & view)
{
  return view.name + "-transmission.png";
}

std::string
CountsName(const OverviewView & view)
{
  return view.name + "-counts.png";
}

std::string
MakeOverviewPage(const std::vector<OverviewView> & views, const OverviewFacts & facts)
{
  const auto & size = facts.grid->GetLargestPossibleRegion().GetSize();
  HTMLPage     page("Radiographs of a CT",
                facts.path + ": " + std::to_string(size[0]) + " x " + std::to_string(size[1]) + " x " +
                  std::to_string(size[2]) + " voxels of " + Times(facts.grid->GetSpacing(), 4) + " mm, seen with " +
                  Round(facts.model.GetEnergy()) + " keV photons");
  page.AddParagraph(
    "Computed from the CT, not taken from a patient with an X-ray machine. Letters at the edges say where "
    "the patient's sides are: R right, L left, A anterior, P posterior, H head, F feet.");
  AddFilms(page, views);
  AddPhotonPictures(page, views, facts);
  AddGeometry(page, views, facts);
  AddCharts(page, views);
  AddPixelFigures(page, views);
  AddHowItWasMade(page, views, facts);
  return page.Finish();
}

} // namespace radiography::program
