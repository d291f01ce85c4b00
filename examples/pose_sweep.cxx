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
// What a pose does to counts: pose_sweep CT_FOLDER OUT_FOLDER
// One sheet for steps along the patient's left, one for turns about the patient's long axis through the pivot (the CT's
// centre). Columns are poses; rows are counts, optical depth and the change of counts against the pose in the middle.
// Every row has one fixed window for all poses of both sheets: grey levels compare. pose_sweep.json says where all of
// it comes from.

#include "ExampleTools.h"
#include "itkDigitallyReconstructedRadiographImageFilter.h"
#include "itkHounsfieldAttenuationModel.h"
#include "itkRadiographGeometryJSON.h"
#include "itkTransmissionImageFilter.h"

#include "itkEuler3DTransform.h"
#include "itkImageFileWriter.h"
#include "itkImageRegionConstIterator.h"
#include "itkMath.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>

namespace
{

using example::Image;
using Picture = itk::Image<unsigned char, 2>;
using Pose = itk::Euler3DTransform<double>;

constexpr double       OpenBeam = 10000.0;
constexpr unsigned int Pixels = 160;
constexpr double       Pitch = 3.0; // mm

/** A picture of one pose: its pixels in raster order. */
using Values = std::vector<double>;

struct Sweep
{
  std::string         name;
  std::string         unit;
  std::vector<double> steps;
  /** By step: the CT's pose, world to CT. */
  Pose::Pointer (*poseOf)(double step, const Pose::InputPointType & pivot);

  std::vector<Values> counts{};
  std::vector<Values> depths{};
};

Pose::Pointer
MakePose(const Pose::InputPointType & pivot)
{
  auto pose = Pose::New();
  pose->SetCenter(pivot);
  return pose;
}

/** The CT moves by +step, so that world points go to CT points by -step. */
Pose::Pointer
Shifted(double step, const Pose::InputPointType & pivot)
{
  auto                   pose = MakePose(pivot);
  Pose::OutputVectorType shift(0.0);
  shift[0] = -step;
  pose->SetTranslation(shift);
  return pose;
}

Pose::Pointer
Turned(double step, const Pose::InputPointType & pivot)
{
  auto pose = MakePose(pivot);
  pose->SetRotation(0.0, 0.0, -step * itk::Math::pi / 180.0);
  return pose;
}

Values
ValuesOf(const Image * image)
{
  itk::ImageRegionConstIterator<Image> pixel(image, image->GetLargestPossibleRegion());
  Values                               values;
  for (; !pixel.IsAtEnd(); ++pixel)
  {
    values.push_back(pixel.Get());
  }
  return values;
}

/** Projects all poses of a sweep; `law` ends the pipeline drr -> law. */
void
Project(Sweep &                                            sweep,
        const Pose::InputPointType &                       pivot,
        itk::DigitallyReconstructedRadiographImageFilter * drr,
        itk::TransmissionImageFilter *                     law)
{
  for (const double step : sweep.steps)
  {
    drr->SetTransform(sweep.poseOf(step, pivot).GetPointer());
    law->Update();
    sweep.depths.push_back(ValuesOf(drr->GetOutput()));
    sweep.counts.push_back(ValuesOf(law->GetCounts()));
  }
}

double
LargestOf(const std::vector<Values> & pictures)
{
  double largest = 0.0;
  for (const Values & picture : pictures)
  {
    largest = std::max(largest, *std::max_element(picture.begin(), picture.end()));
  }
  return largest;
}

/** |counts - counts of the middle pose| in units of the open beam's standard deviation, through asinh: linear where a
 * change drowns in noise, logarithmic where it is plain. */
std::vector<Values>
ChangesOf(const std::vector<Values> & counts)
{
  const Values &      middle = counts[counts.size() / 2];
  std::vector<Values> changes = counts;
  for (Values & picture : changes)
  {
    for (std::size_t i = 0; i < picture.size(); ++i)
    {
      picture[i] = std::asinh(std::abs(picture[i] - middle[i]) / std::sqrt(OpenBeam));
    }
  }
  return changes;
}

/** Rows of pictures, each row from 0 (black) to its own `white`. */
void
WriteSheet(const std::vector<std::vector<Values>> & rows, const std::vector<double> & whites, const std::string & path)
{
  auto sheet = Picture::New();
  sheet->SetRegions(Picture::SizeType{ { rows.front().size() * Pixels, rows.size() * Pixels } });
  sheet->Allocate();
  for (std::size_t row = 0; row < rows.size(); ++row)
  {
    for (std::size_t column = 0; column < rows[row].size(); ++column)
    {
      for (std::size_t i = 0; i < rows[row][column].size(); ++i)
      {
        const double level = 255.0 * rows[row][column][i] / std::max(whites[row], 1e-300);
        sheet->SetPixel({ { static_cast<itk::IndexValueType>(column * Pixels + i % Pixels),
                            static_cast<itk::IndexValueType>(row * Pixels + i / Pixels) } },
                        static_cast<unsigned char>(std::lround(std::min(level, 255.0))));
      }
    }
  }
  itk::WriteImage(sheet.GetPointer(), path);
}

itk::RadiographGeometry::Pointer
MakeView(const Pose::InputPointType & isocenter)
{
  itk::RadiographGeometry::CArm arm;
  arm.sourceIsocenterDistance = 700;
  arm.sourceDetectorDistance = 1100;
  arm.isocenter = isocenter;
  auto view = itk::RadiographGeometry::New();
  view->SetCArm(arm, { Pixels, Pixels, Pitch, Pitch });
  return view;
}

void
Run(const std::string & folder, const std::string & out)
{
  const itk::HounsfieldAttenuationModel model; // at 60 keV
  const auto                            mu = example::ReadAttenuation(folder.c_str());
  const Pose::InputPointType            pivot = example::CenterOf(mu);
  const auto                            view = MakeView(pivot);

  auto drr = itk::DigitallyReconstructedRadiographImageFilter::New();
  drr->SetInput(mu);
  drr->SetGeometry(view);
  auto law = itk::TransmissionImageFilter::New();
  law->SetInput(drr->GetOutput());
  law->SetOpenBeamCounts(OpenBeam);
  law->ComputeTransmissionOff();
  law->ComputeCountsOn();

  std::vector<Sweep> sweeps{ { "translation", "mm to the patient's left", { -40, -20, 0, 20, 40 }, Shifted },
                             { "rotation", "degrees about +z (superior)", { -20, -10, 0, 10, 20 }, Turned } };
  double             deepest = 0.0;
  double             mostChanged = 0.0;
  for (Sweep & sweep : sweeps)
  {
    Project(sweep, pivot, drr, law);
    deepest = std::max(deepest, LargestOf(sweep.depths));
    mostChanged = std::max(mostChanged, LargestOf(ChangesOf(sweep.counts)));
  }

  nlohmann::ordered_json record{ { "ct", folder },
                                 { "energy_kev", model.GetEnergy() },
                                 { "mu_water_per_mm", model.GetWaterAttenuation() },
                                 { "mu_bone_per_mm", model.GetBoneAttenuation() },
                                 { "view",
                                   nlohmann::ordered_json::parse(itk::RadiographGeometryJSON::Serialize(view)) },
                                 { "pivot_mm", { pivot[0], pivot[1], pivot[2] } },
                                 { "open_beam_counts", OpenBeam },
                                 { "projector", drr->GetComputeReport().projector },
                                 { "kernel", drr->GetComputeReport().kernel },
                                 { "rows",
                                   { { { "quantity", "counts" }, { "black", 0 }, { "white", OpenBeam } },
                                     { { "quantity", "optical depth" }, { "black", 0 }, { "white", deepest } },
                                     { { "quantity", "asinh(|change of counts| / sqrt(open beam counts))" },
                                       { "black", 0 },
                                       { "white", mostChanged } } } },
                                 { "sheets", nlohmann::ordered_json::array() } };
  for (const Sweep & sweep : sweeps)
  {
    const std::string file = "pose_sweep_" + sweep.name + ".png";
    WriteSheet(
      { sweep.counts, sweep.depths, ChangesOf(sweep.counts) }, { OpenBeam, deepest, mostChanged }, out + "/" + file);
    record["sheets"].push_back({ { "file", file }, { "columns", sweep.steps }, { "unit", sweep.unit } });
  }
  std::ofstream json(out + "/pose_sweep.json");
  if (!(json << record.dump(2) << '\n').flush())
  {
    itkGenericExceptionMacro("" << out << "/pose_sweep.json cannot be written; give a folder that exists.");
  }
}

} // namespace

int
main(int argc, char * argv[])
{
  return example::Main(argc, argv, 3, "pose_sweep CT_FOLDER OUT_FOLDER", [](char ** arguments) {
    Run(arguments[1], arguments[2]);
    return true;
  });
}
