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

#include "Errors.h"
#include "Numbers.h"

#include "itkHounsfieldAttenuationModel.h"
#include "itkTransmissionImageFilter.h"

#include <cmath>
#include <memory>

namespace radiography::program
{
namespace
{

using Model = itk::HounsfieldAttenuationModel;

struct LawOptions
{
  CommonOptions common;
  double        energy{ 60.0 };
};

constexpr double OpenBeamPhotons = 10000.0;
constexpr double Thicknesses[] = { 1.0, 10.0, 33.664, 100.0, 200.0 };

/** NIST's table of liquid water has this total mass attenuation coefficient, cm^2/g, at this energy, keV. */
constexpr double BookEnergy = 60.0;
constexpr double BookCoefficient = 0.2059;
constexpr double MillimetresPerCentimetre = 10.0;

struct Row
{
  double thickness;
  double depth;
  double transmission;
  double counts;
  double removed;
};

/** The law for one coefficient of water. */
struct Column
{
  std::string      source;
  std::string      label;
  double           massCoefficient;
  double           attenuation;
  double           perExtraMillimetre;
  std::vector<Row> rows;
};

using Image = itk::TransmissionImageFilter::ImageType;

Image::Pointer
MakeDepths(double attenuation, const std::vector<double> & thicknesses)
{
  auto            image = Image::New();
  Image::SizeType size{ { thicknesses.size(), 1, 1 } };
  image->SetRegions(size);
  image->Allocate();
  for (std::size_t i = 0; i < thicknesses.size(); ++i)
  {
    image->GetBufferPointer()[i] = static_cast<float>(attenuation * thicknesses[i]);
  }
  return image;
}

std::vector<Row>
EvaluateLaw(double attenuation, const std::vector<double> & thicknesses)
{
  const auto filter = itk::TransmissionImageFilter::New();
  filter->SetInput(MakeDepths(attenuation, thicknesses));
  filter->SetOpenBeamCounts(OpenBeamPhotons);
  filter->ComputeCountsOn();
  filter->ComputeRemovedOn();
  filter->Update();
  std::vector<Row> rows;
  for (std::size_t i = 0; i < thicknesses.size(); ++i)
  {
    rows.push_back({ thicknesses[i],
                     attenuation * thicknesses[i],
                     filter->GetTransmission()->GetBufferPointer()[i],
                     filter->GetCounts()->GetBufferPointer()[i],
                     filter->GetRemoved()->GetBufferPointer()[i] });
  }
  return rows;
}

Column
MakeColumn(const std::string & source, const std::string & label, double attenuation, double massCoefficient)
{
  const std::vector<double> thicknesses(std::begin(Thicknesses), std::end(Thicknesses));
  return { source,
           label,
           massCoefficient,
           attenuation,
           EvaluateLaw(attenuation, { 1.0 })[0].transmission,
           EvaluateLaw(attenuation, thicknesses) };
}

/** The columns that there are at an energy, and for those that are missing, why. */
struct Table
{
  std::vector<Column>      columns;
  std::vector<std::string> notes;
};

Table
MakeTable(double energy)
{
  Table table;
  if (energy == BookEnergy)
  {
    table.columns.push_back(MakeColumn("book",
                                       "NIST table of liquid water",
                                       BookCoefficient * Model::WaterDensity / MillimetresPerCentimetre,
                                       BookCoefficient));
  }
  else
  {
    table.notes.push_back("the book value is that of " + ToText(BookEnergy) + " keV only");
  }
  if (Model::HasTables())
  {
    const double attenuation = Model::LookUpWaterAttenuation(energy);
    table.columns.push_back(MakeColumn("xraylib",
                                       "xraylib, \"Water, Liquid\"",
                                       attenuation,
                                       attenuation * MillimetresPerCentimetre / Model::WaterDensity));
  }
  else
  {
    table.notes.push_back("xraylib is not built in: its value is missing");
  }
  if (table.columns.empty())
  {
    throw Failure("no coefficient of water is known at " + ToText(energy) + " keV: this build has no xraylib",
                  "take 60 keV, or build with -DRadiography_USE_XRAYLIB=ON (Debian: libxrl-dev)");
  }
  return table;
}

JSON
ToJSON(const Column & column)
{
  JSON rows = JSON::array();
  for (const auto & row : column.rows)
  {
    rows.push_back({ { "thickness_mm", row.thickness },
                     { "optical_depth", row.depth },
                     { "transmission", row.transmission },
                     { "counts", row.counts },
                     { "removed", row.removed } });
  }
  return { { "source", column.source },
           { "label", column.label },
           { "mass_attenuation_cm2_per_g", column.massCoefficient },
           { "attenuation_per_mm", column.attenuation },
           { "half_value_mm", std::log(2.0) / column.attenuation },
           { "factor_per_extra_mm", column.perExtraMillimetre },
           { "rows", rows } };
}

JSON
ToJSON(const Table & table, double energy)
{
  JSON columns = JSON::array();
  for (const auto & column : table.columns)
  {
    columns.push_back(ToJSON(column));
  }
  return { { "material", "water" },  { "density_g_per_cm3", Model::WaterDensity },
           { "energy_kev", energy }, { "open_beam_photons", OpenBeamPhotons },
           { "columns", columns },   { "notes", table.notes } };
}

std::string
PadLeft(const std::string & text, std::size_t width)
{
  return std::string(text.size() < width ? width - text.size() : 0, ' ') + text;
}

void
SayTable(const Table & table, double energy, const Console & console)
{
  console.Say("water of " + ToText(Model::WaterDensity) + " g/cm^3 at " + ToText(energy) + " keV, " +
              ToText(OpenBeamPhotons) + " photons in the open beam");
  std::string titles = PadLeft("", 8);
  std::string header = PadLeft("mm", 8);
  for (const auto & column : table.columns)
  {
    console.Say(column.source + ": " + column.label + ", " + ToRoundedText(column.massCoefficient, 6) + " cm^2/g, " +
                ToRoundedText(column.attenuation, 6) + " /mm; half are left after " +
                ToFixedText(std::log(2.0) / column.attenuation, 3) + " mm; 1 mm more multiplies counts by " +
                ToFixedText(column.perExtraMillimetre, 6));
    titles += PadLeft(column.source, 34);
    header += PadLeft("T", 12) + PadLeft("counts", 11) + PadLeft("removed", 11);
  }
  for (const auto & note : table.notes)
  {
    console.Say(note);
  }
  console.Say(titles);
  console.Say(header);
  for (std::size_t i = 0; i < std::size(Thicknesses); ++i)
  {
    std::string line = PadLeft(ToText(Thicknesses[i]), 8);
    for (const auto & column : table.columns)
    {
      const Row & row = column.rows[i];
      line += PadLeft(ToFixedText(row.transmission, 6), 12) + PadLeft(ToFixedText(row.counts, 2), 11) +
              PadLeft(ToFixedText(row.removed, 6), 11);
    }
    console.Say(line);
  }
}

void
RunLaw(const LawOptions & options)
{
  const Console console(options.common);
  const auto    table = MakeTable(options.energy);
  if (console.WantsJSON())
  {
    console.Print(ToJSON(table, options.energy));
    return;
  }
  SayTable(table, options.energy, console);
}

} // namespace

void
AddLawCommand(CLI::App & program, Action & chosen)
{
  const auto options = std::make_shared<LawOptions>();
  auto &     command = *program.add_subcommand("law", "the transmission law in numbers: a table for water");
  AddNumber(command,
            "--energy-kev",
            options->energy,
            PositiveNumber,
            "energy of the photons, keV; the book value is for 60 only");
  AddCommonOptions(command, options->common);
  command.callback([options, &chosen] { chosen = [options] { RunLaw(*options); }; });
}

} // namespace radiography::program
